"""The rules of Zertz once more, slowly and in plain words. The tests play this game and the compiled one
side by side, so it shares nothing with it: rings are names, marbles are letters in a dictionary, and every
question about the board is answered by looking at the board again."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from string import ascii_lowercase

Action = tuple[str, ...]
"""One step of a turn: ("put", "W", "d4"), ("remove", "d1") or ("jump", "d1", "d3")."""

BOARDS: dict[int, tuple[int, ...]] = {
    19: (3, 4, 5, 4, 3),
    37: (4, 5, 6, 7, 6, 5, 4),
    48: (5, 6, 7, 8, 7, 6, 5, 4),
    61: (5, 6, 7, 8, 9, 8, 7, 6, 5),
}
"""The number of rings of each board, and the lengths of its columns from left to right."""

COLOURS = ("W", "G", "B")
DRAW = 2

# The six neighbour positions, walked once around: (columns to the right, half-steps up).
AROUND = ((0, 2), (1, 1), (1, -1), (0, -2), (-1, -1), (-1, 1))

RING = r"[a-z][1-9][0-9]*"
PLACEMENT = re.compile(rf"([WGB])({RING})(?:,({RING}))?(?:x((?:[WGB]{RING})+))?")
CAPTURE = re.compile(rf"x({RING})((?:[WGB]{RING})+)")
MARBLE_AT_RING = re.compile(rf"([WGB])({RING})")


class ReferenceZertz:
    """One game of Zertz, from the empty board on; `play` changes it.

    >>> game = ReferenceZertz(BOARDS[37])
    >>> game.turn_count(1)
    1944
    >>> game.replay("Bd4,d1 Wd5,d7 xd4Wd6")
    >>> game.to_move, game.captured[0], game.marbles
    (1, {'W': 1, 'G': 0, 'B': 0}, {'d6': 'B'})
    """

    def __init__(
        self,
        columns: tuple[int, ...],
        pool: tuple[int, int, int] = (6, 8, 10),
        goal: tuple[int, int, int] = (4, 5, 6),
        each: int = 3,
    ) -> None:
        """Set up an empty board; `goal` marbles of one colour win, and so do `each` of all three."""
        self.around = neighbours_of_all_rings(columns)
        self.goal = dict(zip(COLOURS, goal))
        self.each = each

        self.to_move = 0
        """The player to move, 0 or 1. Once a player has won by capture, isolation or filling the board: that player."""
        self.result: int | None = None
        """None while the game goes on, then the winner, 0 or 1, or 2 for a draw."""
        self.phase = "turn"
        """What is to be done: "turn" (begin one; also when all is over), "remove" (a ring) or "chain" (jump on)."""
        self.rings: set[str] = set(self.around)
        self.marbles: dict[str, str] = {}
        """The colour of the marble on each ring that is not vacant."""
        self.pool: dict[str, int] = dict(zip(COLOURS, pool))
        self.captured: list[dict[str, int]] = [dict.fromkeys(COLOURS, 0) for _ in range(2)]
        self.jumper: str | None = None
        """The ring of the marble that must jump on, in the middle of a chain only."""
        self.claimed: dict[str, str] = {}
        """The isolated rings, with their marbles, that the last action won."""
        self.seen: Counter[tuple] = Counter()
        """How often each full position has stood at the end of a turn."""

        self._end_if_stuck()

    # What may be played

    def legal(self) -> list[Action]:
        """All actions the player to move may choose from; none when the game is over."""
        if self.result is not None:
            return []
        if self.phase == "remove":
            return [("remove", ring) for ring in self._free_rings()]
        if self.phase == "chain":
            return self._jumps_from(self.jumper)
        return self._all_jumps() or self._puts()

    def _all_jumps(self) -> list[Action]:
        """The jumps of all marbles; if there is one, the player must capture."""
        return [jump for ring in self.around if ring in self.marbles for jump in self._jumps_from(ring)]

    def _jumps_from(self, start: str) -> list[Action]:
        """The jumps of one marble, over any adjacent marble to the vacant ring straight behind it."""
        jumps = []
        for direction in range(6):
            over = self.around[start][direction]
            if over in self.marbles:
                landing = self.around[over][direction]
                if self._is_vacant(landing):
                    jumps.append(("jump", start, landing))
        return jumps

    def _puts(self) -> list[Action]:
        """The placements: any colour in supply on any vacant ring."""
        supply = self._supply()
        colours = [colour for colour in COLOURS if supply[colour] > 0]
        return [("put", colour, ring) for colour in colours for ring in self.around if self._is_vacant(ring)]

    def _supply(self) -> dict[str, int]:
        """Where marbles to place come from: the pool or, when it has no marble of any colour, the player's captures."""
        return self.pool if any(self.pool.values()) else self.captured[self.to_move]

    def _is_vacant(self, ring: str | None) -> bool:
        """Whether this is a ring still on the board, without a marble."""
        return ring in self.rings and ring not in self.marbles

    def _free_rings(self) -> list[str]:
        """The rings that can be removed: vacant, and with two neighbour positions in a row that have no ring."""
        return [ring for ring in self.around if self._is_vacant(ring) and self._is_open_at_the_side(ring)]

    def _is_open_at_the_side(self, ring: str) -> bool:
        """Whether two consecutive neighbour positions of a ring, going around it, have no ring."""
        gone = [neighbour not in self.rings for neighbour in self.around[ring]]
        return any(gone[place] and gone[(place + 1) % 6] for place in range(6))

    # Playing

    def play(self, action: Action) -> None:
        """Play one legal action; a ValueError says what was wrong and leaves the game as it was."""
        legal = self.legal()
        if self.result is not None:
            ending = "it was a draw" if self.result == DRAW else f"player {self.result} has won"
            raise ValueError(f"{action} comes after the end of the game; {ending}")
        if action not in legal:
            raise ValueError(f"{action} is not legal here; legal is one of {legal}")
        self._play_legal(action)

    def _play_legal(self, action: Action) -> None:
        self.claimed = {}
        if action[0] == "put":
            self._put(action[1], action[2])
        elif action[0] == "remove":
            self._remove(action[1])
        else:
            self._jump(action[1], action[2])

    def _put(self, colour: str, ring: str) -> None:
        self._supply()[colour] -= 1
        self.marbles[ring] = colour
        if self._free_rings():
            self.phase = "remove"
        else:
            self._end_placement_turn()

    def _remove(self, ring: str) -> None:
        self.rings.remove(ring)
        self._end_placement_turn()

    def _jump(self, start: str, landing: str) -> None:
        over = self._ring_between(start, landing)
        self.marbles[landing] = self.marbles.pop(start)
        self._capture(self.marbles.pop(over))
        if self._has_winning_set():
            self._win()
        elif self._jumps_from(landing):
            self.phase = "chain"
            self.jumper = landing
        else:
            self._pass_turn()

    def _ring_between(self, start: str, landing: str) -> str:
        """The position a marble passes over on a jump from `start` to `landing`."""
        for direction in range(6):
            over = self.around[start][direction]
            if over is not None and self.around[over][direction] == landing:
                return over
        raise ValueError(f"{landing} is not two steps straight from {start}")

    def _capture(self, colour: str) -> None:
        self.captured[self.to_move][colour] += 1

    # The end of a turn and of the game

    def _end_placement_turn(self) -> None:
        """Claim what is isolated; who leaves no vacant ring on the whole board wins."""
        board_is_full = all(ring in self.marbles for ring in self.rings)
        self._claim_isolated_groups()
        if board_is_full or self._has_winning_set():
            self._win()
        else:
            self._pass_turn()

    def _claim_isolated_groups(self) -> None:
        """Every connected group of rings with no vacant ring goes to the mover, rings and marbles."""
        for group in self._groups():
            if all(ring in self.marbles for ring in group):
                for ring in sorted(group):
                    self.claimed[ring] = self.marbles.pop(ring)
                    self._capture(self.claimed[ring])
                    self.rings.remove(ring)

    def _groups(self) -> list[set[str]]:
        """The connected groups of the rings that are left."""
        groups = []
        unassigned = set(self.rings)
        while unassigned:
            group = self._group_of(min(unassigned))
            groups.append(group)
            unassigned -= group
        return groups

    def _group_of(self, ring: str) -> set[str]:
        """All rings that can be reached from a ring by going from neighbour to neighbour."""
        group = {ring}
        to_visit = [ring]
        while to_visit:
            for neighbour in self.around[to_visit.pop()]:
                if neighbour in self.rings and neighbour not in group:
                    group.add(neighbour)
                    to_visit.append(neighbour)
        return group

    def _has_winning_set(self) -> bool:
        """Whether the mover holds enough of one colour, or enough of each."""
        mine = self.captured[self.to_move]
        enough_of_one = any(mine[colour] >= self.goal[colour] for colour in COLOURS)
        return enough_of_one or all(mine[colour] >= self.each for colour in COLOURS)

    def _win(self) -> None:
        self.result = self.to_move
        self.phase = "turn"
        self.jumper = None

    def _pass_turn(self) -> None:
        """Give the turn to the other player, unless that ends the game."""
        self.to_move = 1 - self.to_move
        self.phase = "turn"
        self.jumper = None
        self._end_if_stuck()
        self._end_if_repeated()

    def _end_if_stuck(self) -> None:
        """A player with nothing to place and no jump loses; there is always a vacant ring to place on."""
        if not any(self._supply().values()) and not self._all_jumps():
            self.result = 1 - self.to_move

    def _end_if_repeated(self) -> None:
        """The same full position at the end of a turn for the third time is a draw."""
        position = self.position()
        self.seen[position] += 1
        if self.result is None and self.seen[position] == 3:
            self.result = DRAW

    def position(self) -> tuple:
        """All that counts as the same position between two turns: board, pool, captures, side to move."""
        return (
            frozenset(self.rings),
            frozenset(self.marbles.items()),
            tuple(self.pool[colour] for colour in COLOURS),
            tuple(self.captured[player][colour] for player in range(2) for colour in COLOURS),
            self.to_move,
        )

    # Many games from one

    def copy(self) -> ReferenceZertz:
        """A game in the same position and with the same past, that can be played on by itself."""
        twin = ReferenceZertz.__new__(ReferenceZertz)
        twin.around, twin.goal, twin.each = self.around, self.goal, self.each
        twin.to_move, twin.result, twin.phase, twin.jumper = self.to_move, self.result, self.phase, self.jumper
        twin.rings = set(self.rings)
        twin.marbles = dict(self.marbles)
        twin.pool = dict(self.pool)
        twin.captured = [dict(captures) for captures in self.captured]
        twin.claimed = dict(self.claimed)
        twin.seen = Counter(self.seen)
        return twin

    def turn_count(self, depth: int) -> int:
        """The number of sequences of `depth` whole turns from here; a turn already begun is the first of them."""
        if depth == 0:
            return 1
        total = 0
        for action in self.legal():
            after = self.copy()
            after._play_legal(action)
            turn_is_over = after.phase == "turn"
            total += after.turn_count(depth - 1 if turn_is_over else depth)
        return total

    # Official notation

    def replay(self, moves: str) -> None:
        """Play turns in official notation, with spaces between; a ValueError names the turn that cannot be played.

        After an error the game stands where the record went wrong. A chain that wins before its end may be
        written to its end; those further jumps must be possible, but they are not played."""
        for number, text in enumerate(moves.split(), start=1):
            try:
                self._replay_turn(text)
            except ValueError as error:
                raise ValueError(f"turn {number}, {text}: {error}") from error

    def _replay_turn(self, text: str) -> None:
        if self.phase != "turn":
            raise ValueError(f"a turn has been begun and waits for its {self.phase}")
        if capture := CAPTURE.fullmatch(text):
            self._replay_capture(capture)
        elif placement := PLACEMENT.fullmatch(text):
            self._replay_placement(placement)
        else:
            raise ValueError("not a turn; write Wd4,d1 or Wd4 or xd1Gd3Wd5 or Bd7,b2xWa1Wa2")

    def _replay_capture(self, capture: re.Match[str]) -> None:
        start, jumps = capture.groups()
        game = self
        for number, (colour, landing) in enumerate(MARBLE_AT_RING.findall(jumps)):
            if number > 0 and game.result is not None:
                game = game._as_if_not_won(start)
            game._replay_jump(start, colour, landing)
            start = landing
        if self.phase == "chain":
            raise ValueError(f"the marble on {start} must jump on: {self.legal()}")

    def _as_if_not_won(self, jumper: str) -> ReferenceZertz:
        """A copy whose chain goes on: many records write the chain that won to its end, though the game is over."""
        twin = self.copy()
        twin.result, twin.phase, twin.jumper = None, "chain", jumper
        return twin

    def _replay_jump(self, start: str, colour: str, landing: str) -> None:
        jump = ("jump", start, landing)
        if jump in self.legal():
            on_board = self.marbles[self._ring_between(start, landing)]
            if on_board != colour:
                raise ValueError(f"the marble captured on the way to {landing} is {on_board}, not {colour}")
        self.play(jump)

    def _replay_placement(self, placement: re.Match[str]) -> None:
        colour, ring, removed, claim = placement.groups()
        self.play(("put", colour, ring))
        if removed is not None:
            self.play(("remove", removed))
        elif self.phase == "remove":
            raise ValueError(f"a ring must be removed: {self.legal()}")
        written = [(ring, colour) for colour, ring in MARBLE_AT_RING.findall(claim or "")]
        if sorted(written) != sorted(self.claimed.items()):
            raise ValueError(f"the rules isolate {sorted(self.claimed.items())}, the turn claims {sorted(written)}")


def neighbours_of_all_rings(columns: tuple[int, ...]) -> dict[str, tuple[str | None, ...]]:
    """For each ring of the full board, the six positions around it in circular order; None is off the board."""
    ring_at = ring_at_place(columns)
    return {
        ring: tuple(ring_at.get((column + right, height + up)) for right, up in AROUND)
        for (column, height), ring in ring_at.items()
    }


def ring_at_place(columns: tuple[int, ...]) -> dict[tuple[int, int], str]:
    """The name of the ring at each place; a place is (column, half-steps up)."""
    if not 1 <= len(columns) <= len(ascii_lowercase) or min(columns) < 1:
        raise ValueError(f"a board has 1 to 26 columns of at least one ring, not {columns}")
    if any(abs(right - left) != 1 for left, right in pairwise(columns)):
        raise ValueError(f"neighbouring columns must differ by one ring, unlike in {columns}")
    ring_at = {}
    bottom = 0
    for column, length in enumerate(columns):
        if column > 0:
            bottom += columns[column - 1] - length  # one ring longer starts a half-step lower
        for row in range(length):
            ring_at[column, bottom + 2 * row] = f"{ascii_lowercase[column]}{row + 1}"
    return ring_at
