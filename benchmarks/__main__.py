"""``make bench``: all measurements, or those named: ``python -m benchmarks playouts``."""

from __future__ import annotations

import importlib
import os
import platform
import sys

MEASUREMENTS = ("playouts", "searches", "leaves", "solvers", "solvers_mnk", "learning", "page")


def main() -> None:
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    for name in sys.argv[1:] or MEASUREMENTS:
        print()
        importlib.import_module(f"benchmarks.{name}").main()


main()
