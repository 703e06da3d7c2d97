"""What the papers' experiments ask of search and training beside the usual: their nets, epochs, losses and mistakes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from pocketzero.errors import PocketZeroError
from pocketzero.games import Position, game
from pocketzero.games.dots.alternating import alternating
from pocketzero.players.spec import make_player
from pocketzero.search import Search, Settings, Uniform
from pocketzero.training.config import Config, load_config
from pocketzero.training.episodes import Episode, Searched, read_shard
from pocketzero.training.frames import Framer
from pocketzero.training.learner import Learner
from pocketzero.training.loop import Run
from pocketzero.training.net_choice import description_of, heads_of
from pocketzero.training.rundir import read_metrics
from pocketzero.training.samples import Window

SMALL = ["net.channels=4", "net.blocks=1", "net.layers=2", "selfplay.sims=4", "replay.round_plies=20", "trees=4"]
SMALL += ["learn.batch=8", "replay.reuse=2", "measure.minutes=0", "threads=1", "learn.threads=1", "device=torch"]
SMALL += ["minutes=10", "learn.bf16=no"]


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nets this small learn fastest on one thread, above all on a busy machine."""
    torch.set_num_threads(1)
    monkeypatch.setattr(torch, "set_num_threads", lambda _: None)


def small(board: str, *changes: str) -> Config:
    return load_config(board, preset="default", changes=[*SMALL, *changes])


# Search


def test_without_proofs_a_search_only_averages() -> None:
    board = game("mnk:3x3x3")
    position = board.start().play_line("a1 a2 b1 b2")  # c1 wins
    proving = Search(position, Uniform(board), Settings(symmetry="none"), seed=1)
    proving.run(sims=50)
    averaging = Search(position, Uniform(board), Settings(symmetry="none", proven=False), seed=1)
    averaging.run(sims=50)
    seen, root = proving.forest.root(0), averaging.forest.root(0)
    winning = list(root.actions).index(position.play("c1").actions[-1])
    assert (seen.low, seen.high) == (1, 1)
    assert (root.low, root.high) == (-1, 1)
    assert not root.settled.any()
    assert root.simulations == 50
    assert root.values[winning] == pytest.approx(1.0)
    assert root.visits.sum() == 50
    assert root.visits.argmax() == winning


def test_a_search_that_alternates_turns_the_sign_where_the_same_player_moves_on() -> None:
    """On one box with two lines left the mover loses; who thinks that the turn changes after the box thinks it wins."""
    board = game("dots:1x1")
    position = board.start().play_line("aA aB")
    values = []
    for seen in (position, Position(alternating(board), position.state.copy())):
        search = Search(seen, Uniform(board), Settings(symmetry="none", proven=False))
        search.run(sims=100)
        values.append(search.forest.root(0).value)
    assert values[0] < -0.9
    assert values[1] > 0.9


def test_the_game_that_alternates_ends_with_the_value_of_whoever_really_moved_last() -> None:
    board = game("dots:2x2")
    mistaken = alternating(board)
    position = board.start()
    while not position.is_over:
        seen = Position(mistaken, position.state.copy())
        assert seen.to_move == (12 - position.ply) % 2
        position = position.play_action(position.legal_actions()[0])
    seen = Position(mistaken, position.state.copy())
    sign = 1 if position.to_move == 0 else -1
    assert seen.margin == sign * (position.margin or 0)
    assert seen.is_over


# Learning


def test_in_turn_every_ply_is_shown_once_before_any_comes_again() -> None:
    window = Window(in_turn=True)
    for seed in range(7):
        searched = tuple(Searched(ply, np.zeros(1, np.int32), np.ones(1, np.float32), 0.0, 1) for ply in range(3))
        window.add(Episode("dots:2x2", np.arange(4, dtype=np.int32), 1.0, None, searched, seed=seed))
    chance = np.random.default_rng(0)
    shown = [(episode.seed, place) for _ in range(3) for episode, place in window.draw(14, chance)]
    assert len(set(shown[:21])) == len(set(shown[21:])) == 21
    assert shown[:21] != shown[21:]


@pytest.mark.parametrize(
    ("kind", "board", "softmax"),
    [
        ("alphadots", "dots:2x2", "legal"),
        ("alphadots-early", "dots:2x2", "pixels"),
        ("alphadots-lstm", "dots:2x2/sequence", "pixels"),
        ("dots2022", "dots:3x3", "all"),
        ("gomoku", "mnk:5x5x4", "legal"),
        ("deepzertz-cnn", "zertz:19/deepzertz/joint", "all"),
        ("deepzertz-dense", "zertz:19/deepzertz/joint", "head"),
    ],
)
def test_every_net_of_the_papers_learns_in_a_run(tmp_path: Path, kind: str, board: str, softmax: str) -> None:
    config = small(
        board, f"net.kind={kind}", f"learn.softmax={softmax}", "rounds=2", "learn.optimiser=adam", "learn.history=2"
    )
    status = Run(config, tmp_path).run()
    assert status.finished
    metrics = read_metrics(tmp_path)
    trained = [line for line in metrics if line["kind"] == "train"]
    assert len(trained) == 2
    assert trained[-1]["step"] == status.steps > 0
    assert all(np.isfinite(line["loss"]) for line in trained)
    first = trained[0]["step"]
    wanted = [*range(2, first + 1, 2), *range(first + 2, status.steps + 1, 2)]  # counted in each round
    assert [line["step"] for line in metrics if line["kind"] == "history"] == wanted
    again = Run(config, tmp_path)
    assert again.progress == 1  # nothing is left to do
    assert again.run().steps == status.steps


