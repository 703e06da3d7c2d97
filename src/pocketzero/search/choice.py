"""From a searched root to a move: by visits, by chance, or by the lower confidence bound; proven results come first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pocketzero.search.forest import Forest, Root

How = Literal["visits", "sample", "lcb"]
LCB_QUANTILE = 1.96
LCB_SHARE = 0.1  # moves with fewer visits than this share of the most are not trusted


@dataclass(frozen=True)
class Temperature:
    """How much chance there is in sampling: it falls evenly from ``start`` to ``end`` over so many moves."""

    start: float = 1.0
    end: float = 0.0
    moves: int = 30

    def at(self, ply: int) -> float:
        """The temperature at this move of the game."""
        if ply >= self.moves:
            return self.end
        return self.start + (self.end - self.start) * ply / self.moves


def guaranteed(root: Root) -> NDArray[np.int64]:
    """The result or margin that each move is proven to reach at least, for the mover."""
    bounds = root.lows if root.player == 0 else -root.highs
    return bounds.astype(np.int64)


def candidates(root: Root) -> NDArray[np.bool_]:
    """Moves worth playing: those that prove the root's own result, else all that are not proven losses, else all."""
    target = root.low if root.player == 0 else -root.high
    if root.margin_weight:
        return guaranteed(root) >= target if root.low == root.high else ~root.hopeless
    if root.low > 0 or root.high < 0 or root.low == root.high:
        proven = np.sign(guaranteed(root)) >= np.sign(target)
        if proven.any():
            return proven
    results = np.where(root.settled, root.results, 0)
    if (results > 0).any():
        return results > 0
    return results == 0 if (results == 0).any() else np.ones(len(results), bool)


def lower_bounds(root: Root) -> NDArray[np.float64]:
    """Values less their uncertainty; moves with few visits have none worth speaking of."""
    visits = np.maximum(root.visits, 1)
    values = np.nan_to_num(root.values, nan=-1.0)
    spread = LCB_QUANTILE * np.sqrt((1.0001 - values**2) / visits)
    trusted = root.visits >= LCB_SHARE * root.visits.max()
    return np.where(root.decided, values, np.where(trusted, values - spread, -3.0))


def choose(
    root: Root,
    *,
    how: How = "visits",
    temperature: float = 1.0,
    chance: np.random.Generator | None = None,
    distances: NDArray[np.int32] | None = None,
) -> int:
    """The index of the root move to play."""
    open_moves = candidates(root)
    decided = root.decided & open_moves
    if decided.any() and decided[open_moves].all() and root.results[open_moves].any():
        return _choose_proven(root, open_moves, distances)
    if how == "lcb" and root.visits.any():
        return int(np.argmax(np.where(open_moves, lower_bounds(root), -np.inf)))
    if how == "sample" and temperature > 0 and chance is not None:
        return int(chance.choice(len(root.visits), p=move_chances(root, open_moves, temperature)))
    order = root.visits + 0.5 * root.priors
    return int(np.argmax(np.where(open_moves, order, -np.inf)))


def best_index(forest: Forest, tree: int, root: Root, distances: NDArray[np.int32] | None) -> int:
    """The index of the move to play: what is proven first, then Gumbel's choice, or the most visited."""
    is_proven = root.low == root.high or (not root.margin_weight and candidates(root)[root.settled].any())
    if forest.settings.gumbel and not is_proven:
        index = forest.gumbel_choice(tree)
        if index >= 0:
            return index
    return choose(root, distances=distances)


def _choose_proven(root: Root, open_moves: NDArray[np.bool_], distances: NDArray[np.int32] | None) -> int:
    """Of proven wins the surest and shortest, of proven losses the least bad and longest."""
    wins = root.results[open_moves].max() > 0
    ends = np.zeros(len(open_moves), np.int64) if distances is None else distances.astype(np.int64)
    ends = np.where(ends < 0, 10_000 if wins else 3, ends)  # not known: a far win, a loss that is not immediate
    merit = guaranteed(root) * 100_000 - ends if wins else guaranteed(root) * 100_000 + ends
    return int(np.argmax(np.where(open_moves, merit, np.iinfo(np.int64).min)))


def move_chances(root: Root, open_moves: NDArray[np.bool_], temperature: float) -> NDArray[np.float64]:
    """Chances in proportion to visits ** (1 / temperature); to the priors where nothing was visited."""
    weights = np.where(open_moves, root.visits, 0).astype(np.float64)
    if weights.sum() == 0:
        weights = np.where(open_moves, root.priors, 0).astype(np.float64) + 1e-12 * open_moves
    weights = np.where(weights > 0, (weights / weights.max()) ** (1 / temperature), 0)
    return weights / weights.sum()
