"""Games that are finished but not in a shard yet: appended to one file at once, so that no crash loses them.

The journal is an Arrow stream that is never closed; a reader takes every whole batch and stops at the first that is
not. Each episode has a number, so one that has reached a shard already is not counted twice.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from pocketzero.errors import PocketZeroError
from pocketzero.nets.files import write_atomically
from pocketzero.training.episodes import Episode, episode_of, rows_of, schema


class Journal:
    """The file of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._sink = _Sink()
        self._writer: Any = None

    def read(self) -> tuple[int, list[Episode]]:
        """The number of the first episode in it, and all that came whole."""
        import pyarrow as pa

        found: list[Episode] = []
        first = 0
        with contextlib.suppress(OSError, pa.ArrowException), pa.OSFile(str(self.path)) as file:
            reader = pa.ipc.open_stream(file)
            first = int((reader.schema.metadata or {}).get(b"first", b"0"))
            for batch in reader:
                found += [episode_of(row) for row in batch.to_pylist()]
        return first, found

    def begin(self, first: int, episodes: Sequence[Episode] = ()) -> None:
        """Begin anew with these episodes, the first of which has this number: all others are in shards now.

        The old file stays until the new one is whole.
        """
        import pyarrow as pa

        self.close()
        self._sink = _Sink()
        self._writer = pa.ipc.new_stream(self._sink, schema().with_metadata({"first": str(first)}))
        if episodes:
            self.add(episodes)
        write_atomically(self.path, self._sink.begun.getvalue())
        try:
            self._sink.go_on(self.path)
        except OSError as error:
            raise self._fault(error) from None

    def add(self, episodes: Sequence[Episode]) -> None:
        """Append finished games; when this returns, they survive the end of the process."""
        import pyarrow as pa

        try:
            self._writer.write_table(pa.Table.from_pylist(rows_of(episodes), schema=schema().with_metadata(None)))
            self._sink.flush()
        except OSError as error:
            raise self._fault(error) from None

    def _fault(self, error: OSError) -> PocketZeroError:
        return PocketZeroError(f"The games cannot be written to {self.path}: {error.strerror or error}.")

    def close(self) -> None:
        """Let go of the file; it stays readable without an end."""
        with contextlib.suppress(OSError):
            self._sink.close()
        self._writer = None


class _Sink(io.RawIOBase):
    """Where a stream goes: into memory as long as its file is not there yet, then to the end of the file."""

    def __init__(self) -> None:
        self.begun = io.BytesIO()
        self._file: BinaryIO | None = None

    def go_on(self, path: Path) -> None:
        """The file holds what came until now."""
        self._file = path.open("ab")

    def writable(self) -> bool:
        """It is nothing else."""
        return True

    def write(self, data: Any) -> int:
        """All of it."""
        return (self._file or self.begun).write(data)

    def flush(self) -> None:
        """To the system, where it survives the end of the process."""
        if self._file is not None and not self._file.closed:
            self._file.flush()

    def close(self) -> None:
        """Let go of the file."""
        try:
            super().close()  # which flushes
        finally:
            if self._file is not None:
                self._file.close()
