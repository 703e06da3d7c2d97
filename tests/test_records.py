"""Records of games in general: our own format, results, files, and finding the format of a text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketzero.errors import BadRecord, PocketZeroError, UnknownName
from pocketzero.games import Outcome, game
from pocketzero.games.records import (
    PLAIN,
    Record,
    find_format,
    formats,
    play_words,
    read_record,
    read_record_file,
    result_word,
    write_record,
)

START = game("mnk:3x3x3").start()
WON = START.play_line("a1 a2 b1 b2 c1")
TEXT = "pocketzero record 1\ngame mnk:3x3x3\nfirst Ann\nresult first\nmoves 5\na1 a2 b1 b2 c1\n"


def test_the_result_is_that_of_the_rules_or_the_one_stated() -> None:
    assert Record(WON).result is Outcome.FIRST
    assert Record(START).result is Outcome.ONGOING
    assert Record(START, Outcome.DRAW).result is Outcome.DRAW
    with pytest.raises(BadRecord, match="says draw, but by its moves the result is first player wins"):
        Record(WON, Outcome.DRAW)
    assert result_word(Outcome.ONGOING) == "unfinished"


def test_our_own_format_is_plain_to_read() -> None:
    assert write_record(Record(WON, None, ("Ann", "")), "plain") == TEXT


def test_what_is_written_is_read_again() -> None:
    set_up = game("mnk:5x5x4").position("5/1x3/2o2/5/5 x").play_line("a1 b1")
    for record in (Record(WON), Record(START), Record(set_up, Outcome.SECOND, ("Ann", "Bob"))):
        again = read_record(write_record(record, "plain"))
        assert again.final == record.final
        assert again.final.line == record.final.line
        assert (again.result, again.players) == (record.result, record.players)


def test_long_games_take_several_lines() -> None:
    position = game("gomoku:15").start().play_line([f"{letter}{row}" for row in (1, 3, 5) for letter in "acegikmo"])
    text = write_record(Record(position), "plain")
    assert max(len(line.split()) for line in text.splitlines()) == 10
    assert read_record(text).final == position


def test_a_name_cannot_break_the_format() -> None:
    record = Record(START.play("b2"), None, ("Ann\nmoves a1", "Bob\u2028resign"))
    again = read_record(write_record(record, "plain"))
    assert again.final == record.final
    assert again.players == ("Ann moves a1", "Bob resign")


def test_the_format_is_found_by_looking_at_the_text() -> None:
    record = Record(game("gomoku:15").start().play_line("h8 i9"))
    for name in ("plain", "gomoku-sgf", "psq"):
        assert read_record(write_record(record, name)).final == record.final
    assert read_record("h8i9", game=record.game).final == record.final


def test_every_format_is_found_by_its_name() -> None:
    assert {"plain", "gomoku-sgf", "psq", "moves"} <= set(formats())
    for name, each in formats().items():
        assert find_format(name) is each
        assert each.title
        assert each.suffix.startswith(".")
    with pytest.raises(UnknownName, match="Did you mean 'psq'"):
        find_format("psk")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The record is empty"),
        (" \n ", "The record is empty"),
        ("one two", "no record in a known format"),
        (TEXT.replace("record 1", "record 2"), "Line 1: expected 'pocketzero record 1', found 'pocketzero record 2'"),
        (TEXT.replace("first", "frist", 1), "Line 3: 'frist' is none of game, start"),
        (TEXT.replace("5\na1", "5\nz9"), "Move 1: 'z9'"),
        (TEXT.replace("b2", "b1"), "Move 4: 'b1': the cell is taken"),
        (TEXT.replace("5\n", "6\n") + "c3", "Move 6: .* the game is over"),
        (TEXT + "c3", "Line 5 announces 5 moves; 6 follow it"),
        (TEXT.replace("b2 c1", ""), "Line 5 announces 5 moves; 3 follow it"),
        (TEXT.replace("mnk:3x3x3", "evil.py:game"), "name that game yourself"),
        (TEXT.partition("moves")[0], "cut short: it has no line 'moves'"),
        (TEXT.replace("result first", "result second"), "says second player wins, but"),
        (TEXT.replace("result first", "result won"), "The result 'won' is none of"),
    ],
)
def test_damaged_records_are_explained(text: str, words: str) -> None:
    with pytest.raises(BadRecord, match=words):
        read_record(text)


def test_an_unknown_game_in_a_record_is_named() -> None:
    with pytest.raises(UnknownName, match="mnk:9x9x99"):
        read_record(TEXT.replace("mnk:3x3x3", "mnk:9x9x99"))


def test_wrong_words_are_counted() -> None:
    with pytest.raises(BadRecord, match="Stone 2: 'a1'"):
        play_words(START, ["a1", "a1"], what="Stone")


def test_files_are_read(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert read_record_file(file).final == WON


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"caf\xe9", "byte 4 is 0xe9"), (b"", "record is empty"), (b" " * 10_000_001, "more than 10 MB")],
)
def test_wrong_files_are_explained(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "game.txt"
    file.write_bytes(content)
    with pytest.raises(BadRecord, match=words):
        read_record_file(file)


def test_missing_files_are_explained(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.txt", tmp_path):
        with pytest.raises(BadRecord, match="cannot be read"):
            read_record_file(path)


@given(
    st.integers(0, len(TEXT)),
    st.integers(0, 8),
    st.one_of(st.text(max_size=5), st.sampled_from(["\n", "moves", "a1 "])),
)
def test_a_damaged_record_is_read_or_refused(at: int, cut: int, piece: str) -> None:
    try:
        record = read_record(TEXT[:at] + piece + TEXT[at + cut :], game=START.game)
    except PocketZeroError as error:
        assert str(error)
    else:
        assert read_record(PLAIN.write(record)).final.line == record.final.line


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for heading in ("", "pocketzero record 1\ngame mnk:3x3x3\n"):
        try:
            read_record(heading + text, game=START.game)
        except PocketZeroError as error:
            assert str(error)
