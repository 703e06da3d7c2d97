"""Whatever text comes in, Zertz answers with a game or with an error for people, never with a crash."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketzero.errors import PocketZeroError
from pocketzero.games import game
from pocketzero.games.base import Position
from pocketzero.games.records import Record, read_record, write_record

LINE = "Gd3,d7 Wd5,d1 Bf3,a4 Bf4,g1 xf4Bf2 Wc2,b1 xc2Ge3 xf2Wd4Wd6 Wd4,c1 Gc6,c2 xc6Be5 Gd6,b2 xd6Gf4 Wa1,a2xWa1"
FINAL = game("zertz:37").start().play_line(LINE)
POSITIONS = [FINAL]
while POSITIONS[-1].previous is not None:
    POSITIONS.append(POSITIONS[-1].previous)
ALPHABET = "abcdefghijzWGBwgbxXPUTCAP0123456789,-_./:;()[]= \n\\äRBo"
RECORDS = {name: write_record(Record(FINAL), name) for name in ("zertz", "deepzertz", "zertz-sgf")}


@st.composite
def damaged(draw: st.DrawFn, texts: list[str]) -> str:
    """One of these texts with a few characters changed, left out, doubled or put in."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(text)))
        length = draw(st.integers(0, 6))
        piece = draw(st.one_of(st.text(ALPHABET, max_size=4), st.just(text[at : at + 2 * length])))
        text = text[:at] + piece + text[at + length :]
    return text


MOVES = [*LINE.split(), "PUT g A1 B4", "PUT w C3", "CAP g A1 b C3", "-d1"]


@given(st.one_of(st.text(), st.text(ALPHABET, max_size=20), damaged(MOVES)), st.sampled_from(POSITIONS))
def test_moves(text: str, position: Position) -> None:
    with contextlib.suppress(PocketZeroError):
        assert position.play(text).ply > position.ply


@given(
    st.one_of(st.text(), st.text(ALPHABET, max_size=20), damaged([position.text for position in POSITIONS])),
    st.integers(0, 1000),
)
def test_positions(text: str, seed: int) -> None:
    with contextlib.suppress(PocketZeroError):
        position = game("zertz:37").position(text)
        assert game("zertz:37").position(position.text).text == position.text
        if not position.is_over:
            assert position.legal_moves()
            assert position.random_games(5, seed=seed).games == 5


NAMES = ["37", "37/blitz", "19/deepzertz/joint", "4-5-6-5-4/pool=6-8-10", "48/goal=4-5-6-3/pool=1-1-1", "2-3-2"]


@given(st.one_of(st.text(), st.text("0123456789-/=poolgai", max_size=24), damaged(NAMES)))
def test_names(text: str) -> None:
    with contextlib.suppress(PocketZeroError):
        named = game(f"zertz:{text}")
        assert game(named.name).name == named.name


@pytest.mark.parametrize("name", RECORDS)
@given(st.data())
def test_records(name: str, data: st.DataObject) -> None:
    text = data.draw(st.one_of(st.text(), st.text(ALPHABET, max_size=60), damaged([RECORDS[name]])))
    with contextlib.suppress(PocketZeroError):
        assert isinstance(read_record(text, format=name), Record)
    with contextlib.suppress(PocketZeroError):
        assert isinstance(read_record(text), Record)


@pytest.mark.parametrize("name", RECORDS)
def test_records_cut_anywhere(name: str) -> None:
    for end in range(0, len(RECORDS[name]), 3):
        with contextlib.suppress(PocketZeroError):
            read_record(RECORDS[name][:end], format=name)
