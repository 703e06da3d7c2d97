"""subset-a, subset-b and subset-c: version after version of a dense net on 3x3 (da Costa 2022, chapter 5).

A version is made like this: the net that plays makes games of training, a copy learns from them, and both compete; who
wins more games plays on. The first version learns from games of the standard MCTS. Subsets A and B were made with a
search in which the sign of the value changes with every line, although whoever completes a box moves again; subset C
has that mended. The net of Aguayo, with which the thesis compares, is not to be had: a net of the same form, trained in
the same faulty way from other random weights, stands in for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pocketzero.arena.mistakes import mistakes_in_positions
from pocketzero.arena.plots import curves
from pocketzero.experiments.comparison import NOTHING, Share
from pocketzero.experiments.document import Heading, Part, Plot, Text, table
from pocketzero.experiments.experiment import Experiment
from pocketzero.experiments.records2022 import game_dump, history_csv, history_rows
from pocketzero.experiments.settings2022 import read_settings
from pocketzero.experiments.steps import Lab, Score
from pocketzero.games import game
from pocketzero.nets.files import write_atomically
from pocketzero.players.solvers import solver_for
from pocketzero.players.spec import make_player
from pocketzero.players.zero import ZeroPlayer
from pocketzero.training.measure import deciding_positions
from pocketzero.training.rundir import read_metrics

PAPER = "Giovani Pignaton da Costa: Machine learning methods applied to the Dots and Boxes board game (2022)"
SYMMETRIES = 8  # each board is learned from in all of them (5.1.1)
ROUNDS = (1, 2, 3, 4)
STAND_IN = "Aguayo's NN (ours: a stand-in)"

# Victories of player 1 and player 2 in four rounds of twenty games.
TABLE_5_3 = ((9, 7, 7, 9), (11, 13, 13, 11))  # NN subsetA v60, Aguayo's NN
TABLE_5_4 = ((5, 6, 5, 9), (15, 14, 15, 11))  # MCTS, NN subsetA v60
TABLE_5_5 = ((1, 0, 0, 1), (19, 20, 20, 19))  # Aguayo's NN, NN subsetB v100
TABLE_5_6 = ((15, 11, 12, 14), (5, 9, 8, 6))  # NN subsetB v100, Aguayo's NN
TABLE_5_7 = ((16, 17, 16, 15), (4, 3, 4, 5))  # v100, v60
TABLE_5_8 = ((1, 2, 1, 1), (19, 18, 19, 19))  # v60, v100
TABLE_5_9 = ((15, 15, 16, 18), (5, 5, 4, 2))  # v24 of subset C, v60 of subset B
TABLE_5_10 = ((3, 0, 3, 1), (17, 20, 17, 19))  # v60, v24
TABLE_5_11 = ((4, 5, 4, 7), (16, 15, 16, 13))  # v24, v100
TABLE_5_12 = ((8, 5, 11, 3), (12, 15, 9, 17))  # v100, v24
# Table 5.1: first and second net, their victories, and who stayed.
TABLE_5_1 = (
    (0, 1, 36, 14, 1), (0, 2, 17, 33, 2), (2, 3, 32, 18, 3), (3, 4, 8, 42, 4), (4, 5, 13, 37, 5), (5, 6, 17, 33, 6),
    (6, 7, 19, 31, 7), (7, 8, 20, 30, 8), (8, 9, 20, 30, 9), (9, 10, 28, 22, 9), (9, 11, 19, 31, 11),
    (11, 12, 18, 32, 12), (12, 13, 25, 25, 13), (12, 14, 11, 39, 14), (14, 15, 26, 24, 14), (14, 16, 9, 41, 16),
    (16, 17, 25, 25, 17), (16, 18, 12, 38, 18), (18, 19, 16, 34, 19), (19, 20, 19, 31, 20), (20, 21, 13, 37, 21),
    (21, 22, 16, 34, 22), (22, 23, 0, 50, 23), (23, 24, 24, 26, 24), (24, 25, 15, 35, 25), (25, 26, 12, 38, 26),
    (26, 27, 28, 22, 26), (26, 28, 17, 33, 28), (28, 29, 0, 50, 29), (29, 30, 22, 28, 30),
)  # fmt: skip
TABLE_5_2 = (
    (30, 31, 24, 26, 31), (31, 32, 19, 31, 32), (32, 33, 6, 44, 33), (33, 34, 1, 49, 34), (34, 35, 15, 35, 35),
    (35, 36, 23, 27, 36), (36, 37, 20, 30, 37), (37, 38, 15, 35, 38), (38, 39, 13, 27, 39), (39, 40, 17, 33, 40),
    (40, 41, 20, 30, 41), (41, 42, 21, 29, 42), (42, 43, 21, 29, 43), (43, 44, 18, 32, 44), (44, 45, 12, 38, 45),
    (45, 46, 20, 30, 46), (46, 47, 18, 32, 47), (47, 48, 20, 30, 48), (48, 49, 12, 38, 49), (49, 50, 12, 38, 50),
    (50, 51, 6, 44, 51), (51, 52, 8, 42, 52), (52, 53, 23, 27, 53), (53, 54, 16, 34, 54), (54, 55, 20, 30, 55),
    (55, 56, 26, 24, 55), (55, 57, 12, 38, 57), (57, 58, 15, 35, 58), (58, 59, 10, 40, 59), (59, 60, 15, 35, 60),
)  # fmt: skip
FIGURE_5_5 = (
    (0, 1, 132, 68, 0), (0, 2, 46, 154, 2), (2, 3, 106, 94, 2), (2, 4, 77, 123, 4), (4, 5, 95, 105, 5),
    (5, 6, 34, 166, 6), (6, 7, 61, 139, 7), (7, 8, 94, 106, 8), (8, 9, 67, 133, 9), (9, 10, 95, 105, 10),
    (10, 11, 81, 119, 11), (11, 12, 97, 103, 12), (12, 13, 81, 119, 13), (13, 14, 98, 102, 14), (14, 15, 81, 119, 15),
    (15, 16, 81, 119, 16), (16, 17, 78, 122, 17), (17, 18, 81, 119, 18), (18, 19, 110, 90, 18), (18, 20, 83, 117, 20),
    (20, 21, 81, 119, 21), (21, 22, 37, 163, 22), (22, 23, 86, 114, 23), (23, 24, 81, 119, 24), (24, 25, 45, 155, 25),
    (25, 26, 54, 146, 26), (26, 27, 52, 148, 27), (27, 28, 84, 116, 28), (28, 29, 55, 145, 29), (29, 30, 84, 116, 30),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """What a subset is made of."""

    board: str = "dots:3x3"
    first_games: int = 500  # of the standard MCTS, from which version 1 learns
    versions: int = 60
    middle: int = 60  # an earlier version that is met again
    competition_games: int = 50
    games: int = 100  # of training, for each version
    sims: int = 100
    epochs: int = 200
    narrow: int = 1  # how many times narrower the net's layers are than the thesis's
    rate: float = 0.001
    batch: int = 64
    held_back: float = 0.2
    c: float = 1.0  # "Ucb: 1" in figure 4.6
    uct_c: float = 1.41  # "Uct: 1.41"
    round_games: int = 20  # of each of the four rounds of a match, and as many with sides changed
    positions: int = 600  # in which mistakes are counted by the exact solver
    seeds: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class Version:
    """One competition of a run: who met whom, and who played on."""

    number: int
    step: int
    against: int  # the version that played until then
    wins: int
    losses: int
    plays: int  # the version that plays from now on
    plays_step: int
    times: tuple[float, float, float]  # seconds of competition, of the games of training before it, and of learning


def with_settings(lab: Lab, chosen: Parameters) -> tuple[Parameters, list[Part]]:
    """The parameters after the thesis's own file of settings, if there is one."""
    if lab.wishes.settings is None:
        return chosen, []
    found = read_settings(lab.wishes.settings)
    unused = f" Not used here: {', '.join(found.unused)}." if found.unused else ""
    changes = ", ".join(f"{name} = {value}" for name, value in found.changes().items()) or "nothing"
    said = Text(f"The settings file {lab.wishes.settings.name} (figure 4.6) sets {changes}.{unused}")
    return replace(chosen, **found.changes()), [said]


