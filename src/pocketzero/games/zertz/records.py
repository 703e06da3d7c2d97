"""Records of Zertz games as text: official notation, and the log of the DeepZertz paper's appendix.

Official text is words of official notation, with named lines before them if there is more to say::

    zertz:37
    result first
    Gd3,d7 Wd5,d1 xd5Gd3 …

The paper's log has one line for each action, such as ``AI: PUT g C3 B3`` or ``Human: CAP g C4 g C2``, comments in
brackets, and ``AI wins`` at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pocketzero.errors import BadRecord, PocketZeroError
from pocketzero.games.base import Game, Outcome, Position
from pocketzero.games.records import Format, Record
from pocketzero.games.registry import game
from pocketzero.games.table import State
from pocketzero.games.zertz import rules
from pocketzero.games.zertz.notation import ZertzNotation, is_official_turn
from pocketzero.games.zertz.steps import COLOURS, Jump, Put, Remove, Step, landing_of, marble_on, over_of, play_step

DEFAULT_GAME = "zertz:37"
PAPER_GAME = "zertz:19/deepzertz"
RESULTS = {"first": Outcome.FIRST, "second": Outcome.SECOND, "draw": Outcome.DRAW}


def zertz_notation(played: Game) -> ZertzNotation:
    """The notation of a game, which must be Zertz."""
    if not isinstance(played.notation, ZertzNotation):
        raise BadRecord(f"This format is for Zertz, not for {played.name}.")
    return played.notation


def is_drawn(position: Position) -> bool:
    """Whether the rules call it a draw; what people who did not notice played on is no part of the game."""
    return position.outcome is Outcome.DRAW


def steps_of(record: Record) -> Iterator[tuple[State, Step]]:
    """The steps of a game that is told from the beginning, each with the state before it."""
    form = zertz_notation(record.game).form
    if record.final.beginning != record.game.start():
        raise BadRecord("This format can only tell games from the beginning; this one starts from a position.")
    state = record.final.beginning.state.copy()
    for action in record.final.actions:
        for step in form.steps(action):
            yield state.copy(), step
            play_step(record.game.geometry, state, step)


class OfficialText(Format):
    """Turns in official notation."""

    name = "zertz"
    title = "Zertz, official notation"

    def recognises(self, text: str) -> bool:
        """By its heading or its first turn."""
        words = without_numbers(text).split()
        return bool(words) and (words[0].lower().startswith("zertz:") or is_official_turn(words[0]))

    def read(self, text: str, game_hint: Game | None) -> Record:
        """Named lines, then turns."""
        fields = {"game": "", "start": "", "first": "", "second": "", "result": ""}
        lines = text.strip().splitlines()
        while lines:
            word, _, rest = lines[0].strip().partition(" ")
            if word.lower().startswith("zertz:") and not rest:
                word, rest = "game", word
            if word not in fields:
                break
            fields[word] = rest.strip()
            lines.pop(0)
        return self._record(fields, without_numbers("\n".join(lines)).split(), game_hint)

    def _record(self, fields: dict[str, str], words: list[str], hint: Game | None) -> Record:
        played = game(fields["game"]) if fields["game"] else hint or game(DEFAULT_GAME)
        zertz_notation(played)
        start = played.position(fields["start"]) if fields["start"] else played.start()
        if fields["result"] not in {"", *RESULTS}:
            raise BadRecord(f"The result {fields['result'][:40]!r} is none of {', '.join(RESULTS)}.")
        final = self._play(start, words)
        return Record(final, RESULTS.get(fields["result"]), (fields["first"], fields["second"]))

    def _play(self, position: Position, words: Iterable[str]) -> Position:
        for number, word in enumerate(words, 1):
            if is_drawn(position):
                break
            try:
                position = position.play(word)
            except PocketZeroError as error:
                raise BadRecord(f"Turn {number}: {error}") from None
        return position

    def write(self, record: Record) -> str:
        """The name of the game, what else is known, and the turns, some on each line."""
        zertz_notation(record.game)
        start = record.final.beginning
        results = {outcome: word for word, outcome in RESULTS.items()}
        fields = {
            "start": "" if start == record.game.start() else start.text,
            "first": one_line(record.players[0]),
            "second": one_line(record.players[1]),
            "result": results.get(record.result, ""),
        }
        turns = record.final.line
        rows = [" ".join(turns[row : row + 10]) for row in range(0, len(turns), 10)]
        return "\n".join([record.game.name, *(f"{word} {rest}" for word, rest in fields.items() if rest), *rows, ""])


def without_numbers(text: str) -> str:
    """A text without the numbers of turns, such as ``12.``"""
    return re.sub(r"(?<!\S)[0-9]{1,4}\.+", " ", text)


def one_line(text: str) -> str:
    """A name as it can stand in a line."""
    return " ".join(text.split())


LOG_LINE = re.compile(r"(?:(?P<name>[^:]*):)?\s*(?P<move>(?:PUT|CAP)\b.*)", re.I)
LOG_END = re.compile(r"(?P<name>.+?)\s+wins[.!]?", re.I)
LOG_HEADING = re.compile(r"Game\s+\w+\s*:.*", re.I)
LOG_GAME = re.compile(r"\(\s*game\s+(\S+)\s*\)", re.I)


class PaperLog(Format):
    """The log of the DeepZertz paper's appendix."""

    name = "deepzertz"
    title = "Zertz, log of the DeepZertz paper"

    def recognises(self, text: str) -> bool:
        """By a line with an action."""
        return re.search(r"^[^:\n]*:?\s*(PUT|CAP)\s+[wgb]\s+[a-z][0-9]", text, re.I | re.M) is not None

    def read(self, text: str, game_hint: Game | None) -> Record:
        """One action in a line; who moves first is the first player."""
        named = LOG_GAME.search(text)
        played = game_hint or game(named[1] if named else PAPER_GAME)
        zertz_notation(played)
        log = _Log(played.start())
        for number, line in enumerate(without_comments(text).splitlines(), 1):
            try:
                log.read_line(line.strip())
            except PocketZeroError as error:
                raise BadRecord(f"Line {number}: {error}") from None
        if log.position.ply == 0:
            raise BadRecord("The log has no action such as 'AI: PUT g C3 B3'.")
        return Record(log.position, log.claimed, (log.names[0], log.names[1]))

    def write(self, record: Record) -> str:
        """A line for each action; the game is named in a comment unless it is the paper's."""
        layout = zertz_notation(record.game).layout
        names = self._names(record)
        lines = [] if record.game.name == PAPER_GAME else [f"(game {record.game.name})"]
        for state, step in steps_of(record):
            if isinstance(step, Put):
                name = names[state[rules.PLAYER]]
                lines.append(f"{name}: PUT {COLOURS[step.colour].lower()} {layout.names[step.ring].upper()}")
            elif isinstance(step, Remove):
                lines[-1] += f" {layout.names[step.ring].upper()}"
            else:
                rings = [layout.names[ring].upper() for ring in (step.ring, landing_of(layout, step))]
                jumper, captured = _jump_colours(state, step, over_of(layout, step))
                lines.append(f"{names[state[rules.PLAYER]]}: CAP {jumper} {rings[0]} {captured} {rings[1]}")
        if record.result is Outcome.DRAW:
            lines.append("Draw")
        elif record.result is not Outcome.ONGOING:
            lines.append(f"{names[record.result]} wins")
        return "\n".join([*lines, ""])

    def _names(self, record: Record) -> tuple[str, str]:
        """Two names that can stand before a colon and be told apart."""
        first, second = (re.sub(r"[:()\s]+", " ", name).strip() for name in record.players)
        return (first, second) if first and second and first.lower() != second.lower() else ("First", "Second")


