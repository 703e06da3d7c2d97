"""Who sits at a side: a person, or a player by level or by name. What a client writes never becomes a path.

Levels go from beginner up. Texts of players are checked against the kinds that exist; their budgets are capped, outside
programs are refused, and nets are named by what ships or by the runs that the server lists, never by a file.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import re
import textwrap
import typing
from dataclasses import dataclass
from functools import cache
from typing import Any

from pocketzero.app.analysis.evaluators import fits, fitting_nets
from pocketzero.app.server.limits import Limits
from pocketzero.app.server.runs import NAME
from pocketzero.errors import PocketZeroError, UnknownName
from pocketzero.games import Game
from pocketzero.games import game as game_by_name
from pocketzero.players.base import Kind, Player, family_of
from pocketzero.players.spec import MODULES, kinds, plays, read_options
from pocketzero.players.zertz.forms import JOINT
from pocketzero.search.forest import bytes_per_node

PERSON = "person"
REFUSED = {"human", "engine"}  # the page itself is for people, and clients start no programs
NET_KINDS = ("zero", "net")  # players that name a net
NESTED = {"joint"}  # players that ask another one, in the joint form of the game
COSTS = {"seconds": 1.0, "sims": 4e-4, "nodes": 2e-5}  # seconds for each unit of a budget
UNTOLD_SECONDS = 1.0  # of a player that searches and was given no budget
QUICK_SECONDS = 0.25  # a player that needs no longer does not wait for slower ones


@dataclass(frozen=True)
class Level:
    """One step of the ladder."""

    name: str
    text: str  # the player's text
    summary: str
    elo: int | None = None  # by the arena, once it has measured the ladder


LADDERS: dict[str, tuple[Level, ...]] = {
    "dots": (
        Level("Beginner", "random", "draws any line"),
        Level("Easy", "easy", "takes boxes, avoids gifts while it can"),
        Level("Medium", "medium", "gives away as little as possible"),
        Level("Strong", "hard", "keeps control of the long chains"),
        Level("Expert", "alphabeta:seconds=1", "reads whole turns for a second"),
        Level("Perfect", "exact:seconds=10", "knows the exact value where time suffices"),
    ),
    "zertz": (
        Level("Beginner", "random", "any legal move"),
        Level("Easy", "greedy", "the best balance of captures, one turn ahead"),
        Level("Medium", "uct:sims=2000", "2,000 random games a move"),
        Level("Strong", "alphabeta:seconds=1", "reads ahead for a second"),
        Level("Expert", "alphabeta:seconds=5", "reads ahead for five seconds"),
    ),
    "mnk": (
        Level("Beginner", "random", "any cell"),
        Level("Easy", "uct:sims=100", "100 random games a move"),
        Level("Medium", "uct:sims=2000", "2,000 random games a move"),
        Level("Strong", "threats", "finds rows of threats that win"),
        Level("Perfect", "exact:seconds=10", "knows the exact value on small boards"),
    ),
}
ANY_GAME = (
    Level("Beginner", "random", "any legal move"),
    Level("Easy", "uct:sims=100", "100 random games a move"),
    Level("Medium", "uct:sims=2000", "2,000 random games a move"),
    Level("Strong", "uct:seconds=2", "two seconds of random games a move"),
)
NET_LEVELS = (("Net", 1), ("Net, thinking", 100), ("Net, thinking hard", 800))  # with so many simulations


def levels_for(game: Game) -> list[Level]:
    """The ladder of a game, without the players that do not play on this board, with those of shipped nets."""
    ladder = [level for level in LADDERS.get(family_of(game), ANY_GAME) if _plays(level.text, game)]
    if "zero" in MODULES:
        for net in fitting_nets(game):
            ladder += [
                Level(f"{name} ({net})", f"zero:{net},sims={sims}", f"the net {net}, {sims} simulations a move")
                for name, sims in NET_LEVELS
            ]
    return ladder


def _plays(text: str, game: Game) -> bool:
    name = text.partition(":")[0]
    return any(plays(kind, game) for kind in kinds(name))


def kinds_for(game: Game, runs: dict[str, str]) -> list[dict[str, Any]]:
    """All kinds of players of a game, each with its options in words, for the advanced panel.

    Players with a net choose among those that ship and those of ``runs``; where no net fits, they are left out.
    """
    nets = [*fitting_nets(game), *(name for name, path in runs.items() if fits(path, game))]
    names = [name for name in MODULES if name not in REFUSED | NESTED and (nets or name not in NET_KINDS)]
    found = [kind for name in names for kind in kinds(name) if plays(kind, game)]
    return [{"name": kind.name, "summary": kind.summary, "options": options_of(kind, nets)} for kind in found]


def options_of(kind: Kind, nets: list[str]) -> list[dict[str, Any]]:
    """The options of a kind: name, type, default, choices, and the words under the field."""
    hints, words = typing.get_type_hints(kind.options), field_words(kind.options)
    found = []
    for field in dataclasses.fields(kind.options):
        hint = hints[field.name]
        choices = list(map(str, typing.get_args(hint))) if typing.get_origin(hint) is typing.Literal else None
        type_name = "choice" if choices else getattr(hint, "__name__", "str")
        default = field.default if isinstance(field.default, str | int | float | bool) else None
        if kind.name in NET_KINDS and field.name == kind.rest:
            choices, type_name, default = nets, "choice", nets[0]
        option = {"name": field.name, "type": type_name, "default": default, "choices": choices}
        found.append({**option, "help": words.get(field.name, "")})
    return found


@cache
def field_words(options: type) -> dict[str, str]:
    """The docstring under each field of a dataclass."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(options)))
    except (OSError, SyntaxError, TypeError):
        return {}
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    words = {}
    for field, note in itertools.pairwise(body):
        is_note = isinstance(note, ast.Expr) and isinstance(note.value, ast.Constant)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and is_note:
            words[field.target.id] = " ".join(str(note.value.value).split())  # type: ignore[attr-defined]
    return words


