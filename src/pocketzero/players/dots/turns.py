"""Alpha-beta over whole turns of Dots and Boxes, on boards of any size: the search behind the player ``alphabeta``.

A turn takes everything that is free to take, then either hands out the last two (four) boxes of an opened chain or
takes them too, and closes with one line: the move sequences of Peters' theses. Of each chain and loop one line is
tried, of a box's border lines one. Values are the mover's net boxes from here on. Where the depth ends, the chains that
are there are counted as if they were apart (``rest_estimate``).
"""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

from pocketzero.bits import Words, borrowed, mix
from pocketzero.compiled import kernel
from pocketzero.games.dots.chains import (
    CHAIN,
    CHAINS,
    KIND,
    LENGTH,
    LONG,
    LOOP,
    Chains,
    endgame_value,
    find_chains,
    long_endgame,
    reduce_captures,
    reduce_quiet,
)
from pocketzero.games.dots.rules import BOXES, DRAWN, LEFT, LINE_WORDS, PLAYER, SCORE, open_lines, play
from pocketzero.games.table import GEOMETRY, INT, MOVES, STATE, Geometry, Moves, State
from pocketzero.players.dots.levels import take_all

NODES, LIMIT, STOP, GUESSES, TALLIES = range(5)  # what is counted during a search, and what ends it
FAR = 1 << 20  # beyond any value
TO_THE_END = 255  # the depth of what was searched without any guess
BOUND = 1 << 10  # bounds are kept as numbers from 0

Rooms = NDArray[np.int64]
AllMoves = NDArray[np.int32]
WORDS = types.int64[::1]
ROOMS = types.int64[:, ::1]
ALL_MOVES = types.int32[:, ::1]
ALL_CHAINS = types.int32[:, :, ::1]


@kernel(INT(GEOMETRY, STATE))
def hash_of_lines(geometry: Geometry, state: State) -> int:
    """A hash of the lines drawn; who moves and who is ahead does not change what is left to win."""
    hashed = 0
    for word in range(DRAWN, DRAWN + geometry[LINE_WORDS]):
        hashed = mix(hashed ^ state[word])
    return hashed | 1  # never 0, which is an empty entry


@kernel(INT(GEOMETRY, STATE, CHAINS, INT))
def rest_estimate(geometry: Geometry, state: State, chains: Chains, count: int) -> int:
    """The mover's net boxes if only the chains and loops that are there were left, and each were apart.

    Short ones are handed out first, the shortest first, by both in turn; then come the long ones. Where boxes belong
    to no chain yet, nobody knows who will have to begin: 0.
    """
    ones, twos, chain_count, loop_count, joints = 0, 0, 0, 0, 0
    lengths = np.empty((2, count + 1), np.int32)
    for number in range(count):
        kind, length = chains[number, KIND], chains[number, LENGTH]
        if kind == CHAIN and length < LONG:
            ones += length == 1
            twos += length == 2
        elif kind == CHAIN:
            lengths[0, chain_count] = length
            chain_count += 1
        elif kind == LOOP:
            lengths[1, loop_count] = length
            loop_count += 1
    for box in range(geometry[BOXES]):
        joints += open_lines(geometry, state, box) > 2
    if joints:
        return 0
    lengths[0, :chain_count] = -np.sort(-lengths[0, :chain_count])
    lengths[1, :loop_count] = -np.sort(-lengths[1, :loop_count])
    value = -long_endgame(lengths[0], chain_count, lengths[1], loop_count)
    for _ in range(twos):
        value = -2 - value
    for _ in range(ones):
        value = -1 - value
    return value


@kernel(INT(GEOMETRY, STATE, MOVES, CHAINS, MOVES, WORDS))
def take_free(geometry: Geometry, state: State, of_box: Moves, chains: Chains, out: Moves, found: Words) -> int:
    """Capture what is free, in place; gives the boxes. ``found`` is told the chains left and the choices, 0 or 2."""
    before = state[SCORE + state[PLAYER]]
    while True:
        count = find_chains(geometry, state, of_box, chains)
        choices = reduce_captures(chains, count, out)
        if choices != 1:
            found[0], found[1] = count, choices
            return state[SCORE + state[PLAYER]] - before
        play(geometry, state, out[0])


@kernel(INT(CHAINS, INT, INT))
def most_for(chains: Chains, count: int, index: int) -> int:
    """The most that a quiet move can be worth, whatever is left; FAR if nothing is known."""
    if index >= count or chains[index, LENGTH] < LONG:
        return FAR
    return (4 if chains[index, KIND] == LOOP else 2) - chains[index, LENGTH]


@kernel(types.void(GEOMETRY, STATE, CHAINS, INT, MOVES, INT, WORDS, WORDS, INT))
def rank_moves(
    geometry: Geometry,
    state: State,
    chains: Chains,
    count: int,
    moves: Moves,
    total: int,
    history: Words,
    ranks: Words,
    first: int,
) -> None:
    """How early each move is tried: the one that was best, safe lines by their history, then short and long chains."""
    for index in range(total):
        if moves[index] == first:
            ranks[index] = 1 << 62
        elif index < count:
            ranks[index] = -chains[index, LENGTH] - (1 if chains[index, KIND] == LOOP else 0)
        else:
            ranks[index] = 1 + history[moves[index]]


@kernel(INT(WORDS, INT))
def next_move(ranks: Words, total: int) -> int:
    """The untried move of the highest rank; it counts as tried then."""
    best = 0
    for index in range(1, total):
        if ranks[index] > ranks[best]:
            best = index
    ranks[best] = -(1 << 62)
    return best


