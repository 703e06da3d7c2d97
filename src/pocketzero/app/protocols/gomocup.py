"""The brain's side of the Gomocup protocol, as real managers use it.

They send CRLF, do not wait between START and INFO, may set up any board at any time, and kill whoever is late. The
brain keeps the stones as it was told them; a position of the game is made from them only when a move is wanted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pocketzero import __version__
from pocketzero.app.protocols.line import LEAST_SECONDS, usable_seconds
from pocketzero.app.protocols.thinking import Thinker
from pocketzero.errors import PocketZeroError

if TYPE_CHECKING:
    from pocketzero.games import Position

LARGEST = 25
OWN, OTHER, BLOCKED = 1, 2, 3
EXACTLY, CONTINUOUS, RENJU, CARO = 1, 2, 4, 8  # bits of ``INFO rule``
NO_LIMIT = 2**31 - 1  # as ``time_left`` says it
MOVES_TO_COME = 20  # the share of the whole game's time that one move may take
USUAL_MEMORY = 350  # MiB, the limit of most tournaments, for managers that name none
OWN_MEMORY = 285  # MiB that the program takes before it thinks (about 255), and a tree beside its nodes
LEAST_MEMORY = 16


class GomocupBrain:
    """A brain: the size of the board, the stones on it, and what the manager has said about limits and rules."""

    def __init__(self, thinker: Thinker, game: str) -> None:
        self._thinker = thinker
        self._size: tuple[int, int] | None = None
        self._stones: dict[tuple[int, int], int] = {}  # in the order in which they came
        self._board: list[str] | None = None  # the lines since BOARD
        self._game = game
        self._info: dict[str, int] = {}
        self._was_warned = False

    def complaint(self, error: Exception) -> str:
        """An error in the words of the protocol."""
        return f"ERROR {error}"

    def answer(self, line: str, came: float) -> list[str]:
        """The lines to say to a line of the manager's, which came at this moment."""
        self._came = came
        if self._board is not None:
            return self._take_board_line(line)
        word, _, rest = line.partition(" ")
        if word.upper() not in COMMANDS:
            return [f"UNKNOWN {line[:100]}"]
        return COMMANDS[word.upper()](self, rest.strip())

    # Games

    def start(self, rest: str) -> list[str]:
        """A square board."""
        return self._begin([rest, rest])

    def rectstart(self, rest: str) -> list[str]:
        """Any board: columns, rows."""
        return self._begin(rest.split(","))

    def _begin(self, sides: list[str]) -> list[str]:
        numbers = [int(side) for side in sides if re.fullmatch(r"\s*[0-9]{1,3}\s*", side)]
        if len(sides) != 2 or len(numbers) != 2 or not all(1 <= number <= LARGEST for number in numbers):
            raise PocketZeroError(f"unsupported board: sides are whole numbers from 1 to {LARGEST}")
        self._size = numbers[0], numbers[1]
        return self._clear()

    def _clear(self) -> list[str]:
        self._stones = {}
        self._thinker.begin(self._info.get("seed"))
        return ["OK"]

    def restart(self, rest: str) -> list[str]:
        """An empty board of the same size."""
        self._need_board()
        return self._clear()

    def info(self, rest: str) -> list[str]:
        """Limits and rules; what is not a number is not for us."""
        key, _, value = rest.partition(" ")
        if re.fullmatch(r"-?[0-9]{1,18}", value.strip()):
            self._info[key.lower()] = int(value)
            if key.lower() == "seed":
                self._thinker.begin(int(value))
        return []

    def about(self, rest: str) -> list[str]:
        """Who this is."""
        return [f'name="PocketZero", version="{__version__}", author="PocketZero", country="", www=""']

    # Stones

    def _need_board(self) -> tuple[int, int]:
        if self._size is None:
            raise PocketZeroError("there is no board yet; send START first")
        return self._size

    def _cell(self, text: str) -> tuple[int, int]:
        """The cell that a text ``x,y`` names."""
        columns, rows = self._need_board()
        found = re.fullmatch(r"\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*", text)
        if not found:
            raise PocketZeroError(f"{text!r} is not a cell such as 7,7")
        x, y = int(found[1]), int(found[2])
        if x >= columns or y >= rows:
            raise PocketZeroError(f"{x},{y} is not on the board, which ends at {columns - 1},{rows - 1}")
        return x, y

    def _free_cell(self, text: str) -> tuple[int, int]:
        cell = self._cell(text)
        if cell in self._stones:
            raise PocketZeroError(f"{cell[0]},{cell[1]} is taken")
        return cell

    def begin(self, rest: str) -> list[str]:
        """The brain makes the first move."""
        if self._stones:
            raise PocketZeroError("BEGIN is for an empty board")
        return self._move({})

    def turn(self, rest: str) -> list[str]:
        """The other side has moved."""
        return self._move({**self._stones, self._free_cell(rest): OTHER})

    def takeback(self, rest: str) -> list[str]:
        """A stone leaves the board."""
        cell = self._cell(rest)
        if cell not in self._stones:
            raise PocketZeroError(f"there is no stone on {cell[0]},{cell[1]}")
        del self._stones[cell]
        return ["OK"]

    def board(self, rest: str) -> list[str]:
        """A whole board follows, up to DONE."""
        self._board = []
        return []

    def _take_board_line(self, line: str) -> list[str]:
        assert self._board is not None
        if line.upper() != "DONE":
            self._board.append(line)
            del self._board[LARGEST * LARGEST + 1 :]  # more is a mistake whatever follows
            return []
        lines, self._board = self._board, None
        self._need_board()
        stones: dict[tuple[int, int], int] = {}
        for each in lines:
            place, _, who = each.rpartition(",")
            cell = self._cell(place)
            if who.strip() not in ("1", "2", "3"):
                raise PocketZeroError(f"{each!r} is not a stone such as 7,7,1")
            if cell in stones:
                raise PocketZeroError(f"{cell[0]},{cell[1]} has two stones")
            stones[cell] = int(who)
        return self._move(stones)

    # Moves

    def _move(self, stones: dict[tuple[int, int], int]) -> list[str]:
        """Think, and put a stone; if that fails, the board is as before."""
        position = self._position(stones)
        if position.is_over:
            raise PocketZeroError("the game is over")
        columns, _ = self._need_board()
        y, x = divmod(self._thinker.choose(position, self._bounds), columns)
        self._stones = {**stones, (x, y): OWN}
        return [*self._warning(), f"{x},{y}"]

    def _position(self, stones: dict[tuple[int, int], int]) -> Position:
        from pocketzero.app.protocols.stones import position_with
        from pocketzero.games import game

        columns, rows = self._need_board()
        told = {"rule": 0, "k": 5, **rules_of(self._game), **self._info}
        exactly = "/standard" if told["rule"] & EXACTLY else ""
        board = game(f"mnk:{columns}x{rows}x{told['k']}{exactly}")
        cells = {kind: [y * columns + x for (x, y), who in stones.items() if who == kind] for kind in (1, 2, 3)}
        return position_with(board, own=cells[OWN], other=cells[OTHER], blocked=cells[BLOCKED])

    def _bounds(self) -> dict[str, float]:
        """What the manager grants for this move, less what it takes to be on time."""
        bounds: dict[str, float] = {}
        if (memory := self._info.get("max_memory", USUAL_MEMORY << 20)) > 0:
            bounds["memory"] = max(LEAST_MEMORY, (memory >> 20) - OWN_MEMORY)
        granted = []
        if (turn := self._info.get("timeout_turn")) is not None:
            granted.append(turn / 1000)
        if 0 <= (left := self._info.get("time_left", NO_LIMIT)) < NO_LIMIT and self._info.get("timeout_match") != 0:
            granted.append(left / 1000 / MOVES_TO_COME)
        if granted:
            bounds["seconds"] = usable_seconds(min(granted), self._came) if min(granted) > 0 else LEAST_SECONDS
        return bounds

    def _warning(self) -> list[str]:
        """Said once, if the manager wants rules that are not known here."""
        rule = self._info.get("rule", 0)
        names = {CONTINUOUS: "continuous", RENJU: "renju", CARO: "caro"}
        wanted = [name for bit, name in names.items() if rule & bit]
        if not wanted or self._was_warned:
            return []
        self._was_warned = True
        return [f"MESSAGE The rule {' and '.join(wanted)} is not known here; played without it."]


def rules_of(game: str) -> dict[str, int]:
    """What the game named on the command line says, in words of the protocol; a manager may say otherwise."""
    if not game:
        return {}
    from pocketzero.games import game as find
    from pocketzero.games.mnk import rules
    from pocketzero.players.base import CannotPlay, family_of

    found = find(game)
    if family_of(found) != "mnk":
        raise CannotPlay(f"The Gomocup protocol is for k in a row, not for {found.name}; use --protocol line.")
    return {"k": int(found.geometry[rules.K]), "rule": int(found.geometry[rules.EXACT])}


COMMANDS = {
    "START": GomocupBrain.start,
    "RECTSTART": GomocupBrain.rectstart,
    "RESTART": GomocupBrain.restart,
    "INFO": GomocupBrain.info,
    "ABOUT": GomocupBrain.about,
    "BEGIN": GomocupBrain.begin,
    "TURN": GomocupBrain.turn,
    "BOARD": GomocupBrain.board,
    "TAKEBACK": GomocupBrain.takeback,
}
