"""What a game is, and what a position is.

A ``Game`` is a frozen description of one game on one board: its compiled rules, their geometry, how a net sees a
position (encodings), and how people write and draw it (notation, picture). A ``Position`` is immutable:
``position.play("aA")`` gives the next one. Underneath, a position is a fixed-length ``int64`` vector.

>>> from pocketzero.games import game
>>> position = game("dots:2x2").start()
>>> position = position.play("aA").play("Aa")
>>> position.to_move, position.outcome.name, len(position.legal_moves())
(0, 'ONGOING', 10)
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketzero.errors import BadPosition, IllegalMove, UnknownName, nearest, shortened
from pocketzero.games.playout import RandomGames, play_random_games
from pocketzero.games.table import (
    DRAW,
    FIRST_WINS,
    ONGOING,
    SECOND_WINS,
    Geometry,
    Planes,
    State,
    Table,
    no_margin,
    no_reduction,
    no_solution,
    table_of,
)

Symmetries = NDArray[np.int32]  # row s, column i: where symmetry s takes item i; row 0 leaves all in place
Rule = Callable[..., Any]


class Outcome(enum.IntEnum):
    """How a game stands. A draw is a result of its own, never "not over yet"."""

    ONGOING = ONGOING
    FIRST = FIRST_WINS
    SECOND = SECOND_WINS
    DRAW = DRAW


@dataclass(frozen=True, eq=False, kw_only=True)
class Rules:
    """The compiled rules of a game; each has the signature of its slot in ``table.SIGNATURES``."""

    start: Rule
    legal: Rule
    play: Rule
    to_move: Rule
    outcome: Rule
    key: Rule
    margin: Rule = no_margin
    reduce: Rule = no_reduction
    solve: Rule = no_solution


def no_symmetries(count: int) -> Symmetries:
    """Only the identity, for things that have no symmetry."""
    return np.arange(count, dtype=np.int32).reshape(1, count)


@dataclass(frozen=True, eq=False, kw_only=True)
class Encoding:
    """One way of showing a position to a net: planes of numbers, seen from the side of the player to move."""

    encode: Rule
    shape: tuple[int, int, int]  # planes, rows, columns
    mask: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))
    """Rows x columns, 1 where the board is; everywhere, if it is not given."""
    symmetries: Symmetries = field(default_factory=lambda: no_symmetries(0))
    """Where the game's symmetries take the flattened planes; only the identity, if it is not given."""
    reads_history: bool = False
    policy_planes: int = 0
    """How many planes of these rows and columns a convolutional policy needs, so that each action has a cell."""
    action_cells: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    """The cell of each action in the flattened policy planes; empty where actions have no place on the board."""
    owner_planes: tuple[int, int] | None = None
    """The planes that show what belongs to the mover and what to the opponent, where the game has such things."""

    def __post_init__(self) -> None:
        if self.mask.size == 0:
            object.__setattr__(self, "mask", np.ones(self.shape[1:], np.float32))
        if self.symmetries.size == 0:
            object.__setattr__(self, "symmetries", no_symmetries(int(np.prod(self.shape))))


class Notation:
    """How people write moves and positions. This plain one numbers the actions; games do better."""

    def write(self, position: Position, action: int) -> str:
        """One legal action in words that ``read`` understands in the same position."""
        return str(action)

    def read(self, position: Position, text: str) -> tuple[int, ...]:
        """The actions that a move text stands for (a whole turn may be several); legality is checked later."""
        if not text.strip().isdecimal() or len(text) > 9:
            raise IllegalMove(f"{text!r} is not a move of {position.game.name}; moves are numbers.")
        return (int(text),)

    def write_line(self, start: Position, actions: Sequence[int]) -> list[str]:
        """A line of play, in the pieces that records use (turns, where the game has a way to write them)."""
        words = []
        for action in actions:
            words.append(self.write(start, action))
            start = start.play_action(action)
        return words

    def write_position(self, position: Position) -> str:
        """The position in one line."""
        return " ".join(str(number) for number in position.state)

    def read_position(self, game: Game, text: str) -> State:
        """The state that a one-line position text stands for."""
        try:
            state = np.array([int(word) for word in text.split()], np.int64)
        except (ValueError, OverflowError):
            raise BadPosition(f"A position of {game.name} is a list of whole numbers, not {text!r}.") from None
        if len(state) != game.state_size:
            raise BadPosition(f"A position of {game.name} has {game.state_size} numbers; this one has {len(state)}.")
        return state


