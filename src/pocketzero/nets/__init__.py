"""Nets: descriptions, PyTorch modules, files, and evaluators that a search asks. No particular game is known here.

Importing this does not import PyTorch: ``open_evaluator`` plays an ONNX file with OpenVINO alone.
"""

from __future__ import annotations

from pocketzero.nets.description import BadNet, NetDescription, describe, extra_outputs
from pocketzero.nets.evaluator import NetEvaluator, OpenVinoEvaluator, choose_evaluator, open_evaluator
from pocketzero.nets.files import checkpoint_path, find_net, list_models, load_net, read_description, save_net
from pocketzero.nets.kinds import build_net
from pocketzero.nets.openvino_net import OpenVinoNet, has_bf16, read_onnx

__all__ = [
    "BadNet",
    "NetDescription",
    "NetEvaluator",
    "OpenVinoEvaluator",
    "OpenVinoNet",
    "build_net",
    "checkpoint_path",
    "choose_evaluator",
    "describe",
    "extra_outputs",
    "find_net",
    "has_bf16",
    "list_models",
    "load_net",
    "open_evaluator",
    "read_description",
    "read_onnx",
    "save_net",
]
