"""Strings and coins: a position of Dots and Boxes as the set of its undrawn lines, in one 64-bit word.

A box is a coin, an undrawn line a string between two coins or from a coin to the ground. What is still to be won
depends on the strings alone, so a word of them is a whole position, and a line is drawn by clearing one bit. Lines are
numbered anew, from the centre of the board outward, because the lowest bit is tried first. A board of at most
``MOST_LINES`` lines is one graph for the whole game; a late position, on any board, has a graph of its own.

Graph: the header below, then for each box the set of its lines, for each line its two boxes (-1 for the ground), and
for each box with several border lines the set of these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numba import types
from numpy.typing import NDArray

from pocketzero.bits import Words, count, lowest
from pocketzero.compiled import kernel
from pocketzero.games.base import Game, Position
from pocketzero.games.dots.notation import drawn_lines
from pocketzero.games.dots.rules import BOXES, BOXES_OF_LINE, LEFT, LINES, OUTWARD, TURNED_LINES, is_drawn, open_lines
from pocketzero.games.table import GEOMETRY, INT, MOVES, STATE, Geometry, Moves, State

MOST_LINES = 62  # a word has 64 bits, and its sign is left alone
COINS, BORDER_COUNT, TURNS, LINES_OF_COIN = 0, 1, 2, 3  # places in the graph
COINS_OF_LINE = LINES_OF_COIN + MOST_LINES
BORDERS = COINS_OF_LINE + 2 * MOST_LINES
GRAPH_WORDS = BORDERS + MOST_LINES
TOO_MANY = -1  # lines, or boxes that have some
WORDS = types.int64[::1]
BYTES = 8  # in a word: each is looked up apart when a position is turned

Turns = NDArray[np.int64]


@kernel(INT(GEOMETRY, STATE, WORDS))
def write_coins(geometry: Geometry, state: State, coin_of_box: Words) -> int:
    """Number the boxes that have undrawn lines; gives how many there are."""
    coins = 0
    for box in range(geometry[BOXES]):
        coin_of_box[box] = -1
        if open_lines(geometry, state, box) > 0:
            coin_of_box[box] = coins
            coins += 1
    return coins


@kernel(INT(GEOMETRY, STATE, WORDS, MOVES))
def write_graph(geometry: Geometry, state: State, graph: Words, lines: Moves) -> int:
    """Write the graph of the lines that are left, and which lines of the board they are; gives their number."""
    if state[LEFT] > MOST_LINES:
        return TOO_MANY
    coin_of_box = np.empty(geometry[BOXES], np.int64)
    coins = write_coins(geometry, state, coin_of_box)
    if coins > MOST_LINES:
        return TOO_MANY
    borders = np.zeros(coins, np.int64)
    graph[COINS], graph[BORDER_COUNT], graph[TURNS] = coins, 0, 1
    graph[LINES_OF_COIN : LINES_OF_COIN + coins] = 0
    string = 0
    for place in range(geometry[OUTWARD], geometry[OUTWARD] + geometry[LINES]):
        line = geometry[place]
        if is_drawn(state, line):
            continue
        for side in range(2):
            box = geometry[geometry[BOXES_OF_LINE] + 2 * line + side]
            coin = coin_of_box[box] if box >= 0 else -1
            graph[COINS_OF_LINE + 2 * string + side] = coin
            if coin >= 0:
                graph[LINES_OF_COIN + coin] |= 1 << string
                if geometry[geometry[BOXES_OF_LINE] + 2 * line + 1 - side] < 0:
                    borders[coin] |= 1 << string
        lines[string] = line
        string += 1
    for coin in range(coins):
        if count(borders[coin]) > 1:
            graph[BORDERS + graph[BORDER_COUNT]] = borders[coin]
            graph[BORDER_COUNT] += 1
    return string


@dataclass(frozen=True)
class Graph:
    """The strings and coins of a board, or of one late position on a large board."""

    words: Words  # for kernels: what the module's text describes
    turned: Turns  # where each symmetry takes each byte of a set
    lines: tuple[int, ...]  # the line of the board that each string is
    is_whole: bool  # whether every line of the board is in it

    def open_set(self, position: Position) -> int:
        """The undrawn lines of a position as a set of strings."""
        drawn = drawn_lines(position)
        return sum(1 << string for string, line in enumerate(self.lines) if not drawn[line])


def graph_of(game: Game) -> Graph:
    """The graph of a whole board of at most ``MOST_LINES`` lines."""
    graph = graph_left(game.start())
    assert graph is not None
    at, total = int(game.geometry[TURNED_LINES]), len(graph.lines)
    turned_lines = game.geometry[at : at + len(game.symmetries) * total].reshape(-1, total)
    string = {line: index for index, line in enumerate(graph.lines)}
    permutations = [[string[int(turned[line])] for line in graph.lines] for turned in turned_lines]
    graph.words[TURNS] = len(permutations)
    turned = np.array([_turned_bytes(permutation) for permutation in permutations], np.int64).ravel()
    return replace(graph, turned=turned, is_whole=True)


def graph_left(position: Position) -> Graph | None:
    """The graph of the lines that are left, or None if they or their boxes are too many."""
    words, lines = np.zeros(GRAPH_WORDS, np.int64), np.zeros(MOST_LINES, np.int32)
    left = write_graph(position.game.geometry, position.state.copy(), words, lines)
    if left == TOO_MANY:
        return None
    return Graph(words=words, turned=np.zeros(0, np.int64), lines=tuple(lines[:left].tolist()), is_whole=False)


def _turned_bytes(permutation: list[int]) -> list[int]:
    """For each byte of a set and each of its 256 contents, the set that a symmetry makes of it."""
    images = [1 << string for string in permutation] + [0] * (64 - len(permutation))
    return [
        sum(images[8 * byte + bit] for bit in range(8) if content >> bit & 1)
        for byte in range(BYTES)
        for content in range(256)
    ]


@kernel(INT(WORDS, INT, INT), inline=True)
def across(graph: Words, line: int, coin: int) -> int:
    """The coin at the other end of a line, or -1 for the ground."""
    at = COINS_OF_LINE + 2 * line
    return graph[at] ^ graph[at + 1] ^ coin


@kernel(INT(WORDS, INT, INT), inline=True)
def lines_at(graph: Words, left: int, coin: int) -> int:
    """The undrawn lines of a coin."""
    return left & graph[LINES_OF_COIN + coin]


@kernel(INT(WORDS, INT), inline=True)
def pack_borders(graph: Words, left: int) -> int:
    """Border lines of the same box are worth the same, so the first of them are taken for the undrawn ones."""
    for index in range(BORDERS, BORDERS + graph[BORDER_COUNT]):
        border = graph[index]
        kept = left & border
        if kept != 0 and kept != border:
            left ^= kept
            for _ in range(count(kept)):
                left |= border & -border
                border &= border - 1
    return left


@kernel(INT(WORDS, WORDS, INT))
def canonical(graph: Words, turned: Turns, left: int) -> int:
    """One set for all that are the same: border lines of a box are alike, and the board can be turned."""
    best = pack_borders(graph, left)
    for turn in range(1, graph[TURNS]):
        image = 0
        rest = np.uint64(left)
        at = turn * BYTES * 256
        while rest:
            image |= turned[at + np.int64(rest & np.uint64(255))]
            rest >>= np.uint64(8)
            at += 256
        best = min(best, pack_borders(graph, image))
    return best


SETTLED = types.UniTuple(INT, 3)
RUN = types.UniTuple(INT, 3)


@kernel(RUN(WORDS, INT, INT))
def run_from(graph: Words, left: int, coin: int) -> tuple[int, int, int]:
    """The chain behind a coin with one line: how many coins, its lines, and whether its far end is such a coin too."""
    length = 1
    lines = 0
    line = lines_at(graph, left, coin)
    while True:
        lines |= line
        coin = across(graph, lowest(line), coin)
        if coin < 0:
            return length, lines, 0
        behind = lines_at(graph, left, coin)
        degree = count(behind)
        if degree > 2:
            return length, lines, 0
        length += 1
        if degree == 1:
            return length, lines, 1
        line = behind ^ line


@kernel(SETTLED(WORDS, INT))
def settle(graph: Words, left: int) -> tuple[int, int, int]:
    """Take what is free to take: (boxes, offer, lines left), after which nothing can be captured.

    With an offer of 2 or 4 the mover may also leave that many boxes to the opponent, who then moves first in what is
    left: the value is boxes + |offer + V(left)|. Of several chains that can be captured, all but one are taken
    whole, and a chain that can be left for two boxes is kept to the last.
    """
    taken = 0
    while True:
        found, best = 0, -1
        best_length, best_lines, best_open = 0, 0, 0
        for coin in range(graph[COINS]):
            if count(lines_at(graph, left, coin)) != 1:
                continue
            length, lines, is_open = run_from(graph, left, coin)
            if found and lines == best_lines:
                continue  # the other end of the same one
            found += 1
            rank = 2 if (is_open and length < 4) or length == 1 else 1 if is_open else 0
            if rank > best:
                best, best_length, best_lines, best_open = rank, length, lines, is_open
        if found == 0:
            return taken, 0, left
        left ^= best_lines
        if found == 1 and best < 2:
            offer = 4 if best_open else 2
            return taken + best_length - offer, offer, left
        taken += best_length