class Picture:
    """How a position looks. This plain one shows the bare numbers; games do better."""

    def text(self, position: Position) -> str:
        """The position drawn with letters, for a terminal."""
        return position.text

    def svg(self, position: Position) -> str:
        """The position as a drawing, readable on light and dark ground."""
        from pocketzero.games.svg import text_card

        return text_card(self.text(position))


@dataclass(frozen=True, eq=False, kw_only=True)
class Game:
    """One game on one board."""

    name: str  # the text that names it everywhere, such as "dots:5x5"
    title: str  # the same in words
    rules: Rules
    geometry: Geometry
    state_size: int
    action_count: int
    max_length: int  # the longest possible game, in actions
    encodings: Mapping[str, Encoding]  # by name; the first is the default
    encoding: str = ""
    symmetries: Symmetries = field(default_factory=lambda: no_symmetries(0))  # of the actions
    largest_margin: int = 0
    """No game ends with a greater score difference; 0 where that is not known, then nets do not learn the margin."""
    solve_budget: int = 0
    """How many positions ``solve`` may visit at each leaf of a search that is to play its best."""
    moves_again: Callable[[Position, int, Position], bool] | None = None
    """Says in plain Python whether the player who made this action moves again; without it turns alternate.
    The compiled rules keep the truth in the state; the check compares the two."""
    notation: Notation = field(default_factory=Notation)
    picture: Picture = field(default_factory=Picture)
    players: tuple[str, str] = ("first", "second")  # what people call the two sides

    def __post_init__(self) -> None:
        if not self.encoding:
            object.__setattr__(self, "encoding", next(iter(self.encodings)))
        if self.symmetries.size == 0:
            object.__setattr__(self, "symmetries", no_symmetries(self.action_count))
        self.symmetries.flags.writeable = False

    def __repr__(self) -> str:
        return f"<Game {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        from pocketzero.games.registry import game

        return game, (self.name, self.encoding)

    @cached_property
    def table(self) -> Table:
        """The rules as a table of code addresses, for kernels."""
        functions = {slot: getattr(self.rules, slot) for slot in self.rules.__dataclass_fields__}
        return table_of({**functions, "encode": self.planes.encode})

    @property
    def planes(self) -> Encoding:
        """How a net sees this game."""
        return self.encodings[self.encoding]

    @property
    def has_margin(self) -> bool:
        """Whether games end with a score difference."""
        return self.rules.margin is not no_margin

    @property
    def has_reduction(self) -> bool:
        """Whether the game knows a subset of the moves that keeps the value."""
        return self.rules.reduce is not no_reduction

    @property
    def has_solution(self) -> bool:
        """Whether the game can answer some positions exactly."""
        return self.rules.solve is not no_solution

    def with_encoding(self, encoding: str) -> Game:
        """The same game, shown to a net in another way."""
        if encoding not in self.encodings:
            raise UnknownName(
                f"{self.name} has no encoding {encoding!r}. {nearest(encoding, self.encodings)}"
                f"It has: {', '.join(self.encodings)}."
            )
        return self if encoding == self.encoding else replace(self, encoding=encoding)

    def start(self) -> Position:
        """The position in which a game begins."""
        state = np.zeros(self.state_size, np.int64)
        self.rules.start(self.geometry, state)
        return Position(self, state)

    def position(self, text: str) -> Position:
        """The position that a one-line text describes; ``position.text`` writes it."""
        position = Position(self, self.notation.read_position(self, text.strip()))
        if position.to_move not in (0, 1):
            raise BadPosition(
                f"The player to move must be the first or the second; {text.strip()!r} says {position.to_move}."
            )
        return position

    def random_games(self, games: int, *, seed: int = 0) -> RandomGames:
        """Play whole random games from the start, in one compiled call."""
        return self.start().random_games(games, seed=seed)


