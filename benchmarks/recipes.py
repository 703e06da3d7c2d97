"""``python -m benchmarks.recipes dots:3x3 1``: learn a game from random weights, and measure what came of it.

Each recipe is the game's own preset for a number of minutes; the figures of docs/results.md are what this prints.
A run that was interrupted goes on, one that is finished is only measured.
"""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

SHARED = Path(__file__).parents[2] / "shared" / "data"
RUNS = Path("runs")
TRUTH = ("--games", "200", "--positions", "2000")
SIDES = ("--openings", "random:2", "--games", "200")


@dataclass(frozen=True)
class Recipe:
    """What is learned for how long, and the commands that measure it; ``RUN`` stands for the run directory."""

    game: str
    minutes: int
    measurements: tuple[tuple[str, ...], ...]

    def run(self, seed: int) -> Path:
        """Where the run is."""
        name = Path(self.game.partition(":")[0]).stem if ".py" in self.game else self.game
        return RUNS / f"{name.replace(':', '-').replace('/', '-')}-seed{seed}"

    def words(self, measurement: tuple[str, ...], seed: int) -> list[str]:
        """A measurement as a command."""
        return [word.replace("RUN", f"./{self.run(seed)}") for word in measurement]


def mistakes(player: str) -> tuple[str, ...]:
    """What a player gives away on 3x3."""
    return ("mistakes", player, "--game", "dots:3x3", *TRUTH)


def oracle(player: str) -> tuple[str, ...]:
    """How many of the oracle's positions of four in a row a player solves."""
    return ("puzzles", str(SHARED / "oracle-5x5x4.jsonl"), "--player", player)


KALAH = "examples/kalah.py:game"
RECIPES = {
    "dots:3x3": Recipe(
        "dots:3x3",
        30,
        (
            mistakes("zero:RUN,sims=200"),
            mistakes("zero:RUN,sims=200,solve=0"),
            mistakes("net:RUN"),
        ),
    ),
    "mnk:5x5x4": Recipe(
        "mnk:5x5x4",
        20,
        (
            oracle("zero:RUN,sims=100"),
            oracle("zero:RUN,sims=100,solve=0"),
            oracle("net:RUN"),
        ),
    ),
    "zertz:19/deepzertz": Recipe(
        "zertz:19/deepzertz",
        60,
        (("match", "zero:RUN,sims=200", "uct:sims=2000", "--game", "zertz:19/deepzertz", *SIDES),),
    ),
    "kalah": Recipe(KALAH, 15, (("match", "zero:RUN,sims=200", "uct:sims=1000", "--game", KALAH, *SIDES),)),
}


def pocketzero(*words: str) -> None:
    """Show a command and run it; of what it prints, the last lines are enough."""
    print(f"$ pocketzero {' '.join(words)}", flush=True)
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "pocketzero", *words], stdout=subprocess.PIPE, text=True, check=True)
    print("\n".join(done.stdout.splitlines()[-8:]))
    print(f"  ({time.perf_counter() - begin:.0f} s)", flush=True)


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in RECIPES:
        sys.exit(f"Name one of {', '.join(RECIPES)}, and perhaps a seed.")
    recipe, seed = RECIPES[sys.argv[1]], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    run = recipe.run(seed)
    pocketzero("train", recipe.game, "--run", str(run), "--minutes", str(recipe.minutes), "--set", f"seed={seed}")
    for measurement in recipe.measurements:
        pocketzero(*recipe.words(measurement, seed))
    pocketzero("plot", str(run))


if __name__ == "__main__":
    main()
