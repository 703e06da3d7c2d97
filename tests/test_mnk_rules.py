"""The rules of the m,n,k games against OpenSpiel, against a slow second implementation, and against known facts."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pyspiel
import pytest

from pocketzero.games import Outcome, Position, check_game, game
from pocketzero.games.mnk import rules

LOCK_STEP = [
    ("mnk:3x3x3", 400),
    ("mnk:4x3x3", 300),
    ("mnk:5x5x4", 300),
    ("mnk:3x6x3", 200),
    ("mnk:7x4x4", 160),
    ("mnk:6x6x4", 120),
    ("mnk:15x15x5", 12),
    ("mnk:9x20x5", 12),
]
DIRECTIONS = [(0, 1), (1, 0), (1, 1), (1, -1)]


def openspiel_twin(name: str) -> pyspiel.State:
    """The same game in OpenSpiel, whose m is the columns and n the rows; it numbers cells as we do."""
    columns, rows, k = name.removeprefix("mnk:").split("x")
    return pyspiel.load_game(f"mnk(m={columns},n={rows},k={k})").new_initial_state()


def openspiel_outcome(twin: pyspiel.State) -> Outcome:
    if not twin.is_terminal():
        return Outcome.ONGOING
    return {1.0: Outcome.FIRST, -1.0: Outcome.SECOND, 0.0: Outcome.DRAW}[twin.returns()[0]]


@pytest.mark.parametrize(("name", "games"), LOCK_STEP)
def test_random_games_go_as_in_openspiel(name: str, games: int) -> None:
    chance = random.Random(7)
    for _ in range(games):
        position, twin = game(name).start(), openspiel_twin(name)
        while not twin.is_terminal():
            assert position.legal_actions() == twin.legal_actions()
            assert position.to_move == twin.current_player()
            action = chance.choice(twin.legal_actions())
            position = position.play_action(action)
            twin.apply_action(action)
            assert position.outcome is openspiel_outcome(twin)
        assert position.legal_actions() == []


def test_seven_hundred_games_are_compared() -> None:
    assert sum(games for _, games in LOCK_STEP) >= 700


def count_lines(position: Position, depth: int) -> int:
    """How many lines of play of this length there are; lines end where the game ends."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(position.legal_actions())
    return sum(count_lines(position.play_action(action), depth - 1) for action in position.legal_actions())


def count_openspiel_lines(twin: pyspiel.State, depth: int) -> int:
    if depth == 0:
        return 1
    if depth == 1:
        return len(twin.legal_actions())
    return sum(count_openspiel_lines(twin.child(action), depth - 1) for action in twin.legal_actions())


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("mnk:3x3x3", [1, 9, 72, 504, 3024, 15120, 54720, 148176]),
        ("mnk:4x3x3", [1, 12, 132, 1320, 11880, 95040]),
        ("mnk:5x5x4", [1, 25, 600, 13800, 303600]),
        ("mnk:2x5x2", [1, 10, 90, 720, 2688, 8640]),
        ("mnk:6x2x3", [1, 12, 132, 1320, 11880, 95040, 641088]),
    ],
)
def test_lines_of_play_are_as_many_as_in_openspiel(name: str, counts: list[int]) -> None:
    position, twin = game(name).start(), openspiel_twin(name)
    for depth, count in enumerate(counts):
        assert count_lines(position, depth) == count
        assert count_openspiel_lines(twin, depth) == count


def complete_games(board: np.ndarray, geometry: np.ndarray, found: dict[int, int]) -> int:
    """How many complete games follow, by their length; straight on the compiled rules."""
    if rules.outcome(geometry, board) != -1:
        length = 9 - int(board[rules.EMPTY])
        found[length] = found.get(length, 0) + 1
        return 1
    moves = np.empty(9, np.int32)
    total = 0
    for action in moves[: rules.legal(geometry, board, moves)]:
        after = board.copy()
        rules.play(geometry, after, action)
        total += complete_games(after, geometry, found)
    return total


def test_tic_tac_toe_has_255168_complete_games() -> None:
    found: dict[int, int] = {}
    tic_tac_toe = game("mnk:3x3x3")
    assert complete_games(tic_tac_toe.start().state.copy(), tic_tac_toe.geometry, found) == 255168
    assert found == {5: 1440, 6: 5328, 7: 47952, 8: 72576, 9: 127872}


