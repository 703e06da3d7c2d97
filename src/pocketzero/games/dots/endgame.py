"""What late positions of Dots and Boxes are worth: the rule ``solve``.

Endgames of long chains and loops alone are counted by formula, at any budget. Other positions are proven by the search
of ``proof``, once they are so simple that the budget, in positions visited, has a chance. A budget that runs out leaves
the bounds that were proven until then.

How simple a position is says the number of its moves, one for each chain and loop: lines alone say little, because long
chains have many and are quickly proven. A proof visited about 2 ** (3/4 x moves) positions, on boards of all sizes.
"""

from __future__ import annotations

import numpy as np
from numba import types

from pocketzero.bits import count
from pocketzero.compiled import kernel
from pocketzero.games.dots.chains import endgame_value
from pocketzero.games.dots.proof import LIMIT, ROOM, TALLIES, count_moves, find_value
from pocketzero.games.dots.rules import BOXES, PLAYER, SCORE, margin, open_lines
from pocketzero.games.dots.strings import GRAPH_WORDS, MOST_LINES, TOO_MANY, settle, write_graph
from pocketzero.games.table import BOUNDED, BOUNDS, EXACT, GEOMETRY, INT, STATE, Bounds, Geometry, State, rule

SOLVE_BUDGET = 1000  # about 0.1 ms at most, what an evaluation by a net may cost too
SMALL_BUDGET = 12_000  # on small boards, where it reaches so far back that it is worth more than the time
SMALL_LINES = 24
TABLE_WORDS = 1024  # 512 positions in 8 KB; always as many, so that a larger budget only goes on where a small one ends


@kernel(INT(INT))
def most_moves(budget: int) -> int:
    """With how many moves a position may be proven within so many visits, more often than not."""
    doublings = 0
    while budget > 1:
        budget >>= 1
        doublings += 1
    return 4 * doublings // 3


@kernel(types.boolean(GEOMETRY, STATE, INT))
def has_few_joints(geometry: Geometry, state: State, most: int) -> bool:
    """Whether at most so many boxes have three or four open lines: there are about as many moves as joints, or more."""
    joints = 0
    for box in range(geometry[BOXES]):
        joints += open_lines(geometry, state, box) > 2
    return joints <= most


@kernel(types.void(GEOMETRY, STATE, INT, INT, BOUNDS))
def prove_rest(geometry: Geometry, state: State, budget: int, lead: int, bounds: Bounds) -> None:
    """Tighten the bounds of the mover's net boxes from here on; who wins (``lead`` counted) is asked first."""
    graph = np.empty(GRAPH_WORDS, np.int64)
    lines = np.empty(MOST_LINES, np.int32)
    left = write_graph(geometry, state, graph, lines)
    if left == TOO_MANY:
        return
    # 1. Take what is free. Nothing can be captured in the rest, and with an offer the mover may pass the turn.
    taken, offer, rest = settle(graph, (1 << left) - 1)
    room = np.empty((count(rest) + 1) * ROOM, np.int64)
    if count_moves(graph, rest, room) > most_moves(budget):
        return
    # 2. Prove what the rest is worth.
    tally = np.zeros(TALLIES, np.int64)
    tally[LIMIT] = budget
    table = np.zeros(TABLE_WORDS, np.int64)
    find_value(graph, graph, table, room, tally, rest, 1 - lead - taken - offer, bounds)
    # 3. The mover chooses: |offer + the rest|.
    low, high = offer + bounds[0], offer + bounds[1]
    if offer > 0 and high <= 0:
        low, high = -high, -low
    elif offer > 0 and low < 0:
        low, high = low & 1, max(-low, high)  # a value has the parity of the boxes
    bounds[0], bounds[1] = taken + low, taken + high


@rule("solve")
def solve(geometry: Geometry, state: State, budget: int, bounds: Bounds) -> int:
    """Exact in endgames of long chains and loops, and in what is proven within ``budget`` positions; else bounds."""
    ahead = margin(geometry, state)
    sign = 1 - 2 * state[PLAYER]
    left = geometry[BOXES] - state[SCORE] - state[SCORE + 1]
    found = np.empty(2, np.int64)
    found[0], found[1] = -left, left
    if endgame_value(geometry, state, found):
        found[1] = found[0]
    elif budget > 0 and has_few_joints(geometry, state, most_moves(budget)):
        prove_rest(geometry, state, budget, sign * ahead, found)
    low, high = sign * found[0], sign * found[1]
    bounds[0], bounds[1] = ahead + min(low, high), ahead + max(low, high)
    return EXACT if low == high else BOUNDED
