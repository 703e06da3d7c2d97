"""What an analysis says, as plain data: the same for the page, for the API and for JSON lines.

Values are from the side of the player to move; a win rate is (value + 1) / 2, so a draw counts half.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pocketzero.games import Position
from pocketzero.search import MoveReport, SearchResult

Report = dict[str, Any]


def rate(value: float) -> float:
    """A value from -1 to 1 as a win rate."""
    return round((value + 1) / 2, 4)


def sign(number: float) -> int:
    """-1, 0 or 1."""
    return (number > 0) - (number < 0)


def report_of(result: SearchResult, exact: dict[int, int] | None, *, most: int = 400) -> Report:
    """The whole root of a search, the best move first."""
    best = max(exact.values()) if exact else None
    top = result.moves[0]
    reference = top.value if top.value is not None else result.value
    moves = [_move(move, reference, exact, best) for move in result.moves]
    moves.sort(key=lambda move: -move["exact"] if exact else 0)
    for order, move in enumerate(moves):
        move["order"] = order
    value = float(sign(best)) if best is not None else result.value
    return {
        "to_move": result.position.to_move,
        "winrate": rate(value),
        "exact": best,
        "simulations": result.simulations,
        "nodes": result.nodes,
        "seconds": round(result.seconds, 3),
        "moves": moves[:most],
    }


def _move(move: MoveReport, reference: float, exact: dict[int, int] | None, best: int | None) -> Report:
    value = move.value
    loss = None if value is None else round(max(0.0, (reference - value) / 2), 4)
    found: Report = {
        "move": move.move,
        "visits": move.visits,
        "winrate": None if value is None else rate(value),
        "prior": round(move.prior, 5),
        "loss": loss,
        "proven": move.proven,
        "ends_in": move.ends_in,
        "line": list(move.line),
        "exact": None,
    }
    if exact is not None and best is not None:
        found["exact"] = exact[move.action]
        found["winrate"] = rate(sign(exact[move.action]))
        found["loss"] = round((sign(best) - sign(exact[move.action])) / 2, 4)
        found["exact_loss"] = best - exact[move.action]
    return found


def net_opinion(net: Any, position: Position) -> Report:
    """What the net alone thinks, before any search: policy, margin and owners of boxes where it has them."""
    if net is None:
        return {}
    seen = Position(net.game, position.state.copy())
    outputs = net.evaluate_all(seen.planes()[None])
    legal = position.legal_actions()
    logits = outputs["policy"][0][legal].astype(float)
    chances = np.exp(logits - logits.max())
    chances /= chances.sum()
    found: Report = {"policy": {position.write(a): round(float(p), 4) for a, p in zip(legal, chances)}}
    turn = 1 if position.to_move == 0 else -1
    if "margin" in outputs:
        found["margin"] = round(turn * float(outputs["margin"][0]), 2)
    if "owner" in outputs and (owners := _owners_of_boxes(position, turn * outputs["owner"][0])) is not None:
        found["owners"] = owners
    return found


def _owners_of_boxes(position: Position, cells: Any) -> list[float] | None:
    """The owners of boxes, from 1 (player 0) to -1, from a grid of cells in one of the encodings."""
    rows, columns = (int(number) for number in position.game.geometry[:2])
    if cells.shape == (rows + 1, columns + 1):
        boxes = cells[:rows, :columns]
    elif cells.shape == (2 * rows + 1, 2 * columns + 1):
        boxes = cells[1::2, 1::2]
    else:
        return None
    return [round(float(owner), 2) for owner in boxes.ravel()]
