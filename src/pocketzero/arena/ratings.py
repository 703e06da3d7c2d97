"""Ratings of several players from all games between them, by maximum likelihood.

The model is Davidson's (1970), Bradley and Terry's with draws, with an advantage of moving first: a win of the first
player has weight exp(x + a/2), a win of the second exp(y - a/2), a draw nu times the root of exp(x + y), where x and y
are the two strengths. All logarithms of weights are linear in the parameters, so the likelihood has one summit, which
Newton's method finds; intervals come from the curvature there. Every two players that met are given one drawn game
in addition, so that someone who won every game has a finite rating. The rating of the anchor is fixed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketzero.arena.elo import CONFIDENCE
from pocketzero.errors import PocketZeroError

PER_ELO = math.log(10) / 400
STEPS = 100


@dataclass(frozen=True)
class Results:
    """The games of two players in which ``first`` moved first."""

    first: str
    second: str
    wins: float = 0  # of the first
    draws: float = 0
    losses: float = 0

    @property
    def games(self) -> float:
        """How many games there were."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True)
class Rating:
    """A player's Elo with half the width of its 95% interval, and what it is based on."""

    player: str
    elo: float
    plus: float  # 0 for the anchor
    games: int
    score: float


@dataclass(frozen=True)
class Ratings:
    """All ratings, the best first, and the two numbers that belong to the game."""

    ratings: tuple[Rating, ...]
    first_advantage: float  # Elo that moving first is worth
    first_advantage_plus: float
    draw_share: float  # how often equal players draw


def rate(results: Sequence[Results], *, anchor: str = "", anchor_elo: float = 0.0) -> Ratings:
    """Elo of all players in these results."""
    players = list(dict.fromkeys(name for each in results for name in (each.first, each.second)))
    if not players:
        raise PocketZeroError("There are no games to rate anybody by.")
    anchor = anchor or players[0]
    if anchor not in players:
        raise PocketZeroError(f"The anchor {anchor!r} has played no game; players: {', '.join(players)}.")
    _check_connected(results, players)
    free = [player for player in players if player != anchor]
    features, counts = _features(results, free)
    found, covariance = _summit(features, counts)
    spread = CONFIDENCE * np.sqrt(np.diag(covariance))
    elo = dict(zip(free, found[: len(free)] / PER_ELO)) | {anchor: 0.0}
    plus = dict(zip(free, spread[: len(free)] / PER_ELO)) | {anchor: 0.0}
    rows = [_row(name, elo[name] + anchor_elo, plus[name], results) for name in players]
    draw = math.exp(found[-1])
    return Ratings(
        tuple(sorted(rows, key=lambda row: -row.elo)),
        float(found[-2] / PER_ELO),
        float(spread[-2] / PER_ELO),
        draw / (2 + draw),
    )


def _row(name: str, elo: float, plus: float, results: Sequence[Results]) -> Rating:
    games = points = 0.0
    for each in results:
        if name == each.first:
            points += each.wins + each.draws / 2
        elif name == each.second:
            points += each.losses + each.draws / 2
        else:
            continue
        games += each.games
    return Rating(name, float(elo), float(plus), int(games), points / games if games else 0.5)


def _check_connected(results: Sequence[Results], players: list[str]) -> None:
    """Ratings of players who are not linked by games cannot be compared."""
    reached, waiting = {players[0]}, [players[0]]
    while waiting:
        name = waiting.pop()
        for each in results:
            if each.games and name in (each.first, each.second):
                other = each.second if name == each.first else each.first
                if other not in reached:
                    reached.add(other)
                    waiting.append(other)
    if len(reached) < len(players):
        apart = ", ".join(name for name in players if name not in reached)
        raise PocketZeroError(f"No games link {apart} with {players[0]}; their ratings cannot be compared.")


def _features(results: Sequence[Results], free: list[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each result three rows of coefficients (win, draw, loss), and how often each was seen."""
    place = {name: index for index, name in enumerate(free)}
    width = len(free) + 2  # then the advantage and the logarithm of nu
    features, counts = [], []
    for each in results:
        if not each.games:
            continue
        rows = np.zeros((3, width))
        for name, shares in ((each.first, (1, 0.5, 0)), (each.second, (0, 0.5, 1))):
            if name in place:
                rows[:, place[name]] += shares
        rows[0, -2], rows[2, -2], rows[1, -1] = 0.5, -0.5, 1
        features.append(rows)
        counts.append([each.wins + 0.25, each.draws + 0.5, each.losses + 0.25])  # and the same with sides changed
    return np.array(features), np.array(counts)


def _summit(
    features: NDArray[np.float64], counts: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the likelihood is greatest, and the covariance there; each step is halved until it climbs."""
    width = features.shape[2]
    found: NDArray[np.float64] = np.zeros(width)
    gradient, curvature, height = _slope(features, counts, found)
    for _ in range(STEPS):
        step = np.linalg.solve(curvature + 1e-9 * np.eye(width), gradient)
        size = 1.0
        while size > 1e-9:
            trial = _slope(features, counts, found + size * step)
            if trial[2] >= height:
                break
            size /= 2
        found = found + size * step
        gradient, curvature, height = trial
        if np.abs(size * step).max() < 1e-9:
            break
    return found, np.linalg.inv(curvature + 1e-9 * np.eye(width)).astype(np.float64)


def _slope(
    features: NDArray[np.float64], counts: NDArray[np.float64], at: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Gradient, negative curvature and height of the log-likelihood."""
    weights = features @ at
    weights -= weights.max(axis=1, keepdims=True)
    chances = np.exp(weights)
    chances /= chances.sum(axis=1, keepdims=True)
    totals = counts.sum(axis=1)
    means = np.einsum("ro,row->rw", chances, features)
    gradient = np.einsum("ro,row->w", counts, features) - totals @ means
    apart = features - means[:, None, :]
    curvature = np.einsum("r,ro,rov,row->vw", totals, chances, apart, apart)
    return gradient, curvature, float((counts * np.log(chances)).sum())