def value(position: Position, known: dict[int, int]) -> int:
    """The value for player 0, by looking at everything."""
    if position.key not in known:
        if position.is_over:
            known[position.key] = {Outcome.FIRST: 1, Outcome.SECOND: -1, Outcome.DRAW: 0}[position.outcome]
        else:
            best = max if position.to_move == 0 else min
            known[position.key] = best(value(position.play(action), known) for action in position.legal_actions())
    return known[position.key]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("mnk:3x3x3", 0), ("mnk:3x2x2", 1), ("mnk:2x2x2", 1), ("mnk:4x2x3", 0), ("mnk:3x3x3/standard", 0)],
)
def test_minimax_finds_the_value_of_small_games(name: str, expected: int) -> None:
    assert value(game(name).start(), {}) == expected


def first_player_wins(position: Position, known: dict[int, bool]) -> bool:
    """Whether player 0 can force a win; stops at the first move that answers."""
    if position.is_over:
        return position.outcome is Outcome.FIRST
    if position.key not in known:
        answers = any if position.to_move == 0 else all
        known[position.key] = answers(
            first_player_wins(position.play_action(action), known) for action in position.legal_actions()
        )
    return known[position.key]


def test_the_first_player_wins_three_in_a_row_on_four_by_three() -> None:
    assert first_player_wins(game("mnk:4x3x3").start(), {})
    assert not first_player_wins(game("mnk:3x3x3").start(), {})


def slow_winner(stones: dict[tuple[int, int], int], k: int, *, exactly: bool) -> int | None:
    """Who has a winning row, by looking along every line from every stone."""
    for (row, column), player in stones.items():
        for down, right in DIRECTIONS:
            if stones.get((row - down, column - right)) == player:
                continue
            length = 1
            while stones.get((row + length * down, column + length * right)) == player:
                length += 1
            if length == k or (length > k and not exactly):
                return player
    return None


@pytest.mark.parametrize("name", ["mnk:5x5x3", "mnk:7x4x3", "mnk:6x6x4", "mnk:9x1x2", "mnk:8x8x2"])
@pytest.mark.parametrize("variant", ["", "/standard"])
def test_rows_win_as_in_a_slow_second_implementation(name: str, variant: str) -> None:
    chance = random.Random(11)
    columns, _, k = (int(number) for number in name.removeprefix("mnk:").split("x"))
    for _ in range(60):
        position = game(name + variant).start()
        stones: dict[tuple[int, int], int] = {}
        while not position.is_over:
            assert slow_winner(stones, k, exactly=bool(variant)) is None
            action = chance.choice(position.legal_actions())
            stones[divmod(action, columns)] = position.to_move
            position = position.play_action(action)
        winner = slow_winner(stones, k, exactly=bool(variant))
        assert position.outcome is (Outcome.DRAW if winner is None else Outcome(winner))


def test_an_overline_wins_freestyle_and_not_standard() -> None:
    line = "a1 a3 b1 b3 c1 a2 e1 b2 f1 e3 d1"
    assert game("mnk:7x7x5").start().play_line(line).outcome is Outcome.FIRST
    standard = game("mnk:7x7x5/standard").start().play_line(line)
    assert standard.outcome is Outcome.ONGOING
    assert standard.play_line("g7 c4 g5 c5 f7 c3").outcome is Outcome.ONGOING


@cache
def boards_to_check() -> tuple[tuple[str, int], ...]:
    small = ("1x1x1", "2x1x2", "3x3x3", "4x3x3", "7x3x3", "5x5x4", "5x5x3/standard", "8x8x4", "1x9x3")
    return (
        *((f"mnk:{board}", 12) for board in small),
        ("mnk:15x15x5", 3),
        ("mnk:19x7x5/standard", 3),
        ("mnk:25x25x5", 2),
    )


@pytest.mark.parametrize(("name", "games"), boards_to_check())
def test_every_promise_of_the_contract_is_kept(name: str, games: int) -> None:
    report = check_game(game(name), games=games)
    assert report.games == games
    assert report.extra_turns == 0


def test_one_cell_is_won_at_once() -> None:
    assert game("mnk:1x1x1").start().play("a1").outcome is Outcome.FIRST


def test_the_key_does_not_depend_on_the_order_of_moves() -> None:
    start = game("mnk:15x15x5").start()
    one, other = start.play_line("h8 i9 g10 a1"), start.play_line("g10 a1 h8 i9")
    assert one == other
    assert one.state[rules.LAST] != other.state[rules.LAST]
    assert one.planes().tolist() == other.planes().tolist()
