"""PreliminaryModelEvaluation, BoardPerformance and LargeBoards: nets that learned from Hard (Peters 2018, 7.4 and 7.6).

All play Easy, Medium and Hard by their first choice. The first compares the thesis's early nets on one board, the
others take nets to boards that they have not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pocketzero.arena.plots import curves
from pocketzero.experiments import alphadots
from pocketzero.experiments.alphadots import COLUMNS, LEVELS, PAPER, Taught, against_levels, direct, supervised, wins
from pocketzero.experiments.comparison import Comparison, Place, Share, percent
from pocketzero.experiments.document import Heading, Part, Plot, Text, table
from pocketzero.experiments.experiment import Experiment
from pocketzero.experiments.steps import Lab, Score

# The thesis's tables, in percent.
TABLE_3 = percent(
    {
        "FirstTry": (0.2, 0.2, 0.1),
        "BasicStrategy": (57.9, 24.3, 5.0),
        "StageOne 5x5": (0.9, 0.4, 0.3),
        "AlphaZeroV1": (80.0, 72.4, 37.9),
        "AlphaZeroV5": (89.6, 84.0, 48.7),
        "AlphaZeroV7": (94.6, 85.9, 46.3),
    },
    COLUMNS,
)
TABLE_4 = {
    5: (95.2, 86.2, 46.7), 6: (94.3, 68.1, 32.9), 7: (92.3, 51.2, 19.4), 8: (88.1, 33.9, 9.6), 9: (84.8, 24.5, 5.2),
    10: (80.8, 13.4, 1.5), 11: (73.9, 8.3, 0.5), 12: (67.1, 3.8, 0.2), 13: (62.3, 1.8, 0.9), 14: (49.2, 0.9, 0.0),
    15: (43.0, 0.3, 0.0),
}  # fmt: skip
TABLES_7_AND_8 = {
    "A-10x10": {
        3: (36.3, 28.3, 27.7), 4: (34.3, 32.2, 27.5), 5: (40.5, 44.0, 32.1), 6: (31.4, 46.0, 26.3),
        7: (32.3, 44.6, 27.4), 8: (23.8, 46.6, 18.9), 9: (23.0, 47.6, 19.5), 10: (17.8, 45.7, 15.2),
        11: (17.7, 48.3, 15.0), 12: (12.6, 48.6, 9.3), 13: (11.0, 45.5, 8.2), 14: (8.7, 45.2, 4.8),
        15: (7.6, 46.4, 4.4),
    },
    "B-5x4": {
        3: (37.0, 29.1, 28.3), 4: (52.0, 49.1, 31.9), 5: (61.5, 63.7, 38.9), 6: (57.8, 63.0, 30.5),
        7: (57.9, 63.0, 27.6), 8: (59.9, 59.2, 22.8), 9: (56.8, 60.6, 16.8), 10: (61.1, 60.5, 12.1),
        11: (55.7, 57.3, 9.5), 12: (51.5, 57.3, 6.6), 13: (59.8, 55.4, 4.7), 14: (55.9, 57.1, 3.7),
        15: (55.7, 52.6, 2.9),
    },
    "C-8x8": {
        3: (36.6, 25.9, 32.2), 4: (34.0, 33.8, 26.3), 5: (47.1, 43.2, 30.3), 6: (42.8, 42.2, 25.5),
        7: (48.1, 47.5, 24.0), 8: (42.4, 45.5, 19.1), 9: (42.7, 50.6, 16.5), 10: (39.7, 46.2, 13.9),
    },
    "D-5x5": {
        3: (41.6, 29.4, 31.8), 4: (42.0, 36.9, 24.0), 5: (56.3, 55.7, 34.7), 6: (54.7, 54.6, 27.9),
        7: (49.8, 56.2, 24.3), 8: (50.1, 51.0, 20.6), 9: (52.3, 56.2, 18.3), 10: (49.3, 53.9, 14.0),
    },
}  # fmt: skip


# Nets on many boards


def on_boards(lab: Lab, run: Path, sizes: Sequence[int], games: int, *, share: float) -> dict[int, dict[str, Score]]:
    """Direct play of a net against the three levels on square boards; larger boards get more of the time."""
    whole = sum(size**3 for size in sizes)
    return {
        size: against_levels(lab, direct(run), f"dots:{size}x{size}", games, share=share * size**3 / whole)
        for size in sizes
    }


def sizes_parts(
    title: str, name: str, paper: Mapping[int, Sequence[float]], found: dict[int, dict[str, Score]], reasons: list[str]
) -> list[Part]:
    """The table of one net over the sizes, and its curves."""
    rows = {f"{size}x{size}": size for size in sorted({*paper, *found})}
    there = percent({row: paper[size] for row, size in rows.items() if size in paper}, COLUMNS)
    ours: dict[Place, Share] = {}
    for row, size in rows.items():
        ours |= wins(row, found[size]) if size in found else {}
    lines = {}
    for level, column in zip(LEVELS, COLUMNS):
        for who, numbers in (("paper", there),
                             ("ours", {place: share.value for place, share in ours.items()})):  # fmt: skip
            points = [(size, numbers[row, column]) for row, size in rows.items() if (row, column) in numbers]
            if points:
                lines[f"{level}, {who}"] = points
    words = f"{name}: share of games won by board size"
    plot = Plot(f"sizes-{name.lower()}", words, curves(words, lines, x="side of the board", y="won"))
    return [*Comparison(title, list(rows), COLUMNS, there, ours, 1000).parts(reasons), plot]


REASONS = [
    "Our nets saw fewer samples and are smaller, unless the paper's scale was chosen;",
    "and what the thesis leaves open about the training (below) moves these numbers.",
]


@dataclass(frozen=True, kw_only=True)
class BoardParameters:
    """BoardPerformance."""

    version_7: Taught
    boards: tuple[str, ...] = alphadots.VERSION_7_BOARDS
    sizes: tuple[int, ...] = tuple(TABLE_4)
    games: int = 1000


def board_performance(lab: Lab, chosen: BoardParameters) -> list[Part]:
    """AlphaZeroV7 on ever larger boards."""
    run = alphadots.version_7(lab, chosen.version_7, chosen.boards, share=0.35)
    found = on_boards(lab, run, chosen.sizes, chosen.games, share=0.65)
    return [Heading("AlphaZeroV7"), *sizes_parts("Table 4", "AlphaZeroV7", TABLE_4, found, REASONS)]


@dataclass(frozen=True, kw_only=True)
class LargeParameters:
    """LargeBoards."""

    taught: Taught
    nets: tuple[tuple[str, str], ...] = (
        ("A-10x10", "dots:10x10"),
        ("B-5x4", "dots:5x4"),
        ("C-8x8", "dots:8x8"),
        ("D-5x5", "dots:5x5"),
    )
    sizes: tuple[tuple[int, ...], ...] = tuple(tuple(rows) for rows in TABLES_7_AND_8.values())
    games: int = 1000


def large_boards(lab: Lab, chosen: LargeParameters) -> list[Part]:
    """Four nets, each from one board, on all boards."""
    parts: list[Part] = []
    found: dict[str, dict[int, dict[str, Score]]] = {}
    part = 1 / len(chosen.nets)
    for (name, board), sizes in zip(chosen.nets, chosen.sizes):
        run = alphadots.teach(lab, f"AlphaZero-{name}", "hard", board, chosen.taught, share=0.45 * part)
        found[name] = on_boards(lab, run, sizes, chosen.games, share=0.55 * part)
        title = f"Table {7 if name[0] in 'AB' else 8}: AlphaZero-{name}"
        parts += [Heading(f"AlphaZero-{name}"), *sizes_parts(title, name, TABLES_7_AND_8[name], found[name], REASONS)]
    return [*parts, Heading("Small boards or large"), *findings(found)]


def findings(found: dict[str, dict[int, dict[str, Score]]]) -> list[Part]:
    """The thesis's conclusions, counted here: small boards teach better, and some nets beat Medium more than Easy."""
    rows = []
    for name, sizes in found.items():
        won = [score.wins() for scores in sizes.values() for score in scores.values()]
        odd = sum(scores["easy"].wins().value < scores["medium"].wins().value for scores in sizes.values())
        whole = Share(sum(each.hits for each in won), sum(each.tries for each in won))
        there = [numbers for size, numbers in TABLES_7_AND_8[name].items() if size in sizes]
        mean = sum(map(sum, there)) / (3 * len(there)) if there else 0.0
        odd_there = sum(numbers[0] < numbers[1] for numbers in there)
        rows.append(
            (f"AlphaZero-{name}", f"{mean:.1f}%", whole, f"{odd_there} of {len(there)}", f"{odd} of {len(sizes)}")
        )
    head = (
        "",
        "won on these boards: paper",
        "ours (95%)",
        "boards where Easy is beaten less than Medium: paper",
        "ours",
    )
    pairs = [
        (large, small) for large, small in (("A-10x10", "B-5x4"), ("C-8x8", "D-5x5")) if {large, small} <= {*found}
    ]
    words = []
    for large, small in pairs:
        common = set(found[large]) & set(found[small])
        shares = [sum(score.wins().value for size in common for score in found[name][size].values()) / (3 * len(common))
                  for name in (large, small)]  # fmt: skip
        verdict = "holds" if shares[1] > shares[0] else "does not hold"
        words.append(f"that {small} is stronger than {large} {verdict} here ({shares[1]:.1%} and {shares[0]:.1%} won)")
    return [table("All boards together", head, rows), Text(f"The thesis's finding: {'; '.join(words)}.")]


