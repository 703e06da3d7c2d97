"""Many leaves at once: walk down the trees, evaluate all leaves in one call, add them and walk down again.

A *slot* is one walk down a tree. In self-play every tree has one slot; in play and analysis one tree has several, kept
apart by virtual losses. ``turn`` is the only kernel that Python calls in the loop: it takes in the evaluations of the
last round, and goes on walking until every slot has a leaf that needs one. Walks that end in a settled result, in a
position known from another way, or in a forced move need no evaluation, and the slot goes on with the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import typeof, types
from numpy.typing import NDArray

from pocketzero.bits import random_below
from pocketzero.compiled import kernel
from pocketzero.games.table import (
    EXACT,
    GEOMETRY,
    INT,
    NO_ANSWER,
    ONGOING,
    STATE,
    TABLE,
    Geometry,
    State,
    Table,
    encode_of,
    key_of,
    legal_of,
    margin_of,
    outcome_of,
    play_of,
    reduce_of,
    solve_of,
    to_move_of,
)
from pocketzero.search.gumbel import SCHEDULE, Schedule, draw_gumbel, select_gumbel
from pocketzero.search.proven import spread_bounds, tighten_node
from pocketzero.search.puct import FLOAT, add_noise, forced_edge, select_puct, select_ucb1
from pocketzero.search.settings import (
    ALL_SYMMETRIES,
    BOUND,
    FORCED,
    GUMBEL_MOVES,
    NUMBERS,
    RANDOM_SYMMETRY,
    REDUCED,
    RULE,
    SOLVE_BUDGET,
    SOLVED,
    SYMMETRY,
    TRANSPOSED,
    UCB1_RULE,
    VIRTUAL_LOSS,
    Numbers,
)
from pocketzero.search.tree import (
    BUDGET,
    DONE,
    EXPANDED,
    FULL,
    NO_CHILD,
    PENDING,
    SEED,
    TREES,
    WAITING,
    Trees,
    add_node,
    find_key,
    is_finished,
    remember_key,
    room_for,
    settled_value,
)

LEAF, FINISHED, COLLISION, NO_ROOM = 0, 1, 2, 3  # how a walk ends
MOST_WALKS = 64  # of one slot in one turn, so that a turn stays short when no evaluations are needed


class Slots(NamedTuple):
    """The walks that are under way; the first index of each array is the slot."""

    tree: NDArray[np.int32]
    waiting: NDArray[np.int32]  # whether its leaf waits for an evaluation
    row: NDArray[np.int32]  # the first row of its leaf in the batch
    symmetry: NDArray[np.int32]
    depth: NDArray[np.int32]
    moves: NDArray[np.int32]  # how many moves the leaf has
    player: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    key: NDArray[np.int64]
    states: NDArray[np.int64]  # slot, state
    nodes: NDArray[np.int32]  # slot, depth: the path
    edges: NDArray[np.int32]
    actions: NDArray[np.int32]  # slot, move: of the leaf
    allowed: NDArray[np.int32]  # tree, action: which moves may be searched at the root; all, if the first is -1


def make_slots(tree_of_slot: list[int], *, state_size: int, action_count: int, max_length: int) -> Slots:
    """Slots for these trees."""
    count = len(tree_of_slot)

    def ints(*shape: int) -> NDArray[np.int32]:
        return np.zeros((count, *shape), np.int32)

    return Slots(
        tree=np.array(tree_of_slot, np.int32),
        waiting=ints(),
        row=ints(),
        symmetry=ints(),
        depth=ints(),
        moves=ints(),
        player=ints(),
        low=ints(),
        high=ints(),
        key=np.zeros(count, np.int64),
        states=np.zeros((count, state_size), np.int64),
        nodes=ints(max_length + 2),
        edges=ints(max_length + 2),
        actions=ints(action_count),
        allowed=np.full((max(tree_of_slot) + 1, action_count), -1, np.int32),
    )


SLOTS = typeof(make_slots([0], state_size=1, action_count=1, max_length=1))
PERMUTATIONS = types.int32[:, ::1]
ROWS = types.float32[:, ::1]
Rows = NDArray[np.float32]
Permutations = NDArray[np.int32]


@kernel(INT(TREES, INT, INT, NUMBERS, SCHEDULE))
def select(trees: Trees, tree: int, node: int, numbers: Numbers, plan: Schedule) -> int:
    """The edge to go down: the root has its own ways, below it there is one formula."""
    if node == 0 and numbers[GUMBEL_MOVES] > 0:
        return select_gumbel(trees, tree, numbers, trees.visits[tree, 0] - 1, plan)
    if node == 0 and numbers[FORCED] > 0:
        edge = forced_edge(trees, tree, numbers)
        if edge >= 0:
            return edge
    if numbers[RULE] == UCB1_RULE:
        return select_ucb1(trees, tree, node, numbers)
    return select_puct(trees, tree, node, numbers)


@kernel(types.void(TREES, SLOTS, INT, FLOAT, NUMBERS))
def back_up(trees: Trees, slots: Slots, slot: int, value: float, numbers: Numbers) -> None:
    """Add a value, from player 0's side, to all that the walk passed, and take its virtual losses back."""
    tree = slots.tree[slot]
    for step in range(slots.depth[slot]):
        node, edge = slots.nodes[slot, step], slots.edges[slot, step]
        sign = 1.0 if trees.player[tree, node] == 0 else -1.0
        trees.total[tree, edge] += value + sign * numbers[VIRTUAL_LOSS]
        trees.worth[tree, node] += value + sign * numbers[VIRTUAL_LOSS]
    trees.info[tree, DONE] += 1


