"""A position in words for the page, with the chains that it lights up."""

from __future__ import annotations

from typing import Any

import numpy as np

from pocketzero.games import Position
from pocketzero.games.dots.chains import CHAIN, HALF_OPEN, KIND, LENGTH, LONG, LOOP, OPEN
from pocketzero.players.base import family_of
from pocketzero.players.dots.explain import Survey, explain

NAMES = {CHAIN: "chain", LOOP: "loop", HALF_OPEN: "open", OPEN: "open"}


def explanation(position: Position, *, words: bool = True) -> dict[str, Any]:
    """Sentences, and in Dots and Boxes the chains with their boxes."""
    if family_of(position.game) != "dots":
        return {"sentences": _standing(position), "chains": []}
    sentences = explain(position) if words else []
    return {"sentences": sentences, "chains": [] if position.is_over else _chains(position)}


def _chains(position: Position) -> list[dict[str, Any]]:
    found = Survey(position)
    return [
        {
            "kind": NAMES.get(int(chain[KIND]), "chain"),
            "length": int(chain[LENGTH]),
            "long": bool(chain[KIND] == LOOP or chain[LENGTH] >= LONG),
            "boxes": [int(box) for box in np.flatnonzero(found.chain_of_box == number)],
        }
        for number, chain in enumerate(found.chains)
    ]


def _standing(position: Position) -> list[str]:
    """The last line of the picture in letters, which says how the game stands."""
    return [str(position).splitlines()[-1]]
