"""Round robins and ladders: many matches, one table of ratings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from pocketzero.arena.match import MatchPlan, MatchResult, play_match
from pocketzero.arena.ratings import Ratings, Results, rate
from pocketzero.arena.store import Store
from pocketzero.errors import PocketZeroError

if TYPE_CHECKING:
    from pocketzero.arena.crew import MatchCrew


@dataclass(frozen=True)
class Tournament:
    """All matches and what follows from them."""

    players: tuple[str, ...]
    matches: tuple[MatchResult, ...]
    ratings: Ratings


def fixtures(players: list[str], *, ladder: bool) -> list[tuple[str, str]]:
    """Who meets whom: all, or on a ladder each only the next."""
    if len(set(players)) < len(players):
        raise PocketZeroError("A player is named twice; give each a different text.")
    if len(players) < 2:
        raise PocketZeroError("A tournament needs at least two players.")
    return list(pairwise(players)) if ladder else list(combinations(players, 2))


def play_tournament(
    players: list[str],
    plan: MatchPlan,
    store: Store,
    *,
    ladder: bool = False,
    anchor: str = "",
    anchor_elo: float = 0.0,
    fresh: bool = False,
    progress: Callable[[int, MatchResult], None] | None = None,
    crew: MatchCrew | None = None,
) -> Tournament:
    """Play all matches, each like ``plan`` but for its players; what was played before counts."""
    if anchor and anchor not in players:
        raise PocketZeroError(f"The anchor {anchor!r} is none of the players: {', '.join(players)}.")
    matches = []
    for number, (a, b) in enumerate(fixtures(players, ladder=ladder)):
        told = (lambda result, number=number: progress(number, result)) if progress else None
        matches.append(play_match(replace(plan, a=a, b=b), store, fresh=fresh, progress=told, crew=crew))
    results = [each for match in matches for each in results_of(match)]
    return Tournament(tuple(players), tuple(matches), rate(results, anchor=anchor, anchor_elo=anchor_elo))


def results_of(match: MatchResult) -> list[Results]:
    """The games of a match, by who began."""
    found = []
    for first, second, begins, win in (
        (match.plan.a, match.plan.b, "a", 1.0),
        (match.plan.b, match.plan.a, "b", 0.0),
    ):
        points = [game.points_a for game in match.games if game.first == begins]
        wins, draws = points.count(win), points.count(0.5)
        found.append(Results(first, second, wins, draws, len(points) - wins - draws))
    return found
