"""Search: rollout UCT beside OpenSpiel's C++ bot, the cost of the tree itself, and two threads against one."""

from __future__ import annotations

import statistics
import threading
import time

import numpy as np
import pyspiel
from numpy.typing import NDArray

from benchmarks.measuring import side_by_side, verdict
from pocketzero.games import Game, game
from pocketzero.search import Forest, Rollouts, Search, Settings

ROLLOUTS = [  # ours, OpenSpiel's, the bar, simulations in a round
    ("dots:3x3", "dots_and_boxes(num_rows=3,num_cols=3)", 4, 20_000),
    ("dots:5x5", "dots_and_boxes(num_rows=5,num_cols=5)", 4, 10_000),
    ("mnk:9x9x5", "mnk(m=9,n=9,k=5)", 20, 5_000),
]
TREES, SIMULATIONS = 256, 200
TREE_COSTS = [("dots:5x5", 4.0), ("zertz:37", 5.0), ("mnk:15x15x5", 10.0)]  # microseconds a simulation
EVERYTHING = Settings(noise=0.25, forced=2.0, c_base=19652, reduced=False, solved=True, transposed=True)
UCT_C = 1.41


class Free:
    """An evaluator that costs nothing: the same answer for every batch."""

    def __init__(self, board: Game, rows: int) -> None:
        chance = np.random.default_rng(0)
        self.logits = chance.standard_normal((rows, board.action_count), np.float32)
        self.values = chance.uniform(-0.2, 0.2, rows).astype(np.float32)

    def evaluate(self, planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return self.logits, self.values


def our_rollouts(name: str, simulations: int) -> int:
    """Simulations of one search from the start."""
    return Search(game(name).start(), Rollouts(), seed=1).run(sims=simulations).simulations


def openspiel_rollouts(name: str, simulations: int) -> int:
    """OpenSpiel's bot with one random game at each leaf."""
    board = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(board, evaluator, UCT_C, simulations, 1000, True, 1, False)
    bot.mcts_search(board.new_initial_state())
    return simulations


def tree_cost(board: Game, rounds: int = 5) -> float:
    """Microseconds a simulation of searches side by side from the start, again and again in the same trees."""
    forest = Forest(board, EVERYTHING, trees=TREES, nodes=SIMULATIONS + 64)
    free = Free(board, TREES)
    costs = []
    for _ in range(rounds + 1):
        for tree in range(TREES):
            forest.plant(tree, board.start())
            forest.grant(tree, SIMULATIONS)
        begin = time.perf_counter()
        while forest.step(free):
            pass
        costs.append((time.perf_counter() - begin) / (TREES * SIMULATIONS) * 1e6)
    return statistics.median(costs[1:])  # the first round makes the memory


def print_rollouts() -> None:
    print("Rollout UCT, one thread         ours sims/s    OpenSpiel sims/s   ratio")
    for name, theirs, bar, count in ROLLOUTS:
        our_rollouts(name, 100)
        us, them = side_by_side(lambda: our_rollouts(name, count), lambda: openspiel_rollouts(theirs, count))  # noqa: B023
        print(f"  {name:28} {1 / us:12,.0f} {1 / them:18,.0f} {them / us:8.1f}x  {verdict(them / us, bar)}")


def print_tree_costs() -> None:
    print(f"Tree with a free evaluator, {TREES} trees, {SIMULATIONS} simulations, everything on, one thread")
    for name, bar in TREE_COSTS:
        cost = tree_cost(game(name))
        print(f"  {name:28} {cost:8.2f} µs a simulation  bar {bar:g} µs: {'reached' if cost <= bar else 'MISSED'}")


def rate(threads: int, board: Game, seconds: float = 1.5) -> float:
    """Simulations a second of so many threads, 128 trees each."""
    done = [0] * threads
    ready = threading.Barrier(threads)

    def work(index: int) -> None:
        forest = Forest(board, EVERYTHING, trees=128, nodes=SIMULATIONS + 64, seed=index)
        free, start = Free(board, 128), board.start()
        ready.wait()
        begin = time.perf_counter()
        while time.perf_counter() - begin < seconds:
            for tree in range(128):
                forest.plant(tree, start)
                forest.grant(tree, SIMULATIONS)
            while forest.step(free):
                pass
            done[index] += 128 * SIMULATIONS
        done[index] = int(done[index] / (time.perf_counter() - begin))

    workers = [threading.Thread(target=work, args=(index,)) for index in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return sum(done)


def print_scaling() -> None:
    print("From one thread to two, 128 trees each, median of five")
    board = game("dots:5x5")
    ratios = []
    for _ in range(5):
        one, two = rate(1, board), rate(2, board)
        ratios.append(two / one)
    ratio = statistics.median(ratios)
    print(f"  dots:5x5 {ratio:26.2f}x  {verdict(ratio, 1.8)}")


def main() -> None:
    print_rollouts()
    print_tree_costs()
    print_scaling()
