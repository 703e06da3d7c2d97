"""The papers' experiments, each in a tiny version: all rows are there, counts add up, resuming adds nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from pocketzero.app.cli import app
from pocketzero.errors import PocketZeroError
from pocketzero.experiments.catalogue import experiments, find
from pocketzero.experiments.comparison import Comparison, Share
from pocketzero.experiments.steps import Interrupted, Lab, Wishes
from pocketzero.games import game

Start = Callable[..., Lab]


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nets this small learn fastest on one thread, above all on a busy machine."""
    torch.set_num_threads(1)
    monkeypatch.setattr(torch, "set_num_threads", lambda _: None)
    monkeypatch.setattr("os.cpu_count", lambda: 1)


def reproduce(name: str, folder: Path, **wishes: object) -> Lab:
    """Run the tiny version of an experiment."""
    lab = Lab(folder, Wishes(scale="tiny", **wishes), say=lambda _: None)  # type: ignore[arg-type]
    find(name).reproduce(lab)
    return lab


def cells(folder: Path, title: str) -> dict[str, list[str]]:
    """The rows of a table of the report, by their names."""
    after = (folder / "report.md").read_text().split(f"**{title}", 1)[1]
    rows = [line.strip("| ").split(" | ") for line in after.splitlines() if line.startswith("|")]
    end = next((number for number, line in enumerate(after.splitlines()[2:]) if not line.startswith("|")), len(rows))
    return {row[0]: row[1:] for row in rows[2:end]}


def again_is_the_same(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **wishes: object) -> None:
    """A second start of a finished experiment plays and learns nothing, and writes the same tables."""

    def refuse(*_: object) -> None:
        raise AssertionError("done again")

    before = (folder / "report.md").read_text()
    with monkeypatch.context() as frozen:
        frozen.setattr("pocketzero.training.loop.Run.__init__", refuse)
        frozen.setattr("pocketzero.arena.match.play_game", refuse)
        frozen.setattr("pocketzero.experiments.steps.Match.__init__", refuse)
        reproduce(name, folder, **wishes)
    assert (folder / "report.md").read_text() == before


# What all share


def test_the_command_lists_every_experiment() -> None:
    said = CliRunner().invoke(app, ["reproduce"])
    assert said.exit_code == 0
    assert [line.split()[0] for line in said.output.splitlines()] == list(experiments())


def test_wrong_names_and_scales_are_explained(tmp_path: Path) -> None:
    with pytest.raises(PocketZeroError, match="Did you mean 'Berlekamp'"):
        find("berlekam")
    with pytest.raises(PocketZeroError, match="Scales: default, paper"):
        find("EasyMediumHard").parameters("papr")
    with pytest.raises(PocketZeroError, match="EasyMediumHard has no use for --engine"):
        reproduce("EasyMediumHard", tmp_path, engines=("random",))


def test_differences_are_told_from_chance() -> None:
    paper = {("A", "x"): 0.5, ("B", "x"): 0.5, ("C", "x"): 0.5}
    ours = {("A", "x"): Share(48, 100), ("B", "x"): Share(10, 100)}
    compared = Comparison("Table", ["A", "B", "C"], ["x"], paper, ours, 1000)
    assert [each.by_chance for each in compared.differences] == [True, False]
    table, said, listed, reasons = compared.parts(["Because."])
    assert "1 of 2 numbers agree" in said.words  # type: ignore[union-attr]
    assert "B, x: 10.0% here, 50.0% there (40.0 points less)" in listed.items  # type: ignore[union-attr]
    assert table.rows[2] == ("C", "50%", "–")  # type: ignore[union-attr]
    assert reasons.words == "Reasons: Because."  # type: ignore[union-attr]


