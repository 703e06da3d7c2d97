"""EasyMediumHard: the three rule-based players against each other (Peters 2018, table 2)."""

from __future__ import annotations

from dataclasses import dataclass

from pocketzero.experiments.alphadots import COLUMNS, LEVELS, PAPER
from pocketzero.experiments.comparison import Comparison, percent
from pocketzero.experiments.document import Heading, Part
from pocketzero.experiments.experiment import Experiment
from pocketzero.experiments.steps import Lab

TABLE_2 = percent(
    {
        "Easy": (50.36, 9.43, 2.64),
        "Medium": (90.82, 49.72, 8.93),
        "Hard": (97.71, 91.11, 49.50),
    },
    COLUMNS,
)


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """What the experiment is made of."""

    board: str = "dots:5x5"
    games: int = 10_000  # of each of the nine pairs, half of them begun by either side


def run(lab: Lab, chosen: Parameters) -> list[Part]:
    """Nine matches, and their table."""
    ours = {
        (player.capitalize(), column): lab.match(
            player, level, chosen.board, lab.games(chosen.games), share=1 / 9, seed=3 * LEVELS.index(player)
        ).wins()
        for player in LEVELS
        for level, column in zip(LEVELS, COLUMNS)
    }
    names = [level.capitalize() for level in LEVELS]
    compared = Comparison(f"Table 2, on {chosen.board}", names, COLUMNS, TABLE_2, ours, 10_000)
    return [Heading("Easy, Medium and Hard"), *compared.parts()]


EXPERIMENTS = (
    Experiment(
        name="EasyMediumHard",
        paper=PAPER,
        summary="Easy, Medium and Hard against each other (table 2)",
        scales={
            "paper": Parameters(),
            "default": Parameters(),
            "tiny": Parameters(board="dots:3x3", games=20),
        },
        run=run,
        choices=(
            "The thesis does not say on which board; 5x5, as in its other tables. Games begin on the empty board.",
            "Each of the nine numbers comes from a match of its own, as in the thesis, whose rows and columns do not "
            "add up to 100%.",
        ),
    ),
)
