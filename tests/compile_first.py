"""Compiles what most tests need, once and before them, so that no test waits for it while many processes compile."""

from __future__ import annotations

import numpy as np

from pocketzero.games import game
from pocketzero.players.spec import make_player
from pocketzero.search import Rollouts, Search
from pocketzero.search.settings import Settings
from pocketzero.training.episodes import Episode
from pocketzero.training.samples import Maker
from pocketzero.training.selfplay import SelfPlay, SelfPlayOptions

BOARDS = ("dots:2x2", "mnk:3x3x3", "zertz:19")
PLAYERS = {"dots:2x2": ("hard", "alphabeta:seconds=0.1", "exact"), "mnk:3x3x3": ("exact", "threats"), "zertz:19": ()}


class Even:
    """Knows nothing: all moves are as good as each other, and every position is level."""

    def __init__(self, actions: int) -> None:
        self._actions = actions

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Zeros."""
        return np.zeros((len(planes), self._actions), np.float32), np.zeros(len(planes), np.float32)


def main() -> None:
    """A little of everything on a small board of each game."""
    for name in BOARDS:
        board, episodes = game(name), list[Episode]()
        play = SelfPlay(board, SelfPlayOptions(sims=8), episodes.append, trees=2)
        while not episodes:
            play.step(Even(board.action_count))
        Maker(board).batch([(episodes[0], 0)], np.random.default_rng(0))
        Search(board.start(), Rollouts(), Settings(solved=False)).run(sims=20)
        board.random_games(2, seed=0)
        for player in PLAYERS[name]:
            make_player(player, board).choose(board.start())


main()
