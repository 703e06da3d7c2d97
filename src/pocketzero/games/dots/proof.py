"""Proofs about Dots and Boxes: is what is left worth at least so many boxes to the player to move?

Every question is answered by alpha-beta over sets of undrawn lines in which nothing can be captured, with the exact
reductions of Barker and Korf (2012): what is free to take is taken, an opened chain is taken whole or all but the last
two (four of a loop), of each chain and loop one line is tried, and endgames of long chains and loops are counted by
formula. A table remembers for each position the most that was proven from below and from above.
"""

from __future__ import annotations

import numpy as np
from numba import types

from pocketzero.bits import Words, borrowed, count, lowest, mix
from pocketzero.compiled import kernel
from pocketzero.games.dots.chains import LONG, long_endgame
from pocketzero.games.dots.strings import (
    BORDER_COUNT,
    BORDERS,
    COINS,
    WORDS,
    Turns,
    across,
    canonical,
    lines_at,
    pack_borders,
    run_from,
)
from pocketzero.games.table import INT

NODES, LIMIT, STOP, GENERATION, TALLIES = range(5)  # what is counted during a search, and what ends it
WAYS = 4  # entries that a position may be kept in: 64 bytes, what the processor fetches at once
OFFSET = 128  # bounds are kept as bytes
FEW_LINES = 14  # with fewer, turning a position costs more than it saves

SAFE_MOVE, SHORT_MOVE, LONG_MOVE, LOOP_MOVE = range(4)
MOST_MOVES = 64
ROOM = 2 * MOST_MOVES  # for each number of lines left: the lines that each move removes, then what it is

PIECE = types.UniTuple(INT, 5)


@kernel(PIECE(WORDS, INT, INT))
def piece_at(graph: Words, left: int, coin: int) -> tuple[int, int, int, int, int]:
    """The chain or loop through a coin with two lines: length, lines, coins, and the joints at its ends.

    A joint is -1 for the ground; both are -2 for a loop.
    """
    start = coin
    length, lines, coins = 1, 0, 1 << coin
    first_end = -1
    line = lines_at(graph, left, coin)
    other = line & (line - 1)
    line ^= other
    for direction in range(2):
        end = -1
        while True:
            lines |= line
            coin = across(graph, lowest(line), coin)
            if coin < 0:
                break
            if coin == start:
                return length, lines, coins, -2, -2
            behind = lines_at(graph, left, coin)
            if count(behind) > 2:
                end = coin
                break
            length += 1
            coins |= 1 << coin
            line = behind ^ line
        if direction == 0:
            first_end, coin, line = end, start, other
        else:
            return length, lines, coins, first_end, end
    return length, lines, coins, first_end, -1


@kernel(types.void(WORDS, INT, INT, INT, INT), inline=True)
def add_move(room: Words, at: int, number: int, lines: int, what: int) -> None:
    """Write down a move: the lines it removes, and what it is."""
    room[at + number] = lines
    room[at + MOST_MOVES + number] = what


@kernel(INT(WORDS, INT, INT, WORDS, INT))
def chain_moves(graph: Words, left: int, twos: int, room: Words, at: int) -> int:
    """One move for each chain and loop, in the order of what it costs; gives their number.

    What a move is: its kind, how many boxes the opponent may take, and the lowest line of the chain as its name.
    """
    number = 0
    while twos:
        coin = lowest(twos)
        length, lines, coins, first, second = piece_at(graph, left, coin)
        twos &= ~coins
        name = lowest(lines)
        if first == -2:
            kind, cost = LOOP_MOVE, length - 4
        elif length < LONG:
            kind, cost = SHORT_MOVE, length
        else:
            kind, cost = LONG_MOVE, length - 2
            if first >= 0 and first == second and count(lines_at(graph, left, first)) == 3:
                # A chain that returns to its joint: the joint and what is behind it go with it.
                opened = lines_at(graph, lines, first)
                opened &= -opened
                length, rest, _ = run_from(graph, left ^ opened, across(graph, lowest(opened), first))
                lines = rest | opened
                cost = length - 2
        place = number
        what = name | kind << 8 | length << 16 | (cost + 64) << 24
        while place > 0 and room[at + MOST_MOVES + place - 1] >> 24 > what >> 24:
            add_move(room, at, place, room[at + place - 1], room[at + MOST_MOVES + place - 1])
            place -= 1
        add_move(room, at, place, lines, what)
        number += 1
    return number


