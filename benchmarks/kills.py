"""``python -m benchmarks kills``: a small run is killed twenty times at random instants, and must lose nothing."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from pocketzero.training.rundir import read_games, read_metrics

KILLS, SHORTEST, LONGEST = 20, 4.0, 14.0  # seconds from a start to its end
CHANGES = ["net.channels=16", "net.blocks=2", "selfplay.sims=16", "replay.round_plies=400", "replay.window=2000"]
CHANGES += ["learn.batch=64", "trees=16", "measure.minutes=0.5", "measure.games=10", "measure.sims=16", "minutes=60"]


def losses(folder: Path) -> list[float]:
    return [each["losses"]["policy"] for each in read_metrics(folder) if each["kind"] == "train"]


def main() -> None:
    chance, known, jumps, lost, doubled = random.Random(1), set[int](), list[float](), 0, 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "run"
        words = [sys.executable, "-m", "pocketzero", "train", "dots:2x2", "--preset", "dots", "--run", str(folder)]
        for change in CHANGES:
            words += ["--set", change]
        for _ in range(KILLS):
            before = losses(folder)
            process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(SHORTEST, LONGEST))
            process.kill()
            process.wait()
            found = [episode.seed for episode in read_games(folder)]
            doubled += len(found) - len(set(found))
            lost += len(known - set(found))
            known = set(found)
            after = losses(folder)
            if before and len(after) > len(before):
                jumps.append(after[len(before)] - before[-1])
        curve = losses(folder)
    steps = [abs(b - a) for a, b in pairwise(curve)]
    print(f"Killed {KILLS} times: {len(known):,} games, {lost} lost, {doubled} twice")
    print(f"  policy loss {curve[0]:.3f} at first, {curve[-1]:.3f} at last")
    print(f"  largest change between two rounds {max(steps):.3f}, across a kill {max(map(abs, jumps)):.3f}")
