"""How a crew of actors is led, seen without Ray: who is asked for how much, and what becomes of nodes that fail."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pocketzero import cluster as clusters
from pocketzero.cluster import LOCAL, Cluster, Crew, Node, Seat, is_ours, programs, resolved, seats_by_core
from pocketzero.errors import PocketZeroError
from pocketzero.games import game
from pocketzero.training import actors
from pocketzero.training.actors import COUNTS, ClusterWorkers, Order, Stint
from pocketzero.training.config import load_config
from pocketzero.training.episodes import Episode, Searched
from pocketzero.training.workers import Counts

PLIES_A_SECOND = 600  # that a core plays, in games of six
GAME_PLIES = 6


def episodes(plies: float, net: int) -> list[Episode]:
    ply = Searched(0, np.zeros(1, np.int32), np.ones(1, np.float32), 0.0, 1)
    one = Episode("dots:2x2", np.zeros(1, np.int32), 1.0, 1, (ply,) * GAME_PLIES, net=net)
    return [one] * round(plies / GAME_PLIES)


class Told:
    """Actors that play at once whatever they are asked for; the first stint of each brings nothing."""

    def __init__(self, cluster: Any, kind: type, seats: Any, make: Any, *, most: int = 0) -> None:
        self.deaths, self.refused = 0, dict[str, str]()
        self.members = [
            clusters.Member(number, Node("here", "here", 2, 0, number < 2), Seat(), None, ready=True)
            for number in range(most)
        ]
        self.ready = self.members
        self._warm: set[int] = set()

    def begin(self) -> None: ...

    def tend(self) -> None: ...

    def close(self) -> None: ...

    def take_lost(self) -> list[Any]:
        return []

    def ask(self, member: Any, method: str, order: Order, *, mark: Any = None) -> None:
        member.calls.append((order, mark))

    def gather(self, seconds: float) -> list[tuple[Any, Any, Stint]]:
        return [self._played(member) for member in self.members if member.calls]

    def _played(self, member: Any) -> tuple[Any, Any, Stint]:
        order, mark = member.calls.popleft()
        plies = order.seconds * PLIES_A_SECOND if member.number in self._warm else 0
        self._warm.add(member.number)
        counts: Counts = np.zeros(COUNTS)
        counts[3] = plies / GAME_PLIES
        return member, mark, Stint(pickle.dumps(episodes(plies, order.step)), counts, 1.0)


def workers(monkeypatch: pytest.MonkeyPatch, count: int, *changes: str) -> ClusterWorkers:
    ray = SimpleNamespace(put=lambda thing: thing)
    monkeypatch.setattr(actors, "connect", lambda address, cpus: SimpleNamespace(ray=ray, close=lambda: None))
    monkeypatch.setattr(actors, "Crew", Told)
    monkeypatch.setattr(actors, "net_bytes", lambda net: b"")
    board = game("dots:2x2")
    found = ClusterWorkers(LOCAL, load_config("dots:2x2", changes=[f"threads={count}", *changes]), [board], seed=(1,))
    found.set_net(None, 0)
    return found


def play_round(workers: ClusterWorkers, wanted: int) -> int:
    """The searched plies of one round that is to have so many."""
    plies = 0

    def until(some: list[Episode]) -> bool:
        nonlocal plies
        plies += sum(len(each.searched) for each in some)
        return plies >= wanted

    workers.play(until)
    until(workers.take())
    workers.end_round()
    return plies


@pytest.mark.parametrize("count", [2, 16, 100, 3000])
def test_a_round_has_the_length_that_the_settings_say(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    found = workers(monkeypatch, count, "replay.round_plies=8000")
    first, *others = [play_round(found, 8000) for _ in range(12)]
    assert first < 8000 + 64 * 0.5 * PLIES_A_SECOND  # nobody knows yet how quick the actors are
    assert max(others) < 8000 + 0.5 * PLIES_A_SECOND  # a stint more than needed


def test_other_machines_play_one_round_ahead_and_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    found = workers(monkeypatch, 100, "replay.round_plies=8000")
    play_round(found, 8000)
    ahead = [found.take() for _ in range(1000)]  # while the net learns
    plies = sum(len(each.searched) for some in ahead for each in some)
    assert 8000 <= plies < 8000 + 0.5 * PLIES_A_SECOND  # and a stint
    assert not ahead[-1]
    assert found.is_idle


def test_a_round_may_be_counted_in_games(monkeypatch: pytest.MonkeyPatch) -> None:
    found = workers(monkeypatch, 100, "replay.round_games=500")
    play_round(found, 500 * GAME_PLIES)
    assert 500 <= play_round(found, 500 * GAME_PLIES) / GAME_PLIES < 500 + 0.5 * PLIES_A_SECOND / GAME_PLIES


def test_a_full_round_that_goes_on_is_played_on(monkeypatch: pytest.MonkeyPatch) -> None:
    found = workers(monkeypatch, 4, "replay.round_plies=100")
    assert play_round(found, 2000) >= 2000


def test_games_are_as_old_as_what_was_learned_since(monkeypatch: pytest.MonkeyPatch) -> None:
    found = workers(monkeypatch, 8, "replay.round_plies=8000")
    play_round(found, 8000)
    for _ in range(100):
        found.take()  # the others go on with the net of step 0
    found.set_net(None, 50)
    assert found.facts()["staleness"] == 50
    counts, seconds = found.round_so_far()
    assert counts[3] > 0
    assert 0 < seconds < 60


# Nodes that fail


class Faulty(Exception):
    """Stands for Ray's own errors."""


