"""The symmetries of rectangles, and turning permutations of cells into permutations of planes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pocketzero.games.base import Symmetries

Point = tuple[float, float]  # row, column
Turn = Callable[[float, float], Point]


def rectangle_turns(height: float, width: float) -> list[Turn]:
    """The 8 symmetries of a square or the 4 of another rectangle, as maps of points (row, column) in it."""
    turns: list[Turn] = [
        lambda r, c: (r, c),
        lambda r, c: (r, width - c),
        lambda r, c: (height - r, c),
        lambda r, c: (height - r, width - c),
    ]
    if height == width:
        turns += [lambda r, c, turn=turn: turn(c, r) for turn in turns[:4]]  # type: ignore[misc]
    return turns


def permutations(places: list[Point], turns: list[Turn]) -> Symmetries:
    """Where each turn takes each of these places."""
    index = {place: number for number, place in enumerate(places)}
    return np.array([[index[turn(r, c)] for r, c in places] for turn in turns], np.int32)


def plane_permutations(cells: Symmetries, planes: int) -> Symmetries:
    """The same permutation of the cells in each of several planes."""
    size = cells.shape[1]
    offsets = np.arange(planes, dtype=np.int32)[:, None] * size
    return (cells[:, None, :] + offsets).reshape(len(cells), planes * size).astype(np.int32)
