"""The rules of Zertz, with a turn told in small steps (the split form).

If any marble can jump, the player must capture: one jump is one action, and the same marble jumps on while it can.
Otherwise the player puts a marble on a vacant ring and then removes a free ring, which is another action. Groups of
rings without a vacant ring are claimed at the end of such a turn. Who first holds a winning set wins at once; so
does who fills the whole board.

Actions on a board of R rings: put colour c on ring r is c*R + r, remove ring r is 3*R + r, and jump from ring r in
direction d is 4*R + 6*r + d. Sets of rings are 64-bit words. The state also keeps what nets may want to see of the
past (the last boards) and what the draw by repetition needs (keys since the last action that cannot be undone).
"""

from __future__ import annotations

import numpy as np
from numba import types

from pocketzero.bits import count, lowest, mix
from pocketzero.compiled import kernel
from pocketzero.games.base import Symmetries
from pocketzero.games.table import DRAW, GEOMETRY, INT, MOVES, ONGOING, STATE, Geometry, Moves, State, rule
from pocketzero.games.zertz.layout import DIRECTIONS, Layout

# Places in the geometry. Tables have room for 64 rings, so that all of them begin at fixed places.
RING_COUNT, START_POOL, GOAL, EACH, CELL_COUNT = 0, 1, 4, 7, 8
NEIGHBOUR = 16  # ring, direction: the ring there or -1
LANDING = NEIGHBOUR + 64 * 6  # ring, direction: where a jump would end, or -1
SOURCE = LANDING + 64 * 6  # ring, direction: the ring itself
AROUND = SOURCE + 64 * 6  # ring: the set of its neighbours
ENDS = AROUND + 64  # ring, axis: the set of the two neighbours on both sides, if both exist
CELL = ENDS + 64 * 3  # symmetry, ring: the cell of the grid to which it goes
RING_AT = CELL + 64 * 12  # cell: the ring there or -1; after all cells, a list of those without a ring

# Places in the state.
PLAYER, PHASE, RESULT = 0, 1, 2
POOL = 3  # white, grey, black
CAPTURED = 6  # the same for player 0, then for player 1
RINGS = 12  # the set of rings on the board
MARBLES = 13  # the sets of rings with a white, a grey and a black marble
MARBLE = 16  # the ring of the marble that must jump on, or was just put; else -1
ACTIONS = 17  # actions played so far
MUST_JUMP = 18  # at the beginning of a turn: whether a jump exists
OPEN = 19  # the rings that have two neighbour positions in a row without a ring
PAST = 20  # the last boards, newest first: rings, white, grey, black of each
PAST_BOARDS = 4
SEEN = PAST + 4 * PAST_BOARDS  # how many keys follow
KEYS = SEEN + 1  # keys of the positions at ends of turns since the last action that cannot be undone
MOST_KEYS = 48
STATE_SIZE = KEYS + MOST_KEYS

TURN, REMOVE, CHAIN = 0, 1, 2  # phases: begin a turn, remove a ring, jump on
LENGTH_CAP = 400  # a turn that ends after so many actions ends the game: a draw


def geometry_of(layout: Layout, pool: tuple[int, ...], goal: tuple[int, ...], each: int) -> Geometry:
    """All that stays the same during a game: board, pool and goals."""
    outside = sorted(set(range(layout.cell_count)) - set(layout.cells))
    geometry = np.zeros(RING_AT + layout.cell_count + len(outside), np.int64)
    geometry[[RING_COUNT, EACH, CELL_COUNT]] = layout.rings, each, layout.cell_count
    geometry[START_POOL : START_POOL + 3] = pool
    geometry[GOAL : GOAL + 3] = goal
    geometry[RING_AT : RING_AT + layout.cell_count] = -1
    geometry[RING_AT + layout.cell_count :] = outside
    for ring, neighbours in enumerate(layout.neighbours):
        geometry[AROUND + ring] = sum(1 << other for other in neighbours if other >= 0)
        for direction, over in enumerate(neighbours):
            landing = layout.neighbours[over][direction] if over >= 0 else -1
            geometry[NEIGHBOUR + 6 * ring + direction] = over
            geometry[LANDING + 6 * ring + direction] = landing
            geometry[SOURCE + 6 * ring + direction] = ring
        for axis in range(3):
            ends = neighbours[axis], neighbours[axis + 3]
            geometry[ENDS + 3 * ring + axis] = sum(1 << end for end in ends) if min(ends) >= 0 else 0
        geometry[RING_AT + layout.cells[ring]] = ring
        for number, (rings, _) in enumerate(layout.turns):
            geometry[CELL + 64 * number + ring] = layout.cells[rings[ring]]
    return geometry


