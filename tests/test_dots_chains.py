"""Chains, exact reductions and endgames of Dots and Boxes, against values from plain exhaustive search."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from pocketzero.games import Game, game
from pocketzero.games.dots import chains, encodings, rules
from pocketzero.games.table import BOUNDED, EXACT

State = np.ndarray


class Exhaustive:
    """The value of every set of lines by trying everything, written without any of the project's rules."""

    def __init__(self, rows: int, columns: int) -> None:
        across = (rows + 1) * columns
        self.lines = across + rows * (columns + 1)
        self.boxes = []
        for r in range(rows):
            for c in range(columns):
                left = across + r * (columns + 1) + c
                sides = (r * columns + c, (r + 1) * columns + c, left, left + 1)
                self.boxes.append(sum(1 << line for line in sides))
        self.value = cache(self._value)

    def finished(self, drawn: int) -> int:
        return sum(drawn & box == box for box in self.boxes)

    def after(self, drawn: int, line: int) -> int:
        """The mover's net boxes if this line is drawn now."""
        then = drawn | 1 << line
        gained = self.finished(then) - self.finished(drawn)
        return gained + self.value(then) if gained else -self.value(then)

    def _value(self, drawn: int) -> int:
        return max((self.after(drawn, line) for line in range(self.lines) if not drawn >> line & 1), default=0)


def state_with(board: Game, drawn: int, player: int = 0) -> State:
    state = board.start().state.copy()
    for line in range(board.action_count):
        if drawn >> line & 1:
            board.rules.play(board.geometry, state, line)
    state[rules.PLAYER] = player
    return state


def random_sets(lines: int, count: int, seed: int, fewest: int) -> list[int]:
    chance = random.Random(seed)
    return [
        sum(1 << line for line in chance.sample(range(lines), chance.randint(fewest, lines - 1))) for _ in range(count)
    ]


@pytest.mark.parametrize(
    ("rows", "columns", "fewest"), [(1, 4, 0), (2, 2, 0), (2, 3, 4), (3, 3, 13), (2, 5, 16), (4, 3, 21)]
)
def test_reduced_moves_keep_the_value(rows: int, columns: int, fewest: int) -> None:
    board, truth = game(f"dots:{rows}x{columns}"), Exhaustive(rows, columns)
    out = np.empty(board.action_count, np.int32)
    saved = 0
    for drawn in random_sets(truth.lines, 400, rows * columns, fewest):
        state = state_with(board, drawn)
        count = board.rules.reduce(board.geometry, state, out)
        reduced = out[:count].tolist()
        assert count > 0
        assert max(truth.after(drawn, line) for line in reduced) == truth.value(drawn)
        saved += truth.lines - drawn.bit_count() - count
    assert saved > 400  # more than one move of each position is left out


@pytest.mark.parametrize(("rows", "columns", "fewest"), [(2, 3, 6), (3, 3, 13), (1, 8, 14), (4, 3, 21)])
def test_solved_endgames_are_exact_and_bounds_hold(rows: int, columns: int, fewest: int) -> None:
    board, truth = game(f"dots:{rows}x{columns}"), Exhaustive(rows, columns)
    bounds = np.zeros(2, np.int64)
    exact = 0
    for index, drawn in enumerate(random_sets(truth.lines, 1000, 5, fewest)):
        state = state_with(board, drawn, player=index % 2)
        answer = board.rules.solve(board.geometry, state, 0, bounds)
        value = truth.value(drawn) if index % 2 == 0 else -truth.value(drawn)
        final = board.rules.margin(board.geometry, state) + value
        assert bounds[0] <= final <= bounds[1]
        if answer == EXACT:
            exact += 1
            assert bounds[0] == bounds[1] == final
        else:
            assert answer == BOUNDED
    assert exact > 40


