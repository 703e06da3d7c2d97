"""A person at the keyboard, as a player in matches and ladders."""

from __future__ import annotations

import sys

from pocketzero.errors import PocketZeroError
from pocketzero.games import Position
from pocketzero.players.base import Forfeit, Kind, Player


class HumanPlayer(Player):
    """Shows the board on the error stream, where logs go, and reads moves from standard input."""

    def choose(self, position: Position) -> int:
        """The person's move; nonsense is explained and asked again, the end of the input gives the game up."""
        print(position, file=sys.stderr)
        while True:
            print(f"{position.game.players[position.to_move]} to move: ", end="", file=sys.stderr, flush=True)
            word = sys.stdin.readline()
            if not word:
                raise Forfeit("The person left the game.")
            try:
                after = position.play(word)
            except PocketZeroError as error:
                print(error, file=sys.stderr)
                continue
            return after.actions[position.ply]


KINDS = [
    Kind(
        name="human",
        summary="you, at the keyboard",
        at_terminal=True,
        make=lambda game, options: HumanPlayer(),
    )
]
