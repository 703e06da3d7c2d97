"""The server's interface: games for outside programs, seats, undo, records, positions, analysis, limits, and fuzzing.

``POCKETZERO_FUZZ`` is the number of generated requests and of messages (300 unless told); ``python -m benchmarks page``
sends 2,000 of each.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import random
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import uvicorn
from benchmarks.fuzzing import JSON, LIMITS, send_malformed, send_messages, send_requests
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from page_server import running_server
from pocketzero.app.analysis import Desk
from pocketzero.app.analysis import live as live_analysis
from pocketzero.app.analysis.hint import analysed
from pocketzero.app.analysis.json_lines import JsonLines
from pocketzero.app.analysis.live import PATIENCE
from pocketzero.app.analysis.report import Report, report_of
from pocketzero.app.server import tables
from pocketzero.app.server.application import create_app
from pocketzero.app.server.engines import MOST_BYTES, Engines, bytes_of
from pocketzero.app.server.house import House, Setup
from pocketzero.app.server.limits import Limits
from pocketzero.app.server.runs import Runs
from pocketzero.app.server.seats import Seat, seat_for
from pocketzero.app.server.serving import listen
from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position, game
from pocketzero.players.base import Kind, Player
from pocketzero.players.spec import make_player

FUZZ = int(os.environ.get("POCKETZERO_FUZZ", "300"))
GROWN_MIB = 150  # by compiled rules of new games, and by games in memory


class Served:
    """A server in a thread of this process."""

    def __init__(self, folder: Path, limits: Limits = LIMITS) -> None:
        self.app = create_app(Setup(games=folder / "games.sqlite", runs=folder / "runs", limits=limits))
        self.listener = listen("127.0.0.1", 0)
        self.port = self.listener.getsockname()[1]
        self.server = uvicorn.Server(uvicorn.Config(self.app, log_level="error", timeout_graceful_shutdown=1))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listener]}, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.02)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def house(self) -> House:
        return self.app.state.house

    def close(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)
        self.listener.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("served"))
    yield served
    served.close()


@pytest.fixture(scope="module")
def client(served: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"http://127.0.0.1:{served.port}", timeout=30) as client:
        yield client


def new_game(client: httpx.Client, name: str = "dots:3x3", **more: Any) -> dict[str, Any]:
    answer = client.post("/api/games", json={"game": name, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def post(client: httpx.Client, path: str, body: object = None, status: int = 200) -> Any:
    answer = client.post(path, json={} if body is None else body)
    assert answer.status_code == status, answer.text
    return answer.json()


# Games


@pytest.mark.parametrize(
    ("name", "opponent"),
    [("dots:2x3", "hard"), ("zertz:19/deepzertz", "greedy"), ("mnk:4x4x4", "uct:sims=50"), ("gomoku:9", "random")],
)
def test_an_outside_program_plays_a_whole_game(client: httpx.Client, name: str, opponent: str) -> None:
    number = new_game(client, name, seats=["person", opponent])["id"]
    chance = random.Random(3)
    for _ in range(200):
        turn = client.get(f"/api/games/{number}/turn").json()
        if turn["turn"] == 0:
            break
        assert turn["turn"] == 1
        assert turn["person"]
        legal = client.get(f"/api/games/{number}").json()["view"]["legal"]
        answer = post(client, f"/api/games/{number}/moves", {"move": chance.choice(legal), "wait": 20})
        assert answer["played"]
        assert answer["text"] == client.get(f"/api/games/{number}/board").text
    state = client.get(f"/api/games/{number}").json()
    assert state["view"]["over"]
    record = client.get(f"/api/games/{number}/record").text
    again = post(client, "/api/games/record", {"text": record}, 201)
    assert again["view"]["text"] == state["view"]["text"]


def test_undo_goes_back_to_ones_own_previous_decision(client: httpx.Client) -> None:
    # B captures both boxes in one turn of several lines; undo skips all of them.
    number = new_game(client, "dots:1x2", seats=["person", "easy"], moves=["aA", "aB", "bA", "bB"])["id"]
    state = post(client, f"/api/games/{number}/moves", {"move": "Aa", "wait": 10})
    assert [node["player"] for node in state["nodes"][5:]] == [0, 1, 1]
    assert post(client, f"/api/games/{number}/undo")["cursor"] == 4
    assert post(client, f"/api/games/{number}/redo")["cursor"] == 7
    # One's own extra turn: each line was a decision of its own.
    number = new_game(client, "dots:1x2", seats=["person", "easy"], moves=["aA", "aB", "bA", "bB", "Aa"])["id"]
    post(client, f"/api/games/{number}/pause")


def test_undo_of_a_put_before_its_ring_and_forced_captures(client: httpx.Client) -> None:
    number = new_game(client, "zertz:37", seats=["person", "person"])["id"]
    post(client, f"/api/games/{number}/moves", {"move": "Wd4"})
    assert post(client, f"/api/games/{number}/undo")["cursor"] == 0
    state = post(client, f"/api/games/{number}/moves", {"move": "Wd4,a1"})
    assert state["cursor"] == 2 or state["view"]["phase"] == "put"
    state = post(client, f"/api/games/{number}/moves", {"move": "Gd5,g1"})
    assert state["view"]["phase"] == "capture"
    assert len(state["view"]["jumps"]) == 2
    post(client, f"/api/games/{number}/goto", {"node": state["nodes"][2]["id"]})
    state = post(client, f"/api/games/{number}/moves", {"move": "Ga4,g1"})
    assert state["view"]["to_move"] == 0


def test_single_compulsory_captures_play_themselves_if_wanted(client: httpx.Client) -> None:
    for forced, phase in ((True, "put"), (False, "capture")):
        number = new_game(client, "zertz:37", seats=["person", "person"], forced=forced, moves=["Wa1,g4"])["id"]
        state = post(client, f"/api/games/{number}/moves", {"move": "Ga2,g3"})
        assert state["view"]["phase"] == phase, state["view"]
        if forced:
            assert sum(state["view"]["captured"][0]) == 1


def test_variations_are_kept_as_a_tree(client: httpx.Client) -> None:
    number = new_game(client, "mnk:3x3x3", moves=["a1", "b2", "c3"])["id"]
    post(client, f"/api/games/{number}/goto", {"node": 1})
    state = post(client, f"/api/games/{number}/moves", {"move": "c1"})
    assert [node["parent"] for node in state["nodes"]] == [None, 0, 1, 2, 1]
    assert state["end"] == 4
    assert post(client, f"/api/games/{number}/goto", {"node": 3})["end"] == 3
    branch = new_game(client, "mnk:3x3x3", from_game=number, from_node=2)
    assert [node["move"] for node in branch["nodes"]] == ["", "a1", "b2"]


def test_two_machines_play_while_somebody_watches_and_sides_can_be_taken_over(client: httpx.Client) -> None:
    number = new_game(client, "dots:4x4", seats=["easy", "easy"], pace=0.05)["id"]
    time.sleep(0.3)
    state = client.patch(f"/api/games/{number}", json={"seats": ["person", "easy"]}).json()
    assert len(state["nodes"]) > 1
    assert state["seats"][0]["person"]


def test_a_machine_does_not_move_where_one_only_looks(client: httpx.Client) -> None:
    number = new_game(client, "dots:3x3", seats=["person", "easy"])["id"]
    post(client, f"/api/games/{number}/moves", {"move": "aA", "wait": 5})
    assert post(client, f"/api/games/{number}/goto", {"node": 1})["paused"]
    time.sleep(0.2)
    assert client.get(f"/api/games/{number}").json()["cursor"] == 1
    post(client, f"/api/games/{number}/go")
    time.sleep(0.5)
    assert client.get(f"/api/games/{number}").json()["cursor"] != 1


def test_games_are_kept_found_and_deleted(client: httpx.Client, served: Served) -> None:
    number = new_game(client, "mnk:4x4x3", moves=["a1", "b2"], title="A rare title")["id"]
    found = client.get("/api/games", params={"query": "rare mnk"}).json()
    assert [each["id"] for each in found["games"]] == [number]
    served.house.tables._live.clear()  # as after a restart
    assert client.get(f"/api/games/{number}").json()["nodes"][2]["move"] == "b2"
    assert client.delete(f"/api/games/{number}").status_code == 204
    assert client.get(f"/api/games/{number}").status_code == 404
    assert client.get("/api/games", params={"query": "100%_"}).json()["count"] == 0


# Positions, hints, analysis


def test_positions_are_laid_out_for_all_games(client: httpx.Client) -> None:
    def check(name: str, setup: dict[str, Any], status: int = 200) -> Any:
        return post(client, "/api/positions", {"game": name, "setup": setup}, status)

    lines = "".join("1" if name in ("aA", "aB", "Aa", "Ab") else "0" for name in game("dots:2x2").start().legal_moves())
    assert check("dots:2x2", {"drawn": lines, "owners": "B...", "to_move": 1})["text"].endswith("0-1 B")
    assert check("mnk:3x3x3", {"stones": "x...o....", "to_move": 0})["text"] == "x2/1o1/3 x"
    assert "stones" in check("mnk:3x3x3", {"stones": "xx.......", "to_move": 0}, 400)["detail"]
    rings = "." * 18 + "W" + "." * 18
    nothing = [[0, 0, 0], [0, 0, 0]]
    fine = check("zertz:37", {"rings": rings, "pool": [5, 8, 10], "captured": nothing, "to_move": 1})
    assert fine["game"] == "zertz:37"
    other = check("zertz:37", {"rings": rings, "pool": [2, 2, 2], "captured": nothing, "to_move": 0})
    assert other["game"] == "zertz:37/pool=3-2-2"
    started = new_game(client, other["game"], start=other["text"])
    assert started["view"]["text"] == other["text"]


def test_hint_and_analysis_know_exact_values(client: httpx.Client) -> None:
    number = new_game(client, "mnk:3x3x3", moves=["a1", "a2", "b1", "b2"])["id"]
    assert post(client, f"/api/games/{number}/hint")["move"] == "c1"
    report = post(client, "/api/analyses", {"game": "dots:2x2", "simulations": 200})
    assert report["exact"] == 2
    assert {move["exact"] for move in report["moves"]} <= {-2, -4, 0, 2, 4}
    words = client.get(f"/api/games/{new_game(client, 'dots:2x2')['id']}/explain").json()
    assert words["sentences"]


@pytest.mark.parametrize("name", ["dots:3x3", "zertz:19", "mnk:5x5x4"])
def test_a_net_tells_its_policy_and_the_owners_of_boxes(name: str, tmp_path: Path) -> None:
    from pocketzero.nets import build_net, describe, save_net

    board = game(name)
    path = save_net(build_net(describe(board, channels=8, blocks=1)), tmp_path / "small.safetensors")
    desk = Desk(1)
    report = analysed(desk, board.start(), seconds=0.3, net=str(path))
    desk.close()
    assert report["evaluator"] == "net small.safetensors"
    assert sum(report["policy"].values()) == pytest.approx(1, abs=0.02)
    assert ("owners" in report) == name.startswith("dots")
    assert len(report.get("owners", [])) in (0, 9)


# The live connection


def live(served: Served, **more: Any) -> Any:
    return connect(f"ws://127.0.0.1:{served.port}/api/live", **more)


def wait_for_quiet(served: Served, seconds: float = 1.0) -> float:
    """How long it takes until no analysis is left."""
    begin = time.monotonic()
    while served.house.analyses or len(served.house.desk):
        assert time.monotonic() - begin < seconds, "a search goes on"
        time.sleep(0.01)
    return time.monotonic() - begin


def is_freed(kept: weakref.ref[Any], seconds: float = 1.0) -> bool:
    """Whether what is referred to is gone within this time; the slice under way holds it to its end."""
    end = time.monotonic() + seconds
    while kept() is not None and time.monotonic() < end:
        gc.collect()
        time.sleep(0.01)
    return kept() is None


def reports_of_two(served: Served, seconds: float = 2.0) -> int:
    """How many reports the slower of two analyses brings in this time."""
    counts = [0, 0]

    def follow(which: int, name: str) -> None:
        with live(served) as socket:
            socket.send(json.dumps({"type": "analyse", "id": "x", "game": name}))
            socket.recv(10)
            begin = time.monotonic()
            while time.monotonic() - begin < seconds:
                socket.send(json.dumps({"type": "seen"}))
                assert json.loads(socket.recv(5))["type"] == "analysis"
                counts[which] += 1

    threads = [threading.Thread(target=follow, args=pair) for pair in enumerate(("gomoku:15", "zertz:37"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wait_for_quiet(served)
    return min(counts)


def test_two_analyses_each_report_five_times_a_second(served: Served) -> None:
    assert any(reports_of_two(served) >= 10 for _ in range(3))  # other work may be going on


def test_a_vanished_client_frees_its_search_within_a_second(served: Served) -> None:
    with live(served) as socket:
        socket.send(json.dumps({"type": "analyse", "game": "gomoku:15"}))
        socket.recv(5)
        assert served.house.analyses == 1
        socket.socket.shutdown(2)  # as when its program dies
        wait_for_quiet(served)


def test_a_silent_client_costs_nothing_and_goes_on_when_it_is_heard(served: Served) -> None:
    with live(served) as socket:
        socket.send(json.dumps({"type": "analyse", "id": "s", "game": "gomoku:15"}))
        assert json.loads(socket.recv(5))["simulations"] > 0
        tree = weakref.ref(next(iter(served.house.desk._tasks))._search)  # type: ignore[attr-defined]
        wait_for_quiet(served)  # not a word
        assert is_freed(tree), "the tree is kept"
        for _ in range(2):
            socket.send(json.dumps({"type": "seen"}))
            assert json.loads(socket.recv(5))["id"] == "s"
        assert served.house.analyses == 1
        wait_for_quiet(served)
        socket.send(json.dumps({"type": "stop"}))
        socket.send(json.dumps({"type": "seen"}))  # a late word does not begin what was stopped
        assert json.loads(socket.recv(5))["type"] == "stopped"
        time.sleep(0.3)
        assert served.house.analyses == 0


def test_a_report_that_took_long_is_not_the_silence_of_its_reader(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow_report(*told: Any) -> Report:
        time.sleep(1.5 * PATIENCE)
        return report_of(*told)

    monkeypatch.setattr(live_analysis, "report_of", slow_report)
    with live(served) as socket:
        socket.send(json.dumps({"type": "analyse", "game": "gomoku:15"}))
        for _ in range(2):
            assert json.loads(socket.recv(5))["type"] == "analysis"
            socket.send(json.dumps({"type": "seen"}))
    wait_for_quiet(served, 2.0)


def test_a_finished_analysis_or_review_leaves_its_place_to_others(served: Served, client: httpx.Client) -> None:
    number = new_game(client, "mnk:3x3x3", moves=["a1", "b2"])["id"]
    with live(served) as socket:
        socket.send(json.dumps({"type": "analyse", "id": "a", "game": "gomoku:15", "simulations": 50}))
        while (told := json.loads(socket.recv(10)))["state"] == "running":
            socket.send(json.dumps({"type": "seen"}))
        assert told["state"] == "done"
        socket.send(json.dumps({"type": "review", "id": "r", "game_id": number, "seconds": 0.1}))
        while json.loads(socket.recv(10))["state"] == "running":
            pass
        assert served.house.analyses == 0


def test_a_client_that_leaves_before_its_answer_frees_its_search(tmp_path: Path) -> None:
    served = Served(tmp_path, Limits(analysis_seconds=20.0))
    url = f"http://127.0.0.1:{served.port}/api/analyses"
    try:
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(url, json={"game": "gomoku:15", "seconds": 20}, timeout=0.5)
        assert wait_for_quiet(served) < 1.0
    finally:
        served.close()


def test_clients_that_wait_for_a_slow_reply_hold_up_nobody(client: httpx.Client) -> None:
    numbers = [new_game(client, "zertz:37", seats=["person", "uct:seconds=1"])["id"] for _ in range(50)]

    def wait(number: str) -> None:
        httpx.post(
            f"{str(client.base_url).rstrip('/')}/api/games/{number}/moves",
            json={"move": "Wd4,a1", "wait": 2},
            timeout=30,
        )

    threads = [threading.Thread(target=wait, args=(number,)) for number in numbers]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    begin = time.monotonic()
    assert client.get("/api/players").status_code == 200
    assert time.monotonic() - begin < 1.5
    for thread in threads:
        thread.join()
    for number in numbers:
        client.delete(f"/api/games/{number}")


def test_analyses_are_capped(served: Served) -> None:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(live(served)) for _ in range(LIMITS.analyses + 1)]
        for socket in sockets:
            socket.send(json.dumps({"type": "analyse", "id": "c", "game": "mnk:9x9x5"}))
        told = [json.loads(socket.recv(10)) for socket in sockets]
        assert [each["type"] for each in told].count("error") == 1
    wait_for_quiet(served, 2.0)


def test_nonsense_on_the_live_connection(served: Served) -> None:
    send_messages(served.address, FUZZ)
    with live(served) as socket:
        socket.send("x" * (LIMITS.message_bytes + 1))
        with pytest.raises(ConnectionClosed):
            socket.recv(5)
    wait_for_quiet(served, 3.0)
    time.sleep(0.3)
    assert served.house.sockets == 0


# Who may ask for what


def test_foreign_hosts_and_origins_are_refused(served: Served, client: httpx.Client) -> None:
    assert client.get("/api/about", headers={"host": "evil.example"}).status_code == 403
    assert client.get("/", headers={"origin": "http://evil.example"}).status_code == 403
    assert client.get("/", headers={"origin": "null"}).status_code == 403
    assert client.get("/", headers={"origin": f"http://127.0.0.1:{served.port}"}).status_code == 200
    with pytest.raises(Exception, match="403"), live(served, origin="http://evil.example"):
        pass


def test_sizes_are_capped(client: httpx.Client) -> None:
    large = "x" * (LIMITS.body_bytes + 1)
    assert client.post("/api/games/record", json={"text": large}).status_code == 413

    def parts() -> Iterator[bytes]:
        for _ in range(LIMITS.body_bytes // 1000 + 2):
            yield b"x" * 1000

    assert client.post("/api/games/record", content=parts()).status_code == 413


@pytest.mark.parametrize("name", ["/etc/passwd.py:game", "examples/kalah.py:game", "mine.py:game"])
def test_games_in_files_are_never_run(client: httpx.Client, name: str) -> None:
    assert client.post("/api/games", json={"game": name}).status_code == 404
    record = f"pocketzero record 1\ngame {name}\nmoves 0\n"
    assert client.post("/api/games/record", json={"text": record}).status_code in (400, 404)


@pytest.mark.parametrize(
    "text",
    [
        "engine:gomocup ./x",
        "human",
        "uct:seconds=100",
        "uct:sims=9999999",
        "alphabeta:seconds=0,nodes=1000000000",
        "zero:./runs/x",
        "net:/etc/passwd",
        "nobody",
    ],
)
def test_players_that_clients_may_not_have(client: httpx.Client, text: str) -> None:
    answer = client.post("/api/games", json={"game": "dots:3x3", "seats": ["person", text]})
    assert answer.status_code in (400, 404), answer.text


@pytest.mark.parametrize("inner", ["human", "engine:line ./x", "joint:human", "uct:seconds=100", "zero:./runs/x", ""])
def test_a_player_behind_another_one_is_checked_too(client: httpx.Client, inner: str) -> None:
    answer = client.post("/api/games", json={"game": "zertz:19", "seats": ["person", f"joint:{inner}"]})
    assert answer.status_code in (400, 404), answer.text


def test_a_player_may_think_in_another_form_of_the_game(client: httpx.Client) -> None:
    number = new_game(client, "zertz:19", seats=["person", "joint:uct:sims=20"])["id"]
    state = post(client, f"/api/games/{number}/moves", {"move": "Wc3,a1", "wait": 10})
    assert len(state["played"]) > 2, state["problem"]


def test_budgets_are_bounded_on_every_board() -> None:
    limits = Limits()
    for name, text, word in (
        ("gomoku:15", "threats:nodes=1000000000", "nodes"),
        ("zertz:37", "alphabeta:nodes=1000000000", "nodes"),
        ("dots:20x20", "zero:dots,sims=1000000", "sims"),
        ("dots:3x3", "zero:dots,leaves=1000000", "leaves"),
        ("dots:3x3", "zero:dots,solve=100000000", "solve"),
    ):
        with pytest.raises(PocketZeroError, match=f"{word} is at most"):
            seat_for(text, game(name), limits, {})
    options = seat_for("uct:sims=1000000", game("dots:20x20"), limits, {}).options
    assert options.memory == limits.engine_memory  # type: ignore[attr-defined]


# How players think


def wait_until(is_so: Callable[[], bool], seconds: float = 5.0) -> float:
    """How long it takes until something is so."""
    begin = time.monotonic()
    while not is_so():
        assert time.monotonic() - begin < seconds, "it never comes"
        time.sleep(0.01)
    return time.monotonic() - begin


SLOW = "uct:seconds=20"


@pytest.fixture
def calm(tmp_path: Path) -> Iterator[tuple[httpx.Client, Engines]]:
    """A server whose players may think for long."""
    served = Served(tmp_path, Limits())
    with httpx.Client(base_url=served.address, timeout=30) as client:
        yield client, served.house.engines
    served.close()


def test_a_quick_player_does_not_wait_for_the_slow_moves_of_others(calm: tuple[httpx.Client, Engines]) -> None:
    client, engines = calm
    number = new_game(client, seats=["person", "easy"])["id"]
    for _ in range(2 * (os.cpu_count() or 1)):
        new_game(client, "gomoku:15", seats=[SLOW, "person"])
    wait_until(lambda: engines.thinking == (os.cpu_count() or 1))
    begin = time.monotonic()
    assert post(client, f"/api/games/{number}/moves", {"move": "aA", "wait": 10})["played"][1:]
    assert time.monotonic() - begin < 0.8


@pytest.mark.parametrize("way", ["undo", "pause", "delete", "seats", "leave", "hang up"])
def test_a_move_that_nobody_waits_for_is_not_thought_about(calm: tuple[httpx.Client, Engines], way: str) -> None:
    client, engines = calm
    number = new_game(client, "gomoku:15", seats=["person", SLOW])["id"]
    path = f"/api/games/{number}"
    with connect(f"{str(client.base_url).replace('http', 'ws').rstrip('/')}/api/live") as socket:
        if way == "leave":
            socket.send(json.dumps({"type": "watch", "game_id": number}))
            socket.recv(5)
        with contextlib.suppress(httpx.ReadTimeout):
            wait = 20 if way == "hang up" else 0
            client.post(f"{path}/moves", json={"move": "h8", "wait": wait}, timeout=0.5)
        if way != "hang up":
            wait_until(lambda: engines.thinking == 1)
        if way in ("undo", "pause"):
            post(client, f"{path}/{way}")
        elif way == "delete":
            client.delete(path)
        elif way == "seats":
            client.patch(path, json={"seats": ["person", "person"]})
    assert wait_until(lambda: engines.thinking == 0, 2.0) < 1.0
    assert engines.kept == 0
    if way in ("leave", "hang up"):  # who comes back is answered after all
        client.get(path)
        wait_until(lambda: engines.thinking == 1)


def test_a_game_that_makes_room_for_others_keeps_what_was_played(tmp_path: Path) -> None:
    served = Served(tmp_path, Limits(live_games=1))
    with contextlib.closing(served), httpx.Client(base_url=served.address, timeout=30) as client:
        number = new_game(client, "gomoku:15", seats=["person", SLOW])["id"]
        post(client, f"/api/games/{number}/moves", {"move": "h8"})
        wait_until(lambda: served.house.engines.thinking == 1)
        new_game(client, "dots:2x2")
        wait_until(lambda: served.house.engines.thinking == 0, 1.0)
        state = client.get(f"/api/games/{number}").json()
        assert [node["move"] for node in state["nodes"]] == ["", "h8"]
        post(client, f"/api/games/{number}/go")
        wait_until(lambda: served.house.engines.thinking == 1)


def test_an_answer_that_cannot_be_kept_ends_no_thread(capfd: pytest.CaptureFixture[str]) -> None:
    with engines_with(10) as (engines, made, ask):
        seat = Seat("heavy", "heavy", Kind(name="heavy", summary="", make=lambda board, options: Heavy(1, False)))
        for _ in range(10):
            engines.ask("b", seat, game("mnk:3x3x3").start(), lambda: True, lambda *answer: 1 // 0)
        ask("a")
        assert made
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_two_players_rest_when_nobody_looks(
    calm: tuple[httpx.Client, Engines], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = calm
    monkeypatch.setattr(tables, "WATCHED_SECONDS", 0.3)
    path = f"/api/games/{new_game(client, 'gomoku:15', seats=['random', 'random'], pace=0.1)['id']}"
    time.sleep(1.0)
    moves = len(client.get(path).json()["nodes"])
    assert 1 < moves < 8
    wait_until(lambda: len(client.get(path).json()["nodes"]) > moves + 3)


class Heavy(Player):
    """Plays the first move, and remembers a lot."""

    def __init__(self, size: int, fails: bool) -> None:
        self.memory = np.zeros(size, np.int8)
        self.fails, self.is_closed = fails, False

    def choose(self, position: Position) -> int:
        if self.fails:
            raise PocketZeroError("It does not know.")
        return position.legal_actions()[0]

    def close(self) -> None:
        self.is_closed = True


@contextlib.contextmanager
def engines_with(size: int, *, fails: bool = False) -> Iterator[tuple[Engines, list[Heavy], Callable[[str], None]]]:
    """Engines, the players that they have made, and the way to ask for a move in a game."""
    made: list[Heavy] = []

    def make(board: Game, options: object) -> Heavy:
        made.append(Heavy(size, fails))
        return made[-1]

    seat = Seat("heavy", "heavy", Kind(name="heavy", summary="", make=make))

    def ask(owner: str) -> None:
        answered = threading.Event()
        engines.ask(owner, seat, game("mnk:3x3x3").start(), lambda: True, lambda *answer: answered.set())
        assert answered.wait(5)

    engines = Engines(1.0, workers=1)
    try:
        yield engines, made, ask
    finally:
        engines.close()


def test_players_are_kept_while_there_is_room_for_them() -> None:
    with engines_with(MOST_BYTES // 2) as (engines, made, ask):
        for owner in ("a", "b", "a", "c"):
            ask(owner)
        assert [player.is_closed for player in made] == [False, True, False]  # a again was the same player
        closed = weakref.ref(made.pop(1))
        assert is_freed(closed), "the memory of a closed player is kept"
        engines.forget("a")
        assert engines.kept == 1
    assert all(player.is_closed for player in made)


def test_idle_players_and_those_that_failed_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    with engines_with(10, fails=True) as (engines, made, ask):
        ask("a")
        assert engines.kept == 0
        assert made[0].is_closed
    monkeypatch.setattr("pocketzero.app.server.engines.IDLE_SECONDS", 0.2)
    with engines_with(10) as (engines, made, ask):
        ask("a")
        assert engines.kept == 1
        wait_until(lambda: made[0].is_closed)


def test_no_move_takes_longer_than_any_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pocketzero.app.server.engines.OVERTIME_SECONDS", 0.1)
    answers: list[tuple[int | None, str]] = []
    board = game("gomoku:15")
    seat = seat_for("threats:nodes=10000000,seconds=30", board, Limits(), {})
    engines = Engines(0.3, workers=1)
    engines.ask("a", seat, board.start().play("h8"), lambda: True, lambda *answer: answers.append(answer))
    wait_until(lambda: bool(answers), 2.0)
    engines.close()
    assert answers[0][0] in board.start().play("h8").legal_actions()


def test_the_memory_of_a_player_is_counted() -> None:
    size = bytes_of(make_player("exact", game("mnk:5x5x4")))
    assert size > 1 << 20
    assert bytes_of(make_player("random", game("mnk:5x5x4"))) == 0
    player = make_player("alphabeta:nodes=100", game("dots:3x3"))
    assert bytes_of(player) >= 16 << 20  # its table of positions


def test_the_server_ends_at_once_while_players_think_and_requests_wait(tmp_path: Path) -> None:
    asked: list[httpx.Response] = []

    def ask(address: str) -> None:
        asked.append(httpx.post(f"{address}/api/analyses", json={"game": "gomoku:15", "seconds": 20}, timeout=30))

    with running_server(tmp_path) as address:
        for name, first in (("gomoku:15", SLOW), ("dots:12x12", "alphabeta:seconds=20"), ("mnk:6x6x5", SLOW)):
            httpx.post(f"{address}/api/games", json={"game": name, "seats": [first, "person"]}).raise_for_status()
        thread = threading.Thread(target=ask, args=(address,))
        thread.start()
        time.sleep(1.5)
        begin = time.monotonic()
    assert time.monotonic() - begin < 3.0
    thread.join()
    assert asked[0].json()["detail"] == "The program ends."


def test_every_level_plays_its_game() -> None:
    from pocketzero.app.server.seats import kinds_for, levels_for

    for name in ("dots:3x3", "dots:9x9", "zertz:37", "mnk:5x5x4", "gomoku:15"):
        board = game(name)
        assert len(levels_for(board)) >= 4
        for level in levels_for(board):
            assert seat_for(level.text, board, Limits(), {}).name == level.name
        options = {kind["name"]: kind["options"] for kind in kinds_for(board, {})}
        assert all(option["help"] for option in options["uct"])
        assert not {"human", "engine", "joint"} & set(options)


def test_a_net_of_a_run_is_named_by_the_run_and_never_by_its_path() -> None:
    long = "n" * 80  # as long as the name of a run may be
    board, nets = game("dots:3x3"), {"z": "/data/a,b/z", "net": "/data/runs/net", long: f"/data/{long}"}
    for text, net in (
        ("zero:z@20,sims=5", "/data/a,b/z@20"),
        ("zero:sims=5,net=z", "/data/a,b/z"),
        ("net:net=net@latest", "/data/runs/net@latest"),
        (f"zero:{long}@123456789,sims=200", f"/data/{long}@123456789"),
    ):
        seat = seat_for(text, board, Limits(), nets)
        assert seat.text == text
        assert seat.options.net == net  # type: ignore[attr-defined]


def test_the_page_comes_from_the_package_alone(client: httpx.Client) -> None:
    page = client.get("/").text
    assert "http://" not in page
    assert "https://" not in page
    policy = client.get("/").headers["content-security-policy"]
    assert "default-src 'self'" in policy
    for path in ("/../pyproject.toml", "/%2e%2e/%2e%2e/cli.py", "/js/..%2f..%2fcli.py"):
        assert client.get(path).status_code in (404, 200)
        assert "typer" not in client.get(path).text


# Runs


def test_runs_are_read_with_patience(tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    assert runs.names() == []
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "state.json").write_text('{"games": 3, "upd')
    (tmp_path / "half" / "metrics.jsonl").write_text('{"kind": "train", "time": 1, "loss": NaN}\n[1]\n{"kind"')
    detail = runs.detail("half")
    assert detail["status"] == "paused"
    assert detail["curves"]["train"] == [{"kind": "train", "time": 1}]
    json.dumps(detail, allow_nan=False)
    for name in ("../half", "half/..", "/etc", ""):
        with pytest.raises(PocketZeroError):
            runs.detail(name)


# JSON lines


def test_analysis_as_json_lines() -> None:
    queries = [
        {"id": "turns", "game": "mnk:3x3x3", "moves": ["a1", ["o", "b2"]], "analyzeTurns": [0, 2], "maxVisits": 50},
        {"id": "long", "game": "gomoku:15", "maxVisits": 10**8, "reportDuringSearchEvery": 0.1},
        {"id": "bad", "game": "dots:2x2", "moves": ["zz"]},
        {"id": "odd", "game": "dots:2x2", "maxVisits": 20, "maxVisitz": 1},
        {"id": "v", "action": "query_version"},
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "pocketzero", "analyse", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        assert process.stdin
        assert process.stdout
        process.stdin.write("".join(json.dumps(query) + "\n" for query in queries) + "not json\n")
        process.stdin.flush()
        process.stdin.buffer.write(b"\xff\n")
        process.stdin.flush()
        answers = []
        while not any(answer.get("isDuringSearch") for answer in answers):
            answers.append(json.loads(process.stdout.readline()))
        process.stdin.write(json.dumps({"id": "t", "action": "terminate", "terminateId": "long"}) + "\n")
        process.stdin.close()
        answers += [json.loads(line) for line in process.stdout]
    final = {(answer.get("id"), answer.get("turnNumber")): answer for answer in answers if answer.get("moveInfos")}
    assert set(final) == {("turns", 0), ("turns", 2), ("long", 0), ("odd", 0)}
    assert final["turns", 2]["rootInfo"]["currentPlayer"] == 1
    assert final["odd", 0]["rootInfo"]["exact"] == 2
    assert any(answer.get("field") == "moves" for answer in answers)
    assert any("warning" in answer for answer in answers)
    assert any("version" in answer for answer in answers)
    assert sum(answer.get("error") == "This line is not JSON." for answer in answers) == 2


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ('{"action": "terminate_all", "id": "t", "turnNumbers": 5}', "turnNumbers"),
        ('{"action": "terminate", "id": "t", "terminateId": ["q"]}', "terminateId"),
        ('{"action": ["terminate"], "id": "t"}', "action"),
        ('{"id": "t", "game": "dots:2x2", "maxVisits": 0}', "maxVisits"),
        ('{"id": "t", "game": "dots:2x2", "maxVisits": 0.5}', "maxVisits"),
        ('{"id": "t", "game": "dots:2x2", "maxTime": 0}', "maxTime"),
        ('{"id": "t", "game": "dots:2x2", "priority": null}', "priority"),
        ('{"id": "t", "game": "dots:2x2", "allowMoves": 5}', "allowMoves"),
        ('{"id": "t", "game": "dots:2x2", "allowMoves": [5]}', "allowMoves"),
        ('{"id": "t", "game": "dots:2x2", "allowMoves": ["zz"]}', "allowMoves"),
        ('{"id": "t", "game": "dots:2x2", "allowMoves": ["aA"], "moves": ["aA"], "analyzeTurns": [0,1]}', "allowMoves"),
        ('{"id": "t", "game": "dots:2x2", "analyzeTurns": [0, 0]}', "analyzeTurns"),
        ('{"id": "t", "game": "dots:2x2", "initialPosition": 5}', "initialPosition"),
        ('{"id": "t", "game": ["dots:2x2"]}', "game"),
        ('{"id": "t", "game": "dots:2x2", "maxTime": NaN}', None),
        ('{"id": "t", "action": "query_version", "x": 1e999}', None),
        ("[" * 100_000, None),
    ],
)  # fmt: skip
def test_a_wrong_query_is_answered_in_one_line(query: str, field: str | None) -> None:
    answers: list[Report] = []
    lines = JsonLines(answers.append)
    with contextlib.closing(lines):
        lines.take('{"id": "open", "game": "gomoku:15", "maxVisits": 100000000}')
        lines.take(query)
        lines.take('{"id": "e", "action": "terminate_all"}')
        lines.wait()
    assert [answer.get("field") for answer in answers if "error" in answer] == [field]
    assert {answer.get("id") for answer in answers} - {"t", None} == {"open", "e"}
    assert sum(answer.get("id") == "t" for answer in answers) == (field is not None)


# Fuzzing by the description of the interface


def memory() -> int:
    """The memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


