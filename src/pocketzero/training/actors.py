"""Self-play on a Ray cluster: every actor runs the ``Workers`` that a run on one machine has, in a process of its own.

The head asks each actor for one *stint* after the other: to play for a moment with the newest weights, and to hand over
the games that have finished. That alone is the backpressure: who is not asked does not play, so the pace is the
learner's, however many actors there are, and no process holds more than a stint's games. Weights travel through the
object store with a version; an actor fetches them when it is asked to play with a version that it does not have.
"""

from __future__ import annotations

import pickle
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pocketzero.cluster import Crew, Member, Seat, connect, programs, seats_by_device
from pocketzero.games import Game
from pocketzero.games.sent import SentGame
from pocketzero.nets.files import net_bytes, net_from_bytes
from pocketzero.training.config import Config
from pocketzero.training.episodes import Episode
from pocketzero.training.workers import Counts, Workers, resident_mb

STINT_SECONDS = 0.5
LONGEST_STINT = 20.0
STINTS_A_SECOND = 200.0  # that the head takes in; with more actors, stints are longer
IN_LINE = 2  # stints that each actor is asked for, so that it never waits for the head
PAUSE = 0.05  # between two looks at the clock
COUNTS = 6


@dataclass(frozen=True)
class Job:
    """What an actor needs to know once."""

    config: Config
    games: tuple[SentGame, ...]
    seed: tuple[int, ...]


@dataclass(frozen=True)
class Order:
    """One stint: how long, on which boards, and with which net."""

    seconds: float
    shares: tuple[float, ...]
    labels: bool
    version: int
    step: int  # that the net has learned
    weights: tuple[Any]  # where they are in the object store


@dataclass(frozen=True)
class Stint:
    """What came of it."""

    episodes: bytes
    counts: Counts
    memory_mb: float


class SelfPlayActor:
    """The games of one seat."""

    def __init__(self, number: int, seat: Seat, job: Job) -> None:
        self._number, self._seat, self._job = number, seat, job
        self._workers: Workers | None = None
        self._version = -1

    def greet(self) -> dict[str, str]:
        """What runs here."""
        return programs()

    def play(self, order: Order) -> Stint:
        """Play for a moment; games in progress go on with the next order."""
        workers = self._ready(order)
        workers.set_shares(list(order.shares))
        workers.set_labels(order.labels)
        finished: list[Episode] = []
        before, begin = workers.counts(), time.monotonic()

        def until(some: list[Episode]) -> bool:
            finished.extend(some)
            return time.monotonic() - begin >= order.seconds

        workers.play(until, pause=PAUSE)
        finished += workers.take()
        return Stint(pickle.dumps(finished), workers.counts() - before, resident_mb())

    def _ready(self, order: Order) -> Workers:
        """The workers, with the net of the order."""
        if self._workers is None or order.version != self._version:
            import ray

            net = net_from_bytes(ray.get(order.weights[0]))
            if self._workers is None:
                self._workers = self._begin(net)
            self._workers.set_net(net, order.step)
            self._version = order.version
        return self._workers

    def _begin(self, net: Any) -> Workers:
        import torch

        from pocketzero.nets.evaluator import choose_evaluator

        torch.set_num_threads(self._seat.threads)
        config = self._job.config
        device = "auto" if config.device == "cuda" and not self._seat.gpus else config.device
        return Workers(
            [choose_evaluator(net, sent.game(), device=device) for sent in self._job.games],
            config.selfplay,
            threads=self._seat.threads,
            trees=config.trees,
            seed=self._job.seed,
            positions=config.positions,
            first=self._number * 1000,  # no two threads of a run have the same number
        )


