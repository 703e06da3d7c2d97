"""Outside programs as players, whatever they do; and our players as an engine, as real managers use it."""

from __future__ import annotations

import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pocketzero.app.cli import app
from pocketzero.app.protocols.serving import Engine
from pocketzero.app.protocols.thinking import bounded, check_player
from pocketzero.errors import PocketZeroError
from pocketzero.games import Position, game
from pocketzero.players.base import Forfeit, Player
from pocketzero.players.engine.outside import TOLERANCE
from pocketzero.players.spec import make_player

BRAIN = """
import os, sys, time
taken, size = set(), 0
def say(text):
    sys.stdout.write(text + ENDING)
    sys.stdout.flush()
def move():
    return next((x, y) for y in range(size) for x in range(size) if (x, y) not in taken)
ENDING = "\\n"
def on_start(): say("OK")
def on_move():
    cell = move()
    taken.add(cell)
    say("%d,%d" % cell)
def on_end(): sys.exit()
{changes}
board = False
for line in sys.stdin:
    open({log!r}, "a").write(line)
    word, _, rest = line.strip().partition(" ")
    if board and word != "DONE":
        taken.add(tuple(int(part) for part in word.split(",")[:2]))
    elif word == "START":
        size, taken = int(rest), set()
        on_start()
    elif word == "TURN":
        taken.add(tuple(int(part) for part in rest.split(",")))
        on_move()
    elif word in ("BEGIN", "DONE"):
        board = False
        on_move()
    elif word == "BOARD":
        board, taken = True, set()
    elif word == "PLAY":
        taken.add(tuple(int(part) for part in rest.split(",")))
        say(rest)
    elif word == "END":
        on_end()
"""


class Brain:
    """A little brain in a file, with something about it changed."""

    def __init__(self, folder: Path, changes: str = "", *, protocol: str = "gomocup") -> None:
        self.file, self.log = folder / "brain.py", folder / "log.txt"
        self.file.write_text(BRAIN.format(changes=changes, log=str(self.log)))
        self.protocol = protocol

    def player(self, board: str = "mnk:6x6x5", settings: str = "seconds=1 start=5") -> Player:
        return make_player(f"engine:{self.protocol} {settings} {sys.executable} {self.file}", game(board))

    def heard(self) -> list[str]:
        return self.log.read_text().split("\n")[:-1]


