"""Many leaves at once: walk down the trees, evaluate all leaves in one call, add them and walk down again.

A *slot* is one walk down a tree. In self-play every tree has one slot; in play and analysis one tree has several, kept
apart by virtual losses. ``turn`` is the only kernel that Python calls in the loop: it takes in the evaluations of the
last round, and goes on walking until every slot has a leaf that needs one. Walks that end in a settled result, in a
position known from another way, or in a forced move need no evaluation, and the slot goes on with the next.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import llvmlite.ir
import numpy as np
from numba import typeof, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from pocketzero.bits import borrowed, random_below
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
from pocketzero.search.proven import set_edge, spread_bounds, tighten_node
from pocketzero.search.puct import (
    FLOAT,
    SCORES,
    Scores,
    add_noise,
    select_for_margin,
    select_puct,
    select_ucb1,
)
from pocketzero.search.settings import (
    ALL_SYMMETRIES,
    BOUND,
    EXACT_MARGIN,
    GUMBEL_MOVES,
    MARGIN_WEIGHT,
    NUMBERS,
    PROVEN,
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
    ACTION,
    BUDGET,
    CHILD,
    DONE,
    EDGE_HIGH,
    EDGE_LOW,
    EXPANDED,
    FIRST,
    FLOAT_GRID,
    FULL,
    GRID,
    HIGH,
    LOW,
    MEAN,
    MOVES,
    NO_CHILD,
    PENDING,
    PLAYER,
    PRIOR,
    RAW,
    SEED,
    THE_END,
    TREES,
    TRIES,
    TWIN,
    UNTRIED,
    VISITS,
    WAITING,
    WORTH,
    WORTHS,
    FloatGrid,
    Grid,
    Trees,
    Worths,
    add_node,
    borrowed_trees,
    find_key,
    is_decided,
    is_finished,
    remember_key,
    room_for,
    settled_value,
    within,
)

LEAF, FINISHED, OVER, COLLISION, NO_ROOM = range(5)  # how a walk ends
MOST_WALKS = 64  # of one slot in one turn, so that a turn stays short when no evaluations are needed

# Of a slot, in ``info``: its tree, whether its leaf waits for an evaluation, the first row of the leaf in the batch and
# the symmetry it is shown in, the length of the path, and of the leaf the number of moves, the player, bounds, key, and
# the node that its position has already.
(
    TREE,
    WAITS,
    ROW,
    TURNED,
    DEPTH,
    LEAF_MOVES,
    LEAF_PLAYER,
    LEAF_LOW,
    LEAF_HIGH,
    LEAF_KEY,
    LEAF_KNOWN,
    SLOT_COUNT,
) = range(12)


class Slots(NamedTuple):
    """The walks that are under way; the first index of each array is the slot."""

    info: NDArray[np.int64]  # slot, field
    states: NDArray[np.int64]  # slot, state
    paths: NDArray[np.int32]  # slot, nodes or edges, step
    actions: NDArray[np.int32]  # slot, move: of the leaf
    allowed: NDArray[np.int32]  # tree, action: which moves may be searched at the root; all, if the first is -1
    scores: NDArray[np.float32]  # room for the scores of a node's moves


def make_slots(tree_of_slot: list[int], *, state_size: int, action_count: int, max_length: int) -> Slots:
    """Slots for these trees."""
    count = len(tree_of_slot)
    info = np.zeros((count, SLOT_COUNT), np.int64)
    info[:, TREE] = tree_of_slot
    return Slots(
        info=info,
        states=np.zeros((count, state_size), np.int64),
        paths=np.zeros((count, 2, max_length + 2), np.int32),
        actions=np.zeros((count, action_count), np.int32),
        allowed=np.full((max(tree_of_slot) + 1, action_count), -1, np.int32),
        scores=np.zeros(action_count, np.float32),
    )


SLOTS = typeof(make_slots([0], state_size=1, action_count=1, max_length=1))
PERMUTATIONS = types.int32[:, ::1]
ROWS = types.float32[:, ::1]
FLOATS = types.float32[::1]
TOTALS = types.float64[::1]
Rows = NDArray[np.float32]
Permutations = NDArray[np.int32]
Totals = NDArray[np.float64]


@kernel(SLOTS(SLOTS))
def borrowed_slots(slots: Slots) -> Slots:
    """The same arrays without reference counts, for the length of a kernel."""
    return Slots(
        borrowed(slots.info),
        borrowed(slots.states),
        borrowed(slots.paths),
        borrowed(slots.actions),
        borrowed(slots.allowed),
        borrowed(slots.scores),
    )


@kernel(INT(GRID, WORTHS, GRID, FLOAT_GRID, INT, NUMBERS, SCORES, types.int64[::1]), inline=True)
def select(
    nodes: Grid,
    worths: Worths,
    ints: Grid,
    floats: FloatGrid,
    node: int,
    numbers: Numbers,
    scores: Scores,
    generator: NDArray[np.int64],
) -> int:
    """The edge to go down."""
    if numbers[RULE] == UCB1_RULE:
        return select_ucb1(nodes, ints, floats, node, numbers, scores, generator)
    if numbers[EXACT_MARGIN] > 0 and numbers[MARGIN_WEIGHT] == 0:
        return select_for_margin(nodes, worths, ints, floats, node, numbers, scores)
    return select_puct(nodes, worths, ints, floats, node, numbers, scores)


@kernel(types.void(GRID, WORTHS, GRID, FLOAT_GRID, TOTALS, GRID, INT, FLOAT, NUMBERS), inline=True)
def back_up(
    nodes: Grid,
    worths: Worths,
    ints: Grid,
    floats: FloatGrid,
    totals: Totals,
    path: Grid,
    depth: int,
    value: float,
    numbers: Numbers,
) -> None:
    """Add a value, from player 0's side, to all that a walk passed, and take its virtual losses back.

    Wherever it comes to bounds that are proven, it goes on as what they leave of it.
    """
    for step in range(depth - 1, -1, -1):
        node, edge = path[0, step], path[1, step]
        value = within(value, ints[EDGE_LOW, edge], ints[EDGE_HIGH, edge], numbers)
        change = value + (1 - 2 * nodes[node, PLAYER]) * numbers[VIRTUAL_LOSS]
        totals[edge] += change
        worths[node, WORTH] += change
        if not is_decided(ints[EDGE_LOW, edge], ints[EDGE_HIGH, edge], numbers):
            floats[MEAN, edge] = totals[edge] / ints[TRIES, edge]


@kernel(types.void(TREES, SLOTS, INT, FLOAT, NUMBERS), inline=True)
def finish_walk(trees: Trees, slots: Slots, slot: int, value: float, numbers: Numbers) -> None:
    """End a walk with a value from player 0's side."""
    tree = slots.info[slot, TREE]
    back_up(
        trees.nodes[tree],
        trees.worths[tree],
        trees.ints[tree],
        trees.floats[tree],
        trees.totals[tree],
        slots.paths[slot],
        slots.info[slot, DEPTH],
        value,
        numbers,
    )
    trees.info[tree, DONE] += 1


