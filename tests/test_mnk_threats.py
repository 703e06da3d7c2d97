"""Wins by force in the m,n,k games, and the player that lives by them."""

from __future__ import annotations

import time
from functools import cache

import numpy as np
import pytest

from pocketzero.errors import PocketZeroError
from pocketzero.games import Position, game
from pocketzero.games.mnk import threats
from pocketzero.games.mnk.rules import has_row
from pocketzero.games.table import EXACT, NO_ANSWER
from pocketzero.players.mnk.exact import MnkSolver
from pocketzero.players.solver import Unsolved
from pocketzero.players.spec import make_player
from pocketzero.search import Search, Settings
from test_mnk_exact import random_position


@cache
def lines_of(board: str) -> threats.Lines:
    return threats.new_lines(game(board).geometry, 1 << 12)


def forced(position: Position, *, threes: int = 0, nodes: int = 20_000) -> int:
    """The cell that begins a win by force for the player to move, or -1."""
    lines = lines_of(position.game.name)
    threats.set_up(lines, position.state.copy())
    return int(threats.forced_win(lines, position.to_move, threes, nodes))


def answers(board: str, text: str, *, seeds: int = 3) -> set[str]:
    """What the player plays in a position, by several seeds."""
    position = game(board).position(text)
    return {position.write(make_player("threats", position.game, seed=seed).choose(position)) for seed in range(seeds)}