def children() -> list[str]:
    """The command lines of all programs that this one has started and that are still there, dead ones too."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int(folder.joinpath("stat").read_text().rpartition(")")[2].split()[1]) == os.getpid():
                found.append(folder.joinpath("cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


@pytest.fixture(autouse=True)
def _no_child_stays() -> Iterator[None]:
    before = children()
    yield
    assert children() == before


def play_out(player: Player, position: Position, *, side: int = 0) -> Position:
    """A game to its end; the other side plays the last legal move."""
    while not position.is_over:
        mine = position.to_move == side
        position = position.play_action(player.choose(position) if mine else position.legal_actions()[-1])
    return position


# Brains that are as they should be, or nearly


@pytest.mark.parametrize(
    "changes",
    [
        "",
        'ENDING = "\\r\\n"',
        'old = on_move\ndef on_move():\n  say("MESSAGE hm"); say("DEBUG deep"); say("UNKNOWN INFO"); say(""); old()',
        'def on_move():\n  say("SUGGEST %d,%d" % move())',
        'old = on_move\ndef on_move():\n  sys.stderr.write("x" * 300_000); old()',
        "def on_end(): time.sleep(100)",
        "def on_end(): os.kill(os.getpid(), 9)",
    ],
    ids=["plain", "CRLF", "remarks", "suggestion", "loud stderr", "ignores END", "dies on END"],
)
def test_a_brain_plays_a_whole_game(tmp_path: Path, changes: str) -> None:
    brain = Brain(tmp_path, changes)
    player = brain.player("mnk:6x6x5")
    try:
        assert play_out(player, game("mnk:6x6x5").start()).actions[::2] == [0, 1, 2, 3, 4]
    finally:
        begin = time.monotonic()
        player.close()
        assert time.monotonic() - begin < 1.5
    assert brain.heard()[-1] == "END"


def test_what_a_brain_is_told(tmp_path: Path) -> None:
    brain = Brain(tmp_path, "old = on_move\ndef on_move():\n  time.sleep(0.02); old()")
    player = brain.player("mnk:6x6x4/standard", "seconds=2 match=60 memory=100")
    start = game("mnk:6x6x4/standard").start()
    position = start.play_action(player.choose(start)).play("c3")
    player.choose(position)
    player.choose(start.play_line("a1 b1 a2"))  # another line of play: a whole board
    player.begin(7)
    player.choose(start.play("f6"))
    player.close()
    heard = brain.heard()
    for line in ("timeout_turn 2000", "timeout_match 60000", f"max_memory {100 << 20}", "rule 1", "k 4"):
        assert f"INFO {line}" in heard
    assert [line for line in heard if not line.startswith("INFO")] == [
        *("START 6", "BEGIN", "TURN 2,3"),
        *("BOARD", "0,5,2", "1,5,1", "0,4,2", "DONE"),
        *("START 6", "TURN 5,0", "END"),
    ]
    assert "INFO seed 7" in heard
    left = [int(line.split()[2]) for line in heard if line.startswith("INFO time_left")]
    assert left[0] == left[-1] == 60000
    assert left[1] <= 60000 - 20


# Brains that lose


FAULTS = {
    "crash at START": ('def on_start(): sys.exit("no licence")', r"died with code 1; its last words: 'no licence'"),
    "crash in the game": ("def on_move(): os.kill(os.getpid(), 11)", r"was killed by signal 11 \(SIGSEGV\)"),
    "silent": ("def on_move(): time.sleep(100)", r"was silent for 2\.55 seconds, asked for a move"),
    "silent at START": ("def on_start(): time.sleep(100)", r"was silent for 2\.55 seconds, asked for a new game"),
    "refuses": ('def on_start(): say("ERROR too small")', r"refused a board of 6x6: it answered 'ERROR too small'"),
    "occupied": ('def on_move(): say("5,0")', r"played the illegal move '5,0': the cell is taken"),
    "outside": ('def on_move(): say("6,0")', r"played the illegal move '6,0': the board ends at '5,5'"),
    "garbage": ('def on_move(): say("resign")', r"answered 'resign', which is not a move such as '7,7'"),
    "binary": ('def on_move(): sys.stdout.buffer.write(b"\\xff\\x00\\n"); sys.stdout.flush()', r"is not a move"),
    "flood": ('def on_move():\n  while True: say("MESSAGE more")', r"flooded its output"),
    "one endless line": (
        'def on_move():\n  while True: sys.stdout.write("x" * 4096)',
        r"a line of more than 8192 bytes",
    ),
    "closes its output": ("def on_move(): os.close(1); time.sleep(100)", r"closed its output"),
    "leaves a child": (
        "import subprocess\ndef on_move(): subprocess.Popen(['sleep', '98765']); os._exit(3)",
        r"was silent|died with code 3",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_loses_the_game_with_a_sentence_and_in_time(tmp_path: Path, fault: str) -> None:
    changes, words = FAULTS[fault]
    player = Brain(tmp_path, changes).player(settings="seconds=0.3 start=2")
    position = game("mnk:6x6x5").start().play("f6")
    begin = time.monotonic()
    with pytest.raises(Forfeit) as lost:
        player.choose(position)
    assert time.monotonic() - begin < 5
    assert str(lost.value).startswith(f"The engine {Path(sys.executable).name} ")
    assert re.search(words, str(lost.value)), str(lost.value)
    assert str(lost.value).endswith(".")
    player.close()
    sleepers = [file for file in Path("/proc").glob("[0-9]*/cmdline") if _content(file) == "sleep\x0098765\0"]
    assert not sleepers


def test_a_late_answer_loses_and_says_how_late(tmp_path: Path) -> None:
    """The first move, for which there is more time, may take as long."""
    changes = "old = on_move\ndef on_move():\n  time.sleep(0.9); old()"
    player = Brain(tmp_path, changes).player(settings="seconds=0.3 start=5")
    position = game("mnk:6x6x5").start()
    position = position.play_action(player.choose(position)).play("f1")
    with pytest.raises(Forfeit, match=r"answered too late, asked for a move: after [0-9.]+ s, with 0\.55 s allowed\."):
        player.choose(position)
    player.close()


def test_the_time_of_a_whole_game_is_counted(tmp_path: Path) -> None:
    changes = "old = on_move\ndef on_move():\n  time.sleep(0.5); old()"
    player = Brain(tmp_path, changes).player(settings="seconds=5 match=0.8 start=0.5")
    position = game("mnk:6x6x5").start()
    with pytest.raises(Forfeit, match="answered too late"):
        play_out(player, position)
    assert 0.5 <= player.spent < 0.8 + TOLERANCE  # type: ignore[attr-defined]
    player.close()


def _content(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


def test_after_a_fault_the_next_game_has_a_new_process(tmp_path: Path) -> None:
    once = f"if not os.path.exists({str(tmp_path / 'once')!r}):\n  def on_move():\n    "
    player = Brain(tmp_path, once + f"open({str(tmp_path / 'once')!r}, 'w'); sys.exit('first')").player()
    start = game("mnk:6x6x5").start()
    with pytest.raises(Forfeit, match="last words: 'first'"):
        player.choose(start)
    player.begin(1)
    assert player.choose(start) == 0
    player.close()


def test_a_program_that_is_gone_loses_every_game(tmp_path: Path) -> None:
    script, started = tmp_path / "engine.sh", tmp_path / "started"
    script.write_text(f"#!/bin/sh\n: > {started}\nexit 3\n")
    script.chmod(0o755)
    player = make_player(f"engine:gomocup {script}", game("gomoku:15"))
    while not started.exists():  # the shell must have read the file before it goes
        time.sleep(0.01)
    script.unlink()
    with pytest.raises(Forfeit, match=r"The engine engine.sh died with code 3\."):
        player.choose(game("gomoku:15").start())
    for seed in range(2):
        player.begin(seed)
        with pytest.raises(Forfeit, match=r"cannot be started: No such file or directory\."):
            player.choose(game("gomoku:15").start())
    player.close()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("engine:gomocup ./no-such-brain", "there is no program './no-such-brain' that can be run"),
        ("engine:gomokup x", "there is no protocol 'gomokup'. Did you mean 'gomocup'? Write engine:gomocup seconds=5"),
        ("engine", "there is no protocol ''"),
        ("engine:line seconds=5", "needs a command to run"),
        ("engine:line second=5 true", "no setting 'second'. Did you mean 'seconds'? Its settings: seconds=5, match=0"),
        ("engine:line seconds=0 true", "seconds must be above 0"),
        ("engine:line seconds=1 seconds=2 true", "'seconds' is given twice"),
        ("engine:line memory=lots true", "memory is a whole number, not 'lots'"),
        ("engine:line 'open", "cannot be read: No closing quotation"),
        ("engine:gomocup true", "engine:gomocup does not play dots:2x2; it plays mnk"),
    ],
)
def test_mistakes_in_the_text_are_explained(text: str, words: str) -> None:
    with pytest.raises(PocketZeroError) as mistake:
        make_player(text, game("dots:2x2"))
    assert words in str(mistake.value)


# The line protocol, against programs that are not ours


PROGRAM = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "quit":
        break
    print({answers!r}.get(word, "="), flush=True)
"""


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"genmove": "= zz"}, "played the illegal move 'zz': 'zz' is not a line"),
        ({"genmove": "="}, "played the illegal move ''"),
        ({"genmove": "? lost"}, "answered 'genmove' with the error 'lost'"),
        ({"genmove": "aA"}, "answered 'genmove' with 'aA', which begins neither with = nor with ?"),
        ({"new": "? only chess"}, "answered 'new dots:2x2' with the error 'only chess'"),
    ],
)
def test_faults_of_the_line_protocol(tmp_path: Path, answers: dict[str, str], words: str) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.format(answers=answers))
    player = make_player(f"engine:line {sys.executable} {file}", game("dots:2x2"))
    with pytest.raises(Forfeit) as lost:
        player.choose(game("dots:2x2").start())
    assert words in str(lost.value)
    player.close()


