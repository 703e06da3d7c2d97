"""Proven results: bounds of the final result travel up the tree.

A node's bounds are those of its best move for the player who moves there: of all moves the highest lower and the
highest upper bound for player 0, the lowest of both for player 1. What is proven of a position is proven for it
wherever it stands in the tree: nodes of the same position share their bounds through the first of them, their twin.
"""

from __future__ import annotations

from numba import types

from pocketzero.compiled import kernel
from pocketzero.games.table import INT
from pocketzero.search.settings import BOUND, MARGIN_WEIGHT, NUMBERS, PROVEN, Numbers
from pocketzero.search.tree import (
    ACTION,
    CHILD,
    EDGE_HIGH,
    EDGE_LOW,
    FIRST,
    FLOAT_GRID,
    GRID,
    HIGH,
    LIST,
    LOW,
    MEAN,
    MOVES,
    NEVER,
    PLAYER,
    THE_END,
    TREES,
    TRIES,
    TWIN,
    UNKNOWN,
    FloatGrid,
    Grid,
    List,
    Trees,
    is_decided,
    is_settled,
    settled_value,
)


@kernel(types.boolean(GRID, GRID, INT))
def tighten_node(nodes: Grid, ints: Grid, node: int) -> bool:
    """Take a node's bounds from its moves; says whether they changed."""
    first = nodes[node, FIRST]
    last = first + nodes[node, MOVES]
    lows, highs = ints[EDGE_LOW, first:last], ints[EDGE_HIGH, first:last]
    low, high = lows[0], highs[0]
    if nodes[node, PLAYER] == 0:
        for index in range(len(lows)):
            low = max(low, lows[index])
        for index in range(len(highs)):
            high = max(high, highs[index])
    else:
        for index in range(len(lows)):
            low = min(low, lows[index])
        for index in range(len(highs)):
            high = min(high, highs[index])
    twin = nodes[node, TWIN]
    low = max(low, nodes[node, LOW], nodes[twin, LOW])
    high = min(high, nodes[node, HIGH], nodes[twin, HIGH])
    changed = low != nodes[node, LOW] or high != nodes[node, HIGH]
    nodes[node, LOW] = nodes[twin, LOW] = low
    nodes[node, HIGH] = nodes[twin, HIGH] = high
    return changed


@kernel(types.boolean(GRID, INT, INT, INT, INT, INT))
def may_change(nodes: Grid, node: int, old_low: int, old_high: int, low: int, high: int) -> bool:
    """Whether new bounds of one of its moves can change a node's own: a cheap test that mostly says no."""
    if nodes[node, PLAYER] == 0:
        return low > nodes[node, LOW] or (high < old_high and old_high >= nodes[node, HIGH])
    return high < nodes[node, HIGH] or (low > old_low and old_low <= nodes[node, LOW])


@kernel(types.void(GRID, GRID, FLOAT_GRID, INT, INT, INT, INT, NUMBERS))
def set_edge(
    nodes: Grid, ints: Grid, floats: FloatGrid, node: int, edge: int, low: int, high: int, numbers: Numbers
) -> None:
    """Write the bounds of a node's edge; a decided one gets its exact value, and a lost one is not chosen again."""
    ints[EDGE_LOW, edge] = low
    ints[EDGE_HIGH, edge] = high
    if is_decided(low, high, numbers):
        value = settled_value(low, high, numbers)
        lost = value < 0 if nodes[node, PLAYER] == 0 else value > 0
        floats[MEAN, edge] = value * NEVER if lost and numbers[MARGIN_WEIGHT] == 0 else value


@kernel(types.void(GRID, GRID, FLOAT_GRID, GRID, INT, INT, INT, NUMBERS))
def spread_bounds(
    nodes: Grid, ints: Grid, floats: FloatGrid, path: Grid, depth: int, low: int, high: int, numbers: Numbers
) -> None:
    """Tighten the bounds of the last edge of a path (its nodes and edges), and of everything above that follows."""
    if numbers[PROVEN] == 0:
        return
    for step in range(depth - 1, -1, -1):
        node, edge = path[0, step], path[1, step]
        old_low, old_high = ints[EDGE_LOW, edge], ints[EDGE_HIGH, edge]
        low, high = max(low, old_low), min(high, old_high)
        if low == old_low and high == old_high:
            return
        set_edge(nodes, ints, floats, node, edge, low, high, numbers)
        if not may_change(nodes, node, old_low, old_high, low, high) or not tighten_node(nodes, ints, node):
            return
        low, high = nodes[node, LOW], nodes[node, HIGH]


