"""Whose move it is decides the sign of a value, never the depth: proofs of known values, players in the tree."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from pocketzero.games import Game, Position, game, rule
from pocketzero.games.dots import rules as dots_rules
from pocketzero.games.table import State
from pocketzero.search import Rollouts, Search, Settings, Uniform
from pocketzero.search.tree import ACTION, CHILD, FIRST, MOVES, PLAYER

NODE_LIMIT = 100_000
KALAH = Path(__file__).parent.parent / "examples" / "kalah.py"


def proven(board: Game, *, reduced: bool = True) -> tuple[int, int]:
    """Bounds of the result of a whole game for the first player, by search with uniform priors."""
    settings = Settings(reduced=reduced, exact=True, max_nodes=NODE_LIMIT)
    search = Search(board.start(), Uniform(board), settings)
    search.run()
    root = search.forest.root(0)
    assert root.nodes <= NODE_LIMIT
    return root.low, root.high


@pytest.mark.parametrize("board", ["1x1", "1x2", "1x3", "1x4", "2x2"])
def test_known_values_of_dots_and_boxes(shared_data: Path, board: str) -> None:
    value = json.loads((shared_data / "dots-values.json").read_text())["verified_plain_dp"][board]
    assert proven(game(f"dots:{board}")) == (value, value)


@pytest.mark.parametrize(("board", "value"), [("1x1", -1), ("1x2", 0), ("1x3", -1)])
def test_without_reductions_too(board: str, value: int) -> None:
    assert proven(game(f"dots:{board}"), reduced=False) == (value, value)


@pytest.mark.parametrize(("name", "value"), [("mnk:3x3x3", 0), ("mnk:4x3x3", 1), ("mnk:3x4x3", 1)])
def test_known_values_of_k_in_a_row(name: str, value: int) -> None:
    assert proven(game(name)) == (value, value)


def minimax(position: Position, known: dict[int, int]) -> int:
    """The best final margin for player 0, by trying everything."""
    if position.is_over:
        return position.margin or 0
    if position.key not in known:
        values = [minimax(position.play_action(action), known) for action in position.legal_actions()]
        known[position.key] = max(values) if position.to_move == 0 else min(values)
    return known[position.key]


@pytest.mark.parametrize(("houses", "seeds"), [(2, 2), (3, 1), (2, 3), (3, 2)])
def test_a_small_kalah_by_brute_force(houses: int, seeds: int) -> None:
    from pocketzero.games.registry import load_file

    board = load_file(KALAH).kalah(houses, seeds)
    value = minimax(board.start(), {})
    assert proven(board) == (value, value)


def positions_in_tree(search: Search) -> list[tuple[Position, int]]:
    """Every position of the tree, found by playing its moves, with the player that the tree notes for it."""
    trees = search.forest.trees
    found, waiting = [], [(0, search.position)]
    while waiting:
        node, position = waiting.pop()
        found.append((position, int(trees.nodes[0, node, PLAYER])))
        first, count = trees.nodes[0, node, FIRST], trees.nodes[0, node, MOVES]
        for edge in range(first, first + count):
            child = int(trees.ints[0, CHILD, edge])
            if child >= 0:
                waiting.append((child, position.play_action(int(trees.ints[0, ACTION, edge]))))
    return found


@rule("to_move")
def mover_by_depth(state: State) -> int:
    """The mistake: turns are thought to alternate, whoever completes a box."""
    return state[dots_rules.PLAYER] ^ ((state[dots_rules.SCORE] + state[dots_rules.SCORE + 1]) & 1)


def test_the_alternating_sign_mistake_would_be_caught() -> None:
    """With it the search proves a wrong value, and its nodes do not know their player."""
    right = game("dots:2x2")
    assert proven(right) == (2, 2)
    wrong = replace(right, rules=replace(right.rules, to_move=mover_by_depth))
    assert proven(wrong) != (2, 2)
    search = Search(wrong.start(), Uniform(wrong), Settings(solved=False))
    search.run(sims=2000)
    honest = [(game("dots:2x2").start().play_line(node.line), player) for node, player in positions_in_tree(search)]
    assert any(node.to_move != player for node, player in honest)


def turns_in_a_row(position: Position) -> int:
    """How many actions in a row the player who moved last has made."""
    count, player = 0, position.previous.to_move if position.previous else None
    while position.previous is not None and position.previous.to_move == player:
        count, position = count + 1, position.previous
    return count


@pytest.mark.parametrize("name", ["dots:3x3", "zertz:19/deepzertz", "zertz:37", "mnk:5x5x4", f"{KALAH}:game"])
def test_every_node_knows_its_player(name: str) -> None:
    chance = random.Random(3)
    longest = 0
    for _ in range(12):
        position = game(name).start()
        for _ in range(chance.randrange(25)):
            after = position.play_action(chance.choice(position.legal_actions()))
            if after.is_over:
                break
            position = after
        search = Search(position, Uniform(position.game), Settings(solved=False))
        search.run(sims=600)
        for node, player in positions_in_tree(search):
            assert node.to_move == player
            longest = max(longest, turns_in_a_row(node))
    if name in ("dots:3x3", "zertz:37"):
        assert longest >= 3  # chains of three and more actions by one player were among them


# Positions from random games in which the mover wins with its third action in a row, and not sooner.
CHAIN_WINS = [
    "_.__/_.G__/_B..__/..GB.._/B...__/_..W_/.___ 2-2-4 1-3-0/2-1-3 1 -",
    "_W__/_B.__/__G___/__B..__/..B.__/_.W__/G.__ 0-0-3 2-3-3/2-3-1 1 -",
    "____/_GW__/__.B._/.W.W.._/_....W/_..__/__._ 0-3-3 0-2-3/2-2-3 2 -",
    ".___/_.___/BGG___/_...WB_/__..B_/___.G/._G_ 0-0-4 3-1-1/2-3-2 2 -",
    "WW../_.W.G/_...._/_.W..__/_....B/.__._/G__. 1-5-6 0-1-1/1-0-2 2 -",
    ".G_./.G.G_/_.G___/_...___/_..W__/..W../._.W 0-3-8 1-0-1/2-1-1 2 -",
]


def wins_by_chain(position: Position, length: int) -> bool:
    """Whether the mover has a way to win with its so-many-th action in a row, and not sooner."""
    player = position.to_move
    layer = [position]
    for step in range(1, length + 1):
        after = [node.play_action(action) for node in layer for action in node.legal_actions()]
        won = [node for node in after if node.outcome == player]
        if won:
            return step == length
        layer = [node for node in after if not node.is_over and node.to_move == player]
    return False


@pytest.mark.parametrize("text", CHAIN_WINS)
def test_wins_by_long_chains_in_zertz_are_proven(text: str) -> None:
    position = game("zertz:37").position(text)
    assert wins_by_chain(position, 3)
    result = Search(position, Uniform(position.game)).run(sims=20_000)
    assert (result.moves[0].proven, result.moves[0].ends_in) == ("win", 3)
    assert (result.value, result.stopped) == (1.0, "proven")


def test_rollouts_have_the_right_sign() -> None:
    """One move completes four boxes in turn; every other one gives them away."""
    position = game("dots:1x4").start().play_line("aA bA cA dA aB bB cB dB Aa")
    assert position.to_move == 1
    result = Search(position, Rollouts()).run(sims=300)
    assert result.best == "Ab"
    assert result.moves[0].value is not None
    assert result.moves[0].value > 0