# The early nets


@dataclass(frozen=True, kw_only=True)
class Early:
    """One net of table 3, and how it was taught."""

    name: str
    net: tuple[str, ...]
    board: str
    samples: int
    epochs: float = 1.0
    asks: int = 1
    pixels: bool = False
    scale: float = 1.0


@dataclass(frozen=True, kw_only=True)
class PreliminaryParameters:
    """PreliminaryModelEvaluation."""

    nets: tuple[Early, ...]
    version_7: Taught
    version_7_boards: tuple[str, ...] = alphadots.VERSION_7_BOARDS
    board: str = "dots:5x5"
    games: int = 1000


def early_settings(early: Early) -> list[str]:
    """The settings of one run."""
    found = [*early.net, *supervised("hard", early.samples, epochs=early.epochs, uniform=True, scale=early.scale)]
    found += [f"positions.asks={early.asks}"]
    return [*found, "learn.softmax=pixels", "learn.optimiser=sgd", "learn.rate=0.01"] if early.pixels else found


def preliminary(lab: Lab, chosen: PreliminaryParameters) -> list[Part]:
    """The early nets and the AlphaZero nets, each against the three levels."""
    count = len(chosen.nets) + 1
    ours: dict[Place, Share] = {}
    for early in chosen.nets:
        run = lab.train(early.name, early.board, early_settings(early), share=0.7 / count)
        board = f"{chosen.board}/sequence" if early.board.endswith("/sequence") else chosen.board
        ours |= wins(early.name, against_levels(lab, direct(run), board, chosen.games, share=0.3 / count))
    run = alphadots.version_7(lab, chosen.version_7, chosen.version_7_boards, share=0.7 / count)
    ours |= wins("AlphaZeroV7", against_levels(lab, direct(run), chosen.board, chosen.games, share=0.3 / count))
    rows = list(dict.fromkeys(row for row, _ in ours))
    compared = Comparison(f"Table 3, on {chosen.board}", rows, COLUMNS, TABLE_3, ours, 1000)
    head = ("net", "generator", "learned over")
    kinds = [
        (each.name, GENERATORS[each.name], "each pixel by itself" if each.pixels else "all lines")
        for each in chosen.nets
    ]
    kinds.append(("AlphaZeroV7", "StageThree on several boards", "all lines, and the value"))
    return [Heading("Early nets"), *compared.parts(REASONS), table("How each was taught", head, kinds)]


