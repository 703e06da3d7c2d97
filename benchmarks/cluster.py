"""Actors against threads on the same cores, a run on three nodes against one with threads, and the sizing model."""

from __future__ import annotations

import pickle
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import torch

from pocketzero.arena.mistakes import Mistakes, mistakes_in_positions
from pocketzero.cluster import LOCAL, connect, import_ray
from pocketzero.games import game
from pocketzero.nets import OpenVinoEvaluator, build_net, describe
from pocketzero.nets.files import checkpoint_files, net_bytes
from pocketzero.players.solvers import solver_for
from pocketzero.training.actors import ClusterWorkers
from pocketzero.training.config import Config, load_config
from pocketzero.training.episodes import Episode
from pocketzero.training.loop import Run
from pocketzero.training.measure import deciding_positions
from pocketzero.training.rundir import RunDir, read_games, read_metrics
from pocketzero.training.samples import Window
from pocketzero.training.sizing import Figures, size
from pocketzero.training.workers import Workers

BOARD, THREADS, SECONDS, ROUNDS, BAR = "dots:5x5", 2, 6.0, 5, 90.0
LEARNED, STEPS, POSITIONS = "dots:3x3", 1200, 600
CHANGES = ["net.channels=32", "net.blocks=3", "replay.round_plies=4000", "measure.minutes=0", "minutes=600"]
CHANGES += ["selfplay.sims=24", "device=openvino", f"threads={THREADS}", f"steps={STEPS}"]
CORES = (2, 8, 32, 128, 512, 2048, 10_000)


def play_rate(workers: Workers | ClusterWorkers) -> float:
    """Simulations a second, until everybody has finished what they were asked for."""
    before, begin = workers.counts()[0], time.perf_counter()
    workers.play(lambda _: time.perf_counter() - begin > SECONDS)
    while isinstance(workers, ClusterWorkers) and not workers.is_idle:
        workers.take(0.05)
    return float((workers.counts()[0] - before) / (time.perf_counter() - begin))


def print_overhead() -> None:
    """Both sides play in turns on the same cores with the same net."""
    changes = [f"threads={THREADS}", "device=openvino", "replay.round_plies=1000000000"]  # one round
    board, config = game(BOARD), load_config(BOARD, changes=changes)
    net = build_net(describe(board)).eval()
    evaluator = OpenVinoEvaluator(net, board)
    threads = Workers([evaluator], config.selfplay, threads=THREADS, trees=config.trees, seed=(1,))
    actors = ClusterWorkers(LOCAL, config, [board], seed=(1,))
    try:
        actors.set_net(net, 0)
        pairs = [(play_rate(threads), play_rate(actors)) for _ in range(ROUNDS + 1)][1:]  # the first warms up
        memory = actors.facts()["actor_memory_mb"]
    finally:
        actors.close()
    share = statistics.median(100 * theirs / ours for ours, theirs in pairs)
    ours, theirs = (statistics.median(column) for column in zip(*pairs))
    verdict = "reached" if share >= BAR else "MISSED"
    print(f"  {BOARD}, {THREADS} threads: {ours:,.0f} simulations/s; {THREADS} actors: {theirs:,.0f} simulations/s")
    print(f"  actors reach {share:.0f} % of the threads (median of {ROUNDS} pairs)  bar {BAR:g} %: {verdict}")
    print(f"  memory of an actor {memory:.0f} MB", flush=True)


def learned(config: Config, folder: Path, ray: str) -> tuple[Run, Mistakes]:
    """A whole run, and the mistakes of its last net alone."""
    run = Run(config, folder, ray=ray)
    run.run()
    newest = max(checkpoint_files(folder))
    positions = deciding_positions(LEARNED, POSITIONS)
    return run, mistakes_in_positions(f"net:{folder}@{newest}", solver_for(game(LEARNED)), positions)


def print_learning(config: Config, place: Path) -> None:
    """The same run with threads, and on a cluster of three nodes."""
    intervals = [print_run("threads", *learned(config, place / "threads", ""))]
    with three_nodes() as address:
        intervals.append(print_run("3 nodes", *learned(replace(config, threads=0), place / "nodes", address)))
    apart = intervals[0][1] < intervals[1][0] or intervals[1][1] < intervals[0][0]
    print(f"  the intervals {'do NOT overlap' if apart else 'overlap'}")


