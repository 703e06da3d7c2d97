"""Making puzzles: positions of natural games in which exactly one move wins, proven, and graded by who fails.

Games are played by a weak search. A position of them becomes a puzzle if a solver (or, in Zertz, a tree search that
goes on until every move is settled) proves that one move wins and all others do not. The grade, 1 to 5, is one more
than the number of rollout searches of growing size that miss the move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count as numbers_from
from itertools import cycle

import numpy as np

from pocketzero.arena.puzzles import Puzzle
from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position, game
from pocketzero.players.base import random_source
from pocketzero.players.solver import Unsolved
from pocketzero.players.solvers import solver_for
from pocketzero.players.spec import make_player
from pocketzero.search import Search, Settings

BOARDS = {
    "dots": ("dots:3x3", "dots:3x4", "dots:4x4"),
    "mnk": ("mnk:5x5x4", "mnk:6x6x4", "mnk:7x7x4"),
    "zertz": ("zertz:19/deepzertz", "zertz:19"),
}
GRADERS = ("uct:sims=30", "uct:sims=300", "uct:sims=3000", "uct:sims=30000")
MAKER = "uct:sims=100"
FEWEST_MOVES = 4  # a choice between fewer is no puzzle
SOLVER_SECONDS = 0.5
PROOF_SIMULATIONS = 30_000
MOST_FAILURES = 3  # earlier positions of the game would only be harder to prove

Values = dict[int, int]


def make_puzzles(
    family: str, count: int, seed: int, *, progress: Callable[[int], None] = lambda done: None
) -> list[Puzzle]:
    """So many puzzles of a family, taking its boards in turn; the same seed makes the same ones."""
    if family not in BOARDS:
        raise PocketZeroError(f"Puzzles are made for {', '.join(BOARDS)}, not for {family!r}.")
    sources = cycle([_puzzles(game(name), seed) for name in BOARDS[family]])
    found: list[Puzzle] = []
    seen: set[int] = set()
    while len(found) < count:
        position, values = next(next(sources))
        if position.key not in seen:
            seen.add(position.key)
            found.append(Puzzle(f"{family}-{len(found) + 1:03}", position, values, grade(position, values)))
            progress(len(found))
    return sorted(found, key=lambda puzzle: (puzzle.grade, puzzle.id))


def _puzzles(board: Game, seed: int) -> Iterator[tuple[Position, Values]]:
    """Puzzles of one board without end, at most one from each game."""
    prove = _prover(board)
    for number in numbers_from(seed * 1_000_003):
        failures = 0
        for position in _candidates(board, number):
            values = prove(position)
            if values and _is_puzzle(position, values):
                yield position, values
                break
            failures += values is None
            if failures == MOST_FAILURES:
                break


def _is_puzzle(position: Position, values: Values) -> bool:
    """Whether exactly one move wins, and not by ending the game at once."""
    winning = [action for action, value in values.items() if value > 0]
    return len(winning) == 1 and not position.play_action(winning[0]).is_over


def _candidates(board: Game, seed: int) -> Iterator[Position]:
    """Positions of one game between weak searches, the last ones first: they are the easiest to prove."""
    player = make_player(MAKER, board, seed=seed)
    chance = random_source(seed)
    position, path = board.start(), []
    while not position.is_over:
        legal = position.legal_actions()
        if len(legal) >= FEWEST_MOVES:
            path.append(position)
        by_chance = chance.random() < 0.15  # mistakes make positions that are worth a puzzle
        position = position.play_action(legal[chance.integers(len(legal))] if by_chance else player.choose(position))
    yield from path[::-1]


def _prover(board: Game) -> Callable[[Position], Values | None]:
    """Whatever can prove the moves of this board: its solver, or tree search."""
    try:
        solver = solver_for(board, seconds=SOLVER_SECONDS)
    except PocketZeroError:
        return prove_by_search

    def prove(position: Position) -> Values | None:
        try:
            return solver.move_values(position)
        except Unsolved:
            return None

    return prove


def prove_by_search(position: Position) -> Values | None:
    """One winning move proven, and all others proven not to win; or None."""
    settings = Settings(leaves=16, symmetry="none", max_nodes=4 * PROOF_SIMULATIONS)
    winner = Search(position, settings=settings)
    if winner.run(sims=PROOF_SIMULATIONS).stopped != "proven":
        return None
    root = winner.forest.root(0)
    won = root.actions[root.settled & (root.results > 0)]
    if len(won) != 1:
        return None
    others = [action for action in position.legal_actions() if action != won[0]]
    rest = Search(position, settings=settings, only=others)
    rest.run(sims=PROOF_SIMULATIONS)
    root = rest.forest.root(0)
    if not root.settled.all() or (root.results > 0).any():
        return None
    return {int(won[0]): 1} | dict(zip(root.actions.tolist(), np.asarray(root.results).tolist()))


def grade(position: Position, values: Values) -> int:
    """1 to 5: one more than the number of searches that miss the winning move."""
    [winning] = [action for action, value in values.items() if value > 0]
    graders = (make_player(text, position.game, seed=1) for text in GRADERS)
    return 1 + sum(grader.choose(position) != winning for grader in graders)
