"""PocketZero: AlphaZero for board games whose turns do not simply alternate, on a machine you already own."""

__version__ = "0.1.0"