def epoch_steps(chosen: Parameters) -> int:
    """Steps of one epoch: each board of the games of training in all symmetries, but for those held back."""
    boards = chosen.games * game(chosen.board).action_count * (1 - chosen.held_back)
    return max(1, round(SYMMETRIES * boards / chosen.batch))


def train(lab: Lab, name: str, chosen: Parameters, *, alternating: bool, seed: int, share: float) -> Path:
    """A run of so many versions."""
    plies = chosen.games * game(chosen.board).action_count
    sign = "true" if alternating else "false"
    player = f"reduced=no,proven=no,c={chosen.c:g},alternating={'yes' if alternating else 'no'}"
    found = ["net.kind=dots2022", "selfplay.method=puct", f"selfplay.sims={chosen.sims}", f"selfplay.c={chosen.c}"]
    found += [f"selfplay.alternating={sign}", "selfplay.proven=false", "selfplay.reduced=false", "selfplay.forced=0.0"]
    found += ["selfplay.opening_share=0.0", f"selfplay.held_back={chosen.held_back}", f"seed={seed}", "trees=32"]
    found += [f'warm.player="uct:sims={chosen.sims},c={chosen.uct_c:g}"', f"warm.games={chosen.first_games}"]
    found += [f"replay.round_games={chosen.games}", f"replay.window={plies}", f"replay.largest={plies}"]
    found += [f"replay.reuse={SYMMETRIES * chosen.epochs}", "replay.in_turn=true", f"rounds={chosen.versions}"]
    found += [f"learn.batch={chosen.batch}", "learn.optimiser=adam", f"learn.rate={chosen.rate}", "learn.softmax=all"]
    found += ["learn.weight_decay=0.0", "learn.ema=0.0", "learn.search_value=0.0", "learn.clip=1000.0"]
    found += [f"net.narrow={chosen.narrow}"]
    found += [f"learn.history={epoch_steps(chosen)}", "gating.mode=competition", f"gating.sims={chosen.sims}"]
    found += [f"gating.games={chosen.competition_games}", f'gating.options="{player}"']
    return lab.train(name, chosen.board, found, share=share)


