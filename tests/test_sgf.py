"""Smart Game Format: nodes, properties, escapes, variations, and what is said of damaged text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketzero.errors import BadRecord
from pocketzero.games.sgf import escape, read_nodes


def names(text: str) -> list[list[tuple[str, tuple[str, ...]]]]:
    return [[(each.name, each.values) for each in node] for node in read_nodes(text)]


def test_nodes_and_properties() -> None:
    assert names("(;GM[4]SZ[15];B[hh];W[ii]C[good])") == [
        [("GM", ("4",)), ("SZ", ("15",))],
        [("B", ("hh",))],
        [("W", ("ii",)), ("C", ("good",))],
    ]


def test_blanks_do_not_matter_between_things() -> None:
    assert names(" \n( ; GM [4] \t SZ\n[15] ;\r\nB[hh] ) ") == names("(;GM[4]SZ[15];B[hh])")


def test_one_property_may_have_several_values() -> None:
    assert names("(;AB[aa][bb]\n[cc])") == [[("AB", ("aa", "bb", "cc"))]]


def test_empty_nodes_and_empty_values() -> None:
    assert names("(;;B[])") == [[], [("B", ("",))]]


def test_the_first_variation_is_the_main_line() -> None:
    assert names("(;A[1](;B[2](;C[3])(;D[4]))(;E[5]))") == [[("A", ("1",))], [("B", ("2",))], [("C", ("3",))]]


def test_of_several_games_the_first_is_read() -> None:
    assert names("(;A[1])(;B[2])") == [[("A", ("1",))]]


def test_escapes() -> None:
    assert names(r"(;C[a \] b \\ c \: d])") == [[("C", ("a ] b \\ c : d",))]]
    assert names("(;C[one \\\ntwo \\\r\nthree\nfour])") == [[("C", ("one two three\nfour",))]]


def test_properties_know_their_line() -> None:
    nodes = read_nodes("(;GM[4]\nC[two\nlines]\n\n;B[hh])")
    assert [each.line for node in nodes for each in node] == [1, 2, 5]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"Line 1 of the SGF: expected '\(' at the beginning of a game, found the end of the text"),
        ("hello", r"expected '\(' at the beginning of a game, found 'hello'"),
        ("()", "expected a node"),
        ("(;A[1]", r"expected ';' or '\)'; the record is cut short, found the end of the text"),
        ("(;A[1](;B[2])", "cut short"),
        ("(;A[1", r"expected '\]' at the end of a value; the record is cut short"),
        ("(;A[1\\", "cut short"),
        ("(;A)", r"expected '\[' after the property A, found '\)'"),
        ("(;A[1]\n\n?)", r"Line 3 of the SGF: expected ';' or '\)', found '\?\)'"),
        ("(;A[1](;B[2])?)", "expected ';', .* found"),
    ],
)
def test_damaged_text_is_explained(text: str, words: str) -> None:
    with pytest.raises(BadRecord, match=words):
        read_nodes(text)


@given(st.text())
def test_escaped_text_is_read_as_it_was(text: str) -> None:
    assert names(f"(;C[{escape(text)}])") == [[("C", (text,))]]


@given(st.one_of(st.text(), st.text("(;)[]\\ABC1 \n", max_size=60)))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert len(read_nodes(text)) > 0
    except BadRecord as error:
        assert "of the SGF" in str(error)


def test_deep_variations_and_long_files_are_read() -> None:
    deep = "(;A[1]" * 20_000 + ")" * 20_000
    assert len(read_nodes(deep)) == 20_000
    begin = time.perf_counter()
    assert len(read_nodes("(" + ";B[hh]\n" * 100_000 + ")")) == 100_000
    assert time.perf_counter() - begin < 10  # lines are counted once, not anew for every property
