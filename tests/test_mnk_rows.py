"""The planes of the rows that can still be made, against a slow count in plain Python."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pocketzero.games import Position, game


def owners(position: Position) -> dict[tuple[int, int], int]:
    """Who has a stone where, told from the moves."""
    columns = int(position.game.geometry[0])
    return {divmod(action, columns): turn % 2 for turn, action in enumerate(position.actions)}


def rows_by_hand(position: Position) -> np.ndarray:
    """For the mover and the opponent, for each number of stones a row lacks: half a point a row on its empty cells."""
    columns, rows, k, exactly = (int(number) for number in position.game.geometry[:4])
    stones = owners(position)
    out = np.zeros((2, 3, rows, columns), np.float32)
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = [(row + step * down, column + step * right) for step in range(-1, k + 1)]
                inside = line[1:-1]
                if not all(0 <= r < rows and 0 <= c < columns for r, c in inside):
                    continue
                for side in range(2):
                    player = (len(position.actions) + side) % 2
                    held = [stones.get(cell) for cell in inside]
                    lacking = held.count(None)
                    too_long = exactly and player in (stones.get(line[0]), stones.get(line[-1]))
                    if 1 - player in held or not 1 <= lacking <= 3 or too_long:
                        continue
                    for cell, owner in zip(inside, held):
                        if owner is None:
                            out[(side, lacking - 1, *cell)] += 0.5
    return out


@pytest.mark.parametrize("name", ["mnk:3x3x3", "mnk:5x5x4", "mnk:6x4x4/standard", "mnk:9x9x5", "mnk:8x9x5/standard"])
def test_rows_are_those_that_can_be_counted(name: str) -> None:
    board, chance = game(name, "rows"), random.Random(3)
    marked = 0.0
    for _ in range(6):
        position = board.start()
        while not position.is_over:
            planes = position.planes()
            found = planes[2:].reshape(2, 3, *planes.shape[1:])
            expected = rows_by_hand(position)
            np.testing.assert_array_equal(found, expected)
            marked += expected[:, 0].sum()
            wins = {a for a in position.legal_actions() if position.play_action(a).outcome is not position.outcome}
            if len(position.actions) + 1 < board.max_length:  # the last stone ends the game in any case
                assert set(np.flatnonzero(found[0, 0].ravel()).tolist()) == wins
            position = position.play_action(chance.choice(position.legal_actions()))
    assert marked > 10
