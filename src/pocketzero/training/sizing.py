"""How a run grows with its cluster: from figures measured on one machine to games a second, traffic and bottlenecks.

Self-play grows with the cores; those of the head's own node learn and play in turns. All games come to one head, whose
main thread takes them in and learns from them; it has one second a second. Weights go out to every node once a round.
The model is that, and nothing else: not what Ray itself costs, nor the time to look at many nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

from pocketzero.training.actors import STINT_SECONDS

CORES_A_NODE = 16
NETWORK = 125e6  # bytes a second that the head can send, and as many that it can receive: 1 Gbit/s


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What was measured."""

    games_per_core: float
    """Games a second that an actor on one core finishes."""
    plies_per_game: float
    """Searched plies of a game that are learned from."""
    bytes_per_game: float
    """What a finished game weighs on its way to the head."""
    weights_bytes: float
    """What a net weighs on its way to a node."""
    intake_seconds: float
    """The head's time for one game: unpack it, write it to the journal, put it into the window."""
    stint_seconds: float
    """The head's time for one stint besides its games: ask for it, and receive it."""
    step_seconds: float
    """The learner's time for one step."""
    batch: int
    reuse: float
    round_plies: int


@dataclass(frozen=True)
class Size:
    """A run on so many cores."""

    cores: int
    offered: float  # games a second that the actors could play
    games: float  # games a second that the slowest part lets through, and the head's cores while it learns
    learning: float  # what that costs, in seconds a second: of the learner,
    intake: float  # of taking games in,
    received: float  # in bytes a second that the head receives,
    sent: float  # and sends
    bottleneck: str  # empty while the actors are the slowest part


def size(figures: Figures, cores: int, *, node: int = CORES_A_NODE, network: float = NETWORK) -> Size:
    """What to expect of so many cores, on nodes of so many each."""
    offered = cores * figures.games_per_core
    per_game = {
        "learning": figures.plies_per_game * figures.reuse / figures.batch * figures.step_seconds,
        "intake": figures.intake_seconds + figures.stint_seconds / (figures.games_per_core * STINT_SECONDS),
    }
    played = offered / (1 + min(cores, node) * figures.games_per_core * per_game["learning"])  # the head's in turns
    rounds = figures.plies_per_game / figures.round_plies  # for each game
    sent = -(-cores // node) * figures.weights_bytes * rounds
    limits = {
        "head": 1 / sum(per_game.values()),
        "network in": network / figures.bytes_per_game,
        "network out": network / sent,
    }
    narrowest = min(limits, key=lambda name: limits[name])
    games = min(played, limits[narrowest])
    bottleneck = "" if games == played else narrowest
    if bottleneck == "head":
        bottleneck = max(per_game, key=lambda name: per_game[name])
    return Size(
        cores,
        offered,
        games,
        games * per_game["learning"],
        games * per_game["intake"],
        games * figures.bytes_per_game,
        games * sent,
        bottleneck,
    )
