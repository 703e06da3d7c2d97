"""The simplest player that is not foolish: it plays random games after each of its moves and takes the best."""

from __future__ import annotations

from pocketzero.games import Outcome, Position

GAMES = 4000  # random games in all, shared out among the moves


class RolloutPlayer:
    """Flat Monte Carlo: every legal move gets the same number of random games."""

    name = "rollouts"

    def __init__(self, games: int = GAMES) -> None:
        self.games = games

    def choose(self, position: Position, *, seed: int = 0) -> int:
        """The action after which the player to move scores best in random games."""
        legal = position.legal_actions()
        share = max(1, self.games // len(legal))
        return max(legal, key=lambda action: self._score(position, action, share, seed))

    def _score(self, position: Position, action: int, games: int, seed: int) -> float:
        after = position.play_action(action)
        first_score = after.random_games(games, seed=seed * 1_000_003 + action).first_score
        if after.outcome is Outcome.FIRST or after.outcome is Outcome.SECOND:
            first_score = float(after.outcome is Outcome.FIRST)
        return first_score if position.to_move == 0 else 1 - first_score