# The board


@kernel(INT(STATE))
def occupied(state: State) -> int:
    """The rings with a marble."""
    return state[MARBLES] | state[MARBLES + 1] | state[MARBLES + 2]


@kernel(INT(STATE))
def vacant(state: State) -> int:
    """The rings without a marble."""
    return state[RINGS] & ~occupied(state)


@kernel(INT(STATE))
def free_rings(state: State) -> int:
    """The rings that may be removed: vacant, with two neighbour positions in a row empty of rings."""
    return state[OPEN] & vacant(state)


@kernel(types.boolean(GEOMETRY, STATE, INT))
def is_open(geometry: Geometry, state: State, ring: int) -> bool:
    """Whether two consecutive of the six positions around a ring have no ring."""
    gone_before = False
    for step in range(7):
        direction = step if step < 6 else 0
        other = geometry[NEIGHBOUR + 6 * ring + direction]
        gone = other < 0 or (state[RINGS] >> other) & 1 == 0
        if gone and gone_before:
            return True
        gone_before = gone
    return False


@kernel(types.void(GEOMETRY, STATE, INT))
def take_ring(geometry: Geometry, state: State, ring: int) -> None:
    """Take a ring off the board; its neighbours may lie open now."""
    state[RINGS] &= ~(1 << ring)
    around = geometry[AROUND + ring] & state[RINGS] & ~state[OPEN]
    while around:
        other = lowest(around)
        around &= around - 1
        if is_open(geometry, state, other):
            state[OPEN] |= 1 << other


@kernel(INT(STATE, INT))
def colour_on(state: State, ring: int) -> int:
    """The colour of the marble on a ring that has one: 0 white, 1 grey, 2 black."""
    return ((state[MARBLES + 1] >> ring) & 1) + 2 * ((state[MARBLES + 2] >> ring) & 1)


# Jumps


@kernel(types.boolean(GEOMETRY, STATE))
def jump_exists(geometry: Geometry, state: State) -> bool:
    """Whether any marble can jump: somewhere a marble lies between another one and a vacant ring."""
    marbles = occupied(state)
    space = vacant(state)
    over = marbles
    while over:
        ring = lowest(over)
        over &= over - 1
        if geometry[AROUND + ring] & marbles:
            for axis in range(3):
                ends = geometry[ENDS + 3 * ring + axis]
                if ends & marbles and ends & space:
                    return True
    return False


@kernel(types.boolean(GEOMETRY, INT, INT, INT))
def is_jump(geometry: Geometry, marbles: int, space: int, way: int) -> bool:
    """Whether a marble could go this way (6 * ring + direction): over another one to a vacant ring behind."""
    landing = geometry[LANDING + way]
    return landing >= 0 and (marbles >> geometry[NEIGHBOUR + way]) & 1 != 0 and (space >> landing) & 1 != 0


@kernel(types.boolean(GEOMETRY, STATE, INT))
def can_jump(geometry: Geometry, state: State, ring: int) -> bool:
    """Whether the marble on this ring can jump."""
    marbles = occupied(state)
    space = vacant(state)
    found = False
    for way in range(6 * ring, 6 * ring + 6):
        found |= is_jump(geometry, marbles, space, way)
    return found


