"""Gating: who may play, what learning goes on from, and that a decision is made exactly once whatever happens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pocketzero.arena.match import MatchResult
from pocketzero.arena.store import Played
from pocketzero.errors import PocketZeroError
from pocketzero.games import game
from pocketzero.nets.files import checkpoint_files, load_net
from pocketzero.training.config import Config, load_config
from pocketzero.training.episodes import read_shard
from pocketzero.training.gating import Gate
from pocketzero.training.learner import Learner
from pocketzero.training.loop import Run
from pocketzero.training.rundir import read_metrics
from pocketzero.training.warm import taught_games

SMALL = ["net.channels=8", "net.blocks=1", "selfplay.sims=8", "replay.round_plies=60", "replay.window=500"]
SMALL += ["learn.batch=32", "learn.rate=0.01", "replay.reuse=1", "trees=8", "measure.minutes=0", "threads=1"]
SMALL += ["device=openvino", "minutes=10", "gating.sims=0", "learn.bf16=no"]


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nets this small learn fastest on one thread, above all on a busy machine."""
    torch.set_num_threads(1)
    monkeypatch.setattr(torch, "set_num_threads", lambda _: None)


def small(*changes: str) -> Config:
    return load_config("dots:2x2", preset="default", changes=[*SMALL, *changes])


def weights(net: torch.nn.Module) -> torch.Tensor:
    return torch.cat([tensor.flatten().float() for tensor in net.state_dict().values()]).clone()


def learn_from_hard(run: Run, steps: int = 150) -> None:
    """Learning that certainly helps."""
    games = taught_games("hard", game("dots:2x2"), range(200), run.config)
    chance = np.random.default_rng(0)
    samples = [(episode, place) for episode in games for place in range(len(episode.searched))]
    for _ in range(steps):
        chosen = [samples[number] for number in chance.integers(len(samples), size=32)]
        run.learner.learn(run.framer.frame(chosen, chance), 0.5)
    run._save()


def forget_everything(run: Run) -> None:
    """Learning that certainly harms: ten steps to a net of random weights."""
    fresh = Learner(run.description, run.config.learn, seed=99)
    run.learner.net.load_state_dict(fresh.net.state_dict())
    run.learner.average.load_state_dict(fresh.average.state_dict())
    run.learner.step += 10
    run._save()


def answers(run: Run) -> np.ndarray[Any, Any]:
    """What the net that plays says of the start."""
    return run.workers.boards[0].evaluator.evaluate(game("dots:2x2").start().planes()[None])[0]


def decisions(folder: Path) -> list[dict[str, Any]]:
    return [line for line in read_metrics(folder) if line["kind"] == "gate"]


def scores(monkeypatch: pytest.MonkeyPatch, wins: int, losses: int, draws: int = 0) -> None:
    """Let all matches end like this."""
    points = [1.0] * wins + [0.0] * losses + [0.5] * draws
    played = Played(
        number=0,
        first="a",
        result="",
        points_a=0,
        margin=0,
        length=12,
        opening=0,
        moves="",
        reason="",
        seconds_a=0,
        seconds_b=0,
    )
    games = tuple(replace(played, number=number, points_a=each) for number, each in enumerate(points))
    monkeypatch.setattr(Gate, "_match", lambda *_: MatchResult(None, games))  # type: ignore[arg-type]


def test_a_worse_net_is_refused_and_the_better_one_plays_on_after_a_restart(tmp_path: Path) -> None:
    folder, config = tmp_path / "run", small("gating.mode=gate", "gating.games=60")
    run = Run(config, folder)
    assert (run.gate.accepted, run.learner.step) == (0, 0)
    first = answers(run)
    learn_from_hard(run)
    assert np.array_equal(answers(run), first)  # it has not shown yet that it is better
    run._judge()
    assert run.gate.accepted == 150
    good, good_weights = answers(run), weights(run.learner.net)
    assert not np.allclose(good, first)
    forget_everything(run)
    assert run.gate.waits_for(160)
    run._judge()
    assert (run.gate.accepted, run.learner.step) == (150, 160)
    assert not run.gate.waits_for(160)
    assert np.array_equal(answers(run), good)
    assert {board.games.net for board in run.workers.boards} == {150}
    assert torch.equal(weights(run.learner.net), good_weights)  # what failed is dropped
    run.folder.close()  # as if it had been killed

    again = Run(config, folder)
    assert (again.gate.accepted, again.learner.step) == (150, 160)
    assert np.allclose(answers(again), good, atol=1e-5)
    assert {board.games.net for board in again.workers.boards} == {150}
    assert torch.equal(weights(again.learner.net), good_weights)
    again.folder.close()
    files = checkpoint_files(folder)
    assert (folder / "checkpoints" / "best.safetensors").read_bytes() == files[150].read_bytes()
    assert not torch.equal(weights(load_net(files[160])), weights(load_net(files[150])))  # the failure can be looked at
    assert [(line["step"], line["against"], line["passed"]) for line in decisions(folder)] == [
        (150, 0, True),
        (160, 150, False),
    ]
    assert decisions(folder)[0]["score"] >= 0.55 > decisions(folder)[1]["score"]


