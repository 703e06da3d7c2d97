"""A Zertz position in one line, much like FEN: ``..../...../..W.../…  5-8-10 0-0-0/0-0-0 2 -``.

The columns of the board from left to right, each from the bottom: ``.`` a vacant ring, ``W G B`` a marble, ``_`` no
ring any more. Then the pool, the captures of both players, the side to move (1 or 2) and what is to be done: ``-``
begin a turn, ``remove:d4`` remove a ring after the marble on d4 was put, ``chain:d4`` jump on with the marble on d4, or
``1-wins``, ``2-wins``, ``draw``.
"""

from __future__ import annotations

import re

import numpy as np

from pocketzero.errors import BadPosition
from pocketzero.games.base import Game
from pocketzero.games.table import DRAW, ONGOING, Geometry, State
from pocketzero.games.zertz import rules
from pocketzero.games.zertz.layout import Layout
from pocketzero.games.zertz.steps import COLOUR_WORDS, COLOURS, has, marble_on, members

RESULTS = {0: "1-wins", 1: "2-wins", DRAW: "draw"}
PHASES = {rules.REMOVE: "remove", rules.CHAIN: "chain"}
FIELDS = "columns pool captures side phase"


def write_placing(layout: Layout, state: State) -> str:
    """The position in one line."""
    columns = _columns(layout, [_sign(state, ring) for ring in range(layout.rings)])
    numbers = ["-".join(str(state[first + colour]) for colour in range(3)) for first in (rules.POOL, 6, 9)]
    phase = "-"
    if state[rules.RESULT] != ONGOING:
        phase = RESULTS[int(state[rules.RESULT])]
    elif state[rules.PHASE] != rules.TURN:
        phase = f"{PHASES[int(state[rules.PHASE])]}:{layout.names[state[rules.MARBLE]]}"
    return f"{columns} {numbers[0]} {numbers[1]}/{numbers[2]} {state[rules.PLAYER] + 1} {phase}"


def _sign(state: State, ring: int) -> str:
    colour = marble_on(state, ring)
    if colour is not None:
        return COLOURS[colour]
    return "." if has(state[rules.RINGS], ring) else "_"


def _columns(layout: Layout, signs: list[str]) -> str:
    rest = iter(signs)
    return "/".join("".join(next(rest) for _ in range(length)) for length in layout.columns)


def read_placing(layout: Layout, game: Game, text: str) -> State:
    """The state that a text stands for; a position that cannot be is an error that says why."""
    return _Reader(layout, game.geometry, game.state_size).read(text)