GENERATORS = {
    "FirstTry": "FirstTry: the line that Hard draws",
    "StageOne 5x5": "StageOne: the same",
    "BasicStrategy": "BasicStrategy: all lines that Hard draws when it is asked often",
    "LSTM": "Sequence: the game so far, and the line that Hard draws",
    "AlphaZeroV1": "the same (which stage is not said)",
    "AlphaZeroV5": "the same, more of it",
}


def early_nets(
    board: str, first: int, samples: int, more: int, *, blocks: int, filters: int, epochs: float
) -> tuple[Early, ...]:
    """The rows of table 3 before AlphaZeroV7, and the recurrent net that the table leaves out."""
    early, policy = ("net.kind=alphadots-early",), tuple(alphadots.net(blocks, filters, policy_only=True))
    return (
        Early(name="FirstTry", net=early, board=board, samples=first, epochs=epochs, pixels=True),
        Early(name="BasicStrategy", net=early, board=board, samples=first, epochs=epochs, pixels=True, asks=30),
        Early(
            name="StageOne 5x5", net=(*early, "net.kernel=5"), board=board, samples=first, epochs=epochs, pixels=True
        ),
        Early(name="AlphaZeroV1", net=policy, board=board, samples=samples),
        Early(name="AlphaZeroV5", net=policy, board=board, samples=more),
    )


