"""The theses' "standard MCTS" as a player: rollout UCT, for any game, without any knowledge of it."""

from __future__ import annotations

from pocketzero.games import Position
from pocketzero.search import Rollouts, Search

SECONDS = 1.0


class UctPlayer:
    """Searches each position for so long with random games."""

    name = "uct"

    def __init__(self, seconds: float = SECONDS, *, seed: int = 0) -> None:
        self.seconds = seconds
        self.seed = seed

    def choose(self, position: Position) -> int:
        """The action that was tried most, a proven win first; a forced move is not thought about."""
        legal = position.legal_actions()
        if len(legal) == 1:
            return legal[0]
        search = Search(position, Rollouts(), seed=self.seed + position.ply)
        search.run(seconds=self.seconds)
        return search.choose()