def test_an_experiment_that_is_stopped_goes_on_and_ends_like_one_that_was_not(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    reproduce("EasyMediumHard", whole)
    lab = Lab(tmp_path / "halves", Wishes(scale="tiny"), say=lambda words: "medium" in words and lab.interrupt())
    with pytest.raises(Interrupted, match="goes on from here"):
        find("EasyMediumHard").reproduce(lab)
    assert not (lab.folder / "report.md").exists()
    assert len(list((lab.folder / "steps").iterdir())) < 9
    reproduce("EasyMediumHard", lab.folder)
    title = "Table 2, on dots:3x3"
    assert cells(lab.folder, title) == cells(whole, title)


# AlphaDots


def test_easy_medium_hard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reproduce("EasyMediumHard", tmp_path)
    rows = cells(tmp_path, "Table 2, on dots:3x3")
    assert list(rows) == ["Easy", "Medium", "Hard"]
    assert [rows["Medium"][place] for place in (0, 2, 4)] == ["90.82%", "49.72%", "8.93%"]
    shares = {name: [float(cell.split("%")[0]) for cell in row[1::2]] for name, row in rows.items()}
    assert all(number % 5 == 0 for row in shares.values() for number in row)  # of twenty games each
    assert shares["Hard"][0] > shares["Easy"][2]
    again_is_the_same("EasyMediumHard", tmp_path, monkeypatch)


def test_games_may_be_wished_for(tmp_path: Path) -> None:
    reproduce("EasyMediumHard", tmp_path, games=3)
    steps = [json.loads(file.read_text()) for file in (tmp_path / "steps").iterdir()]
    assert [len(step["found"]["games"]) for step in steps] == [4] * 9
    assert "`--games`" in (tmp_path / "report.md").read_text()


PROBLEMS = {
    "problems": [
        {"rows": 2, "cols": 2, "drawn": ["h00", "h10", "v00"], "move_values": {"v01": 2, "v02": -2}},
        {"rows": 2, "cols": 2, "drawn": ["h00", "h10", "v02"], "move_values": {"v01": 2, "v00": -2}},
    ]
}


def test_berlekamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PocketZeroError, match="--positions FILE"):
        reproduce("Berlekamp", tmp_path)
    file = tmp_path / "problems.json"
    file.write_text(json.dumps(PROBLEMS))
    reproduce("Berlekamp", tmp_path, positions=file)
    rows = cells(tmp_path, "Table 6")
    names = ["AlphaZeroV7", "AlphaZeroV7-MCTS", "AlphaZero-Comp-SP", "AlphaZero-Comp-SP-MCTS", "hard"]
    assert list(rows) == [f"{name}: ours" for name in names]
    for row in rows.values():
        passed = row[:2].count("S")
        assert row[2].startswith(f"{passed / 2:.1%}")
    assert rows["hard: ours"][0] == "S"
    confusion = cells(tmp_path, "Boxes taken of the long chain")
    assert confusion["hard"] == ["6 of 6", "right"]
    assert set(names) < set(confusion)
    again_is_the_same("Berlekamp", tmp_path, monkeypatch, positions=file)


def test_on_the_confusion_board_all_six_boxes_are_to_be_taken() -> None:
    from pocketzero.experiments.berlekamp import CHAIN, confusion_board
    from pocketzero.players.solvers import solver_for

    position = confusion_board()
    solver, mover = solver_for(position.game), position.to_move
    for _ in range(CHAIN):
        values = solver.move_values(position)
        best = [action for action, value in values.items() if value == max(values.values())]
        after = position.play_action(best[0])
        assert len(best) == 1
        assert after.to_move == mover  # it takes a box
        position = after