@kernel(types.void(WORDS, INT, INT, INT, INT, INT))
def remember(table: Words, hashed: int, low: int, high: int, depth: int, best: int) -> None:
    """Keep bounds of a position; the latest stays."""
    at = 2 * ((hashed >> 1) & (len(table) // 2 - 1))
    table[at] = hashed
    table[at + 1] = (low + BOUND) | (high + BOUND) << 16 | best << 32 | depth << 48


@kernel(INT(GEOMETRY, ROOMS, ALL_MOVES, ALL_CHAINS, ALL_MOVES, ROOMS, WORDS, WORDS, WORDS, INT, INT, INT, INT))
def deepen(
    geometry: Geometry,
    states: Rooms,
    of_boxes: AllMoves,
    all_chains: NDArray[np.int32],
    all_moves: AllMoves,
    all_ranks: Rooms,
    history: Words,
    table: Words,
    tally: Words,
    ply: int,
    depth: int,
    alpha: int,
    beta: int,
) -> int:
    """The mover's net boxes from ``states[ply]`` on, between alpha and beta; so many turns deep, then a guess."""
    state, chains, moves = states[ply], all_chains[ply], all_moves[ply]
    tally[NODES] += 1
    if tally[NODES] > tally[LIMIT]:
        tally[STOP] = 1
    if tally[STOP]:
        return 0
    # 1. Take what is free.
    found = all_ranks[ply]
    taken = take_free(geometry, state, of_boxes[ply], chains, moves, found)
    count, choices = found[0], found[1]
    if state[LEFT] == 0:
        return taken
    alpha -= taken
    beta -= taken
    # 2. Take the last boxes too, or hand them out: |offer + the rest|, which is never below 0.
    if choices == 2:
        if beta <= 0:
            return taken
        after = states[ply + 1]
        after[:] = state
        take_all(geometry, after)
        mover = SCORE + state[PLAYER]
        offer = after[mover] - state[mover]
        rest = deepen(
            geometry, states, of_boxes, all_chains, all_moves, all_ranks, history, table, tally,
            ply + 1, depth, -beta - offer, beta - offer,
        )  # fmt: skip
        return taken + abs(offer + rest)
    # 3. What is known: by formula, from the table, or by a guess where the depth ends.
    if endgame_value(geometry, state, found):
        return taken + found[0]
    hashed = hash_of_lines(geometry, state)
    at = 2 * ((hashed >> 1) & (len(table) // 2 - 1))
    first, low, high = -1, -FAR, FAR
    if table[at] == hashed:
        facts = table[at + 1]
        first = facts >> 32 & 0xFFFF
        if facts >> 48 >= depth:
            low, high = (facts & 0xFFFF) - BOUND, (facts >> 16 & 0xFFFF) - BOUND
            if low >= beta or low == high or high <= alpha:
                tally[GUESSES] += facts >> 48 < TO_THE_END  # what leans on a guess is one
                return taken + (high if high <= alpha else low)
    if depth <= 0:
        tally[GUESSES] += 1
        return taken + rest_estimate(geometry, state, chains, count)
    # 4. Try the moves.
    guesses = tally[GUESSES]
    total = reduce_quiet(geometry, state, of_boxes[ply], chains, count, moves)
    ranks = all_ranks[ply]
    rank_moves(geometry, state, chains, count, moves, total, history, ranks, first)
    best, chosen, reached = -FAR, moves[0], alpha
    for _ in range(total):
        index = next_move(ranks, total)
        most = most_for(chains, count, index)
        if most <= reached:
            best = max(best, most)
            continue
        states[ply + 1, :] = state
        play(geometry, states[ply + 1], moves[index])
        value = -deepen(
            geometry, states, of_boxes, all_chains, all_moves, all_ranks, history, table, tally,
            ply + 1, depth - 1, -beta, -reached,
        )  # fmt: skip
        if tally[STOP]:
            return 0
        if value > best:
            best, chosen = value, moves[index]
            reached = max(reached, value)
            if value >= beta:
                history[chosen] += depth * depth
                break
    # 5. Remember it.
    low = best if best > alpha else -BOUND
    high = best if best < beta else BOUND
    remember(table, hashed, low, high, TO_THE_END if tally[GUESSES] == guesses else depth, chosen)
    return taken + best


@kernel(INT(GEOMETRY, ROOMS, ALL_MOVES, ALL_CHAINS, ALL_MOVES, ROOMS, WORDS, WORDS, WORDS, INT, MOVES, INT, WORDS))
def search_root(
    geometry: Geometry,
    states: Rooms,
    of_boxes: AllMoves,
    all_chains: NDArray[np.int32],
    all_moves: AllMoves,
    all_ranks: Rooms,
    history: Words,
    table: Words,
    tally: Words,
    depth: int,
    moves: Moves,
    total: int,
    values: Words,
) -> int:
    """Search each move of ``states[0]`` so many turns deep, in their order; gives how many were finished.

    Moves that are not better than an earlier one only get a bound: the value of that one, or less.
    """
    best = -FAR
    for index in range(total):
        states[1, :] = states[0]
        player = states[0, PLAYER]
        play(geometry, states[1], moves[index])
        gained = states[1, SCORE + player] - states[0, SCORE + player]
        sign = 1 if gained else -1
        low, high = (best - gained, FAR) if gained else (-FAR, -best)
        value = gained + sign * deepen(
            borrowed(geometry), borrowed(states), borrowed(of_boxes), borrowed(all_chains), borrowed(all_moves),
            borrowed(all_ranks), borrowed(history), borrowed(table), borrowed(tally),
            1, depth if gained else depth - 1, low, high,
        )  # fmt: skip
        if tally[STOP]:
            return index
        values[index] = value
        best = max(best, value)
    return total
