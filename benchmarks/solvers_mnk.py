"""m,n,k: how long the exact solver takes for whole boards, and the threats player for a move on a large one."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from benchmarks.measuring import ROUNDS
from pocketzero.games import game
from pocketzero.players.mnk.exact import MnkSolver
from pocketzero.players.spec import make_player

BOARDS = [("mnk:5x5x4", 1.0), ("mnk:6x6x4", 1.0), ("mnk:7x7x4", 1.0), ("mnk:5x5x4/standard", 1.0)]  # seconds
MOVE_BAR = 0.2


def median_time(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The median time of a piece of work, in seconds."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def solve(board: str) -> int:
    """Solve a board from the start with an empty table; gives the nodes."""
    solver = MnkSolver(game(board))
    solver.value(game(board).start())
    return solver.spent


def move_times(board: str, opponent: str = "threats:nodes=1000", games: int = 10) -> list[float]:
    """The time of each move of the threats player, in games that begin with random stones near the centre."""
    chance = np.random.default_rng(1)
    columns, rows = (int(number) for number in game(board).geometry[:2])
    near = [
        r * columns + c for r in range(rows // 2 - 2, rows // 2 + 3) for c in range(columns // 2 - 2, columns // 2 + 3)
    ]
    times = []
    for number in range(games):
        players = [make_player(text, game(board), seed=number) for text in ("threats", opponent)]
        position = game(board).start()
        for cell in chance.choice(near, 4, replace=False):
            position = position.play(int(cell))
        while not position.is_over:
            begin = time.perf_counter()
            move = players[position.to_move].choose(position)
            if position.to_move == 0:
                times.append(time.perf_counter() - begin)
            position = position.play(move)
    return times


def reached(seconds: float, bar: float) -> str:
    """Whether a time is short enough, in a word."""
    return f"bar {bar:g} s: {'reached' if seconds <= bar else 'MISSED'}"


def main() -> None:
    print("Exact values from the empty board, one thread")
    for board, bar in BOARDS:
        nodes = solve(board)
        seconds = median_time(lambda: solve(board))  # noqa: B023
        print(f"  {board:28} {seconds:8.3f} s {nodes:12,} nodes  {reached(seconds, bar)}")
    times = move_times("mnk:15x15x5")
    mean, longest = statistics.mean(times), max(times)
    print(f"A move of threats on mnk:15x15x5, {len(times)} moves")
    print(f"  mean {mean:.3f} s, longest {longest:.3f} s  {reached(mean, MOVE_BAR)}")