def test_rounds_may_be_counted_in_games(tmp_path: Path) -> None:
    Run(small("dots:2x2", "replay.round_plies=100000", "replay.round_games=5", "rounds=2"), tmp_path).run()
    shards = [read_shard(file) for file in sorted((tmp_path / "games").glob("*.parquet"))]
    assert len(shards) == 2
    assert all(len(shard) >= 5 for shard in shards)


@pytest.mark.parametrize("optimiser", ["adamw", "adam", "sgd"])
def test_every_optimiser_learns_and_goes_on_where_it_stopped(tmp_path: Path, optimiser: str) -> None:
    config = small("dots:2x2", f"learn.optimiser={optimiser}", "learn.rate=0.01", "learn.ema=0.0")
    description = description_of(config.net, [game("dots:2x2")])
    framer = Framer(description, [game("dots:2x2")], 0.5)
    searched = (Searched(0, np.array([3], np.int32), np.ones(1, np.float32), 1.0, 1),)
    frame = framer.frame(
        [(Episode("dots:2x2", np.arange(12, dtype=np.int32), 1.0, None, searched, finished=False), 0)] * 8,
        np.random.default_rng(0),
        symmetric=False,
    )
    learner = Learner(description, config.learn)
    losses = [learner.learn(frame, 0.0)["policy"] for _ in range(30)]
    assert losses[-1] < losses[0]
    learner.save(tmp_path / "learner.safetensors", {})
    other = Learner(description, config.learn)
    other.load(tmp_path / "learner.safetensors")
    assert other.learn(frame, 0.0) == pytest.approx(learner.learn(frame, 0.0), abs=1e-6)


def test_the_policy_may_be_learned_over_a_head_over_all_actions_or_place_by_place() -> None:
    board = game("zertz:19/deepzertz/joint")
    config = small(board.name, "net.kind=deepzertz-dense")
    description = description_of(config.net, [board])
    heads = heads_of(description)
    assert heads.sum(0).tolist() == [1] * board.action_count
    assert heads[0].sum() == 6 * 25
    start = board.start()
    action = start.legal_actions()[0]
    searched = (Searched(0, np.array([action], np.int32), np.ones(1, np.float32), 0.0, 1),)
    sample = [(Episode(board.name, np.array([action], np.int32), 0.0, None, searched, finished=False), 0)]
    frame = Framer(description, [board], 0.0).frame(sample, np.random.default_rng(0), symmetric=False)
    losses = {}
    for softmax in ("legal", "head", "all"):
        learner = Learner(description, small(board.name, f"learn.softmax={softmax}").learn, seed=1)
        losses[softmax] = learner.measure(frame)["policy"]
    # A new net gives nearly even chances: the losses are the logarithms of how many actions compete.
    placements = board.action_count - 6 * 25
    counts = {"legal": len(start.legal_actions()), "head": placements, "all": board.action_count}
    for softmax, count in counts.items():
        assert losses[softmax] == pytest.approx(np.log(count), abs=0.5), softmax
    assert losses["legal"] < losses["head"] < losses["all"]


def test_the_papers_players_are_had_by_options(tmp_path: Path) -> None:
    Run(small("dots:2x2", "net.kind=alphadots", "rounds=1", "gating.mode=cumulative", "gating.games=4",
              "gating.sims=0", "gating.options=reduced=no,symmetry=none"), tmp_path).run()  # fmt: skip
    board = game("dots:2x2")
    for text in ("net:{},reduced=no", "zero:{},sims=10,proven=no", "zero:{},sims=10,proven=no,alternating=yes"):
        assert make_player(text.format(tmp_path), board).choose(board.start()) in board.start().legal_actions()
    [line] = [line for line in read_metrics(tmp_path) if line["kind"] == "gate"]
    assert line["games"] == 4


def test_wrong_words_are_explained() -> None:
    for change, words in (
        ("learn.optimiser=adamm", "adamw, adam, sgd"),
        ("learn.softmax=legl", "legal, all, head, pixels"),
        ("selfplay.symmetry=x", "none, random, all"),
    ):
        with pytest.raises(PocketZeroError, match=words):
            small("dots:2x2", change)
    with pytest.raises(PocketZeroError, match="Did you mean 'gomoku'"):
        description_of(small("mnk:5x5x4", "net.kind=gomok").net, [game("mnk:5x5x4")])
    with pytest.raises(PocketZeroError, match="Only the nets of DeepZertz"):
        heads_of(description_of(small("dots:2x2").net, [game("dots:2x2")]))
