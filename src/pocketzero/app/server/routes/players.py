"""Who can play: levels from beginner up, kinds with all their options, and what this server is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query

from pocketzero import __version__
from pocketzero.app.server.game_names import game_named
from pocketzero.app.server.routes.common import ERRORS, AHouse, State
from pocketzero.app.server.seats import kinds_for, levels_for
from pocketzero.games.records import formats
from pocketzero.games.registry import families

router = APIRouter(prefix="/api", tags=["players"], responses=ERRORS)


@router.get("/players")
def list_players(house: AHouse, game: Annotated[str, Query(max_length=100)] = "dots:5x5") -> State:
    """The levels and all kinds of players of a game."""
    found = game_named(game)
    return {"levels": [asdict(level) for level in levels_for(found)], "kinds": kinds_for(found, house.runs.nets())}


@router.get("/about")
def about(house: AHouse) -> State:
    """The version, the games that are installed, the record formats, the limits, and what is under way."""
    return {
        "version": __version__,
        "families": [
            {"name": kind.name, "title": kind.title, "examples": list(kind.examples), "usage": kind.usage}
            for kind in families()
        ],
        "formats": [{"name": name, "title": each.title} for name, each in formats().items()],
        "limits": asdict(house.limits),
        "analyses": house.analyses,
        "searches": len(house.desk),
        "sockets": house.sockets,
    }