@kernel(types.void(TREES, SLOTS, INT, NUMBERS))
def take_back(trees: Trees, slots: Slots, slot: int, numbers: Numbers) -> None:
    """Undo a walk that came to nothing."""
    tree = slots.tree[slot]
    for step in range(slots.depth[slot]):
        node, edge = slots.nodes[slot, step], slots.edges[slot, step]
        sign = 1.0 if trees.player[tree, node] == 0 else -1.0
        trees.tries[tree, edge] -= 1
        trees.visits[tree, node] -= 1
        trees.total[tree, edge] += sign * numbers[VIRTUAL_LOSS]
        trees.worth[tree, node] += sign * numbers[VIRTUAL_LOSS]


@kernel(types.void(TREES, SLOTS, INT, INT, INT))
def set_bounds(trees: Trees, slots: Slots, slot: int, low: int, high: int) -> None:
    """Tighten the bounds of the walk's last edge, and of what is above it."""
    tree, depth = slots.tree[slot], slots.depth[slot]
    if depth == 0:
        return
    edge = slots.edges[slot, depth - 1]
    if low > trees.edge_low[tree, edge] or high < trees.edge_high[tree, edge]:
        trees.edge_low[tree, edge] = max(low, trees.edge_low[tree, edge])
        trees.edge_high[tree, edge] = min(high, trees.edge_high[tree, edge])
        spread_bounds(trees, tree, slots.nodes[slot], slots.edges[slot], depth)


@kernel(types.void(TREES, SLOTS, INT, INT, NUMBERS))
def step_down(trees: Trees, slots: Slots, slot: int, edge: int, numbers: Numbers) -> None:
    """Go along an edge: it and its node count as visited, and as lost until the value is known."""
    tree, depth = slots.tree[slot], slots.depth[slot]
    node = slots.nodes[slot, depth]
    sign = 1.0 if trees.player[tree, node] == 0 else -1.0
    trees.tries[tree, edge] += 1
    trees.visits[tree, node] += 1
    trees.total[tree, edge] -= sign * numbers[VIRTUAL_LOSS]
    trees.worth[tree, node] -= sign * numbers[VIRTUAL_LOSS]
    slots.edges[slot, depth] = edge
    slots.depth[slot] = depth + 1


@kernel(INT(TABLE, GEOMETRY, STATE, INT))
def final_result(table: Table, geometry: Geometry, state: State, outcome: int) -> int:
    """The result of a finished game for player 0: the margin if the game has one, else 1, 0 or -1."""
    margin = margin_of(table)
    ahead = margin(geometry, state)
    if ahead == 0:
        ahead = 1 if outcome == 0 else -1 if outcome == 1 else 0
    return ahead


@kernel(types.void(TABLE, GEOMETRY, TREES, INT))
def see_ends(table: Table, geometry: Geometry, trees: Trees, tree: int) -> None:
    """Try every move of the root: those that end the game are settled at once, so that no win in sight is missed."""
    outcome = outcome_of(table)
    play = play_of(table)
    state = np.empty_like(trees.roots[tree])
    for edge in range(trees.first[tree, 0], trees.first[tree, 0] + trees.moves[tree, 0]):
        state[:] = trees.roots[tree]
        play(geometry, state, trees.action[tree, edge])
        result = outcome(geometry, state)
        if result != ONGOING:
            ahead = final_result(table, geometry, state, result)
            trees.edge_low[tree, edge] = trees.edge_high[tree, edge] = ahead
    tighten_node(trees, tree, 0)


