"""Self-play against the bare evaluator on the same batches and threads, and OpenVINO against PyTorch."""

from __future__ import annotations

import statistics
import threading
import time

import numpy as np
import torch

from pocketzero.games import Game, game
from pocketzero.nets import OpenVinoEvaluator, build_net, describe, has_bf16
from pocketzero.nets.evaluator import seconds_of_a_batch
from pocketzero.nets.torch_evaluator import TorchEvaluator
from pocketzero.training.selfplay import SelfPlayOptions
from pocketzero.training.workers import Workers

BOARDS = {"dots:5x5": 90.0, "zertz:37": 90.0, "mnk:9x9x5": 85.0}  # bars in per cent
THREADS, TREES, SECONDS, ROUNDS = 2, 64, 3.0, 5
OPENVINO_BAR = 1.7


def bare_rate(evaluator: OpenVinoEvaluator, rows: int) -> float:
    """Evaluations a second of all threads, on batches of so many rows."""
    stop, counts = threading.Event(), [0] * THREADS

    def work(number: int, own: OpenVinoEvaluator) -> None:
        planes = np.random.default_rng(number).random((rows, *own.game.planes.shape)).astype(np.float32)
        own.evaluate(planes)
        while not stop.is_set():
            own.evaluate(planes)
            counts[number] += rows

    threads = [
        threading.Thread(target=work, args=(n, evaluator if n == 0 else evaluator.clone())) for n in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    time.sleep(SECONDS / 3)
    before, begin = sum(counts), time.perf_counter()
    time.sleep(SECONDS)
    rate = (sum(counts) - before) / (time.perf_counter() - begin)
    stop.set()
    for thread in threads:
        thread.join()
    return rate


def play_rate(workers: Workers) -> tuple[float, float]:
    """Evaluations a second during self-play, and the mean batch."""
    begin, before = time.perf_counter(), sum(board.evaluator.rows for board in workers.boards)
    calls = [board.evaluator.calls for board in workers.boards]
    workers.play(lambda _: time.perf_counter() - begin > SECONDS, pause=0.02)
    rows = sum(board.evaluator.rows for board in workers.boards) - before
    made = sum(board.evaluator.calls for board in workers.boards) - sum(calls)
    return rows / (time.perf_counter() - begin), rows / made


def print_board(board: Game, bar: float) -> None:
    evaluator = OpenVinoEvaluator(build_net(describe(board)), board)
    workers = Workers([evaluator], SelfPlayOptions(sims=64), threads=THREADS, trees=TREES, seed=(1,))
    play_rate(workers)  # warms up
    shares, plays = [], []
    for _ in range(ROUNDS):
        playing, rows = play_rate(workers)
        bare = bare_rate(evaluator, max(1, round(rows)))
        shares.append(100 * playing / bare)
        plays.append(playing)
    share = statistics.median(shares)
    verdict = "reached" if share >= bar else "MISSED"
    print(
        f"  {board.name:10} {statistics.median(plays):8,.0f} evaluations/s in self-play, batches of {rows:.0f}: "
        f"{share:.0f} % of the bare evaluator  bar {bar:g} %: {verdict}"
    )


def print_openvino(board: Game) -> None:
    torch.set_num_threads(1)
    net = build_net(describe(board))
    ours, theirs = OpenVinoEvaluator(net, board), TorchEvaluator(net, board)
    ratio = statistics.median(seconds_of_a_batch(theirs) / seconds_of_a_batch(ours) for _ in range(7))
    bar = (
        f"bar {OPENVINO_BAR}: {'reached' if ratio >= OPENVINO_BAR else 'MISSED'}"
        if has_bf16()
        else "no bf16 here, no bar"
    )
    print(f"  {board.name:10} OpenVINO ({ours.precision}) {ratio:.2f}x eager PyTorch, batch 64, one thread  {bar}")


def main() -> None:
    print("Learning: nets of 64 channels and 5 blocks, 2 threads of 64 games, 64 simulations a move")
    for name, bar in BOARDS.items():
        print_board(game(name), bar)
    for name in BOARDS:
        print_openvino(game(name))
