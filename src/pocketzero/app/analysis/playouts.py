"""Expected owners of boxes without a net: how the rule-based Hard would play the game out against itself."""

from __future__ import annotations

import numpy as np

from pocketzero.app.analysis.report import Report
from pocketzero.games import Position
from pocketzero.games.dots.notation import owner_of
from pocketzero.games.dots.rules import BOXES
from pocketzero.players.dots.levels import HARD, choose_line

GAMES = 24


def owners_by_hard(position: Position, *, games: int = GAMES) -> Report:
    """The mean owner of each box, from 1 (player 0) to -1, and the mean final margin."""
    game = position.game
    boxes = int(game.geometry[BOXES])
    owners = np.zeros(boxes)
    margins = 0
    generator = np.array([position.key & 0xFFFF], np.int64)
    for _ in range(games):
        state = position.state.copy()
        while game.rules.outcome(game.geometry, state) == -1:
            game.rules.play(game.geometry, state, choose_line(game.geometry, state, HARD, generator))
        letters = (owner_of(game.geometry, state, box) for box in range(boxes))
        owners += [1 if letter == "A" else -1 for letter in letters]
        margins += int(game.rules.margin(game.geometry, state))
    return {"owners": [round(float(owner), 2) for owner in owners / games], "margin": round(margins / games, 2)}
