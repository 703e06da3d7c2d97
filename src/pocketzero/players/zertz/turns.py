"""Whole turns as numbers, and which placements are worth a look.

A placement, marble and ring, is one number; so is a jump, and the removal of a ring where the marble is already put.
Placements happen only when no jump exists, so all jumps that one makes possible have its marble as the one that jumps
or is jumped over, and a removed ring can only take a landing away. That tells apart, without playing them, placements
that force the opponent to capture, those that isolate marbles, and quiet ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import types
from numpy.typing import NDArray

from pocketzero.bits import lowest
from pocketzero.compiled import kernel
from pocketzero.games import Game
from pocketzero.games.table import GEOMETRY, INT, MOVES, STATE, Geometry, Moves, State
from pocketzero.games.zertz.notation import ZertzNotation
from pocketzero.games.zertz.rules import (
    AROUND,
    ENDS,
    KEYS,
    LANDING,
    NEIGHBOUR,
    PAST,
    PHASE,
    REMOVE,
    SEEN,
    cut_off,
    free_rings,
    jump,
    list_jumps,
    must_jump,
    occupied,
    put,
    remove,
    supply,
    vacant,
)
from pocketzero.games.zertz.steps import Jump, Put, Remove, Step

# A placement is colour * 4096 + ring * 64 + removed ring; after all placements come jumps, then removals.
NO_RING = 63  # boards have at most 63 rings
JUMPS = 3 * 4096
REMOVALS = JUMPS + 6 * 64
TURN_NUMBERS = REMOVALS + 64
MOST_TURNS = 3 * 63 * 63

Turns = NDArray[np.int32]


def steps_of(turn: int) -> list[Step]:
    """The steps of a turn's number."""
    if turn >= REMOVALS:
        return [Remove(turn - REMOVALS)]
    if turn >= JUMPS:
        return [Jump(*divmod(turn - JUMPS, 6))]
    colour, rest = divmod(turn, 4096)
    ring, removed = divmod(rest, 64)
    return [Put(colour, ring)] if removed == NO_RING else [Put(colour, ring), Remove(removed)]


def actions_of(game: Game, turns: Sequence[int]) -> list[int]:
    """The actions of some turns of one player, in the form that the game has them."""
    assert isinstance(game.notation, ZertzNotation)
    return [action for turn in turns for action in game.notation.form.actions(steps_of(turn))]


# Playing


@kernel(types.void(STATE, STATE))
def copy_position(source: State, target: State) -> None:
    """Copy all that the rules need; the past boards are only for nets."""
    target[:PAST] = source[:PAST]
    target[SEEN] = source[SEEN]
    for place in range(KEYS, KEYS + source[SEEN]):
        target[place] = source[place]


@kernel(types.void(GEOMETRY, STATE, INT))
def play_turn(geometry: Geometry, state: State, turn: int) -> None:
    """Play a placement, a jump or a removal."""
    if turn >= REMOVALS:
        remove(geometry, state, turn - REMOVALS)
    elif turn >= JUMPS:
        jump(geometry, state, turn - JUMPS)
    else:
        put(geometry, state, turn >> 12, (turn >> 6) & 63)
        if state[PHASE] == REMOVE:
            remove(geometry, state, turn & 63)


# What a placement does


@kernel(INT(GEOMETRY, INT, INT, INT))
def new_landings(geometry: Geometry, marbles: int, space: int, ring: int) -> int:
    """Where jumps could end that a marble on this ring makes possible, before a ring is removed."""
    landings = 0
    for axis in range(3):
        ends = geometry[ENDS + 3 * ring + axis]
        if ends & marbles and ends & space:
            landings |= ends & space
    if geometry[AROUND + ring] & marbles:
        for way in range(6 * ring, 6 * ring + 6):
            over, landing = geometry[NEIGHBOUR + way], geometry[LANDING + way]
            if landing >= 0 and (marbles >> over) & 1:
                landings |= (1 << landing) & space
    return landings


