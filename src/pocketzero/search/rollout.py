"""Rollout UCT, the theses' "standard MCTS", on the same tree: UCB1, and a random game at each leaf.

The constant is 1.41, as in the 2022 thesis. No evaluator is needed, so whole searches run inside one kernel.
"""

from __future__ import annotations

import numpy as np

from pocketzero.bits import borrowed
from pocketzero.compiled import kernel
from pocketzero.games.playout import playout
from pocketzero.games.table import GEOMETRY, INT, TABLE, Geometry, Table
from pocketzero.search.batch import (
    LEAF,
    LEAF_MOVES,
    NO_ROOM,
    SLOTS,
    TREE,
    Slots,
    attach,
    borrowed_slots,
    finish_leaf,
    finish_walk,
    walk,
    wants_more,
)
from pocketzero.search.gumbel import SCHEDULE, Schedule
from pocketzero.search.settings import NUMBERS, Numbers
from pocketzero.search.tree import DONE, SEED, TREES, Trees, borrowed_trees

UCT_CONSTANT = 1.41  # da Costa 2022


@kernel(INT(TABLE, GEOMETRY, TREES, SLOTS, INT, NUMBERS, SCHEDULE, INT))
def _roll_out(
    table: Table,
    geometry: Geometry,
    trees: Trees,
    slots: Slots,
    slot: int,
    numbers: Numbers,
    plan: Schedule,
    simulations: int,
) -> int:
    """What ``roll_out`` does, with borrowed arrays."""
    tree = slots.info[slot, TREE]
    moves, length = np.empty(slots.actions.shape[1], np.int32), np.zeros(1, np.int64)
    begin = trees.info[tree, DONE]
    while trees.info[tree, DONE] - begin < simulations and wants_more(trees, tree, numbers):
        end = walk(table, geometry, trees, slots, slot, numbers, plan)
        if end == NO_ROOM:
            break
        if end == LEAF:
            has_moves = slots.info[slot, LEAF_MOVES] > 0
            node = attach(trees, slots, slot) if has_moves else -1
            generator = trees.info[tree, SEED : SEED + 1]
            result = playout(table, geometry, slots.states[slot], borrowed(moves), generator, borrowed(length))
            value = 1.0 if result == 0 else -1.0 if result == 1 else 0.0
            if has_moves:
                finish_leaf(table, geometry, trees, slots, slot, node, value, numbers)
            else:
                finish_walk(trees, slots, slot, value, numbers)
    return trees.info[tree, DONE] - begin


@kernel(INT(TABLE, GEOMETRY, TREES, SLOTS, INT, NUMBERS, SCHEDULE, INT))
def roll_out(
    table: Table,
    geometry: Geometry,
    trees: Trees,
    slots: Slots,
    slot: int,
    numbers: Numbers,
    plan: Schedule,
    simulations: int,
) -> int:
    """So many simulations of one tree, or fewer if it is settled or full; gives how many there were."""
    return _roll_out(
        borrowed(table),
        borrowed(geometry),
        borrowed_trees(trees),
        borrowed_slots(slots),
        slot,
        borrowed(numbers),
        borrowed(plan),
        simulations,
    )
