"""Dots and Boxes by name (``dots:5x5``), and everything about a board that the rules need in advance.

``dots:5x5/sequence`` is the same game, whose positions also remember in which order the lines were drawn, for nets
that look at the whole game.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pocketzero.errors import UnknownName
from pocketzero.games.base import Encoding, Game, Position, Rules, Symmetries
from pocketzero.games.dots import encodings, rules
from pocketzero.games.dots.chains import reduce
from pocketzero.games.dots.endgame import SMALL_BUDGET, SMALL_LINES, SOLVE_BUDGET, solve
from pocketzero.games.dots.notation import DotsNotation
from pocketzero.games.dots.picture import DotsPicture
from pocketzero.games.dots.records import FORMATS
from pocketzero.games.grid import Point, Turn, permutations, plane_permutations, rectangle_turns
from pocketzero.games.registry import Family

LARGEST = 20
SEQUENCE = "sequence"  # after a slash: positions remember the order of their lines
RULES = Rules(
    start=rules.start,
    legal=rules.legal,
    play=rules.play,
    to_move=rules.to_move,
    outcome=rules.outcome,
    margin=rules.margin,
    key=rules.key,
    reduce=reduce,
    solve=solve,
)
SEQUENCE_RULES = replace(RULES, play=rules.play_in_order)


def places_of_lines(rows: int, columns: int) -> list[Point]:
    """Where each line lies in the picture with one pixel for each dot, line and box."""
    across = [(2.0 * row, 2.0 * column + 1) for row in range(rows + 1) for column in range(columns)]
    down = [(2.0 * row + 1, 2.0 * column) for row in range(rows) for column in range(columns + 1)]
    return across + down


def places_of_boxes(rows: int, columns: int) -> list[Point]:
    """Where each box lies in that picture."""
    return [(2.0 * row + 1, 2.0 * column + 1) for row in range(rows) for column in range(columns)]


def _geometry(rows: int, columns: int, turns: list[Turn]) -> NDArray[np.int64]:
    """The header and the tables that ``rules`` describes."""
    lines, boxes = places_of_lines(rows, columns), places_of_boxes(rows, columns)
    number = {place: box for box, place in enumerate(boxes)}
    line_at = {place: line for line, place in enumerate(lines)}
    boxes_of_line = [
        [number.get(place, -1) for place in (((r - 1, c), (r + 1, c)) if r % 2 == 0 else ((r, c - 1), (r, c + 1)))]
        for r, c in lines
    ]
    lines_of_box = [[line_at[r - 1, c], line_at[r + 1, c], line_at[r, c - 1], line_at[r, c + 1]] for r, c in boxes]
    outward = sorted(range(len(lines)), key=lambda line: abs(lines[line][0] - rows) + abs(lines[line][1] - columns))
    tables = [boxes_of_line, lines, lines_of_box, permutations(lines, turns), permutations(boxes, turns), outward]
    flat = [np.asarray(table, np.int64).ravel() for table in tables]
    begins = rules.HEADER + np.cumsum([0, *map(len, flat)])[:-1]
    line_words, side_words, box_words = (len(lines) + 63) // 64, (len(boxes) + 31) // 32, (len(boxes) + 63) // 64
    sides_at = rules.DRAWN + line_words
    header = [rows, columns, len(lines), len(boxes), line_words, box_words, sides_at, sides_at + side_words, *begins]
    return np.concatenate([np.array(header, np.int64), *flat])


def _completed(pairs: dict[int, int], size: int) -> list[int]:
    """A permutation that contains these pairs; what is left over is matched in order."""
    sources = [item for item in range(size) if item not in pairs]
    taken = set(pairs.values())
    targets = [item for item in range(size) if item not in taken]
    whole = pairs | dict(zip(sources, targets))
    return [whole[item] for item in range(size)]


LINE_PAIRS = (encodings.ACROSS, encodings.CAPTURES, encodings.SAFE_LINES, encodings.SHORT_LINES, encodings.GIVES)
BOX_PLANES = (*range(encodings.SIDES, encodings.AHEAD), *range(encodings.IN_CHAIN, encodings.CAPTURES))


def _box_plane_symmetries(rows: int, columns: int, turns: list[Turn], planes: int) -> Symmetries:
    """Symmetries of the first planes of the ``chains`` encoding: of lines, of boxes, and the same everywhere."""
    width = columns + 1
    cells = (rows + 1) * width

    def cell(r: float, c: float) -> int:
        return int(r // 2) * width + int(c // 2)

    table = []
    for turn in turns:
        pairs = {}
        for plane in (each for each in LINE_PAIRS if each < planes):
            for r, c in places_of_lines(rows, columns):
                to_r, to_c = turn(r, c)
                pairs[(plane + int(r % 2)) * cells + cell(r, c)] = (plane + int(to_r % 2)) * cells + cell(to_r, to_c)
        for plane in (each for each in BOX_PLANES if each < planes):
            for r, c in places_of_boxes(rows, columns):
                pairs[plane * cells + cell(r, c)] = plane * cells + cell(*turn(r, c))
        for plane in (*range(encodings.AHEAD, encodings.BOX_PLANES), *range(encodings.LONG_COUNT, planes)):
            pairs |= {item: item for item in range(plane * cells, (plane + 1) * cells)}
        table.append(_completed(pairs, planes * cells))
    return np.array(table, np.int32)


def _array_symmetries(rows: int, columns: int, turns: list[Turn]) -> Symmetries:
    """Symmetries of the ``array2022`` encoding."""
    width = columns + 1

    def cell(r: float, c: float) -> int:
        return int(r) * width + int(c // 2)

    lines = places_of_lines(rows, columns)
    table = [
        _completed({cell(*place): cell(*turn(*place)) for place in lines}, (2 * rows + 1) * width) for turn in turns
    ]
    return np.array(table, np.int32)


def _box_line_cells(rows: int, columns: int) -> NDArray[np.int32]:
    """Where the line planes of the ``boxes`` encoding hold each line: across in the first, down in the second."""
    across, down = (rows + 1) * columns, rows * (columns + 1)
    of_across, of_down = np.arange(across), np.arange(down)
    cells = (rows + 1) * (columns + 1)
    return np.concatenate([of_across + of_across // columns, cells + of_down]).astype(np.int32)


def _encodings(rows: int, columns: int, turns: list[Turn]) -> dict[str, Encoding]:
    height, width = 2 * rows + 1, 2 * columns + 1
    lines = np.array(places_of_lines(rows, columns), np.int32)
    line_pixels = lines[:, 0] * width + lines[:, 1]
    line_places = lines[:, 0] * (columns + 1) + lines[:, 1] // 2
    pixels = permutations([(float(r), float(c)) for r in range(height) for c in range(width)], turns)
    array_mask = np.ones((height, columns + 1), np.float32)
    array_mask[::2, -1] = 0
    boxes = Encoding(
        encode=encodings.encode_boxes,
        shape=(encodings.BOX_PLANES, rows + 1, columns + 1),
        mask=np.ones((rows + 1, columns + 1), np.float32),
        symmetries=_box_plane_symmetries(rows, columns, turns, encodings.BOX_PLANES),
        policy_planes=2,
        action_cells=_box_line_cells(rows, columns),
        owner_planes=(encodings.MINE, encodings.THEIRS),
    )
    return {
        "boxes": boxes,
        "chains": replace(
            boxes,
            encode=encodings.encode_chains,
            shape=(encodings.CHAIN_PLANES, *boxes.shape[1:]),
            symmetries=_box_plane_symmetries(rows, columns, turns, encodings.CHAIN_PLANES),
        ),
        "grey2018": Encoding(
            encode=encodings.encode_grey,
            shape=(1, height, width),
            mask=np.ones((height, width), np.float32),
            symmetries=pixels,
            policy_planes=1,
            action_cells=line_pixels,
        ),
        "planes2018": Encoding(
            encode=encodings.encode_planes,
            shape=(5, height, width),
            mask=np.ones((height, width), np.float32),
            symmetries=plane_permutations(pixels, 5),
            policy_planes=1,
            action_cells=line_pixels,
            owner_planes=(encodings.MY_BOX_PLANE, encodings.THEIR_BOX_PLANE),
        ),
        "array2022": Encoding(
            encode=encodings.encode_array,
            shape=(1, height, columns + 1),
            mask=array_mask,
            symmetries=_array_symmetries(rows, columns, turns),
            policy_planes=1,
            action_cells=line_places,
        ),
    }


def _sequence_encoding(picture: Encoding, lines: int) -> Encoding:
    """The pictures of the whole game, made like the one picture of the position."""
    return replace(
        picture,
        encode=encodings.encode_sequence,
        shape=(lines, *picture.shape[1:]),
        symmetries=plane_permutations(picture.symmetries, lines),
        reads_history=True,
    )


def _completes_a_box(before: Position, action: int, after: Position) -> bool:
    """Whoever completes a box moves again."""
    return before.margin != after.margin


def dots_game(rows: int, columns: int) -> Game:
    """The game on a board of this many boxes."""
    turns = rectangle_turns(2 * rows, 2 * columns)
    geometry = _geometry(rows, columns, turns)
    lines = int(geometry[rules.LINES])
    return Game(
        name=f"dots:{rows}x{columns}",
        title=f"Dots and Boxes, {rows}x{columns}",
        rules=RULES,
        geometry=geometry,
        state_size=int(geometry[rules.OWNED_AT] + 2 * geometry[rules.BOX_WORDS]),
        action_count=lines,
        max_length=lines,
        encodings=_encodings(rows, columns, turns),
        symmetries=permutations(places_of_lines(rows, columns), turns),
        largest_margin=rows * columns,
        solve_budget=SMALL_BUDGET if lines <= SMALL_LINES else SOLVE_BUDGET,
        moves_again=_completes_a_box,
        notation=DotsNotation(rows, columns),
        picture=DotsPicture(rows, columns),
        players=("A", "B"),
    )


def sequence_game(plain: Game) -> Game:
    """A game whose positions remember the order of their lines, and which nets may see as a sequence of pictures."""
    lines = plain.action_count
    sequence = _sequence_encoding(plain.encodings["grey2018"], lines)
    return replace(
        plain,
        name=f"{plain.name}/{SEQUENCE}",
        title=f"{plain.title}, with the order of the lines",
        rules=SEQUENCE_RULES,
        state_size=plain.state_size + lines,
        encodings={**plain.encodings, "sequence2018": sequence},
    )


def _make(board: str) -> Game:
    found = re.fullmatch(r"(\d+)x(\d+)(/.*)?", board)
    if not found or found[3] not in (None, f"/{SEQUENCE}"):
        raise UnknownName(f"'dots:{board}' is not a board; {FAMILY.usage}.")
    rows, columns = int(found[1]), int(found[2])
    if not (1 <= rows <= LARGEST and 1 <= columns <= LARGEST):
        raise UnknownName(f"'dots:{board}' is out of range: 1 to {LARGEST} rows and columns of boxes.")
    plain = dots_game(rows, columns)
    return sequence_game(plain) if found[3] else plain


FAMILY = Family(
    name="dots",
    title="Dots and Boxes",
    examples=("dots:5x5", "dots:3x3", "dots:3x7"),
    usage=(
        f"dots:ROWSxCOLUMNS in boxes, such as dots:5x5, up to {LARGEST}x{LARGEST}, "
        f"with /{SEQUENCE} for positions that remember the order of the lines"
    ),
    make=_make,
    formats=FORMATS,
)
