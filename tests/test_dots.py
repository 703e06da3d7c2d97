"""Dots and Boxes: the rules against OpenSpiel and counted trees, notations, positions, pictures, records."""

from __future__ import annotations

import random
import re

import pyspiel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketzero.errors import BadPosition, BadRecord, IllegalMove, PocketZeroError, UnknownName
from pocketzero.games import Outcome, Position, check_game, game
from pocketzero.games.dots.notation import STYLES, DotsNotation
from pocketzero.games.records import read_record, write_record

BOARDS = ["1x1", "1x2", "2x1", "2x2", "2x3", "3x2", "3x3", "2x5", "4x3", "4x4", "5x5", "3x7", "7x6"]


def openspiel(board: str) -> pyspiel.Game:
    rows, columns = board.split("x")
    return pyspiel.load_game(f"dots_and_boxes(num_rows={rows},num_cols={columns})")


@pytest.mark.parametrize("board", BOARDS)
def test_lock_step_with_openspiel(board: str) -> None:
    """The same legal moves, player and result at every ply of 110 random games."""
    chance = random.Random(board)
    ours, theirs = game(f"dots:{board}"), openspiel(board)
    for _ in range(110):
        position, state = ours.start(), theirs.new_initial_state()
        while not state.is_terminal():
            assert position.legal_actions() == state.legal_actions()
            assert position.to_move == state.current_player()
            action = chance.choice(state.legal_actions())
            position = position.play(action)
            state.apply_action(action)
        assert position.is_over
        first, second = state.returns()
        expected = Outcome.DRAW if first == second else Outcome.FIRST if first > second else Outcome.SECOND
        assert position.outcome is expected


def perft(position: Position, depth: int) -> tuple[int, int]:
    """How many lines of play of this length there are, and in how many of them player 0 moves next."""
    if depth == 0:
        return 1, int(position.to_move == 0)
    counts = [perft(position.play_action(action), depth - 1) for action in position.legal_actions()]
    return sum(count for count, _ in counts), sum(first for _, first in counts)


def openspiel_perft(state: pyspiel.State, depth: int) -> tuple[int, int]:
    if depth == 0:
        return 1, int(not state.is_terminal() and state.current_player() == 0)
    counts = [openspiel_perft(state.child(action), depth - 1) for action in state.legal_actions()]
    return sum(count for count, _ in counts), sum(first for _, first in counts)


@pytest.mark.parametrize(
    ("board", "depth", "count", "first_moves"),
    [
        ("1x1", 3, 24, 0),
        ("1x2", 6, 5040, 720),
        ("2x2", 4, 11880, 11784),
        ("2x2", 5, 95040, 3840),
        ("3x3", 3, 12144, 0),
    ],
)
def test_counted_trees(board: str, depth: int, count: int, first_moves: int) -> None:
    assert perft(game(f"dots:{board}").start(), depth) == (count, first_moves)
    assert openspiel_perft(openspiel(board).new_initial_state(), depth) == (count, first_moves)


@pytest.mark.parametrize("board", [*BOARDS, "10x10", "1x20", "20x20", "2x3/sequence"])
def test_check(board: str) -> None:
    report = check_game(game(f"dots:{board}"), games=1 if board == "20x20" else 15)
    assert report.games > 0


def test_a_sequence_shows_every_picture_of_the_game_to_the_one_who_is_to_move() -> None:
    """The newest picture is last; others' boxes are darker or brighter for another player."""
    chance = random.Random(3)
    sequence, grey = game("dots:2x3/sequence", "sequence2018"), game("dots:2x3", "grey2018")
    for _ in range(5):
        position, pictures, movers = sequence.start(), [grey.start().planes()[0]], [0]
        while not position.is_over:
            shown = position.planes()
            assert not shown[: -len(pictures)].any()
            for image, picture, mover in zip(shown[-len(pictures) :], pictures, movers, strict=True):
                other = {round(65 / 255, 4): 150 / 255, round(150 / 255, 4): 65 / 255}
                seen = [other.get(round(float(p), 4), p) if mover != position.to_move else p for p in picture.flat]
                assert image.ravel().tolist() == pytest.approx(seen)
            position = position.play_action(chance.choice(position.legal_actions()))
            plain = grey.start().play_line(" ".join(position.line))
            pictures.append(plain.planes()[0])
            movers.append(plain.to_move)


def test_a_sequence_read_from_text_has_an_order() -> None:
    position = game("dots:2x2/sequence", "sequence2018").start().play_line("aA Aa aB Ab bC")
    shown = position.game.position(position.text).planes()
    assert (shown[-1] == position.planes()[-1]).all()
    assert [int((picture == 1).sum()) for picture in shown[-6:]] == [0, 1, 2, 3, 4, 5]


def test_a_box_gives_another_move() -> None:
    position = game("dots:1x2").start().play_line("aA Aa aB Ab")
    assert position.previous is not None
    assert position.previous.to_move == position.to_move == 1
    assert position.margin == -1
    assert "B to move again" in str(position)


def test_one_line_may_complete_two_boxes() -> None:
    position = game("dots:1x2").start().play_line("aA Aa aB bA bB Ac")
    assert position.margin == 0
    assert position.play("Ab").margin == 2


@pytest.mark.parametrize(
    ("text", "line"), [("aA", 0), ("eF", 29), ("Aa", 30), ("Ef", 59), ("h00", 0), ("v45", 59), ("12", 12), ("v0.1", 31)]
)
def test_line_names(text: str, line: int) -> None:
    assert game("dots:5x5").start().play(text).action == line


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 7), (9, 9), (10, 4), (20, 20)])
def test_every_notation_names_every_line_once(rows: int, columns: int) -> None:
    notation = DotsNotation(rows, columns)
    for style in STYLES:
        names = [notation.write_line_as(line, style) for line in range(notation.lines)]
        assert len(set(names)) == notation.lines
        read = notation.read_centre if style == "centres" else notation.read_line
        assert [read(name) for name in names] == list(range(notation.lines))


