"""The best player there is for a game, until nets say otherwise."""

from __future__ import annotations

from typing import Protocol

from pocketzero.games import Game, Position
from pocketzero.players.dots.levels import LevelPlayer
from pocketzero.players.uct import UctPlayer


class Player(Protocol):
    """Whatever can choose a move."""

    name: str

    def choose(self, position: Position) -> int:
        """The action to play."""


def best_player(game: Game, *, seed: int = 0) -> Player:
    """Rules for Dots and Boxes, where rollouts are weaker; search with random games for everything else."""
    if game.name.startswith("dots:"):
        return LevelPlayer("hard", seed=seed)
    return UctPlayer(seed=seed)
