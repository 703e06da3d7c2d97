"""Proof that a game keeps the promises of the contract: random games, with every promise tried at every turn.

``check_game(game)`` returns a report or raises ``BrokenGame``, which says what was promised, what happened instead,
and the list of moves that shows it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pocketzero.errors import BrokenGame, PocketZeroError
from pocketzero.games.base import Encoding, Game, Outcome, Position

REMEMBERED = 20_000  # positions kept to compare keys
TEXTS_PER_GAME = 30  # in about so many positions of a game everything is written and read back
SYMMETRY_EVERY = 5  # a symmetric twin is played along in every fifth game


@dataclass
class CheckReport:
    """What was played and what was proven."""

    game: str
    games: int = 0
    moves: int = 0
    longest: int = 0
    outcomes: dict[Outcome, int] = field(default_factory=dict)
    extra_turns: int = 0
    transpositions: int = 0

    def __str__(self) -> str:
        results = ", ".join(f"{outcome.name.lower()} {count}" for outcome, count in sorted(self.outcomes.items()))
        return (
            f"{self.game}: every promise kept in {self.games} games and {self.moves} moves ({results}; longest game "
            f"{self.longest}, extra turns {self.extra_turns}, transpositions {self.transpositions})"
        )


def check_game(
    game: Game, *, games: int = 100, seed: int = 0, progress: Callable[[int], None] | None = None
) -> CheckReport:
    """Play random games and prove every promise of the contract on them, or raise ``BrokenGame``."""
    chance = random.Random(seed)
    report = CheckReport(game.name)
    seen: dict[int, tuple[object, ...]] = {}
    looks: dict[bytes, int] = {}
    _check_description(game)
    for number in range(games):
        _check_one_game(game, chance, report, seen, looks, with_twin=number % SYMMETRY_EVERY == 0)
        if progress is not None:
            progress(number + 1)
    return report


def _promise(kept: bool, promise: str, position: Position, found: object = "") -> None:
    """Stop with the promise that broke and the moves that show it."""
    if not kept:
        detail = f" ({found})" if found != "" else ""
        line = " ".join(_words(position)) or "none"
        raise BrokenGame(f"{position.game.name} breaks a promise: {promise}{detail}. Moves: {line}")


def _words(position: Position) -> list[str]:
    try:
        return position.line
    except Exception:  # the notation itself may be what is broken
        return [str(action) for action in position.actions]


def _check_description(game: Game) -> None:
    """The parts that need no game to be played."""
    start = game.start()
    _, rows, columns = game.planes.shape
    permutations = {"actions": (game.symmetries, game.action_count)}
    for name, encoding in game.encodings.items():
        permutations[f"planes of {name}"] = (encoding.symmetries, int(np.prod(encoding.shape)))
    for name, (table, size) in permutations.items():
        ordered = np.sort(table, axis=1)
        is_permutation = table.shape[1] == size and bool((ordered == np.arange(size)).all())
        _promise(is_permutation, f"every symmetry permutes the {name}", start)
        _promise(bool((table[0] == np.arange(size)).all()), f"symmetry 0 leaves the {name} in place", start)
        _promise(len(table) == len(game.symmetries), f"as many symmetries of {name} as of actions", start)
    _promise(game.planes.mask.shape == (rows, columns), "the board mask has the rows and columns of the planes", start)
    for name, encoding in game.encodings.items():
        _check_targets(start, name, encoding)
    _promise(not start.is_over, "a game begins unfinished", start)


def _check_targets(start: Position, name: str, encoding: Encoding) -> None:
    """What nets are to learn has its place on the board."""
    count, (planes, rows, columns) = start.game.action_count, encoding.shape
    cells, room = encoding.action_cells, encoding.policy_planes * rows * columns
    if cells.size:
        _promise(cells.shape == (count,), f"each action has one cell in the policy planes of {name}", start)
        _promise(len(set(cells.tolist())) == count, f"no two actions share a cell of {name}", start)
        _promise(cells.min() >= 0 and cells.max() < room, f"action cells of {name} are in its policy planes", start)
        on_board = encoding.mask.ravel()[cells % (rows * columns)] == 1
        _promise(bool(on_board.all()), f"action cells of {name} are on the board", start)
    owners = encoding.owner_planes or (0,)
    _promise(min(owners) >= 0 and max(owners) < planes, f"owner planes of {name} are some of its planes", start)


def _check_one_game(
    game: Game,
    chance: random.Random,
    report: CheckReport,
    seen: dict[int, tuple[object, ...]],
    looks: dict[bytes, int],
    *,
    with_twin: bool,
) -> None:
    """One random game with all promises; the symmetric twin of the game is played along if asked for."""
    position = game.start()
    symmetry = chance.randrange(len(game.symmetries)) if with_twin else 0
    twin = position if with_twin else None
    length = 0
    while not position.is_over:
        _check_position(position, report, seen, looks, chance)
        if twin is not None:
            _check_twin(position, twin, symmetry)
        action = chance.choice(position.legal_actions())
        after = position.play_action(action)
        _check_move(position, action, after, report)
        if twin is not None:
            twin = twin.play_action(int(game.symmetries[symmetry, action]))
        position = after
        length += 1
        _promise(length <= game.max_length, f"no game is longer than {game.max_length} actions", position)
    _check_end(position, twin)
    report.games += 1
    report.moves += length
    report.longest = max(report.longest, length)
    report.outcomes[position.outcome] = report.outcomes.get(position.outcome, 0) + 1


def _check_position(
    position: Position,
    report: CheckReport,
    seen: dict[int, tuple[object, ...]],
    looks: dict[bytes, int],
    chance: random.Random,
) -> None:
    """Promises about one position that is not over."""
    game = position.game
    before = position.state.copy()
    legal = position.legal_actions()
    _promise(len(legal) > 0, "an unfinished game has a legal move", position)
    _promise(len(set(legal)) == len(legal), "no legal move is listed twice", position)
    in_range = legal[0] >= 0 and legal[-1] < game.action_count
    _promise(in_range, "actions are numbered from 0 to action_count - 1", position, legal)
    _promise(position.to_move in (0, 1), "the player to move is 0 or 1", position, position.to_move)
    reduced = position.reduced_actions()
    if reduced is not None:
        are_some = bool(reduced) and set(reduced) <= set(legal)
        _promise(are_some, "reduced moves are some of the legal ones", position, reduced)
    planes = position.planes()
    _promise(bool(np.isfinite(planes).all()), "planes are finite numbers", position)
    _promise(bool((planes * (1 - game.planes.mask) == 0).all()), "planes are empty outside the board mask", position)
    _check_keys(position, legal, planes, report, seen, looks)
    if chance.random() * game.max_length < TEXTS_PER_GAME:
        _check_notation(position, legal)
    _promise(bool((position.state == before).all()), "looking at a position does not change it", position)


def _check_keys(
    position: Position,
    legal: list[int],
    planes: NDArray[np.float32],
    report: CheckReport,
    seen: dict[int, tuple[object, ...]],
    looks: dict[bytes, int],
) -> None:
    """The same key means the same game ahead; positions that look the same have the same key."""
    key = position.key
    matters = (tuple(legal), position.to_move, position.margin)
    if key in seen:
        report.transpositions += 1
        _promise(seen[key] == matters, "positions with one key have the same moves, player and margin", position)
    look = planes.tobytes() + repr(matters).encode()
    if look in looks:
        _promise(looks[look] == key, "positions that look the same have the same key", position)
    if len(seen) < REMEMBERED:
        seen[key] = matters
        looks[look] = key


def _check_notation(position: Position, actions: list[int]) -> None:
    """What is written is read as the same thing."""
    game = position.game
    for action in actions:
        text = position.write(action)
        try:
            found = game.notation.read(position, text)
        except PocketZeroError as error:
            found = ()
            _promise(False, f"the written move {text!r} can be read", position, error)
        _promise(found == (action,), f"the written move {text!r} is read as the same action", position, found)
    text = position.text
    try:
        again = game.position(text)
    except PocketZeroError as error:
        _promise(False, f"the written position {text!r} can be read", position, error)
        return
    same = again.key == position.key and again.legal_actions() == position.legal_actions()
    _promise(same, f"the written position {text!r} is read as the same position", position, again.text)
    _promise("\n" not in text and again.text == text, "a position text is one line and stable", position, again.text)


def _check_move(before: Position, action: int, after: Position, report: CheckReport) -> None:
    """Promises about one action and what it leads to."""
    game = before.game
    twice = before.play_action(action)
    _promise(bool((twice.state == after.state).all()), "the same action leads to the same position", after)
    _promise(after.key != before.key, "an action changes the key", after)
    if after.is_over:
        return
    again = game.moves_again is not None and bool(game.moves_again(before, action, after))
    expected = before.to_move if again else 1 - before.to_move
    report.extra_turns += again
    _promise(
        after.to_move == expected,
        "the right player moves next",
        after,
        f"after {before.write(action)} player {after.to_move} is to move, not player {expected}",
    )


def _check_twin(position: Position, twin: Position, symmetry: int) -> None:
    """Symmetries commute with play, with the legal moves and with the planes of every encoding."""
    game = position.game
    turned = sorted(int(game.symmetries[symmetry, action]) for action in position.legal_actions())
    _promise(turned == twin.legal_actions(), f"symmetry {symmetry} turns the legal moves", position)
    _promise(twin.to_move == position.to_move, f"symmetry {symmetry} keeps the player", position)
    for name in game.encodings:
        view, twin_view = (Position(game.with_encoding(name), each.state.copy()) for each in (position, twin))
        planes = view.planes().ravel()
        moved = np.zeros_like(planes)
        moved[game.encodings[name].symmetries[symmetry]] = planes
        same = np.array_equal(moved, twin_view.planes().ravel())
        _promise(same, f"symmetry {symmetry} of the {name} planes commutes with play", position)
        same = np.array_equal(moved, view.planes(symmetry).ravel())
        _promise(same, f"encoding {name} with symmetry {symmetry} gives the turned planes", position)


def _check_end(position: Position, twin: Position | None) -> None:
    """Promises about a finished game."""
    game = position.game
    moves = np.empty(game.action_count, np.int32)
    count = game.rules.legal(game.geometry, position.state.copy(), moves)
    _promise(count == 0, "a finished game has no legal moves", position, count)
    if position.margin is not None:
        winner = Outcome.DRAW if position.margin == 0 else Outcome.FIRST if position.margin > 0 else Outcome.SECOND
        _promise(position.outcome is winner, "the outcome agrees with the margin", position, position.margin)
        largest = game.largest_margin or abs(position.margin)
        _promise(abs(position.margin) <= largest, f"no margin is larger than {largest}", position, position.margin)
    if twin is not None:
        _promise(twin.outcome is position.outcome, "a symmetric game has the same outcome", position)
        _promise(twin.margin == position.margin, "a symmetric game has the same margin", position)
    again = game.position(position.text)
    _promise(again.outcome is position.outcome, "a finished position is read as finished", position, again.outcome)
