"""Many searches side by side on one thread, with one evaluator: the engine of self-play, play and analysis alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position
from pocketzero.games.table import ONGOING
from pocketzero.games.worth import worth
from pocketzero.search.batch import (
    DEPTH,
    TREE,
    WAITS,
    abandon,
    list_done,
    make_slots,
    prepare_root,
    see_ends,
    turn,
    wants_more,
    wins_at_once,
)
from pocketzero.search.gumbel import Schedule, best_by_gumbel, completed_values, improved_policy, schedule
from pocketzero.search.proven import distances, expected_line, renew_root, steps_after
from pocketzero.search.rollout import roll_out
from pocketzero.search.settings import LARGEST_MARGIN, MARGIN_WEIGHT, PUCT_RULE, UCB1_RULE, Settings
from pocketzero.search.tree import (
    ACTION,
    BUDGET,
    CHILD,
    DONE,
    EDGE_HIGH,
    EDGE_LOW,
    EXPANDED,
    FIRST,
    FULL,
    HIGH,
    LOW,
    MOVES,
    NODES,
    PLAN,
    PLAYER,
    PRIOR,
    RAW,
    SEED,
    TRIES,
    UNKNOWN,
    VISITS,
    WAITING,
    WORTH,
    Trees,
    clear,
    make_trees,
    places_for,
    rebase,
)

RESERVED = 2 << 30  # bytes of address space for a forest that is not told its size; what is not touched costs nothing
LONGEST_PLAN = 4096  # simulations of one Gumbel search
BYTES_PER_EDGE = 36
EDGES_PER_NODE = 1024


class Evaluator(Protocol):
    """Whatever can say how good positions are."""

    def evaluate(self, planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """For a batch of planes: a logit for each action, and the value for the player to move, from -1 to 1."""


class Uniform:
    """Knows nothing: every move is as good as another, and every position is level."""

    def __init__(self, game: Game) -> None:
        self.actions = game.action_count

    def evaluate(self, planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Zeros."""
        return np.zeros((len(planes), self.actions), np.float32), np.zeros(len(planes), np.float32)


class Rollouts:
    """Stands for random games at the leaves, which are played inside the kernel instead of by an evaluator."""


