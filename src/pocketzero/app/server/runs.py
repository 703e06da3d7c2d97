"""Training runs as the page sees them: folders below one root, read with patience for whatever is not there yet.

Everything this program assumes about a run directory is in this module: ``config.toml``, ``state.json``,
``metrics.jsonl`` (one object a line, each with ``time`` and ``kind``), ``games/*.parquet`` and
``checkpoints/*.safetensors``. Runs are found by listing the root; a name that a client sends is compared with that
list and never used as a path.
"""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path
from typing import Any

from pocketzero.errors import PocketZeroError, UnknownName
from pocketzero.games import Game

FRESH_SECONDS = 60.0  # a run whose state was written within this time is under way
MOST_RUNS = 200
MOST_POINTS = 600  # of one curve
MOST_LINES = 20_000  # of metrics, the newest
TAIL_BYTES = 8_000_000
CURVES = ("train", "selfplay", "strength", "mistakes")
SMALL = (  # ten minutes, and the first points of every curve within two
    "--minutes=10", "--set=replay.round_plies=1500", "--set=measure.minutes=1", "--set=measure.games=20",
    "--set=measure.positions=100",
)  # fmt: skip
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,79}")
CHECKPOINT = re.compile(r"(?:net-)?([0-9]{1,12})")


class Runs:
    """The runs below one folder, and those that this server has started."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._lock = threading.Lock()

    # Finding

    def names(self) -> list[str]:
        """The names of all runs, the newest first."""
        with contextlib.suppress(OSError):
            found = [
                folder
                for folder in self.root.iterdir()
                if NAME.fullmatch(folder.name) and folder.is_dir() and _looks_like_a_run(folder)
            ]
            found.sort(key=_changed, reverse=True)
            return [folder.name for folder in found[:MOST_RUNS]]
        return []

    def folder(self, name: str) -> Path:
        """The folder of a run that exists."""
        for known in self.names():
            if known == name:
                return self.root / known
        raise UnknownName(f"There is no run {name!r}.")

    def nets(self) -> dict[str, str]:
        """The runs that have a net, by name, and where they are."""
        return {name: str((self.root / name).resolve()) for name in self.names() if checkpoints(self.root / name)}

    # Reading

    def summary(self, name: str) -> dict[str, Any]:
        """One run in a list."""
        folder = self.folder(name)
        state, config = _json(folder / "state.json"), _toml(folder / "config.toml")
        return {
            "name": name,
            "game": str(config.get("game") or state.get("game") or ""),
            "status": self._status(name, folder, state),
            "phase": str(state.get("phase", "")),
            "games": _number(state.get("games")),
            "steps": _number(state.get("steps")),
            "updated": _number(state.get("updated")) or _changed(folder),
            "checkpoints": sorted(checkpoints(folder)),
        }

    def detail(self, name: str) -> dict[str, Any]:
        """One run with its curves and its settings."""
        folder = self.folder(name)
        rows = _metrics(folder / "metrics.jsonl")
        curves = {kind: _thinned([row for row in rows if row.get("kind") == kind]) for kind in CURVES}
        return {**self.summary(name), "config": _text(folder / "config.toml"), "curves": curves, "log": self._log(name)}

    def _log(self, name: str) -> str:
        """The last lines that a run started here has said."""
        return _text(self.root / name / "page.log")[-2000:]

    def games(self, name: str, *, most: int = 20) -> list[dict[str, Any]]:
        """The newest self-play games as moves."""
        from pocketzero.app.server.game_names import game_named

        with contextlib.suppress(ImportError):
            from pocketzero.training.episodes import read_shard

            found: list[dict[str, Any]] = []
            shards = sorted((self.folder(name) / "games").glob("*.parquet"), reverse=True)[:5]
            for shard in shards:
                with contextlib.suppress(PocketZeroError, OSError):
                    for episode in reversed(read_shard(shard)):
                        if len(found) < most:
                            game = game_named(episode.game)
                            found.append(_episode(game, [int(a) for a in episode.actions], episode.result))
            return found
        return []

    # Starting and stopping

    def start(self, game: Game) -> str:
        """Begin a small run of a game, in a new folder."""
        word = re.sub(r"[^a-z0-9]+", "-", game.name.lower()).strip("-")[:60]
        with self._lock:
            self._check_idle()
            taken = set(self.names())
            name = next(f"{word}-{n}" for n in range(1, 10_000) if f"{word}-{n}" not in taken)
            self._spawn(name, game.name)
        return name

    def resume(self, name: str) -> None:
        """The same command goes on where a run stopped."""
        summary = self.summary(name)
        if not summary["game"]:
            raise PocketZeroError(f"The run {name} does not say which game it trains.")
        if summary["status"] == "running":
            raise PocketZeroError(f"The run {name} is under way.")
        with self._lock:
            self._check_idle()
            self._spawn(name, summary["game"])

    def stop(self, name: str) -> None:
        """Ask a run that this server has started to stop and keep everything."""
        self.folder(name)
        with self._lock:
            child = self._children.get(name)
            if child is None or child.poll() is not None:
                raise PocketZeroError(f"The run {name} was not started from this page, so it cannot be paused here.")
            child.send_signal(signal.SIGINT)

    def close(self) -> None:
        """Stop what was started here."""
        for child in self._children.values():
            if child.poll() is None:
                child.send_signal(signal.SIGINT)
        for child in self._children.values():
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def _check_idle(self) -> None:
        if any(child.poll() is None for child in self._children.values()):
            raise PocketZeroError("A run started from this page is under way; pause it first.")

    def _spawn(self, name: str, game: str) -> None:
        folder = self.root / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "state.json").touch()
        begun = folder / "config.toml"
        how = ("--config", str(begun)) if begun.exists() else SMALL  # a run goes on with the settings that it has
        with (folder / "page.log").open("ab") as log:
            self._children[name] = subprocess.Popen(
                [sys.executable, "-m", "pocketzero", "train", game, "--run", str(folder), *how],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def _status(self, name: str, folder: Path, state: dict[str, Any]) -> str:
        child = self._children.get(name)
        if child is not None and child.poll() is None:
            return "running"
        if state.get("finished"):
            return "finished"
        if child is not None:
            return "failed" if child.returncode not in (0, 130, -signal.SIGINT) else "paused"
        updated = _number(state.get("updated"))
        return "running" if updated and time.time() - updated < FRESH_SECONDS else "paused"


def checkpoints(folder: Path) -> list[int]:
    """The numbers of the nets that a run has saved."""
    files = (folder / "checkpoints").glob("*.safetensors")
    return [int(found[1]) for file in files if (found := CHECKPOINT.fullmatch(file.stem))]


def _looks_like_a_run(folder: Path) -> bool:
    return any((folder / name).exists() for name in ("state.json", "config.toml", "metrics.jsonl"))


def _changed(folder: Path) -> float:
    """When a run was last heard of."""
    times = [0.0]
    for name in ("state.json", "metrics.jsonl", "config.toml"):
        with contextlib.suppress(OSError):
            times.append((folder / name).stat().st_mtime)
    return max(times)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")[-20_000:]
    except OSError:
        return ""


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(_text(path) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError:
        return {}


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _metrics(path: Path) -> list[dict[str, Any]]:
    """The newest lines of the metrics; one that is damaged or half written is passed over."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL_BYTES))
            lines = file.read().splitlines()[-MOST_LINES:]
    except OSError:
        return []
    rows = []
    for line in lines:
        with contextlib.suppress(ValueError):
            row = json.loads(line)
            if isinstance(row, dict):
                rows.append({key: value for key, value in row.items() if _is_plain(value)})
    return rows


def _is_plain(value: object) -> bool:
    """Whether a value can be drawn or shown: a finite number, a short text, a switch."""
    if isinstance(value, float):
        return value == value and abs(value) != float("inf")
    return isinstance(value, bool | int) or (isinstance(value, str) and len(value) < 200)


def _thinned(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """At most so many points, evenly chosen, the last always among them."""
    if len(rows) <= MOST_POINTS:
        return rows
    step = len(rows) / MOST_POINTS
    return [rows[int(number * step)] for number in range(MOST_POINTS - 1)] + rows[-1:]


def _episode(game: Game, actions: list[int], result: float) -> dict[str, Any]:
    words, position = [], game.start()
    for action in actions[: game.max_length]:
        words.append(position.write(action))
        position = position.play_action(action)
    return {"game": game.name, "moves": words, "result": round(float(result), 3), "length": len(words)}
