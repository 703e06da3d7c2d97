"""A player of the m,n,k games for large boards: it sees every row of threats that wins, for both sides.

It wins at once or blocks, looks for a win by fours, then by threes and fours. If the opponent, given another move,
would have such a win, it plays only moves that prevent it. Otherwise a shallow search of the living windows decides.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position
from pocketzero.games.mnk.threats import STOP, change_stone, forced_win, new_lines, set_up, winning_cell
from pocketzero.players.base import Kind, Player, random_source
from pocketzero.players.budget import stop_after
from pocketzero.players.mnk.patterns import judge_move, promising_moves

THREES = 8  # at most so many threes in a win by force
WIDTH = 10  # moves tried in each position of the shallow search
ROOT_WIDTH = 16  # and at its root
DEPTH = 3  # plies behind the move that is judged
DEFENCES = 32  # moves looked at when the opponent must be stopped
SHARE = 4  # each of them gets so much less of the nodes
TABLE = 1 << 16
LONGEST = 60  # plies behind a move, when there is time for more


@dataclass(frozen=True, kw_only=True)
class ThreatOptions:
    """How far to look."""

    nodes: int = 10_000
    """Positions for each search of a win by force."""
    seconds: float = 0.0
    """Seconds for each move, used for deeper searches; 0 leaves it to the nodes."""

    def __post_init__(self) -> None:
        if self.nodes < 1 or self.seconds < 0:
            raise PocketZeroError("threats: nodes must be at least 1, and seconds cannot be negative.")


class ThreatPlayer(Player):
    """Plays by threats on one board."""

    def __init__(self, game: Game, options: ThreatOptions) -> None:
        self._nodes, self._seconds = options.nodes, options.seconds
        self._lines = new_lines(game.geometry, TABLE)
        self._scores = np.zeros(game.action_count, np.int64)
        self._chance = random_source(0)

    def begin(self, seed: int) -> None:
        """Among moves of the same worth chance decides; nothing is remembered, so that the same seed plays the same."""
        self._chance = random_source(seed)
        self._lines.failed[:] = 0

    def choose(self, position: Position) -> int:
        """The first of: a win, a block, a win by force, a defence, the most promising move."""
        lines, me = self._lines, position.to_move
        set_up(lines, position._state)
        self._ends = time.monotonic() + self._seconds
        if winning_cell(lines, 1 - me) == -1 or winning_cell(lines, me) != -1:
            for threes in (0, THREES):
                cell = int(forced_win(lines, me, threes, self._nodes))
                if cell >= 0:
                    return cell
        moves = self._promising(me, ROOT_WIDTH)
        if not moves:
            return position.legal_actions()[0]
        if len(moves) > 1 and forced_win(lines, 1 - me, THREES, self._nodes) >= 0:
            moves = self._safe_moves(me) or moves
        return self._best(moves, me)

    def stop(self) -> None:
        """Look no further."""
        self._lines.numbers[STOP] = 1

    def _promising(self, player: int, width: int) -> list[int]:
        """The moves worth judging, the best first."""
        count = promising_moves(self._lines, player, width, self._scores)
        return [int(cell) for cell in self._lines.stack[:count]]

    def _safe_moves(self, me: int) -> list[int]:
        """Moves after which the opponent has no win by force; if there is none, at least none by fours."""
        by_fours, by_threes = [], []
        nodes = max(self._nodes // SHARE, 1)
        for cell in self._promising(me, DEFENCES):
            change_stone(self._lines, cell, me, 1)
            if forced_win(self._lines, 1 - me, 0, nodes) < 0:
                by_fours.append(cell)
                if forced_win(self._lines, 1 - me, THREES, nodes) < 0:
                    by_threes.append(cell)
            change_stone(self._lines, cell, me, -1)
        return (by_threes or by_fours)[:ROOT_WIDTH]

    def _best(self, moves: list[int], me: int) -> int:
        """The move with the highest value in the shallow search, deeper as long as there is time."""
        if len(moves) == 1:
            return moves[0]
        best = self._judged(moves, me, DEPTH)
        depth = DEPTH + 1
        self._lines.numbers[STOP] = 0
        while time.monotonic() < self._ends and depth < LONGEST:
            with stop_after(self._ends - time.monotonic(), self._lines.numbers, STOP):
                deeper = self._judged(moves, me, depth)
            if self._lines.numbers[STOP]:
                break
            best, depth = deeper, depth + 1
        self._lines.numbers[STOP] = 0
        top = max(best.values())
        return int(self._chance.choice([cell for cell, value in best.items() if value == top]))

    def _judged(self, moves: list[int], me: int, depth: int) -> dict[int, int]:
        """The value of each move."""
        return {cell: int(judge_move(self._lines, cell, me, depth, WIDTH, self._scores)) for cell in moves}


KINDS = [
    Kind(
        name="threats",
        summary="finds rows of threats that win, for boards of any size",
        families=("mnk",),
        options=ThreatOptions,
        make=ThreatPlayer,
    )
]
