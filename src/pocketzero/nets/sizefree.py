"""The net that plays every board of a game: a residual tower that sees the board's mask and the whole board at once.

Cells beside the board stay zero after every layer and do not count in any average, so a small board in a large
frame gives the same answer as alone, and a batch may mix sizes. Some blocks add what they see of the whole board
(mean and maximum of each channel, as in KataGo's "Accelerating Self-Play Learning in Go", section 4.1) to every cell.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from pocketzero.nets.description import MARGIN, ON_BOARD, OWNER, POLICY, REPLY, WDL, BadNet, NetDescription

MOMENTUM = 0.1  # of the running averages
EPSILON = 1e-5  # added to variances
HEAD_CHANNELS = 32
VALUE_WIDTH = 64
USUAL_WIDTH = 7.0  # of a board; the third pooled number is the mean times the width compared with this
WIDTH_SCALE = 0.1  # KataGo, appendix A.1.2: (width - usual) / 10


class Boards(NamedTuple):
    """Where the boards of a batch are in their frames, which may be larger."""

    mask: Tensor | None  # batch x 1 x rows x columns: 1 on the board; None where there is nothing else
    cells: Tensor  # batch x 1: how many cells each board has
    inside: Tensor | None = None  # while learning: the numbers of all cells on boards,
    packed: Tensor | None = None  # and for each cell its place among those, or the place after them

    @classmethod
    def of(cls, mask: Tensor, *, learning: bool) -> Boards:
        """The boards of a mask; for learning, what is beside them and what is not is found out once."""
        cells = mask.sum((2, 3))
        if torch.is_autocast_enabled("cpu"):
            mask = mask.to(torch.get_autocast_dtype("cpu"))
        if not learning:
            return cls(mask, cells)
        if mask.min() == 1:
            return cls(None, cells)
        inside = mask.flatten().nonzero()[:, 0]
        packed = torch.full((mask.numel(),), len(inside))
        packed[inside] = torch.arange(len(inside))
        return cls(mask, cells, inside, packed)

    def only(self, x: Tensor) -> Tensor:
        """The planes with zeros beside the boards."""
        return x if self.mask is None else x * self.mask


def spread(rows: Tensor, packed: Tensor) -> Tensor:
    """The rows in their places, and zeros everywhere else."""
    return torch.cat([rows, rows.new_zeros(1, rows.shape[1])]).index_select(0, packed)


class Gather(torch.autograd.Function):
    """The cells on boards alone, one row for each; quicker both ways than what PyTorch does by itself."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, inside: Tensor, packed: Tensor) -> Tensor:
        ctx.save_for_backward(packed)
        return rows.index_select(0, inside)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return spread(gradient, *ctx.saved_tensors), None, None


class Spread(torch.autograd.Function):
    """The way back: all cells, with zeros beside the boards."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, inside: Tensor, packed: Tensor) -> Tensor:
        ctx.save_for_backward(inside)
        return spread(rows, packed)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return gradient.index_select(0, *ctx.saved_tensors), None, None


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

    def forward(self, x: Tensor, boards: Boards) -> Tensor:
        """Normalise; what lies beside the board becomes zero again."""
        if boards.inside is not None:
            return self._learn(x, boards)
        return boards.only(self._normalised(x))

    def _learn(self, x: Tensor, boards: Boards) -> Tensor:
        """Normalise the cells of the boards by their own mean and variance, which also move the running ones."""
        rows = x.permute(0, 2, 3, 1)
        inside = Gather.apply(rows.reshape(-1, x.shape[1]), boards.inside, boards.packed)  # type: ignore[no-untyped-call]
        found = Spread.apply(self._normalised(inside), boards.inside, boards.packed)  # type: ignore[no-untyped-call]
        return found.view(rows.shape).permute(0, 3, 1, 2)

    def _normalised(self, x: Tensor) -> Tensor:
        mean, variance, training = self.running_mean, self.running_var, self.training
        return nn.functional.batch_norm(
            x, mean, variance, self.weight, self.bias, training, self.momentum, eps=self.epsilon
        )


class Whole(nn.Module):
    """What a stack of non-negative planes shows as a whole: means, means by board size, and maxima."""

    def forward(self, x: Tensor, boards: Boards) -> Tensor:
        """Batch x three numbers for each channel."""
        mean = x.sum((2, 3)) / boards.cells
        sized = mean * ((boards.cells.sqrt() - USUAL_WIDTH) * WIDTH_SCALE)
        return torch.cat([mean, sized, x.amax((2, 3))], 1)


class Layer(nn.Module):
    """Convolution and normalisation."""

    def __init__(self, inside: int, outside: int, kernel: int = 3, scale: float = 1.0) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inside, outside, kernel, padding=kernel // 2, bias=False)
        self.norm = MaskedNorm(outside, scale)

    def forward(self, x: Tensor, boards: Boards) -> Tensor:
        return self.norm(self.conv(x), boards)


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

    def forward(self, x: Tensor, boards: Boards) -> Tensor:
        inner = self.first(x, boards).relu()
        if self.spread is not None:
            whole = self.spread(self.whole(inner, boards))
            inner = boards.only((inner + whole[:, :, None, None]).relu())
        return (self.second(inner, boards) + x).relu()


class BoardPolicy(nn.Module):
    """Logits in planes over the board, with a share of the whole board's state."""

    def __init__(self, channels: int, planes: int) -> None:
        super().__init__()
        self.layer = Layer(channels, HEAD_CHANNELS, kernel=1)
        self.whole = Whole()
        self.spread = nn.Linear(3 * HEAD_CHANNELS, HEAD_CHANNELS)
        self.out = nn.Conv2d(HEAD_CHANNELS, planes, 1)

    def forward(self, x: Tensor, boards: Boards) -> Tensor:
        inner = self.layer(x, boards).relu()
        whole = self.spread(self.whole(inner, boards))
        return boards.only(self.out(boards.only((inner + whole[:, :, None, None]).relu())))


class ActionPolicy(nn.Module):
    """One logit for each action of one board, for games whose actions have no place on the board."""

    def __init__(self, channels: int, cells: int, actions: int) -> None:
        super().__init__()
        self.layer = Layer(channels, HEAD_CHANNELS, kernel=1)
        self.out = nn.Linear(HEAD_CHANNELS * cells, actions)

    def forward(self, x: Tensor, boards: Boards) -> Tensor:
        return self.out(self.layer(x, boards).relu().flatten(1))


class Verdict(nn.Module):
    """A few numbers about the whole position: win, draw and loss, or the margin."""

    def __init__(self, channels: int, numbers: int) -> None:
        super().__init__()
        self.layer = Layer(channels, HEAD_CHANNELS, kernel=1)
        self.whole = Whole()
        self.inner = nn.Linear(3 * HEAD_CHANNELS, VALUE_WIDTH)
        self.out = nn.Linear(VALUE_WIDTH, numbers)

    def forward(self, x: Tensor, boards: Boards) -> Tensor:
        return self.out(self.inner(self.whole(self.layer(x, boards).relu(), boards)).relu())


class Owner(nn.Module):
    """For each cell, whose it will be: from -1, the opponent's, to 1, the mover's."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.out = nn.Conv2d(channels, 1, 1)

    def forward(self, x: Tensor, boards: Boards) -> Tensor:
        return boards.only(self.out(x).tanh())


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
        boards = Boards.of(mask, learning=self.training)
        x = self.stem(planes * mask, boards).relu()
        for block in self.tower:
            x = block(x, boards)
        return tuple(head(x, boards) for head in self.heads.values())


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
