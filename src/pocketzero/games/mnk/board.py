"""The m,n,k games by name: ``mnk:5x5x4``, ``mnk:15x15x5/standard``, ``gomoku:15``.

Every game has one name of its own, the shortest ``mnk`` text; other texts, such as ``gomoku:15`` for
``mnk:15x15x5``, lead to the same game.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from pocketzero.errors import UnknownName, nearest
from pocketzero.games.base import Encoding, Game, Rules
from pocketzero.games.grid import permutations, plane_permutations, rectangle_turns
from pocketzero.games.mnk import encodings, rules
from pocketzero.games.mnk.gomoku_sgf import GomokuSgf
from pocketzero.games.mnk.notation import MnkNotation
from pocketzero.games.mnk.picture import MnkPicture
from pocketzero.games.mnk.psq import Psq
from pocketzero.games.mnk.records import VARIANTS, Moves
from pocketzero.games.mnk.threats import solve
from pocketzero.games.registry import Family

LARGEST = 25
RULES = Rules(
    start=rules.start,
    legal=rules.legal,
    play=rules.play,
    to_move=rules.to_move,
    outcome=rules.outcome,
    key=rules.key,
    solve=solve,
)

ENCODINGS = (
    ("stones", rules.encode, encodings.STONE_PLANES),
    ("rows", encodings.encode_rows, encodings.ROW_PLANES),
)
SOLVE_BUDGET = 100  # positions in which fours are looked for at a leaf
SMALL_BUDGET = 200  # and on small boards threes too, where that takes no longer than a net
SMALL_CELLS = 36


@lru_cache(maxsize=256)
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
        solve_budget=SMALL_BUDGET if cells <= SMALL_CELLS else SOLVE_BUDGET,
        encodings={
            name: Encoding(
                encode=encode,
                shape=(planes, rows, columns),
                symmetries=plane_permutations(turned, planes),
                policy_planes=1,
                action_cells=np.arange(cells, dtype=np.int32),
            )
            for name, encode, planes in ENCODINGS
        },
        symmetries=turned,
        notation=MnkNotation(),
        picture=MnkPicture(),
        players=("x", "o"),
    )


def _make(board: str) -> Game:
    """The game named by what stands after ``mnk:``."""
    size, exactly = _size_and_variant("mnk", board)
    numbers = size.split("x")
    if len(numbers) == 2 and all(map(_is_number, numbers)):
        raise UnknownName(f"'mnk:{board}' does not say how many in a row win; {FAMILY.usage}.")
    if len(numbers) != 3 or not all(map(_is_number, numbers)):
        raise UnknownName(f"'mnk:{board}' is not a board; {FAMILY.usage}.")
    columns, rows, k = (int(number) for number in numbers)
    if not (1 <= columns <= LARGEST and 1 <= rows <= LARGEST):
        raise UnknownName(f"'mnk:{board}' is out of range: boards have 1 to {LARGEST} columns and rows.")
    if not 1 <= k <= max(columns, rows):
        raise UnknownName(f"'mnk:{board}' is out of range: on {columns}x{rows}, K is 1 to {max(columns, rows)}.")
    return mnk_game(columns, rows, k, exactly=exactly)


def _make_gomoku(board: str) -> Game:
    """The game named by what stands after ``gomoku:``."""
    size, exactly = _size_and_variant("gomoku", board)
    if re.fullmatch(r"[0-9]{1,3}x[0-9]{1,3}", size):
        raise UnknownName(f"'gomoku:{board}' has one number too many: {GOMOKU.usage}. Other boards: {FAMILY.usage}.")
    if not _is_number(size):
        raise UnknownName(f"'gomoku:{board}' is not a board; {GOMOKU.usage}.")
    if not 5 <= int(size) <= LARGEST:
        raise UnknownName(f"'gomoku:{board}' is out of range: boards have 5 to {LARGEST} columns and rows.")
    return mnk_game(int(size), int(size), 5, exactly=exactly)


def _size_and_variant(family: str, board: str) -> tuple[str, bool]:
    """The two parts of a board text; the second, after a slash, may be missing."""
    size, slash, variant = board.strip().lower().partition("/")
    if slash and variant not in VARIANTS:
        raise UnknownName(
            f"'{family}:{board}': there are no rules called {variant!r}. {nearest(variant, VARIANTS)}"
            f"There are: {' and '.join(VARIANTS)}."
        )
    return size, variant == "standard"


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,3}", text) is not None


FAMILY = Family(
    name="mnk",
    title="k in a row on m x n cells",
    examples=("mnk:5x5x4", "mnk:3x3x3", "mnk:15x15x5/standard"),
    usage="mnk:COLUMNSxROWSxK, such as mnk:5x5x4, with /standard for exactly K in a row",
    make=_make,
    formats=(GomokuSgf(), Psq(), Moves()),
)
GOMOKU = Family(
    name="gomoku",
    title="Gomoku, five in a row",
    examples=("gomoku:15", "gomoku:15/standard"),
    usage="gomoku:SIZE, such as gomoku:15, with /standard for exactly five in a row",
    make=_make_gomoku,
)