@kernel(types.void(TREES, SLOTS, INT, NUMBERS))
def take_back(trees: Trees, slots: Slots, slot: int, numbers: Numbers) -> None:
    """Undo a walk that came to nothing."""
    tree = slots.info[slot, TREE]
    nodes, ints, floats, totals = trees.nodes[tree], trees.ints[tree], trees.floats[tree], trees.totals[tree]
    for step in range(slots.info[slot, DEPTH]):
        node, edge = slots.paths[slot, 0, step], slots.paths[slot, 1, step]
        change = (1 - 2 * nodes[node, PLAYER]) * numbers[VIRTUAL_LOSS]
        nodes[node, VISITS] -= 1
        ints[TRIES, edge] -= 1
        nodes[node, UNTRIED] += ints[TRIES, edge] == 0
        totals[edge] += change
        trees.worths[tree, node, WORTH] += change
        if not is_decided(ints[EDGE_LOW, edge], ints[EDGE_HIGH, edge], numbers):
            floats[MEAN, edge] = totals[edge] / max(ints[TRIES, edge], 1)


@kernel(types.void(GRID, WORTHS, GRID, FLOAT_GRID, TOTALS, INT, INT, NUMBERS), inline=True)
def step_down(
    nodes: Grid,
    worths: Worths,
    ints: Grid,
    floats: FloatGrid,
    totals: Totals,
    node: int,
    edge: int,
    numbers: Numbers,
) -> None:
    """Go along an edge: it and its node count as visited, and as lost until the value is known."""
    change = (1 - 2 * nodes[node, PLAYER]) * numbers[VIRTUAL_LOSS]
    nodes[node, VISITS] += 1
    nodes[node, UNTRIED] -= ints[TRIES, edge] == 0
    ints[TRIES, edge] += 1
    totals[edge] -= change
    worths[node, WORTH] -= change
    if not is_decided(ints[EDGE_LOW, edge], ints[EDGE_HIGH, edge], numbers):
        floats[MEAN, edge] = totals[edge] / ints[TRIES, edge]


