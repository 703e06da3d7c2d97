"""Solvers that several threads ask at once: every answer is the one that a thread alone would have."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import islice

import pytest

from pocketzero.arena.mistakes import mistakes_in_games
from pocketzero.arena.openings import random_position
from pocketzero.games import Position, game
from pocketzero.players.dots.exact import DotsSolver
from pocketzero.players.mnk.exact import MnkSolver
from pocketzero.players.solver import Solver, Unsolved
from pocketzero.players.solvers import solver_for

IN_TIME = 60.0  # seconds, for what a thread alone does in one


def asked_by_two(ask: Callable[[Position], object], positions: list[Position]) -> list[object]:
    """The answers to the positions, of which two threads ask every second one each."""
    answers: dict[int, object] = {}

    def work(first: int) -> None:
        for number in range(first, len(positions), 2):
            answers[number] = ask(positions[number])

    threads = [threading.Thread(target=work, args=(first,), daemon=True) for first in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(IN_TIME)
    assert not any(thread.is_alive() for thread in threads)
    return [answers[number] for number in range(len(positions))]


def late_positions(board: str, turns: int, count: int) -> list[Position]:
    found = (random_position(game(board), turns, seed) for seed in range(100 * count))
    return list(islice((position for position in found if position is not None), count))


@pytest.mark.parametrize(
    ("make", "board", "turns"),
    [
        (lambda: DotsSolver(game("dots:3x4"), seconds=IN_TIME, bits=18), "dots:3x4", 10),
        (lambda: MnkSolver(game("mnk:5x5x4")), "mnk:5x5x4", 4),
    ],
    ids=["dots", "mnk"],
)
def test_two_threads_get_the_answers_of_one(make: Callable[[], Solver], board: str, turns: int) -> None:
    positions = late_positions(board, turns, 60)
    assert asked_by_two(make().move_values, positions) == list(map(make().move_values, positions))


@pytest.mark.parametrize(("board", "turns"), [("dots:5x5", 25), ("mnk:8x8x5", 45)])
def test_a_question_that_is_given_up_does_not_end_that_of_another_thread(board: str, turns: int) -> None:
    """Two threads ask in turns what cannot be known in time and what is known at once."""
    solver = solver_for(game(board), seconds=0.2)

    def ask(position: Position) -> str:
        try:
            solver.value(position)
        except Unsolved:
            return "unsolved"
        return "solved"

    hard, [easy] = game(board).start(), late_positions(board, turns, 1)
    assert asked_by_two(ask, [hard, easy, easy, hard] * 3) == ["unsolved", "solved", "solved", "unsolved"] * 3


def test_perfect_play_makes_no_mistakes_on_any_number_of_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    board = game("mnk:5x5x4")
    found = mistakes_in_games("exact", board, solver_for(board), 8)
    assert found.mistakes == 0
    assert len(found.decisions) > 30
