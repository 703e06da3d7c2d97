"""gomoku-5x5: AlphaGo Zero on 5x5 with four in a row, and its two failures before and after their cures.

The paper (Srivastava, Yang) plays every checkpoint against chance (figures 6 to 9), and shows two things that its net
did not learn: to play at the bottom of the board what it plays at the top (figure 13), and to win at once (figure 14).
The cure of the first is to learn in all symmetries, that of the second a search that takes proven wins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

from pocketzero.arena.plots import curves
from pocketzero.experiments.comparison import Comparison, Share
from pocketzero.experiments.document import Heading, Part, Plot, Text, table
from pocketzero.experiments.experiment import Experiment
from pocketzero.experiments.steps import Lab, Score
from pocketzero.games import Game, Position, game
from pocketzero.nets.files import checkpoint_files
from pocketzero.players.base import Player, random_source
from pocketzero.players.spec import make_player

PAPER = "Abhishek Srivastava, Linde Yang: A ReImplementation of AlphaGo-Zero on a game of Gomoku"
SIDES = ("first", "second")
FIGURES_7_AND_9 = {("the net alone", "wins as first"): 0.75, ("the net alone", "wins as second"): 0.60}


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One way to train."""

    name: str
    rotations: bool
    proven: bool


AS_THE_PAPER = Variant(name="as the paper", rotations=False, proven=False)
VARIANTS = (
    AS_THE_PAPER,
    Variant(name="with rotations", rotations=True, proven=False),
    Variant(name="with proven wins", rotations=False, proven=True),
    Variant(name="with both", rotations=True, proven=True),
)


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """What the experiment is made of."""

    board: str = "mnk:5x5x4"
    sims: int = 400
    checkpoints: int = 200
    games_each: int = 50  # of self-play between two checkpoints: "more than 10000 games", 200 checkpoints
    games_against_chance: int = 10  # for each checkpoint, as first and again as second player
    batch: int = 32
    epochs: int = 5  # of the newest games; the paper does not say
    positions: int = 200  # with a win in one, and as many with a loss in one to be stopped
    variants: tuple[str, ...] = tuple(variant.name for variant in VARIANTS)


def settings(chosen: Parameters, variant: Variant) -> list[str]:
    """The settings of a training run."""
    found = ["net.kind=gomoku", "selfplay.method=puct", f"selfplay.sims={chosen.sims}", "selfplay.forced=0.0"]
    found += [f"selfplay.proven={'true' if variant.proven else 'false'}", "selfplay.opening_share=0.0"]
    found += [f"selfplay.symmetry={'random' if variant.rotations else 'none'}", "selfplay.temperature_moves=25"]
    found += [f"learn.symmetric={'true' if variant.rotations else 'false'}", f"learn.batch={chosen.batch}"]
    found += ["learn.optimiser=adam", "learn.rate=0.001", "learn.weight_decay=2e-4", "learn.ema=0.0"]
    found += ["learn.search_value=0.0", "learn.softmax=all", "replay.in_turn=true", "trees=32"]
    found += [
        f"replay.round_games={chosen.games_each}",
        f"replay.reuse={chosen.epochs}",
        f"rounds={chosen.checkpoints}",
    ]
    return [*found, f"replay.window={25 * chosen.games_each}", f"replay.largest={25 * chosen.games_each}"]


def against_chance(lab: Lab, run: Path, chosen: Parameters, *, share: float) -> list[tuple[int, Score]]:
    """Every checkpoint of a run against random moves, by the net alone."""
    steps = [step for step in sorted(checkpoint_files(run)) if step > 0]
    games = lab.games(2 * chosen.games_against_chance)
    return [
        (step, lab.match(f"net:{run}@{step},symmetry=none", "random", chosen.board, games, share=share / len(steps)))
        for step in steps
    ]


# The failures


def won_at_once(position: Position) -> set[int]:
    """The moves that win now."""
    return {a for a in position.legal_actions() if position.play_action(a).outcome == position.to_move}


