"""Records of the m,n,k games: what is written is read again, real files are understood, damage is named."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketzero.errors import BadRecord, PocketZeroError
from pocketzero.games import Game, Outcome, Position, game
from pocketzero.games.mnk import FAMILY, GOMOKU
from pocketzero.games.records import Format, Record

FORMATS: dict[str, Format] = {each.name: each for each in FAMILY.formats}
SGF, PSQ, MOVES = FORMATS["gomoku-sgf"], FORMATS["psq"], FORMATS["moves"]
WON = "h8 h1 i8 i1 j8 j1 k8 k1 l8"


def gomoku(line: str) -> Position:
    return game("gomoku:15").start().play_line(line)


def random_record(name: str, chance: random.Random) -> Record:
    position = game(name).start()
    for _ in range(chance.randrange(game(name).max_length + 1)):
        if position.is_over:
            break
        position = position.play_action(chance.choice(position.legal_actions()))
    claimed = None if position.is_over else chance.choice([None, Outcome.FIRST, Outcome.SECOND, Outcome.DRAW])
    return Record(position, claimed, chance.choice([("", ""), ("Ann", "Bob ] \\ Č"), ("3,4,5", "")]))


def test_the_formats_belong_to_one_family() -> None:
    assert set(FORMATS) == {"gomoku-sgf", "psq", "moves"}
    assert GOMOKU.formats == ()


@pytest.mark.parametrize(
    "name", ["mnk:3x3x3", "mnk:7x3x3", "mnk:5x5x4/standard", "mnk:15x15x5", "mnk:25x20x6", "mnk:1x1x1"]
)
@pytest.mark.parametrize("format", [SGF, PSQ])
def test_what_is_written_is_read_again(format: Format, name: str) -> None:
    chance = random.Random(5)
    for _ in range(10):
        record = random_record(name, chance)
        text = format.write(record)
        assert [each.name for each in FORMATS.values() if each.recognises(text)] == [format.name]
        for hint in (None, game(name)):
            again = format.read(text, hint)
            assert again.game is record.game
            assert again.final.line == record.final.line
            assert again.result is record.result
            assert [name.replace(";", ",") for name in again.players] == list(record.players)


def test_moves_are_written_as_one_word_and_read_again() -> None:
    chance = random.Random(6)
    for name in ("mnk:3x3x3", "mnk:15x15x5", "mnk:25x25x5"):
        record = random_record(name, chance)
        text = MOVES.write(record)
        assert MOVES.read(text, game(name)).final.line == record.final.line
    text = MOVES.write(Record(gomoku("h8 i9 g10")))
    assert text == "h8i9g10\n"
    assert MOVES.recognises(text)
    assert MOVES.read(" H8 i9\ng10", game("gomoku:15")).final == gomoku("h8 i9 g10")


def test_sgf_is_written_with_letters_from_the_top_left() -> None:
    record = Record(gomoku("h8 i9 a15"), Outcome.SECOND, ("Ann", "Bob"))
    assert SGF.write(record) == (
        "(;FF[4]GM[4]CA[UTF-8]AP[PocketZero]SZ[15]RU[freestyle k=5]PB[Ann]PW[Bob]RE[W+]\n;B[hh];W[ig];B[aa])\n"
    )


def test_sgf_of_other_programs_is_read() -> None:
    text = "(;GM[4] FF[4]\nSZ[15]PB[Black\\]y]PW[W]RE[W+R]C[a ; comment ) here];B[h8]C[x];W[ig](;B[aa];W[bb])(;B[cc]))"
    record = SGF.read(text, None)
    assert record.final == gomoku("h8 i9 a15 b14")
    assert record.players == ("Black]y", "W")
    assert record.result is Outcome.SECOND
    assert SGF.read("(;GM[4]SZ[7:3]RU[Standard, k=3];B[ga])", None).final.line == ["g3"]
    assert SGF.read("(;GM[4]SZ[7:3]RU[Standard, k=3];B[ga])", None).game.name == "mnk:7x3x3/standard"
    assert SGF.read("(;GM[4]RU[gomoku];B[hh])", game("mnk:9x9x5/standard")).game.name == "mnk:9x9x5/standard"


@pytest.mark.parametrize(
    ("word", "result"),
    [
        ("B+", Outcome.FIRST),
        ("b+R", Outcome.FIRST),
        ("W+T", Outcome.SECOND),
        ("White wins", Outcome.SECOND),
        ("0", Outcome.DRAW),
        ("Draw", Outcome.DRAW),
        ("?", Outcome.ONGOING),
        ("Void", Outcome.ONGOING),
    ],
)
def test_sgf_results(word: str, result: Outcome) -> None:
    assert SGF.read(f"(;GM[4]SZ[15]RE[{word}];B[hh])", None).result is result


def test_sgf_holds_games_from_a_set_up_position() -> None:
    start = game("mnk:5x5x4").position("5/1x3/2o2/2x2/5 o")
    record = Record(start.play_line("a1 b1"))
    text = SGF.write(record)
    assert "AB[bb][cd]AW[cc]PL[W]\n;W[ae];B[be])" in text
    again = SGF.read(text, None)
    assert again.final.beginning == start
    assert again.final.line == ["a1", "b1"]
    for format in (PSQ, MOVES):
        with pytest.raises(BadRecord, match="set-up position; gomoku-sgf and plain can"):
            format.write(record)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(;GM[1]SZ[19];B[dd])", r"Line 1: expected GM\[4\], found GM\[1\]"),
        ("(;GM[4];B[dd])", "does not say on which board"),
        ("(;GM[4]SZ[x];B[dd])", r"expected SZ\[15\] or SZ\[columns:rows\], found SZ\[x\]"),
        ("(;GM[4]SZ[30];B[dd])", "boards have 1 to 25 columns"),
        ("(;GM[4]SZ[3];B[bb])", "does not say how many in a row win: name the game"),
        ("(;GM[4]SZ[15]RU[renju];B[hh])", "rules of renju are not supported"),
        ("(;GM[4]SZ[15]RU[k=many];B[hh])", "expected a number after 'k='"),
        ("(;GM[4]SZ[15]RE[maybe];B[hh])", r"expected RE\[B\+\].*found RE\[maybe\]"),
        ("(;GM[4]SZ[15];B[hh]\n;B[ii])", r"Move 2, line 2: expected a move of W, found B\[ii\]"),
        ("(;GM[4]SZ[15];W[hh])", "Move 1, line 1: expected a move of B"),
        ("(;GM[4]SZ[15];B[hh];W[hh])", "Move 2, line 1: 'h8': the cell is taken; there is a stone of x"),
        ("(;GM[4]SZ[15];B[hh];W[pp])", "Move 2, line 1: the point 'pp' is not on the board, .* aa to oo"),
        ("(;GM[4]SZ[15];B[h16])", "Move 1, line 1: 'h16': there is no row 16"),
        ("(;GM[4]SZ[15];B[hh];W[])", "Move 2, line 1: expected a point, from aa to oo, found a pass"),
        ("(;GM[4]SZ[15];B[h])", "expected a point, from aa to oo, found 'h'"),
        ("(;GM[4]SZ[15];B[hh][ii])", "expected one point, found 2"),
        ("(;GM[4]SZ[15];B[hh];W[ii", "cut short"),
        ("(;GM[4]SZ[15];B[hh];W[ii]", "cut short"),
        ("(;GM[4]SZ[3]RU[k=3];B[aa];W[ba];B[ab];W[bb];B[ac];W[bc])", "Move 6, line 1: .* the game is over"),
        ("(;GM[4]SZ[3]RU[k=3]RE[W+];B[aa];W[ba];B[ab];W[bb];B[ac])", "says second player wins, but by its moves"),
        ("(;GM[4]SZ[15]AB[hh][ii];W[aa])", "The position that is set up cannot be"),
        ("(;GM[4]SZ[15];B[hh];AW[aa])", "AW sets stones up after the game has begun"),
    ],
)
def test_damaged_sgf_is_explained(text: str, words: str) -> None:
    with pytest.raises(BadRecord, match=words):
        SGF.read(text, None)


def test_psq_is_written_as_the_manager_does() -> None:
    record = Record(gomoku("h8 i9 a15"), Outcome.SECOND, ("Ann", "Bob"))
    assert PSQ.write(record) == "Piskvorky 15x15, 0:0, 0\n8,8,0\n9,7,0\n1,1,0\nAnn\nBob\n-1\n2,Freestyle\n"
    four = Record(game("mnk:5x4x4/standard").start().play("a4"))
    assert PSQ.write(four) == "Piskvorky 5x4, 0:0, 0\n1,1,0\n-1\n-1,Standard k=4\n"


def test_psq_of_tournaments_is_read() -> None:
    moves = "10,10,0\r\n11,11,1523\r\n10,11,870\r\n"
    record = PSQ.read(f"Piskvorky 20x20, 11:11, 0\r\n{moves}pbrain-one.exe\r\npbrain-two.exe\r\n-1\r\n", None)
    assert record.game.name == "mnk:20x20x5"
    assert record.final.line == ["j11", "k10", "j10"]
    assert record.players == ("pbrain-one.exe", "pbrain-two.exe")
    assert record.result is Outcome.ONGOING
    second_begins = PSQ.read(f"Piskvorky 20x20, 11:11, 1\n{moves}one\ntwo\n0\n1,Standard\n", None)
    assert second_begins.players == ("two", "one")
    assert second_begins.result is Outcome.SECOND
    assert second_begins.game.name == "mnk:20x20x5/standard"
    assert PSQ.read("Piskvorky 15x15, 0:0, 0\n8,8\n9,9,\n\n", None).final.line == ["h8", "i7"]
    assert PSQ.read("Piskvorky 15x15, 0:0, 0\n8,8,1\n15\n", None).players == ("", "")


def test_psq_takes_k_from_the_game_that_the_caller_names() -> None:
    text = "Piskvorky 3x3, 0:0, 0\n2,2,0\n-1\n"
    assert PSQ.read(text, game("mnk:3x3x3")).game.name == "mnk:3x3x3"
    with pytest.raises(BadRecord, match="does not say how many in a row win"):
        PSQ.read(text, None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Piskvorky fifteen\n8,8,0\n", "Line 1: expected a heading such as 'Piskvorky 15x15, 0:0, 0'"),
        ("8,8,0\n", "Line 1: expected a heading"),
        ("", "Line 1: expected a heading"),
        ("Piskvorky 40x40, 0:0, 0\n8,8,0\n", "boards have 1 to 25 columns"),
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\n16,1,0\n", "Line 3, move 2: 16,1 is not on the board; expected 1,1 to 15,15"),
        ("Piskvorky 15x15, 0:0, 0\n0,8,0\n", "Line 2, move 1: 0,8 is not on the board"),
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\n8,8,0\n", "Line 3, move 2: 'h8': the cell is taken"),
        (
            "Piskvorky 15x15, 0:0, 0\n8,8,0\n9;9,0\n7,7,0\n-1\n",
            "Line 3: expected a move x,y,milliseconds, found '9;9,0'",
        ),
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\n9,", "Line 3: expected a move x,y,milliseconds, found '9,'; .* cut short"),
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\n-1\n1,Renju\n", "Line 4: games by the rules of renju"),
    ],
)
def test_damaged_psq_is_explained(text: str, words: str) -> None:
    with pytest.raises(BadRecord, match=words):
        PSQ.read(text, None)


def test_psq_refuses_moves_after_the_end() -> None:
    with pytest.raises(BadRecord, match=r"Line 7, move 6: .* the game is over"):
        PSQ.read("Piskvorky 3x3, 0:0, 0\n1,1,0\n1,2,0\n2,1,0\n2,2,0\n3,1,0\n3,2,0\n", game("mnk:3x3x3"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("h8i9h8", "Move 3: 'h8': the cell is taken; there is a stone of x"),
        ("h8p1", "Move 2: 'p1': there is no column p"),
        ("h8i16", "Move 2: 'i16': there is no row 16"),
        ("h8 i", "Move 2: expected a letter and a number, found 'i'"),
        ("h8,i9", "Move 2: expected a letter and a number, found ',i9'"),
        (WON + " a1", "Move 10: .* the game is over"),
    ],
)
def test_damaged_moves_are_explained(text: str, words: str) -> None:
    with pytest.raises(BadRecord, match=words):
        MOVES.read(text, game("gomoku:15"))


def test_moves_need_a_game() -> None:
    with pytest.raises(BadRecord, match="name the game, such as gomoku:15"):
        MOVES.read("h8i9", None)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mnk:19x15x5", "The record says 15 columns, but mnk:19x15x5 has 19"),
        ("mnk:15x19x5", "The record says 15 rows, but mnk:15x19x5 has 19"),
        ("mnk:15x15x4", "The record says 5 in a row to win, but mnk:15x15x4 has 4"),
        ("mnk:15x15x5/standard", "The record says freestyle rules, but mnk:15x15x5/standard has standard rules"),
    ],
)
def test_a_named_game_must_agree_with_the_record(name: str, words: str) -> None:
    with pytest.raises(BadRecord, match=words):
        SGF.read(SGF.write(Record(gomoku("h8"))), game(name))
    if "x4" not in name:  # PSQ does not say five
        with pytest.raises(BadRecord, match=words):
            PSQ.read(PSQ.write(Record(gomoku("h8"))), game(name))


def test_other_games_are_refused() -> None:
    dots = game("dots:2x2")
    for format in FORMATS.values():
        with pytest.raises(BadRecord, match="k in a row, not of dots:2x2"):
            format.read(format.write(Record(gomoku("h8 i9"))), dots)
        with pytest.raises(BadRecord, match="cannot be written"):
            format.write(Record(dots.start()))


VALID = {
    "gomoku-sgf": SGF.write(Record(gomoku(WON), None, ("Ann", "Bob"))),
    "psq": PSQ.write(Record(gomoku(WON), None, ("Ann", "Bob"))),
    "moves": MOVES.write(Record(gomoku(WON))),
}


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """A valid text with pieces cut out, doubled or replaced."""
    for _ in range(draw(st.integers(1, 3))):
        begin = draw(st.integers(0, len(text)))
        end = draw(st.integers(begin, min(len(text), begin + 12)))
        piece = draw(
            st.one_of(st.text(max_size=4), st.sampled_from([text[begin:end] * 2, "", "[", ")", "0", ",", "\n"]))
        )
        text = text[:begin] + piece + text[end:]
    return text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text


def read_or_refuse(format: Format, text: str, named: Game | None) -> None:
    format.recognises(text)
    try:
        record = format.read(text, named)
    except PocketZeroError as error:
        assert str(error)
    else:
        assert format.read(format.write(record), record.game).final.line == record.final.line


@pytest.mark.parametrize("name", list(FORMATS))
@given(data=st.data(), with_game=st.booleans())
def test_damaged_records_are_read_or_refused(name: str, data: st.DataObject, with_game: bool) -> None:
    read_or_refuse(FORMATS[name], data.draw(damaged(VALID[name])), game("gomoku:15") if with_game else None)


@pytest.mark.parametrize("name", list(FORMATS))
@given(text=st.one_of(st.text(), st.text("(;)[]BWGMSZ4hi8:19, \n-Piskvorkyx")))
def test_any_text_is_read_or_refused(name: str, text: str) -> None:
    read_or_refuse(FORMATS[name], text, game("gomoku:15"))
    read_or_refuse(FORMATS[name], "(;GM[4]SZ[15]" + text if name == "gomoku-sgf" else "Piskvorky 9x9\n" + text, None)
