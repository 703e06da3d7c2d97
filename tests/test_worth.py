"""What margins are worth."""

from __future__ import annotations

import numpy as np
import pytest

from pocketzero.games.worth import margin_worth, worth, worth_in_kernels


@pytest.mark.parametrize("largest", [4, 9, 25, 48, 100, 400])
def test_worth_grows_from_minus_one_to_one_and_can_be_turned_back(largest: int) -> None:
    margins = np.arange(-largest, largest + 1)
    found = worth(margins, largest)
    assert [found[0], found[largest], found[-1]] == pytest.approx([-1, 0, 1])
    assert (np.diff(found) > 0).all()
    assert margin_worth(found, largest) == pytest.approx(margins)
    assert [worth_in_kernels(margin, largest) for margin in margins] == pytest.approx(found.tolist())


def test_a_box_counts_for_more_than_its_share_while_the_game_is_open() -> None:
    assert worth(2, 9) == pytest.approx(0.327, abs=1e-3)
    for largest in (9, 25, 100, 400):
        assert worth(2, largest) > 2 / largest
        assert worth(largest, largest) - worth(largest - 2, largest) < 2 / largest
    assert worth(2, 100) == pytest.approx(0.0726, abs=1e-3)
    assert margin_worth(1.1, 100) == pytest.approx(110)  # a net may say more than the largest
