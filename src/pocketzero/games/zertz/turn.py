"""A turn as it is being read: each step is checked, with a reason if it is wrong, and played on a copy of the state.

All notations and records meet here, so that a wrong move is explained in the same words wherever it came from.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pocketzero.errors import IllegalMove, shortened
from pocketzero.games.table import ONGOING, Geometry, State
from pocketzero.games.zertz import rules
from pocketzero.games.zertz.layout import LETTERS, Layout
from pocketzero.games.zertz.steps import (
    COLOUR_WORDS,
    COLOURS,
    Jump,
    Put,
    Remove,
    Step,
    claimed,
    has,
    landing_of,
    marble_on,
    members,
    over_of,
    play_step,
)


class Turn:
    """Steps are added one after the other; ``steps`` holds those that the rules have accepted."""

    def __init__(self, layout: Layout, geometry: Geometry, state: State) -> None:
        self.layout = layout
        self.geometry = geometry
        self.state = state.copy()
        self.steps: list[Step] = []
        self.claimed: dict[int, int] = {}  # the marbles won by isolation, by ring
        if state[rules.RESULT] != ONGOING:
            raise IllegalMove("The game is over; nothing can be played any more.")

    @property
    def is_open(self) -> bool:
        """Whether the same player must go on."""
        return bool(self.state[rules.PHASE] != rules.TURN)

    def ring(self, name: str) -> int:
        """The ring of this name, which must still lie on the board."""
        found = self.layout.ring_named.get(name.lower())
        if found is None:
            columns = [f"{LETTERS[column]}1-{length}" for column, length in enumerate(self.layout.columns)]
            raise IllegalMove(f"There is no ring {name} on this board; there are {', '.join(columns)}.")
        if not has(self.state[rules.RINGS], found):
            raise IllegalMove(f"The ring {self.layout.names[found]} is no longer on the board.")
        return found

    # Steps

    def put(self, colour: int, name: str) -> None:
        """Put a marble, if the rules allow it."""
        self._expect_placement()
        ring = self.ring(name)
        on_it = marble_on(self.state, ring)
        if on_it is not None:
            raise IllegalMove(f"The ring {self.layout.names[ring]} is occupied by a {COLOUR_WORDS[on_it]} marble.")
        source = rules.supply(self.state)
        if self.state[source + colour] == 0:
            where = "in the pool" if source == rules.POOL else "among your captures (the pool is empty)"
            there = [COLOUR_WORDS[other] for other in range(3) if self.state[source + other]]
            raise IllegalMove(f"There is no {COLOUR_WORDS[colour]} marble {where}; there is {' and '.join(there)}.")
        self._play(Put(colour, ring))

    def _expect_placement(self) -> None:
        if self.state[rules.PHASE] == rules.REMOVE:
            raise IllegalMove(f"A ring must be removed now: {self.free_rings()}.")
        if rules.must_jump(self.state):
            raise IllegalMove(f"A capture is compulsory: {self.jumps()}.")

    def remove(self, name: str) -> None:
        """Remove a ring, if the rules allow it."""
        if self.state[rules.PHASE] != rules.REMOVE:
            put = bool(self.steps) and isinstance(self.steps[-1], Put)
            raise IllegalMove(
                f"No ring is free now, so {name} cannot be removed."
                if put
                else "A ring can be removed only after a marble has been put."
            )
        ring = self.ring(name)
        if not has(rules.free_rings(self.state), ring):
            why = "two positions in a row around it must be empty of rings"
            if marble_on(self.state, ring) is not None:
                why = "a marble lies on it"
            raise IllegalMove(f"The ring {self.layout.names[ring]} is not free: {why}. Free: {self.free_rings()}.")
        self._play(Remove(ring))

    def jump(self, start: str, over: int | None, landing: str) -> None:
        """Jump and capture a marble, whose colour may be stated, if the rules allow it."""
        if self.state[rules.PHASE] == rules.REMOVE:
            raise IllegalMove(f"A ring must be removed now: {self.free_rings()}.")
        jump = self._jump_between(self.ring(start), self.ring(landing))
        found = marble_on(self.state, over_of(self.layout, jump))
        assert found is not None
        if over is not None and over != found:
            raise IllegalMove(
                f"The marble between {start} and {landing} is {COLOUR_WORDS[found]}, not {COLOUR_WORDS[over]}."
            )
        self._play(jump)

    def _jump_between(self, start: int, landing: int) -> Jump:
        """The jump from one ring to another."""
        names = self.layout.names
        if marble_on(self.state, start) is None:
            raise IllegalMove(f"There is no marble on {names[start]} that could jump.")
        if self.state[rules.PHASE] == rules.CHAIN and start != self.state[rules.MARBLE]:
            raise IllegalMove(f"The marble on {names[self.state[rules.MARBLE]]} must jump on: {self.jumps()}.")
        for direction, over in enumerate(self.layout.neighbours[start]):
            if over >= 0 and self.layout.neighbours[over][direction] == landing:
                break
        else:
            raise IllegalMove(f"{names[landing]} is not two steps straight from {names[start]}.")
        if marble_on(self.state, over) is None:
            raise IllegalMove(f"There is no marble on {names[over]} to jump over.")
        if marble_on(self.state, landing) is not None:
            raise IllegalMove(f"The ring {names[landing]} is occupied, so no marble can land there.")
        return Jump(start, direction)

    def jump_past_the_end(self, start: str, over: int | None, landing: str) -> None:
        """A jump written after the one that won: many records tell a chain to its end. Checked, but not played."""
        steps, state = self.steps, self.state
        self.steps, self.state = [], state.copy()
        self.state[rules.RESULT] = ONGOING
        self.state[rules.MARBLE] = self.ring(start)
        self.state[rules.PHASE] = rules.CHAIN
        self.jump(start, over, landing)
        beyond = self.state
        self.steps, self.state = steps, state
        self.state[rules.RINGS : rules.RINGS + 4] = beyond[rules.RINGS : rules.RINGS + 4]

    def _play(self, step: Step) -> None:
        before = self.state.copy()
        play_step(self.geometry, self.state, step)
        self.claimed |= claimed(before, step, self.state)
        self.steps.append(step)

    # What may be done, in words

    def free_rings(self) -> str:
        """The rings that may be removed."""
        return shortened(self.layout.names[ring] for ring in members(rules.free_rings(self.state)))

    def jumps(self) -> str:
        """The jumps that may be played."""
        return shortened(self.write(jump) for jump in all_jumps(self.geometry, self.state))

    def write(self, jump: Jump) -> str:
        """A jump in official notation."""
        return write_jump(self.layout, self.state, jump)

    def check_claim(self, written: Iterable[tuple[int, str]]) -> None:
        """A written isolation claim must be what the rules give."""
        wanted = {self.layout.ring_named.get(name.lower(), -1): colour for colour, name in written}
        if wanted != self.claimed:
            right = write_claim(self.layout, self.claimed)
            raise IllegalMove(
                f"The isolation claim is wrong: it should be {right}." if right else "This turn isolates nothing."
            )


def all_jumps(geometry: Geometry, state: State) -> list[Jump]:
    """The jumps that may be played in a position where one must be."""
    ways = np.empty(3 * int(geometry[rules.RING_COUNT]), np.int32)
    count = rules.list_jumps(geometry, state, ways) if rules.must_jump(state) else 0
    return [Jump(*divmod(way, 6)) for way in sorted(ways[:count].tolist())]


def write_jump(layout: Layout, state: State, jump: Jump, *, goes_on: bool = False) -> str:
    """A jump in official notation, with the ring it starts from unless a chain goes on."""
    over = marble_on(state, over_of(layout, jump))
    assert over is not None
    first = "" if goes_on else f"x{layout.names[jump.ring]}"
    return f"{first}{COLOURS[over]}{layout.names[landing_of(layout, jump)]}"


def write_claim(layout: Layout, claim: dict[int, int]) -> str:
    """An isolation claim in official notation; nothing where nothing was isolated."""
    marbles = "".join(f"{COLOURS[colour]}{layout.names[ring]}" for ring, colour in sorted(claim.items()))
    return f"x{marbles}" if marbles else ""
