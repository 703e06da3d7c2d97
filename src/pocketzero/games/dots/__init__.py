"""Dots and Boxes on any board from 1x1 to 20x20 boxes."""

from __future__ import annotations

from pocketzero.games.dots.board import FAMILY

__all__ = ["FAMILY"]
