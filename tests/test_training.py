"""Runs: settings, files that survive anything, learning that goes on where it stopped, and a net that gets better."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from pocketzero.arena.mistakes import mistakes_in_positions
from pocketzero.errors import PocketZeroError, UnknownName
from pocketzero.games import game
from pocketzero.nets import describe, files
from pocketzero.nets.files import checkpoint_files
from pocketzero.training.config import (
    BoardOptions,
    Config,
    LearnOptions,
    changed,
    differences,
    load_config,
    preset_names,
    read_toml,
    to_toml,
)
from pocketzero.training.episodes import Episode, Searched, read_shard
from pocketzero.training.frames import Framer, chances
from pocketzero.training.journal import Journal
from pocketzero.training.learner import Learner
from pocketzero.training.loop import Run
from pocketzero.training.measure import deciding_positions
from pocketzero.training.plots import plot_run
from pocketzero.training.rundir import RunDir, read_games, read_metrics
from pocketzero.training.schedule import Schedule
from pocketzero.training.warm import taught_games

SMALL = ["net.channels=8", "net.blocks=1", "selfplay.sims=8", "replay.round_plies=150", "replay.window=500"]
SMALL += ["learn.batch=32", "replay.reuse=2", "trees=8", "measure.minutes=0", "threads=2", "learn.threads=1"]


def small(board: str = "dots:2x2", *changes: str) -> Config:
    return load_config(board, preset="default", changes=[*SMALL, *changes])


def episode(seed: int, actions: tuple[int, ...] = (0, 1, 2)) -> Episode:
    searched = Searched(0, np.array([0, 1], np.int32), np.array([0.25, 0.75], np.float32), 0.5, 8)
    return Episode("mnk:3x3x3", np.array(actions, np.int32), 1.0, None, (searched,), seed=seed)


def seeds_in(folder: Path) -> list[int]:
    """The seeds of all games of a run directory, doubled ones included."""
    return [each.seed for each in read_games(folder)]


# Settings


def test_schedules() -> None:
    schedule = Schedule.read("0:1 0.5:3 1:0")
    assert [schedule.at(progress) for progress in (0, 0.25, 0.5, 0.75, 1, 2)] == [1, 2, 3, 1.5, 0, 0]
    assert Schedule.read(0.1).at(0.7) == 0.1
    for wrong in ("", "a:1", "0.5:1 0.2:3", "2:1", "0:1:2"):
        with pytest.raises(PocketZeroError, match="A schedule is"):
            Schedule.read(wrong)


def test_every_preset_is_read_and_written_back(tmp_path: Path) -> None:
    assert {"default", "dots", "mnk", "zertz"} <= set(preset_names())
    for name in preset_names():
        config = load_config("dots:3x3", preset=name, changes=["seed=7"])
        file = tmp_path / f"{name}.toml"
        file.write_text(to_toml(config))
        assert differences(changed(Config(), read_toml(file)), config) == []
        assert config.seed == 7


def test_boards_are_read() -> None:
    text = '[{game="dots:2x2"}, {game="dots:3x3", share=2, start=0.5}]'
    config = load_config("dots:3x3", changes=[f"boards={text}"])
    assert config.boards == (BoardOptions(game="dots:2x2"), BoardOptions(game="dots:3x3", share=2.0, start=0.5))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("learn.bach=3", "Did you mean 'batch'"),
        ("lern.batch=3", "Did you mean 'learn'"),
        ("learn.batch=many", "learn.batch is a whole number, not 'many'"),
        ("learn.batch=0", r"learn\.batch must be above 0"),
        ("learn.symmetric=7", "true or false"),
        ("learn", "--set takes name=value"),
        ("learn.rate=1:2 0:3", "A schedule is"),
        ("boards=[1]", "a list of boards"),
        ("measure.opponents=hard", "a list"),
    ],
)
def test_wrong_settings_are_explained(change: str, words: str) -> None:
    with pytest.raises(PocketZeroError, match=words):
        load_config("dots:2x2", changes=[change])


def test_wrong_files_and_presets_are_explained(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'dots'"):
        load_config("dots:2x2", preset="dotz")
    (tmp_path / "bad.toml").write_text("a = = b")
    with pytest.raises(PocketZeroError, match="not TOML"):
        load_config("dots:2x2", file=tmp_path / "bad.toml")
    with pytest.raises(PocketZeroError, match="cannot be read"):
        load_config("dots:2x2", file=tmp_path / "missing.toml")


# Files


def test_a_journal_gives_back_every_whole_batch(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.begin(40)
    sizes = []
    for number in range(5):
        journal.add([episode(2 * number), episode(2 * number + 1)])
        sizes.append(journal.path.stat().st_size)
    journal.close()
    whole = journal.path.read_bytes()
    for cut in (len(whole), len(whole) - 1, sizes[2], sizes[2] + 7, sizes[0] - 1, 3, 0):
        journal.path.write_bytes(whole[:cut])
        first, found = journal.read()
        kept = sum(size <= cut for size in sizes)
        assert [each.seed for each in found] == list(range(2 * kept))
        assert not found or first == 40


def test_games_are_counted_once_wherever_a_process_died(tmp_path: Path) -> None:
    folder = RunDir(tmp_path, small())
    folder.add([episode(1), episode(2)])
    folder.close_shard()
    folder.add([episode(3)])
    before = folder.journal.path.read_bytes()
    folder.close_shard()
    folder.close()
    folder.journal.path.write_bytes(before)  # as if it had died between the shard and the new journal
    again = RunDir(tmp_path, small())
    assert again.games == 3
    assert again.pending == []
    again.close()
    assert seeds_in(tmp_path) == [1, 2, 3]


def test_one_process_at_a_time(tmp_path: Path) -> None:
    folder = RunDir(tmp_path, small())
    with pytest.raises(PocketZeroError, match="Another process is training"):
        RunDir(tmp_path, small())
    folder.close()
    RunDir(tmp_path, small()).close()


def test_other_settings_are_refused_and_nothing_is_overwritten(tmp_path: Path) -> None:
    RunDir(tmp_path, small()).close()
    before = (tmp_path / "config.toml").read_text()
    with pytest.raises(PocketZeroError, match=r"learn\.batch \(32 before, 64 now\).*--accept-changes"):
        RunDir(tmp_path, small("dots:2x2", "learn.batch=64"))
    assert (tmp_path / "config.toml").read_text() == before
    RunDir(tmp_path, small("dots:2x2", "minutes=77")).close()  # how long does not change what is learned
    RunDir(tmp_path, small("dots:2x2", "learn.batch=64"), accept_changes=True).close()
    assert "batch = 64" in (tmp_path / "config.toml").read_text()


def test_a_full_disk_is_said_and_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(small("dots:2x2", "minutes=5"), tmp_path)
    run.folder.add([episode(1)])

    class Full:
        def write_table(self, table: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(run.folder.journal, "_writer", Full())
    with pytest.raises(PocketZeroError, match="No space left on device"):
        run.run()
    assert json.loads((tmp_path / "state.json").read_text())["phase"] == "failed"
    assert 1 in seeds_in(tmp_path)


def test_whatever_file_finds_the_disk_full_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("state.json", "net-", "journal.arrow"):
        run = Run(small("dots:2x2", "minutes=5"), tmp_path / name)
        real = files._replace

        def full(path: Path, data: bytes, name: str = name, real: Callable[[Path, bytes], None] = real) -> None:
            if path.name.startswith(name):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            real(path, data)

        with monkeypatch.context() as fault:
            fault.setattr(files, "_replace", full)
            with pytest.raises(PocketZeroError, match=rf"{name}.*No space left on device"):
                run.run()


def test_a_restart_on_a_full_disk_loses_no_game_of_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = RunDir(tmp_path, small())
    run.add([episode(1), episode(2)])
    run.close()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as fault:
        fault.setattr(os, "replace", full)
        with pytest.raises(PocketZeroError, match="No space left on device"):
            RunDir(tmp_path, small())
    again = RunDir(tmp_path, small())
    assert [each.seed for each in again.pending] == [1, 2]
    again.add([episode(3)])
    again.close()
    assert seeds_in(tmp_path) == [1, 2, 3]


def test_a_full_disk_leaves_the_old_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learner = Learner(describe(game("dots:2x2"), channels=8, blocks=1), LearnOptions())
    learner.save(tmp_path / "learner-1.safetensors", {})
    before = (tmp_path / "learner-1.safetensors").read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(PocketZeroError, match="No space left"):
        learner.save(tmp_path / "learner-1.safetensors", {})
    assert (tmp_path / "learner-1.safetensors").read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


# Frames and learning


def test_chances_keep_the_expected_value() -> None:
    result, value = np.array([1.0, 0.0, -1.0], np.float32), np.array([0.5, -0.25, -1.0], np.float32)
    found = chances(result, value, 0.5)
    assert np.allclose(found.sum(1), 1)
    assert np.allclose(found[:, 0] - found[:, 2], (result + value) / 2)


def test_boards_of_all_sizes_share_a_frame() -> None:
    """A small board in a large frame gives the losses that it gives alone."""
    boards = [game("dots:2x2"), game("dots:3x4")]
    config = small()
    episodes = [taught_games("hard", board, range(4), config) for board in boards]
    samples = [[(each, place) for each in some for place in range(2)] for some in episodes]
    learner = Learner(describe(boards[0], channels=8, blocks=2), replace(config.learn, bf16="no"))
    framer, chance = Framer(learner.description, boards, 0.5), np.random.default_rng(0)
    alone = [learner.measure(framer.frame(some, chance, symmetric=False)) for some in samples]
    together = framer.frame(samples[0] + samples[1], chance, symmetric=False)
    assert together.planes.shape[2:] == (4, 5)
    for name, loss in learner.measure(together).items():
        if name != "reply":  # how many of its samples have a reply differs
            assert loss == pytest.approx((alone[0][name] + alone[1][name]) / 2, rel=1e-4)


def test_learning_goes_on_as_if_it_had_never_stopped(tmp_path: Path) -> None:
    board, config = game("dots:2x2"), small()
    games = taught_games("hard", board, range(20), config)
    samples = [(each, place) for each in games for place in range(len(each.searched))]
    frames = [
        Framer(describe(board, channels=8, blocks=1), [board], 0.5).frame(samples[:64], np.random.default_rng(n))
        for n in range(12)
    ]
    one = Learner(describe(board, channels=8, blocks=1), config.learn, seed=3)
    for number, frame in enumerate(frames):
        one.learn(frame, number / 12)
        if number == 5:
            one.save(tmp_path / "learner.safetensors", {"seconds": 9.5})
    other = Learner(describe(board, channels=8, blocks=1), config.learn, seed=99)
    assert other.load(tmp_path / "learner.safetensors")["seconds"] == 9.5
    for number, frame in enumerate(frames[6:], 6):
        other.learn(frame, number / 12)
    assert other.step == one.step == 12
    for name, tensor in one.average.state_dict().items():
        assert torch.allclose(tensor, other.average.state_dict()[name], atol=1e-6), name


def test_learning_stops_when_numbers_are_lost() -> None:
    board, config = game("dots:2x2"), small()
    games = taught_games("hard", board, range(4), config)
    learner = Learner(describe(board, channels=8, blocks=1), config.learn)
    frame = Framer(learner.description, [board], 0.5).frame([(each, 0) for each in games], np.random.default_rng(0))
    frame.planes[0, 0, 0, 0] = np.nan
    with pytest.raises(PocketZeroError, match=r"no longer numbers.*learn\.rate"):
        learner.learn(frame, 0.5)


# Whole runs


def test_a_run_resumes_and_a_damaged_checkpoint_is_set_aside(tmp_path: Path) -> None:
    first = Run(small("dots:2x2", "steps=30"), tmp_path)
    first.run()
    steps, games = first.learner.step, first.folder.games
    assert steps > 0
    assert games > 0
    newest = first.folder.learner_files()[0]
    newest.write_bytes(newest.read_bytes()[:-100])
    second = Run(small("dots:2x2", "steps=60"), tmp_path)
    assert second.folder.games == games
    assert any("damaged" in line for line in second.status.set_aside)
    assert newest.with_suffix(".damaged").exists()
    assert 0 < second.learner.step <= steps
    second.run()
    assert second.learner.step > steps
    assert len(seeds_in(tmp_path)) == len(set(seeds_in(tmp_path))) > games


def test_a_run_of_several_boards_measures_and_draws(tmp_path: Path) -> None:
    boards = 'boards=[{game="mnk:3x3x3"}, {game="mnk:4x4x3", start=0.3}]'
    changes = ["steps=60", "measure.minutes=0.02", "measure.games=2", "measure.sims=8", "measure.positions=20"]
    run = Run(small("mnk:3x3x3", boards, *changes, 'measure.opponents=["random"]'), tmp_path)
    status = run.run()
    assert status.finished
    names = {each.game for file in (tmp_path / "games").glob("*.parquet") for each in read_shard(file)}
    assert names == {"mnk:3x3x3", "mnk:4x4x3"}
    kinds = {each["kind"] for each in read_metrics(tmp_path)}
    assert kinds == {"selfplay", "train", "strength", "mistakes"}
    assert checkpoint_files(tmp_path)
    for path in plot_run(tmp_path, tmp_path / "plots"):
        assert path.stat().st_size > 5000


def test_a_run_begins_with_given_weights(tmp_path: Path) -> None:
    Run(small("dots:2x2", "steps=10"), tmp_path / "one").run()
    other = Run(small("dots:2x3"), tmp_path / "two", init=str(tmp_path / "one"))
    newest = checkpoint_files(tmp_path / "one")
    from pocketzero.nets import load_net

    begun = load_net(newest[max(newest)]).state_dict()
    assert all(torch.equal(tensor, begun[name]) for name, tensor in other.learner.net.state_dict().items())
    other.folder.close()
    with pytest.raises(PocketZeroError, match="channels 8 there, 16 here"):
        Run(small("dots:2x3", "net.channels=16"), tmp_path / "three", init=str(tmp_path / "one"))


def start_training(folder: Path) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "pocketzero", "train", "dots:2x2", "--preset", "default", "--run", str(folder)]
    for change in [*SMALL, "minutes=30", "replay.round_plies=60"]:
        words += ["--set", change]
    return subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def wait_for(condition: object, seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def steps_of(folder: Path) -> int:
    return max([each["step"] for each in read_metrics(folder) if each["kind"] == "train"], default=0)


def test_killed_at_any_instant_it_loses_nothing(tmp_path: Path) -> None:
    """``benchmarks/kills.py`` does it twenty times."""
    known: set[int] = set()
    chance = np.random.default_rng(5)
    for _ in range(3):
        process = start_training(tmp_path)
        before = steps_of(tmp_path)
        wait_for(lambda before=before: steps_of(tmp_path) > before + 3)
        time.sleep(float(chance.random()))
        process.kill()
        process.communicate()
        found = seeds_in(tmp_path)
        assert len(found) == len(set(found))
        assert known <= set(found)
        known = set(found)
    assert len(known) > 50


def test_ctrl_c_ends_cleanly_within_seconds(tmp_path: Path) -> None:
    process = start_training(tmp_path)
    wait_for(lambda: steps_of(tmp_path) > 0)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert time.monotonic() - begin < 15  # other tests are at work too
    assert process.returncode == 130
    assert "The same command goes on" in errors
    assert "Traceback" not in errors
    assert json.loads((tmp_path / "state.json").read_text())["phase"] == "stopped"


def test_it_learns(tmp_path: Path) -> None:
    """After 700 steps the net alone makes less than half of the mistakes that it made untrained."""
    changes = ["steps=700", "replay.round_plies=1500", "replay.window=6000", "replay.reuse=6", "learn.batch=128"]
    config = load_config(
        "dots:2x2",
        preset="dots",
        changes=[*changes, "boards=[]", "net.channels=24", "net.blocks=2", "measure.minutes=0", "learn.threads=1"],
    )
    run = Run(config, tmp_path)
    run._save()
    run.run()
    from pocketzero.players.solvers import solver_for

    solver, positions = solver_for(game("dots:2x2")), deciding_positions("dots:2x2", 300)
    untrained, trained = min(checkpoint_files(tmp_path)), max(checkpoint_files(tmp_path))
    rates = [mistakes_in_positions(f"net:{tmp_path}@{n}", solver, positions).rate for n in (untrained, trained)]
    assert rates[0] > 0.25
    assert rates[1] < rates[0] / 2


def test_the_journal_names_the_place_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PocketZeroError, match=r"file/journal cannot be written"):
        Journal(tmp_path / "file" / "journal").begin(0)
