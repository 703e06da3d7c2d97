"""Where the package keeps what it can always make again: one folder per user, or a private temporary one."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path


def _user_cache() -> Path:
    """The folder that the user's system sets aside for caches."""
    if chosen := os.environ.get("POCKETZERO_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "pocketzero"


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@cache
def cache_folder() -> Path:
    """The per-user cache folder; a temporary one, gone at exit, where that cannot be written."""
    try:
        folder = _user_cache()
        if _is_writable(folder):
            return folder
    except RuntimeError:  # the user has no home
        pass
    temporary = Path(tempfile.mkdtemp(prefix="pocketzero-"))
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    return temporary