class FakeRay:
    """Enough of Ray for a crew: every actor does what ``does`` says."""

    exceptions = SimpleNamespace(RayError=Faulty)
    util = SimpleNamespace(scheduling_strategies=SimpleNamespace(NodeAffinitySchedulingStrategy=lambda *_, **__: None))

    def __init__(self, does: Callable[[int], Any]) -> None:
        self.does = does
        self.actors = 0

    def remote(self, kind: type) -> Any:
        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=self._actor))

    def _actor(self, *_: Any) -> Any:
        number, self.actors = self.actors, self.actors + 1
        greet = SimpleNamespace(remote=lambda: (number, object()))
        return SimpleNamespace(greet=greet)

    def wait(self, promises: list[Any], num_returns: int, timeout: float) -> tuple[list[Any], list[Any]]:
        return promises, []

    def get(self, promise: Any, timeout: float) -> Any:
        found = self.does(promise[0])
        if isinstance(found, Exception):
            raise found
        return found

    def kill(self, actor: Any, no_restart: bool) -> None: ...

    def available_resources(self) -> dict[str, float]:
        return {"CPU": 0.0}

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0}


class Nodes(Cluster):
    """A cluster that has these nodes."""

    def __init__(self, ray: FakeRay, *names: str) -> None:
        super().__init__(ray, ours=False)
        self.found = [Node(name, name, 2, 0) for name in names]

    def nodes(self) -> list[Node]:
        return self.found


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in {"LOOK_SECONDS": 0.0, "BEGIN_SECONDS": 0.5, "DEATH_SECONDS": 0.0}.items():
        monkeypatch.setattr(clusters, name, seconds)


def crew_of(cluster: Cluster) -> Crew:
    return Crew(cluster, object, seats_by_core, lambda number, seat: ())


def test_a_node_whose_actors_die_later_is_left_out_and_the_others_go_on() -> None:
    ray = FakeRay(lambda number: Faulty("no memory") if number >= 2 else programs())
    cluster = Nodes(ray, "good")
    crew = crew_of(cluster)
    crew.begin()
    cluster.found = [*cluster.found, Node("bad", "bad", 2, 0)]
    for _ in range(20):
        crew.tend()
        crew.gather(0)
    assert "no memory" in crew.refused["bad"]
    assert {member.node.name for member in crew.members} == {"good"}
    cluster.found = cluster.found[1:]
    with pytest.raises(PocketZeroError, match=r"no node left that can be used.*no memory"):
        crew.tend()


def test_one_look_may_find_a_dead_actor_and_a_strange_one_on_the_same_node() -> None:
    ray = FakeRay(lambda number: [programs(), programs(), {**programs(), "numpy": "0"}, Faulty("gone")][number])
    cluster = Nodes(ray, "good")
    crew = crew_of(cluster)
    crew.begin()
    cluster.found = [*cluster.found, Node("strange", "strange", 2, 0)]
    crew.tend()
    crew.gather(0)
    assert "numpy 0" in crew.refused["strange"]
    assert len(crew.members) == 2


def test_a_cluster_that_has_no_core_free_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = FakeRay(lambda number: programs())
    monkeypatch.setattr(ray, "wait", lambda promises, num_returns, timeout: (time.sleep(timeout), ([], promises))[1])
    with pytest.raises(PocketZeroError, match=r"No actor could begin .* Free: 0 of 2"):
        crew_of(Nodes(ray, "busy")).begin()


def test_whose_an_address_is() -> None:
    assert is_ours("127.0.0.1")
    assert not is_ours("192.0.2.1")  # set apart for examples
    assert not is_ours("no.such.machine.invalid")


def test_the_cluster_that_this_machine_joined(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    with pytest.raises(PocketZeroError, match="has joined no Ray cluster"):
        clusters.check_address("auto")
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "ray_current_cluster").write_text("127.0.0.1:1\n")
    assert resolved("auto") == "127.0.0.1:1"
    with pytest.raises(PocketZeroError, match=r"No Ray cluster answers at 127\.0\.0\.1:1"):
        clusters.check_address("auto")
