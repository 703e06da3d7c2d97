"""Gomoku, tic-tac-toe and all other games of k in a row on m x n cells."""

from __future__ import annotations

from pocketzero.games.mnk.board import FAMILY, GOMOKU

__all__ = ["FAMILY", "GOMOKU"]
