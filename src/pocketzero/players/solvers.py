"""Finding the solver of a game."""

from __future__ import annotations

import importlib
import math

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game
from pocketzero.players.base import CannotPlay, family_of
from pocketzero.players.solver import Solver

SOLVERS = {"dots": ("dots.exact", "DotsSolver"), "mnk": ("mnk.exact", "MnkSolver")}  # by family: module and class


def solver_for(game: Game, *, seconds: float = 60.0) -> Solver:
    """The solver of a game; a question that takes longer than ``seconds`` ends with ``Unsolved``."""
    if not 0 < seconds < math.inf:
        raise PocketZeroError(f"A solver needs a finite number of seconds above 0, not {seconds:g}.")
    family = family_of(game)
    if family not in SOLVERS:
        raise CannotPlay(f"There is no solver for {game.name}; there are some for {', '.join(SOLVERS)}.")
    module, name = SOLVERS[family]
    return getattr(importlib.import_module(f"pocketzero.players.{module}"), name)(game, seconds=seconds)
