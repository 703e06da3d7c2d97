"""Games that clients may name: those of the installed families, never a file."""

from __future__ import annotations

from functools import lru_cache

from pocketzero.errors import UnknownName
from pocketzero.games import Game, family
from pocketzero.games.registry import is_file_name

LONGEST_NAME = 100


@lru_cache(maxsize=64)
def game_named(name: str) -> Game:
    """The game that a client names. Zertz is played in steps here, whatever form its name asks for."""
    name = name.strip()
    if len(name) > LONGEST_NAME or is_file_name(name) or "\0" in name:
        raise UnknownName("A game is named like dots:5x5, zertz:37 or gomoku:15.")
    kind, _, board = name.partition(":")
    if kind == "zertz":
        board = "/".join(word for word in board.split("/") if word.strip().lower() not in ("joint", "split"))
    return family(kind).make(board)
