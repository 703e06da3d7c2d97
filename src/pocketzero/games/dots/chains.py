"""Chains and loops: what a position of Dots and Boxes is made of once few safe lines are left.

In the strings-and-coins view a box is a coin, an undrawn line a string, and the border the ground. Boxes with two
open lines form chains (their ends at a joint, a box with three or four open lines, or at the ground) and loops. A
box with one open line can be captured; with the chain behind it, it is a chain that has been opened.

``survey`` finds all of them in one pass. On top of it stand ``reduce``, the exact reductions of the moves (Barker and
Korf 2012, and the theory page of this project's design), a rule of the contract, and ``endgame_value``, which knows
what endgames made of long chains and loops only are worth (Berlekamp, Conway and Guy 1982; Scott 1938).
"""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

from pocketzero.compiled import kernel
from pocketzero.games.dots.rules import (
    BOXES,
    BOXES_OF_LINE,
    LINES,
    LINES_OF_BOX,
    is_drawn,
    legal,
    open_lines,
)
from pocketzero.games.table import (
    BOUNDS,
    GEOMETRY,
    INT,
    MOVES,
    STATE,
    Bounds,
    Geometry,
    Moves,
    State,
    rule,
)

# Kinds of chains. A half-open chain has one box that can be captured at one end; an open one has them at both ends.
CHAIN, LOOP, HALF_OPEN, OPEN = 0, 1, 2, 3
KIND, LENGTH, FIRST_LINE, LAST_LINE, MIDDLE_LINE, CHAIN_FIELDS = 0, 1, 2, 3, 4, 5

# Kinds of lines. SHORT gives one or two boxes and nothing else; LOONY lets the opponent choose who moves next; LATER
# belongs to an opened chain but does not capture now.
DRAWN_LINE, CAPTURE, SAFE, SHORT, LOONY, LATER = 0, 1, 2, 3, 4, 5
LONG = 3  # boxes that make a chain long

Chains = NDArray[np.int32]
CHAINS = types.int32[:, ::1]


@kernel(INT(GEOMETRY, INT, INT))
def box_across(geometry: Geometry, line: int, box: int) -> int:
    """The box on the other side of a line, or -1 for the ground."""
    at = geometry[BOXES_OF_LINE] + 2 * line
    return geometry[at + 1] if geometry[at] == box else geometry[at]


@kernel(INT(GEOMETRY, STATE, INT, INT))
def open_line_of(geometry: Geometry, state: State, box: int, not_this: int) -> int:
    """An open line of a box other than the given one, or -1."""
    at = geometry[LINES_OF_BOX] + 4 * box
    for side in range(4):
        line = geometry[at + side]
        if line != not_this and not is_drawn(state, line):
            return line
    return -1


@kernel(types.void(GEOMETRY, STATE, INT, INT, INT, MOVES, CHAINS))
def follow(
    geometry: Geometry, state: State, box: int, line: int, number: int, chain_of_box: Moves, chains: Chains
) -> None:
    """Walk along a chain from one of its end boxes, leaving through ``line``, and write it down as ``number``."""
    chain = chains[number]
    chain[KIND] = HALF_OPEN if open_lines(geometry, state, box) == 1 else CHAIN
    chain[FIRST_LINE] = line if chain[KIND] == HALF_OPEN else open_line_of(geometry, state, box, line)
    chain[MIDDLE_LINE] = line
    start = box
    length = 1
    chain_of_box[box] = number
    while True:
        chain[LAST_LINE] = line
        box = box_across(geometry, line, box)
        if box < 0:
            break
        if box == start:
            chain[KIND] = LOOP
            break
        sides = open_lines(geometry, state, box)
        if sides > 2:
            break
        chain_of_box[box] = number
        length += 1
        if length == 3:
            chain[MIDDLE_LINE] = line  # between the second and the third box
        if sides == 1:
            chain[KIND] = OPEN
            break
        line = open_line_of(geometry, state, box, line)
    chain[LENGTH] = length


@kernel(types.boolean(GEOMETRY, STATE, INT, INT))
def ends_at(geometry: Geometry, state: State, box: int, line: int) -> bool:
    """Whether a chain that comes from ``box`` ends with this line: the ground or a joint is behind it."""
    behind = box_across(geometry, line, box)
    return behind < 0 or open_lines(geometry, state, behind) > 2