def versions(run: Path) -> list[Version]:
    """The competitions of a run, from its metrics."""
    numbers, steps = {0: 0}, {0: 0}
    found: list[Version] = []
    played = learned = 0.0
    ends: list[tuple[float, float]] = []  # begin of each competition, and what the next round of play began with
    for line in read_metrics(run):
        if line["kind"] == "selfplay":
            played = line["spent"]
            if ends:
                ends[-1] = (ends[-1][0], line["seconds"] - played)
        elif line["kind"] == "train":
            learned = line["seconds"]
        elif line["kind"] == "gate":
            number = len(found) + 1
            numbers[line["step"]], steps[number] = number, line["step"]
            against = numbers[line["against"]]
            plays = number if line["passed"] else against
            ends.append((line["seconds"], line["seconds"]))
            times = (0.0, played, learned)
            found.append(
                Version(number, line["step"], against, line["wins"], line["losses"], plays, steps[plays], times)
            )
    return [
        replace(
            each, times=(max(0.0, end - begin), each.times[1], max(0.0, begin - _before(ends, place) - each.times[1]))
        )
        for place, (each, (begin, end)) in enumerate(zip(found, ends))
    ]


def _before(ends: Sequence[tuple[float, float]], place: int) -> float:
    """When the work on a version began: after the competition before."""
    return ends[place - 1][1] if place else 0.0


