"""The player behind an engine: made when it is first needed, and bounded by the time and memory that a manager grants.

A bound becomes an option of the player's text (``uct`` with four seconds is ``uct:seconds=4``), so that every kind of
player that has such an option obeys. Nothing heavy is imported before the first command has been answered.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pocketzero.errors import PocketZeroError

if TYPE_CHECKING:
    from pocketzero.games import Game, Position
    from pocketzero.players.base import Player


def bounded(text: str, bounds: Mapping[str, float]) -> str:
    """A player's text with options that are at most so large, where its kind has options of these names."""
    from pocketzero.players.spec import kinds, read_options

    name, _, rest = text.strip().partition(":")
    kind = kinds(name)[0]
    if kind.whole_rest:
        return text
    options = read_options(kind, rest)
    words = {word.partition("=")[0].strip(): word.strip() for word in rest.split(",") if word.strip()}
    for option, most in bounds.items():
        if hasattr(options, option):
            given = getattr(options, option) if option in words else 0
            words[option] = f"{option}={min(given, most) if given > 0 else most}"
    return f"{name}:{','.join(words.values())}" if words else name


def check_player(text: str) -> None:
    """A player text that can mean nothing in any game is an error now, not at the first move."""
    from pocketzero.players.spec import kinds, read_options

    name, _, rest = text.strip().partition(":")
    for kind in kinds(name):
        if kind.at_terminal:
            raise PocketZeroError("A person cannot be the engine: its input is the manager's.")
        read_options(kind, rest)


class Thinker:
    """Chooses moves with the player of a text; without one, with the best there is for the game."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self.seed = secrets.randbits(31)
        self._player: Player | None = None
        self._made = ("", "")  # for which game, from which text
        self._loading = threading.Lock()  # Python may fail to import a package that another thread imports

    def prepare(self, game: str = "", *, only: str = "") -> None:
        """Import and compile what will be needed (of ``only`` one family of games), and look for the player."""
        with self._loading:
            self._load(game, only)

    def _load(self, game: str, only: str) -> None:
        if self.text:
            check_player(self.text)
        if game:
            from pocketzero.games.registry import game as find

            self._text_for(find(game))
        else:
            from pocketzero.games import registry

            _ = registry.family(only) if only else registry.families()
            import pocketzero.players.best  # noqa: F401 - only to have it

    def _text_for(self, game: Game) -> str:
        if self.text:
            return self.text
        from pocketzero.players.best import best_player

        player = best_player(game)
        player.close()
        return player.text

    def begin(self, seed: int | None = None) -> None:
        """A new game; without a seed, chance is chance."""
        self.seed = secrets.randbits(31) if seed is None else seed
        if self._player is not None:
            self._player.begin(self.seed)

    def choose(self, position: Position, bounds: Callable[[], Mapping[str, float]]) -> int:
        """The action to play within the bounds, which are asked for last, since loading a player takes time too."""
        from pocketzero.players.spec import make_player

        game = position.game
        if self._player is None or self._made[0] != game.name:
            with self._loading:
                self._unbounded = self._text_for(game)
                check_player(self._unbounded)  # imports it
        text = bounded(self._unbounded, bounds())
        if self._player is None or self._made != (game.name, text):
            self.close()
            self._player, self._made = make_player(text, game, seed=self.seed), (game.name, text)
        return self._player.choose(position)

    def close(self) -> None:
        """Let go of the player."""
        if self._player is not None:
            self._player.close()
            self._player = None
