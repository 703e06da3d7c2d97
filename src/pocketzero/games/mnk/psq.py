"""PSQ, the records of the Piskvorky manager, in which the Gomocup tournaments are kept.

First ``Piskvorky 15x15, 0:0, 0`` (columns, rows, two levels of play, and 1 if the player named second begins), then
for each move a line ``x,y,milliseconds``, counted from 1,1 at the top left. After the moves may follow the names of
the two players, a code, and ``winner,rules`` such as ``1,Freestyle``, with 0 for a draw. Two words are our own there:
a winner -1 for a game broken off, and ``k=4`` after the rules where k is not 5. Whatever else stands after the moves
is passed over, unless more moves follow: then the line before them is damaged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pocketzero.errors import BadRecord
from pocketzero.games.base import Game, Outcome
from pocketzero.games.mnk import rules
from pocketzero.games.mnk.notation import board_size, write_cell
from pocketzero.games.mnk.records import VARIANTS, Stated, check_writable, one_line, play_moves
from pocketzero.games.records import Format, Record

HEADING = re.compile(
    r"Piskvorky\s+([0-9]{1,3})x([0-9]{1,3})\s*(?:,\s*-?[0-9]+\s*:\s*-?[0-9]+\s*(?:,\s*([01])\s*)?)?,?\s*", re.IGNORECASE
)
MOVE = re.compile(r"\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*(?:,\s*-?[0-9]*\s*)?")
VERDICT = re.compile(r"\s*(-1|[0-2])\s*,\s*([A-Za-z].*)")
CODE = re.compile(r"\s*-?[0-9]+\s*")
NOBODY = "-"  # the name of a player without one
WINNERS = {1: Outcome.FIRST, 2: Outcome.SECOND, 0: Outcome.DRAW, -1: None}


@dataclass
class Tail:
    """What stands after the moves."""

    names: tuple[str, str] = ("", "")
    winner: int = -1
    rules: str = ""
    line: int = 0


class Psq(Format):
    """The records of the Piskvorky manager."""

    name = "psq"
    title = "Piskvorky, as used by Gomocup"
    suffix = ".psq"

    def recognises(self, text: str) -> bool:
        """By its first word."""
        return text.lstrip().lower().startswith("piskvorky")

    def read(self, text: str, game: Game | None) -> Record:
        """A heading, the moves, and what follows them."""
        lines = text.splitlines()
        at = next((number for number, line in enumerate(lines) if line.strip()), 0)
        heading = HEADING.fullmatch(lines[at].strip()) if lines else None
        if not heading:
            found = lines[at][:40] if lines else ""
            raise BadRecord(f"Line {at + 1}: expected a heading such as 'Piskvorky 15x15, 0:0, 0', found {found!r}.")
        end = at + 1
        while end < len(lines) and (MOVE.fullmatch(lines[end]) or not lines[end].strip()):
            end += 1
        tail = _read_tail(lines, end)
        stated = Stated(columns=int(heading[1]), rows=int(heading[2]))
        stated.read_rules(tail.rules, f"Line {tail.line}")
        played = stated.played(game)
        final = play_moves(played.start(), self._moves(played, lines, at + 1, end))
        swapped = heading[3] == "1"
        claimed = WINNERS[tail.winner if tail.winner < 1 or not swapped else 3 - tail.winner]
        names = tail.names[::-1] if swapped else tail.names
        return Record(final, None if final.is_over else claimed, (names[0], names[1]))

    def _moves(self, played: Game, lines: list[str], begin: int, end: int) -> Iterator[tuple[str, str]]:
        columns, rows = board_size(played)
        number = 0
        for at in range(begin, end):
            found = MOVE.fullmatch(lines[at])
            if not found:
                continue
            number += 1
            place = f"Line {at + 1}, move {number}"
            x, y = int(found[1]), int(found[2])
            if not (1 <= x <= columns and 1 <= y <= rows):
                raise BadRecord(f"{place}: {x},{y} is not on the board; expected 1,1 to {columns},{rows}.")
            yield place, write_cell(played, (y - 1) * columns + x - 1)

    def write(self, record: Record) -> str:
        """As the manager writes it, with no time for any move."""
        check_writable(record, self, from_start=True)
        played = record.game
        columns, rows = board_size(played)
        cells = (divmod(cell, columns) for cell in record.final.actions)
        winner = next(number for number, outcome in WINNERS.items() if outcome in (record.result, None))
        verdict = f"{winner},{VARIANTS[int(played.geometry[rules.EXACT])].title()}"
        k = int(played.geometry[rules.K])
        return "\n".join(
            [
                f"Piskvorky {columns}x{rows}, 0:0, 0",
                *(f"{column + 1},{row + 1},0" for row, column in cells),
                *(_safe_name(name) for name in record.players if any(record.players)),
                "-1",
                verdict if k == 5 else f"{verdict} k={k}",
                "",
            ]
        )


def _read_tail(lines: list[str], begin: int) -> Tail:
    """The names of the players, who won, and the rules, as far as they are there."""
    tail = Tail()
    kept = []
    for at in range(begin, len(lines)):
        line = lines[at].strip()
        verdict = VERDICT.fullmatch(line)
        if verdict:
            tail.winner, tail.rules, tail.line = int(verdict[1]), verdict[2], at + 1
        elif re.match(r"[0-9]+\s*,", line) or (MOVE.fullmatch(line) and line):
            _fail_damaged(lines, begin, at)
        elif line:
            kept.append(line)
    if len(kept) >= 3 or (len(kept) == 2 and not CODE.fullmatch(kept[0])):
        first, second = ("" if name == NOBODY else name for name in kept[:2])
        tail.names = (first, second)
    return tail


def _fail_damaged(lines: list[str], begin: int, at: int) -> None:
    """A line after the moves looks like a move: it, or the one that ended the moves, is damaged."""
    wrong = begin if MOVE.fullmatch(lines[at]) else at
    more = "; the record is cut short" if wrong == len(lines) - 1 else ""
    raise BadRecord(f"Line {wrong + 1}: expected a move x,y,milliseconds, found {lines[wrong].strip()[:40]!r}{more}.")


def _safe_name(name: str) -> str:
    """A name that cannot be taken for a move or for who won."""
    return re.sub(r"^(-?[0-9]+ ?),", r"\1;", one_line(name)) or NOBODY
