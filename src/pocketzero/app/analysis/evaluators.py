"""What an analysis asks about positions: the net that fits the game where there is one, else random games.

``evaluator_for`` is the only place that decides this.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game
from pocketzero.search import Evaluator, Rollouts, Settings
from pocketzero.search.forest import bytes_per_node
from pocketzero.search.rollout import UCT_CONSTANT

TREE_BYTES = 1 << 30  # what the tree of one analysis may take
MOST_KEPT = 6  # opened nets; one more closes the oldest
Floats = NDArray[np.float32]

_opened: OrderedDict[tuple[str, str], Any] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True)
class Chosen:
    """An evaluator for one search, its name for people, and how to search with it."""

    evaluator: Evaluator | Rollouts
    name: str
    settings: Settings
    net: Any = None  # the same evaluator again, if there is a net behind it


class WinRates:
    """A net that plays for the margin, asked who wins: an analysis shows win rates and, beside them, the margin."""

    def __init__(self, net: Any) -> None:
        self._net = net

    def evaluate(self, planes: Floats) -> tuple[Floats, Floats]:
        """A logit for each action, and the chance to win less the chance to lose."""
        found = self._net.evaluate_all(planes)
        return found["policy"], found["wdl"][:, 0] - found["wdl"][:, 2]


def evaluator_for(game: Game, net: str = "") -> Chosen:
    """The evaluator for a game: the net that was named, or the first that fits, or random games."""
    nodes = max(2, TREE_BYTES // bytes_per_node(game))
    name = net or next((each for each in _shipped() if fits(each, game)), "")
    if not name:
        settings = Settings(c=UCT_CONSTANT, solved=False, max_nodes=min(nodes, 1_000_000))
        return Chosen(Rollouts(), "random games", settings)
    net_evaluator = _open(name, game).clone()
    settings = Settings(max_nodes=min(nodes, 1_000_000), solve_budget=game.solve_budget)
    seen = WinRates(net_evaluator) if net_evaluator.description.margin else net_evaluator
    return Chosen(seen, f"net {_short(name)}", settings, net_evaluator)


def fitting_nets(game: Game) -> list[str]:
    """The shipped nets that play a game."""
    return [name for name in _shipped() if fits(name, game)]


def _shipped() -> list[str]:
    from pocketzero.nets.files import list_models

    return list_models()


def fits(name: str, game: Game) -> bool:
    """Whether a net plays a game; one that cannot be read plays none."""
    from pocketzero.nets.files import find_net, read_description

    try:
        return not read_description(find_net(name)).differences(game)
    except PocketZeroError:
        return False


def _open(name: str, game: Game) -> Any:
    """The net for a game, opened once and kept for the next who asks."""
    from pocketzero.nets import open_evaluator

    key = name, game.name
    with _lock:
        if key not in _opened:
            _opened[key] = open_evaluator(name, game)
        _opened.move_to_end(key)
        while len(_opened) > MOST_KEPT:
            _opened.popitem(last=False)
        return _opened[key]


def _short(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]
