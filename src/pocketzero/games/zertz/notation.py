"""How people write Zertz: official notation, that of the DeepZertz paper, and positions in one line.

Official: ``Wd4,d1`` puts white on d4 and removes d1, ``Wd4`` removes nothing (or not yet), ``-d1`` is the removal
alone, ``xd1Gd3Wd5`` jumps from d1 over grey to d3 and over white to d5, and ``Bd7,b2xWa1Wa2`` claims what was isolated.
The paper: ``PUT g A1 B4``, ``PUT w C3``, ``CAP g A1 b C3``. Both are read, in capitals or not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pocketzero.errors import IllegalMove
from pocketzero.games.base import Game, Notation, Position
from pocketzero.games.table import ONGOING, Geometry, State
from pocketzero.games.zertz import rules
from pocketzero.games.zertz.layout import Layout
from pocketzero.games.zertz.placing import read_placing, write_placing
from pocketzero.games.zertz.steps import (
    COLOUR_WORDS,
    COLOURS,
    ActionForm,
    Put,
    Remove,
    Step,
    claimed,
    marble_on,
    play_step,
)
from pocketzero.games.zertz.turn import Turn, write_claim, write_jump

RING = "[a-z][0-9]{1,2}"
MARBLE = f"[wgb]{RING}"
PLACEMENT = re.compile(f"([wgb])({RING})(?:,({RING}))?(?:x((?:{MARBLE})+))?", re.I | re.A)
REMOVAL = re.compile(f"[-,]({RING})(?:x((?:{MARBLE})+))?", re.I | re.A)
CAPTURE = re.compile(f"x({RING})((?:{MARBLE})+)", re.I | re.A)
MARBLE_ON_RING = re.compile(f"([wgb])({RING})", re.I | re.A)
PAPER_PUT = re.compile(rf"put\s+([wgb])\s+({RING})(?:\s+({RING}))?", re.I | re.A)
PAPER_CAPTURE = re.compile(rf"cap\s+([wgb])\s+({RING})\s+([wgb])\s+({RING})", re.I | re.A)
HOW_TO = "write Wd4,d1 or Wd4, xd1Gd3Wd5 for captures, -d1 for a ring alone, or PUT g A1 B4 and CAP g A1 b C3"


def colour_of(letter: str) -> int:
    """The colour that a letter stands for."""
    return COLOURS.index(letter.upper())


def is_official_turn(word: str) -> bool:
    """Whether a word looks like a turn in official notation."""
    return any(pattern.fullmatch(word) for pattern in (PLACEMENT, REMOVAL, CAPTURE))


class ZertzNotation(Notation):
    """Notation on one board, for one form of actions."""

    def __init__(self, layout: Layout, *, joint: bool) -> None:
        self.layout = layout
        self.form = ActionForm(layout, joint)

    # Reading

    def read(self, position: Position, text: str) -> tuple[int, ...]:
        """The actions of a step, of a whole turn or of a chain; each is checked by the rules."""
        try:
            turn = self._read_turn(position, text.strip())
        except IllegalMove as error:
            raise IllegalMove(f"{text.strip()!r}: {error}") from None
        return self.form.actions(turn.steps)

    def _read_turn(self, position: Position, text: str) -> Turn:
        turn = Turn(self.layout, position.game.geometry, position.state)
        if found := PLACEMENT.fullmatch(text):
            self._read_placement(turn, found[1], found[2], found[3], found[4])
        elif found := REMOVAL.fullmatch(text):
            turn.remove(found[1])
            self._check_claim(turn, found[2])
        elif found := CAPTURE.fullmatch(text):
            read_chain(turn, found[1], [(colour_of(c), ring) for c, ring in MARBLE_ON_RING.findall(found[2])])
        elif found := PAPER_PUT.fullmatch(text):
            self._read_placement(turn, found[1], found[2], found[3], None)
        elif found := PAPER_CAPTURE.fullmatch(text):
            check_jumper(turn, colour_of(found[1]), found[2])
            turn.jump(found[2], colour_of(found[3]), found[4])
        else:
            raise IllegalMove(f"This is not a move of Zertz; {HOW_TO}.")
        return turn

    def _read_placement(self, turn: Turn, colour: str, ring: str, removed: str | None, claim: str | None) -> None:
        turn.put(colour_of(colour), ring)
        if removed is not None:
            turn.remove(removed)
        elif turn.is_open and self.form.joint:
            raise IllegalMove(f"A ring must be removed too: {turn.free_rings()}.")
        self._check_claim(turn, claim)

    def _check_claim(self, turn: Turn, claim: str | None) -> None:
        if claim is not None:
            turn.check_claim([(colour_of(colour), ring) for colour, ring in MARBLE_ON_RING.findall(claim)])

    # Writing

    def write(self, position: Position, action: int) -> str:
        """One action; isolation follows from the rules and is written only in lines."""
        return "".join(
            self._write_step(position.state, step, number) for number, step in enumerate(self.form.steps(action))
        )

    def _write_step(self, state: State, step: Step, number: int) -> str:
        """One step; ``number`` counts the steps of the same turn before it."""
        if isinstance(step, Put):
            return f"{COLOURS[step.colour]}{self.layout.names[step.ring]}"
        if isinstance(step, Remove):
            return f"{',' if number else '-'}{self.layout.names[step.ring]}"
        return write_jump(self.layout, state, step, goes_on=number > 0)

    def write_line(self, start: Position, actions: Sequence[int]) -> list[str]:
        """Whole turns in official notation, with what they isolate."""
        geometry: Geometry = start.game.geometry
        state = start.state.copy()
        words = [""]
        number = 0  # steps of the turn so far
        for step in (step for action in actions for step in self.form.steps(action)):
            before = state.copy()
            play_step(geometry, state, step)
            words[-1] += self._write_step(before, step, number) + write_claim(self.layout, claimed(before, step, state))
            number += 1
            if state[rules.PHASE] == rules.TURN:
                words.append("")
                number = 0
        return words if words[-1] else words[:-1]

    # Positions

    def write_position(self, position: Position) -> str:
        """Board, pool, captures, side to move and phase, such as ``.../..W./…  9-10-10 0-0-0/0-0-0 2 -``."""
        return write_placing(self.layout, position.state)

    def read_position(self, game: Game, text: str) -> State:
        """The state that a position text stands for, if there can be such a position."""
        return read_placing(self.layout, game, text)


def read_chain(turn: Turn, start: str, jumps: Sequence[tuple[int | None, str]]) -> None:
    """A chain of jumps from a ring; what is written after the winning jump is only checked."""
    for over, landing in jumps:
        if turn.state[rules.RESULT] != ONGOING:
            turn.jump_past_the_end(start, over, landing)
        elif turn.steps and not turn.is_open:
            raise IllegalMove(f"The chain ends on {start}, from where the marble cannot jump on.")
        else:
            turn.jump(start, over, landing)
        start = landing


def check_jumper(turn: Turn, colour: int, ring: str) -> None:
    """The marble that is said to jump must lie there."""
    if marble_on(turn.state, turn.ring(ring)) != colour:
        raise IllegalMove(f"There is no {COLOUR_WORDS[colour]} marble on {ring}.")