@dataclass(frozen=True)
class Seat:
    """One side of a game."""

    text: str  # "person", or a player as clients write it
    name: str
    kind: Kind | None = None  # of player
    options: object = None
    is_quick: bool = True  # whether it answers at once, as far as its budget tells

    @property
    def is_person(self) -> bool:
        """Whether a person decides here."""
        return self.kind is None

    def make(self, game: Game, seed: int) -> Player:
        """The player of this seat."""
        assert self.kind is not None, "a person is not made"
        player = self.kind.make(game, self.options)
        player.text = self.text
        player.begin(seed)
        return player

    def to_data(self) -> dict[str, Any]:
        """For clients."""
        return {"text": self.text, "name": self.name, "person": self.is_person}


def seat_for(text: str, game: Game, limits: Limits, nets: dict[str, str]) -> Seat:
    """The seat that a text asks for; ``nets`` are the runs that may be named, and where they are."""
    text = text.strip()
    if text in (PERSON, ""):
        return Seat(PERSON, "Person")
    level = next((level.name for level in levels_for(game) if level.text == text), text)
    return _player_seat(text, level, game, limits, nets)


def _player_seat(text: str, name: str, game: Game, limits: Limits, nets: dict[str, str]) -> Seat:
    """The seat of a player; one that asks another player must be allowed to have that one too."""
    kind_name, _, rest = text.partition(":")
    if kind_name in REFUSED:
        raise PocketZeroError(f"A player {kind_name!r} cannot be used here.")
    kind = next((each for each in kinds(kind_name) if plays(each, game)), None)
    if kind is None:
        raise PocketZeroError(f"{kind_name} does not play {game.name}.")
    options = read_options(kind, rest)
    if kind_name in NESTED:
        inner = _player_seat(rest.strip(), "", game_by_name(f"{game.name}{JOINT}"), limits, {})
        return Seat(text, name, kind, options, inner.is_quick)
    options = _with_net(kind, _within_limits(options, game, limits), nets)
    return Seat(text, name, kind, options, _expected_seconds(options) <= QUICK_SECONDS)


def _within_limits(options: object, game: Game, limits: Limits) -> object:
    """The options, if they ask for no more than there is; the memory of a tree is always bounded."""
    counts_memory = hasattr(options, "memory")
    nodes_that_fit = (limits.engine_memory << 20) // bytes_per_node(game)
    caps = {
        "seconds": limits.engine_seconds,
        "sims": limits.engine_sims if counts_memory else min(limits.engine_sims, nodes_that_fit),
        "memory": limits.engine_memory,
        "nodes": limits.engine_nodes,
        "leaves": limits.engine_leaves,
        "solve": limits.engine_solve,
    }
    for option, most in caps.items():
        if getattr(options, option, 0) > most:
            raise PocketZeroError(f"{option} is at most {most:,.12g} here.")
    if counts_memory and not options.memory:  # type: ignore[attr-defined]
        return dataclasses.replace(options, memory=limits.engine_memory)  # type: ignore[type-var]
    return options


def _expected_seconds(options: object) -> float:
    """About how long a move takes, judged by the budget; a player without a budget answers at once."""
    costs = {option: cost for option, cost in COSTS.items() if hasattr(options, option)}
    spent = max((getattr(options, option) * cost for option, cost in costs.items()), default=0.0)
    return spent or (UNTOLD_SECONDS if costs else 0.0)


def _with_net(kind: Kind, options: object, nets: dict[str, str]) -> object:
    """The options with the net's name turned into the net itself; a name that is not listed is an error."""
    if kind.name not in NET_KINDS:
        _check_words(options)
        return options
    wanted = getattr(options, kind.rest)
    name, at, checkpoint = wanted.partition("@")
    if not NAME.fullmatch(name) or (at and not re.fullmatch(r"[0-9]{1,12}|best|latest", checkpoint)):
        raise UnknownName("A net is named by a plain word, with @ and a number for a checkpoint.")
    from pocketzero.nets.files import list_models

    if name in nets:
        return dataclasses.replace(options, **{kind.rest: f"{nets[name]}{at}{checkpoint}"})  # type: ignore[type-var]
    if name in list_models() and not at:
        return options
    raise UnknownName(f"There is no net {name!r}. Nets: {', '.join([*list_models(), *nets]) or 'none'}.")


def _check_words(options: object) -> None:
    """No text among the options may be a path or a command."""
    for field in dataclasses.fields(options):  # type: ignore[arg-type]
        value = getattr(options, field.name)
        if isinstance(value, str) and value and not NAME.fullmatch(value):
            raise PocketZeroError(f"{field.name} is a plain word here.")