@kernel(INT(GEOMETRY, INT))
def rings_around(geometry: Geometry, rings: int) -> int:
    """All rings that touch one of these."""
    around = 0
    while rings:
        around |= geometry[AROUND + lowest(rings)]
        rings &= rings - 1
    return around


@kernel(INT(STATE, INT, INT, MOVES, INT))
def add_colours(state: State, ring: int, removed: int, out: Moves, listed: int) -> int:
    """List a placement in every colour there is; gives the new length of the list."""
    source = supply(state)
    for colour in range(3):
        if state[source + colour]:
            out[listed] = colour * 4096 + ring * 64 + removed
            listed += 1
    return listed


@kernel(types.boolean(GEOMETRY, STATE, INT, INT))
def isolates(geometry: Geometry, state: State, ring: int, removed: int) -> bool:
    """Whether a placement cuts marbles off from every vacant ring."""
    space = vacant(state) & ~(1 << ring)
    if removed != NO_RING:
        space &= ~(1 << removed)
    return cut_off(geometry, occupied(state) | 1 << ring, space) != 0


# Lists of turns


@kernel(INT(GEOMETRY, STATE, MOVES))
def list_captures(geometry: Geometry, state: State, out: Moves) -> int:
    """All jumps, as turns."""
    listed = list_jumps(geometry, state, out)
    for place in range(listed):
        out[place] += JUMPS
    return listed


@kernel(INT(STATE, MOVES))
def list_removals(state: State, out: Moves) -> int:
    """All removals, where the marble is put already, as turns."""
    left = free_rings(state)
    listed = 0
    while left:
        out[listed] = REMOVALS + lowest(left)
        left &= left - 1
        listed += 1
    return listed


@kernel(INT(STATE, MOVES))
def list_placements(state: State, out: Moves) -> int:
    """All placements, as turns."""
    listed = 0
    rings = vacant(state)
    while rings:
        ring = lowest(rings)
        rings &= rings - 1
        free = free_rings(state) & ~(1 << ring)
        if free == 0:
            listed = add_colours(state, ring, NO_RING, out, listed)
        while free:
            listed = add_colours(state, ring, lowest(free), out, listed)
            free &= free - 1
    return listed


@kernel(INT(GEOMETRY, STATE, MOVES))
def list_turns(geometry: Geometry, state: State, out: Moves) -> int:
    """All turns of a position, without choice: a jump is a turn of its own, after which a chain may go on."""
    if must_jump(state):
        return list_captures(geometry, state, out)
    return list_removals(state, out) if state[PHASE] == REMOVE else list_placements(state, out)


@kernel(INT(GEOMETRY, INT, INT, INT))
def removals_that_differ(geometry: Geometry, free: int, touched: int, ring: int) -> int:
    """The rings to try for removal: of those that touch no marble, only the lowest."""
    far = free & ~touched & ~geometry[AROUND + ring]
    return free & ~(far & (far - 1))


@kernel(types.UniTuple(INT, 2)(GEOMETRY, STATE, MOVES))
def sort_placements(geometry: Geometry, state: State, out: Moves) -> tuple[int, int]:
    """List placements that force or isolate from the front, quiet ones from ``MOST_TURNS`` on; gives both numbers."""
    touched = rings_around(geometry, occupied(state))
    rings = vacant(state)
    busy, quiet = 0, MOST_TURNS
    while rings:
        ring = lowest(rings)
        rings &= rings - 1
        landings = new_landings(geometry, occupied(state), vacant(state) & ~(1 << ring), ring)
        left = removals_that_differ(geometry, free_rings(state) & ~(1 << ring), touched, ring)
        removed = lowest(left) if left else NO_RING
        while removed < 64:
            if landings & ~(1 << removed) or isolates(geometry, state, ring, removed):
                busy = add_colours(state, ring, removed, out, busy)
            else:
                quiet = add_colours(state, ring, removed, out, quiet)
            left &= left - 1
            removed = lowest(left)
    return busy, quiet - MOST_TURNS
