"""The results of matches in one SQLite file, written game by game, each exactly once.

A match is known by all that decides its games: the two players with their versions, the game, the openings and the
seed. Whoever starts the same match again finds the games that were played and goes on with the others.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from dataclasses import dataclass
from pathlib import Path

from pocketzero.errors import PocketZeroError

VERSION = 1
SCHEMA = """
create table if not exists matches (
    id text primary key, game text, player_a text, player_b text, openings text, seed integer,
    details text, started text default current_timestamp
);
create table if not exists games (
    match text references matches(id), number integer, first text, result text, points_a real, margin integer,
    length integer, opening integer, moves text, reason text, seconds_a real, seconds_b real,
    played text default current_timestamp, primary key (match, number)
);
"""


@dataclass(frozen=True, kw_only=True)
class Played:
    """One finished game of a match."""

    number: int
    first: str  # who began: a or b
    result: str  # the outcome by its name: first, second or draw
    points_a: float  # 1, 0.5 or 0
    margin: int | None  # player 0's lead at the end, where the game keeps a score
    length: int  # actions, the opening's included
    opening: int  # of which so many are the opening's
    moves: str
    reason: str  # why it ended, if not by the rules
    seconds_a: float
    seconds_b: float


FIELDS = tuple(Played.__dataclass_fields__)


@dataclass(frozen=True, kw_only=True)
class MatchKey:
    """All that decides the games of a match."""

    game: str
    player_a: str
    player_b: str
    openings: str
    seed: int
    details: str = ""  # versions of the players and of the package

    @property
    def id(self) -> str:
        """A short name for it."""
        return hashlib.sha256(json.dumps(list(vars(self).values())).encode()).hexdigest()[:16]


class Store:
    """One file of results; several threads, and several processes, may use it at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(path, timeout=30, check_same_thread=False, isolation_level=None)
            self._base.execute("pragma journal_mode=wal")
            self._base.executescript(SCHEMA)
            self._check_version()
        except (OSError, sqlite3.Error) as error:
            raise PocketZeroError(f"The results in {path} cannot be opened: {error}.") from None

    def _check_version(self) -> None:
        [version] = self._base.execute("pragma user_version").fetchone()
        if version not in (0, VERSION):
            raise PocketZeroError(f"{self.path} has version {version} of the results; this program writes {VERSION}.")
        self._base.execute(f"pragma user_version={VERSION}")

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()

    def open_match(self, key: MatchKey) -> None:
        """Make sure that the match is there."""
        row = (key.id, key.game, key.player_a, key.player_b, key.openings, key.seed, key.details)
        self._write(
            "insert or ignore into matches (id, game, player_a, player_b, openings, seed, details)"
            " values (?, ?, ?, ?, ?, ?, ?)",
            row,
        )

    def forget(self, key: MatchKey) -> None:
        """Remove the games of a match."""
        self._write("delete from games where match = ?", (key.id,))

    def add(self, key: MatchKey, game: Played) -> None:
        """Keep a game; one that is there already stays as it is."""
        marks = ", ".join("?" * (len(FIELDS) + 1))
        self._write(
            f"insert or ignore into games (match, {', '.join(FIELDS)}) values ({marks})",
            (key.id, *(getattr(game, field) for field in FIELDS)),
        )

    def _write(self, statement: str, row: tuple[object, ...]) -> None:
        try:
            with self._lock:
                self._base.execute(statement, row)
        except sqlite3.Error as error:
            raise PocketZeroError(f"A result cannot be written to {self.path}: {error}.") from None

    def games(self, key: MatchKey, most: int | None = None) -> list[Played]:
        """The games that were played, in the order of their numbers; only numbers below ``most``."""
        limit = 1 << 60 if most is None else most
        with self._lock:
            rows = self._base.execute(
                f"select {', '.join(FIELDS)} from games where match = ? and number < ? order by number", (key.id, limit)
            ).fetchall()
        return [Played(**dict(zip(FIELDS, row))) for row in rows]
