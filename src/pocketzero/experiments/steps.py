"""The steps of which experiments are made: training runs, matches, and whatever else is computed once and kept.

Everything lies in the folder of the experiment. Training runs and matches go on where they stopped by themselves; what
a finished step found is kept in ``steps/``, so that an experiment that was killed and is started again passes over it.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocketzero.arena.match import Match, MatchPlan, MatchResult
from pocketzero.arena.store import Played, Store
from pocketzero.errors import PocketZeroError, need_finite
from pocketzero.experiments.comparison import Share
from pocketzero.games import game as find_game
from pocketzero.nets.files import checkpoint_files, write_atomically

if TYPE_CHECKING:
    from pocketzero.training.loop import Run

STEPS, RUNS, RESULTS, TIMES = "steps", "training", "arena.sqlite", "times.json"
DEFAULT_MINUTES = 30.0  # of an experiment, unless the paper's own numbers are wanted
SAYS_EVERY, KEEPS_EVERY = 5.0, 2.0  # seconds


class Interrupted(PocketZeroError):
    """Somebody stopped an experiment; the same command goes on."""


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What the person who starts an experiment wants of it."""

    scale: str = "default"
    budget: float = 0.0  # minutes; 0 for the default, or for no end with the paper's own numbers
    games: int = 0  # of each match, in place of the experiment's own number
    engines: tuple[str, ...] = ()  # players that take part beside the experiment's own
    positions: Path | None = None  # a file of positions, where an experiment needs one
    settings: Path | None = None  # the 2022 thesis's file of settings

    def __post_init__(self) -> None:
        need_finite("The budget", self.budget)


@dataclass(frozen=True)
class Score:
    """What came of a match, seen from its first player."""

    games: tuple[tuple[str, float], ...]  # who began, "a" or "b", and the points of a
    extra: Any = None

    def wins(self, first: str = "") -> Share:
        """Games that a won, of all or of those that ``first`` began."""
        return self._share(1.0, first)

    def losses(self, first: str = "") -> Share:
        """Games that b won."""
        return self._share(0.0, first)

    def _share(self, points: float, first: str) -> Share:
        chosen = [each for began, each in self.games if not first or began == first]
        return Share(sum(each == points for each in chosen), len(chosen))

    @property
    def points(self) -> Share:
        """The points of a, in halves, of those there were."""
        return Share(round(sum(2 * each for _, each in self.games)), 2 * len(self.games))


