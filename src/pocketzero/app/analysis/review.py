"""Review of a whole game: what every position was worth, which moves gave most away, and what was better.

Each position is solved where that is possible and searched otherwise. What a move cost is the difference between the
position before it and the one after it, so a move is judged by a search of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pocketzero.app.analysis.desk import SLICE_SECONDS, Task
from pocketzero.app.analysis.evaluators import evaluator_for
from pocketzero.app.analysis.exact import TRY_SECONDS, ExactValues, shared_solver
from pocketzero.app.analysis.report import Report, rate, report_of, sign
from pocketzero.app.analysis.words import what_was_wrong
from pocketzero.games import Outcome, Position
from pocketzero.search import Search

EXACT_SECONDS = 0.6  # for each position
LINE_MOVES, LINE_SECONDS = 6, 0.05  # of a better line that a solver tells
GRADES = ((0.25, "blunder"), (0.12, "mistake"), (0.05, "inaccuracy"))  # by the win rate that was given away


@dataclass
class Point:
    """One position of the game, judged from the side of the player to move."""

    position: Position
    value: float  # from -1 to 1
    exact: int | None = None
    values: dict[int, int] | None = None
    best: int | None = None
    line: tuple[str, ...] = ()
    searched: dict[int, float] | None = None  # what the search thought of the moves it tried


class Review(Task):
    """Judges the positions of a line one after the other."""

    def __init__(
        self,
        line: Sequence[Position],
        tell: Callable[[Report], None],
        *,
        seconds: float = 0.4,
        priority: int = 0,
        net: str = "",
    ) -> None:
        self._line = list(line)
        self._tell = tell
        self._seconds = seconds
        self.priority = priority
        self._net = net
        self._points: list[Point] = []
        self._exact: ExactValues | None = None
        self._search: Search | None = None
        self._stopped = threading.Event()

    def stop(self) -> None:
        """End within a slice; nothing is told afterwards."""
        self._stopped.set()
        if self._search is not None:
            self._search.stop()

    def fail(self, reason: str) -> None:
        """Say that it is over."""
        if not self._stopped.is_set():
            self._tell({"state": "failed", "error": reason})

    def work(self) -> bool:
        """A slice of the position at hand; when it is judged, the next."""
        if self._stopped.is_set():
            return False
        point = self._judge(self._line[len(self._points)])
        if point is None:
            return True
        if self._stopped.is_set():
            return False
        self._points.append(point)
        self._exact = self._search = None
        finished = len(self._points) == len(self._line)
        told: Report = {"state": "done" if finished else "running", "point": self._point(len(self._points) - 1)}
        told["total"] = len(self._line)
        if finished:
            told["mistakes"] = self.mistakes()
            told["summary"] = self.summary(told["mistakes"])
        self._tell(told)
        return not finished

    def _judge(self, position: Position) -> Point | None:
        """What a position is worth, or None if it needs another slice."""
        if position.is_over:
            return self._finished(position)
        legal = position.legal_actions()
        if self._exact is None:
            self._exact = ExactValues(position, EXACT_SECONDS)
        if self._exact.is_open:
            self._exact.try_for(2 * TRY_SECONDS)
        if values := self._exact.values:
            best = max(values, key=lambda action: values[action])
            line = self._exact_line(position, best) if self._gives_away(values) else (position.write(best),)
            return Point(position, float(sign(values[best])), values[best], values, best, line)
        if self._exact.is_open:
            return None
        if self._search is None:
            chosen = evaluator_for(position.game, self._net)
            self._search = Search(position, chosen.evaluator, chosen.settings)
        seconds = self._seconds if len(legal) > 1 else 0.05
        left = seconds - self._search.seconds
        result = self._search.run(seconds=max(0.005, min(SLICE_SECONDS, left)))
        if result.stopped not in ("proven", "nodes") and self._search.seconds < seconds:
            return None
        report = report_of(result, None, most=1)
        searched = {move.action: move.value for move in result.moves if move.value is not None}
        line_of_best = tuple(report["moves"][0]["line"])
        return Point(position, result.value, None, None, result.best_action, line_of_best, searched)

    def _gives_away(self, values: dict[int, int]) -> bool:
        """Whether the move that was played in the position at hand is not among the best."""
        following = self._line[len(self._points) + 1 :]
        played = following[0].action if following else None
        return played is not None and values[played] < max(values.values())

    def _exact_line(self, position: Position, action: int) -> tuple[str, ...]:
        """The better line, as far as the solver sees it at once."""
        solver, words = shared_solver(position.game), [position.write(action)]
        position = position.play_action(action)
        while solver is not None and len(words) < LINE_MOVES and not position.is_over:
            values = solver.move_values(position, LINE_SECONDS)
            if values is None:
                break
            best = max(values, key=lambda each: values[each])
            words.append(position.write(best))
            position = position.play_action(best)
        return tuple(words)

    def _finished(self, position: Position) -> Point:
        mine = {Outcome.FIRST: 1, Outcome.SECOND: -1}.get(position.outcome, 0)
        value = mine if position.to_move == 0 else -mine
        margin = position.margin
        exact = value if margin is None else margin if position.to_move == 0 else -margin
        return Point(position, float(value), exact)

    def _point(self, number: int) -> Report:
        """One point of the graph; win rate and margin are the first player's."""
        point = self._points[number]
        side = 1 if point.position.to_move == 0 else -1
        found: Report = {"ply": number, "winrate": rate(side * point.value), "exact": point.exact is not None}
        if point.position.game.has_margin:
            found["score"] = point.position.margin
            found["margin"] = None if point.exact is None else side * point.exact
        return found

    def mistakes(self) -> list[Report]:
        """The moves that gave something away, the worst first."""
        found = [mistake for number in range(len(self._points) - 1) if (mistake := self._mistake(number))]
        return sorted(found, key=lambda each: (-each["loss"], -each["points"], each["ply"]))

    def _mistake(self, number: int) -> Report | None:
        before, after = self._points[number], self._points[number + 1]
        action = after.position.action
        if action is None or before.best is None or action == before.best:
            return None
        loss, points = self._loss(before, after, action)
        grade = next((word for least, word in GRADES if loss >= least), "inaccuracy" if points > 0 else "")
        if not grade:
            return None
        position = before.position
        return {
            "ply": number + 1,  # the position after the move
            "player": position.to_move,
            "move": position.write(action),
            "better": position.write(before.best),
            "line": list(before.line),
            "loss": round(loss, 4),
            "points": points,
            "exact": before.values is not None,
            "grade": grade,
            "words": what_was_wrong(position, action, before.best),
        }

    def _loss(self, before: Point, after: Point, action: int) -> tuple[float, int]:
        """The win rate that a move gave away, and the boxes where they are known."""
        if before.values is not None:
            best, value = max(before.values.values()), before.values[action]
            points = best - value if before.position.game.has_margin else 0
            return (sign(best) - sign(value)) / 2, points
        if after.exact is not None and not after.position.is_over:  # a search cannot be compared with the truth
            return max(0.0, (before.value - (before.searched or {}).get(action, before.value)) / 2), 0
        same = after.position.to_move == before.position.to_move
        kept = after.value if same else -after.value
        return max(0.0, (before.value - kept) / 2), 0

    def summary(self, mistakes: Sequence[Report]) -> list[Report]:
        """For each player, decisions and mistakes by grade."""
        found: list[dict[str, Any]] = []
        for player in (0, 1):
            own = [mistake for mistake in mistakes if mistake["player"] == player]
            moves = sum(
                point.position.to_move == player and len(point.position.legal_actions()) > 1
                for point in self._points[:-1]
            )
            counts = {grade: sum(mistake["grade"] == grade for mistake in own) for _, grade in GRADES}
            found.append({"player": player, "decisions": moves, "lost": sum(m["points"] for m in own), **counts})
        return found
