"""Where the rings of a Zertz board lie, told by the lengths of its columns from left to right.

Rings are numbered column by column from the bottom: 0 is a1. Neighbouring columns differ by one ring, so that every
ring sits in the gap between two of the next column. For nets, which need a rectangle, the board is sheared onto
an axial grid: a step up stays in the column, a step to the upper right goes one column and one row further.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pocketzero.errors import UnknownName
from pocketzero.games.base import Symmetries

BOARDS = {
    19: (3, 4, 5, 4, 3),
    37: (4, 5, 6, 7, 6, 5, 4),
    48: (5, 6, 7, 8, 7, 6, 5, 4),
    61: (5, 6, 7, 8, 9, 8, 7, 6, 5),
}
MOST_RINGS = 63  # a set of rings is a signed 64-bit word
LETTERS = "abcdefghijklmnopqrstuvwxyz"
DIRECTIONS = ((0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0))  # columns and rows of the grid, once around

Place = tuple[int, int]  # column and row of the grid, from the bottom left


@dataclass(frozen=True)
class Layout:
    """The rings of a full board."""

    columns: tuple[int, ...]

    def __post_init__(self) -> None:
        if not 2 <= len(self.columns) <= len(LETTERS) or min(self.columns) < 1:
            raise UnknownName(f"A Zertz board has 2 to {len(LETTERS)} columns of at least one ring each.")
        for left, right in pairwise(self.columns):
            if abs(left - right) != 1:
                raise UnknownName(f"Neighbouring columns of a Zertz board differ by one ring, unlike {left}-{right}.")
        if sum(self.columns) > MOST_RINGS:
            raise UnknownName(f"A Zertz board has at most {MOST_RINGS} rings; this one has {sum(self.columns)}.")

    @property
    def name(self) -> str:
        """The number of rings for the usual boards, the lengths of the columns for others."""
        known = {columns: str(rings) for rings, columns in BOARDS.items()}
        return known.get(self.columns, "-".join(map(str, self.columns)))

    @property
    def rings(self) -> int:
        """How many rings there are."""
        return sum(self.columns)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What people call the rings: a1, a2, …"""
        return tuple(f"{LETTERS[c]}{row}" for c, length in enumerate(self.columns) for row in range(1, length + 1))

    @cached_property
    def ring_named(self) -> dict[str, int]:
        """The rings by name; on nine columns j is another letter for the last, as some records have it."""
        rings = {name: ring for ring, name in enumerate(self.names)}
        if len(self.columns) == 9:
            rings |= {f"j{name[1:]}": ring for name, ring in rings.items() if name[0] == "i"}
        return rings

    @cached_property
    def heights(self) -> tuple[tuple[int, int], ...]:
        """The column of each ring and its height in half steps, as the board is drawn."""
        bottom = 0
        heights = []
        for column, length in enumerate(self.columns):
            if column:
                bottom += self.columns[column - 1] - length
            heights += [(column, bottom + 2 * row) for row in range(length)]
        lowest = min(height for _, height in heights)
        return tuple((column, height - lowest) for column, height in heights)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The place of each ring on the axial grid."""
        sheared = [(column, (height + column) // 2) for column, height in self.heights]
        lowest = min(row for _, row in sheared)
        return tuple((column, row - lowest) for column, row in sheared)

    @property
    def width(self) -> int:
        """Columns of the grid."""
        return len(self.columns)

    @cached_property
    def height(self) -> int:
        """Rows of the grid."""
        return 1 + max(row for _, row in self.places)

    @property
    def cell_count(self) -> int:
        """Cells of the grid, on the board or beside it."""
        return self.width * self.height

    @cached_property
    def cells(self) -> tuple[int, ...]:
        """The cell of each ring; cells are numbered row by row from the top left of the grid."""
        return tuple((self.height - 1 - row) * self.width + column for column, row in self.places)

    @cached_property
    def mask(self) -> NDArray[np.float32]:
        """The grid, with 1 where the board has a ring."""
        mask = np.zeros(self.cell_count, np.float32)
        mask[list(self.cells)] = 1
        return mask.reshape(self.height, self.width)

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """For each ring the six rings around it, in the order of ``DIRECTIONS``; -1 is off the board."""
        at = {place: ring for ring, place in enumerate(self.places)}
        return tuple(tuple(at.get((c + right, r + up), -1) for right, up in DIRECTIONS) for c, r in self.places)

    @cached_property
    def turns(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """The symmetries of the board: where each takes the rings and the directions; the first moves nothing."""
        centre = [sum(place[axis] for place in self.places) for axis in (0, 1)]
        centred = [(self.rings * c - centre[0], self.rings * r - centre[1]) for c, r in self.places]
        ring_at = {place: ring for ring, place in enumerate(centred)}
        direction_of = {vector: direction for direction, vector in enumerate(DIRECTIONS)}
        turns = []
        for mirrored in (False, True):
            for sixths in range(6):
                places = [_turned(place, sixths, mirrored) for place in centred]
                if set(places) == set(centred):
                    directions = tuple(direction_of[_turned(vector, sixths, mirrored)] for vector in DIRECTIONS)
                    turns.append((tuple(ring_at[place] for place in places), directions))
        return tuple(turns)

    @cached_property
    def cell_turns(self) -> Symmetries:
        """Where the symmetries take the cells of the grid; those beside the board stay where they are."""
        turned = np.tile(np.arange(self.cell_count, dtype=np.int32), (len(self.turns), 1))
        cells = np.array(self.cells, np.int32)
        for number, (rings, _) in enumerate(self.turns):
            turned[number, cells] = cells[list(rings)]
        return turned


def _turned(place: Place, sixths: int, mirrored: bool) -> Place:
    """A place of the grid after turning by sixths of a circle about the origin, mirrored first if asked for."""
    column, row = place[::-1] if mirrored else place
    for _ in range(sixths):
        column, row = row, row - column
    return column, row
