"""Numbers that change in the course of a run, written as a value: ``0:0.002 0.8:0.002 1:0.0002``."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from pocketzero.errors import PocketZeroError


@dataclass(frozen=True)
class Schedule:
    """Straight lines between points; the first number of each is the share of the run that is over, from 0 to 1."""

    points: tuple[tuple[float, float], ...]

    @classmethod
    def read(cls, text: str | float) -> Schedule:
        """A plain number, or points with spaces between them."""
        try:
            words = [word.partition(":") for word in str(text).split()]
            points = [(float(at), float(value)) if colon else (0.0, float(at)) for at, colon, value in words]
        except ValueError:
            points = []
        in_order = all(before[0] < after[0] for before, after in pairwise(points))
        if not points or not in_order or not all(0 <= at <= 1 for at, _ in points):
            raise PocketZeroError(
                f"A schedule is a number, or points in order such as '0:0.002 0.8:0.002 1:0.0002', not {text!r}."
            )
        return cls(tuple(points))

    def at(self, progress: float) -> float:
        """The number when so much of the run is over."""
        if progress <= self.points[0][0]:
            return self.points[0][1]
        for (begin, first), (end, last) in pairwise(self.points):
            if progress <= end:
                return first + (last - first) * (progress - begin) / (end - begin)
        return self.points[-1][1]
