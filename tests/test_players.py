"""Players by their texts: what can be typed, what it means, and what a mistake is told."""

from __future__ import annotations

import io
import threading
import time

import pytest

from pocketzero.errors import PocketZeroError
from pocketzero.games import game
from pocketzero.players.base import Forfeit, Player
from pocketzero.players.best import best_player, best_text
from pocketzero.players.spec import MODULES, all_kinds, kinds, make_player, plays


def play_out(first: Player, second: Player, board: str) -> list[int]:
    position = game(board).start()
    while not position.is_over:
        position = position.play_action((first, second)[position.to_move].choose(position))
    return position.actions


@pytest.mark.parametrize(
    ("text", "board", "words"),
    [
        ("uct:simz=5", "dots:2x2", "has no option 'simz'. Did you mean 'sims'? Its options: sims, seconds, memory, c."),
        ("uct:sims=many", "dots:2x2", "uct: sims is a whole number, not 'many'."),
        ("uct:seconds=nan", "dots:2x2", "seconds must be finite"),
        ("uct:sims=-5", "dots:2x2", "cannot be negative"),
        ("uct:sims=1,sims=2", "dots:2x2", "given twice"),
        ("random:x=1", "dots:2x2", "It has no options."),
        ("harder", "dots:2x2", "There is no player called 'harder'. Did you mean 'hard'?"),
        ("hard", "mnk:3x3x3", "hard does not play mnk:3x3x3; it plays dots."),
        ("", "dots:2x2", "There is no player called ''"),
    ],
)
def test_mistakes_are_explained(text: str, board: str, words: str) -> None:
    with pytest.raises(PocketZeroError) as mistake:
        make_player(text, game(board))
    assert words in str(mistake.value)


def test_options_are_read() -> None:
    player = make_player("uct:sims=20_000, c=0.5", game("mnk:3x3x3"))
    assert player.sims == 20_000  # type: ignore[attr-defined]
    assert player.text == "uct:sims=20_000, c=0.5"


def test_every_name_has_a_kind_and_says_what_it_is() -> None:
    assert all(kinds(name) for name in MODULES)
    assert all(kind.summary for kind in all_kinds())


def test_kinds_know_what_they_play() -> None:
    [hard] = kinds("hard")
    assert plays(hard, game("dots:3x3"))
    assert not plays(hard, game("zertz:19"))


@pytest.mark.parametrize(
    ("board", "best"),
    [
        ("dots:5x5", "alphabeta:seconds=1"),
        ("dots:1x1", "alphabeta:seconds=1"),
        ("dots:20x20", "hard"),
        ("zertz:61", "alphabeta:seconds=1"),
        ("zertz:19/deepzertz/joint", "alphabeta:seconds=1"),
        ("mnk:5x5x4", "exact:seconds=1"),
        ("mnk:6x6x5", "exact:seconds=1"),
        ("mnk:7x7x5", "threats:seconds=1"),
        ("gomoku:15", "threats:seconds=1"),
    ],
)
def test_the_best_player_of_each_board_plays_it(board: str, best: str) -> None:
    start = game(board).start()
    assert best_text(start.game) == best
    assert best_player(start.game).choose(start) in start.legal_actions()


def test_the_best_player_of_a_small_board_solves_it() -> None:
    player, start = best_player(game("mnk:6x6x4")), game("mnk:6x6x4").start()
    column, row = start.write(player.choose(start))
    assert column in "bcde"  # in the middle, where the first stone wins
    assert row in "2345"


@pytest.mark.parametrize("text", ["random", "uct:sims=50"])
def test_the_same_seed_gives_the_same_game(text: str) -> None:
    games = [
        play_out(
            make_player(text, game("dots:2x2"), seed=seed),
            make_player(text, game("dots:2x2"), seed=seed + 1),
            "dots:2x2",
        )
        for seed in (1, 1, 2)
    ]
    assert games[0] == games[1] != games[2]


@pytest.mark.parametrize(
    ("text", "board"),
    [
        ("uct:seconds=60", "gomoku:15"),
        ("alphabeta:seconds=60", "dots:9x9"),
        ("alphabeta:seconds=0,nodes=1000000000", "dots:9x9"),
        ("alphabeta:seconds=60", "zertz:37"),
        ("joint:uct:seconds=60", "zertz:37"),
        ("exact:seconds=60", "dots:5x5"),
        ("exact:seconds=60", "mnk:7x7x5"),
        ("threats:seconds=60", "gomoku:15"),
    ],
)
def test_a_search_can_be_stopped_and_moves_all_the_same(text: str, board: str) -> None:
    position = game(board).start()
    player = make_player(text, position.game)
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(player.choose(position)), daemon=True)
    thread.start()
    time.sleep(0.5)
    assert not found
    for _ in range(20):  # a player that asks several searches one after the other is stopped in each
        player.stop()
        thread.join(0.1)
    assert found
    assert found[0] in position.legal_actions()


def test_a_person_is_asked_until_the_move_is_legal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    person = make_player("human", game("mnk:3x3x3"))
    monkeypatch.setattr("sys.stdin", io.StringIO("nonsense\nz9\nb2\n"))
    start = game("mnk:3x3x3").start()
    assert start.write(person.choose(start)) == "b2"
    assert capsys.readouterr().out == ""  # stdout is for results
    with pytest.raises(Forfeit, match="left the game"):
        person.choose(start)
