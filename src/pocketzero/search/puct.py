"""Choosing a move to look at: PUCT as in the papers, UCB1, and what is special about the root."""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

from pocketzero.bits import mix, random_below
from pocketzero.compiled import kernel
from pocketzero.games.table import INT
from pocketzero.search.settings import (
    BOUND,
    C_BASE,
    C_PUCT,
    FORCED,
    FPU,
    NOISE,
    NOISE_ALPHA,
    NUMBERS,
    Numbers,
)
from pocketzero.search.tree import (
    EDGE_HIGH,
    EDGE_LOW,
    FIRST,
    FLOAT_GRID,
    GRID,
    HIGH,
    LOW,
    MEAN,
    MOVES,
    PLAYER,
    PRIOR,
    SEED,
    TREES,
    TRIES,
    UNTRIED,
    VISITS,
    WORTH,
    WORTHS,
    FloatGrid,
    Grid,
    Trees,
    Worths,
    is_decided,
    is_settled,
    settled_value,
)

FLOAT = types.float64
Words = NDArray[np.int64]
WORDS = types.int64[::1]
SCORES = types.float32[::1]
Scores = NDArray[np.float32]
FIRST_OF_ALL = np.float32(1e6)  # more than any score
LAST_OF_ALL = np.float32(-1e30)  # less than any


@kernel(FLOAT(NUMBERS, INT))
def exploration(numbers: Numbers, visits: int) -> float:
    """The constant c, which grows with the visits if it is asked to (AlphaZero)."""
    if numbers[C_BASE] > 0:
        return numbers[C_PUCT] + np.log((1 + visits + numbers[C_BASE]) / numbers[C_BASE])
    return numbers[C_PUCT]


@kernel(INT(SCORES, INT), fastmath=True, inline=True)
def best_score(scores: Scores, count: int) -> int:
    """The index of the highest score, the first of several."""
    best = scores[0]
    for index in range(count):
        best = max(best, scores[index])
    for index in range(count):
        if scores[index] >= best:
            return index
    return 0


@kernel(types.void(GRID, WORTHS, GRID, FLOAT_GRID, INT, NUMBERS, SCORES), fastmath=True, inline=True)
def score_puct(
    nodes: Grid, worths: Worths, ints: Grid, floats: FloatGrid, node: int, numbers: Numbers, scores: Scores
) -> None:
    """U = s·Q + c·P·sqrt(N_parent) / (1 + N) of every move, s being the side of the player who moves.

    A move that was never tried is worth the position's own value less a little (first-play value). At the root, a move
    that was tried less than sqrt(k·P·N) times comes first, if such playouts are to be forced (KataGo).
    """
    first = nodes[node, FIRST]
    last = first + nodes[node, MOVES]
    prior, mean, tries = floats[PRIOR, first:last], floats[MEAN, first:last], ints[TRIES, first:last]
    sign = np.float32(1 - 2 * nodes[node, PLAYER])
    visits = max(nodes[node, VISITS], 1)
    explore = np.float32(exploration(numbers, visits) * np.sqrt(float(visits)))
    mass = np.float32(0)
    for index in range(len(prior)):
        mass += prior[index] if tries[index] > 0 else np.float32(0)
    unseen = np.float32(worths[node, WORTH] / visits - sign * numbers[FPU] * np.sqrt(mass))
    forced = np.float32(numbers[FORCED] * visits) if node == 0 else np.float32(0)
    for index in range(len(prior)):
        n = np.float32(tries[index])
        value = sign * mean[index] if n > 0 else sign * unseen
        behind = n > 0 and n * n < forced * prior[index]
        scores[index] = value + explore * prior[index] / (1 + n) + (FIRST_OF_ALL if behind else np.float32(0))


@kernel(types.void(GRID, GRID, INT, INT, SCORES))
def leave_out(nodes: Grid, ints: Grid, node: int, spare: int, scores: Scores) -> None:
    """Leave out moves that are proven to give at best ``spare`` points less than what the player has for sure."""
    first = nodes[node, FIRST]
    last = first + nodes[node, MOVES]
    if nodes[node, PLAYER] == 0:
        highs, most = ints[EDGE_HIGH, first:last], nodes[node, LOW] - spare
        for index in range(len(highs)):
            scores[index] = LAST_OF_ALL if highs[index] <= most else scores[index]
    else:
        lows, least = ints[EDGE_LOW, first:last], nodes[node, HIGH] + spare
        for index in range(len(lows)):
            scores[index] = LAST_OF_ALL if lows[index] >= least else scores[index]


