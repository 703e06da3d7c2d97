"""Exact values for analyses: the solvers, asked in small portions of time by one analysis at once.

A solver keeps what it has learned for the next question, so short questions that fail still bring an answer nearer.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position
from pocketzero.players.solver import Solver
from pocketzero.players.solvers import solver_for

TRY_SECONDS = 0.1  # one question of a live analysis
MOST_KEPT = 3  # solvers; they hold large tables
WHOLE_BUDGET = 6.0  # seconds that one position may cost in all


class SharedSolver:
    """The solver of one game; whoever finds it busy does something else meanwhile."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._solver: Solver | None = None
        self._lock = threading.Lock()
        self._solved: OrderedDict[str, dict[int, int]] = OrderedDict()

    def move_values(self, position: Position, seconds: float) -> dict[int, int] | None:
        """The value of every action for the player to move, or None if it is not known within the seconds."""
        key = position.text
        if key in self._solved:
            return self._solved[key]
        if not self._lock.acquire(timeout=seconds):
            return None
        try:
            if self._solver is None:
                self._solver = solver_for(self._game)
            self._solver.seconds = seconds  # type: ignore[attr-defined]
            values = self._solver.move_values(position)
        except PocketZeroError:  # not solved in time, or never on this board
            return None
        finally:
            self._lock.release()
        self._solved[key] = values
        while len(self._solved) > 2000:
            self._solved.popitem(last=False)
        return values


_solvers: OrderedDict[str, SharedSolver] = OrderedDict()
_solvers_lock = threading.Lock()


def shared_solver(game: Game) -> SharedSolver | None:
    """The solver of a game, or None if it has none."""
    from pocketzero.players.base import family_of
    from pocketzero.players.solvers import SOLVERS

    if family_of(game) not in SOLVERS:
        return None
    with _solvers_lock:
        solver = _solvers.setdefault(game.name, SharedSolver(game))
        _solvers.move_to_end(game.name)
        while len(_solvers) > MOST_KEPT:
            _solvers.popitem(last=False)
        return solver


class ExactValues:
    """The exact values of one position, as soon as they are known."""

    def __init__(self, position: Position, whole: float = WHOLE_BUDGET) -> None:
        self._position = position
        self._left = whole
        self._solver = shared_solver(position.game) if worth_trying(position) else None
        self.values: dict[int, int] | None = None

    @property
    def is_open(self) -> bool:
        """Whether another question may bring the answer."""
        return self._solver is not None and self.values is None and self._left > 0

    def try_for(self, seconds: float) -> bool:
        """Ask the solver for so long; says whether the values have just become known."""
        if not self.is_open:
            return False
        assert self._solver is not None
        begin = time.monotonic()
        self.values = self._solver.move_values(self._position, seconds)
        self._left -= max(seconds / 2, time.monotonic() - begin)
        return self.values is not None


def worth_trying(position: Position) -> bool:
    """Whether the solver can be expected to say anything within seconds."""
    if position.is_over:
        return False
    left = len(position.legal_actions())
    return left <= (46 if position.game.has_margin else 49)