@pytest.mark.parametrize(
    "text", ["", "a", "aa", "fA", "aG", "h60", "v06", "60", "-1", "aAbB", "é", "h0", "99999999999"]
)
def test_what_is_not_a_line(text: str) -> None:
    with pytest.raises(IllegalMove, match="not a line of a 5x5 board"):
        game("dots:5x5").start().play(text)


def test_a_line_cannot_be_drawn_twice() -> None:
    with pytest.raises(IllegalMove, match=r"'aA' is not legal here\. Legal: bA, aB"):
        game("dots:2x2").start().play("aA").play("aA")
    with pytest.raises(IllegalMove, match="Move 3: 'aA' is not legal"):
        game("dots:2x2").start().play_line("aA bA aA")
    with pytest.raises(IllegalMove, match="the game is over"):
        game("dots:1x1").start().play_line("aA aB Aa Ab").play("aA")


def test_position_text() -> None:
    position = game("dots:2x2").start().play_line("aA Aa aB Ab")
    assert position.text == "-./|B|../-./...../.. 0-1 B"
    assert game("dots:2x2").position(position.text).legal_actions() == position.legal_actions()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expected a board, a score and the player"),
        ("-./|B|../-./...../.. 0-1 C", "player to move"),
        ("-./|B|../-. 0-1 B", "must have 5 rows"),
        ("-./|B|../-./..../.. 0-1 B", "Row 4 must be 5 signs"),
        ("x./|B|../-./...../.. 0-1 B", "Row 1 must be 2 signs"),
        ("-./|.|../-./...../.. 0-0 B", "row 1, column 1 has all four sides and needs an owner"),
        ("-./|B.../-./...../.. 0-1 B", "row 1, column 1 has open sides, but the owner B"),
        ("-./|B|../-./...../.. 1-0 B", "score must be that of the finished boxes, 0-1"),
    ],
)
def test_positions_that_cannot_be(text: str, message: str) -> None:
    with pytest.raises(BadPosition, match=message):
        game("dots:2x2").position(text)


@pytest.mark.parametrize(
    "name", ["dots:", "dots:5", "dots:0x3", "dots:21x3", "dots:5x5x5", "dots:-1x2", "dots:axb", "dots:3x3/orders"]
)
def test_boards_that_do_not_exist(name: str) -> None:
    with pytest.raises(UnknownName, match=r"dots:ROWSxCOLUMNS|1 to 20"):
        game(name)


def test_console_picture() -> None:
    position = game("dots:2x2").start().play_line("aA Aa aB Ab bC")
    assert str(position).splitlines() == [
        "    a   b",
        "  o---o   o A",
        "A | B |",
        "  o---o   o B",
        "B",
        "  o   o---o C",
        "  a   b   c",
        "A 0 : 1 B, A to move",
    ]


def test_svg_shows_owners_and_the_last_turn() -> None:
    svg = game("dots:2x2").start().play_line("aA Aa aB Ab bC")._repr_svg_()
    assert svg.count('class="second-soft"') == 1
    assert svg.count('class="last"') == 2
    assert svg.count('class="line"') == 3


def test_records_in_every_format() -> None:
    chance = random.Random(7)
    position = game("dots:3x4").start()
    while not position.is_over:
        position = position.play(chance.choice(position.legal_actions()))
    record = read_record(write_record(read_record_of(position), "plain"))
    for name in ("plain", "centres", "openspiel"):
        text = write_record(record, name)
        again = read_record(text)
        assert again.final.actions == position.actions
        assert again.result is position.outcome


def read_record_of(position: Position):  # type: ignore[no-untyped-def]
    from pocketzero.games.records import Record

    return Record(position)


def test_link_of_the_correspondence_site() -> None:
    record = read_record("#5,f5d5f7h7")
    assert [record.game.notation.write_line_as(line, "rows") for line in record.final.actions] == [  # type: ignore[attr-defined]
        "h22",
        "h21",
        "h32",
        "h33",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "#5,f5d5f",
        "#5,a1",
        "#5,f5f5",
        "#99,b1",
        "#5,??",
        "dots_and_boxes(num_rows=2,num_cols=2): 0 99",
        "dots_and_boxes(",
    ],
)
def test_damaged_records(text: str) -> None:
    with pytest.raises(PocketZeroError):
        read_record(text)
    with pytest.raises(BadRecord, match=r"Move \d"):
        read_record("#5,f5f5")


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=40))
def test_no_text_breaks_a_parser(text: str) -> None:
    board = game("dots:3x3")
    for parse in (board.start().play, board.position, lambda name: game(f"dots:{name}"), read_record):
        try:
            parse(text)
        except PocketZeroError as error:
            assert str(error)


@given(st.data())
def test_no_damaged_text_breaks_a_parser(data: st.DataObject) -> None:
    position = game("dots:2x3").start().play_line("aA Aa aB Ab bC")
    texts = [
        position.text,
        "#3,b1c2",
        "dots_and_boxes(num_rows=2,num_cols=2): 0 1 2",
        write_record(read_record_of(position), "plain"),
    ]
    text = data.draw(st.sampled_from(texts))
    at = data.draw(st.integers(0, len(text)))
    text = text[:at] + data.draw(st.text(max_size=3)) + text[at + data.draw(st.integers(0, 3)) :]
    for parse in (position.game.position, read_record):
        try:
            parse(text)
        except PocketZeroError as error:
            assert re.search(r"\w+", str(error))
