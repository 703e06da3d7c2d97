"""What a final margin is worth to a player who cares for the margin: more points count, each less than the one before.

As a plain share of the largest, one box of a hundred would hardly be seen beside the priors and the noise of a search.
So margins are worth w(m) = atan(m / s) / atan(largest / s) with s = 2 sqrt(largest), which goes from -1 to 1, after
KataGo's utility of the score (Wu 2019). Close to 0, two points are 0.30 with 9 boxes, 0.07 with 100.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from pocketzero.compiled import kernel

FLOAT = types.float64


def worth(margin: Any, largest: Any) -> Any:
    """What a margin (or an array of them) is worth."""
    scale = 2.0 * np.sqrt(largest)
    return np.arctan(margin / scale) / np.arctan(largest / scale)


def margin_worth(value: Any, largest: Any) -> Any:
    """The margin that is worth so much: the inverse; straight on where an estimate says more than the largest."""
    scale = 2.0 * np.sqrt(largest)
    inside = np.clip(value, -1.0, 1.0)
    return scale * np.tan(inside * np.arctan(largest / scale)) + (value - inside) * largest


worth_in_kernels = kernel(FLOAT(FLOAT, FLOAT))(worth)
