"""The papers' experiments, each in a tiny version: all rows are there, counts add up, resuming adds nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
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
