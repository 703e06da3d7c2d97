"""Easy, Medium and Hard: the rule-based players of KSquares, as Peters' thesis of 2018 uses them.

All three draw safe lines by chance as long as there are any. Then Easy opens chains by chance, and Medium the one that
gives away least. Hard also double-deals, and opens pairs in the middle so that they cannot be double-dealt (the
hard-hearted handout).
"""

from __future__ import annotations

import numpy as np
from numba import types

from pocketzero.bits import Words, random_below
from pocketzero.compiled import kernel
from pocketzero.errors import PocketZeroError
from pocketzero.games import Position
from pocketzero.games.dots.chains import (
    CAPTURE,
    CHAIN,
    CHAIN_FIELDS,
    CHAINS,
    FIRST_LINE,
    HALF_OPEN,
    KIND,
    LAST_LINE,
    LENGTH,
    LONG,
    MIDDLE_LINE,
    OPEN,
    SAFE,
    Chains,
    open_line_of,
    survey,
)
from pocketzero.games.dots.rules import BOXES, BOXES_OF_LINE, LINES, PLAYER, SCORE, is_drawn, open_lines, play
from pocketzero.games.table import GEOMETRY, INT, MOVES, STATE, Geometry, Moves, State

LEVELS = ("easy", "medium", "hard")
EASY, MEDIUM, HARD = range(3)
GENERATOR = types.int64[::1]


@kernel(INT(GEOMETRY, STATE))
def take_all(geometry: Geometry, state: State) -> int:
    """Capture greedily until nothing can be captured, in place; gives the number of lines drawn.

    KSquares counts lines, not boxes: a loop of four boxes, taken with three lines, seems as cheap as a chain of three.
    """
    taken = 0
    found = True
    while found:
        found = False
        for box in range(geometry[BOXES]):
            if open_lines(geometry, state, box) != 1:
                continue
            play(geometry, state, open_line_of(geometry, state, box, -1))
            taken += 1
            found = True
    return taken


@kernel(INT(GEOMETRY, STATE, INT))
def damage(geometry: Geometry, state: State, line: int) -> int:
    """How many lines the opponent can take at once after this line."""
    after = state.copy()
    play(geometry, after, line)
    return take_all(geometry, after)


@kernel(INT(GENERATOR, INT))
def ksquares_chance(generator: Words, count: int) -> int:
    """A random place in a list, as KSquares draws it: never the last, unless it is the only one."""
    return random_below(generator, max(count - 1, 1))


@kernel(INT(MOVES, INT, INT, GENERATOR))
def random_of_kind(kinds: Moves, wanted: int, count: int, generator: Words) -> int:
    """A line of this kind by chance, or -1."""
    found = np.empty(count, np.int32)
    total = 0
    for line in range(count):
        if kinds[line] == wanted:
            found[total] = line
            total += 1
    return found[ksquares_chance(generator, total)] if total else -1


@kernel(INT(GEOMETRY, STATE, GENERATOR))
def least_damage_line(geometry: Geometry, state: State, generator: Words) -> int:
    """A line by chance among those that give away least."""
    found = np.empty(geometry[LINES], np.int32)
    best, total = 1 << 30, 0
    for line in range(geometry[LINES] - 1, -1, -1):  # its list runs from the last line to the first
        if is_drawn(state, line):
            continue
        given = damage(geometry, state, line)
        if given < best:
            best, total = given, 0
        if given == best:
            found[total] = line
            total += 1
    return found[ksquares_chance(generator, total)]


@kernel(types.boolean(GEOMETRY, STATE))
def control_is_worth_keeping(geometry: Geometry, state: State) -> bool:
    """After all captures: every line left opens a long chain or a loop."""
    long_ones = 0
    for line in range(geometry[LINES]):
        if is_drawn(state, line):
            continue
        if damage(geometry, state, line) < LONG:
            return False
        long_ones += 1
    return long_ones > 0


@kernel(INT(CHAINS, INT))
def double_deal(chains: Chains, count: int) -> int:
    """The line that hands out the last two boxes of a chain, or the last four of a loop; -1 if more can be taken."""
    lines, boxes, chosen = 0, 0, -1
    for number in range(count):
        kind, length = chains[number, KIND], chains[number, LENGTH]
        if kind == HALF_OPEN:
            lines += length
            boxes += length
            if length == 2:
                chosen = chains[number, LAST_LINE]
        elif kind == OPEN:
            lines += length - 1
            boxes += length
            if length == 4:
                chosen = chains[number, MIDDLE_LINE]
    return chosen if lines == 2 or (lines == 3 and boxes == 4) else -1