def player(run: Path, number: int, chosen: Parameters, *, alternating: bool) -> tuple[str, str]:
    """The net that plays after so many versions (or the last one there is), with its name."""
    made = [each for each in versions(run) if each.number <= number]
    step, named = (made[-1].plays_step, made[-1].number) if made else (0, 0)
    sign = "yes" if alternating else "no"
    text = f"zero:{run}@{step},sims={chosen.sims},c={chosen.c:g},reduced=no,proven=no,alternating={sign}"
    return text, f"v{named}"


def four_rounds(lab: Lab, a: str, b: str, chosen: Parameters, *, share: float) -> list[Score]:
    """Four matches of twenty games in which a begins, and as many in which b does."""
    games = lab.games(2 * chosen.round_games)
    return [
        lab.match(a, b, chosen.board, games, share=share / len(ROUNDS), openings="random:2", seed=number)
        for number in ROUNDS
    ]


def rounds_parts(
    title: str, names: tuple[str, str], scores: list[Score], *, begins: str, paper: tuple[Sequence[int], Sequence[int]]
) -> list[Part]:
    """A table of victories in four rounds: the thesis's numbers, ours, and what they come to."""
    mine = [score.wins(begins) if begins == "a" else score.losses(begins) for score in scores]
    other = [score.losses(begins) if begins == "a" else score.wins(begins) for score in scores]
    rows = []
    for number, (name, there, here) in enumerate(zip(names, paper, (mine, other)), 1):
        rows.append((f"P{number} - {name}: paper", *there, Share(sum(there), 80)))
        rows.append((f"P{number} - {name}: ours", *(each.hits for each in here), _sum(here)))
    games = mine[0].tries
    head = ("", *(f"{games} games (paper 20)" if games != 20 else "20 games" for _ in ROUNDS), "in all (95%)")
    theirs, ours = sum(paper[0]) > sum(paper[1]), _sum(mine).hits > _sum(other).hits
    same = "In both the same side wins more." if theirs == ours else "Here the other side wins more."
    return [table(title, head, rows), Text(same)]


def _sum(shares: Sequence[Share]) -> Share:
    return Share(sum(each.hits for each in shares), sum(each.tries for each in shares))


def optimal(lab: Lab, text: str, chosen: Parameters) -> Share:
    """In how many positions where lines differ in value a player draws a best one, by the exact solver."""

    def work() -> list[int]:
        board = game(chosen.board)
        counted = mistakes_in_positions(text, solver_for(board), deciding_positions(chosen.board, chosen.positions))
        return [len(counted.decisions) - counted.mistakes, len(counted.decisions)]

    return Share(*lab.once(f"best lines of {lab.short(text)}", work, text, chosen.board, chosen.positions))


def evolution_parts(
    title: str, run: Path, paper: Sequence[tuple[int, int, int, int, int]], chosen: Parameters
) -> list[Part]:
    """Tables 5.1 and 5.2, or figure 5.5: every competition, and how long things took."""
    ours = {each.number: each for each in versions(run)}
    rows = []
    for number in range(1, max(len(paper), len(ours)) + 1):
        row: list[object] = [NOTHING] * 4
        if number <= len(paper):
            first, second, *rest = paper[number - 1]
            row = [f"{first} vs {second}", *rest]
        mine: list[object] = [NOTHING] * 7
        if here := ours.get(number):
            times = [f"{seconds:.1f}" for seconds in here.times]
            mine = [f"{here.against} vs {here.number}", here.losses, here.wins, here.plays, *times]
        rows.append((*row, *mine))
    head = (
        "paper",
        "1st",
        "2nd",
        "plays on",
        "ours",
        "1st",
        "2nd",
        "plays on",
        "competition, s",
        "games, s",
        "learning, s",
    )
    kept = sum(each.plays == each.number for each in ours.values())
    there = sum(plays == second for _, second, _, _, plays in paper)
    said = f"Newer versions that played on: {there} of {len(paper)} in the thesis, {Share(kept, len(ours))} here."
    return [table(title, head, rows), Text(said)]


