"""Gating: a net that has learned meets the net that plays, and takes its place only if it has earned it.

The net that plays is the *accepted* one, the newest the *candidate*. What a mode does with a candidate that fails is
what tells it apart: ``gate`` and ``competition`` go back to the accepted net and learn on from there, ``cumulative``
lets the candidate learn on until it succeeds. Each decision becomes part of the state of learning in the one write
that carries it out, so a process that dies has either made it or not; the games of the match are kept as they end.
"""

from __future__ import annotations

import threading
from typing import Any

from pocketzero.arena.match import Match, MatchPlan, MatchResult
from pocketzero.arena.store import Store
from pocketzero.games import Game
from pocketzero.nets.files import checkpoint_path, load_net, write_atomically
from pocketzero.training.config import GatingOptions
from pocketzero.training.learner import Learner
from pocketzero.training.rundir import RunDir, read_metrics
from pocketzero.training.workers import Playing

KIND = "gate"  # of the decisions in the metrics
NOBODY = -1


class Gate:
    """Decides which net plays; nets are known by the steps they have learned."""

    def __init__(self, options: GatingOptions, board: Game, folder: RunDir) -> None:
        self.options = options
        self.accepted = NOBODY
        self.judged = NOBODY  # the newest net that was a candidate
        self._before = NOBODY  # who was accepted before; an older state of learning may need it
        self._decision: dict[str, Any] = {}
        self._board = board
        self._folder = folder

    @property
    def is_on(self) -> bool:
        """Whether nets have to pass a gate."""
        return self.options.mode != "none"

    @property
    def kept(self) -> set[int]:
        """The nets that must not be removed."""
        return {self.accepted, self._before} - {NOBODY}

    def playing(self, step: int) -> int:
        """The net that plays when the newest has learned so many steps."""
        return self.accepted if self.is_on else step

    def waits_for(self, step: int) -> bool:
        """Whether a net is a candidate that has not been judged."""
        return self.is_on and step != self.judged

    def notes(self) -> dict[str, Any]:
        """What a resumed run must know."""
        if not self.is_on:
            return {}
        return {
            "accepted": self.accepted,
            "before": self._before,
            "judged": self.judged,
            "decision": self._decision,
        }

    def read(self, notes: dict[str, Any]) -> None:
        """Go on from the notes of an earlier process; a run that had no gate has none."""
        if self.is_on and notes:
            self.accepted, self._before, self.judged = notes["accepted"], notes["before"], notes["judged"]
            self._decision = notes["decision"]

    def accept(self, step: int) -> None:
        """From now on this net plays."""
        self.accepted, self._before, self.judged = step, self.accepted, step

    def seat(self, workers: Playing) -> None:
        """Let the accepted net play, and show it as the best."""
        path = checkpoint_path(self._folder.path, self.accepted)
        workers.set_net(load_net(path), self.accepted)
        best, data = self._folder.best_path(), path.read_bytes()
        if not best.exists() or best.read_bytes() != data:
            write_atomically(best, data)

    def judge(self, step: int, seconds: float, stop: threading.Event) -> bool:
        """Let a candidate meet the accepted net; gives whether there was a decision, or somebody stopped the match."""
        result = self._match(step, stop)
        if len(result.games) < self.options.games:
            return False
        passed = self._has_passed(result)
        self._decision = {
            "seconds": seconds,
            "step": step,
            "against": self.accepted,
            "mode": self.options.mode,
            "passed": passed,
            "games": len(result.games),
            "wins": result.wins_a,
            "losses": result.wins_b,
            "draws": result.draws,
            "score": round(result.estimate.score, 4),
        }
        if passed:
            self.accept(step)
        self.judged = step
        return True

    def settle(self, learner: Learner) -> None:
        """Learning goes on from the candidate, unless it has failed and the mode drops it."""
        if self.accepted != self.judged and self.options.mode != "cumulative":
            learner.return_to(self._folder.learner_path(self.accepted))

    def note(self) -> None:
        """Write the last decision to the metrics, once."""
        noted = (line for line in read_metrics(self._folder.path) if line.get("kind") == KIND)
        if self._decision and not any(self._decision.items() <= line.items() for line in noted):
            self._folder.note(KIND, **self._decision)

    def _match(self, step: int, stop: threading.Event) -> MatchResult:
        """The games between the two, or what is left of them."""
        options = self.options
        plan = MatchPlan(
            game=self._board,
            a=self._player(step),
            b=self._player(self.accepted),
            games=options.games,
            openings=f"random:{options.turns}",
            seed=step,
        )
        store = Store(self._folder.path / "arena.sqlite")
        try:
            match = Match(plan, store)
            return match.play(lambda _: match.stop() if stop.is_set() else None)
        finally:
            store.close()

    def _player(self, step: int) -> str:
        net = f"{self._folder.path}@{step}"
        text = f"zero:{net},sims={self.options.sims}" if self.options.sims else f"net:{net}"
        return f"{text},{self.options.options}" if self.options.options else text

    def _has_passed(self, result: MatchResult) -> bool:
        """Whether the candidate plays from now on.

        A competition goes to whoever wins more games; when both win as many, the thesis's table 5.1 names the newer
        net, but its next row shows that the older one stayed.
        """
        if self.options.mode == "competition":
            return result.wins_a > result.wins_b
        return result.wins_a + result.draws / 2 >= self.options.threshold * len(result.games) - 1e-9