class ClusterWorkers:
    """The actors of a run, as the run sees them: like ``Workers``, but on all nodes of a cluster."""

    def __init__(self, address: str, config: Config, games: list[Game], *, seed: tuple[int, ...]) -> None:
        self.labels = False
        self._config = config
        self._job = Job(config, tuple(SentGame.of(game) for game in games), seed)
        self._shares = tuple(1.0 for _ in games)
        self._version, self._step, self._weights = -1, 0, None
        self._plays = False
        self._finished: list[Episode] = []
        self._ahead = 0  # searched plies that came while nobody asked for a round
        self._counts: Counts = np.zeros(COUNTS)
        self._round = _Round()
        self._cluster = connect(address, cpus=config.threads)
        self._job_ref = self._cluster.ray.put(self._job)
        self._crew = Crew(
            self._cluster,
            SelfPlayActor,
            seats_by_device,
            lambda number, seat: (number, seat, self._job_ref),
            most=config.threads,
        )
        try:
            self._crew.begin()
        except BaseException:
            self.close()
            raise

    @property
    def threads(self) -> int:
        """How many play, on all nodes together."""
        return max(1, sum(member.seat.threads for member in self._crew.ready))

    def set_shares(self, shares: list[float]) -> None:
        """How much of the play happens on each board from the next stint on."""
        self._shares = tuple(shares)

    def set_labels(self, labels: bool) -> None:
        """Whether positions are labelled from the next stint on."""
        self.labels = labels

    def set_net(self, net: Any, step: int) -> None:
        """From the next stint on this net plays; the store forgets the older one when nobody needs it any more."""
        self._weights = self._cluster.ray.put(net_bytes(net))
        self._version += 1
        self._step = step

    def play(self, until: Callable[[list[Episode]], bool], pause: float = 0.1) -> None:
        """Let all actors play; ``until`` is given the games as they finish, and says when it is enough."""
        self._round = _Round()
        self._plays = True
        try:
            while not until(self.take(pause)):
                pass
        finally:
            self._plays, self._ahead = False, 0

    def take(self, pause: float = 0.0) -> list[Episode]:
        """The games that have arrived. While no round is played, the other machines play up to one round ahead."""
        self._crew.tend()
        for member in self._crew.ready:
            while self._may_play(member) and len(member.calls) < IN_LINE:
                self._crew.ask(member, "play", self._order())
        for member, _, stint in self._crew.gather(pause):
            self._take_in(member, stint)
        found, self._finished = self._finished, []
        return found

    @property
    def is_idle(self) -> bool:
        """Whether nobody is playing."""
        return not any(member.calls for member in self._crew.members)

    def _may_play(self, member: Member) -> bool:
        """Between rounds this machine's cores learn, and the others stop when they are a round ahead."""
        if self._plays:
            return True
        return not member.node.is_here and self._ahead < self._config.replay.round_plies

    def _order(self) -> Order:
        seconds = min(LONGEST_STINT, max(STINT_SECONDS, len(self._crew.members) / STINTS_A_SECOND))
        return Order(seconds, self._shares, self.labels, self._version, self._step, (self._weights,))

    def _take_in(self, member: Member, stint: Stint) -> None:
        episodes: list[Episode] = pickle.loads(stint.episodes)
        self._finished += episodes
        self._counts = self._counts + stint.counts
        self._round.add(member.node.name, stint, [self._step - each.net for each in episodes])
        if not self._plays:
            self._ahead += sum(len(each.searched) for each in episodes)

    def counts(self) -> Counts:
        """What all actors did since the beginning, those that are gone included."""
        return self._counts

    def facts(self) -> dict[str, Any]:
        """The nodes with their actors and pace, and how old the weights are that games were played with."""
        actors = Counter(member.node.name for member in self._crew.ready)
        names = dict.fromkeys(member.node.name for member in self._crew.members)
        nodes = {name: {"actors": actors[name], **self._round.rates(name)} for name in names}
        return {
            "nodes": nodes,
            "actors": actors.total(),
            "deaths": self._crew.deaths,
            "version": self._version,
            "staleness": self._round.staleness,
            "actor_memory_mb": self._round.memory_mb,
            "refused": list(self._crew.refused.values()),
        }

    def close(self) -> None:
        """End all actors, and the cluster if it was started for them."""
        self._crew.close()
        self._cluster.close()


class _Round:
    """What the nodes did in one round."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._done: dict[str, Counts] = {}
        self._games = self._age = 0
        self.memory_mb = 0.0  # of the largest actor

    def add(self, node: str, stint: Stint, ages: list[int]) -> None:
        """One stint; the ages of its games' weights are in steps that the net has learned since."""
        self._done[node] = self._done.get(node, np.zeros(COUNTS)) + stint.counts
        self._games += len(ages)
        self._age += sum(ages)
        self.memory_mb = max(self.memory_mb, stint.memory_mb)

    def rates(self, node: str) -> dict[str, float]:
        """What a node does in a second."""
        seconds = max(time.monotonic() - self._begin, 1e-9)
        counts = self._done.get(node, np.zeros(COUNTS))
        return {
            "games_per_second": round(float(counts[3] / seconds), 2),
            "simulations_per_second": round(float(counts[0] / seconds), 1),
        }

    @property
    def staleness(self) -> float:
        """The mean age of the weights that games were finished with, in steps."""
        return round(self._age / max(1, self._games), 2)