def loss_parts(lab: Lab, run: Path, figures: tuple[str, str]) -> list[Part]:
    """The losses by head, as figures; the history is kept as a file like that of appendix A.3."""
    metrics = read_metrics(run)
    write_atomically(lab.folder / "training-history.csv", history_csv(history_rows(metrics)).encode())
    trained = [line for line in metrics if line["kind"] == "train"]
    parts: list[Part] = [Text("The losses of every epoch, as in appendix A.3, are in `training-history.csv`.")]
    for figure, head in zip(figures, ("policy", "value")):
        lines = {
            "training": [(number, line["losses"][head]) for number, line in enumerate(trained, 1)],
            "held back": [(n, line["held_losses"][head]) for n, line in enumerate(trained, 1) if line["held_losses"]],
        }
        words = f"{figure}: loss of the {head} by version"
        parts.append(Plot(f"{head}-loss", words, curves(words, lines, x="version", y="loss")))
    return parts


def dump(lab: Lab, text: str, chosen: Parameters, version: str) -> list[Part]:
    """A game with all that its searches found, as in appendix A.1."""

    def work() -> str:
        board = game(chosen.board)
        found = make_player(text, board)
        assert isinstance(found, ZeroPlayer)
        return game_dump(found, board.start(), int(version[1:]))

    write_atomically(lab.folder / "game-dump.txt", str(lab.once("a game's dump", work, text)).encode())
    return [Text("A game of the last version against itself, as in appendix A.1, is in `game-dump.txt`.")]


# The subsets


def subset_a(lab: Lab, chosen: Parameters) -> list[Part]:
    """Sixty versions, against the stand-in and against the standard MCTS."""
    chosen, said = with_settings(lab, chosen)
    run = train(lab, "subset A", chosen, alternating=True, seed=chosen.seeds[0], share=0.45)
    other = train(lab, "stand-in", chosen, alternating=True, seed=chosen.seeds[0] + 1000, share=0.35)
    mine, name = player(run, chosen.versions, chosen, alternating=True)
    theirs, _ = player(other, chosen.versions, chosen, alternating=True)
    uct = f"uct:sims={chosen.sims},c={chosen.uct_c:g}"
    against, rollouts = (four_rounds(lab, mine, each, chosen, share=0.1) for each in (theirs, uct))
    names = (f"NN subsetA v60 (ours: {name})", STAND_IN)
    flipped = ("MCTS", names[0])
    return [
        *said,
        Heading("Network evolution"),
        *evolution_parts("Tables 5.1 and 5.2", run, TABLE_5_1 + TABLE_5_2, chosen),
        *loss_parts(lab, run, ("Figure 5.3", "Figure 5.4")),
        Heading("Against the related work and MCTS"),
        *rounds_parts("Table 5.3", names, against, begins="a", paper=TABLE_5_3),
        *rounds_parts("Table 5.4", flipped, rollouts, begins="b", paper=TABLE_5_4),
        sides_table([(names[0], STAND_IN, against), (names[0], "MCTS", rollouts)]),
        *optimal_parts({name: optimal(lab, mine, chosen), "the stand-in": optimal(lab, theirs, chosen)}),
        *dump(lab, mine, chosen, name),
    ]


