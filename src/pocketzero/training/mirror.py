"""A run whose lasting copy is at a URL: on shared storage, in an object store, wherever fsspec reaches.

The run works in a folder of this machine. A thread copies to the URL whatever is new there: each file appears under its
name only when it is whole, games before the weights that learned from them. Whoever starts the run with the same URL,
on a machine that has never seen it, fetches that copy and goes on.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import socket
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pocketzero.errors import PocketZeroError
from pocketzero.nets.files import CHECKPOINTS, WEIGHTS, write_atomically
from pocketzero.training.episodes import SUFFIX
from pocketzero.training.rundir import CONFIG, GAMES, JOURNAL, METRICS, STATE, VERSIONS

HOLDER = "holder.json"  # at the URL: who writes there, with a mark that changes as long as they do
PARTIAL = ".partial"
BEAT = 10.0  # seconds between two copies
PATIENCE = 2.5  # beats without a sign from the holder after which it is taken to be dead
MUTABLE = (METRICS, STATE, VERSIONS, CONFIG)
Stamp = tuple[int, int]


def is_url(text: str) -> bool:
    """Whether a run is named by a URL, rather than a folder."""
    return "://" in text


def folder_of(url: str, runs: Path) -> Path:
    """Where the run of a URL works on this machine."""
    name = url.rstrip("/").rpartition("/")[2] or "run"
    return runs / f"{name}-{hashlib.sha256(url.rstrip('/').encode()).hexdigest()[:8]}"


@contextlib.contextmanager
def mirrored(url: str, folder: Path, tell: Callable[[str], None] = lambda _: None) -> Iterator[Path]:
    """The folder of a run, fetched from its URL if that is ahead, and copied there as it grows."""
    mirror = Mirror(url, folder, tell)
    mirror.fetch()
    over = threading.Event()
    thread = threading.Thread(target=mirror.keep_up, args=(over,), daemon=True)
    thread.start()
    try:
        yield folder
    finally:
        over.set()
        thread.join()
        mirror.finish()


class Mirror:
    """One folder and its copy."""

    def __init__(self, url: str, folder: Path, tell: Callable[[str], None] = lambda _: None) -> None:
        self.url, self.folder = url, folder
        self._tell = tell
        self._storage, self._root = _storage(url)
        self._sent: dict[str, Stamp] = {}
        self._us = {"host": socket.gethostname(), "folder": str(folder.resolve())}
        self._fault = ""

    def fetch(self) -> None:
        """Bring the folder up to date, unless the copy came from this very folder."""
        with self._named("read"):
            names = self._names()
            holder = self._holder()
            if holder.get("held") and not self._is_us(holder):
                self._check_alive(holder)
            if CONFIG not in names or (self._is_us(holder) and (self.folder / CONFIG).exists()):
                return
            self._set_aside()
            for name in sorted(names, key=lambda name: name == CONFIG):  # without its settings it is no run yet
                write_atomically(self.folder / name, self._storage.cat_file(f"{self._root}/{name}"))
                self._sent[name] = self._stamp(name)

    def _names(self) -> list[str]:
        """The whole files of the copy, by their paths in the run."""
        self._storage.invalidate_cache()
        try:
            found = self._storage.find(self._root)
        except FileNotFoundError:
            return []
        names = [str(path).removeprefix(f"{self._root}/") for path in found]
        return [name for name in names if name != HOLDER and not name.endswith(PARTIAL)]

    def _holder(self) -> dict[str, Any]:
        with contextlib.suppress(FileNotFoundError, ValueError):
            return dict(json.loads(self._storage.cat_file(f"{self._root}/{HOLDER}")))
        return {}

    def _is_us(self, holder: dict[str, Any]) -> bool:
        return {name: holder.get(name) for name in self._us} == self._us

    def _check_alive(self, holder: dict[str, Any]) -> None:
        """Wait for a sign of the holder; without one it has died, and the run is ours."""
        threading.Event().wait(BEAT * PATIENCE)
        self._storage.invalidate_cache()
        if self._holder().get("mark") != holder.get("mark"):
            raise PocketZeroError(f"{holder['host']} is training in {self.url} (from its folder {holder['folder']}).")

    def _set_aside(self) -> None:
        """Keep what an earlier run left in the folder; others have gone on from the copy since."""
        if not (self.folder / CONFIG).exists():
            return
        number = 1
        while (aside := self.folder.with_name(f"{self.folder.name}.old-{number}")).exists():
            number += 1
        self.folder.rename(aside)
        self._tell(f"The run in {self.url} went on elsewhere; what was in {self.folder} is now in {aside}.")

    def keep_up(self, over: threading.Event) -> None:
        """Copy what is new, again and again; storage that is away for a while delays the copy, not the run."""
        while not over.wait(BEAT):
            try:
                self.push()
                self._fault = ""
            except PocketZeroError as error:
                if not self._fault:
                    self._tell(f"{error} The run goes on in {self.folder}, and copying is tried again.")
                self._fault = str(error)

    def finish(self) -> None:
        """The last copy."""
        try:
            self.push(held=False)
        except PocketZeroError as error:
            raise PocketZeroError(f"{error} The run is whole in {self.folder}; the same command copies it.") from None

    def push(self, *, held: bool = True) -> None:
        """Copy what is new, remove what is gone."""
        if not (self.folder / CONFIG).exists():
            return
        with self._named("written"):
            self._write(HOLDER, json.dumps({**self._us, "held": held, "mark": uuid.uuid4().hex}).encode())
            journal = self._read(JOURNAL)  # first: games that reach a shard meanwhile are then in both, which is known
            stamps = self._stamps()
            for name, stamp in stamps.items():
                if self._sent.get(name) != stamp and (data := self._read(name)) is not None:
                    self._write(name, data)
                    self._sent[name] = stamp
            if journal is not None:
                self._write(JOURNAL, journal)
            for name in [name for name in self._sent if name.startswith(CHECKPOINTS) and name not in stamps]:
                with contextlib.suppress(FileNotFoundError):
                    self._storage.rm_file(f"{self._root}/{name}")
                del self._sent[name]

    def _stamps(self) -> dict[str, Stamp]:
        """The files to be copied, in this order, with what tells that they have changed."""
        paths = [*sorted((self.folder / GAMES).glob(f"*{SUFFIX}"))]
        paths += sorted((self.folder / CHECKPOINTS).glob(f"*{WEIGHTS}"), reverse=True)  # nets before the learners
        paths += [self.folder / name for name in MUTABLE]
        found = {}
        for path in paths:
            name = path.relative_to(self.folder).as_posix()
            with contextlib.suppress(FileNotFoundError):
                found[name] = self._stamp(name)
        return found

    def _stamp(self, name: str) -> Stamp:
        about = (self.folder / name).stat()
        return about.st_size, about.st_mtime_ns

    def _read(self, name: str) -> bytes | None:
        """A file of the folder; None if it is gone."""
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / name).read_bytes()
        return None

    def _write(self, name: str, data: bytes) -> None:
        """Write under another name first, so that nobody ever sees half a file."""
        place = f"{self._root}/{name}"
        self._storage.makedirs(place.rpartition("/")[0], exist_ok=True)
        self._storage.pipe_file(place + PARTIAL, data)
        self._storage.mv(place + PARTIAL, place)

    @contextlib.contextmanager
    def _named(self, doing: str) -> Iterator[None]:
        """Errors that name the URL; each kind of storage has errors of its own."""
        try:
            yield
        except PocketZeroError:
            raise
        except Exception as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise PocketZeroError(f"The run at {self.url} cannot be {doing}: {reason}.") from error


def _storage(url: str) -> tuple[Any, str]:
    """The storage behind a URL, and the path there."""
    try:
        import fsspec
    except ImportError:
        raise PocketZeroError("A run at a URL needs fsspec: pip install 'pocketzero[train]'.") from None
    try:
        storage, root = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError, OSError) as error:
        raise PocketZeroError(f"The run cannot be kept at {url}: {error}") from None
    return storage, root.rstrip("/")
