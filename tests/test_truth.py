"""What is true of players and positions: mistakes, puzzles, double deals, words."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pocketzero.arena.dealing import dealing_in_matches, dealing_table
from pocketzero.arena.match import MatchPlan, play_match
from pocketzero.arena.mistakes import mistakes_in_games, mistakes_in_positions, random_positions, wilson
from pocketzero.arena.puzzle_maker import make_puzzles
from pocketzero.arena.puzzles import collection, families, parse_puzzles, read_puzzles, solve_puzzles, write_collection
from pocketzero.arena.store import Store
from pocketzero.errors import BadRecord
from pocketzero.games import game
from pocketzero.players.dots.dealing import Deals, double_deals, handout
from pocketzero.players.dots.explain import controlled_value, explain
from pocketzero.players.solvers import solver_for

SMALL = game("dots:2x2")


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "pocketzero", *words], capture_output=True, text=True, timeout=180)


# Mistakes


def test_a_perfect_player_makes_no_mistakes_and_a_random_one_many() -> None:
    solver = solver_for(SMALL)
    assert mistakes_in_games("exact", SMALL, solver, 10).mistakes == 0
    blind = mistakes_in_games("random", SMALL, solver, 20)
    assert blind.rate > 0.2
    assert blind.games == 20
    assert blind.lost >= blind.mistakes


def test_mistakes_are_counted_by_hand() -> None:
    """Every decision of a player that takes the first legal move, checked against the solver one by one."""
    solver = solver_for(SMALL)
    positions = random_positions(SMALL, 60, 1, lambda at: len(set(solver.move_values(at).values())) > 1)
    found = mistakes_in_positions("medium", solver, positions, seed=5)
    assert len(found.decisions) == len(positions) == 60
    for decision in found.decisions:
        values = solver.move_values(decision.position)
        assert decision.best == max(values.values())
        assert decision.loss == decision.best - values[decision.action] >= 0


def test_random_positions_are_spread_over_the_plies() -> None:
    board = game("dots:3x3")
    found = random_positions(board, 200, 1, lambda at: True)
    plies = [position.ply for position in found]
    assert len({position.key for position in found}) == 200
    counts = [plies.count(ply) for ply in range(2, 22)]
    assert max(counts) - min(counts) <= 1
    assert found == random_positions(board, 200, 1, lambda at: True)


def test_wilson() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    low, high = wilson(5, 100)
    assert (round(low, 3), round(high, 3)) == (0.022, 0.112)


# Puzzles


@pytest.mark.parametrize("family", ["dots", "mnk", "zertz"])
def test_the_packages_own_puzzles(family: str) -> None:
    """At least a hundred of each game, each with exactly one winning move, graded, and read back as written."""
    found = collection(family)
    assert family in families()
    assert len(found) >= 100
    assert len({puzzle.position.key for puzzle in found}) == len(found)
    for puzzle in found:
        assert len(puzzle.solutions) == 1
        assert sum(value > 0 for value in puzzle.values.values()) == 1
        assert set(puzzle.values) == set(puzzle.position.legal_actions())
        assert 1 <= puzzle.grade <= 5
    assert len({puzzle.grade for puzzle in found}) >= 3
    assert parse_puzzles(write_collection(found), "again") == found


@pytest.mark.parametrize("family", ["dots", "mnk", "zertz"])
def test_puzzles_have_a_solver_where_nobody_is_named(family: str) -> None:
    answers = list(solve_puzzles("", collection(family)[:12]))
    assert sum(answer.solved for answer in answers) >= 10


def test_some_of_the_puzzles_are_proven_again() -> None:
    for family in ("dots", "mnk"):
        for puzzle in collection(family)[::12]:
            assert solver_for(puzzle.position.game, seconds=60).move_values(puzzle.position) == puzzle.values


def test_making_puzzles_is_repeatable() -> None:
    once, again = (write_collection(make_puzzles("zertz", 2, 3)) for _ in range(2))
    assert once == again


def test_answers_say_what_was_chosen(shared_data: Path) -> None:
    puzzles = read_puzzles(shared_data / "oracle-5x5x4.jsonl")[:20]
    answers = list(solve_puzzles("exact", puzzles))
    assert all(answer.solved for answer in answers)
    weak = [str(answer) for answer in solve_puzzles("random", puzzles)]
    assert any(text.startswith("not solved") and "best" in text for text in weak)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "no file of puzzles"),
        ("[]", "no file of puzzles"),
        ('{"problems": []}', "no puzzles"),
        ('{"problems": [{"rows": 2}]}', "problem 1: there is no 'cols'"),
        ('{"w": 5}\nnonsense', "line 1: there is no 'h'"),
        ("nonsense", "line 1: this is not JSON"),
        ('{"w": 5, "h": 5, "k": 4, "moves": [[9, 9]], "move_values": []}', "line 1"),
        ("", "no puzzles"),
    ],
)
def test_damaged_puzzles_are_named(text: str, words: str) -> None:
    with pytest.raises(BadRecord) as mistake:
        parse_puzzles(text, "file")
    assert words in str(mistake.value)


# Double deals

TWO_CHAINS = "aA bA cA aB bB cB aC bC cC aD bD cD Aa Ab"  # three chains of three; the first is open, one box taken


def test_a_double_deal_is_seen() -> None:
    position = game("dots:3x3").start().play_line(TWO_CHAINS)
    assert handout(position) == ("chain", position.game.notation.read(position, "Ad")[0])
    mover = position.to_move
    dealt = double_deals(position.play("Ad"))
    assert dealt[mover] == Deals(1, 1, 0, 0)
    assert dealt[1 - mover] == Deals()
    assert double_deals(position.play("Ac"))[mover] == Deals(1, 0, 0, 0)


def test_the_last_boxes_of_a_game_are_no_opportunity() -> None:
    position = game("dots:1x3").start().play_line("aA bA cA aB bB cB Aa Ab")
    assert handout(position) is None


def test_hard_deals_and_medium_does_not(tmp_path: Path) -> None:
    store = Store(tmp_path / "results")
    play_match(MatchPlan(game=game("dots:5x5"), a="hard", b="medium", games=100), store)
    store.close()
    counts = dealing_in_matches(tmp_path / "results", "dots:5x5")
    games, hard = counts["hard"]
    _, medium = counts["medium"]
    assert games == 100
    assert hard.chain_deals > 50
    assert hard.loop_deals > 0
    assert medium.chain_deals < hard.chain_deals / 10
    assert "| `hard` | 100 |" in dealing_table(counts)


# Words


def test_an_endgame_is_explained_exactly() -> None:
    text = "\n".join(explain(game("dots:3x3").start().play_line(TWO_CHAINS)))
    assert "would hand them out: a double deal" in text
    assert text.count("A long chain of 3 boxes") == 2
    assert "No safe line is left." in text
    assert "(exact)" in text


def test_other_phases_are_explained() -> None:
    early = "\n".join(explain(game("dots:5x5").start()))
    assert "Rule of thumb: with 36 dots, A wants an even number of long chains" in early
    assert "safe lines left" in early
    loop = game("dots:2x2").start().play_line("aA bA aC bC Aa Ac Ba Bc")
    assert any("A loop of 4 boxes" in sentence for sentence in explain(loop))
    over = game("dots:1x1").start().play_line("aA aB Aa Ab")
    assert explain(over) == ["The game is over: B won by 1."]


def test_controlled_values() -> None:
    assert controlled_value([3, 3], []) == 2
    assert controlled_value([], [4]) == 4
    assert controlled_value([3], [4]) == 1
    assert controlled_value([], []) == 0


# Commands


def test_solve_prints_every_move() -> None:
    lines = run("solve", "dots:2x2").stdout.splitlines()
    assert lines[0] == "A to move, value +2"
    assert len(lines) == 13
    text = run("solve", "mnk:3x3x3", "a1", "a2", "b1", "b2").stdout
    assert text.startswith("x to move, value win\n  c1")


def test_the_commands_say_what_they_cannot() -> None:
    for words, message in [
        (["solve", "zertz:19"], "no solver for zertz:19"),
        (["solve", "mnk:15x15x5"], "cells"),
        (["explain", "mnk:3x3x3"], "Only Dots and Boxes"),
        (["puzzles", "no-such-file"], "cannot be read"),
        (["puzzles", "--game", "chess"], "no collection"),
        (["mistakes", "random", "--game", "zertz:19"], "no solver"),
        (["dealing", "--results", "no-such-file"], "no results"),
        (["puzzles", "--make", "-3"], "--make"),
        (["solve", "dots:2x2", "--seconds", "1e400"], "a finite number of seconds above 0, not inf"),
        (["solve", "mnk:3x3x3", "--seconds", "nan"], "not nan"),
        (["mistakes", "random", "--seconds", "-1"], "not -1"),
        (["mistakes", "random", "--seed", str(1 << 64)], "--seed"),
        (["match", "random", "easy", "--seed", str(1 << 64)], "--seed"),
        (["train", "dots:2x2", "--minutes", "nan"], "--minutes must be a finite number of at least 0, not nan"),
    ]:
        done = run(*words)
        assert done.returncode == 2, words
        assert message in done.stderr
        assert "Traceback" not in done.stderr


def test_the_commands_answer(shared_data: Path, tmp_path: Path) -> None:
    assert run("puzzles", str(shared_data / "berlekamp.json")).stdout.splitlines()[-1] == "solved 13 of 13"
    rows = (shared_data / "oracle-5x5x4.jsonl").read_text().splitlines()[:20]
    some = tmp_path / "some.jsonl"
    some.write_text("\n".join(rows))
    deciding = sum(not json.loads(row)["all_moves_equal"] for row in rows)
    assert 0 < deciding < 20
    said = run("puzzles", str(some)).stdout.splitlines()[-2:]
    assert said == [f"where moves differ in value: {deciding} of {deciding}", "solved 20 of 20"]
    found = json.loads(
        run("mistakes", "hard", "--game", "dots:2x2", "--games", "5", "--positions", "50", "--json").stdout
    )
    assert found["random_positions"]["decisions"] == 50
    assert "loony" in run("explain", "dots:3x3", *TWO_CHAINS.split()).stdout.lower()
