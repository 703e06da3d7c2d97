"""The evaluator that asks PyTorch: for graphics cards, and for comparing on the processor."""

from __future__ import annotations

import copy

import numpy as np
import torch
from torch import nn

from pocketzero.games.base import Game
from pocketzero.nets.answers import Answers, Floats
from pocketzero.nets.description import BadNet, NetDescription
from pocketzero.nets.evaluator import Current


def has_cuda() -> bool:
    """Whether there is a graphics card that PyTorch can use."""
    return torch.cuda.is_available()


class TorchEvaluator:
    """Answers with PyTorch on a device. The net is copied: training may go on."""

    def __init__(self, net: nn.Module, game: Game, *, device: str = "cpu", name: str = "the net") -> None:
        if device == "cuda" and not has_cuda():
            raise BadNet("PyTorch finds no graphics card here; use the device 'openvino' or 'torch'.")
        description: NetDescription = net.description  # type: ignore[assignment]
        self._answers = Answers(description, game)
        self.game = self._answers.game
        self.device = device
        self.name = name
        self._current = Current(self._copied(net), description)
        self._mask = torch.from_numpy(self.game.planes.mask).to(device)[None, None]

    @property
    def description(self) -> NetDescription:
        """What the net is."""
        return self._current.description

    def evaluate(self, planes: Floats) -> tuple[Floats, Floats]:
        """A logit for each action, and the value for the player to move."""
        return self._answers.both(self._run(planes), self.name)

    def evaluate_all(self, planes: Floats) -> dict[str, Floats]:
        """All outputs by name."""
        return self._answers.all(self._run(planes), self.name)

    def clone(self) -> TorchEvaluator:
        """Another one for another thread, with the same net now and after every swap."""
        other = copy.copy(self)  # PyTorch modules in use may be shared by threads
        return other

    def swap(self, net: nn.Module) -> None:
        """From now on this net, of the same description, answers here and in all clones."""
        self._current.replace(self._copied(net), net.description)  # type: ignore[arg-type]

    def _copied(self, net: nn.Module) -> nn.Module:
        return copy.deepcopy(net).to(self.device).eval()

    def _run(self, planes: Floats) -> dict[str, Floats]:
        if planes.shape[1:] != self.game.planes.shape or not len(planes):
            raise BadNet(f"{self.name} reads planes {self.game.planes.shape}, not {planes.shape}.")
        net: nn.Module = self._current.net
        with torch.inference_mode():
            batch = torch.from_numpy(np.ascontiguousarray(planes)).to(self.device)
            outputs = net(batch, self._mask.expand(len(planes), -1, -1, -1))
        return {name: tensor.cpu().numpy() for name, tensor in zip(self._answers.description.outputs, outputs)}