@kernel(INT(GEOMETRY, STATE, MOVES, CHAINS))
def find_chains(geometry: Geometry, state: State, chain_of_box: Moves, chains: Chains) -> int:
    """Number the chains: first the opened ones, then those that end at joints or the ground, then the loops."""
    boxes = geometry[BOXES]
    count = 0
    for box in range(boxes):
        chain_of_box[box] = -1
    for box in range(boxes):
        if chain_of_box[box] < 0 and open_lines(geometry, state, box) == 1:
            follow(geometry, state, box, open_line_of(geometry, state, box, -1), count, chain_of_box, chains)
            count += 1
    for loops in range(2):
        for box in range(boxes):
            if chain_of_box[box] >= 0 or open_lines(geometry, state, box) != 2:
                continue
            first = open_line_of(geometry, state, box, -1)
            second = open_line_of(geometry, state, box, first)
            if loops or ends_at(geometry, state, box, first):
                follow(geometry, state, box, second, count, chain_of_box, chains)
                count += 1
            elif ends_at(geometry, state, box, second):
                follow(geometry, state, box, first, count, chain_of_box, chains)
                count += 1
    return count


@kernel(INT(MOVES, INT))
def kind_in_chain(chain: Moves, line: int) -> int:
    """What kind of move a line of a chain is, if it does not capture."""
    if chain[KIND] == HALF_OPEN or chain[KIND] == OPEN:
        return LATER
    if chain[KIND] == LOOP or chain[LENGTH] >= LONG:
        return LOONY
    return SHORT if chain[LENGTH] == 1 or line == chain[MIDDLE_LINE] else LOONY


@kernel(INT(GEOMETRY, STATE, INT, MOVES, CHAINS))
def kind_of(geometry: Geometry, state: State, line: int, chain_of_box: Moves, chains: Chains) -> int:
    """What kind of move a line is."""
    if is_drawn(state, line):
        return DRAWN_LINE
    kind = SAFE
    for side in range(2):
        box = geometry[geometry[BOXES_OF_LINE] + 2 * line + side]
        if box < 0:
            continue
        if open_lines(geometry, state, box) == 1:
            return CAPTURE
        if chain_of_box[box] >= 0:
            kind = kind_in_chain(chains[chain_of_box[box]], line)
    return kind


@kernel(INT(GEOMETRY, STATE, MOVES, MOVES, CHAINS))
def survey(geometry: Geometry, state: State, kind_of_line: Moves, chain_of_box: Moves, chains: Chains) -> int:
    """Find all chains and loops, and what kind of move each line is; gives the number of chains."""
    count = find_chains(geometry, state, chain_of_box, chains)
    for line in range(geometry[LINES]):
        kind_of_line[line] = kind_of(geometry, state, line, chain_of_box, chains)
    return count


@kernel(INT(CHAINS, INT, MOVES))
def reduce_captures(chains: Chains, count: int, out: Moves) -> int:
    """With boxes to capture: one free capture, or else the choice between taking all and handing out the rest."""
    pairs = 0
    fours = 0
    for number in range(count):
        chain = chains[number]
        if chain[KIND] == HALF_OPEN and chain[LENGTH] == 2:
            pairs += 1
        elif chain[KIND] == OPEN and chain[LENGTH] == 4:
            fours += 1
        elif chain[KIND] == HALF_OPEN or chain[KIND] == OPEN:
            out[0] = chain[FIRST_LINE]  # a free capture
            return 1
    for number in range(count):
        chain = chains[number]
        is_pair = chain[KIND] == HALF_OPEN
        if not is_pair and chain[KIND] != OPEN:
            continue
        if pairs + fours > 1 and (pairs > 1 or not is_pair):
            out[0] = chain[FIRST_LINE]  # of several, all but one pair are taken; a pair is the cheaper one to give
            return 1
        if pairs + fours == 1:
            out[0] = chain[FIRST_LINE]
            out[1] = chain[LAST_LINE] if is_pair else chain[MIDDLE_LINE]
            return 2
    return 0


@kernel(types.boolean(GEOMETRY, STATE, INT, INT))
def is_first_border_line(geometry: Geometry, state: State, box: int, line: int) -> bool:
    """Whether no other open border line of this box comes before this one: they are worth the same."""
    for side in range(4):
        other = geometry[geometry[LINES_OF_BOX] + 4 * box + side]
        if other == line:
            return True
        if not is_drawn(state, other) and box_across(geometry, other, box) < 0:
            return False
    return True


