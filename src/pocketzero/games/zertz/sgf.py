"""Zertz records of the large online archive: Smart Game Format with ``GM[22]``, one operation in each node.

``P0[1 RtoB 2 2 C 3]`` puts a marble (rack 2 is the pool, 0 and 1 the players' own; colours 0 1 2), ``R- D 1`` removes
a ring, before or after it, ``BtoB B 3 D 3`` is one jump, and ``Done`` ends a turn. Older files have no ``Done``: there
a turn ends when the player changes. What the rules do by themselves (isolation, the end of the game) is taken from
them.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from pocketzero.errors import BadRecord, IllegalMove, PocketZeroError
from pocketzero.games.base import Game, Outcome, Position
from pocketzero.games.records import Format, Record
from pocketzero.games.registry import game
from pocketzero.games.sgf import Node, escape, read_nodes
from pocketzero.games.zertz import rules
from pocketzero.games.zertz.notation import read_chain
from pocketzero.games.zertz.records import is_drawn, one_line, steps_of, zertz_notation
from pocketzero.games.zertz.steps import Put, Remove, landing_of
from pocketzero.games.zertz.turn import Turn

SETS = {"zertz": 37, "zertz+11": 48, "zertz+24": 61}
TITLES = {37: "Zertz", 48: "Zertz+11", 61: "Zertz+24"}
POOL_RACK = 2
PLACE = r"([a-z])\s*([0-9]{1,2})"
SEATLESS = {"start", "edit", "done"}  # operations that may be nobody's
NOT_OPERATIONS = {"id", "time", "ranking", "country", "uid"}  # what else is said of a player


class ArchiveSgf(Format):
    """The archive's SGF."""

    name = "zertz-sgf"
    title = "Zertz, SGF of the online archive"
    suffix = ".sgf"

    def recognises(self, text: str) -> bool:
        """By the number of the game, or by its set."""
        beginning = text.lstrip()[:2000]
        return (
            beginning.startswith("(") and re.search(r"GM\s*\[\s*22\s*\]|SU\s*\[\s*zertz", beginning, re.I) is not None
        )

    def read(self, text: str, game_hint: Game | None) -> Record:
        """Every turn is replayed by the rules; a resignation is the stated result."""
        root, *nodes = read_nodes(text)
        replay = _Replay(_game_of(root, game_hint).start())
        for node in nodes:
            for each in node:
                if re.fullmatch(r"P-?[0-9]+", each.name):
                    for value in each.values:
                        replay.read(int(each.name[1:]), value, each.line)
        replay.end_of_file()
        names = _names(root)
        players = (names[replay.first_seat], names[1 - replay.first_seat])
        return Record(replay.position, replay.claimed, players)

    def write(self, record: Record) -> str:
        """The operations of every turn; a game that was given up ends with a resignation."""
        _check_writable(record.game)
        layout = zertz_notation(record.game).layout
        operations: list[str] = []
        player = 0
        for state, step in steps_of(record):
            if operations and state[rules.PHASE] == rules.TURN:
                operations.append(f"P{player} Done")
            player = int(state[rules.PLAYER])
            if isinstance(step, Put):
                rack = POOL_RACK if rules.supply(state) == rules.POOL else player
                operations.append(f"P{player} RtoB {rack} {step.colour} {_place(layout.names[step.ring])}")
            elif isinstance(step, Remove):
                operations.append(f"P{player} R- {_place(layout.names[step.ring])}")
            else:
                places = [_place(layout.names[ring]) for ring in (step.ring, landing_of(layout, step))]
                operations.append(f"P{player} BtoB {' '.join(places)}")
        if operations and record.final.state[rules.PHASE] == rules.TURN:
            operations.append(f"P{player} Done")
        return _file(record, layout.rings, operations + _given_up(record))


def _place(name: str) -> str:
    return f"{name[0].upper()} {name[1:]}"


def _check_writable(played: Game) -> None:
    """The archive has only three sets, all with the standard marbles and goals."""
    layout = zertz_notation(played).layout
    standard = game(f"zertz:{layout.name}").geometry
    if layout.name not in map(str, TITLES) or (standard != played.geometry).any():
        raise BadRecord(
            f"The archive's SGF has only zertz:37, zertz:48 and zertz:61 with standard goals, not {played.name}."
        )


def _given_up(record: Record) -> list[str]:
    """How a game ended that the rules did not end."""
    if record.final.is_over or record.result is Outcome.ONGOING:
        return []
    if record.result is Outcome.DRAW:
        return ["P0 OfferDraw", "P1 AcceptDraw"]
    return [f"P{1 - record.result} Resign"]


def _file(record: Record, rings: int, operations: list[str]) -> str:
    names = [escape(one_line(name).replace('"', "'")) for name in record.players]
    lines = ["(;", "GM[22]VV[2]", f"SU[{TITLES[rings]}]", *(f'P{seat}[id "{names[seat]}"]' for seat in (0, 1))]
    for number, operation in enumerate(["P0 Start P0", *operations]):
        player, _, rest = operation.partition(" ")
        lines.append(f"; {player}[{number} {rest}]")
    return "\n".join([*lines, ")", ""])


