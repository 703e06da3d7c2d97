"""Strings and coins: a position of Dots and Boxes as the set of its undrawn lines, in one 64-bit word.

A box is a coin, an undrawn line a string between two coins or from a coin to the ground. What is still to be won
depends on the strings alone, so a word of them is a whole position, and a line is drawn by clearing one bit. Lines are
numbered anew, from the centre of the board outward, because the lowest bit is tried first. A board of at most
``MOST_LINES`` lines is one graph for the whole game; on a larger one, a late position has a graph of its own.

Graph: the header below, then for each box the set of its lines, for each line its two boxes (-1 for the ground), and
for each box with several border lines the set of these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import types
from numpy.typing import NDArray

from pocketzero.bits import Words, count, lowest
from pocketzero.compiled import kernel
from pocketzero.games import Game, Position
from pocketzero.games.dots.notation import drawn_lines
from pocketzero.games.dots.rules import BOXES, BOXES_OF_LINE, LINES, PLACE_OF_LINE, TURNED_LINES
from pocketzero.games.table import INT
from pocketzero.players.solver import Unsolved

MOST_LINES = 62  # a word has 64 bits, and its sign is left alone
COINS, LINES_OF_COIN, COINS_OF_LINE, BORDERS, BORDER_COUNT, TURNS, GRAPH_HEADER = range(7)
WORDS = types.int64[::1]
BYTES = 8  # in a word: each is looked up apart when a position is turned

Turns = NDArray[np.int64]


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
    """The graph of a whole board."""
    return _graph(game, range(int(game.geometry[LINES])), is_whole=True)


def graph_left(position: Position) -> Graph:
    """The graph of the lines that are left; says so if they are too many."""
    left = [line for line, drawn in enumerate(drawn_lines(position)) if not drawn]
    if len(left) > MOST_LINES:
        raise Unsolved(f"Of {position.game.name} the last {MOST_LINES} lines can be solved; {len(left)} are left.")
    graph = _graph(position.game, left, is_whole=False)
    if graph.words[COINS] > MOST_LINES:
        raise Unsolved(f"{graph.words[COINS]} boxes have open lines; up to {MOST_LINES} can be solved.")
    return graph


def _graph(game: Game, lines: range | list[int], *, is_whole: bool) -> Graph:
    geometry = game.geometry
    total, boxes = int(geometry[LINES]), int(geometry[BOXES])
    at = geometry[PLACE_OF_LINE]
    places = geometry[at : at + 2 * total].reshape(total, 2)
    middle = places.max(axis=0) / 2
    ordered = sorted(lines, key=lambda line: (float(np.abs(places[line] - middle).sum()), line))
    at = geometry[BOXES_OF_LINE]
    sides = geometry[at : at + 2 * total].reshape(total, 2)[ordered]
    coins = {box: coin for coin, box in enumerate(box for box in range(boxes) if (sides == box).any())}
    ends = [[coins.get(int(box), -1) for box in pair] for pair in sides]
    at = geometry[TURNED_LINES]
    turns = len(game.symmetries) if is_whole else 1
    turned_lines = geometry[at : at + turns * total].reshape(turns, total)
    string = {line: index for index, line in enumerate(ordered)}
    permutations = [[string[int(turned[line])] for line in ordered] for turned in turned_lines] if is_whole else [[]]
    return Graph(
        words=_graph_words(ends, len(coins), turns),
        turned=np.array([_turned_bytes(permutation) for permutation in permutations], np.int64).ravel(),
        lines=tuple(ordered),
        is_whole=is_whole,
    )


def _graph_words(ends: list[list[int]], coins: int, turns: int) -> Words:
    """The header and tables for kernels."""
    masks, borders = [0] * coins, [0] * coins
    for string, pair in enumerate(ends):
        for coin in pair:
            if coin >= 0:
                masks[coin] |= 1 << string
                borders[coin] |= (1 << string) * (-1 in pair)
    several = [border for border in borders if border.bit_count() > 1]
    flat = [end for pair in ends for end in pair]
    begin = GRAPH_HEADER
    header = [coins, begin, begin + coins, begin + coins + len(flat), len(several), turns]
    return np.array([*header, *masks, *flat, *several], np.int64)


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
    at = graph[COINS_OF_LINE] + 2 * line
    return graph[at] ^ graph[at + 1] ^ coin


@kernel(INT(WORDS, INT, INT), inline=True)
def lines_at(graph: Words, left: int, coin: int) -> int:
    """The undrawn lines of a coin."""
    return left & graph[graph[LINES_OF_COIN] + coin]


@kernel(INT(WORDS, INT), inline=True)
def pack_borders(graph: Words, left: int) -> int:
    """Border lines of the same box are worth the same, so the first of them are taken for the undrawn ones."""
    for index in range(graph[BORDERS], graph[BORDERS] + graph[BORDER_COUNT]):
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
