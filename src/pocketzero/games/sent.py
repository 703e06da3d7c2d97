"""Games on their way to another machine: by name, and with its text if a game is in a file of its own."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path

from pocketzero.games.base import Game
from pocketzero.games.registry import game, is_file_name
from pocketzero.places import cache_folder


@dataclass(frozen=True)
class SentFile:
    """A file as it travels."""

    name: str
    data: bytes

    @classmethod
    def read(cls, path: Path) -> SentFile:
        """The file at a path."""
        return cls(path.name, path.read_bytes())

    def put_down(self) -> Path:
        """Where the file lies on this machine, by what is in it."""
        folder = cache_folder() / "sent" / hashlib.sha256(self.data).hexdigest()[:16]
        path = folder / self.name
        if not path.is_file():
            folder.mkdir(parents=True, exist_ok=True)
            partial = folder / f".{self.name}.{os.getpid()}"
            partial.write_bytes(self.data)
            partial.replace(path)
        return path


@dataclass(frozen=True)
class SentGame:
    """A game as it travels: compiled rules stay where they are."""

    name: str
    file: SentFile | None = None  # of which it is a variable

    @classmethod
    def of(cls, board: Game) -> SentGame:
        """How a game travels."""
        if not is_file_name(board.name):
            return cls(board.name)
        return cls(board.name, SentFile.read(Path(board.name.rpartition(":")[0])))

    def game(self) -> Game:
        """The game on this machine, under the same name."""
        if self.file is None:
            return game(self.name)
        variable = self.name.rpartition(":")[2]
        return replace(game(f"{self.file.put_down()}:{variable}"), name=self.name)