@pytest.mark.parametrize(
    ("mode", "result", "passes", "goes_back"),
    [
        ("gate", (55, 45), True, False),
        ("gate", (54, 44, 2), True, False),
        ("gate", (54, 46), False, True),
        ("cumulative", (55, 45), True, False),
        ("cumulative", (54, 46), False, False),
        ("competition", (51, 49), True, False),
        ("competition", (50, 50), False, True),
        ("competition", (30, 29, 41), True, False),
    ],
)
def test_what_each_mode_makes_of_a_match(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    result: tuple[int, ...],
    passes: bool,
    goes_back: bool,
) -> None:
    scores(monkeypatch, *result)
    run = Run(small(f"gating.mode={mode}"), tmp_path)
    first = weights(run.learner.net)
    forget_everything(run)
    run._judge()
    assert run.gate.accepted == (10 if passes else 0)
    assert {board.games.net for board in run.workers.boards} == {run.gate.accepted}
    assert torch.equal(weights(run.learner.net), first) == goes_back
    assert run.learner.step == 10
    run.folder.close()


def test_a_process_that_dies_before_it_saves_decides_again_from_the_same_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small("gating.mode=gate", "gating.games=10", "gating.threshold=0.0")
    run = Run(config, tmp_path)
    forget_everything(run)
    with monkeypatch.context() as fault:
        fault.setattr(Run, "_save", lambda _: (_ for _ in ()).throw(OSError("killed")))
        with pytest.raises(OSError, match="killed"):
            run._judge()
    run.folder.close()
    assert decisions(tmp_path) == []
    again = Run(config, tmp_path)
    assert again.gate.accepted == 0
    assert again.gate.waits_for(again.learner.step)
    monkeypatch.setattr("pocketzero.arena.match.play_game", lambda *_: pytest.fail("a game was played twice"))
    again._judge()
    assert again.gate.accepted == 10
    again.folder.close()
    (tmp_path / "metrics.jsonl").unlink()  # as if it had died just before it noted the decision
    Run(config, tmp_path).folder.close()
    Run(config, tmp_path).folder.close()
    assert [line["step"] for line in decisions(tmp_path)] == [10]


def test_a_match_that_is_stopped_decides_nothing(tmp_path: Path) -> None:
    run = Run(small("gating.mode=gate", "gating.games=400", "gating.threshold=0.0"), tmp_path)
    forget_everything(run)
    run.stop.set()
    run._judge()
    assert run.gate.accepted == 0
    assert run.gate.waits_for(10)
    assert decisions(tmp_path) == []
    run.folder.close()


class UntilJudged(Run):
    """A run that ends after two decisions."""

    def _judge(self) -> None:
        super()._judge()
        if len(decisions(self.folder.path)) == 2:
            self.stop.set()


@pytest.mark.parametrize(("threshold", "moves_on"), [("0.0", True), ("1.0", False)])
def test_in_a_run_games_are_played_by_the_accepted_net(tmp_path: Path, threshold: str, moves_on: bool) -> None:
    config = small("gating.mode=cumulative", "gating.games=10", f"gating.threshold={threshold}")
    UntilJudged(config, tmp_path).run()
    found = decisions(tmp_path)
    nets = {episode.net for file in (tmp_path / "games").glob("*.parquet") for episode in read_shard(file)}
    steps = [line["step"] for line in found]
    assert 0 < steps[0] < steps[1]
    assert [line["against"] for line in found] == ([0, steps[0]] if moves_on else [0, 0])
    assert nets == ({0, steps[0]} if moves_on else {0})


def test_without_gating_the_newest_net_plays(tmp_path: Path) -> None:
    run = Run(small(), tmp_path)
    assert not run.gate.is_on
    assert not run.gate.waits_for(5)
    run._play()
    run._learn()
    assert {board.games.net for board in run.workers.boards} == {run.learner.step}
    run.folder.close()


def test_wrong_settings_are_explained() -> None:
    for change in ("mode=gates", "threshold=55", "games=7", "sims=-1"):
        with pytest.raises(PocketZeroError, match=r"gating\."):
            small(f"gating.{change}")