def survey(board: Game, drawn: list[str]) -> tuple[list[list[int]], dict[str, int]]:
    position = board.start().play_line(drawn)
    kinds = np.zeros(board.action_count, np.int32)
    found = np.zeros((board.geometry[rules.BOXES], chains.CHAIN_FIELDS), np.int32)
    of_box = np.zeros(board.geometry[rules.BOXES], np.int32)
    count = chains.survey(board.geometry, position.state.copy(), kinds, of_box, found)
    names = {position.write(line): int(kind) for line, kind in enumerate(kinds)}
    return sorted(found[:count, :2].tolist()), names


def test_a_long_chain_is_loony() -> None:
    found, kinds = survey(game("dots:1x3"), ["aA", "bA", "cA", "aB", "bB", "cB"])
    assert found == [[chains.CHAIN, 3]]
    assert {kinds[name] for name in ("Aa", "Ab", "Ac", "Ad")} == {chains.LOONY}


def test_the_middle_of_a_pair_is_the_hard_hearted_handout() -> None:
    found, kinds = survey(game("dots:1x2"), ["aA", "bA", "aB", "bB"])
    assert found == [[chains.CHAIN, 2]]
    assert kinds["Ab"] == chains.SHORT
    assert kinds["Aa"] == kinds["Ac"] == chains.LOONY


def test_a_loop() -> None:
    border = ["aA", "bA", "aC", "bC", "Aa", "Ba", "Ac", "Bc"]
    found, kinds = survey(game("dots:2x2"), border)
    assert found == [[chains.LOOP, 4]]
    assert kinds["aB"] == chains.LOONY


def test_an_opened_chain_can_be_captured() -> None:
    found, kinds = survey(game("dots:1x3"), ["aA", "bA", "cA", "aB", "bB", "cB", "Aa"])
    assert found == [[chains.HALF_OPEN, 3]]
    assert kinds["Ab"] == chains.CAPTURE
    assert kinds["Ac"] == kinds["Ad"] == chains.LATER


def test_joints_and_safe_lines() -> None:
    found, kinds = survey(game("dots:2x2"), ["aA", "Aa"])
    assert found == [[chains.CHAIN, 1]]  # one corner box has two sides; the others are joints
    assert kinds["aB"] == chains.SHORT
    assert kinds["bC"] == chains.SAFE


def test_planes_show_chains_as_players_see_them() -> None:
    """Three rows of three boxes: every upright line opens three boxes, and there is nothing to capture."""
    position = game("dots:3x3", "chains").start().play_line("aA bA cA aB bB cB aC bC cC aD bD cD")
    planes, boxes = position.planes(), np.s_[:3, :3]
    assert (planes[encodings.IN_CHAIN][boxes] == 1).all()
    assert not planes[encodings.IN_LOOP].any()
    assert [planes[encodings.LENGTH_FROM + step][0, 0] for step in range(4)] == [1, 1, 0, 0]
    assert (planes[encodings.GIVES + 1][:3, :] == 3 / 8).all()
    assert not planes[encodings.GIVES].any()
    assert not planes[encodings.SAFE_LINES : encodings.SAFE_LINES + 2].any()
    assert planes[[encodings.LONG_COUNT, encodings.CONTROL, encodings.LONG_ODD], 0, 0].tolist() == [3 / 4, -3 / 8, 1]
    opened = position.play("Aa").planes()
    assert opened[encodings.CAPTURES + 1].sum() == 1
    assert opened[encodings.TAKEABLE, 0, 0] == 3 / 8
    assert (opened[encodings.IN_OPENED][0, :3] == 1).all()
    assert (opened[encodings.IN_CHAIN][1:3, :3] == 1).all()


def test_planes_of_an_empty_board_have_only_safe_lines() -> None:
    planes = game("dots:2x3", "chains").start().planes()
    assert planes[encodings.SAFE_LINES : encodings.SAFE_LINES + 2].sum() == 17
    assert not planes[encodings.IN_CHAIN : encodings.SAFE_LINES].any()
    assert planes[[encodings.SAFE_COUNT, encodings.SAFE_ODD, encodings.LINES_ODD], 0, 0].tolist() == [17 / 16, 1, 1]
