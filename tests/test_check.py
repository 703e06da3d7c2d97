"""``check_game`` catches games that break a promise, each with the moves that show it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pocketzero.errors import BadPosition, BrokenGame, IllegalMove, UnknownName
from pocketzero.games import Game, Notation, Position, check_game, families, game, rule
from pocketzero.games.base import Encoding
from pocketzero.games.dots import rules as dots_rules
from pocketzero.games.table import Geometry, Moves, Planes, State

EXAMPLES = Path(__file__).parent.parent / "examples"


@rule("play")
def play_without_extra_turns(geometry: Geometry, state: State, action: int) -> None:
    """The classic mistake: the turn passes after every line."""
    mover = state[dots_rules.PLAYER]
    dots_rules.play(geometry, state, action)
    state[dots_rules.PLAYER] = 1 - mover


@rule("key")
def constant_key(geometry: Geometry, state: State) -> int:
    return 7


@rule("key")
def key_without_player(geometry: Geometry, state: State) -> int:
    return state[dots_rules.DRAWN] * 2 + 1


@rule("legal")
def first_line_twice(geometry: Geometry, state: State, out: Moves) -> int:
    count = dots_rules.legal(geometry, state, out)
    if count:
        out[count] = out[0]
        count += 1
    return count


@rule("outcome")
def never_a_draw(geometry: Geometry, state: State) -> int:
    result = dots_rules.outcome(geometry, state)
    return 0 if result == 2 else result


@rule("encode")
def blind_to_symmetry(geometry: Geometry, state: State, symmetry: int, out: Planes) -> None:
    out[:] = 0
    for line in range(geometry[dots_rules.LINES]):
        out[line] = (state[dots_rules.DRAWN] >> line) & 1


def broken(**rules: object) -> Game:
    board = game("dots:2x2")
    return replace(board, rules=replace(board.rules, **rules))


@pytest.mark.parametrize(
    ("wrong", "promise"),
    [
        ({"play": play_without_extra_turns}, "the right player moves next"),
        ({"key": constant_key}, "an action changes the key|positions with one key"),
        ({"key": key_without_player}, "positions with one key have the same moves, player and margin"),
        ({"legal": first_line_twice}, "no legal move is listed twice"),
        ({"outcome": never_a_draw}, "the outcome agrees with the margin"),
    ],
)
def test_broken_rules_are_caught(wrong: dict[str, object], promise: str) -> None:
    with pytest.raises(BrokenGame, match=promise) as caught:
        check_game(broken(**wrong), games=200)
    assert "Moves: " in str(caught.value)


def test_wrong_symmetries_are_caught() -> None:
    board = game("dots:2x2")
    blind = Encoding(encode=blind_to_symmetry, shape=(12, 3, 3), symmetries=board.planes.symmetries)
    with pytest.raises(BrokenGame, match="symmetry"):
        check_game(replace(board, encodings={"boxes": blind}), games=20)
    shuffled = board.symmetries.copy()
    shuffled[1] = np.roll(shuffled[1], 1)
    with pytest.raises(BrokenGame, match="symmetry 1"):
        check_game(replace(board, symmetries=shuffled), games=60)


def test_too_short_a_length_is_caught() -> None:
    with pytest.raises(BrokenGame, match="no game is longer than 5"):
        check_game(replace(game("dots:2x2"), max_length=5), games=1)


def test_wrong_notation_is_caught() -> None:
    class OneOff(Notation):
        def write(self, position: Position, action: int) -> str:
            return str(action + 1)

    with pytest.raises(BrokenGame, match="is read as the same action"):
        check_game(replace(game("dots:2x2"), notation=OneOff()), games=3)


def test_every_built_in_game_keeps_its_promises() -> None:
    for family in families():
        for name in family.examples:
            assert check_game(game(name), games=3).games == 3


def test_kalah_is_short_and_keeps_its_promises() -> None:
    file = EXAMPLES / "kalah.py"
    assert len(file.read_text().splitlines()) <= 150
    report = check_game(game(f"{file}:game"), games=100)
    assert report.extra_turns > 0


def test_names_that_are_wrong() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'dots'"):
        game("dost:3x3")
    with pytest.raises(UnknownName, match="There is no file"):
        game("no/such/file.py:game")
    with pytest.raises(UnknownName, match=r"has no 'gaem'.*Did you mean 'game'"):
        game(f"{EXAMPLES / 'kalah.py'}:gaem")
    with pytest.raises(BrokenGame, match="is not a Game"):
        game(f"{EXAMPLES / 'kalah.py'}:HOUSES")
    with pytest.raises(UnknownName, match=r"has no encoding 'boxs'.*Did you mean 'boxes'"):
        game("dots:2x2", "boxs")


def test_own_games_meet_their_mistakes_with_a_sentence(tmp_path: Path) -> None:
    kalah = game(f"{EXAMPLES / 'kalah.py'}:game")
    with pytest.raises(BadPosition, match="player to move"):
        kalah.position(" ".join(["5", "0", "0", "0", *["4"] * 12]))
    with pytest.raises(IllegalMove, match="moves are numbers"):
        kalah.start().play("1" * 5000)
    assert kalah.start().play(np.int64(2)).actions == [2]
    broken_file = tmp_path / "broken.py"
    broken_file.write_text("1 / 0\n")
    with pytest.raises(BrokenGame, match="cannot be imported: ZeroDivisionError"):
        game(f"{broken_file}:game")
