"""A run at a URL: what is there is whole, a machine that has never seen the run goes on from it, one at a time."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest

from pocketzero.errors import PocketZeroError
from pocketzero.nets.files import checkpoint_files
from pocketzero.training import mirror as mirrors
from pocketzero.training.config import Config, load_config
from pocketzero.training.episodes import read_shard
from pocketzero.training.loop import Run
from pocketzero.training.mirror import HOLDER, Mirror, TakenOver, folder_of, is_url, mirrored
from pocketzero.training.rundir import read_games, read_metrics

SMALL = ["net.channels=8", "net.blocks=1", "selfplay.sims=8", "replay.round_plies=150", "replay.window=500"]
SMALL += ["learn.batch=32", "replay.reuse=2", "trees=8", "measure.minutes=0", "threads=1", "learn.threads=1", "keep=3"]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirrors, "BEAT", 0.2)


@pytest.fixture(params=["memory", "file"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    name = uuid.uuid4().hex
    yield f"memory://{name}/mine" if request.param == "memory" else f"file://{tmp_path}/shared/mine"
    storage = fsspec.filesystem("memory")
    if storage.exists(name):
        storage.rm(name, recursive=True)


def small(*changes: str) -> Config:
    return load_config("dots:2x2", preset="default", changes=[*SMALL, *changes])


def train(url: str, folder: Path, steps: int) -> Run:
    with mirrored(url, folder):
        run = Run(small(f"steps={steps}"), folder)
        run.run()
    return run


def seeds(folder: Path) -> list[int]:
    return [episode.seed for episode in read_games(folder)]


def files_at(url: str) -> dict[str, bytes]:
    storage, root = fsspec.core.url_to_fs(url)
    return {path.removeprefix(f"{root}/"): storage.cat_file(path) for path in storage.find(root)}


def test_another_machine_goes_on_from_the_url(url: str, tmp_path: Path) -> None:
    first = train(url, tmp_path / "one", 60)
    known = seeds(tmp_path / "one")
    second = train(url, tmp_path / "two", 120)  # which has never seen the run
    assert second.learner.step >= 120 > 60 <= first.learner.step
    assert set(known) <= set(seeds(tmp_path / "two"))
    assert len(set(seeds(tmp_path / "two"))) == len(seeds(tmp_path / "two")) > len(known)
    steps = [line["step"] for line in read_metrics(tmp_path / "two") if line["kind"] == "train"]
    assert steps == sorted(set(steps))  # one curve, without a gap or a repetition
    there = files_at(url)
    for name, data in there.items():
        if name not in (HOLDER, "state.json"):
            assert (tmp_path / "two" / name).read_bytes() == data, name
    assert {f"checkpoints/{path.name}" for path in checkpoint_files(tmp_path / "two").values()} <= set(there)
    assert len([name for name in there if name.startswith("checkpoints/net-")]) == 3  # old ones are removed there too


def test_a_machine_that_lost_its_disk_in_the_middle_loses_little(url: str, tmp_path: Path) -> None:
    """The copy that a killed run leaves behind is whole, whatever it was doing."""
    mirror = Mirror(url, tmp_path / "one")
    mirror.fetch()
    run = Run(small("minutes=5"), tmp_path / "one")
    copied: list[set[int]] = []

    def copy() -> None:
        while len(copied) < 6:
            before = set(seeds(tmp_path / "one"))
            mirror.push()
            copied.append(before)
        run.stop.set()

    thread = threading.Thread(target=copy)
    thread.start()
    run.run()
    thread.join()
    with mirrored(url, tmp_path / "two"):  # the first machine says nothing any more
        again = Run(small("minutes=5"), tmp_path / "two")
        assert copied[-1] <= set(seeds(tmp_path / "two"))
        assert len(seeds(tmp_path / "two")) == len(set(seeds(tmp_path / "two"))) == again.folder.games
        assert again.folder.shards.set_aside == []
        again.folder.close()


def test_two_machines_are_not_let_in_at_once(url: str, tmp_path: Path) -> None:
    with mirrored(url, tmp_path / "one"):  # which has not written anything yet
        refuse(url, tmp_path / "two")
    train(url, tmp_path / "one", 20)
    with mirrored(url, tmp_path / "one"):
        refuse(url, tmp_path / "two")
    with mirrored(url, tmp_path / "two"):
        assert (tmp_path / "two" / "config.toml").exists()


def refuse(url: str, folder: Path, words: str = "is training in") -> None:
    with pytest.raises(PocketZeroError, match=words), mirrored(url, folder):
        pytest.fail("it was let in")


def test_a_second_start_on_the_same_machine_does_not_let_others_in(url: str, tmp_path: Path) -> None:
    train(url, tmp_path / "one", 5)
    with mirrored(url, tmp_path / "one"):
        run = Run(small("steps=10"), tmp_path / "one")
        refuse(url, tmp_path / "one", "Another process is training in")
        refuse(url, tmp_path / "two")
        run.run()


def test_of_two_that_come_at_the_same_time_one_is_let_in(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirrors, "CLAIM", 5.0)
    both, let_in = threading.Barrier(2), list[str]()
    read = Mirror._holder

    def come(name: str) -> None:
        mirror, first = Mirror(url, tmp_path / name), [True]

        def holder() -> dict[str, Any]:
            found = read(mirror)
            if first.pop() if first else False:
                both.wait()  # neither has claimed it yet
            return found

        monkeypatch.setattr(mirror, "_holder", holder)
        try:
            mirror.fetch()
            let_in.append(name)
        except TakenOver:
            pass

    threads = [threading.Thread(target=come, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(let_in) == 1


def test_who_gave_no_sign_and_was_taken_over_stops_and_spoils_nothing(url: str, tmp_path: Path) -> None:
    train(url, tmp_path / "one", 5)
    silent, stop, over = Mirror(url, tmp_path / "one"), threading.Event(), threading.Event()
    silent.when_lost = stop.set
    silent.fetch()
    with mirrored(url, tmp_path / "two"):
        before = files_at(url)
        silent.keep_up(over)  # ends by itself
        assert stop.is_set()
        with pytest.raises(PocketZeroError, match=r"is training in .*What this machine did since"):
            silent.finish()
        assert {name: data for name, data in files_at(url).items() if name != HOLDER} == {
            name: data for name, data in before.items() if name != HOLDER
        }
    train(url, tmp_path / "three", 10)


def test_what_went_wrong_first_is_what_is_said(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def away(*_: Any) -> None:
        raise ConnectionError("the network is down")

    def both_fail() -> None:
        with mirrored(url, tmp_path / "one", told.append):
            monkeypatch.setattr(Mirror, "_write", away)
            raise PocketZeroError("the disk is full")

    with pytest.raises(PocketZeroError, match="the disk is full"):
        both_fail()
    assert "the network is down" in told[-1]


def test_a_copy_that_never_ends_is_not_waited_for(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hanging, forever = threading.Event(), threading.Event()

    def hang(mirror: Mirror) -> None:
        hanging.set()
        forever.wait()

    def end_while_it_hangs() -> None:
        with mirrored(url, tmp_path / "one"):
            monkeypatch.setattr(Mirror, "push", hang)
            assert hanging.wait(60)

    with pytest.raises(PocketZeroError, match=r"does not answer.*The run is whole in"):
        end_while_it_hangs()
    forever.set()


def test_what_went_on_elsewhere_replaces_what_was_here(url: str, tmp_path: Path) -> None:
    train(url, tmp_path / "one", 20)
    train(url, tmp_path / "two", 60)
    told: list[str] = []
    before = seeds(tmp_path / "one")
    with mirrored(url, tmp_path / "one", told.append):
        assert seeds(tmp_path / "one") == seeds(tmp_path / "two")
    assert "went on elsewhere" in told[0]
    assert seeds(tmp_path / "one.old-1") == before


def test_storage_that_is_away_delays_the_copy_and_not_the_run(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def away(*_: Any) -> None:
        raise ConnectionError("the network is down")

    with monkeypatch.context() as fault, mirrored(url, tmp_path / "one", told.append):
        fault.setattr(Mirror, "_write", away)
        Run(small("steps=60"), tmp_path / "one").run()
        fault.undo()
    assert len(told) <= 1
    assert all("the network is down" in words and "tried again" in words for words in told)
    assert len(read_shards(url)) == len(seeds(tmp_path / "one")) - pending(tmp_path / "one")

    def train_and_lose_it() -> None:
        with mirrored(url, tmp_path / "one"):
            monkeypatch.setattr(Mirror, "_write", away)
            Run(small("steps=80"), tmp_path / "one").run()

    with pytest.raises(PocketZeroError, match=r"the network is down.*The run is whole in"):
        train_and_lose_it()
    with pytest.raises(PocketZeroError, match=r"cannot be written: the network is down"):
        train(url, tmp_path / "one", 80)  # without a claim nothing begins


def read_shards(url: str) -> list[bytes]:
    return [b"game"] * sum(int(name.split("+")[1].split(".")[0]) for name in files_at(url) if name.endswith(".parquet"))


def pending(folder: Path) -> int:
    return len(seeds(folder)) - sum(len(read_shard(file)) for file in (folder / "games").glob("*.parquet"))


def test_what_changed_while_nobody_copied_is_copied_at_the_next_start(url: str, tmp_path: Path) -> None:
    train(url, tmp_path / "one", 20)
    best = tmp_path / "one" / "checkpoints" / "best.safetensors"
    for weights in (b"old", b"new"):  # as large as before
        best.write_bytes(weights)
        with mirrored(url, tmp_path / "one"):
            pass
        assert files_at(url)["checkpoints/best.safetensors"] == weights


def test_half_a_file_is_never_seen(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train(url, tmp_path / "one", 20)
    (tmp_path / "one" / "metrics.jsonl").write_text("{}\n")
    mirror = Mirror(url, tmp_path / "one")
    mirror.fetch()
    before = files_at(url)
    monkeypatch.setattr(mirror._storage, "mv", lambda *_: (_ for _ in ()).throw(OSError("killed")))
    with pytest.raises(PocketZeroError, match="cannot be written: killed"):
        mirror.push()
    monkeypatch.undo()
    after = files_at(url)
    assert {name: after[name] for name in before} == before
    Mirror(url, tmp_path / "two").fetch()
    assert not list((tmp_path / "two").rglob("*.partial"))


def test_wrong_urls_are_explained(tmp_path: Path) -> None:
    with pytest.raises(PocketZeroError, match="nowhere"), mirrored("nowhere://there/run", tmp_path):
        pytest.fail("it was let in")
    with pytest.raises(PocketZeroError, match="s3fs"), mirrored("s3://bucket/run", tmp_path):
        pytest.fail("it was let in")
    assert is_url("s3://bucket/run")
    assert not is_url("runs/mine")
    assert folder_of("s3://a/run/", Path("runs")) == folder_of("s3://a/run", Path("runs"))
    assert folder_of("s3://a/run", Path("runs")) != folder_of("s3://b/run", Path("runs"))


def test_the_holder_is_said(url: str, tmp_path: Path) -> None:
    train(url, tmp_path / "one", 5)
    holder = json.loads(files_at(url)[HOLDER])
    assert holder["folder"] == str((tmp_path / "one").resolve())
    assert holder["held"] is False
