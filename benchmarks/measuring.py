"""Timing on noisy machines: both sides take turns, several times, and the median counts."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

ROUNDS = 5


def seconds(work: Callable[[], int]) -> float:
    """The time of one unit of work; ``work`` says how many units it did."""
    begin = time.perf_counter()
    units = work()
    return (time.perf_counter() - begin) / units


def side_by_side(*works: Callable[[], int], rounds: int = ROUNDS) -> list[float]:
    """The median time of one unit of each work, measured in turns."""
    times = [[seconds(work) for work in works] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times)]


def verdict(ratio: float, bar: float) -> str:
    """Whether a bar is reached, in a word."""
    return f"bar {bar:g}x: {'reached' if ratio >= bar else 'MISSED'}"
