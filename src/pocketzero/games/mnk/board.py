"""The m,n,k games by name: ``mnk:5x5x4``, ``mnk:15x15x5/standard``, ``gomoku:15``."""

from __future__ import annotations

import re

import numpy as np

from pocketzero.errors import UnknownName
from pocketzero.games.base import Encoding, Game, Rules
from pocketzero.games.grid import permutations, plane_permutations, rectangle_turns
from pocketzero.games.mnk import rules
from pocketzero.games.registry import Family

LARGEST = 25
RULES = Rules(
    start=rules.start,
    legal=rules.legal,
    play=rules.play,
    to_move=rules.to_move,
    outcome=rules.outcome,
    key=rules.key,
)


def mnk_game(columns: int, rows: int, k: int, *, exactly: bool = False) -> Game:
    """The game on a board of this size."""
    cells = columns * rows
    places = [(float(row), float(column)) for row in range(rows) for column in range(columns)]
    turned = permutations(places, rectangle_turns(rows - 1, columns - 1))
    return Game(
        name=f"mnk:{columns}x{rows}x{k}" + ("/standard" if exactly else ""),
        title=f"{k} in a row on {columns}x{rows}" + (", exactly" if exactly else ""),
        rules=RULES,
        geometry=np.concatenate([[columns, rows, k, int(exactly)], turned.ravel()]).astype(np.int64),
        state_size=rules.STONES + 2 * ((cells + 63) // 64),
        action_count=cells,
        max_length=cells,
        encodings={
            "stones": Encoding(
                encode=rules.encode,
                shape=(2, rows, columns),
                mask=np.ones((rows, columns), np.float32),
                symmetries=plane_permutations(turned, 2),
            )
        },
        symmetries=turned,
        players=("x", "o"),
    )


def _make(board: str) -> Game:
    found = re.fullmatch(r"(\d+)x(\d+)x(\d+)(/standard|/freestyle)?", board)
    if not found:
        raise UnknownName(f"'mnk:{board}' is not a board; {FAMILY.usage}.")
    columns, rows, k = (int(number) for number in found.groups()[:3])
    if not (1 <= columns <= LARGEST and 1 <= rows <= LARGEST and 1 <= k <= max(columns, rows)):
        raise UnknownName(
            f"'mnk:{board}' is out of range: 1 to {LARGEST} columns and rows, and k at most the longer side."
        )
    return mnk_game(columns, rows, k, exactly=found[4] == "/standard")


def _make_gomoku(board: str) -> Game:
    found = re.fullmatch(r"(\d+)(/standard|/freestyle)?", board)
    if not found or not 5 <= int(found[1]) <= LARGEST:
        raise UnknownName(f"'gomoku:{board}' is not a board; {GOMOKU.usage}.")
    size = int(found[1])
    return mnk_game(size, size, 5, exactly=found[2] == "/standard")


FAMILY = Family(
    name="mnk",
    title="k in a row on m x n cells",
    examples=("mnk:5x5x4", "mnk:3x3x3", "mnk:15x15x5/standard"),
    usage="mnk:COLUMNSxROWSxK, such as mnk:5x5x4, with /standard for exactly K in a row",
    make=_make,
)
GOMOKU = Family(
    name="gomoku",
    title="Gomoku, five in a row",
    examples=("gomoku:15", "gomoku:15/standard"),
    usage="gomoku:SIZE, such as gomoku:15, with /standard for exactly five in a row",
    make=_make_gomoku,
)
