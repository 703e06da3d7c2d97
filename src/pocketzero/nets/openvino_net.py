"""Nets as OpenVINO programs: read from ONNX files without PyTorch, or made from PyTorch nets while they learn.

An ``OpenVinoNet`` does not depend on the size of a batch or of a board; ``compiled`` makes a program for fixed ones, in
which the board's mask is a constant, so that what it masks costs nothing on boards that fill their rectangle.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketzero.games.base import Game
from pocketzero.nets.description import KEY, BadNet, NetDescription
from pocketzero.nets.processor import announced_features, remembered, settle
from pocketzero.nets.runtime import openvino

PRECISIONS = ("auto", "bf16", "f32")
TRIAL_CHANNELS, TRIAL_ROUNDS = 64, 8
_cloning = threading.Lock()  # OpenVINO does not say that one model may be copied by several threads


@cache
def core() -> openvino.Core:
    """The one OpenVINO runtime of this process."""
    settle()
    return openvino.Core()


@cache
def has_bf16() -> bool:
    """Whether this processor computes in bfloat16."""
    return "BF16" in core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


@cache
def bf16_pays() -> bool:
    """Whether bfloat16 is the quicker one here, by a short trial: without a matrix unit it may be the slower."""
    return remembered("bf16", announced_features(), lambda: _trial("bf16") < _trial("f32"))


def _trial(precision: str) -> float:
    """How long a few convolutions of a usual size take."""
    shape = [64, TRIAL_CHANNELS, 7, 7]
    planes = openvino.opset13.parameter(shape, np.float32)
    weights = np.full((TRIAL_CHANNELS, TRIAL_CHANNELS, 3, 3), 0.01, np.float32)
    layer = planes
    for _ in range(4):
        layer = openvino.opset13.convolution(layer, openvino.opset13.constant(weights), [1, 1], [1, 1], [1, 1], [1, 1])
    hints = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": precision}
    compiled = core().compile_model(openvino.Model([layer], [planes]), "CPU", hints)
    batch = np.ones(shape, np.float32)
    times = []
    for _ in range(TRIAL_ROUNDS):
        begin = time.perf_counter()
        compiled(batch)
        times.append(time.perf_counter() - begin)
    return min(times)


def precision_of(wanted: str) -> str:
    """``bf16`` or ``f32``; ``auto`` is the quicker one here."""
    if wanted not in PRECISIONS:
        raise BadNet(f"The precision is one of {', '.join(PRECISIONS)}, not {wanted!r}.")
    if wanted == "bf16" and not has_bf16():
        raise BadNet("This processor does not compute in bfloat16; use the precision 'auto' or 'f32'.")
    if wanted == "auto":
        return "bf16" if has_bf16() and bf16_pays() else "f32"
    return wanted


@dataclass(frozen=True, eq=False)
class OpenVinoNet:
    """A net as OpenVINO has it; it never changes, so threads may share it."""

    model: openvino.Model
    description: NetDescription
    name: str  # what messages call it

    def compiled(self, game: Game, batch: int, precision: str) -> openvino.CompiledModel:
        """The program for batches of one size on one board, for one thread."""
        planes, rows, columns = game.planes.shape
        with _cloning:
            model = self.model.clone()
        shapes = {"planes": [batch, planes, rows, columns], "mask": [batch, 1, rows, columns]}
        inputs = {tensor.any_name for tensor in model.inputs}
        model.reshape({name: shape for name, shape in shapes.items() if name in inputs})
        if "mask" in inputs:
            _fix_mask(model, np.broadcast_to(game.planes.mask, shapes["mask"]))
        hints = {
            "INFERENCE_NUM_THREADS": 1,
            "NUM_STREAMS": 1,
            "INFERENCE_PRECISION_HINT": precision,
            "ENABLE_CPU_PINNING": False,  # workers are threads of ours; the system places them
        }
        return core().compile_model(model, "CPU", hints)

    def with_weights(self, weights: Mapping[str, NDArray[Any]], name: str = "") -> OpenVinoNet:
        """The same net with other weights, given by the names of the PyTorch module."""
        with _cloning:
            model = self.model.clone()
        constants = {op.get_friendly_name(): op for op in model.get_ops() if op.get_type_name() == "Constant"}
        for weight, numbers in weights.items():
            old = constants.get(weight)
            if old is None or tuple(old.shape) != numbers.shape:
                raise BadNet(f"The weights of {name or self.name} are not those of its description: {weight}.")
            new = openvino.opset13.constant(np.array(numbers, np.float32))  # a copy: the learner goes on
            new.set_friendly_name(weight)
            old.output(0).replace(new.output(0))
        return OpenVinoNet(model, self.description, name or self.name)


def _fix_mask(model: openvino.Model, mask: NDArray[np.float32]) -> None:
    """Make the board's mask a part of the program; where it is all ones, OpenVINO drops it."""
    parameter = model.input("mask").get_node()
    constant = openvino.opset13.constant(np.ascontiguousarray(mask))
    parameter.output(0).replace(constant.output(0))
    model.remove_parameter(parameter)


def read_onnx(path: Path | str) -> OpenVinoNet:
    """The net in an ONNX file that PocketZero wrote."""
    path = Path(path)
    return from_onnx(path.read_bytes(), str(path))


def from_onnx(data: bytes, name: str) -> OpenVinoNet:
    """The net in the bytes of an ONNX file; its description is in the file's metadata."""
    try:
        model = core().read_model(data, b"")
    except RuntimeError:
        raise BadNet(f"{name} is damaged or is no ONNX file.") from None
    # OpenVINO hands the metadata of an ONNX file on as the "framework" entries of the model.
    where = ["framework", KEY]
    if not model.has_rt_info(where):
        raise BadNet(f"{name} has no description of a net; it was not exported by PocketZero.")
    text = model.get_rt_info(where).astype(str)
    return OpenVinoNet(model, NetDescription.from_json(text, name), name)
