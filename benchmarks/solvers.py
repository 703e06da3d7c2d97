"""Exact play at Dots and Boxes: the 3x3 table, 4x4 from the start, and 5x5 with 20 lines drawn; then alpha-beta."""

from __future__ import annotations

import random
import statistics
import time

import numpy as np

from benchmarks.measuring import seconds
from pocketzero.games import Position, game
from pocketzero.games.dots.strings import graph_of
from pocketzero.players.base import Player
from pocketzero.players.dots.exact import DotsSolver
from pocketzero.players.dots.full_table import fill
from pocketzero.players.spec import make_player

TABLE_BAR, LATE_BAR, MATCH_BAR = 2.0, 5.0, 80.0  # seconds, seconds, per cent
POSITIONS, DRAWN = 20, 20
MATCH_PAIRS, MATCH_OPENING = 50, 4
LARGE_TABLE_BITS = 26  # a gigabyte


def reached(is_reached: bool) -> str:
    return "reached" if is_reached else "MISSED"


def random_position(name: str, lines: int, chance: random.Random) -> Position:
    position = game(name).start()
    for _ in range(lines):
        position = position.play_action(chance.choice(position.legal_actions()))
    return position


def make_table() -> int:
    """The whole 3x3 table, once."""
    values = np.empty(1 << 24, np.int8)
    fill(graph_of(game("dots:3x3")).words, 24, values)
    assert values[-1] == -3
    return 1


def print_table() -> None:
    took = statistics.median(seconds(make_table) for _ in range(3))
    print(f"  3x3, all 16,777,216 sets of lines {took:8.2f} s  bar {TABLE_BAR:g} s: {reached(took <= TABLE_BAR)}")


def print_late_positions() -> None:
    chance, times, nodes = random.Random(1), [], []
    for _ in range(POSITIONS):
        position = random_position("dots:5x5", DRAWN, chance)
        solver = DotsSolver(position.game)
        begin = time.perf_counter()
        solver.value(position)
        times.append(time.perf_counter() - begin)
        nodes.append(solver.nodes)
    middle = statistics.median(times)
    print(
        f"  5x5, {DRAWN} random lines drawn, median of {POSITIONS} {middle:6.2f} s (longest {max(times):.1f} s, "
        f"{statistics.median(nodes):,.0f} positions)  bar {LATE_BAR:g} s: {reached(middle <= LATE_BAR)}"
    )


def print_four_by_four() -> None:
    solver = DotsSolver(game("dots:4x4"), bits=LARGE_TABLE_BITS)
    begin = time.perf_counter()
    value = solver.value(game("dots:4x4").start())
    took = time.perf_counter() - begin
    print(f"  4x4 from the start: {value} in {took:.0f} s, {solver.nodes:,} positions  {reached(value == 0)}")


def play_from(position: Position, players: tuple[Player, Player], longest: list[float]) -> int:
    """The final margin; ``longest`` is told the time of the first player's longest move in it."""
    while not position.is_over:
        begin = time.perf_counter()
        line = players[position.to_move].choose(position)
        longest[position.to_move] = max(longest[position.to_move], time.perf_counter() - begin)
        position = position.play_action(line)
    return position.margin or 0


def print_match(text: str = "alphabeta:seconds=0.2", other: str = "hard") -> None:
    board, chance, wins = game("dots:5x5"), random.Random(1), 0
    searcher, opponent, longest = make_player(text, board), make_player(other, board), [0.0, 0.0]
    for pair in range(MATCH_PAIRS):
        for player in (searcher, opponent):
            player.begin(pair)
        position = random_position("dots:5x5", MATCH_OPENING, chance)
        wins += play_from(position, (searcher, opponent), longest) > 0
        wins += play_from(position, (opponent, searcher), longest[::-1]) < 0
    rate = 50 * wins / MATCH_PAIRS
    print(
        f"  {text} against {other}, 5x5, {2 * MATCH_PAIRS} games: {rate:.0f} % won (longest move {longest[0]:.3f} s)  "
        f"bar {MATCH_BAR:g} %: {reached(rate >= MATCH_BAR)}"
    )


def main() -> None:
    print("Dots and Boxes: exact values and alpha-beta, one thread")
    print_table()
    print_late_positions()
    print_match()
    print_four_by_four()
