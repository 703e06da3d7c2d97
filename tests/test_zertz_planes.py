"""What a net sees of a Zertz position, on the axial grid of its board."""

from __future__ import annotations

import numpy as np
import pytest

from pocketzero.games import game
from pocketzero.games.zertz import encode
from pocketzero.games.zertz.layout import BOARDS, Layout

LAYOUT = Layout(BOARDS[37])
OPENING = "Gd3,d7 Wd5,d1 Bf3,a4 Bf4,g1"
CHAIN = f"{OPENING} xf4Bf2 Wc2,b1 xc2Ge3 xf2Wd4"


def shown(plane: np.ndarray) -> set[str]:
    """The names of the rings at which a plane is not 0."""
    cells = plane.ravel()
    assert np.count_nonzero(cells) == sum(cells[cell] != 0 for cell in LAYOUT.cells)
    return {name for name, cell in zip(LAYOUT.names, LAYOUT.cells) if cells[cell]}


def number(plane: np.ndarray) -> float:
    """The number that stands everywhere on the board."""
    values = set(plane.ravel()[list(LAYOUT.cells)].tolist())
    assert len(values) == 1
    return values.pop()


@pytest.mark.parametrize(("rings", "side"), [(19, 5), (37, 7), (48, 8), (61, 9)])
def test_the_board_lies_on_a_small_grid(rings: int, side: int) -> None:
    layout = Layout(BOARDS[rings])
    assert (layout.height, layout.width) == (side, side)
    assert len(set(layout.cells)) == rings == layout.mask.sum()


def test_neighbours_lie_around_a_ring() -> None:
    assert [LAYOUT.names[ring] for ring in LAYOUT.neighbours[LAYOUT.ring_named["d4"]]] == [
        "d5",
        "e4",
        "e3",
        "d3",
        "c3",
        "c4",
    ]
    assert [ring for ring in LAYOUT.neighbours[LAYOUT.ring_named["a1"]] if ring < 0] == [-1, -1, -1]


def test_board_planes_show_rings_marbles_and_what_may_be_done() -> None:
    start = game("zertz:37").start()
    removing = start.play("Wd4").planes()
    assert shown(removing[0]) == set(LAYOUT.names)
    assert shown(removing[1]) == {"d4"}
    assert "d1" in shown(removing[encode.FREE])
    assert number(removing[encode.REMOVING]) == 1
    captures = start.play_line(OPENING).planes()
    assert shown(captures[3]) == {"f3", "f4"}
    assert shown(captures[encode.JUMPERS]) == {"f3", "f4"}
    assert shown(captures[0]) == set(LAYOUT.names) - {"d7", "d1", "a4", "g1"}
    chain = start.play_line(CHAIN).planes()
    assert shown(chain[encode.CHAIN_MARBLE]) == shown(chain[encode.JUMPERS]) == {"d4"}


def test_board_planes_are_seen_from_the_movers_side() -> None:
    chain = game("zertz:37").start().play_line(CHAIN)
    assert chain.to_move == 1
    mine = [number(plane) for plane in chain.planes()[encode.HELD : encode.HELD + encode.PER_PLAYER]]
    theirs = [number(plane) for plane in chain.planes()[encode.HELD + encode.PER_PLAYER :]]
    assert mine == pytest.approx([0.1, 0, 0, 1 / 3, 1 / 5, 1 / 6, 0.5, 0.75, 0.75, 1 / 8])
    assert theirs == pytest.approx([0, 0.1, 0.1, 1 / 4, 1 / 4, 1 / 5, 0.75, 0.5, 0.5, 1 / 7])
    pool = [number(plane) for plane in chain.planes()[encode.IN_POOL : encode.HELD]]
    assert pool == pytest.approx([0.4, 0.7, 0.8])


def test_goals_are_seen() -> None:
    standard, blitz = (game(name).start().planes() for name in ("zertz:37", "zertz:37/blitz"))
    assert number(standard[encode.HELD + 3]) == 0.25
    assert number(blitz[encode.HELD + 3]) == pytest.approx(1 / 3)


def test_deepzertz_planes_are_those_of_the_paper() -> None:
    chain = game("zertz:37", "deepzertz").start().play_line(CHAIN)
    planes = chain.planes()
    assert planes.shape == (31, 7, 7)
    assert shown(planes[3]) == {"d4"}  # black, now
    assert shown(planes[7]) == {"f2"}  # and before the jump
    assert shown(planes[5]) == {"d5", "e3"}  # white, before the jump
    assert shown(planes[20]) == {"d4"}  # the marble of the chain
    assert [number(plane) for plane in planes[21:31]] == [4, 7, 8, 0, 1, 1, 1, 0, 0, 1]


def test_deepzertz_planes_are_empty_before_the_beginning() -> None:
    planes = game("zertz:37", "deepzertz").start().play("Wd4,d1").planes()
    assert shown(planes[4]) == set(LAYOUT.names)
    assert not planes[5:20].any()
    assert number(planes[30]) == 1


def test_only_the_papers_planes_look_back() -> None:
    encodings = game("zertz:37").encodings
    assert {name: encoding.reads_history for name, encoding in encodings.items()} == {"board": False, "deepzertz": True}
