"""From the results of a match to Elo with an interval, and to the decision whether to stop early.

Games come in pairs: the same opening with sides changed. The two games of a pair are not independent (an opening may
favour one side), so the *pair* is the unit of all statistics here. Half a pair won and half a pair lost are added to
what was seen, which keeps every figure finite and hardly matters after a dozen pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 1.96  # standard deviations on either side: 95%
PRIOR = 0.5  # pairs won, and as many lost, that are added


def elo_of(score: float) -> float:
    """The difference in Elo that gives this share of the points."""
    return -400 * math.log10(1 / score - 1)


def score_of(elo: float) -> float:
    """The share of the points that this difference in Elo gives."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True)
class Estimate:
    """A share of the points and the difference in Elo, each with its 95% interval."""

    score: float
    score_low: float
    score_high: float
    elo: float
    elo_low: float
    elo_high: float

    def __str__(self) -> str:
        return (
            f"{self.score:.1%} ({self.score_low:.1%} to {self.score_high:.1%}), Elo {self.elo:+.0f} ± {self.plus:.0f}"
        )

    @property
    def plus(self) -> float:
        """Half the width of the Elo interval."""
        return (self.elo_high - self.elo_low) / 2


def moments(pairs: Sequence[float]) -> tuple[float, float, float]:
    """How many pairs there are with the added ones, their mean score and its variance; scores go from 0 to 1."""
    weight = len(pairs) + 2 * PRIOR
    mean = (sum(pairs) + PRIOR) / weight
    variance = (sum((pair - mean) ** 2 for pair in pairs) + PRIOR * (mean**2 + (1 - mean) ** 2)) / weight
    return weight, mean, variance


def estimate(pairs: Sequence[float]) -> Estimate:
    """What the scores of the pairs (0 to 1 each) say about the difference in strength.

    The score is what was seen; the interval is symmetric in Elo, where it never runs past certainty.
    """
    weight, mean, variance = moments(pairs)
    middle = math.log(mean / (1 - mean))
    spread = CONFIDENCE * math.sqrt(variance / weight) / (mean * (1 - mean))
    low, high = (1 / (1 + math.exp(-(middle + sign * spread))) for sign in (-1, 1))
    seen = sum(pairs) / len(pairs) if pairs else 0.5
    return Estimate(seen, min(low, seen), max(high, seen), elo_of(mean), elo_of(low), elo_of(high))


@dataclass(frozen=True)
class Sprt:
    """A sequential test of "the difference is elo1" against "it is elo0" (Wald 1945; pairs as in fishtest)."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def ratio(self, pairs: Sequence[float]) -> float:
        """The logarithm of the likelihood ratio, by the normal approximation."""
        if not pairs:
            return 0.0
        weight, mean, variance = moments(pairs)
        score0, score1 = score_of(self.elo0), score_of(self.elo1)
        return weight * (score1 - score0) * (2 * mean - score0 - score1) / (2 * variance)

    def decision(self, pairs: Sequence[float]) -> str:
        """``elo1`` or ``elo0`` when the test has decided for it, or an empty text."""
        ratio = self.ratio(pairs)
        if ratio >= math.log((1 - self.beta) / self.alpha):
            return "elo1"
        return "elo0" if ratio <= math.log(self.beta / (1 - self.alpha)) else ""