class Lab:
    """Where one experiment happens."""

    def __init__(
        self,
        folder: Path,
        wishes: Wishes,
        *,
        watch: Callable[[Run], AbstractContextManager[None]] | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.folder = folder
        self.wishes = wishes
        self.stop = threading.Event()
        self.players: dict[str, str] = {}  # the settings of the training runs, for the report
        self._watch = watch or (lambda _: nullcontext())
        self._say = say or (lambda words: print(words, file=sys.stderr, flush=True))
        self._run: Run | None = None
        try:
            (folder / STEPS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PocketZeroError(f"The experiment cannot be kept in {folder}: {error.strerror}.") from None
        self.times: dict[str, float] = _read_json(folder / TIMES) or {}

    @property
    def minutes(self) -> float:
        """The whole budget."""
        return self.wishes.budget or (math.inf if self.wishes.scale == "paper" else DEFAULT_MINUTES)

    def games(self, number: int) -> int:
        """How many games a match has: what was wished for, or the experiment's own number; always even."""
        wanted = self.wishes.games or number
        return max(2, wanted + wanted % 2)

    def say(self, words: str) -> None:
        """Progress, for whoever waits."""
        self._say(f"{time.strftime('%H:%M:%S')} {words}")

    def interrupt(self) -> None:
        """Ask for an end; what is finished is kept."""
        self.stop.set()
        if self._run is not None:
            self._run.stop.set()

    def _go_on(self) -> None:
        if self.stop.is_set():
            raise Interrupted("The experiment was stopped. The same command goes on from here.")

    # Steps

    def once(self, name: str, work: Callable[[], Any], *inputs: object) -> Any:
        """What ``work`` gives, computed only if it is not known yet for these inputs and this budget; plain JSON."""
        path = self.folder / STEPS / f"{slug(name)}-{digest(name, self.minutes, *inputs)}.json"
        known = _read_json(path)
        if known is not None:
            return known["found"]
        self._go_on()
        with self._timed(name):
            found = work()
        self._go_on()
        write_atomically(path, json.dumps({"step": name, "found": found}).encode())
        return found

    def train(self, name: str, game: str, changes: Sequence[str], *, share: float, init: Path | None = None) -> Path:
        """A training run, with the settings of the default preset changed like this, for its share of the budget."""
        from pocketzero.training.config import load_config
        from pocketzero.training.loop import Run

        folder = self.folder / RUNS / slug(name)
        self.players[name] = " ".join([game, *changes])
        minutes = max(0.01, min(share * self.minutes, 1e6))
        device = "auto" if self.wishes.scale == "paper" else "openvino"  # small nets gain nothing from a trial
        wanted = ["measure.minutes=0", "keep=1000", f"device={device}", *changes, f"minutes={minutes!r}"]

        def work() -> float:
            self.say(f"training {name} on {game}, at most {minutes:.1f} minutes")
            run = self._run = Run(load_config(game, preset="default", changes=wanted), folder, init=str(init or ""))
            try:
                with self._watch(run):
                    status = run.run()
            finally:
                self._run = None
            if not status.finished:
                self.stop.set()
            return status.seconds

        self.times[f"training {name}"] = self.once(f"training {name}", work, game, changes)
        self._keep_times()
        if not checkpoint_files(folder):
            raise PocketZeroError(
                f"The {minutes:.1f} minutes of {name} were over before it had learned anything; give a larger --budget."
            )
        return folder

    def match(
        self,
        a: str,
        b: str,
        game: str,
        games: int,
        *,
        share: float,
        openings: str = "random:0",
        seed: int = 0,
        extra: Callable[[MatchResult], Any] | None = None,
    ) -> Score:
        """Games between two players, each opening from both sides, as many as fit into the share of the budget."""
        plan = MatchPlan(game=find_game(game), a=a, b=b, games=games, openings=openings, seed=seed)
        title = f"{self.short(a)} against {self.short(b)} on {game}"

        def work() -> dict[str, Any]:
            result = self._play(plan, title, share * self.minutes * 60)
            return {
                "games": [[each.first, each.points_a] for each in result.games],
                "extra": extra(result) if extra and not self.stop.is_set() else None,
            }

        found = self.once(title, work, a, b, game, games, openings, seed)
        return Score(tuple((first, points) for first, points in found["games"]), found["extra"])

    def _play(self, plan: MatchPlan, title: str, seconds: float) -> MatchResult:
        begin, said = time.monotonic(), -math.inf
        store = Store(self.folder / RESULTS)
        try:
            match = Match(plan, store)

            def look(result: MatchResult) -> None:
                nonlocal said
                now = time.monotonic()
                if self.stop.is_set() or (now - begin > seconds and len(result.games) > 1):
                    match.stop()
                if now - said > SAYS_EVERY:
                    said = now
                    self.say(f"{title}: {len(result.games)} of {plan.games} games")

            return match.play(look)
        finally:
            store.close()

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        """The time of a step, kept now and then, so that a process that dies has counted what it did."""
        before, begin, over = self.times.get(name, 0.0), time.monotonic(), threading.Event()

        def count() -> None:
            self.times[name] = before + time.monotonic() - begin
            self._keep_times()

        def keep() -> None:
            while not over.wait(KEEPS_EVERY):
                count()

        thread = threading.Thread(target=keep, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            count()

    def _keep_times(self) -> None:
        write_atomically(self.folder / TIMES, json.dumps(self.times).encode())

    def short(self, player: str) -> str:
        """A player's text without the folder of the experiment."""
        return player.replace(f"{self.folder / RUNS}/", "")


def final_positions(result: MatchResult) -> Iterator[tuple[Played, Any]]:
    """The games of a match with their last positions."""
    start = result.plan.game.start()
    for each in result.games:
        yield each, start.play_line(each.moves)


def digest(*words: object) -> str:
    """A short name for these words."""
    return hashlib.sha256(repr(words).encode()).hexdigest()[:12]


def slug(words: str) -> str:
    """Words as the name of a file."""
    return re.sub(r"[^A-Za-z0-9]+", "-", words).strip("-")[:60].lower()


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None
