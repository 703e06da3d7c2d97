"""Evaluators: what a search asks about positions, answered by a net on this machine's processor.

``OpenVinoEvaluator`` compiles a net for a few sizes of batches and keeps its buffers. One serves one thread; ``clone``
makes another for the next thread, and ``swap`` gives new weights to all clones while they work. Nothing here needs
PyTorch, unless the net itself is a PyTorch module.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pocketzero.games.base import Game
from pocketzero.nets.answers import Answers, Floats
from pocketzero.nets.description import BadNet, NetDescription
from pocketzero.nets.files import ONNX, find_net, load_net
from pocketzero.nets.openvino_net import OpenVinoNet, precision_of, read_onnx
from pocketzero.nets.runtime import openvino

if TYPE_CHECKING:
    from torch import nn

    Net = OpenVinoNet | nn.Module

BATCHES = (1, 8, 16, 32, 48, 64, 96, 128, 192, 256)  # sizes that programs are made for; others are filled up
DEVICES = ("auto", "openvino", "torch", "cuda")
TRIAL_BATCH, TRIAL_ROUNDS = 64, 3


class NetEvaluator(Protocol):
    """An evaluator with a net behind it."""

    game: Game  # as the net sees it: whoever makes planes for it uses this one

    @property
    def description(self) -> NetDescription:
        """What the net is."""

    def evaluate(self, planes: Floats) -> tuple[Floats, Floats]:
        """A logit for each action, and the value for the player to move."""

    def evaluate_all(self, planes: Floats) -> dict[str, Floats]:
        """All outputs by name."""

    def clone(self) -> NetEvaluator:
        """Another one for another thread, with the same net now and after every swap."""

    def swap(self, net: Any) -> None:
        """From now on this net, of the same description, answers here and in all clones."""


class Current:
    """The net that an evaluator and its clones use now."""

    def __init__(self, net: Any, description: NetDescription) -> None:
        self.net = net
        self.description = description

    def replace(self, net: Any, description: NetDescription) -> None:
        """Use another net of the same shape."""
        if description != self.description:
            raise BadNet(f"Only a net of the same description can take its place: {description} {self.description}.")
        self.net = net


class Program:
    """A compiled net for one size of batches, with its buffers."""

    def __init__(self, net: OpenVinoNet, game: Game, batch: int, precision: str) -> None:
        self.batch = batch
        compiled = net.compiled(game, batch, precision)
        self.planes = np.zeros((batch, *game.planes.shape), np.float32)
        self.request = compiled.create_infer_request()
        self.request.set_input_tensor(openvino.Tensor(self.planes, shared_memory=True))
        self.outputs = net.description.outputs

    def run(self, planes: Floats) -> dict[str, Floats]:
        """The outputs by name, for as many rows as there are planes; they last until the next run."""
        rows = len(planes)
        self.planes[:rows] = planes
        self.request.infer(share_outputs=True)
        tensors = (self.request.get_output_tensor(index).data for index in range(len(self.outputs)))
        return {output: data[:rows] for output, data in zip(self.outputs, tensors)}


class OpenVinoEvaluator:
    """Answers with OpenVINO on one thread of the processor, in bfloat16 where the processor has it."""

    def __init__(self, net: Net, game: Game, *, precision: str = "auto") -> None:
        ready = as_openvino(net)
        self._answers = Answers(ready.description, game)
        self.game = self._answers.game
        self.precision = precision_of(precision)
        self._current = Current(ready, ready.description)
        self._net: OpenVinoNet = ready
        self._programs: dict[int, Program] = {}

    @property
    def description(self) -> NetDescription:
        """What the net is."""
        return self._current.description

    def evaluate(self, planes: Floats) -> tuple[Floats, Floats]:
        """A logit for each action, and the value for the player to move."""
        parts = [self._answers.both(program.run(part), self._net.name) for program, part in self._split(planes)]
        logits, values = zip(*parts)
        return (np.array(logits[0]), values[0]) if len(parts) == 1 else (np.concatenate(logits), np.concatenate(values))

    def evaluate_all(self, planes: Floats) -> dict[str, Floats]:
        """All outputs by name."""
        parts = [self._answers.all(program.run(part), self._net.name) for program, part in self._split(planes)]
        return {output: np.concatenate([part[output] for part in parts]) for output in parts[0]}

    def prepare(self, *batches: int) -> None:
        """Compile for batches of these sizes now rather than when the first of them comes."""
        for batch in batches:
            self._program(batch)

    def clone(self) -> OpenVinoEvaluator:
        """Another one for another thread, with the same net now and after every swap."""
        other = OpenVinoEvaluator(self._current.net, self.game, precision=self.precision)
        other._current = self._current
        return other

    def swap(self, net: Net) -> None:
        """From now on this net, of the same description, answers here and in all clones."""
        ready = as_openvino(net)
        self._current.replace(ready, ready.description)

    def _split(self, planes: Floats) -> list[tuple[Program, Floats]]:
        """The batch in parts that programs take; each thread takes a new net when it begins a batch."""
        if self._net is not self._current.net:
            self._net = self._current.net
            self._programs = {}
        if planes.shape[1:] != self.game.planes.shape or not len(planes):
            raise BadNet(f"{self._net.name} reads planes {self.game.planes.shape}, not {planes.shape}.")
        most = BATCHES[-1]
        parts = [planes[begin : begin + most] for begin in range(0, len(planes), most)]
        return [(self._program(len(part)), part) for part in parts]

    def _program(self, rows: int) -> Program:
        """The program for so many rows; made when it is first wanted."""
        batch = BATCHES[min(bisect_left(BATCHES, rows), len(BATCHES) - 1)]
        if batch not in self._programs:
            self._programs[batch] = Program(self._net, self.game, batch, self.precision)
        return self._programs[batch]


def as_openvino(net: Net) -> OpenVinoNet:
    """The net for OpenVINO, if it is not that already."""
    if isinstance(net, OpenVinoNet):
        return net
    from pocketzero.nets.export import openvino_net

    return openvino_net(net)


def choose_evaluator(net: Net, game: Game, *, device: str = "auto", precision: str = "auto") -> NetEvaluator:
    """The evaluator for a device; ``auto`` takes a GPU if there is one, else what a short trial shows to be faster."""
    if device not in DEVICES:
        raise BadNet(f"The device is one of {', '.join(DEVICES)}, not {device!r}.")
    if isinstance(net, OpenVinoNet):
        if device in ("torch", "cuda"):
            raise BadNet(f"{net.name} is an ONNX file, which OpenVINO runs; PyTorch needs the .safetensors file.")
        return OpenVinoEvaluator(net, game, precision=precision)
    if device == "openvino":
        return OpenVinoEvaluator(net, game, precision=precision)
    from pocketzero.nets.torch_evaluator import TorchEvaluator, has_cuda

    if device == "auto" and not has_cuda():
        both: list[NetEvaluator] = [OpenVinoEvaluator(net, game, precision=precision), TorchEvaluator(net, game)]
        return min(both, key=seconds_of_a_batch)
    return TorchEvaluator(net, game, device="cpu" if device == "torch" else "cuda")


def seconds_of_a_batch(evaluator: NetEvaluator) -> float:
    """How long a usual batch takes: the best of a few, after one to warm up."""
    planes = np.zeros((TRIAL_BATCH, *evaluator.game.planes.shape), np.float32)
    times = []
    for _ in range(TRIAL_ROUNDS + 1):
        begin = time.perf_counter()
        evaluator.evaluate(planes)
        times.append(time.perf_counter() - begin)
    return min(times[1:])


def open_evaluator(text: str | Path, game: Game, *, device: str = "auto", precision: str = "auto") -> NetEvaluator:
    """The evaluator for the net that a text names; ONNX files need no PyTorch."""
    path = find_net(str(text))
    net: Net = read_onnx(path) if path.suffix == ONNX else load_net(path)
    return choose_evaluator(net, game, device=device, precision=precision)
