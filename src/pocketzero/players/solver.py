"""What a solver is: it knows the exact value of every move, or says that it cannot find it within its budget."""

from __future__ import annotations

from abc import ABC, abstractmethod

from pocketzero.errors import PocketZeroError
from pocketzero.games import Position


class Unsolved(PocketZeroError):
    """The budget was spent before the value was found."""


class Solver(ABC):
    """Exact values of one game on one board.

    A value is the result for the player to move under best play by both: the final margin where the game keeps a
    score, otherwise 1, 0 or -1. Any thread may ask; a solver that searches answers one question after the other.
    """

    @abstractmethod
    def value(self, position: Position) -> int:
        """The value of a position for the player to move; raises ``Unsolved`` if the budget does not suffice."""

    def move_values(self, position: Position) -> dict[int, int]:
        """The value of every legal action for the player to move."""
        return {action: self._after(position, action) for action in position.legal_actions()}

    def _after(self, position: Position, action: int) -> int:
        """The value of an action for the player who makes it; whose turn is next is read from the position."""
        after = position.play_action(action)
        if after.is_over:
            return result_for(after, position.to_move)
        value = self.value(after)
        return value if after.to_move == position.to_move else -value


def result_for(position: Position, player: int) -> int:
    """The result of a finished game for a player: its margin where there is one, otherwise 1, 0 or -1."""
    if position.margin is not None:
        return position.margin if player == 0 else -position.margin
    return {0: 1, 1: -1}.get(int(position.outcome), 0) * (1 if player == 0 else -1)
