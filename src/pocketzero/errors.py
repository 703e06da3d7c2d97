"""The mistakes people make, as exceptions whose message is a sentence for the person who made them."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable


class PocketZeroError(ValueError):
    """Anything that a user can put right; the command line prints it and exits with code 2."""


class UnknownName(PocketZeroError):
    """A name (of a game, an encoding, a record format, …) that does not exist."""


class IllegalMove(PocketZeroError):
    """A move that cannot be read, or that the rules do not allow here."""


class BadPosition(PocketZeroError):
    """A position text that cannot be read, or a position that cannot be."""


class BadRecord(PocketZeroError):
    """A game record that is damaged, cut short, or not in a supported format."""


class BrokenGame(PocketZeroError):
    """A game that does not keep the promises of the contract."""


def nearest(word: str, names: Iterable[str]) -> str:
    """A hint such as ``did you mean 'dots'? `` for a mistyped word, or an empty text."""
    close = difflib.get_close_matches(word.lower(), list(names), n=1, cutoff=0.5)
    return f"Did you mean {close[0]!r}? " if close else ""


def need_finite(what: str, number: float) -> None:
    """A time that is not a number, has no end or is negative is a mistake."""
    if not 0 <= number < math.inf:
        raise PocketZeroError(f"{what} must be a finite number of at least 0, not {number:g}.")


def shortened(items: Iterable[str], most: int = 12) -> str:
    """A comma-separated list that stays readable when it is long."""
    words = list(items)
    rest = len(words) - most
    return ", ".join(words[:most]) + (f" and {rest} more" if rest > 0 else "")
