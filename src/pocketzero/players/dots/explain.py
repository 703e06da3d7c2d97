"""A position of Dots and Boxes in words: chains, loops, loony moves, control, and what each thing is worth.

The words are Berlekamp's. What is said is exact where it says so (endgames of long chains and loops; boards that the
solver can answer at once), and a rule of thumb where it says that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pocketzero.errors import PocketZeroError
from pocketzero.games import Position
from pocketzero.games.dots.chains import (
    CAPTURE,
    CHAIN,
    CHAIN_FIELDS,
    HALF_OPEN,
    KIND,
    LENGTH,
    LONG,
    LOONY,
    LOOP,
    OPEN,
    SAFE,
    SHORT,
    endgame_value,
    survey,
)
from pocketzero.games.dots.rules import BOXES, COLUMNS, LINES, ROWS
from pocketzero.players.dots.dealing import handout
from pocketzero.players.solver import Unsolved

SOLVER_SECONDS = 1.0
MOST_LISTED = 12


class Survey:
    """What a position is made of."""

    def __init__(self, position: Position) -> None:
        self.position = position
        geometry = position.game.geometry
        boxes, lines = int(geometry[BOXES]), int(geometry[LINES])
        self.kinds: NDArray[np.int32] = np.empty(lines, np.int32)
        self.chain_of_box: NDArray[np.int32] = np.empty(boxes, np.int32)
        chains = np.empty((boxes, CHAIN_FIELDS), np.int32)
        count = survey(geometry, position.state.copy(), self.kinds, self.chain_of_box, chains)
        self.chains = chains[:count]

    def lines(self, kind: int) -> list[str]:
        """The lines of a kind, as people write them."""
        return [self.position.write(int(line)) for line in np.flatnonzero(self.kinds == kind)]

    def numbers(self, *kinds: int) -> list[int]:
        """The numbers of the chains of these kinds."""
        return [number for number, chain in enumerate(self.chains) if chain[KIND] in kinds]

    def boxes(self, number: int) -> str:
        """The boxes of a chain: column and row, as the lines around them are named."""
        columns = int(self.position.game.geometry[COLUMNS])
        found = np.flatnonzero(self.chain_of_box == number)
        return " ".join(f"{chr(97 + box % columns)}{chr(65 + box // columns)}" for box in found)


def explain(position: Position) -> list[str]:
    """What there is to say about a position, most important first."""
    if position.is_over:
        margin = position.margin or 0
        winner = position.game.players[0 if margin > 0 else 1]
        return ["The game is over: " + (f"{winner} won by {abs(margin)}." if margin else "a draw.")]
    found = Survey(position)
    said = [_score(position), *_captures(found), *_chains(found), *_moves(found), *_control(found), *_best(position)]
    return [sentence for sentence in said if sentence]


def _score(position: Position) -> str:
    margin = position.margin or 0
    names = position.game.players
    stands = f"{names[0 if margin > 0 else 1]} is {abs(margin)} ahead" if margin else "the score is level"
    return f"{names[position.to_move]} is to move; {stands}."


def _captures(found: Survey) -> list[str]:
    """What can be taken now, and whether a double deal is possible."""
    captures = found.lines(CAPTURE)
    if not captures:
        return []
    boxes = sum(int(found.chains[number, LENGTH]) for number in found.numbers(HALF_OPEN, OPEN))
    said = [f"{_count(boxes, 'box')} can be captured now, beginning with {_listed(captures)}."]
    if chance := handout(found.position):
        kind, line = chance
        given = 2 if kind == "chain" else 4
        said.append(
            f"Instead of taking the last {given}, {found.position.write(line)} would hand them out: a double deal, "
            "which leaves the opponent to open the next chain."
        )
    return said


def _chains(found: Survey) -> list[str]:
    """Every chain and loop that nobody has opened yet."""
    said = []
    for number in found.numbers(CHAIN, LOOP):
        kind, length = (int(field) for field in found.chains[number, [KIND, LENGTH]])
        boxes = found.boxes(number)
        if kind == LOOP:
            said.append(
                f"A loop of {length} boxes ({boxes}): whoever opens it gives {length}, or {length - 4} and control."
            )
        elif length >= LONG:
            said.append(
                f"A long chain of {length} boxes ({boxes}): "
                f"whoever opens it gives {length}, or {length - 2} and control."
            )
        else:
            said.append(f"A short chain of {_count(length, 'box')} ({boxes}): it can be given without losing control.")
    return said


def _moves(found: Survey) -> list[str]:
    """Safe lines, short sacrifices and loony moves."""
    safe, short, loony = (found.lines(kind) for kind in (SAFE, SHORT, LOONY))
    said = [f"{_count(len(safe), 'safe line')} left: {_listed(safe)}." if safe else "No safe line is left."]
    if short:
        said.append(f"Sacrifices of a short chain: {_listed(short)}.")
    if loony:
        said.append(f"Loony moves, which let the opponent choose who moves next: {_listed(loony)}.")
    return said


def _control(found: Survey) -> list[str]:
    """Who will have to open the first long chain: exactly in an endgame, otherwise by the long-chain rule."""
    position = found.position
    geometry = position.game.geometry
    value = np.zeros(1, np.int64)
    if endgame_value(geometry, position.state.copy(), value):
        return _endgame(found, int(value[0]))
    long_ones = sum(chain[KIND] == LOOP or (chain[KIND] == CHAIN and chain[LENGTH] >= LONG) for chain in found.chains)
    dots = int((geometry[ROWS] + 1) * (geometry[COLUMNS] + 1))
    chains_wanted = "an even" if dots % 2 == 0 else "an odd"
    first = position.game.players[0]
    return [
        f"Rule of thumb: with {dots} dots, {first} wants {chains_wanted} number of long chains in the end; "
        f"there {'is' if long_ones == 1 else 'are'} {long_ones} now."
    ]


def _endgame(found: Survey, value: int) -> list[str]:
    """Only long chains and loops are left: everything is known."""
    names, mover = found.position.game.players, found.position.to_move
    side = names[mover] if value >= 0 else names[1 - mover]
    said = [
        f"Only long chains and loops are left. By best play {side} gets {_count(abs(value), 'box')} more "
        "than the other from here on (exact)."
    ]
    chains = [int(chain[LENGTH]) for chain in found.chains if chain[KIND] == CHAIN]
    loops = [int(chain[LENGTH]) for chain in found.chains if chain[KIND] == LOOP]
    if chains or loops:
        controlled = controlled_value(chains, loops)
        holder = names[1 - mover] if not found.lines(CAPTURE) else names[mover]
        said.append(
            f"{holder} has control; keeping it to the end is worth {controlled:+d} "
            f"({_terms(chains, 4)}{_terms(loops, 8)} and {_last_bonus(chains, loops)} for the last one)."
        )
    return said


def _terms(lengths: list[int], cost: int) -> str:
    return "".join(f" {length}-{cost}" for length in lengths).strip() + (" " if lengths else "")


def _last_bonus(chains: list[int], loops: list[int]) -> int:
    """What the one in control saves at the end, since the last chain or loop is taken whole."""
    if loops and not chains:
        return 8
    return 6 if loops and all(length == LONG for length in chains) else 4


def controlled_value(chains: list[int], loops: list[int]) -> int:
    """Net boxes for the player in control who keeps it to the end (Berlekamp and Scott 2002)."""
    if not chains and not loops:
        return 0
    return sum(length - 4 for length in chains) + sum(length - 8 for length in loops) + _last_bonus(chains, loops)


def _best(position: Position) -> list[str]:
    """The best lines, where a solver can find them at once."""
    from pocketzero.players.solvers import solver_for

    try:
        values = solver_for(position.game, seconds=SOLVER_SECONDS).move_values(position)
    except (Unsolved, PocketZeroError):
        return []
    best = max(values.values())
    lines = [position.write(action) for action, value in values.items() if value == best]
    end = f"wins by {best}" if best > 0 else f"loses by {-best}" if best < 0 else "draws"
    return [f"By best play {position.game.players[position.to_move]} {end} (exact). Best: {_listed(lines)}."]


def _count(number: int, what: str) -> str:
    plural = f"{what}es" if what.endswith("x") else f"{what}s"
    return f"{number} {what if number == 1 else plural}"


def _listed(lines: list[str]) -> str:
    more = len(lines) - MOST_LISTED
    return ", ".join(lines[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
