"""Which turns of a position alpha-beta looks at, and in which order.

A position has a thousand placements and more. Those that force the opponent to capture, or that isolate marbles, are
scored by the captures that follow; the others, which change nothing at once, by what was good elsewhere in the search.
Of both sorts only the most promising are searched, fewer the deeper they lie below the root. At full width nothing is
left out.
"""

from __future__ import annotations

import numpy as np
from numba import types

from pocketzero.bits import mix
from pocketzero.compiled import kernel
from pocketzero.games.table import GEOMETRY, INT, Geometry
from pocketzero.games.zertz.rules import PHASE, PLAYER, TURN, must_jump
from pocketzero.players.zertz.evaluation import TEMPO, evaluate
from pocketzero.players.zertz.memory import DEPTH, FULL_ROOT, FULL_WIDTH, MEMORY, SEED, Memory
from pocketzero.players.zertz.settle import WORST, settle, step_down
from pocketzero.players.zertz.turns import MOST_TURNS, list_turns, sort_placements

SCALE = 1024  # scores are values times this, so that what merely orders equals never outweighs a value
FIRST = 4 * WORST * SCALE  # the turn that was best before
KILLER = 512
MOST_HISTORY = 480
CHANCE = 15  # the seed decides among what looks equal
ROOT_WIDTH = np.array([4000, 4000, 4000, 100, 48, 32, 24], np.int64)  # by depth, of either sort
WIDTH = np.array([0, 0, 20, 16, 14, 12, 10], np.int64)  # the same below the root


@kernel(INT(MEMORY, INT, INT))
def habit(memory: Memory, step: int, turn: int) -> int:
    """How good a turn has been elsewhere, and a little chance."""
    killers = memory.killers[step]
    bonus = KILLER if turn == killers[0] or turn == killers[1] else min(memory.history[turn], MOST_HISTORY)
    return bonus + (mix(turn ^ memory.control[SEED]) & CHANCE)


@kernel(types.void(GEOMETRY, MEMORY, INT, INT, INT))
def score_by_captures(geometry: Geometry, memory: Memory, step: int, first: int, count: int) -> None:
    """Score a part of a list by the captures that follow each turn."""
    sign = SCALE if memory.states[step, PLAYER] == 0 else -SCALE
    for place in range(first, count):
        turn = memory.lists[step, place]
        step_down(geometry, memory, step, turn)
        value = settle(geometry, memory, step + 1, -WORST, WORST)
        memory.scores[step, place] = sign * value + habit(memory, step, turn)


@kernel(types.void(GEOMETRY, MEMORY, INT, INT, INT))
def score_quiet(geometry: Geometry, memory: Memory, step: int, first: int, count: int) -> None:
    """Score a part of a list that holds quiet placements: nothing is captured, and the tempo is lost."""
    value = evaluate(geometry, memory.states[step])
    score = (value if memory.states[step, PLAYER] == 0 else -value) * SCALE - 2 * TEMPO * SCALE
    for place in range(first, count):
        memory.scores[step, place] = score + habit(memory, step, memory.lists[step, place])


@kernel(types.void(MEMORY, INT, INT, INT, INT))
def sort_best(memory: Memory, step: int, first: int, count: int, wanted: int) -> None:
    """Bring the best turns of a part of a list to its front, in order."""
    turns, scores = memory.lists[step], memory.scores[step]
    for place in range(first, min(first + wanted, count)):
        best = place
        for other in range(place + 1, count):
            if scores[other] > scores[best]:
                best = other
        turns[place], turns[best] = turns[best], turns[place]
        scores[place], scores[best] = scores[best], scores[place]


@kernel(INT(GEOMETRY, MEMORY, INT))
def list_forcing_last(geometry: Geometry, memory: Memory, step: int) -> int:
    """For the last placement of a line: one quiet one stands for all, then those after which something is captured."""
    turns = memory.lists[step]
    count, quiet = sort_placements(geometry, memory.states[step], turns)
    if quiet:
        turns[count] = turns[0]
        turns[0] = turns[MOST_TURNS]
    return count + min(quiet, 1)


@kernel(INT(GEOMETRY, MEMORY, INT, INT))
def list_promising(geometry: Geometry, memory: Memory, step: int, width: int) -> int:
    """The most promising placements of both sorts, scored."""
    turns = memory.lists[step]
    busy, quiet = sort_placements(geometry, memory.states[step], turns)
    score_by_captures(geometry, memory, step, 0, busy)
    sort_best(memory, step, 0, busy, width)
    kept = min(busy, width)
    turns[kept : kept + quiet] = turns[MOST_TURNS : MOST_TURNS + quiet]
    score_quiet(geometry, memory, step, kept, kept + quiet)
    sort_best(memory, step, kept, kept + quiet, width)
    return min(kept + quiet, kept + width)


@kernel(INT(GEOMETRY, MEMORY, INT, INT))
def list_in_order(geometry: Geometry, memory: Memory, step: int, known: int) -> int:
    """The turns to be searched at a step, best first, ``known`` before all; gives their number."""
    state = memory.states[step]
    depth = memory.frames[step, DEPTH]
    full = memory.control[FULL_WIDTH] or (step == 0 and memory.control[FULL_ROOT])
    if full or must_jump(state) or state[PHASE] != TURN:
        count = list_turns(geometry, state, memory.lists[step])
        score_by_captures(geometry, memory, step, 0, count)
    elif depth == 1 and step > 0:
        return list_forcing_last(geometry, memory, step)
    else:
        widths = ROOT_WIDTH if step == 0 else WIDTH
        count = list_promising(geometry, memory, step, widths[min(depth, 6)])
    for place in range(count):
        if memory.lists[step, place] == known:
            memory.scores[step, place] = FIRST
    sort_best(memory, step, 0, count, count)
    return count
