"""Alpha-beta over the turns of Zertz, with a stack instead of recursion.

A placement, marble and ring, costs one of the depth; captures cost nothing, because they are compulsory and mostly
without choice, so that a sacrifice is followed to its end. Values are from player 0's view and who moves is read from
the position. After the first turn of a list the others are only asked whether they are better (a window of no width),
and searched again if they are.
"""

from __future__ import annotations

from numba import types

from pocketzero.compiled import kernel
from pocketzero.games.table import GEOMETRY, INT, ONGOING, STATE, Geometry, State
from pocketzero.games.zertz.rules import ACTIONS, LENGTH_CAP, PHASE, PLAYER, RESULT, SEEN, TURN, key
from pocketzero.players.zertz.evaluation import SURE_WIN, final_value
from pocketzero.players.zertz.memory import (
    BEST,
    BEST_TURN,
    COUNT,
    DEPTH,
    FIRST_HIGH,
    FIRST_LOW,
    HIGH,
    KEY,
    KNOWN,
    LAST_OPEN_STEP,
    LINE,
    LINE_LENGTH,
    LOW,
    MEMORY,
    NEXT,
    NOTE,
    SCOUT,
    STOP,
    TABLE_SIZE,
    VALUE,
    Memory,
    borrowed_memory,
)
from pocketzero.players.zertz.ordering import list_in_order
from pocketzero.players.zertz.settle import WORST, absorb, begin_list, is_stopped, settle, step_down
from pocketzero.players.zertz.turns import JUMPS, REMOVALS

EXACT, AT_LEAST, AT_MOST = 0, 1, 2  # what a value in the table is
NEAR_THE_CAP = LENGTH_CAP - 100  # from here on the length of the game may decide, which the key does not know
NOT_YET, ONCE_MORE = 0, 1  # SCOUT: whether a turn is to be searched again, with the whole window


# The table


@kernel(types.boolean(STATE))
def depends_on_the_past(state: State) -> bool:
    """Whether the value of a position may hang on repetition or on the cap of the length."""
    return state[SEEN] != 0 or state[ACTIONS] >= NEAR_THE_CAP


@kernel(INT(INT, INT))
def from_here(value: int, actions: int) -> int:
    """The value of a won game, counted in actions from a position that lies so many actions into the game."""
    if value > SURE_WIN:
        return value + actions
    return value - actions if value < -SURE_WIN else value


@kernel(types.void(GEOMETRY, MEMORY, INT))
def keep(geometry: Geometry, memory: Memory, step: int) -> None:
    """Note in the table what was found at a step."""
    frame, state = memory.frames[step], memory.states[step]
    if depends_on_the_past(state):
        return
    hashed = key(geometry, state)
    bound = EXACT
    if frame[BEST] <= frame[FIRST_LOW]:
        bound = AT_MOST
    elif frame[BEST] >= frame[FIRST_HIGH]:
        bound = AT_LEAST
    entry = memory.table[hashed & (TABLE_SIZE - 1)]
    entry[KEY] = hashed
    entry[KNOWN] = from_here(frame[BEST], state[ACTIONS])
    entry[NOTE] = frame[DEPTH] << 32 | bound << 24 | (frame[BEST_TURN] + 1)


@kernel(INT(GEOMETRY, MEMORY, INT))
def look_up(geometry: Geometry, memory: Memory, step: int) -> int:
    """The best turn noted for a position, or -1; -2 if its value there is enough, which is then the frame's best."""
    frame, state = memory.frames[step], memory.states[step]
    if depends_on_the_past(state):
        return -1
    hashed = key(geometry, state)
    entry = memory.table[hashed & (TABLE_SIZE - 1)]
    if entry[KEY] != hashed:
        return -1
    value = from_here(entry[KNOWN], -state[ACTIONS])
    bound = (entry[NOTE] >> 24) & 255
    enough = (
        bound == EXACT or (bound == AT_LEAST and value >= frame[HIGH]) or (bound == AT_MOST and value <= frame[LOW])
    )
    if enough and entry[NOTE] >> 32 >= frame[DEPTH] and frame[HIGH] - frame[LOW] == 1:
        frame[BEST] = value
        return -2
    return (entry[NOTE] & 0xFFFFFF) - 1


# One position


