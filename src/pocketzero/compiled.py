"""Python functions turned into machine code, once per machine.

``@kernel(signature)`` compiles a function with Numba for exactly one signature, without the interpreter lock.
What was compiled is kept in the user's cache folder, so that only the first start is slow. The cache is our own
and small: one file per kernel, named by a digest of everything the machine code depends on (its sources and those
they import, the code itself, the processor), written in one step and checked by a checksum. Whatever is missing,
stale, damaged or unwritable there counts as "not compiled yet" and never as an error.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.core.typeinfer import register_dispatcher

from pocketzero.places import cache_folder

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent
KEPT_FILES = 2000  # a version of the package has one or two hundred


def kernel(signature: Any, *, fastmath: bool = False, inline: bool = False) -> Callable[[Function], Function]:
    """Compile the decorated function for this signature; no bounds checks, no Python, no lock.

    ``fastmath`` lets sums of floats be taken in any order, so that they use the processor's wide registers. ``inline``
    melts the function into the kernels that call it, which pays where many arrays would be handed over.
    """

    def compiled(function: Function) -> Function:
        options = {"nogil": True, "error_model": "numpy", "fastmath": fastmath, "forceinline": inline}
        dispatcher = numba.njit(**options)(function)
        dispatcher._cache = KernelCache(function)
        with register_dispatcher(dispatcher):  # so that a function may call itself
            dispatcher.compile(signature)
        dispatcher.disable_compile()
        return dispatcher

    return compiled


IMPORTED = re.compile(rb"^\s*(?:from|import)\s+pocketzero((?:\.\w+)+)(?:\s+import\s+\(?([\w,\s]+))?", re.MULTILINE)


def _content(file: Path) -> bytes:
    """What a source holds; one that cannot be read (a dangling link, say) holds nothing."""
    try:
        return file.read_bytes()
    except OSError:
        return b""


@cache
def _imported_by(file: Path) -> frozenset[Path]:
    """The modules of the package that a source file imports."""
    found = set()
    for module, names in IMPORTED.findall(_content(file)):
        place = PACKAGE.joinpath(*module.decode().strip(".").split("."))
        inside = [place / f"{name.strip()}.py" for name in names.decode().split(",") if name.strip()]
        found |= {each for each in (place.with_suffix(".py"), place / "__init__.py", *inside) if each.is_file()}
    return frozenset(found)


def _beside(file: Path) -> set[Path]:
    """The sources that a file outside the package may use: its own package, or what lies beside it."""
    folder = file.parent
    if not (folder / "__init__.py").exists():
        return set(folder.glob("*.py"))
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return set(folder.rglob("*.py"))


@cache
def _sources_digest(file: Path) -> str:
    """What a file and all that it imports, directly or not, look like now; code made from others is stale."""
    sources: set[Path] = set()
    waiting = {file} if file.is_relative_to(PACKAGE) else _beside(file)
    while waiting:
        sources |= waiting
        waiting = {each for source in waiting for each in _imported_by(source)} - sources
    digest = hashlib.sha256()
    for source in sorted(sources):
        digest.update(source.name.encode() + b"\0" + _content(source))
    return digest.hexdigest()


@cache
def kernel_folder() -> Path:
    """Where compiled code lies; what has not been written for longest goes when there is too much."""
    folder = cache_folder() / "kernels"
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        files = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime)
        for file in files[:-KEPT_FILES]:
            file.unlink()
    return folder


@cache
def _say_compiling() -> None:
    """Tell the person who waits, once per process, why it takes a moment."""
    print(
        "PocketZero is compiling its code for this machine. This happens once and may take a minute …",
        file=sys.stderr,
        flush=True,
    )


class KernelCache(_Cache):  # type: ignore[misc]
    """Keeps the machine code of one function; the interface is Numba's."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        source = Path(function.__code__.co_filename).resolve()
        self._has_source = source.exists()  # what is typed into a notebook has none, and is compiled each time
        self._sources = _sources_digest(source) if self._has_source else ""

    @property
    def cache_path(self) -> str:
        return str(kernel_folder())

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """The machine code for this signature, or None if it is not there whole."""
        target_context.refresh()
        try:
            content = self._file(sig, target_context.codegen()).read_bytes()
            checksum, payload = content[:32], content[32:]
            if hashlib.sha256(payload).digest() == checksum:
                return CompileResult._rebuild(target_context, *pickle.loads(payload))
        except Exception:  # the cache is only a convenience: any fault in it means compiling again
            pass
        _say_compiling()
        return None

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Keep the machine code, if it can be kept and the folder can be written."""
        if data.lifted or data.library.has_dynamic_globals or not self._has_source:
            return
        payload = dumps(data._reduce())
        with contextlib.suppress(OSError):
            target = self._file(sig, data.codegen)
            target.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as partial:
                partial.write(hashlib.sha256(payload).digest() + payload)
            os.replace(partial.name, target)

    def enable(self) -> None:
        """Always on."""

    def disable(self) -> None:
        """Always on."""

    def flush(self) -> None:
        """Nothing is held back."""

    def _file(self, sig: Any, codegen: Any) -> Path:
        function = self._function
        closure = tuple(cell.cell_contents for cell in function.__closure__ or ())
        depends_on = (
            self._sources,
            function.__module__,
            function.__qualname__,
            str(sig),
            codegen.magic_tuple(),
            numba.__version__,
            sys.version_info[:2],
            function.__code__.co_code.hex(),
            dumps(closure).hex() if closure else "",
        )
        name = hashlib.sha256(repr(depends_on).encode()).hexdigest()[:24]
        return kernel_folder() / f"{function.__name__}-{name}.bin"
