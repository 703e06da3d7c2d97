"""Finished games as they are learned from, and their files: Parquet shards that anyone can open.

An episode is one game, or one labelled position: all actions from the start, and for the plies that were searched the
policy that the search found, its value, and how much it counts. Shards are written whole, under a name that says how
many episodes came before, so every episode is in exactly one shard; a file that is not whole is set aside.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketzero.errors import PocketZeroError

VERSION = 1
SUFFIX = ".parquet"
DAMAGED = ".damaged"
PLIES = b"pocketzero_plies"  # under which a shard says how many searched plies it has to learn from


@dataclass(frozen=True)
class Searched:
    """One searched ply of an episode."""

    ply: int
    actions: NDArray[np.int32]
    shares: NDArray[np.float32]  # the policy to be learned, over these actions
    value: float  # of the search, for the mover
    simulations: int


@dataclass(frozen=True)
class Episode:
    """One game as it was played."""

    game: str
    actions: NDArray[np.int32]  # all, from the start
    result: float  # 1, 0 or -1 for player 0; anything between for a labelled position
    margin: int | None  # player 0's final lead, where the game keeps a score
    searched: tuple[Searched, ...]
    finished: bool = True  # whether the actions lead to the end of the game
    net: int = 0  # how many steps the net had learned that played it
    seed: int = 0
    held_back: bool = False  # for measuring what was learned, never for learning
    source: str = "selfplay"


def schema() -> Any:
    """The columns of a shard."""
    import pyarrow as pa

    searched = pa.struct(
        [
            ("ply", pa.int32()),
            ("actions", pa.list_(pa.int32())),
            ("shares", pa.list_(pa.float32())),
            ("value", pa.float32()),
            ("simulations", pa.int32()),
        ]
    )
    return pa.schema(
        [
            ("game", pa.string()),
            ("actions", pa.list_(pa.int32())),
            ("result", pa.float32()),
            ("margin", pa.int32()),
            ("searched", pa.list_(searched)),
            ("finished", pa.bool_()),
            ("net", pa.int64()),
            ("seed", pa.int64()),
            ("held_back", pa.bool_()),
            ("source", pa.string()),
        ],
        metadata={"pocketzero_episodes": str(VERSION)},
    )


def rows_of(episodes: Sequence[Episode]) -> list[dict[str, Any]]:
    """Episodes as rows of a table."""
    return [_row(episode) for episode in episodes]


def _row(episode: Episode) -> dict[str, Any]:
    row = dict(vars(episode))
    row["actions"] = episode.actions
    row["searched"] = [vars(each) for each in episode.searched]
    return row


def write_shard(path: Path, episodes: Sequence[Episode]) -> None:
    """Write episodes to a file in one step: it is there whole, or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    learned = sum(len(episode.searched) for episode in episodes if not episode.held_back)
    labels = {**(schema().metadata or {}), PLIES: str(learned)}
    table = pa.Table.from_pylist(rows_of(episodes), schema=schema().with_metadata(labels))
    partial = path.with_suffix(".partial")
    try:
        pq.write_table(table, partial, compression="zstd")
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise PocketZeroError(f"The games cannot be written to {path}: {error.strerror or error}.") from None


def read_shard(path: Path) -> list[Episode]:
    """The episodes of a file; one that is damaged is an error that names it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise PocketZeroError(f"{path} is damaged or no file of games: {str(error).splitlines()[0]}") from None
    version = (table.schema.metadata or {}).get(b"pocketzero_episodes", b"none").decode()
    if version != str(VERSION):
        raise PocketZeroError(f"{path} has version {version} of the games; this program reads {VERSION}.")
    return [episode_of(row) for row in table.to_pylist()]


def episode_of(row: dict[str, Any]) -> Episode:
    """An episode from a row of a table."""
    searched = tuple(
        Searched(
            each["ply"],
            np.array(each["actions"], np.int32),
            np.array(each["shares"], np.float32),
            each["value"],
            each["simulations"],
        )
        for each in row.pop("searched")
    )
    return Episode(**{**row, "actions": np.array(row["actions"], np.int32), "searched": searched})


class Shards:
    """The shards of a run, in the order in which they were written; a name says which episodes are in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.set_aside: list[Path] = []
        folder.mkdir(parents=True, exist_ok=True)
        for partial in folder.glob("*.partial"):  # what a killed process was writing
            partial.unlink()
        self.plies = 0  # searched plies to learn from, in all shards
        self.count = 0  # episodes
        for path, count in self._names():
            with contextlib.suppress(PocketZeroError):
                self.plies += self._plies_of(path)
                self.count += count

    def _names(self, suffix: str = SUFFIX) -> list[tuple[Path, int]]:
        """Files and how many episodes each holds, by their names."""
        found = []
        for path in sorted(self.folder.glob(f"*{suffix}")):
            first, _, count = path.stem.partition("+")
            if first.isdecimal() and count.isdecimal():
                found.append((path, int(count)))
        return found

    def _plies_of(self, path: Path) -> int:
        """What a shard's footer says; one that is damaged is set aside."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            labels = pq.read_schema(path).metadata or {}
        except (OSError, pa.ArrowException):
            self._put_aside(path)
            raise PocketZeroError(f"{path} is damaged.") from None
        return int(labels.get(PLIES, b"0"))

    def _put_aside(self, path: Path) -> None:
        aside = path.with_suffix(DAMAGED)
        path.rename(aside)
        self.set_aside.append(aside)

    @property
    def rounds(self) -> int:
        """How many shards there are: each round of play closes one."""
        return len(self._names())

    @property
    def next_number(self) -> int:
        """The number of the episode that is written next; numbers of damaged shards are not used again."""
        names = self._names() + self._names(DAMAGED)
        return max((int(path.stem.partition("+")[0]) + count for path, count in names), default=0)

    def add(self, episodes: Sequence[Episode]) -> Path:
        """Write a new shard."""
        path = self.folder / f"{self.next_number:09d}+{len(episodes)}{SUFFIX}"
        write_shard(path, episodes)
        self.count += len(episodes)
        self.plies += sum(len(episode.searched) for episode in episodes if not episode.held_back)
        return path

    def newest_first(self) -> Iterator[list[Episode]]:
        """The episodes shard by shard, the newest first; a damaged shard is renamed, kept and passed over."""
        for path, count in reversed(self._names()):
            try:
                yield read_shard(path)
            except PocketZeroError:
                self._put_aside(path)
                self.count -= count
