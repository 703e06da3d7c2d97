"""What all outside programs have in common as players: limits, a clock, and a new start after a fault."""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position
from pocketzero.players.base import Forfeit, Player
from pocketzero.players.engine.process import Process

TOLERANCE = 0.25  # seconds that an answer may take on its way and in a busy machine


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What an outside program may use."""

    seconds: float = 5.0
    """For each move."""
    match: float = 0.0
    """For all moves of a game together; 0 means no such limit."""
    start: float = 10.0
    """More time for what comes first after the program was started: its first answer and its first move."""
    memory: int = 350
    """MiB, as the program is told; it is not enforced."""

    def __post_init__(self) -> None:
        if self.seconds <= 0:
            raise PocketZeroError("engine: seconds must be above 0.")
        if self.match < 0 or self.start < 0 or self.memory < 0:
            raise PocketZeroError("engine: match, start and memory cannot be negative.")


class OutsideEngine(Player):
    """A program that plays; a subclass knows its protocol."""

    goodbye = ""  # the command that asks it to leave

    def __init__(self, game: Game, command: list[str], limits: Limits) -> None:
        self.game = game
        self.command = command
        self.limits = limits
        self.name = f"The engine {Path(command[0]).name}"
        self.spent = 0.0  # seconds of this game
        self._process: Process | None = None
        self._was_asked = False  # whether this process has made a move yet

    def begin(self, seed: int) -> None:
        """A new game; the program is started now, so that it can get ready, but faults count only when it is asked."""
        self.seed = seed
        self.spent = 0.0
        self.forget()
        if self._process is not None and not self._process.is_alive:
            self._process.close()  # it died while nobody asked it anything, which is no fault of the new game
        try:
            self._running()
        except Forfeit:
            self._process = None  # the next move tries again and says so

    @abstractmethod
    def forget(self) -> None:
        """What the program knows of a game is of no use any more."""

    def _running(self) -> Process:
        """The program; started, if there is none or a fault has ended it. One that died by itself is still to tell."""
        if self._process is None or self._process.is_closed:
            self.forget()
            self._was_asked = False
            self._process = Process(self.command, self.name)
        return self._process

    def choose(self, position: Position) -> int:
        """The program's move, checked by the rules."""
        action = self.ask(self._running(), position)
        self._was_asked = True
        return action

    @abstractmethod
    def ask(self, process: Process, position: Position) -> int:
        """The program's move, by its protocol."""

    @property
    def seconds_left(self) -> float:
        """What is left of the time for the whole game; without such a limit, for ever."""
        return max(0.0, self.limits.match - self.spent) if self.limits.match else float("inf")

    @property
    def patience(self) -> float:
        """How long it is waited for the next answer."""
        allowed = min(self.limits.seconds, self.seconds_left) + TOLERANCE
        return allowed if self._was_asked else allowed + self.limits.start

    def count_time(self, begin: float) -> None:
        """A move was thought about since this moment."""
        self.spent += time.monotonic() - begin

    def close(self) -> None:
        """Ask the program to leave, and see to it."""
        if self._process is not None:
            self._process.close(self.goodbye)
            self._process = None
        self.forget()
