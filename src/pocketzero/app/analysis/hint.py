"""A hint: the best move that a moment of analysis finds."""

from __future__ import annotations

import threading
from typing import Any

from pocketzero.app.analysis.desk import Desk
from pocketzero.app.analysis.live import Analysis
from pocketzero.app.analysis.report import Report
from pocketzero.errors import PocketZeroError
from pocketzero.games import Position


def analysed(
    desk: Desk, position: Position, *, seconds: float | None, simulations: int | None = None, net: str = "",
    only: list[str] | None = None, done: threading.Event | None = None,
) -> Report:  # fmt: skip
    """The last report of a bounded analysis; whoever sets ``done`` meanwhile ends it early."""
    done = done or threading.Event()
    last: Report = {}

    def tell(report: Report) -> None:
        last.clear()
        last.update(report)
        if report["state"] != "running":
            done.set()

    analysis = Analysis(position, tell, seconds=seconds, simulations=simulations, net=net, only=only, priority=1)
    desk.add(analysis)
    try:
        done.wait(60.0 if seconds is None else 10 * seconds + 5)
    finally:
        analysis.stop()
        desk.remove(analysis)
    if not last or last["state"] == "failed":
        raise PocketZeroError(last.get("error", "The machine is too busy; try later."))
    return last


def hint_for(
    desk: Desk, position: Position, seconds: float, net: str = "", done: threading.Event | None = None
) -> dict[str, Any]:
    """The best move with what is known of it, in a few words too."""
    if position.is_over:
        raise PocketZeroError("The game is over.")
    report = analysed(desk, position, seconds=seconds, net=net, done=done)
    best = report["moves"][0]
    if best["exact"] is not None:
        how = f"exact value {best['exact']:+d}" if position.game.has_margin else _result(best["exact"])
    elif best["proven"]:
        how = f"a proven {best['proven']}"
    else:
        how = f"wins {best['winrate']:.0%} of the time in the search" if best["winrate"] is not None else "a guess"
    return {"move": best["move"], "line": best["line"], "words": f"{best['move']}: {how}", "winrate": best["winrate"]}


def _result(value: int) -> str:
    return {1: "wins by force", 0: "keeps the draw", -1: "loses in any case"}[value]
