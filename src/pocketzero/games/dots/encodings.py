"""How nets see Dots and Boxes.

``boxes`` (the default) has (m+1) x (n+1) cells, each a box with the line above it and the line to its left; the
last row and column hold only the lower and right border lines. ``chains`` adds what a player sees at a glance: which
boxes form chains and loops and how long they are, what each line captures or gives away, and counts of both.
``grey2018`` is the picture of the 2018 thesis, one
pixel for each dot, line and box, in its shades (black background 0, first player's box 65, second's 150, dot 215,
line 255, of 255; the values are those of its program KSquares); ``planes2018`` splits it into five planes. There the
"first player" is the one to move. ``sequence2018`` is the thesis's sequence of such pictures (section 6.4.2), from the
empty board to the position, each with one more line. ``array2022`` is the 2022 thesis's (2n+1) x (n+1) array of lines.
"""

from __future__ import annotations

import numpy as np
from numba import types

from pocketzero.bits import lowest
from pocketzero.compiled import kernel
from pocketzero.games.dots.chains import (
    CAPTURE,
    CHAIN,
    CHAIN_FIELDS,
    CHAINS,
    DRAWN_LINE,
    HALF_OPEN,
    KIND,
    LENGTH,
    LONG,
    LOOP,
    SAFE,
    SHORT,
    Chains,
    survey,
)
from pocketzero.games.dots.rules import (
    BOX_WORDS,
    BOXES,
    BOXES_OF_LINE,
    COLUMNS,
    DRAWN,
    LEFT,
    LINE_WORDS,
    LINES,
    LINES_OF_BOX,
    OWNED_AT,
    PLACE_OF_LINE,
    PLAYER,
    ROWS,
    SCORE,
    SIDES_AT,
    TURNED_BOXES,
    TURNED_LINES,
    is_drawn,
    order_at,
    owns,
)
from pocketzero.games.table import GEOMETRY, INT, MOVES, PLANES, STATE, Geometry, Moves, Planes, State, rule

BOX_PLANES = 12
ACROSS, DOWN, SIDES, MINE, THEIRS, BOX_HERE, AHEAD, LINES_LEFT = 0, 1, 2, 6, 7, 8, 9, 11

# The ``chains`` encoding goes on after the planes of ``boxes``: planes of boxes, pairs of planes of lines (across and
# down), and planes that hold one number everywhere.
IN_CHAIN, IN_LOOP, IN_OPENED, LENGTH_FROM, LENGTH_PLANE = 12, 13, 14, 15, 19
LENGTH_STEPS = (2, 3, 4, 6)  # a plane each: at least so many boxes in the chain
CAPTURES, SAFE_LINES, SHORT_LINES, GIVES = 20, 22, 24, 26
LONG_COUNT, LOOP_COUNT, ONES, PAIRS, TAKEABLE, SAFE_COUNT, CONTROL = 28, 29, 30, 31, 32, 33, 34
LONG_ODD, LINES_ODD, SAFE_ODD = 35, 36, 37
CHAIN_PLANES = 38
BACKGROUND_GREY, MY_BOX_GREY, THEIR_BOX_GREY, DOT_GREY, LINE_GREY = 0.0, 65 / 255, 150 / 255, 215 / 255, 1.0
BACKGROUND_PLANE, LINE_PLANE, MY_BOX_PLANE, THEIR_BOX_PLANE, DOT_PLANE = 0, 1, 2, 3, 4


@kernel(INT(GEOMETRY, INT, INT))
def turned_line(geometry: Geometry, symmetry: int, line: int) -> int:
    """Where a symmetry takes a line."""
    return geometry[geometry[TURNED_LINES] + symmetry * geometry[LINES] + line]


@kernel(INT(GEOMETRY, INT, INT))
def turned_box(geometry: Geometry, symmetry: int, box: int) -> int:
    """Where a symmetry takes a box."""
    return geometry[geometry[TURNED_BOXES] + symmetry * geometry[BOXES] + box]


@kernel(types.void(GEOMETRY, STATE, INT, PLANES))
def encode_lines(geometry: Geometry, state: State, symmetry: int, out: Planes) -> None:
    """The drawn lines of the ``boxes`` encoding: across in the first plane, down in the second."""
    width = geometry[COLUMNS] + 1
    cells = (geometry[ROWS] + 1) * width
    for word in range(geometry[LINE_WORDS]):
        drawn = state[DRAWN + word]
        while drawn:
            line = turned_line(geometry, symmetry, (word << 6) + lowest(drawn))
            drawn &= drawn - 1
            row = geometry[geometry[PLACE_OF_LINE] + 2 * line]
            column = geometry[geometry[PLACE_OF_LINE] + 2 * line + 1]
            out[(row & 1) * cells + (row >> 1) * width + (column >> 1)] = 1


