"""The joint action form of the DeepZertz paper (section 3.1): one action is a whole placement, marble and ring.

On a grid of n cells the captures come first, n x 6 of them (cell, direction), then the placements, n x (n + 1) x 3
(cell of the marble, cell of the removed ring or n for none, colour). Positions are the same as in split form.
"""

from __future__ import annotations

import numpy as np

from pocketzero.bits import lowest
from pocketzero.compiled import kernel
from pocketzero.games.base import Symmetries
from pocketzero.games.table import GEOMETRY, INT, MOVES, ONGOING, STATE, Geometry, Moves, State, rule
from pocketzero.games.zertz import rules
from pocketzero.games.zertz.layout import Layout
from pocketzero.games.zertz.rules import (
    CELL,
    CELL_COUNT,
    PHASE,
    REMOVE,
    RING_AT,
    SOURCE,
    free_rings,
    list_jumps,
    must_jump,
    only_jump,
    supply,
    vacant,
)


def action_count(cells: int) -> int:
    """How many actions a grid of so many cells has."""
    return 6 * cells + 3 * cells * (cells + 1)


@kernel(INT(GEOMETRY, INT))
def capture(geometry: Geometry, way: int) -> int:
    """The action of a jump that is given as 6 * ring + direction."""
    ring = geometry[SOURCE + way]
    return 6 * geometry[CELL + ring] + way - 6 * ring


@kernel(INT(GEOMETRY, STATE, MOVES))
def list_placements(geometry: Geometry, state: State, out: Moves) -> int:
    """Every colour in supply on every vacant ring, with every free ring that is left then."""
    cells = geometry[CELL_COUNT]
    source = supply(state)
    listed = 0
    put_left = vacant(state)
    while put_left:
        ring = lowest(put_left)
        put_left &= put_left - 1
        first = 6 * cells + geometry[CELL + ring] * (cells + 1) * 3
        free = free_rings(state) & ~(1 << ring)
        for colour in range(3):
            if state[source + colour]:
                if free == 0:
                    out[listed] = first + 3 * cells + colour
                    listed += 1
                left = free
                while left:
                    out[listed] = first + 3 * geometry[CELL + lowest(left)] + colour
                    left &= left - 1
                    listed += 1
    return listed


@rule("legal")
def legal(geometry: Geometry, state: State, out: Moves) -> int:
    """Jumps if there are any, else whole placements."""
    if state[rules.RESULT] != ONGOING:
        return 0
    if not must_jump(state):
        return list_placements(geometry, state, out)
    listed = list_jumps(geometry, state, out)
    for place in range(listed):
        out[place] = capture(geometry, out[place])
    return listed


@rule("play")
def play(geometry: Geometry, state: State, action: int) -> None:
    """One jump, or a marble and then a ring."""
    cells = geometry[CELL_COUNT]
    if action < 6 * cells:
        cell = action // 6
        rules.jump(geometry, state, 6 * geometry[RING_AT + cell] + action - 6 * cell)
        return
    pair = (action - 6 * cells) // 3
    colour = action - 6 * cells - 3 * pair
    marble_cell = pair // (cells + 1)
    ring_cell = pair - marble_cell * (cells + 1)
    rules.put(geometry, state, colour, geometry[RING_AT + marble_cell])
    if state[PHASE] == REMOVE:
        rules.remove(geometry, state, geometry[RING_AT + ring_cell])


@kernel(INT(GEOMETRY, STATE))
def forced_capture(geometry: Geometry, state: State) -> int:
    """The action, if there is only one and it is a capture; else -1. Search passes through it for free."""
    way = only_jump(geometry, state)
    return capture(geometry, way) if way >= 0 else -1


def action_symmetries(layout: Layout) -> Symmetries:
    """Where the symmetries of the board take the actions; cells beside the board stay."""
    cells = layout.cell_count
    rows = []
    for (_, directions), turned in zip(layout.turns, layout.cell_turns, strict=True):
        jumps = (6 * turned[:, None] + np.array(directions)).ravel()
        gone = np.append(turned, cells)
        pairs = turned[:, None] * (cells + 1) + gone
        placements = 6 * cells + 3 * pairs[:, :, None] + np.arange(3)
        rows.append(np.concatenate([jumps, placements.ravel()]))
    return np.array(rows, np.int32)
