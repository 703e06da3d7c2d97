"""Greedy and alpha-beta at Zertz: they see what brute force sees, keep time and plans, and beat weaker players."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest

from pocketzero.errors import PocketZeroError
from pocketzero.games import Position, game
from pocketzero.games.zertz import rules
from pocketzero.players.base import Player
from pocketzero.players.spec import make_player
from pocketzero.players.zertz.alphabeta import AlphaBeta, AlphaBetaPlayer
from pocketzero.players.zertz.evaluation import WIN, evaluate
from pocketzero.players.zertz.greedy import GreedyPlayer
from pocketzero.players.zertz.turns import actions_of

THINKER = "alphabeta:nodes=60_000"


def random_positions(board: str, seed: int, wanted: int, most_rings: int = 64) -> Iterator[Position]:
    """Positions of random games, at any phase of a turn, with at most so many rings left."""
    chance = random.Random(seed)
    while wanted:
        position = game(board).start()
        path = []
        while not position.is_over:
            path.append(position)
            position = position.play_action(chance.choice(position.legal_actions()))
        small = [each for each in path if int(each.state[rules.RINGS]).bit_count() <= most_rings]
        if small:
            yield chance.choice(small)
            wanted -= 1


def turns(position: Position) -> Iterator[list[Position]]:
    """All whole turns from a position, as the positions after each of their actions."""
    open_turns = [[position.play_action(action)] for action in position.legal_actions()]
    while open_turns:
        turn = open_turns.pop()
        if turn[-1].is_over or turn[-1].state[rules.PHASE] == rules.TURN:
            yield turn
        else:
            open_turns += [[*turn, turn[-1].play_action(action)] for action in turn[-1].legal_actions()]


def wins_at_once(position: Position) -> bool:
    return any(turn[-1].outcome == position.to_move for turn in turns(position))


def play_turn(player: Player, position: Position) -> Position:
    """The position after a player's whole turn."""
    mover = position.to_move
    while True:
        position = position.play_action(player.choose(position))
        if position.is_over or position.to_move != mover:
            return position


# Wins in one


def how_it_is_won(position: Position) -> set[str]:
    """In what ways a position can be won in one turn."""
    won = [turn for turn in turns(position) if turn[-1].outcome == position.to_move]
    ways = {"jump" if rules.must_jump(position.state.copy()) else "isolation" for _ in won}
    if won and position.state[rules.PHASE] == rules.CHAIN:
        ways.add("mid-chain")
    return ways


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        ("zertz:19/deepzertz", {"jump", "isolation", "mid-chain"}),
        ("zertz:19", {"isolation"}),  # filling the board, mostly
        ("zertz:19/deepzertz/joint", {"jump", "isolation", "mid-chain"}),
    ],
)
def test_a_win_in_one_turn_is_taken(board: str, expected: set[str]) -> None:
    players = [make_player(text, game(board)) for text in ("greedy", "alphabeta:nodes=20_000")]
    seen: set[str] = set()
    for position in random_positions(board, 5, 400, most_rings=16):
        ways = how_it_is_won(position)
        seen |= ways
        if ways:
            for player in players:
                assert play_turn(player, position).outcome == position.to_move, position.text
    assert seen == expected


def test_a_win_in_the_middle_of_a_chain_is_taken() -> None:
    """The marble on d4 must jump on, over white, which wins, or over black, which does not."""
    text = "..../...../....../...GW../...B../...../.... 2-7-9 3-0-0/0-0-0 1 chain:d4"
    position = game("zertz:37").position(text)
    assert len(position.legal_actions()) > 1
    for name in ("greedy", THINKER):
        assert play_turn(make_player(name, game("zertz:37")), position).outcome == 0


def test_no_win_in_one_is_given_if_it_can_be_avoided() -> None:
    player = make_player(THINKER, game("zertz:19/deepzertz"))
    threatened = lost = 0
    for position in random_positions("zertz:19/deepzertz", 11, 250, most_rings=13):
        after = play_turn(player, position)
        threatened += any(not turn[-1].is_over and wins_at_once(turn[-1]) for turn in turns(position))
        if not after.is_over and wins_at_once(after):
            lost += 1
            assert all(not turn[-1].is_over and wins_at_once(turn[-1]) for turn in turns(position)), position.text
    assert threatened - lost > 50  # so often there was something to avoid


