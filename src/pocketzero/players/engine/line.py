"""The manager's side of PocketZero's line protocol, by which a program can play any game that has a notation.

Each command is a line and gets one line: ``= text`` or ``? what is wrong``. The program is told every move in the
notation of the game; its own it gives one action at a time, or a whole turn in one text.
"""

from __future__ import annotations

import time

from pocketzero.errors import IllegalMove
from pocketzero.games import Game, Position
from pocketzero.players.engine.outside import Limits, OutsideEngine
from pocketzero.players.engine.process import Process


class LineEngine(OutsideEngine):
    """A program that follows the game with ``new`` and ``play``, and moves when told ``genmove``."""

    goodbye = "quit"

    def __init__(self, game: Game, command: list[str], limits: Limits) -> None:
        super().__init__(game, command, limits)
        self._known: Position | None = None  # where the program is; with moves of its own turn not yet asked for

    def forget(self) -> None:
        """The next move begins with ``new``."""
        self._known = None

    def ask(self, process: Process, position: Position) -> int:
        """The next action of a turn that it has already given, or its answer to ``genmove``."""
        if self._known is not None and position.ply < self._known.ply and self._is_within(position, self._known):
            return self._known.actions[position.ply]
        self._tell(process, position)
        begin = time.monotonic()
        text = self._command(process, "genmove", begin)
        self.count_time(begin)
        self._known = self._played(process, position, text)
        return self._known.actions[position.ply]

    @staticmethod
    def _is_within(earlier: Position, later: Position) -> bool:
        """Whether a position lies on the way to a later one."""
        if earlier.ply > later.ply or earlier.beginning != later.beginning:
            return False
        return later.actions[: earlier.ply] == earlier.actions

    def _tell(self, process: Process, position: Position) -> None:
        """Bring the program to this position."""
        known = self._known
        if known is None or not self._is_within(known, position):
            beginning = position.beginning
            text = "" if beginning == self.game.start() else f" {beginning.text}"
            self._command(process, f"new {self.game.name}{text}")
            for optional in (f"seconds {self.limits.seconds:g}", f"seed {self.seed}"):
                self._command(process, optional, optional=True)
            known = beginning
        for action in position.actions[known.ply :]:
            self._command(process, f"play {known.write(action)}")
            known = known.play_action(action)

    def _command(self, process: Process, command: str, begin: float = 0.0, *, optional: bool = False) -> str:
        """The text of the answer to a command; a complaint loses the game, unless the command is optional."""
        begin = begin or time.monotonic()
        process.send(command)
        answer = process.read(self.patience, begin=begin, what=repr(command))
        if answer.startswith("=") or (optional and answer.startswith("?")):
            return answer[1:].strip()
        if answer.startswith("?"):
            raise process.fault(f"answered {command!r} with the error {answer[1:].strip()[:300]!r}")
        raise process.fault(f"answered {command!r} with {answer[:200]!r}, which begins neither with = nor with ?")

    def _played(self, process: Process, position: Position, text: str) -> Position:
        """The position after its move, which may be a whole turn but never more."""
        try:
            after = position.play(text)
            if after.ply == position.ply:
                raise IllegalMove("it holds no move.")
        except IllegalMove as error:
            raise process.fault(f"played the illegal move {text[:200]!r}: {str(error).rstrip('.')}") from None
        earlier = after.previous
        while earlier is not None and earlier.ply > position.ply:
            if earlier.to_move != position.to_move:
                raise process.fault(f"played {text[:200]!r}, which goes on after its own turn")
            earlier = earlier.previous
        return after
