"""Rollout UCT, the theses' "standard MCTS", on the same tree: UCB1, and a random game at each leaf.

The constant is 1.41, as in the 2022 thesis. No evaluator is needed, so whole searches run inside one kernel.
"""

from __future__ import annotations

import numpy as np

from pocketzero.compiled import kernel
from pocketzero.games.playout import playout
from pocketzero.games.table import GEOMETRY, INT, TABLE, Geometry, Table
from pocketzero.search.batch import LEAF, NO_ROOM, SLOTS, Slots, attach, finish_leaf, see_ends, walk, wants_more
from pocketzero.search.gumbel import SCHEDULE, Schedule
from pocketzero.search.settings import NUMBERS, Numbers
from pocketzero.search.tree import DONE, SEED, TREES, Trees

UCT_CONSTANT = 1.41  # da Costa 2022


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
    tree = slots.tree[slot]
    scratch = np.empty(slots.actions.shape[1], np.int32)
    length = np.zeros(1, np.int64)
    done = 0
    while done < simulations and wants_more(trees, tree, numbers):
        before = trees.info[tree, DONE]
        end = walk(table, geometry, trees, slots, slot, numbers, plan)
        if end == NO_ROOM:
            break
        if end == LEAF:
            attach(trees, slots, slot)
            result = playout(table, geometry, slots.states[slot], scratch, trees.info[tree, SEED : SEED + 1], length)
            value = 1.0 if result == 0 else -1.0 if result == 1 else 0.0
            finish_leaf(trees, slots, slot, value, numbers)
            if slots.depth[slot] == 0:
                see_ends(table, geometry, trees, tree)
        done += trees.info[tree, DONE] - before
    return done