class _Reader:
    """Reads field by field into a state, then checks that the whole can be."""

    def __init__(self, layout: Layout, geometry: Geometry, size: int) -> None:
        self.layout = layout
        self.geometry = geometry
        self.state: State = np.zeros(size, np.int64)

    def read(self, text: str) -> State:
        fields = text.split()
        if len(fields) != 5:
            raise BadPosition(f"A position has the five fields {FIELDS}; this one has {len(fields)}: {text[:80]!r}.")
        columns, pool, captures, side, phase = fields
        self.state[rules.RESULT] = ONGOING
        self.state[rules.MARBLE] = -1
        self.read_columns(columns)
        self.read_counts("pool", "6-8-10", pool, rules.POOL)
        of_first, _, of_second = captures.partition("/")
        self.read_counts("captures", "0-0-0/0-0-0", of_first, rules.CAPTURED)
        self.read_counts("captures", "0-0-0/0-0-0", of_second, rules.CAPTURED + 3)
        if side not in ("1", "2"):
            raise BadPosition(f"The side to move is 1 or 2, not {side!r}.")
        self.state[rules.PLAYER] = int(side) - 1
        self.check_marbles()
        self.read_phase(phase)
        return self.state

    def read_columns(self, text: str) -> None:
        columns = text.split("/")
        lengths = "-".join(map(str, self.layout.columns))
        if tuple(map(len, columns)) != self.layout.columns:
            found = "-".join(str(len(column)) for column in columns)
            raise BadPosition(f"The board has columns of {lengths} rings, the text has {found[:60]}.")
        for ring, sign in enumerate(text.replace("/", "")):
            if sign not in "._WGB":
                raise BadPosition(f"{sign!r} on {self.layout.names[ring]} is none of . _ W G B.")
            if sign != "_":
                self.state[rules.RINGS] |= 1 << ring
            if sign in COLOURS:
                self.state[rules.MARBLES + COLOURS.index(sign)] |= 1 << ring
        for ring in members(self.state[rules.RINGS]):
            if rules.is_open(self.geometry, self.state, ring):
                self.state[rules.OPEN] |= 1 << ring

    def read_counts(self, what: str, example: str, text: str, first: int) -> None:
        if not re.fullmatch(r"[0-9]{1,3}-[0-9]{1,3}-[0-9]{1,3}", text):
            raise BadPosition(f"The {what} are written like {example}, not {text[:40]!r}.")
        self.state[first : first + 3] = [int(number) for number in text.split("-")]

    def check_marbles(self) -> None:
        """No marble appears or vanishes during a game."""
        for colour, word in enumerate(COLOUR_WORDS):
            on_board = len(members(self.state[rules.MARBLES + colour]))
            found = on_board + sum(int(self.state[first + colour]) for first in (rules.POOL, 6, 9))
            all_of_them = int(self.geometry[rules.START_POOL + colour])
            if found != all_of_them:
                raise BadPosition(
                    f"The game has {all_of_them} {word} marbles; on the board, in the pool and captured are {found}."
                )

    # What is to be done

    def read_phase(self, text: str) -> None:
        winners = [player for player in (0, 1) if rules.has_won(self.geometry, self.state, player)]
        if len(winners) == 2:
            raise BadPosition("Both players hold a winning set; the first who did has won at once.")
        word, _, name = text.partition(":")
        if text in RESULTS.values():
            self.read_result(text, winners)
        elif winners and text == "-":
            self.state[rules.RESULT] = winners[0]
        elif winners:
            raise BadPosition(f"Player {winners[0] + 1} holds a winning set, so the phase is not {text!r}.")
        elif text == "-":
            self.begin_turn()
        elif word == "remove":
            self.read_removal(self.marble(name))
        elif word == "chain":
            self.read_chain(self.marble(name))
        else:
            raise BadPosition(f"The phase is one of - remove:d4 chain:d4 1-wins 2-wins draw, not {text[:40]!r}.")

    def read_result(self, text: str, winners: list[int]) -> None:
        result = next(result for result, word in RESULTS.items() if word == text)
        may_be = result in winners if winners else result != DRAW and self.is_lost(1 - result)
        if result == DRAW:
            may_be = not winners and self.state[rules.RINGS] != 0
        if not may_be:
            raise BadPosition(f"The text says {text!r}, but nothing in the position shows it.")
        self.state[rules.RESULT] = result

    def is_lost(self, player: int) -> bool:
        """Whether the board was filled, or the player cannot move."""
        if self.state[rules.RINGS] == 0:
            return True
        return bool(self.state[rules.PLAYER] == player and self.is_stuck())

    def is_stuck(self) -> bool:
        source = rules.supply(self.state)
        return not rules.jump_exists(self.geometry, self.state) and not self.state[source : source + 3].any()

    def begin_turn(self) -> None:
        if self.state[rules.RINGS] == 0:
            raise BadPosition("No ring is left on the board; the phase must say who has won, 1-wins or 2-wins.")
        self.check_nothing_isolated()
        if self.is_stuck():
            self.state[rules.RESULT] = 1 - self.state[rules.PLAYER]
            return
        self.state[rules.MUST_JUMP] = rules.jump_exists(self.geometry, self.state)
        if rules.supply(self.state) != rules.POOL:
            rules.third_time(self.state, rules.key(self.geometry, self.state))  # it is there for the first time

    def check_nothing_isolated(self) -> None:
        alone = members(rules.isolated(self.geometry, self.state))
        if alone:
            names = ", ".join(self.layout.names[ring] for ring in alone)
            raise BadPosition(f"A group of rings without a vacant one would have been claimed: {names}.")

    def marble(self, name: str) -> int:
        ring = self.layout.ring_named.get(name.lower(), -1)
        if ring < 0 or marble_on(self.state, ring) is None:
            raise BadPosition(f"The phase names the ring {name[:10]!r}, on which there is no marble.")
        self.state[rules.MARBLE] = ring
        return ring

    def read_removal(self, ring: int) -> None:
        """A marble was just put, when there was nothing to capture, and there is a free ring."""
        colour = marble_on(self.state, ring)
        assert colour is not None
        self.state[rules.MARBLES + colour] ^= 1 << ring
        name = self.layout.names[ring]
        if rules.jump_exists(self.geometry, self.state):
            raise BadPosition(f"No marble can have been put on {name}: a capture was compulsory.")
        self.check_nothing_isolated()
        self.state[rules.MARBLES + colour] ^= 1 << ring
        if rules.free_rings(self.state) == 0:
            raise BadPosition("No ring can be removed: none is free.")
        self.state[rules.PHASE] = rules.REMOVE

    def read_chain(self, ring: int) -> None:
        """A marble has just captured and can jump on."""
        name = self.layout.names[ring]
        if not rules.can_jump(self.geometry, self.state, ring):
            raise BadPosition(f"The marble on {name} cannot jump on.")
        mine = rules.CAPTURED + 3 * int(self.state[rules.PLAYER])
        if not self.state[mine : mine + 3].any():
            raise BadPosition(f"The marble on {name} cannot be in a chain: its player has captured nothing.")
        self.check_nothing_isolated()
        self.state[rules.PHASE] = rules.CHAIN
