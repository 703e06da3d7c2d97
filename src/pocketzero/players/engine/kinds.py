"""``engine:gomocup ./brain`` and ``engine:line ./program``: outside programs by the text that names them.

After the colon come the name of a protocol, settings ``name=value``, and then the command as it is typed in a shell.
"""

from __future__ import annotations

import shlex
import shutil
import typing
from collections.abc import Callable
from dataclasses import dataclass, fields

from pocketzero.errors import PocketZeroError, UnknownName, nearest
from pocketzero.games import Game
from pocketzero.players.base import Kind, Player
from pocketzero.players.engine.gomocup import GomocupEngine
from pocketzero.players.engine.line import LineEngine
from pocketzero.players.engine.outside import Limits
from pocketzero.players.spec import read_value

PROTOCOLS: dict[str, Callable[[Game, list[str], Limits], Player]] = {"gomocup": GomocupEngine, "line": LineEngine}
USAGE = "engine:gomocup seconds=5 COMMAND, or engine:line seconds=5 COMMAND"


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """Everything after the colon."""

    command: str = ""
    """gomocup or line, then settings (seconds=5 match=0 start=10 memory=350), then the command."""


def make_engine(game: Game, options: EngineOptions) -> Player:
    """The player that a command is; a command that cannot be run is a mistake of whoever typed it."""
    try:
        words = shlex.split(options.command)
    except ValueError as error:
        raise PocketZeroError(f"The command {options.command!r} cannot be read: {error}.") from None
    protocol, *words = words or [""]
    if protocol not in PROTOCOLS:
        hint = nearest(protocol, PROTOCOLS)
        raise UnknownName(f"engine: there is no protocol {protocol!r}. {hint}Write {USAGE}.")
    found: dict[str, typing.Any] = {}
    while words and "=" in words[0] and words[0].partition("=")[0].isidentifier():
        _read_setting(words.pop(0), found)
    if not words:
        raise PocketZeroError(f"engine:{protocol} needs a command to run: write {USAGE}.")
    if shutil.which(words[0]) is None:
        raise PocketZeroError(f"engine: there is no program {words[0]!r} that can be run.")
    return PROTOCOLS[protocol](game, words, Limits(**found))


def _read_setting(word: str, found: dict[str, typing.Any]) -> None:
    """Take one ``name=value`` into what was found."""
    name, _, value = word.partition("=")
    types = typing.get_type_hints(Limits)
    if name not in types:
        known = ", ".join(f"{each.name}={each.default:g}" for each in fields(Limits))
        raise UnknownName(f"engine has no setting {name!r}. {nearest(name, types)}Its settings: {known}.")
    if name in found:
        raise PocketZeroError(f"engine: the setting {name!r} is given twice.")
    found[name] = read_value(f"engine: {name}", value, types[name])


KINDS = [
    Kind(
        name="engine",
        summary=f"an outside program: {USAGE}",
        options=EngineOptions,
        make=make_engine,
        rest="command",
        whole_rest=True,
    )
]
