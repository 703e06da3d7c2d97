"""Everything that a server has: its games, players, analyses and runs, made at the start and closed at the end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pocketzero.app.analysis.desk import Desk
from pocketzero.app.server.engines import Engines
from pocketzero.app.server.limits import Limits
from pocketzero.app.server.runs import Runs
from pocketzero.app.server.store import Store
from pocketzero.app.server.tables import Tables
from pocketzero.errors import PocketZeroError
from pocketzero.players.spec import all_kinds


class Busy(PocketZeroError):
    """The server does as much as it may; the same request may succeed later."""


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What the owner of a server decides."""

    games: Path | None = None
    """The file of games; None keeps them in memory."""
    runs: Path = Path("runs")
    """The folder of training runs."""
    hosts: tuple[str, ...] = ()
    """Names besides those of the loopback under which the server is known."""
    net: str = ""
    """The net for analysis; without it, the one that ships for the game, or random games."""
    limits: Limits = field(default_factory=Limits)


class House:
    """All parts of one server."""

    def __init__(self, setup: Setup) -> None:
        all_kinds()  # compiled now rather than at somebody's first move
        self.setup = setup
        self.limits = setup.limits
        self.store = Store(setup.games, most_games=self.limits.stored_games)
        self.engines = Engines(self.limits.engine_seconds)
        self.runs = Runs(setup.runs)
        self.tables = Tables(self.store, self.engines, self.limits, self.runs.nets)
        self.desk = Desk()
        self.sockets = 0
        self._analyses = 0
        self._lock = threading.Lock()

    @property
    def analyses(self) -> int:
        """How many analyses and reviews there are now."""
        return self._analyses

    def begin_analysis(self) -> None:
        """Take one of the places for analyses, or say that there is none."""
        with self._lock:
            if self._analyses >= self.limits.analyses:
                raise Busy(f"{self._analyses} analyses are under way, which is as many as there may be; try later.")
            self._analyses += 1

    def end_analysis(self) -> None:
        """Give the place back."""
        with self._lock:
            self._analyses -= 1

    @contextmanager
    def analysing(self) -> Iterator[None]:
        """One of the places for analyses, for as long as it is needed."""
        self.begin_analysis()
        try:
            yield
        finally:
            self.end_analysis()

    def rest(self) -> None:
        """Think no more, so that no request waits for an answer."""
        self.engines.close()
        self.desk.close()

    def close(self) -> None:
        """End everything."""
        self.rest()
        self.runs.close()
        self.store.close()
