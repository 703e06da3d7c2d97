"""Double Dealing, counted as in Peters' thesis of 2018: who could keep control by handing out boxes, and who did.

An opportunity: all that can be captured is the last two boxes of a chain, or the last four of a loop, and something
else is left to play for. It is taken by the line that hands them out, after which one line completes two boxes (in a
loop: two lines, two boxes each).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pocketzero.games import Position
from pocketzero.games.dots.chains import (
    CHAIN_FIELDS,
    HALF_OPEN,
    KIND,
    LAST_LINE,
    LENGTH,
    MIDDLE_LINE,
    OPEN,
    Chains,
    find_chains,
)
from pocketzero.games.dots.rules import BOXES, LEFT

PAIR, FOUR = 2, 4


@dataclass(frozen=True)
class Deals:
    """Opportunities of one player, and how many it took; chains and loops apart."""

    chain_chances: int = 0
    chain_deals: int = 0
    loop_chances: int = 0
    loop_deals: int = 0

    def __add__(self, other: Deals) -> Deals:
        return Deals(*(mine + theirs for mine, theirs in zip(vars(self).values(), vars(other).values())))


def chains_of(position: Position) -> Chains:
    """The chains and loops of a position, a row each."""
    boxes = int(position.game.geometry[BOXES])
    chains = np.empty((boxes, CHAIN_FIELDS), np.int32)
    count = find_chains(position.game.geometry, position.state.copy(), np.empty(boxes, np.int32), chains)
    return chains[:count]


def handout(position: Position) -> tuple[str, int] | None:
    """Where a double deal is possible: ``chain`` or ``loop``, and the line that deals; otherwise None."""
    opened = [chain for chain in chains_of(position) if chain[KIND] in (HALF_OPEN, OPEN)]
    if len(opened) != 1:
        return None
    [chain] = opened
    if chain[KIND] == HALF_OPEN and chain[LENGTH] == PAIR and position.state[LEFT] > PAIR:
        return "chain", int(chain[LAST_LINE])
    if chain[KIND] == OPEN and chain[LENGTH] == FOUR and position.state[LEFT] > FOUR - 1:
        return "loop", int(chain[MIDDLE_LINE])
    return None


def double_deals(final: Position, *, after: int = 0) -> tuple[Deals, Deals]:
    """What the two players did with their opportunities in a game, from ply ``after`` on."""
    found = [Deals(), Deals()]
    for position, action in _decisions(final, after):
        chance = handout(position)
        if chance is None:
            continue
        kind, line = chance
        taken = int(action == line)
        deal = Deals(1, taken, 0, 0) if kind == "chain" else Deals(0, 0, 1, taken)
        found[position.to_move] += deal
    return found[0], found[1]


def _decisions(final: Position, after: int) -> Iterator[tuple[Position, int]]:
    """The positions of a game with the action played in each."""
    path = [final]
    while path[-1].previous is not None:
        path.append(path[-1].previous)
    path = path[::-1]
    for before, next_one in zip(path[after:], path[after + 1 :]):
        assert next_one.action is not None
        yield before, next_one.action
