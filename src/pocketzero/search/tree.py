"""Trees of positions in flat arrays, many side by side.

A node is a position whose moves have been listed; an edge is one of its moves. Everything about the trees lies in the
arrays of ``Trees``, the first index of each being the tree. Nodes and the edges of a node are added at the end, so a
node's children always come after it. A position that is over, or answered exactly, needs no node: its edge knows it.

Values are kept from player 0's side. Who moves at a node is written there when it is made; nothing is guessed from the
depth. Next to the statistics each edge and node has bounds of the final result: the margin where the game has one, else
-1, 0 or 1 for player 0. A result is *settled* when the bounds leave only one winner (or only the draw).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import typeof, types
from numpy.typing import NDArray

from pocketzero.compiled import kernel
from pocketzero.games.table import INT
from pocketzero.search.settings import EXACT_MARGIN, NUMBERS, Numbers

Array = NDArray[np.generic]

NO_CHILD, PENDING = -1, -2  # an edge that leads to no node yet; one whose position waits for its evaluation
UNKNOWN = 30_000  # a bound that says nothing; no margin is as large
PROBES = 8  # how far the table of transpositions is searched

# Places in ``info``, the numbers of a whole tree.
NODES, EDGES, DONE, BUDGET, SEED, EXPANDED, FULL, WAITING, INFO_COUNT = range(9)


class Trees(NamedTuple):
    """The arrays of all trees."""

    info: NDArray[np.int64]  # tree, INFO_COUNT
    roots: NDArray[np.int64]  # tree, state
    # nodes: tree, node
    first: NDArray[np.int32]  # its first edge
    moves: NDArray[np.int32]  # how many edges it has
    player: NDArray[np.int32]  # who moves
    visits: NDArray[np.int32]  # how many simulations came here, the one that made it included
    worth: NDArray[np.float64]  # the sum of their values, from player 0's side
    raw: NDArray[np.float32]  # the evaluator's value, from player 0's side; not a number if it was not asked
    key: NDArray[np.int64]  # of the position, as the game hashes it
    twin: NDArray[np.int32]  # the node that was made first for the same position; proven results are shared with it
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    # edges: tree, edge
    action: NDArray[np.int32]
    prior: NDArray[np.float32]
    tries: NDArray[np.int32]  # visits of the edge
    total: NDArray[np.float64]  # sum of their values, from player 0's side
    child: NDArray[np.int32]
    edge_low: NDArray[np.int32]
    edge_high: NDArray[np.int32]
    # roots: tree, index of the move at the root
    gumbel: NDArray[np.float32]
    # transpositions: tree, place
    keys: NDArray[np.int64]
    nodes_by_key: NDArray[np.int32]


def make_trees(trees: int, nodes: int, edges: int, *, state_size: int, action_count: int, places: int) -> Trees:
    """Empty trees with room for so many nodes, edges and transpositions each."""

    def ints(*shape: int) -> NDArray[np.int32]:
        return np.zeros((trees, *shape), np.int32)

    return Trees(
        info=np.zeros((trees, INFO_COUNT), np.int64),
        roots=np.zeros((trees, state_size), np.int64),
        first=ints(nodes),
        moves=ints(nodes),
        player=ints(nodes),
        visits=ints(nodes),
        worth=np.zeros((trees, nodes), np.float64),
        key=np.zeros((trees, nodes), np.int64),
        twin=ints(nodes),
        raw=np.zeros((trees, nodes), np.float32),
        low=ints(nodes),
        high=ints(nodes),
        action=ints(edges),
        prior=np.zeros((trees, edges), np.float32),
        tries=ints(edges),
        total=np.zeros((trees, edges), np.float64),
        child=ints(edges),
        edge_low=ints(edges),
        edge_high=ints(edges),
        gumbel=np.zeros((trees, action_count), np.float32),
        keys=np.zeros((trees, places), np.int64),
        nodes_by_key=np.full((trees, places), -1, np.int32),
    )


NODE_ARRAYS = ("first", "moves", "player", "visits", "worth", "raw", "key", "twin", "low", "high")
EDGE_ARRAYS = ("action", "prior", "tries", "total", "child", "edge_low", "edge_high")


def places_for(nodes: int) -> int:
    """The size of a table of transpositions, a power of two, for so many nodes."""
    return 1 << (2 * nodes).bit_length()


TREES = typeof(make_trees(1, 1, 1, state_size=1, action_count=1, places=1))
LIST = types.int32[::1]


@kernel(types.boolean(INT, INT))
def is_settled(low: int, high: int) -> bool:
    """Whether bounds leave only one winner, or only the draw."""
    return low > 0 or high < 0 or low == high


@kernel(types.boolean(INT, INT, NUMBERS))
def is_finished(low: int, high: int, numbers: Numbers) -> bool:
    """Whether bounds are as tight as this search wants them."""
    return low == high or (is_settled(low, high) and numbers[EXACT_MARGIN] == 0)


@kernel(types.float64(INT, INT))
def settled_value(low: int, high: int) -> float:
    """The value, from player 0's side, of a settled result."""
    return 1.0 if low > 0 else -1.0 if high < 0 else 0.0


