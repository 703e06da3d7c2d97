"""Self-play, the files of its games, and the batches made of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pocketzero.errors import PocketZeroError
from pocketzero.games import Outcome, game
from pocketzero.games.worth import margin_worth
from pocketzero.search import Uniform
from pocketzero.training.episodes import Episode, Shards, read_shard, write_shard
from pocketzero.training.samples import Maker, Window, window_width
from pocketzero.training.selfplay import SelfPlay, SelfPlayOptions

BOARDS = ["dots:2x3", "mnk:5x5x4", "zertz:19/deepzertz"]


def play(name: str, games: int = 12, **changes: object) -> tuple[SelfPlay, list[Episode]]:
    episodes: list[Episode] = []
    options = SelfPlayOptions(**{"sims": 16, "fast_sims": 4, **changes})  # type: ignore[arg-type]
    worker = SelfPlay(game(name), options, episodes.append, trees=8, seed=3)
    evaluator = Uniform(game(name))
    while worker.tally.games < games:
        worker.step(evaluator)
    return worker, episodes


@pytest.mark.parametrize("method", ["gumbel", "puct"])
@pytest.mark.parametrize("name", BOARDS)
def test_games_are_played_by_the_rules_to_their_end(name: str, method: str) -> None:
    _, episodes = play(name, method=method)
    for episode in episodes:
        final = game(name).start()
        plies = {searched.ply: searched for searched in episode.searched}
        for ply, action in enumerate(episode.actions.tolist()):
            if ply in plies:
                assert set(plies[ply].actions.tolist()) <= set(final.legal_actions())
                assert plies[ply].shares.sum() == pytest.approx(1, abs=1e-4)
                assert -1 <= plies[ply].value <= 1
            final = final.play(action)
        assert final.is_over
        assert episode.result == {Outcome.FIRST: 1, Outcome.SECOND: -1, Outcome.DRAW: 0}[final.outcome]
        assert episode.margin == final.margin


def test_quick_searches_are_played_but_not_learned_from() -> None:
    worker, episodes = play("mnk:5x5x4", full_share=0.25, opening_share=0.0)
    learned = sum(len(episode.searched) for episode in episodes)
    assert 0.1 < learned / sum(len(episode.actions) for episode in episodes) < 0.45
    assert all(searched.simulations > 4 for episode in episodes for searched in episode.searched if searched.ply < 5)
    assert worker.tally.simulations < 16 * worker.tally.moves


def test_giving_up_ends_games_early_and_is_checked() -> None:
    worker, episodes = play("dots:2x3", games=60, resign=0.05, resign_check=0.5, opening_share=0.0)
    early = [episode for episode in episodes if not episode.finished]
    assert early
    assert all(episode.margin is None and episode.result in (1, -1) for episode in early)
    assert worker.tally.resign_checked > 0
    assert 0 <= worker.tally.resign_wrong <= worker.tally.resign_checked


def test_shards_hold_every_game_once(tmp_path: Path) -> None:
    _, episodes = play("zertz:19/deepzertz", games=9)
    shards = Shards(tmp_path)
    for begin in range(0, 9, 3):
        shards.add(episodes[begin : begin + 3])
    (tmp_path / "000000009+3.partial").write_bytes(b"half a file")
    again = Shards(tmp_path)
    assert again.count == 9
    read = [episode for shard in again.newest_first() for episode in shard]
    assert sorted(episode.seed for episode in read) == sorted(episode.seed for episode in episodes[:9])
    assert not list(tmp_path.glob("*.partial"))
    for before, after in zip(sorted(episodes[:9], key=lambda e: e.seed), sorted(read, key=lambda e: e.seed)):
        assert np.array_equal(before.actions, after.actions)
        assert (before.result, before.margin, len(before.searched)) == (after.result, after.margin, len(after.searched))
        for one, other in zip(before.searched, after.searched):
            assert np.allclose(one.shares, other.shares)


def test_a_damaged_shard_is_set_aside(tmp_path: Path) -> None:
    _, episodes = play("dots:2x3", games=4)
    shards = Shards(tmp_path)
    first, second = shards.add(episodes[:2]), shards.add(episodes[2:4])
    first.write_bytes(first.read_bytes()[:-20])
    with pytest.raises(PocketZeroError, match="damaged"):
        read_shard(first)
    assert len([episode for shard in shards.newest_first() for episode in shard]) == 2
    assert shards.set_aside == [first.with_suffix(".damaged")]
    assert first.with_suffix(".damaged").exists()
    assert second.exists()


def test_an_unwritable_place_is_said(tmp_path: Path) -> None:
    _, episodes = play("dots:2x3", games=1)
    with pytest.raises(PocketZeroError, match="cannot be written"):
        write_shard(tmp_path / "missing" / "0+1.parquet", episodes)


@pytest.mark.parametrize("name", BOARDS)
def test_batches_show_what_was_played(name: str) -> None:
    """Planes, legal moves, policy and result of a sample without symmetry are those of the position itself."""
    board = game(name)
    _, episodes = play(name, games=3)
    maker, chance = Maker(board), np.random.default_rng(1)
    for episode in episodes:
        samples = [(episode, place) for place in range(len(episode.searched))]
        batch = maker.batch(samples, chance, symmetric=False)
        for row, searched in enumerate(episode.searched):
            position = board.start()
            for action in episode.actions[: searched.ply].tolist():
                position = position.play_action(action)
            assert np.array_equal(batch.planes[row], position.planes())
            assert np.flatnonzero(batch.legal[row]).tolist() == position.legal_actions()
            assert np.flatnonzero(batch.policy[row]).tolist() == sorted(searched.actions.tolist())
            assert batch.result[row] == episode.result * (1 if position.to_move == 0 else -1)


def test_symmetries_turn_everything_together() -> None:
    board = game("mnk:5x5x4")
    _, [episode, *_] = play("mnk:5x5x4", games=1)
    maker = Maker(board)
    plain = maker.batch([(episode, 0)], np.random.default_rng(0), symmetric=False)
    for seed in range(10):
        turned = maker.batch([(episode, 0)], np.random.default_rng(seed))
        symmetry = int(np.random.default_rng(seed).integers(len(board.symmetries), size=1)[0])
        places = board.symmetries[symmetry]
        assert np.array_equal(turned.policy[0][places], plain.policy[0])
        assert np.array_equal(turned.legal[0][places], plain.legal[0])


def test_owners_at_the_end_add_up_to_the_margin() -> None:
    board = game("dots:2x3")
    _, episodes = play("dots:2x3", games=10)
    maker, chance = Maker(board), np.random.default_rng(1)
    for episode in episodes:
        batch = maker.batch([(episode, 0)], chance)
        margin = margin_worth(float(batch.margin[0]), board.largest_margin)
        assert batch.owner[0].sum() == pytest.approx(margin, abs=1e-4)
        assert abs(margin) == pytest.approx(abs(episode.margin or 0), abs=1e-4)


def test_the_window_keeps_the_newest() -> None:
    _, episodes = play("mnk:5x5x4", games=20)
    window = Window()
    for episode in episodes:
        window.add(episode)
        window.shrink(50)
    assert 50 <= window.plies < 50 + max(len(episode.searched) for episode in episodes)
    drawn = {id(episode) for episode, _ in window.draw(500, np.random.default_rng(0))}
    assert id(episodes[-1]) in drawn
    assert id(episodes[0]) not in drawn
    assert window_width(10, start=100, exponent=0.75, largest=10_000) == 100
    assert 100 < window_width(1000, start=100, exponent=0.75, largest=10_000) < 1000
    assert window_width(10**9, start=100, exponent=0.75, largest=10_000) == 10_000
