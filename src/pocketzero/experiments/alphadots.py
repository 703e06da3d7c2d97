"""What the experiments of the AlphaDots thesis (Peters 2018) share: nets, samples, players, opponents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pocketzero.experiments.comparison import Place, Share
from pocketzero.experiments.steps import Lab, Score
from pocketzero.nets.files import BEST, CHECKPOINTS, WEIGHTS

PAPER = "Tom Vincent Peters: Mastering the game of Dots and Boxes with deep neural networks and tree search (2018)"
LEVELS = ("easy", "medium", "hard")
COLUMNS = tuple(f"wins vs. {level.capitalize()}" for level in LEVELS)
ROUND = 4_000  # samples that are made before the net learns from them, so that millions need no memory
SAMPLES_HERE = (
    "The thesis does not name its optimiser beyond stochastic gradient descent, nor rates and batches: Adam at 0.001, "
    "falling evenly to 0.0001, in batches of 128, each sample seen once (7.8: one epoch), in a random symmetry."
)
DIRECT_HERE = (
    "Direct play is the line with the highest policy, shown to the net as it is: no symmetries, no reduced moves. "
    "Games begin on the empty board; what differs between them comes from the rule-based opponents."
)
MCTS_HERE = (
    "The search is PUCT with c 1.25 that averages values, without the proofs that PocketZero's own players use; move "
    "sequences are its reduced moves."
)


def net(blocks: int, filters: int, *, policy_only: bool = False) -> list[str]:
    """The settings of an AlphaZero net of the thesis (6.4.3)."""
    chosen = ["net.kind=alphadots", f"net.blocks={blocks}", f"net.channels={filters}"]
    return [*chosen, "net.policy_only=true"] if policy_only else chosen


def supervised(
    player: str, samples: int, *, epochs: float = 1.0, uniform: bool = False, scale: float = 1.0
) -> list[str]:
    """Settings to learn from so many positions labelled by a player: StageFour's (6.2.5), or those before it."""
    each = max(1, min(ROUND, samples))
    found = [
        "positions.share=1",
        f"positions.player={player}",
        "positions.policy=player",
        f"rounds={-(-samples // each)}",
    ]
    found += [f"positions.value_scale={scale}", f"positions.uniform={'true' if uniform else 'false'}"]
    found += [f"replay.round_plies={each}", f"replay.window={each}", f"replay.largest={each}", f"replay.reuse={epochs}"]
    found += ["replay.in_turn=true", "learn.batch=128", "learn.optimiser=adam", 'learn.rate="0:0.001 1:0.0001"']
    return [*found, "learn.weight_decay=0.0", "learn.ema=0.0", "selfplay.sims=1", "trees=8"]


def selfplay(samples: int, sims: int, epochs: int, iterations: int, games: int, *, sequences: bool) -> list[str]:
    """Settings of the thesis's self-play (6.6): boards by Hard, one search each, a gate in direct play."""
    found = ["positions.share=1", "positions.player=hard", "positions.policy=net", f"positions.sims={sims}"]
    found += [f"selfplay.reduced={'true' if sequences else 'false'}", "selfplay.proven=false", "selfplay.sims=1"]
    found += [f"replay.round_plies={samples}", f"replay.window={samples}", f"replay.largest={samples}"]
    found += [f"replay.reuse={epochs}", "replay.in_turn=true", f"rounds={iterations}", "trees=32"]
    found += ["gating.mode=cumulative", "gating.threshold=0.5", f"gating.games={games}", "gating.sims=0"]
    found += ["gating.turns=4", 'gating.options="reduced=no,symmetry=none"', "learn.ema=0.0", "learn.weight_decay=0.0"]
    return [*found, "learn.batch=128", "learn.optimiser=adam", "learn.rate=0.0003"]


@dataclass(frozen=True, kw_only=True)
class Taught:
    """A net that learns from a rule-based player."""

    blocks: int
    filters: int
    samples: int


@dataclass(frozen=True, kw_only=True)
class SelfPlay:
    """How a net that was taught goes on by itself."""

    samples: int = 512  # an iteration
    sims: int = 1000
    epochs: int = 5
    iterations: int = 20
    gate_games: int = 1000
    sequences: bool = False  # whether the search knows the thesis's move sequences


VERSION_7_BOARDS = ("dots:3x3", "dots:4x4", "dots:5x4")  # "a maximum size of 5x4 boxes" (7.4)
VERSION_7_HERE = (
    'AlphaZeroV7 was trained on "boards with a maximum size of 5x4 boxes" (7.4), more is not said: 3x3, 4x4 and 5x4 '
    "in equal parts, labelled by StageThree with Hard; the thesis gives neither its size nor its samples."
)


def version_7(lab: Lab, taught: Taught, boards: tuple[str, ...], *, share: float) -> Path:
    """AlphaZeroV7: the first version with a value, from StageThree's samples of several boards."""
    listed = ", ".join(f'{{game="{board}"}}' for board in boards)
    settings = [*net(taught.blocks, taught.filters), *supervised("hard", taught.samples, uniform=True, scale=0.8)]
    return lab.train("AlphaZeroV7", boards[-1], [*settings, f"boards=[{listed}]"], share=share)


def teach(lab: Lab, name: str, player: str, board: str, taught: Taught, *, share: float) -> Path:
    """A net that learns from StageFour's samples of one board."""
    settings = [*net(taught.blocks, taught.filters), *supervised(player, taught.samples)]
    return lab.train(name, board, settings, share=share)


def go_on_alone(lab: Lab, name: str, start: Path, board: str, taught: Taught, own: SelfPlay, *, share: float) -> Path:
    """The net of an earlier run, after self-play."""
    games = own.gate_games + own.gate_games % 2
    settings = selfplay(own.samples, own.sims, own.epochs, own.iterations, games, sequences=own.sequences)
    return lab.train(name, board, [*net(taught.blocks, taught.filters), *settings], share=share, init=start)


def direct(run: Path) -> str:
    """The player that takes the first choice of a run's net (of the one that was accepted, if it had a gate)."""
    return f"net:{playing(run)},reduced=no,symmetry=none"


def playing(run: Path) -> str:
    """The net of a run that plays: the best, if it had a gate, else the latest."""
    return f"{run}@best" if (run / CHECKPOINTS / f"{BEST}{WEIGHTS}").is_file() else str(run)


def mcts(run: Path, sims: int, *, sequences: bool = True, seconds: float = 0.0) -> str:
    """The player that searches."""
    limit = f",seconds={seconds:g}" if seconds else ""
    return f"zero:{playing(run)},sims={sims}{limit},proven=no,reduced={'yes' if sequences else 'no'}"


def against_levels(
    lab: Lab, player: str, board: str, games: int, *, share: float, levels: Sequence[str] = LEVELS
) -> dict[str, Score]:
    """Matches against the rule-based players, each with its part of the share."""
    part = share / len(levels)
    return {level: lab.match(player, level, board, lab.games(games), share=part) for level in levels}


def wins(row: str, scores: Mapping[str, Score]) -> dict[Place, Share]:
    """A row of a table: the games won against each level; draws are not counted towards the rate (7.6)."""
    return {(row, f"wins vs. {level.capitalize()}"): score.wins() for level, score in scores.items()}
