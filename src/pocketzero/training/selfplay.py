"""Self-play: many games side by side in one thread, each move searched, finished games handed over as episodes.

One worker holds a forest with a tree for each game in progress. In each batch every tree that still has simulations
to do gets a leaf evaluated; a tree that is done plays its move and goes on. Positions with one sensible move are
passed without a search.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from pocketzero.games import Game, Outcome, Position
from pocketzero.games.dots.alternating import alternating
from pocketzero.search import Evaluator, Forest, PlayoutCap, Root, Settings, Temperature
from pocketzero.search.choice import best_index, choose
from pocketzero.search.target import policy_target
from pocketzero.training.episodes import Episode, Searched


@dataclass(frozen=True, kw_only=True)
class SelfPlayOptions:
    """How games are played for learning."""

    method: str = "gumbel"
    """``gumbel``: few simulations, the root by sequential halving (Danihelka et al. 2022); or ``puct``."""
    sims: int = 32
    """Simulations of a full search."""
    fast_sims: int = 8
    """Simulations of a quick one, which is only played, not learned from (playout-cap randomisation, Wu 2019)."""
    full_share: float = 1.0
    """The share of moves that are searched fully."""
    gumbel_moves: int = 16
    """Moves that Gumbel search begins with (the same paper: 16)."""
    c: float = 1.25
    """Exploration constant (AlphaZero)."""
    noise: float = 0.25
    """Share of Dirichlet noise at the root under ``puct`` (AlphaZero: 0.25)."""
    noise_alpha: float = 10.0
    """Alpha of the noise, divided by the number of legal moves (KataGo: 10.83; DeepZertz: 1)."""
    forced: float = 2.0
    """Forced playouts at the root under ``puct`` (KataGo: 2)."""
    temperature: float = 1.0
    """Under ``puct``, moves are drawn by visits ** (1/temperature), which falls to 0 over ``temperature_moves``."""
    temperature_moves: int = 16
    reduced: bool = True
    """Search only moves that are enough to keep the value, where the game knows them."""
    opening_share: float = 0.5
    """The share of games that begin with random turns."""
    opening_turns: int = 6
    """At most so many random turns."""
    resign: float = 0.0
    """Give up when the value of two searches in a row is below minus this; 0 for never."""
    resign_check: float = 0.1
    """The share of games that are played out all the same, to measure how often giving up would have been wrong."""
    solve_budget: int = 0
    """What the game may spend on solving one leaf."""
    proven: bool = True
    """Let proven results travel up the tree, and the game answer leaves; without it, as in the four papers, a search
    only averages."""
    symmetry: str = "random"
    """Which symmetry of a leaf the net sees while playing: ``random``, ``all`` averaged, or ``none``."""
    alternating: bool = False
    """Take every line for the end of a turn: the mistake of the 2022 thesis, in Dots and Boxes only."""
    proven_share: float = 1.0
    """The share of positions with a proven result that are learned from."""
    held_back: float = 0.02
    """The share of games that are kept for measuring, not for learning."""


@dataclass
class _Table:
    """One game in progress."""

    position: Position
    seed: int
    searched: list[Searched] = field(default_factory=list)
    low_values: list[int] = field(default_factory=lambda: [0, 0])  # searches in a row that looked lost, by player
    is_full: bool = True
    may_resign: bool = False
    would_have_lost: int = -1  # who would have resigned in a game that is played out to check it


@dataclass
class Tally:
    """What a worker did."""

    games: int = 0
    moves: int = 0
    simulations: int = 0
    resign_checked: int = 0
    resign_wrong: int = 0


class SelfPlay:
    """Games of one board, played by one evaluator in one thread."""

    def __init__(
        self,
        game: Game,
        options: SelfPlayOptions,
        hand_over: Callable[[Episode], None],
        *,
        trees: int = 64,
        seed: int = 0,
        margin: float = 0.0,
    ) -> None:
        self.game = game
        self.options = options
        self.hand_over = hand_over
        self.tally = Tally()
        self.net = 0  # how many steps the net has learned, as episodes state it
        self._chance = np.random.default_rng(seed)
        self._reduced = options.reduced and game.has_reduction
        self._cap = PlayoutCap(options.sims, options.fast_sims, options.full_share)
        self._temperature = Temperature(options.temperature, 0.0, options.temperature_moves)
        seen = alternating(game) if options.alternating else game
        self.forest = Forest(seen, self._settings(margin), trees=trees, nodes=4 * options.sims + 64, seed=seed)
        self._tables = [self._new_game(tree) for tree in range(trees)]

    def _settings(self, margin: float) -> Settings:
        options = self.options
        gumbel = options.method == "gumbel"
        return Settings(
            c=options.c,
            gumbel=options.gumbel_moves if gumbel else 0,
            noise=0.0 if gumbel else options.noise,
            noise_alpha=options.noise_alpha,
            forced=0.0 if gumbel else options.forced,
            reduced=self._reduced,
            solve_budget=options.solve_budget,
            proven=options.proven,
            symmetry=options.symmetry,  # type: ignore[arg-type]  # the settings check it
            margin=margin,
        )

    def step(self, evaluator: Evaluator) -> int:
        """One batch; every tree that is done plays on. Gives the number of positions evaluated."""
        rows = self.forest.step(evaluator)
        for tree in self.forest.all_done():
            self._move(tree)
        return rows

    def _new_game(self, tree: int) -> _Table:
        """Begin a game, perhaps with random turns, and its first search."""
        table = _Table(self._opening(), int(self._chance.integers(1 << 62)))
        table.may_resign = self.options.resign > 0 and self._chance.random() >= self.options.resign_check
        self._search(tree, table)
        return table

    def _opening(self) -> Position:
        """The start, or a random position that is not over, a few turns away from it."""
        while True:
            position = self.game.start()
            if self._chance.random() < self.options.opening_share:
                turns = self._chance.integers(1, self.options.opening_turns + 1)
                while turns and not position.is_over:
                    legal = position.legal_actions()
                    after = position.play_action(legal[self._chance.integers(len(legal))])
                    turns -= after.to_move != position.to_move
                    position = after
            position = self._pass_forced(position)
            if not position.is_over:
                return position

    def _pass_forced(self, position: Position) -> Position:
        """Go on while there is only one sensible move."""
        while not position.is_over:
            actions = position.reduced_actions() if self._reduced else None
            if actions is None:
                actions = position.legal_actions()
            if len(actions) > 1:
                return position
            position = position.play_action(actions[0])
        return position

    def _search(self, tree: int, table: _Table) -> None:
        """Let a tree search the position of its game from the beginning."""
        simulations, table.is_full = self._cap.draw(self._chance)
        self.forest.plant(tree, table.position)
        self.forest.grant(tree, simulations)

    def _move(self, tree: int) -> None:
        """Play the move that the search of a tree found, and go on, or end the game."""
        table, forest = self._tables[tree], self.forest
        root = forest.root(tree)
        self.tally.moves += 1
        self.tally.simulations += root.simulations
        index = self._choose(tree, root, table)
        if table.is_full and self._is_worth_learning(root):
            table.searched.append(self._searched(tree, root, table.position.ply))
        if self._resigns(table, root):
            self._end(tree, table, _won_by(1 - root.player), finished=False)
            return
        table.position = self._pass_forced(table.position.play_action(int(root.actions[index])))
        if table.position.is_over:
            self._end(tree, table, table.position.outcome, finished=True)
        else:
            self._search(tree, table)

    def _is_worth_learning(self, root: Root) -> bool:
        """Positions whose result the search has proven are plenty; only some of them are learned from."""
        return root.low != root.high or self._chance.random() < self.options.proven_share

    def _choose(self, tree: int, root: Root, table: _Table) -> int:
        """The index of the move to play: Gumbel's, which has chance in it already, or one drawn by visits."""
        if self.options.method == "gumbel":
            return best_index(self.forest, tree, root, None)
        temperature = self._temperature.at(table.position.ply)
        return choose(root, how="sample", temperature=temperature, chance=self._chance)

    def _searched(self, tree: int, root: Root, ply: int) -> Searched:
        """What is learned from this search."""
        if self.options.method == "gumbel":
            shares = self.forest.improved_policy(tree)
        else:
            shares = policy_target(root, c=self.options.c, forced=self.options.forced).astype(np.float32)
        kept = shares > 1e-4
        shares = shares[kept] / shares[kept].sum()
        value = float(np.clip(self._value(tree, root), -1, 1))
        return Searched(ply, root.actions[kept].astype(np.int32), shares, value, root.simulations)

    def _value(self, tree: int, root: Root) -> float:
        """What the position is worth by this search: proven, or expected if the improved policy is played."""
        if root.low == root.high:
            return float(root.exact[root.decided].max())
        if self.options.method == "gumbel":
            return self.forest.improved_value(tree)
        return root.value

    def _resigns(self, table: _Table, root: Root) -> bool:
        """Whether the mover gives up; in games that check the rule, only note that they would have."""
        if self.options.resign <= 0:
            return False
        player = root.player
        table.low_values[player] = table.low_values[player] + 1 if root.value < -self.options.resign else 0
        if table.low_values[player] < 2:
            return False
        if not table.may_resign and table.would_have_lost < 0:
            table.would_have_lost = player
        return table.may_resign

    def _end(self, tree: int, table: _Table, outcome: Outcome, *, finished: bool) -> None:
        """Hand over a finished game and begin another."""
        result = {Outcome.FIRST: 1.0, Outcome.SECOND: -1.0}.get(outcome, 0.0)
        if table.would_have_lost >= 0:
            self.tally.resign_checked += 1
            self.tally.resign_wrong += result != (-1.0 if table.would_have_lost == 0 else 1.0)
        self.tally.games += 1
        if table.searched:
            self.hand_over(
                Episode(
                    game=self.game.name,
                    actions=np.array(table.position.actions, np.int32),
                    result=result,
                    margin=table.position.margin if finished else None,
                    searched=tuple(table.searched),
                    finished=finished,
                    net=self.net,
                    seed=table.seed,
                    held_back=bool(self._chance.random() < self.options.held_back),
                )
            )
        self._tables[tree] = self._new_game(tree)


def _won_by(player: int) -> Outcome:
    return Outcome.FIRST if player == 0 else Outcome.SECOND
