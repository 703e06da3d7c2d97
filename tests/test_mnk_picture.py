"""Pictures of the m,n,k games show the stones, the coordinates, the last stone and the row that wins."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from pocketzero.games import game
from pocketzero.games.mnk.picture import winning_rows

SVG = "{http://www.w3.org/2000/svg}"


def shapes(svg: str, tag: str, kind: str) -> list[ElementTree.Element]:
    return [each for each in ElementTree.fromstring(svg).iter(SVG + tag) if each.get("class") == kind]


def test_the_text_board_marks_the_last_stone() -> None:
    assert str(game("mnk:3x3x3").start().play_line("b2 a1")) == (
        " 3  . . .\n 2  . x .\n 1 [o]. .\n    a b c\nx to move"
    )  # fmt: skip


def test_the_text_board_shows_the_winning_row_in_capitals() -> None:
    won = game("mnk:3x3x3").start().play_line("a1 a2 b1 b2 c1")
    assert str(won) == " 3  . . .\n 2  o o .\n 1  X X[X]\n    a b c\nx wins with 3 in a row"


def test_a_position_from_a_text_has_no_last_stone() -> None:
    position = game("mnk:3x3x3").position("3/1x1/3 o")
    assert str(position) == " 3  . . .\n 2  . x .\n 1  . . .\n    a b c\no to move"
    assert shapes(position._repr_svg_(), "circle", "mark") == []


def test_a_draw_is_named() -> None:
    assert str(game("mnk:3x3x3").position("xxo/oox/xxo o")).endswith("draw: the board is full")


@pytest.mark.parametrize("name", ["mnk:1x1x1", "mnk:3x3x3", "mnk:7x3x3", "mnk:15x15x5", "mnk:25x25x5", "mnk:25x1x5"])
def test_every_board_is_drawn_with_its_coordinates(name: str) -> None:
    svg = game(name).start()._repr_svg_()
    columns, rows = (int(number) for number in name.removeprefix("mnk:").split("x")[:2])
    words = [each.text for each in shapes(svg, "text", "faint")]
    assert words == ["abcdefghijklmnopqrstuvwxy"[column] for column in range(columns)] + [
        str(row) for row in range(rows, 0, -1)
    ]


def test_large_boards_have_black_and_white_stones_and_star_points() -> None:
    svg = game("gomoku:15").start().play_line("h8 i9 g10")._repr_svg_()
    assert len(shapes(svg, "circle", "black")) == 2
    assert len(shapes(svg, "circle", "white")) == 1
    assert len(shapes(svg, "circle", "wood-line")) == 9
    assert len(shapes(svg, "circle", "mark")) == 1
    assert "x" not in [each.text for each in shapes(svg, "text", "faint")]


def test_the_dot_is_on_the_last_stone() -> None:
    svg = game("gomoku:15").start().play_line("h8 i9")._repr_svg_()
    (white,), (dot,) = shapes(svg, "circle", "white"), shapes(svg, "circle", "mark")
    assert (white.get("cx"), white.get("cy")) == (dot.get("cx"), dot.get("cy"))


def test_the_winning_stones_have_rings() -> None:
    won = game("gomoku:15").start().play_line("h8 h1 i8 i1 j8 j1 k8 k1 l8")
    assert len(shapes(won._repr_svg_(), "circle", "last")) == 5
    assert "x wins with 5 in a row, last l8" in won._repr_svg_()


def test_small_boards_have_crosses_noughts_and_tinted_winning_cells() -> None:
    svg = game("mnk:3x3x3").start().play_line("a1 a2 b1 b2 c1")._repr_svg_()
    assert len(shapes(svg, "polygon", "first")) == 3
    assert len(shapes(svg, "path", "second")) == 2
    assert len(shapes(svg, "rect", "first-soft")) == 3


def test_every_row_that_the_last_stone_made_is_found() -> None:
    won = game("mnk:5x5x3").position("xxxo1/x1o2/x3o/5/o4 o")
    assert winning_rows(won) == [[0, 1, 2], [0, 5, 10]]
    assert winning_rows(game("mnk:5x5x3").start()) == []
    assert winning_rows(game("mnk:1x1x1").start().play("a1")) == [[0]]
