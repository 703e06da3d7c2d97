"""The curves of a run as pictures: losses, strength with intervals, mistakes, speed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pocketzero.errors import PocketZeroError
from pocketzero.training.rundir import read_metrics

Metrics = list[dict[str, Any]]


def plot_run(run: Path, out: Path) -> list[Path]:
    """Write ``curves.png`` and ``curves.svg``; gives their paths."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    metrics = read_metrics(run)
    if not metrics:
        raise PocketZeroError(f"{run} has no metrics to draw; is it a run directory?")
    figure, axes = pyplot.subplots(2, 2, figsize=(11, 7), layout="constrained")
    drawings: tuple[Callable[[Any, Metrics], None], ...] = (_losses, _strength, _mistakes, _speed)
    for axis, draw in zip(axes.flat, drawings):
        draw(axis, metrics)
        axis.set_xlabel("minutes")
        axis.grid(alpha=0.3)
    figure.suptitle(str(run))
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / "curves.png", out / "curves.svg"]
    for path in paths:
        figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return paths


def _of(metrics: Metrics, kind: str, **fields: Any) -> Metrics:
    return [each for each in metrics if each["kind"] == kind and all(each.get(k) == v for k, v in fields.items())]


def _minutes(rows: Metrics) -> list[float]:
    return [row["seconds"] / 60 for row in rows]


def _losses(axis: Any, metrics: Metrics) -> None:
    rows = _of(metrics, "train")
    axis.set_title("losses (dashed: held-back games)")
    for number, name in enumerate(rows[-1]["losses"] if rows else ()):
        axis.plot(_minutes(rows), [row["losses"][name] for row in rows], color=f"C{number}", label=name)
        held = [row for row in rows if name in row.get("held_losses", {})]
        axis.plot(_minutes(held), [row["held_losses"][name] for row in held], color=f"C{number}", ls="--", alpha=0.6)
    if rows:
        axis.set_yscale("log")
        axis.legend(fontsize=8)


def _strength(axis: Any, metrics: Metrics) -> None:
    axis.set_title("score against fixed opponents, 95%")
    axis.set_ylim(-0.02, 1.02)
    for opponent in dict.fromkeys(row["opponent"] for row in _of(metrics, "strength")):
        rows = _of(metrics, "strength", opponent=opponent)
        scores = [row["score"] for row in rows]
        low = [max(0, row["score"] - row["score_low"]) for row in rows]
        high = [max(0, row["score_high"] - row["score"]) for row in rows]
        axis.errorbar(_minutes(rows), scores, yerr=[low, high], marker="o", capsize=3, label=opponent)
    if axis.has_data():
        axis.legend(fontsize=8)


def _mistakes(axis: Any, metrics: Metrics) -> None:
    axis.set_title("value given away, share of decisions, 95%")
    for player in ("zero", "net"):
        rows = _of(metrics, "mistakes", player=player)
        if rows:
            label = f"with {rows[-1]['sims']} simulations" if player == "zero" else "net alone"
            axis.fill_between(
                _minutes(rows), [row["rate_low"] for row in rows], [row["rate_high"] for row in rows], alpha=0.2
            )
            axis.plot(_minutes(rows), [row["rate"] for row in rows], marker="o", label=label)
    if axis.has_data():
        axis.set_ylim(bottom=0)
        axis.legend(fontsize=8)


def _speed(axis: Any, metrics: Metrics) -> None:
    rows = _of(metrics, "selfplay")
    axis.set_title("self-play: simulations/s, and memory in MB")
    axis.plot(_minutes(rows), [row["simulations_per_second"] for row in rows], label="simulations/s")
    axis.set_ylim(bottom=0)
    other = axis.twinx()
    other.plot(_minutes(rows), [row["memory_mb"] for row in rows], color="C1", label="MB")
    other.set_ylim(bottom=0)
