"""What all records of the m,n,k games share, and the plainest of them: bare moves such as ``h8i9g10``.

No record format has a word for every game, so each says as much as it can, and the game that the caller names
fills in the rest; where the two contradict each other, that is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pocketzero.errors import BadRecord, IllegalMove, UnknownName
from pocketzero.games.base import Game, Position
from pocketzero.games.mnk import rules
from pocketzero.games.mnk.notation import MnkNotation
from pocketzero.games.records import Format, Record
from pocketzero.games.registry import game

VARIANTS = ("freestyle", "standard")  # k or more in a row win; exactly k
OTHER_RULES = ("renju", "caro")  # variants that records name and that are not supported


@dataclass
class Stated:
    """What a record says of its game; None where it is silent."""

    columns: int | None = None
    rows: int | None = None
    k: int | None = None
    exactly: bool | None = None

    def read_rules(self, text: str, place: str) -> None:
        """Take the variant and k from free text."""
        words = re.split(r"[\s,;:/]+", text.lower())
        for name in OTHER_RULES:
            if name in words:
                raise BadRecord(
                    f"{place}: games by the rules of {name} are not supported; expected freestyle or standard."
                )
        if "standard" in words or "freestyle" in words:
            self.exactly = "standard" in words
        for word in (word for word in words if word.startswith("k=")):
            if not re.fullmatch(r"k=[0-9]{1,3}", word):
                raise BadRecord(f"{place}: expected a number after 'k=', found {word[2:14]!r}.")
            self.k = int(word[2:])

    def played(self, named: Game | None) -> Game:
        """The game that was played; one that the caller names must agree with the record."""
        if named is not None:
            self._check_agrees(named)
            return named
        if self.columns is None:
            raise BadRecord("The record does not say on which board it was played: name the game, such as gomoku:15.")
        name = f"mnk:{self.columns}x{self.rows}x{5 if self.k is None else self.k}"
        try:
            return game(name + ("/standard" if self.exactly else ""))
        except UnknownName as error:
            silent = "" if self.k else " The record does not say how many in a row win: name the game."
            raise BadRecord(f"The board of the record is not supported. {error}{silent}") from None

    def _check_agrees(self, named: Game) -> None:
        if not isinstance(named.notation, MnkNotation):
            raise BadRecord(f"This is a record of k in a row, not of {named.name}.")
        stated = (self.columns, self.rows, self.k, None if self.exactly is None else int(self.exactly))
        words = ("columns", "rows", "in a row to win", "")
        for place, (told, word) in enumerate(zip(stated, words)):
            known = int(named.geometry[place])
            if told is None or told == known:
                continue
            if place == rules.EXACT:
                told_variant, variant = VARIANTS[told], VARIANTS[known]
                raise BadRecord(f"The record says {told_variant} rules, but {named.name} has {variant} rules.")
            raise BadRecord(f"The record says {told} {word}, but {named.name} has {known}.")


def play_moves(start: Position, moves: Iterable[tuple[str, str]]) -> Position:
    """Play moves, each with the words for its place in the record; the first wrong one is named."""
    position = start
    for place, move in moves:
        try:
            position = position.play(move)
        except IllegalMove as error:
            raise BadRecord(f"{place}: {error}") from None
    return position


def one_line(text: str) -> str:
    """A name that cannot break a record into lines."""
    return " ".join(text.split())


def rules_text(played: Game) -> str:
    """The variant and k, as ``Stated.read_rules`` understands them."""
    return f"{VARIANTS[int(played.geometry[rules.EXACT])]} k={played.geometry[rules.K]}"


def check_writable(record: Record, format: Format, *, from_start: bool) -> None:
    """Stop what a format cannot hold."""
    if not isinstance(record.game.notation, MnkNotation):
        raise BadRecord(f"A record of {record.game.name} cannot be written as {format.name}, which is for k in a row.")
    if from_start and record.final.beginning != record.game.start():
        raise BadRecord(
            f"{format.name} cannot hold a game that begins from a set-up position; gomoku-sgf and plain can."
        )


class Moves(Format):
    """The moves only, with or without blanks between them; the caller must name the game."""

    name = "moves"
    title = "Moves of k in a row one after the other, such as h8i9g10"

    def recognises(self, text: str) -> bool:
        """Nothing but letters with numbers."""
        return re.fullmatch(r"(\s*[a-zA-Z][0-9]{1,2})+\s*", text) is not None

    def read(self, text: str, game: Game | None) -> Record:
        """Cells, played one after the other."""
        played = Stated().played(game)
        return Record(play_moves(played.start(), self._moves(text)))

    def _moves(self, text: str) -> Iterable[tuple[str, str]]:
        at = len(text) - len(text.lstrip())
        number = 1
        while at < len(text):
            found = re.compile(r"([a-zA-Z][0-9]+)\s*").match(text, at)
            if not found:
                raise BadRecord(f"Move {number}: expected a letter and a number, found {text[at : at + 12]!r}.")
            yield f"Move {number}", found[1]
            at = found.end()
            number += 1

    def write(self, record: Record) -> str:
        """One word."""
        check_writable(record, self, from_start=True)
        return "".join(record.final.line) + "\n"
