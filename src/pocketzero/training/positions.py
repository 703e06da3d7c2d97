"""Single labelled positions, as AlphaDots made them (Peters 2018, 6.2 and 6.6.1): cheaper than whole games of searches.

A player that costs little plays a game. Of its positions one is taken, by the number of moves that were left then, and
gets a label: the policy from one search or from the player itself, the value from the child that the search chose or
from how the game went on. ``LabelledPositions`` works in steps like ``SelfPlay``, so threads can do either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pocketzero.arena.openings import random_position
from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Outcome, Position
from pocketzero.players.spec import make_player
from pocketzero.search import Evaluator, Forest, Root, Settings, choose, policy_target
from pocketzero.search.rollout import UCT_CONSTANT
from pocketzero.training.episodes import Episode, Searched
from pocketzero.training.selfplay import SelfPlayOptions, Tally

SOURCE = "positions"  # as episodes state it
POLICIES, VALUES = ("net", "uct", "player"), ("auto", "child", "play")
MOST_NODES = 1 << 16  # of all trees of one thread; searches of many simulations run in fewer trees
SMALLEST_SHARE = 1e-4  # of a policy; moves below are left out


@dataclass(frozen=True, kw_only=True)
class PositionOptions:
    """Single positions that are labelled, in place of whole games (AlphaDots, Peters 2018)."""

    share: float = 0.0
    """The share of rounds that are made of labelled positions: 0 for whole games only, 1 for positions only."""
    player: str = "random"
    """Who plays up to the position, as ``hard`` (the thesis's choice)."""
    turns: int = 0
    """Random turns before that, for players that always play alike."""
    mean: float = 0.5
    """Moves left, on average, as a share of the game's length (the thesis's mu)."""
    deviation: float = 0.125
    """Their standard deviation, as a share of the game's length (the thesis's sigma)."""
    uniform: bool = False
    """Any number of moves left is as likely as another instead (its generators before StageFour: "a random point")."""
    policy: str = "net"
    """Where the policy comes from: ``net``, one search with the net; ``uct``, one with random games; ``player``."""
    sims: int = 1500
    """Simulations of that search (the thesis: 1,500, or 1,000 in its experiments)."""
    asks: int = 1
    """How often the player is asked; with many, all moves that it likes share the policy (BasicStrategy)."""
    value: str = "auto"
    """Where the value comes from: ``child``, the one that the search chose; ``play``, the end of the player's game;
    ``auto``, the child if there is a search."""
    value_scale: float = 1.0
    """A game played on is worth its margin over this share of the largest (StageFour: 1, StageThree: 0.8), but never
    more than 1; with 0, and where games have no margin, it is worth who won."""

    def __post_init__(self) -> None:
        for name, found, known in (("policy", self.policy, POLICIES), ("value", self.value, VALUES)):
            if found not in known:
                raise PocketZeroError(f"positions.{name} is one of {', '.join(known)}, not {found!r}.")
        for name, share in (("share", self.share), ("mean", self.mean)):
            if not 0 <= share <= 1:
                raise PocketZeroError(f"positions.{name} is between 0 and 1, not {share}.")
        if min(self.deviation, self.value_scale, self.turns) < 0 or min(self.sims, self.asks) < 1:
            raise PocketZeroError(
                "positions.deviation, value_scale and turns cannot be negative; sims and asks are at least 1."
            )

    @property
    def searches(self) -> bool:
        """Whether a search labels the positions, rather than the player."""
        return self.policy != "player"

    @property
    def takes_child(self) -> bool:
        """Whether the value is the chosen child's, rather than that of playing on."""
        return self.searches if self.value == "auto" else self.value == "child"


class Drawn(NamedTuple):
    """A position to be labelled, with the game it comes from."""

    position: Position
    action: int  # what the player did there
    final: Position  # how its game ended
    seed: int


class Label(NamedTuple):
    """What is to be learned of a position."""

    actions: NDArray[np.int32]
    shares: NDArray[np.float32]
    value: float  # for the mover, from -1 to 1
    simulations: int = 0


def is_labelling_round(share: float, number: int) -> bool:
    """Whether a round, counted from 0, is made of positions; they are spread evenly over the rounds."""
    return int((number + 1) * share + 1e-9) > int(number * share + 1e-9)


def moves_left(length: int, options: PositionOptions, chance: np.random.Generator) -> int:
    """How many moves are left in a game of this length: G(sigma L) + mu L (Peters 2018, 6.2.5), at least the last."""
    if options.uniform:
        return int(chance.integers(1, length + 1))
    drawn = chance.normal(options.mean * length, options.deviation * length)
    return int(np.clip(round(drawn), 1, length))


def before(position: Position, moves: int) -> Position:
    """The position so many moves earlier."""
    for _ in range(moves):
        assert position.previous is not None, "the moves of a game that was played here are known"
        position = position.previous
    return position


def value_of_end(final: Position, player: int, scale: float) -> float:
    """What the end of a game is worth to a player: the margin over a share of the largest, or who won."""
    sign = 1 if player == 0 else -1
    if scale > 0 and final.margin is not None and final.game.largest_margin:
        return sign * float(np.clip(final.margin / (scale * final.game.largest_margin), -1, 1))
    return sign * {Outcome.FIRST: 1.0, Outcome.SECOND: -1.0}.get(final.outcome, 0.0)


class LabelledPositions:
    """Positions of one board, labelled in one thread."""

    def __init__(
        self,
        game: Game,
        options: PositionOptions,
        selfplay: SelfPlayOptions,
        hand_over: Callable[[Episode], None],
        *,
        trees: int = 64,
        seed: int = 0,
        margin: float = 0.0,
    ) -> None:
        _check(options, margin)
        self.game = game
        self.options = options
        self.hand_over = hand_over
        self.tally = Tally()
        self.net = 0  # how many steps the net has learned, as episodes state it
        self._held_back = selfplay.held_back
        self._c = selfplay.c
        self._chance = np.random.default_rng(seed)
        self._player = make_player(options.player, game)
        self._forest: Forest | None = None
        self._waiting: list[Drawn] = []  # the position of each tree
        if options.searches:
            self._plant_forest(selfplay, trees, seed, margin)

    def _plant_forest(self, selfplay: SelfPlayOptions, trees: int, seed: int, margin: float) -> None:
        """Trees for the searches, each with its first position; random games need only one."""
        sims, uct = self.options.sims, self.options.policy == "uct"
        reduced = selfplay.reduced and self.game.has_reduction
        settings = Settings(
            c=selfplay.c,
            reduced=reduced,
            solve_budget=selfplay.solve_budget,
            proven=selfplay.proven,
            symmetry=selfplay.symmetry,  # type: ignore[arg-type]  # the settings check it
            margin=margin,
        )
        if uct:
            settings = Settings(c=UCT_CONSTANT, solved=False, reduced=reduced)
        count = 1 if uct else max(1, min(trees, MOST_NODES // sims))
        self._forest = Forest(self.game, settings, trees=count, nodes=4 * sims + 64, rollouts=uct, seed=seed)
        self._waiting = [self._plant(self._forest, tree) for tree in range(count)]

    def _plant(self, forest: Forest, tree: int) -> Drawn:
        """Give a tree the next position to search."""
        drawn = self.draw()
        forest.plant(tree, drawn.position)
        forest.grant(tree, self.options.sims)
        return drawn

    def draw(self) -> Drawn:
        """Let the player play a game, and go back to where so many moves were left."""
        seed = int(self._chance.integers(1 << 62))
        chance = np.random.default_rng(seed)
        position = self._opening(chance)
        self._player.begin(int(chance.integers(1 << 62)))
        while not position.is_over:
            position = position.play_action(self._player.choose(position))
        left = moves_left(position.ply, self.options, chance)
        return Drawn(before(position, left), position.actions[-left], position, seed)

    def _opening(self, chance: np.random.Generator) -> Position:
        """Where the player begins."""
        if not self.options.turns:
            return self.game.start()
        while True:
            position = random_position(self.game, self.options.turns, int(chance.integers(1 << 62)))
            if position is not None:
                return position

    def step(self, evaluator: Evaluator) -> int:
        """One batch of the searches, or one position without the net; gives the number of evaluations or positions."""
        if self._forest is None:
            drawn = self.draw()
            self._label(drawn, self._asked(drawn))
            return 1
        if self.options.policy == "uct":
            self._forest.roll_out(0, self.options.sims)
            self._finish(self._forest, 0)
            return 1
        rows = self._forest.step(evaluator)
        for tree in self._forest.all_done():
            self._finish(self._forest, tree)
        return rows

    def _finish(self, forest: Forest, tree: int) -> None:
        """Label the position of a tree that is done, and go on to the next."""
        drawn, root = self._waiting[tree], forest.root(tree)
        self._label(drawn, self._found(drawn, root))
        self._waiting[tree] = self._plant(forest, tree)

    def _found(self, drawn: Drawn, root: Root) -> Label:
        """The label that a search gives."""
        shares = policy_target(root, c=self._c).astype(np.float32)
        kept = shares > SMALLEST_SHARE * shares.sum()
        value = root.values[choose(root)] if self.options.takes_child else self._played_on(drawn)
        if np.isnan(value):  # the move is chosen by its prior alone
            value = root.value
        actions, shares = root.actions[kept].astype(np.int32), shares[kept] / shares[kept].sum()
        return Label(actions, shares, float(np.clip(value, -1, 1)), root.simulations)

    def _asked(self, drawn: Drawn) -> Label:
        """The label that the player gives: what it did, and what it does when it is asked again."""
        answers = [drawn.action]
        for number in range(1, self.options.asks):
            self._player.begin(drawn.seed ^ number)
            answers.append(self._player.choose(drawn.position))
        actions, counts = np.unique(answers, return_counts=True)
        shares = (counts / counts.sum()).astype(np.float32)
        return Label(actions.astype(np.int32), shares, self._played_on(drawn))

    def _played_on(self, drawn: Drawn) -> float:
        """What playing on brought to the player who was to move."""
        return value_of_end(drawn.final, drawn.position.to_move, self.options.value_scale)

    def _label(self, drawn: Drawn, label: Label) -> None:
        """Hand over a labelled position."""
        self.tally.games += 1
        self.tally.moves += 1
        self.tally.simulations += label.simulations
        position = drawn.position
        searched = Searched(position.ply, label.actions, label.shares, label.value, label.simulations)
        self.hand_over(
            Episode(
                game=self.game.name,
                actions=np.array(position.actions, np.int32),
                result=label.value if position.to_move == 0 else -label.value,
                margin=None,
                searched=(searched,),
                finished=False,
                net=self.net,
                seed=drawn.seed,
                held_back=bool(self._chance.random() < self._held_back),
                source=SOURCE,
            )
        )


def _check(options: PositionOptions, margin: float) -> None:
    """Settings that do not go together."""
    if options.value == "child" and not options.searches:
        raise PocketZeroError("positions.value=child needs a search: set positions.policy to net or uct.")
    if options.share >= 1 and margin > 0:
        raise PocketZeroError(
            "Labelled positions say nothing about the final margin, so with positions.share=1 a net whose values count "
            "it would not learn them: set net.margin=0."
        )
