"""The threads that play: each has games on every board of the run, and an evaluator for each.

``Workers`` are the threads of this process. ``Playing`` is what a run asks of whoever plays its games, be it they or
actors on a cluster, each of which has ``Workers`` of its own.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pocketzero.nets.evaluator import NetEvaluator
from pocketzero.training.episodes import Episode
from pocketzero.training.positions import LabelledPositions, PositionOptions
from pocketzero.training.selfplay import SelfPlay, SelfPlayOptions

STINT = 32  # batches on one board before another has its turn
Counts = NDArray[np.float64]  # simulations, evaluations, seconds in the net, games, and how giving up was checked


class Timed:
    """An evaluator that says how long it was at work."""

    def __init__(self, evaluator: NetEvaluator) -> None:
        self.evaluator = evaluator
        self.seconds = 0.0
        self.rows = 0
        self.calls = 0

    def evaluate(self, planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What the evaluator says."""
        begin = time.perf_counter()
        answer = self.evaluator.evaluate(planes)
        self.seconds += time.perf_counter() - begin
        self.rows += len(planes)
        self.calls += 1
        return answer


class Playing(Protocol):
    """Whoever plays the games of a run."""

    labels: bool

    @property
    def threads(self) -> int:
        """How many games' worth of processors are at work."""

    def set_shares(self, shares: list[float]) -> None:
        """How much of the play happens on each board from now on."""

    def set_labels(self, labels: bool) -> None:
        """Whether positions are labelled from now on, rather than games played."""

    def set_net(self, net: Any, step: int) -> None:
        """From now on this net plays; games in progress go on with it."""

    def play(self, until: Callable[[list[Episode]], bool]) -> None:
        """Play; ``until`` is given the games as they finish, and says when it is enough."""

    def take(self) -> list[Episode]:
        """The games that have finished since the last time."""

    def round_so_far(self) -> tuple[Counts, float]:
        """What was done for this round, and in how many seconds."""

    def end_round(self) -> None:
        """What is done from now on belongs to the next round."""

    def facts(self) -> dict[str, Any]:
        """What else there is to tell people about this round."""

    def close(self) -> None:
        """Nobody plays from now on."""


@dataclass
class Board:
    """The games of one thread on one board, and the positions that it labels there, if any."""

    games: SelfPlay
    evaluator: Timed
    positions: LabelledPositions | None = None
    share: float = 1.0
    labels: bool = False  # whether it labels positions now, rather than plays
    done: int = 0  # evaluations, or what was done without the net

    @property
    def play(self) -> SelfPlay | LabelledPositions:
        """What the thread does now."""
        return self.positions if self.labels and self.positions is not None else self.games

    def step(self) -> None:
        """One batch."""
        self.done += self.play.step(self.evaluator)

    def counts(self) -> Counts:
        """What was done since the beginning."""
        tally, net = self.play.tally, self.evaluator
        wrong = tally.resign_wrong
        return np.array([tally.simulations, net.rows, net.seconds, tally.games, tally.resign_checked, wrong], float)


class Worker:
    """One thread's games."""

    def __init__(self, boards: list[Board]) -> None:
        self.boards = boards

    def run(self, stop: threading.Event) -> None:
        """Play until it is told to stop; boards take turns in proportion to their shares."""
        while not stop.is_set():
            board = min(self.boards, key=lambda each: each.done / max(each.share, 1e-9))
            for _ in range(STINT):
                if stop.is_set():
                    return
                board.step()


class Workers:
    """All threads that play, each on the boards of these evaluators; finished games arrive in ``finished``."""

    def __init__(
        self,
        evaluators: list[NetEvaluator],
        options: SelfPlayOptions,
        *,
        threads: int,
        trees: int,
        seed: tuple[int, ...],
        positions: PositionOptions | None = None,
        first: int = 0,
    ) -> None:
        """Each thread has a number, from ``first`` on; with the seed it decides its games."""
        self.finished: queue.SimpleQueue[Episode] = queue.SimpleQueue()
        self.evaluators = evaluators
        self.labels = False  # whether positions are labelled now, rather than games played
        self._played = 0.0  # seconds of this round
        self._workers = []
        for thread in range(first, first + threads):
            mine = []
            for number, evaluator in enumerate(evaluators):
                chance = int(np.random.SeedSequence((*seed, thread, number)).generate_state(1, np.uint64)[0] >> 1)
                own = evaluator if thread == first else evaluator.clone()
                margin = own.description.margin
                play = SelfPlay(own.game, options, self.finished.put, trees=trees, seed=chance, margin=margin)
                labels = None
                if positions is not None and positions.share > 0:
                    labels = LabelledPositions(
                        own.game, positions, options, self.finished.put, trees=trees, seed=chance + 1, margin=margin
                    )
                mine.append(Board(play, Timed(own), labels))
            self._workers.append(Worker(mine))
        self._before = self.counts()

    @property
    def threads(self) -> int:
        """How many there are."""
        return len(self._workers)

    def counts(self) -> Counts:
        """What all threads did since the beginning."""
        return np.sum([board.counts() for board in self.boards], axis=0)

    def round_so_far(self) -> tuple[Counts, float]:
        """What was done for this round, and in how many seconds."""
        return self.counts() - self._before, max(self._played, 1e-9)

    def end_round(self) -> None:
        """What is done from now on belongs to the next round."""
        self._before, self._played = self.counts(), 0.0

    def facts(self) -> dict[str, Any]:
        """Nothing that is not known without them."""
        return {}

    def close(self) -> None:
        """Threads end with each round of play."""

    @property
    def boards(self) -> list[Board]:
        """The boards of all threads."""
        return [board for worker in self._workers for board in worker.boards]

    def set_shares(self, shares: list[float]) -> None:
        """How much of the play happens on each board from now on."""
        for worker in self._workers:
            for board, share in zip(worker.boards, shares):
                board.share = share

    def set_labels(self, labels: bool) -> None:
        """Whether positions are labelled from now on, rather than games played."""
        self.labels = labels
        for board in self.boards:
            board.labels = labels

    def set_net(self, net: Any, step: int) -> None:
        """From now on this net plays; games in progress go on with it."""
        for evaluator in self.evaluators:
            evaluator.swap(net)
        for board in self.boards:
            board.games.net = step
            if board.positions is not None:
                board.positions.net = step

    def play(self, until: Callable[[list[Episode]], bool], pause: float = 0.1) -> None:
        """Let all threads play; ``until`` is given the games as they finish, and says when it is enough."""
        stop, faults = threading.Event(), list[BaseException]()

        def work(worker: Worker) -> None:
            try:
                worker.run(stop)
            except BaseException as fault:  # raised again below
                faults.append(fault)

        threads = [threading.Thread(target=work, args=(worker,), daemon=True) for worker in self._workers]
        for thread in threads:
            thread.start()
        before, begin = self._played, time.perf_counter()
        try:
            while not faults:
                self._played = before + time.perf_counter() - begin
                if until(self.take()):
                    break
                time.sleep(pause)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        if faults:
            raise faults[0]

    def take(self) -> list[Episode]:
        """The games that have finished since the last time."""
        found = []
        while not self.finished.empty():
            found.append(self.finished.get())
        return found


def resident_mb() -> float:
    """The memory that this process uses."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    return 0.0