@rule("encode")
def encode_boxes(geometry: Geometry, state: State, symmetry: int, out: Planes) -> None:
    """Lines, sides drawn of unfinished boxes, owners, where boxes are, the margin and the lines left."""
    out[:] = 0
    encode_lines(geometry, state, symmetry, out)
    width = geometry[COLUMNS] + 1
    cells = (geometry[ROWS] + 1) * width
    mine = geometry[OWNED_AT] + state[PLAYER] * geometry[BOX_WORDS]
    theirs = geometry[OWNED_AT] + (1 - state[PLAYER]) * geometry[BOX_WORDS]
    for box in range(geometry[BOXES]):
        top = geometry[PLACE_OF_LINE] + 2 * geometry[geometry[LINES_OF_BOX] + 4 * turned_box(geometry, symmetry, box)]
        cell = (geometry[top] >> 1) * width + (geometry[top + 1] >> 1)
        out[BOX_HERE * cells + cell] = 1
        if (state[mine + (box >> 6)] >> (box & 63)) & 1:
            out[MINE * cells + cell] = 1
        elif (state[theirs + (box >> 6)] >> (box & 63)) & 1:
            out[THEIRS * cells + cell] = 1
        else:
            sides = (state[geometry[SIDES_AT] + (box >> 5)] >> ((box & 31) << 1)) & 3
            out[(SIDES + sides) * cells + cell] = 1
    ahead = np.float32(state[SCORE + state[PLAYER]] - state[SCORE + 1 - state[PLAYER]])
    out[AHEAD * cells : (AHEAD + 1) * cells] = ahead / np.float32(geometry[BOXES])
    out[(AHEAD + 1) * cells : (AHEAD + 2) * cells] = min(max(ahead / np.float32(8), np.float32(-1)), np.float32(1))
    out[LINES_LEFT * cells :] = np.float32(state[LEFT]) / np.float32(geometry[LINES])


@kernel(INT(GEOMETRY, INT))
def cell_of_line(geometry: Geometry, line: int) -> int:
    """The cell of a line in a pair of planes, across and down."""
    width = geometry[COLUMNS] + 1
    row = geometry[geometry[PLACE_OF_LINE] + 2 * line]
    column = geometry[geometry[PLACE_OF_LINE] + 2 * line + 1]
    return ((row & 1) * (geometry[ROWS] + 1) + (row >> 1)) * width + (column >> 1)


@kernel(types.void(PLANES, INT, INT, types.float64))
def fill_plane(out: Planes, plane: int, cells: int, number: float) -> None:
    """The same number everywhere in a plane."""
    out[plane * cells : (plane + 1) * cells] = np.float32(number)


@kernel(types.void(GEOMETRY, INT, MOVES, CHAINS, PLANES))
def encode_chains_of_boxes(geometry: Geometry, symmetry: int, chain_of_box: Moves, chains: Chains, out: Planes) -> None:
    """The kind and the length of the chain that each box belongs to."""
    cells = (geometry[ROWS] + 1) * (geometry[COLUMNS] + 1)
    for box in range(geometry[BOXES]):
        if chain_of_box[box] < 0:
            continue
        kind, length = chains[chain_of_box[box], KIND], chains[chain_of_box[box], LENGTH]
        cell = cell_of_line(geometry, geometry[geometry[LINES_OF_BOX] + 4 * turned_box(geometry, symmetry, box)])
        plane = IN_CHAIN if kind == CHAIN else (IN_LOOP if kind == LOOP else IN_OPENED)
        out[plane * cells + cell] = 1
        for step in range(len(LENGTH_STEPS)):
            if length >= LENGTH_STEPS[step]:
                out[(LENGTH_FROM + step) * cells + cell] = 1
        out[LENGTH_PLANE * cells + cell] = np.float32(length) / np.float32(8)


@kernel(INT(GEOMETRY, INT, MOVES, CHAINS))
def given_by(geometry: Geometry, line: int, chain_of_box: Moves, chains: Chains) -> int:
    """How many boxes of a chain a line opens to the opponent."""
    for side in range(2):
        box = geometry[geometry[BOXES_OF_LINE] + 2 * line + side]
        if box >= 0 and chain_of_box[box] >= 0:
            return chains[chain_of_box[box], LENGTH]
    return 0