@kernel(types.void(TREES, SLOTS, INT, INT, INT, NUMBERS), inline=True)
def set_bounds(trees: Trees, slots: Slots, slot: int, low: int, high: int, numbers: Numbers) -> None:
    """Tighten the bounds of the walk's last edge, and of what is above it."""
    tree = slots.info[slot, TREE]
    spread_bounds(
        trees.nodes[tree],
        trees.ints[tree],
        trees.floats[tree],
        slots.paths[slot],
        slots.info[slot, DEPTH],
        low,
        high,
        numbers,
    )


@kernel(INT(TABLE, GEOMETRY, STATE, INT))
def final_result(table: Table, geometry: Geometry, state: State, outcome: int) -> int:
    """The result of a finished game for player 0: the margin if the game has one, else 1, 0 or -1."""
    margin = margin_of(table)
    ahead = margin(geometry, state)
    if ahead == 0:
        ahead = 1 if outcome == 0 else -1 if outcome == 1 else 0
    return ahead


@kernel(types.void(TABLE, GEOMETRY, TREES, INT, NUMBERS))
def see_ends(table: Table, geometry: Geometry, trees: Trees, tree: int, numbers: Numbers) -> None:
    """Try every move of the root: those that end the game are settled at once, so that no win in sight is missed."""
    if numbers[PROVEN] == 0:
        return
    outcome = outcome_of(table)
    play = play_of(table)
    state = np.empty_like(trees.roots[tree])
    nodes, ints, floats = trees.nodes[tree], trees.ints[tree], trees.floats[tree]
    for edge in range(nodes[0, FIRST], nodes[0, FIRST] + nodes[0, MOVES]):
        state[:] = trees.roots[tree]
        play(geometry, state, ints[ACTION, edge])
        result = outcome(geometry, state)
        if result != ONGOING:
            ahead = final_result(table, geometry, state, result)
            set_edge(nodes, ints, floats, 0, edge, ahead, ahead, numbers)
            ints[CHILD, edge] = THE_END
    tighten_node(nodes, ints, 0)


@kernel(types.boolean(TABLE, GEOMETRY, STATE, INT))
def wins_at_once(table: Table, geometry: Geometry, state: State, action_count: int) -> bool:
    """Whether the player to move can end the game in their favour with one action."""
    legal = legal_of(table)
    play = play_of(table)
    outcome = outcome_of(table)
    to_move = to_move_of(table)
    actions = np.empty(action_count, np.int32)
    after = np.empty_like(state)
    for index in range(legal(geometry, state, actions)):
        after[:] = state
        play(geometry, after, actions[index])
        if outcome(geometry, after) == to_move(state):
            return True
    return False


