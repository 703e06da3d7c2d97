"""Strength alongside: the net meets its opponents and, where a solver exists, its mistakes are counted."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pocketzero.arena.match import Match, MatchPlan
from pocketzero.arena.mistakes import mistakes_in_positions, random_positions
from pocketzero.arena.store import Store
from pocketzero.games import Game, Position
from pocketzero.players.base import CannotPlay
from pocketzero.players.solver import Unsolved
from pocketzero.players.solvers import solver_for
from pocketzero.training.config import Config

POSITIONS_SEED = 1
SOLVER_SECONDS = 10.0


@dataclass(frozen=True)
class Strength:
    """One thing that was measured."""

    kind: str
    values: dict[str, Any]

    def __str__(self) -> str:
        if self.kind == "mistakes":
            return f"{self.values['player']}: {self.values['rate']:.1%} mistakes"
        return f"{self.values['score']:.0%} against {self.values['opponent']}"


def measure(config: Config, board: Game, folder: Path, step: int, stop: threading.Event) -> list[Strength]:
    """What the net of a step is worth."""
    options = config.measure
    found = []
    for opponent in options.opponents:
        found.append(_match(config, board, folder, step, opponent, stop))
        if stop.is_set():
            return found
    if options.positions:
        for kind, text in (("zero", f"zero:{folder}@{step},sims={options.sims}"), ("net", f"net:{folder}@{step}")):
            try:
                positions = deciding_positions(board.name, options.positions)
                counted = mistakes_in_positions(text, _solver(board.name), positions)
            except (CannotPlay, Unsolved):
                break
            sims = options.sims if kind == "zero" else 0
            found.append(Strength("mistakes", {"player": kind, "sims": sims, **counted.as_json()}))
    return found


def _match(config: Config, board: Game, folder: Path, step: int, opponent: str, stop: threading.Event) -> Strength:
    """Games against one opponent."""
    options = config.measure
    plan = MatchPlan(
        game=board,
        a=f"zero:{folder}@{step},sims={options.sims}",
        b=opponent,
        games=options.games,
        openings=f"random:{options.turns}",
        seed=step,
    )
    store = Store(folder / "arena.sqlite")
    try:
        match = Match(plan, store)
        result = match.play(lambda _: match.stop() if stop.is_set() else None).as_json()
    finally:
        store.close()
    wanted = ("games", "score", "score_low", "score_high", "elo", "elo_low", "elo_high")
    return Strength("strength", {"opponent": opponent, "sims": options.sims, **{key: result[key] for key in wanted}})


@lru_cache(maxsize=2)
def _solver(name: str) -> Any:
    from pocketzero.games import game

    return solver_for(game(name), seconds=SOLVER_SECONDS)


@lru_cache(maxsize=2)
def deciding_positions(name: str, count: int) -> list[Position]:
    """A fixed sample of positions in which moves differ in value, spread over all plies."""
    from pocketzero.games import game

    solver = _solver(name)
    return random_positions(game(name), count, POSITIONS_SEED, lambda at: len(set(solver.move_values(at).values())) > 1)