# Greedy


def worth(position: Position, player: int) -> int:
    """What captures are worth, told without the compiled code."""
    geometry, state = position.game.geometry.tolist(), position.state.tolist()
    mine, theirs = (state[rules.CAPTURED + 3 * p : rules.CAPTURED + 3 * p + 3] for p in (player, 1 - player))
    each = geometry[rules.EACH]
    goals = [(mine[colour], geometry[rules.GOAL + colour], [colour]) for colour in range(3)]
    total = 0
    for have, need, colours in goals:
        if all(geometry[rules.START_POOL + c] - theirs[c] >= need for c in colours):
            total += int(500 * min(have, need) * (need + min(have, need)) / need**2)
    if all(geometry[rules.START_POOL + c] - theirs[c] >= each for c in range(3)):
        have, need = sum(min(held, each) for held in mine), 3 * each
        total += int(500 * have * (need + have) / need**2)
    return total


def gain(before: Position, after: Position) -> int:
    """What who moved before has won."""
    if after.is_over:
        return {before.to_move: WIN, 1 - before.to_move: -WIN}.get(int(after.outcome), 0)
    return worth(after, before.to_move) - worth(before, before.to_move)


def balances(position: Position) -> dict[tuple[int, ...], int]:
    """The best balance of every placement, and of every first jump."""
    found: dict[tuple[int, ...], int] = {}
    for turn in turns(position):
        end = turn[-1]
        value = gain(position, end)
        if not end.is_over:
            value -= max(gain(end, answer[-1]) for answer in turns(end))
        jumps = rules.must_jump(position.state.copy())
        actions = tuple(end.actions[position.ply : position.ply + 1] if jumps else end.actions[position.ply :])
        found[actions] = max(value, found.get(actions, -2 * WIN))
    return found


@pytest.mark.parametrize("board", ["zertz:19", "zertz:19/deepzertz"])
def test_greedy_plays_for_the_best_balance(board: str) -> None:
    player = GreedyPlayer()
    for position in random_positions(board, 2, 25, most_rings=9):
        by_force = balances(position)
        best = {actions for actions, value in by_force.items() if value == max(by_force.values())}
        assert {tuple(actions_of(position.game, [turn])) for turn in player.best_turns(position)} == best


# Alpha-beta


def minimax(position: Position, depth: int) -> int:
    """The value for player 0 by plain minimax: placements cost depth, captures do not."""
    state = position.state.copy()
    if position.is_over:
        actions = int(state[rules.ACTIONS])
        return {0: WIN - actions, 1: actions - WIN}.get(int(position.outcome), 0)
    jumps = rules.must_jump(state)
    if depth <= 0 and not jumps and state[rules.PHASE] == rules.TURN:
        return int(evaluate(position.game.geometry, state))
    values = []
    for action in position.legal_actions():
        after = position.play_action(action)
        goes_on = jumps or (not after.is_over and after.state[rules.PHASE] == rules.REMOVE)
        values.append(minimax(after, depth if goes_on else depth - 1))
    return max(values) if position.to_move == 0 else min(values)


@pytest.mark.parametrize(
    ("board", "rings", "depth"),
    [
        ("zertz:2-3-2/pool=2-2-2/goal=2-2-2-1", 7, 2),
        ("zertz:19", 6, 3),
        ("zertz:3-4-3/pool=2-2-1/goal=3-3-3-2", 7, 2),
        ("zertz:3-4-3/pool=2-2-1/goal=9-9-9-9", 6, 3),
    ],
)
def test_full_width_gives_the_value_of_plain_minimax(board: str, rings: int, depth: int) -> None:
    values = set()
    for position in random_positions(board, 7, 30, most_rings=rings):
        search = AlphaBeta(full_width=True)
        search.run(position, most_depth=depth)
        values.add(search.value)
        assert search.value == minimax(position, depth), position.text
    assert len(values) > 3


def test_nodes_and_seed_decide_the_game() -> None:
    board = game("zertz:19")
    games = []
    for seed in (1, 1, 2):
        player = make_player("alphabeta:nodes=2000", board, seed=seed)
        position = board.start()
        while not position.is_over:
            position = position.play_action(player.choose(position))
        games.append(position.actions)
    assert games[0] == games[1] != games[2]