@kernel(INT(TABLE, GEOMETRY, TREES, SLOTS, INT, NUMBERS), inline=True)
def look_at_leaf(table: Table, geometry: Geometry, trees: Trees, slots: Slots, slot: int, numbers: Numbers) -> int:
    """Find out all about a new position that needs no evaluator: its end, its moves, its key, its bounds."""
    outcome = outcome_of(table)
    solve = solve_of(table)
    legal = legal_of(table)
    reduce = reduce_of(table)
    to_move = to_move_of(table)
    key = key_of(table)
    state, info, actions = slots.states[slot], slots.info[slot], slots.actions[slot]
    tree = info[TREE]
    result = outcome(geometry, state)
    if result != ONGOING:
        info[LEAF_LOW] = info[LEAF_HIGH] = final_result(table, geometry, state, result)
        return OVER
    info[LEAF_LOW], info[LEAF_HIGH] = -int(numbers[BOUND]), int(numbers[BOUND])
    is_restricted_root = info[DEPTH] == 0 and slots.allowed[tree, 0] >= 0
    count = reduce(geometry, state, actions) if numbers[REDUCED] > 0 and not is_restricted_root else -1
    if count < 0:
        count = legal(geometry, state, actions)
    info[LEAF_MOVES] = count
    info[LEAF_PLAYER] = to_move(state)
    info[LEAF_KEY] = key(geometry, state)
    info[LEAF_KNOWN] = -1
    if numbers[TRANSPOSED] > 0 and info[DEPTH] > 0:
        info[LEAF_KNOWN] = find_key(trees.table_keys[tree], trees.table_nodes[tree], info[LEAF_KEY])
    if numbers[SOLVED] > 0 and info[DEPTH] > 0:  # of the root the moves are wanted, not only the value
        # A known position was not solved before, and what follows a forced move is solved there.
        budget = 0 if count == 1 or info[LEAF_KNOWN] >= 0 else int(numbers[SOLVE_BUDGET])
        answer = solve(geometry, state, budget, info[LEAF_LOW : LEAF_HIGH + 1])
        if answer != NO_ANSWER and (answer == EXACT or is_finished(info[LEAF_LOW], info[LEAF_HIGH], numbers)):
            return FINISHED
    return LEAF


@kernel(types.void(SLOTS, INT))
def keep_allowed(slots: Slots, slot: int) -> None:
    """At the root, keep only the moves that may be searched."""
    tree = slots.info[slot, TREE]
    if slots.allowed[tree, 0] < 0:
        return
    kept = 0
    for index in range(slots.info[slot, LEAF_MOVES]):
        action = slots.actions[slot, index]
        if slots.allowed[tree, action] > 0:
            slots.actions[slot, kept] = action
            kept += 1
    slots.info[slot, LEAF_MOVES] = kept


@kernel(INT(TREES, SLOTS, INT), inline=True)
def attach(trees: Trees, slots: Slots, slot: int) -> int:
    """Make a node for the walk's leaf and hang it on its edge; there must be room. Gives its number."""
    info = slots.info[slot]
    tree = info[TREE]
    node = add_node(
        trees, tree, info[LEAF_PLAYER], slots.actions[slot], info[LEAF_MOVES], info[LEAF_LOW], info[LEAF_HIGH]
    )
    trees.keys[tree, node] = info[LEAF_KEY]
    trees.nodes[tree, node, VISITS] = 1
    if info[DEPTH] > 0:
        trees.ints[tree, CHILD, slots.paths[slot, 1, info[DEPTH] - 1]] = node
    else:
        trees.info[tree, EXPANDED] = 1
    return node


@kernel(types.void(TREES, SLOTS, INT, INT, NUMBERS))
def copy_evaluation(trees: Trees, slots: Slots, slot: int, known: int, numbers: Numbers) -> None:
    """Make the leaf's node with the priors, the value and the bounds of a node for the same position."""
    tree = slots.info[slot, TREE]
    node = attach(trees, slots, slot)
    nodes, floats, ints = trees.nodes[tree], trees.floats[tree], trees.ints[tree]
    nodes[node, TWIN] = known
    trees.worths[tree, node, RAW] = trees.worths[tree, node, WORTH] = trees.worths[tree, known, RAW]
    source, target = nodes[known, FIRST], nodes[node, FIRST]
    for index in range(nodes[node, MOVES]):
        floats[PRIOR, target + index] = floats[PRIOR, source + index]
        low, high = ints[EDGE_LOW, source + index], ints[EDGE_HIGH, source + index]
        set_edge(nodes, ints, floats, node, target + index, low, high, numbers)
    nodes[node, LOW], nodes[node, HIGH] = nodes[known, LOW], nodes[known, HIGH]


