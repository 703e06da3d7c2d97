"""Games: rules, notation, pictures, symmetries and planes. Nothing here knows of search or learning."""

from __future__ import annotations

from pocketzero.games.base import Encoding, Game, Notation, Outcome, Picture, Position, Rules
from pocketzero.games.check import check_game
from pocketzero.games.registry import Family, families, family, game
from pocketzero.games.table import rule

__all__ = [
    "Encoding",
    "Family",
    "Game",
    "Notation",
    "Outcome",
    "Picture",
    "Position",
    "Rules",
    "check_game",
    "families",
    "family",
    "game",
    "rule",
]