@kernel(types.void(TREES, INT, NUMBERS))
def renew_root(trees: Trees, tree: int, numbers: Numbers) -> None:
    """Take the bounds of a root that was an inner node from its own moves, and theirs from what is known of them.

    A node may be settled because its position was settled elsewhere in the tree; a root must know by which move.
    """
    nodes, ints, floats = trees.nodes[tree], trees.ints[tree], trees.floats[tree]
    bound = int(numbers[BOUND])
    nodes[0, TWIN], nodes[0, LOW], nodes[0, HIGH] = 0, -bound, bound
    for edge in range(nodes[0, FIRST], nodes[0, FIRST] + nodes[0, MOVES]):
        child = ints[CHILD, edge]
        if child >= 0:
            twin = nodes[child, TWIN]
            low = max(ints[EDGE_LOW, edge], nodes[child, LOW], nodes[twin, LOW])
            high = min(ints[EDGE_HIGH, edge], nodes[child, HIGH], nodes[twin, HIGH])
            set_edge(nodes, ints, floats, 0, edge, low, high, numbers)
    tighten_node(nodes, ints, 0)


@kernel(types.boolean(INT, INT, INT, INT))
def same_result(low: int, high: int, other_low: int, other_high: int) -> bool:
    """Whether two pairs of bounds are settled with the same winner, or both drawn."""
    if not is_settled(other_low, other_high):
        return False
    return (low > 0) == (other_low > 0) and (high < 0) == (other_high < 0)


@kernel(INT(GRID, LIST, INT))
def steps_after(nodes: Grid, out: List, child: int) -> int:
    """After how many moves a game ends whose next position is this child; UNKNOWN where the tree does not show it."""
    if child == THE_END:
        return 1
    if child < 0:
        return UNKNOWN
    known = out[child] if out[child] > 0 else out[nodes[child, TWIN]]
    return 1 + known if known > 0 else UNKNOWN


@kernel(types.void(TREES, INT, LIST))
def distances(trees: Trees, tree: int, out: List) -> None:
    """For each node that is settled, after how many moves the game ends; -1 where the tree does not show it.

    The winner takes the shortest way, the loser the longest. Children come after their parents, so a pass from the
    back does it; a second one uses what the first found out about twins.
    """
    nodes, ints = trees.nodes[tree], trees.ints[tree]
    out[:] = -1
    for _ in range(2):
        for node in range(len(out) - 1, -1, -1):
            low, high = nodes[node, LOW], nodes[node, HIGH]
            if not is_settled(low, high):
                continue
            wins = low > 0 if nodes[node, PLAYER] == 0 else high < 0
            best = UNKNOWN if wins else 0
            for edge in range(nodes[node, FIRST], nodes[node, FIRST] + nodes[node, MOVES]):
                if same_result(low, high, ints[EDGE_LOW, edge], ints[EDGE_HIGH, edge]):
                    steps = steps_after(nodes, out, ints[CHILD, edge])
                    best = min(best, steps) if wins else max(best, steps)
            out[node] = best if 0 < best < UNKNOWN else -1


@kernel(INT(TREES, INT, INT, LIST))
def expected_line(trees: Trees, tree: int, edge: int, out: List) -> int:
    """The line after an edge, beginning with it, that both sides would play: proven wins, else what was tried most."""
    nodes, ints = trees.nodes[tree], trees.ints[tree]
    length = 0
    while length < len(out):
        out[length] = ints[ACTION, edge]
        length += 1
        node = ints[CHILD, edge]
        if node < 0:
            break
        best, edge = -1, -1
        for other in range(nodes[node, FIRST], nodes[node, FIRST] + nodes[node, MOVES]):
            merit = 2 * ints[TRIES, other]
            if is_settled(ints[EDGE_LOW, other], ints[EDGE_HIGH, other]):
                winner = (ints[EDGE_LOW, other] > 0) - (ints[EDGE_HIGH, other] < 0)
                result = winner * (1 - 2 * nodes[node, PLAYER])
                merit = 1 << 40 if result > 0 else merit if result == 0 else 1
            if merit > best:
                best, edge = merit, other
        if best <= 0:
            break
    return length
