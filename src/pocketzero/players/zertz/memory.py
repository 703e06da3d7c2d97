"""The room in which alpha-beta works: fixed stacks of positions, lists and frames, and a table of positions seen.

Everything is made once for each player; the search itself makes nothing. One *step* of the stack is one edge of the
tree, a placement or a jump.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types

from pocketzero.bits import borrowed
from pocketzero.compiled import kernel
from pocketzero.games.zertz.rules import STATE_SIZE
from pocketzero.players.zertz.turns import MOST_TURNS, TURN_NUMBERS

MOST_STEPS = 128
LAST_OPEN_STEP = MOST_STEPS - 64  # below it only captures are followed, of which no board allows more

# Fields of a frame: one position being searched.
DEPTH, LOW, HIGH, FIRST_LOW, FIRST_HIGH, BEST, BEST_TURN, COUNT, NEXT, SCOUT, LINE = range(11)
FRAME_FIELDS = 11

# Fields of the control: what is asked, and what has been found so far.
STOP, NODES, NODE_LIMIT, FULL_WIDTH, FULL_ROOT, SEED, LINE_LENGTH, VALUE = range(8)
CONTROL_FIELDS = 8

TABLE_SIZE = 1 << 18
KEY, KNOWN, NOTE = 0, 1, 2  # fields of the table: the key, the value, and depth, bound and turn in one number

Array = Any  # arrays of several shapes, typed where they are made


class Memory(NamedTuple):
    """All arrays of a search."""

    states: Array  # step: the position
    lists: Array  # step: its turns; quiet placements wait in the second half
    scores: Array  # step: how promising each of them looks
    frames: Array  # step: what is known of it so far
    lines: Array  # step: the best line from there
    killers: Array  # step: two turns that were too good here
    history: Array  # turn: how often it was too good anywhere
    table: Array  # positions seen
    control: Array


MEMORY = types.NamedTuple(
    (
        types.int64[:, ::1],
        types.int32[:, ::1],
        types.int64[:, ::1],
        types.int64[:, ::1],
        types.int32[:, ::1],
        types.int32[:, ::1],
        types.int64[::1],
        types.int64[:, ::1],
        types.int64[::1],
    ),
    Memory,
)


def new_memory() -> Memory:
    """Empty room for one player."""
    return Memory(
        states=np.zeros((MOST_STEPS, STATE_SIZE), np.int64),
        lists=np.zeros((MOST_STEPS, 2 * MOST_TURNS), np.int32),
        scores=np.zeros((MOST_STEPS, MOST_TURNS), np.int64),
        frames=np.zeros((MOST_STEPS, FRAME_FIELDS), np.int64),
        lines=np.zeros((MOST_STEPS, MOST_STEPS), np.int32),
        killers=np.full((MOST_STEPS, 2), -1, np.int32),
        history=np.zeros(TURN_NUMBERS, np.int64),
        table=np.zeros((TABLE_SIZE, 3), np.int64),
        control=np.zeros(CONTROL_FIELDS, np.int64),
    )


@kernel(MEMORY(MEMORY))
def borrowed_memory(memory: Memory) -> Memory:
    """The same arrays without reference counts, for the time of one search."""
    return Memory(
        borrowed(memory.states),
        borrowed(memory.lists),
        borrowed(memory.scores),
        borrowed(memory.frames),
        borrowed(memory.lines),
        borrowed(memory.killers),
        borrowed(memory.history),
        borrowed(memory.table),
        borrowed(memory.control),
    )
