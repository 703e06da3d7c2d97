"""Zertz in another form: a player that thinks in whole placements takes part in games of single steps.

``joint:zero:./runs/mine`` asks its player in the joint form of the game; of a placement it plays the marble first and
the ring when that is due. So nets of both forms can meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from pocketzero.games import Game, Position, game
from pocketzero.games.zertz import rules
from pocketzero.games.zertz.notation import ZertzNotation
from pocketzero.games.zertz.steps import ActionForm
from pocketzero.players.base import Kind, Player
from pocketzero.players.spec import make_player

JOINT = "/joint"


@dataclass(frozen=True, kw_only=True)
class JointOptions:
    """Who thinks in the joint form."""

    player: str = ""
    """The player, as zero:./runs/mine."""


class JointPlayer(Player):
    """Asks a player of the joint form, and plays its actions step by step."""

    def __init__(self, board: Game, options: JointOptions) -> None:
        self._board = game(f"{board.name}{JOINT}")
        layout = cast(ZertzNotation, board.notation).layout
        self._joint, self._split = ActionForm(layout, True), ActionForm(layout, False)
        self._player = make_player(options.player, self._board)
        self._due: tuple[int, ...] = ()
        self.version = self._player.version

    def begin(self, seed: int) -> None:
        """A new game for the player behind it."""
        self._due = ()
        self._player.begin(seed)

    def choose(self, position: Position) -> int:
        """What is left of the placement, or the first step of a new action; a ring it did not place for, at once."""
        if position.state[rules.PHASE] == rules.REMOVE:
            legal = position.legal_actions()
            return next((action for action in self._due if action in legal), legal[0])
        action = self._player.choose(Position(self._board, position.state.copy()))
        first, *rest = self._split.actions(self._joint.steps(action))
        self._due = tuple(rest)
        return first

    def stop(self) -> None:
        """End the search of the player behind it."""
        self._player.stop()

    def close(self) -> None:
        """Let go of the player behind it."""
        self._player.close()


KINDS = [
    Kind(
        name="joint",
        summary="a player that thinks in whole placements, in games of single steps",
        options=JointOptions,
        make=JointPlayer,
        families=("zertz",),
        boards="boards in single steps, such as zertz:37",
        fits=lambda board: not board.name.endswith(JOINT),
        rest="player",
        whole_rest=True,
    )
]