@kernel(INT(TREES, INT, INT))
def room_for(trees: Trees, tree: int, moves: int) -> int:
    """Whether a node with so many moves fits in, with all that wait for theirs; if not, the tree is marked as full."""
    info = trees.info[tree]
    most_moves = trees.gumbel.shape[1]
    edges = info[EDGES] + moves + info[WAITING] * most_moves
    if info[NODES] + info[WAITING] < trees.first.shape[1] and edges <= trees.action.shape[1]:
        return 1
    info[FULL] = 1
    return 0


@kernel(INT(TREES, INT, INT, LIST, INT, INT, INT))
def add_node(trees: Trees, tree: int, player: int, moves: NDArray[np.int32], count: int, low: int, high: int) -> int:
    """A new node with these moves, unvisited; there must be room. Gives its number."""
    info = trees.info[tree]
    node, first = info[NODES], info[EDGES]
    info[NODES] += 1
    info[EDGES] += count
    trees.first[tree, node] = first
    trees.moves[tree, node] = count
    trees.player[tree, node] = player
    trees.visits[tree, node] = 0
    trees.worth[tree, node] = 0
    trees.raw[tree, node] = np.nan
    trees.key[tree, node] = 0
    trees.twin[tree, node] = node
    trees.low[tree, node] = low
    trees.high[tree, node] = high
    for index in range(count):
        edge = first + index
        trees.action[tree, edge] = moves[index]
        trees.prior[tree, edge] = np.float32(1) / np.float32(count)
        trees.tries[tree, edge] = 0
        trees.total[tree, edge] = 0
        trees.child[tree, edge] = NO_CHILD
        trees.edge_low[tree, edge] = low
        trees.edge_high[tree, edge] = high
    return node


@kernel(types.void(TREES, INT, INT))
def clear(trees: Trees, tree: int, seed: int) -> None:
    """Forget a tree; its root has still to be expanded."""
    trees.info[tree, :] = 0
    trees.info[tree, SEED] = seed
    trees.nodes_by_key[tree, :] = -1


@kernel(INT(TREES, INT, INT))
def find_key(trees: Trees, tree: int, key: int) -> int:
    """The node that was made for this position, or -1."""
    mask = trees.keys.shape[1] - 1
    for probe in range(PROBES):
        place = (key + probe) & mask
        node = trees.nodes_by_key[tree, place]
        if node < 0:
            return -1
        if trees.keys[tree, place] == key:
            return node
    return -1


@kernel(types.void(TREES, INT, INT, INT))
def remember_key(trees: Trees, tree: int, key: int, node: int) -> None:
    """Note the node of a position; where the table is crowded, an older entry gives way."""
    mask = trees.keys.shape[1] - 1
    place = key & mask
    for probe in range(PROBES):
        place = (key + probe) & mask
        if trees.nodes_by_key[tree, place] < 0:
            break
    trees.keys[tree, place] = key
    trees.nodes_by_key[tree, place] = node


