"""How much the server does for its clients. Nothing that a client asks for is without a bound."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Every cap in one place."""

    body_bytes: int = 2_000_000
    """The largest request."""
    message_bytes: int = 64_000
    """The largest message on the WebSocket."""
    sockets: int = 256
    """WebSockets at once."""
    analyses: int = 8
    """Analyses and reviews at once; more are refused until one ends."""
    live_games: int = 512
    """Games kept in memory; older ones are read again from the store when somebody asks for them."""
    stored_games: int = 100_000
    """Games in the store."""
    nodes: int = 5000
    """Positions in the tree of one game."""
    engine_seconds: float = 30.0
    """Thinking time of a player for one move."""
    engine_sims: int = 1_000_000
    """Simulations of a player for one move."""
    engine_memory: int = 512
    """MiB of a player's tree."""
    engine_nodes: int = 10_000_000
    """Positions that a player looks at for one move."""
    engine_leaves: int = 256
    """Leaves that a player evaluates at once."""
    engine_solve: int = 100_000
    """Positions that a player looks at to solve one leaf."""
    analysis_seconds: float = 20.0
    """One analysis that is asked for in a single request."""
    review_seconds: float = 5.0
    """One position of a review."""
    wait_seconds: float = 30.0
    """How long a request waits for the reply to a move."""