def subset_b(lab: Lab, chosen: Parameters) -> list[Part]:
    """A hundred versions, with twice the games, against the stand-in and against an earlier version."""
    chosen, said = with_settings(lab, chosen)
    run = train(lab, "subset B", chosen, alternating=True, seed=chosen.seeds[0], share=0.5)
    other = train(lab, "stand-in", chosen, alternating=True, seed=chosen.seeds[0] + 1000, share=0.3)
    last, name = player(run, chosen.versions, chosen, alternating=True)
    middle, earlier = player(run, chosen.middle, chosen, alternating=True)
    theirs, _ = player(other, chosen.versions, chosen, alternating=True)
    against, before = (four_rounds(lab, last, each, chosen, share=0.1) for each in (theirs, middle))
    hundred, sixty = f"NN subsetB v100 (ours: {name})", f"v60 (ours: {earlier})"
    return [
        *said,
        Heading("Network evolution"),
        *evolution_parts("Figure 5.5: the first 30 versions", run, FIGURE_5_5, chosen),
        *loss_parts(lab, run, ("Figure 5.6, policy", "Figure 5.6, value")),
        Heading("Against the related work and an earlier version"),
        *rounds_parts("Table 5.5", (STAND_IN, hundred), against, begins="b", paper=TABLE_5_5),
        *rounds_parts("Table 5.6", (hundred, STAND_IN), against, begins="a", paper=TABLE_5_6),
        *rounds_parts("Table 5.7", (hundred, sixty), before, begins="a", paper=TABLE_5_7),
        *rounds_parts("Table 5.8", (sixty, hundred), before, begins="b", paper=TABLE_5_8),
        *optimal_parts({name: optimal(lab, last, chosen), "the stand-in": optimal(lab, theirs, chosen)}),
        *dump(lab, last, chosen, name),
    ]


def subset_c(lab: Lab, chosen: Parameters) -> list[Part]:
    """With and without the mistake, from several seeds: what it costs."""
    chosen, said = with_settings(lab, chosen)
    share = 1 / len(chosen.seeds)
    scores: dict[str, list[Score]] = {"middle": [], "last": []}
    best: dict[str, Share] = {}
    pairs: list[tuple[int, list[Score], Share, Share]] = []
    for seed in chosen.seeds:
        wrong = train(lab, f"alternating, seed {seed}", chosen, alternating=True, seed=seed, share=0.4 * share)
        right = train(lab, f"mended, seed {seed}", chosen, alternating=False, seed=seed, share=0.4 * share)
        mended, name = player(right, chosen.versions, chosen, alternating=False)
        for which, number in (("middle", chosen.middle), ("last", chosen.versions)):
            opponent, named = player(wrong, number, chosen, alternating=True)
            met = four_rounds(lab, mended, opponent, chosen, share=0.08 * share)
            scores[which] += met
            if which == "last":
                good, bad = optimal(lab, mended, chosen), optimal(lab, opponent, chosen)
                best |= {f"mended {name}, seed {seed}": good, f"alternating {named}, seed {seed}": bad}
                pairs.append((seed, met, good, bad))
    fixed, sixty, hundred = "NN subsetC v24 (ours: mended)", "v60 (ours: alternating)", "v100 (ours: alternating, last)"
    middle, last = (by_round(scores[which]) for which in ("middle", "last"))
    return [
        *said,
        Heading("With the turn fix against without"),
        *rounds_parts("Table 5.9", (fixed, sixty), middle, begins="a", paper=TABLE_5_9),
        *rounds_parts("Table 5.10", (sixty, fixed), middle, begins="b", paper=TABLE_5_10),
        *rounds_parts("Table 5.11", (fixed, hundred), last, begins="a", paper=TABLE_5_11),
        *rounds_parts("Table 5.12", (hundred, fixed), last, begins="b", paper=TABLE_5_12),
        *cost_parts(pairs),
        *optimal_parts(best),
    ]


def by_round(scores: list[Score]) -> list[Score]:
    """The games of all seeds together, round by round."""
    return [
        Score(tuple(one for score in scores[number :: len(ROUNDS)] for one in score.games))
        for number in range(len(ROUNDS))
    ]


def cost_parts(pairs: Sequence[tuple[int, list[Score], Share, Share]]) -> list[Part]:
    """What the alternating sign costs, whichever way it comes out."""
    rows = []
    for seed, met, mended, alternating in pairs:
        rows.append((f"seed {seed}", _sum([score.points for score in met]), mended, alternating))
    whole = _sum([score.points for _, met, _, _ in pairs for score in met])
    better = sum(mended.value > alternating.value for _, _, mended, alternating in pairs)
    stronger = sum(_sum([score.points for score in met]).value > 0.5 for _, met, _, _ in pairs)
    head = ("", "points of the mended one against the alternating one", "best lines: mended", "alternating")
    words = (
        f"At the same settings the mended search scores {whole} against the alternating one; it is ahead with "
        f"{stronger} of {len(pairs)} seeds, and draws best lines more often with {better}. "
    )
    verdict = "The alternating sign costs strength here." if stronger > len(pairs) / 2 else (
        "The alternating sign does not cost strength here, at this amount of training.")  # fmt: skip
    return [Heading("What the alternating sign costs"), table("By seed (95%)", head, rows), Text(words + verdict)]


