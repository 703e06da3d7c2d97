"""Finding a game by its text: ``dots:5x5``, ``zertz:37/blitz``, ``path/to/mine.py:game``.

Families of games register under the entry point group ``pocketzero.games``, the built-in ones like any other, so
a separate package can add one. A game in a file of its own is named by the file and the variable in it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from pocketzero.errors import BrokenGame, UnknownName, nearest

if TYPE_CHECKING:
    from pocketzero.games.base import Game
    from pocketzero.games.records import Format

GROUP = "pocketzero.games"


@dataclass(frozen=True, kw_only=True)
class Family:
    """Games of one kind, on all their boards."""

    name: str  # what stands before the colon
    title: str
    examples: tuple[str, ...]  # names that work, the most usual first
    usage: str  # one line that says what may stand after the colon
    make: Callable[[str], Game]  # from what stands after the colon
    formats: tuple[Format, ...] = ()  # records that this family reads and writes


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


@cache
def family(name: str) -> Family:
    """The family of games with this name."""
    entries = _entries()
    if name not in entries:
        known = "; ".join(kind.usage for kind in families())
        raise UnknownName(f"There is no game called {name!r}. {nearest(name, entries)}Games: {known}")
    loaded = entries[name].load()
    if not isinstance(loaded, Family):
        raise BrokenGame(f"The entry point {name!r} of {GROUP} is not a Family, but {loaded!r}.")
    return loaded


def families() -> list[Family]:
    """All families of games that are installed."""
    return [family(name) for name in sorted(_entries())]


def game(name: str, encoding: str = "") -> Game:
    """The game that a text names; the same text gives the same object."""
    found = _game(name.strip())
    return found.with_encoding(encoding) if encoding else found


def is_file_name(name: str) -> bool:
    """Whether a text names a game in a Python file, which is run to find it."""
    return ".py:" in name


@lru_cache(maxsize=256)  # a server may be asked for any number of boards
def _game(name: str) -> Game:
    kind, _, board = name.partition(":")
    if is_file_name(name):
        return _game_from_file(name)
    return family(kind).make(board)


def _game_from_file(name: str) -> Game:
    """A game that is a variable (or a function without arguments) in a Python file."""
    from pocketzero.games.base import Game

    file, _, variable = name.rpartition(":")
    module = load_file(Path(file))
    if not hasattr(module, variable):
        names = [word for word, value in vars(module).items() if isinstance(value, Game)]
        raise UnknownName(f"{file} has no {variable!r}. {nearest(variable, names)}Games in it: {names or 'none'}.")
    found = getattr(module, variable)
    if callable(found):
        found = found()
    if not isinstance(found, Game):
        raise BrokenGame(f"{variable!r} in {file} is not a Game, but {type(found).__name__}.")
    return replace(found, name=name)


def load_file(path: Path) -> ModuleType:
    """Import a Python file under a name made from its path, so that its compiled code is found again."""
    if "\0" in str(path) or not path.resolve().is_file():
        raise UnknownName(f"There is no file {str(path)!r}.")
    path = path.resolve()
    name = f"pocketzero_file_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UnknownName(f"{path} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise BrokenGame(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return module
