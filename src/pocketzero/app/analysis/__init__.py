"""Analysis of positions and games, shared by the page and by the JSON lines on standard input and output."""

from __future__ import annotations

from pocketzero.app.analysis.desk import Desk, Task
from pocketzero.app.analysis.live import Analysis

__all__ = ["Analysis", "Desk", "Task"]