def _game_of(root: Node, hint: Game | None) -> Game:
    """The game that the root of a file names; a hint may choose goals and form on the same board."""
    sets = [each for each in root if each.name == "SU"]
    if not sets:
        if hint is None:
            raise BadRecord("The SGF does not say on which board it was played (SU), and no game was given.")
        zertz_notation(hint)
        return hint
    word = re.sub(r"\s+", "", sets[0].value).lower()
    if word not in SETS:
        raise BadRecord(f"Line {sets[0].line}: the set {sets[0].value[:40]!r} is none of {', '.join(TITLES.values())}.")
    if hint is None:
        return game(f"zertz:{SETS[word]}")
    if zertz_notation(hint).layout.name != str(SETS[word]):
        raise BadRecord(f"Line {sets[0].line}: the game was played on {SETS[word]} rings, not on those of {hint.name}.")
    return hint


def _names(root: Node) -> list[str]:
    """The names of the two seats."""
    names = ["", ""]
    for each in root:
        found = re.fullmatch(r'\s*id\s+"?(.*?)"?\s*', each.value, re.S)
        if found and each.name in ("P0", "P1"):
            names[int(each.name[1])] = one_line(found[1])
    return names


@dataclass
class _Pending:
    """A turn as the file tells it, until it is known to be complete."""

    seat: int
    line: int
    marble: tuple[int, int, str] | None = None  # rack, colour, ring
    lifted: bool = False  # the marble went to a rack: taken back if another is put, else claimed by isolation
    removed: list[str] = field(default_factory=list)
    jumps: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return self.marble is None and not self.removed and not self.jumps


