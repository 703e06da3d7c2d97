"""The program's side of the line protocol: every game, one line for each command, ``= text`` or ``? what is wrong``."""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING

from pocketzero import __version__
from pocketzero.app.protocols.thinking import Thinker
from pocketzero.errors import PocketZeroError, UnknownName, nearest

if TYPE_CHECKING:
    from pocketzero.games import Position

MARGIN = 0.15  # of the seconds granted, and
SHARE = 0.95  # of the rest, so that an answer is never late
LEAST_SECONDS = 0.02


def usable_seconds(granted: float, came: float) -> float:
    """What may be thought of the time granted at a moment; in steps of a tenth, so that equal turns are thought alike.

    A player is made anew when its bounds change, so they should not change with every microsecond.
    """
    left = max(LEAST_SECONDS, (granted - MARGIN) * SHARE - (time.monotonic() - came))
    return math.floor(left * 10) / 10 if left >= 1 else math.floor(left * 100) / 100


class LineProgram:
    """Follows a game and moves when asked."""

    def __init__(self, thinker: Thinker, game: str) -> None:
        self._thinker = thinker
        self._name = game
        self._position: Position | None = None
        self._seconds = 0.0

    def answer(self, line: str, came: float) -> list[str]:
        """One line for each command."""
        word, _, rest = line.partition(" ")
        if word not in COMMANDS:
            known = ", ".join(COMMANDS)
            raise UnknownName(f"There is no command {word!r}. {nearest(word, COMMANDS)}Commands: {known}, quit.")
        self._came = came
        return [f"= {COMMANDS[word](self, rest.strip())}".rstrip()]

    def complaint(self, error: Exception) -> str:
        """An error in the words of the protocol."""
        return f"? {error}"

    def position(self) -> Position:
        """Where the game is; one named on the command line needs no ``new``."""
        if self._position is None:
            if not self._name:
                raise PocketZeroError("There is no game yet: say, for example, 'new dots:5x5'.")
            self.new(self._name)
        assert self._position is not None
        return self._position

    def new(self, text: str) -> str:
        """A game from its start, or from a position."""
        from pocketzero.games import game

        name, _, position = text.partition(" ")
        chosen = game(name)
        self._position = chosen.position(position) if position.strip() else chosen.start()
        self._name = name
        self._thinker.begin()
        return ""

    def play(self, text: str) -> str:
        """A move, or a whole turn."""
        self._position = self.position().play(text)
        return ""

    def genmove(self, text: str) -> str:
        """The player's move, which is played; one action."""
        position = self.position()
        if position.is_over:
            raise PocketZeroError("The game is over.")
        action = self._thinker.choose(position, self._bounds)
        self._position = position.play_action(action)
        return position.write(action)

    def _bounds(self) -> dict[str, float]:
        return {"seconds": usable_seconds(self._seconds, self._came)} if self._seconds else {}

    def undo(self, text: str) -> str:
        """One action back."""
        if self.position().previous is None:
            raise PocketZeroError("There is nothing to undo.")
        self._position = self.position().previous
        return ""

    def seconds(self, text: str) -> str:
        """The time for each move from now on; 0 leaves it to the player."""
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not (math.isfinite(value) and value >= 0):
            raise PocketZeroError(f"Seconds are a number, 0 or more, not {text!r}.")
        self._seconds = value
        return ""

    def seed(self, text: str) -> str:
        """From where the player's chance comes."""
        if not text.isdecimal() or len(text) > 19:
            raise PocketZeroError(f"A seed is a whole number, not {text!r}.")
        self._thinker.begin(int(text))
        return ""

    def name(self, text: str) -> str:
        """Who plays."""
        return f"PocketZero {__version__} {self._thinker.text}".strip()

    def board(self, text: str) -> str:
        """The position in one line."""
        return self.position().text

    def show(self, text: str) -> str:
        """The board drawn for people, on the error stream, since an answer is one line."""
        print(self.position(), file=sys.stderr, flush=True)
        return ""

    def moves(self, text: str) -> str:
        """The legal moves; none when the game is over."""
        return " ".join(self.position().legal_moves())


COMMANDS = {
    "new": LineProgram.new,
    "play": LineProgram.play,
    "genmove": LineProgram.genmove,
    "undo": LineProgram.undo,
    "seconds": LineProgram.seconds,
    "seed": LineProgram.seed,
    "name": LineProgram.name,
    "board": LineProgram.board,
    "show": LineProgram.show,
    "moves": LineProgram.moves,
}
