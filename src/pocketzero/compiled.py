"""Python functions turned into machine code, once per machine.

``@kernel(signature)`` compiles a function with Numba for exactly one signature, without the interpreter lock.
What was compiled is kept in the user's cache folder, so that only the first start is slow. The cache is our own
and small: one file per kernel, named by a digest of everything the machine code depends on (the sources of the
package, the code itself, the processor), written in one step and checked by a checksum. Whatever is missing,
stale, damaged or unwritable there counts as "not compiled yet" and never as an error.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from pocketzero.places import cache_folder

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent
KEPT_VERSIONS = 4  # how many versions of the package keep their compiled code


def kernel(signature: Any) -> Callable[[Function], Function]:
    """Compile the decorated function for this signature; no bounds checks, no Python, no lock."""

    def compiled(function: Function) -> Function:
        dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
        dispatcher._cache = KernelCache(function)
        dispatcher.compile(signature)
        dispatcher.disable_compile()
        return dispatcher

    return compiled


def _digest_of(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        with contextlib.suppress(OSError):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:20]


@cache
def _sources_digest(folder: Path) -> str:
    """What the sources of a package, or beside a single file, are now; machine code made from others is stale."""
    is_package = (folder / "__init__.py").exists()
    return _digest_of(folder.rglob("*.py") if is_package else folder.glob("*.py"))


def _home_of(source: Path) -> Path:
    """The outermost package that a source file belongs to, or its folder."""
    folder = source.parent
    while (folder / "__init__.py").exists() and (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return folder


@cache
def kernel_folder() -> Path:
    """Where the compiled code of this version of the package lies; the oldest versions are cleared away."""
    folder = cache_folder() / "kernels" / _sources_digest(PACKAGE)
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        versions = sorted(folder.parent.iterdir(), key=lambda version: version.stat().st_mtime)
        for version in versions[:-KEPT_VERSIONS]:
            shutil.rmtree(version, ignore_errors=True)
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
        self._sources = _sources_digest(_home_of(source)) if self._has_source else ""

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