@kernel(INT(TABLE, GEOMETRY, TREES, SLOTS, INT, NUMBERS))
def look_at_leaf(table: Table, geometry: Geometry, trees: Trees, slots: Slots, slot: int, numbers: Numbers) -> int:
    """Find out all about a new position that needs no evaluator: its end, its bounds, its moves, its key."""
    outcome = outcome_of(table)
    solve = solve_of(table)
    legal = legal_of(table)
    reduce = reduce_of(table)
    to_move = to_move_of(table)
    key = key_of(table)
    state = slots.states[slot]
    result = outcome(geometry, state)
    if result != ONGOING:
        slots.low[slot] = slots.high[slot] = final_result(table, geometry, state, result)
        return FINISHED
    slots.low[slot], slots.high[slot] = -int(numbers[BOUND]), int(numbers[BOUND])
    if numbers[SOLVED] > 0 and slots.depth[slot] > 0:  # of the root the moves are wanted, not only the value
        bounds = np.empty(2, np.int64)
        answer = solve(geometry, state, np.int64(numbers[SOLVE_BUDGET]), bounds)
        if answer != NO_ANSWER:
            slots.low[slot], slots.high[slot] = bounds[0], bounds[1]
            if answer == EXACT or is_finished(bounds[0], bounds[1], numbers):
                return FINISHED
    count = reduce(geometry, state, slots.actions[slot]) if numbers[REDUCED] > 0 else -1
    if count < 0:
        count = legal(geometry, state, slots.actions[slot])
    slots.moves[slot] = count
    slots.player[slot] = to_move(state)
    slots.key[slot] = key(geometry, state)
    return LEAF


@kernel(types.void(SLOTS, INT))
def keep_allowed(slots: Slots, slot: int) -> None:
    """At the root, keep only the moves that may be searched."""
    tree = slots.tree[slot]
    if slots.allowed[tree, 0] < 0:
        return
    kept = 0
    for index in range(slots.moves[slot]):
        action = slots.actions[slot, index]
        if slots.allowed[tree, action] > 0:
            slots.actions[slot, kept] = action
            kept += 1
    slots.moves[slot] = kept


@kernel(INT(TREES, SLOTS, INT))
def attach(trees: Trees, slots: Slots, slot: int) -> int:
    """Make a node for the walk's leaf and hang it on its edge; there must be room. Gives its number."""
    tree, depth = slots.tree[slot], slots.depth[slot]
    low, high = int(slots.low[slot]), int(slots.high[slot])
    node = add_node(trees, tree, slots.player[slot], slots.actions[slot], slots.moves[slot], low, high)
    trees.key[tree, node] = slots.key[slot]
    trees.visits[tree, node] = 1
    if depth > 0:
        trees.child[tree, slots.edges[slot, depth - 1]] = node
    else:
        trees.info[tree, EXPANDED] = 1
    return node


@kernel(types.void(TREES, SLOTS, INT, INT))
def copy_evaluation(trees: Trees, slots: Slots, slot: int, known: int) -> None:
    """Make the leaf's node with the priors, the value and the bounds of a node for the same position."""
    tree = slots.tree[slot]
    node = attach(trees, slots, slot)
    trees.twin[tree, node] = known
    trees.raw[tree, node] = trees.raw[tree, known]
    trees.worth[tree, node] = trees.raw[tree, known]
    source, target = trees.first[tree, known], trees.first[tree, node]
    for index in range(trees.moves[tree, node]):
        trees.prior[tree, target + index] = trees.prior[tree, source + index]
        trees.edge_low[tree, target + index] = trees.edge_low[tree, source + index]
        trees.edge_high[tree, target + index] = trees.edge_high[tree, source + index]
    trees.low[tree, node] = trees.low[tree, known]
    trees.high[tree, node] = trees.high[tree, known]


