"""The FastAPI application: routes, the page's files, and errors as sentences."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.staticfiles import StaticFiles

import pocketzero
from pocketzero import __version__
from pocketzero.app.server.guard import Guard
from pocketzero.app.server.house import Busy, House, Setup
from pocketzero.app.server.live import serve_live
from pocketzero.app.server.routes import analysis, games, players, runs
from pocketzero.errors import PocketZeroError, UnknownName

WEB = Path(pocketzero.__file__).parent / "app" / "web"
DESCRIPTION = (
    "Games, players, analysis, records and training runs of PocketZero. A program that wants to play creates a game "
    "with `POST /api/games`, asks `GET /api/games/{id}/turn`, and posts its moves to `/api/games/{id}/moves` with "
    "`wait`, which answers with the reply and the board in text. Live analysis is on the WebSocket `/api/live`."
)


def create_app(setup: Setup | None = None) -> FastAPI:
    """The application with everything behind it."""
    chosen = setup or Setup()

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        app.state.house = House(chosen)
        try:
            yield
        finally:
            app.state.house.close()

    app = FastAPI(
        title="PocketZero",
        version=__version__,
        description=DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,  # the usual page for it asks outside servers for its scripts; ours is at /api.html
        redoc_url=None,
        lifespan=life,
    )
    for module in (games, players, analysis, runs):
        app.include_router(module.router)
    app.add_api_websocket_route("/api/live", serve_live)
    app.mount("/", StaticFiles(directory=WEB, html=True), name="page")
    app.add_exception_handler(PocketZeroError, as_sentence)
    app.add_exception_handler(RequestValidationError, as_list)
    app.add_middleware(Guard, hosts=chosen.hosts, body_bytes=chosen.limits.body_bytes)
    return app


async def as_sentence(request: Request, error: Exception) -> Response:
    """A mistake of the client's, told to the person who made it."""
    status = 404 if isinstance(error, UnknownName) else 429 if isinstance(error, Busy) else 400
    return _detail(str(error)[:2000], status)


async def as_list(request: Request, error: Exception) -> Response:
    """What does not fit the description of a request, and where; what was sent is not repeated."""
    assert isinstance(error, RequestValidationError)
    return _detail([{"loc": each["loc"], "msg": each["msg"]} for each in error.errors()], 422)


def _detail(detail: Any, status: int) -> Response:
    """In ASCII, because half a character that a client has sent cannot be written in any other way."""
    return Response(json.dumps({"detail": detail}), status, media_type="application/json")
