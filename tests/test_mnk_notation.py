"""Names of games, moves and positions of the m,n,k games: what is written, what is read, and what is refused."""

from __future__ import annotations

import itertools
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketzero.errors import BadPosition, IllegalMove, PocketZeroError, UnknownName
from pocketzero.games import Game, Outcome, game
from pocketzero.games.mnk import FAMILY, GOMOKU, rules


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("mnk:5x5x4", "mnk:5x5x4"),
        ("mnk:5x5x4/freestyle", "mnk:5x5x4"),
        ("mnk:05X5x4", "mnk:5x5x4"),
        ("mnk:15x15x5/standard", "mnk:15x15x5/standard"),
        ("gomoku:15", "mnk:15x15x5"),
        ("gomoku:19/standard", "mnk:19x19x5/standard"),
        ("gomoku:9/Freestyle", "mnk:9x9x5"),
    ],
)
def test_every_text_leads_to_one_game(text: str, name: str) -> None:
    assert game(text).name == name
    assert game(text) is game(name)


def test_examples_work() -> None:
    for family in (FAMILY, GOMOKU):
        for example in family.examples:
            assert game(example).start().outcome is Outcome.ONGOING


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mnk:", "mnk:5x5x4"),
        ("mnk:5x5", "how many in a row win"),
        ("mnk:5x5x4x3", "is not a board"),
        ("mnk:30x30x5", "1 to 25"),
        ("mnk:0x3x1", "1 to 25"),
        ("mnk:5x5x6", "K is 1 to 5"),
        ("mnk:5x5x0", "K is 1 to 5"),
        ("mnk:5x5x4/renju", "freestyle and standard"),
        ("mnk:5x5x4/standart", "Did you mean 'standard'"),
        ("mnk:5x5x4/", "freestyle and standard"),
        ("gomoku:", "gomoku:15"),
        ("gomoku:4", "5 to 25"),
        ("gomoku:26", "5 to 25"),
        ("gomoku:15/renju", "freestyle and standard"),
        ("gomoku:15x15", "gomoku:SIZE"),
        ("gomoku:fifteen", "is not a board"),
        ("mnk:5x5x" + "9" * 5000, "is not a board"),
    ],
)
def test_wrong_names_are_explained(text: str, words: str) -> None:
    with pytest.raises(UnknownName, match=words):
        game(text)


def test_moves_are_columns_from_the_left_and_rows_from_the_bottom() -> None:
    position = game("gomoku:15").start()
    assert position.write(0) == "a15"
    assert position.write(14) == "o15"
    assert position.write(7 * 15 + 7) == "h8"
    assert position.play("H8") == position.play(" h8 ") == position.play_action(112)
    wide = game("mnk:25x2x2").start()
    assert wide.legal_moves()[:3] == ["a2", "b2", "c2"]
    assert [wide.write(action) for action in (8, 9, 24, 49)] == ["i2", "j2", "y2", "y1"]


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ("f1", "no column f; columns are a to e"),
        ("a6", "no row 6; rows are 1 to 5"),
        ("a0", "no row 0"),
        ("z1", "no column z"),
        ("11", "from a1 to e5"),
        ("", "from a1 to e5"),
        ("b2c3", "from a1 to e5"),
        ("a1", "taken; there is a stone of x"),
        ("B1", "taken; there is a stone of o"),
    ],
)
def test_wrong_moves_are_explained(move: str, words: str) -> None:
    with pytest.raises(IllegalMove, match=words):
        game("mnk:5x5x4").start().play_line("a1 b1").play(move)


def test_no_move_after_the_end() -> None:
    won = game("mnk:3x3x3").start().play_line("a1 a2 b1 b2 c1")
    for move in ("c3", "a1"):
        with pytest.raises(IllegalMove, match="the game is over"):
            won.play(move)


def test_positions_are_written_in_one_line() -> None:
    start = game("mnk:5x5x4").start()
    assert start.text == "5/5/5/5/5 x"
    assert start.play_line("b4 c3").text == "5/1x3/2o2/5/5 x"
    assert game("gomoku:15").start().play("a15").text.startswith("x14/15/")


@pytest.mark.parametrize(
    "name", ["mnk:3x3x3", "mnk:7x3x3", "mnk:5x5x4/standard", "mnk:8x8x3", "mnk:15x15x5", "mnk:1x1x1"]
)
def test_written_positions_are_read_as_the_same_state(name: str) -> None:
    chance = random.Random(3)
    for _ in range(8):
        position = game(name).start()
        while True:
            again = game(name).position(position.text)
            expected = position.state.copy()
            expected[rules.LAST] = -1
            assert again.state.tolist() == expected.tolist()
            assert again == position
            if position.is_over:
                break
            position = position.play_action(chance.choice(position.legal_actions()))


def reachable_positions(played: Game) -> dict[str, Outcome]:
    """All positions that games lead to."""
    found: dict[str, Outcome] = {}
    waiting = [played.start()]
    while waiting:
        position = waiting.pop()
        if position.text not in found:
            found[position.text] = position.outcome
            waiting += [position.play_action(action) for action in position.legal_actions()]
    return found