@kernel(INT(TABLE, GEOMETRY, TREES, SLOTS, INT, NUMBERS, SCHEDULE))
def walk(
    table: Table, geometry: Geometry, trees: Trees, slots: Slots, slot: int, numbers: Numbers, plan: Schedule
) -> int:
    """One walk from the root to a leaf that needs an evaluation, or to a result that needs none."""
    play = play_of(table)
    tree = int(slots.tree[slot])
    slots.states[slot] = trees.roots[tree]
    slots.depth[slot] = 0
    node = 0 if trees.info[tree, EXPANDED] else -1
    while True:
        # 1. Go down through known positions.
        while node >= 0:
            slots.nodes[slot, slots.depth[slot]] = node
            edge = select(trees, tree, node, numbers, plan)
            child = trees.child[tree, edge]
            if child == PENDING:
                take_back(trees, slots, slot, numbers)
                return COLLISION
            step_down(trees, slots, slot, edge, numbers)
            if child >= 0:
                twin = trees.twin[tree, child]
                set_bounds(trees, slots, slot, trees.low[tree, twin], trees.high[tree, twin])
            low, high = trees.edge_low[tree, edge], trees.edge_high[tree, edge]
            if is_finished(low, high, numbers):
                back_up(trees, slots, slot, settled_value(low, high), numbers)
                return FINISHED
            play(geometry, slots.states[slot], trees.action[tree, edge])
            node = int(child)
        # 2. A new position: it may be over, or its result known.
        if look_at_leaf(table, geometry, trees, slots, slot, numbers) == FINISHED:
            set_bounds(trees, slots, slot, slots.low[slot], slots.high[slot])
            back_up(trees, slots, slot, settled_value(slots.low[slot], slots.high[slot]), numbers)
            return FINISHED
        if slots.depth[slot] == 0:
            keep_allowed(slots, slot)
        set_bounds(trees, slots, slot, slots.low[slot], slots.high[slot])
        if not room_for(trees, tree, slots.moves[slot]):
            take_back(trees, slots, slot, numbers)
            return NO_ROOM
        # 3. It may be known from another way, or leave no choice.
        if slots.moves[slot] == 1 and slots.depth[slot] > 0:
            node = attach(trees, slots, slot)
            trees.visits[tree, node] = 0  # the walk goes on through it
            continue
        if numbers[TRANSPOSED] > 0 and slots.depth[slot] > 0:
            known = find_key(trees, tree, slots.key[slot])
            if known >= 0 and trees.moves[tree, known] == slots.moves[slot]:
                copy_evaluation(trees, slots, slot, known)
                set_bounds(trees, slots, slot, trees.low[tree, known], trees.high[tree, known])
                back_up(trees, slots, slot, trees.raw[tree, known], numbers)
                return FINISHED
        # 4. Otherwise the evaluator is asked.
        if slots.depth[slot] > 0:
            trees.child[tree, slots.edges[slot, slots.depth[slot] - 1]] = PENDING
        return LEAF


@kernel(types.void(TREES, INT, NUMBERS))
def prepare_root(trees: Trees, tree: int, numbers: Numbers) -> None:
    """What the root gets when it is new, or when another search begins at it: noise."""
    add_noise(trees, tree, numbers)
    if numbers[GUMBEL_MOVES] > 0:
        draw_gumbel(trees, tree)


@kernel(types.void(TREES, SLOTS, INT, FLOAT, NUMBERS))
def finish_leaf(trees: Trees, slots: Slots, slot: int, value: float, numbers: Numbers) -> None:
    """After the node of an evaluated leaf was made: its value goes up, and others can find it."""
    tree, depth = slots.tree[slot], slots.depth[slot]
    node = int(trees.child[tree, slots.edges[slot, depth - 1]]) if depth > 0 else 0
    trees.raw[tree, node] = value
    trees.worth[tree, node] = value
    if numbers[TRANSPOSED] > 0:
        remember_key(trees, tree, slots.key[slot], node)
    if depth == 0:
        prepare_root(trees, tree, numbers)
    else:
        back_up(trees, slots, slot, value, numbers)


