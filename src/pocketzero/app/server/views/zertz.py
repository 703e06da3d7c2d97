"""Zertz for the page: rings, marbles, pool, captures, and the step that is to be done."""

from __future__ import annotations

from typing import Any

from pocketzero.games import Game, Position
from pocketzero.games.zertz import rules
from pocketzero.games.zertz.layout import Layout
from pocketzero.games.zertz.notation import ZertzNotation
from pocketzero.games.zertz.steps import COLOURS, Jump, Put, has, landing_of, marble_on, members, over_of
from pocketzero.games.zertz.turn import all_jumps, write_jump

PHASES = {rules.TURN: "put", rules.REMOVE: "remove", rules.CHAIN: "chain"}


def notation_of(game: Game) -> ZertzNotation:
    """The notation, which knows the layout."""
    assert isinstance(game.notation, ZertzNotation)
    return game.notation


def layout_of(game: Game) -> Layout:
    """Where the rings lie."""
    return notation_of(game).layout


def board(game: Game) -> dict[str, Any]:
    """Names of rings with their column and height in half steps, goals and pool."""
    layout, geometry = layout_of(game), game.geometry
    return {
        "rings": [[name, column, height] for name, (column, height) in zip(layout.names, layout.heights)],
        "columns": list(layout.columns),
        "goal": [int(number) for number in geometry[rules.GOAL : rules.GOAL + 3]],
        "each": int(geometry[rules.EACH]),
        "start_pool": [int(number) for number in geometry[rules.START_POOL : rules.START_POOL + 3]],
    }


def view(position: Position) -> dict[str, Any]:
    """Signs by ring (``.`` vacant, ``W G B`` a marble, ``_`` gone), numbers of marbles, and what may be done."""
    state = position.state.copy()
    layout = layout_of(position.game)
    numbers = [[int(state[first + colour]) for colour in range(3)] for first in (rules.POOL, 6, 9)]
    over = position.is_over
    phase = "over" if over else PHASES[int(state[rules.PHASE])]
    jumps = [] if over else all_jumps(position.game.geometry, state)
    supply = rules.supply(state)
    return {
        "rings": "".join(_sign(state, ring) for ring in range(layout.rings)),
        "pool": numbers[0],
        "captured": numbers[1:],
        "phase": "capture" if jumps and phase == "put" else phase,
        "own": bool(supply != rules.POOL),
        "colours": "".join(COLOURS[colour] for colour in range(3) if state[supply + colour]),
        "free": [layout.names[ring] for ring in members(rules.free_rings(state))] if phase == "remove" else [],
        "jumps": [_jump(layout, state, jump) for jump in jumps],
        "last": _last(position),
    }


def _sign(state: Any, ring: int) -> str:
    colour = marble_on(state, ring)
    if colour is not None:
        return COLOURS[colour]
    return "." if has(state[rules.RINGS], ring) else "_"


def _jump(layout: Layout, state: Any, jump: Jump) -> dict[str, str]:
    names = layout.names
    over = names[over_of(layout, jump)]
    return {
        "move": write_jump(layout, state, jump),
        "from": names[jump.ring],
        "over": over,
        "to": names[landing_of(layout, jump)],
    }


def _last(position: Position) -> list[dict[str, str]]:
    """The steps of the last turn: a marble put, a ring removed, the way of a chain."""
    from pocketzero.app.server.views import last_turn

    notation = notation_of(position.game)
    names = notation.layout.names
    found = []
    for step in (step for action in last_turn(position) for step in notation.form.steps(action)):
        kind = "jump" if isinstance(step, Jump) else "put" if isinstance(step, Put) else "remove"
        to = names[landing_of(notation.layout, step)] if isinstance(step, Jump) else names[step.ring]
        found.append({"kind": kind, "from": names[step.ring], "to": to})
    return found
