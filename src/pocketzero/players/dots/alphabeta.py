"""The alpha-beta player of Peters' theses at Dots and Boxes, on any board.

Iterative deepening over whole turns (``turns``), with a table of two bounds a position, the exact reductions, and
exact values of endgames of long chains and loops. As in the thesis (2018, section 7.1.2), a search that did not even
get through a tenth of the moves is not trusted: then a safe line, or the one that gives away least, is drawn.

What departs from the thesis: the evaluation. Where the depth ends, boxes are not only counted; once every box that is
left belongs to a chain or a loop, these are played out by formula as if they were apart. And each line's history
(Schaeffer 1989) orders the safe lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position
from pocketzero.games.dots.chains import CHAIN_FIELDS
from pocketzero.games.dots.rules import BOXES, LINES
from pocketzero.players.base import Kind, Player, random_source
from pocketzero.players.budget import stop_after
from pocketzero.players.dots.levels import MEDIUM, choose_line
from pocketzero.players.dots.turns import GUESSES, LIMIT, NODES, STOP, TALLIES, search_root

TRUSTED = 0.1  # the part of the root moves that must have been searched (Peters 2018: 10 %)
DEEPEST = 60  # turns
TABLE_BITS = 20
NO_LIMIT = 1 << 60


@dataclass(frozen=True, kw_only=True)
class AlphaBetaOptions:
    """How long to search."""

    seconds: float = 1.0
    """Seconds for each move; 0 leaves it to the nodes."""
    nodes: int = 0
    """Positions for each move; 0 leaves it to the time. The same number gives the same moves on any machine."""

    def __post_init__(self) -> None:
        if self.seconds < 0 or self.nodes < 0:
            raise PocketZeroError("alphabeta: seconds and nodes cannot be negative.")
        if not self.seconds and not self.nodes:
            raise PocketZeroError("alphabeta: give it seconds or nodes, or it would never move.")


class AlphaBetaPlayer(Player):
    """Searches whole turns, deeper and deeper, until the budget is spent or the position is solved."""

    def __init__(self, game: Game, options: AlphaBetaOptions) -> None:
        lines, boxes, plies = int(game.geometry[LINES]), int(game.geometry[BOXES]), 2 * DEEPEST + 4
        self._game = game
        self._options = options
        self._tally = np.zeros(TALLIES, np.int64)
        self._states = np.zeros((plies, game.state_size), np.int64)
        self._history = np.zeros(lines, np.int64)
        self._table = np.zeros(2 << TABLE_BITS, np.int64)
        self._context = (
            game.geometry,
            self._states,
            np.zeros((plies, boxes), np.int32),
            np.zeros((plies, boxes, CHAIN_FIELDS), np.int32),
            np.zeros((plies, lines + boxes), np.int32),
            np.zeros((plies, lines + boxes + 2), np.int64),
            self._history,
            self._table,
            self._tally,
        )
        self.depth = 0  # how many turns deep the last search went
        self.begin(0)

    def begin(self, seed: int) -> None:
        """Among moves that seem equal the seed decides; nothing is remembered of the game before."""
        self._seed = seed
        self._table[:] = 0

    def choose(self, position: Position) -> int:
        """The best line found; where there is no choice, at once."""
        chance = random_source(self._seed + 1_000_003 * position.ply)
        moves = position.reduced_actions() or position.legal_actions()
        chance.shuffle(moves)
        if len(moves) == 1:
            return moves[0]
        self._tally[:] = 0
        self._tally[LIMIT] = self._options.nodes or NO_LIMIT
        self._history[:] = 0
        self._states[0] = position.state
        with stop_after(self._options.seconds or None, self._tally, STOP):
            best = self._deepen(moves)
        if best is None:
            generator = np.array([chance.integers(1 << 62)], np.int64)
            return int(choose_line(self._game.geometry, position.state.copy(), MEDIUM, generator))
        return best

    def stop(self) -> None:
        """Play the best line found so far."""
        self._tally[STOP] = 1

    @property
    def nodes(self) -> int:
        """How many positions the last move has cost."""
        return int(self._tally[NODES])

    def _deepen(self, moves: list[int]) -> int | None:
        """The best move of the deepest search that can be trusted, or None if there is none."""
        best = None
        for self.depth in range(1, DEEPEST + 1):
            self._tally[GUESSES] = 0
            values = np.zeros(len(moves), np.int64)
            done = search_root(*self._context, self.depth, np.array(moves, np.int32), len(moves), values)
            if done < max(1, TRUSTED * len(moves)):
                break
            order = sorted(range(done), key=lambda index: -int(values[index]))
            best = moves[order[0]]
            moves = [moves[index] for index in order] + moves[done:]
            if done < len(moves) or self._tally[GUESSES] == 0:
                break
        return best


KINDS = [
    Kind(
        name="alphabeta",
        summary="the theses' alpha-beta search over whole turns, on any board",
        families=("dots",),
        options=AlphaBetaOptions,
        make=AlphaBetaPlayer,
    )
]