@dataclass(frozen=True)
class Root:
    """What a tree knows about the moves of its root; arrays go by move."""

    player: int
    actions: NDArray[np.int32]
    priors: NDArray[np.float32]
    visits: NDArray[np.int32]
    totals: NDArray[np.float64]  # sums of values from the mover's side
    lows: NDArray[np.int32]  # bounds of the result from player 0's side
    highs: NDArray[np.int32]
    children: NDArray[np.int32]
    low: int
    high: int
    value: float  # from the mover's side
    raw: float  # the evaluator's own opinion, from the mover's side
    simulations: int
    nodes: int
    margin_weight: float = 0.0  # how much the margin counts in values,
    largest_margin: float = 0.0  # and the largest there is

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The mean value of each move for the mover, exact where it is proven; not a number where it was not tried."""
        with np.errstate(invalid="ignore", divide="ignore"):
            means = self.totals / self.visits
        return np.where(self.decided, self.exact, means)

    @cached_property
    def decided(self) -> NDArray[np.bool_]:
        """Which moves have an exact value: a proven winner, and a proven margin if that counts."""
        return self.lows == self.highs if self.margin_weight else self.settled

    @cached_property
    def exact(self) -> NDArray[np.float64]:
        """The value for the mover of the moves that are decided."""
        if not self.margin_weight:
            return self.results.astype(np.float64)
        margins = worth(self.lows if self.player == 0 else -self.highs, self.largest_margin)
        return (1 - self.margin_weight) * self.results + self.margin_weight * margins

    @cached_property
    def hopeless(self) -> NDArray[np.bool_]:
        """Moves that are proven losses or, if the margin counts, proven to be worse than another."""
        if not self.margin_weight:
            return self.settled & (self.results < 0)
        return self.highs < self.low if self.player == 0 else self.lows > self.high

    @cached_property
    def settled(self) -> NDArray[np.bool_]:
        """Which moves have a proven result."""
        return (self.lows > 0) | (self.highs < 0) | (self.lows == self.highs)

    @cached_property
    def results(self) -> NDArray[np.int64]:
        """The proven results for the mover: 1, 0 or -1; 0 where nothing is proven."""
        first = (self.lows > 0).astype(np.int64) - (self.highs < 0)
        return first if self.player == 0 else -first


class Forest:
    """So many trees of one game, each with one or several leaves in every batch."""

    def __init__(
        self,
        game: Game,
        settings: Settings,
        *,
        trees: int = 1,
        leaves: int = 1,
        nodes: int = 0,
        rollouts: bool = False,
        seed: int = 0,
    ) -> None:
        self.game = game
        self.settings = settings
        self.evaluations = 0
        self.leaves = leaves
        self._budgets: tuple[int, ...] = ()
        uses_table = settings.transposed and not game.planes.reads_history and not rollouts
        rule, bound = (UCB1_RULE if rollouts else PUCT_RULE), (UNKNOWN if game.has_margin else 1)
        largest = game.largest_margin if game.has_margin else 0
        self.numbers = settings.numbers(rule=rule, transposed=uses_table, bound=bound, largest_margin=largest)
        nodes = min(nodes or RESERVED // (bytes_per_node(game) * trees), settings.max_nodes)
        sizes = {"state_size": game.state_size, "action_count": game.action_count}
        self.trees: Trees = make_trees(
            trees, nodes, edges_for(game, nodes), places=places_for(nodes) if uses_table else 1, **sizes
        )
        slots = [tree for tree in range(trees) for _ in range(leaves)]
        self.slots = make_slots(slots, max_length=game.max_length, **sizes)
        views = len(game.symmetries) if settings.symmetry == "all" else 1
        self.planes = np.zeros((len(slots) * views, int(np.prod(game.planes.shape))), np.float32)
        self._logits = np.zeros((1, game.action_count), np.float32)
        self._values = np.zeros(1, np.float32)
        self._permutations = game.symmetries.copy()
        self._plan: Schedule = np.zeros((1, 1), np.int32)
        for tree, start in enumerate(np.random.default_rng(seed).integers(1 << 62, size=trees)):
            clear(self.trees, tree, start)

    def plant(self, tree: int, position: Position, *, only: Iterable[int] | None = None) -> None:
        """Begin a tree anew with this position at its root; ``only`` these root actions will be searched."""
        if position.is_over:
            raise PocketZeroError("There is nothing to search: the game is over.")
        abandon(self.trees, self.slots, tree, self.numbers)
        clear(self.trees, tree, self.trees.info[tree, SEED])
        self.trees.roots[tree] = position.state
        self.slots.allowed[tree] = -1
        if only is not None:
            chosen, legal = sorted(set(only)), position.legal_actions()
            wrong = [action for action in chosen if action not in legal]
            if wrong or not chosen:
                raise PocketZeroError(
                    f"These moves cannot be searched, they are not legal here: {wrong or 'none given'}."
                )
            self.slots.allowed[tree] = 0
            self.slots.allowed[tree, chosen] = 1

    def advance(self, tree: int, action: int) -> None:
        """Go to the position after an action and keep what is known of it (by Gumbel search: nothing)."""
        abandon(self.trees, self.slots, tree, self.numbers)
        root = self.root(tree) if self.trees.info[tree, EXPANDED] else None
        self.game.rules.play(self.game.geometry, self.trees.roots[tree], action)
        self.slots.allowed[tree] = -1
        known = root.children[root.actions == action] if root is not None else np.empty(0, np.int32)
        if len(known) and known[0] >= 0 and not self.settings.gumbel:
            rebase(self.trees, tree, known[0])
            renew_root(self.trees, tree, self.numbers)
            prepare_root(self.trees, tree, self.numbers)
            see_ends(self.game.table, self.game.geometry, self.trees, tree, self.numbers)
        else:
            clear(self.trees, tree, self.trees.info[tree, SEED])

    def grant(self, tree: int, simulations: int) -> None:
        """Let a tree have so many more simulations."""
        if self.settings.gumbel:
            self._plan_halving(tree, simulations)
        self.trees.info[tree, DONE] = 0
        self.trees.info[tree, BUDGET] = simulations

    def _plan_halving(self, tree: int, simulations: int) -> None:
        """Gumbel search plans all its simulations in advance and begins with a fresh tree."""
        if simulations > LONGEST_PLAN:
            raise PocketZeroError(f"Gumbel search needs a number of simulations, at most {LONGEST_PLAN}.")
        if self.trees.info[tree, EXPANDED]:
            abandon(self.trees, self.slots, tree, self.numbers)
            clear(self.trees, tree, self.trees.info[tree, SEED])
        if simulations not in self._budgets:
            self._budgets += (simulations,)
            self._plan = schedule(self._budgets, self.settings.gumbel)
        self.trees.info[tree, PLAN] = self._budgets.index(simulations)

    def step(self, evaluator: Evaluator) -> int:
        """One batch: take in the last evaluations, find the next leaves, evaluate them; gives how many there were."""
        game = self.game
        rows = turn(
            game.table,
            game.geometry,
            self.trees,
            self.slots,
            self.numbers,
            self._plan,
            self._permutations,
            self._logits,
            self._values,
            self.planes,
        )
        if rows:
            self._evaluate(evaluator, rows)
        return int(rows)

    def _evaluate(self, evaluator: Evaluator, rows: int) -> None:
        """Ask the evaluator; if it fails, the leaves are dropped and the trees stay whole."""
        try:
            logits, values = evaluator.evaluate(self.planes[:rows].reshape(rows, *self.game.planes.shape))
            self._logits = np.ascontiguousarray(logits, np.float32)
            self._values = np.ascontiguousarray(values, np.float32)
            wanted = (self.game.action_count,)
            if self._logits.shape[1:] != wanted or min(len(self._logits), len(self._values)) < rows:
                raise PocketZeroError(
                    f"The evaluator gave logits {self._logits.shape} and values {self._values.shape} "
                    f"for {rows} positions with {wanted[0]} actions."
                )
        except BaseException:
            self.abandon()
            raise
        self.evaluations += rows

    def roll_out(self, tree: int, simulations: int) -> int:
        """So many simulations with random games at the leaves; gives how many were possible."""
        game = self.game
        done = roll_out(game.table, game.geometry, self.trees, self.slots, tree, self.numbers, self._plan, simulations)
        return int(done)

    def abandon(self) -> None:
        """Drop the leaves that wait for an evaluation."""
        abandon(self.trees, self.slots, -1, self.numbers)

    def done(self, tree: int) -> bool:
        """Whether a tree has had its simulations, is settled, or is full."""
        return not wants_more(self.trees, tree, self.numbers) and self.trees.info[tree, WAITING] == 0

    def all_done(self) -> list[int]:
        """The trees that are done."""
        out = np.empty(len(self.trees.info), np.int32)
        return out[: list_done(self.trees, self.numbers, out)].tolist()

    def is_full(self, tree: int) -> bool:
        """Whether a tree stopped because it has as many nodes as it may have."""
        return bool(self.trees.info[tree, FULL])

    def root(self, tree: int) -> Root:
        """What is known about the root's moves now."""
        trees = self.trees
        if not trees.info[tree, EXPANDED]:
            raise PocketZeroError("This tree has not been searched yet.")
        node = trees.nodes[tree, 0]
        edges = slice(node[FIRST], node[FIRST] + node[MOVES])
        ints = trees.ints[tree, :, edges].copy()
        player = int(node[PLAYER])
        sign = 1 if player == 0 else -1
        totals, lost = sign * trees.totals[tree, edges], self._waiting_moves(tree)
        if lost:  # leaves that wait are no results yet
            np.subtract.at(ints[TRIES], lost, 1)
            np.add.at(totals, lost, self.settings.virtual_loss)
        worth = sign * float(trees.worths[tree, 0, WORTH]) + self.settings.virtual_loss * len(lost)
        return Root(
            player=player,
            actions=ints[ACTION],
            priors=trees.floats[tree, PRIOR, edges].copy(),
            visits=ints[TRIES],
            totals=totals,
            lows=ints[EDGE_LOW],
            highs=ints[EDGE_HIGH],
            children=ints[CHILD],
            low=int(node[LOW]),
            high=int(node[HIGH]),
            value=worth / max(1, int(node[VISITS]) - len(lost)),
            raw=sign * float(trees.worths[tree, 0, RAW]),
            simulations=int(trees.info[tree, DONE]),
            nodes=int(trees.info[tree, NODES]),
            margin_weight=float(self.numbers[MARGIN_WEIGHT]),
            largest_margin=float(self.numbers[LARGEST_MARGIN]),
        )

    def _waiting_moves(self, tree: int) -> list[int]:
        """The root moves, by index, of the walks whose leaves wait for an evaluation."""
        if self.trees.info[tree, WAITING] == 0:
            return []
        info = self.slots.info
        waiting = np.flatnonzero((info[:, TREE] == tree) & (info[:, WAITS] > 0) & (info[:, DEPTH] > 0))
        return [int(self.slots.paths[slot, 1, 0] - self.trees.nodes[tree, 0, FIRST]) for slot in waiting]

    def distances(self, tree: int) -> NDArray[np.int32]:
        """For each root move with a proven result, after how many moves the game ends; -1 where that is not known."""
        out = np.empty(int(self.trees.info[tree, NODES]), np.int32)
        distances(self.trees, tree, out)
        root = self.root(tree)
        ends = np.array([steps_after(self.trees.nodes[tree], out, child) for child in root.children])
        ends[self._lost_at_once(tree, root)] = 2
        return np.where(root.settled & (ends < UNKNOWN), ends, -1).astype(np.int32)

    def _lost_at_once(self, tree: int, root: Root) -> list[int]:
        """Of a lost root, the moves that the opponent can answer by winning; a proof need not have found that."""
        game, found = self.game, []
        if not (root.settled & (root.results < 0)).all():
            return []
        for index, action in enumerate(root.actions):
            state = self.trees.roots[tree].copy()
            game.rules.play(game.geometry, state, action)
            over = game.rules.outcome(game.geometry, state) != ONGOING
            if over or game.rules.to_move(state) == root.player:
                continue
            if wins_at_once(game.table, game.geometry, state, game.action_count):
                found.append(index)
        return found

    def line(self, tree: int, index: int, length: int = 30) -> list[int]:
        """The line that the search expects after a root move, beginning with it."""
        out = np.empty(length, np.int32)
        edge = int(self.trees.nodes[tree, 0, FIRST]) + index
        return out[: expected_line(self.trees, tree, edge, out)].tolist()

    def improved_policy(self, tree: int) -> NDArray[np.float32]:
        """Gumbel's improved policy over the root's moves."""
        out = np.empty(int(self.trees.nodes[tree, 0, MOVES]), np.float32)
        improved_policy(self.trees, tree, self.numbers, out)
        return out

    def improved_value(self, tree: int) -> float:
        """What the root is worth for its mover if the improved policy is played, from -1 to 1."""
        values = np.empty(int(self.trees.nodes[tree, 0, MOVES]), np.float32)
        completed_values(self.trees, tree, self.numbers, values)
        return float(2 * (values * self.improved_policy(tree)).sum() - 1)

    def gumbel_choice(self, tree: int) -> int:
        """The index of the root move that Gumbel search plays: of the most visited, the best by its score; or -1."""
        node = self.trees.nodes[tree, 0]
        most = int(self.trees.ints[tree, TRIES, node[FIRST] : node[FIRST] + node[MOVES]].max())
        edge = int(best_by_gumbel(self.trees, tree, self.numbers, most))
        return edge - int(node[FIRST]) if edge >= 0 else -1


def bytes_per_node(game: Game) -> int:
    """What a node takes with all its edges, at most."""
    return min(EDGES_PER_NODE, game.action_count) * BYTES_PER_EDGE


def edges_for(game: Game, nodes: int) -> int:
    """Room for the edges of so many nodes, to begin with."""
    return nodes * min(EDGES_PER_NODE, game.action_count) + 16 * game.action_count
