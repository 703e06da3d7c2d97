"""Gumbel search at the root (Danihelka, Guez, Schrittwieser and Silver 2022), for few simulations.

The root samples moves without replacement with Gumbel noise, halves their number while it shares out the simulations
(sequential halving), and improves the policy by completed Q-values. Below the root PUCT goes on as always.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numba import types
from numpy.typing import NDArray

from pocketzero.compiled import kernel
from pocketzero.games.table import INT
from pocketzero.search.puct import FLOAT, uniform
from pocketzero.search.settings import GUMBEL_MOVES, GUMBEL_SCALE, NUMBERS, Numbers
from pocketzero.search.tree import (
    EDGE_HIGH,
    EDGE_LOW,
    FIRST,
    MEAN,
    MOVES,
    PLAN,
    PLAYER,
    PRIOR,
    RAW,
    SEED,
    TREES,
    TRIES,
    Trees,
    is_decided,
    settled_value,
)

C_VISIT = 50  # of the paper
Schedule = NDArray[np.int32]
SCHEDULE = types.int32[:, ::1]
FLOATS = types.float32[::1]
Floats = NDArray[np.float32]


def halving(moves: int, simulations: int) -> list[int]:
    """How often the move to be looked at next has been tried before, for each simulation in turn."""
    if moves <= 1:
        return list(range(simulations))
    rounds = int(np.ceil(np.log2(moves)))
    tried = [0] * moves
    sequence: list[int] = []
    considered = moves
    while len(sequence) < simulations:
        for _ in range(max(1, int(simulations / (rounds * considered)))):
            sequence += tried[:considered]
            for index in range(considered):
                tried[index] += 1
        considered = max(2, considered // 2)
    return sequence[:simulations]


@cache
def schedule(budgets: tuple[int, ...], most_moves: int) -> Schedule:
    """For each number of simulations, row m: the sequence of sequential halving with m moves; -1 after its end."""
    table = np.full((len(budgets) * (most_moves + 1), max(budgets)), -1, np.int32)
    for number, simulations in enumerate(budgets):
        for moves in range(most_moves + 1):
            table[number * (most_moves + 1) + moves, :simulations] = halving(moves, simulations)
    return table


@kernel(types.void(TREES, INT))
def draw_gumbel(trees: Trees, tree: int) -> None:
    """Fresh Gumbel noise for the moves of the root."""
    generator = trees.info[tree, SEED : SEED + 1]
    for index in range(trees.nodes[tree, 0, MOVES]):
        trees.gumbel[tree, index] = -np.log(-np.log(uniform(generator) * 0.999999999))


@kernel(types.void(TREES, INT, NUMBERS, FLOATS))
def completed_values(trees: Trees, tree: int, numbers: Numbers, out: Floats) -> None:
    """The value of every root move for its player, from 0 to 1; a move without tries has the mixed value."""
    first, count = trees.nodes[tree, 0, FIRST], trees.nodes[tree, 0, MOVES]
    ints, floats = trees.ints[tree], trees.floats[tree]
    sign = 1.0 - 2.0 * trees.nodes[tree, 0, PLAYER]
    mass = 0.0
    weighted = 0.0
    visits = 0
    for index in range(count):
        edge = first + index
        out[index] = np.nan
        low, high = ints[EDGE_LOW, edge], ints[EDGE_HIGH, edge]
        decided = is_decided(low, high, numbers)
        if ints[TRIES, edge] > 0 or decided:
            value = settled_value(low, high, numbers) if decided else floats[MEAN, edge]
            out[index] = (sign * value + 1) / 2
            mass += floats[PRIOR, edge]
            weighted += floats[PRIOR, edge] * out[index]
            visits += ints[TRIES, edge]
    mixed = (sign * trees.worths[tree, 0, RAW] + 1) / 2
    if visits > 0 and mass > 0:
        mixed = (mixed + visits * weighted / mass) / (1 + visits)
    for index in range(count):
        if np.isnan(out[index]):
            out[index] = mixed


@kernel(FLOAT(TREES, INT, NUMBERS))
def value_weight(trees: Trees, tree: int, numbers: Numbers) -> float:
    """The factor of the paper's monotone function sigma: (c_visit + most visits) x c_scale."""
    first, count = trees.nodes[tree, 0, FIRST], trees.nodes[tree, 0, MOVES]
    most = 0
    for edge in range(first, first + count):
        most = max(most, trees.ints[tree, TRIES, edge])
    return (C_VISIT + most) * numbers[GUMBEL_SCALE]


@kernel(types.void(TREES, INT, NUMBERS, FLOATS))
def improved_policy(trees: Trees, tree: int, numbers: Numbers, out: Floats) -> None:
    """softmax(logits + sigma(completed Q)) over the root's moves: the training target."""
    first, count = trees.nodes[tree, 0, FIRST], trees.nodes[tree, 0, MOVES]
    completed_values(trees, tree, numbers, out)
    weight = value_weight(trees, tree, numbers)
    most = -np.inf
    for index in range(count):
        out[index] = np.log(max(trees.floats[tree, PRIOR, first + index], 1e-30)) + weight * out[index]
        most = max(most, out[index])
    whole = 0.0
    for index in range(count):
        out[index] = np.exp(out[index] - most)
        whole += out[index]
    for index in range(count):
        out[index] /= whole


@kernel(INT(TREES, INT, NUMBERS, INT))
def best_by_gumbel(trees: Trees, tree: int, numbers: Numbers, tried: int) -> int:
    """The root edge with so many tries that does not lose, with the highest noise + logit + sigma(Q); -1 for none."""
    first, count = trees.nodes[tree, 0, FIRST], trees.nodes[tree, 0, MOVES]
    values = np.empty(count, np.float32)
    completed_values(trees, tree, numbers, values)
    weight = value_weight(trees, tree, numbers)
    best, choice = -np.inf, -1
    for index in range(count):
        edge = first + index
        is_lost = abs(trees.floats[tree, MEAN, edge]) > 1
        if trees.ints[tree, TRIES, edge] != tried or is_lost:
            continue
        logit = np.log(max(trees.floats[tree, PRIOR, edge], 1e-30))
        score = trees.gumbel[tree, index] + logit + weight * values[index]
        if score > best:
            best, choice = score, edge
    return choice


@kernel(INT(TREES, INT, NUMBERS, INT, SCHEDULE))
def select_gumbel(trees: Trees, tree: int, numbers: Numbers, simulation: int, plan: Schedule) -> int:
    """The root edge that sequential halving looks at next; -1 after the plan's end, or if none is left."""
    most = int(numbers[GUMBEL_MOVES])
    row = trees.info[tree, PLAN] * (most + 1) + min(most, trees.nodes[tree, 0, MOVES])
    if simulation >= plan.shape[1] or plan[row, simulation] < 0:
        return -1
    return best_by_gumbel(trees, tree, numbers, plan[row, simulation])