@kernel(types.void(TREES, INT))
def rebuild_table(trees: Trees, tree: int) -> None:
    """Enter all evaluated nodes of a tree into its table of transpositions anew."""
    trees.nodes_by_key[tree, :] = -1
    for node in range(trees.info[tree, NODES]):
        if trees.raw[tree, node] == trees.raw[tree, node]:  # a number, so it has been evaluated
            remember_key(trees, tree, trees.key[tree, node], node)


@kernel(types.void(TREES, INT, INT, INT))
def copy_edge(trees: Trees, tree: int, source: int, target: int) -> None:
    """Copy everything about an edge to another place."""
    for numbers in (trees.action, trees.tries, trees.child, trees.edge_low, trees.edge_high):
        numbers[tree, target] = numbers[tree, source]
    trees.prior[tree, target] = trees.prior[tree, source]
    trees.total[tree, target] = trees.total[tree, source]


@kernel(types.void(TREES, INT, INT, INT))
def copy_node(trees: Trees, tree: int, source: int, target: int) -> None:
    """Copy everything about a node to another place."""
    for numbers in (trees.first, trees.moves, trees.player, trees.visits, trees.twin, trees.low, trees.high):
        numbers[tree, target] = numbers[tree, source]
    trees.worth[tree, target] = trees.worth[tree, source]
    trees.raw[tree, target] = trees.raw[tree, source]
    trees.key[tree, target] = trees.key[tree, source]


@kernel(types.void(TREES, INT, INT))
def rebase(trees: Trees, tree: int, new_root: int) -> None:
    """Make a node the root: what is below it moves to the front, everything else is forgotten.

    Children come after their parents, so one pass from the front does it in place: a node is kept if its parent was,
    and both a node and its edges only ever move to lower places.
    """
    info = trees.info[tree]
    total = info[NODES]
    moved_to = np.full(total, -1, np.int32)
    moved_to[new_root] = 0
    kept = 0
    edges = 0
    for node in range(new_root, total):
        if moved_to[node] < 0:
            continue
        first, count = trees.first[tree, node], trees.moves[tree, node]
        moved_to[node] = kept
        for index in range(count):
            copy_edge(trees, tree, first + index, edges + index)
            child = trees.child[tree, edges + index]
            if child >= 0:
                moved_to[child] = 0  # kept; its place is known when the pass comes to it
        copy_node(trees, tree, node, kept)
        trees.first[tree, kept] = edges
        kept += 1
        edges += count
    for edge in range(edges):
        if trees.child[tree, edge] >= 0:
            trees.child[tree, edge] = moved_to[trees.child[tree, edge]]
    for node in range(kept):
        twin = moved_to[trees.twin[tree, node]]
        trees.twin[tree, node] = twin if twin >= 0 else node
    info[NODES] = kept
    info[EDGES] = edges
    info[FULL] = 0
    rebuild_table(trees, tree)


def grown(trees: Trees, nodes: int, edges: int) -> Trees:
    """The same trees with more room."""

    def larger(array: Array, size: int) -> Array:
        wider = np.zeros((array.shape[0], size), array.dtype)
        wider[:, : array.shape[1]] = array
        return wider

    changed = {name: larger(getattr(trees, name), nodes) for name in NODE_ARRAYS}
    changed |= {name: larger(getattr(trees, name), edges) for name in EDGE_ARRAYS}
    places = places_for(nodes) if trees.keys.shape[1] > 1 else 1
    changed["keys"] = np.zeros((len(trees.info), places), np.int64)
    changed["nodes_by_key"] = np.full((len(trees.info), places), -1, np.int32)
    wider = trees._replace(**changed)  # type: ignore[arg-type]
    for tree in range(len(trees.info)):
        rebuild_table(wider, tree)
    return wider