class Position:
    """One position of a game; it never changes."""

    __slots__ = ("_state", "action", "game", "previous")

    def __init__(self, game: Game, state: State, previous: Position | None = None, action: int | None = None) -> None:
        self.game = game
        self._state = state  # kernels take it as it is; others get a view that cannot be written
        self.previous = previous  # the position before the last action, if it is known
        self.action = action  # the action that led here from there

    def __repr__(self) -> str:
        return f"<Position {self.game.name} {self.text}>"

    def __str__(self) -> str:
        return self.game.picture.text(self)

    def _repr_svg_(self) -> str:
        return self.game.picture.svg(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.game.name == other.game.name and self.key == other.key

    def __hash__(self) -> int:
        return self.key

    @property
    def state(self) -> State:
        """The position as a vector of numbers, read-only."""
        view = self._state.view()
        view.flags.writeable = False
        return view

    @property
    def to_move(self) -> int:
        """The player to move, 0 or 1; read from the position, never guessed from the number of moves."""
        return int(self.game.rules.to_move(self._state))

    @property
    def outcome(self) -> Outcome:
        """How the game stands."""
        return Outcome(self.game.rules.outcome(self.game.geometry, self._state))

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.outcome is not Outcome.ONGOING

    @property
    def margin(self) -> int | None:
        """By how much player 0 is ahead, where the game keeps a score."""
        if not self.game.has_margin:
            return None
        return int(self.game.rules.margin(self.game.geometry, self._state))

    @property
    def key(self) -> int:
        """A 64-bit hash of the position as it matters for play."""
        return int(self.game.rules.key(self.game.geometry, self._state))

    @property
    def text(self) -> str:
        """The position in one line; ``game.position(text)`` reads it."""
        return self.game.notation.write_position(self)

    @property
    def actions(self) -> list[int]:
        """The actions that led here, as far back as they are known."""
        return [position.action for position in self._path()[1:] if position.action is not None]

    @property
    def line(self) -> list[str]:
        """The moves that led here, as people write them."""
        return self.game.notation.write_line(self.beginning, self.actions)

    @property
    def ply(self) -> int:
        """How many actions led here, as far back as they are known."""
        return len(self._path()) - 1

    @property
    def beginning(self) -> Position:
        """The position from which the moves are known."""
        return self._path()[0]

    def _path(self) -> list[Position]:
        path = [self]
        while path[-1].previous is not None:
            path.append(path[-1].previous)
        return path[::-1]

    def legal_actions(self) -> list[int]:
        """The numbers of the legal actions, lowest first; none when the game is over."""
        if self.is_over:
            return []
        moves = np.empty(self.game.action_count, np.int32)
        count = self.game.rules.legal(self.game.geometry, self._state, moves)
        return sorted(moves[:count].tolist())

    def legal_moves(self) -> list[str]:
        """The legal moves as people write them."""
        return [self.write(action) for action in self.legal_actions()]

    def reduced_actions(self) -> list[int] | None:
        """A subset of the legal actions that keeps the value, or None where the game knows none."""
        moves = np.empty(self.game.action_count, np.int32)
        count = self.game.rules.reduce(self.game.geometry, self._state, moves)
        return sorted(moves[:count].tolist()) if count >= 0 else None

    def write(self, action: int) -> str:
        """An action as people write it."""
        return self.game.notation.write(self, action)

    def play(self, move: str | int) -> Position:
        """The position after a move: a text as people write it, or the number of an action."""
        if not isinstance(move, str):
            return self._play_checked(operator.index(move), str(move))
        position = self
        for action in self.game.notation.read(self, move.strip()):
            position = position._play_checked(action, move)
        return position

    def play_line(self, moves: Sequence[str] | str) -> Position:
        """The position after a line of moves; a wrong one is named with its number."""
        position = self
        for number, move in enumerate(moves.split() if isinstance(moves, str) else moves, 1):
            try:
                position = position.play(move)
            except IllegalMove as error:
                raise IllegalMove(f"Move {number}: {error}") from None
        return position

    def _play_checked(self, action: int, text: str) -> Position:
        legal = self.legal_actions()
        if action in legal:
            return self.play_action(action)
        if not legal:
            raise IllegalMove(f"{text!r} cannot be played: the game is over.")
        raise IllegalMove(f"{text!r} is not legal here. Legal: {shortened(self.write(other) for other in legal)}.")

    def play_action(self, action: int) -> Position:
        """The position after an action that is known to be legal."""
        state = self._state.copy()
        self.game.rules.play(self.game.geometry, state, action)
        return Position(self.game, state, self, action)

    def planes(self, symmetry: int = 0) -> NDArray[np.float32]:
        """What a net sees: planes x rows x columns, turned by one of the game's symmetries."""
        encoding = self.game.planes
        flat: Planes = np.zeros(int(np.prod(encoding.shape)), np.float32)
        encoding.encode(self.game.geometry, self._state, symmetry, flat)
        return flat.reshape(encoding.shape)

    def random_games(self, games: int, *, seed: int = 0) -> RandomGames:
        """Play whole random games from here, in one compiled call."""
        game = self.game
        return play_random_games(game.table, game.geometry, self._state, game.action_count, games=games, seed=seed)
