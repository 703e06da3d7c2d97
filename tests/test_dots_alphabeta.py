"""The alpha-beta player: right where it can see the end, punctual, repeatable, on boards of all sizes."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position, game
from pocketzero.games.dots.chains import CAPTURE, SAFE
from pocketzero.players.base import Player
from pocketzero.players.dots.alphabeta import AlphaBetaOptions, AlphaBetaPlayer
from pocketzero.players.dots.exact import DotsSolver
from pocketzero.players.dots.explain import Survey
from pocketzero.players.spec import make_player


def opening(board: Game, lines: int, chance: random.Random) -> Position:
    position = board.start()
    for _ in range(lines):
        position = position.play_action(chance.choice(position.legal_actions()))
    return position


def play_from(position: Position, players: tuple[Player, Player]) -> Position:
    while not position.is_over:
        position = position.play_action(players[position.to_move].choose(position))
    return position


@pytest.mark.parametrize(("size", "count"), [("2x2", 60), ("2x3", 40), ("3x3", 25), ("2x4", 25)])
def test_a_search_to_the_end_finds_a_best_line(size: str, count: int) -> None:
    board, chance = game(f"dots:{size}"), random.Random(7)
    player, truth = make_player("alphabeta:seconds=0,nodes=2000000", board), DotsSolver(board)
    for _ in range(count):
        position = opening(board, chance.randrange(max(0, board.action_count - 16), board.action_count), chance)
        values = truth.move_values(position)
        assert values[player.choose(position)] == max(values.values()), position


def test_it_beats_hard() -> None:
    """3,000 positions a move suffice; with more time the benchmark asks for more."""
    board, chance, wins = game("dots:5x5"), random.Random(2), 0
    searcher, hard = make_player("alphabeta:seconds=0,nodes=3000", board), make_player("hard", board)
    for _ in range(8):
        position = opening(board, 4, chance)
        wins += (play_from(position, (searcher, hard)).margin or 0) > 0
        wins += (play_from(position, (hard, searcher)).margin or 0) < 0
    assert wins >= 12


@pytest.mark.parametrize("size", ["5x5", "10x10", "15x15", "20x20"])
def test_it_keeps_its_time(size: str) -> None:
    board = game(f"dots:{size}")
    player = make_player("alphabeta:seconds=0.1", board)
    for drawn in (0, board.action_count // 3):
        position = opening(board, drawn, random.Random(3))
        took = []
        for _ in range(3):
            begin = time.perf_counter()
            line = player.choose(position)
            took.append(time.perf_counter() - begin)
            assert line in position.legal_actions()
        assert min(took) < 0.1 + 0.05  # the best of three: other programs run on this machine too


def test_a_large_game_is_played_to_the_end() -> None:
    board = game("dots:10x10")
    players = make_player("alphabeta:seconds=0,nodes=150", board), make_player("medium", board)
    assert (play_from(board.start(), players).margin or 0) > 0


def test_the_same_nodes_and_seed_give_the_same_game() -> None:
    board = game("dots:4x4")
    player = make_player("alphabeta:seconds=0,nodes=500", board)
    games = []
    for seed in (1, 1, 2):
        player.begin(seed)
        games.append(play_from(board.start(), (player, player)).actions)
    assert games[0] == games[1] != games[2]


def test_without_a_trusted_search_it_draws_a_safe_line() -> None:
    board, chance = game("dots:5x5"), random.Random(4)
    player = AlphaBetaPlayer(board, AlphaBetaOptions(seconds=0, nodes=1))
    tried = 0
    for _ in range(100):
        position = opening(board, chance.randrange(12), chance)
        found = Survey(position)
        if not found.lines(CAPTURE) and found.lines(SAFE):
            tried += 1
            assert position.write(player.choose(position)) in found.lines(SAFE)
            assert player.nodes <= 2
    assert tried > 50


def test_it_stops_when_the_position_is_solved() -> None:
    player = AlphaBetaPlayer(game("dots:2x2"), AlphaBetaOptions(seconds=60))
    begin = time.perf_counter()
    player.choose(game("dots:2x2").start())
    assert time.perf_counter() - begin < 30
    assert 1 < player.depth <= 12


@pytest.mark.parametrize("options", ["seconds=-1", "nodes=-1", "seconds=0"])
def test_wrong_budgets_are_explained(options: str) -> None:
    with pytest.raises(PocketZeroError, match="alphabeta:"):
        make_player(f"alphabeta:{options}", game("dots:2x2"))


def test_the_position_is_left_as_it_was() -> None:
    position = opening(game("dots:4x4"), 20, random.Random(5))
    before = position.state.copy()
    make_player("alphabeta:seconds=0,nodes=300", position.game).choose(position)
    assert np.array_equal(position.state, before)