@kernel(INT(GEOMETRY, STATE, MOVES))
def list_chain(geometry: Geometry, state: State, out: Moves) -> int:
    """The jumps of the marble that must jump on."""
    marbles = occupied(state)
    space = vacant(state)
    listed = 0
    for way in range(6 * state[MARBLE], 6 * state[MARBLE] + 6):
        if is_jump(geometry, marbles, space, way):
            out[listed] = way
            listed += 1
    return listed


@kernel(INT(GEOMETRY, STATE, MOVES))
def list_jumps(geometry: Geometry, state: State, out: Moves) -> int:
    """All jumps that may be played now, as 6 * ring + direction; gives their number."""
    if state[PHASE] == CHAIN:
        return list_chain(geometry, state, out)
    marbles = occupied(state)
    space = vacant(state)
    over = marbles
    listed = 0
    while over:
        middle = lowest(over)
        over &= over - 1
        for axis in range(3):
            ends = geometry[ENDS + 3 * middle + axis]
            if ends & marbles and ends & space:
                jumper = lowest(ends & marbles)
                direction = axis if geometry[NEIGHBOUR + 6 * jumper + axis] == middle else axis + 3
                out[listed] = 6 * jumper + direction
                listed += 1
    return listed


@kernel(types.boolean(STATE))
def must_jump(state: State) -> bool:
    """Whether the next action is a jump."""
    return state[PHASE] == CHAIN or (state[PHASE] == TURN and state[MUST_JUMP] != 0)


# Marbles


@kernel(INT(STATE))
def supply(state: State) -> int:
    """Where marbles to put come from: the pool or, when it is empty of all colours, the mover's own captures."""
    if state[POOL] + state[POOL + 1] + state[POOL + 2]:
        return POOL
    return CAPTURED + 3 * state[PLAYER]


@kernel(types.boolean(GEOMETRY, STATE, INT))
def has_won(geometry: Geometry, state: State, player: int) -> bool:
    """Whether a player holds a winning set: enough of one colour, or enough of each."""
    held = CAPTURED + 3 * player
    white, grey, black = state[held], state[held + 1], state[held + 2]
    if white >= geometry[GOAL] or grey >= geometry[GOAL + 1] or black >= geometry[GOAL + 2]:
        return True
    return min(white, grey, black) >= geometry[EACH]


@kernel(INT(GEOMETRY, INT, INT))
def cut_off(geometry: Geometry, marbles: int, space: int) -> int:
    """Those of the rings with marbles that are in no group with a vacant ring."""
    reached = space
    rest = marbles
    grew = reached != 0
    while grew and rest:
        grew = False
        look = rest
        while look:
            ring = lowest(look)
            look &= look - 1
            if geometry[AROUND + ring] & reached:
                reached |= 1 << ring
                grew = True
        rest &= ~reached
    return rest


@kernel(INT(GEOMETRY, STATE))
def isolated(geometry: Geometry, state: State) -> int:
    """The rings of all groups that have no vacant ring."""
    return cut_off(geometry, occupied(state), vacant(state))


@kernel(types.void(STATE, INT))
def claim(state: State, rings: int) -> None:
    """The mover takes these rings and the marbles on them."""
    for colour in range(3):
        state[CAPTURED + 3 * state[PLAYER] + colour] += count(state[MARBLES + colour] & rings)
        state[MARBLES + colour] &= ~rings
    state[RINGS] &= ~rings
    state[OPEN] &= ~rings


# The past


@kernel(types.void(STATE))
def remember_board(state: State) -> None:
    """Keep the board as it is before a marble is put or jumps."""
    for word in range(4 * PAST_BOARDS - 1, 3, -1):
        state[PAST + word] = state[PAST + word - 4]
    for word in range(4):
        state[PAST + word] = state[RINGS + word]


