"""Double Dealing over many recorded games, by player (Peters 2018, the analysis of *New Strategies*)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from pocketzero.errors import PocketZeroError
from pocketzero.games import game
from pocketzero.games.records import Record
from pocketzero.players.base import family_of
from pocketzero.players.dots.dealing import Deals, double_deals

Counts = dict[str, tuple[int, Deals]]  # games and deals by player


def _count(counts: Counts, players: tuple[str, str], deals: tuple[Deals, Deals]) -> None:
    for player, found in zip(players, deals):
        games, before = counts.get(player, (0, Deals()))
        counts[player] = (games + 1, before + found)


def dealing_in_records(records: Iterable[Record]) -> Counts:
    """Double deals in records; sides without a name are called by what the game calls them."""
    counts: Counts = {}
    for record in records:
        if family_of(record.game) != "dots":
            raise PocketZeroError(f"Double deals are counted in Dots and Boxes, not in {record.game.name}.")
        first, second = (given or called for given, called in zip(record.players, record.game.players))
        _count(counts, (first, second), double_deals(record.final))
    return counts


def dealing_in_matches(path: Path, name: str) -> Counts:
    """Double deals in all matches of a game in a file of results; openings do not count."""
    board = game(name)
    if family_of(board) != "dots":
        raise PocketZeroError(f"Double deals are counted in Dots and Boxes, not in {board.name}.")
    base = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        rows = base.execute(
            "select player_a, player_b, first, moves, opening from games join matches on match = id where game = ?",
            (board.name,),
        ).fetchall()
    finally:
        base.close()
    counts: Counts = {}
    for a, b, first, moves, opening in rows:
        final = board.start().play_line(moves)
        _count(counts, (a, b) if first == "a" else (b, a), double_deals(final, after=opening))
    return counts


def dealing_table(counts: Counts) -> str:
    """A row for each player: how many of its opportunities it took."""
    lines = ["| player | games | chains: deals of chances | loops: deals of chances |", "|---|---|---|---|"]
    for player, (games, deals) in counts.items():
        chains = _share(deals.chain_deals, deals.chain_chances)
        loops = _share(deals.loop_deals, deals.loop_chances)
        lines.append(f"| `{player}` | {games} | {chains} | {loops} |")
    return "\n".join(lines)


def _share(taken: int, chances: int) -> str:
    return f"{taken} of {chances}" + (f" ({taken / chances:.1%})" if chances else "")
