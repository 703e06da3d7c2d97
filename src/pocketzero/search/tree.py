"""Trees of positions in flat arrays, many side by side.

A node is a position whose moves have been listed; an edge is one of its moves. Everything about the trees lies in the
few arrays of ``Trees``, the first index of each being the tree: handing arrays to a function costs time, so what
belongs together shares one. Nodes, and the edges of a node, are added at the end; a node's children always come after
it. A position that is over, or answered exactly, needs no node: its edge knows it.

Values are kept from player 0's side. Who moves at a node is written there when it is made; nothing is guessed from the
depth. Next to the statistics each edge and node has bounds of the final result: the margin where the game has one, else
-1, 0 or 1 for player 0. A result is *settled* when the bounds leave only one winner (or only the draw).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import typeof, types
from numpy.typing import NDArray

from pocketzero.bits import borrowed
from pocketzero.compiled import kernel
from pocketzero.games.table import INT
from pocketzero.games.worth import worth_in_kernels
from pocketzero.search.settings import BOUND, EXACT_MARGIN, LARGEST_MARGIN, MARGIN_WEIGHT, NUMBERS, Numbers

# An edge that leads to no node yet; one whose position waits for its evaluation; one that ends the game.
NO_CHILD, PENDING, THE_END = -1, -2, -3
UNKNOWN = 30_000  # a bound that says nothing; no margin is as large
NEVER = 1e9  # how many times worse than a loss a move counts that is proven to lose, so that it is not chosen
MOST_REMEMBERED = 1 << 16  # nodes for which the table of transpositions has room
PROBES = 8  # how far the table of transpositions is searched

# Of a whole tree, in ``info``.
NODES, EDGES, DONE, BUDGET, SEED, EXPANDED, FULL, WAITING, PLAN, INFO_COUNT = range(10)
# Of a node, in ``nodes``: its first edge, how many it has, how many of them were never tried, who moves, how many
# simulations came here (the one that made it included), the first node of the same position, and its bounds.
FIRST, MOVES, UNTRIED, PLAYER, VISITS, TWIN, LOW, HIGH, NODE_COUNT = range(9)
# Of a node, in ``worths``: the sum of the values of its visits, and the evaluator's value (not a number if not asked).
WORTH, RAW = 0, 1
# Of an edge, in ``ints`` and ``floats``; MEAN is what the choice of moves sees: the mean value or, if the edge is
# decided, the exact one, NEVER times it if the edge loses and the margin does not count.
TRIES, ACTION, CHILD, EDGE_LOW, EDGE_HIGH = range(5)
PRIOR, MEAN = range(2)


class Trees(NamedTuple):
    """The arrays of all trees."""

    info: NDArray[np.int64]  # tree, field
    roots: NDArray[np.int64]  # tree, state
    nodes: NDArray[np.int32]  # tree, node, field
    worths: NDArray[np.float64]  # tree, node, field
    keys: NDArray[np.int64]  # tree, node
    ints: NDArray[np.int32]  # tree, field, edge
    floats: NDArray[np.float32]  # tree, field, edge
    totals: NDArray[np.float64]  # tree, edge: sums of values
    gumbel: NDArray[np.float32]  # tree, index of a move at the root
    table_keys: NDArray[np.int64]  # tree, place: transpositions
    table_nodes: NDArray[np.int32]


def make_trees(trees: int, nodes: int, edges: int, *, state_size: int, action_count: int, places: int) -> Trees:
    """Empty trees with room for so many nodes, edges and transpositions each."""
    return Trees(
        info=np.zeros((trees, INFO_COUNT), np.int64),
        roots=np.zeros((trees, state_size), np.int64),
        nodes=np.empty((trees, nodes, NODE_COUNT), np.int32),
        worths=np.empty((trees, nodes, 2), np.float64),
        keys=np.empty((trees, nodes), np.int64),
        ints=np.empty((trees, 5, edges), np.int32),
        floats=np.empty((trees, 2, edges), np.float32),
        totals=np.empty((trees, edges), np.float64),
        gumbel=np.zeros((trees, action_count), np.float32),
        table_keys=np.zeros((trees, places), np.int64),
        table_nodes=np.full((trees, places), -1, np.int32),
    )


def places_for(nodes: int) -> int:
    """The size of a table of transpositions, a power of two, for so many nodes; in large trees it forgets some."""
    return 1 << (2 * min(nodes, MOST_REMEMBERED)).bit_length()


TREES = typeof(make_trees(1, 1, 1, state_size=1, action_count=1, places=1))
LIST = types.int32[::1]
GRID = types.int32[:, ::1]  # the nodes or the ints of one tree
FLOAT_GRID = types.float32[:, ::1]
WORTHS = types.float64[:, ::1]
List = NDArray[np.int32]
Grid = NDArray[np.int32]
FloatGrid = NDArray[np.float32]
Worths = NDArray[np.float64]


@kernel(TREES(TREES))
def borrowed_trees(trees: Trees) -> Trees:
    """The same arrays without reference counts, for the length of a kernel."""
    return Trees(
        borrowed(trees.info),
        borrowed(trees.roots),
        borrowed(trees.nodes),
        borrowed(trees.worths),
        borrowed(trees.keys),
        borrowed(trees.ints),
        borrowed(trees.floats),
        borrowed(trees.totals),
        borrowed(trees.gumbel),
        borrowed(trees.table_keys),
        borrowed(trees.table_nodes),
    )


@kernel(types.boolean(INT, INT))
def is_settled(low: int, high: int) -> bool:
    """Whether bounds leave only one winner, or only the draw."""
    return low > 0 or high < 0 or low == high


@kernel(types.boolean(INT, INT, NUMBERS))
def is_finished(low: int, high: int, numbers: Numbers) -> bool:
    """Whether bounds are as tight as this search wants them."""
    return low == high or (is_settled(low, high) and numbers[EXACT_MARGIN] == 0)


@kernel(types.boolean(INT, INT, NUMBERS))
def is_decided(low: int, high: int, numbers: Numbers) -> bool:
    """Whether bounds leave only one value: one winner, and one margin if that counts."""
    return low == high or (is_settled(low, high) and numbers[MARGIN_WEIGHT] == 0)


@kernel(types.float64(INT, INT, NUMBERS))
def settled_value(low: int, high: int, numbers: Numbers) -> float:
    """The value, from player 0's side, of a decided result: who wins, and by how much as far as that counts."""
    winner = 1.0 if low > 0 else -1.0 if high < 0 else 0.0
    if numbers[MARGIN_WEIGHT] == 0:
        return winner
    return winner + numbers[MARGIN_WEIGHT] * (worth_in_kernels(low, numbers[LARGEST_MARGIN]) - winner)


