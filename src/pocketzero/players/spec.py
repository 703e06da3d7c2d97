"""Players by their text names: ``random``, ``uct:sims=1000``, ``alphabeta:seconds=1``, ``engine:gomocup ./brain``.

A text is the name of a kind, then, after a colon, options ``name=value`` with commas between them. Modules of players
are imported only when their name is asked for, since most of them bring compiled code.
"""

from __future__ import annotations

import importlib
import math
import typing
from dataclasses import fields

from pocketzero.errors import PocketZeroError, UnknownName, nearest
from pocketzero.games import Game
from pocketzero.players.base import CannotPlay, Kind, Player, family_of

MODULES: dict[str, tuple[str, ...]] = {  # where the kinds of each name are; a module has them in KINDS
    "random": ("chance",),
    "uct": ("uct",),
    "easy": ("dots.levels",),
    "medium": ("dots.levels",),
    "hard": ("dots.levels",),
    "exact": ("dots.exact", "mnk.exact"),
    "alphabeta": ("dots.alphabeta", "zertz.alphabeta"),
    "threats": ("mnk.threats",),
    "greedy": ("zertz.greedy",),
    "joint": ("zertz.forms",),
    "net": ("zero",),
    "zero": ("zero",),
    "human": ("human",),
    "engine": ("engine.kinds",),
}


def kinds(name: str) -> list[Kind]:
    """All kinds of players with this name."""
    if name not in MODULES:
        raise UnknownName(f"There is no player called {name!r}. {nearest(name, MODULES)}Players: {', '.join(MODULES)}.")
    modules = (importlib.import_module(f"pocketzero.players.{module}") for module in MODULES[name])
    return [kind for module in modules for kind in module.KINDS if kind.name == name]


def all_kinds() -> list[Kind]:
    """Every kind of player there is."""
    return [kind for name in MODULES for kind in kinds(name)]


def plays(kind: Kind, game: Game) -> bool:
    """Whether a kind of player plays a game on this board."""
    return (not kind.families or family_of(game) in kind.families) and kind.fits(game)


def make_player(text: str, game: Game, *, seed: int = 0) -> Player:
    """The player that a text names, ready to play this game."""
    name, _, rest = text.strip().partition(":")
    kind = kind_for(name, game)
    player = kind.make(game, read_options(kind, rest))
    player.text = text.strip()
    player.begin(seed)
    return player


def kind_for(name: str, game: Game) -> Kind:
    """The kind with this name that plays this game; if there is none, the error says what it does play."""
    found = kinds(name)
    fitting = [kind for kind in found if not kind.families or family_of(game) in kind.families]
    if not fitting:
        played = sorted({family for kind in found for family in kind.families})
        raise CannotPlay(f"{name} does not play {game.name}; it plays {', '.join(played)}.")
    if not fitting[0].fits(game):
        raise CannotPlay(f"{name} does not play {game.name}; it plays {fitting[0].boards}.")
    return fitting[0]


def is_at_terminal(text: str, game: Game) -> bool:
    """Whether a text names a person at this terminal."""
    return kind_for(text.strip().partition(":")[0], game).at_terminal


def read_options(kind: Kind, text: str) -> object:
    """The options that a text sets; an unknown name or a value that does not fit is an error that says what exists."""
    types = typing.get_type_hints(kind.options)
    found: dict[str, object] = {}
    if kind.whole_rest:
        found[kind.rest] = text.strip()
    else:
        for number, part in enumerate(text.split(",") if text.strip() else []):
            name, equals, value = (word.strip() for word in part.partition("="))
            if not equals and kind.rest and number == 0:
                name, value = kind.rest, name
            if name not in types:
                raise _unknown_option(kind, name, list(types))
            if name in found:
                raise PocketZeroError(f"{kind.name}: the option {name!r} is given twice.")
            found[name] = read_value(f"{kind.name}: {name}", value, types[name])
    return kind.options(**found)


def _unknown_option(kind: Kind, name: str, known: list[str]) -> PocketZeroError:
    exist = f"Its options: {', '.join(known)}." if known else "It has no options."
    return UnknownName(f"The player {kind.name} has no option {name!r}. {nearest(name, known)}{exist}")


def read_value(what: str, text: str, wanted: object) -> object:
    """A value of the wanted type: a number, a switch, one of some words, or a text."""
    if typing.get_origin(wanted) is typing.Literal:
        words = [str(word) for word in typing.get_args(wanted)]
        if text not in words:
            raise PocketZeroError(f"{what} is one of {', '.join(words)}, not {text!r}.")
        return text
    if wanted is bool:
        switches = {
            "true": True,
            "yes": True,
            "on": True,
            "1": True,
            "false": False,
            "no": False,
            "off": False,
            "0": False,
        }
        if text.lower() not in switches:
            raise PocketZeroError(f"{what} is yes or no, not {text!r}.")
        return switches[text.lower()]
    if wanted in (int, float):
        return _read_number(what, text, int if wanted is int else float)
    return text


def _read_number(what: str, text: str, wanted: type[int] | type[float]) -> float:
    """A finite number; 20_000 and 20000 are the same."""
    try:
        number = wanted(text)
    except ValueError:
        kind = "a whole number" if wanted is int else "a number"
        raise PocketZeroError(f"{what} is {kind}, not {text!r}.") from None
    if not math.isfinite(number):
        raise PocketZeroError(f"{what} must be finite, not {text!r}.")
    return number


def describe_options(kind: Kind) -> list[str]:
    """The options with their defaults, as people type them."""
    return [f"{each.name}={each.default}" for each in fields(kind.options)]