@kernel(INT(GEOMETRY, INT, MOVES, MOVES, CHAINS, PLANES))
def encode_kinds_of_lines(
    geometry: Geometry, symmetry: int, kinds: Moves, chain_of_box: Moves, chains: Chains, out: Planes
) -> int:
    """What each line captures or gives away; gives the number of safe lines."""
    cells = (geometry[ROWS] + 1) * (geometry[COLUMNS] + 1)
    safe = 0
    for line in range(geometry[LINES]):
        kind = kinds[line]
        if kind == DRAWN_LINE:
            continue
        cell = cell_of_line(geometry, turned_line(geometry, symmetry, line))
        if kind == CAPTURE:
            out[CAPTURES * cells + cell] = 1
        elif kind == SAFE:
            out[SAFE_LINES * cells + cell] = 1
            safe += 1
        else:
            if kind == SHORT:
                out[SHORT_LINES * cells + cell] = 1
            given = given_by(geometry, line, chain_of_box, chains)
            out[GIVES * cells + cell] = np.float32(given) / np.float32(8)
    return safe


@kernel(types.void(GEOMETRY, STATE, CHAINS, INT, INT, PLANES))
def encode_counts(geometry: Geometry, state: State, chains: Chains, count: int, safe: int, out: Planes) -> None:
    """How many chains of each kind there are, what they are worth together, and what is odd."""
    cells = (geometry[ROWS] + 1) * (geometry[COLUMNS] + 1)
    long_ones, loops, ones, pairs, takeable, control = 0, 0, 0, 0, 0, 0
    for number in range(count):
        kind, length = chains[number, KIND], chains[number, LENGTH]
        if kind >= HALF_OPEN:
            takeable += length
        elif kind == LOOP:
            loops += 1
            control += length - 8
        elif length >= LONG:
            long_ones += 1
            control += length - 4
        elif length == 1:
            ones += 1
        else:
            pairs += 1
    fill_plane(out, LONG_COUNT, cells, long_ones / 4)
    fill_plane(out, LOOP_COUNT, cells, loops / 4)
    fill_plane(out, ONES, cells, ones / 4)
    fill_plane(out, PAIRS, cells, pairs / 4)
    fill_plane(out, TAKEABLE, cells, takeable / 8)
    fill_plane(out, SAFE_COUNT, cells, safe / 16)
    fill_plane(out, CONTROL, cells, control / 8)
    fill_plane(out, LONG_ODD, cells, (long_ones + loops) & 1)
    fill_plane(out, LINES_ODD, cells, state[LEFT] & 1)
    fill_plane(out, SAFE_ODD, cells, safe & 1)


@rule("encode")
def encode_chains(geometry: Geometry, state: State, symmetry: int, out: Planes) -> None:
    """What ``boxes`` shows, and the chains."""
    cells = (geometry[ROWS] + 1) * (geometry[COLUMNS] + 1)
    encode_boxes(geometry, state, symmetry, out[: BOX_PLANES * cells])
    out[BOX_PLANES * cells :] = 0
    kinds = np.empty(geometry[LINES], np.int32)
    chain_of_box = np.empty(geometry[BOXES], np.int32)
    chains = np.empty((geometry[BOXES], CHAIN_FIELDS), np.int32)
    count = survey(geometry, state, kinds, chain_of_box, chains)
    encode_chains_of_boxes(geometry, symmetry, chain_of_box, chains, out)
    safe = encode_kinds_of_lines(geometry, symmetry, kinds, chain_of_box, chains, out)
    encode_counts(geometry, state, chains, count, safe, out)


@kernel(INT(GEOMETRY, INT))
def pixel_of_line(geometry: Geometry, line: int) -> int:
    """The pixel of a line in the (2m+1) x (2n+1) picture."""
    place = geometry[PLACE_OF_LINE] + 2 * line
    return geometry[place] * (2 * geometry[COLUMNS] + 1) + geometry[place + 1]


@kernel(INT(GEOMETRY, INT))
def pixel_of_box(geometry: Geometry, box: int) -> int:
    """The pixel of a box in the (2m+1) x (2n+1) picture."""
    row = box // geometry[COLUMNS]
    column = box - row * geometry[COLUMNS]
    return (2 * row + 1) * (2 * geometry[COLUMNS] + 1) + 2 * column + 1


@kernel(INT(GEOMETRY, STATE, INT))
def owner_seen_by_mover(geometry: Geometry, state: State, box: int) -> int:
    """0 for a box of the player to move, 1 for one of the opponent, -1 for an unfinished box."""
    for owner in range(2):
        if owns(geometry, state, owner, box):
            return owner ^ state[PLAYER]
    return -1


