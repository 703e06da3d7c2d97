"""The command line as people use it: results on stdout, everything else on stderr, exit code 2 for mistakes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def pocketzero(*words: str, text: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    return subprocess.run(
        [sys.executable, "-m", "pocketzero", *words],
        input=text,
        capture_output=True,
        text=True,
        timeout=180,
        cwd=cwd,
        env=environment,
    )


def assert_mistake(result: subprocess.CompletedProcess[str], *words: str) -> None:
    assert result.returncode == 2, result
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr


def test_version_and_help() -> None:
    assert pocketzero("--version").stdout == "pocketzero 0.1.0\n"
    text = pocketzero("--help").stdout
    for command in (
        "play",
        "check",
        "replay",
        "show",
        "games",
        "players",
        "engine",
        "match",
        "tournament",
        "solve",
        "models",
    ):
        assert command in text


def test_help_is_there_at_once() -> None:
    """The best of several starts, beside Typer's own help in the same run; NumPy and Numba would take far longer."""
    bare = "import typer; app = typer.Typer(); app.command()(lambda: None); app(['--help'])"
    times, others = [], []
    for _ in range(5):
        begin = time.perf_counter()
        pocketzero("--help")
        middle = time.perf_counter()
        subprocess.run([sys.executable, "-c", bare], check=True, capture_output=True)
        times.append(middle - begin)
        others.append(time.perf_counter() - middle)
    assert min(times) < 2 * min(others)
    code = "import sys, pocketzero.app.cli; print({'numba', 'numpy', 'torch', 'rich'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_games_are_listed() -> None:
    text = pocketzero("games").stdout
    for word in ("dots:5x5", "zertz:37", "gomoku:15", "mnk:5x5x4", "plain", "zertz-sgf", "psq"):
        assert word in text


def test_check() -> None:
    result = pocketzero("check", "dots:2x2", "--games", "20")
    assert result.returncode == 0
    assert "every promise kept in 20 games" in result.stdout
    assert_mistake(pocketzero("check", "dost:2x2"), "Did you mean 'dots'")
    assert_mistake(pocketzero("check", "dots:99x2"), "1 to 20")


def test_check_of_a_file(tmp_path: Path) -> None:
    """Twice, since the second start finds its compiled code in the cache."""
    for _ in range(2):
        result = pocketzero("check", "examples/kalah.py:game", "--games", "5", cwd=ROOT)
        assert "every promise kept in 5 games" in result.stdout
    file = tmp_path / "mine.py"
    file.write_text("from pocketzero.games import game as find\ngame = find('dots:2x2')\nnumber = 3\n")
    assert pocketzero("check", f"{file}:game", "--games", "2").returncode == 0
    assert_mistake(pocketzero("check", f"{file}:number"), "is not a Game")


def test_show(tmp_path: Path) -> None:
    result = pocketzero("show", "dots:1x1", "aA", "Aa")
    assert result.stdout.splitlines()[1] == "  o---o A"
    assert result.stdout.splitlines()[-1] == "-/|../. 0-0 A"
    assert pocketzero("show", "dots:1x1", "--position", "-/|../. 0-0 A").stdout == result.stdout
    file = tmp_path / "board.svg"
    assert pocketzero("show", "zertz:37", "--svg", str(file)).returncode == 0
    assert file.read_text().startswith("<svg")
    assert_mistake(pocketzero("show", "dots:1x1", "aA", "aA"), "Move 2: 'aA' is not legal here")
    assert_mistake(pocketzero("show", "dots:1x1", "--svg", str(tmp_path)), "cannot be written")


def test_replay_and_convert(tmp_path: Path, shared_data: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text("#2,b1a2b3c2")
    result = pocketzero("replay", str(file))
    assert result.stdout == f"{file}: dots:2x2, 4 moves, unfinished\n"
    plain = pocketzero("replay", str(file), "--to", "plain")
    assert plain.stdout.splitlines()[0] == "pocketzero record 1"
    file.write_text(plain.stdout)
    assert pocketzero("replay", str(file), "--from", "plain", "--to", "centres").stdout == "#2,b1a2b3c2\n"
    records = sorted(str(path) for path in (shared_data / "zertz-sgf").glob("*.sgf"))
    result = pocketzero("replay", *records)
    assert result.returncode == 0
    assert result.stdout.count("wins\n") + result.stdout.count("unfinished\n") == len(records) == 10


def test_replay_says_what_is_wrong(tmp_path: Path) -> None:
    good, bad, cut = tmp_path / "good.txt", tmp_path / "bad.txt", tmp_path / "cut.sgf"
    good.write_text("#2,b1a2b3")
    bad.write_text("#2,b1b1")
    cut.write_text("(;GM[4]SZ[15];B[hh];W[h")
    result = pocketzero("replay", str(good), str(bad), str(cut))
    assert result.returncode == 2
    assert "good.txt: dots:2x2, 3 moves" in result.stdout
    assert "bad.txt: Move 2: '0' is not legal here" in result.stderr
    assert "cut.sgf: Line 1 of the SGF" in result.stderr
    assert_mistake(pocketzero("replay", str(good), str(bad), "--to", "plain"), "Move 2")
    assert_mistake(pocketzero("replay", str(good), "--to", "plan"), "Did you mean 'plain'")
    assert_mistake(pocketzero("replay", str(tmp_path / "no.txt")), "cannot be read: No such file")
    bad.write_bytes("#2,b1".encode("utf-16"))
    assert_mistake(pocketzero("replay", str(bad)), "not text in UTF-8: byte 1 is 0xff")


def test_a_whole_game_in_the_terminal() -> None:
    words = "nonsense\n\nmoves\nhint\nhelp\nundo\naA\nundo\n" + "\n".join(
        f"{column}{row}" for row in "ABab" for column in "abAB" if (column + row).lower() != column + row
    )
    result = pocketzero("play", "dots:1x1", text=words + "\naB\nAa\nAb\naA\naB\nAa\nAb\n")
    assert result.returncode == 0, result.stderr
    assert "is not a line of a 1x1 board" in result.stdout
    assert "There is nothing to undo" in result.stdout
    assert "The machine wins." in result.stdout or "You win!" in result.stdout


@pytest.mark.parametrize("text", ["", "quit\n", "aA\n"])
def test_leaving_the_terminal(text: str) -> None:
    result = pocketzero("play", "dots:2x2", "--second", text=text)
    assert result.returncode == 0
    assert "Goodbye." in result.stdout


def test_a_separate_package_can_add_a_game(tmp_path: Path) -> None:
    """A package on the path with an entry point is all it takes."""
    (tmp_path / "other_games.py").write_text(
        "from pocketzero.games import Family, game\n"
        "FAMILY = Family(\n"
        "    name='mini', title='Mini', examples=('mini:1',), usage='mini:1', make=lambda board: game('dots:1x1')\n"
        ")\n"
    )
    information = tmp_path / "other_games-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: other-games\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[pocketzero.games]\nmini = other_games:FAMILY\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "pocketzero", "check", "mini:1", "--games", "2"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert "every promise kept in 2 games" in result.stdout, result.stderr
