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
from pocketzero.errors import PocketZeroError, UnknownName
from pocketzero.games import Game
from pocketzero.players.base import Kind, family_of
from pocketzero.players.spec import MODULES, kinds, plays, read_options

PERSON = "person"
REFUSED = {"human", "engine"}  # the page itself is for people, and clients start no programs
NET_KINDS = ("zero", "net")  # players that name a net
WORD = re.compile(r"[A-Za-z0-9_.+-]{1,40}")


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
    nets = [*fitting_nets(game), *(name for name, path in runs.items() if WORD.fullmatch(name) and fits(path, game))]
    names = [name for name in MODULES if name not in REFUSED and (nets or name not in NET_KINDS)]
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
    player: str = ""  # the player as this program makes it
    name: str = ""

    @property
    def is_person(self) -> bool:
        """Whether a person decides here."""
        return self.text == PERSON

    def to_data(self) -> dict[str, Any]:
        """For clients."""
        return {"text": self.text, "name": self.name, "person": self.is_person}


def seat_for(text: str, game: Game, limits: Limits, nets: dict[str, str]) -> Seat:
    """The seat that a text asks for; ``nets`` are the runs that may be named, and where they are."""
    text = text.strip()
    if text in (PERSON, ""):
        return Seat(PERSON, "", "Person")
    name, _, rest = text.partition(":")
    if name in REFUSED:
        raise PocketZeroError(f"A player {name!r} cannot be used here.")
    kind = next((each for each in kinds(name) if plays(each, game)), None)
    if kind is None:
        raise PocketZeroError(f"{name} does not play {game.name}.")
    options = read_options(kind, rest)
    _check_budget(options, limits)
    player = _with_net(kind, text, options, nets)
    level = next((level.name for level in levels_for(game) if level.text == text), text)
    return Seat(text, player, level)


def _check_budget(options: object, limits: Limits) -> None:
    caps = {"seconds": limits.engine_seconds, "sims": limits.engine_sims, "memory": limits.engine_memory}
    for option, most in caps.items():
        if getattr(options, option, 0) > most:
            raise PocketZeroError(f"{option} is at most {most:g} here.")
    for field in dataclasses.fields(options):  # type: ignore[arg-type]
        value = getattr(options, field.name)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**9:
            raise PocketZeroError(f"{field.name} is too large.")


def _with_net(kind: Kind, text: str, options: object, nets: dict[str, str]) -> str:
    """The player's text with the net's name turned into the net itself; a name that is not listed is an error."""
    words = [each.name for each in dataclasses.fields(options) if isinstance(getattr(options, each.name), str)]  # type: ignore[arg-type]
    if kind.name not in NET_KINDS:
        for word in words:
            if not WORD.fullmatch(getattr(options, word) or "x"):
                raise PocketZeroError(f"{word} is a plain word here.")
        return text
    wanted = getattr(options, kind.rest, "")
    name, at, checkpoint = wanted.partition("@")
    if not WORD.fullmatch(name) or (at and not re.fullmatch(r"[0-9]{1,12}|best|latest", checkpoint)):
        raise UnknownName("A net is named by a plain word, with @ and a number for a checkpoint.")
    from pocketzero.nets.files import list_models

    if name in nets:
        kind_name, _, rest = text.partition(":")
        place = re.compile(rf"(^|,)(\s*{kind.rest}\s*=\s*)?\s*{re.escape(wanted)}\s*(?=,|$)")
        found = place.sub(lambda match: f"{match[1]}{match[2] or ''}{nets[name]}{at}{checkpoint}", rest, count=1)
        return f"{kind_name}:{found}"
    if name in list_models() and not at:
        return text
    raise UnknownName(f"There is no net {name!r}. Nets: {', '.join([*list_models(), *nets]) or 'none'}.")