def _jump_colours(state: State, jump: Jump, over: int) -> tuple[str, str]:
    colours = [marble_on(state, ring) for ring in (jump.ring, over)]
    letters = [COLOURS[colour].lower() for colour in colours if colour is not None]
    return letters[0], letters[1]


def without_comments(text: str) -> str:
    """A log without what stands in brackets; lines keep their numbers."""
    bare = re.sub(r"\([^()]*\)", lambda comment: "\n" * comment[0].count("\n"), text)
    if "(" in bare or ")" in bare:
        line = next(number for number, line in enumerate(bare.splitlines(), 1) if "(" in line or ")" in line)
        raise BadRecord(f"Line {line}: a bracket without its other half.")
    return bare


class _Log:
    """A log while it is read line by line."""

    def __init__(self, start: Position) -> None:
        self.position = start
        self.names = ["", ""]
        self.claimed: Outcome | None = None

    def read_line(self, line: str) -> None:
        if not line or LOG_HEADING.fullmatch(line):
            return
        if self.claimed is not None:
            raise BadRecord(f"{line[:40]!r} comes after the result.")
        if found := LOG_LINE.fullmatch(line):
            self.check_turn((found["name"] or "").strip())
            self.position = self.position.play(found["move"])
        elif found := LOG_END.fullmatch(line):
            self.claimed = Outcome(self.winner(found["name"]))
        elif line.lower().rstrip(".") == "draw":
            self.claimed = Outcome.DRAW
        else:
            raise BadRecord(f"{line[:40]!r} is not a line such as 'AI: PUT g C3 B3', 'AI wins' or a (comment).")

    def check_turn(self, name: str) -> None:
        """Who is named must be the player to move."""
        player = self.position.to_move
        if name and not self.names[player] and name != self.names[1 - player]:
            self.names[player] = name
        if name and name != self.names[player]:
            raise BadRecord(f"It is not the turn of {name}.")

    def winner(self, name: str) -> int:
        if name in self.names:
            return self.names.index(name)
        if "" in self.names:
            return self.names.index("")
        raise BadRecord(f"{name[:40]!r} wins, but the players are {' and '.join(self.names)}.")