def test_reports_are_whole_pages(tmp_path: Path) -> None:
    reproduce("EasyMediumHard", tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert (
        page.count("<table>") == page.count("</table>") == (tmp_path / "report.md").read_text().count("| --- |\n") == 3
    )
    assert re.search(r"PocketZero \d", page)
    assert "Minutes of each step" in page


# Gomoku


def test_gomoku(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reproduce("gomoku-5x5", tmp_path)
    rows = cells(tmp_path, "Figures 13 and 14, measured")
    assert list(rows) == ["as the paper", "with rotations", "with proven wins"]
    assert rows["with proven wins"][1].startswith("0.0%")  # a search that takes proven wins misses none
    averages = cells(tmp_path, "Figures 7 and 9")["the net alone"]
    assert (averages[0], averages[2]) == ("75%", "60%")
    steps = [json.loads(file.read_text()) for file in (tmp_path / "steps").iterdir()]
    matches = [step["found"]["games"] for step in steps if "against random" in step["step"]]
    assert [len(games) for games in matches] == [4, 4]  # of each checkpoint
    won = sum(points == 1 for games in matches for first, points in games if first == "a")
    assert averages[1].startswith(f"{won / 4:.1%}")
    assert {f"figure-{number}.svg" for number in (6, 7, 8, 9)} <= {file.name for file in tmp_path.iterdir()}
    again_is_the_same("gomoku-5x5", tmp_path, monkeypatch)


def test_positions_with_a_win_or_a_loss_in_one_are_what_they_say() -> None:
    from pocketzero.experiments.gomoku import images, sample, stopping, won_at_once

    board = game("mnk:5x5x4")
    for kind, right_moves in (("win", won_at_once), ("loss", stopping)):
        for moves, right in sample(board, 10, kind):
            shown = list(images(board, moves, right))
            assert len(shown) == 8
            for position, turned in shown:
                assert right_moves(position) == turned
                assert turned


# Dots and Boxes 2022


def history_of(folder: Path) -> list[list[str]]:
    return [line.split(",") for line in (folder / "training-history.csv").read_text().splitlines()]


def check_dump(text: str) -> None:
    """The dump of a game has every line with all its statistics."""
    heads = re.findall(r"^(\d+)-([12]) PC/\d+ \| Next: ([12]) PC/\d+ \| Pts: ([012]) \|", text, re.MULTILINE)
    assert [int(head[0]) for head in heads] == list(range(1, 13))
    for before, after in pairwise(heads):
        assert before[2] == after[1]
    for _, mover, following, points in heads:
        assert (mover == following) == (points != "0")
    assert sum(int(head[3]) for head in heads) == 4
    first = text.split("2-")[0]
    assert len(re.findall(r"\b[A-Ca-c]{2}\(v\d+/q[-\d.e]+/w[-\d.e]+/p[\d.e-]+\)", first)) == 13  # twelve and the winner


def test_subset_a(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reproduce("subset-a", tmp_path)
    evolution = (tmp_path / "report.md").read_text().split("**Tables 5.1 and 5.2**")[1].split("\n\n")[1].splitlines()
    rows = [row.strip("| ").split(" | ") for row in evolution[2:]]
    assert len(rows) == 60
    assert [row[0] for row in rows[:3]] == ["0 vs 1", "0 vs 2", "2 vs 3"]
    made = [row for row in rows if row[4] != "–"]
    assert len(made) == 2
    for number, row in enumerate(made, 1):
        first, second = row[4].split(" vs ")
        assert int(second) == number
        assert int(row[5]) + int(row[6]) <= 2  # games of a competition
        assert row[7] == (second if int(row[6]) > int(row[5]) else first)
    table = cells(tmp_path, "Table 5.3")
    assert [row[:4] for name, row in table.items() if name.endswith("paper")] == [
        ["9", "7", "7", "9"],
        ["11", "13", "13", "11"],
    ]
    head, *epochs = history_of(tmp_path)
    assert head[1:] == [
        "loss",
        "policy_net_loss",
        "value_net_loss",
        "val_loss",
        "val_policy_net_loss",
        "val_value_net_loss",
    ]
    assert epochs
    assert all(abs(float(row[1]) - float(row[2]) - float(row[3])) < 1e-6 for row in epochs)
    check_dump((tmp_path / "game-dump.txt").read_text())
    again_is_the_same("subset-a", tmp_path, monkeypatch)


FIGURE_4_6 = """1 settings = {
2     "SimulationsP1": 3,              -> MCTS simulation agent 1
3     "Boxes": 2,                      -> Board configuration
4     "NumberOfGames": 4,              -> Games to play
5     "OutputId": "false",             -> Adds an Id to file
6     "Mode": 0                        -> Game Mode: 0 Competitive, 1 Training
7 }
"""


def test_subset_b_takes_the_settings_of_figure_4_6(tmp_path: Path) -> None:
    file = tmp_path / "settings.txt"
    file.write_text(FIGURE_4_6)
    lab = reproduce("subset-b", tmp_path / "run", settings=file)
    assert "selfplay.sims=3" in lab.players["subset B"]
    assert "gating.games=4" in lab.players["subset B"]
    said = (tmp_path / "run" / "report.md").read_text()
    assert "sets board = dots:2x2, sims = 3, competition_games = 4. Not used here: OutputId." in said
    for number in (5, 6, 7, 8):
        table = cells(tmp_path / "run", f"Table 5.{number}")
        assert len(table) == 4
        for name, row in table.items():
            games = 80 if name.endswith("paper") else 4
            assert row[4].startswith(f"{sum(map(int, row[:4])) / games:.1%}")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"Boxs": 3}', "Did you mean 'Boxes'"),
        ('{"Boxes": "3"}', "Boxes is a whole number, not '3'"),
        ("[1]", "holds no settings"),
        ("{", "holds no settings"),
    ],
)
def test_wrong_settings_files_are_explained(tmp_path: Path, text: str, words: str) -> None:
    from pocketzero.experiments.settings2022 import read_settings

    (tmp_path / "settings.json").write_text(text)
    with pytest.raises(PocketZeroError, match=words):
        read_settings(tmp_path / "settings.json")


