"""The arena: every game counts once, figures are what statistics says, openings are fair, faults lose cleanly."""

from __future__ import annotations

import json
import math
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from pocketzero.arena import plots
from pocketzero.arena.crew import SentPlayer
from pocketzero.arena.elo import Sprt, elo_of, estimate, score_of
from pocketzero.arena.match import Match, MatchPlan, play_game, play_match
from pocketzero.arena.openings import openings, random_position
from pocketzero.arena.ratings import Results, rate
from pocketzero.arena.report import tournament_html, tournament_markdown, write_report
from pocketzero.arena.store import MatchKey, Played, Store
from pocketzero.arena.tournament import fixtures, play_tournament
from pocketzero.errors import PocketZeroError
from pocketzero.games import Outcome, Position, game
from pocketzero.players.base import Forfeit, Player
from pocketzero.players.human import HumanPlayer
from pocketzero.players.spec import make_player

DOTS = game("dots:3x3")


def plan(**changes: object) -> MatchPlan:
    return MatchPlan(**{"game": DOTS, "a": "hard", "b": "medium", "games": 20, **changes})  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    opened = Store(tmp_path / "arena.sqlite")
    yield opened  # type: ignore[misc]
    opened.close()


def test_every_opening_is_played_from_both_sides(store: Store) -> None:
    result = play_match(plan(games=40), store)
    assert [played.number for played in result.games] == list(range(40))
    for even, odd in zip(result.games[::2], result.games[1::2]):
        assert (even.first, odd.first) == ("a", "b")
        assert even.moves.split()[: even.opening] == odd.moves.split()[: odd.opening]
        assert even.opening == 4
    assert result.wins_a + result.wins_b + result.draws == 40


def test_points_follow_from_the_moves(store: Store) -> None:
    """Replaying every game by the rules gives the result that was counted."""
    for played in play_match(plan(games=30, a="random", b="easy"), store).games:
        final = DOTS.start().play_line(played.moves)
        assert final.is_over
        first = {Outcome.FIRST: 1.0, Outcome.SECOND: 0.0, Outcome.DRAW: 0.5}[final.outcome]
        assert played.points_a == (first if played.first == "a" else 1 - first)
        assert (played.margin, played.length) == (final.margin, final.ply)


def test_the_same_match_has_the_same_games_whoever_plays_them(tmp_path: Path) -> None:
    moves = []
    for name, workers in (("one", 1), ("three", 3)):
        kept = Store(tmp_path / name)
        moves.append([played.moves for played in play_match(plan(workers=workers), kept).games])
        kept.close()
    assert moves[0] == moves[1]
    assert len(set(moves[0])) > 15


def test_a_match_goes_on_where_it_stopped(store: Store) -> None:
    first = play_match(plan(games=10), store)
    assert play_match(plan(games=20), store).games[:10] == first.games
    assert play_match(plan(games=10), store).games == first.games  # nothing new is played
    assert play_match(plan(games=10, seed=1), store).games != first.games
    assert len(play_match(plan(games=4), store, fresh=True).games) == 4


def test_a_killed_match_ends_with_each_game_once(tmp_path: Path) -> None:
    """kill -9 three times in the middle, then to the end: exactly 200 games."""
    words = [
        "match",
        "hard",
        "medium",
        "--game",
        "dots:5x5",
        "--games",
        "200",
        "--json",
        "--results",
        str(tmp_path / "r"),
    ]
    command = [sys.executable, "-m", "pocketzero", *words]
    counts = []
    for wanted in (15, 60, 110):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while _games_in(tmp_path / "r") < wanted and process.poll() is None:
            time.sleep(0.005)
        process.kill()
        process.communicate()
        counts.append(_games_in(tmp_path / "r"))
    assert 0 < counts[0] < counts[1] < counts[2] < 200, "killed too late to show anything"
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = json.loads(done.stdout)
    assert found["games"] == found["wins_a"] + found["wins_b"] + found["draws"] == 200
    with sqlite3.connect(tmp_path / "r") as base:
        numbers = [row[0] for row in base.execute("select number from games order by number")]
    base.close()
    assert numbers == list(range(200))


def _games_in(path: Path) -> int:
    if not path.exists():
        return 0
    base = sqlite3.connect(path, timeout=10)
    try:
        return base.execute("select count(*) from games").fetchone()[0]
    except sqlite3.OperationalError:  # the table is not there yet
        return 0
    finally:
        base.close()


