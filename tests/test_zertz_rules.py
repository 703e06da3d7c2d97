"""Zertz is played by the rules: side by side with a slow reference, counted, and by the promises of every game."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from pocketzero.errors import IllegalMove
from pocketzero.games import game
from pocketzero.games.base import Game, Outcome, Position
from pocketzero.games.check import check_game
from pocketzero.games.zertz import joint, rules
from pocketzero.games.zertz.layout import Layout
from pocketzero.games.zertz.steps import ActionForm, Jump, Put, Remove, Step, landing_of
from zertz_reference import BOARDS, ReferenceZertz

COLOURS = "WGB"
STANDARD = ((6, 8, 10), (4, 5, 6), 3)
BLITZ = ((5, 7, 9), (3, 4, 5), 2)
DEEPZERTZ = ((10, 10, 10), (2, 2, 2), 1)

TWO_TURNS_ON_19 = 323_136  # by the slow reference, ReferenceZertz(BOARDS[19]).turn_count(2)

SETTINGS = {
    "zertz:37": (BOARDS[37], *STANDARD, 60),
    "zertz:48": (BOARDS[48], *STANDARD, 30),
    "zertz:61": (BOARDS[61], *STANDARD, 25),
    "zertz:19": (BOARDS[19], *STANDARD, 120),
    "zertz:37/blitz": (BOARDS[37], *BLITZ, 60),
    "zertz:19/deepzertz": (BOARDS[19], *DEEPZERTZ, 150),
    "zertz:19/pool=2-2-2/goal=9-9-9-9": (BOARDS[19], (2, 2, 2), (9, 9, 9), 9, 100),
    "zertz:37/pool=0-3-2/goal=9-9-9-9": (BOARDS[37], (0, 3, 2), (9, 9, 9), 9, 60),
    "zertz:2-3-2/pool=1-1-1/goal=3-3-3-3": ((2, 3, 2), (1, 1, 1), (3, 3, 3), 3, 200),
    "zertz:3-4-3-4-3/pool=4-4-4": ((3, 4, 3, 4, 3), (4, 4, 4), (4, 5, 6), 3, 80),
}


def as_reference(layout: Layout, step: Step) -> tuple[str, ...]:
    """A step in the words of the reference."""
    if isinstance(step, Put):
        return ("put", COLOURS[step.colour], layout.names[step.ring])
    if isinstance(step, Remove):
        return ("remove", layout.names[step.ring])
    return ("jump", layout.names[step.ring], layout.names[landing_of(layout, step)])


def assert_same(position: Position, slow: ReferenceZertz, layout: Layout) -> None:
    state = position.state
    form = ActionForm(layout, joint=False)
    assert (slow.result if slow.result is not None else -1) == position.outcome
    steps = [as_reference(layout, form.steps(action)[0]) for action in position.legal_actions()]
    assert sorted(steps) == sorted(slow.legal())
    assert position.to_move == slow.to_move
    assert state[rules.POOL : rules.POOL + 9].tolist() == [
        held[colour] for held in (slow.pool, *slow.captured) for colour in COLOURS
    ]
    assert {layout.names[ring] for ring in range(layout.rings) if state[rules.RINGS] >> ring & 1} == slow.rings
    marbles = {
        name: COLOURS[colour]
        for colour in range(3)
        for ring, name in enumerate(layout.names)
        if state[rules.MARBLES + colour] >> ring & 1
    }
    assert marbles == slow.marbles


@pytest.mark.parametrize("name", SETTINGS)
def test_random_games_go_as_in_the_reference(name: str) -> None:
    *setting, games = SETTINGS[name]
    endings = {play_both(name, setting, random.Random(seed)) for seed in range(games)}
    assert {Outcome.FIRST, Outcome.SECOND} <= endings


def test_games_on_crowded_boards_go_as_in_the_reference() -> None:
    """Marbles on the rings at the side leave none to remove; then positions come back and boards fill up."""
    setting = [(3, 4, 3, 4, 3), (4, 4, 4), (4, 5, 6), 3]
    endings = {
        play_both("zertz:3-4-3-4-3/pool=4-4-4", setting, random.Random(seed), crowded=True) for seed in range(300)
    }
    assert endings == {Outcome.FIRST, Outcome.SECOND, Outcome.DRAW}


def play_both(name: str, setting: list[Any], chance: random.Random, *, crowded: bool = False) -> Outcome:
    """One random game, compared with the reference after every action."""
    position, slow, layout = game(name).start(), ReferenceZertz(*setting), Layout(setting[0])
    form = ActionForm(layout, joint=False)
    assert_same(position, slow, layout)
    while not position.is_over:
        actions = position.legal_actions()
        if crowded and chance.random() < 0.9:
            side = int(position.state[rules.OPEN])
            at_the_side = [a for a in actions if a < 3 * layout.rings and side >> a % layout.rings & 1]
            actions = at_the_side or actions
        action = chance.choice(actions)
        slow.play(as_reference(layout, form.steps(action)[0]))
        position = position.play_action(action)
        assert_same(position, slow, layout)
    return position.outcome


@pytest.mark.parametrize(("rings", "turns"), [(19, 648), (37, 1944), (48, 2961), (61, 4320)])
def test_first_turns_are_counted(rings: int, turns: int) -> None:
    assert count_turns(game(f"zertz:{rings}").start(), 1) == turns
    assert len(game(f"zertz:{rings}/joint").start().legal_actions()) == turns
    assert ReferenceZertz(BOARDS[rings]).turn_count(1) == turns


def count_turns(position: Position, depth: int) -> int:
    """The number of sequences of whole turns, each action of the split form played by the compiled rules."""
    if depth == 0:
        return 1
    afters = [position.play_action(action) for action in position.legal_actions()]
    return sum(count_turns(after, depth - (after.state[rules.PHASE] == rules.TURN)) for after in afters)


def test_two_turns_on_a_small_board_are_counted_as_in_the_reference() -> None:
    small = (2, 3, 2)
    counted = count_turns(game("zertz:2-3-2").start(), 2)
    assert counted == ReferenceZertz(small).turn_count(2)
    assert counted == sum(
        len(game("zertz:2-3-2/joint").start().play_action(action).legal_actions()) or 0
        for action in game("zertz:2-3-2/joint").start().legal_actions()
    )


def test_two_turns_on_19_rings_are_counted() -> None:
    """Counted once by the slow reference, and here by both forms of the compiled rules."""
    start = game("zertz:19/joint").start()
    afters = [start.play_action(action) for action in start.legal_actions()]
    assert sum(len(after.legal_actions()) for after in afters) == TWO_TURNS_ON_19


@pytest.mark.parametrize(
    "name",
    [
        "zertz:19",
        "zertz:19/deepzertz",
        "zertz:37",
        "zertz:37/blitz",
        "zertz:48",
        "zertz:61",
        "zertz:3-4-3-4-3/pool=4-4-4",
        "zertz:2-3-2/pool=1-1-1/goal=3-3-3-3",
        "zertz:19/joint",
        "zertz:19/deepzertz/joint",
    ],
)
@pytest.mark.parametrize("encoding", ["board", "deepzertz"])
def test_promises_are_kept(name: str, encoding: str) -> None:
    report = check_game(game(name, encoding), games=12)
    assert report.extra_turns > 0


@pytest.mark.parametrize(("name", "games"), [("zertz:37/joint", 4), ("zertz:48/joint", 2), ("zertz:61/joint", 2)])
def test_promises_are_kept_in_joint_form_on_large_boards(name: str, games: int) -> None:
    assert check_game(game(name), games=games).moves > 0


@pytest.mark.parametrize(
    ("name", "symmetries"),
    [("19", 12), ("37", 12), ("48", 6), ("61", 12), ("2-3-4-3", 6), ("3-4-3-4-3", 4), ("2-3-4", 2)],
)
def test_boards_have_their_symmetries(name: str, symmetries: int) -> None:
    assert len(game(f"zertz:{name}").symmetries) == symmetries


def test_joint_form_has_the_sizes_of_the_paper() -> None:
    assert game("zertz:37/joint").action_count == 7644
    assert game("zertz:19/deepzertz/joint").action_count == 2100
    assert game("zertz:37/joint", "deepzertz").planes.shape == (31, 7, 7)
    assert game("zertz:19/deepzertz/joint").planes.shape[1:] == (5, 5)
    assert game("zertz:61").planes.shape[1:] == (9, 9)


@pytest.mark.parametrize("name", ["zertz:19", "zertz:19/deepzertz", "zertz:37", "zertz:61"])
def test_split_and_joint_form_agree(name: str) -> None:
    layout = Layout(BOARDS[int(name.removeprefix("zertz:")[:2])])
    split_form, joint_form = ActionForm(layout, joint=False), ActionForm(layout, joint=True)
    chance = random.Random(3)
    for _ in range(8):
        split, whole = game(name, "deepzertz").start(), game(f"{name}/joint", "deepzertz").start()
        while not whole.is_over:
            assert np.array_equal(split.state, whole.state)
            assert np.array_equal(split.planes(), whole.planes())
            assert whole_turns(split, split_form, joint_form) == whole.legal_actions()
            action = chance.choice(whole.legal_actions())
            for step in split_form.actions(joint_form.steps(action)):
                split = split.play(step)
            whole = whole.play_action(action)
        assert split.outcome is whole.outcome


def whole_turns(split: Position, split_form: ActionForm, joint_form: ActionForm) -> list[int]:
    """The joint actions that the legal steps of the split form make up."""
    turns = []
    for action in split.legal_actions():
        after = split.play_action(action)
        rings = after.legal_actions() if after.state[rules.PHASE] == rules.REMOVE else []
        first = split_form.steps(action)
        turns += [joint_form.actions(first + split_form.steps(ring))[0] for ring in rings]
        turns += [] if rings else [joint_form.actions(first)[0]]
    return sorted(turns)


@pytest.mark.parametrize(
    ("name", "forced"), [("zertz:37", rules.forced_capture), ("zertz:37/joint", joint.forced_capture)]
)
def test_forced_captures_are_recognised(name: str, forced: object) -> None:
    played: Game = game(name)
    chance = random.Random(5)
    found = 0
    for _ in range(6):
        position = played.start()
        while not position.is_over:
            legal = position.legal_actions()
            steps = position.game.notation.form.steps(legal[0])  # type: ignore[attr-defined]
            only = legal[0] if len(legal) == 1 and isinstance(steps[0], Jump) else -1
            assert forced(played.geometry, position.state.copy()) == only  # type: ignore[operator]
            found += only >= 0
            position = position.play_action(chance.choice(legal))
        assert forced(played.geometry, position.state.copy()) == -1  # type: ignore[operator]
    assert found > 20


def test_full_board_wins_for_who_fills_it() -> None:
    results = [finish_randomly(game("zertz:19"), seed) for seed in range(60)]
    filled = [final for final in results if final.state[rules.RINGS] == 0]
    assert len(filled) >= 10
    for final in filled:
        assert final.previous is not None
        assert final.outcome == final.previous.to_move
        assert game("zertz:19").position(final.text).outcome is final.outcome


def finish_randomly(played: Game, seed: int) -> Position:
    chance = random.Random(seed)
    position = played.start()
    while not position.is_over:
        position = position.play_action(chance.choice(position.legal_actions()))
    return position


NO_RING_IS_FREE = "__GG/__B._/__G.G_/___B___/_B.B__/_B.__/__BB 0-0-0 3-2-1/3-2-2 2 -"  # and the pool is empty
CYCLE = "Bc4 xc4Be3 xf2Bd4 Bf2"  # each puts back what was captured


def test_third_repetition_is_a_draw() -> None:
    position = game("zertz:37").position(NO_RING_IS_FREE)
    again = position.play_line(CYCLE)
    assert again == position
    assert again.outcome is Outcome.ONGOING
    before = again.play_line("Bc4 xc4Be3 xf2Bd4")
    assert before.outcome is Outcome.ONGOING
    final = before.play("Bf2")
    assert final.outcome is Outcome.DRAW
    assert final.key != position.key
    assert game("zertz:37").position(final.text).outcome is Outcome.DRAW
    with pytest.raises(IllegalMove, match="over"):
        final.play("Bc4")


def test_repetition_counts_only_since_the_last_ring_was_removed() -> None:
    position = game("zertz:37").position(NO_RING_IS_FREE).play_line(CYCLE)
    assert position.state[rules.SEEN] == 5
    assert game("zertz:37").start().play("Wd4,d1").state[rules.SEEN] == 0


def test_old_keys_make_room_for_new_ones() -> None:
    state = game("zertz:37").start().state.copy()
    for key in range(rules.MOST_KEYS + 5):
        assert not rules.third_time(state, key + 1)
    assert state[rules.SEEN] == rules.MOST_KEYS
    assert state[rules.KEYS] == 6
    assert not rules.third_time(state, 40)
    assert rules.third_time(state, 40)


def test_a_player_who_cannot_move_loses() -> None:
    """With one white marble in all, the second player has nothing to put and nothing to capture."""
    final = game("zertz:1-2/pool=1-0-0").start().play_line("Wa1,b1")
    assert final.outcome is Outcome.FIRST
    assert final.text.endswith("2 1-wins")


def test_long_games_are_drawn_at_the_end_of_a_turn() -> None:
    position = game("zertz:37").start()
    state = position.state.copy()
    state[rules.ACTIONS] = rules.LENGTH_CAP - 2
    late = Position(game("zertz:37"), state)
    assert late.play("Wd4").outcome is Outcome.ONGOING
    final = late.play("Wd4,d1")
    assert final.outcome is Outcome.DRAW
    assert final.legal_actions() == []
    assert final.text.endswith(" draw")


def test_random_games_are_quick_and_repeatable() -> None:
    played = game("zertz:37")
    assert played.random_games(200, seed=3) == played.random_games(200, seed=3)
