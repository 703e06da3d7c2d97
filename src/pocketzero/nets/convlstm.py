"""The recurrent net of AlphaDots: it looks at the pictures of a game one after the other and expects the next one.

Its memory is a stack of planes, and what it does with a picture and its memory is a convolution (Shi and others 2015).
Steps are written one after the other when the net is exported, as many as the encoding has pictures.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pocketzero.nets.description import NetDescription
from pocketzero.nets.papers import begin_as_keras, keras_norm
from pocketzero.nets.sizefree import Boards

GATES = 4  # what to take in, what to keep, what is new, what to show


def hard_sigmoid(x: Tensor) -> Tensor:
    """Keras's gate: a straight line from 0 to 1."""
    return (0.2 * x + 0.5).clamp(0.0, 1.0)


class ConvLstm(nn.Module):
    """Keras's ConvLSTM2D: one layer of memory that gives its state after every picture.

    A picture before the beginning of the game, whose mask is zero, leaves the memory empty.
    """

    def __init__(self, inside: int, filters: int, kernel: int) -> None:
        super().__init__()
        self.filters = filters
        self.seen = nn.Conv2d(inside, GATES * filters, kernel, padding=kernel // 2)
        self.kept = nn.Conv2d(filters, GATES * filters, kernel, padding=kernel // 2, bias=False)
        self.begin()

    def begin(self) -> None:
        """As in Keras, the memory's weights begin orthogonal, and it begins by keeping what it has."""
        begin_as_keras(self)
        nn.init.orthogonal_(self.kept.weight)
        with torch.no_grad():
            self.seen.bias[self.filters : 2 * self.filters] = 1  # type: ignore[index]

    def forward(self, pictures: Tensor, masks: Tensor) -> Tensor:
        """Pictures: batch x steps x channels x rows x columns; masks: batch x steps x 1 x rows x columns."""
        steps = masks.shape[1]
        seen = self.seen(pictures.flatten(0, 1)).unflatten(0, (-1, steps))
        states: list[Tensor] = []
        memory: Tensor | None = None
        for step in range(steps):
            gates = seen[:, step] + self.kept(states[-1]) if states else seen[:, step]
            take, keep, new, show = gates.split(self.filters, 1)
            fresh = hard_sigmoid(take) * new.tanh()
            memory = (fresh if memory is None else hard_sigmoid(keep) * memory + fresh) * masks[:, step]
            states.append(hard_sigmoid(show) * memory.tanh())
        return torch.stack(states, 1)


class AlphaDotsLstm(nn.Module):
    """Peters 2018, 6.4.2: four normalised ConvLSTM2D layers of 40 filters, then a convolution of 3x3x3.

    - The size of their kernels is not given; it is that of the Keras example that the net is based on, 3x3, and gates
      are Keras's of that time.
    - The length of the sequence is that of the game so far; here the planes before the empty board are black and do
      not count. The answer is the picture expected next: the last one of those that the net gives. The third of the
      last kernel that looks one picture ahead sees nothing there, and learns only where sequences go on.
    - The sigmoid at the end gives each pixel a chance; the policy is its logarithm, for the reasons that
      ``AlphaDotsEarly`` gives.
    """

    def __init__(self, description: NetDescription) -> None:
        super().__init__()
        self.description = description
        filters, kernel = description.channels, description.kernel
        channels = (1, *[filters] * description.layers)
        self.memories = nn.ModuleList(ConvLstm(before, filters, kernel) for before in channels[:-1])
        self.norms = nn.ModuleList(keras_norm(filters) for _ in channels[1:])
        self.last = nn.Conv3d(filters, 1, 3, padding=1)
        begin_as_keras(self.last)

    def forward(self, planes: Tensor, mask: Tensor) -> tuple[Tensor]:
        """Batch x 1 x rows x columns."""
        steps = self.description.planes
        x = (planes * mask)[:, :, None]
        masks = (x.amax((3, 4), keepdim=True) > 0).to(x.dtype) * mask[:, None]  # a picture has at least its dots
        boards = Boards.of(masks.flatten(0, 1), learning=self.training)
        for memory, norm in zip(self.memories, self.norms):
            states = memory(x, masks)
            x = norm(states.flatten(0, 1), boards).unflatten(0, (-1, steps))
        expected = self.last(x[:, -2:].transpose(1, 2))[:, :, -1]
        return (-nn.functional.softplus(-expected) * mask,)  # the sigmoid's logarithm, never that of zero
