"""Easy, Medium and Hard at Dots and Boxes: what each does, and that each beats the one below."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pocketzero.games import Position, game
from pocketzero.games.dots.chains import SAFE, survey
from pocketzero.games.dots.rules import BOXES
from pocketzero.players.dots.levels import EASY, HARD, LEVELS, MEDIUM, LevelPlayer, damage, play_out

TABLE_2 = {  # Peters 2018, Table 2: wins in per cent of 10,000 games on 5x5, half of them begun by each side
    (EASY, EASY): 50.36,
    (EASY, MEDIUM): 9.43,
    (EASY, HARD): 2.64,
    (MEDIUM, EASY): 90.82,
    (MEDIUM, MEDIUM): 49.72,
    (MEDIUM, HARD): 8.93,
    (HARD, EASY): 97.71,
    (HARD, MEDIUM): 91.11,
    (HARD, HARD): 49.50,
}


def choices(position: Position, level: str) -> set[str]:
    """The lines that a level draws here, over many seeds."""
    return {position.write(LevelPlayer(level, seed=seed).choose(position)) for seed in range(60)}


@pytest.mark.parametrize("level", LEVELS)
def test_safe_lines_come_first(level: str) -> None:
    chance = random.Random(1)
    for _ in range(200):
        position = game("dots:4x4").start()
        for _ in range(chance.randrange(25)):
            position = position.play_action(chance.choice(position.legal_actions()))
        kinds = np.zeros(position.game.action_count, np.int32)
        boxes = int(position.game.geometry[BOXES])
        survey(
            position.game.geometry,
            position.state.copy(),
            kinds,
            np.zeros(boxes, np.int32),
            np.zeros((boxes, 5), np.int32),
        )
        line = LevelPlayer(level, seed=3).choose(position)
        assert line in position.legal_actions()
        captures = any(position.play_action(other).margin != position.margin for other in position.legal_actions())
        if not captures and (kinds == SAFE).any():
            assert kinds[line] == SAFE


def test_easy_and_medium_take_what_they_can() -> None:
    position = game("dots:1x3").start().play_line("aA bA cA aB bB cB Aa")
    assert choices(position, "easy") == choices(position, "medium") == {"Ab"}


def test_hard_double_deals_to_keep_control() -> None:
    """Two boxes of an opened chain are left, and another long chain: Hard hands them out."""
    chain = "aA bA cA aB bB cB"
    other = "aC bC cC aD bD cD"  # with row B between them: two chains of three in rows A and C, row B is one too
    position = game("dots:3x3").start().play_line(f"{chain} {other}")
    position = position.play("Aa").play("Ab")
    assert choices(position, "hard") == {"Ad"}
    assert choices(position, "medium") == {"Ac"}


def test_hard_takes_all_when_nothing_is_left_to_control() -> None:
    position = game("dots:1x3").start().play_line("aA bA cA aB bB cB Aa Ab")
    assert choices(position, "hard") == {"Ac"}


def test_hard_opens_a_pair_in_the_middle() -> None:
    position = game("dots:1x2").start().play_line("aA bA aB bB")
    assert choices(position, "hard") == {"Ab"}
    assert choices(position, "medium") == {"Ab", "Ac"}  # of a list, KSquares never draws the last


def test_hard_does_not_see_pairs_between_joints() -> None:
    """KSquares looks for the middle by lines whose boxes are all ready; a pair that ends in joints has none."""
    position = game("dots:3x4").position("----/|.......|/..-./|.|.|...|/..../|...|...|/---- 0-0 A")
    assert choices(position, "hard") == choices(position, "medium") == {"Ad", "Ac"}  # its middle, and an end


def test_medium_gives_away_least() -> None:
    """In random positions where something must be given away, no line gives away less than Medium's."""
    chance, tried = random.Random(2), 0
    while tried < 100:
        position = game("dots:3x4").start()
        while not position.is_over:
            geometry, state = position.game.geometry, position.state.copy()
            legal = position.legal_actions()
            takes = any(position.play_action(line).margin != position.margin for line in legal)
            given = {line: damage(geometry, state, line) for line in legal}
            if not takes and min(given.values()) > 0:
                tried += 1
                assert given[LevelPlayer("medium", seed=tried).choose(position)] == min(given.values())
            position = position.play_action(chance.choice(legal))


def win_rate(first: int, second: int, games: int) -> float:
    """The share of games that ``first`` wins, each side beginning half of them."""
    board, generator, wins = game("dots:5x5"), np.array([first * 10 + second], np.int64), 0
    for number in range(games):
        state = board.start().state.copy()
        if number % 2 == 0:
            wins += play_out(board.geometry, state, first, second, generator) > 0
        else:
            wins += play_out(board.geometry, state, second, first, generator) < 0
    return 100 * wins / games


def test_each_level_beats_the_one_below() -> None:
    assert win_rate(MEDIUM, EASY, 1000) > 86
    assert win_rate(HARD, MEDIUM, 1000) > 88


@pytest.mark.parametrize(("pair", "expected"), TABLE_2.items())
def test_levels_play_as_in_the_thesis(pair: tuple[int, int], expected: float) -> None:
    """Within 1.5 points, and twice the spread of 3,000 games."""
    spread = 100 * (expected / 100 * (1 - expected / 100) / 3000) ** 0.5
    assert win_rate(*pair, 3000) == pytest.approx(expected, abs=1.5 + 2 * spread)
