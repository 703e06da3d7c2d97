"""The player that every other must beat: any legal move, by chance."""

from __future__ import annotations

from pocketzero.games import Position
from pocketzero.players.base import Kind, Player, random_source


class RandomPlayer(Player):
    """Plays any legal action."""

    def begin(self, seed: int) -> None:
        """Its whole character."""
        self._chance = random_source(seed)

    def choose(self, position: Position) -> int:
        """One of the legal actions, each as likely as the others."""
        legal = position.legal_actions()
        return legal[self._chance.integers(len(legal))]


KINDS = [Kind(name="random", summary="any legal move, by chance", make=lambda game, options: RandomPlayer())]
