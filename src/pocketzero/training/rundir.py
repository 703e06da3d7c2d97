"""The run directory, which is everything a run is: settings, games, checkpoints, metrics.

    config.toml            the settings, as the run began with them
    versions.json          of PocketZero and what it stands on
    games/*.parquet        finished games; journal.arrow holds those that are in no shard yet
    checkpoints/           net-NUMBER.safetensors plays; from learner-NUMBER.safetensors learning goes on
    metrics.jsonl          one object a line, each with its time and kind; tensorboard/ has the same for TensorBoard
    state.json             what the run is doing, for people and pages that watch

Everything is written in one step or appended; whatever instant a process dies at, the next one goes on.
"""

from __future__ import annotations

import json
import os
import platform
import re
import time
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from pocketzero import __version__
from pocketzero.errors import PocketZeroError
from pocketzero.nets.files import BEST, CHECKPOINTS, WEIGHTS, checkpoint_files, write_atomically
from pocketzero.training.config import Config, changed, differences, read_toml, to_toml
from pocketzero.training.episodes import SUFFIX, Episode, Shards, read_shard
from pocketzero.training.events import Events
from pocketzero.training.journal import Journal

GAMES, JOURNAL = "games", "games/journal.arrow"
CONFIG, VERSIONS, METRICS, STATE = "config.toml", "versions.json", "metrics.jsonl", "state.json"
KEPT_LEARNERS = 2
# Settings that do not change what is learned.
FREE_TO_CHANGE = ("minutes", "steps", "rounds", "threads", "device", "keep", "measure.", "learn.threads")
PACKAGES = ("numpy", "numba", "torch", "openvino", "pyarrow")


class RunDir:
    """One run directory, held by one process at a time."""

    def __init__(self, path: Path, config: Config, *, accept_changes: bool = False) -> None:
        self.path = path
        self._events = Events(path / "tensorboard")
        self._make_folder()
        self._lock_file = _locked(path)
        try:
            self.config = self._settled(config, accept_changes)
            self.shards = Shards(path / GAMES)
            self.journal = Journal(path / JOURNAL)
            self.pending = self._recovered()
        except BaseException:
            self._lock_file.close()
            raise

    def _make_folder(self) -> None:
        try:
            (self.path / CHECKPOINTS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PocketZeroError(f"The run cannot be kept in {self.path}: {error.strerror}.") from None

    def _settled(self, config: Config, accept_changes: bool) -> Config:
        """The settings of the run; those of an earlier start must be the same, or the change accepted."""
        file = self.path / CONFIG
        if file.exists():
            earlier = changed(Config(), read_toml(file))
            found = [each for each in differences(earlier, config) if not each.startswith(FREE_TO_CHANGE)]
            if found and not accept_changes:
                raise PocketZeroError(
                    f"The run in {self.path} began with other settings: {'; '.join(found)}. Use the same ones, another "
                    "--run, or --accept-changes to go on with the new ones."
                )
        write_atomically(file, to_toml(config).encode())
        versions = {"pocketzero": __version__, "python": platform.python_version()}
        versions |= {package: version(package) for package in PACKAGES}
        write_atomically(self.path / VERSIONS, json.dumps(versions, indent=1).encode())
        return config

    def _recovered(self) -> list[Episode]:
        """Games of the journal that are in no shard; they go into a new journal."""
        first, found = self.journal.read()
        begin = self.shards.next_number
        pending = found[max(0, begin - first) :]
        self.journal.begin(begin, pending)
        return pending

    def add(self, episodes: list[Episode]) -> None:
        """Keep games that were finished just now."""
        if episodes:
            self.journal.add(episodes)
            self.pending += episodes

    def close_shard(self) -> None:
        """Write what the journal holds as a shard."""
        if self.pending:
            self.shards.add(self.pending)
            self.pending = []
            self.journal.begin(self.shards.next_number)

    @property
    def games(self) -> int:
        """All finished games."""
        return self.shards.count + len(self.pending)

    def note(self, kind: str, **values: Any) -> None:
        """Append a line to the metrics."""
        line = json.dumps({"time": round(time.time(), 3), "kind": kind, **values})
        try:
            with (self.path / METRICS).open("a") as file:
                file.write(line + "\n")
        except OSError as error:
            raise PocketZeroError(f"The metrics cannot be written to {self.path}: {error.strerror}.") from None
        self._events.add(kind, values)

    def show(self, state: dict[str, Any]) -> None:
        """Say what the run is doing."""
        write_atomically(self.path / STATE, json.dumps({"updated": time.time(), "pid": os.getpid(), **state}).encode())

    def learner_files(self) -> list[Path]:
        """What learning can go on from, the newest first."""
        files = (self.path / CHECKPOINTS).glob(f"learner-*{WEIGHTS}")
        return sorted((file for file in files if re.fullmatch(r"learner-\d+", file.stem)), reverse=True)

    def learner_path(self, step: int) -> Path:
        """Where the state of learning after so many steps is kept."""
        return self.path / CHECKPOINTS / f"learner-{step:09}{WEIGHTS}"

    def forget_old(self, keep: int, measured: set[int], accepted: set[int]) -> None:
        """Remove checkpoints that are neither recent nor measured nor accepted by a gate."""
        wanted = {self.learner_path(number) for number in accepted}
        for file in self.learner_files()[KEPT_LEARNERS:]:
            if file not in wanted:
                file.unlink(missing_ok=True)
        nets = checkpoint_files(self.path)
        for number in sorted(nets)[: -max(1, keep)]:
            if number not in measured | accepted:
                nets[number].unlink(missing_ok=True)

    def best_path(self) -> Path:
        """Where the best net is kept."""
        return self.path / CHECKPOINTS / f"{BEST}{WEIGHTS}"

    def close(self) -> None:
        """Let go of the directory."""
        self._events.close()
        self.journal.close()
        self._lock_file.close()


def _locked(path: Path) -> IO[str]:
    """Two processes in one run would spoil it; the system lets go of the lock when a process ends, however."""
    file = (path / "lock").open("w")
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:  # Windows: files that are open cannot be replaced there anyway
        return file
    except OSError:
        file.close()
        raise PocketZeroError(f"Another process is training in {path}.") from None
    return file


def check_free(path: Path) -> None:
    """Make sure that no process is training in a run directory."""
    if path.is_dir():
        _locked(path).close()


def read_games(path: Path) -> list[Episode]:
    """Every finished game of a run, those included that are in no shard yet; other processes may be at work on it."""
    first, pending = Journal(path / JOURNAL).read()
    files = sorted((path / GAMES).glob(f"*{SUFFIX}"))
    written = max((sum(map(int, file.stem.split("+"))) for file in files), default=0)
    found = [episode for file in files for episode in read_shard(file)]
    return found + pending[max(0, written - first) :]


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The metrics of a run; a last line that is not whole is passed over."""
    file = path / METRICS
    found = []
    for line in file.read_text().splitlines() if file.exists() else []:
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found
