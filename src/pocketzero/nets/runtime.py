"""OpenVINO without its telemetry: imported as usual, it would tell its makers over the network, in a child process."""

from __future__ import annotations

import sys

TELEMETRY = "openvino_telemetry"

_is_ours = "openvino" not in sys.modules and TELEMETRY not in sys.modules
if _is_ours:  # as if it were not installed, which OpenVINO allows
    sys.modules[TELEMETRY] = None  # type: ignore[assignment]
try:
    import openvino
finally:
    if _is_ours:
        del sys.modules[TELEMETRY]

__all__ = ["openvino"]