@pytest.mark.parametrize("board", ["zertz:37", "zertz:61"])
def test_the_time_is_kept(board: str) -> None:
    late = []
    for position in random_positions(board, 4, 5):
        player = make_player("alphabeta:seconds=0.1", game(board))
        begin = time.perf_counter()
        player.choose(position)
        late.append(time.perf_counter() - begin - 0.1)
    assert sorted(late)[2] < 0.05  # of five, so that a busy machine may be late once or twice


def counted_searches(player: Player, position: Position) -> tuple[int, int]:
    """How many actions a player's turn has, and how often it thought."""
    assert isinstance(player, AlphaBetaPlayer)
    run, thoughts, mover, actions = player._search.run, 0, position.to_move, 0

    def counting(*args: object, **options: object) -> list[int]:
        nonlocal thoughts
        thoughts += 1
        return run(*args, **options)  # type: ignore[arg-type]

    player._search.run = counting  # type: ignore[assignment,method-assign]
    while not position.is_over and position.to_move == mover:
        position = position.play_action(player.choose(position))
        actions += 1
    return actions, thoughts


def test_a_turn_is_thought_about_once() -> None:
    long_turns = 0
    for position in random_positions("zertz:37", 21, 60):
        actions, thoughts = counted_searches(make_player("alphabeta:nodes=3000", game("zertz:37")), position)
        assert thoughts <= 1
        long_turns += actions > 1 and thoughts == 1 and bool(rules.must_jump(position.state.copy()))
    assert long_turns > 0
    assert counted_searches(make_player(THINKER, game("zertz:37")), game("zertz:37").start()) == (2, 1)


BOARDS = [
    "zertz:19",
    "zertz:19/deepzertz",
    "zertz:37",
    "zertz:37/blitz",
    "zertz:48",
    "zertz:61",
    "zertz:3-4-3-4-3/pool=4-4-4",
    "zertz:37/pool=0-3-2/goal=9-9-9-9",
    "zertz:19/deepzertz/joint",
    "zertz:37/joint",
]


@pytest.mark.parametrize("board", BOARDS)
def test_whole_games_on_all_boards(board: str) -> None:
    """Every action is legal, and every game comes to its end."""
    players = make_player("alphabeta:nodes=500", game(board)), make_player("greedy", game(board))
    position = game(board).start()
    for _ in range(game(board).max_length):
        if position.is_over:
            break
        position = position.play(players[position.to_move].choose(position))
    assert position.is_over


def score(first: str, second: str, board: str, games: int) -> float:
    """The points of the first player, sides changed after every game."""
    points = 0.0
    for number in range(games):
        players = [make_player(text, game(board), seed=number) for text in (first, second)]
        position = game(board).start()
        while not position.is_over:
            position = position.play_action(players[(position.to_move + number) % 2].choose(position))
        points += 0.5 if position.outcome == 2 else float(position.outcome == number % 2)
    return points


def test_greedy_beats_chance() -> None:
    assert score("greedy", "random", "zertz:37", 12) >= 11


@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_alphabeta_beats_weaker_players(opponent: str) -> None:
    assert score("alphabeta:nodes=20_000", opponent, "zertz:19", 10) >= 9


@pytest.mark.parametrize("options", ["seconds=0", "seconds=-1", "nodes=-5"])
def test_impossible_options_are_refused(options: str) -> None:
    with pytest.raises(PocketZeroError, match="cannot be negative"):
        make_player(f"alphabeta:{options}", game("zertz:19"))


def test_a_player_of_the_joint_form_plays_games_of_single_steps() -> None:
    from pocketzero.arena.match import play_game
    from pocketzero.errors import PocketZeroError

    board, joint = game("zertz:19/deepzertz"), game("zertz:19/deepzertz/joint")
    players = make_player("joint:greedy", board), make_player("random", board)
    for seed in range(5):
        final, _, reason, _ = play_game((players[0], players[1]), board.start(), seed)
        assert reason == ""
        replayed = joint.start().play_line(final.line)  # what it plays are whole placements
        assert replayed.outcome == final.outcome
    with pytest.raises(PocketZeroError, match="boards in single steps"):
        make_player("joint:greedy", joint)
