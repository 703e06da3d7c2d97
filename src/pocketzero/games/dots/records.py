"""Records of Dots and Boxes from elsewhere: ``#5,f5d5f7h7`` links, and OpenSpiel's action numbers."""

from __future__ import annotations

import re

from pocketzero.errors import BadRecord
from pocketzero.games.base import Game
from pocketzero.games.dots import rules
from pocketzero.games.dots.notation import DotsNotation
from pocketzero.games.records import Format, Record, play_words
from pocketzero.games.registry import game as find_game


def _notation(game: Game) -> DotsNotation:
    if not isinstance(game.notation, DotsNotation):
        raise BadRecord(f"This format is for Dots and Boxes, not for {game.name}.")
    return game.notation


class Centres(Format):
    """The size and the middles of the lines, one after the other: ``#5,f5d5f7h7`` (``#3x7,…`` if not square)."""

    name = "centres"
    title = "Dots and Boxes link: #5,f5d5f7h7"

    def recognises(self, text: str) -> bool:
        """By the sign in front of the size."""
        return bool(re.match(r"\s*#\d+(x\d+)?,", text))

    def read(self, text: str, game: Game | None) -> Record:
        """The lines in the order they were drawn."""
        found = re.fullmatch(r"#(\d{1,3})(?:x(\d{1,3}))?,(.*)", text.strip(), re.DOTALL)
        if not found:
            raise BadRecord(f"Expected '#5,' with the size and then the lines, found {text.strip()[:30]!r}.")
        played = find_game(f"dots:{found[1]}x{found[2] or found[1]}")
        notation = _notation(played)
        words = re.findall(r"[a-zA-Z]+[0-9]*|[^a-zA-Z\s]+", found[3])
        lines = []
        for number, word in enumerate(words, 1):
            line = notation.read_centre(word)
            if line is None:
                raise BadRecord(f"Move {number}: {word!r} is not the middle of a line on {played.name}.")
            lines.append(str(line))
        return Record(play_words(played.start(), lines))

    def write(self, record: Record) -> str:
        """One line of text."""
        notation = _notation(record.game)
        rows, columns = (int(record.game.geometry[place]) for place in (rules.ROWS, rules.COLUMNS))
        size = str(rows) if rows == columns else f"{rows}x{columns}"
        return f"#{size}," + "".join(notation.write_line_as(line, "centres") for line in record.final.actions) + "\n"


class OpenSpielNumbers(Format):
    """OpenSpiel's name of the game and the numbers of the actions."""

    name = "openspiel"
    title = "OpenSpiel action numbers: dots_and_boxes(num_rows=5,num_cols=5): 0 12 7"

    def recognises(self, text: str) -> bool:
        """By the name of the game."""
        return text.lstrip().startswith("dots_and_boxes(")

    def read(self, text: str, game: Game | None) -> Record:
        """The numbers after the colon."""
        pattern = r"dots_and_boxes\(num_rows=(\d{1,3}),num_cols=(\d{1,3})\):(.*)"
        found = re.fullmatch(pattern, text.strip(), re.DOTALL)
        if not found:
            raise BadRecord(f"Expected 'dots_and_boxes(num_rows=5,num_cols=5): 0 12 7', found {text.strip()[:50]!r}.")
        return Record(play_words(find_game(f"dots:{found[1]}x{found[2]}").start(), found[3].split()))

    def write(self, record: Record) -> str:
        """One line of text."""
        _notation(record.game)
        rows, columns = (int(record.game.geometry[place]) for place in (rules.ROWS, rules.COLUMNS))
        numbers = " ".join(map(str, record.final.actions))
        return f"dots_and_boxes(num_rows={rows},num_cols={columns}): {numbers}\n"


FORMATS: tuple[Format, ...] = (Centres(), OpenSpielNumbers())
