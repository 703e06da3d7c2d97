"""One analysis: a search in slices beside an exact solver, with reports while it goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from pocketzero.app.analysis.desk import SLICE_SECONDS, Task
from pocketzero.app.analysis.evaluators import evaluator_for
from pocketzero.app.analysis.exact import TRY_SECONDS, ExactValues
from pocketzero.app.analysis.report import Report, net_opinion, report_of
from pocketzero.errors import PocketZeroError
from pocketzero.games import Position
from pocketzero.players.base import family_of
from pocketzero.search import Search, SearchResult

PATIENCE = 0.7  # seconds without a sign of the reader after which the search rests


class Analysis(Task):
    """Searches until a limit, a proof, a full tree or ``stop``; tells its reports to whoever asked."""

    def __init__(
        self,
        position: Position,
        tell: Callable[[Report], None],
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        every: float = SLICE_SECONDS,
        priority: int = 0,
        net: str = "",
        only: Sequence[str] | None = None,
        seed: int = 0,
        waits_for_reader: bool = False,
    ) -> None:
        if position.is_over:
            raise PocketZeroError("There is nothing to analyse: the game is over.")
        self.position = position
        self.priority = priority
        self._tell = tell
        self._simulations, self._seconds = simulations, seconds
        self._every = every
        self._net, self._seed = net, seed
        self._only = [position.play(move).actions[position.ply] for move in only or ()]
        self._waits = waits_for_reader
        self._unread_since: float | None = None
        self._search: Search | None = None
        self._opinion: Report = {}
        self._exact = ExactValues(position)
        self._last_told = 0.0
        self._stopped = threading.Event()

    def stop(self) -> None:
        """End within a slice; nothing is told afterwards."""
        self._stopped.set()
        if self._search is not None:
            self._search.stop()

    @property
    def is_stopped(self) -> bool:
        """Whether somebody has stopped it."""
        return self._stopped.is_set()

    def was_read(self) -> None:
        """The reader has taken in the last report and is there for the next."""
        self._unread_since = None

    def is_ready(self) -> bool:
        """An analysis whose reader has fallen silent rests, and costs nothing, until it is heard again."""
        return self._unread_since is None or time.monotonic() - self._unread_since < PATIENCE

    def fail(self, reason: str) -> None:
        """Say that it is over."""
        if not self.is_stopped:
            self._tell({"state": "failed", "error": reason})

    def work(self) -> bool:
        """One slice of searching, or of solving while that may help."""
        if self.is_stopped:
            return False
        search = self._begun()
        if self._exact.is_open:
            self._exact.try_for(TRY_SECONDS)
        limits = self._limits(search)
        state = "running"
        if limits is None:
            result, state = search.report(), "done"
        else:
            result = search.run(sims=limits[0], seconds=limits[1])
            if result.stopped in ("proven", "nodes"):
                state = "running" if self._exact.is_open else {"proven": "proven", "nodes": "full"}[result.stopped]
            elif self._limits(search) is None:
                state = "done"
        if self.is_stopped:
            return False
        self._report(result, state)
        return state == "running"

    def _begun(self) -> Search:
        if self._search is None:
            chosen = evaluator_for(self.position.game, self._net)
            self._evaluator_name = chosen.name
            self._search = Search(
                self.position, chosen.evaluator, chosen.settings, only=self._only or None, seed=self._seed
            )
            self._opinion = net_opinion(chosen.net, self.position)
            if "owners" not in self._opinion and family_of(self.position.game) == "dots":
                from pocketzero.app.analysis.playouts import owners_by_hard

                self._opinion = {**owners_by_hard(self.position), **self._opinion}
        return self._search

    def _limits(self, search: Search) -> tuple[int | None, float] | None:
        """The simulations and seconds of the next slice, or None if the limits are reached."""
        sims = None if self._simulations is None else self._simulations - search.simulations
        seconds = SLICE_SECONDS if self._seconds is None else min(SLICE_SECONDS, self._seconds - search.seconds)
        if (sims is not None and sims <= 0) or seconds <= 0.001:
            return None
        return sims, seconds

    def _report(self, result: SearchResult, state: str) -> None:
        now = time.monotonic()
        is_early = now - self._last_told < self._every - SLICE_SECONDS / 2  # the end of a later slice is nearer
        if state == "running" and (is_early or self._unread_since is not None):
            return
        self._last_told = now
        report = report_of(result, self._exact.values)
        if self._waits:  # from now on, however long the report took
            self._unread_since = time.monotonic()
        self._tell({"state": state, "evaluator": self._evaluator_name, **self._opinion, **report})
