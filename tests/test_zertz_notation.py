"""People write Zertz in two notations, and positions in one line; what is wrong is named."""

from __future__ import annotations

import random

import pytest

from pocketzero.errors import BadPosition, IllegalMove, UnknownName
from pocketzero.games import game
from pocketzero.games.base import Outcome
from pocketzero.games.check import check_game

OPENING = "Gd3,d7 Wd5,d1 Bf3,a4 Bf4,g1"  # a capture is compulsory now: xf4Bf2
CHAIN = f"{OPENING} xf4Bf2 Wc2,b1 xc2Ge3"  # xf2Wd4Wd6 comes next


# Names


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("37", "zertz:37"),
        ("4-5-6-7-6-5-4", "zertz:37"),
        ("37/standard/split", "zertz:37"),
        ("37/joint/blitz", "zertz:37/blitz/joint"),
        ("19/deepzertz/joint", "zertz:19/deepzertz/joint"),
        ("19/pool=10-10-10/goal=2-2-2-1", "zertz:19/deepzertz"),
        ("37/goal=1-2-3-4/pool=1-1-1", "zertz:37/pool=1-1-1/goal=1-2-3-4"),
        ("37/goal=4-5-6-3/pool=6-8-10", "zertz:37"),
        ("37/pool=5-7-9", "zertz:37/pool=5-7-9"),
        ("37/pool=6-8-10/blitz", "zertz:37/goal=3-4-5-2"),
        ("3-4-3", "zertz:3-4-3"),
    ],
)
def test_a_game_has_one_name(written: str, name: str) -> None:
    assert game(f"zertz:{written}").name == name
    assert game(name).name == name


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("38", "19, 37, 48, 61"),
        ("", "no Zertz board"),
        ("x", "zertz:RINGS"),
        ("4-4", "differ by one"),
        ("7", "no Zertz board of 7 rings"),
        ("9-8-9-8-9-8-9-8", "at most 63 rings"),
        ("0-1", "at least one ring"),
        ("37/blitzz", "Did you mean 'blitz'"),
        ("37/pool=0-0-0", "at least one"),
        ("37/pool=1-2", "pool=6-8-10"),
        ("37/pool=100-1-1", "at most 99"),
        ("37/goal=0-1-1-1", "from 1 to 99"),
        ("37/goal=1-1-1", "goal=4-5-6-3"),
        ("37/blitz/deepzertz", "more than once"),
        ("37/joint/joint", "more than once"),
        ("37/", "no option ''"),
    ],
)
def test_wrong_names_say_what_exists(written: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        game(f"zertz:{written}")


def test_a_board_of_63_rings_is_played_to_the_end() -> None:
    large = game("zertz:5-6-7-8-9-8-7-6-7")
    assert large.start().legal_moves()[-1] == "Bi7"
    assert check_game(large, games=3).games == 3


# Moves


def test_whole_turns_and_single_steps_lead_to_the_same_position() -> None:
    start = game("zertz:37").start()
    assert start.play("Wd4,d1") == start.play("Wd4").play("-d1") == start.play("wD4").play(",D1")
    assert start.play("PUT w D4 D1") == start.play("put W d4").play("-d1") == start.play("Wd4,d1")
    assert start.play("Wd4,d1").line == ["Wd4,d1"]
    assert start.play("Wd4").line == ["Wd4"]


def test_chains_are_read_whole_or_jump_by_jump() -> None:
    before = game("zertz:37").start().play_line(CHAIN)
    whole = before.play("xf2Wd4Wd6")
    assert before.play("xf2Wd4").play("xd4Wd6") == whole
    assert before.play("CAP b F2 w D4").play("CAP b D4 w D6") == whole
    assert whole.line[-1] == "xf2Wd4Wd6"
    assert before.play("xf2Wd4").line[-1] == "xf2Wd4"


def test_joint_form_reads_and_writes_whole_placements() -> None:
    start = game("zertz:37/joint").start()
    assert start.play("Wd4,d1").ply == 1
    assert start.play("PUT w D4 D1").line == ["Wd4,d1"]
    assert "Wd4,d1" in start.legal_moves()
    with pytest.raises(IllegalMove, match="A ring must be removed too"):
        start.play("Wd4")
    with pytest.raises(IllegalMove, match="only after a marble"):
        start.play("-d4")


def test_isolation_claims_are_checked() -> None:
    before = game("zertz:37").start().play_line(f"{CHAIN} xf2Wd4Wd6 Wd4,c1 Gc6,c2 xc6Be5 Gd6,b2 xd6Gf4")
    after = before.play("Wa1,a2xWa1")
    assert after == before.play("Wa1,a2")
    assert after.line[-1] == "Wa1,a2xWa1"
    with pytest.raises(IllegalMove, match="should be xWa1"):
        before.play("Wa1,a2xGa1")
    with pytest.raises(IllegalMove, match="isolates nothing"):
        before.play("Wa1,a3xWa1")


def test_the_letter_j_is_the_last_of_nine_columns() -> None:
    start = game("zertz:61").start()
    assert start.play("Wj5,j1") == start.play("Wi5,i1")
    with pytest.raises(IllegalMove, match="no ring j5"):
        game("zertz:48").start().play("Wj5")


@pytest.mark.parametrize(
    ("line", "move", "message"),
    [
        ("", "Wz9", "no ring z9"),
        ("", "Wd8", "no ring d8"),
        ("", "Wd4,d4", "a marble lies on it"),
        ("", "Wd4,d3", "not free: two positions in a row"),
        ("", "-d1", "only after a marble"),
        ("", "xd1Gd3", "no marble on d1"),
        ("", "hello", "not a move of Zertz"),
        ("", "", "not a move of Zertz"),
        ("Wd4,d1", "Wd4", "occupied by a white marble"),
        ("Wd4,d1", "Wd1", "no longer on the board"),
        ("Wd4,d1", "Wd5,d1", "no longer on the board"),
        ("Wd4", "Wd5", "ring must be removed now"),
        ("Wd4", "xd4Wd6", "ring must be removed now"),
        (OPENING, "Wa1,a2", "capture is compulsory: .*xf4Bf2"),
        (OPENING, "xf4Wf2", "is black, not white"),
        (OPENING, "xf4Bf1", "not two steps straight"),
        (OPENING, "xd3Gd5", "no marble on d4 to jump over"),
        (OPENING, "xf4Bf2Wf1", "chain ends on f2"),
        (OPENING, "CAP w F4 b F2", "no white marble on F4"),
        (f"{CHAIN} xf2Wd4", "xd5Bd3", "must jump on: xd4Wd6"),
    ],
)
def test_wrong_moves_are_explained(line: str, move: str, message: str) -> None:
    position = game("zertz:37").start().play_line(line)
    with pytest.raises(IllegalMove, match=message):
        position.play(move)


def test_a_colour_that_is_gone_cannot_be_put() -> None:
    position = game("zertz:37/pool=1-1-1").start().play_line("Wa1,d1")
    with pytest.raises(IllegalMove, match="no white marble in the pool; there is grey and black"):
        position.play("Wd4")
    own = game("zertz:37").position("__GG/__B._/__G.G_/___B___/_B.B__/_B.__/__BB 0-0-0 3-2-1/3-2-2 2 -")
    with pytest.raises(IllegalMove, match="No ring is free now"):
        own.play("Wc4,c4")


def test_a_wrong_move_of_a_line_is_numbered() -> None:
    with pytest.raises(IllegalMove, match="Move 2: 'Wd4'"):
        game("zertz:37").start().play_line("Wd4,d1 Wd4")


def test_a_chain_may_be_written_past_the_jump_that_wins() -> None:
    quick = game("zertz:37/goal=1-9-9-9")
    before = quick.start().play_line(f"{OPENING} xf4Bf2 Wc2,b1 xc2Ge3")
    final = before.play("xf2Wd4Wd6")
    assert final.outcome is Outcome.SECOND
    assert final.line[-1] == "xf2Wd4"
    with pytest.raises(IllegalMove, match="not two steps straight"):
        before.play("xf2Wd4Wa1")


@pytest.mark.parametrize(
    "name", ["zertz:37", "zertz:19/deepzertz", "zertz:61", "zertz:19/joint", "zertz:37/blitz/joint"]
)
def test_written_lines_are_read_as_the_same_game(name: str) -> None:
    chance = random.Random(11)
    for _ in range(6):
        position = game(name).start()
        while not position.is_over:
            position = position.play_action(chance.choice(position.legal_actions()))
        again = game(name).start().play_line(position.line)
        assert again.actions == position.actions
        assert again.text == position.text


# Positions

START = "..../...../....../......./....../...../.... 6-8-10 0-0-0/0-0-0 1 -"
QUIET = "..../...../....../_..W.../....../...../.... 5-8-10 0-0-0/0-0-0 2 -"


def test_positions_are_written_like_this() -> None:
    start = game("zertz:37").start()
    assert start.text == START
    assert start.play("Wd4,d1").text == QUIET
    assert start.play("Wd4").text == "..../...../....../...W.../....../...../.... 5-8-10 0-0-0/0-0-0 1 remove:d4"
    chain = start.play_line(f"{CHAIN} xf2Wd4")
    assert chain.text.endswith(" 2 chain:d4")
    assert game("zertz:37").position(chain.text).legal_moves() == ["xd4Wd6"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "five fields"),
        (START + " x", "five fields"),
        (START.replace("..../", ".../", 1), "columns of 4-5-6-7-6-5-4"),
        (START.replace("....", "...x", 1), "'x' on a4"),
        (START.replace("6-8-10", "6-8"), "pool are written like"),
        (START.replace("0-0-0/0-0-0", "0-0-0"), "captures are written like"),
        (START.replace(" 1 -", " 3 -"), "1 or 2"),
        (START.replace("6-8-10", "6-8-9"), "has 10 black marbles"),
        (
            START.replace("6-8-10 0-0-0/0-0-0", "2-8-10 4-0-0/0-0-0").replace(" 1 -", " 1 remove:d4"),
            "holds a winning set",
        ),
        (START.replace("6-8-10 0-0-0/0-0-0", "0-3-10 4-0-0/2-5-0"), "Both players"),
        (START.replace(" 1 -", " 1 remove:d4"), "no marble"),
        (START.replace(" 1 -", " 1 chain:d4"), "no marble"),
        (START.replace(" 1 -", " 1 1-wins"), "nothing in the position shows it"),
        (START.replace(" 1 -", " 1 dance"), "phase is one of"),
        (QUIET.replace(" 2 -", " 2 chain:d4"), "cannot jump on"),
        ("____/_____/______/_______/______/_____/____ 6-8-10 0-0-0/0-0-0 1 -", "No ring is left"),
        ("W___/_____/______/......./....../...../.... 5-8-10 0-0-0/0-0-0 1 -", "would have been claimed: a1"),
        ("..../...../....../...WGB./....../...../.... 5-7-9 0-0-0/0-0-0 1 remove:d4", "capture was compulsory"),
        ("W.W./...../....../.WW..../....../...../.... 2-8-10 0-0-0/0-0-0 1 chain:d2", "captured nothing"),
    ],
)
def test_positions_that_cannot_be_are_explained(text: str, message: str) -> None:
    with pytest.raises(BadPosition, match=message):
        game("zertz:37").position(text)


