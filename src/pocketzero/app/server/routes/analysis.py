"""Analysis in one request, and checking positions. For a stream of reports there is the WebSocket ``/api/live``."""

from __future__ import annotations

import threading

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool

from pocketzero.app.analysis.hint import analysed
from pocketzero.app.server.editor import laid_out
from pocketzero.app.server.game_names import game_named
from pocketzero.app.server.house import House
from pocketzero.app.server.models import AnalysisRequest, NewPosition
from pocketzero.app.server.routes.common import ERRORS, AHouse, State, unless_gone
from pocketzero.app.server.views import board_of, view_of
from pocketzero.errors import PocketZeroError

router = APIRouter(prefix="/api", tags=["analysis"], responses=ERRORS)
DEFAULT_SECONDS = 1.0


@router.post("/analyses")
async def analyse(request: Request, house: AHouse, wanted: AnalysisRequest) -> State:
    """Search a position and report on its moves; exact where a solver can answer."""
    async with unless_gone(request) as gone:
        return await run_in_threadpool(_analysed, house, wanted, gone)


def _analysed(house: House, wanted: AnalysisRequest, gone: threading.Event) -> State:
    game = game_named(wanted.game)
    position = (game.position(wanted.position) if wanted.position else game.start()).play_line(wanted.moves)
    if position.is_over:
        raise PocketZeroError("There is nothing to analyse: the game is over.")
    seconds = wanted.seconds
    if seconds is None:
        seconds = house.limits.analysis_seconds if wanted.simulations else DEFAULT_SECONDS
    seconds = min(seconds, house.limits.analysis_seconds)
    with house.analysing():
        report = analysed(
            house.desk,
            position,
            seconds=seconds,
            simulations=wanted.simulations,
            net=house.setup.net,
            only=wanted.only or None,
            done=gone,
        )
    return {"game": game.name, "position": position.text, **report}


@router.post("/positions")
def check_position(wanted: NewPosition) -> State:
    """Check a position that was typed or laid out, and show it."""
    game = game_named(wanted.game)
    position = laid_out(game, wanted.setup) if wanted.setup is not None else game.position(wanted.text)
    return {"game": position.game.name, "text": position.text, "view": view_of(position)}


@router.get("/boards")
def show_board(game: str = "dots:5x5") -> State:
    """A board and its first position."""
    found = game_named(game)
    return {"board": board_of(found), "view": view_of(found.start())}