def test_a_whole_turn_in_one_answer(tmp_path: Path) -> None:
    """The program plays a placement with its ring as one text; the manager takes its two actions one by one."""
    file = tmp_path / "program.py"
    start = game("zertz:19").start()
    turn = next(text for text in ("Wc3,a1",) if start.play(text).ply == 2)
    file.write_text(PROGRAM.format(answers={"genmove": f"= {turn}", "seconds": "? no clock", "seed": "? no dice"}))
    player = make_player(f"engine:line {sys.executable} {file}", game("zertz:19"))
    position = start
    for _ in range(2):
        position = position.play_action(player.choose(position))
    assert position == start.play(turn)
    player.close()


# Our engine, in the hands of a manager


class Manager:
    """Runs our engine and reads its lines, with the time they take."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pocketzero", "engine", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        self.lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(b"")

    def send(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode())

    def ask(self, text: str, seconds: float = 20) -> bytes:
        self.send(text)
        return self.lines.get(timeout=seconds)

    def close(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        code = self.process.wait(15)
        while self.lines.get(timeout=5):
            pytest.fail("The engine said more than it was asked for.")
        self.process.stdout.close()
        return code


@pytest.fixture
def manager(request: pytest.FixtureRequest) -> Iterator[Manager]:
    found = Manager(*request.param)
    yield found
    if found.process.poll() is None:
        found.process.kill()
        found.process.wait()
    for stream in (found.process.stdin, found.process.stdout):
        if stream is not None:
            stream.close()


def cells(text: str) -> str:
    return "".join(f"{cell}\r\n" for cell in ["BOARD", *text.split(), "DONE"])


@pytest.mark.parametrize("manager", [("uct:sims=20000",)], indirect=True)
def test_our_brain_as_managers_use_it(manager: Manager) -> None:
    """One process, as a tournament of positions would use it."""
    manager.send("START 15\r\nINFO max_memory 367001600\r\nINFO timeout_turn 10000\r\nINFO rule 0\r\nINFO no such\r\n")
    assert manager.lines.get(timeout=10) == b"OK\r\n"
    assert re.fullmatch(rb"\d+,\d+\r\n", manager.ask("BOARD\r\nDONE\r\n"))
    assert manager.ask("TURN 15,0\r\n") == b"ERROR 15,0 is not on the board, which ends at 14,14\r\n"
    assert manager.ask("TURN 3\r\n").startswith(b"ERROR '3' is not a cell")
    assert manager.ask("START 99\r\n").startswith(b"ERROR unsupported board")
    assert manager.ask("SWAP2BOARD\r\n") == b"UNKNOWN SWAP2BOARD\r\n"
    assert manager.ask("ABOUT\r\n").startswith(b'name="PocketZero", version="')
    # a four is completed, whatever the order and the numbers of stones
    assert manager.ask(cells("7,7,1 8,7,1 9,7,1 10,7,1 6,7,2 0,0,2 0,2,2 0,4,2")) == b"11,7\r\n"
    assert manager.ask(cells("6,7,2 7,7,1 8,7,1 9,7,1 10,7,1")) == b"11,7\r\n"
    assert manager.ask(cells("7,7,1 8,7,1 9,7,1 10,7,1 11,7,3")) == b"6,7\r\n"
    # the other side's four is stopped, since a win is not at hand
    assert manager.ask(cells("7,7,2 0,0,1 8,7,2 6,7,1 9,7,2 3,12,1 10,7,2")) == b"11,7\r\n"
    assert manager.ask(cells("7,7,2 7,7,1")) == b"ERROR 7,7 has two stones\r\n"
    assert manager.ask(cells("7,7,4")).startswith(b"ERROR '7,7,4' is not a stone")
    assert manager.ask("TURN 11,7\r\n") == b"ERROR 11,7 is taken\r\n"  # the board is as before the mistakes
    assert manager.ask("TAKEBACK 11,7\r\n") == b"OK\r\n"
    assert manager.ask("TAKEBACK 11,7\r\n").startswith(b"ERROR there is no stone")
    assert manager.ask("RESTART\r\n") == b"OK\r\n"
    assert manager.ask("BEGIN\n").endswith(b"\n")
    assert manager.ask("BEGIN\n") == b"ERROR BEGIN is for an empty board\n"
    # other rules: exactly five, where six are no win, and the private key for four in a row
    assert manager.ask("INFO rule 1\n" + cells("7,7,1 8,7,1 9,7,1 10,7,1 12,7,1 0,0,2 0,2,2 0,4,2 0,6,2")) == b"6,7\r\n"
    assert manager.ask("RECTSTART 7,6\nINFO k 4\n") == b"OK\n"
    assert manager.ask(cells("0,0,1 1,0,1 2,0,1 0,5,2 2,5,2 4,5,2")) == b"3,0\r\n"
    assert manager.close() == 0


@pytest.mark.parametrize("manager", [("uct",)], indirect=True)
def test_time_memory_and_the_end_of_our_brain(manager: Manager) -> None:
    begin = time.monotonic()
    assert manager.ask("START 15\r\n") == b"OK\r\n"
    assert time.monotonic() - begin < 1.5  # nothing is compiled or loaded before this answer
    manager.send("INFO timeout_turn 100\r\nINFO rule 4\r\n")
    assert manager.ask("BEGIN\r\n", 60).startswith(b"MESSAGE The rule renju")
    manager.lines.get(timeout=5)
    manager.send("INFO timeout_turn 3000\r\n")
    times = []
    while not times or (min(times) >= 3 and len(times) < 3):  # the machine may be busy
        begin = time.monotonic()
        assert re.fullmatch(rb"\d+,\d+\r\n", manager.ask(cells("7,7,2"), 5))
        times.append(time.monotonic() - begin)
    assert 1 < min(times) < 3  # without a limit of its own, a player takes what it may, less a margin
    status = Path(f"/proc/{manager.process.pid}/status").read_text()
    assert int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) < 350 * 1024
    manager.send("INFO timeout_turn 60000\r\n" + cells("7,7,2 8,7,1 9,9,2"))
    time.sleep(0.5)
    begin = time.monotonic()
    manager.send("END\r\n")
    assert manager.process.wait(5) == 0
    assert time.monotonic() - begin < 0.5
    assert manager.lines.get(timeout=5) == b""


@pytest.mark.parametrize("manager", [()], indirect=True)
@pytest.mark.parametrize("size", [20, 6])
def test_the_best_player_keeps_the_limits_of_a_tournament(manager: Manager, size: int) -> None:
    assert manager.ask(f"START {size}\r\n") == b"OK\r\n"
    manager.send("INFO timeout_turn 1000\r\n")
    assert re.fullmatch(rb"\d+,\d+\r\n", manager.ask("BEGIN\r\n", 60))
    times = []
    while not times or (min(times) >= 1 and len(times) < 3):  # the machine may be busy
        begin = time.monotonic()
        assert re.fullmatch(rb"\d+,\d+\r\n", manager.ask(cells("2,2,2 4,3,1 1,4,2"), 5))
        times.append(time.monotonic() - begin)
    assert min(times) < 1
    status = Path(f"/proc/{manager.process.pid}/status").read_text()
    assert int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) < 350 * 1024
    assert manager.close() == 0


def test_only_protocol_lines_reach_the_output() -> None:
    """Neither Python nor C code can print there once the engine runs."""
    code = (
        "import os, sys\n"
        "from pocketzero.app.protocols import serving\n"
        "old = serving.Engine._prepare\n"
        "def noisy(self):\n    print('noise'); sys.stdout.flush(); os.system('echo noise'); old(self)\n"
        "serving.Engine._prepare = noisy\n"
        "serving.Engine('random', '', '').run()\n"
    )
    given = "new mnk:3x3x3\nplay b2\nundo\nboard\nshow\nplay z9\nmoves\n"
    result = subprocess.run([sys.executable, "-c", code], input=given, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("noise") == 2
    *head, moves = result.stdout.splitlines()
    assert head[:5] == ["=", "=", "=", "= 3/3/3 x", "="]
    assert head[5].startswith("? 'z9': there is no column z")
    assert len(moves.split()) == 1 + 9


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["randm"], "Did you mean 'random'"),
        (["random", "--protocol", "gomocup", "--game", "dots:2x2"], "use --protocol line"),
    ],
)
def test_a_wrong_player_or_game_ends_the_engine_with_a_sentence(words: list[str], said: str) -> None:
    command = [sys.executable, "-m", "pocketzero", "engine", *words]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1, text=True) as process:
        assert process.wait(60) == 2
        assert process.stdout is not None
        assert process.stderr is not None
        assert said in process.stderr.read()
        assert process.stdout.read() == ""


def test_a_wrong_protocol_and_a_person_are_refused() -> None:
    with pytest.raises(PocketZeroError, match="A person cannot be the engine"):
        check_player("human")
    with pytest.raises(PocketZeroError, match="Did you mean 'gomocup'"):
        Engine("random", "gomokup", "")


@pytest.mark.parametrize("manager", [("uct:sims=500", "--game", "mnk:7x7x4")], indirect=True)
def test_the_game_of_the_command_line_says_how_many_win(manager: Manager) -> None:
    assert manager.ask("START 6\r\n") == b"OK\r\n"
    assert manager.ask(cells("0,0,1 1,0,1 2,0,1 0,5,2 2,5,2 4,5,2")) == b"3,0\r\n"
    assert manager.close() == 0


@pytest.mark.parametrize(
    ("text", "bounds", "result"),
    [
        ("uct", {"seconds": 4.5}, "uct:seconds=4.5"),
        ("uct:sims=400", {"seconds": 4.5, "memory": 90}, "uct:sims=400,seconds=4.5,memory=90"),
        ("uct:seconds=2, c=1", {"seconds": 4.5}, "uct:seconds=2.0,c=1"),
        ("uct:seconds=20,c=1", {"seconds": 4.5}, "uct:seconds=4.5,c=1"),
        ("random", {"seconds": 4.5}, "random"),
        ("engine:line seconds=9 x", {"seconds": 4.5}, "engine:line seconds=9 x"),
        ("uct:sims=5", {}, "uct:sims=5"),
    ],
)
def test_bounds_become_options(text: str, bounds: dict[str, float], result: str) -> None:
    assert bounded(text, bounds) == result


def test_a_tree_that_may_not_grow_ends_the_search() -> None:
    player = make_player("uct:seconds=60,memory=4", game("gomoku:15"))
    begin = time.monotonic()
    player.choose(game("gomoku:15").start())
    assert time.monotonic() - begin < 30


# Ours against ours, through both protocols


@pytest.mark.parametrize(
    ("protocol", "board"),
    [
        ("gomocup", "gomoku:15"),
        ("gomocup", "mnk:7x7x4"),
        ("gomocup", "mnk:7x6x4/standard"),
        ("line", "dots:3x3"),
        ("line", "zertz:19"),
        ("line", "mnk:5x4x4"),
    ],
)
def test_whole_games_through_the_protocols(protocol: str, board: str) -> None:
    """Two games in one process, one begun by each side; the second from a position, not from the start."""
    chosen = game(board)
    text = f"engine:{protocol} start=60 {sys.executable} -m pocketzero engine random"
    player = make_player(text, chosen, seed=5)
    rival = make_player("random", chosen, seed=6)
    first = chosen.start()
    middle = chosen.position(chosen.start().play(chosen.start().legal_actions()[-1]).text)
    for side, position in ((0, first), (1, middle)):
        player.begin(side)
        while not position.is_over:
            position = position.play((player if position.to_move == side else rival).choose(position))
        assert position.ply > 4
    player.close()


def test_the_same_seed_gives_the_same_moves_through_an_engine() -> None:
    chosen = game("dots:2x2")
    player = make_player(f"engine:line start=60 {sys.executable} -m pocketzero engine random", chosen)
    games = []
    for seed in (1, 1, 2):
        player.begin(seed)
        games.append(play_out(player, chosen.start()).actions)
    player.close()
    assert games[0] == games[1] != games[2]


def test_players_are_listed() -> None:
    def listed(*words: str) -> str:
        return CliRunner().invoke(app, ["players", *words], catch_exceptions=False).stdout

    everything, for_gomoku = listed(), listed("--game", "gomoku:15")
    assert "uct        tree search with random games" in everything
    assert "sims=0, seconds=0.0" in everything
    assert "\nhard " in everything
    assert "plays dots: boards of up to 62 lines" in everything
    assert "plays mnk: boards of up to 64 cells" in everything
    assert "\nhard " not in for_gomoku
    assert "\nengine     an outside program" in for_gomoku