@kernel(types.boolean(WORDS, INT, INT), inline=True)
def has_short(room: Words, at: int, number: int) -> bool:
    """Whether one of the chains has only one or two boxes."""
    found = False
    for index in range(at + MOST_MOVES, at + MOST_MOVES + number):
        found |= room[index] >> 8 & 255 == SHORT_MOVE
    return found


@kernel(INT(WORDS, INT, INT))
def chains_only(room: Words, at: int, number: int) -> int:
    """With only long chains and loops left: the net boxes of the player who need not open."""
    total, chains, loops, threes = 0, 0, 0, 0
    for index in range(number):
        what = room[at + MOST_MOVES + index]
        length = what >> 16 & 255
        if what >> 8 & 255 == LOOP_MOVE:
            loops += 1
            total += length - 8
        else:
            chains += 1
            threes += length == 3
            total += length - 4
    total += 8 if chains == 0 else 6 if loops and threes == chains else 4
    if total >= 2:
        return total  # the controlled value
    lengths = np.empty((2, number), np.int32)
    chains = loops = 0
    for index in range(number - 1, -1, -1):  # longest first
        what = room[at + MOST_MOVES + index]
        if what >> 8 & 255 == LOOP_MOVE:
            lengths[1, loops] = what >> 16 & 255
            loops += 1
        else:
            lengths[0, chains] = what >> 16 & 255
            chains += 1
    return long_endgame(lengths[0], chains, lengths[1], loops)


SORTED = types.UniTuple(INT, 3)


@kernel(SORTED(WORDS, INT), inline=True)
def sort_out(graph: Words, left: int) -> tuple[int, int, int]:
    """How many boxes have lines, the set of those with two, and the lines between all others: the safe ones."""
    boxes, twos = 0, 0
    safe = left
    for coin in range(graph[COINS]):
        lines = lines_at(graph, left, coin)
        degree = count(lines)
        boxes += degree > 0
        if degree == 2:
            twos |= 1 << coin
            safe &= ~lines
    return boxes, twos, safe


@kernel(INT(WORDS, INT, WORDS))
def count_moves(graph: Words, left: int, room: Words) -> int:
    """How many moves a quiet position has: one for each chain and loop, and the safe lines."""
    _, twos, safe = sort_out(graph, left)
    return chain_moves(graph, left, twos, room, 0) + count(safe)


