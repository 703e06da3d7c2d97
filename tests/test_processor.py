"""A processor that announces more than it can do must not end the program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pocketzero.nets import processor

ANNOUNCED = "model name : A Processor\nflags : avx512_bf16 amx_tile amx_bf16"


@pytest.fixture(autouse=True)
def _a_machine_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(processor, "announced_features", lambda: ANNOUNCED)
    monkeypatch.delenv(processor.LIMIT, raising=False)


@pytest.mark.parametrize("works", [True, False])
def test_a_unit_that_fails_is_not_used(works: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    trials = []
    monkeypatch.setattr(processor, "survives", lambda program: trials.append(program) or works)
    for _ in range(2):  # the second time it is remembered
        processor.settle.__wrapped__()
        assert os.environ.get(processor.LIMIT) == (None if works else processor.WITHOUT_AMX)
        monkeypatch.delenv(processor.LIMIT, raising=False)
    assert len(trials) == 1


def test_processors_without_the_unit_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "announced_features", lambda: "flags : avx512_bf16")
    monkeypatch.setattr(processor, "survives", lambda program: pytest.fail("tried"))
    processor.settle.__wrapped__()
    assert processor.LIMIT not in os.environ


def test_the_users_own_limit_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(processor.LIMIT, "AVX2")
    monkeypatch.setattr(processor, "survives", lambda program: pytest.fail("tried"))
    processor.settle.__wrapped__()
    assert os.environ[processor.LIMIT] == "AVX2"


def test_a_program_that_dies_does_not_survive() -> None:
    assert processor.survives("")
    assert not processor.survives("import os, signal; os.kill(os.getpid(), signal.SIGILL)")
    assert not processor.survives("raise SystemExit(3)")


def test_nothing_is_told_to_anybody() -> None:
    """OpenVINO as it comes sends an event when it is imported; here, neither a thread nor a child is left to do so."""
    program = """
import sys, threading
from pocketzero.nets import has_bf16
has_bf16()
assert "openvino" in sys.modules
assert not [name for name in sys.modules if name.startswith("openvino_telemetry")], "telemetry is loaded"
assert threading.enumerate() == [threading.main_thread()], threading.enumerate()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