def readable_positions(played: Game, columns: int) -> dict[str, Outcome]:
    """All texts that are accepted, of every way to fill the board."""
    found: dict[str, Outcome] = {}
    for filled in itertools.product("xo.", repeat=played.action_count):
        rows = ["".join(filled[at : at + columns]) for at in range(0, len(filled), columns)]
        board = re.sub(r"\.+", lambda run: str(len(run[0])), "/".join(rows))
        for player in "xo":
            try:
                found[f"{board} {player}"] = played.position(f"{board} {player}").outcome
            except BadPosition:
                continue
    return found


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("mnk:3x3x3", 5478),
        ("mnk:3x3x2/standard", 1468),
        ("mnk:4x2x2/standard", 655),
        ("mnk:4x2x3", 2045),
        ("mnk:9x1x3", 5585),
        ("mnk:9x1x3/standard", 5621),
        ("mnk:2x2x1/standard", 5),
    ],
)
def test_a_position_is_accepted_if_and_only_if_a_game_can_reach_it(name: str, count: int) -> None:
    reachable = reachable_positions(game(name))
    assert len(reachable) == count
    assert readable_positions(game(name), int(name[4])) == reachable


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected a board and who is to move"),
        ("5/5/5/5/5", "expected a board and who is to move"),
        ("5/5/5/5/5 x x", "expected a board and who is to move"),
        ("5/5/5/5/5 w", "must be x or o, not 'w'"),
        ("5/5/5/5 x", "has 5 rows with / between them; here are 4"),
        ("5/5/4/5/5 x", "Row 3 from the top, '4', has 4 cells; expected 5"),
        ("5/5/xo4/5/5 x", "Row 3 from the top, 'xo4', has 6 cells; expected 5"),
        ("5/5/5/1z3/5 x", "Row 4 from the top, sign 2: expected x, o or a number of empty cells, found 'z'"),
        ("5/5/5/6/5 x", "Row 4 from the top, sign 1: expected 1 to 5 empty cells, found '6'"),
        ("5/5/0xo3/5/5 x", "expected 1 to 5 empty cells, found '0'"),
        ("5/5/5/5/²3 x", "found '²'"),
        ("5/5/5/5/" + "7" * 6000 + " x", "expected 1 to 5 empty cells"),
        ("5/x4/5/5/5 x", "as many stones of x as of o; here are 1 of x and 0 of o"),
        ("5/5/5/5/5 o", "one stone of x more than of o; here are 0 of x and 0 of o"),
        ("xxxx1/oooo1/5/5/5 x", "Both sides have a row that wins"),
        ("xxxx1/o1oo1/4o/5/5 x", "x is to move but has a row that wins"),
        ("xxxx1/5/1oo2/xxxx1/ooooo o", "Both sides have a row that wins"),
        ("xxxx1/oo1oo/xxxx1/oo3/o4 o", "x has rows that win which no single last stone made"),
    ],
)
def test_positions_that_cannot_be_are_explained(text: str, words: str) -> None:
    with pytest.raises(BadPosition, match=words):
        game("mnk:5x5x4").position(text)


def test_two_rows_may_be_won_by_one_stone() -> None:
    won = game("mnk:5x5x3").position("x1o2/1x1o1/oox2/3x1/4x o")
    assert won.outcome is Outcome.FIRST
    assert game("mnk:5x5x3").position("xxxo1/x1o2/x3o/5/o4 o").outcome is Outcome.FIRST


def test_a_long_row_must_have_grown_together() -> None:
    freestyle, standard = game("mnk:9x3x3"), game("mnk:9x3x3/standard")
    five, six, seven = "xxxxx4/oo1oo4/9 o", "xxxxxx3/oo1o1o1o1/9 o", "xxxxxxx2/oo1o1oo2/5o3 o"
    assert freestyle.position(five).outcome is Outcome.FIRST
    assert standard.position(five).outcome is Outcome.ONGOING
    with pytest.raises(BadPosition, match="no single last stone"):
        freestyle.position(six)
    assert standard.position(six).outcome is Outcome.ONGOING
    assert standard.position(seven).outcome is Outcome.ONGOING


def test_a_full_board_is_drawn_or_won() -> None:
    assert game("mnk:3x3x3").position("xxo/oox/xxo o").outcome is Outcome.DRAW
    assert game("mnk:3x3x3").position("xoo/oxx/xox o").outcome is Outcome.FIRST


MANGLED = st.one_of(
    st.text(),
    st.text("abcexyo0123456789/ "),
    st.tuples(st.sampled_from(["5/1x3/2o2/5/5 x", "x4/5/5/5/5 o", "h8"]), st.integers(0, 20), st.text(max_size=3)).map(
        lambda parts: parts[0][: parts[1]] + parts[2] + parts[0][parts[1] + len(parts[2]) // 2 :]
    ),
)


@given(MANGLED)
def test_any_text_for_a_move_gives_a_move_or_a_clear_error(text: str) -> None:
    try:
        assert game("mnk:5x5x4").start().play(text).ply == 1
    except PocketZeroError as error:
        assert str(error)


@given(MANGLED)
def test_any_text_for_a_position_gives_a_position_or_a_clear_error(text: str) -> None:
    played = game("mnk:5x5x4")
    try:
        position = played.position(text)
    except PocketZeroError as error:
        assert str(error)
    else:
        assert played.position(position.text).text == position.text


@given(st.one_of(st.text(), st.text("0123456789xX/ standrfey", max_size=24)))
def test_any_text_for_a_board_gives_a_game_or_a_clear_error(text: str) -> None:
    for family in (FAMILY, GOMOKU):
        try:
            assert family.make(text).action_count <= 625
        except PocketZeroError as error:
            assert str(error)