def stopping(position: Position) -> set[int]:
    """The moves after which the opponent cannot win at once; nothing, if there was no danger."""
    legal = set(position.legal_actions())
    safe = {a for a in legal if not won_at_once(position.play_action(a))}
    return safe if safe != legal else set()


def sample(board: Game, count: int, kind: str) -> list[tuple[list[int], list[int]]]:
    """Positions by their moves, with the moves that are right: with a win in one, or a loss in one to be stopped."""
    found: list[tuple[list[int], list[int]]] = []
    chance = random_source(1 if kind == "win" else 2)
    while len(found) < count:
        position = board.start()
        while not position.is_over:
            wins = won_at_once(position)
            right = wins if kind == "win" else stopping(position) if not wins else set()
            if right and right != set(position.legal_actions()):
                found.append((position.actions, sorted(right)))
                break
            legal = position.legal_actions()
            position = position.play_action(legal[chance.integers(len(legal))])
    return found[:count]


def images(board: Game, moves: Sequence[int], right: Sequence[int]) -> Iterator[tuple[Position, set[int]]]:
    """The same position turned and mirrored in every way, with its right moves."""
    for turned in board.symmetries:
        position = board.start()
        for move in moves:
            position = position.play_action(int(turned[move]))
        yield position, {int(turned[move]) for move in right}


def solved(player: Player, position: Position, right: set[int], seed: int) -> bool:
    """Whether a player finds a right move."""
    player.begin(seed)
    return player.choose(position) in right


def missed_wins(text: str, board_name: str, count: int) -> list[int]:
    """How often a player does not win although it could at once (figure 14), and of how many."""
    board = game(board_name)
    player = make_player(text, board)
    missed = 0
    for number, (moves, right) in enumerate(sample(board, count, "win")):
        position, turned = next(images(board, moves, right))
        missed += not solved(player, position, turned, number)
    return [missed, count]


def one_sided(text: str, board_name: str, count: int) -> list[int]:
    """Of how many positions a player solves some images but not all (figure 13); images solved, and how many."""
    board = game(board_name)
    player = make_player(text, board)
    some, good, total = 0, 0, 0
    for number, (moves, right) in enumerate([*sample(board, count, "win"), *sample(board, count, "loss")]):
        results = [solved(player, *image, number) for image in images(board, moves, right)]
        some += any(results) and not all(results)
        good, total = good + sum(results), total + len(results)
    return [some, 2 * count, good, total]


def failures(lab: Lab, run: Path, chosen: Parameters, variant: Variant) -> dict[str, Share]:
    """Both failures of a run's last net."""
    alone = f"net:{run},symmetry=none"
    searching = f"zero:{run},sims={chosen.sims},symmetry={'random' if variant.rotations else 'none'}"
    searching += f",proven={'yes' if variant.proven else 'no'}"
    count, board = chosen.positions, chosen.board

    def found(name: str, what: Any, player: str) -> list[int]:
        return list(lab.once(f"{name}, {variant.name}", partial(what, player, board, count), player, board, count))

    some, positions, good, total = found("figure 13", one_sided, alone)
    return {
        "wins missed, net alone": Share(*found("figure 14, net alone", missed_wins, alone)),
        "wins missed, with search": Share(*found("figure 14, with search", missed_wins, searching)),
        "solved in some images only": Share(some, positions),
        "images solved": Share(good, total),
    }


# The report


def chance_parts(scores: list[tuple[int, Score]]) -> list[Part]:
    """Figures 6 to 9."""
    ours = {("the net alone", f"wins as {side}"): _sum(scores, side) for side in SIDES}
    columns = tuple(f"wins as {side}" for side in SIDES)
    title = "Figures 7 and 9: games won against random moves, over all checkpoints"
    compared = Comparison(title, ["the net alone"], columns, FIGURES_7_AND_9, ours, 2000)
    parts: list[Part] = [Heading("Against a random opponent"), *compared.parts(
        ["Both the training and the strength of its end count in this average; the paper trained for five days."]
    )]  # fmt: skip
    for side, figures in zip(SIDES, ((6, 7), (8, 9))):
        began = "ab"[SIDES.index(side)]
        won = [(step, 10 * score.wins(began).value) for step, score in scores]
        lost = [(step, 10 * score.losses(began).value) for step, score in scores]
        means = {
            name: [(step, mean(value for _, value in line[: number + 1])) for number, (step, _) in enumerate(line)]
            for name, line in (("the net", won), ("random moves", lost))
        }
        for figure, lines, what in zip(
            figures, ({"the net": won, "random moves": lost}, means), ("Wins", "Average wins")
        ):
            words = f"Figure {figure}: {what.lower()} of ten, the net as {side} player"
            parts.append(Plot(f"figure-{figure}", words, curves(words, lines, x="steps of learning", y=what)))
    return parts