class _Replay:
    """Plays the operations of a file, turn by turn."""

    def __init__(self, start: Position) -> None:
        self.position = start
        self.first_seat = 0
        self.claimed: Outcome | None = None
        self.turn = _Pending(0, 1)
        self.leaving = 0  # the seat of the operation being read
        self.operations: dict[str, tuple[str, Callable[[re.Match[str]], None]]] = {
            "rtob": (rf"([0-9]+)\s+([0-9]+)\s+{PLACE}", self.rack_to_board),
            "btob": (rf"{PLACE}\s+{PLACE}", self.board_to_board),
            "btor": (rf"{PLACE}.*", self.board_to_rack),
            "r-": (PLACE, self.take_ring),
            "r+": (PLACE, self.put_ring_back),
            "start": (r"p([01])", self.start),
            "done": (r".*", lambda _: self.end_turn()),
            "resign": (r".*", self.resign),
            "acceptdraw": (r".*", self.accept_draw),
        }
        for nothing in ("rtor", "edit", "offerdraw", "declinedraw"):
            self.operations[nothing] = (r".*", lambda _: None)

    def read(self, seat: int, value: str, line: int) -> None:
        """One value of a player's property: an operation with its number, or something else about the player."""
        words = value.split()
        if not words or words[0].lower() in NOT_OPERATIONS:
            return
        try:
            self.operate(seat, words, line)
        except PocketZeroError as error:
            message = str(error)
            raise BadRecord(message if message.startswith("Line ") else f"Line {line} of the SGF: {message}") from None

    def operate(self, seat: int, words: list[str], line: int) -> None:
        if not re.fullmatch(r"-?[0-9]+", words[0]) or len(words) < 2:
            raise BadRecord(f"{' '.join(words)[:40]!r} is not a number and an operation.")
        verb, rest = words[1].lower(), " ".join(words[2:])
        if verb in ("offer", "accept", "decline") and rest.lower().startswith("draw"):
            verb += "draw"
        if verb not in self.operations:
            raise BadRecord(f"{words[1][:20]!r} is no operation of Zertz ({', '.join(self.operations)}).")
        if seat not in (0, 1) and verb not in SEATLESS:
            raise BadRecord(f"There is no player P{seat}.")
        pattern, operation = self.operations[verb]
        found = re.fullmatch(pattern, rest, re.I | re.A)
        if found is None:
            raise BadRecord(f"{' '.join(words[1:])[:40]!r} is cut short or damaged.")
        if seat != self.turn.seat and verb in ("rtob", "btob", "btor", "r-", "r+"):
            self.end_turn()
        if self.turn.is_empty:
            self.turn = _Pending(seat, line)
        self.leaving = seat
        operation(found)

    # The operations

    def start(self, found: re.Match[str]) -> None:
        if self.position.ply == 0:
            self.first_seat = int(found[1])

    def rack_to_board(self, found: re.Match[str]) -> None:
        rack, colour = int(found[1]), int(found[2])
        if rack > POOL_RACK or colour > 2:
            raise BadRecord(f"There is no colour {colour} in rack {rack}.")
        if self.turn.marble is not None and not self.turn.lifted:
            raise BadRecord("A second marble is put in the same turn.")
        self.turn.marble, self.turn.lifted = (rack, colour, found[3] + found[4]), False

    def board_to_board(self, found: re.Match[str]) -> None:
        start, landing = (found[1] + found[2]).lower(), (found[3] + found[4]).lower()
        marble = self.turn.marble
        if marble is not None and marble[2].lower() == start:  # the marble just put is moved once more
            self.turn.marble = (marble[0], marble[1], landing)
        else:
            self.turn.jumps.append((start, landing))

    def board_to_rack(self, found: re.Match[str]) -> None:
        """The marble just put is taken back; or an isolated one is taken, which the rules do by themselves."""
        if self.turn.marble is not None and self.turn.marble[2].lower() == (found[1] + found[2]).lower():
            self.turn.lifted = True

    def take_ring(self, found: re.Match[str]) -> None:
        ring = (found[1] + found[2]).lower()
        if ring not in self.turn.removed:
            self.turn.removed.append(ring)

    def put_ring_back(self, found: re.Match[str]) -> None:
        ring = (found[1] + found[2]).lower()
        if ring not in self.turn.removed:
            raise BadRecord(f"The ring {ring} comes back, but was not removed in this turn.")
        self.turn.removed.remove(ring)

    def resign(self, found: re.Match[str]) -> None:
        self.end_turn(complete=False)
        self.claimed = Outcome.SECOND if self.leaving == self.first_seat else Outcome.FIRST

    def accept_draw(self, found: re.Match[str]) -> None:
        self.end_turn(complete=False)
        self.claimed = Outcome.DRAW

    # Turns

    def end_of_file(self) -> None:
        """The last turn may be one that was not finished."""
        self.end_turn(complete=False)
        if self.position.is_over:
            self.claimed = None  # who gave up a game that was over changed nothing

    def end_turn(self, *, complete: bool = True) -> None:
        """Play the turn that the file has told so far."""
        pending, self.turn = self.turn, _Pending(self.turn.seat, self.turn.line)
        if pending.is_empty or is_drawn(self.position):
            return
        try:
            self.play(pending, complete)
        except PocketZeroError as error:
            raise BadRecord(f"Line {pending.line} of the SGF: {error}") from None

    def play(self, pending: _Pending, complete: bool) -> None:
        if pending.seat != self.position.to_move ^ self.first_seat and not self.position.is_over:
            raise BadRecord(f"It is not the turn of P{pending.seat}.")
        turn = self.told(pending)
        if turn.is_open and complete:
            what = f"jump on: {turn.jumps()}" if pending.jumps else f"remove a ring: {turn.free_rings()}"
            raise BadRecord(f"The turn ends too early; P{pending.seat} must {what}.")
        form = zertz_notation(self.position.game).form
        if turn.is_open and form.joint and not pending.jumps:
            return  # half a placement is no action of the joint form
        for action in form.actions(turn.steps):
            self.position = self.position.play(action)

    def told(self, pending: _Pending) -> Turn:
        """The turn; of several rings one is removed, and the others must be those that this isolates."""
        if len(pending.removed) < 2:
            return self.replayed(pending, pending.removed[0] if pending.removed else None)
        for ring in pending.removed:
            with contextlib.suppress(IllegalMove):
                turn = self.replayed(pending, ring)
                if set(pending.removed) <= {ring, *(turn.layout.names[other] for other in turn.claimed)}:
                    return turn
        raise BadRecord(f"Only one ring can be removed in a turn, not {', '.join(pending.removed)}.")

    def replayed(self, pending: _Pending, ring: str | None) -> Turn:
        """The turn as the rules play it."""
        turn = Turn(zertz_notation(self.position.game).layout, self.position.game.geometry, self.position.state)
        if pending.jumps and (pending.marble or pending.removed):
            raise BadRecord("A turn either captures or puts a marble, not both.")
        if pending.jumps:
            self.replay_jumps(turn, pending.jumps)
        elif pending.marble is None:
            raise BadRecord(f"The ring {ring} is removed, but no marble is put.")
        else:
            rack, colour, name = pending.marble
            if (rack == POOL_RACK) != (rules.supply(turn.state) == rules.POOL) and not rules.must_jump(turn.state):
                raise BadRecord(
                    f"A marble cannot come from rack {rack}: the pool is {'' if rack == 2 else 'not '}empty."
                )
            turn.put(colour, name)
            if ring is not None:
                turn.remove(ring)
        return turn

    def replay_jumps(self, turn: Turn, jumps: list[tuple[str, str]]) -> None:
        starts, landings = [start for start, _ in jumps], [landing for _, landing in jumps]
        if starts[1:] != landings[:-1]:
            raise BadRecord("A chain goes on with the same marble.")
        read_chain(turn, starts[0], [(None, landing) for landing in landings])
