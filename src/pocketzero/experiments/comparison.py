"""The paper's numbers and ours side by side, and what chance allows to be said about their differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pocketzero.arena.elo import CONFIDENCE
from pocketzero.arena.mistakes import wilson
from pocketzero.experiments.document import Items, Part, Table, Text, table

Place = tuple[str, str]  # row and column of a number
NOTHING = "–"


@dataclass(frozen=True)
class Share:
    """How often something happened out of so many times."""

    hits: int
    tries: int

    @property
    def value(self) -> float:
        """The share itself."""
        return self.hits / self.tries if self.tries else math.nan

    def __str__(self) -> str:
        if not self.tries:
            return NOTHING
        low, high = wilson(self.hits, self.tries)
        return f"{self.value:.1%} ({low:.1%}–{high:.1%})"


@dataclass(frozen=True)
class Difference:
    """A number of the paper and ours."""

    place: Place
    paper: float
    ours: Share
    paper_tries: int

    @property
    def by_chance(self) -> bool:
        """Whether chance alone makes so large a difference in one of twenty cases or more (two shares, normal)."""
        if not self.ours.tries:
            return True
        tries = self.ours.tries + self.paper_tries
        both = (self.ours.hits + self.paper * self.paper_tries) / tries
        spread = math.sqrt(max(both * (1 - both), 1e-9) * (1 / self.ours.tries + 1 / self.paper_tries))
        return abs(self.ours.value - self.paper) <= CONFIDENCE * spread

    def __str__(self) -> str:
        row, column = self.place
        direction = "more" if self.ours.value > self.paper else "less"
        gap = abs(self.ours.value - self.paper) * 100
        return f"{row}, {column}: {self.ours.value:.1%} here, {self.paper:.1%} there ({gap:.1f} points {direction})"


@dataclass(frozen=True)
class Comparison:
    """A table of shares, the paper's and ours; a number that one side does not have is left out."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    paper: Mapping[Place, float]  # shares from 0 to 1
    ours: Mapping[Place, Share]
    paper_tries: int

    @property
    def differences(self) -> list[Difference]:
        """Every number that both have."""
        return [
            Difference((row, column), self.paper[row, column], self.ours[row, column], self.paper_tries)
            for row in self.rows
            for column in self.columns
            if (row, column) in self.paper and (row, column) in self.ours and self.ours[row, column].tries
        ]

    def table(self) -> Table:
        """For each column the paper's number, then ours with its interval."""
        head = [name for column in self.columns for name in (f"{column}: paper", "ours (95%)")]
        return table(self.title, ["", *head], [[row, *self._cells(row)] for row in self.rows])

    def _cells(self, row: str) -> list[str]:
        cells = []
        for column in self.columns:
            paper, ours = self.paper.get((row, column)), self.ours.get((row, column))
            cells += [NOTHING if paper is None else f"{100 * paper:.4g}%", NOTHING if ours is None else str(ours)]
        return cells

    def parts(self, reasons: Sequence[str] = ()) -> list[Part]:
        """The table, and the differences in words; the reasons are given only if there is something to explain."""
        found = self.differences
        if not found:
            return [self.table(), Text("No number of the paper has one of ours beside it yet.")]
        far = [each for each in found if not each.by_chance]
        said = (
            f"{len(found) - len(far)} of {len(found)} numbers agree with the paper's within chance (at the 5% level, "
            f"about {0.05 * len(found):.1f} of them would seem to differ even if all were the same)."
        )
        if not far:
            return [self.table(), Text(said)]
        largest = sorted(far, key=lambda each: -abs(each.ours.value - each.paper))[:6]
        more = len(far) - len(largest)
        listed = [str(each) for each in largest] + ([f"and {more} smaller ones"] if more else [])
        parts: list[Part] = [self.table(), Text(f"{said} These differ by more:"), Items(tuple(listed))]
        return parts + ([Text("Reasons: " + " ".join(reasons))] if reasons else [])


def percent(rows: Mapping[str, Sequence[float | None]], columns: Sequence[str]) -> dict[Place, float]:
    """The numbers of a paper's table, in percent by row, as shares by place."""
    return {
        (row, column): number / 100
        for row, numbers in rows.items()
        for column, number in zip(columns, numbers, strict=True)
        if number is not None
    }
