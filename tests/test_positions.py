"""Labelled positions: how late in the game they are, what their labels say and to whom, and runs that use them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from pocketzero.errors import PocketZeroError
from pocketzero.games import Position, game
from pocketzero.players.solvers import solver_for
from pocketzero.search import Uniform
from pocketzero.training.config import load_config
from pocketzero.training.episodes import Episode, read_shard, write_shard
from pocketzero.training.loop import Run
from pocketzero.training.positions import LabelledPositions, PositionOptions, is_labelling_round, moves_left
from pocketzero.training.rundir import read_metrics
from pocketzero.training.samples import Maker
from pocketzero.training.selfplay import SelfPlayOptions

SMALL = ["net.channels=8", "net.blocks=1", "selfplay.sims=8", "replay.round_plies=60", "replay.window=500"]
SMALL += ["learn.batch=16", "replay.reuse=1", "trees=8", "measure.minutes=0", "threads=1", "device=openvino"]
SMALL += ["learn.bf16=no", "minutes=10"]
PLAYERS = {"dots:2x2": "hard", "mnk:3x3x3": "random"}


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nets this small learn fastest on one thread, above all on a busy machine."""
    torch.set_num_threads(1)
    monkeypatch.setattr(torch, "set_num_threads", lambda _: None)


def producer(name: str, episodes: list[Episode], seed: int = 3, **changes: object) -> LabelledPositions:
    options = PositionOptions(**{"player": PLAYERS[name], **changes})  # type: ignore[arg-type]
    return LabelledPositions(game(name), options, SelfPlayOptions(), episodes.append, trees=8, seed=seed)


def label(name: str, count: int, **changes: object) -> list[Episode]:
    episodes: list[Episode] = []
    maker, evaluator = producer(name, episodes, **changes), Uniform(game(name))
    while len(episodes) < count:
        maker.step(evaluator)
    return episodes[:count]


def position_of(episode: Episode) -> Position:
    position = game(episode.game).start()
    for action in episode.actions.tolist():
        position = position.play_action(action)
    return position


@pytest.mark.parametrize(("mean", "deviation"), [(0.5, 0.125), (0.6, 0.2)])
def test_moves_left_are_gaussian(mean: float, deviation: float) -> None:
    options, chance = PositionOptions(mean=mean, deviation=deviation), np.random.default_rng(0)
    drawn = np.array([moves_left(1000, options, chance) for _ in range(10_000)]) / 1000
    assert drawn.mean() == pytest.approx(mean, abs=0.01)
    assert drawn.std() == pytest.approx(deviation, rel=0.05)
    assert drawn.min() >= 0.001
    assert drawn.max() <= 1


def test_positions_are_where_the_settings_say() -> None:
    plies = np.array([len(episode.actions) for episode in label("dots:2x2", 1000, policy="player")])
    assert (12 - plies).mean() == pytest.approx(6, abs=0.2)
    assert (12 - plies).std() == pytest.approx(1.53, abs=0.15)  # 12/8, and a little for rounding
    assert {len(each.actions) for each in label("dots:2x2", 20, policy="player", mean=1.0, deviation=0.0)} == {0}
    assert {len(each.actions) for each in label("dots:2x2", 20, policy="player", mean=0.0)} <= set(range(8, 12))
    assert not any(position_of(episode).is_over for episode in label("mnk:3x3x3", 200, policy="player", mean=0.0))


@pytest.mark.parametrize("name", ["dots:2x2", "mnk:3x3x3"])
@pytest.mark.parametrize("policy", ["net", "uct"])
def test_a_long_search_labels_with_the_truth_for_the_mover(name: str, policy: str) -> None:
    """On boards that a search proves, labels are right, also where the same player moves again."""
    solver, again, movers = solver_for(game(name)), 0, set()
    for episode in label(name, 100, policy=policy, sims=5000, mean=0.4):
        position, [searched] = position_of(episode), episode.searched
        truth = np.sign(solver.value(position))  # for the mover
        assert searched.value == pytest.approx(truth, abs=0.25)  # not all draws are proven
        assert episode.result == searched.value * (1 if position.to_move == 0 else -1)
        values = solver.move_values(position)
        best = searched.actions[searched.shares.argmax()]
        assert np.sign(values[int(best)]) == truth
        before = position.previous
        again += before is not None and before.to_move == position.to_move
        movers.add(position.to_move)
    assert movers == {0, 1}
    assert again > 10 or name != "dots:2x2"


@pytest.mark.parametrize("policy", ["net", "uct"])
def test_a_win_in_one_is_the_whole_policy(policy: str) -> None:
    board = game("mnk:3x3x3")
    seen = 0
    for episode in label("mnk:3x3x3", 200, policy=policy, sims=200, mean=0.2, deviation=0.0):
        position, [searched] = position_of(episode), episode.searched
        wins = [action for action in position.legal_actions() if position.play_action(action).is_over]
        if wins and len(position.actions) + 1 < board.max_length:
            seen += 1
            assert set(searched.actions.tolist()) <= set(wins)
            assert searched.value == 1
    assert seen > 50