@kernel(types.void(GEOMETRY, PLANES))
def show_dots(geometry: Geometry, out: Planes) -> None:
    """The grey picture of an empty board."""
    width = 2 * geometry[COLUMNS] + 1
    out[:] = np.float32(BACKGROUND_GREY)
    for row in range(geometry[ROWS] + 1):
        for column in range(geometry[COLUMNS] + 1):
            out[2 * row * width + 2 * column] = np.float32(DOT_GREY)


@rule("encode")
def encode_grey(geometry: Geometry, state: State, symmetry: int, out: Planes) -> None:
    """One plane in shades of grey."""
    show_dots(geometry, out)
    for line in range(geometry[LINES]):
        if is_drawn(state, line):
            out[pixel_of_line(geometry, turned_line(geometry, symmetry, line))] = np.float32(LINE_GREY)
    for box in range(geometry[BOXES]):
        owner = owner_seen_by_mover(geometry, state, box)
        if owner >= 0:
            shade = MY_BOX_GREY if owner == 0 else THEIR_BOX_GREY
            out[pixel_of_box(geometry, turned_box(geometry, symmetry, box))] = np.float32(shade)


@kernel(INT(GEOMETRY, STATE, INT))
def completed_at(geometry: Geometry, state: State, box: int) -> int:
    """How many lines were drawn when a box, which is finished now, was completed."""
    latest = 0
    for side in range(4):
        line = geometry[geometry[LINES_OF_BOX] + 4 * box + side]
        latest = max(latest, state[order_at(geometry) + line])
    return latest


@rule("encode")
def encode_sequence(geometry: Geometry, state: State, symmetry: int, out: Planes) -> None:
    """The grey pictures of the game so far, the newest last; planes before the empty board are black.

    There are as many planes as lines, enough for every position in which someone is to move. All pictures are seen
    by the player who is to move now.
    """
    images, pixels = geometry[LINES], (2 * geometry[ROWS] + 1) * (2 * geometry[COLUMNS] + 1)
    hidden = state[LEFT] - 1  # planes before the first picture
    out[:] = np.float32(BACKGROUND_GREY)
    for image in range(max(hidden, 0), images):
        show_dots(geometry, out[image * pixels : (image + 1) * pixels])
    for line in range(images):
        if is_drawn(state, line):
            pixel = pixel_of_line(geometry, turned_line(geometry, symmetry, line))
            for image in range(max(hidden + state[order_at(geometry) + line], 0), images):
                out[image * pixels + pixel] = np.float32(LINE_GREY)
    for box in range(geometry[BOXES]):
        owner = owner_seen_by_mover(geometry, state, box)
        if owner >= 0:
            pixel = pixel_of_box(geometry, turned_box(geometry, symmetry, box))
            for image in range(max(hidden + completed_at(geometry, state, box), 0), images):
                out[image * pixels + pixel] = np.float32(MY_BOX_GREY if owner == 0 else THEIR_BOX_GREY)


@rule("encode")
def encode_planes(geometry: Geometry, state: State, symmetry: int, out: Planes) -> None:
    """The grey picture split into background, lines, my boxes, their boxes and dots."""
    width = 2 * geometry[COLUMNS] + 1
    pixels = width * (2 * geometry[ROWS] + 1)
    out[:] = 0
    out[BACKGROUND_PLANE * pixels : (BACKGROUND_PLANE + 1) * pixels] = 1
    for row in range(geometry[ROWS] + 1):
        for column in range(geometry[COLUMNS] + 1):
            pixel = 2 * row * width + 2 * column
            out[DOT_PLANE * pixels + pixel] = 1
            out[BACKGROUND_PLANE * pixels + pixel] = 0
    for line in range(geometry[LINES]):
        if is_drawn(state, line):
            pixel = pixel_of_line(geometry, turned_line(geometry, symmetry, line))
            out[LINE_PLANE * pixels + pixel] = 1
            out[BACKGROUND_PLANE * pixels + pixel] = 0
    for box in range(geometry[BOXES]):
        owner = owner_seen_by_mover(geometry, state, box)
        if owner >= 0:
            pixel = pixel_of_box(geometry, turned_box(geometry, symmetry, box))
            out[(MY_BOX_PLANE + owner) * pixels + pixel] = 1
            out[BACKGROUND_PLANE * pixels + pixel] = 0


@rule("encode")
def encode_array(geometry: Geometry, state: State, symmetry: int, out: Planes) -> None:
    """Lines only: rows of horizontal lines (the last place unused) and of vertical lines take turns."""
    width = geometry[COLUMNS] + 1
    out[:] = 0
    for line in range(geometry[LINES]):
        if is_drawn(state, line):
            place = geometry[PLACE_OF_LINE] + 2 * turned_line(geometry, symmetry, line)
            out[geometry[place] * width + (geometry[place + 1] >> 1)] = 1
