"""How often, and by how much, a player gives value away: the yardstick that needs no opponent, only a solver.

Only decisions count where the moves differ in value. They come from the player's own games (against itself, from
random openings) or from random positions spread evenly over the plies of random games.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pocketzero.arena.elo import CONFIDENCE
from pocketzero.arena.openings import openings
from pocketzero.games import Game, Position
from pocketzero.players.base import Player, random_source
from pocketzero.players.solver import Solver
from pocketzero.players.spec import is_at_terminal, make_player


@dataclass(frozen=True)
class Decision:
    """One choice where the moves differed in value."""

    position: Position
    action: int
    best: int
    value: int

    @property
    def loss(self) -> int:
        """What the choice gave away."""
        return self.best - self.value


@dataclass(frozen=True)
class Mistakes:
    """All decisions of a player, and what they cost."""

    decisions: tuple[Decision, ...]
    games: int = 0  # whole games they come from; 0 for loose positions

    @property
    def mistakes(self) -> int:
        """How many decisions gave value away."""
        return sum(decision.loss > 0 for decision in self.decisions)

    @property
    def rate(self) -> float:
        """The share of decisions that gave value away."""
        return self.mistakes / len(self.decisions) if self.decisions else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the rate (Wilson 1927)."""
        return wilson(self.mistakes, len(self.decisions))

    @property
    def lost(self) -> int:
        """The value given away in all."""
        return sum(decision.loss for decision in self.decisions)

    def as_json(self) -> dict[str, object]:
        """One object for machines."""
        low, high = self.interval
        return {
            "decisions": len(self.decisions),
            "mistakes": self.mistakes,
            "rate": self.rate,
            "rate_low": low,
            "rate_high": high,
            "optimal": 1 - self.rate,
            "lost": self.lost,
            "lost_a_mistake": self.lost / self.mistakes if self.mistakes else 0.0,
            "games": self.games,
            "lost_a_game": self.lost / self.games if self.games else None,
        }

    def __str__(self) -> str:
        low, high = self.interval
        lines = (
            f"{self.mistakes} mistakes in {len(self.decisions)} decisions where moves differ in value: "
            f"{self.rate:.2%} ({low:.2%} to {high:.2%}), {self.lost} given away"
        )
        return lines + (f", {self.lost / self.games:.2f} a game" if self.games else "")


def wilson(hits: int, tries: int) -> tuple[float, float]:
    """The 95% interval of a share."""
    if not tries:
        return 0.0, 1.0
    share, square = hits / tries, CONFIDENCE**2
    middle = (share + square / (2 * tries)) / (1 + square / tries)
    spread = CONFIDENCE / (1 + square / tries) * math.sqrt(share * (1 - share) / tries + square / (4 * tries**2))
    return max(0.0, middle - spread), min(1.0, middle + spread)


def decide(player: Player, solver: Solver, position: Position) -> Decision | None:
    """What a player does in a position; None where all moves are worth the same."""
    values = solver.move_values(position)
    if len(set(values.values())) < 2:
        return None
    action = player.choose(position)
    return Decision(position, action, max(values.values()), values[action])


def random_positions(game: Game, count: int, seed: int, fits: Callable[[Position], bool]) -> list[Position]:
    """So many different positions of random games that fit, as evenly spread over the plies as the game allows.

    Each ply in turn gives one position until there are enough; a ply that has no more to give is passed over.
    """
    by_ply: dict[int, dict[int, Position]] = {}
    for number in range(count):
        for position in _random_game(game, seed * 1_000_003 + number):
            by_ply.setdefault(position.ply, {}).setdefault(position.key, position)
    sources = [iter(found.values()) for _, found in sorted(by_ply.items())]
    chosen: list[Position] = []
    while sources and len(chosen) < count:
        for source in list(sources):
            fitting = next((each for each in source if fits(each)), None)
            if fitting is None:
                sources.remove(source)
            elif len(chosen) < count:
                chosen.append(fitting)
    return chosen


def _random_game(game: Game, seed: int) -> Iterator[Position]:
    """The positions of one random game in which there is something to decide."""
    chance = random_source(seed)
    position = game.start()
    while not position.is_over:
        legal = position.legal_actions()
        if len(legal) > 1:
            yield position
        position = position.play_action(legal[chance.integers(len(legal))])


def mistakes_in_positions(text: str, solver: Solver, positions: Iterable[Position], *, seed: int = 0) -> Mistakes:
    """What a player gives away in these positions; each is a game of its own to it."""

    def work(player: Player, item: tuple[int, Position]) -> list[Decision]:
        number, position = item
        player.begin(seed + number)
        decision = decide(player, solver, position)
        return [decision] if decision else []

    items = list(enumerate(positions))
    if not items:
        return Mistakes(())
    return Mistakes(tuple(_over_cores(text, items[0][1].game, items, work)))


def mistakes_in_games(
    text: str, game: Game, solver: Solver, games: int, *, opening: str = "random:2", seed: int = 0
) -> Mistakes:
    """What a player gives away in games against itself."""
    begin = openings(opening, game, seed)

    def work(player: Player, number: int) -> list[Decision]:
        player.begin(seed + number)
        position, found = begin(number), []
        while not position.is_over:
            decision = decide(player, solver, position)
            if decision:
                found.append(decision)
            position = position.play_action(decision.action if decision else player.choose(position))
        return found

    return Mistakes(tuple(_over_cores(text, game, list(range(games)), work)), games)


def _over_cores(text: str, game: Game, items: list, work: Callable) -> list[Decision]:  # type: ignore[type-arg]
    """Do all items, each worker with a player of its own; results stay in order."""
    results: list[list[Decision]] = [[] for _ in items]
    numbers, lock = iter(range(len(items))), threading.Lock()
    faults: list[BaseException] = []

    def worker() -> None:
        player: Player | None = None
        try:
            player = make_player(text, game)
            while not faults:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                results[number] = work(player, items[number])
        except BaseException as fault:  # raised again below, by the thread that waits
            faults.append(fault)
        finally:
            if player is not None:
                player.close()

    workers = 1 if is_at_terminal(text, game) else min(os.cpu_count() or 1, len(items))
    threads = [threading.Thread(target=worker) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return [decision for found in results for decision in found]
