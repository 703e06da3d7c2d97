"""A run whose lasting copy is at a URL: on shared storage, in an object store, wherever fsspec reaches.

The run works in a folder of this machine. A thread copies to the URL whatever is new there: each file appears under its
name only when it is whole, games before the weights that learned from them. Whoever starts the run with the same URL,
on a machine that has never seen it, fetches that copy and goes on.

One process at a time: each start claims the URL under a number of its own, and looks before every copy whether the
claim still stands. Who gives no sign for a while loses it to the next who comes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pocketzero.errors import PocketZeroError
from pocketzero.nets.files import CHECKPOINTS, WEIGHTS, write_atomically
from pocketzero.training.episodes import SUFFIX
from pocketzero.training.rundir import CONFIG, GAMES, JOURNAL, METRICS, STATE, VERSIONS, check_free

HOLDER = "holder.json"  # at the URL: who writes there, with a mark that changes as long as they do
NAME = "mirror.json"  # in the folder: what it is known by at the URL
PARTIAL = ".partial"
BEAT = 10.0  # seconds between two copies
PATIENCE = 2.5  # beats without a sign from the holder after which it is taken to be dead
CLAIM = 0.1  # beats until a claim is looked at again, since another may have come at the same time
LAST_BEATS = 6.0  # how long the end waits for a copy that does not come to its end
MUTABLE = (METRICS, STATE, VERSIONS, CONFIG)
Stamp = tuple[int, int]


def is_url(text: str) -> bool:
    """Whether a run is named by a URL, rather than a folder."""
    return "://" in text


def folder_of(url: str, runs: Path) -> Path:
    """Where the run of a URL works on this machine."""
    name = url.rstrip("/").rpartition("/")[2] or "run"
    return runs / f"{name}-{hashlib.sha256(url.rstrip('/').encode()).hexdigest()[:8]}"


class TakenOver(PocketZeroError):
    """Somebody else goes on with the run."""


@contextlib.contextmanager
def mirrored(url: str, folder: Path, tell: Callable[[str], None] = lambda _: None) -> Iterator[Mirror]:
    """The folder of a run, fetched from its URL if that is ahead, and copied there as it grows."""
    mirror = Mirror(url, folder, tell)
    mirror.fetch()
    over = threading.Event()
    thread = threading.Thread(target=mirror.keep_up, args=(over,), daemon=True)
    thread.start()
    fault: BaseException | None = None
    try:
        yield mirror
    except BaseException as error:
        fault = error
        raise
    finally:
        over.set()
        thread.join(BEAT * LAST_BEATS)
        try:
            mirror.finish(stuck=thread.is_alive())
        except PocketZeroError as error:
            if fault is None:
                raise
            tell(str(error))  # what went wrong first is what matters


class Mirror:
    """One folder and its copy."""

    def __init__(self, url: str, folder: Path, tell: Callable[[str], None] = lambda _: None) -> None:
        self.url, self.folder = url, folder
        self._tell = tell
        self._storage, self._root = _storage(url)
        self._sent: dict[str, Stamp] = {}
        self._start, self._name = uuid.uuid4().hex, ""
        self._fault = ""
        self._signed = 0.0  # when the claim was last renewed
        self.when_lost: Callable[[], object] = lambda: None  # called when somebody else has taken the run over

    def fetch(self) -> None:
        """Claim the run, and bring the folder up to date unless the copy came from this very folder."""
        with self._named("read"):
            names, holder = self._names(), self._holder()
            if holder.get("held"):
                self._check_alive(holder)
        ours = bool(holder) and holder.get("name") == self._known_name() and (self.folder / CONFIG).exists()
        with self._named("written"):
            self._claim(new_name=not ours)
        with self._named("read"):
            if ours:
                shards = [(name, stamp) for name, stamp in self._stamps().items() if name.startswith(GAMES)]
                self._sent = {name: stamp for name, stamp in shards if names.get(name) == stamp[0]}
            elif CONFIG in names:
                self._set_aside()
                for name in sorted(names, key=lambda name: name == CONFIG):  # without its settings it is no run yet
                    write_atomically(self.folder / name, self._storage.cat_file(f"{self._root}/{name}"))
                    self._sent[name] = self._stamp(name)
                    self._sign()
            write_atomically(self.folder / NAME, json.dumps({"name": self._name}).encode())

    def _names(self) -> dict[str, int]:
        """The whole files of the copy, by their paths in the run, with their sizes."""
        self._storage.invalidate_cache()
        try:
            found = self._storage.find(self._root, detail=True)
        except FileNotFoundError:
            return {}
        names = {str(path).removeprefix(f"{self._root}/"): about["size"] for path, about in found.items()}
        return {name: size for name, size in names.items() if name != HOLDER and not name.endswith(PARTIAL)}

    def _holder(self) -> dict[str, Any]:
        self._storage.invalidate_cache()
        with contextlib.suppress(FileNotFoundError, ValueError):
            return dict(json.loads(self._storage.cat_file(f"{self._root}/{HOLDER}")))
        return {}

    def _known_name(self) -> str | None:
        """What this folder is known by at the URL, if it ever was."""
        with contextlib.suppress(OSError, ValueError, KeyError):
            return str(json.loads((self.folder / NAME).read_bytes())["name"])
        return None

    def _check_alive(self, holder: dict[str, Any]) -> None:
        """Make sure that the holder has died: at once if it ran in this folder, else by waiting for a sign of it."""
        if holder.get("name") == self._known_name() and holder.get("host") == socket.gethostname():
            check_free(self.folder)
            return
        threading.Event().wait(BEAT * PATIENCE)
        if self._holder().get("mark") != holder.get("mark"):
            raise self._taken_by(holder)

    def _taken_by(self, holder: dict[str, Any]) -> TakenOver:
        return TakenOver(f"{holder.get('host')} is training in {self.url} (from its folder {holder.get('folder')}).")

    def _claim(self, *, new_name: bool) -> None:
        """Say that the run is ours, and see after a moment whether somebody else has said so meanwhile."""
        self._name = uuid.uuid4().hex if new_name else str(self._known_name())
        self._write_holder(held=True)
        threading.Event().wait(BEAT * CLAIM)
        self._check_claim()

    def _check_claim(self) -> None:
        holder = self._holder()
        if holder.get("start") != self._start:
            raise self._taken_by(holder)

    def _sign(self) -> None:
        """Renew the claim when it is time."""
        if time.monotonic() - self._signed > BEAT:
            self._check_claim()
            self._write_holder(held=True)

    def _write_holder(self, *, held: bool) -> None:
        about = {"host": socket.gethostname(), "folder": str(self.folder.resolve()), "name": self._name}
        mark = {"start": self._start, "held": held, "mark": uuid.uuid4().hex}
        self._write(HOLDER, json.dumps({**about, **mark}).encode(), f".{self._start}{PARTIAL}")
        self._signed = time.monotonic()

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
            except TakenOver as error:
                self._fault = str(error)
                self.when_lost()
                return
            except PocketZeroError as error:
                if not self._fault:
                    self._tell(f"{error} The run goes on in {self.folder}, and copying is tried again.")
                self._fault = str(error)

    def finish(self, *, stuck: bool = False) -> None:
        """The last copy; after it the run is free for others. A copy that is stuck is not waited for any longer."""
        try:
            if stuck:
                raise PocketZeroError(f"The storage at {self.url} does not answer.")
            self.push()
            with self._named("written"):
                self._write_holder(held=False)
        except TakenOver as error:
            raise PocketZeroError(f"{error} What this machine did since is in {self.folder} only.") from None
        except PocketZeroError as error:
            raise PocketZeroError(f"{error} The run is whole in {self.folder}; the same command copies it.") from None

    def push(self) -> None:
        """Copy what is new, remove what is gone."""
        with self._named("written"):
            self._check_claim()
            self._write_holder(held=True)
            if not (self.folder / CONFIG).exists():
                return
            journal = self._read(JOURNAL)  # first: games that reach a shard meanwhile are then in both, which is known
            stamps = self._stamps()
            for name, stamp in stamps.items():
                if self._sent.get(name) != stamp and (data := self._read(name)) is not None:
                    self._write(name, data)
                    self._sent[name] = stamp
                    self._sign()
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

    def _write(self, name: str, data: bytes, partial: str = PARTIAL) -> None:
        """Write under another name first, so that nobody ever sees half a file; of several who claim, each its own."""
        place = f"{self._root}/{name}"
        self._storage.makedirs(place.rpartition("/")[0], exist_ok=True)
        self._storage.pipe_file(place + partial, data)
        self._storage.mv(place + partial, place)

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