def print_run(name: str, run: Run, found: Mistakes) -> tuple[float, float]:
    """One run; gives the interval of its mistakes."""
    low, high = found.interval
    counts = f"{run.folder.games:,} games, {run.learner.step:,} steps"
    print(f"  {LEARNED} {name}: {counts}, mistakes {found.rate:.1%} ({low:.1%} to {high:.1%})", flush=True)
    return low, high


@contextmanager
def three_nodes() -> Iterator[str]:
    """The address of Ray's test cluster on this machine."""
    import_ray(local=True)
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    try:
        yield cluster.address
    finally:
        cluster.shutdown()


def measured(config: Config, place: Path) -> Figures:
    """The figures of the model, from the run with threads."""
    lines = read_metrics(place / "threads")
    play = [line for line in lines if line["kind"] == "selfplay"]
    steps = [
        (later["seconds"] - before["seconds"]) / later["steps"]
        for before, later in pairwise(lines)
        if (before["kind"], later["kind"]) == ("selfplay", "train")
    ]
    episodes = read_games(place / "threads")
    return Figures(
        games_per_core=statistics.median(line["games_per_second"] for line in play) / THREADS,
        plies_per_game=sum(len(each.searched) for each in episodes if not each.held_back) / len(episodes),
        bytes_per_game=len(pickle.dumps(episodes)) / len(episodes),
        weights_bytes=len(net_bytes(build_net(describe(game(LEARNED), channels=config.net.channels, blocks=3)))),
        intake_seconds=intake(config, episodes, place / "intake"),
        stint_seconds=stint_cost(),
        step_seconds=statistics.median(steps),
        batch=config.learn.batch,
        reuse=config.replay.reuse,
        round_plies=config.replay.round_plies,
    )


def intake(config: Config, episodes: list[Episode], folder: Path) -> float:
    """The head's seconds for one game."""
    run, window, data = RunDir(folder, config), Window(), pickle.dumps(episodes[:2000])
    begin = time.process_time()
    found: list[Episode] = pickle.loads(data)
    for first in range(0, len(found), 20):  # as they come
        run.add(found[first : first + 20])
    for episode in found:
        window.add(episode)
    seconds = (time.process_time() - begin) / len(found)
    run.close()
    return seconds


def stint_cost(calls: int = 500) -> float:
    """The head's seconds for one call of an actor."""
    cluster = connect(LOCAL, cpus=1)
    try:
        actor = cluster.ray.remote(Nobody).remote()
        cluster.ray.get(actor.greet.remote())
        begin = time.process_time()
        for _ in range(calls):
            cluster.ray.get(actor.greet.remote())
        return (time.process_time() - begin) / calls
    finally:
        cluster.close()


class Nobody:
    """An actor that does nothing."""

    def greet(self) -> int:
        return 1


def print_sizes(figures: Figures) -> None:
    """The model."""
    print(f"  {figures.games_per_core:.1f} games/s a core, {figures.plies_per_game:.1f} plies a game,")
    print(f"  {figures.bytes_per_game / 1e3:.1f} kB a game, {figures.weights_bytes / 1e3:.0f} kB of weights,")
    print(
        f"  {figures.intake_seconds * 1e6:.0f} µs to take a game in, {figures.stint_seconds * 1e6:.0f} µs for a stint,"
    )
    print(f"  {figures.step_seconds * 1e3:.1f} ms a step of {figures.batch} samples, each ply {figures.reuse:g} times")
    print("   cores  could play     plays  learning  intake   MB/s in   MB/s out  bottleneck")
    for cores in CORES:
        each = size(figures, cores)
        print(
            f"  {each.cores:6,} {each.offered:9,.0f}/s {each.games:7,.0f}/s {each.learning:8.0%} {each.intake:7.0%}"
            f" {each.received / 1e6:9.1f} {each.sent / 1e6:10.1f}  {each.bottleneck or 'the actors'}"
        )


def main() -> None:
    torch.set_num_threads(THREADS)
    print("Cluster: actors and threads on the same cores", flush=True)
    print_overhead()
    config = load_config(LEARNED, preset="dots", changes=CHANGES)
    with tempfile.TemporaryDirectory() as place:
        print_learning(config, Path(place))
        print(f"Sizing: {LEARNED} as above, nodes of 16 cores, 1 Gbit/s")
        print_sizes(measured(config, Path(place)))
