"""Zertz on any of its boards, with any pool and goals."""

from __future__ import annotations

from pocketzero.games.zertz.board import FAMILY

__all__ = ["FAMILY"]