@kernel(INT(GRID, WORTHS, GRID, FLOAT_GRID, INT, NUMBERS, SCORES), inline=True)
def select_puct(
    nodes: Grid, worths: Worths, ints: Grid, floats: FloatGrid, node: int, numbers: Numbers, scores: Scores
) -> int:
    """The edge with the highest PUCT score.

    Where something is proven, moves that are proven worse are left out. Below the root those that are proven not to be
    better are too: looking again at what is known would teach nothing, and it keeps its value all the same, since what
    goes up is never less than what is proven.
    """
    score_puct(nodes, worths, ints, floats, node, numbers, scores)
    bound = int(numbers[BOUND])
    if nodes[node, LOW] > -bound or nodes[node, HIGH] < bound:
        leave_out(nodes, ints, node, int(node == 0), scores)
    return nodes[node, FIRST] + best_score(scores, nodes[node, MOVES])


@kernel(INT(GRID, WORTHS, GRID, FLOAT_GRID, INT, NUMBERS, SCORES))
def select_for_margin(
    nodes: Grid, worths: Worths, ints: Grid, floats: FloatGrid, node: int, numbers: Numbers, scores: Scores
) -> int:
    """The same when the margin is to be proven though only winning counts: lost and won moves are looked at again."""
    score_puct(nodes, worths, ints, floats, node, numbers, scores)
    first = nodes[node, FIRST]
    sign = 1 - 2 * nodes[node, PLAYER]
    for index in range(nodes[node, MOVES]):
        low, high = ints[EDGE_LOW, first + index], ints[EDGE_HIGH, first + index]
        if is_decided(low, high, numbers):
            scores[index] = sign * settled_value(low, high, numbers)
    leave_out(nodes, ints, node, 0, scores)
    return first + best_score(scores, nodes[node, MOVES])


@kernel(INT(GRID, GRID, INT, INT))
def untried_edge(nodes: Grid, ints: Grid, node: int, chance: int) -> int:
    """An edge that was never tried and is not settled, by chance; -1 if there is none."""
    first, count = nodes[node, FIRST], nodes[node, MOVES]
    for index in range(count):
        edge = first + (index + chance) % count
        if ints[TRIES, edge] == 0 and not is_settled(ints[EDGE_LOW, edge], ints[EDGE_HIGH, edge]):
            return edge
    return -1


@kernel(INT(GRID, GRID, FLOAT_GRID, INT, NUMBERS, SCORES, WORDS), inline=True)
def select_ucb1(
    nodes: Grid, ints: Grid, floats: FloatGrid, node: int, numbers: Numbers, scores: Scores, generator: Words
) -> int:
    """The edge with the highest s·Q + c·sqrt(ln N_parent / N); moves that were never tried come first, by chance."""
    first, count = nodes[node, FIRST], nodes[node, MOVES]
    if nodes[node, UNTRIED] > 0:
        edge = untried_edge(nodes, ints, node, random_below(generator, count))
        if edge >= 0:
            return edge
        nodes[node, UNTRIED] = 0
    last = first + count
    mean, tries = floats[MEAN, first:last], ints[TRIES, first:last]
    sign = np.float32(1 - 2 * nodes[node, PLAYER])
    spread = np.float32(numbers[C_PUCT] ** 2 * np.log(float(max(nodes[node, VISITS], 1))))
    for index in range(len(mean)):
        scores[index] = sign * mean[index] + np.sqrt(spread / np.float32(max(tries[index], 1)))
    return first + best_score(scores, count)


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
    first, count = trees.nodes[tree, 0, FIRST], trees.nodes[tree, 0, MOVES]
    if numbers[NOISE] <= 0 or count < 2:
        return
    generator = trees.info[tree, SEED : SEED + 1]
    prior = trees.floats[tree, PRIOR, first : first + count]
    samples = np.empty(count)
    for index in range(count):
        samples[index] = gamma_sample(generator, numbers[NOISE_ALPHA] / count)
    whole = max(samples.sum(), 1e-300)
    for index in range(count):
        prior[index] = (1 - numbers[NOISE]) * prior[index] + numbers[NOISE] * samples[index] / whole