def recount(position: Position, player: int) -> list[list[int]]:
    """The windows of a player that lack one, two and three stones, counted from the board alone."""
    columns, rows, k, exactly = (int(number) for number in position.game.geometry[:4])
    cells = columns * rows
    owners = [
        next((p for p in range(2) if threats.holds(position.state.copy(), 4 + p * ((cells + 63) // 64), cell)), -1)
        for cell in range(cells)
    ]
    found: list[list[int]] = [[], [], []]
    for direction, (down, right) in enumerate([(0, 1), (1, 0), (1, 1), (1, -1)]):
        for first in range(cells):
            places = [(first // columns + i * down, first % columns + i * right) for i in range(-1, k + 1)]
            on_board = [0 <= r < rows and 0 <= c < columns for r, c in places]
            if not all(on_board[1:-1]):
                continue
            inside = [owners[r * columns + c] for r, c in places[1:-1]]
            ends = [owners[r * columns + c] for (r, c), on in zip(places, on_board) if on]
            ends = [ends[0]] * on_board[0] + [ends[-1]] * on_board[-1]
            lacking = k - inside.count(player)
            if 1 - player not in inside and not (exactly and player in ends) and 1 <= lacking <= 3:
                found[lacking - 1].append(direction * cells + first)
    return found


@pytest.mark.parametrize("board", ["mnk:7x7x4", "mnk:7x7x4/standard", "mnk:9x6x5/standard", "mnk:12x11x5"])
def test_lists_of_windows_are_those_on_the_board(board: str) -> None:
    lines = lines_of(board)
    for seed in range(10):
        position = random_position(board, game(board).action_count * 2 // 3, seed)
        threats.set_up(lines, position.state.copy())
        for player in range(2):
            for lacking, expected in enumerate(recount(position, player)):
                kind = threats.LISTED * player + lacking
                length = lines.board[threats.LENGTHS, kind]
                assert sorted(lines.board[threats.LISTS + kind, :length].tolist()) == expected


@pytest.mark.parametrize("board", ["mnk:7x7x4", "mnk:7x7x4/standard"])
def test_stones_that_come_and_go_leave_no_trace(board: str) -> None:
    lines = lines_of(board)
    position = random_position(board, 30, 5)
    threats.set_up(lines, position.state.copy())
    kept = [threats.OWNER, *range(threats.OWN, threats.PLACE), threats.LENGTHS]
    before, numbers = lines.board[kept].copy(), lines.numbers.copy()
    threats.forced_win(lines, position.to_move, 4, 500)
    np.testing.assert_array_equal(lines.board[kept], before)
    np.testing.assert_array_equal(lines.numbers[threats.VALUE :], numbers[threats.VALUE :])
    assert lines.numbers[threats.KEY] == numbers[threats.KEY]
    assert (lines.board[threats.PARTNER : threats.OTHER_PARTNER + 1] == -1).all()


@pytest.mark.parametrize("board", ["mnk:6x6x4", "mnk:7x7x4", "mnk:6x6x4/standard", "mnk:5x5x3/standard"])
def test_every_win_by_force_is_a_win(board: str) -> None:
    """The exact solver, which knows nothing of these searches, confirms the move that begins each win."""
    solver = MnkSolver(game(board), seconds=0, nodes=2_000_000)
    fours = threes = unsolved = 0
    for seed in range(120):
        position = random_position(board, game(board).action_count - 4 - seed % 14, seed)
        by_fours, by_threes = forced(position), forced(position, threes=6)
        assert by_threes >= 0 or by_fours < 0  # whoever may play threes too finds no less
        for cell in {by_fours, by_threes} - {-1}:
            after = position.play_action(cell)
            try:
                assert after.outcome == position.to_move or solver.value(after) == -1, (position.text, cell)
            except Unsolved:
                unsolved += 1
        fours += by_fours >= 0
        threes += by_threes >= 0 > by_fours
    assert fours > 20
    assert threes > 4 or board == "mnk:5x5x3/standard"
    assert unsolved <= 2


def replies_all_lose(position: Position, attacker: int, depth: int) -> bool:
    """Play a win by fours out against every defence that does not lose at once."""
    if position.is_over:
        return int(position.outcome) == attacker
    if depth == 0:
        return False
    if position.to_move == attacker:
        cell = forced(position)
        return cell >= 0 and replies_all_lose(position.play_action(cell), attacker, depth - 1)
    wins = [cell for cell in position.legal_actions() if wins_at(position, cell, attacker)]
    tried = wins or position.legal_actions()
    return all(replies_all_lose(position.play_action(cell), attacker, depth - 1) for cell in tried)


def wins_at(position: Position, cell: int, player: int) -> bool:
    """Whether a stone of this player, whoever is to move, would make a row on a cell."""
    state = position.state.copy()
    words = (position.game.action_count + 63) // 64
    state[4 + player * words + cell // 64] |= np.left_shift(np.int64(1), np.int64(cell % 64))
    return bool(has_row(position.game.geometry, state, player))


@pytest.mark.parametrize("board", ["mnk:8x8x5", "mnk:15x15x5", "mnk:8x8x5/standard"])
def test_wins_by_fours_hold_against_every_defence(board: str) -> None:
    found = 0
    for seed in range(60):
        position = crowded(board, seed)
        if forced(position) >= 0:
            found += 1
            assert replies_all_lose(position, position.to_move, 40), position.text
    assert found >= 5


def crowded(board: str, seed: int) -> Position:
    """A position of random stones near the centre."""
    chance = np.random.default_rng(seed)
    columns, rows = (int(number) for number in game(board).geometry[:2])
    near = [
        r * columns + c for r in range(rows // 2 - 3, rows // 2 + 4) for c in range(columns // 2 - 3, columns // 2 + 4)
    ]
    position = game(board).start()
    for cell in chance.permutation(near)[:26]:
        after = position.play_action(int(cell))
        if after.is_over:
            break
        position = after
    return position


FIVES = "mnk:11x11x5"


def board_of(**rows: str) -> str:
    """The text of an 11x11 board from some of its rows, r1 at the top; the rest is empty."""
    return "/".join(rows.get(f"r{number}", "11") for number in range(1, 12))


def test_a_win_in_one_is_taken_even_when_the_opponent_has_one_too() -> None:
    assert answers(FIVES, board_of(r5="2xxxx5", r7="2oooo5") + " x") <= {"b7", "g7"}


def test_a_four_is_blocked() -> None:
    assert answers(FIVES, board_of(r5="1oxxxx5", r7="2oo7") + " o") == {"g7"}


def test_an_open_three_is_answered_where_it_matters() -> None:
    assert answers(FIVES, board_of(r6="4xxx4", r8="4oo5") + " o", seeds=6) <= {"d6", "h6", "c6", "i6"}


def test_a_split_three_is_answered_inside_or_at_its_ends() -> None:
    assert answers(FIVES, board_of(r6="3xx1x4", r8="4oo5") + " o", seeds=6) <= {"c6", "f6", "h6"}


def test_an_open_three_becomes_an_open_four() -> None:
    assert answers(FIVES, board_of(r6="4xxx4", r8="4oo1o3") + " x") <= {"d6", "h6"}


def test_a_double_four_is_found() -> None:
    """Two rows of three, each stopped on one side, cross in one cell."""
    text = board_of(r3="5o5", r4="5x5", r5="5x5", r6="5x5", r7="1oxxx6", r9="4oo1o3", r10="2o8")
    position = game(FIVES).position(text + " x")
    assert position.write(forced(position)) == "f5"


def test_a_four_and_a_three_are_found_by_threes_only_when_needed() -> None:
    """Two open pairs that cross: no four exists yet, so only threes win."""
    position = game("mnk:15x15x5").position(
        "/".join(["15"] * 5 + ["6x8", "6x8", "4xx9", "15", "15", "2o9o2", "15", "2o9o2", "15", "15"]) + " x"
    )
    assert forced(position) == -1
    cell = forced(position, threes=6, nodes=200_000)
    assert cell >= 0
    after = position.play_action(cell)
    for reply in after.legal_actions():
        assert forced(after.play_action(reply), threes=6, nodes=200_000) >= 0


def test_six_in_a_row_count_only_where_they_win() -> None:
    row = board_of(r6="2xxx1xx3", r8="2oo1oo4", r1="o10") + " x"
    assert answers(FIVES, row) == {"f6"}
    assert "f6" not in answers(FIVES + "/standard", row)
    position = game(FIVES + "/standard").position(board_of(r6="1oxxx1x4", r8="2oo1o5") + " x")
    assert position.write(forced(position)) == "f6"


def test_edges_and_corners_leave_no_room_for_a_row() -> None:
    """Three in a corner, stopped behind, are no threat; along the edge with room they are."""
    stopped = game(FIVES).position("xxxo7/11/11/11/11/11/11/11/2oo7/11/11 x")
    assert forced(stopped, threes=6) == -1
    edge = game(FIVES).position("x10/x10/x10/11/11/11/11/11/2ooo6/11/11 x")
    assert forced(edge) == -1  # one end of the row is the edge: the four is blocked
    assert answers(FIVES, "3xxx5/11/11/11/11/11/11/11/2o3o4/11/5o5 x") <= {"c11", "g11"}


def test_the_last_cell_of_a_full_board_is_played() -> None:
    for seed in range(3):
        position = random_position("mnk:5x5x5", 1, seed)
        assert make_player("threats", position.game).choose(position) == position.legal_actions()[0]


@pytest.mark.parametrize("board", ["mnk:1x1x1", "mnk:3x3x2", "mnk:3x3x3", "mnk:25x25x5", "mnk:9x2x3", "mnk:19x19x6"])
def test_a_legal_move_on_any_board(board: str) -> None:
    position = game(board).start()
    player = make_player("threats:nodes=500", game(board), seed=1)
    for _ in range(6):
        if not position.is_over:
            position = position.play(player.choose(position))


def test_the_time_given_is_used_and_kept() -> None:
    position = game(FIVES).start().play_line("f6 g7 e7")
    player = make_player("threats:seconds=0.5", game(FIVES))
    begin = time.monotonic()
    player.choose(position)
    assert 0.4 < time.monotonic() - begin < 5
    with pytest.raises(PocketZeroError, match="at least 1"):
        make_player("threats:nodes=0", game(FIVES))


def test_the_rule_answers_only_with_a_budget() -> None:
    """From player 0's side: 1 where it wins by fours, -1 where player 1 does."""
    board = game(FIVES)
    for text, value in (("r6", 1), ("r8", -1)):
        rows = {"r6": "4xxx4", "r8": "4ooo4"} if value == 1 else {"r6": "4ooo4", "r8": "3xx1x4", "r1": "x10"}
        position = board.position(board_of(**rows) + (" x" if value == 1 else " o"))
        bounds = np.array([-1, 1], np.int64)
        assert board.rules.solve(board.geometry, position.state.copy(), 0, bounds) == NO_ANSWER, text
        assert bounds.tolist() == [-1, 1]
        assert board.rules.solve(board.geometry, position.state.copy(), 1000, bounds) == EXACT
        assert bounds.tolist() == [value, value]
    quiet = board.start()
    assert board.rules.solve(board.geometry, quiet.state.copy(), 1000, np.zeros(2, np.int64)) == NO_ANSWER


def test_a_larger_budget_looks_for_threes_too() -> None:
    """What they win is won, by the exact solver."""
    board = game("mnk:5x5x4")
    positions = [random_position(board.name, 19, seed) for seed in range(300)]
    states, bounds = [each.state.copy() for each in positions], np.zeros(2, np.int64)
    fours, threes = (
        {number for number, state in enumerate(states) if board.rules.solve(board.geometry, state, budget, bounds)}
        for budget in (threats.THREES_FROM - 1, threats.THREES_FROM)
    )
    assert fours < threes
    solver = MnkSolver(board)
    assert all(solver.value(positions[number]) == 1 for number in threes)


def test_a_tree_search_with_a_budget_proves_what_fours_win() -> None:
    """Two open threes: whatever o does, one becomes an open four."""
    position = game(FIVES).position(board_of(r1="o9o", r3="2xxx6", r5="o10", r8="5xxx3", r11="o9o") + " o")
    proven = Search(position, settings=Settings(solve_budget=200), seed=1).run(sims=400)
    blind = Search(position, settings=Settings(), seed=1).run(sims=400)
    assert (proven.stopped, proven.value) == ("proven", -1)
    assert blind.stopped == "simulations"


@pytest.mark.parametrize("side", [0, 1])
def test_it_beats_random_games(side: int) -> None:
    board = game(FIVES)
    for seed in range(3):
        players = [make_player(text, board, seed=seed) for text in ("threats", "uct:sims=2000")]
        position = crowded_opening(seed)
        while not position.is_over:
            position = position.play(players[position.to_move ^ side].choose(position))
        assert int(position.outcome) == side


def crowded_opening(seed: int) -> Position:
    """Two stones near the centre."""
    cells = np.random.default_rng(seed).choice([48, 49, 50, 59, 60, 61, 70, 71, 72], 2, replace=False)
    return game(FIVES).start().play(int(cells[0])).play(int(cells[1]))