def test_subset_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = reproduce("subset-c", tmp_path)
    assert sum("selfplay.alternating=true" in settings for settings in lab.players.values()) == 2
    assert sum("selfplay.alternating=false" in settings for settings in lab.players.values()) == 2
    assert list(cells(tmp_path, "By seed")) == ["seed 0", "seed 1"]
    assert len(cells(tmp_path, "Beside the exact solver")) == 4
    for number in (9, 10, 11, 12):
        rows = cells(tmp_path, f"Table 5.{number}")
        mine = [row for name, row in rows.items() if "ours" in name.rsplit(":", 1)[1]]
        assert all(int(a) + int(b) <= 2 for a, b in zip(mine[0][:4], mine[1][:4]))  # of both seeds, draws apart
    assert "The alternating sign" in (tmp_path / "report.md").read_text()
    again_is_the_same("subset-c", tmp_path, monkeypatch)


# Nets that learn from Hard, and go on by themselves


def test_preliminary_model_evaluation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reproduce("PreliminaryModelEvaluation", tmp_path)
    rows = cells(tmp_path, "Table 3, on dots:2x2")
    assert list(rows) == ["FirstTry", "BasicStrategy", "StageOne 5x5", "AlphaZeroV1", "AlphaZeroV5", "AlphaZeroV7"]
    assert rows["BasicStrategy"][0::2] == ["57.9%", "24.3%", "5%"]
    assert all(cell[0] in "051" for row in rows.values() for cell in row[1::2])  # of two games each
    assert cells(tmp_path, "How each was taught")["StageOne 5x5"][1] == "each pixel by itself"
    again_is_the_same("PreliminaryModelEvaluation", tmp_path, monkeypatch)


def test_board_performance_goes_on_when_it_is_stopped_while_a_net_learns(tmp_path: Path) -> None:
    lab = Lab(tmp_path, Wishes(scale="tiny"), say=lambda _: None, watch=lambda _: nullcontext(lab.interrupt()))
    with pytest.raises(Interrupted):
        find("BoardPerformance").reproduce(lab)
    assert (tmp_path / "training" / "alphazerov7" / "config.toml").exists()
    assert not list((tmp_path / "steps").iterdir())
    reproduce("BoardPerformance", tmp_path)
    rows = cells(tmp_path, "Table 4")
    assert list(rows) == [f"{size}x{size}" for size in range(5, 16)]
    assert [name for name, row in rows.items() if row[1] != "–"] == ["5x5", "6x6"]
    assert rows["15x15"][0::2] == ["43%", "0.3%", "0%"]
    assert "<polyline" in (tmp_path / "sizes-alphazerov7.svg").read_text()