def test_control_c_keeps_what_was_played(tmp_path: Path) -> None:
    words = ["match", "uct:sims=3000", "uct:sims=3000", "--game", "dots:5x5", "--results", str(tmp_path / "r")]
    process = subprocess.Popen(
        [sys.executable, "-m", "pocketzero", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while _games_in(tmp_path / "r") < 1 and process.poll() is None:
        time.sleep(0.02)
    begin = time.perf_counter()
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert time.perf_counter() - begin < 10
    assert out == ""
    assert "the same command goes on" in error
    assert "Traceback" not in error


class Careless(Player):
    """Plays by chance until its third move, then does something wrong."""

    text = "careless"

    def __init__(self, fault: object) -> None:
        self.fault, self.moves = fault, 0

    def begin(self, seed: int) -> None:
        self.moves = 0

    def choose(self, position: Position) -> int:
        self.moves += 1
        if self.moves < 3:
            return position.legal_actions()[0]
        if isinstance(self.fault, Exception):
            raise self.fault
        return int(self.fault)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("fault", "words"), [(Forfeit("It fell silent."), "It fell silent"), (999, "not legal"), (-1, "not legal")]
)
@pytest.mark.parametrize("side", [0, 1])
def test_a_fault_loses_the_game(fault: object, words: str, side: int) -> None:
    careless, other = Careless(fault), make_player("random", DOTS)
    players = (careless, other) if side == 0 else (other, careless)
    _, outcome, reason, _ = play_game(players, DOTS.start(), 1)
    assert outcome is (Outcome.SECOND if side == 0 else Outcome.FIRST)
    assert words in reason


def test_a_bug_in_a_player_ends_the_match_with_its_error(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pocketzero.arena.match.make_player", lambda text, board: Careless(ZeroDivisionError("oops")))
    with pytest.raises(ZeroDivisionError, match="oops"):
        play_match(plan(), store)


def test_a_person_sits_at_one_board_at_a_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    boards, at_once = set[int](), []

    def choose(self: HumanPlayer, position: Position) -> int:
        boards.add(threading.get_ident())
        at_once.append(len(boards))
        time.sleep(0.01)
        boards.discard(threading.get_ident())
        return position.legal_actions()[0]

    monkeypatch.setattr(HumanPlayer, "choose", choose)
    play_match(plan(game=game("dots:1x2"), a="human", b="random", games=6, workers=3, openings="random:1"), store)
    assert len(at_once) > 6
    assert set(at_once) == {1}
    with pytest.raises(PocketZeroError, match="human plays at this terminal, not on a cluster"):
        SentPlayer.of("human", DOTS)


@pytest.mark.parametrize("who", ["human", "random"])
def test_nothing_is_drawn_over_the_board_of_a_person(tmp_path: Path, who: str) -> None:
    """With ``human`` the error stream has only boards and questions; others have a bar there."""
    words = ["match", who, "random", "--game", "dots:1x1", "--games", "2", "--openings", "random:1"]
    done = subprocess.run(
        [sys.executable, "-m", "pocketzero", *words],
        input="", capture_output=True, text=True, cwd=tmp_path, timeout=120,
    )  # fmt: skip
    assert ("The person left the game" in done.stdout) == ("to move: " in done.stderr) == (who == "human")
    assert ("2/2" in done.stderr) == (who == "random")


def test_a_match_can_be_stopped_from_outside(store: Store) -> None:
    match = Match(plan(a="uct:sims=20000", b="uct:sims=20000", games=2000), store)
    threading.Timer(0.5, match.stop).start()
    assert len(match.play().games) < 2000


@pytest.mark.parametrize(
    ("changes", "words"), [({"games": 3}, "even number"), ({"games": 0}, "even number"), ({"workers": -1}, "negative")]
)
def test_a_plan_is_checked(changes: dict[str, object], words: str) -> None:
    with pytest.raises(PocketZeroError, match=words):
        plan(**changes)


def test_a_file_that_holds_no_results_is_refused(tmp_path: Path) -> None:
    (tmp_path / "wrong").write_bytes(b"this is not a database, and long enough to be one" * 100)
    with pytest.raises(PocketZeroError, match="cannot be opened"):
        Store(tmp_path / "wrong")
    newer = Store(tmp_path / "newer")
    newer._base.execute("pragma user_version=99")
    newer.close()
    with pytest.raises(PocketZeroError, match="version 99"):
        Store(tmp_path / "newer")


def test_a_full_disk_is_said(store: Store) -> None:
    key = MatchKey(game="g", player_a="a", player_b="b", openings="o", seed=0)
    store.open_match(key)
    pages = store._base.execute("pragma page_count").fetchone()[0]
    store._base.execute(f"pragma max_page_count={pages}")
    names = ("margin", "length", "opening", "seconds_a", "seconds_b")
    large = Played(
        number=1, first="a", result="draw", points_a=0.5, moves="x" * 5_000_000, reason="", **dict.fromkeys(names, 0)
    )
    with pytest.raises(PocketZeroError, match="cannot be written"):
        store.add(key, large)


# Openings


def test_random_openings_have_their_length_and_differ() -> None:
    begin = openings("random:4", game("dots:5x5"), seed=7)
    found = [begin(number) for number in range(50)]
    assert len({position.key for position in found}) == 50
    assert found == [begin(number) for number in range(50)]
    assert all(position.ply == 4 for position in found)


def test_turns_are_counted_not_actions() -> None:
    """In Zertz a turn is a marble and a ring."""
    position = random_position(game("zertz:37"), 2, 5)
    assert position is not None
    assert (position.ply, position.to_move) == (4, 0)


def test_openings_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("# two\naA bA\n\nAa\n")
    begin = openings(f"file:{file}", DOTS, 0)
    assert [begin(number).line for number in range(3)] == [["aA", "bA"], ["Aa"], ["aA", "bA"]]
    file.write_text("aA\naA aA\n")
    with pytest.raises(PocketZeroError, match="line 2: Move 2: 'aA' is not legal"):
        openings(f"file:{file}", DOTS, 0)
    file.write_text("# none\n")
    with pytest.raises(PocketZeroError, match="no openings"):
        openings(f"file:{file}", DOTS, 0)


@pytest.mark.parametrize("text", ["random", "random:x", "file:", "swap2", "random:-1", ""])
def test_wrong_openings_are_explained(text: str) -> None:
    with pytest.raises(PocketZeroError, match="Openings are"):
        openings(text, DOTS, 0)


def test_an_opening_longer_than_any_game_is_explained() -> None:
    with pytest.raises(PocketZeroError, match="try fewer turns"):
        openings("random:40", game("mnk:3x3x3"), 0)(0)


# Elo


def test_elo_and_score_are_inverse() -> None:
    assert elo_of(0.75) == pytest.approx(190.85, abs=0.01)
    for score in (0.01, 0.3, 0.5, 0.97):
        assert score_of(elo_of(score)) == pytest.approx(score)


def test_estimates_are_finite_and_ordered() -> None:
    for pairs in ([], [1.0] * 100, [0.0] * 3, [0.5], [1.0, 0.0]):
        found = estimate(pairs)
        assert all(math.isfinite(value) for value in vars(found).values())
        assert found.elo_low < found.elo < found.elo_high
        assert 0 <= found.score_low <= found.score <= found.score_high <= 1


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    """95% of the intervals of simulated matches contain the true score, also with correlated pairs."""
    chance = np.random.default_rng(1)
    for truth in (0.5, 0.7, 0.95):
        held = 0
        for _ in range(1000):
            shift = chance.normal(0, 0.15, 100)
            chances = np.clip(np.stack([truth + shift, truth - shift]), 0, 1)
            pairs = (chance.random((2, 100)) < chances).mean(axis=0)
            found, mean = estimate(pairs.tolist()), chances.mean()
            held += found.score_low <= mean <= found.score_high
        assert 0.92 < held / 1000 <= 0.995, truth


def test_sprt_decides_rightly_and_early() -> None:
    test, chance = Sprt(0, 100), random.Random(1)
    wrong = lengths = 0
    for truth, right in ((0, "elo0"), (100, "elo1")):
        for _ in range(200):
            pairs: list[float] = []
            while not (verdict := test.decision(pairs)) and len(pairs) < 2000:
                pairs.append(sum(chance.random() < score_of(truth) for _ in range(2)) / 2)
            wrong += verdict != right
            lengths += len(pairs)
    assert wrong / 400 < 0.08  # 5% promised, and the noise of 400 tries
    assert lengths / 400 < 120
    assert test.decision([]) == ""


def test_sprt_stops_a_match(store: Store) -> None:
    result = play_match(plan(a="hard", b="random", games=1000, sprt=Sprt(0, 50)), store)
    assert result.decided == "elo1"
    assert len(result.games) < 400


@pytest.mark.parametrize("games", [1000, 2000])
def test_a_decided_match_is_not_played_on(store: Store, games: int) -> None:
    """Started again, or with more games allowed, it only says what it was decided by."""
    first = play_match(plan(a="hard", b="random", games=1000, sprt=Sprt(0, 50)), store)
    again = play_match(plan(a="hard", b="random", games=games, sprt=Sprt(0, 50)), store)
    assert again.games == first.games
    assert again.decided == "elo1"


# Ratings


def simulated(strengths: dict[str, float], advantage: float, nu: float, games: int, seed: int) -> list[Results]:
    """Games drawn from the model itself."""
    chance = np.random.default_rng(seed)
    found = []
    for first, x in strengths.items():
        for second, y in strengths.items():
            if first == second:
                continue
            logs = np.array([(x + advantage / 2), (x + y) / 2, (y - advantage / 2)]) * math.log(10) / 400
            weights = np.exp(logs) * [1, nu, 1]
            wins, draws, losses = chance.multinomial(games, weights / weights.sum())
            found.append(Results(first, second, int(wins), int(draws), int(losses)))
    return found


def test_ratings_find_what_made_the_games() -> None:
    strengths = {"a": 0.0, "b": 120.0, "c": -80.0, "d": 300.0}
    found = rate(simulated(strengths, 60, 0.5, 2000, 1), anchor="a")
    assert [row.player for row in found.ratings] == ["d", "b", "a", "c"]
    for row in found.ratings:
        assert row.elo == pytest.approx(strengths[row.player], abs=15)
    assert found.first_advantage == pytest.approx(60, abs=10)
    assert found.draw_share == pytest.approx(0.2, abs=0.01)


def test_rating_intervals_hold_the_truth() -> None:
    strengths, held, rows = {"a": 0.0, "b": 100.0, "c": 200.0}, 0, 0
    for seed in range(200):
        for row in rate(simulated(strengths, 30, 0.3, 50, seed), anchor="a").ratings:
            if row.player != "a":
                rows += 1
                held += abs(row.elo - strengths[row.player]) <= row.plus
    assert 0.92 < held / rows < 0.985


def test_someone_who_wins_all_has_a_finite_rating_and_the_anchor_is_kept() -> None:
    found = rate([Results("a", "b", 10, 0, 0), Results("b", "a", 0, 0, 10)], anchor="b", anchor_elo=1500)
    assert found.ratings[0].player == "a"
    assert 1700 < found.ratings[0].elo < 3000
    assert (found.ratings[1].elo, found.ratings[1].plus) == (1500, 0)


def test_players_who_never_met_cannot_be_compared() -> None:
    with pytest.raises(PocketZeroError, match="No games link"):
        rate([Results("a", "b", 1, 0, 1), Results("c", "d", 1, 0, 1)])
    with pytest.raises(PocketZeroError, match="no games"):
        rate([])
    with pytest.raises(PocketZeroError, match="anchor"):
        rate([Results("a", "b", 1, 0, 1)], anchor="z")


def test_who_meets_whom() -> None:
    assert fixtures(["a", "b", "c"], ladder=False) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert fixtures(["a", "b", "c"], ladder=True) == [("a", "b"), ("b", "c")]
    with pytest.raises(PocketZeroError, match="twice"):
        fixtures(["a", "a"], ladder=True)
    with pytest.raises(PocketZeroError, match="at least two"):
        fixtures(["a"], ladder=True)


def test_a_tournament_and_its_report(store: Store, tmp_path: Path) -> None:
    found = play_tournament(["random", "easy", "hard"], plan(games=60), store, anchor="random")
    assert [row.player for row in found.ratings.ratings] == ["hard", "easy", "random"]
    text = tournament_markdown(found)
    assert "3 players, 180 games" in text
    assert "| 1 | `hard` |" in text
    write_report(found, tmp_path / "report")
    names = {file.name for file in (tmp_path / "report").iterdir()}
    assert names == {
        "report.md",
        "report.html",
        "report.json",
        "cross-table.svg",
        "elo.svg",
        "sides.svg",
        "lengths.svg",
    }
    page = tournament_html(found)
    assert page.count("<svg") == 4
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_names_of_players_cannot_break_a_plot() -> None:
    drawn = plots.intervals("Elo", [("<script>alert(1)</script>", 1.0, 1.0)])
    assert "<script>" not in drawn
    assert "&lt;script&gt;" in drawn


def test_the_command_prints_one_object(tmp_path: Path) -> None:
    words = ["match", "easy", "random", "--game", "dots:2x2", "--games", "10", "--json", "--openings", "random:2"]
    done = subprocess.run(
        [sys.executable, "-m", "pocketzero", *words],
        capture_output=True, text=True, cwd=tmp_path, timeout=120, env={**os.environ, "NO_COLOR": "1"},
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert {"wins_a", "wins_b", "draws", "elo", "elo_low", "elo_high"} <= set(found)
    assert found["wins_a"] + found["wins_b"] + found["draws"] == 10
    assert (tmp_path / "runs" / "arena.sqlite").exists()