@kernel(INT(GEOMETRY, STATE, MOVES, CHAINS, INT, MOVES))
def reduce_quiet(geometry: Geometry, state: State, chain_of_box: Moves, chains: Chains, count: int, out: Moves) -> int:
    """With nothing to capture: one line for each chain and loop, and every line between joints."""
    moves = 0
    for number in range(count):
        chain = chains[number]
        is_short_pair = chain[KIND] == CHAIN and chain[LENGTH] == 2
        out[moves] = chain[MIDDLE_LINE] if is_short_pair else chain[FIRST_LINE]
        moves += 1
    total = legal(geometry, state, out[moves:])
    listed = moves
    for index in range(listed, listed + total):
        line = out[index]
        first = geometry[geometry[BOXES_OF_LINE] + 2 * line]
        second = geometry[geometry[BOXES_OF_LINE] + 2 * line + 1]
        if (first >= 0 and chain_of_box[first] >= 0) or (second >= 0 and chain_of_box[second] >= 0):
            continue
        if (first < 0 or second < 0) and not is_first_border_line(geometry, state, max(first, second), line):
            continue
        out[moves] = line
        moves += 1
    return moves


@rule("reduce")
def reduce(geometry: Geometry, state: State, out: Moves) -> int:
    """A subset of the lines that keeps the value: free captures, one line a chain, one of a box's border lines."""
    boxes = geometry[BOXES]
    chain_of_box = np.empty(boxes, np.int32)
    chains = np.empty((boxes, CHAIN_FIELDS), np.int32)
    count = find_chains(geometry, state, chain_of_box, chains)
    captures = reduce_captures(chains, count, out)
    if captures > 0:
        return captures
    return reduce_quiet(geometry, state, chain_of_box, chains, count, out)


@kernel(INT(MOVES, INT, MOVES, INT))
def long_endgame(chain_lengths: Moves, chain_count: int, loop_lengths: Moves, loop_count: int) -> int:
    """Net boxes of the player who need not open, with long chains and loops only, each list sorted downwards.

    W(G) is the least, over the shortest chain c and the shortest loop l, of c - 2 + |W(G - c) - 2| and
    l - 4 + |W(G - l) - 4|: the opponent takes all but two (four) boxes, or all of them.
    """
    value = np.zeros((chain_count + 1, loop_count + 1), np.int64)
    for chains in range(chain_count + 1):
        for loops in range(loop_count + 1):
            if chains + loops == 0:
                continue
            best = np.int64(1 << 30)
            if chains:
                best = min(best, chain_lengths[chains - 1] - 2 + abs(value[chains - 1, loops] - 2))
            if loops:
                best = min(best, loop_lengths[loops - 1] - 4 + abs(value[chains, loops - 1] - 4))
            value[chains, loops] = best
    return value[chain_count, loop_count]


@kernel(INT(GEOMETRY, STATE, BOUNDS))
def endgame_value(geometry: Geometry, state: State, value: Bounds) -> int:
    """The mover's net boxes from here on, if only long chains, loops and captures are left; 0 if it is not so."""
    boxes = geometry[BOXES]
    for box in range(boxes):
        if open_lines(geometry, state, box) > 2:
            return 0
    chain_of_box = np.empty(boxes, np.int32)
    chains = np.empty((boxes, CHAIN_FIELDS), np.int32)
    count = find_chains(geometry, state, chain_of_box, chains)
    long_chains = np.empty(count, np.int32)
    loops = np.empty(count, np.int32)
    chain_count = 0
    loop_count = 0
    takeable = 0
    handout = 0
    for number in range(count):
        kind, length = chains[number, KIND], chains[number, LENGTH]
        if kind == CHAIN:
            if length < LONG:
                return 0
            long_chains[chain_count] = length
            chain_count += 1
        elif kind == LOOP:
            loops[loop_count] = length
            loop_count += 1
        else:
            takeable += length
            if kind == HALF_OPEN and length >= 2:
                handout = 2
            elif kind == OPEN and length >= 4 and handout == 0:
                handout = 4
    sorted_chains = np.sort(long_chains[:chain_count])[::-1].copy()
    sorted_loops = np.sort(loops[:loop_count])[::-1].copy()
    rest = -long_endgame(sorted_chains, chain_count, sorted_loops, loop_count)
    value[0] = takeable - handout + abs(handout + rest) if handout else takeable + rest
    return 1
