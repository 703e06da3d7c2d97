"""NewStrategies and Competition: nets that are taught, then go on by self-play (Peters 2018, 7.7 and 7.8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pocketzero.arena.match import MatchResult
from pocketzero.arena.plots import curves
from pocketzero.experiments import alphadots
from pocketzero.experiments.alphadots import COLUMNS, LEVELS, PAPER, SelfPlay, Taught, direct, mcts, wins
from pocketzero.experiments.comparison import NOTHING, Comparison, Place, Share, percent
from pocketzero.experiments.document import Heading, Part, Plot, Text, table
from pocketzero.experiments.experiment import Experiment
from pocketzero.experiments.steps import Lab, Score, final_positions
from pocketzero.players.dots.dealing import Deals, double_deals
from pocketzero.training.rundir import read_metrics

# Tables 9 and 10: wins in percent, then the double deals that the thesis counted.
TABLE_9 = {("AlphaZero-NewStrat", ""): (75.3, 50.5, 20.4, 0)}
TABLE_10 = {
    ("AlphaZero-NewStrat", "3x3"): (75.89, 50.59, 21.17, 0),
    ("AlphaZero-NewStrat-SP", "3x3"): (76.54, 72.62, 47.21, 7853),
    ("AlphaZero-NewStrat", "5x5"): (82.12, 27.71, 5.17, 76),
    ("AlphaZero-NewStrat-SP", "5x5"): (71.33, 37.52, 8.45, 6908),
    ("AlphaZero-NewStrat", "15x15"): (9.76, 0.0, 0.0, 779),
    ("AlphaZero-NewStrat-SP", "15x15"): (5.96, 0.02, 0.0, 4669),
}
OPPONENTS = ("Easy", "Medium", "Hard", "αβ", "Dabble", "QDab")
TABLE_11 = {
    "AlphaZero-Comp": (69, 68, 39, 18, 0, 0),
    "AlphaZero-Comp-MCTS": (95, 83, 66, 10, 0, 0),
    "AlphaZero-Comp-SP": (50, 60, 31, 12, 0, 0),
    "AlphaZero-Comp-SP-MCTS": (94, 89, 58, 9, 0, 0),
    "AlphaZero-Comp-SPv2": (36, 58, 33, 12, 0, 0),
    "AlphaZero-Comp-SPv2-MCTS": (95, 85, 52, 16, 0, 0),
}
THESIS_NET = Taught(blocks=8, filters=256, samples=4_000_000)
NEW_OWN = SelfPlay()
COMPETITION_OWN, COMPETITION_OWN_2 = SelfPlay(sims=1500, iterations=32, sequences=True), SelfPlay(iterations=32)
REASONS = [
    "Our nets saw fewer samples, are smaller and played less by themselves, unless the paper's scale was chosen."
]


@dataclass(frozen=True, kw_only=True)
class NewParameters:
    """NewStrategies."""

    board: str = "dots:3x3"
    taught: Taught = THESIS_NET
    own: SelfPlay = NEW_OWN
    boards: tuple[str, ...] = ("3x3", "5x5", "15x15")
    games: tuple[int, ...] = (10_000, 10_000, 10_000)  # on each of them, against each opponent
    games_before: int = 1000  # of table 9


def deals_of_a(result: MatchResult) -> list[int]:
    """Double deals of the first player of a match: chances and deals with chains, then with loops."""
    whole = Deals()
    for played, final in final_positions(result):
        whole += double_deals(final, after=played.opening)["ab".index(played.first)]
    return list(vars(whole).values())


def meet_levels(lab: Lab, run: Path, board: str, games: int, *, share: float, seed: int = 0) -> dict[str, Score]:
    """Direct play against the three levels, with the double deals counted."""
    part, count = share / len(LEVELS), lab.games(games)
    return {
        level: lab.match(direct(run), level, board, count, share=part, extra=deals_of_a, seed=seed) for level in LEVELS
    }


def deals_in(scores: Iterable[Score]) -> Deals:
    """All double deals of these matches."""
    return sum((Deals(*score.extra) for score in scores if score.extra), Deals())


def new_strategies(lab: Lab, chosen: NewParameters) -> list[Part]:
    """Teach with Medium, who never double-deals; see that the net does not; self-play; see whether it does."""
    taught = alphadots.teach(lab, "AlphaZero-NewStrat", "medium", chosen.board, chosen.taught, share=0.25)
    before = meet_levels(lab, taught, chosen.board, chosen.games_before, share=0.05, seed=9)
    alone = alphadots.go_on_alone(
        lab, "AlphaZero-NewStrat-SP", taught, chosen.board, chosen.taught, chosen.own, share=0.5
    )
    part = 0.1 / len(chosen.boards)
    found = {
        (name, board): meet_levels(lab, run, f"dots:{board}", games, share=part)
        for board, games in zip(chosen.boards, chosen.games)
        for name, run in (("AlphaZero-NewStrat", taught), ("AlphaZero-NewStrat-SP", alone))
    }
    return [
        Heading("Taught by Medium"),
        *deal_parts("Table 9", {("AlphaZero-NewStrat", ""): before}, TABLE_9, 1000),
        Heading("After self-play"),
        *deal_parts("Table 10", found, TABLE_10, 10_000),
        *gate_parts(alone),
        learned(found, chosen.boards[0]),
    ]  # fmt: skip


Row = tuple[str, str]


def deal_parts(
    title: str, found: Mapping[Row, dict[str, Score]], paper: Mapping[Row, Sequence[float]], games: int
) -> list[Part]:
    """A table of wins, and one of double deals for each opportunity."""
    names = {row: " ".join(row).strip() for row in found}
    there = percent({names[row]: paper[row][:3] for row in found if row in paper}, COLUMNS)
    ours: dict[Place, Share] = {}
    rows = []
    for row, scores in found.items():
        ours |= wins(names[row], scores)
        deals = deals_in(scores.values())
        chances, dealt = deals.chain_chances + deals.loop_chances, deals.chain_deals + deals.loop_deals
        count = sum(len(score.games) for score in scores.values())
        theirs = f"{paper[row][3]:,} in {3 * games:,} games" if row in paper else NOTHING
        chains, loops = Share(deals.chain_deals, deals.chain_chances), Share(deals.loop_deals, deals.loop_chances)
        rows.append((names[row], theirs, f"{dealt:,} in {count:,} games", Share(dealt, chances), chains, loops))
    head = ("", "paper", "ours", "of all chances (95%)", "of chances with chains", "with loops")
    compared = Comparison(title, list(names.values()), COLUMNS, there, ours, games)
    return [*compared.parts(REASONS), table(f"{title}: Double Dealing", head, rows)]


def gate_parts(run: Path) -> list[Part]:
    """How the contenders of self-play did."""
    gates = [line for line in read_metrics(run) if line["kind"] == "gate"]
    passed = sum(line["passed"] for line in gates)
    words = f"{passed} of {len(gates)} contenders won half of their games or more and became the best net."
    points = [(number, line["score"]) for number, line in enumerate(gates, 1)]
    title = "Score of each contender against the best net"
    return [Text(words), Plot("contenders", title, curves(title, {"score": points}, x="iteration", y="score"))]


def learned(found: Mapping[Row, dict[str, Score]], board: str) -> Text:
    """Whether the new strategy was learned here."""
    shares = []
    for name in ("AlphaZero-NewStrat", "AlphaZero-NewStrat-SP"):
        deals = deals_in(found[name, board].values())
        shares.append(Share(deals.chain_deals + deals.loop_deals, deals.chain_chances + deals.loop_chances))
    more = shares[0].tries and shares[1].tries and shares[1].value > shares[0].value
    verdict = "The net deals more often after self-play" if more else "The net does not deal more often after self-play"
    return Text(
        f"Double deals for each opportunity on {board}: {shares[0]} before self-play, {shares[1]} after. {verdict}."
    )


# Competition


@dataclass(frozen=True, kw_only=True)
class CompetitionParameters:
    """Competition."""

    taught_on: str = "dots:5x4"
    board: str = "dots:5x5"
    taught: Taught = THESIS_NET
    own: SelfPlay = COMPETITION_OWN
    own_2: SelfPlay = COMPETITION_OWN_2
    sims: int = 1500
    seconds: float = 10.0  # for each move
    games: int = 100
    alphabeta: str = "alphabeta:seconds=10"


def competition(lab: Lab, chosen: CompetitionParameters) -> list[Part]:
    """A taught net and two that went on by self-play, alone and with a search, against all opponents."""
    start = alphadots.teach(lab, "AlphaZero-Comp", "hard", chosen.taught_on, chosen.taught, share=0.15)
    runs = {"AlphaZero-Comp": start}
    for name, own in (("AlphaZero-Comp-SP", chosen.own), ("AlphaZero-Comp-SPv2", chosen.own_2)):
        runs[name] = alphadots.go_on_alone(lab, name, start, chosen.taught_on, chosen.taught, own, share=0.2)
    players: dict[str, str] = {}
    for name, run in runs.items():
        sequences = name != "AlphaZero-Comp-SPv2"
        players[name] = direct(run)
        players[f"{name}-MCTS"] = mcts(run, chosen.sims, sequences=sequences, seconds=chosen.seconds)
    opponents = {**dict(zip(OPPONENTS, (*LEVELS, chosen.alphabeta))), **{each: each for each in lab.wishes.engines}}
    part = 0.45 / (len(players) * len(opponents))
    ours = {
        (name, f"wins vs. {title}"): lab.match(text, opponent, chosen.board, lab.games(chosen.games), share=part).wins()
        for name, text in players.items()
        for title, opponent in opponents.items()
    }
    columns = tuple(f"wins vs. {title}" for title in dict.fromkeys((*OPPONENTS, *opponents)))
    there = percent(TABLE_11, tuple(f"wins vs. {title}" for title in OPPONENTS))
    compared = Comparison(f"Table 11, on {chosen.board}", list(players), columns, there, ours, 100)
    missing = "Dabble and QDab are not part of PocketZero; name a program with `--engine` to have it as an opponent."
    parts: list[Part] = [Heading("Competition"), *compared.parts(REASONS), Text(missing)]
    for name in list(runs)[1:]:
        parts += [Text(f"{name}:"), *(part for part in gate_parts(runs[name]) if isinstance(part, Text))]
    return parts


SELF_PLAY_HERE = (
    "Boards for self-play come from Hard up to a number of moves left with σ 0.125 and μ 0.5 (6.2.5), also in "
    "NewStrategies; only the answers are the search's. The value is that of the move that the search chose."
)
GATE_HERE = (
    '"At least 500 of 1,000" (7.7) and "more than 50%" (6.6.1) contradict each other: half of the points is enough. '
    'The games of the gate begin with four random turns ("a few random moves"), each opening from both sides.'
)
SMALL_OWN: dict[str, Any] = {"samples": 256, "gate_games": 200}
TINY_OWN = SelfPlay(samples=150, sims=4, epochs=1, iterations=1, gate_games=2)
EXPERIMENTS = (
    Experiment(
        name="NewStrategies",
        paper=PAPER,
        summary="whether self-play finds Double Dealing (tables 9 and 10)",
        scales={
            "paper": NewParameters(),
            "default": NewParameters(
                taught=Taught(blocks=4, filters=32, samples=100_000),
                own=SelfPlay(samples=512, sims=400, iterations=16, gate_games=400),
                games=(1000, 400, 20),
            ),
            "tiny": NewParameters(
                board="dots:2x2",
                taught=Taught(blocks=1, filters=4, samples=300),
                own=TINY_OWN,
                boards=("2x2", "3x3"),
                games=(4, 4),
                games_before=4,
            ),
        },
        run=new_strategies,
        smaller="a smaller net, fewer samples, simulations, iterations and games.",
        choices=(
            alphadots.SAMPLES_HERE,
            alphadots.DIRECT_HERE,
            alphadots.MCTS_HERE,
            SELF_PLAY_HERE,
            GATE_HERE,
            "The text gives 46.21% for wins against Hard after self-play, table 10 gives 47.21%; the table is used.",
            "The thesis counts double deals without saying how often they were possible; ours are counted per chance "
            "too: the last two boxes of a chain or four of a loop are all that can be taken, and more is left to play.",
        ),
    ),
    Experiment(
        name="Competition",
        paper=PAPER,
        summary="nets after self-play, with and without a search, against all players (table 11)",
        scales={
            "paper": CompetitionParameters(),
            "default": CompetitionParameters(
                taught=Taught(blocks=4, filters=32, samples=80_000),
                own=SelfPlay(sims=400, iterations=10, sequences=True, **SMALL_OWN),
                own_2=SelfPlay(sims=300, iterations=10, **SMALL_OWN),
                sims=400,
                seconds=1.0,
                games=40,
                alphabeta="alphabeta:seconds=0.1",
            ),
            "tiny": CompetitionParameters(
                taught_on="dots:2x2",
                board="dots:2x2",
                taught=Taught(blocks=1, filters=4, samples=300),
                own=TINY_OWN,
                own_2=TINY_OWN,
                sims=4,
                games=2,
                alphabeta="alphabeta:seconds=0.01",
            ),
        },
        run=competition,
        takes=("engine",),
        smaller="a smaller net, fewer samples, simulations, iterations and games, less time a move.",
        choices=(
            alphadots.SAMPLES_HERE,
            alphadots.DIRECT_HERE,
            alphadots.MCTS_HERE,
            SELF_PLAY_HERE,
            GATE_HERE,
            "The alpha-beta of the thesis's author is played by PocketZero's own, which searches whole turns with "
            "more of the game's theory; it is a stronger opponent at the same time.",
        ),
    ),
)
