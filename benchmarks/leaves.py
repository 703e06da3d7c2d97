"""What solving a leaf of Dots and Boxes costs, by lines left: the share solved and the processor's time for a call."""

from __future__ import annotations

import random
import time

import numpy as np
from numba import types
from numpy.typing import NDArray

from pocketzero.compiled import kernel
from pocketzero.games import Position, game
from pocketzero.games.dots.board import RULES
from pocketzero.games.table import EXACT, GEOMETRY, INT, Geometry
from pocketzero.players.spec import make_player

BUDGETS = (0, 100, 300, 1000, 3000)
OPENING = 6  # random lines before Hard plays
CALLS = 2000  # at least, for each figure
WANTED = (
    ("dots:3x3", "random", (10, 12, 14, 16, 18, 24)),
    ("dots:5x5", "random", (20, 24, 28, 32, 40)),
    ("dots:5x5", "hard", (22, 26, 30, 34, 40)),
    ("dots:10x10", "hard", (30, 45, 60)),
)

solve = RULES.solve


@kernel(INT(GEOMETRY, types.int64[:, ::1], INT, INT))
def solve_all(geometry: Geometry, states: NDArray[np.int64], budget: int, times: int) -> int:
    """Solve every state so many times over; gives how many answers were exact."""
    bounds = np.zeros(2, np.int64)
    exact = 0
    for _ in range(times):
        for index in range(len(states)):
            exact += solve(geometry, states[index], budget, bounds) == EXACT
    return exact


def late_position(name: str, source: str, left: int, chance: random.Random) -> Position:
    """A position with so many lines left, of random play or of Hard's."""
    position = game(name).start()
    player = make_player(source, position.game, seed=chance.randrange(1 << 30))
    while len(position.legal_actions()) > left:
        is_random = source == "random" or position.ply < OPENING
        line = chance.choice(position.legal_actions()) if is_random else player.choose(position)
        position = position.play_action(line)
    return position


def cost(geometry: Geometry, states: NDArray[np.int64], budget: int) -> tuple[float, float]:
    """The share solved, and the microseconds of a call."""
    times = CALLS // len(states)
    begin = time.thread_time()
    exact = solve_all(geometry, states, budget, times)
    calls = times * len(states)
    return exact / calls, 1e6 * (time.thread_time() - begin) / calls


def main() -> None:
    chance = random.Random(2)
    print("solving leaves of Dots and Boxes: share solved, µs a call (processor time), by budget in positions")
    print(f"| board | positions of | lines left | {' | '.join(map(str, BUDGETS))} |")
    for name, source, lefts in WANTED:
        for left in lefts:
            count = 20 if name == "dots:10x10" else 100
            states = np.stack([late_position(name, source, left, chance).state for _ in range(count)])
            found = [cost(game(name).geometry, states, budget) for budget in BUDGETS]
            cells = " | ".join(f"{share:.0%}, {micro:.1f}" for share, micro in found)
            print(f"| {name} | {source} | {left} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
