"""The manager's side of the Gomocup protocol: any brain for it as a player of the k in a row games.

A game that simply goes on is told by BEGIN and TURN; everything else by BOARD. Rules that the protocol has no word
for, k other than 5, are told by the private key ``INFO k``, which other brains do not hear.
"""

from __future__ import annotations

import re
import time
from itertools import zip_longest

from pocketzero.errors import IllegalMove
from pocketzero.games import Game, Position
from pocketzero.games.mnk import rules
from pocketzero.games.mnk.notation import board_size, stones
from pocketzero.players.base import CannotPlay, family_of
from pocketzero.players.engine.outside import Limits, OutsideEngine
from pocketzero.players.engine.process import MOST_LINES, Process

NO_LIMIT = 2**31 - 1  # milliseconds left, where nobody counts them
REMARKS = ("MESSAGE", "DEBUG", "UNKNOWN")  # what a brain may say at any time
MOVE = re.compile(r"(\d{1,4})\s*,\s*(\d{1,4})", re.ASCII)


class GomocupEngine(OutsideEngine):
    """A brain, told of the game by a manager that waits for it just as long as it was promised."""

    goodbye = "END"

    def __init__(self, game: Game, command: list[str], limits: Limits) -> None:
        if family_of(game) != "mnk":
            raise CannotPlay(f"engine:gomocup does not play {game.name}; it plays mnk (engine:line plays every game).")
        super().__init__(game, command, limits)
        self._known: Position | None = None  # what stands on the brain's board; None before START

    def forget(self) -> None:
        """The next move begins with START."""
        self._known = None

    def ask(self, process: Process, position: Position) -> int:
        """Tell it what has happened, and take its move."""
        if self._known is None:
            self._start(process)
        begin = time.monotonic()
        process.send(self._time_left(), *self._news(position))
        action = self._read_move(process, position, begin)
        self.count_time(begin)
        self._known = position.play_action(action)
        return action

    def _start(self, process: Process) -> None:
        """A new game: an empty board, its rules, and the limits."""
        columns, rows = board_size(self.game)
        begin = time.monotonic()
        process.send(f"START {columns}" if columns == rows else f"RECTSTART {columns},{rows}")
        answer = self._read(process, begin, "a new game")
        if answer.upper() != "OK":
            raise process.fault(f"refused a board of {columns}x{rows}: it answered {answer[:200]!r}")
        process.send(*(f"INFO {key} {value}" for key, value in self._information().items()))
        self._known = self.game.start()

    def _information(self) -> dict[str, int]:
        k, exactly = int(self.game.geometry[rules.K]), int(self.game.geometry[rules.EXACT])
        told = {
            "timeout_turn": round(self.limits.seconds * 1000),
            "timeout_match": round(self.limits.match * 1000),
            "max_memory": self.limits.memory << 20,
            "game_type": 1,  # the opponent is a program
            "rule": exactly,
            "seed": self.seed,
        }
        return told if k == 5 else {**told, "k": k}

    def _time_left(self) -> str:
        return f"INFO time_left {round(min(self.seconds_left * 1000, NO_LIMIT))}"

    def _news(self, position: Position) -> list[str]:
        """The commands after which it is the brain's turn in this position."""
        if self._known is not None:
            if position == self._known == self.game.start():
                return ["BEGIN"]
            if position.previous == self._known and position.action is not None:
                return [f"TURN {self._write(position.action)}"]
        return ["BOARD", *self._stones(position), "DONE"]

    def _stones(self, position: Position) -> list[str]:
        """All stones, in the order in which they came, or might have come."""
        owners = stones(position)
        order = position.actions
        if position.beginning != self.game.start():
            first, second = ([cell for cell, owner in enumerate(owners) if owner == player] for player in (0, 1))
            order = [cell for pair in zip_longest(first, second) for cell in pair if cell is not None]
        return [f"{self._write(cell)},{1 if owners[cell] == position.to_move else 2}" for cell in order]

    def _write(self, cell: int) -> str:
        columns, _ = board_size(self.game)
        return f"{cell % columns},{cell // columns}"

    def _read_move(self, process: Process, position: Position, begin: float) -> int:
        """The cell that the brain names; a suggestion is taken as its move."""
        answer = self._read(process, begin, "a move")
        if answer.upper().startswith("SUGGEST"):
            process.send(f"PLAY {answer[7:].strip()}")
            answer = self._read(process, begin, "a move")
        try:
            return self._cell(position, answer)
        except IllegalMove as error:
            raise process.fault(str(error)) from None

    def _cell(self, position: Position, answer: str) -> int:
        found = MOVE.fullmatch(answer)
        if not found:
            raise IllegalMove(f"answered {answer[:200]!r}, which is not a move such as '7,7'")
        columns, rows = board_size(self.game)
        x, y = int(found[1]), int(found[2])
        if x >= columns or y >= rows:
            raise IllegalMove(f"played the illegal move '{x},{y}': the board ends at '{columns - 1},{rows - 1}'")
        if stones(position)[y * columns + x] >= 0:
            raise IllegalMove(f"played the illegal move '{x},{y}': the cell is taken")
        return y * columns + x

    def _read(self, process: Process, begin: float, what: str) -> str:
        """The next answer; remarks are passed over."""
        for _ in range(MOST_LINES):
            line = process.read(self.patience, begin=begin, what=what)
            if not line.upper().startswith(REMARKS):
                return line
        raise process.fault(f"flooded its output: it made more than {MOST_LINES} remarks instead of an answer")