@kernel(types.boolean(GEOMETRY, MEMORY, INT))
def open_step(geometry: Geometry, memory: Memory, step: int) -> bool:
    """Begin with a position; the answer is no if its value is known at once, as the frame's best."""
    frame, state = memory.frames[step], memory.states[step]
    frame[FIRST_LOW], frame[FIRST_HIGH], frame[SCOUT], frame[LINE] = frame[LOW], frame[HIGH], NOT_YET, 0
    if is_stopped(memory):
        frame[BEST] = 0
        return False
    if state[RESULT] != ONGOING:
        frame[BEST] = final_value(state)
        return False
    if (frame[DEPTH] <= 0 and state[PHASE] == TURN) or step >= LAST_OPEN_STEP:
        frame[BEST] = settle(geometry, memory, step, frame[LOW], frame[HIGH])
        return False
    known = look_up(geometry, memory, step)
    if known == -2:
        return False
    if step == 0 and memory.control[LINE_LENGTH]:
        known = memory.lines[0, 0]
    begin_list(memory, step, list_in_order(geometry, memory, step, known))
    return True


@kernel(types.void(GEOMETRY, MEMORY, INT))
def try_next(geometry: Geometry, memory: Memory, step: int) -> None:
    """Play the next turn of a step, with the window in which its value is wanted."""
    frame, below = memory.frames[step], memory.frames[step + 1]
    turn = memory.lists[step, frame[NEXT]]
    below[DEPTH] = frame[DEPTH] - (turn < JUMPS or turn >= REMOVALS)
    below[LOW], below[HIGH] = frame[LOW], frame[HIGH]
    if frame[NEXT] and frame[SCOUT] != ONCE_MORE:
        if memory.states[step, PLAYER] == 0:
            below[HIGH] = below[LOW] + 1
        else:
            below[LOW] = below[HIGH] - 1
    step_down(geometry, memory, step, turn)


@kernel(types.void(MEMORY, INT, INT))
def keep_line(memory: Memory, step: int, turn: int) -> None:
    """The best line of a step is now this turn and the best line after it."""
    length = memory.frames[step + 1, LINE]
    memory.lines[step, 0] = turn
    memory.lines[step, 1 : length + 1] = memory.lines[step + 1, :length]
    memory.frames[step, LINE] = length + 1
    if step == 0:
        memory.control[LINE_LENGTH] = length + 1
        memory.control[VALUE] = memory.frames[0, BEST]


@kernel(types.void(MEMORY, INT, INT))
def reward(memory: Memory, step: int, turn: int) -> None:
    """A turn was too good for the opponent to allow: try it early elsewhere."""
    killers = memory.killers[step]
    if killers[0] != turn:
        killers[1] = killers[0]
        killers[0] = turn
    memory.history[turn] += memory.frames[step, DEPTH] ** 2


@kernel(types.void(MEMORY, INT))
def take_in(memory: Memory, step: int) -> None:
    """Take in what the turn just tried is worth; if a scout finds it better, it is tried again."""
    frame = memory.frames[step]
    value = memory.frames[step + 1, BEST]
    turn = memory.lists[step, frame[NEXT]]
    inside = frame[LOW] < value < frame[HIGH]
    if frame[NEXT] and frame[SCOUT] != ONCE_MORE and inside and frame[HIGH] - frame[LOW] > 1:
        frame[SCOUT] = ONCE_MORE
        return
    frame[SCOUT] = NOT_YET
    frame[NEXT] += 1
    if absorb(memory, step, value):
        frame[BEST_TURN] = turn
        keep_line(memory, step, turn)
    if frame[LOW] >= frame[HIGH]:
        reward(memory, step, turn)


@kernel(INT(GEOMETRY, MEMORY, INT))
def search(geometry: Geometry, memory: Memory, depth: int) -> int:
    """Search the position at step 0; its best line lies in ``lines[0]``, as far as it came before it was stopped."""
    memory = borrowed_memory(memory)
    frames = memory.frames
    frames[0, DEPTH], frames[0, LOW], frames[0, HIGH] = depth, -WORST, WORST
    step = 0
    if not open_step(geometry, memory, 0):
        return frames[0, BEST]
    while not memory.control[STOP]:
        frame = frames[step]
        if frame[NEXT] < frame[COUNT] and frame[LOW] < frame[HIGH]:
            try_next(geometry, memory, step)
            if open_step(geometry, memory, step + 1):
                step += 1
                continue
        else:
            keep(geometry, memory, step)
            if step == 0:
                break
            step -= 1
        if not memory.control[STOP]:
            take_in(memory, step)
    return frames[0, BEST]
