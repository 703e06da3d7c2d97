"""The small pieces of the search, each by itself: selection, noise, Gumbel, targets, choice, reuse, limits."""

from __future__ import annotations

import random
import threading
import time

import numpy as np
import pytest
from numpy.typing import NDArray

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position, game
from pocketzero.games.worth import worth
from pocketzero.search import (
    Forest,
    PlayoutCap,
    Rollouts,
    Root,
    Search,
    SearchResult,
    Settings,
    Temperature,
    Uniform,
    choose,
    policy_target,
    search,
)
from pocketzero.search.choice import lower_bounds, move_chances
from pocketzero.search.gumbel import halving
from pocketzero.search.target import pruned_visits
from pocketzero.search.tree import (
    CHILD,
    EDGE_HIGH,
    EDGE_LOW,
    EDGES,
    FIRST,
    HIGH,
    LOW,
    MOVES,
    NODES,
    PLAYER,
    PRIOR,
    TRIES,
    TWIN,
    VISITS,
    within,
)


class Hashed:
    """A made-up evaluator: its answers are fixed by the planes, and as good as random."""

    def __init__(self, board: Game) -> None:
        self.actions = board.action_count
        self.asked = 0

    def evaluate(self, planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        self.asked += len(planes)
        weights = np.arange(planes[0].size, dtype=np.float64) % 97 + 1
        sums = np.floor(planes.reshape(len(planes), -1).astype(np.float64) @ weights * 64) % 1009
        logits = np.floor((sums[:, None] * 31 + np.arange(self.actions) * 17) % 23) / 8
        return logits.astype(np.float32), (np.floor(sums % 41) / 41 - 0.5).astype(np.float32)


def root_of(**changes: object) -> Root:
    """A root with three moves, for tests of what is done with it."""
    fields: dict[str, object] = {
        "player": 0,
        "actions": np.array([4, 5, 6], np.int32),
        "priors": np.array([0.5, 0.3, 0.2], np.float32),
        "visits": np.array([10, 60, 30], np.int32),
        "totals": np.array([1.0, 12.0, 9.0]),
        "lows": np.array([-1, -1, -1], np.int32),
        "highs": np.array([1, 1, 1], np.int32),
        "children": np.array([1, 2, 3], np.int32),
        "low": -1,
        "high": 1,
        "value": 0.2,
        "raw": 0.1,
        "simulations": 100,
        "nodes": 101,
    }
    return Root(**{**fields, **changes})  # type: ignore[arg-type]


def forest_with(board: Game, simulations: int, settings: Settings, position: Position | None = None) -> Forest:
    forest = Forest(board, settings, seed=1)
    forest.plant(0, position or board.start())
    forest.grant(0, simulations)
    evaluator = Hashed(board)
    while not forest.done(0):
        forest.step(evaluator)
    return forest


# Selection.


def test_puct_follows_its_formula() -> None:
    """Choose by hand, simulation by simulation, what the compiled search chooses."""
    board = game("mnk:3x3x3")
    settings = Settings(symmetry="none", c=1.7, fpu=0.3, solved=False)
    for simulations in range(1, 40):
        before, after = (forest_with(board, count, settings).root(0) for count in (simulations, simulations + 1))
        chosen = int(np.argmax(after.visits - before.visits))
        mass = before.priors[before.visits > 0].sum()
        unseen = before.value - 0.3 * np.sqrt(mass)
        with np.errstate(invalid="ignore"):
            q = np.where(before.visits > 0, before.totals / before.visits, unseen)
        u = q + 1.7 * before.priors * np.sqrt(1 + before.visits.sum()) / (1 + before.visits)
        assert u[chosen] == pytest.approx(u.max(), abs=1e-5)


def test_values_are_sums_of_what_was_backed_up() -> None:
    forest = forest_with(game("dots:3x3"), 300, Settings(solved=False))
    root = forest.root(0)
    assert root.visits.sum() == root.simulations == 300
    assert root.value * 301 == pytest.approx(root.totals.sum() + root.raw, abs=1e-3)
    assert (np.abs(root.totals) <= root.visits + 1e-9).all()


def useless_edges(forest: Forest) -> list[int]:
    """The edges below the root that are proven not to be better than what their player has for sure, though more can
    still be hoped for from others."""
    trees, found = forest.trees, []
    for node in trees.nodes[0, 1 : int(trees.info[0, NODES])]:
        twin = trees.nodes[0, node[TWIN]]
        if node[LOW] >= twin[HIGH] or twin[LOW] >= node[HIGH]:
            continue
        for edge in range(node[FIRST], node[FIRST] + node[MOVES]):
            low, high = trees.ints[0, EDGE_LOW, edge], trees.ints[0, EDGE_HIGH, edge]
            if high <= node[LOW] if node[PLAYER] == 0 else low >= node[HIGH]:
                found.append(edge)
    return found


@pytest.mark.parametrize(("name", "plies", "margin"), [("dots:3x3", 8, 1.0), ("mnk:4x4x4", 8, 0.0)])
def test_what_is_proven_not_to_be_better_is_not_looked_at_again(name: str, plies: int, margin: float) -> None:
    board, chance, known = game(name), random.Random(1), 0
    for _ in range(5):
        position = board.start()
        for _ in range(plies):
            position = position.play_action(chance.choice(position.legal_actions()))
        settings = Settings(margin=margin, reduced=board.has_reduction, solved=False, leaves=1)
        forest, evaluator = forest_with(board, 400, settings, position), Hashed(board)
        edges = useless_edges(forest)
        tried = forest.trees.ints[0, TRIES, edges].copy()
        forest.grant(0, 400)
        while not forest.done(0):
            forest.step(evaluator)
        assert (forest.trees.ints[0, TRIES, edges] == tried).all()
        known += len(edges)
    assert known > 50


def test_values_go_no_further_than_what_is_proven() -> None:
    numbers = Settings(margin=1.0).numbers(bound=10, largest_margin=9)
    assert within(0.3, -10, 10, numbers) == 0.3
    assert within(0.3, 5, 10, numbers) == pytest.approx(worth(5, 9))
    assert within(0.3, -10, -1, numbers) == pytest.approx(worth(-1, 9))
    assert within(0.99, -10, 9, numbers) == 0.99
    numbers = Settings().numbers(bound=1)
    assert [within(value, 0, 1, numbers) for value in (-0.5, 0.5)] == [0, 0.5]
    assert [within(value, -1, 0, numbers) for value in (-0.5, 0.5)] == [-0.5, 0]


def test_c_grows_with_the_visits_if_asked_to() -> None:
    board = game("mnk:5x5x4")
    flat, growing = (forest_with(board, 2000, Settings(c_base=base)).root(0) for base in (0, 50))
    spread = [np.count_nonzero(root.visits > 20) for root in (flat, growing)]
    assert spread[1] > spread[0]


def test_priors_are_those_of_the_evaluator() -> None:
    board = game("dots:2x2")
    evaluator = Hashed(board)
    forest = Forest(board, Settings(symmetry="none"))
    forest.plant(0, board.start())
    forest.grant(0, 1)
    forest.step(evaluator)
    forest.step(evaluator)
    logits = evaluator.evaluate(board.start().planes()[None])[0][0].astype(np.float64)
    expected = np.exp(logits) / np.exp(logits).sum()
    assert forest.root(0).priors == pytest.approx(expected, rel=2e-4)


def test_all_symmetries_are_averaged() -> None:
    board = game("dots:2x2")
    evaluator, start = Hashed(board), board.start().play("aA")
    forest = Forest(board, Settings(symmetry="all"))
    forest.plant(0, start)
    forest.grant(0, 1)
    forest.step(evaluator)
    assert evaluator.asked == 8
    forest.step(evaluator)
    shares, values = np.zeros(12), 0.0
    for symmetry, turned in enumerate(board.symmetries):
        logits, value = evaluator.evaluate(start.planes(symmetry)[None])
        weights = np.exp(logits[0][turned].astype(np.float64))
        weights[0] = 0  # drawn already
        shares += weights / weights.sum() / 8
        values += value[0] / 8
    root = forest.root(0)
    assert root.priors == pytest.approx(shares[1:], rel=1e-3)
    assert root.raw == pytest.approx(values, abs=1e-6)


def test_noise_is_mixed_into_the_priors() -> None:
    board = game("mnk:5x5x4")
    plain = forest_with(board, 1, Settings(symmetry="none")).root(0).priors
    noisy = forest_with(board, 1, Settings(symmetry="none", noise=0.25)).root(0).priors
    assert noisy.sum() == pytest.approx(1, abs=1e-5)
    assert (noisy >= 0.75 * plain - 1e-6).all()
    assert np.abs(noisy - plain).max() > 0.01


def test_noise_is_more_even_when_alpha_is_larger() -> None:
    """The mean square of Dirichlet shares is (alpha + 1) / (n (n alpha + 1)); here over many roots."""
    board = game("mnk:5x5x4")
    for total in (2.5, 50.0):
        settings = Settings(noise=1.0, noise_alpha=total)
        forest = Forest(board, settings, trees=400, seed=2)
        for tree in range(400):
            forest.plant(tree, board.start())
            forest.grant(tree, 1)
        uniform = Uniform(board)
        while forest.step(uniform):
            pass
        squares = np.mean([(forest.root(tree).priors.astype(np.float64) ** 2).mean() for tree in range(400)])
        alpha, n = total / 25, 25
        assert squares == pytest.approx((alpha + 1) / (n * (n * alpha + 1)), rel=0.1)


def test_forced_playouts() -> None:
    """Every root move that was tried has at least sqrt(k P N) tries, less the last few."""
    board = game("mnk:5x5x4")
    root = forest_with(board, 1000, Settings(forced=2.0, noise=0.25)).root(0)
    wanted = np.sqrt(2.0 * root.priors * root.visits.sum())
    tried = root.visits > 0
    assert (root.visits[tried] >= wanted[tried] - 1.5).all()
    free = forest_with(board, 1000, Settings(noise=0.25)).root(0)
    assert (free.visits[free.visits > 0] < np.sqrt(2.0 * free.priors * 1000)[free.visits > 0] - 1.5).any()


# Gumbel.


def test_sequential_halving() -> None:
    assert halving(4, 8) == [0, 0, 0, 0, 1, 1, 2, 2]
    assert halving(1, 5) == [0, 1, 2, 3, 4]
    assert halving(16, 2) == [0, 0]
    for moves in range(1, 20):
        for simulations in (1, 2, 7, 16, 33, 64):
            assert len(halving(moves, simulations)) == simulations


@pytest.mark.parametrize("simulations", [2, 3, 8, 16, 32, 64])
def test_gumbel_gives_simulations_to_few_moves(simulations: int) -> None:
    board = game("dots:3x3")
    forest = forest_with(board, simulations, Settings(gumbel=8, solved=False))
    root = forest.root(0)
    assert root.visits.sum() == simulations
    assert np.count_nonzero(root.visits) == min(8, simulations)
    policy = forest.improved_policy(0)
    assert policy.sum() == pytest.approx(1, abs=1e-5)
    assert root.visits[forest.gumbel_choice(0)] == root.visits.max()


def test_the_improved_policy_likes_better_moves() -> None:
    board = game("dots:3x3")
    forest = forest_with(board, 64, Settings(gumbel=16, solved=False))
    root, policy = forest.root(0), forest.improved_policy(0)
    change = np.log(policy / root.priors)
    tried = root.visits > 0
    order = np.argsort(root.values[tried])
    assert (np.diff(change[tried][order]) >= -1e-3).all()


# Proven results, forced moves, transpositions.


def test_a_forced_move_costs_no_evaluation() -> None:
    """After either first line of the last chain every move is forced, so that only the root is evaluated."""
    position = game("dots:1x2").start().play_line("aA bA aB bB Aa")
    board, evaluator = position.game, Hashed(position.game)
    result = Search(position, evaluator, Settings(reduced=True, solved=False)).run(sims=50)
    assert board.name == "dots:1x2"
    assert evaluator.asked <= 2
    assert result.stopped == "proven"


def test_transpositions_save_evaluations() -> None:
    board = game("mnk:3x3x3")
    counts = []
    for transposed in (False, True):
        evaluator = Hashed(board)
        Search(board.start(), evaluator, Settings(transposed=transposed)).run(sims=2000)
        counts.append(evaluator.asked)
    assert counts[1] < 0.8 * counts[0]


def test_no_transpositions_where_planes_show_the_past() -> None:
    board = game("zertz:19", "deepzertz")
    assert Forest(board, Settings()).trees.table_keys.shape[1] == 1
    assert Forest(game("zertz:19"), Settings()).trees.table_keys.shape[1] > 1


def test_solved_leaves_prove_the_root() -> None:
    position = game("dots:3x3").start().play_line("Ac Ca cD cC bB aC aA Ba Cc Cd Ad cA bD Bc")
    with_help, without = (search(position, sims=60, solved=solved) for solved in (True, False))
    assert with_help.stopped == "proven"
    assert without.stopped == "simulations"


def test_proven_in_so_many_moves() -> None:
    result = search(game("mnk:3x3x3").start().play_line("a1 b2 a2"), sims=3000)
    assert result.best == "a3"
    assert not [move for move in result.moves[1:] if move.proven != "loss"]
    lost = {move.move: move.ends_in for move in result.moves if move.proven == "loss"}
    assert set(lost.values()) == {2}


# What is played and what is learned.


def test_choice_by_visits_chance_and_lower_bound() -> None:
    root = root_of()
    assert choose(root) == 1
    assert choose(root, how="lcb") == int(np.argmax(lower_bounds(root)))
    chance = np.random.default_rng(0)
    drawn = [choose(root, how="sample", temperature=1.0, chance=chance) for _ in range(3000)]
    assert np.bincount(drawn) / 3000 == pytest.approx([0.1, 0.6, 0.3], abs=0.04)
    cold = move_chances(root, np.ones(3, bool), 0.25)
    assert cold[1] > 0.9
    assert choose(root, how="sample", temperature=0.0, chance=chance) == 1


def test_the_lower_bound_trusts_only_what_was_visited() -> None:
    root = root_of(visits=np.array([2, 50, 48], np.int32), totals=np.array([2.0, 10.0, 20.0]))
    assert choose(root, how="lcb") == 2
    assert choose(root) == 1


def test_proven_results_decide_the_choice() -> None:
    won = root_of(lows=np.array([-1, -1, 1], np.int32))
    assert choose(won) == choose(won, how="lcb") == 2
    lost = root_of(highs=np.array([1, -1, 1], np.int32))
    assert choose(lost) == 2
    drawn = root_of(highs=np.array([-1, -1, 0], np.int32), lows=np.array([-1, -1, 0], np.int32))
    assert choose(drawn) == 2
    hopeless = root_of(highs=np.array([-1, -1, -1], np.int32))
    assert choose(hopeless, distances=np.array([2, 4, 6], np.int32)) == 2
    second = root_of(player=1, highs=np.array([1, -1, 1], np.int32))
    assert choose(second) == 1


def test_temperature_falls_over_the_game() -> None:
    temperature = Temperature(start=1.0, end=0.2, moves=10)
    assert [temperature.at(ply) for ply in (0, 5, 10, 99)] == pytest.approx([1.0, 0.6, 0.2, 0.2])


def test_targets_leave_out_forced_visits() -> None:
    root = root_of(
        priors=np.array([0.2, 0.6, 0.2], np.float32),
        visits=np.array([6, 90, 4], np.int32),
        totals=np.array([-5.0, 45.0, -3.9]),
    )
    assert pruned_visits(root, c=1.25, forced=0.0).tolist() == [6, 90, 4]
    pruned = pruned_visits(root, c=1.25, forced=2.0)
    assert pruned[1] == 90
    assert pruned[0] < 6
    assert pruned[2] < 4
    assert policy_target(root, c=1.25, forced=2.0).sum() == pytest.approx(1)
    lost = root_of(highs=np.array([-1, 1, 1], np.int32))
    assert policy_target(lost, c=1.25)[0] == 0


def test_playout_cap() -> None:
    cap = PlayoutCap(full=100, fast=20, share=0.25)
    drawn = [cap.draw(np.random.default_rng(seed)) for seed in range(2000)]
    assert np.mean([is_full for _, is_full in drawn]) == pytest.approx(0.25, abs=0.03)
    assert {(count, is_full) for count, is_full in drawn} == {(100, True), (20, False)}


# Reuse, limits, watching.


def check_tree(forest: Forest) -> None:
    """A tree is whole: children are nodes behind their parents, visits add up, priors are shares."""
    trees = forest.trees
    nodes, edges = (int(trees.info[0, field]) for field in (NODES, EDGES))
    assert trees.nodes[0, :nodes, MOVES].sum() == edges
    seen = [0]
    for node in range(nodes):
        first, count = trees.nodes[0, node, FIRST], trees.nodes[0, node, MOVES]
        children = trees.ints[0, CHILD, first : first + count]
        assert (children[children >= 0] > node).all()
        assert trees.floats[0, PRIOR, first : first + count].sum() == pytest.approx(1, abs=1e-4)
        tries = trees.ints[0, TRIES, first : first + count].sum()
        assert trees.nodes[0, node, VISITS] - tries in (0, 1)
        seen += children[children >= 0].tolist()
    assert sorted(seen) == list(range(nodes))


@pytest.mark.parametrize("name", ["dots:3x3", "zertz:37", "mnk:5x5x4"])
def test_a_tree_is_used_again_after_every_action(name: str) -> None:
    board = game(name)
    forest, position = Forest(board, Settings(solved=False), seed=3), board.start()
    forest.plant(0, position)
    evaluator = Hashed(board)
    kept = 0
    while not position.is_over and position.ply < 25:
        forest.grant(0, 150)
        while not forest.done(0):
            forest.step(evaluator)
        check_tree(forest)
        root = forest.root(0)
        index = choose(root)
        after = position.play_action(int(root.actions[index]))
        if not after.is_over:
            forest.advance(0, int(root.actions[index]))
            assert (forest.trees.roots[0] == after.state).all()
            kept += int(forest.trees.info[0, NODES])
            if forest.trees.info[0, NODES]:
                check_tree(forest)
                assert forest.root(0).player == after.to_move
        position = after
    assert kept > 100


def test_a_tree_stops_at_its_limit() -> None:
    result = search(game("mnk:9x9x5").start(), sims=100_000, max_nodes=500)
    assert result.stopped == "nodes"
    assert result.nodes <= 500
    assert search(game("mnk:9x9x5").start(), Rollouts(), sims=100_000, max_nodes=500).stopped == "nodes"


def test_only_these_moves() -> None:
    result = search(game("dots:3x3").start(), sims=100, only=["aA", "Bb"])
    assert {move.move for move in result.moves} == {"aA", "Bb"}
    with pytest.raises(PocketZeroError, match="not legal here"):
        search(game("dots:2x2").start().play("aA"), only=["aA"])
    with pytest.raises(PocketZeroError, match="are a list"):
        search(game("dots:2x2").start(), only="aA")
    chain = game("dots:1x3").start().play_line("aA bA cA aB bB cB")
    result = search(chain, sims=50, only=[np.int64(action) for action in chain.legal_actions()], reduced=True)
    assert len(result.moves) == 4


def test_a_finished_game_is_not_searched() -> None:
    with pytest.raises(PocketZeroError, match="the game is over"):
        search(game("dots:1x1").start().play_line("aA aB Aa Ab"))


def test_wrong_settings_are_explained() -> None:
    with pytest.raises(PocketZeroError, match="Did you mean 'noise'"):
        search(game("dots:1x1").start(), nois=0.2)
    with pytest.raises(PocketZeroError, match="symmetry is none, random or all"):
        Settings(symmetry="some")  # type: ignore[arg-type]


def seconds_to_stop(evaluator: Rollouts | None) -> float:
    """Start a search in another thread, watch it for a while, stop it; how long that takes."""
    running = Search(game("gomoku:15").start(), evaluator, Settings(solved=False, max_nodes=200_000))
    worker = threading.Thread(target=running.run)
    worker.start()
    seen: list[int] = []
    while len(seen) < 5:
        time.sleep(0.02)
        if running.simulations:
            seen.append(running.report().simulations)
    begin = time.perf_counter()
    running.stop()
    worker.join()
    took = time.perf_counter() - begin
    assert seen == sorted(seen)
    assert seen[-1] > seen[0]
    assert running.report().stopped == "asked"
    return took


@pytest.mark.parametrize("evaluator", [None, Rollouts()], ids=["puct", "rollouts"])
def test_a_search_can_be_watched_and_stopped(evaluator: Rollouts | None) -> None:
    """Within 50 ms; the median of five, since other tests run on the same cores."""
    assert np.median([seconds_to_stop(evaluator) for _ in range(5)]) < 0.05


def test_a_search_is_limited_by_time() -> None:
    begin = time.perf_counter()
    result = search(game("gomoku:9").start(), Rollouts(), seconds=0.2)
    assert 0.19 < time.perf_counter() - begin < 0.5
    assert result.stopped == "time"


def test_a_search_goes_on_after_a_move() -> None:
    running = Search(game("dots:3x3").start())
    running.run(sims=300)
    running.play("aA")
    after = running.report()
    assert after.position.line == ["aA"]
    running.run(sims=100)
    assert running.report().nodes > after.nodes


def test_the_result_reads_well() -> None:
    result = search(game("dots:2x2").start(), sims=100)
    lines = str(result).splitlines()
    assert lines[0].startswith("dots:2x2, A to move: value ")
    assert lines[1].split() == ["move", "visits", "Q", "W", "P"]
    assert len(lines) == 2 + 12 + 1
    assert sum(result.policy.values()) == pytest.approx(1)
    assert result.pv[0] == result.best == result.moves[0].move


# Repetition and memory.


def test_the_same_seed_gives_the_same_search() -> None:
    def run(seed: int) -> list[int]:
        board = game("zertz:19")
        searched = Search(board.start(), Hashed(board), Settings(noise=0.25), seed=seed)
        searched.run(sims=400)
        return searched.forest.root(0).visits.tolist()

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_threads_do_not_change_the_results() -> None:
    board = game("dots:3x3")
    results: dict[int, list[int]] = {}

    def run(seed: int, out: dict[int, list[int]]) -> None:
        forest = Forest(board, Settings(noise=0.25), trees=8, seed=seed)
        for tree in range(8):
            forest.plant(tree, board.start())
            forest.grant(tree, 200)
        evaluator = Hashed(board)
        while forest.step(evaluator):
            pass
        out[seed] = [int(visit) for tree in range(8) for visit in forest.root(tree).visits]

    workers = [threading.Thread(target=run, args=(seed, results)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    alone: dict[int, list[int]] = {}
    for seed in range(4):
        run(seed, alone)
    assert results == alone


def resident() -> int:
    """The memory of this process now, in KiB."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def test_memory_stays_flat() -> None:
    """A few hundred positions of self-play, a scaled-down hour: nothing grows after the first tenth."""
    board = game("dots:4x4")
    forest = Forest(board, Settings(max_nodes=2000, noise=0.25), trees=16, nodes=2000, seed=1)
    evaluator = Uniform(board)
    positions = [board.start()] * 16
    for tree, position in enumerate(positions):
        forest.plant(tree, position)
    sizes = []
    for _ in range(60):
        for tree in range(16):
            forest.grant(tree, 200)
        while forest.step(evaluator):
            pass
        for tree in range(16):
            root = forest.root(tree)
            action = int(root.actions[choose(root)])
            positions[tree] = positions[tree].play_action(action)
            if positions[tree].is_over:
                positions[tree] = board.start()
                forest.plant(tree, positions[tree])
            else:
                forest.advance(tree, action)
        sizes.append(resident())
    assert sizes[-1] - sizes[6] < 8 * 1024
    assert forest.trees.nodes.shape[1] == 2000


# What went wrong once.


def supports(result: SearchResult) -> bool:
    """Whether the best move by itself proves the value of a proven result."""
    return np.sign(result.moves[0].low) >= result.value


@pytest.mark.parametrize("name", ["dots:1x3", "mnk:3x3x3", "dots:2x2"])
def test_a_proven_result_is_proven_by_the_best_move(name: str) -> None:
    """Also after moves, when the new root was settled only because its position was settled elsewhere."""
    chance, proven = np.random.default_rng(5), 0
    for seed in range(60):
        running = Search(game(name).start(), seed=seed)
        running.run(sims=int(chance.choice([30, 100, 400])))
        while True:
            result = running.run(sims=400)
            if result.stopped == "proven":
                proven += 1
                assert supports(result), (seed, running.position.line, str(result))
            after = running.position.play(int(chance.choice(running.position.legal_actions())))
            if after.is_over:
                break
            running.play(after.action)
    assert proven > 60


class Failing(Hashed):
    """Fails on its third batch."""

    def evaluate(self, planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        self.batches = getattr(self, "batches", 0) + 1
        if self.batches == 3:
            raise KeyboardInterrupt
        return super().evaluate(planes)


def test_a_search_survives_a_failing_evaluator() -> None:
    running = Search(game("dots:3x3").start(), Failing(game("dots:3x3")))
    with pytest.raises(KeyboardInterrupt):
        running.run(sims=100)
    running.play("aA")
    assert running.run(sims=50).simulations == 50
    check_tree(running.forest)


@pytest.mark.parametrize(
    ("logits", "values"), [((8, 3), 8), ((1, 24), 8), ((8, 24), 1)], ids=["narrow", "short", "few values"]
)
def test_answers_of_the_wrong_shape_are_refused(logits: tuple[int, int], values: int) -> None:
    class Wrong:
        def evaluate(self, planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            return np.zeros(logits, np.float32), np.zeros(values, np.float32)

    with pytest.raises(PocketZeroError, match="The evaluator gave logits"):
        search(game("dots:3x3").start(), Wrong(), sims=50)


def test_a_tree_can_be_planted_anew_while_leaves_wait() -> None:
    board = game("dots:3x3")
    forest, evaluator = Forest(board, Settings(), leaves=4), Hashed(board)
    for position in (board.start(), board.start().play("aA")):
        forest.plant(0, position)
        forest.grant(0, 60)
        for _ in range(4):
            forest.step(evaluator)
    while not forest.done(0):
        forest.step(evaluator)
    assert forest.root(0).simulations == 60
    check_tree(forest)


def test_the_end_of_the_game_ends_the_search() -> None:
    running = Search(game("mnk:3x3x3").start().play_line("a1 a2 b1 b2"))
    running.run(sims=10)
    running.play("c1")
    with pytest.raises(PocketZeroError, match="the game is over"):
        running.run(seconds=1)


def test_a_search_can_be_looked_at_before_it_runs_and_stopped_before_it_begins() -> None:
    running = Search(game("dots:3x3").start(), Hashed(game("dots:3x3")))
    assert len(running.report().moves) == 24
    assert running.report().simulations == 0
    running.stop()
    begin = time.perf_counter()
    assert running.run(seconds=2).stopped == "asked"
    assert time.perf_counter() - begin < 1
    assert running.run(sims=30).stopped == "simulations"
    for limits in ({"sims": 0}, {"seconds": -1.0}):
        with pytest.raises(PocketZeroError, match="at least one simulation"):
            running.run(**limits)


def test_leaves_that_wait_are_not_shown_as_losses() -> None:
    board = game("dots:3x3")
    forest, uniform = Forest(board, Settings(solved=False), leaves=8), Uniform(board)
    forest.plant(0, board.start())
    forest.grant(0, 1000)
    for _ in range(5):
        forest.step(uniform)
    root = forest.root(0)
    assert root.visits.sum() == root.simulations
    assert root.value == pytest.approx(0)
    assert np.nan_to_num(root.values) == pytest.approx(np.zeros(24))


def test_gumbel_says_what_it_plays() -> None:
    board = game("mnk:5x5x4")
    for seed in range(20):
        running = Search(board.start(), Hashed(board), Settings(gumbel=8), seed=seed)
        assert running.run(sims=16).best_action == running.choose()
        assert running.run(sims=16).moves[0].visits == max(move.visits for move in running.report().moves)
    with pytest.raises(PocketZeroError, match="Gumbel search needs a number of simulations"):
        search(board.start(), gumbel=4, seconds=0.5)


def test_gumbel_plans_every_tree_by_itself() -> None:
    board = game("mnk:5x5x4")
    forest, evaluator = Forest(board, Settings(gumbel=8, solved=False), trees=2, seed=1), Hashed(board)
    for tree, simulations in enumerate((64, 4)):
        forest.plant(tree, board.start())
        forest.grant(tree, simulations)
    while forest.step(evaluator):
        pass
    assert [np.count_nonzero(forest.root(tree).visits) for tree in range(2)] == [8, 4]


def test_settings_out_of_range_are_refused() -> None:
    for wrong in ({"noise_alpha": -20.0}, {"c": float("nan")}, {"leaves": "a"}):
        with pytest.raises(PocketZeroError, match=r"finite numbers|above 0"):
            Settings(**wrong)  # type: ignore[arg-type]


def test_a_forced_root_is_not_evaluated() -> None:
    position = game("mnk:3x3x3").start().play_line("a1 a2 a3 b2 b1 c1 b3 c3")
    evaluator = Hashed(position.game)
    result = search(position, evaluator, sims=20)
    assert (result.best, evaluator.asked) == ("c2", 0)
