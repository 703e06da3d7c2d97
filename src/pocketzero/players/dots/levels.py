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
    box_across,
    open_line_of,
    survey,
)
from pocketzero.games.dots.rules import (
    BOXES,
    BOXES_OF_LINE,
    LINES,
    LINES_OF_BOX,
    PLAYER,
    SCORE,
    is_drawn,
    open_lines,
    play,
)
from pocketzero.games.table import GEOMETRY, INT, MOVES, STATE, Geometry, Moves, State
from pocketzero.players.base import Kind, Player

LEVELS = ("easy", "medium", "hard")
EASY, MEDIUM, HARD = range(3)
UNKNOWN, SHORT_CHAIN, LONG_OR_LOOP = range(3)  # how KSquares sorts chains
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


@kernel(INT(GEOMETRY, STATE, MOVES))
def least_damaging(geometry: Geometry, state: State, found: Moves) -> int:
    """List the lines that give away least, from the last to the first as KSquares does; gives their number."""
    best, total = 1 << 30, 0
    for line in range(geometry[LINES] - 1, -1, -1):
        if is_drawn(state, line):
            continue
        given = damage(geometry, state, line)
        if given < best:
            best, total = given, 0
        if given == best:
            found[total] = line
            total += 1
    return total


@kernel(types.void(GEOMETRY, STATE, MOVES, MOVES))
def boxes_of_chain(geometry: Geometry, state: State, in_chain: Moves, in_boxes: Moves) -> None:
    """Mark the boxes of a set of lines as KSquares counts them: two sides drawn, or touched by two of the lines."""
    in_boxes[:] = 0
    touched = np.zeros(geometry[BOXES], np.int32)
    for line in range(geometry[LINES]):
        for side in range(2):
            box = geometry[geometry[BOXES_OF_LINE] + 2 * line + side]
            if in_chain[line] and box >= 0:
                touched[box] += 1
                in_boxes[box] |= open_lines(geometry, state, box) <= 2 or touched[box] == 2


@kernel(INT(GEOMETRY, STATE, MOVES))
def sort_of_chain(geometry: Geometry, state: State, in_chain: Moves) -> int:
    """How KSquares sorts the lines that a move gives away: short, long (loops count as long), or unknown.

    It walks from box to box through these lines. Coming to a box a second time makes a loop; not coming to all, as
    among joints, makes it a thing that KSquares does not know.
    """
    boxes = geometry[BOXES]
    in_boxes, visited, reached = np.empty(boxes, np.int32), np.zeros(boxes, np.int32), np.zeros(boxes, np.int32)
    waiting, walked = np.empty(4 * boxes, np.int32), np.zeros(geometry[LINES], np.int32)
    boxes_of_chain(geometry, state, in_chain, in_boxes)
    size, count = in_boxes.sum(), 0
    if size == 0:
        return UNKNOWN
    waiting[0], depth = np.argmax(in_boxes), 1
    while depth:
        depth -= 1
        here = waiting[depth]
        if visited[here]:
            return LONG_OR_LOOP
        visited[here] = 1
        count += 1
        for side in range(4):
            line = geometry[geometry[LINES_OF_BOX] + 4 * here + side]
            box = box_across(geometry, line, here)
            if not in_chain[line] or walked[line] or box < 0:
                continue
            walked[line] = 1
            reached[box] += 1
            if open_lines(geometry, state, box) <= 2 or reached[box] == 2:
                waiting[depth] = box
                depth += 1
    if count != size:
        return UNKNOWN
    return LONG_OR_LOOP if count >= LONG else SHORT_CHAIN


@kernel(types.boolean(GEOMETRY, STATE, STATE))
def control_is_worth_keeping(geometry: Geometry, before: State, after: State) -> bool:
    """Whether what is left after all captures has a long chain or a loop, and no short chain."""
    long_ones = 0
    in_chain = np.empty(geometry[LINES], np.int32)
    for line in range(geometry[LINES]):
        if is_drawn(after, line):
            continue
        given = after.copy()
        play(geometry, given, line)
        take_all(geometry, given)
        for other in range(geometry[LINES]):
            in_chain[other] = is_drawn(given, other) and not is_drawn(after, other)
        sort = sort_of_chain(geometry, before, in_chain)
        if sort == SHORT_CHAIN:
            return False
        long_ones += sort == LONG_OR_LOOP
    return long_ones > 0


@kernel(INT(CHAINS, INT, INT, INT))
def double_deal(chains: Chains, count: int, lines: int, boxes: int) -> int:
    """The line that hands out the last two boxes of a chain, or the last four of a loop; -1 if more can be taken."""
    for number in range(count):
        kind, length = chains[number, KIND], chains[number, LENGTH]
        if kind == HALF_OPEN and length == 2 and lines == 2:
            return chains[number, LAST_LINE]
        if kind == OPEN and length == 4 and lines == 3 and boxes == 4:
            return chains[number, MIDDLE_LINE]
    return -1


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
    after = state.copy()
    mover = SCORE + state[PLAYER]
    lines = take_all(geometry, after)
    deal = double_deal(chains, count, lines, after[mover] - state[mover])
    if deal >= 0 and control_is_worth_keeping(geometry, state, after):
        return deal
    return shortest_capture(chains, count)


@kernel(types.boolean(GEOMETRY, INT))
def is_border(geometry: Geometry, line: int) -> bool:
    """Whether a line has a box on one side only."""
    return geometry[geometry[BOXES_OF_LINE] + 2 * line] < 0 or geometry[geometry[BOXES_OF_LINE] + 2 * line + 1] < 0


@kernel(INT(GEOMETRY, INT, MOVES, CHAINS))
def hard_hearted(geometry: Geometry, line: int, chain_of_box: Moves, chains: Chains) -> int:
    """The middle line of the chain of two boxes that a line belongs to, or -1.

    KSquares finds it by looking for another line of the chain all of whose boxes have three sides then; a line to a
    joint is none, so it sees only pairs that end at the border.
    """
    for side in range(2):
        box = geometry[geometry[BOXES_OF_LINE] + 2 * line + side]
        if box >= 0 and chain_of_box[box] >= 0:
            chain = chains[chain_of_box[box]]
            if chain[KIND] == CHAIN and chain[LENGTH] == 2:
                at_border = is_border(geometry, chain[FIRST_LINE]) or is_border(geometry, chain[LAST_LINE])
                return chain[MIDDLE_LINE] if at_border else -1
    return -1


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
    found = np.empty(lines, np.int32)
    total = least_damaging(geometry, state, found)
    middle = hard_hearted(geometry, found[0], chain_of_box, chains) if level == HARD else -1
    return middle if middle >= 0 else found[ksquares_chance(generator, total)]


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


class LevelPlayer(Player):
    """Easy, Medium or Hard on any board of Dots and Boxes."""

    def __init__(self, level: str, *, seed: int = 0) -> None:
        self._level = LEVELS.index(level)
        self.begin(seed)

    def begin(self, seed: int) -> None:
        """Among lines that are equally good to it, a level draws by chance."""
        self._generator = np.array([seed], np.int64)

    def choose(self, position: Position) -> int:
        """The line to draw."""
        return int(choose_line(position.game.geometry, position.state.copy(), self._level, self._generator))


SUMMARIES = ("safe lines, then any", "gives away least", "double-deals and keeps control")
KINDS = [
    Kind(
        name=level,
        summary=f"KSquares' {level.capitalize()}: {summary}",
        families=("dots",),
        make=lambda game, options, level=level: LevelPlayer(level),  # type: ignore[misc]
    )
    for level, summary in zip(LEVELS, SUMMARIES)
]
