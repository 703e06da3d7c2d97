"""Learning from a teacher: games of any player against itself, each of its moves being the policy to learn."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pocketzero.games import Game, Outcome, Position
from pocketzero.players.base import Player
from pocketzero.players.spec import make_player
from pocketzero.training.config import Config
from pocketzero.training.episodes import Episode, Searched


def taught_games(player: str, game: Game, numbers: Iterable[int], config: Config) -> list[Episode]:
    """The games with these numbers; the same numbers and seed give the same games."""
    teacher = make_player(player, game)
    try:
        return [_taught_game(teacher, game, number, config) for number in numbers]
    finally:
        teacher.close()


def _taught_game(teacher: Player, game: Game, number: int, config: Config) -> Episode:
    """One game, begun by chance like those of self-play; what the teacher does then is learned."""
    chance = np.random.default_rng((config.seed, number))
    teacher.begin(int(chance.integers(1 << 62)))
    position = _opening(game, chance, config)
    searched: list[tuple[int, int, int]] = []
    while not position.is_over:
        action = teacher.choose(position)
        if len(position.legal_actions()) > 1:
            searched.append((position.ply, action, position.to_move))
        position = position.play_action(action)
    result = {Outcome.FIRST: 1.0, Outcome.SECOND: -1.0}.get(position.outcome, 0.0)
    return Episode(
        game=game.name,
        actions=np.array(position.actions, np.int32),
        result=result,
        margin=position.margin,
        searched=tuple(
            Searched(ply, np.array([action], np.int32), np.ones(1, np.float32), result if mover == 0 else -result, 0)
            for ply, action, mover in searched
        ),
        seed=number,
        held_back=bool(chance.random() < config.selfplay.held_back),
        source=teacher.text,
    )


def _opening(game: Game, chance: np.random.Generator, config: Config) -> Position:
    position = game.start()
    if chance.random() < config.selfplay.opening_share:
        for _ in range(int(chance.integers(1, config.selfplay.opening_turns + 1))):
            legal = position.legal_actions()
            after = position.play_action(legal[chance.integers(len(legal))])
            if after.is_over:
                break
            position = after
    return position