def _sum(scores: list[tuple[int, Score]], side: str) -> Share:
    wins = [score.wins("ab"[SIDES.index(side)]) for _, score in scores]
    return Share(sum(each.hits for each in wins), sum(each.tries for each in wins))


def failure_parts(found: dict[str, dict[str, Share]]) -> list[Part]:
    """Both failures before and after their cures."""
    columns = tuple(next(iter(found.values())))
    rows = [(name, *numbers.values()) for name, numbers in found.items()]
    parts: list[Part] = [
        Heading("The two failures"),
        table("Figures 13 and 14, measured (95%)", ("training", *columns), rows),
        Text(
            "The paper shows one board for each and no numbers. Figure 13 is measured on positions with a win, or a "
            "loss to be stopped, in one move, each shown in all eight images; figure 14 on positions "
            "with a win in one move."
        ),
    ]
    for cure, column, words in (
        ("with rotations", "solved in some images only", "Learning in all symmetries"),
        ("with proven wins", "wins missed, with search", "A search that takes proven wins"),
    ):
        if cure in found and AS_THE_PAPER.name in found:
            before, after = found[AS_THE_PAPER.name][column], found[cure][column]
            verdict = "lessens" if after.value < before.value else "does not lessen"
            verdict = "cures" if after.hits == 0 < before.hits else verdict
            parts.append(Text(f"{words} {verdict} its failure here ({column}): {before} before, {after} after."))
    return parts


def run(lab: Lab, chosen: Parameters) -> list[Part]:
    """Train each way, play every checkpoint of the paper's way against chance, measure the failures of all."""
    variants = [variant for variant in VARIANTS if variant.name in chosen.variants]
    found, parts = {}, []
    for variant in variants:
        folder = lab.train(variant.name, chosen.board, settings(chosen, variant), share=0.8 / len(variants))
        if variant == AS_THE_PAPER:
            parts = chance_parts(against_chance(lab, folder, chosen, share=0.15))
        found[variant.name] = failures(lab, folder, chosen, variant)
    return [*parts, *failure_parts(found)]


EXPERIMENTS = (
    Experiment(
        name="gomoku-5x5",
        paper=PAPER,
        summary="four in a row on 5x5: checkpoints against chance, two failures and their cures (figures 6 to 14)",
        scales={
            "paper": Parameters(),
            "default": Parameters(sims=100, checkpoints=16, games_each=60, positions=100),
            "tiny": Parameters(
                sims=8,
                checkpoints=2,
                games_each=4,
                games_against_chance=2,
                epochs=1,
                positions=4,
                variants=("as the paper", "with rotations", "with proven wins"),
            ),
        },
        run=run,
        smaller="fewer simulations, checkpoints and games.",
        choices=(
            "The paper's words give 75% as first and 60% as second player; its figures are pictures without numbers, "
            "and the caption of figure 9 says first where its text says second.",
            '"Trained neural net" against chance is played by the net\'s policy alone, without a search: with 400 '
            "simulations hardly a game would be lost, and figures 7 and 9 show many.",
            "Optimiser, rate and how often a position is learned from are not given: Adam at 0.001, five epochs of the "
            "newest games. The L2 constant of 1e-4 is a decay of 2e-4. Noise and temperature are AlphaGo Zero's.",
            "Draws count for nobody, as in the paper's count of games won.",
        ),
    ),
)
