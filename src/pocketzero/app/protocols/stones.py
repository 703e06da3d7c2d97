"""A position from the stones on a board, as managers tell them: in any order, and in any numbers."""

from __future__ import annotations

from itertools import zip_longest

from pocketzero.errors import BadPosition
from pocketzero.games import Game, Position
from pocketzero.games.mnk.notation import state_with

PHASES = 4  # of the pattern in which blocked cells are shared out


def position_with(game: Game, *, own: list[int], other: list[int], blocked: list[int]) -> Position:
    """The position with these stones in which the owner of ``own`` is to move.

    Where the numbers allow it, the stones are played one by one, so that the position has a history. Otherwise the
    board is set up. A blocked cell belongs to nobody; the rules know no such cell, so it gets a stone of either side.
    """
    player = 0 if len(own) >= len(other) else 1
    if not blocked and len(own) + player == len(other):
        first, second = (own, other) if player == 0 else (other, own)
        if position := _played(game, first, second):
            return position
    mistakes = []
    for phase in range(PHASES if blocked else 1):
        try:
            return _set_up(game, player, own, other, blocked, phase)
        except BadPosition as error:
            mistakes.append(error)
    raise mistakes[0]


def _played(game: Game, first: list[int], second: list[int]) -> Position | None:
    """The position after these stones in turn, or None if the game would have ended on the way."""
    position = game.start()
    for cell in (cell for pair in zip_longest(first, second) for cell in pair if cell is not None):
        if position.is_over:
            return None
        position = position.play_action(cell)
    return position


def _set_up(game: Game, player: int, own: list[int], other: list[int], blocked: list[int], phase: int) -> Position:
    """The board with all stones at once; blocked cells are shared so that they make rows of two at the most."""
    columns = int(game.geometry[0])
    owners = [-1] * game.action_count
    for cell in own:
        owners[cell] = player
    for cell in other:
        owners[cell] = 1 - player
    for cell in blocked:
        y, x = divmod(cell, columns)
        owners[cell] = (x + 2 * y + phase) % 4 // 2
    return Position(game, state_with(game, owners, player))
