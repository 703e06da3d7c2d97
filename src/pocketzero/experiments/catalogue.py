"""All experiments by name. Their modules are imported only when one is asked for."""

from __future__ import annotations

import importlib

from pocketzero.errors import UnknownName, nearest
from pocketzero.experiments.experiment import Experiment

MODULES = (
    "easy_medium_hard",
    "large_boards",
    "berlekamp",
    "new_strategies",
    "dots2022",
    "deepzertz",
    "gomoku",
)


def experiments() -> dict[str, Experiment]:
    """Every experiment, in the order of the papers."""
    modules = (importlib.import_module(f"pocketzero.experiments.{name}") for name in MODULES)
    return {each.name: each for module in modules for each in module.EXPERIMENTS}


def find(name: str) -> Experiment:
    """The experiment with this name; capitals do not matter."""
    known = experiments()
    by_lower = {each.lower(): experiment for each, experiment in known.items()}
    if name.lower() not in by_lower:
        raise UnknownName(f"There is no experiment {name!r}. {nearest(name, known)}Experiments: {', '.join(known)}.")
    return by_lower[name.lower()]
