"""An outside program that is spoken to by lines, and that may do anything at all: die, hang, flood, or go on for ever.

Whatever it does, a call here returns within its deadline: with a line, or with a ``Forfeit`` that says in a sentence
which program did what. Nothing it writes can fill the memory, and nothing it started outlives ``close``.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Sequence
from typing import IO, cast

from pocketzero.players.base import Forfeit

MOST_LINES = 2000  # unread, while nobody asks; and as many beside the answer, when somebody does
LONGEST_LINE = 8192
KEPT_ERRORS = 2000  # of what it wrote on the error stream, the last characters
GOODBYE_SECONDS = 0.5  # between the polite end and the other one, as Gomocup managers have it
LATE_SECONDS = 1.0  # how long after a deadline an answer is waited for, to tell the late from the silent


class Lines(threading.Thread):
    """Reads a stream into a bounded number of lines, each with the moment it came; a flood ends the reading."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._news = threading.Condition()
        self._lines: deque[tuple[float, str]] = deque()
        self.has_ended = False
        self.flood = ""  # in words, if there was one

    def run(self) -> None:
        """Read to the end; the stream is closed here, since only this thread knows when nobody reads it any more."""
        rest = b""
        with self._stream:
            while not self.flood and (block := os.read(self._stream.fileno(), 65536)):
                *whole, rest = (rest + block).split(b"\n")
                self._take(whole, rest)
        with self._news:
            if rest and not self.flood:
                self._lines.append((time.monotonic(), _text(rest)))
            self.has_ended = True
            self._news.notify_all()

    def _take(self, whole: list[bytes], rest: bytes) -> None:
        with self._news:
            now = time.monotonic()
            if max(map(len, [*whole, rest])) > LONGEST_LINE:
                self.flood = f"it wrote a line of more than {LONGEST_LINE} bytes"
            elif len(self._lines) + len(whole) > MOST_LINES:
                self.flood = f"it wrote more than {MOST_LINES} lines that nobody asked for"
            else:
                self._lines.extend((now, _text(line)) for line in whole)
            self._news.notify_all()

    def next(self, until: float) -> tuple[float, str] | None:
        """The next line and when it came, or None if there is none by then or there will be none."""
        with self._news:
            self._news.wait_for(
                lambda: self._lines or self.has_ended or self.flood, timeout=max(0.0, until - time.monotonic())
            )
            return self._lines.popleft() if self._lines else None

    def clear(self) -> None:
        """Forget what was not asked for."""
        with self._news:
            self._lines.clear()


class Tail(threading.Thread):
    """Reads a stream for ever, so that its writer never waits, and keeps the end of it."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._kept = b""

    def run(self) -> None:
        """Read to the end."""
        with self._stream:
            while block := os.read(self._stream.fileno(), 65536):
                self._kept = (self._kept + block)[-KEPT_ERRORS:]

    @property
    def last_line(self) -> str:
        """The last line that says something."""
        lines = [line.strip() for line in self._kept.decode(errors="replace").splitlines()]
        return next((line for line in reversed(lines) if line), "")


class Process:
    """One run of an outside program."""

    def __init__(self, command: Sequence[str], name: str) -> None:
        self.name = name
        self._child = _started(command, name)
        self._input = cast(IO[bytes], self._child.stdin)
        os.set_blocking(self._input.fileno(), False)
        self._lines = Lines(cast(IO[bytes], self._child.stdout))
        self._errors = Tail(cast(IO[bytes], self._child.stderr))
        self._lines.start()
        self._errors.start()
        self._kill = weakref.finalize(self, _kill_group, self._child)  # also when the interpreter leaves

    def send(self, *lines: str) -> None:
        """Write lines; what it said before without being asked is forgotten."""
        self._lines.clear()
        left = "".join(f"{line}\r\n" for line in lines).encode()
        try:
            while left:
                left = left[os.write(self._input.fileno(), left) :]
        except BlockingIOError:
            raise self.fault("does not read what it is told") from None
        except OSError:
            raise self.fault(self._death()) from None

    def read(self, seconds: float, *, begin: float, what: str) -> str:
        """The next line that is not empty, if it comes within so many seconds of a moment; ``what`` is asked for."""
        until = begin + seconds + LATE_SECONDS
        while True:
            found = self._lines.next(until)
            if self._lines.flood:
                raise self.fault(f"flooded its output: {self._lines.flood}")
            if found is None:
                raise self.fault(self._death() if self._lines.has_ended else f"{_silence(seconds)}, asked for {what}")
            came, line = found
            if came - begin > seconds:
                took = f"after {came - begin:.2f} s, with {seconds:g} s allowed"
                raise self.fault(f"answered too late, asked for {what}: {took}")
            if line:
                return line

    def fault(self, what: str) -> Forfeit:
        """The forfeit for what it did; the program is ended, since nothing it says after that can be trusted."""
        self.close()
        return Forfeit(f"{self.name} {what}.")

    def _death(self) -> str:
        """How it ended, with the last thing it complained of."""
        try:
            code = self._child.wait(GOODBYE_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its output"
        self._errors.join(GOODBYE_SECONDS)  # what it wrote last may still be on its way
        ended = f"died with code {code}" if code >= 0 else f"was killed by signal {-code} ({_signal_name(-code)})"
        last = self._errors.last_line
        return f"{ended}; its last words: {last[:300]!r}" if last else ended

    @property
    def is_closed(self) -> bool:
        """Whether it was ended, after a fault or by ``close``."""
        return not self._kill.alive

    @property
    def is_alive(self) -> bool:
        """Whether it still runs."""
        return not self.is_closed and self._child.poll() is None

    def close(self, goodbye: str = "") -> None:
        """End it: politely with a word, if there is one, and half a second later with all that it started."""
        if self.is_closed:
            return
        if goodbye and self.is_alive:
            with contextlib.suppress(OSError):
                os.write(self._input.fileno(), f"{goodbye}\r\n".encode())
            with contextlib.suppress(OSError):
                self._input.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(GOODBYE_SECONDS)
        self._kill()
        for thread in (self._lines, self._errors):
            thread.join(GOODBYE_SECONDS)


def _started(command: Sequence[str], name: str) -> subprocess.Popen[bytes]:
    """The program, in a group of its own, so that whatever it starts can be ended with it."""
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Forfeit(f"{name} cannot be started: {reason}.") from None


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    """End a program and all that it started, and let the system forget it."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    with contextlib.suppress(OSError):
        if child.stdin:
            child.stdin.close()
    child.wait()


def _text(line: bytes) -> str:
    return line.decode(errors="replace").strip()


def _silence(seconds: float) -> str:
    return f"was silent for {seconds:g} seconds"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
