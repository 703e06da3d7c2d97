"""What a player is: whatever can choose a move, with a short text name, options, and limits that it states itself.

A *kind* of player (``uct``, ``hard``, ``exact``, …) describes its options as a dataclass and makes players for one
game. ``players.spec`` reads a text such as ``uct:sims=1000`` and finds the kind for the game at hand.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position


class Forfeit(PocketZeroError):
    """A player has lost the game by its own fault: it died, fell silent, was too slow, or broke the rules."""


class CannotPlay(PocketZeroError):
    """A player that does not play this game, or not on this board."""


class Player(ABC):
    """Whatever can choose a move, in one game on one board."""

    text: str = ""  # the text that names it, as people type it
    version: str = ""  # what else decides its play and may change behind the same text (the weights of a net)

    @abstractmethod
    def choose(self, position: Position) -> int:
        """The action to play in a position that is not over."""

    def begin(self, seed: int) -> None:  # noqa: B027 - players without chance or memory need not care
        """A new game begins; what is left to chance in it comes from this seed."""

    def stop(self) -> None:  # noqa: B027 - most players answer at once
        """End the search that is under way; another thread may say so while ``choose`` is at work."""

    def close(self) -> None:  # noqa: B027 - most players hold nothing
        """Let go of what the player holds (an outside program, say); it is not asked again."""


@dataclass(frozen=True, kw_only=True)
class NoOptions:
    """For players without any choice."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of player; several kinds may share a name if they play different games."""

    name: str  # what stands before the colon
    summary: str  # one line for people
    make: Callable[[Game, Any], Player]  # the player for a game, with an instance of ``options``
    options: type = NoOptions  # a frozen dataclass with defaults; a docstring under each field says what it is
    families: tuple[str, ...] = ()  # the games it plays, as ``dots``; none means all
    boards: str = ""  # which boards of them, for people; none means all
    fits: Callable[[Game], bool] = lambda game: True  # whether a board is one of these
    rest: str = ""  # the option that takes a text without ``name=`` (a net, a command)
    at_terminal: bool = False  # whether it is a person, who sits at one board at a time and reads this terminal
    whole_rest: bool = False  # whether that text is all that follows the colon, commas and all


def family_of(game: Game) -> str:
    """The family of a game: ``dots`` for ``dots:5x5``."""
    return game.name.partition(":")[0]


def random_source(seed: int) -> np.random.Generator:
    """Random numbers for a player: the same seed gives the same ones."""
    return np.random.default_rng(seed & (1 << 63) - 1)
