"""Generated requests and nonsense messages for a server of the page; the tests use them too, in small numbers.

``python -m benchmarks.fuzzing FOLDER`` is such a server: its limits are low, so that a request that asks for a long
search is answered soon and many of them can be tried.
"""

from __future__ import annotations

import contextlib
import json
import math
import random
import string
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from schemathesis import GenerationMode
from websockets.sync.client import connect

from pocketzero.app.server.house import Setup
from pocketzero.app.server.limits import Limits
from pocketzero.app.server.serving import serve

LIMITS = Limits(analysis_seconds=0.1, wait_seconds=2.0, engine_seconds=1.0, engine_sims=2000, body_bytes=200_000)
JSON = {"content-type": "application/json"}
STARTS_PROGRAMS = ("post", "/api/runs")
KNOWN_GAME = 0.7  # the share of requests about a game that exists
MESSAGES_EACH = 10  # on one connection
FIELDS = ["id", "game_id", "node", "game", "position", "moves", "only", "seconds", "simulations", "every", "zz"]
TYPES = ["watch", "analyse", "review", "seen", "stop", "x", 7, None, [], {}]
VALUES: list[Any] = [
    "dots:3x3", "", -1, 10**30, 0.5, None, True, [], ["aA"], {"a": 1}, "\0", "../../x", "é" * 50, "\ud800", math.nan,
]  # fmt: skip
MALFORMED = (
    "NaN",
    "1e999",
    "-Infinity",
    "9" * 5000,
    r'"\ud800"',
    r'["\ud800"]',
    '["zz"]',
    '{"a": NaN}',
    "[" * 5000,
    "",
)
HEADERS = ({"origin": "http://["}, {"origin": "http://[::1]]:x"}, {"host": "["})


def new_game(address: str) -> str:
    """The id of a game that requests and messages may be about."""
    answer = httpx.post(f"{address}/api/games", json={"game": "zertz:37", "seats": ["person", "greedy"]})
    return answer.raise_for_status().json()["id"]


def send_requests(address: str, count: int, *, seed: int = 11) -> Counter[int]:
    """At least ``count`` requests by the server's own description, right and wrong ones; counts the answers by status.

    An answer of 500 or more is an error that shows the request.
    """
    schema = schemathesis.openapi.from_url(f"{address}/api/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    cases = [
        (operation, mode)
        for operation in operations
        if (operation.method, operation.path) != STARTS_PROGRAMS
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
        if mode is GenerationMode.POSITIVE or list(operation.iter_parameters()) or operation.body
    ]
    statuses: Counter[int] = Counter()
    chance, number, rounds = random.Random(seed), new_game(address), 0
    while sum(statuses.values()) < count:
        each = max(2, -(-(count - sum(statuses.values())) // len(cases)))
        for operation, mode in cases:
            statuses += _ask(operation, mode, each, number, chance, seed + rounds)
        rounds += 1
    return statuses


def _ask(
    operation: Any, mode: GenerationMode, count: int, number: str, chance: random.Random, seed: int
) -> Counter[int]:
    """Requests of one operation; some operations have fewer different ones than were asked for."""
    statuses: Counter[int] = Counter()

    @seeded(seed)
    @settings(
        max_examples=count,
        database=None,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        if "game_id" in (case.path_parameters or {}) and chance.random() < KNOWN_GAME and case.method != "DELETE":
            case.path_parameters["game_id"] = number
        answer = case.call()
        statuses[answer.status_code] += 1
        assert answer.status_code < 500, (case.as_curl_command(), answer.text)

    ask()
    return statuses


def send_malformed(address: str) -> Counter[int]:
    """Bodies with a value that is hardly JSON, in every field of every operation, and headers that are none.

    Counts the answers by status; one of 500 or more is an error that shows the request.
    """
    statuses: Counter[int] = Counter()
    number = new_game(address)
    with httpx.Client(base_url=address, timeout=30) as client:

        def ask(method: str, path: str, **more: Any) -> None:
            answer = client.request(method, path, **more)
            statuses[answer.status_code] += 1
            assert answer.status_code < 500, (method, path, more, answer.text)

        for headers in HEADERS:
            ask("GET", "/api/about", headers=headers)
        described = client.get("/api/openapi.json").json()
        for path, operations in described["paths"].items():
            for method, operation in operations.items():
                if "requestBody" in operation and (method, path) != STARTS_PROGRAMS:
                    for body in _malformed_bodies(described, operation):
                        ask(method.upper(), path.replace("{game_id}", number), content=body, headers=JSON)
    return statuses


def _malformed_bodies(described: Any, operation: Any) -> Iterator[str]:
    """The body of an operation with one field after the other replaced; those that it needs besides are right."""
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    shape = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    right = dict.fromkeys(shape.get("required", ()), '"dots:2x2"')
    for field in [*shape["properties"], "zz", r"\ud800"]:
        for value in MALFORMED:
            pairs = {**right, field: value}
            yield "{" + ", ".join(f'"{name}": {text}' for name, text in pairs.items()) + "}"


def send_messages(address: str, count: int, *, seed: int = 5) -> int:
    """About ``count`` messages on the WebSocket, right, wrong, and no JSON at all, over many connections.

    Half of the connections wait until their last wish is answered, the others vanish; says how many were sent.
    """
    chance, number, sent = random.Random(seed), new_game(address), 0
    while sent < count:
        with connect(f"{address.replace('http', 'ws', 1)}/api/live") as socket:
            for _ in range(MESSAGES_EACH):
                socket.send(_message(chance, number))
                sent += 1
            if chance.random() < 0.5:
                socket.send(json.dumps({"type": "stop", "id": "last"}))
                while json.loads(socket.recv(10))["type"] != "stopped":
                    pass
    return sent


def _message(chance: random.Random, number: str) -> str:
    if chance.random() < 0.03:
        return "[" * 30_000
    if chance.random() < 0.2:
        return "".join(chance.choices(string.printable, k=chance.randrange(40)))
    fields = chance.sample(FIELDS, chance.randrange(5))
    return json.dumps({"type": chance.choice(TYPES), **{field: chance.choice([number, *VALUES]) for field in fields}})


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    setup = Setup(games=folder / "games.sqlite", runs=folder / "runs", limits=LIMITS)
    with contextlib.suppress(KeyboardInterrupt):
        serve(setup, port=0, browser=False)
