"""Captures are compulsory, so a position is judged only when nothing is left to capture.

``settle`` plays out all captures by both sides, chains and answers, and judges the positions at their ends. Whose turn
it is comes from the position: values are from player 0's view, who wants them high while player 1 wants them low.
"""

from __future__ import annotations

from numba import types

from pocketzero.compiled import kernel
from pocketzero.games.table import GEOMETRY, INT, ONGOING, Geometry
from pocketzero.games.zertz.rules import PLAYER, RESULT, must_jump
from pocketzero.players.zertz.evaluation import WIN, evaluate, final_value
from pocketzero.players.zertz.memory import (
    BEST,
    BEST_TURN,
    COUNT,
    HIGH,
    LINE,
    LOW,
    MEMORY,
    NEXT,
    NODE_LIMIT,
    NODES,
    STOP,
    Memory,
)
from pocketzero.players.zertz.turns import copy_position, list_captures, play_turn

WORST = 2 * WIN  # beyond every value


@kernel(types.boolean(MEMORY))
def is_stopped(memory: Memory) -> bool:
    """Whether the time or the nodes are spent; counts one more node."""
    control = memory.control
    control[NODES] += 1
    if control[NODES] == control[NODE_LIMIT]:
        control[STOP] = 1
    return control[STOP] != 0


@kernel(types.void(MEMORY, INT, INT))
def begin_list(memory: Memory, step: int, count: int) -> None:
    """The list of a step holds so many turns, none tried; the worst is known so far."""
    frame = memory.frames[step]
    frame[COUNT], frame[NEXT], frame[LINE], frame[BEST_TURN] = count, 0, 0, -1
    frame[BEST] = -WORST if memory.states[step, PLAYER] == 0 else WORST


@kernel(types.boolean(MEMORY, INT, INT))
def absorb(memory: Memory, step: int, value: int) -> bool:
    """Take in the value of a turn; says whether it is the best so far."""
    frame = memory.frames[step]
    if memory.states[step, PLAYER] == 0:
        better = value > frame[BEST]
        frame[LOW] = max(frame[LOW], value)
    else:
        better = value < frame[BEST]
        frame[HIGH] = min(frame[HIGH], value)
    if better:
        frame[BEST] = value
    return better


@kernel(types.void(GEOMETRY, MEMORY, INT, INT))
def step_down(geometry: Geometry, memory: Memory, step: int, turn: int) -> None:
    """Play a turn onto the next step of the stack."""
    copy_position(memory.states[step], memory.states[step + 1])
    play_turn(geometry, memory.states[step + 1], turn)


@kernel(types.boolean(GEOMETRY, MEMORY, INT))
def open_captures(geometry: Geometry, memory: Memory, step: int) -> bool:
    """Begin with the captures of a position; if there are none, its value is known and the answer is no."""
    state = memory.states[step]
    if state[RESULT] == ONGOING and must_jump(state) and not is_stopped(memory):
        begin_list(memory, step, list_captures(geometry, state, memory.lists[step]))
        return True
    memory.frames[step, LINE] = 0
    memory.frames[step, BEST] = final_value(state) if state[RESULT] != ONGOING else evaluate(geometry, state)
    return False


@kernel(INT(GEOMETRY, MEMORY, INT, INT, INT))
def settle(geometry: Geometry, memory: Memory, base: int, low: int, high: int) -> int:
    """The value of the position at a step after all captures, within a window."""
    frames = memory.frames
    frames[base, LOW], frames[base, HIGH] = low, high
    step = base
    if not open_captures(geometry, memory, base):
        return frames[base, BEST]
    while True:
        frame = frames[step]
        if frame[NEXT] < frame[COUNT] and frame[LOW] < frame[HIGH]:
            turn = memory.lists[step, frame[NEXT]]
            frame[NEXT] += 1
            step_down(geometry, memory, step, turn)
            frames[step + 1, LOW], frames[step + 1, HIGH] = frame[LOW], frame[HIGH]
            if open_captures(geometry, memory, step + 1):
                step += 1
            else:
                absorb(memory, step, frames[step + 1, BEST])
        elif step == base:
            return frame[BEST]
        else:
            step -= 1
            absorb(memory, step, frames[step + 1, BEST])