@rule("key")
def key(geometry: Geometry, state: State) -> int:
    """A hash of board, pool, captures, player, phase and the marble of a chain; nothing of the past."""
    numbers = 0
    for place in range(POOL, POOL + 9):
        numbers = (numbers << 7) | state[place]
    marble = state[MARBLE] if state[PHASE] == CHAIN else -1
    hashed = mix(numbers)
    hashed = mix(hashed ^ (state[PLAYER] | state[PHASE] << 1 | (marble + 1) << 3 | (state[RESULT] + 1) << 10))
    for word in range(RINGS, RINGS + 4):
        hashed = mix(hashed ^ state[word])
    return hashed


@kernel(types.boolean(STATE, INT))
def third_time(state: State, now: int) -> bool:
    """Note a position at the end of a turn; says whether it is there for the third time."""
    seen = state[SEEN]
    times = 1
    for place in range(KEYS, KEYS + seen):
        times += state[place] == now
    if seen == MOST_KEYS:
        for place in range(KEYS, KEYS + seen - 1):
            state[place] = state[place + 1]
        seen -= 1
    state[KEYS + seen] = now
    state[SEEN] = seen + 1
    return times >= 3


# The end of a turn


@kernel(types.void(STATE, INT))
def finish(state: State, result: int) -> None:
    """The game is over."""
    state[RESULT] = result
    state[PHASE] = TURN
    state[MARBLE] = -1
    state[MUST_JUMP] = 0


@kernel(types.void(GEOMETRY, STATE))
def pass_turn(geometry: Geometry, state: State) -> None:
    """The other player is to move, unless that ends the game."""
    state[PHASE] = TURN
    state[MARBLE] = -1
    state[PLAYER] ^= 1
    state[MUST_JUMP] = jump_exists(geometry, state)
    source = supply(state)
    if source != POOL:
        if state[MUST_JUMP] == 0 and state[source] + state[source + 1] + state[source + 2] == 0:
            finish(state, 1 - state[PLAYER])  # nothing to put and nothing to capture
        elif third_time(state, key(geometry, state)):
            finish(state, DRAW)
    if state[ACTIONS] >= LENGTH_CAP and state[RESULT] == ONGOING:
        finish(state, DRAW)


@kernel(types.void(GEOMETRY, STATE))
def end_placement(geometry: Geometry, state: State) -> None:
    """Claim what is isolated; a winning set or a board without a vacant ring wins."""
    board_is_full = vacant(state) == 0
    alone = isolated(geometry, state)
    if alone:
        claim(state, alone)
        state[SEEN] = 0
        if board_is_full or has_won(geometry, state, state[PLAYER]):
            finish(state, state[PLAYER])
            return
    pass_turn(geometry, state)


# The actions


@kernel(types.void(GEOMETRY, STATE, INT, INT))
def put(geometry: Geometry, state: State, colour: int, ring: int) -> None:
    """Put a marble; if there is a free ring, one must be removed next."""
    remember_board(state)
    source = supply(state)
    state[source + colour] -= 1
    if source == POOL:
        state[SEEN] = 0
    state[MARBLES + colour] |= 1 << ring
    state[ACTIONS] += 1
    if free_rings(state):
        state[PHASE] = REMOVE
        state[MARBLE] = ring
    else:
        end_placement(geometry, state)


@kernel(types.void(GEOMETRY, STATE, INT))
def remove(geometry: Geometry, state: State, ring: int) -> None:
    """Remove a free ring, which ends the turn."""
    take_ring(geometry, state, ring)
    state[SEEN] = 0
    state[ACTIONS] += 1
    end_placement(geometry, state)


@kernel(types.void(GEOMETRY, STATE, INT))
def jump(geometry: Geometry, state: State, way: int) -> None:
    """Jump (``way`` is 6 * ring + direction) and capture; the same marble goes on while it can."""
    remember_board(state)
    ring, over, landing = geometry[SOURCE + way], geometry[NEIGHBOUR + way], geometry[LANDING + way]
    captured = colour_on(state, over)
    state[MARBLES + captured] &= ~(1 << over)
    state[CAPTURED + 3 * state[PLAYER] + captured] += 1
    state[MARBLES + colour_on(state, ring)] ^= (1 << ring) | (1 << landing)
    state[ACTIONS] += 1
    if has_won(geometry, state, state[PLAYER]):
        finish(state, state[PLAYER])
    elif can_jump(geometry, state, landing):
        state[PHASE] = CHAIN
        state[MARBLE] = landing
    else:
        pass_turn(geometry, state)