@pytest.mark.parametrize("scale", [1.0, 0.8, 0.0])
def test_playing_on_gives_the_final_lead_of_the_first_player(scale: float) -> None:
    episodes = label("dots:2x2", 100, policy="player", value_scale=scale)
    same = producer("dots:2x2", [], policy="player", value_scale=scale)
    for episode in episodes:
        drawn = same.draw()
        assert drawn.seed == episode.seed
        same._chance.random()  # what decides whether a position is held back
        lead = drawn.final.margin or 0
        expected = np.clip(lead / (scale * 4), -1, 1) if scale else np.sign(lead)
        assert episode.result == pytest.approx(expected)
        assert episode.searched[0].value == pytest.approx(expected * (1 if drawn.position.to_move == 0 else -1))
        assert episode.searched[0].actions.tolist() == [drawn.action]
    assert len({episode.result for episode in episodes}) > 2


def test_a_player_that_is_asked_often_shows_all_lines_it_likes() -> None:
    [episode] = label("dots:2x2", 1, policy="player", mean=1.0, deviation=0.0, asks=300)
    [searched] = episode.searched
    assert len(searched.actions) >= 11  # KSquares never draws the last of its list
    assert searched.shares.sum() == pytest.approx(1)
    assert searched.shares.max() < 0.25


def test_batches_are_made_of_them_as_of_games(tmp_path: Path) -> None:
    episodes = label("dots:2x2", 40, policy="uct", sims=40)
    write_shard(tmp_path / "some.parquet", episodes)
    read = read_shard(tmp_path / "some.parquet")
    assert {(episode.source, episode.finished, episode.margin) for episode in read} == {("positions", False, None)}
    maker = Maker(game("dots:2x2"))
    batch = maker.batch([(episode, 0) for episode in read], np.random.default_rng(0), symmetric=False)
    for row, episode in enumerate(episodes):
        position = position_of(episode)
        assert np.array_equal(batch.planes[row], position.planes())
        assert np.flatnonzero(batch.legal[row]).tolist() == position.legal_actions()
        assert batch.policy[row].sum() == pytest.approx(1, abs=1e-4)
    assert np.allclose(batch.result, batch.value)
    assert not batch.has_end.any()


def test_rounds_are_spread_evenly() -> None:
    for share, every in ((0.25, 4), (0.5, 2), (1.0, 1), (0.1, 10)):
        assert [number for number in range(40) if is_labelling_round(share, number)] == list(
            range(every - 1, 40, every)
        )
    assert not any(is_labelling_round(0.0, number) for number in range(100))
    assert sum(is_labelling_round(0.3, number) for number in range(100)) == 30


class UntilRounds(Run):
    """A run that ends after so many rounds."""

    def _learn(self) -> None:
        super()._learn()
        if self.folder.shards.rounds >= 4:
            self.stop.set()


def test_a_run_takes_turns_between_games_and_positions(tmp_path: Path) -> None:
    changes = [*SMALL, "positions.share=0.5", "positions.player=hard", "positions.sims=20"]
    status = UntilRounds(load_config("dots:2x2", preset="default", changes=changes), tmp_path / "run").run()
    assert status.steps > 4
    shards = [read_shard(file) for file in sorted((tmp_path / "run" / "games").glob("*.parquet"))]
    assert [{episode.source for episode in shard} for shard in shards] == [{"selfplay"}, {"positions"}] * 2
    rounds = [line for line in read_metrics(tmp_path / "run") if line["kind"] == "selfplay"]
    assert [line["source"] for line in rounds] == ["games", "positions"] * 2
    assert max(episode.net for episode in shards[-1]) > 0  # the net that has learned searches them


def test_settings_that_do_not_fit_are_explained() -> None:
    for change in ("policy=nett", "value=end", "share=2", "mean=-1", "sims=0"):
        with pytest.raises(PocketZeroError, match=r"positions\.|sims"):
            load_config("dots:2x2", preset="default", changes=[f"positions.{change}"])
    with pytest.raises(PocketZeroError, match="needs a search"):
        label("dots:2x2", 1, policy="player", value="child")
    options = PositionOptions(share=1.0)
    with pytest.raises(PocketZeroError, match=r"set net\.margin=0"):
        LabelledPositions(game("dots:2x2"), options, SelfPlayOptions(), print, margin=1.0)


def test_a_random_point_is_any_point() -> None:
    chance = np.random.default_rng(0)
    drawn = [moves_left(24, PositionOptions(uniform=True), chance) for _ in range(4800)]
    counts = np.bincount(drawn, minlength=25)
    assert counts[0] == 0
    assert counts[1:].min() > 140  # 200 are expected of each
    assert counts[1:].max() < 260
