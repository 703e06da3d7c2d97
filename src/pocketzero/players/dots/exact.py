"""The exact solver of Dots and Boxes, and the player that asks it.

Boards of up to 24 lines are looked up in a full table. Boards of up to 62 lines (5x5 has 60) are searched, and so is
the late game of larger ones, from the moment that 62 lines are left. What a search learns is kept for the next
question; a budget of seconds and of positions ends it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position
from pocketzero.games.dots.proof import GENERATION, LIMIT, NODES, ROOM, STOP, TALLIES, find_value, reaches
from pocketzero.games.dots.rules import LINES
from pocketzero.games.dots.strings import MOST_LINES, Graph, graph_left, graph_of, settle
from pocketzero.players.base import Kind, Player, random_source
from pocketzero.players.budget import stop_after
from pocketzero.players.dots.alphabeta import AlphaBetaOptions, AlphaBetaPlayer
from pocketzero.players.dots.full_table import MOST_TABLE_LINES, Values, full_table
from pocketzero.players.solver import Solver, Unsolved

BOARD_BITS, LATE_BITS = 24, 22  # how many positions a search remembers: 2 to this power, 16 bytes each
NO_LIMIT = 1 << 60


class TableNets:
    """Net boxes of the player to move, looked up."""

    nodes = 0

    def __init__(self, name: str, graph: Graph) -> None:
        self.graph = graph
        self._values: Values = full_table(name, graph)

    @contextmanager
    def budget(self, seconds: float | None, nodes: int | None) -> Iterator[None]:
        """A table needs no budget."""
        yield

    def stop(self) -> None:
        """A table is as quick as can be."""

    def net(self, left: int) -> int:
        """The mover's net boxes from here on."""
        return int(self._values[left])

    def at_most(self, left: int, limit: int) -> bool:
        """Whether the mover's net boxes are no more than the limit."""
        return self.net(left) <= limit


class SearchedNets:
    """Net boxes of the player to move, searched; all questions share what they learn."""

    def __init__(self, graph: Graph, bits: int) -> None:
        self.graph = graph
        self._tally = np.zeros(TALLIES, np.int64)
        self._room = np.zeros((MOST_LINES + 1) * ROOM, np.int64)
        self._context = (graph.words, graph.turned, np.zeros(2 << bits, np.int64), self._room, self._tally)
        self._last = 0

    @property
    def nodes(self) -> int:
        """How many positions were looked at within the last budget."""
        return int(self._tally[NODES])

    @contextmanager
    def budget(self, seconds: float | None, nodes: int | None) -> Iterator[None]:
        """Questions asked in here share a budget."""
        tally = self._tally
        tally[[NODES, STOP]] = 0
        tally[LIMIT] = NO_LIMIT if nodes is None else nodes
        tally[GENERATION] += 1
        with stop_after(seconds, tally, STOP):
            yield

    def stop(self) -> None:
        """End the question under way, as if its budget were spent."""
        self._tally[STOP] = 1

    def net(self, left: int) -> int:
        """The mover's net boxes from here on; raises ``Unsolved`` when the budget is spent."""
        taken, offer, rest = settle(self.graph.words, left)
        bounds = np.zeros(2, np.int64)
        if not find_value(*self._context, rest, self._last, bounds):
            raise self._unsolved(left, f"between {bounds[0]} and {bounds[1]} net boxes to the player to move")
        self._last = value = int(bounds[0])
        return taken + (abs(offer + value) if offer else value)

    def at_most(self, left: int, limit: int) -> bool:
        """Whether the mover's net boxes are no more than the limit: cheaper than the value itself."""
        taken, offer, rest = settle(self.graph.words, left)
        room = limit - taken
        if offer == 0:
            return not self._reaches(rest, room + 1)
        return room >= 0 and not self._reaches(rest, room - offer + 1) and self._reaches(rest, -room - offer)

    def _reaches(self, left: int, target: int) -> bool:
        found = bool(reaches(*self._context, left, target))
        if self._tally[STOP]:
            raise self._unsolved(left, f"not known to be {target} net boxes or more")
        return found

    def _unsolved(self, left: int, known: str) -> Unsolved:
        return Unsolved(
            f"The budget was spent after {self.nodes:,} positions: what the last {left.bit_count()} lines are worth "
            f"(without what can be captured at once) is {known}."
        )


