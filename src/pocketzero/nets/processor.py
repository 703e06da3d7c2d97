"""What this processor can really do, found out before OpenVINO looks.

Some virtual machines announce Intel's matrix unit (AMX) but hide how it is laid out; OpenVINO's bfloat16 programs then
die with an illegal instruction. ``settle`` must run before OpenVINO's first program: where the unit is announced, a
child process tries it once per machine and version, and if that dies, OpenVINO is told to do without it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path

from pocketzero.places import cache_folder

LIMIT = "ONEDNN_MAX_CPU_ISA"  # oneDNN, which computes for OpenVINO and PyTorch, reads this once
WITHOUT_AMX = "AVX512_CORE_BF16"
TRIAL_SECONDS = 60
TRIAL = """
import sys
sys.modules["openvino_telemetry"] = None  # as in runtime.py
import numpy, openvino
from openvino import opset13 as ops
planes = ops.parameter([4, 32, 6, 6], numpy.float32)
weights = ops.constant(numpy.ones((32, 32, 3, 3), numpy.float32))
model = openvino.Model([ops.convolution(planes, weights, [1, 1], [1, 1], [1, 1], [1, 1])], [planes])
hints = {"INFERENCE_PRECISION_HINT": "bf16", "INFERENCE_NUM_THREADS": 1}
openvino.Core().compile_model(model, "CPU", hints)(numpy.ones((4, 32, 6, 6), numpy.float32))
"""


@cache
def settle() -> None:
    """Keep OpenVINO from using what this processor only announces."""
    announced = announced_features()
    if "amx_bf16" in announced and LIMIT not in os.environ and not amx_works(announced):
        os.environ[LIMIT] = WITHOUT_AMX


def announced_features() -> str:
    """The processor's name and features as Linux lists them; nothing elsewhere, where AMX is not hidden like this."""
    with contextlib.suppress(OSError):
        return Path("/proc/cpuinfo").read_text().partition("\n\n")[0]
    return ""


def amx_works(announced: str) -> bool:
    """Whether a small net comes through."""
    return remembered("amx", announced, lambda: survives(TRIAL))


def remembered(question: str, announced: str, ask: Callable[[], bool]) -> bool:
    """The answer to a question about this processor and this OpenVINO; asked once, then kept in the cache folder."""
    steady = "\n".join(line for line in announced.splitlines() if not line.startswith(("cpu MHz", "bogomips")))
    mark = hashlib.sha256(f"{version('openvino')}\n{steady}".encode()).hexdigest()[:16]
    file = cache_folder() / f"{question}-{mark}.txt"
    with contextlib.suppress(OSError):
        if (known := file.read_text()) in ("yes", "no"):
            return known == "yes"
    answer = ask()
    with contextlib.suppress(OSError):
        file.write_text("yes" if answer else "no")
    return answer


def survives(program: str) -> bool:
    """Whether a Python program comes to its end in a process of its own."""
    try:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=TRIAL_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