@kernel(INT(WORDS, INT))
def find(table: Words, left: int) -> int:
    """Where a position is kept in the table, or -1."""
    at = 2 * WAYS * (mix(left) & (len(table) // (2 * WAYS) - 1))
    for way in range(0, 2 * WAYS, 2):
        if table[at + way] == left:
            return at + way
    return -1


@kernel(types.void(WORDS, INT, INT, INT, INT, INT, INT))
def keep(table: Words, left: int, low: int, high: int, best: int, work: int, generation: int) -> None:
    """Remember what is proven; of what stood there, the oldest goes, then what cost least."""
    at = 2 * WAYS * (mix(left) & (len(table) // (2 * WAYS) - 1))
    chosen, cheapest = at, 1 << 62
    for way in range(0, 2 * WAYS, 2):
        entry = at + way
        if table[entry] == left or table[entry] == 0:
            chosen = entry
            break
        age = table[entry + 1] >> 24  # generation, then work
        if age < cheapest:
            chosen, cheapest = entry, age
    effort = 0
    while work > 0:
        work >>= 1
        effort += 1
    table[chosen] = left
    table[chosen + 1] = (low + OFFSET) | (high + OFFSET) << 8 | best << 16 | effort << 24 | generation << 32


@kernel(INT(WORDS, WORDS, WORDS, WORDS, WORDS, INT, INT))
def prove(graph: Words, turned: Turns, table: Words, room: Words, tally: Words, left: int, target: int) -> int:
    """Whether the mover wins at least ``target`` net boxes of a position in which nothing can be captured.

    The answer is a bound: at least the target and then no more than the value, or below it and then no less. A
    search that was stopped says nothing (``tally[STOP]``).
    """
    if left == 0:
        return 0
    # 1. Count, and stop when the budget is spent.
    tally[NODES] += 1
    if tally[NODES] > tally[LIMIT]:
        tally[STOP] = 1
    if tally[STOP]:
        return 0
    began = tally[NODES]
    # 2. What is known already?
    size = count(left)
    left = canonical(graph, turned, left) if size >= FEW_LINES else pack_borders(graph, left)
    entry = find(table, left)
    best_name = 255
    low, high = -OFFSET, OFFSET - 1
    if entry >= 0:
        known = table[entry + 1]
        low, high = (known & 255) - OFFSET, (known >> 8 & 255) - OFFSET
        if low >= target:
            return low
        if high < target:
            return high
        best_name = known >> 16 & 255
    # 3. Which boxes have two lines, and which more?
    boxes, twos, safe = sort_out(graph, left)
    target += (target ^ boxes) & 1  # a value has the parity of the boxes
    if target > boxes:
        return boxes
    if target <= -boxes:
        return -boxes
    # 4. The moves: those of chains are in the room, safe lines are in a set.
    at = size * ROOM
    chains = chain_moves(graph, left, twos, room, at)
    if safe == 0 and count(twos) == boxes and not has_short(room, at, chains):
        return -chains_only(room, at, chains)
    for index in range(BORDERS, BORDERS + graph[BORDER_COUNT]):
        border = safe & graph[index]
        safe ^= border & (border - 1)
    # 5. Try them: the one that was best before, safe lines, then chains.
    best, chosen = -OFFSET, 255
    next_chain = 0
    tried_best = best_name == 255
    while True:
        if not tried_best and (safe >> best_name) & 1:
            name = best_name
            tried_best = True
            safe ^= 1 << name
            removed, kind, length = 1 << name, SAFE_MOVE, 0
        elif safe:
            name = lowest(safe)
            removed = safe & -safe
            safe ^= removed
            kind, length = SAFE_MOVE, 0
        elif next_chain < chains:
            what = room[at + MOST_MOVES + next_chain]
            removed = room[at + next_chain]
            next_chain += 1
            name, kind, length = what & 255, what >> 8 & 255, what >> 16 & 255
        else:
            break
        rest = left & ~removed
        # 6. What the opponent gets: -target or less is wanted.
        wanted = 1 - target
        if kind <= SHORT_MOVE:
            reply = length + prove(graph, turned, table, room, tally, rest, wanted - length)
        else:
            offer = 4 if kind == LOOP_MOVE else 2
            sure = length - offer + ((boxes - length) & 1)  # it may choose, so it does not lose by what is left
            if sure >= wanted:
                reply = sure
            else:
                need = wanted - (length - offer)
                above = offer + prove(graph, turned, table, room, tally, rest, need - offer)
                if above >= need:
                    reply = length - offer + above
                else:
                    below = -(offer + prove(graph, turned, table, room, tally, rest, 1 - need - offer))
                    reply = length - offer + max(above, below)
        if tally[STOP]:
            return 0
        if -reply > best:
            best, chosen = -reply, name
            if best >= target:
                break
    # 7. Remember.
    if best >= target:
        low = max(low, best)
    else:
        high = min(high, best)
        chosen = best_name
    keep(table, left, max(low, -OFFSET), high, chosen, tally[NODES] - began, tally[GENERATION])
    return best


@kernel(types.boolean(WORDS, WORDS, WORDS, WORDS, WORDS, INT, INT))
def reaches(graph: Words, turned: Turns, table: Words, room: Words, tally: Words, left: int, target: int) -> bool:
    """Whether a quiet position is worth so many net boxes or more; says nothing if stopped."""
    found = prove(borrowed(graph), borrowed(turned), borrowed(table), borrowed(room), borrowed(tally), left, target)
    return found >= target


@kernel(types.boolean(WORDS, WORDS, WORDS, WORDS, WORDS, INT, INT, WORDS))
def find_value(
    graph: Words, turned: Turns, table: Words, room: Words, tally: Words, left: int, guess: int, bounds: Words
) -> bool:
    """Close in on the value of a quiet position from a guess; ``bounds`` holds what is proven, even if stopped."""
    boxes, _, _ = sort_out(graph, left)
    bounds[0], bounds[1] = -boxes, boxes
    target = min(max(guess, -boxes), boxes)
    while bounds[0] < bounds[1]:
        target += (target ^ boxes) & 1
        if target <= bounds[0]:
            target = bounds[0] + 2
        found = prove(borrowed(graph), borrowed(turned), borrowed(table), borrowed(room), borrowed(tally), left, target)
        if tally[STOP]:
            return False
        if found >= target:
            bounds[0] = max(bounds[0], found)
            target = found + 2
        else:
            bounds[1] = min(bounds[1], found)
            target = found
    return True
