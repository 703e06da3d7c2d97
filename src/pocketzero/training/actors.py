"""Self-play on a Ray cluster: every actor runs the ``Workers`` that a run on one machine has, in a process of its own.

The head asks each actor for one *stint* after the other: to play for a moment with the newest weights, and to hand over
the games that have finished. That alone is the backpressure: who is not asked does not play. The head knows from the
stints so far what a second of play brings, and asks for no more than the round still needs; while the net learns,
other machines play the next. So the pace is the learner's, however many actors there are: if a few are enough, the
others wait. Weights travel through the object store with a version; an actor fetches them when it is asked to play with
a version that it does not have.
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

SHORTEST_STINT, STINT_SECONDS, LONGEST_STINT = 0.1, 0.5, 20.0
STINTS_A_SECOND = 200.0  # that the head takes in; where more actors are at work, stints are longer
IN_LINE = 2  # stints that each actor is asked for, so that it never waits for the head
TRIAL_STINTS = 64  # that are asked for at once until it is known what a stint brings
MEMORY = 0.99  # of what a second of play brings, from one stint to the next
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
        self._counts: Counts = np.zeros(COUNTS)
        self._pace = _Pace()
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
        self._plays = True
        try:
            while not until(self.take(pause)):
                pass
        finally:
            self._plays = False

    def take(self, pause: float = 0.0) -> list[Episode]:
        """The games that have arrived. While no round is played, the other machines play up to one round ahead."""
        self._crew.tend()
        self._crew.take_lost()  # a stint that is lost was never counted
        self._ask()
        for member, seconds, stint in self._crew.gather(pause):
            self._take_in(member, seconds, stint)
        found, self._finished = self._finished, []
        return found

    @property
    def is_idle(self) -> bool:
        """Whether nobody is playing."""
        return not any(member.calls for member in self._crew.members)

    def _ask(self) -> None:
        """Ask for as much play as is still wanted."""
        underway = sum(_thread_seconds(member) for member in self._crew.ready)
        for line in range(IN_LINE):
            for member in self._crew.ready:
                if len(member.calls) > line:
                    continue
                if (missing := self._missing(member, underway)) > 0:
                    order = self._order(missing)
                    self._crew.ask(member, "play", order, mark=order.seconds)
                    underway += order.seconds * member.seat.threads

    def _missing(self, member: Member, underway: float) -> float:
        """What a member is to help with, if so many seconds of play are under way."""
        if not self._pace.is_known and underway >= TRIAL_STINTS * STINT_SECONDS:
            return 0
        missing = self._wanted(member) - self._round.brought - self._pace.brings(underway)
        return max(missing, 1) if self._plays and not underway else missing  # a full round may still go on

    def _wanted(self, member: Member) -> float:
        """How much a round may have before a member is no longer asked. Between rounds this machine's cores learn."""
        replay = self._config.replay
        if member.node.is_here and not self._plays:
            return 0
        return replay.round_games or replay.round_plies

    def _order(self, missing: float) -> Order:
        """A stint that is long enough for the head, and not longer than what is missing takes all actors together."""
        longest = STINT_SECONDS
        if self._pace.is_known:
            needed = self._pace.seconds_for(missing)  # of one thread
            busy = min(self.threads, needed / STINT_SECONDS)
            usual = min(LONGEST_STINT, max(STINT_SECONDS, busy / STINTS_A_SECOND))
            longest = max(SHORTEST_STINT, min(usual, needed / self.threads))
        return Order(longest, self._shares, self.labels, self._version, self._step, (self._weights,))

    def _take_in(self, member: Member, seconds: float, stint: Stint) -> None:
        episodes: list[Episode] = pickle.loads(stint.episodes)
        self._finished += episodes
        self._counts = self._counts + stint.counts
        brought = self._brought(episodes)
        self._pace.note(member.number, seconds * member.seat.threads, brought)
        self._round.add(member.node.name, stint, [each.net for each in episodes], brought)

    def _brought(self, episodes: list[Episode]) -> int:
        """What games add to the round, in the measure that the settings give."""
        learned = [each for each in episodes if not each.held_back]
        return len(episodes) if self._config.replay.round_games else sum(len(each.searched) for each in learned)

    def counts(self) -> Counts:
        """What all actors did since the beginning, those that are gone included."""
        return self._counts

    def round_so_far(self) -> tuple[Counts, float]:
        """What was done for this round, also while the net learned, and the seconds since the one before was over."""
        return self._round.counts, self._round.seconds

    def end_round(self) -> None:
        """What comes from now on belongs to the next round."""
        self._round = _Round()

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
            "staleness": self._round.staleness(self._step),
            "actor_memory_mb": self._round.memory_mb,
            "refused": list(self._crew.refused.values()),
        }

    def close(self) -> None:
        """End all actors, and the cluster if it was started for them."""
        self._crew.close()
        self._cluster.close()


def _thread_seconds(member: Member) -> float:
    """How much play a member was asked for that has not come yet."""
    return sum(seconds for _, seconds in member.calls if seconds) * member.seat.threads


class _Pace:
    """What a second of one thread's play brings to a round, on average over the last stints."""

    def __init__(self) -> None:
        self._seconds = self._brought = 0.0
        self._warm = set[int]()  # actors that have finished a game

    def note(self, actor: int, seconds: float, brought: float) -> None:
        """One more stint of an actor. Its first ones bring nothing and say nothing: its games are still going on."""
        if brought:
            self._warm.add(actor)
        if actor not in self._warm:
            return
        self._seconds = MEMORY * self._seconds + seconds
        self._brought = MEMORY * self._brought + brought

    @property
    def is_known(self) -> bool:
        """Whether anything has come yet."""
        return self._brought > 0

    def brings(self, seconds: float) -> float:
        """What so many seconds will bring."""
        return seconds * self._brought / self._seconds if self.is_known else 0.0

    def seconds_for(self, wanted: float) -> float:
        """How long it takes one thread to bring so much."""
        return wanted * self._seconds / self._brought


class _Round:
    """What the nodes did for one round."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._done: dict[str, Counts] = {}
        self._nets = Counter[int]()  # how many steps the nets had learned that finished the games
        self.brought = 0.0  # in the measure of rounds
        self.memory_mb = 0.0  # of the largest actor

    def add(self, node: str, stint: Stint, nets: list[int], brought: float) -> None:
        """One stint."""
        self._done[node] = self._done.get(node, np.zeros(COUNTS)) + stint.counts
        self._nets.update(nets)
        self.brought += brought
        self.memory_mb = max(self.memory_mb, stint.memory_mb)

    @property
    def counts(self) -> Counts:
        """What all nodes did."""
        return sum(self._done.values(), np.zeros(COUNTS))

    @property
    def seconds(self) -> float:
        """How long the round has lasted."""
        return max(time.monotonic() - self._begin, 1e-9)

    def rates(self, node: str) -> dict[str, float]:
        """What a node does in a second."""
        counts = self._done.get(node, np.zeros(COUNTS))
        return {
            "games_per_second": round(float(counts[3] / self.seconds), 2),
            "simulations_per_second": round(float(counts[0] / self.seconds), 1),
        }

    def staleness(self, step: int) -> float:
        """How many steps have been learned since the weights that the games were finished with, on average."""
        age = sum((step - net) * games for net, games in self._nets.items())
        return round(age / max(1, self._nets.total()), 2)
