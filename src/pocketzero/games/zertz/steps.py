"""The steps of a turn (put a marble, remove a ring, jump) apart from how actions are numbered.

Notation, pictures and records speak of steps; an ``ActionForm`` turns them into the actions of the split or the joint
form and back. Both forms share the same positions, so steps can be played on the state of either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pocketzero.games.table import Geometry, State
from pocketzero.games.zertz import rules
from pocketzero.games.zertz.layout import Layout

COLOURS = "WGB"
COLOUR_WORDS = ("white", "grey", "black")


@dataclass(frozen=True)
class Put:
    """Put a marble of a colour on a ring."""

    colour: int
    ring: int


@dataclass(frozen=True)
class Remove:
    """Remove a ring."""

    ring: int


@dataclass(frozen=True)
class Jump:
    """Jump from a ring over a marble to the ring straight behind it."""

    ring: int
    direction: int


Step = Put | Remove | Jump


@dataclass(frozen=True)
class ActionForm:
    """How the steps of a turn are numbered as actions."""

    layout: Layout
    joint: bool

    def steps(self, action: int) -> tuple[Step, ...]:
        """The steps of an action: one, or two for a whole placement of the joint form."""
        if self.joint:
            return self._joint_steps(action)
        kind, ring = divmod(action, self.layout.rings)
        if kind < 3:
            return (Put(kind, ring),)
        if kind == 3:
            return (Remove(ring),)
        return (Jump(*divmod(action - 4 * self.layout.rings, 6)),)

    def _joint_steps(self, action: int) -> tuple[Step, ...]:
        cells = self.layout.cell_count
        ring_at = {cell: ring for ring, cell in enumerate(self.layout.cells)}
        if action < 6 * cells:
            cell, direction = divmod(action, 6)
            return (Jump(ring_at[cell], direction),)
        pair, colour = divmod(action - 6 * cells, 3)
        marble, removed = divmod(pair, cells + 1)
        put = Put(colour, ring_at[marble])
        return (put,) if removed == cells else (put, Remove(ring_at[removed]))

    def actions(self, steps: Sequence[Step]) -> tuple[int, ...]:
        """The actions that these steps of one turn make up."""
        if not self.joint:
            return tuple(self._split_action(step) for step in steps)
        cells = self.layout.cell_count
        if steps and isinstance(steps[0], Put):
            removed = self.layout.cells[steps[1].ring] if len(steps) > 1 else cells
            marble = self.layout.cells[steps[0].ring]
            return (6 * cells + 3 * (marble * (cells + 1) + removed) + steps[0].colour,)
        return tuple(6 * self.layout.cells[step.ring] + step.direction for step in steps if isinstance(step, Jump))

    def _split_action(self, step: Step) -> int:
        rings = self.layout.rings
        if isinstance(step, Put):
            return step.colour * rings + step.ring
        if isinstance(step, Remove):
            return 3 * rings + step.ring
        return 4 * rings + 6 * step.ring + step.direction


def play_step(geometry: Geometry, state: State, step: Step) -> None:
    """Play a legal step, in place."""
    if isinstance(step, Put):
        rules.put(geometry, state, step.colour, step.ring)
    elif isinstance(step, Remove):
        rules.remove(geometry, state, step.ring)
    else:
        rules.jump(geometry, state, 6 * step.ring + step.direction)


def has(rings: int, ring: int) -> bool:
    """Whether a set of rings holds this one."""
    return bool(int(rings) >> ring & 1)


def members(rings: int) -> list[int]:
    """The rings of a set, lowest first."""
    word = int(rings)
    return [ring for ring in range(64) if word >> ring & 1]


def marble_on(state: State, ring: int) -> int | None:
    """The colour of the marble on a ring, if there is one."""
    for colour in range(3):
        if has(state[rules.MARBLES + colour], ring):
            return colour
    return None


def claimed(before: State, step: Step, after: State) -> dict[int, int]:
    """The marbles that a step won by isolation: their rings, lowest first, and their colours."""
    if isinstance(step, Jump):
        return {}
    won = {}
    for ring in members(before[rules.RINGS] & ~after[rules.RINGS]):
        colour = step.colour if isinstance(step, Put) and step.ring == ring else marble_on(before, ring)
        if colour is not None:
            won[ring] = colour
    return won


def landing_of(layout: Layout, jump: Jump) -> int:
    """The ring on which a jump ends."""
    return layout.neighbours[over_of(layout, jump)][jump.direction]


def over_of(layout: Layout, jump: Jump) -> int:
    """The ring whose marble a jump captures."""
    return layout.neighbours[jump.ring][jump.direction]
