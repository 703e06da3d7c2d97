"""Positions from which the games of a match begin, so that players who always think the same do not repeat a game.

``random:4`` are random legal ones of four turns, ``level:4`` those of them that a solver calls level (no value for
either side, or the least that the board allows), ``file:NAME`` the lines of a file: moves from the start, with blanks
between them. Each opening is a function of its number and the seed alone, so a match can go on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position
from pocketzero.players.base import random_source
from pocketzero.players.solvers import solver_for

Openings = Callable[[int], Position]  # from the number of a pair to where its two games begin
TRIES = 1000
USAGE = "Openings are random:TURNS, level:TURNS or file:NAME."


def openings(text: str, game: Game, seed: int) -> Openings:
    """The openings that a text names."""
    kind, _, rest = text.partition(":")
    if kind == "file" and rest:
        return _from_file(Path(rest), game)
    if kind not in ("random", "level") or not rest.isdecimal():
        raise PocketZeroError(f"{text!r} names no openings. {USAGE}")
    turns = int(rest)
    if kind == "random":
        return lambda number: _first(game, turns, seed, number, lambda position: True)
    solver = solver_for(game)
    most = 1 if game.has_margin else 0  # with an odd number of boxes nothing is nearer to level than one
    return lambda number: _first(game, turns, seed, number, lambda position: abs(solver.value(position)) <= most)


def _first(game: Game, turns: int, seed: int, number: int, fits: Callable[[Position], bool]) -> Position:
    """The first of many random positions that is not over and fits."""
    for attempt in range(TRIES):
        position = random_position(game, turns, (seed * 1_000_003 + number) * TRIES + attempt)
        if position is not None and fits(position):
            return position
    raise PocketZeroError(f"No such opening of {turns} turns was found in {game.name}; try fewer turns.")


def random_position(game: Game, turns: int, seed: int) -> Position | None:
    """A position after so many random turns (all that a player does before the other moves), or None if it is over."""
    chance = random_source(seed)
    position = game.start()
    while turns:
        legal = position.legal_actions()
        if not legal:
            return None
        after = position.play_action(legal[chance.integers(len(legal))])
        turns -= after.to_move != position.to_move
        position = after
    return None if position.is_over else position


def _from_file(path: Path, game: Game) -> Openings:
    """The openings of a file, from the first again when there are more pairs than lines."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise PocketZeroError(f"The openings in {path} cannot be read: {error}.") from None
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            found.append(_opening_line(game, f"{path}, line {number}", line))
    if not found:
        raise PocketZeroError(f"There are no openings in {path}: one on each line, moves with blanks between them.")
    return lambda number: found[number % len(found)]


def _opening_line(game: Game, where: str, line: str) -> Position:
    try:
        position = game.start().play_line(line)
    except PocketZeroError as error:
        raise PocketZeroError(f"{where}: {error}") from None
    if position.is_over:
        raise PocketZeroError(f"{where}: the game is over after these moves.")
    return position
