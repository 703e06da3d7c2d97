"""Wins in sight are taken, and losses in sight avoided, by a search that knows nothing but the rules."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from pocketzero.games import Position, game
from pocketzero.games.worth import worth
from pocketzero.players.dots.exact import DotsSolver
from pocketzero.search import Search, Settings, search

COUNT = 1000


def wins_now(position: Position) -> bool:
    """Whether the side to move can end the game in its favour with one action."""
    return any(position.play_action(action).outcome == position.to_move for action in position.legal_actions())


def random_positions(name: str, seed: int) -> Iterator[Position]:
    chance = random.Random(seed)
    while True:
        position = game(name).start()
        while not position.is_over:
            yield position
            position = position.play_action(chance.choice(position.legal_actions()))


@pytest.mark.parametrize(
    ("names"),
    [("dots:2x2", "dots:3x3", "dots:5x5"), ("mnk:3x3x3", "mnk:5x5x4", "mnk:9x9x5"), ("zertz:19/deepzertz", "zertz:37")],
    ids=["dots", "mnk", "zertz"],
)
def test_a_win_in_one_is_always_taken(names: tuple[str, ...]) -> None:
    found = 0
    for index, name in enumerate(names):
        for position in random_positions(name, index):
            if wins_now(position):
                found += 1
                best = search(position, sims=2 * len(position.legal_actions())).best_action
                assert position.play(best).outcome == position.to_move, position.text
            if found * len(names) >= COUNT * (index + 1):
                break
    assert found >= COUNT


def saving_moves(position: Position) -> tuple[list[int], int]:
    """The actions after which the opponent cannot win at once, and the number of pairs of an action and a reply."""
    saving, pairs = [], 0
    for action in position.legal_actions():
        after = position.play_action(action)
        if after.is_over or after.to_move == position.to_move:
            saving.append(action)
            continue
        pairs += len(after.legal_actions())
        if not wins_now(after):
            saving.append(action)
    return saving, pairs


@pytest.mark.parametrize(
    ("name", "count"), [("mnk:3x3x3", 150), ("mnk:5x5x4", 150), ("mnk:9x9x5", 8), ("zertz:19/deepzertz", 60)]
)
def test_the_only_move_that_does_not_lose_at_once_is_found(name: str, count: int) -> None:
    found = 0
    for position in random_positions(name, 1):
        if len(position.legal_actions()) < 2 or wins_now(position):
            continue
        saving, pairs = saving_moves(position)
        if len(saving) == 1 and position.play_action(saving[0]).outcome != 1 - position.to_move:
            assert search(position, sims=4 * pairs).best_action == saving[0], position.text
            found += 1
        if found == count:
            return


@pytest.mark.parametrize("gumbel", [0, 8])
def test_the_margin_counts_if_it_is_asked_to(gumbel: int) -> None:
    """In won and lost positions alike, the search goes for the boxes, and its values are those of the solver."""
    board, chance = game("dots:2x3"), random.Random(5)
    solver = DotsSolver(board)
    proven = 0
    for seed in range(60):
        position = board.start()
        for _ in range(chance.randrange(9, 15)):
            position = position.play_action(chance.choice(position.legal_actions()))
        values = solver.move_values(position)
        search = Search(position, settings=Settings(margin=0.5, gumbel=gumbel, reduced=True), seed=seed)
        search.run(sims=3000)
        root, best = search.forest.root(0), max(values.values())
        if root.low == root.high:
            proven += 1
            assert values[search.choose()] == best
            assert search.report().value == pytest.approx(0.5 * np.sign(best) + 0.5 * worth(best, 6))
    assert proven > 50
