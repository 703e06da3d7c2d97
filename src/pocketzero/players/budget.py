"""Time budgets of compiled searches: a watch that raises a flag which the search looks at."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from pocketzero.bits import Words


@contextmanager
def stop_after(seconds: float | None, flags: Words, place: int) -> Iterator[None]:
    """Set a flag when the time is over; the search does not hold the interpreter's lock, so the watch is punctual."""
    if seconds is None:
        yield
        return
    watch = threading.Timer(min(seconds, threading.TIMEOUT_MAX), flags.__setitem__, (place, 1))
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()
        watch.join()  # it must not end the next search
