"""Recorded searches: visit counts for fixed seeds, kept as data, so that a change of the search is noticed.

``python tests/golden_trees.py`` records them anew; a change of the file needs a reason in its commit.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

FILE = Path(__file__).parent / "data" / "golden_trees.json"
MOVES = {
    "dots:3x3": "aA Bb Cc",
    "zertz:37": "Gd3,d7 Wd5,d1 Bf3,a4",
    "mnk:5x5x4": "c3 b2 d4",
}
KINDS: dict[str, dict[str, object]] = {
    "puct": {"noise": 0.25, "leaves": 4},
    "puct-plain": {"symmetry": "none", "transposed": False, "solved": False, "leaves": 1},
    "gumbel": {"gumbel": 16},
}
SIMULATIONS = {"puct": 400, "puct-plain": 200, "gumbel": 48}


def visits(name: str, kind: str) -> dict[str, int]:
    """How often each root move was tried."""
    from pocketzero.games import game
    from pocketzero.search import search
    from test_search_pieces import Hashed

    position = game(name).start().play_line(MOVES[name])
    result = search(position, Hashed(position.game), sims=SIMULATIONS[kind], seed=7, **KINDS[kind])
    return {move.move: move.visits for move in sorted(result.moves, key=lambda move: move.action) if move.visits}


def record() -> dict[str, dict[str, dict[str, int]]]:
    """All recorded searches."""
    return {name: {kind: visits(name, kind) for kind in KINDS} for name in MOVES}


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    FILE.write_text(json.dumps(record(), indent=1) + "\n")