@kernel(INT(TABLE, GEOMETRY, TREES, SLOTS, INT, NUMBERS, SCHEDULE), inline=True)
def walk(
    table: Table, geometry: Geometry, trees: Trees, slots: Slots, slot: int, numbers: Numbers, plan: Schedule
) -> int:
    """One walk from the root to a leaf that needs an evaluation, or to a result that needs none."""
    play = play_of(table)
    outcome = outcome_of(table)
    info, path, state = slots.info[slot], slots.paths[slot], slots.states[slot]
    tree = info[TREE]
    nodes, worths, ints = trees.nodes[tree], trees.worths[tree], trees.ints[tree]
    floats, totals, generator = trees.floats[tree], trees.totals[tree], trees.info[tree, SEED : SEED + 1]
    state[:] = trees.roots[tree]
    info[DEPTH] = 0
    node = 0 if trees.info[tree, EXPANDED] else -1
    while True:
        # 1. Go down through known positions.
        while node >= 0:
            edge = -1
            if node == 0 and numbers[GUMBEL_MOVES] > 0:
                edge = select_gumbel(trees, tree, numbers, nodes[0, VISITS] - 1, plan)
            if edge < 0:
                edge = select(nodes, worths, ints, floats, node, numbers, slots.scores, generator)
            child = ints[CHILD, edge]
            if child == PENDING:
                take_back(trees, slots, slot, numbers)
                return COLLISION
            step_down(nodes, worths, ints, floats, totals, node, edge, numbers)
            path[0, info[DEPTH]], path[1, info[DEPTH]] = node, edge
            info[DEPTH] += 1
            if child >= 0:
                twin = nodes[child, TWIN]
                if nodes[twin, LOW] > ints[EDGE_LOW, edge] or nodes[twin, HIGH] < ints[EDGE_HIGH, edge]:
                    set_bounds(trees, slots, slot, nodes[twin, LOW], nodes[twin, HIGH], numbers)
            low, high = ints[EDGE_LOW, edge], ints[EDGE_HIGH, edge]
            if is_finished(low, high, numbers):
                finish_walk(trees, slots, slot, settled_value(low, high, numbers), numbers)
                return FINISHED
            play(geometry, state, ints[ACTION, edge])
            node = int(child)
        # 2. A new position: it may be over, or its result known. Rollouts make a node only at the second visit.
        if numbers[RULE] == UCB1_RULE and info[DEPTH] > 0 and ints[TRIES, path[1, info[DEPTH] - 1]] == 1:
            info[LEAF_MOVES] = 0
            if outcome(geometry, state) == ONGOING:
                return LEAF
        end = look_at_leaf(table, geometry, trees, slots, slot, numbers)
        if info[DEPTH] > 0:
            set_bounds(trees, slots, slot, info[LEAF_LOW], info[LEAF_HIGH], numbers)
        else:
            keep_allowed(slots, slot)
        if end == OVER:
            ints[CHILD, path[1, info[DEPTH] - 1]] = THE_END
        if end != LEAF:
            finish_walk(trees, slots, slot, settled_value(info[LEAF_LOW], info[LEAF_HIGH], numbers), numbers)
            return FINISHED
        if not room_for(trees, tree, info[LEAF_MOVES]):
            take_back(trees, slots, slot, numbers)
            return NO_ROOM
        # 3. It may leave no choice, or be known from another way.
        if info[LEAF_MOVES] == 1:
            node = attach(trees, slots, slot)
            nodes[node, VISITS] = 0  # the walk goes on through it
            if node == 0:
                see_ends(table, geometry, trees, tree, numbers)
            continue
        known = info[LEAF_KNOWN]
        if known >= 0 and nodes[known, MOVES] == info[LEAF_MOVES]:
            copy_evaluation(trees, slots, slot, known, numbers)
            set_bounds(trees, slots, slot, nodes[known, LOW], nodes[known, HIGH], numbers)
            finish_walk(trees, slots, slot, trees.worths[tree, known, RAW], numbers)
            return FINISHED
        # 4. Otherwise the evaluator is asked.
        if info[DEPTH] > 0:
            ints[CHILD, path[1, info[DEPTH] - 1]] = PENDING
        return LEAF


@kernel(types.void(TREES, INT, NUMBERS))
def prepare_root(trees: Trees, tree: int, numbers: Numbers) -> None:
    """What the root gets when it is new, or when another search begins at it: noise."""
    add_noise(trees, tree, numbers)
    if numbers[GUMBEL_MOVES] > 0:
        draw_gumbel(trees, tree)


