"""The exact value of every move of the m,n,k games, on boards of up to 64 cells that can be solved in the time given.

``MnkSolver`` asks two questions of a position, to growing depths: can the player to move win, and can it be beaten?
``exact`` is the player that knows the answers: it wins as quickly and loses as slowly as they tell, and says so when
the time did not suffice.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position
from pocketzero.games.mnk.rules import STONES
from pocketzero.players.base import CannotPlay, Kind, Player, random_source
from pocketzero.players.budget import stop_after
from pocketzero.players.mnk.proof import (
    ACHIEVED,
    FAILED,
    LARGEST,
    NODES_LEFT,
    STOP,
    STOPPED,
    make_board,
    prove_from,
)
from pocketzero.players.mnk.threats import ThreatOptions, ThreatPlayer
from pocketzero.players.solver import Solver, Unsolved, result_for

DEPTHS = (0, 2, 4, 6, 8, LARGEST)  # wins with few free moves are found by small depths, draws need the whole game
TABLE_ENTRIES = 1 << 21
SMALL_TABLE = 1 << 14  # for boards with few positions
SMALL_BOARD = 12
UNLIMITED = 1 << 60
SECONDS = 60.0


BOARDS = f"boards of up to {LARGEST} cells"


def fits(game: Game) -> bool:
    """Whether a board is small enough."""
    return game.action_count <= LARGEST


class MnkSolver(Solver):
    """Values of positions and moves on one board; each question may take so many seconds and nodes (0: no limit)."""

    def __init__(self, game: Game, *, seconds: float = SECONDS, nodes: int = 0) -> None:
        if not fits(game):
            raise CannotPlay(f"{game.name} cannot be solved; the solver is for {BOARDS}.")
        self.game = game
        self.seconds, self.nodes = seconds, nodes
        self.spent = 0  # nodes of the last question
        self._board = make_board(game, entries=TABLE_ENTRIES if game.action_count > SMALL_BOARD else SMALL_TABLE)
        self._lock = threading.Lock()  # held during a question: the board is where all of a search is written

    def value(self, position: Position) -> int:
        """1, 0 or -1 for the player to move."""
        with self._limits():
            return result_for(position, position.to_move) if position.is_over else self._value(position)

    def move_values(self, position: Position) -> dict[int, int]:
        """The value of every legal action; the limits hold for all of them together."""
        with self._limits():
            return super().move_values(position)

    def _after(self, position: Position, action: int) -> int:
        after = position.play_action(action)
        return result_for(after, position.to_move) if after.is_over else -self._value(after)

    def best_moves(self, position: Position) -> tuple[list[int], int | None]:
        """The best actions and their value: the wins that need least depth, or the losses that need most.

        If the limits are reached first, the value is None and the actions are those that are not known to lose.
        """
        left, lost, drawn = position.legal_actions(), list[int](), list[int]()
        if won := [action for action in left if position.play_action(action).outcome == position.to_move]:
            return won, 1
        with self._limits():
            for depth in DEPTHS:
                values: dict[int, int | None] = {}
                with contextlib.suppress(Unsolved):
                    for action in left:
                        values[action] = self._within(position, action, depth)
                if won := [action for action, value in values.items() if value == 1]:
                    return won, 1
                drawn += [action for action, value in values.items() if value == 0]
                if len(values) < len(left):
                    return [action for action in left if values.get(action) is None] + drawn, None
                lost = [action for action, value in values.items() if value == -1] or lost
                left = [action for action, value in values.items() if value is None]
        return (drawn, 0) if drawn else (lost, -1)

    def stop(self) -> None:
        """End the question under way, as if its time were over."""
        self._board.budget[STOP] = 1

    @contextlib.contextmanager
    def _limits(self) -> Iterator[None]:
        """One question at a time: its nodes are counted, and a watch ends it."""
        budget = self._board.budget
        with self._lock:
            self.spent = budget[STOP] = 0
            with stop_after(self.seconds or None, budget, STOP):
                yield

    def _value(self, position: Position) -> int:
        """The value of a position that is not over."""
        looks = (self._look(position, depth) for depth in DEPTHS)  # the last depth is the whole game
        return next(value for value in looks if value is not None)

    def _within(self, position: Position, action: int, depth: int) -> int | None:
        """The value of an action, or None if this depth does not tell."""
        after = position.play_action(action)
        if after.is_over:
            return result_for(after, position.to_move)
        value = self._look(after, depth)
        return None if value is None else -value

    def _look(self, position: Position, depth: int) -> int | None:
        """The value of a position, or None if this depth does not tell."""
        attack = self._ask(position, True, depth)
        if attack == ACHIEVED:
            return 1
        defence = self._ask(position, False, depth)
        if defence == FAILED:
            return -1
        return 0 if attack == FAILED and defence == ACHIEVED else None

    def _ask(self, position: Position, attacks: bool, depth: int) -> int:
        """What the search answers for the player to move, as attacker or as defender."""
        mine, theirs = position.state[STONES + position.to_move], position.state[STONES + 1 - position.to_move]
        nodes = max((self.nodes or UNLIMITED) - self.spent, 0)
        answer = int(prove_from(self._board, mine, theirs, attacks, depth, nodes))
        self.spent += nodes - int(self._board.budget[NODES_LEFT])
        if answer == STOPPED:
            limits = [f"{self.seconds:g} seconds"] * bool(self.seconds) + [f"{self.nodes} nodes"] * bool(self.nodes)
            raise Unsolved(
                f"{self.game.name} with {position.state[2]} empty cells was not solved within {' or '.join(limits)}; "
                "allow more, or ask later in the game."
            )
        return answer


@dataclass(frozen=True, kw_only=True)
class ExactOptions:
    """How long to think."""

    seconds: float = SECONDS
    """Seconds for each move. What is not solved in four fifths of it is left to threats for the last fifth."""

    def __post_init__(self) -> None:
        if self.seconds <= 0:
            raise PocketZeroError("exact: seconds must be above 0.")


class ExactPlayer(Player):
    """Plays the best moves by chance; where they cannot be found in time, what the threats say."""

    def __init__(self, game: Game, options: ExactOptions) -> None:
        self._seconds = options.seconds
        self._solver = MnkSolver(game, seconds=0.8 * options.seconds)
        self._guess = ThreatPlayer(game, ThreatOptions(seconds=0.2 * options.seconds))
        self._told = False

    def begin(self, seed: int) -> None:
        """Among equally good moves chance decides."""
        self._chance = random_source(seed)
        self._guess.begin(seed)

    def choose(self, position: Position) -> int:
        """One of the best moves."""
        moves, value = self._solver.best_moves(position)
        if value is None:
            self._tell(position)
            guess = self._guess.choose(position)
            if guess in moves or not moves:
                return guess
        return int(self._chance.choice(moves))

    def stop(self) -> None:
        """Play by what is known so far."""
        self._solver.stop()
        self._guess.stop()

    def _tell(self, position: Position) -> None:
        """Say once that the play is not exact."""
        if not self._told:
            self._told = True
            print(
                f"exact did not solve {position.game.name} within {self._seconds:g} seconds a move and plays "
                "by threats meanwhile; exact:seconds=… allows more.",
                file=sys.stderr,
            )


KINDS = [
    Kind(
        name="exact",
        summary="perfect play on small boards",
        families=("mnk",),
        options=ExactOptions,
        boards=BOARDS,
        fits=fits,
        make=ExactPlayer,
    )
]
