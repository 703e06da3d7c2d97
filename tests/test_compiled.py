"""The compile cache: it makes later starts quick and never breaks one."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from pocketzero.games import game
from pocketzero.games.playout import play_random_games

PROGRAM = """
    from numba import types
    from pocketzero.compiled import kernel
    from helper import TWICE

    @kernel(types.int64(types.int64))
    def twice(number):
        return TWICE * number

    print(twice(21))
"""


def run(folder: Path, cache: Path | str, code: str) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(textwrap.dedent(code))
    environment = {**os.environ, "POCKETZERO_CACHE_DIR": str(cache)}
    return subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, timeout=120)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text("TWICE = 2\n")
    return tmp_path


def assert_right(result: subprocess.CompletedProcess[str], answer: str = "42") -> None:
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == answer


def test_the_first_start_says_that_it_compiles_and_the_second_does_not(program: Path) -> None:
    cache = program / "cache"
    first = run(program, cache, PROGRAM)
    assert_right(first)
    assert first.stderr.count("is compiling its code") == 1
    second = run(program, cache, PROGRAM)
    assert_right(second)
    assert second.stderr == ""


@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "garbage", "pickle", "folder"])
def test_a_damaged_cache_is_made_again(program: Path, damage: str) -> None:
    cache = program / "cache"
    run(program, cache, PROGRAM)
    files = list((cache / "kernels").iterdir())
    assert files
    for file in files:
        content = bytearray(file.read_bytes())
        middle = len(content) // 2
        content[middle] ^= 0xFF
        damaged = {
            "cut": content[:middle],
            "empty": b"",
            "flipped": bytes(content),
            "garbage": os.urandom(500),
            "pickle": pickle.dumps("nonsense"),
        }
        if damage == "folder":
            file.unlink()
            file.mkdir()
        else:
            file.write_bytes(damaged[damage])
    assert_right(run(program, cache, PROGRAM))


def test_a_stale_cache_is_not_used(program: Path) -> None:
    """Numba's own cache would keep the old constant, which stands in another file."""
    cache = program / "cache"
    assert_right(run(program, cache, PROGRAM))
    (program / "helper.py").write_text("TWICE = 3\n")
    assert_right(run(program, cache, PROGRAM), "63")


@pytest.mark.parametrize("place", ["/proc/no-such-place", "/dev/null/cache", "file"])
def test_a_place_that_cannot_be_written(program: Path, place: str) -> None:
    if place == "file":
        (program / "file").write_text("in the way")
        place = str(program / "file")
    assert_right(run(program, place, PROGRAM))


def test_a_dangling_link_beside_the_source_is_no_trouble(program: Path) -> None:
    (program / "gone.py").symlink_to(program / "nowhere.py")
    assert_right(run(program, program / "cache", PROGRAM))


def test_two_cold_starts_at_once(program: Path) -> None:
    script = program / "script.py"
    script.write_text(textwrap.dedent(PROGRAM))
    environment = {**os.environ, "POCKETZERO_CACHE_DIR": str(program / "cache")}
    starts = [
        subprocess.Popen([sys.executable, script], env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    assert [start.communicate(timeout=120)[0].strip() for start in starts] == ["42", "42"]


def test_later_starts_are_quick() -> None:
    code = "from pocketzero.games import game; game('dots:3x3').random_games(1)"
    subprocess.run([sys.executable, "-c", code], check=True)
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    assert time.perf_counter() - begin < 5  # compiling takes longer than this


def test_a_rule_table_cannot_leave_the_process() -> None:
    with pytest.raises(TypeError, match="send the game's name"):
        pickle.dumps(game("dots:2x2").table)


def test_a_game_travels_by_its_name() -> None:
    board = game("dots:2x2", "grey2018")
    again = pickle.loads(pickle.dumps(board))
    assert (again.name, again.encoding) == (board.name, "grey2018")


def test_one_kernel_serves_all_games() -> None:
    for name in ("dots:2x2", "mnk:3x3x3", "zertz:19"):
        board = game(name)
        played = play_random_games(
            board.table, board.geometry, board.start().state.copy(), board.action_count, games=50, seed=3
        )
        assert played.first_wins + played.second_wins + played.draws == 50


def test_random_games_repeat_with_their_seed() -> None:
    board = game("dots:3x3")
    assert board.random_games(200, seed=5) == board.random_games(200, seed=5) != board.random_games(200, seed=6)


def test_states_handed_out_cannot_be_written() -> None:
    position = game("dots:2x2").start()
    with pytest.raises(ValueError, match="read-only"):
        position.state[0] = 1
    assert position.to_move == 0
    assert isinstance(position.state, np.ndarray)
