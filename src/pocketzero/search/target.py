"""What self-play learns from a searched root, and how many simulations it spends (KataGo, Wu 2019)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketzero.search.choice import candidates
from pocketzero.search.forest import Root


@dataclass(frozen=True)
class PlayoutCap:
    """Playout-cap randomisation: few moves are searched fully and learned from, most quickly and only played."""

    full: int = 200
    fast: int = 40
    share: float = 0.25

    def draw(self, chance: np.random.Generator) -> tuple[int, bool]:
        """How many simulations the next move gets, and whether it is searched fully."""
        is_full = bool(chance.random() < self.share)
        return (self.full if is_full else self.fast), is_full


def pruned_visits(root: Root, *, c: float, forced: float) -> NDArray[np.float64]:
    """Visits without those that forced playouts alone caused (policy-target pruning).

    The most visited move keeps its visits. Each other move loses up to sqrt(forced x prior x visits) of them, as long
    as its PUCT score stays below that of the most visited; a move left with a single visit loses that too. Moves that
    are proven to lose have none, unless all do.
    """
    visits = root.visits.astype(np.float64)
    if not root.hopeless.all():
        visits[root.hopeless] = 0
    if forced > 0 and visits.sum() > 0:
        _prune(root, visits, c * np.sqrt(max(1, root.visits.sum())), forced)
    return visits


def _prune(root: Root, visits: NDArray[np.float64], explore: float, forced: float) -> None:
    best = int(visits.argmax())
    values = np.nan_to_num(root.values, nan=-1.0)
    bar = values[best] + explore * root.priors[best] / (1 + visits[best])
    for move in range(len(visits)):
        if move == best or visits[move] == 0:
            continue
        most = int(np.sqrt(forced * root.priors[move] * root.visits.sum()))
        while most > 0 and visits[move] > 0 and values[move] + explore * root.priors[move] / visits[move] < bar:
            visits[move] -= 1
            most -= 1
        if visits[move] <= 1:
            visits[move] = 0


def policy_target(root: Root, *, c: float, forced: float = 0.0) -> NDArray[np.float64]:
    """The policy to be learned: shares of the pruned visits; what is proven to be worse has none, however tried."""
    worthy = candidates(root)
    visits = np.where(worthy, pruned_visits(root, c=c, forced=forced), 0)
    if visits.sum() == 0:
        visits = np.where(worthy, root.visits + root.priors.astype(np.float64) + 1e-12, 0)
    return visits / visits.sum()
