"""One search that can be watched, stopped and carried on: for play, for analysis, for notebooks.

>>> from pocketzero.games import game
>>> from pocketzero.search import search
>>> result = search(game("mnk:3x3x3").start().play_line("a1 a2 b1 b2"), sims=50)
>>> result.best, result.moves[0].verdict
('c1', 'proven win, in 1 move')
"""

from __future__ import annotations

import operator
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pocketzero.errors import PocketZeroError
from pocketzero.games import Position
from pocketzero.search.choice import How, best_index, choose
from pocketzero.search.forest import Evaluator, Forest, Rollouts, Root, Uniform
from pocketzero.search.result import MoveReport, SearchResult
from pocketzero.search.rollout import UCT_CONSTANT
from pocketzero.search.settings import Settings, settings_from
from pocketzero.search.tree import BUDGET, DONE, EXPANDED

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
        self._waiting = 0  # how many other threads want to look
        self._stop = threading.Event()

    def _actions(self, only: Iterable[str | int] | None) -> list[int] | None:
        """The root actions that the caller wants searched; a whole turn counts by its first action."""
        if only is None:
            return None
        if isinstance(only, str):
            raise PocketZeroError("The moves to be searched are a list, such as ['aA', 'bB'].")
        read = self.position.game.notation.read
        return [read(self.position, move)[0] if isinstance(move, str) else operator.index(move) for move in only]

    def stop(self) -> None:
        """Ask a search to end; it does within a batch, or at once if it begins later."""
        self._stop.set()

    def run(self, *, sims: int | None = None, seconds: float | None = None) -> SearchResult:
        """Search until a limit is reached, the result is proven, the tree is full, or somebody stops it."""
        if (sims is not None and sims < 1) or (seconds is not None and seconds <= 0):
            raise PocketZeroError("A search needs at least one simulation, or some time.")
        if self.position.is_over:
            raise PocketZeroError("There is nothing to search: the game is over.")
        begin = time.perf_counter()
        spent, before = self.seconds, self.simulations
        with self._lock:
            self.forest.grant(0, MOST_SIMULATIONS if sims is None else sims)
            self._see_root()
        try:
            while (reason := self._reason_to_end(begin, seconds)) == "running":
                with self._lock:
                    self._step()
                    self.simulations = before + int(self.forest.trees.info[0, DONE])
                    self.seconds = spent + time.perf_counter() - begin
                if self._waiting:
                    time.sleep(1e-4)  # let them look
            self.reason = reason
        finally:
            with self._lock:
                self.forest.abandon()
            self._stop.clear()
        return self.report()

    def _see_root(self) -> None:
        """Make the root's node, so that there is something to report from the first moment on."""
        info = self.forest.trees.info[0]
        if info[EXPANDED]:
            return
        budget = int(info[BUDGET])
        info[BUDGET] = max(1, budget)
        while not info[EXPANDED]:
            if isinstance(self.evaluator, Rollouts):
                self.forest.roll_out(0, 1)
            else:
                self.forest.step(self.evaluator)
        if budget == 0:  # nobody searches: only the root was wanted
            self.forest.abandon()
            info[BUDGET] = 0

    def _reason_to_end(self, begin: float, seconds: float | None) -> str:
        if self._stop.is_set():
            return "asked"
        if seconds is not None and time.perf_counter() - begin >= seconds:
            return "time"
        if not self.forest.done(0):
            return "running"
        if self.forest.is_full(0):
            return "nodes"
        root = self.forest.root(0)
        settled = root.low > 0 or root.high < 0
        is_proven = root.low == root.high or (settled and not (self.settings.exact or root.margin_weight))
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

    @contextmanager
    def _looking(self) -> Iterator[None]:
        """Take the lock from a running search, which lets others in between two batches."""
        self._waiting += 1
        with self._lock:
            self._waiting -= 1
            yield

    def play(self, move: str | int) -> None:
        """Go on to the position after a move and keep what is known of it."""
        after = self.position.play(move)
        with self._looking():
            for action in after.actions[self.position.ply :]:
                self.forest.advance(0, action)
            self.position = after
            self.simulations, self.seconds, self.reason = 0, 0.0, "running"
            self.forest.evaluations = 0

    def report(self) -> SearchResult:
        """What is known now; may be called at any moment, from any thread."""
        if self.position.is_over:
            raise PocketZeroError("There is nothing to report: the game is over.")
        with self._looking():
            self._see_root()
            root, ends = self.forest.root(0), self.forest.distances(0)
            moves = tuple(self._move(root, index, int(ends[index])) for index in self._order(root, ends))
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
        with self._looking():
            self._see_root()
            root, ends = self.forest.root(0), self.forest.distances(0)
            if how == "visits":
                return int(root.actions[best_index(self.forest, 0, root, ends)])
            return int(root.actions[choose(root, how=how, temperature=temperature, chance=chance, distances=ends)])

    def _order(self, root: Root, ends: NDArray[np.int32]) -> list[int]:
        """The moves, the one to be played first, then by what is proven, tried and expected."""
        first = best_index(self.forest, 0, root, ends)
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
        if root.margin_weight:
            return float(root.exact[root.decided].max()) if root.low == root.high else root.value
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
