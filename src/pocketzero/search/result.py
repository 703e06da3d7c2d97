"""What a search found, for people and programs: a table of the root's moves, the best of them, and its line."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from pocketzero.games import Position


@dataclass(frozen=True)
class MoveReport:
    """One move of the root. Values are from the side of the player to move."""

    move: str
    action: int
    visits: int
    value: float | None  # Q: the mean value from -1 to 1; exact if proven; None if never tried
    total: float  # W: the sum of the values
    prior: float  # P
    low: int  # bounds of the result, or of the margin, for the mover
    high: int
    proven: str = ""  # "win", "loss", "draw" or nothing
    ends_in: int | None = None  # moves until the end, where the tree shows it
    line: tuple[str, ...] = field(default=(), repr=False)

    @property
    def verdict(self) -> str:
        """What is proven of the move, in words."""
        if not self.proven:
            return ""
        ends = f", in {self.ends_in} move{'s' if self.ends_in > 1 else ''}" if self.ends_in else ""
        return f"proven {self.proven}{ends}"


@dataclass(frozen=True)
class SearchResult:
    """The whole root."""

    position: Position
    moves: tuple[MoveReport, ...]  # the best first
    value: float  # for the player to move, from -1 to 1
    simulations: int
    nodes: int
    evaluations: int
    seconds: float
    stopped: str  # why the search ended: simulations, time, nodes, proven, asked, or running

    @property
    def best(self) -> str:
        """The move to play."""
        return self.moves[0].move

    @property
    def best_action(self) -> int:
        """The same as an action."""
        return self.moves[0].action

    @property
    def pv(self) -> list[str]:
        """The line that the search expects."""
        return list(self.moves[0].line)

    @cached_property
    def policy(self) -> dict[str, float]:
        """Each move's share of the visits."""
        whole = sum(move.visits for move in self.moves)
        return {move.move: move.visits / whole if whole else move.prior for move in self.moves}

    def __str__(self) -> str:
        """A table as in the 2022 thesis's dump: move, visits, Q, W, P, and what is proven."""
        side = self.position.game.players[self.position.to_move]
        head = (
            f"{self.position.game.name}, {side} to move: value {self.value:+.3f}, {self.simulations} simulations, "
            f"{self.nodes} nodes, {self.seconds:.2f} s ({self.stopped})"
        )
        width = max(4, *(len(move.move) for move in self.moves))
        rows = [f"{'move':<{width}}  {'visits':>8} {'Q':>7} {'W':>10} {'P':>7}"]
        for move in self.moves:
            value = f"{move.value:+.3f}" if move.value is not None else "-"
            numbers = f"{move.visits:>8} {value:>7} {move.total:>10.2f} {move.prior:>7.4f}"
            rows.append(f"{move.move:<{width}}  {numbers}  {move.verdict}".rstrip())
        return "\n".join([head, *rows, "line: " + " ".join(self.pv)])
