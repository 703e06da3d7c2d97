"""Real Zertz games replay to their results: official notation, the paper's logs, and the archive's SGF."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from pocketzero.errors import BadRecord
from pocketzero.games import game
from pocketzero.games.base import Outcome
from pocketzero.games.records import Record, read_record, write_record

FORMATS = ("zertz", "deepzertz", "plain")


def assert_round_trip(record: Record, formats: tuple[str, ...]) -> None:
    for name in formats:
        again = read_record(write_record(record, name))
        assert again.final.actions == record.final.actions
        assert again.result is record.result
        assert again.game.name == record.game.name


def test_all_real_games_replay_to_their_result(shared_data: Path) -> None:
    lines = gzip.decompress((shared_data / "zertz-games.tsv.gz").read_bytes()).decode().splitlines()
    assert len(lines) == 2813
    past_the_end = 0
    for line in lines[1:]:
        rings, first, result, end, turns, flags, moves = line.split("\t")
        words = moves.split()
        assert len(words) == int(turns)
        record = read_record(moves, game=game(f"zertz:{rings}"))
        if end == "capture":
            assert record.result == (first != result)  # the player named first moves first
        else:
            assert record.final.outcome is (Outcome.DRAW if "threefold" in flags else Outcome.ONGOING)
        written = record.final.line
        if written != words and "threefold" not in flags:  # a chain told past the jump that won
            past_the_end += 1
            assert written[:-1] == words[:-1]
            assert words[-1].startswith(written[-1])
            assert words[-1].startswith("x")
    assert past_the_end == 58


def test_games_played_on_after_a_third_repetition_end_there(shared_data: Path) -> None:
    lines = gzip.decompress((shared_data / "zertz-games.tsv.gz").read_bytes()).decode().splitlines()
    drawn = [line.split("\t")[-1].split() for line in lines if "threefold" in line]
    assert [len(words) for words in drawn] == [44, 57]
    assert [len(read_record(" ".join(words)).final.line) for words in drawn] == [43, 57]


def test_real_games_are_written_and_read_in_every_format(shared_data: Path) -> None:
    lines = gzip.decompress((shared_data / "zertz-games.tsv.gz").read_bytes()).decode().splitlines()
    for line in lines[1::60]:
        rings, *_, moves = line.split("\t")
        assert_round_trip(read_record(f"zertz:{rings}\n{moves}"), (*FORMATS, "zertz-sgf"))


SGF_RESULTS = {
    "older-no-done-1": (37, Outcome.SECOND, 28),
    "older-no-done-2": (48, Outcome.FIRST, 35),
    "zertz-1": (37, Outcome.FIRST, 31),
    "zertz-2": (37, Outcome.FIRST, 33),
    "zertz-3": (37, Outcome.FIRST, 31),
    "zertz-4": (37, Outcome.FIRST, 35),
    "zertz-plus-11-1": (48, Outcome.SECOND, 22),
    "zertz-plus-11-2": (48, Outcome.FIRST, 31),
    "zertz-plus-24-1": (61, Outcome.FIRST, 27),
    "zertz-plus-24-2": (61, Outcome.SECOND, 38),
}


@pytest.mark.parametrize("name", SGF_RESULTS)
def test_archive_files_replay_to_a_win(name: str, shared_data: Path) -> None:
    rings, winner, turns = SGF_RESULTS[name]
    record = read_record((shared_data / "zertz-sgf" / f"{name}.sgf").read_text())
    assert record.game.name == f"zertz:{rings}"
    assert record.final.outcome is winner
    assert len(record.final.line) == turns
    assert record.players == ("player", "player")
    assert_round_trip(record, (*FORMATS, "zertz-sgf"))
    joint = read_record((shared_data / "zertz-sgf" / f"{name}.sgf").read_text(), game=game(f"zertz:{rings}/joint"))
    assert joint.final.line == record.final.line


def test_an_archive_file_cut_anywhere_is_refused(shared_data: Path) -> None:
    text = (shared_data / "zertz-sgf" / "zertz-1.sgf").read_text().strip()
    for end in range(10, len(text) - 1, 37):
        with pytest.raises(BadRecord, match=r"Line \d+"):
            read_record(text[:end], format="zertz-sgf")


# The archive's operations, one by one


def sgf(*operations: str, root: str = "SU[Zertz]") -> str:
    nodes = "\n".join(f"; {operation}" for operation in operations)
    return f'(;GM[22]VV[2]\n{root}XX[unknown]P0[id "Ann"]P1[id "Ben"]\n{nodes}\n;\nP0[time 0:08:34 ]\n)'


def line_of(*operations: str, root: str = "SU[Zertz]") -> list[str]:
    return read_record(sgf(*operations, root=root)).final.line


def test_a_ring_may_be_removed_before_the_marble_is_put() -> None:
    turn = ["P0[1 R- D 1]", "P0[2 RtoB 2 2 D 4]", "P0[3 Done]"]
    assert line_of("P-1[0 Start P0]", *turn) == ["Bd4,d1"]
    assert line_of(turn[1], turn[0], turn[2]) == ["Bd4,d1"]


def test_turns_end_when_the_player_changes() -> None:
    assert line_of("P0[1 RtoB 2 0 D 4]", "P0[2 R- D 1]", "P1[4 rtob 2 1  a 1]", "P1[5 r- g 1]") == ["Wd4,d1", "Ga1,g1"]


def test_what_changes_nothing_is_passed_over() -> None:
    operations = ["P0[1 RtoR 2 0 2]", "P0[2 RtoB 2 0 D 4]", "P0[3 R- D 1]TM[120]", "P0[4 Done ]", "P1[5 OfferDraw]"]
    assert line_of("P0[0 Start P0]", *operations, "P0[6 DeclineDraw]", "P1[7 Edit]", "P1[8 Done]") == ["Wd4,d1"]


def test_marbles_and_rings_can_be_taken_back_in_a_turn() -> None:
    operations = ["P0[1 RtoB 2 0 D 4]", "P0[2 BtoR D 4 2 0]", "P0[3 RtoB 2 1 D 3]", "P0[4 BtoB D 3 D 5]"]
    assert line_of(*operations, "P0[5 R- A 1]", "P0[6 R+ A 1]", "P0[7 R- D 1]", "P0[8 Done]") == ["Gd5,d1"]


def test_seat_one_may_begin() -> None:
    record = read_record(sgf("P0[0 Start P1]", "P1[1 RtoB 2 0 D 4]", "P1[2 R- D 1]", "P1[3 Done]", "P0[4 Resign]"))
    assert record.players == ("Ben", "Ann")
    assert record.claimed is Outcome.FIRST
    assert record.result is Outcome.FIRST


def test_resignation_and_agreed_draws_are_the_stated_result() -> None:
    opening = ["P0[1 RtoB 2 0 D 4]", "P0[2 R- D 1]", "P0[3 Done]"]
    for operation, result in (
        ("P0[4 Resign]", Outcome.SECOND),
        ("P1[4 resign]", Outcome.FIRST),
        ("P1[4 AcceptDraw]", Outcome.DRAW),
    ):
        record = read_record(sgf(*opening, operation))
        assert record.result is result
        assert read_record(write_record(record, "zertz-sgf")).result is result
        assert read_record(write_record(record, "zertz")).result is result
        assert read_record(write_record(record, "deepzertz")).result is result


def test_claims_that_a_file_spells_out_are_what_the_rules_do(shared_data: Path) -> None:
    text = (shared_data / "zertz-sgf" / "older-no-done-1.sgf").read_text()
    plain = read_record(text)
    claimed = text.replace(
        "; P1[73 R- E 5]", "; P1[73 R- E 5]\n; P1[74 BtoR F 5 1 0]\n; P1[75 R- F 5]\n; P1[76 BtoR G 4 1 0]"
    )
    assert plain.final.line[-1] == "Wf5,e5xWf5Wg4"
    assert read_record(claimed).final.line == plain.final.line


def test_the_last_turn_may_be_unfinished() -> None:
    assert line_of("P0[1 RtoB 2 0 D 4]") == ["Wd4"]
    record = read_record(sgf("P0[1 RtoB 2 0 D 4]"), game=game("zertz:37/joint"))
    assert record.final.line == []


@pytest.mark.parametrize(
    ("operations", "message"),
    [
        (["P0[1 Dance D 4]"], "Line 3 of the SGF: 'Dance' is no operation"),
        (["P0[1 RtoB 2 0 D]"], "cut short or damaged"),
        (["P0[1]"], "not a number and an operation"),
        (["P0[RtoB 2 0 D 4]"], "not a number and an operation"),
        (["P0[1 RtoB 3 0 D 4]"], "no colour 0 in rack 3"),
        (["P0[1 RtoB 2 5 D 4]"], "no colour 5"),
        (["P0[1 RtoB 0 0 D 4]", "P0[2 R- D 1]"], "cannot come from rack 0"),
        (["P0[1 RtoB 2 0 D 4]", "P0[2 Done]"], "must remove a ring"),
        (["P0[1 RtoB 2 0 D 4]", "P0[2 RtoB 2 0 D 5]"], "second marble"),
        (["P0[1 RtoB 2 0 D 4]", "P0[2 R- D 3]", "P0[3 Done]"], "Line 3 .* not free"),
        (["P0[1 R- D 1]", "P0[2 Done]"], "no marble is put"),
        (["P0[1 RtoB 2 0 D 4]", "P0[2 R- D 1]", "P0[3 R- A 1]", "P0[4 Done]"], "Only one ring can be removed"),
        (["P0[1 R+ D 1]"], "was not removed"),
        (["P1[1 RtoB 2 0 D 4]", "P1[2 R- D 1]"], "not the turn of P1"),
        (["P2[1 RtoB 2 0 D 4]"], "no player P2"),
        (["P0[1 BtoB D 4 D 6]", "P0[2 Done]"], "no marble on d4"),
        (["P0[1 RtoB 2 0 Z 4]", "P0[2 Done]"], "no ring"),
    ],
)
def test_wrong_operations_are_named_with_their_line(operations: list[str], message: str) -> None:
    with pytest.raises(BadRecord, match=message):
        read_record(sgf(*operations))


def test_unknown_sets_and_wrong_boards_are_refused() -> None:
    with pytest.raises(BadRecord, match="none of Zertz, "):
        read_record(sgf(root="SU[Zertz+99]"))
    with pytest.raises(BadRecord, match="37 rings, not on those of zertz:48"):
        read_record(sgf(), game=game("zertz:48"))
    with pytest.raises(BadRecord, match="does not say"):
        read_record(sgf(root=""))
    with pytest.raises(BadRecord, match="only zertz:37"):
        write_record(Record(game("zertz:19").start()), "zertz-sgf")
    with pytest.raises(BadRecord, match="for Zertz, not for"):
        write_record(Record(game("mnk:3x3x3").start()), "zertz-sgf")


# The logs of the paper's appendix

GAME_2 = """Game 2: AI first
AI:      PUT  g  A1  B4
Human:   PUT  g  D3  E3
AI:      PUT  b  B2  E1
Human:   CAP  g  A1  b  C3
AI:      CAP  g  D3  g  B2
Human:   PUT  b  C1  A1
AI:      PUT  b  A2  A3
(AI would have won the game this turn if
it put a gray marble instead of black)
Human:   CAP  b  A2  g  C2
AI:      CAP  b  C1  b  C3
Human:   PUT  w  A2  C5
AI:      PUT  w  D4  B3
Human:   PUT  g  D2  C1
AI:      PUT  b  B1  E2
Human:   PUT  b  D1  D3
AI:      PUT  g  C2  C4
AI wins
"""
GAME_4 = """AI:      PUT  g  E3  D1
Human:   PUT  b  A3  E1
AI:      PUT  b  B1  E2
Human:   PUT  g  A1  C1
AI:      PUT  b  C4  D4
Human:   PUT  w  A2  C5
AI:      PUT  w  C2  D2
Human:   PUT  g  B4  D3
AI:      PUT  w  C3
Human:   PUT  b  B3
AI:      CAP  g  B4  b  B2
Human:   CAP  b  B1  g  B3
Human wins
"""
GAME_5 = """Human:   PUT  b  B1  B4
AI:      PUT  g  C4  A3
Human:   PUT  b  D1  A1
AI:      PUT  w  E3  C5
Human:   PUT  g  A2  E1
AI:      PUT  g  C3  B3
Human:   CAP  g  C4  g  C2
AI:      CAP  b  D1  g  B2
Human:   CAP  g  A2  b  C2
AI:      CAP  b  B1  g  D2
AI wins
"""


@pytest.mark.parametrize(
    ("text", "winner", "players"),
    [
        (GAME_2, Outcome.FIRST, ("AI", "Human")),
        (GAME_4, Outcome.SECOND, ("AI", "Human")),
        (GAME_5, Outcome.SECOND, ("Human", "AI")),
    ],
)
def test_the_games_of_the_paper_end_as_it_says(text: str, winner: Outcome, players: tuple[str, str]) -> None:
    record = read_record(text)
    assert record.game.name == "zertz:19/deepzertz"
    assert record.final.outcome is winner
    assert record.claimed is winner
    assert record.players == players
    assert_round_trip(record, FORMATS)
    assert read_record(write_record(record, "deepzertz")).players == players
    joint = read_record(text, game=game("zertz:19/deepzertz/joint"))
    assert joint.final.line == record.final.line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GAME_4.replace("Human wins", "AI wins"), "says first player wins"),
        (GAME_4.replace("Human:   PUT  b  A3", "AI:   PUT  b  A3"), "Line 2: It is not the turn of AI"),
        (GAME_4.replace("b  A3", "b  E3"), "Line 2: .*occupied"),
        (GAME_4 + "AI: PUT w A1", "comes after the result"),
        (GAME_4.replace("PUT  w  C3", "PAT  w  C3"), "Line 9: .*not a line such as"),
        (GAME_4 + "(not closed", "Line 14: a bracket"),
        (GAME_4.replace("Human wins", "Nobody wins"), "players are AI and Human"),
    ],
)
def test_damaged_logs_are_refused(text: str, message: str) -> None:
    with pytest.raises(BadRecord, match=message):
        read_record(text)


# Official text


def test_official_text_may_name_the_game_and_number_the_turns() -> None:
    record = read_record("zertz:19/deepzertz\nfirst Ann\nsecond Ben\nresult second\n1. Gc3,c1 2. Ga1,c5\n")
    assert record.game.name == "zertz:19/deepzertz"
    assert record.players == ("Ann", "Ben")
    assert record.result is Outcome.SECOND
    assert record.final.line == ["Gc3,c1", "Ga1,c5"]
    assert_round_trip(record, FORMATS)
    assert read_record("Wd4,d1").game.name == "zertz:37"


def test_official_text_may_start_from_a_position() -> None:
    middle = game("zertz:37").position(game("zertz:37").start().play("Wd4,d1").text)
    record = Record(middle.play("Ga1,g1"))
    assert_round_trip(record, ("zertz", "plain"))
    for name in ("deepzertz", "zertz-sgf"):
        with pytest.raises(BadRecord, match="from the beginning"):
            write_record(record, name)


def test_wrong_turns_are_numbered() -> None:
    with pytest.raises(BadRecord, match="Turn 2: 'Wd4,a1': The ring d4 is occupied"):
        read_record("Wd4,d1 Wd4,a1")
    with pytest.raises(BadRecord, match="result 'who' is none of"):
        read_record("zertz:37\nresult who\nWd4,d1")