@kernel(types.void(TABLE, GEOMETRY, TREES, SLOTS, INT, INT, FLOAT, NUMBERS), inline=True)
def finish_leaf(
    table: Table,
    geometry: Geometry,
    trees: Trees,
    slots: Slots,
    slot: int,
    node: int,
    value: float,
    numbers: Numbers,
) -> None:
    """After the node of an evaluated leaf was made: its value goes up, and others can find it."""
    tree = slots.info[slot, TREE]
    trees.worths[tree, node, RAW] = value
    trees.worths[tree, node, WORTH] = value
    if numbers[TRANSPOSED] > 0 and node > 0:
        remember_key(trees.table_keys[tree], trees.table_nodes[tree], slots.info[slot, LEAF_KEY], node)
    if slots.info[slot, DEPTH] == 0:
        prepare_root(trees, tree, numbers)
        see_ends(table, geometry, trees, tree, numbers)
    else:
        finish_walk(trees, slots, slot, value, numbers)


@intrinsic  # type: ignore[untyped-decorator]
def _as_float(typing: Any, bits: Any) -> Any:
    """The float whose bits these are."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], llvmlite.ir.FloatType())

    return types.float32(types.int32), lower


@kernel(types.void(FLOATS), fastmath=True)
def exponentials(weights: Rows) -> None:
    """The exponential of each weight (none above 0), in place: 2 ** n x a polynomial, so that many go at once."""
    for index in range(len(weights)):
        power = max(weights[index] * np.float32(1.44269504), np.float32(-126.0))
        whole = np.floor(power)
        part = power - whole
        series = np.float32(0.0013333558)
        series = series * part + np.float32(0.0096181291)
        series = series * part + np.float32(0.0555041087)
        series = series * part + np.float32(0.2402265070)
        series = series * part + np.float32(0.6931471806)
        series = series * part + np.float32(1.0)
        weights[index] = series * _as_float((np.int32(whole) + np.int32(127)) << np.int32(23))


@kernel(
    types.void(FLOATS, FLOATS, types.int32[::1], types.int32[::1], FLOATS, types.float32), fastmath=True, inline=True
)
def add_softmax(
    prior: Rows, answer: Rows, actions: Permutations, turned: Permutations, weights: Rows, share: float
) -> None:
    """Add this share of the softmax of the evaluator's logits, over the moves of a node, to their priors."""
    most = np.float32(-np.inf)
    for index in range(len(prior)):
        weights[index] = answer[turned[actions[index]]]
    for index in range(len(prior)):
        most = max(most, weights[index])
    for index in range(len(prior)):
        weights[index] -= most
    exponentials(weights[: len(prior)])
    whole = np.float32(0)
    for index in range(len(prior)):
        whole += weights[index]
    scale = share / whole
    for index in range(len(prior)):
        prior[index] += weights[index] * scale


@kernel(types.void(TABLE, GEOMETRY, TREES, SLOTS, INT, NUMBERS, PERMUTATIONS, ROWS, FLOATS), inline=True)
def take_in(
    table: Table,
    geometry: Geometry,
    trees: Trees,
    slots: Slots,
    slot: int,
    numbers: Numbers,
    permutations: Permutations,
    logits: Rows,
    values: Rows,
) -> None:
    """Make the node of a leaf from the evaluator's answer, averaged over symmetries if there are several."""
    tree = slots.info[slot, TREE]
    node = attach(trees, slots, slot)
    first = trees.nodes[tree, node, FIRST]
    last = first + trees.nodes[tree, node, MOVES]
    prior, actions = trees.floats[tree, PRIOR, first:last], trees.ints[tree, ACTION, first:last]
    views = len(permutations) if numbers[SYMMETRY] == ALL_SYMMETRIES else 1
    prior[:] = 0
    value = 0.0
    for view in range(views):
        row = slots.info[slot, ROW] + view
        turned = permutations[slots.info[slot, TURNED] + view]
        add_softmax(prior, logits[row], actions, turned, slots.scores, 1 / views)
        value += values[row] / views
    if slots.info[slot, LEAF_PLAYER] == 1:
        value = -value
    finish_leaf(table, geometry, trees, slots, slot, node, value, numbers)


@kernel(INT(TABLE, GEOMETRY, TREES, SLOTS, INT, INT, NUMBERS, INT, ROWS), inline=True)
def show(
    table: Table,
    geometry: Geometry,
    trees: Trees,
    slots: Slots,
    slot: int,
    row: int,
    numbers: Numbers,
    symmetries: int,
    planes: Rows,
) -> int:
    """Write the planes of a leaf into the batch; gives the next free row."""
    encode = encode_of(table)
    info = slots.info[slot]
    views = 1
    info[TURNED] = 0
    if numbers[SYMMETRY] == ALL_SYMMETRIES:
        views = symmetries
    elif numbers[SYMMETRY] == RANDOM_SYMMETRY:
        info[TURNED] = random_below(trees.info[info[TREE], SEED : SEED + 1], symmetries)
    info[ROW] = row
    for view in range(views):
        encode(geometry, slots.states[slot], info[TURNED] + view, planes[row + view])
    return row + views


