"""Small boards of Dots and Boxes, solved whole: the value of every set of undrawn lines, one byte each.

For boards of up to 24 lines (3x3 is the largest square one) the table is made in about a second and kept in the
cache folder. A file that is missing, damaged or of another version is made again; where nothing can be written, the
table is made anew in each process.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

import numpy as np
from numba import types
from numpy.typing import NDArray

from pocketzero.bits import Words, lowest
from pocketzero.compiled import kernel
from pocketzero.games.dots.strings import COINS_OF_LINE, LINES_OF_COIN, WORDS, Graph
from pocketzero.places import cache_folder

MOST_TABLE_LINES = 24
VERSION = 1  # of what the file means
Values = NDArray[np.int8]


@kernel(types.void(WORDS, types.int64, types.int8[::1]))
def fill(graph: Words, lines: int, values: Values) -> None:
    """The mover's net boxes for every set of undrawn lines; a smaller set is a smaller number, so it comes first."""
    ground = 1 << lines  # never empty, so never completed
    masks = np.full((lines, 2), ground, np.int64)
    for line in range(lines):
        for side in range(2):
            coin = graph[COINS_OF_LINE + 2 * line + side]
            if coin >= 0:
                masks[line, side] = graph[LINES_OF_COIN + coin]
    values[0] = 0
    for left in range(1, 1 << lines):
        best = np.int64(-128)
        untried = left
        while untried:
            tried = np.uint64(lowest(untried))
            after = left ^ (untried & -untried)
            untried &= untried - 1
            gained = np.int64(((after | ground) & masks[tried, 0]) == 0) + np.int64(
                ((after | ground) & masks[tried, 1]) == 0
            )
            value = np.int64(values[np.uint64(after)])
            best = max(best, gained + value if gained else -value)
        values[np.uint64(left)] = best


def full_table(name: str, graph: Graph) -> Values:
    """The table of a board, from the cache folder or made now."""
    file = cache_folder() / "dots" / f"values-{name.partition(':')[2]}-{VERSION}.bin"
    size = 1 << len(graph.lines)
    values = _read(file, size)
    if values is None:
        values = np.empty(size, np.int8)
        fill(graph.words, len(graph.lines), values)
        _write(file, values)
    return values


def _read(file: Path, size: int) -> Values | None:
    """The table that a file holds, if it is there and whole."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    checksum, payload = content[:32], content[32:]
    if len(payload) != size or hashlib.sha256(payload).digest() != checksum:
        return None
    return np.frombuffer(payload, np.int8)


def _write(file: Path, values: Values) -> None:
    """Keep the table, in one step, if the folder can be written."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as partial:
            partial.write(hashlib.sha256(values.data).digest())
            partial.write(values.data)
        os.replace(partial.name, file)
