"""The theses' "standard MCTS" as a player: rollout UCT, for any game, without any knowledge of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position
from pocketzero.players.base import Kind, Player
from pocketzero.search import Rollouts, Search, Settings
from pocketzero.search.forest import bytes_per_node
from pocketzero.search.rollout import UCT_CONSTANT


@dataclass(frozen=True, kw_only=True)
class UctOptions:
    """How long to search, and how widely."""

    sims: int = 0
    """Simulations for each move; 0 leaves it to the time."""
    seconds: float = 0.0
    """Seconds for each move; 0 leaves it to the simulations. With neither, one second."""
    memory: int = 0
    """MiB for the tree; when they are full, the search ends. 0 leaves it to the search."""
    c: float = UCT_CONSTANT
    """The exploration constant of UCB1 (da Costa 2022: 1.41)."""

    def __post_init__(self) -> None:
        if min(self.sims, self.seconds, self.memory, self.c) < 0:
            raise PocketZeroError("uct: sims, seconds, memory and c cannot be negative.")


class UctPlayer(Player):
    """Searches each position with random games."""

    def __init__(self, game: Game, options: UctOptions) -> None:
        self.sims = options.sims or None
        self.seconds = options.seconds or (None if self.sims else 1.0)
        self._search: Search | None = None
        self._settings = Settings(c=options.c, solved=False)
        if options.memory:
            nodes = max(2, (options.memory << 20) // bytes_per_node(game))
            self._settings = replace(self._settings, max_nodes=min(nodes, self._settings.max_nodes))

    def begin(self, seed: int) -> None:
        """The random games come from this seed."""
        self._seed = seed

    def choose(self, position: Position) -> int:
        """The action that was tried most, a proven win first; a forced move is not thought about."""
        legal = position.legal_actions()
        if len(legal) == 1:
            return legal[0]
        search = self._search = Search(position, Rollouts(), self._settings, seed=self._seed + position.ply)
        search.run(sims=self.sims, seconds=self.seconds)
        self._search = None
        return search.choose()

    def stop(self) -> None:
        """Play what was tried most so far."""
        if search := self._search:
            search.stop()


KINDS = [
    Kind(
        name="uct",
        summary="tree search with random games at its leaves, for any game",
        options=UctOptions,
        make=UctPlayer,
    )
]
