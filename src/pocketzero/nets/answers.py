"""From what a net gives to what a search wants: a logit for each action, and the value for the player to move."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pocketzero.games.base import Game
from pocketzero.games.worth import margin_worth
from pocketzero.nets.description import MARGIN, ON_BOARD, OWNER, POLICY, REPLY, VALUE, WDL, BadNet, NetDescription

Floats = NDArray[np.float32]
Raw = Mapping[str, Floats]  # the outputs of a net by name, as they come


class Answers:
    """Reads the outputs of nets of one description, for one game."""

    def __init__(self, description: NetDescription, game: Game) -> None:
        self.game = description.fit(game)  # as the net sees it
        self.description = description

    def logits(self, policy: Floats) -> Floats:
        """Batch x actions."""
        if self.description.policy == ON_BOARD:
            return policy.reshape(len(policy), -1)[:, self.game.planes.action_cells]
        return policy

    def values(self, raw: Raw) -> Floats:
        """From -1, the mover loses, to 1; level everywhere, if the net gives only moves."""
        if WDL in raw:
            chances = softmax(raw[WDL])
            winner: Floats = chances[:, 0] - chances[:, 2]
            weight = np.float32(self.description.margin)
            return winner + weight * (raw[MARGIN].reshape(-1) - winner) if weight else winner
        return raw[VALUE].reshape(-1) if VALUE in raw else np.zeros(len(raw[POLICY]), np.float32)

    def both(self, raw: Raw, name: str) -> tuple[Floats, Floats]:
        """What a search wants; stops if any of it is not a number."""
        logits, values = self.logits(raw[POLICY]), self.values(raw)
        if not (np.isfinite(logits).all() and np.isfinite(values).all()):
            raise BadNet(f"{name} gives an output that is not a number; its weights are spoiled.")
        return logits, values

    def all(self, raw: Raw, name: str) -> dict[str, Floats]:
        """Everything by name: logits of the policy and of the reply, chances of win, draw and loss, value, the margin
        in points for the mover, and the owners cell by cell from -1 to 1.
        """
        logits, values = self.both(raw, name)
        found = {POLICY: logits, VALUE: values}
        if WDL in raw:
            found[WDL] = softmax(raw[WDL])
        if MARGIN in raw:
            found[MARGIN] = margin_worth(raw[MARGIN].reshape(-1), np.float32(self.game.largest_margin))
        if OWNER in raw:
            found[OWNER] = raw[OWNER][:, 0]
        if REPLY in raw:
            found[REPLY] = self.logits(raw[REPLY])
        return {output: np.array(numbers) for output, numbers in found.items()}


def softmax(logits: Floats) -> Floats:
    """Chances along the last axis."""
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)
