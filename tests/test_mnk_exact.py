"""Exact values in the m,n,k games: the solved boards, the oracle's positions, and plain minimax on small ones."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pocketzero.compiled import kernel
from pocketzero.errors import PocketZeroError
from pocketzero.games import Position, game
from pocketzero.games.mnk.rules import COLUMNS, RESULT, ROWS, legal, play
from pocketzero.games.table import DRAW, GEOMETRY, INT, ONGOING, STATE, Geometry, State
from pocketzero.players.mnk.exact import MnkSolver
from pocketzero.players.solver import Unsolved, result_for
from pocketzero.players.spec import make_player


@cache
def solver(board: str) -> MnkSolver:
    return MnkSolver(game(board))


@kernel(INT(GEOMETRY, STATE))
def minimax(geometry: Geometry, state: State) -> int:
    """The value for the player to move, by trying everything."""
    if state[RESULT] != ONGOING:
        return 0 if state[RESULT] == DRAW else -1
    actions = np.empty(geometry[COLUMNS] * geometry[ROWS], np.int32)
    best = -1
    for index in range(legal(geometry, state, actions)):
        after = state.copy()
        play(geometry, after, actions[index])
        best = max(best, -minimax(geometry, after))
    return best


def plain_values(position: Position) -> dict[int, int]:
    """The value of every move by plain minimax."""
    after = {action: position.play_action(action) for action in position.legal_actions()}
    return {action: -int(minimax(then.game.geometry, then.state.copy())) for action, then in after.items()}


def random_position(board: str, empty: int, seed: int) -> Position:
    """A position with so many empty cells, or more if every further move would end the game."""
    chance = np.random.default_rng(seed)
    position = game(board).start()
    while len(position.legal_actions()) > empty:
        after = [position.play_action(action) for action in chance.permutation(position.legal_actions())]
        going_on = next((each for each in after if not each.is_over), None)
        if going_on is None:
            return position
        position = going_on
    return position


@pytest.mark.parametrize(
    ("board", "value"),
    [
        ("mnk:1x1x1", 1),
        ("mnk:2x2x2", 1),
        ("mnk:3x3x3", 0),
        ("mnk:4x4x4", 0),
        ("mnk:5x4x4", 0),
        ("mnk:5x5x4", 0),
        ("mnk:5x5x5", 0),
        ("mnk:4x3x3", 1),
        ("mnk:3x4x3", 1),
        ("mnk:4x4x3", 1),
        ("mnk:6x5x4", 1),
        ("mnk:6x6x4", 1),
        ("mnk:7x7x4", 1),
        ("mnk:6x4x4", 0),
        ("mnk:6x6x5", 0),
    ],
)
def test_solved_boards(board: str, value: int) -> None:
    assert solver(board).value(game(board).start()) == value


@pytest.mark.parametrize(("board", "records"), [("5x5x4", 400), ("6x6x4", 200)])
def test_every_move_of_the_oracle(board: str, records: int, shared_data: Path) -> None:
    lines = (shared_data / f"oracle-{board}.jsonl").read_text().splitlines()
    assert len(lines) == records
    for record in map(json.loads, lines):
        position = game(f"mnk:{board}").start()
        for x, y in record["moves"]:
            position = position.play_action(y * record["w"] + x)
        expected = {y * record["w"] + x: value for x, y, value in record["move_values"]}
        assert solver(f"mnk:{board}").move_values(position) == expected, position.text


@pytest.mark.parametrize("board", ["mnk:3x3x3", "mnk:3x3x3/standard", "mnk:3x3x2/standard", "mnk:9x1x3/standard"])
def test_every_first_move_against_plain_minimax(board: str) -> None:
    start = game(board).start()
    assert solver(board).move_values(start) == plain_values(start)


TINY = ["mnk:3x3x3", "mnk:4x3x3", "mnk:3x3x2", "mnk:4x4x2", "mnk:2x4x3", "mnk:5x2x3"]
LARGER = ["mnk:5x5x4", "mnk:6x6x4", "mnk:5x5x3", "mnk:8x8x5", "mnk:6x4x3"]


@settings(max_examples=120)
@given(
    board=st.sampled_from(TINY + LARGER),
    exactly=st.booleans(),
    empty=st.integers(1, 8),
    seed=st.integers(0, 1000),
)
def test_positions_with_few_empty_cells_against_plain_minimax(board: str, exactly: bool, empty: int, seed: int) -> None:
    name = board + "/standard" * exactly
    position = random_position(name, empty, seed)
    assert solver(name).move_values(position) == plain_values(position), position.text


def test_six_in_a_row_do_not_win_where_exactly_five_must() -> None:
    row = "xxx1xx2/oo1oo3/o7/8/8/8/8/8 x"
    freestyle, standard = game("mnk:8x8x5").position(row), game("mnk:8x8x5/standard").position(row)
    gap = 3
    assert freestyle.play_action(gap).outcome.name == "FIRST"
    assert standard.play_action(gap).outcome.name == "ONGOING"
    assert solver("mnk:8x8x5").value(freestyle) == 1
    small = "xxx1xx/ooo1oo x"
    assert solver("mnk:6x2x5").move_values(game("mnk:6x2x5").position(small)) == {3: 1, 9: 0}
    assert solver("mnk:6x2x5/standard").move_values(game("mnk:6x2x5/standard").position(small)) == {3: 0, 9: 0}


def test_a_finished_game_has_its_result() -> None:
    over = game("mnk:3x3x3").start().play_line("a1 b1 a2 b2 a3")
    assert solver("mnk:3x3x3").value(over) == -1
    full = game("mnk:3x3x3").start().play_line("a1 b1 c1 b2 a2 a3 b3 c2 c3")
    assert solver("mnk:3x3x3").value(full) == result_for(full, full.to_move)


def test_limits_are_kept_and_told() -> None:
    start = game("mnk:8x8x5").start()
    with pytest.raises(Unsolved, match=r"mnk:8x8x5 with 64 empty cells was not solved within 2000 nodes"):
        MnkSolver(game("mnk:8x8x5"), seconds=0, nodes=2000).value(start)
    with pytest.raises(Unsolved, match=r"within 0.2 seconds"):
        MnkSolver(game("mnk:8x8x5"), seconds=0.2).value(start)
    with pytest.raises(PocketZeroError, match="exact does not play mnk:9x9x5; it plays boards of up to 64 cells"):
        make_player("exact", game("mnk:9x9x5"))
    with pytest.raises(PocketZeroError, match="above 0"):
        make_player("exact:seconds=0", game("mnk:3x3x3"))


def test_the_limits_of_one_question_do_not_reach_the_next() -> None:
    solved = MnkSolver(game("mnk:8x8x5"), seconds=0.05)
    with pytest.raises(Unsolved):
        solved.value(game("mnk:8x8x5").start())
    assert solved.value(random_position("mnk:8x8x5", 4, 1)) in (-1, 0, 1)


@pytest.mark.parametrize("seed", range(4))
def test_perfect_play_draws_with_itself_and_never_loses_to_chance(seed: int) -> None:
    board = game("mnk:4x4x4" if seed % 2 else "mnk:3x3x3")
    for texts in (("exact", "exact"), ("exact", "random"), ("random", "exact")):
        players = [make_player(text, board, seed=seed) for text in texts]
        position = board.start()
        while not position.is_over:
            position = position.play(players[position.to_move].choose(position))
        if texts == ("exact", "exact"):
            assert position.outcome.name == "DRAW"
        else:
            assert result_for(position, texts.index("exact")) >= 0


def test_a_win_in_one_comes_before_slower_wins() -> None:
    position = game("mnk:6x6x4").position("6/1xxx2/oo4/o5/6/6 x")
    for seed in range(5):
        assert make_player("exact", position.game, seed=seed).choose(position) in (6, 10)


def test_without_an_answer_in_time_it_says_so_once_and_still_plays(capsys: pytest.CaptureFixture[str]) -> None:
    position = game("mnk:8x8x5").position("8/8/8/2xxx3/8/2oo4/8/8 o")
    player = make_player("exact:seconds=0.05", position.game)
    first = player.choose(position)
    assert position.game.notation.write(position, first) in ("b5", "f5", "a5", "g5")  # the open three is answered
    player.choose(position.play(first))
    player.choose(game("mnk:8x8x5").start())
    player.choose(game("mnk:8x8x5").start())
    assert capsys.readouterr().err.count("exact did not solve mnk:8x8x5 within 0.05 seconds") == 1