def lstm(board: str, samples: int) -> Early:
    """The recurrent net (6.4.2)."""
    return Early(name="LSTM", net=("net.kind=alphadots-lstm",), board=f"{board}/sequence", samples=samples, pixels=True)


def experiment(
    name: str, summary: str, run: Callable[..., list[Part]], choices: tuple[str, ...], **scales: object
) -> Experiment:
    """One of the three."""
    return Experiment(
        name=name, paper=PAPER, summary=summary, scales=dict(scales), run=run, choices=choices,
        smaller="smaller nets, fewer samples and games.",
    )  # fmt: skip


COMMON = (alphadots.SAMPLES_HERE, alphadots.DIRECT_HERE)
TINY = Taught(blocks=1, filters=4, samples=300)
EXPERIMENTS = (
    experiment(
        "PreliminaryModelEvaluation",
        "FirstTry to AlphaZeroV7 against the three levels (table 3)",
        preliminary,
        (
            *COMMON,
            alphadots.VERSION_7_HERE,
            'Boards of the early generators are not given: 5x5, as in the table. "Up to a random point" is any number '
            "of moves left. FirstTry's 10,000 examples and 50 epochs (6.4.1) serve StageOne and BasicStrategy too.",
            "Loss of the early nets: each pixel a task of its own, as the text says, by gradient descent at 0.01, "
            "the rate of Keras. The sizes of AlphaZeroV1 and V5 and their samples are not given.",
            "The LSTM is not in table 3; its net and generator (Sequence) are in the text, so it has a row without a "
            "number of the paper. Its answer is learned for the last picture, the one that play needs.",
        ),
        paper=PreliminaryParameters(
            nets=(
                *early_nets("dots:5x5", 10_000, 500_000, 2_000_000, blocks=8, filters=128, epochs=50),
                lstm("dots:5x5", 10_000),
            ),
            version_7=Taught(blocks=8, filters=128, samples=2_000_000),
        ),
        default=PreliminaryParameters(
            nets=(
                *early_nets("dots:5x5", 3_000, 20_000, 60_000, blocks=4, filters=32, epochs=4),
                lstm("dots:3x3", 1_000),
            ),
            version_7=Taught(blocks=4, filters=32, samples=100_000),
            games=200,
        ),
        tiny=PreliminaryParameters(
            nets=early_nets("dots:2x2", 200, 200, 300, blocks=1, filters=4, epochs=1),
            version_7=TINY,
            version_7_boards=("dots:1x2", "dots:2x2"),
            board="dots:2x2",
            games=2,
        ),
    ),
    experiment(
        "BoardPerformance",
        "AlphaZeroV7 on boards from 5x5 to 15x15 (table 4)",
        board_performance,
        (*COMMON, alphadots.VERSION_7_HERE),
        paper=BoardParameters(version_7=Taught(blocks=8, filters=128, samples=2_000_000)),
        default=BoardParameters(version_7=Taught(blocks=4, filters=32, samples=100_000), games=100),
        tiny=BoardParameters(version_7=TINY, boards=("dots:1x2", "dots:2x2"), sizes=(5, 6), games=2),
    ),
    experiment(
        "LargeBoards",
        "nets taught on 10x10, 5x4, 8x8 and 5x5, on all boards (tables 7 and 8)",
        large_boards,
        COMMON,
        paper=LargeParameters(taught=Taught(blocks=8, filters=256, samples=2_000_000)),
        default=LargeParameters(
            taught=Taught(blocks=4, filters=32, samples=30_000),
            sizes=((3, 5, 7, 10, 13), (3, 5, 7, 10, 13), (3, 5, 7, 10), (3, 5, 7, 10)),
            games=100,
        ),
        tiny=LargeParameters(
            taught=TINY,
            nets=(("A-10x10", "dots:4x4"), ("B-5x4", "dots:2x2")),
            sizes=((3, 4), (3, 4)),
            games=2,
        ),
    ),
)