# The rules in split form


@rule("start")
def start(geometry: Geometry, state: State) -> None:
    """All rings, no marbles, a full pool."""
    state[:] = 0
    state[RESULT] = ONGOING
    state[MARBLE] = -1
    state[POOL : POOL + 3] = geometry[START_POOL : START_POOL + 3]
    state[RINGS] = (1 << geometry[RING_COUNT]) - 1
    for ring in range(geometry[RING_COUNT]):
        if is_open(geometry, state, ring):
            state[OPEN] |= 1 << ring


@rule("legal")
def legal(geometry: Geometry, state: State, out: Moves) -> int:
    """Jumps if there are any, else putting a marble; after that, removing a ring."""
    if state[RESULT] != ONGOING:
        return 0
    rings = geometry[RING_COUNT]
    listed = 0
    if must_jump(state):
        listed = list_jumps(geometry, state, out)
        for place in range(listed):
            out[place] += 4 * rings
    elif state[PHASE] == REMOVE:
        left = free_rings(state)
        while left:
            out[listed] = 3 * rings + lowest(left)
            left &= left - 1
            listed += 1
    else:
        source = supply(state)
        for colour in range(3):
            left = vacant(state) if state[source + colour] else 0
            while left:
                out[listed] = colour * rings + lowest(left)
                left &= left - 1
                listed += 1
    return listed


@rule("play")
def play(geometry: Geometry, state: State, action: int) -> None:
    """One step of a turn."""
    rings = geometry[RING_COUNT]
    if action >= 4 * rings:
        jump(geometry, state, action - 4 * rings)
    elif action >= 3 * rings:
        remove(geometry, state, action - 3 * rings)
    else:
        colour = (action >= rings) + (action >= 2 * rings)
        put(geometry, state, colour, action - colour * rings)


@rule("to_move")
def to_move(state: State) -> int:
    """Whose turn it is; who won stays the one to move."""
    return state[PLAYER]


@rule("outcome")
def outcome(geometry: Geometry, state: State) -> int:
    """Known since the last action."""
    return state[RESULT]


@kernel(INT(GEOMETRY, STATE))
def only_jump(geometry: Geometry, state: State) -> int:
    """The jump, as 6 * ring + direction, if it is the one and only legal action; else -1."""
    if state[RESULT] != ONGOING or not must_jump(state):
        return -1
    marbles = occupied(state)
    space = vacant(state)
    jumpers = 1 << state[MARBLE] if state[PHASE] == CHAIN else marbles
    found = -1
    while jumpers:
        ring = lowest(jumpers)
        jumpers &= jumpers - 1
        for way in range(6 * ring, 6 * ring + 6):
            if is_jump(geometry, marbles, space, way):
                if found >= 0:
                    return -1
                found = way
    return found


@kernel(INT(GEOMETRY, STATE))
def forced_capture(geometry: Geometry, state: State) -> int:
    """The action, if there is only one and it is a capture; else -1. Search passes through it for free."""
    way = only_jump(geometry, state)
    return 4 * geometry[RING_COUNT] + way if way >= 0 else -1


def action_symmetries(layout: Layout) -> Symmetries:
    """Where the symmetries of the board take the actions."""
    rows = []
    for rings, directions in layout.turns:
        on_rings = [kind * layout.rings + ring for kind in range(4) for ring in rings]
        jumps = [4 * layout.rings + 6 * ring + directions[d] for ring in rings for d in range(len(DIRECTIONS))]
        rows.append(on_rings + jumps)
    return np.array(rows, np.int32)
