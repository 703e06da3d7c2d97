"""Berlekamp: thirteen positions from his book, by nets alone and with a search (Peters 2018, tables 5 and 6).

Also the board of figure 25, on which the thesis tested its "confusion theory": a net that learned only from good play
does not know what to do when a long chain is offered while short ones are left.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pocketzero.arena.puzzles import Puzzle, read_puzzles, solve_puzzles
from pocketzero.errors import PocketZeroError
from pocketzero.experiments import alphadots
from pocketzero.experiments.alphadots import PAPER, SelfPlay, Taught, direct, mcts
from pocketzero.experiments.comparison import Share
from pocketzero.experiments.document import Heading, Listing, Part, Text, table
from pocketzero.experiments.experiment import Experiment
from pocketzero.experiments.steps import Lab, digest
from pocketzero.games import Position, game
from pocketzero.players.spec import make_player

TABLE_6 = {
    "AlphaZeroV7": "FSFFFSFSSSSFF",
    "AlphaZeroV7-MCTS": "SSSSSSSSSSSSF",
    "AlphaZero-Comp-SP": "FSFFSSFSSFSFF",
    "AlphaZero-Comp-SP-MCTS": "SSSSSSFFSSSSF",
}
# Six boxes in a chain that was just opened; a chain of two and a single box are left. All six are to be taken.
CONFUSION = "h00 h01 h02 h10 h11 h20 h21 h22 h30 v00 v03 v13 v22"
CHAIN = 6


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """What the experiment is made of."""

    version_7: Taught
    version_7_boards: tuple[str, ...] = alphadots.VERSION_7_BOARDS
    competition: Taught
    competition_board: str = "dots:5x4"
    self_play: SelfPlay
    sims: int = 1500  # of the searches (6.6.1)
    others: tuple[str, ...] = ("hard", "uct:sims=10000")  # for comparison; not in the thesis


def players(lab: Lab, chosen: Parameters) -> dict[str, str]:
    """The four of table 6, trained here, and a few others."""
    seven = alphadots.version_7(lab, chosen.version_7, chosen.version_7_boards, share=0.3)
    board, taught = chosen.competition_board, chosen.competition
    start = alphadots.teach(lab, "AlphaZero-Comp", "hard", board, taught, share=0.2)
    alone = alphadots.go_on_alone(lab, "AlphaZero-Comp-SP", start, board, taught, chosen.self_play, share=0.4)
    found = {"AlphaZeroV7": direct(seven), "AlphaZeroV7-MCTS": mcts(seven, chosen.sims)}
    found |= {"AlphaZero-Comp-SP": direct(alone), "AlphaZero-Comp-SP-MCTS": mcts(alone, chosen.sims)}
    return found | {each: each for each in (*chosen.others, *lab.wishes.engines)}


def passed(player: str, puzzles: list[Puzzle]) -> str:
    """A letter for each test: S passed, F failed."""
    return "".join("S" if answer.solved else "F" for answer in solve_puzzles(player, puzzles))


def confusion_board() -> Position:
    """The board of the confusion theory."""
    return game("dots:3x3").start().play_line(CONFUSION)


def taken_of_chain(text: str) -> int:
    """How many boxes of the chain a player takes before it draws a line that takes none."""
    position, taken = confusion_board(), 0
    player, mover = make_player(text, position.game), position.to_move
    try:
        while not position.is_over and position.to_move == mover:
            position = position.play_action(player.choose(position))
            taken += position.to_move == mover
    finally:
        player.close()
    return min(taken, CHAIN)


def run(lab: Lab, chosen: Parameters) -> list[Part]:
    """Train, test, compare."""
    puzzles = read_positions(lab.wishes.positions)
    texts = [puzzle.position.text for puzzle in puzzles]
    results, taken = {}, {}
    for name, player in players(lab, chosen).items():
        results[name] = lab.once(f"tests of {name}", partial(passed, player, puzzles), player, digest(texts))
        taken[name] = lab.once(f"figure 25 with {name}", partial(taken_of_chain, player), player)
    return [*test_parts(results), *confusion_parts(taken)]


def read_positions(file: Path | None) -> list[Puzzle]:
    """The tests; the project does not bring them along, since they are from a book."""
    if file is None:
        raise PocketZeroError(
            "Berlekamp's positions are from his book and do not come with PocketZero: name a file of problems, as in "
            "pocketzero reproduce Berlekamp --positions FILE (the kinds of files are those of `pocketzero puzzles`)."
        )
    return read_puzzles(file)


def test_parts(results: dict[str, str]) -> list[Part]:
    """Table 6: the thesis's letters above ours."""
    count = len(next(iter(results.values())))
    rows = []
    for name, letters in results.items():
        paper = TABLE_6.get(name, "")
        if len(paper) == count:
            rows.append((f"{name}: paper", *paper, Share(paper.count("S"), count)))
        rows.append((f"{name}: ours", *letters, Share(letters.count("S"), count)))
    head = ("AI", *(str(number) for number in range(1, count + 1)), "passed (95%)")
    parts: list[Part] = [Heading("Berlekamp's tests"), table("Table 6: S passed, F failed", head, rows)]
    for name, letters in results.items():
        paper = TABLE_6.get(name, "")
        other = [str(number) for number, (a, b) in enumerate(zip(paper, letters), 1) if a != b]
        if len(paper) == count:
            parts.append(
                Text(f"{name}: " + (f"other than in the thesis in {', '.join(other)}." if other else "the same."))
            )
    return [*parts, Text(search_helps(results))]


