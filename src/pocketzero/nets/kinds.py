"""From descriptions to PyTorch modules: every kind of net by its name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from pocketzero.errors import nearest
from pocketzero.nets.description import BadNet, NetDescription

if TYPE_CHECKING:
    from torch import nn

KINDS = {  # module and class of each
    "sizefree": ("pocketzero.nets.sizefree", "SizeFree"),
    "deepzertz-cnn": ("pocketzero.nets.papers", "DeepZertzCnn"),
    "deepzertz-dense": ("pocketzero.nets.papers", "DeepZertzDense"),
    "dots2022": ("pocketzero.nets.papers", "Dots2022"),
    "gomoku": ("pocketzero.nets.papers", "Gomoku"),
    "alphadots": ("pocketzero.nets.papers", "AlphaDots"),
    "alphadots-early": ("pocketzero.nets.papers", "AlphaDotsEarly"),
    "alphadots-lstm": ("pocketzero.nets.convlstm", "AlphaDotsLstm"),
}


def build_net(description: NetDescription) -> nn.Module:
    """A new net with random weights; ``forward(planes, mask)`` gives the outputs that its description lists."""
    if description.kind not in KINDS:
        raise BadNet(
            f"There is no kind of net called {description.kind!r}. {nearest(description.kind, KINDS)}"
            f"Kinds: {', '.join(KINDS)}."
        )
    module, name = KINDS[description.kind]
    make: Callable[[NetDescription], nn.Module] = getattr(import_module(module), name)
    return make(description)
