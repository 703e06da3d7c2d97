"""Late positions of Dots and Boxes, proven at the leaves of a search within a budget, against exact solvers."""

from __future__ import annotations

import random
import threading
from functools import cache

import numpy as np
import pytest

from pocketzero.games import Position, game
from pocketzero.games.dots import rules
from pocketzero.games.dots.strings import MOST_LINES
from pocketzero.games.table import BOUNDED, EXACT
from pocketzero.players.dots.exact import DotsSolver
from pocketzero.players.spec import make_player
from pocketzero.search import Search, Settings, Uniform
from pocketzero.training.episodes import Episode
from pocketzero.training.selfplay import SelfPlay, SelfPlayOptions

BUDGETS = (0, 1, 2, 5, 10, 30, 100, 300, 1000, 10_000, 1_000_000)
ENOUGH = 1_000_000


@cache
def solver_of(name: str) -> DotsSolver:
    return DotsSolver(game(name), bits=18)


def true_margin(position: Position) -> int:
    """The final margin from player 0's side."""
    value = solver_of(position.game.name).value(position)
    return value if position.to_move == 0 else -value


def random_position(name: str, left: int, chance: random.Random) -> Position:
    """A position with so many lines left."""
    position = game(name).start()
    for _ in range(position.game.action_count - left):
        position = position.play_action(chance.choice(position.legal_actions()))
    return position


def position_of_hard(name: str, left: int, seed: int) -> Position:
    """A position of Hard's own play after a random opening: long chains, joints, captures under way."""
    position, chance = game(name).start(), random.Random(seed)
    player = make_player("hard", position.game, seed=seed)
    while len(position.legal_actions()) > left:
        is_opening = position.ply < 4
        line = chance.choice(position.legal_actions()) if is_opening else player.choose(position)
        position = position.play_action(line)
    return position


def solve(position: Position, budget: int) -> tuple[int, int, int]:
    """The answer and its bounds."""
    bounds = np.zeros(2, np.int64)
    found = position.game
    answer = found.rules.solve(found.geometry, position.state.copy(), budget, bounds)
    return answer, int(bounds[0]), int(bounds[1])


def check_every_budget(position: Position) -> list[int]:
    """Bounds hold the truth and never widen as the budget grows; gives the answers."""
    truth, answers = true_margin(position), []
    before = (-position.game.largest_margin, position.game.largest_margin)
    for budget in BUDGETS:
        answer, low, high = solve(position, budget)
        assert before[0] <= low <= truth <= high <= before[1], (position, budget)
        assert answer == (EXACT if low == high else BOUNDED)
        before = low, high
        answers.append(answer)
    return answers


@pytest.mark.parametrize(
    ("name", "count", "most"),
    [("dots:3x3", 2000, 20), ("dots:2x4", 500, 18), ("dots:1x7", 200, 16), ("dots:3x4", 200, 20)],
)
def test_no_budget_gives_a_wrong_answer(name: str, count: int, most: int) -> None:
    chance = random.Random(name)
    answers = [check_every_budget(random_position(name, chance.randint(1, most), chance)) for _ in range(count)]
    solved = [sum(each[number] == EXACT for each in answers) for number in range(len(BUDGETS))]
    assert solved[-1] == count  # a million positions suffice for all of these
    assert solved[0] < solved[BUDGETS.index(30)] < solved[BUDGETS.index(1000)]


@pytest.mark.parametrize(("name", "left"), [("dots:5x5", 16), ("dots:5x5", 24), ("dots:6x7", 20)])
def test_late_positions_of_large_boards_agree_with_the_solver(name: str, left: int) -> None:
    chance = random.Random(left)
    for _ in range(40):
        assert check_every_budget(random_position(name, left, chance))[-1] == EXACT


def test_positions_of_good_play_agree_with_the_solver() -> None:
    solved = 0
    for seed in range(30):
        position = position_of_hard("dots:5x5", 22 + seed % 9, seed)
        solved += check_every_budget(position)[BUDGETS.index(1000)] == EXACT
    assert solved > 20


def test_more_lines_than_a_word_holds_are_only_bounded() -> None:
    chance, start = random.Random(2), game("dots:10x10").start()
    early = random_position("dots:10x10", MOST_LINES + 1, chance)
    for position in (start, early):
        answer, low, high = solve(position, ENOUGH)
        done = int(position.state[rules.SCORE] + position.state[rules.SCORE + 1])
        assert (answer, high - low) == (BOUNDED, 2 * (100 - done))
    late = position_of_hard("dots:10x10", 40, seed=5)
    assert solve(late, ENOUGH) == (EXACT, true_margin(late), true_margin(late))


def test_threads_do_not_disturb_each_other() -> None:
    chance = random.Random(7)
    positions = [random_position("dots:3x3", 14, chance) for _ in range(50)]
    expected = [solve(position, 100) for position in positions]
    found: list[list[tuple[int, int, int]]] = [[] for _ in range(4)]

    def work(number: int) -> None:
        found[number] = [solve(position, 100) for _ in range(20) for position in positions]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected * 20] * 4


def test_a_search_proves_sooner_with_a_budget() -> None:
    """Positions that 60 simulations do not settle without a budget are settled by a few with one."""
    chance, sooner = random.Random(11), 0
    for _ in range(10):
        position = random_position("dots:3x3", 18, chance)
        reports = [
            Search(position, settings=Settings(solve_budget=budget, exact=True, leaves=1), seed=1).run(sims=60)
            for budget in (0, 10_000)
        ]
        assert reports[1].stopped == "proven"
        assert reports[1].best_action in solver_of("dots:3x3").best_moves(position)[1]
        sooner += reports[0].stopped != "proven"
    assert sooner == 10


def test_self_play_with_a_budget_knows_who_wins() -> None:
    """What a search calls proven is true, and more is proven than without."""
    board, proven = game("dots:3x3"), []
    for budget in (0, 300):
        episodes: list[Episode] = []
        options = SelfPlayOptions(method="puct", sims=16, solve_budget=budget)
        worker = SelfPlay(board, options, episodes.append, trees=8, seed=3)
        while worker.tally.games < 12:
            worker.step(Uniform(board))
        proven.append(sum(check_proven(episode) for episode in episodes) / len(episodes))
    assert proven[1] > proven[0] > 0


def check_proven(episode: Episode) -> int:
    """How many positions of a game are proven (only these are worth 1 or -1); each is what the table says."""
    assert episode.finished
    position, count = game("dots:3x3").start(), 0
    plies = {searched.ply: searched for searched in episode.searched}
    for ply, action in enumerate(episode.actions.tolist()):
        if ply in plies and abs(plies[ply].value) == 1:
            assert np.sign(solver_of("dots:3x3").value(position)) == plies[ply].value
            count += 1
        position = position.play_action(action)
    return count
