"""Records of games: read in any supported format, checked move by move, and written in any other.

A ``Record`` holds the last position of a game, which knows the way to it. Reading never trusts a file: every move
is played by the rules, and what the record says of the result must agree with them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pocketzero.errors import BadRecord, PocketZeroError, UnknownName, nearest
from pocketzero.games.base import Game, Outcome, Position
from pocketzero.games.registry import families, game, is_file_name

VERSION = 1
HEADING = f"pocketzero record {VERSION}"
LARGEST_FILE = 10_000_000  # bytes; a record of one game is far smaller


@dataclass(frozen=True)
class Record:
    """One game as it was played."""

    final: Position
    claimed: Outcome | None = None  # the result the record states; a game may end before the rules end it
    players: tuple[str, str] = ("", "")

    def __post_init__(self) -> None:
        outcome = self.final.outcome
        if self.claimed is not None and outcome is not Outcome.ONGOING and outcome is not self.claimed:
            raise BadRecord(
                f"The record says {result_word(self.claimed)}, but by its moves the result is {result_word(outcome)}."
            )

    @property
    def game(self) -> Game:
        """The game that was played."""
        return self.final.game

    @property
    def result(self) -> Outcome:
        """The result by the rules or, where the game was broken off, the one that the record states."""
        return self.claimed if self.claimed is not None and not self.final.is_over else self.final.outcome


RESULT_WORDS = {
    Outcome.FIRST: "first player wins",
    Outcome.SECOND: "second player wins",
    Outcome.DRAW: "draw",
    Outcome.ONGOING: "unfinished",
}


def result_word(outcome: Outcome) -> str:
    """A result in words."""
    return RESULT_WORDS[outcome]


class Format(ABC):
    """One way of writing records down."""

    name: str  # how people ask for it: --from NAME, --to NAME
    title: str
    suffix: str = ".txt"

    @abstractmethod
    def recognises(self, text: str) -> bool:
        """Whether a text looks like this format."""

    @abstractmethod
    def read(self, text: str, game: Game | None) -> Record:
        """The game in a text; ``game`` helps where the text does not name it."""

    @abstractmethod
    def write(self, record: Record) -> str:
        """The record in this format."""


def play_words(start: Position, words: Iterable[str], *, what: str = "Move") -> Position:
    """Play moves one after the other; the first wrong one is named with its number."""
    position = start
    for number, word in enumerate(words, 1):
        try:
            position = position.play(word)
        except PocketZeroError as error:
            raise BadRecord(f"{what} {number}: {error}") from None
    return position


class Plain(Format):
    """Our own format for any game: a heading, a few named lines, then the moves."""

    name = "plain"
    title = "PocketZero's own, for every game"

    def recognises(self, text: str) -> bool:
        """By its heading."""
        return text.lstrip().startswith("pocketzero record")

    def read(self, text: str, hint: Game | None) -> Record:
        """Named lines up to ``moves``, which says how many there are, then the moves."""
        lines = text.strip().splitlines() or [""]
        if lines[0].strip() != HEADING:
            raise BadRecord(f"Line 1: expected {HEADING!r}, found {lines[0]!r}.")
        fields = {"game": "", "start": "", "result": "", "first": "", "second": ""}
        for number, line in enumerate(lines[1:], 2):
            word, _, rest = line.strip().partition(" ")
            if word == "moves":
                moves = " ".join(lines[number:]).split()
                if rest.strip() != str(len(moves)):
                    raise BadRecord(f"Line {number} announces {rest or 'no number of'} moves; {len(moves)} follow it.")
                return self._record(fields, moves, hint)
            if word not in fields:
                raise BadRecord(f"Line {number}: {word!r} is none of {', '.join(fields)}, moves.")
            fields[word] = rest.strip()
        raise BadRecord("The record is cut short: it has no line 'moves'.")

    def _record(self, fields: dict[str, str], moves: list[str], hint: Game | None) -> Record:
        played = self._game(fields["game"], hint)
        start = played.position(fields["start"]) if fields["start"] else played.start()
        results = {outcome.name.lower(): outcome for outcome in Outcome}
        if fields["result"] not in {"", *results}:
            raise BadRecord(f"The result {fields['result']!r} is none of {', '.join(results)}.")
        claimed = results.get(fields["result"])
        if claimed is Outcome.ONGOING:
            claimed = None
        return Record(play_words(start, moves), claimed, (fields["first"], fields["second"]))

    def _game(self, name: str, hint: Game | None) -> Game:
        """The game that a record names. A record never makes us run a file that it names."""
        if hint is not None and hint.name == name:
            return hint
        if is_file_name(name):
            raise BadRecord(f"The record is of a game in the file {name!r}; to read it, name that game yourself.")
        return game(name)

    def write(self, record: Record) -> str:
        """Every line that says something, then the moves, some on each line."""
        start = record.final.beginning
        fields = {
            "game": record.game.name,
            "start": "" if start == record.game.start() else start.text,
            "first": " ".join(record.players[0].split()),  # a line break in a name would break the record
            "second": " ".join(record.players[1].split()),
            "result": record.result.name.lower(),
        }
        words = record.final.line
        rows = [" ".join(words[row : row + 10]) for row in range(0, len(words), 10)]
        named = [f"{name} {value}" for name, value in fields.items() if value]
        return "\n".join([HEADING, *named, f"moves {len(words)}", *rows, ""])


PLAIN = Plain()


def formats() -> dict[str, Format]:
    """All record formats by name."""
    found: dict[str, Format] = {PLAIN.name: PLAIN}
    for kind in families():
        found.update({each.name: each for each in kind.formats})
    return found


def find_format(name: str) -> Format:
    """The format with this name."""
    known = formats()
    if name not in known:
        raise UnknownName(f"There is no record format {name!r}. {nearest(name, known)}Formats: {', '.join(known)}.")
    return known[name]


def read_record(text: str, *, format: str = "", game: Game | None = None) -> Record:
    """The game in a text, in the named format or in whichever recognises it."""
    if not text.strip():
        raise BadRecord("The record is empty.")
    if format:
        return find_format(format).read(text, game)
    for each in formats().values():
        if each.recognises(text):
            return each.read(text, game)
    raise BadRecord(f"This is no record in a known format ({', '.join(formats())}); it begins {text.strip()[:30]!r}.")


def read_record_file(path: Path, *, format: str = "", game: Game | None = None) -> Record:
    """The game in a file, which must be text in UTF-8."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise BadRecord(f"{path} has more than {LARGEST_FILE // 1_000_000} MB; that is not one game.")
        return read_record(path.read_bytes().decode("utf-8-sig"), format=format, game=game)
    except OSError as error:
        raise BadRecord(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        wrong = error.object[error.start]
        raise BadRecord(f"{path} is not text in UTF-8: byte {error.start + 1} is {wrong:#04x}.") from None
    except PocketZeroError as error:
        raise BadRecord(f"{path}: {error}") from None


def write_record(record: Record, format: str) -> str:
    """The record in the named format."""
    return find_format(format).write(record)