@kernel(types.boolean(TREES, INT, NUMBERS))
def wants_more(trees: Trees, tree: int, numbers: Numbers) -> bool:
    """Whether a tree has simulations left and a root that is not settled yet."""
    info = trees.info[tree]
    if info[DONE] + info[WAITING] >= info[BUDGET] or info[FULL]:
        return False
    if not info[EXPANDED]:
        return info[WAITING] == 0
    return not is_finished(trees.nodes[tree, 0, LOW], trees.nodes[tree, 0, HIGH], numbers)


@kernel(INT(TREES, NUMBERS, types.int32[::1]))
def list_done(trees: Trees, numbers: Numbers, out: NDArray[np.int32]) -> int:
    """List the trees that have nothing left to do and wait for nothing; gives their number."""
    count = 0
    for tree in range(len(trees.info)):
        if trees.info[tree, WAITING] == 0 and not wants_more(trees, tree, numbers):
            out[count] = tree
            count += 1
    return count


@kernel(INT(TABLE, GEOMETRY, TREES, SLOTS, NUMBERS, SCHEDULE, PERMUTATIONS, ROWS, FLOATS, ROWS))
def _turn(
    table: Table,
    geometry: Geometry,
    trees: Trees,
    slots: Slots,
    numbers: Numbers,
    plan: Schedule,
    permutations: Permutations,
    logits: Rows,
    values: Rows,
    planes: Rows,
) -> int:
    """What ``turn`` does, with borrowed arrays."""
    for slot in range(len(slots.info)):
        if slots.info[slot, WAITS]:
            take_in(table, geometry, trees, slots, slot, numbers, permutations, logits, values)
            slots.info[slot, WAITS] = 0
            trees.info[slots.info[slot, TREE], WAITING] -= 1
    rows = 0
    for slot in range(len(slots.info)):
        tree = slots.info[slot, TREE]
        for _ in range(MOST_WALKS):
            if not wants_more(trees, tree, numbers):
                break
            end = walk(table, geometry, trees, slots, slot, numbers, plan)
            if end == LEAF:
                slots.info[slot, WAITS] = 1
                trees.info[tree, WAITING] += 1
                rows = show(table, geometry, trees, slots, slot, rows, numbers, len(permutations), planes)
                break
            if end != FINISHED:
                break
    return rows


@kernel(INT(TABLE, GEOMETRY, TREES, SLOTS, NUMBERS, SCHEDULE, PERMUTATIONS, ROWS, FLOATS, ROWS))
def turn(
    table: Table,
    geometry: Geometry,
    trees: Trees,
    slots: Slots,
    numbers: Numbers,
    plan: Schedule,
    permutations: Permutations,
    logits: Rows,
    values: Rows,
    planes: Rows,
) -> int:
    """Take in the last evaluations, then walk until every slot has a leaf; gives the number of rows to evaluate."""
    return _turn(
        borrowed(table),
        borrowed(geometry),
        borrowed_trees(trees),
        borrowed_slots(slots),
        borrowed(numbers),
        borrowed(plan),
        borrowed(permutations),
        borrowed(logits),
        borrowed(values),
        borrowed(planes),
    )


@kernel(types.void(TREES, SLOTS, INT, NUMBERS))
def abandon(trees: Trees, slots: Slots, tree: int, numbers: Numbers) -> None:
    """Forget the leaves of a tree (of all, if below 0) that wait for an evaluation, as if they were not walked to."""
    for slot in range(len(slots.info)):
        info = slots.info[slot]
        if info[WAITS] and (tree < 0 or info[TREE] == tree):
            if info[DEPTH] > 0:
                trees.ints[info[TREE], CHILD, slots.paths[slot, 1, info[DEPTH] - 1]] = NO_CHILD
            take_back(trees, slots, slot, numbers)
            info[WAITS] = 0
            trees.info[info[TREE], WAITING] -= 1