def optimal_parts(found: dict[str, Share]) -> list[Part]:
    """The absolute yardstick, which the thesis did not have."""
    head = ("", "best lines, where lines differ in value (95%)")
    return [table("Beside the exact solver (not in the thesis)", head, list(found.items()))]


def sides_table(matches: Sequence[tuple[str, str, list[Score]]]) -> Part:
    """The same matches from both sides."""
    rows = [
        (f"{a} against {b}", *(_sum([score.wins(side) for score in scores]) for side in ("a", "b")))
        for a, b, scores in matches
    ]
    return table("Games won from both sides (95%)", ("", "moving first", "moving second"), rows)


SMALL: dict[str, Any] = {"first_games": 100, "epochs": 4, "positions": 300}
TINY = Parameters(
    board="dots:2x2", first_games=4, versions=2, middle=1, competition_games=2, games=4, sims=4, epochs=1, narrow=32,
    round_games=1, positions=20,
)  # fmt: skip
CHOICES = (
    "Table 5.1 says that 1 won its competition against 0 with 14 games to 36 and that 0 met the next one all the same; "
    "likewise 13 and 17 at 25 to 25, and the older net stayed. Here who wins more games plays on, else the older net.",
    "Simulations of the standard MCTS, noise, temperature and openings of the competitions are not given: as many as "
    "the nets have; AlphaZero's; two random turns, since two nets would repeat one game (the thesis has 0 to 50).",
    "A set of 100 x 24 x 8 x 2 boards: every line of every game in all eight symmetries, the two sets being inputs "
    "and answers. An epoch shows each of them once. The 20% held back are whole games.",
    "The standard MCTS teaches by the lines it draws. Values are -1, 0 and 1, the softmax is over all 28 places.",
    "Nets are trained on from the winner's weights. The alternating search takes ends of games, like values of the "
    "net, from the view of whoever moves there, and turns the sign once for each line.",
    "The net of Aguayo is not to be had. A dense net of the same form, trained by the alternating-sign loop from other "
    "weights, stands in for it; its numbers say nothing about Aguayo's own.",
)


def subset(name: str, summary: str, steps: Callable[[Lab, Parameters], list[Part]], **scales: Parameters) -> Experiment:
    """One of the three."""
    return Experiment(
        name=name, paper=PAPER, summary=summary, scales={**scales}, run=steps, takes=("config",), choices=CHOICES,
        smaller="fewer versions, games and epochs, the same net.",
    )  # fmt: skip


B = Parameters(versions=100, competition_games=200, games=200, sims=160, epochs=350)
EXPERIMENTS = (
    subset(
        "subset-a", "60 versions of the dense net on 3x3 (tables 5.1 to 5.4)", subset_a, tiny=TINY, paper=Parameters(),
        default=Parameters(versions=12, middle=6, **SMALL),
    ),
    subset(
        "subset-b", "100 versions with twice the games (tables 5.5 to 5.8, figure 5.5)", subset_b, tiny=TINY, paper=B,
        default=replace(B, versions=12, middle=6, competition_games=60, games=120, **SMALL),
    ),
    subset(
        "subset-c", "with and without the turn fix, three seeds (tables 5.9 to 5.12)", subset_c,
        paper=replace(B, seeds=(0, 1, 2)), tiny=replace(TINY, seeds=(0, 1)),
        default=Parameters(versions=6, middle=3, games=80, **SMALL, seeds=(0, 1, 2)),
    ),
)  # fmt: skip