@kernel(types.float64(types.float64, INT, INT, NUMBERS))
def within(value: float, low: int, high: int, numbers: Numbers) -> float:
    """The value, or the nearest that proven bounds allow."""
    bound = int(numbers[BOUND])
    if low > -bound:
        value = max(value, settled_value(low, low, numbers))
    if high < bound:
        value = min(value, settled_value(high, high, numbers))
    return value


@kernel(INT(TREES, INT, INT), inline=True)
def room_for(trees: Trees, tree: int, moves: int) -> int:
    """Whether a node with so many moves fits in, with all that wait for theirs; if not, the tree is marked as full."""
    info = trees.info[tree]
    most_moves = trees.gumbel.shape[1]
    edges = info[EDGES] + moves + info[WAITING] * most_moves
    if info[NODES] + info[WAITING] < trees.nodes.shape[1] and edges <= trees.totals.shape[1]:
        return 1
    info[FULL] = 1
    return 0


@kernel(INT(TREES, INT, INT, LIST, INT, INT, INT), inline=True)
def add_node(trees: Trees, tree: int, player: int, actions: List, count: int, low: int, high: int) -> int:
    """A new node with these moves and even priors, unvisited; there must be room. Gives its number."""
    number, first = trees.info[tree, NODES], trees.info[tree, EDGES]
    trees.info[tree, NODES] += 1
    trees.info[tree, EDGES] += count
    node = trees.nodes[tree, number]
    node[FIRST], node[MOVES], node[UNTRIED], node[PLAYER] = first, count, count, player
    node[VISITS], node[TWIN], node[LOW], node[HIGH] = 0, number, low, high
    trees.worths[tree, number, WORTH] = 0
    trees.worths[tree, number, RAW] = np.nan
    last = first + count
    ints, floats = trees.ints[tree], trees.floats[tree]
    ints[TRIES, first:last] = 0
    ints[ACTION, first:last] = actions[:count]
    ints[CHILD, first:last] = NO_CHILD
    ints[EDGE_LOW, first:last] = low
    ints[EDGE_HIGH, first:last] = high
    floats[PRIOR, first:last] = np.float32(1) / np.float32(count)
    floats[MEAN, first:last] = 0
    trees.totals[tree, first:last] = 0
    return number


