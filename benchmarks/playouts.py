"""Random games: moves a second of our one public call, and of OpenSpiel as its users write it."""

from __future__ import annotations

import random

import pyspiel

from benchmarks.measuring import side_by_side, verdict
from pocketzero.games import game

BOARDS = [  # ours, OpenSpiel's, the bar, random games of ours and theirs in a round
    ("dots:5x5", "dots_and_boxes(num_rows=5,num_cols=5)", 15, 10_000, 300),
    ("dots:10x10", "dots_and_boxes(num_rows=10,num_cols=10)", 15, 2_000, 60),
    ("mnk:5x5x4", "mnk(m=5,n=5,k=4)", 25, 20_000, 500),
    ("mnk:15x15x5", "mnk(m=15,n=15,k=5)", 25, 3_000, 30),
]
ZERTZ = ("zertz:19", "zertz:37", "zertz:61")
ZERTZ_BAR = 0.6  # microseconds an action on 37 rings


def ours(name: str, games: int) -> int:
    """Our loop: one call."""
    return game(name).random_games(games, seed=1).moves


def openspiel(name: str, games: int) -> int:
    """OpenSpiel's loop, as in its examples."""
    board = pyspiel.load_game(name)
    moves = 0
    for _ in range(games):
        state = board.new_initial_state()
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))
            moves += 1
    return moves


def main() -> None:
    print("Random games, one thread        ours µs/move   OpenSpiel µs/move   ratio")
    for name, theirs, bar, our_games, their_games in BOARDS:
        ours(name, 10)
        us, them = side_by_side(lambda: ours(name, our_games), lambda: openspiel(theirs, their_games))  # noqa: B023
        print(f"  {name:28} {us * 1e6:12.3f} {them * 1e6:19.2f} {them / us:8.1f}x  {verdict(them / us, bar)}")
    for name in ZERTZ:
        ours(name, 10)
        [us] = side_by_side(lambda: ours(name, 5_000))  # noqa: B023
        note = ""
        if name == "zertz:37":
            note = f"  bar {ZERTZ_BAR} µs: {'reached' if us * 1e6 <= ZERTZ_BAR else 'MISSED'}"
        print(f"  {name:28} {us * 1e6:12.3f}{note}")
