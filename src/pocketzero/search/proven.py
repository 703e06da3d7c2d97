"""Proven results: bounds of the final result travel up the tree.

A node's bounds are those of its best move for the player who moves there: of all moves the highest lower and the
highest upper bound for player 0, the lowest of both for player 1. What is proven of a position is proven for it
wherever it stands in the tree: nodes of the same position share their bounds through the first of them, their twin.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

from pocketzero.compiled import kernel
from pocketzero.games.table import INT
from pocketzero.search.tree import LIST, TREES, UNKNOWN, Trees, is_settled


@kernel(types.boolean(TREES, INT, INT))
def tighten_node(trees: Trees, tree: int, node: int) -> bool:
    """Take a node's bounds from its moves; says whether they changed."""
    first, count = trees.first[tree, node], trees.moves[tree, node]
    lows, highs = trees.edge_low[tree], trees.edge_high[tree]
    low, high = lows[first], highs[first]
    if trees.player[tree, node] == 0:
        for edge in range(first + 1, first + count):
            low, high = max(low, lows[edge]), max(high, highs[edge])
    else:
        for edge in range(first + 1, first + count):
            low, high = min(low, lows[edge]), min(high, highs[edge])
    twin = trees.twin[tree, node]
    low = max(low, trees.low[tree, node], trees.low[tree, twin])
    high = min(high, trees.high[tree, node], trees.high[tree, twin])
    changed = low != trees.low[tree, node] or high != trees.high[tree, node]
    trees.low[tree, node] = trees.low[tree, twin] = low
    trees.high[tree, node] = trees.high[tree, twin] = high
    return changed


@kernel(types.void(TREES, INT, LIST, LIST, INT))
def spread_bounds(trees: Trees, tree: int, nodes: NDArray[np.int32], edges: NDArray[np.int32], depth: int) -> None:
    """After the bounds of the last edge of a path were tightened: those of the nodes and edges above it."""
    for step in range(depth - 1, -1, -1):
        if not tighten_node(trees, tree, nodes[step]):
            return
        if step > 0:
            trees.edge_low[tree, edges[step - 1]] = trees.low[tree, nodes[step]]
            trees.edge_high[tree, edges[step - 1]] = trees.high[tree, nodes[step]]


@kernel(types.boolean(INT, INT, INT, INT))
def same_result(low: int, high: int, other_low: int, other_high: int) -> bool:
    """Whether two pairs of bounds are settled with the same winner, or both drawn."""
    if not is_settled(other_low, other_high):
        return False
    return (low > 0) == (other_low > 0) and (high < 0) == (other_high < 0)


@kernel(types.void(TREES, INT, LIST))
def distances(trees: Trees, tree: int, out: NDArray[np.int32]) -> None:
    """For each node that is settled, after how many moves the game ends; -1 where the tree does not show it.

    The winner takes the shortest way, the loser the longest; children come after their parents, so one pass from the
    back does it.
    """
    for node in range(len(out) - 1, -1, -1):
        out[node] = -1
        low, high = trees.low[tree, node], trees.high[tree, node]
        if not is_settled(low, high):
            continue
        wins = low > 0 if trees.player[tree, node] == 0 else high < 0
        best = UNKNOWN if wins else 0
        for edge in range(trees.first[tree, node], trees.first[tree, node] + trees.moves[tree, node]):
            if not same_result(low, high, trees.edge_low[tree, edge], trees.edge_high[tree, edge]):
                continue
            child = trees.child[tree, edge]
            steps = 1 + out[child] if child >= 0 else 1
            if steps == 0:
                steps = UNKNOWN  # settled, but the tree does not show the end
            best = min(best, steps) if wins else max(best, steps)
        out[node] = best if 0 < best < UNKNOWN else -1