def test_malformed_requests_are_told_what_is_wrong(
    served: Served, client: httpx.Client, capfd: pytest.CaptureFixture[str]
) -> None:
    statuses = send_malformed(served.address)
    assert statuses[403] >= 3  # by their origin or host
    assert statuses[422] > 100
    answer = client.post("/api/games", content='{"game": "dots:2x2", "pace": NaN}', headers=JSON)
    assert [each["loc"] for each in answer.json()["detail"]] == [["body", "pace"]]
    answer = client.post("/api/analyses", json={"game": "dots:2x2", "only": ["zz"]})
    assert answer.status_code == 400
    assert "zz" in answer.json()["detail"]
    with live(served) as socket:
        socket.send(json.dumps({"type": "analyse", "game": "dots:2x2", "only": ["zz"]}))
        told = json.loads(socket.recv(5))
        assert told["type"] == "error"
        assert "zz" in told["error"]
    assert "Traceback" not in capfd.readouterr().err


def test_a_search_that_fails_by_a_users_mistake_says_so_in_a_sentence(capfd: pytest.CaptureFixture[str]) -> None:
    with contextlib.closing(Desk(1)) as desk, pytest.raises(PocketZeroError, match="no-such-net"):
        analysed(desk, game("dots:2x2").start(), seconds=0.2, net="no-such-net")
    assert "Traceback" not in capfd.readouterr().err


def test_generated_requests_never_break_the_server(served: Served, client: httpx.Client) -> None:
    before = memory()
    statuses = send_requests(served.address, FUZZ)
    assert statuses[200] > 10
    assert memory() - before < GROWN_MIB, "memory leaks"
    wait_for_quiet(served, 3.0)
    assert client.get("/api/about").status_code == 200
