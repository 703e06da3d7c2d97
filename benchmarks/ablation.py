"""``python -m benchmarks.ablation``: what each method in the loop is worth, on 3x3 Dots and Boxes, ten minutes a run.

Every row is the preset with one thing changed, from random weights with the same seed; then mistakes are counted in
the same 2,000 positions, for the net alone and with 200 simulations, with and without solving leaves. Runs that are
there already are only measured; names choose some rows.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

GAME, MINUTES, RUNS = "dots:3x3", "10", Path("runs/ablation")
VARIANTS: dict[str, tuple[str, ...]] = {
    "the preset": (),
    "another seed": ("seed=2",),
    "PUCT with noise instead of Gumbel": ("selfplay.method=puct",),
    "all moves searched, also those that cannot be better": ("selfplay.reduced=false",),
    "leaves are not solved": ("selfplay.solve_budget=0",),
    "nothing is proven in the tree": ("selfplay.proven=false", "selfplay.solve_budget=0"),
    "learned from all proven positions": ("selfplay.proven_share=1",),
    "no random openings": ("selfplay.opening_share=0",),
    "half as many simulations": ("selfplay.sims=24",),
    "twice as many simulations": ("selfplay.sims=96",),
    "a quarter of the moves searched fully": ("selfplay.full_share=0.25",),
    "the result alone as value": ("learn.search_value=0",),
    "the search alone as value": ("learn.search_value=1",),
    "no symmetries": ("learn.symmetric=false", "selfplay.symmetry=none"),
    "no owners, no reply": ("learn.owner=0", "learn.reply=0"),
    "winning, not boxes, counts": ("net.margin=0",),
    "no moving average": ("learn.ema=0",),
    "no look at the whole board": ("net.pool_every=0",),
    "planes without chains": ("net.encoding=boxes",),
    "each position learned from twice, not six times": ("replay.reuse=2",),
}
PLAYERS = {"net alone": "net:{}", "200 sims": "zero:{},sims=200,solve=0", "200 sims, solving": "zero:{},sims=200"}


def folder_of(name: str) -> Path:
    """Where the run of a variant is."""
    return RUNS / name.replace(",", "").replace(" ", "-")


def row(name: str, changes: tuple[str, ...]) -> dict[str, float]:
    """The games of a variant's run, and each player's share of mistakes; kept beside the run once it is measured."""
    folder = folder_of(name)
    kept = folder / "ablation.json"
    if not kept.exists():
        words = [word for change in ("seed=1", *changes) for word in ("--set", change)]
        command("train", GAME, "--run", str(folder), "--minutes", MINUTES, "--set", "measure.minutes=0", *words)
        found: dict[str, float] = {"games": json.loads((folder / "state.json").read_text())["games"]}
        for column, player in PLAYERS.items():
            text = player.format(f"./{folder}")
            answer = command("mistakes", text, "--game", GAME, "--games", "0", "--positions", "2000", "--json")
            found[column] = json.loads(answer)["random_positions"]["rate"]
        kept.write_text(json.dumps(found))
    return dict(json.loads(kept.read_text()))


def command(*words: str) -> str:
    """What a command prints."""
    return subprocess.run(
        [sys.executable, "-m", "pocketzero", *words], stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def main() -> None:
    chosen = sys.argv[1:] or list(VARIANTS)
    if unknown := [name for name in chosen if name not in VARIANTS]:
        sys.exit(f"There is no {unknown[0]!r}; there are: {'; '.join(VARIANTS)}.")
    print(f"| in {MINUTES} minutes | games | {' | '.join(PLAYERS)} |")
    print("|---|---|" + "---|" * len(PLAYERS), flush=True)
    for name in chosen:
        found = row(name, VARIANTS[name])
        print(f"| {name} | {found['games']:,} | {' | '.join(f'{found[each]:.1%}' for each in PLAYERS)} |", flush=True)


if __name__ == "__main__":
    main()