class DotsSolver(Solver):
    """Exact final margins on one board of Dots and Boxes.

    Each question has a budget of seconds and of positions (None: no limit). With ``full_table`` off, small boards are
    searched too. ``bits`` says how many positions are remembered, as a power of two.
    """

    def __init__(
        self,
        game: Game,
        *,
        seconds: float | None = None,
        nodes: int | None = None,
        full_table: bool = True,
        bits: int = BOARD_BITS,
    ) -> None:
        self.game = game
        self.seconds = seconds
        self._nodes = nodes
        self._bits = bits
        self._uses_table = full_table and int(game.geometry[LINES]) <= MOST_TABLE_LINES
        self._nets: TableNets | SearchedNets | None = None
        self._lock = threading.Lock()  # held during a question: a search has one room, one tally and one watch

    @property
    def nodes(self) -> int:
        """How many positions the last question has cost."""
        return self._nets.nodes if self._nets else 0

    def stop(self) -> None:
        """End the question under way, as if its budget were spent."""
        if nets := self._nets:
            nets.stop()

    def value(self, position: Position) -> int:
        """The final margin for the player to move."""
        with self._question(position) as nets:
            return _lead(position) + nets.net(nets.graph.open_set(position))

    def move_values(self, position: Position) -> dict[int, int]:
        """The final margin that each line leads to, for the player who draws it."""
        values = {}
        with self._question(position) as nets:
            for line in position.legal_actions():
                after = position.play_action(line)
                net = nets.net(nets.graph.open_set(after))
                values[line] = _lead(after) + net if after.to_move == position.to_move else -_lead(after) - net
        return values

    def best_moves(self, position: Position) -> tuple[int, list[int]]:
        """The value of a position and the lines that keep it; cheaper than the values of all lines."""
        with self._question(position) as nets:
            value = _lead(position) + nets.net(nets.graph.open_set(position))
            return value, [line for line in position.legal_actions() if self._keeps(nets, position, line, value)]

    def _keeps(self, nets: TableNets | SearchedNets, position: Position, line: int, value: int) -> bool:
        """Whether a line leads to the position's value, than which nothing is better."""
        after = position.play_action(line)
        left = nets.graph.open_set(after)
        if after.to_move == position.to_move:
            return not nets.at_most(left, value - _lead(after) - 1)
        return nets.at_most(left, -value - _lead(after))

    @contextmanager
    def _question(self, position: Position) -> Iterator[TableNets | SearchedNets]:
        if position.game.name != self.game.name:
            raise PocketZeroError(f"This solver is for {self.game.name}, not for {position.game.name}.")
        with self._lock:
            self._nets = self._nets_for(position)
            with self._nets.budget(self.seconds, self._nodes):
                yield self._nets

    def _nets_for(self, position: Position) -> TableNets | SearchedNets:
        """What answers for this position: for the whole board if it fits, else for what is left of it."""
        if self._nets is not None and self._nets.graph.is_whole:
            return self._nets
        lines = int(self.game.geometry[LINES])
        if self._uses_table:
            return TableNets(self.game.name, graph_of(self.game))
        if lines <= MOST_LINES:
            return SearchedNets(graph_of(self.game), self._bits)
        return SearchedNets(_late_graph(position), min(self._bits, LATE_BITS))


def _late_graph(position: Position) -> Graph:
    """The graph of what is left on a large board; says so if that is too much."""
    graph = graph_left(position)
    if graph is None:
        raise Unsolved(
            f"Of {position.game.name} the last {MOST_LINES} lines can be solved, if no more boxes than that have open "
            f"lines; {len(position.legal_actions())} are left."
        )
    return graph


def _lead(position: Position) -> int:
    """By how many boxes the player to move is ahead."""
    margin = position.margin or 0
    return margin if position.to_move == 0 else -margin


@dataclass(frozen=True, kw_only=True)
class ExactOptions:
    """How long to search for the truth."""

    seconds: float = 60.0
    """Seconds for each move. What is not solved in four fifths of it is left to alphabeta for the last fifth."""

    def __post_init__(self) -> None:
        if self.seconds <= 0:
            raise PocketZeroError("exact: seconds must be more than 0.")


class ExactPlayer(Player):
    """Draws a line of the highest exact value, by chance among equals.

    A player must move: where its budget does not suffice, it says so once on stderr and plays as alphabeta does.
    """

    def __init__(self, game: Game, options: ExactOptions) -> None:
        self._solver = DotsSolver(game, seconds=0.8 * options.seconds)
        self._stand_in = AlphaBetaPlayer(game, AlphaBetaOptions(seconds=0.2 * options.seconds))
        self._has_said = False
        self.begin(0)

    def begin(self, seed: int) -> None:
        """Among equals the seed decides."""
        self._chance = random_source(seed)
        self._stand_in.begin(seed)

    def choose(self, position: Position) -> int:
        """A line that keeps the value of the position."""
        try:
            _, best = self._solver.best_moves(position)
        except Unsolved as reason:
            if not self._has_said:
                self._has_said = True
                print(f"exact could not solve the position and plays as alphabeta does. {reason}", file=sys.stderr)
            return self._stand_in.choose(position)
        return int(self._chance.choice(best))

    def stop(self) -> None:
        """Draw the best line known so far."""
        self._solver.stop()
        self._stand_in.stop()


KINDS = [
    Kind(
        name="exact",
        summary="perfect play at Dots and Boxes, where the time suffices",
        families=("dots",),
        options=ExactOptions,
        make=ExactPlayer,
        boards=f"boards of up to {MOST_LINES} lines",
        fits=lambda game: int(game.geometry[LINES]) <= MOST_LINES,
    )
]