def test_large_boards(tmp_path: Path) -> None:
    reproduce("LargeBoards", tmp_path)
    together = cells(tmp_path, "All boards together")
    assert list(together) == ["AlphaZero-A-10x10", "AlphaZero-B-5x4"]
    for name, row in together.items():
        shares = cells(tmp_path, f"Table 7: {name}")
        won = [float(cell.split("%")[0]) for size in ("3x3", "4x4") for cell in shares[size][1::2]]
        assert row[1].startswith(f"{sum(won) / 6:.1f}%")
    assert "that B-5x4 is stronger than A-10x10" in (tmp_path / "report.md").read_text()


def test_new_strategies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reproduce("NewStrategies", tmp_path)
    rows = cells(tmp_path, "Table 10: Double Dealing")
    assert list(rows) == [f"AlphaZero-NewStrat{end} {board}" for board in ("2x2", "3x3") for end in ("", "-SP")]
    assert rows["AlphaZero-NewStrat-SP 3x3"][0] == "7,853 in 30,000 games"
    steps = [json.loads(file.read_text()) for file in (tmp_path / "steps").iterdir()]
    counted = [step["found"]["extra"] for step in steps if "on dots:3x3" in step["step"] and "-sp" in step["step"]]
    assert len(counted) == 3
    deals, chances = (sum(extra[place] + extra[place + 2] for extra in counted) for place in (1, 0))
    assert rows["AlphaZero-NewStrat-SP 3x3"][1] == f"{deals} in 12 games"
    assert deals <= chances
    assert re.search(r"\d of 1 contenders", (tmp_path / "report.md").read_text())
    again_is_the_same("NewStrategies", tmp_path, monkeypatch)


def test_competition(tmp_path: Path) -> None:
    reproduce("Competition", tmp_path, engines=("random",))
    rows = cells(tmp_path, "Table 11, on dots:2x2")
    names = ["AlphaZero-Comp", "AlphaZero-Comp-SP", "AlphaZero-Comp-SPv2"]
    assert list(rows) == [each for name in names for each in (name, f"{name}-MCTS")]
    for row in rows.values():
        assert [cell == "–" for cell in row[1::2]] == [False, False, False, False, True, True, False]
        assert row[-2] == "–"  # the thesis did not play against it
    assert rows["AlphaZero-Comp-SPv2-MCTS"][0:8:2] == ["95%", "85%", "52%", "16%"]


# DeepZertz


def test_deepzertz_19(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pocketzero.games.records import read_record

    reproduce("deepzertz-19", tmp_path)
    rows = cells(tmp_path, "Table 1: matches of greedy players")
    assert list(rows) == ["10 x 16 CNN vs. 10 x 32 CNN", "random vs. 10 x 16 CNN", "random vs. 10 x 32 CNN"]
    assert [row[0] for row in rows.values()] == ["4/8", "5/8", "4/8"]
    assert all(re.fullmatch(r"[012]/2", row[1]) for row in rows.values())
    assert list(cells(tmp_path, "Loss of policy and value together")) == ["dense", "1 x 2", "1 x 4"]
    assert "of 2 convolutional nets end below the dense one" in (tmp_path / "report.md").read_text()
    assert len(cells(tmp_path, "At equal time")) == 2
    logs = (tmp_path / "report.md").read_text().split("## Game logs")[1].split("```")[1::2]
    assert len(logs) == 3
    for log in logs:
        record = read_record(log.split("\n\n", 2)[2], game=game("zertz:19/deepzertz"))
        assert record.final.ply > 2
        assert log.rstrip().endswith(("wins", "Draw"))
    again_is_the_same("deepzertz-19", tmp_path, monkeypatch)


def test_deepzertz_37(tmp_path: Path) -> None:
    lab = reproduce("deepzertz-37", tmp_path)
    assert list(cells(tmp_path, "Table 1: matches of greedy players")) == ["random vs. 10 x 64 CNN"]
    assert list(lab.players) == ["10 x 64 CNN"]
    assert "zertz:37/deepzertz/joint" in lab.players["10 x 64 CNN"]


@pytest.mark.parametrize("budget", [float("nan"), float("inf"), -1.0])
def test_a_budget_is_a_time_that_ends(budget: float) -> None:
    with pytest.raises(PocketZeroError, match="The budget must be a finite number of at least 0"):
        Wishes(budget=budget)
