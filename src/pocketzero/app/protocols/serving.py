"""An engine's life: lines in, lines out, and an end that comes at once whatever is being thought about.

One thread reads, another answers, so that END is heard during a long thought. Only protocol lines reach the standard
output: its place is taken before any library is loaded, and whatever else is printed goes to the error stream.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
import traceback
from typing import NoReturn, Protocol

from pocketzero.app.protocols.gomocup import COMMANDS as GOMOCUP_COMMANDS
from pocketzero.app.protocols.gomocup import GomocupBrain, rules_of
from pocketzero.app.protocols.line import COMMANDS as LINE_COMMANDS
from pocketzero.app.protocols.line import LineProgram
from pocketzero.app.protocols.thinking import Thinker
from pocketzero.errors import PocketZeroError, UnknownName, nearest

LEAVING = {"end", "quit"}
LAST_SECONDS = 10.0  # for answering what was asked before the input ended
LONGEST_LINE = 65536


class Speaker(Protocol):
    """One side of a protocol."""

    def answer(self, line: str, came: float) -> list[str]:
        """The lines to say to a line that came at this moment."""

    def complaint(self, error: Exception) -> str:
        """How the protocol says that something is wrong."""


class Output:
    """The standard output, for protocol lines alone."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self._file = os.dup(1)
        os.dup2(2, 1)  # also for what compiled libraries print
        sys.stdout = sys.stderr

    def write(self, lines: list[str], ending: str) -> None:
        """Write whole lines at once, without any buffer in between."""
        left = "".join(f"{' '.join(line.split())}{ending}" for line in lines).encode()
        while left:
            left = left[os.write(self._file, left) :]


class Engine:
    """A player that speaks one of the protocols, whichever it is spoken to in."""

    def __init__(self, player: str, protocol: str, game: str) -> None:
        makers = {"gomocup": GomocupBrain, "line": LineProgram}
        if protocol and protocol not in makers:
            raise UnknownName(
                f"There is no protocol {protocol!r}. {nearest(protocol, makers)}Protocols: {', '.join(makers)}."
            )
        self._game = game
        self._thinker = Thinker(player)
        self._makers = {name: lambda make=make: make(self._thinker, game) for name, make in makers.items()}
        self._speaker: Speaker | None = self._makers[protocol]() if protocol else None
        self._commands: queue.SimpleQueue[tuple[float, str, str] | None] = queue.SimpleQueue()

    def run(self) -> NoReturn:
        """Listen until told to leave, or until nobody is there any more."""
        self._output = Output()
        threading.Thread(target=self._prepare, daemon=True).start()
        worker = threading.Thread(target=self._work, daemon=True)
        worker.start()
        try:
            while line := sys.stdin.buffer.readline(LONGEST_LINE):
                word = line.decode(errors="replace").strip().removeprefix("\ufeff")
                if word.lower() in LEAVING:
                    self.leave(0)
                self._commands.put((time.monotonic(), word, "\r\n" if line.endswith(b"\r\n") else "\n"))
        except KeyboardInterrupt:
            self.leave(130)
        self._commands.put(None)
        worker.join(LAST_SECONDS)
        self.leave(0)

    def leave(self, code: int) -> NoReturn:
        """End now: threads that think are not waited for, but an outside program behind the player is ended too."""
        closing = threading.Thread(target=self._thinker.close, daemon=True)
        closing.start()
        closing.join(1.0)
        os._exit(code)

    def _prepare(self) -> None:
        """Get ready while the manager is still talking; a player that does not exist ends the engine with a reason."""
        try:
            speaks_gomocup = isinstance(self._speaker, GomocupBrain)
            self._thinker.prepare(self._game, only="gomoku" if speaks_gomocup else "")
            if speaks_gomocup:
                rules_of(self._game)
        except PocketZeroError as error:
            print(f"Error: {error}", file=sys.stderr, flush=True)
            os._exit(2)

    def _work(self) -> None:
        while (command := self._commands.get()) is not None:
            came, line, ending = command
            if not line:
                continue
            try:
                self._output.write(self._answers(line, came), ending)
            except OSError:  # nobody listens any more
                self.leave(1)

    def _answers(self, line: str, came: float) -> list[str]:
        if self._speaker is None:
            name = protocol_of(line)
            if not name:
                return [f"UNKNOWN {line[:100]} (first say START, or new GAME)"]
            self._speaker = self._makers[name]()
        try:
            return self._speaker.answer(line, came)
        except PocketZeroError as error:
            return [self._speaker.complaint(error)]
        except Exception as error:  # a manager that waits for ever would be worse
            traceback.print_exc()
            return [self._speaker.complaint(error)]


def protocol_of(line: str) -> str:
    """The protocol to which a first command belongs, or an empty text."""
    word = line.split()[0]
    if word in LINE_COMMANDS:
        return "line"
    return "gomocup" if word.upper() in GOMOCUP_COMMANDS else ""
