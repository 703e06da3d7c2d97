"""Matches: every opening is played twice with sides changed, over all cores, and every game counts exactly once.

Workers are threads: compiled players and evaluators run without Python's lock. Each worker has players of its own. A
crew of actors may play in their place, on a cluster.
Game number 2i and 2i + 1 share opening i; what is left to chance in a game comes from the match's seed and the game's
number, so it does not matter who plays it or when.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pocketzero import __version__
from pocketzero.arena.elo import Estimate, Sprt, estimate
from pocketzero.arena.openings import Openings, openings
from pocketzero.arena.store import MatchKey, Played, Store
from pocketzero.bits import mix
from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Outcome, Position
from pocketzero.players.base import Forfeit, Player
from pocketzero.players.spec import is_at_terminal, make_player

if TYPE_CHECKING:
    from pocketzero.arena.crew import MatchCrew


@dataclass(frozen=True, kw_only=True)
class MatchPlan:
    """What is to be played."""

    game: Game
    a: str
    b: str
    games: int = 200
    openings: str = "random:4"
    seed: int = 0
    sprt: Sprt | None = None
    workers: int = 0  # 0 for as many as there are cores

    def __post_init__(self) -> None:
        if self.games < 2 or self.games % 2:
            raise PocketZeroError("A match has an even number of games, at least 2: each opening is played twice.")
        if self.workers < 0:
            raise PocketZeroError("The number of workers cannot be negative.")

    @property
    def most_workers(self) -> int:
        """How many games are played at once, at the most: a person plays one after the other."""
        if is_at_terminal(self.a, self.game) or is_at_terminal(self.b, self.game):
            return 1
        return min(self.workers or os.cpu_count() or 1, self.games)


@dataclass(frozen=True)
class MatchResult:
    """What came of a match so far."""

    plan: MatchPlan
    games: tuple[Played, ...]
    decided: str = ""  # what the sequential test decided, if it did

    @property
    def wins_a(self) -> int:
        """Games that a won."""
        return sum(game.points_a == 1 for game in self.games)

    @property
    def wins_b(self) -> int:
        """Games that b won."""
        return sum(game.points_a == 0 for game in self.games)

    @property
    def draws(self) -> int:
        """Games that nobody won."""
        return len(self.games) - self.wins_a - self.wins_b

    @property
    def pairs(self) -> list[float]:
        """The scores of a, from 0 to 1, over each opening; a pair of which one game is missing counts by the other."""
        return pair_scores(self.games)

    @property
    def estimate(self) -> Estimate:
        """The difference in strength."""
        return estimate(self.pairs)

    def score_when(self, first: str) -> float | None:
        """The share of the points of a in the games that ``first`` began; None if there are none."""
        points = [game.points_a for game in self.games if game.first == first]
        return sum(points) / len(points) if points else None

    @property
    def forfeits(self) -> dict[str, int]:
        """Why games ended, if not by the rules, and how often."""
        reasons = [game.reason for game in self.games if game.reason]
        return {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)}

    def as_json(self) -> dict[str, object]:
        """One object for machines."""
        found = self.estimate
        return {
            "game": self.plan.game.name,
            "player_a": self.plan.a,
            "player_b": self.plan.b,
            "openings": self.plan.openings,
            "seed": self.plan.seed,
            "games": len(self.games),
            "wins_a": self.wins_a,
            "wins_b": self.wins_b,
            "draws": self.draws,
            **{name: round(value, 4) for name, value in vars(found).items()},
            "score_a_first": self.score_when("a"),
            "score_a_second": self.score_when("b"),
            "forfeits": self.forfeits,
            "sprt": self.decided or None,
        }


def pair_scores(games: tuple[Played, ...] | list[Played]) -> list[float]:
    """The mean points of a over each opening."""
    points: dict[int, list[float]] = {}
    for game in games:
        points.setdefault(game.number // 2, []).append(game.points_a)
    return [sum(pair) / len(pair) for pair in points.values()]


def play_game(
    players: tuple[Player, Player], start: Position, seed: int, stop: threading.Event | None = None
) -> tuple[Position, Outcome, str, list[float]]:
    """One game to its end: the last position, the outcome, why it ended if not by the rules, and the seconds used."""
    seconds = [0.0, 0.0]
    position = start
    for side in range(2):
        try:
            players[side].begin(int(mix(seed * 2 + side)) & (1 << 62) - 1)
        except Forfeit as fault:
            return position, _win_of(1 - side), str(fault), seconds
    while not position.is_over:
        if stop is not None and stop.is_set():
            raise Stopped
        side = position.to_move
        begin = time.perf_counter()
        try:
            action = players[side].choose(position)
        except Forfeit as fault:
            return position, _win_of(1 - side), str(fault), seconds
        finally:
            seconds[side] += time.perf_counter() - begin
        if action not in position.legal_actions():
            return position, _win_of(1 - side), f"{players[side].text} played {action}, which is not legal", seconds
        position = position.play_action(action)
    return position, position.outcome, "", seconds


def _win_of(side: int) -> Outcome:
    return Outcome.FIRST if side == 0 else Outcome.SECOND


class Stopped(Exception):
    """The match was stopped in the middle of a game, which does not count."""


def make_players(plan: MatchPlan) -> tuple[Player, Player]:
    """A pair of players for one worker."""
    return make_player(plan.a, plan.game), make_player(plan.b, plan.game)


def play_numbered(
    plan: MatchPlan, number: int, start: Position, players: tuple[Player, Player], stop: threading.Event
) -> Played:
    """Game ``number`` of a match; a begins the even ones."""
    a_is_first = number % 2 == 0
    sides = players if a_is_first else players[::-1]
    final, outcome, reason, seconds = play_game(sides, start, plan.seed * 1_000_003 + number, stop)
    points_first = {Outcome.FIRST: 1.0, Outcome.SECOND: 0.0}.get(outcome, 0.5)
    used = seconds if a_is_first else seconds[::-1]
    return Played(
        number=number,
        first="a" if a_is_first else "b",
        result=outcome.name.lower(),
        points_a=points_first if a_is_first else 1 - points_first,
        margin=final.margin,
        length=final.ply,
        opening=start.ply,
        moves=" ".join(final.line),
        reason=reason,
        seconds_a=used[0],
        seconds_b=used[1],
    )


def match_key(plan: MatchPlan, versions: tuple[str, str]) -> MatchKey:
    """By what a match is known: the plan without its length."""
    return MatchKey(
        game=plan.game.name,
        player_a=plan.a,
        player_b=plan.b,
        openings=plan.openings,
        seed=plan.seed,
        details=" ".join([__version__, *versions]).strip(),
    )


class Match:
    """A match that is being played, by threads or by a crew; ``play`` blocks until it is over or stopped."""

    def __init__(self, plan: MatchPlan, store: Store, *, fresh: bool = False, crew: MatchCrew | None = None) -> None:
        self.plan = plan
        self._crew = crew
        self.store = store
        self._openings: Openings = openings(plan.openings, plan.game, plan.seed)
        self._first_players = make_players(plan)
        self.key = match_key(plan, (self._first_players[0].version, self._first_players[1].version))
        store.open_match(self.key)
        if fresh:
            store.forget(self.key)
        self._games = {game.number: game for game in store.games(self.key, plan.games)}
        self._left = iter([number for number in range(plan.games) if number not in self._games])
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._faults: list[BaseException] = []

    def result(self) -> MatchResult:
        """What is known now; may be asked from any thread."""
        with self._lock:
            games = tuple(self._games[number] for number in sorted(self._games))
        decided = self.plan.sprt.decision(self._whole_pairs(games)) if self.plan.sprt else ""
        return MatchResult(self.plan, games, decided)

    def _whole_pairs(self, games: tuple[Played, ...]) -> list[float]:
        """Only pairs of which both games are over: a test must not look at half of one."""
        numbers = {game.number for game in games}
        return pair_scores([game for game in games if game.number ^ 1 in numbers])

    def stop(self) -> None:
        """Ask the workers to end; games in progress do not count."""
        self._stop.set()

    def play(self, progress: Callable[[MatchResult], None] | None = None) -> MatchResult:
        """Play what is left of the match: nothing, if the games that are kept decide it."""
        threads = [] if self.result().decided else self._threads()
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                for thread in threads:
                    thread.join(0.1 / len(threads))
                result = self.result()
                if progress is not None:
                    progress(result)
                if result.decided:
                    self._stop.set()
        except KeyboardInterrupt:
            self._stop.set()
            raise
        finally:
            for thread in threads:
                thread.join()
            for player in self._first_players:
                player.close()
        if self._faults:
            raise self._faults[0]
        return self.result()

    def _threads(self) -> list[threading.Thread]:
        """Those who play, or the one that waits for the crew."""
        if self._crew is not None:
            return [threading.Thread(target=self._wait_for, args=(self._crew,), daemon=True)]
        workers = range(self.plan.most_workers)
        return [threading.Thread(target=self._work, args=(index,), daemon=True) for index in workers]

    def _wait_for(self, crew: MatchCrew) -> None:
        """Keep the games that a crew plays."""
        try:
            for game in crew.play(self.key.id, self.plan, self._openings, self._numbers(), self._stop):
                self._keep(game)
        except BaseException as fault:  # the thread that waits for the match raises it
            self._faults.append(fault)

    def _numbers(self) -> Iterator[int]:
        """The games that nobody has taken yet, one after the other, until the match is stopped."""
        while not self._stop.is_set():
            with self._lock:
                number = next(self._left, None)
            if number is None:
                return
            yield number

    def _work(self, index: int) -> None:
        """One worker: games until there are none left."""
        own: tuple[Player, Player] | tuple[()] = ()
        try:
            players = self._first_players if index == 0 else (own := make_players(self.plan))
            with suppress(Stopped):
                for number in self._numbers():
                    start = self._openings(number // 2)
                    self._keep(play_numbered(self.plan, number, start, players, self._stop))
        except BaseException as fault:  # the thread that waits for the match raises it
            self._faults.append(fault)
            self._stop.set()
        finally:
            for player in own:
                player.close()

    def _keep(self, game: Played) -> None:
        self.store.add(self.key, game)
        with self._lock:
            self._games[game.number] = game


def play_match(
    plan: MatchPlan,
    store: Store,
    *,
    fresh: bool = False,
    progress: Callable[[MatchResult], None] | None = None,
    crew: MatchCrew | None = None,
) -> MatchResult:
    """Play a match, or what is left of it."""
    return Match(plan, store, fresh=fresh, crew=crew).play(progress)
