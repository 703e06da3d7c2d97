"""The metrics of a run for TensorBoard; ``tensorboard --logdir runs`` shows all runs."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from pocketzero.errors import PocketZeroError


class Events:
    """One folder of event files; TensorBoard is imported when there is something to write."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writer: Any = None

    def add(self, kind: str, values: dict[str, Any]) -> None:
        """Every number of a line of metrics, by minute of the run."""
        try:
            self._add(kind, values)
        except OSError as error:
            raise PocketZeroError(f"The metrics cannot be written to {self._folder}: {error.strerror}.") from None

    def _add(self, kind: str, values: dict[str, Any]) -> None:
        if self._writer is None:
            from torch.utils.tensorboard import SummaryWriter

            self._writer = SummaryWriter(str(self._folder))
        label = "/".join(str(values[name]) for name in ("opponent", "player") if name in values)
        prefix = f"{kind}/{label}" if label else kind
        for name, number in numbers(values):
            self._writer.add_scalar(f"{prefix}/{name}", number, int(values.get("seconds", 0)))
        self._writer.flush()

    def close(self) -> None:
        """Let go of the files."""
        if self._writer is not None:
            with contextlib.suppress(OSError):
                self._writer.close()
            self._writer = None


def numbers(values: dict[str, Any], prefix: str = "") -> list[tuple[str, float]]:
    """All numbers of a nested dictionary, with names that tell where each was."""
    found = []
    for name, value in values.items():
        if isinstance(value, dict):
            found += numbers(value, f"{prefix}{name}/")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found.append((f"{prefix}{name}", float(value)))
    return found
