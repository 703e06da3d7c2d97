"""From PyTorch nets to ONNX files, and through them to OpenVINO."""

from __future__ import annotations

import io
import threading
import warnings
from functools import lru_cache
from pathlib import Path

import onnx
import torch
from torch import nn

from pocketzero.nets.description import KEY, NetDescription
from pocketzero.nets.files import write_atomically
from pocketzero.nets.kinds import build_net
from pocketzero.nets.openvino_net import OpenVinoNet, from_onnx

OPSET = 17
SOME_ROWS, SOME_COLUMNS = 5, 6  # of the board that the exporter is shown; those of a file are free


def onnx_bytes(net: nn.Module) -> bytes:
    """The net as an ONNX file, its batch and (if it plays all boards) its rows and columns left open."""
    description: NetDescription = net.description  # type: ignore[assignment]
    rows, columns = description.rows or SOME_ROWS, description.columns or SOME_COLUMNS
    open_axes = {0: "batch", 2: "rows", 3: "columns"} if description.is_sizefree else {0: "batch"}
    shown = (torch.zeros(2, description.planes, rows, columns), torch.ones(2, 1, rows, columns))
    buffer = io.BytesIO()
    was_training = net.training
    net.eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter that traces is called old; it is ten times quicker
        torch.onnx.export(
            net,
            shown,
            buffer,  # type: ignore[arg-type]
            dynamo=False,
            opset_version=OPSET,
            input_names=["planes", "mask"],
            output_names=list(description.outputs),
            dynamic_axes={"planes": open_axes, "mask": open_axes}
            | {output: {0: "batch"} for output in description.outputs},
            do_constant_folding=False,  # weights keep their names, so that others can take their places
            training=torch.onnx.TrainingMode.PRESERVE,
        )
    net.train(was_training)
    model = onnx.load_from_string(buffer.getvalue())
    onnx.helper.set_model_props(model, {KEY: description.to_json()})
    return model.SerializeToString()


def export_onnx(net: nn.Module, path: Path | str) -> Path:
    """Write a net as an ONNX file, which plays without PyTorch."""
    path = Path(path)
    write_atomically(path, onnx_bytes(net))
    return path


_exporting = threading.Lock()  # PyTorch's exporter is not made for several threads


def openvino_net(net: nn.Module, name: str = "the net") -> OpenVinoNet:
    """The net for OpenVINO, with a copy of its weights as they are now; quick from the second time on."""
    weights = {
        name: tensor.detach().cpu().numpy() for name, tensor in net.state_dict().items() if tensor.is_floating_point()
    }
    with _exporting:
        template = _template(net.description)
    return template.with_weights(weights, name)


@lru_cache(maxsize=8)
def _template(description: NetDescription) -> OpenVinoNet:
    """A net of this description with weights that are all different: the exporter merges those that are equal."""
    net = build_net(description)
    chance = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for tensor in net.state_dict().values():
            if tensor.is_floating_point():
                tensor.copy_(torch.rand(tensor.shape, generator=chance))
    return from_onnx(onnx_bytes(net), "the net")