def search_helps(results: dict[str, str]) -> str:
    """Whether the thesis's finding holds here: a search passes more tests than its net alone."""
    pairs = [(name, results[f"{name}-MCTS"].count("S") - letters.count("S")) for name, letters in results.items()
             if f"{name}-MCTS" in results]  # fmt: skip
    words = ", ".join(f"{gain:+d} with {name}" for name, gain in pairs)
    holds = all(gain > 0 for _, gain in pairs)
    verdict = "This holds here" if holds else "This does not hold for every net here"
    return f"The thesis finds that a search passes more tests than its net alone. {verdict}: {words}."


def confusion_parts(taken: dict[str, int]) -> list[Part]:
    """Figure 25: who takes the whole chain."""
    rows = [(name, f"{count} of {CHAIN}", "right" if count == CHAIN else "confused") for name, count in taken.items()]
    rows.insert(0, ("AlphaZeroV14 (paper)", f"0 of {CHAIN}", "confused"))
    rows.insert(1, ("AlphaZero-Competition-SP (paper)", "2 boxes", "confused"))
    words = "The chain of six was opened while a chain of two and a single box are left: all six are to be taken."
    return [Heading("Figure 25: the confusion board"), Listing(str(confusion_board())), Text(words),
            table("Boxes taken of the long chain", ("player", "taken", ""), rows)]  # fmt: skip


EXPERIMENTS = (
    Experiment(
        name="Berlekamp",
        paper=PAPER,
        summary="Berlekamp's tests and the confusion board (tables 5 and 6, figure 25); needs --positions FILE",
        scales={
            "paper": Parameters(
                version_7=Taught(blocks=8, filters=128, samples=2_000_000),
                competition=Taught(blocks=8, filters=256, samples=4_000_000),
                self_play=SelfPlay(sims=1500, iterations=32, sequences=True),
            ),
            "default": Parameters(
                version_7=Taught(blocks=4, filters=32, samples=100_000),
                competition=Taught(blocks=4, filters=32, samples=80_000),
                self_play=SelfPlay(samples=256, sims=400, iterations=8, gate_games=200, sequences=True),
            ),
            "tiny": Parameters(
                version_7=Taught(blocks=1, filters=4, samples=300),
                version_7_boards=("dots:1x2", "dots:2x2"),
                competition=Taught(blocks=1, filters=4, samples=300),
                competition_board="dots:2x2",
                self_play=SelfPlay(samples=150, sims=4, epochs=1, iterations=1, gate_games=2, sequences=True),
                sims=8,
                others=("hard",),
            ),
        },
        run=run,
        takes=("engine", "positions"),
        smaller="nets of 4 blocks and 32 filters, fewer samples, fewer iterations of self-play.",
        choices=(
            alphadots.VERSION_7_HERE,
            alphadots.SAMPLES_HERE,
            alphadots.MCTS_HERE,
            "A test is passed with any line that wins, as in table 5, where several lines may be marked.",
            "Figure 25 is a picture; the board here has what the text says of it, on 3x3: a long chain that was opened "
            "while short chains are left. A solver confirms that taking all six boxes is the only best play.",
        ),
    ),
)