@kernel(types.void(TREES, INT, INT))
def clear(trees: Trees, tree: int, seed: int) -> None:
    """Forget a tree; its root has still to be expanded."""
    trees.info[tree, :] = 0
    trees.info[tree, SEED] = seed
    trees.table_nodes[tree, :] = -1


@kernel(INT(types.int64[::1], LIST, INT), inline=True)
def find_key(table_keys: NDArray[np.int64], table_nodes: List, key: int) -> int:
    """The node that was made first for this position, or -1."""
    mask = len(table_keys) - 1
    for probe in range(PROBES):
        place = (key + probe) & mask
        if table_nodes[place] < 0:
            return -1
        if table_keys[place] == key:
            return table_nodes[place]
    return -1


@kernel(types.void(types.int64[::1], LIST, INT, INT))
def remember_key(table_keys: NDArray[np.int64], table_nodes: List, key: int, node: int) -> None:
    """Note the node of a position; where the table is crowded, an older entry gives way."""
    mask = len(table_keys) - 1
    place = key & mask
    for probe in range(PROBES):
        place = (key + probe) & mask
        if table_nodes[place] < 0:
            break
    table_keys[place] = key
    table_nodes[place] = node


@kernel(types.void(TREES, INT))
def rebuild_table(trees: Trees, tree: int) -> None:
    """Enter all evaluated nodes of a tree into its table of transpositions anew."""
    trees.table_nodes[tree, :] = -1
    for node in range(trees.info[tree, NODES]):
        if not np.isnan(trees.worths[tree, node, RAW]) and trees.nodes[tree, node, TWIN] == node:
            remember_key(trees.table_keys[tree], trees.table_nodes[tree], trees.keys[tree, node], node)


@kernel(types.void(TREES, INT, INT, INT, INT))
def move_edges(trees: Trees, tree: int, source: int, target: int, count: int) -> None:
    """Copy so many edges to a lower place."""
    for offset in range(count):
        for field in range(5):
            trees.ints[tree, field, target + offset] = trees.ints[tree, field, source + offset]
        for field in range(2):
            trees.floats[tree, field, target + offset] = trees.floats[tree, field, source + offset]
        trees.totals[tree, target + offset] = trees.totals[tree, source + offset]


@kernel(types.void(TREES, INT, INT))
def rebase(trees: Trees, tree: int, new_root: int) -> None:
    """Make a node the root: what is below it moves to the front, everything else is forgotten.

    Children come after their parents, so one pass from the front does it in place: a node is kept if its parent was,
    and both a node and its edges only ever move to lower places.
    """
    nodes, children = trees.nodes[tree], trees.ints[tree, CHILD]
    moved_to = np.full(trees.info[tree, NODES], -1, np.int32)
    moved_to[new_root] = 0
    kept = 0
    edges = 0
    for node in range(new_root, len(moved_to)):
        if moved_to[node] < 0:
            continue
        first, count = nodes[node, FIRST], nodes[node, MOVES]
        moved_to[node] = kept
        move_edges(trees, tree, first, edges, count)
        for edge in range(edges, edges + count):
            if children[edge] >= 0:
                moved_to[children[edge]] = 0  # kept; its place is known when the pass comes to it
        for field in range(NODE_COUNT):
            nodes[kept, field] = nodes[node, field]
        trees.worths[tree, kept, :] = trees.worths[tree, node, :]
        trees.keys[tree, kept] = trees.keys[tree, node]
        nodes[kept, FIRST] = edges
        kept += 1
        edges += count
    for edge in range(edges):
        if children[edge] >= 0:
            children[edge] = moved_to[children[edge]]
    for node in range(kept):
        twin = moved_to[nodes[node, TWIN]]
        nodes[node, TWIN] = twin if twin > 0 else node  # the root is nobody's twin: its own moves must show its result
    trees.info[tree, NODES] = kept
    trees.info[tree, EDGES] = edges
    trees.info[tree, FULL] = 0
    rebuild_table(trees, tree)
