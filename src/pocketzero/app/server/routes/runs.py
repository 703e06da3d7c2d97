"""Training runs: list, look, start, pause, go on."""

from __future__ import annotations

from fastapi import APIRouter

from pocketzero.app.server.game_names import game_named
from pocketzero.app.server.models import NewRun
from pocketzero.app.server.routes.common import ERRORS, AHouse, RunName, State

router = APIRouter(prefix="/api/runs", tags=["runs"], responses=ERRORS)


@router.get("")
def list_runs(house: AHouse) -> State:
    """All runs with their state, the newest first."""
    return {"runs": [house.runs.summary(name) for name in house.runs.names()]}


@router.post("", status_code=201)
def start_run(house: AHouse, wanted: NewRun) -> State:
    """Start a small run."""
    return house.runs.summary(house.runs.start(game_named(wanted.game)))


@router.get("/{run}")
def show_run(house: AHouse, run: RunName) -> State:
    """The curves, settings and checkpoints of a run."""
    return house.runs.detail(run)


@router.get("/{run}/games")
def show_games(house: AHouse, run: RunName) -> State:
    """The newest self-play games of a run."""
    return {"games": house.runs.games(run)}


@router.post("/{run}/stop")
def stop_run(house: AHouse, run: RunName) -> State:
    """Pause a run that was started here; nothing is lost."""
    house.runs.stop(run)
    return house.runs.summary(run)


@router.post("/{run}/resume")
def resume_run(house: AHouse, run: RunName) -> State:
    """Go on with a run."""
    house.runs.resume(run)
    return house.runs.summary(run)
