"""Analysis for other programs: one JSON object a line on standard input, answers on standard output.

Queries and answers are shaped like those of KataGo's analysis engine. A query has an ``id``, a ``game``, ``moves`` and
limits (``maxVisits``, ``maxTime``); ``analyzeTurns`` asks for several positions of the line,
``reportDuringSearchEvery`` for partial reports, ``priority`` for an earlier turn. ``terminate``, ``terminate_all`` and
``query_version`` are actions. Win rates are those of the player to move.
"""

from __future__ import annotations

import contextlib
import json
import math
import sys
import threading
import time
from collections.abc import Callable
from io import TextIOWrapper
from typing import Any, TextIO

from pocketzero import __version__
from pocketzero.app.analysis.desk import Desk
from pocketzero.app.analysis.live import Analysis
from pocketzero.app.analysis.report import Report
from pocketzero.errors import IllegalMove, PocketZeroError, nearest
from pocketzero.games import Position, game

DEFAULT_VISITS = 1000
MOST_QUERIES = 10_000
MOST = 1_000_000_000  # of any number in a query
FIELDS = {
    "id", "game", "initialPosition", "moves", "analyzeTurns", "maxVisits", "maxTime", "reportDuringSearchEvery",
    "priority", "allowMoves", "includePolicy", "includeOwnership",
}  # fmt: skip


class Refused(PocketZeroError):
    """A field of a query that cannot be."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field


class JsonLines:
    """Reads queries and answers them, many at once."""

    def __init__(self, write: Callable[[Report], None], net: str = "") -> None:
        self._write_line = write
        self._net = net
        self._desk = Desk()
        self._open: dict[tuple[str, int], tuple[Analysis, Report]] = {}
        self._lock = threading.Lock()

    def _write(self, answer: Report) -> None:
        with self._lock:
            self._write_line(answer)

    def take(self, line: str) -> None:
        """One line of input."""
        if not line.strip():
            return
        query: Any = None
        try:
            query = json.loads(line, parse_constant=_finite, parse_float=_finite)
            if not isinstance(query, dict):
                raise Refused("", "A query is a JSON object.")
            if "action" in query:
                self._act(query)
            else:
                self._analyse(query)
        except (ValueError, RecursionError) as error:
            answer: Report = {"error": str(error) if isinstance(error, PocketZeroError) else "This line is not JSON."}
            if isinstance(query, dict) and isinstance(query.get("id"), str):
                answer["id"] = query["id"]
            if isinstance(error, Refused) and error.field:
                answer["field"] = error.field
            self._write(answer)

    # Actions

    def _act(self, query: Report) -> None:
        action = query["action"]
        if action == "query_version":
            self._write({**query, "version": f"PocketZero {__version__}"})
        elif action in ("terminate", "terminate_all"):
            for key in self._meant(query):
                self._end(key)
            self._write(query)
        else:
            actions = ("query_version", "terminate", "terminate_all")
            raise Refused("action", f"There is no action {action!r}; there are {', '.join(actions)}.")

    def _meant(self, query: Report) -> list[tuple[str, int]]:
        """The open analyses that an action is about."""
        wanted, turns = query.get("terminateId"), query.get("turnNumbers")
        if query["action"] == "terminate" and not isinstance(wanted, str):
            raise Refused("terminateId", "The id of the query to be terminated is a text.")
        if turns is not None and not (isinstance(turns, list) and all(type(turn) is int for turn in turns)):
            raise Refused("turnNumbers", "Turn numbers are a list of whole numbers.")
        ids = {wanted} if query["action"] == "terminate" else None
        with self._lock:
            return [key for key in self._open if (ids is None or key[0] in ids) and (turns is None or key[1] in turns)]

    def _end(self, key: tuple[str, int]) -> None:
        """Stop an analysis; its last report says what it had found."""
        with self._lock:
            found = self._open.pop(key, None)
        if found is None:
            return
        analysis, last = found
        analysis.stop()
        self._desk.remove(analysis)
        self._write(
            {**last, "isDuringSearch": False} if last else {"id": key[0], "turnNumber": key[1], "noResults": True}
        )

    # Queries

    def _analyse(self, query: Report) -> None:
        identity = query.get("id")
        if not isinstance(identity, str):
            raise Refused("id", "A query has an id, which is a text.")
        for name in query:
            if name not in FIELDS:
                self._write(
                    {"id": identity, "field": name, "warning": f"Unused field. {nearest(name, FIELDS)}".strip()}
                )
        line = self._line(query)
        turns = _turns(query, len(line))
        with self._lock:
            if any((identity, turn) in self._open for turn in turns):
                raise Refused("id", f"A query {identity!r} is being answered.")
            if len(self._open) + len(turns) > MOST_QUERIES:
                raise Refused("", f"At most {MOST_QUERIES} positions may wait.")
        open_turns = [turn for turn in turns if not line[turn].is_over]
        analyses = {turn: self._analysis(identity, turn, line[turn], query) for turn in open_turns}
        for turn in turns:  # from here on nothing can be wrong with the query
            if turn in analyses:
                self._begin(identity, turn, analyses[turn])
            else:
                over = {"id": identity, "turnNumber": turn, "isDuringSearch": False, "over": True, "moveInfos": []}
                self._write(over)

    def _line(self, query: Report) -> list[Position]:
        """The positions of the query, from the first to the one after all moves."""
        if not isinstance(query.get("game"), str):
            raise Refused("game", "A query names a game, such as dots:5x5.")
        moves = query.get("moves", [])
        if not isinstance(moves, list):
            raise Refused("moves", "Moves are a list.")
        words = [move[-1] if isinstance(move, list) and move else move for move in moves]
        if not all(isinstance(word, str) for word in words):
            raise Refused("moves", "A move is a text, or a pair of player and text.")
        board = game(query["game"])
        text = query.get("initialPosition", "")
        if not isinstance(text, str):
            raise Refused("initialPosition", "A position is a text.")
        line = [board.position(text) if text else board.start()]
        for number, word in enumerate(words):
            try:
                line.append(line[-1].play(word))
            except PocketZeroError as error:
                raise Refused("moves", f"Move {number + 1}: {error}") from None
        return line

    def _analysis(self, identity: str, turn: int, position: Position, query: Report) -> Analysis:
        """The analysis of one position, which is not begun."""
        key = identity, turn
        every = _number(query, "reportDuringSearchEvery") or 0.0
        seconds = _number(query, "maxTime", least=0.001)
        visits = _number(query, "maxVisits", least=1) or (None if seconds else DEFAULT_VISITS)

        def tell(report: Report) -> None:
            answer = katago_shape(identity, turn, report, query)
            with self._lock:
                if key not in self._open:
                    return
                self._open[key] = (analysis, answer)
                finished = not answer["isDuringSearch"]
                if finished:
                    del self._open[key]
            if finished or every:
                self._write(answer)

        try:
            analysis = Analysis(
                position,
                tell,
                simulations=None if visits is None else int(visits),
                seconds=seconds,
                every=every or 1.0,
                priority=int(_number(query, "priority", least=-MOST) or 0),
                net=self._net,
                only=_texts(query, "allowMoves"),
            )
        except IllegalMove as error:
            raise Refused("allowMoves", f"Turn {turn}: {error}") from None
        return analysis

    def _begin(self, identity: str, turn: int, analysis: Analysis) -> None:
        with self._lock:
            self._open[identity, turn] = (analysis, {})
        self._desk.add(analysis)

    def wait(self) -> None:
        """Until all queries are answered."""
        while self._open:
            time.sleep(0.01)

    def close(self) -> None:
        """Send the workers home."""
        self._desk.close()


def _finite(text: str) -> float:
    """A number of JSON, which knows nothing that is infinite or no number."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _turns(query: Report, length: int) -> list[int]:
    """The turns to be analysed, of a line of so many positions."""
    turns = query.get("analyzeTurns", [length - 1])
    if not isinstance(turns, list) or not all(type(turn) is int and 0 <= turn < length for turn in turns):
        raise Refused("analyzeTurns", f"Turns are numbers from 0 to {length - 1}.")
    if len(set(turns)) < len(turns):
        raise Refused("analyzeTurns", "A turn is asked for twice.")
    return turns


