"""What all routes share: the house behind a request, ids, and the shape of errors."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import Depends, Path, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel

from pocketzero.app.server.house import House
from pocketzero.app.server.tables import LISTEN_SECONDS, Table


class Problem(BaseModel):
    """What was wrong, in a sentence."""

    detail: str


ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "Something in the request cannot be; the sentence says what."},
    404: {"model": Problem, "description": "There is no such thing."},
    429: {"model": Problem, "description": "The server does as much as it may."},
}


async def the_house(request: Request) -> House:
    """The parts of this server."""
    return request.app.state.house


AHouse = Annotated[House, Depends(the_house)]
GameId = Annotated[str, Path(pattern="^[0-9a-f]{16}$", description="The id of a game.")]
RunName = Annotated[str, Path(pattern="^[A-Za-z0-9][A-Za-z0-9_.+-]{0,79}$", description="The name of a run.")]


async def the_table(house: AHouse, game_id: GameId) -> Table:
    """The game with the id in the path; one that is not in memory is read by another thread."""
    table = house.tables.in_memory(game_id)
    if table is None:
        table = await run_in_threadpool(house.tables.find, game_id)
    table.look()
    if table.rests:
        await run_in_threadpool(table.wake)
    return table


@contextlib.asynccontextmanager
async def unless_gone(request: Request) -> AsyncIterator[threading.Event]:
    """An event that is set when the client leaves before it has its answer."""
    gone = threading.Event()

    async def listen() -> None:
        while not await request.is_disconnected():
            await asyncio.sleep(LISTEN_SECONDS)
        gone.set()

    listener = asyncio.create_task(listen())
    try:
        yield gone
    finally:
        listener.cancel()


ATable = Annotated[Table, Depends(the_table)]
State = dict[str, Any]