@kernel(types.void(TREES, SLOTS, INT, NUMBERS, PERMUTATIONS, ROWS, types.float32[::1]))
def take_in(
    trees: Trees,
    slots: Slots,
    slot: int,
    numbers: Numbers,
    permutations: Permutations,
    logits: Rows,
    values: NDArray[np.float32],
) -> None:
    """Make the node of a leaf from the evaluator's answer, averaged over symmetries if there are several."""
    tree = slots.tree[slot]
    node = attach(trees, slots, slot)
    first, count = trees.first[tree, node], trees.moves[tree, node]
    prior = trees.prior[tree]
    views = len(permutations) if numbers[SYMMETRY] == ALL_SYMMETRIES else 1
    weights = np.empty(count, np.float32)
    prior[first : first + count] = 0
    value = 0.0
    for view in range(views):
        row = slots.row[slot] + view
        turned = permutations[slots.symmetry[slot] + view]
        most = np.float32(-np.inf)
        for index in range(count):
            weights[index] = logits[row, turned[trees.action[tree, first + index]]]
            most = max(most, weights[index])
        whole = np.float32(0)
        for index in range(count):
            weights[index] = np.exp(weights[index] - most)
            whole += weights[index]
        scale = np.float32(1) / (whole * np.float32(views))
        for index in range(count):
            prior[first + index] += weights[index] * scale
        value += values[row] / views
    finish_leaf(trees, slots, slot, value if slots.player[slot] == 0 else -value, numbers)


@kernel(INT(TABLE, GEOMETRY, TREES, SLOTS, INT, INT, NUMBERS, PERMUTATIONS, ROWS))
def show(
    table: Table,
    geometry: Geometry,
    trees: Trees,
    slots: Slots,
    slot: int,
    row: int,
    numbers: Numbers,
    permutations: Permutations,
    planes: Rows,
) -> int:
    """Write the planes of a leaf into the batch; gives the next free row."""
    encode = encode_of(table)
    views = 1
    slots.symmetry[slot] = 0
    if numbers[SYMMETRY] == ALL_SYMMETRIES:
        views = len(permutations)
    elif numbers[SYMMETRY] == RANDOM_SYMMETRY:
        tree = slots.tree[slot]
        slots.symmetry[slot] = random_below(trees.info[tree, SEED : SEED + 1], len(permutations))
    slots.row[slot] = row
    for view in range(views):
        encode(geometry, slots.states[slot], slots.symmetry[slot] + view, planes[row + view])
    return row + views


@kernel(types.boolean(TREES, INT, NUMBERS))
def wants_more(trees: Trees, tree: int, numbers: Numbers) -> bool:
    """Whether a tree has simulations left and a root that is not settled yet."""
    info = trees.info[tree]
    if info[DONE] + info[WAITING] >= info[BUDGET] or info[FULL]:
        return False
    if not info[EXPANDED]:
        return info[WAITING] == 0
    return not is_finished(trees.low[tree, 0], trees.high[tree, 0], numbers)


@kernel(INT(TABLE, GEOMETRY, TREES, SLOTS, NUMBERS, SCHEDULE, PERMUTATIONS, ROWS, types.float32[::1], ROWS))
def turn(
    table: Table,
    geometry: Geometry,
    trees: Trees,
    slots: Slots,
    numbers: Numbers,
    plan: Schedule,
    permutations: Permutations,
    logits: Rows,
    values: NDArray[np.float32],
    planes: Rows,
) -> int:
    """Take in the last evaluations, then walk until every slot has a leaf; gives the number of rows to evaluate."""
    for slot in range(len(slots.tree)):
        if slots.waiting[slot]:
            take_in(trees, slots, slot, numbers, permutations, logits, values)
            if slots.depth[slot] == 0:
                see_ends(table, geometry, trees, slots.tree[slot])
            slots.waiting[slot] = 0
            trees.info[slots.tree[slot], WAITING] -= 1
    rows = 0
    for slot in range(len(slots.tree)):
        for _ in range(MOST_WALKS):
            if not wants_more(trees, slots.tree[slot], numbers):
                break
            end = walk(table, geometry, trees, slots, slot, numbers, plan)
            if end == LEAF:
                slots.waiting[slot] = 1
                trees.info[slots.tree[slot], WAITING] += 1
                rows = show(table, geometry, trees, slots, slot, rows, numbers, permutations, planes)
                break
            if end != FINISHED:
                break
    return rows


@kernel(types.void(TREES, SLOTS, NUMBERS))
def abandon(trees: Trees, slots: Slots, numbers: Numbers) -> None:
    """Forget the leaves that wait for an evaluation, as if they had not been walked to."""
    for slot in range(len(slots.tree)):
        if slots.waiting[slot]:
            depth = slots.depth[slot]
            if depth > 0:
                trees.child[slots.tree[slot], slots.edges[slot, depth - 1]] = NO_CHILD
            take_back(trees, slots, slot, numbers)
            slots.waiting[slot] = 0
            trees.info[slots.tree[slot], WAITING] -= 1
