"""Which net a run learns with: the size-free one, or one that a paper describes, by the settings of ``[net]``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pocketzero.errors import UnknownName, nearest
from pocketzero.games import Game
from pocketzero.nets import papers
from pocketzero.nets.description import PER_ACTION, BadNet, NetDescription, describe

if TYPE_CHECKING:
    from pocketzero.training.config import NetOptions

WAYS = 6  # in which a marble may jump; DeepZertz counts them for each cell of the grid, before all placements


def _sizefree(games: Sequence[Game], net: NetOptions) -> NetDescription:
    return describe(
        games[0],
        channels=net.channels,
        blocks=net.blocks,
        pool_every=net.pool_every,
        extras=None if net.extras else (),
        margin=net.margin if net.extras else 0.0,
        boards=", ".join(game.name for game in games),
    )


CHOICES: dict[str, Callable[[Sequence[Game], NetOptions], NetDescription]] = {
    "sizefree": _sizefree,
    "deepzertz-cnn": lambda games, net: papers.deepzertz_cnn(
        games[0], layers=net.layers, filters=net.channels, narrow=net.narrow
    ),
    "deepzertz-dense": lambda games, net: papers.deepzertz_dense(games[0], layers=net.layers, width=net.channels),
    "dots2022": lambda games, net: papers.dots2022(games[0], narrow=net.narrow),
    "gomoku": lambda games, net: papers.gomoku(games[0]),
    "alphadots": lambda games, net: papers.alphadots(
        games[0], blocks=net.blocks, filters=net.channels, kernel=net.kernel, policy_only=net.policy_only
    ),
    "alphadots-early": lambda games, net: papers.alphadots_early(games[0], kernel=net.kernel),
    "alphadots-lstm": lambda games, net: papers.alphadots_lstm(games[0]),
}


def description_of(net: NetOptions, games: Sequence[Game]) -> NetDescription:
    """The description of the net that these settings name, for these boards."""
    if net.kind not in CHOICES:
        raise UnknownName(
            f"There is no kind of net called {net.kind!r}. {nearest(net.kind, CHOICES)}Kinds: {', '.join(CHOICES)}."
        )
    return CHOICES[net.kind](games, net)


def heads_of(description: NetDescription) -> NDArray[np.float32]:
    """Which actions belong to which of DeepZertz's two policy heads: a row for captures, a row for placements."""
    captures = WAYS * description.rows * description.columns
    if description.policy != PER_ACTION or description.game != "zertz" or description.actions <= captures:
        raise BadNet("Only the nets of DeepZertz have a head for captures and one for placements (learn.softmax=head).")
    is_capture = np.arange(description.actions) < captures
    return np.stack([is_capture, ~is_capture]).astype(np.float32)
