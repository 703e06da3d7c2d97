"""Choosing a move to look at: PUCT as in the papers, UCB1, and what is special about the root."""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

from pocketzero.bits import mix
from pocketzero.compiled import kernel
from pocketzero.games.table import INT
from pocketzero.search.settings import (
    C_BASE,
    C_PUCT,
    EXACT_MARGIN,
    FORCED,
    FPU,
    NOISE,
    NOISE_ALPHA,
    NUMBERS,
    Numbers,
)
from pocketzero.search.tree import SEED, TREES, Trees, is_settled, settled_value

FLOAT = types.float64
Words = NDArray[np.int64]
WORDS = types.int64[::1]


@kernel(FLOAT(NUMBERS, INT))
def exploration(numbers: Numbers, visits: int) -> float:
    """The constant c, which grows with the visits if it is asked to (AlphaZero)."""
    if numbers[C_BASE] > 0:
        return numbers[C_PUCT] + np.log((1 + visits + numbers[C_BASE]) / numbers[C_BASE])
    return numbers[C_PUCT]


@kernel(FLOAT(TREES, INT, INT, FLOAT, NUMBERS))
def first_play_value(trees: Trees, tree: int, node: int, sign: float, numbers: Numbers) -> float:
    """What a move that was never tried is worth to the player: a little less than the position itself."""
    first, count = trees.first[tree, node], trees.moves[tree, node]
    prior, tries = trees.prior[tree], trees.tries[tree]
    mass = 0.0
    for edge in range(first, first + count):
        if tries[edge] > 0:
            mass += prior[edge]
    return sign * trees.worth[tree, node] / max(trees.visits[tree, node], 1) - numbers[FPU] * np.sqrt(mass)


@kernel(types.boolean(TREES, INT, INT, INT, NUMBERS))
def is_pointless(trees: Trees, tree: int, node: int, edge: int, numbers: Numbers) -> bool:
    """Whether a settled edge need not be tried: it loses or, when the margin is wanted, cannot improve on another."""
    low, high = trees.edge_low[tree, edge], trees.edge_high[tree, edge]
    is_first = trees.player[tree, node] == 0
    if numbers[EXACT_MARGIN] == 0:
        return high < 0 if is_first else low > 0
    return low == high or (high <= trees.low[tree, node] if is_first else low >= trees.high[tree, node])


@kernel(INT(TREES, INT, INT, NUMBERS))
def select_puct(trees: Trees, tree: int, node: int, numbers: Numbers) -> int:
    """The edge with the highest U = s·Q + c·P·sqrt(N_parent) / (1 + N), s being the side of the player who moves.

    A settled edge has its exact value; one that is lost is never chosen while another is left.
    """
    first, count = trees.first[tree, node], trees.moves[tree, node]
    prior, tries, total = trees.prior[tree], trees.tries[tree], trees.total[tree]
    lows, highs = trees.edge_low[tree], trees.edge_high[tree]
    sign = 1.0 if trees.player[tree, node] == 0 else -1.0
    visits = trees.visits[tree, node]
    explore = exploration(numbers, visits) * np.sqrt(float(visits))
    unseen = first_play_value(trees, tree, node, sign, numbers)
    best, choice = -np.inf, first
    for edge in range(first, first + count):
        n = tries[edge]
        value = sign * total[edge] / n if n > 0 else unseen
        if is_settled(lows[edge], highs[edge]):
            if is_pointless(trees, tree, node, edge, numbers):
                continue
            value = sign * settled_value(lows[edge], highs[edge])
        score = value + explore * prior[edge] / (1 + n)
        if score > best:
            best, choice = score, edge
    return choice


@kernel(INT(TREES, INT, INT, NUMBERS))
def select_ucb1(trees: Trees, tree: int, node: int, numbers: Numbers) -> int:
    """The edge with the highest s·Q + c·sqrt(ln N_parent / N); moves that were never tried come first, by chance."""
    first, count = trees.first[tree, node], trees.moves[tree, node]
    tries, total = trees.tries[tree], trees.total[tree]
    lows, highs = trees.edge_low[tree], trees.edge_high[tree]
    sign = 1.0 if trees.player[tree, node] == 0 else -1.0
    logarithm = np.log(float(max(trees.visits[tree, node], 1)))
    shift = first + ((mix(trees.info[tree, SEED] + trees.visits[tree, node]) & 0x7FFFFFFF) % count)
    best, choice = -np.inf, first
    for index in range(count):
        edge = shift + index
        if edge >= first + count:
            edge -= count
        if is_settled(lows[edge], highs[edge]):
            if is_pointless(trees, tree, node, edge, numbers):
                continue
            value = sign * settled_value(lows[edge], highs[edge])
            score = value + numbers[C_PUCT] * np.sqrt(logarithm / max(tries[edge], 1))
        elif tries[edge] == 0:
            return edge
        else:
            score = sign * total[edge] / tries[edge] + numbers[C_PUCT] * np.sqrt(logarithm / tries[edge])
        if score > best:
            best, choice = score, edge
    return choice


@kernel(INT(TREES, INT, NUMBERS))
def forced_edge(trees: Trees, tree: int, numbers: Numbers) -> int:
    """A root move that has had fewer tries than sqrt(k·P·N) although it was tried (KataGo), or -1."""
    for edge in range(trees.first[tree, 0], trees.first[tree, 0] + trees.moves[tree, 0]):
        n = trees.tries[tree, edge]
        wanted = np.sqrt(numbers[FORCED] * trees.prior[tree, edge] * trees.visits[tree, 0])
        if 0 < n < wanted and not is_settled(trees.edge_low[tree, edge], trees.edge_high[tree, edge]):
            return edge
    return -1


@kernel(FLOAT(WORDS))
def uniform(generator: Words) -> float:
    """A random number above 0 and at most 1 (SplitMix64)."""
    generator[0] += np.int64(-7046029254386353131)
    return (np.float64(np.uint64(mix(generator[0])) >> np.uint64(11)) + 1.0) / 9007199254740992.0


@kernel(FLOAT(WORDS, FLOAT))
def gamma_sample(generator: Words, alpha: float) -> float:
    """A sample of the gamma distribution (Marsaglia and Tsang 2000; for alpha below 1 with their boost)."""
    boost = 1.0
    if alpha < 1:
        boost = uniform(generator) ** (1 / alpha)
        alpha += 1
    d = alpha - 1 / 3
    c = 1 / np.sqrt(9 * d)
    while True:
        normal = np.sqrt(-2 * np.log(uniform(generator))) * np.cos(2 * np.pi * uniform(generator))
        v = (1 + c * normal) ** 3
        if v > 0 and np.log(uniform(generator)) < 0.5 * normal * normal + d - d * v + d * np.log(v):
            return boost * d * v


@kernel(types.void(TREES, INT, NUMBERS))
def add_noise(trees: Trees, tree: int, numbers: Numbers) -> None:
    """Mix Dirichlet noise into the root's priors, alpha inversely proportional to the number of moves."""
    first, count = trees.first[tree, 0], trees.moves[tree, 0]
    if numbers[NOISE] <= 0 or count < 2:
        return
    generator = trees.info[tree, SEED : SEED + 1]
    samples = np.empty(count)
    for index in range(count):
        samples[index] = gamma_sample(generator, numbers[NOISE_ALPHA] / count)
    whole = max(samples.sum(), 1e-300)
    for index in range(count):
        mixed = (1 - numbers[NOISE]) * trees.prior[tree, first + index] + numbers[NOISE] * samples[index] / whole
        trees.prior[tree, first + index] = mixed
