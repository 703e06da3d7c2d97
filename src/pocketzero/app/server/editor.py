"""The position editor: what a client has laid out becomes a position, or an error that says why it cannot be."""

from __future__ import annotations

from typing import Any

from pocketzero.app.server.game_names import game_named
from pocketzero.errors import BadPosition
from pocketzero.games import Game, Position
from pocketzero.games.dots.notation import DotsNotation
from pocketzero.games.zertz import rules as zertz_rules
from pocketzero.games.zertz.layout import Layout
from pocketzero.games.zertz.notation import ZertzNotation
from pocketzero.players.base import family_of


def laid_out(game: Game, setup: dict[str, Any]) -> Position:
    """The position of a setup; its fields depend on the game (see ``docs/page.md``)."""
    makers = {"dots": _dots, "mnk": _mnk, "zertz": _zertz}
    family = family_of(game)
    if family not in makers:
        raise BadPosition(f"{game.name} has no editor; give the position as text.")
    return makers[family](game, setup)


def _text(setup: dict[str, Any], field: str, length: int, signs: str) -> str:
    found = setup.get(field)
    if not isinstance(found, str) or len(found) != length or set(found) - set(signs):
        raise BadPosition(f"{field!r} is {length} signs out of {signs!r}.")
    return found


def _side(setup: dict[str, Any]) -> int:
    side = setup.get("to_move", 0)
    if side not in (0, 1) or isinstance(side, bool):
        raise BadPosition("'to_move' is 0 or 1.")
    return int(side)


def _three(setup: dict[str, Any], field: str) -> tuple[int, int, int]:
    found = setup.get(field)
    fits = isinstance(found, list) and len(found) == 3
    if not fits or not all(type(number) is int and 0 <= number <= 99 for number in found or ()):
        raise BadPosition(f"{field!r} is three numbers from 0 to 99: white, grey and black.")
    assert found is not None
    return found[0], found[1], found[2]


def _dots(game: Game, setup: dict[str, Any]) -> Position:
    """``drawn``: 0 or 1 by line; ``owners``: A, B or a dot by box, which counts where a box is finished."""
    notation = game.notation
    assert isinstance(notation, DotsNotation)
    rows, columns = notation.rows, notation.columns
    drawn = _text(setup, "drawn", notation.lines, "01")
    owners = _text(setup, "owners", rows * columns, "AB.")
    picture, score = [], [0, 0]
    for row in range(rows + 1):
        picture.append("".join("-" if drawn[row * columns + column] == "1" else "." for column in range(columns)))
        if row < rows:
            body = ""
            for column in range(columns + 1):
                body += "|" if drawn[notation.across + row * (columns + 1) + column] == "1" else "."
                if column < columns:
                    owner = _owner(notation, drawn, owners, row, column)
                    if owner != ".":
                        score["AB".index(owner)] += 1
                    body += owner
            picture.append(body)
    return game.position(f"{'/'.join(picture)} {score[0]}-{score[1]} {'AB'[_side(setup)]}")


def _owner(notation: DotsNotation, drawn: str, owners: str, row: int, column: int) -> str:
    """The owner of a finished box, the first player unless it says otherwise; nobody owns an open one."""
    sides = [(True, row, column), (True, row + 1, column), (False, row, column), (False, row, column + 1)]
    lines = [notation.number(*side) for side in sides]
    if not all(line is not None and drawn[line] == "1" for line in lines):
        return "."
    owner = owners[row * notation.columns + column]
    return owner if owner != "." else "A"


def _mnk(game: Game, setup: dict[str, Any]) -> Position:
    """``stones``: x, o or a dot by cell, row by row from the top."""
    columns = int(game.geometry[0])
    stones = _text(setup, "stones", game.action_count, "xo.")
    rows = [stones[at : at + columns] for at in range(0, len(stones), columns)]
    return game.position(f"{'/'.join(map(_counted, rows))} {'xo'[_side(setup)]}")


def _counted(row: str) -> str:
    """A row with numbers for runs of empty cells."""
    text, run = "", 0
    for sign in [*row, ""]:
        if sign == ".":
            run += 1
            continue
        text += (str(run) if run else "") + sign
        run = 0
    return text


def _zertz(game: Game, setup: dict[str, Any]) -> Position:
    """``rings``: . W G B or _ by ring; ``pool`` and ``captured`` in numbers. Other totals make another pool."""
    notation = game.notation
    assert isinstance(notation, ZertzNotation)
    layout = notation.layout
    signs = _text(setup, "rings", layout.rings, ".WGB_")
    pool = _three(setup, "pool")
    both = setup.get("captured")
    if not isinstance(both, list) or len(both) != 2:
        raise BadPosition("'captured' is two lists, one for each player.")
    first, second = (_three({"captured": each}, "captured") for each in both)
    totals = tuple(signs.count("WGB"[c]) + pool[c] + first[c] + second[c] for c in range(3))
    fitting = _with_marbles(game, layout, totals)
    columns = iter(signs)
    board = "/".join("".join(next(columns) for _ in range(length)) for length in layout.columns)
    numbers = ["-".join(map(str, three)) for three in (pool, first, second)]
    return fitting.position(f"{board} {numbers[0]} {numbers[1]}/{numbers[2]} {_side(setup) + 1} -")


def _with_marbles(game: Game, layout: Layout, totals: tuple[int, ...]) -> Game:
    """The same game with so many marbles in all."""
    start = [int(number) for number in game.geometry[zertz_rules.START_POOL : zertz_rules.START_POOL + 3]]
    if list(totals) == start:
        return game
    goal = [int(number) for number in game.geometry[zertz_rules.GOAL : zertz_rules.GOAL + 4]]
    pool, goals = ("-".join(map(str, numbers)) for numbers in (totals, goal))
    return game_named(f"zertz:{layout.name}/pool={pool}/goal={goals}")
