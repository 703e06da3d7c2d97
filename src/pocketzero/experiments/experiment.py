"""What an experiment is, and how it is run: its steps, then the report as ``report.md`` and ``report.html``."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pocketzero import __version__
from pocketzero.errors import PocketZeroError, UnknownName, nearest
from pocketzero.experiments.document import Heading, Items, Part, Plot, Text, html, markdown, table
from pocketzero.experiments.steps import Lab, Wishes
from pocketzero.nets.files import write_atomically

SCALES = ("default", "paper", "tiny")


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One experiment of a paper."""

    name: str
    paper: str
    summary: str  # one line for people
    scales: dict[str, Any]  # the parameters, a dataclass of the experiment's own, by scale
    run: Callable[[Lab, Any], list[Part]]
    choices: Sequence[str] = ()  # where the paper is silent or contradicts itself
    takes: Sequence[str] = ()  # which of the options engine, positions and config mean something to it
    smaller: str = ""  # what the default leaves out, compared with the paper

    def parameters(self, scale: str) -> Any:
        """The parameters for a scale."""
        if scale not in self.scales:
            raise UnknownName(f"There is no scale {scale!r}. {nearest(scale, SCALES)}Scales: default, paper.")
        return self.scales[scale]

    def reproduce(self, lab: Lab) -> Path:
        """Run all steps that are not done yet, and write the report."""
        parameters = self.parameters(lab.wishes.scale)
        self._check(lab.wishes)
        found = self.run(lab, parameters)
        parts = [*self._opening(lab), *found, *self._closing(lab, parameters)]
        title = f"{self.name}: {self.summary}"
        files = {"report.md": markdown(title, parts), "report.html": html(title, parts)}
        files |= {f"{part.name}.svg": part.svg for part in parts if isinstance(part, Plot)}
        try:
            for name, text in files.items():
                write_atomically(lab.folder / name, text.encode())
        except OSError as error:
            raise PocketZeroError(f"The report cannot be written to {lab.folder}: {error.strerror}.") from None
        return lab.folder / "report.md"

    def _check(self, wishes: Wishes) -> None:
        """Options that mean nothing here are errors, not silence."""
        given = {"engine": wishes.engines, "positions": wishes.positions, "config": wishes.settings}
        for option, value in given.items():
            if value and option not in self.takes:
                raise PocketZeroError(f"{self.name} has no use for --{option}.")

    def _opening(self, lab: Lab) -> list[Part]:
        spent = sum(lab.times.values())
        parts: list[Part] = [
            Text(f"{self.paper}."),
            Text(f"PocketZero {version()}; `{command(self.name, lab)}`; {spent / 60:.1f} minutes of work in all."),
        ]
        if lab.wishes.scale != "paper" and self.smaller:
            parts.append(Text(f"Smaller than the paper: {self.smaller} `--scale paper` runs its own numbers."))
        return parts

    def _closing(self, lab: Lab, parameters: Any) -> list[Part]:
        paper = self.scales["paper"]
        rows = [
            (each.name.replace("_", " "), _shown(getattr(paper, each.name)), _shown(getattr(parameters, each.name)))
            for each in fields(parameters)
        ]
        times = [(name, f"{seconds / 60:.2f}") for name, seconds in lab.times.items()]
        parts: list[Part] = []
        if self.choices:
            parts += [Heading("Choices where the paper is silent or contradicts itself"), Items(tuple(self.choices))]
        parts += [Heading("Settings"), table("Parameters", ["", "paper", "this run"], rows)]
        if lab.wishes.games:
            parts.append(Text(f"Each match was limited to {lab.games(0)} games by `--games`."))
        if lab.players:
            parts.append(table("Training runs", ["", "settings"], list(lab.players.items())))
        return [*parts, Heading("Time"), table("Minutes of each step", ["", "minutes"], times)]


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def command(name: str, lab: Lab) -> str:
    """The command that makes this report."""
    wishes = lab.wishes
    words = [f"pocketzero reproduce {name}"]
    words += [f"--scale {wishes.scale}"] * (wishes.scale != "default")
    words += [f"--budget {wishes.budget:g}"] * (wishes.budget > 0) + [f"--games {wishes.games}"] * (wishes.games > 0)
    words += [f"--engine '{engine}'" for engine in wishes.engines]
    words += [f"--positions {wishes.positions.name}"] if wishes.positions else []
    words += [f"--config {wishes.settings.name}"] if wishes.settings else []
    return " ".join(words)


def version() -> str:
    """The version, with the commit where the package lies in a repository."""
    here = Path(__file__).parent
    try:
        words = ["git", "-C", str(here), "log", "-1", "--format=%h", "--", str(here.parent)]
        commit = subprocess.run(words, capture_output=True, text=True, timeout=10, check=False).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        commit = ""
    return f"{__version__} (commit {commit})" if commit else __version__
