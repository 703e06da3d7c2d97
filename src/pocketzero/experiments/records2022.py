"""Files that the 2022 thesis kept: a game with its searches (appendix A.1) and the training history (A.3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pocketzero.games import Position
from pocketzero.players.zero import ZeroPlayer
from pocketzero.search.result import MoveReport, SearchResult

HISTORY = ("loss", "policy_net_loss", "value_net_loss", "val_loss", "val_policy_net_loss", "val_value_net_loss")
MOVES_A_LINE = 2


def game_dump(player: ZeroPlayer, position: Position, version: int, *, seed: int = 0) -> str:
    """A game of a player against itself: for each line what the search found, then the board."""
    player.begin(seed)
    parts, number, before = [], 1, "Root"
    while not position.is_over:
        action = player.choose(position)
        result = player.thought if len(position.legal_actions()) > 1 else None
        after = position.play_action(action)
        move = position.write(action)
        parts += [_step(number, position, after, version, before, move, result), str(after), ""]
        position, number, before = after, number + 1, move
    return "\n".join(parts)


def _step(
    number: int, position: Position, after: Position, version: int, before: str, move: str, result: SearchResult | None
) -> str:
    """``v`` are visits, ``q`` the mean value for the mover, ``w`` their sum, ``p`` the net's prior."""
    mover, following = position.to_move + 1, after.to_move + 1
    points = max(0, abs((after.margin or 0) - (position.margin or 0)))
    head = f"{number}-{mover} PC/{version} | Next: {following} PC/{version} | Pts: {points}"
    if result is None:
        return f"{head} | {before}\n\nWinner: {move} (the only line)\n"
    visits = sum(each.visits for each in result.moves)
    root = f"{before}(v{visits}/q{result.value:.6g}/w{result.value * visits:.6g}/p0)"
    moves = sorted(result.moves, key=lambda each: each.action)
    chosen = next(each for each in moves if each.move == move)
    lines = [
        " ".join(_statistics(each) for each in moves[first : first + MOVES_A_LINE])
        for first in range(0, len(moves), MOVES_A_LINE)
    ]
    return "\n".join([f"{head} | {root}", "", f"Winner: {_statistics(chosen)} »", "", *lines, ""])


def _statistics(move: MoveReport) -> str:
    value = 0.0 if move.value is None else move.value
    return f"{move.move}(v{move.visits}/q{value:.6g}/w{move.total:.6g}/p{move.prior:.9g})"


def history_rows(metrics: Iterable[dict[str, Any]]) -> list[tuple[float, ...]]:
    """The losses of each epoch, of training and of the games that were held back, in the order of ``HISTORY``."""
    rows = []
    for line in metrics:
        if line["kind"] == "history":
            mine, held = line["losses"], line["held_losses"]
            rows.append(tuple(number for each in (mine, held) for number in _by_head(each)))
    return rows


def _by_head(losses: dict[str, float]) -> tuple[float, float, float]:
    if not losses:
        return (float("nan"),) * 3
    return losses["policy"] + losses["value"], losses["policy"], losses["value"]


def history_csv(rows: Iterable[tuple[float, ...]]) -> str:
    """The history as the thesis printed it, with the number of the epoch in front."""
    lines = [",".join(("", *HISTORY))]
    lines += [",".join([str(number), *(repr(value) for value in row)]) for number, row in enumerate(rows)]
    return "\n".join(lines) + "\n"
