"""Exact values of Dots and Boxes: published ones, book problems, and search against the full table."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position, game
from pocketzero.games.dots.strings import graph_of
from pocketzero.players.dots import full_table as tables
from pocketzero.players.dots.exact import DotsSolver, ExactOptions, ExactPlayer
from pocketzero.players.solver import Solver, Unsolved, result_for
from pocketzero.players.spec import make_player

LARGEST_IN_TESTS = 31  # lines: 3x4


def random_position(board: Game, lines: int, chance: random.Random) -> Position:
    position = board.start()
    for _ in range(lines):
        position = position.play_action(chance.choice(position.legal_actions()))
    return position


def test_values_of_empty_boards(shared_data: Path) -> None:
    known = json.loads((shared_data / "dots-values.json").read_text())
    tried = 0
    for size, value in {**known["verified_plain_dp"], **known["verified_alphabeta"]}.items():
        board = game(f"dots:{size}")
        if board.action_count > LARGEST_IN_TESTS:
            continue
        tried += 1
        assert DotsSolver(board, full_table=False).value(board.start()) == value, size
        if board.action_count <= tables.MOST_TABLE_LINES:
            assert DotsSolver(board).value(board.start()) == value, size
    assert tried >= 16


def test_every_line_of_the_book_problems(shared_data: Path) -> None:
    """Berlekamp, chapter 3; the file tells net future boxes, a solver final margins."""
    problems = json.loads((shared_data / "berlekamp.json").read_text())["problems"]
    assert len(problems) == 13
    for problem in problems:
        board = game(f"dots:{problem['rows']}x{problem['cols']}")
        state = board.start().state.copy()
        for name in problem["drawn"]:
            board.rules.play(board.geometry, state, board.notation.read(board.start(), name)[0])
        state[0] = 0  # only the lines count: the mover is the first player, and the lead is taken from the state
        position = Position(board, state)
        lead = position.margin
        solver = DotsSolver(board, full_table=False)
        expected = {board.notation.read(position, name)[0]: lead + net for name, net in problem["move_values"].items()}
        assert solver.move_values(position) == expected, problem["id"]
        value, best = solver.best_moves(position)
        assert value == solver.value(position) == max(expected.values())
        assert best == [line for line in sorted(expected) if expected[line] == value]


@pytest.mark.parametrize(("size", "count"), [("3x3", 3000), ("2x4", 2000), ("1x7", 500), ("2x3", 500)])
def test_searches_agree_with_the_table(size: str, count: int) -> None:
    board, chance = game(f"dots:{size}"), random.Random(size)
    table, search = DotsSolver(board), DotsSolver(board, full_table=False, bits=18)
    for _ in range(count):
        position = random_position(board, chance.randrange(board.action_count), chance)
        assert search.value(position) == table.value(position), position


@pytest.mark.parametrize("size", ["3x3", "2x4"])
def test_move_values_are_those_of_the_positions_after(size: str) -> None:
    board, chance = game(f"dots:{size}"), random.Random(3)
    table, search = DotsSolver(board), DotsSolver(board, full_table=False, bits=18)
    for _ in range(60):
        position = random_position(board, chance.randrange(board.action_count), chance)
        values = search.move_values(position)
        assert values == table.move_values(position) == Solver.move_values(table, position)
        assert search.best_moves(position) == table.best_moves(position)
        assert max(values.values()) == table.value(position)


def test_the_table_is_plain_search() -> None:
    """A few thousand entries, by trying every line with the rules of the game."""
    board, chance = game("dots:2x3"), random.Random(5)
    solver = DotsSolver(board)
    for _ in range(2000):
        position = random_position(board, chance.randrange(board.action_count), chance)
        afters = [position.play_action(line) for line in position.legal_actions()]
        best = max(
            result_for(after, position.to_move)
            if after.is_over
            else solver.value(after) * (1 if after.to_move == position.to_move else -1)
            for after in afters
        )
        assert solver.value(position) == best


def test_the_late_game_of_a_large_board() -> None:
    """From 62 lines on, a large board has values; along the best line they do not change."""
    board, chance = game("dots:6x7"), random.Random(8)
    solver = DotsSolver(board, seconds=60)
    with pytest.raises(Unsolved, match="97 are left"):
        solver.value(board.start())
    position = random_position(board, board.action_count - 26, chance)
    value, mover = solver.value(position), position.to_move
    while not position.is_over:
        assert solver.value(position) == (value if position.to_move == mover else -value)
        position = position.play_action(solver.best_moves(position)[1][0])
    assert result_for(position, mover) == value


@pytest.mark.parametrize("budget", [{"nodes": 1000}, {"seconds": 0.05}])
def test_a_spent_budget_says_how_far_it_got(budget: dict[str, float]) -> None:
    board = game("dots:5x5")
    solver = DotsSolver(board, bits=16, **budget)  # type: ignore[arg-type]
    with pytest.raises(Unsolved, match=r"after [\d,]+ positions.*60 lines.*between -25 and 25"):
        solver.value(board.start())
    assert solver.nodes >= 1000 or "seconds" in budget
    late = random_position(board, 52, random.Random(1))
    assert solver.value(late) == DotsSolver(board, bits=16).value(late)  # and the next question is answered


def test_another_board_is_refused() -> None:
    with pytest.raises(PocketZeroError, match="for dots:2x2, not for dots:3x3"):
        DotsSolver(game("dots:2x2")).value(game("dots:3x3").start())


def test_damaged_tables_are_made_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tables, "cache_folder", lambda: tmp_path)
    graph = graph_of(game("dots:2x2"))
    made = tables.full_table("dots:2x2", graph).copy()
    [file] = (tmp_path / "dots").iterdir()
    whole = file.read_bytes()
    for damaged in (b"", whole[:100], whole[:-1] + bytes([whole[-1] ^ 1]), b"x" * len(whole)):
        file.write_bytes(damaged)
        assert np.array_equal(tables.full_table("dots:2x2", graph), made)
        assert file.read_bytes() == whole


def test_a_kept_table_is_read_and_not_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tables, "cache_folder", lambda: tmp_path)
    graph = graph_of(game("dots:2x2"))
    made = tables.full_table("dots:2x2", graph).copy()
    monkeypatch.setattr(tables, "fill", lambda *arguments: pytest.fail("made again"))
    assert np.array_equal(tables.full_table("dots:2x2", graph), made)


def test_tables_need_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setattr(tables, "cache_folder", lambda: blocked)
    values = tables.full_table("dots:2x2", graph_of(game("dots:2x2")))
    assert values[-1] == 2


def test_the_player_never_gives_value_away() -> None:
    board, solver = game("dots:3x3"), DotsSolver(game("dots:3x3"))
    player, chance, drawn = make_player("exact", board, seed=4), random.Random(4), set()
    for _ in range(20):
        position = random_position(board, chance.randrange(20), chance)
        line = player.choose(position)
        values = solver.move_values(position)
        assert values[line] == max(values.values())
    start = board.start()
    for seed in range(20):
        player.begin(seed)
        drawn.add(player.choose(start))
    assert len(drawn) > 1  # by chance among equals


def test_the_player_says_once_that_it_could_not_finish(capsys: pytest.CaptureFixture[str]) -> None:
    board = game("dots:5x5")
    player = ExactPlayer(board, ExactOptions(seconds=0.1))
    for _ in range(2):
        assert player.choose(board.start()) in board.start().legal_actions()
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("could not solve") == 1


def test_limits_and_options_are_explained() -> None:
    with pytest.raises(PocketZeroError, match="exact does not play dots:10x10; it plays boards of up to 62 lines"):
        make_player("exact", game("dots:10x10"))
    with pytest.raises(PocketZeroError, match="must be more than 0"):
        make_player("exact:seconds=0", game("dots:3x3"))
