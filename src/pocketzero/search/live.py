"""One search that can be watched, stopped and carried on: for play, for analysis, for notebooks.

>>> from pocketzero.games import game
>>> from pocketzero.search import search
>>> result = search(game("mnk:3x3x3").start().play_line("a1 a2 b1 b2"), sims=50)
>>> result.best, result.moves[0].verdict
('c1', 'proven win, in 1 move')
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from pocketzero.errors import PocketZeroError
from pocketzero.games import Position
from pocketzero.search.choice import How, choose
from pocketzero.search.forest import Evaluator, Forest, Rollouts, Root, Uniform
from pocketzero.search.result import MoveReport, SearchResult
from pocketzero.search.rollout import UCT_CONSTANT
from pocketzero.search.settings import Settings, settings_from
from pocketzero.search.tree import EXPANDED

STRETCH_SECONDS = 0.02  # how long one call of the rollout kernel should take, so that a search stops quickly
MOST_SIMULATIONS = 1 << 60


class Search:
    """A search of one position. ``run`` does the work; other threads may look at it and stop it meanwhile."""

    def __init__(
        self,
        position: Position,
        evaluator: Evaluator | Rollouts | None = None,
        settings: Settings | None = None,
        *,
        only: Iterable[str | int] | None = None,
        seed: int = 0,
    ) -> None:
        self.position = position
        self.evaluator = evaluator if evaluator is not None else Uniform(position.game)
        rolls = isinstance(self.evaluator, Rollouts)
        self.settings = settings or (Settings(c=UCT_CONSTANT, solved=False) if rolls else Settings())
        leaves = 1 if rolls or self.settings.gumbel else self.settings.leaves
        self.forest = Forest(position.game, self.settings, leaves=leaves, rollouts=rolls, seed=seed)
        self.forest.plant(0, position, only=self._actions(only))
        self.simulations = 0
        self.seconds = 0.0
        self.reason = "running"
        self._stretch = 64
        self._lock = threading.Lock()
        self._stop = threading.Event()

    def _actions(self, only: Iterable[str | int] | None) -> list[int] | None:
        """The root actions that the caller wants searched; a whole turn counts by its first action."""
        if only is None:
            return None
        read = self.position.game.notation.read
        return [move if isinstance(move, int) else read(self.position, move)[0] for move in only]

    def stop(self) -> None:
        """Ask a running search to end; it does within a batch."""
        self._stop.set()

    def run(self, *, sims: int | None = None, seconds: float | None = None) -> SearchResult:
        """Search until a limit is reached, the result is proven, the tree is full, or somebody stops it."""
        if sims is None and seconds is None:
            sims = MOST_SIMULATIONS
        self._stop.clear()
        begin = time.perf_counter()
        spent = self.seconds
        with self._lock:
            self.forest.grant(0, sims if sims is not None else MOST_SIMULATIONS)
        before = self.simulations
        while True:
            self.reason = self._reason_to_end(begin, seconds)
            if self.reason != "running":
                break
            with self._lock:
                self._step()
                self.simulations = before + int(self.forest.root(0).simulations if self._expanded else 0)
                self.seconds = spent + time.perf_counter() - begin
        with self._lock:
            self.forest.abandon()
        return self.report()

    @property
    def _expanded(self) -> bool:
        return bool(self.forest.trees.info[0, EXPANDED])

    def _reason_to_end(self, begin: float, seconds: float | None) -> str:
        if self._stop.is_set():
            return "asked"
        if seconds is not None and time.perf_counter() - begin >= seconds and self._expanded:
            return "time"
        if not self.forest.done(0):
            return "running"
        if self.forest.is_full(0):
            return "nodes"
        root = self.forest.root(0)
        is_proven = root.low == root.high or (not self.settings.exact and (root.low > 0 or root.high < 0))
        return "proven" if is_proven else "simulations"

    def _step(self) -> None:
        """One batch, or one stretch of rollouts whose length follows the clock."""
        if not isinstance(self.evaluator, Rollouts):
            self.forest.step(self.evaluator)
            return
        begin = time.perf_counter()
        self.forest.roll_out(0, self._stretch)
        took = time.perf_counter() - begin
        self._stretch = max(8, min(100_000, int(self._stretch * STRETCH_SECONDS / max(took, 1e-6))))

    def play(self, move: str | int) -> None:
        """Go on to the position after a move and keep what is known of it."""
        after = self.position.play(move)
        with self._lock:
            steps = after.actions[len(self.position.actions) :]
            for action in steps:
                self.forest.advance(0, action)
            self.position = after
            self.simulations = 0

    def report(self) -> SearchResult:
        """What is known now; may be called at any moment, from any thread."""
        with self._lock:
            root = self.forest.root(0)
            order = self._order(root)
            ends = self.forest.distances(0)
            moves = tuple(self._move(root, index, int(ends[index])) for index in order)
            return SearchResult(
                position=self.position,
                moves=moves,
                value=self._value(root),
                simulations=self.simulations,
                nodes=root.nodes,
                evaluations=self.forest.evaluations,
                seconds=self.seconds,
                stopped=self.reason,
            )

    def choose(
        self, *, how: How = "visits", temperature: float = 1.0, chance: np.random.Generator | None = None
    ) -> int:
        """The action to play now."""
        with self._lock:
            root = self.forest.root(0)
            ends = self.forest.distances(0)
            if self.settings.gumbel and not root.settled.any():
                return int(root.actions[self.forest.gumbel_choice(0)])
            return int(root.actions[choose(root, how=how, temperature=temperature, chance=chance, distances=ends)])

    def _order(self, root: Root) -> list[int]:
        """The moves, the one to be played first, then by what is proven, tried and expected."""
        first = choose(root, distances=self.forest.distances(0))
        results = np.where(root.settled, root.results, 0)
        rest = sorted(range(len(root.actions)), key=lambda i: (-results[i], -int(root.visits[i]), -root.priors[i]))
        return [first, *(index for index in rest if index != first)]

    def _move(self, root: Root, index: int, ends_in: int) -> MoveReport:
        low, high = int(root.lows[index]), int(root.highs[index])
        value = float(root.values[index])
        words = {1: "win", 0: "draw", -1: "loss"}
        return MoveReport(
            move=self.position.write(int(root.actions[index])),
            action=int(root.actions[index]),
            visits=int(root.visits[index]),
            value=None if np.isnan(value) else value,
            total=float(root.totals[index]),
            prior=float(root.priors[index]),
            low=low if root.player == 0 else -high,
            high=high if root.player == 0 else -low,
            proven=words[int(root.results[index])] if root.settled[index] else "",
            ends_in=ends_in if ends_in > 0 else None,
            line=self._words(self.forest.line(0, index)),
        )

    def _words(self, actions: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.position.game.notation.write_line(self.position, actions))

    def _value(self, root: Root) -> float:
        sign = 1 if root.player == 0 else -1
        if root.low > 0 or root.high < 0 or root.low == root.high:
            return float(sign * ((root.low > 0) - (root.high < 0)))
        return root.value


def search(
    position: Position,
    evaluator: Evaluator | Rollouts | None = None,
    *,
    sims: int | None = None,
    seconds: float | None = None,
    settings: Settings | None = None,
    only: Iterable[str | int] | None = None,
    seed: int = 0,
    **options: object,
) -> SearchResult:
    """Search a position; options are those of ``Settings``. Without any limit, 400 simulations."""
    if settings is not None and options:
        raise PocketZeroError("Give either settings or single options, not both.")
    if options:
        settings = settings_from(options)
        if isinstance(evaluator, Rollouts) and "c" not in options:
            settings = replace(settings, c=UCT_CONSTANT)
    if sims is None and seconds is None:
        sims = 400
    return Search(position, evaluator, settings, only=only, seed=seed).run(sims=sims, seconds=seconds)
