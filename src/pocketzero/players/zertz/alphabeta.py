"""Alpha-beta at Zertz as a player: it deepens its search until its time is spent, and plays whole turns by plan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pocketzero.errors import PocketZeroError
from pocketzero.games import Position
from pocketzero.games.zertz.rules import ACTIONS
from pocketzero.players.base import Kind, Player
from pocketzero.players.budget import stop_after
from pocketzero.players.zertz.evaluation import SURE_WIN, WIN
from pocketzero.players.zertz.memory import (
    FULL_ROOT,
    FULL_WIDTH,
    LAST_OPEN_STEP,
    LINE_LENGTH,
    NODE_LIMIT,
    NODES,
    SEED,
    STOP,
    VALUE,
    new_memory,
)
from pocketzero.players.zertz.search import search
from pocketzero.players.zertz.turns import MOST_TURNS, Turns, actions_of, list_turns

MOST_DEPTH = LAST_OPEN_STEP


@dataclass(frozen=True, kw_only=True)
class AlphaBetaOptions:
    """How long to think."""

    seconds: float = 1.0
    """Seconds for each turn."""
    nodes: int = 0
    """Positions to look at for each turn, instead of the time; 0 leaves it to the time."""

    def __post_init__(self) -> None:
        if self.seconds <= 0 or self.nodes < 0:
            raise PocketZeroError("alphabeta: seconds must be more than 0, and nodes cannot be negative.")


class AlphaBeta:
    """A search of one position after another, which keeps what it learnt in its table."""

    def __init__(self, *, full_width: bool = False) -> None:
        self._full_width = full_width
        self.forget(0)

    def forget(self, seed: int) -> None:
        """Begin afresh; the seed decides among turns that look equal."""
        self._memory = new_memory()
        self._memory.control[SEED] = seed
        self._memory.control[FULL_WIDTH] = self._full_width
        self.depth = 0

    @property
    def nodes(self) -> int:
        """The positions that the last search looked at."""
        return int(self._memory.control[NODES])

    @property
    def value(self) -> int:
        """The value of the best line, from player 0's view."""
        return int(self._memory.control[VALUE])

    def stop(self) -> None:
        """End the search as soon as it looks; may be called from another thread."""
        self._memory.control[STOP] = 1

    def run(
        self, position: Position, *, nodes: int = 0, seconds: float | None = None, most_depth: int = MOST_DEPTH
    ) -> list[int]:
        """Search deeper and deeper until the budget is spent; gives the best line, as turns."""
        memory, geometry = self._memory, position.game.geometry
        memory.states[0] = position.state
        memory.control[[STOP, NODES, LINE_LENGTH, VALUE, FULL_ROOT]] = 0
        memory.control[NODE_LIMIT] = nodes
        memory.killers[:] = -1
        memory.history[:] //= 8
        self.depth = 0
        with stop_after(seconds, memory.control, STOP):
            while self.depth < most_depth and not memory.control[STOP]:
                search(geometry, memory, self.depth + 1)
                if self._seems_lost(position) and not memory.control[FULL_ROOT]:
                    memory.control[FULL_ROOT] = 1  # before giving up, the same depth with every turn there is
                    continue
                self.depth += not memory.control[STOP]
                if self._is_decided(position):
                    break
        return memory.lines[0, : memory.control[LINE_LENGTH]].tolist() or [self._any_turn(position)]

    def _seems_lost(self, position: Position) -> bool:
        """Whether every turn that was looked at loses."""
        return (self.value if position.to_move == 0 else -self.value) < -SURE_WIN

    def _is_decided(self, position: Position) -> bool:
        """Whether the end of the game lies within the depth, so that nothing shorter can be found."""
        actions = WIN - abs(self.value) - int(position.state[ACTIONS])
        return abs(self.value) > SURE_WIN and self.depth >= actions

    def _any_turn(self, position: Position) -> int:
        """A legal turn, if the search was stopped before it found one."""
        turns: Turns = np.empty(MOST_TURNS, np.int32)
        list_turns(position.game.geometry, position.state.copy(), turns)
        return int(turns[0])


class AlphaBetaPlayer(Player):
    """Thinks once for each of its turns."""

    def __init__(self, options: AlphaBetaOptions) -> None:
        self._options = options
        self._search = AlphaBeta()
        self.begin(0)

    def begin(self, seed: int) -> None:
        """Among turns that look equal, the seed decides."""
        self._search.forget(seed)
        self._plan: dict[int, int] = {}

    def choose(self, position: Position) -> int:
        """The action planned for this position, the only one, or the first of the best turn found."""
        if position.key in self._plan:
            return self._plan[position.key]
        legal = position.legal_actions()
        if len(legal) == 1:
            return legal[0]
        nodes, seconds = self._options.nodes, None if self._options.nodes else self._options.seconds
        self._plan = self._planned(position, self._search.run(position, nodes=nodes, seconds=seconds))
        return self._plan[position.key]

    def stop(self) -> None:
        """Play the best turn found so far."""
        self._search.stop()

    def _planned(self, position: Position, line: list[int]) -> dict[int, int]:
        """The actions of the turn that a line begins with, by the positions in which they are to be played."""
        plan: dict[int, int] = {}
        player = position.to_move
        for turn in line:
            for action in actions_of(position.game, [turn]):
                if position.to_move != player or position.is_over:
                    return plan
                plan[position.key] = action
                position = position.play_action(action)
        return plan


KINDS = [
    Kind(
        name="alphabeta",
        summary="alpha-beta over whole turns, with captures played out",
        options=AlphaBetaOptions,
        families=("zertz",),
        make=lambda game, options: AlphaBetaPlayer(options),
    )
]