def _number(query: Report, field: str, *, least: float = 0.0) -> float | None:
    """A number of the query, or None if it does not say."""
    value = query.get(field)
    if field not in query:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= MOST:
        raise Refused(field, f"{field} is a number from {least:g} to {MOST:,}.")
    return value


def _texts(query: Report, field: str) -> list[str]:
    """Moves of the query; none if it does not say."""
    found = query.get(field, [])
    if not isinstance(found, list) or not all(isinstance(word, str) for word in found):
        raise Refused(field, f"{field} is a list of moves.")
    return found


def katago_shape(identity: str, turn: int, report: Report, query: Report) -> Report:
    """A report in the words of KataGo's analysis engine."""
    if report["state"] == "failed":
        return {"id": identity, "turnNumber": turn, "isDuringSearch": False, "error": report["error"]}
    infos = [
        {
            "move": move["move"],
            "visits": move["visits"],
            "winrate": move["winrate"],
            "prior": move["prior"],
            "order": move["order"],
            "pv": move["line"],
            **({"proven": move["proven"]} if move["proven"] else {}),
            **({"exact": move["exact"]} if move["exact"] is not None else {}),
        }
        for move in report["moves"]
    ]
    answer: Report = {
        "id": identity,
        "turnNumber": turn,
        "isDuringSearch": report["state"] == "running",
        "moveInfos": infos,
        "rootInfo": {
            "currentPlayer": report["to_move"] + 1,
            "winrate": report["winrate"],
            "visits": report["simulations"],
            "evaluator": report["evaluator"],
            **({"exact": report["exact"]} if report["exact"] is not None else {}),
        },
    }
    if query.get("includePolicy") and "policy" in report:
        answer["policy"] = report["policy"]
    if query.get("includeOwnership") and "owners" in report:
        answer["ownership"] = report["owners"]
    return answer


def _standard_input() -> TextIO:
    """Standard input as UTF-8, in which a damaged character is damage to its line alone."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    return sys.stdin


def run(net: str = "", source: TextIO | None = None) -> None:
    """Answer standard input until it ends, and then what was asked before that."""
    output = sys.stdout

    def write(answer: Report) -> None:
        print(json.dumps(answer), file=output, flush=True)

    with contextlib.redirect_stdout(sys.stderr):  # nothing else may reach the answers
        lines = JsonLines(write, net)
        try:
            for line in source or _standard_input():
                lines.take(line)
            lines.wait()
        except KeyboardInterrupt:
            pass
        finally:
            lines.close()