@kernel(INT(CHAINS, INT))
def shortest_capture(chains: Chains, count: int) -> int:
    """The first line of the shortest chain that can be captured."""
    best, chosen = 1 << 30, -1
    for number in range(count):
        if chains[number, KIND] in (HALF_OPEN, OPEN) and chains[number, LENGTH] < best:
            best, chosen = chains[number, LENGTH], chains[number, FIRST_LINE]
    return chosen


@kernel(INT(GEOMETRY, STATE, CHAINS, INT))
def hard_capture(geometry: Geometry, state: State, chains: Chains, count: int) -> int:
    """What Hard does when it can capture: keep control by a double deal, or take."""
    deal = double_deal(chains, count)
    if deal >= 0:
        after = state.copy()
        take_all(geometry, after)
        if control_is_worth_keeping(geometry, after):
            return deal
    return shortest_capture(chains, count)


@kernel(INT(GEOMETRY, INT, MOVES, CHAINS))
def hard_hearted(geometry: Geometry, line: int, chain_of_box: Moves, chains: Chains) -> int:
    """The middle line, if a line belongs to a chain of two boxes; else the line itself."""
    for side in range(2):
        box = geometry[geometry[BOXES_OF_LINE] + 2 * line + side]
        if box >= 0 and chain_of_box[box] >= 0:
            chain = chains[chain_of_box[box]]
            if chain[KIND] == CHAIN and chain[LENGTH] == 2:
                return chain[MIDDLE_LINE]
    return line


@kernel(INT(GEOMETRY, STATE, INT, GENERATOR))
def choose_line(geometry: Geometry, state: State, level: int, generator: Words) -> int:
    """The line that a player of this level draws."""
    boxes, lines = geometry[BOXES], geometry[LINES]
    kinds = np.empty(lines, np.int32)
    chain_of_box = np.empty(boxes, np.int32)
    chains = np.empty((boxes, CHAIN_FIELDS), np.int32)
    count = survey(geometry, state, kinds, chain_of_box, chains)
    # 1. A box can be completed.
    capture = random_of_kind(kinds, CAPTURE, lines, generator)
    if capture >= 0:
        return hard_capture(geometry, state, chains, count) if level == HARD else capture
    # 2. A safe line is left.
    safe = random_of_kind(kinds, SAFE, lines, generator)
    if safe >= 0:
        return safe
    # 3. Something must be given away.
    if level == EASY:
        left = np.empty(lines, np.int32)
        total = 0
        for line in range(lines):
            if not is_drawn(state, line):
                left[total] = line
                total += 1
        return left[ksquares_chance(generator, total)]
    chosen = least_damage_line(geometry, state, generator)
    return hard_hearted(geometry, chosen, chain_of_box, chains) if level == HARD else chosen


@kernel(INT(GEOMETRY, STATE, INT, INT, GENERATOR))
def play_out(geometry: Geometry, state: State, first: int, second: int, generator: Words) -> int:
    """Play a game between two levels to its end, in place; gives the final margin of the first player."""
    left = 0
    for line in range(geometry[LINES]):
        left += not is_drawn(state, line)
    for _ in range(left):
        level = first if state[PLAYER] == 0 else second
        play(geometry, state, choose_line(geometry, state, level, generator))
    return state[SCORE] - state[SCORE + 1]


class LevelPlayer:
    """Easy, Medium or Hard on any board of Dots and Boxes."""

    def __init__(self, level: str, *, seed: int = 0) -> None:
        if level not in LEVELS:
            raise PocketZeroError(f"There is no level {level!r}. Levels: {', '.join(LEVELS)}.")
        self.name = level
        self._level = LEVELS.index(level)
        self._generator = np.array([seed], np.int64)

    def choose(self, position: Position) -> int:
        """The line to draw."""
        if not position.game.name.startswith("dots:"):
            raise PocketZeroError(f"{self.name} plays Dots and Boxes only, not {position.game.name}.")
        if position.is_over:
            raise PocketZeroError("The game is over.")
        return int(choose_line(position.game.geometry, position.state.copy(), self._level, self._generator))
