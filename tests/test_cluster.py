"""A run and matches on a Ray cluster: nodes come and go, every game counts once, mistakes are explained at once."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pocketzero import cluster as clusters
from pocketzero.arena.crew import MatchCrew
from pocketzero.arena.match import Match, MatchPlan, play_match
from pocketzero.arena.store import Store
from pocketzero.cluster import Node, Seat, check_address, seats_by_core, seats_by_device
from pocketzero.errors import PocketZeroError
from pocketzero.games import game
from pocketzero.nets import build_net, describe
from pocketzero.nets.evaluator import choose_evaluator
from pocketzero.training.actors import ClusterWorkers
from pocketzero.training.config import Config, load_config
from pocketzero.training.episodes import Episode
from pocketzero.training.loop import Run
from pocketzero.training.rundir import read_games, read_metrics
from pocketzero.training.workers import Workers

pytestmark = pytest.mark.xdist_group("cluster")  # one Ray at a time

SMALL = ["net.channels=8", "net.blocks=1", "selfplay.sims=8", "replay.round_plies=400", "replay.window=2000"]
SMALL += ["learn.batch=32", "replay.reuse=1", "trees=8", "measure.minutes=0", "learn.threads=1", "device=openvino"]
SECONDS = 300.0  # for anything, on a machine that has much else to do


def small(board: str = "dots:2x2", *changes: str) -> Config:
    return load_config(board, preset="default", changes=[*SMALL, *changes])


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(torch, "set_num_threads", lambda _: None)
    monkeypatch.setattr(clusters, "BEGIN_SECONDS", SECONDS)


@pytest.fixture(scope="module")
def three_nodes() -> Iterator[Any]:
    """Three nodes of one core each on this machine; tests may add others."""
    ray = clusters.import_ray(local=True)
    from ray.cluster_utils import Cluster

    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    found.add_node(num_cpus=1)
    found.add_node(num_cpus=1)
    yield found
    ray.shutdown()  # whatever a test has left
    found.shutdown()


class Watched(Run):
    """A run to which something happens after each round of learning."""

    happens: Callable[[int], None] = staticmethod(lambda rounds: None)
    rounds = 0

    def _learn(self) -> None:
        super()._learn()
        self.rounds += 1
        self.happens(self.rounds)


def test_nodes_die_and_join_and_every_game_counts_once(
    three_nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Watched(small("dots:2x2", "minutes=10"), tmp_path, ray=three_nodes.address)
    seen: list[dict[str, Any]] = []

    def happens(rounds: int) -> None:
        seen.append(run.workers.facts())
        nodes = len(seen[-1]["nodes"])
        if rounds == 2:
            three_nodes.remove_node(next(iter(three_nodes.worker_nodes)), allow_graceful=False)
        elif nodes == 2 and len(three_nodes.worker_nodes) == 1:
            three_nodes.add_node(num_cpus=1)
        elif nodes == 3 and len(seen) > 3 and seen[-1]["actors"] == 3 and any(len(each["nodes"]) == 2 for each in seen):
            run.stop.set()
        assert rounds < 500

    monkeypatch.setattr(run, "happens", happens)
    run.run()
    assert [len(each["nodes"]) for each in seen[:2]] == [3, 3]
    assert len(seen[-1]["nodes"]) == 3  # one of them came when the run was under way
    assert set(seen[-1]["nodes"]) != set(seen[0]["nodes"])
    assert run.workers.facts()["deaths"] > 0
    episodes = read_games(tmp_path)
    seeds = [episode.seed for episode in episodes]
    assert len(seeds) == len(set(seeds)) == run.folder.games > 100
    assert len({episode.net for episode in episodes}) > 3  # each round's games come from newer weights
    lines = [line for line in read_metrics(tmp_path) if line["kind"] == "selfplay"]
    assert [line["version"] for line in lines] == sorted({line["version"] for line in lines})
    assert all(0 <= line["staleness"] <= line["plies"] / 32 for line in lines)  # no more than there were steps
    assert all(node["actors"] <= 1 for line in lines for node in line["nodes"].values())
    shards = [int(file.stem.split("+")[1]) for file in (tmp_path / "games").glob("*.parquet")]
    assert sum(shards) <= len(seeds)


def test_a_run_goes_on_with_a_cluster_or_without(three_nodes: Any, tmp_path: Path) -> None:
    for steps, ray in ((10, three_nodes.address), (300, ""), (310, three_nodes.address)):
        run = Run(small("dots:2x2", f"steps={steps}"), tmp_path, ray=ray)
        run.run()
        assert run.learner.step == steps
    seeds = [episode.seed for episode in read_games(tmp_path)]
    assert len(seeds) == len(set(seeds)) == run.folder.games
    lines = [line for line in read_metrics(tmp_path) if line["kind"] == "selfplay"]
    assert {"nodes" in line for line in lines} == {True, False}


def test_one_actor_plays_the_games_that_a_thread_plays(three_nodes: Any) -> None:
    board, config = game("dots:2x3"), small("dots:2x3", "threads=1")
    torch.manual_seed(0)
    net = build_net(describe(board, channels=8, blocks=1)).eval()
    thread = Workers(
        [choose_evaluator(net, board, device="openvino")], config.selfplay, threads=1, trees=config.trees, seed=(0, 0)
    )
    actor = ClusterWorkers(three_nodes.address, config, [board], seed=(0, 0))
    try:
        actor.set_net(net, 0)
        found = [first_games(workers, 40) for workers in (thread, actor)]
        facts = actor.facts()
    finally:
        actor.close()
    assert facts["actors"] == 1
    for one, other in zip(*found):
        assert (one.seed, one.result, one.margin) == (other.seed, other.result, other.margin)
        assert np.array_equal(one.actions, other.actions)
        for mine, theirs in zip(one.searched, other.searched):
            assert np.allclose(mine.shares, theirs.shares, atol=1e-5)


def first_games(workers: Workers | ClusterWorkers, count: int) -> list[Episode]:
    found: list[Episode] = []

    def until(some: list[Episode]) -> bool:
        found.extend(some)
        return len(found) >= count

    workers.play(until)
    return found[:count]


def test_between_rounds_others_play_one_round_ahead_and_no_further(three_nodes: Any) -> None:
    board, config = game("dots:2x2"), small("dots:2x2", "replay.round_plies=200")
    workers = ClusterWorkers(three_nodes.address, config, [board], seed=(0, 1))
    try:
        workers.set_net(build_net(describe(board, channels=8, blocks=1)).eval(), 0)
        first_games(workers, 5)
        late: list[Episode] = []
        wait_for(lambda: late.extend(workers.take()) or sum(len(each.searched) for each in late) >= 200)  # type: ignore[func-returns-value]
        wait_for(lambda: late.extend(workers.take()) or workers.is_idle)  # type: ignore[func-returns-value]
        count = len(late)
        time.sleep(1.5)
        assert workers.take() == []
        assert workers.is_idle
        assert len(first_games(workers, 5)) == 5
    finally:
        workers.close()
    assert count > 0


def test_a_match_is_the_same_wherever_it_is_played(
    three_nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = MatchPlan(game=game("dots:2x2"), a="uct:sims=20", b="easy", games=30, openings="random:2", seed=4)
    here = Store(tmp_path / "here.sqlite")
    expected = play_match(plan, here)
    here.close()
    store = Store(tmp_path / "there.sqlite")
    crew = MatchCrew(three_nodes.address)
    try:
        match = Match(plan, store, crew=crew)
        monkeypatch.setattr(match, "_keep", lambda played: (Match._keep(match, played), match.stop()))
        assert 1 <= len(match.play().games) <= 3  # interrupted, when each actor may have finished a game
        victim = crew.actors.members[0]
        crew._cluster.ray.kill(victim.actor)
        result = play_match(plan, store, crew=crew)
    finally:
        crew.close()
        store.close()
    assert [each.number for each in result.games] == list(range(30))
    assert [(each.moves, each.points_a) for each in result.games] == [
        (each.moves, each.points_a) for each in expected.games
    ]


def test_nets_and_games_in_files_travel(three_nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pocketzero.nets import save_net

    example = next((Path(__file__).parent.parent / "examples").glob("*.py"))
    monkeypatch.chdir(tmp_path)  # which the actors do not know
    (tmp_path / "mine.py").write_bytes(example.read_bytes())
    save_net(build_net(describe(game("dots:2x2"), channels=8, blocks=1)), tmp_path / "small.safetensors")
    crew, store = MatchCrew(three_nodes.address), Store(tmp_path / "results.sqlite")
    try:
        plan = MatchPlan(game=game("dots:2x2"), a="net:./small.safetensors", b="random", games=4)
        assert len(play_match(plan, store, crew=crew).games) == 4
        plan = MatchPlan(game=game("mine.py:game"), a="uct:sims=5", b="random", games=4, openings="random:1")
        assert len(play_match(plan, store, crew=crew).games) == 4
    finally:
        crew.close()
        store.close()


@pytest.mark.parametrize(
    ("words", "address"),
    [((), ""), (("--ray",), "local"), (("--ray", "--minutes", "1"), "local"), (("--ray", "auto"), "auto")],
)
def test_ray_may_stand_alone(words: tuple[str, ...], address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from pocketzero.app.cli import app

    class Seen(Exception): ...

    def see(*_: Any, ray: str, **__: Any) -> None:
        raise Seen(ray)

    monkeypatch.setattr("pocketzero.training.loop.Run", see)
    monkeypatch.setattr(clusters, "check_address", lambda address: None)
    found = CliRunner().invoke(app, ["train", "dots:2x2", *words])
    assert isinstance(found.exception, Seen)
    assert str(found.exception) == address


# Mistakes


def test_wrong_addresses_are_explained_at_once(tmp_path: Path) -> None:
    begin = time.monotonic()
    for wrong in ("nonsense", "ray://host:10001", "host:0", "host:99999"):
        with pytest.raises(PocketZeroError, match="--ray takes the HOST:PORT"):
            check_address(wrong)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(PocketZeroError, match="No Ray cluster answers at 127"):
            Run(small(), tmp_path / "run", ray=f"127.0.0.1:{unused.getsockname()[1]}")
    assert not (tmp_path / "run").exists()
    with socket.create_server(("127.0.0.1", 0)) as other:
        import threading

        def answer() -> None:
            connection, _ = other.accept()
            with connection:
                connection.recv(100)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(PocketZeroError, match="is no Ray cluster"):
            check_address(f"127.0.0.1:{other.getsockname()[1]}")
        thread.join()
    assert time.monotonic() - begin < 10


def test_nodes_with_other_programs_are_refused(
    three_nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = {**clusters.programs(), "numba": "0.1.2"}
    monkeypatch.setattr(clusters, "programs", lambda: ours)
    with pytest.raises(PocketZeroError, match=r"The node .* runs numba [\d.]+ \(here 0\.1\.2\)"):
        Run(small(), tmp_path, ray=three_nodes.address)
    monkeypatch.undo()
    again = Run(small(), tmp_path, ray=three_nodes.address)  # nothing is left that would be in the way
    again.workers.close()
    again.folder.close()


def test_a_node_that_joins_later_with_other_programs_is_left_out(
    three_nodes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small("dots:2x2", "threads=1")
    workers = ClusterWorkers(three_nodes.address, config, [game("dots:2x2")], seed=(0, 2))
    try:
        workers.set_net(build_net(describe(game("dots:2x2"), channels=8, blocks=1)).eval(), 0)
        ours = {**clusters.programs(), "openvino": "1"}
        monkeypatch.setattr(clusters, "programs", lambda: ours)
        workers._crew._most = 2
        first_games(workers, 5)
        wait_for(lambda: not workers.take() and bool(workers.facts()["refused"]))
        assert "runs openvino" in workers.facts()["refused"][0]
        assert len(first_games(workers, 5)) == 5
    finally:
        workers.close()


def test_a_full_disk_on_the_head_is_said(three_nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(small("dots:2x2", "minutes=5"), tmp_path, ray=three_nodes.address)

    class Full:
        def write_table(self, table: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(run.folder.journal, "_writer", Full())
    with pytest.raises(PocketZeroError, match="No space left on device"):
        run.run()
    assert not run.workers.facts()["actors"]  # they have ended


def test_ray_is_imported_only_when_it_is_asked_for(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from pocketzero.training.loop import Run;"
        "from pocketzero.training.config import load_config; import pocketzero.app.cli, pocketzero.arena.tournament;"
        f"Run(load_config('dots:2x2', preset='default', changes={[*SMALL, 'steps=5', 'threads=1']}),"
        f"Path({str(tmp_path)!r})).run(); sys.exit('ray' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_seats() -> None:
    assert seats_by_device(Node("", "", 4, 0)) == [Seat()] * 4
    assert seats_by_device(Node("", "", 9, 2)) == [Seat(cpus=4, gpus=1.0, threads=4)] * 2
    assert seats_by_device(Node("", "", 1, 4)) == [Seat(cpus=1, gpus=1.0, threads=1)]
    assert seats_by_device(Node("", "", 0, 0)) == []
    assert seats_by_core(Node("", "", 3, 1)) == [Seat(gpus=0.3333)] * 3