def test_a_position_with_a_winning_set_is_over() -> None:
    final = game("zertz:37").position(START.replace("6-8-10 0-0-0/0-0-0", "2-8-10 0-0-0/4-0-0"))
    assert final.outcome is Outcome.SECOND
    assert final.text.endswith(" 2-wins")
    assert game("zertz:37").position(final.text).text == final.text


def test_a_filled_board_says_who_has_won() -> None:
    text = "____/_____/______/_______/______/_____/____ 0-3-10 3-2-0/3-3-0 1 2-wins"
    assert game("zertz:37").position(text).outcome is Outcome.SECOND


# Pictures


def test_the_board_is_drawn_with_letters() -> None:
    drawn = str(game("zertz:19").start().play("Wc3,c1").play("Ga1"))
    assert drawn.splitlines() == [
        "          5",
        "      4       4",
        "  3       +       3",
        "      +       +",
        "  +       o       +",
        "      o       o",
        "  +       W       +",
        "      o       o",
        "  G       o       +",
        "      +       +",
        "  a               e",
        "      b       d",
        "          c",
        "",
        "pool    W  5  G  7  B 10",
        "first   W  0  G  0  B  0",
        "second  W  0  G  0  B  0",
        "second removes a ring",
    ]


def test_the_drawing_marks_what_must_be_done() -> None:
    position = game("zertz:37").start().play_line(OPENING)
    picture = position._repr_svg_()
    assert picture.startswith("<svg")
    assert 'class="free"' in picture  # the compulsory captures
    assert 'class="last"' in picture  # the last turn
    assert "first must capture" in picture
    assert str(position).splitlines()[-1].startswith("first must capture: ")


@pytest.mark.parametrize("name", ["zertz:19/deepzertz/joint", "zertz:48", "zertz:61", "zertz:2-3-2/pool=12-1-1"])
def test_every_position_of_a_game_can_be_drawn(name: str) -> None:
    chance = random.Random(2)
    position = game(name).start()
    while not position.is_over:
        assert position._repr_svg_().endswith("</svg>")
        assert str(position)
        position = position.play_action(chance.choice(position.legal_actions()))
    assert "has won" in str(position)
    assert position._repr_svg_().endswith("</svg>")
