"""Games kept in SQLite: written after every move, found by words, deleted when asked."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import threading
import time
from pathlib import Path
from typing import Any

from pocketzero.errors import PocketZeroError

SCHEMA = """
create table if not exists games (
    id text primary key, created real not null, updated real not null, game text not null, title text not null,
    first text not null, second text not null, result text not null, moves integer not null, data text not null);
create index if not exists games_updated on games (updated desc);
"""
COLUMNS = "id, created, updated, game, title, first, second, result, moves"


def data_folder() -> Path:
    """The folder that the user's system sets aside for what programs keep."""
    if chosen := os.environ.get("POCKETZERO_DATA_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "pocketzero"


class Store:
    """One file of games; ``None`` keeps them in memory only."""

    def __init__(self, path: Path | None, *, most_games: int) -> None:
        self._most_games = most_games
        self._lock = threading.Lock()
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._base = sqlite3.connect(path or ":memory:", check_same_thread=False, isolation_level=None)
            self._base.execute("pragma journal_mode=wal")
            self._base.execute("pragma synchronous=normal")
            self._base.executescript(SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise PocketZeroError(f"The games cannot be kept in {path}: {error}.") from None

    def save(self, row: dict[str, Any], data: dict[str, Any]) -> None:
        """Write a game, new or known."""
        values = [row[name.strip()] for name in COLUMNS.split(",")]
        with self._lock:
            self._base.execute(
                f"insert or replace into games ({COLUMNS}, data) values ({','.join('?' * 10)})",
                [*values, json.dumps(data)],
            )

    def load(self, number: str) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The game with this id, or None."""
        with self._lock:
            found = self._base.execute(f"select {COLUMNS}, data from games where id = ?", [number]).fetchone()
        if found is None:
            return None
        return self._row(found), json.loads(found[-1])

    def _row(self, values: tuple[Any, ...]) -> dict[str, Any]:
        return dict(zip((name.strip() for name in COLUMNS.split(",")), values))

    def find(self, words: str, *, limit: int, offset: int) -> tuple[int, list[dict[str, Any]]]:
        """How many games have all these words, and some of them, the newest first."""
        where, values = [], []
        for word in words.split()[:10]:
            escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            where.append("(game || ' ' || title || ' ' || first || ' ' || second || ' ' || result) like ? escape '\\'")
            values.append(f"%{escaped}%")
        condition = f"where {' and '.join(where)}" if where else ""
        with self._lock:
            count = self._base.execute(f"select count(*) from games {condition}", values).fetchone()[0]
            rows = self._base.execute(
                f"select {COLUMNS} from games {condition} order by updated desc limit ? offset ?",
                [*values, limit, offset],
            ).fetchall()
        return count, [self._row(row) for row in rows]

    def delete(self, number: str) -> bool:
        """Delete a game; says whether it was there."""
        with self._lock:
            return self._base.execute("delete from games where id = ?", [number]).rowcount > 0

    def check_room(self) -> None:
        """A full store is an error that says what to do."""
        with self._lock:
            count = self._base.execute("select count(*) from games").fetchone()[0]
        if count >= self._most_games:
            raise PocketZeroError(f"{count} games are kept already; delete some in the library first.")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._base.close()


def now() -> float:
    """Seconds since 1970, as they are stored."""
    return round(time.time(), 3)
