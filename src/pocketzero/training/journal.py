"""Games that are finished but not in a shard yet: appended to one file at once, so that no crash loses them.

The journal is an Arrow stream that is never closed; a reader takes every whole batch and stops at the first that is
not. Each episode has a number, so one that has reached a shard already is not counted twice.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pocketzero.errors import PocketZeroError
from pocketzero.training.episodes import Episode, episode_of, rows_of, schema


class Journal:
    """The file of one run; ``first`` is the number of the next episode that will be written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: Any = None
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

    def begin(self, first: int) -> None:
        """Begin anew: what was in the file is in a shard now."""
        import pyarrow as pa

        self.close()
        try:
            self._file = open(self.path, "wb")  # noqa: SIM115 - it stays open as long as the run
            labelled = schema().with_metadata({"first": str(first)})
            self._writer = pa.ipc.new_stream(self._file, labelled)
            self._file.flush()
        except OSError as error:
            raise PocketZeroError(f"The games cannot be written to {self.path}: {error.strerror or error}.") from None

    def add(self, episodes: Sequence[Episode]) -> None:
        """Append finished games; when this returns, they survive the end of the process."""
        import pyarrow as pa

        try:
            self._writer.write_table(pa.Table.from_pylist(rows_of(episodes), schema=schema().with_metadata(None)))
            self._file.flush()
        except OSError as error:
            raise PocketZeroError(f"The games cannot be written to {self.path}: {error.strerror or error}.") from None

    def close(self) -> None:
        """Let go of the file; it stays readable without an end."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
        self._file = self._writer = None
