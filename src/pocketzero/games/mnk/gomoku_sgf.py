"""Gomoku in the Smart Game Format: ``(;GM[4]SZ[15]RU[freestyle k=5];B[hh];W[ii])``.

``SZ`` is the size, or ``SZ[columns:rows]``. Black is x and begins. Moves are written as in Go, two letters from the top
left; ``B[h8]`` is understood too. ``RU``, free text by the standard, holds the rules: freestyle or standard, and
``k=4`` for four in a row; without them the game is freestyle, five in a row. A game that begins from a set-up
position has ``AB``, ``AW`` and ``PL``. Of variations, the first is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pocketzero.errors import BadPosition, BadRecord
from pocketzero.games.base import Game, Outcome, Position
from pocketzero.games.mnk.notation import LETTERS, board_size, read_cell, stones, write_cell
from pocketzero.games.mnk.records import Stated, check_writable, one_line, play_moves, rules_text
from pocketzero.games.records import Format, Record
from pocketzero.games.sgf import Property, escape, read_nodes

COLOURS = {"B": 0, "W": 1}
RESULTS = {Outcome.FIRST: "B+", Outcome.SECOND: "W+", Outcome.DRAW: "0"}
NO_RESULT = ("", "?", "void", "unfinished")


class GomokuSgf(Format):
    """Game 4 of the Smart Game Format."""

    name = "gomoku-sgf"
    title = "Smart Game Format, GM[4]"
    suffix = ".sgf"

    def recognises(self, text: str) -> bool:
        """A game tree that says it is game 4."""
        return text.lstrip().startswith("(") and re.search(r"GM\s*\[\s*4\s*\]", text) is not None

    def read(self, text: str, game: Game | None) -> Record:
        """The main line of the first game."""
        nodes = read_nodes(text)
        root = {each.name: each for each in nodes[0]}
        if "GM" in root and root["GM"].value.strip() != "4":
            raise BadRecord(f"Line {root['GM'].line}: expected GM[4], found GM[{root['GM'].value}].")
        played = self._stated(root).played(game)
        start = self._start(played, root)
        later = [each for node in nodes[1:] for each in node]
        for each in later:
            if each.name in ("AB", "AW", "AE"):
                raise BadRecord(f"Line {each.line}: {each.name} sets stones up after the game has begun.")
        moves = (each for each in [*nodes[0], *later] if each.name in COLOURS)
        final = play_moves(start, self._moves(played, moves, start.to_move))
        names = [one_line(root[name].value) if name in root else "" for name in ("PB", "PW")]
        return Record(final, self._result(root.get("RE")), (names[0], names[1]))

    def _stated(self, root: dict[str, Property]) -> Stated:
        stated = Stated()
        if "SZ" in root:
            size = root["SZ"]
            found = re.fullmatch(r"\s*([0-9]{1,3})\s*(?::\s*([0-9]{1,3})\s*)?", size.value)
            if not found:
                raise BadRecord(f"Line {size.line}: expected SZ[15] or SZ[columns:rows], found SZ[{size.value[:20]}].")
            stated.columns, stated.rows = int(found[1]), int(found[2] or found[1])
        if "RU" in root:
            stated.read_rules(root["RU"].value, f"Line {root['RU'].line}, RU")
        return stated

    def _start(self, played: Game, root: dict[str, Property]) -> Position:
        """The empty board, or the position that is set up."""
        if "AB" not in root and "AW" not in root:
            return played.start()
        owners = ["."] * played.action_count
        for name, sign in (("AB", "x"), ("AW", "o")):
            for point in root[name].values if name in root else ():
                owners[_read_point(played, point, f"Line {root[name].line}, {name}")] = sign
        columns, _ = board_size(played)
        rows = ["".join(owners[at : at + columns]) for at in range(0, len(owners), columns)]
        board = re.sub(r"\.+", lambda run: str(len(run[0])), "/".join(rows))
        player = "o" if owners.count("x") > owners.count("o") else "x"
        if "PL" in root:
            player = "o" if root["PL"].value.strip().lower() in ("w", "white", "2") else "x"
        try:
            return played.position(f"{board} {player}")
        except BadPosition as error:
            raise BadRecord(f"The position that is set up cannot be: {error}") from None

    def _moves(self, played: Game, moves: Iterator[Property], first: int) -> Iterator[tuple[str, str]]:
        for number, each in enumerate(moves, 1):
            place = f"Move {number}, line {each.line}"
            expected = "BW"[(first + number - 1) % 2]
            if each.name != expected:
                raise BadRecord(f"{place}: expected a move of {expected}, found {each.name}[{each.value[:12]}].")
            if len(each.values) > 1:
                raise BadRecord(f"{place}: expected one point, found {len(each.values)}.")
            yield place, write_cell(played, _read_point(played, each.value, place))

    def _result(self, stated: Property | None) -> Outcome | None:
        word = stated.value.strip().lower() if stated else ""
        if stated is None or word in NO_RESULT:
            return None
        if word in ("0", "draw"):
            return Outcome.DRAW
        found = re.fullmatch(r"(b|w|black|white)(\+.*|\s+wins?\b.*|\s+won\b.*)", word, re.DOTALL)
        if not found:
            raise BadRecord(f"Line {stated.line}: expected RE[B+], RE[W+], RE[0] or RE[?], found RE[{word[:20]}].")
        return Outcome.FIRST if found[1].startswith("b") else Outcome.SECOND

    def write(self, record: Record) -> str:
        """What is known of the game, then its moves, some on each line."""
        check_writable(record, self, from_start=False)
        played = record.game
        columns, rows = board_size(played)
        head = f"(;FF[4]GM[4]CA[UTF-8]AP[PocketZero]SZ[{columns if columns == rows else f'{columns}:{rows}'}]"
        head += f"RU[{rules_text(played)}]"
        for name, player in zip(("PB", "PW"), record.players):
            head += f"{name}[{escape(one_line(player))}]" if player else ""
        head += f"RE[{RESULTS[record.result]}]" if record.result in RESULTS else ""
        head += _set_up(record.final.beginning)
        first = record.final.beginning.to_move
        moves = [f";{'BW'[(first + ply) % 2]}[{_point(played, cell)}]" for ply, cell in enumerate(record.final.actions)]
        lines = ["".join(moves[at : at + 10]) for at in range(0, len(moves), 10)]
        return "\n".join([head, *lines]) + ")\n"


def _point(played: Game, cell: int) -> str:
    """A cell as Go programs write it."""
    columns, _ = board_size(played)
    row, column = divmod(cell, columns)
    return LETTERS[column] + LETTERS[row]


def _read_point(played: Game, text: str, place: str) -> int:
    """The cell of a point, in two letters from the top left or as a letter and a number."""
    columns, rows = board_size(played)
    point = text.strip()
    if re.fullmatch(r"[A-Za-z][0-9]{1,3}", point):
        try:
            return read_cell(played, point)
        except ValueError as error:
            raise BadRecord(f"{place}: {error}") from None
    corner = f"{LETTERS[columns - 1]}{LETTERS[rows - 1]}"
    if not re.fullmatch(r"[a-z]{2}", point):
        found = "a pass" if point == "" else repr(text[:20])
        raise BadRecord(f"{place}: expected a point, from aa to {corner}, found {found}.")
    column, row = (ord(letter) - ord("a") for letter in point)
    if column >= columns or row >= rows:
        raise BadRecord(f"{place}: the point {point!r} is not on the board, which goes from aa to {corner}.")
    return row * columns + column


def _set_up(start: Position) -> str:
    """The stones from which the game begins, if it does not begin with an empty board."""
    owners = stones(start)
    text = ""
    for player, name in ((0, "AB"), (1, "AW")):
        points = [_point(start.game, cell) for cell, owner in enumerate(owners) if owner == player]
        text += name + "".join(f"[{point}]" for point in points) if points else ""
    return text + f"PL[{'BW'[start.to_move]}]" if text else ""
