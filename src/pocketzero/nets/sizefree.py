"""The net that plays every board of a game: a residual tower that sees the board's mask and the whole board at once.

Cells beside the board stay zero after every layer and do not count in any average, so a small board in a large
frame gives the same answer as alone, and a batch may mix sizes. Some blocks add what they see of the whole board
(mean and maximum of each channel, as in KataGo's "Accelerating Self-Play Learning in Go", section 4.1) to every cell.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pocketzero.nets.description import MARGIN, ON_BOARD, OWNER, POLICY, REPLY, WDL, BadNet, NetDescription

MOMENTUM = 0.1  # of the running averages
EPSILON = 1e-5  # added to variances
HEAD_CHANNELS = 32
VALUE_WIDTH = 64
USUAL_WIDTH = 7.0  # of a board; the third pooled number is the mean times the width compared with this
WIDTH_SCALE = 0.1  # KataGo, appendix A.1.2: (width - usual) / 10


class MaskedNorm(nn.Module):
    """Batch normalisation over the cells of the boards only; in use it is one multiplication and one addition."""

    running_mean: Tensor
    running_var: Tensor

    def __init__(
        self, channels: int, scale: float = 1.0, *, momentum: float = MOMENTUM, epsilon: float = EPSILON
    ) -> None:
        super().__init__()
        self.momentum, self.epsilon = momentum, epsilon
        self.weight = nn.Parameter(torch.full((channels,), scale))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Normalise; what lies beside the board becomes zero again."""
        if not self.training:
            return self._normalised(x) * mask
        return self._normalised(x) if mask.min() == 1 else self._learn(x, mask)

    def _learn(self, x: Tensor, mask: Tensor) -> Tensor:
        """Normalise the cells of the boards by their own mean and variance, which also move the running ones."""
        inside = mask[:, 0] > 0
        rows = x.permute(0, 2, 3, 1)
        found = torch.zeros_like(rows)
        found[inside] = self._normalised(rows[inside])
        return found.permute(0, 3, 1, 2)

    def _normalised(self, x: Tensor) -> Tensor:
        mean, variance, training = self.running_mean, self.running_var, self.training
        return nn.functional.batch_norm(
            x, mean, variance, self.weight, self.bias, training, self.momentum, eps=self.epsilon
        )


class Whole(nn.Module):
    """What a stack of non-negative planes shows as a whole: means, means by board size, and maxima."""

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Batch x three numbers for each channel."""
        cells = mask.sum((2, 3))
        mean = x.sum((2, 3)) / cells
        sized = mean * ((cells.sqrt() - USUAL_WIDTH) * WIDTH_SCALE)
        return torch.cat([mean, sized, x.amax((2, 3))], 1)


class Layer(nn.Module):
    """Convolution and normalisation."""

    def __init__(self, inside: int, outside: int, kernel: int = 3, scale: float = 1.0) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inside, outside, kernel, padding=kernel // 2, bias=False)
        self.norm = MaskedNorm(outside, scale)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.norm(self.conv(x), mask)


class Block(nn.Module):
    """Two layers beside a shortcut, perhaps with a look at the whole board between them."""

    def __init__(self, channels: int, *, pools: bool) -> None:
        super().__init__()
        self.first = Layer(channels, channels)
        self.second = Layer(channels, channels, scale=0.0)  # a new block changes nothing
        self.whole = Whole()
        self.spread = nn.Linear(3 * channels, channels) if pools else None
        if self.spread is not None:
            nn.init.zeros_(self.spread.weight)
            nn.init.zeros_(self.spread.bias)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        inner = self.first(x, mask).relu()
        if self.spread is not None:
            whole = self.spread(self.whole(inner, mask))
            inner = (inner + whole[:, :, None, None]).relu() * mask
        return (self.second(inner, mask) + x).relu()


class BoardPolicy(nn.Module):
    """Logits in planes over the board, with a share of the whole board's state."""

    def __init__(self, channels: int, planes: int) -> None:
        super().__init__()
        self.layer = Layer(channels, HEAD_CHANNELS, kernel=1)
        self.whole = Whole()
        self.spread = nn.Linear(3 * HEAD_CHANNELS, HEAD_CHANNELS)
        self.out = nn.Conv2d(HEAD_CHANNELS, planes, 1)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        inner = self.layer(x, mask).relu()
        whole = self.spread(self.whole(inner, mask))
        return self.out((inner + whole[:, :, None, None]).relu() * mask) * mask


class ActionPolicy(nn.Module):
    """One logit for each action of one board, for games whose actions have no place on the board."""

    def __init__(self, channels: int, cells: int, actions: int) -> None:
        super().__init__()
        self.layer = Layer(channels, HEAD_CHANNELS, kernel=1)
        self.out = nn.Linear(HEAD_CHANNELS * cells, actions)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.out(self.layer(x, mask).relu().flatten(1))


class Verdict(nn.Module):
    """A few numbers about the whole position: win, draw and loss, or the margin."""

    def __init__(self, channels: int, numbers: int) -> None:
        super().__init__()
        self.layer = Layer(channels, HEAD_CHANNELS, kernel=1)
        self.whole = Whole()
        self.inner = nn.Linear(3 * HEAD_CHANNELS, VALUE_WIDTH)
        self.out = nn.Linear(VALUE_WIDTH, numbers)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.out(self.inner(self.whole(self.layer(x, mask).relu(), mask)).relu())


class Owner(nn.Module):
    """For each cell, whose it will be: from -1, the opponent's, to 1, the mover's."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.out = nn.Conv2d(channels, 1, 1)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.out(x).tanh() * mask


class SizeFree(nn.Module):
    """The whole net; ``forward(planes, mask)`` gives its outputs in the order of the description."""

    def __init__(self, description: NetDescription) -> None:
        super().__init__()
        self.description = description
        channels, every = description.channels, description.pool_every
        self.stem = Layer(description.planes, channels)
        self.tower = nn.ModuleList(
            Block(channels, pools=every > 0 and (number + 1) % every == 0) for number in range(description.blocks)
        )
        self.heads = nn.ModuleDict({output: _head(output, description) for output in description.outputs})

    def forward(self, planes: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        """Planes: batch x planes x rows x columns; mask: batch x 1 x rows x columns, 1 on the board."""
        x = self.stem(planes * mask, mask).relu()
        for block in self.tower:
            x = block(x, mask)
        return tuple(head(x, mask) for head in self.heads.values())


def _head(output: str, description: NetDescription) -> nn.Module:
    """The module behind an output."""
    channels = description.channels
    if output in (POLICY, REPLY):
        if description.policy == ON_BOARD:
            return BoardPolicy(channels, description.policy_planes)
        return ActionPolicy(channels, description.rows * description.columns, description.actions)
    if output in (WDL, MARGIN):
        return Verdict(channels, 3 if output == WDL else 1)
    if output == OWNER:
        return Owner(channels)
    raise BadNet(f"A size-free net has no output {output!r}.")
