"""Dots and Boxes as a search sees it that takes every line for the end of a turn.

The 2022 thesis first used the search of games whose turns alternate: at each step down the tree the sign of the value
changed, also where a box had been completed and the same player moved on (its section 5.2.4). To show what that costs,
this game has the same positions and lines, but says that the players take turns line by line. Values are still those
of whoever really moves in a position, which is what that search took from its net and from finished games.
"""

from __future__ import annotations

from dataclasses import replace

from pocketzero.games.base import Game
from pocketzero.games.dots import rules
from pocketzero.games.dots.rules import LEFT, PLAYER, SCORE
from pocketzero.games.table import DRAW, FIRST_WINS, ONGOING, SECOND_WINS, Geometry, State, rule


@rule("to_move")
def to_move(state: State) -> int:
    """The players take turns, counted back from the last line."""
    return state[LEFT] & 1


@rule("margin")
def margin(geometry: Geometry, state: State) -> int:
    """The lead of whoever really moves, given to whoever seems to."""
    lead = state[SCORE + state[PLAYER]] - state[SCORE + 1 - state[PLAYER]]
    return lead if state[LEFT] & 1 == 0 else -lead


@rule("outcome")
def outcome(geometry: Geometry, state: State) -> int:
    """Who seems to have won when all lines are drawn."""
    if state[LEFT] > 0:
        return ONGOING
    ahead = margin(geometry, state)
    return DRAW if ahead == 0 else FIRST_WINS if ahead > 0 else SECOND_WINS


def alternating(game: Game) -> Game:
    """A game of Dots and Boxes, seen like this."""
    assert game.rules.to_move is rules.to_move, "only Dots and Boxes is seen like this"
    mistaken = replace(game.rules, to_move=to_move, margin=margin, outcome=outcome)
    return replace(game, name=f"{game.name}/alternating", rules=mistaken)
