"""One tree search for every game: PUCT, Gumbel and rollout UCT on the same compiled tree."""

from __future__ import annotations

from pocketzero.search.choice import Temperature, choose
from pocketzero.search.forest import Evaluator, Forest, Rollouts, Root, Uniform
from pocketzero.search.live import Search, search
from pocketzero.search.result import MoveReport, SearchResult
from pocketzero.search.settings import Settings
from pocketzero.search.target import PlayoutCap, policy_target

__all__ = [
    "Evaluator",
    "Forest",
    "MoveReport",
    "PlayoutCap",
    "Rollouts",
    "Root",
    "Search",
    "SearchResult",
    "Settings",
    "Temperature",
    "Uniform",
    "choose",
    "policy_target",
    "search",
]
