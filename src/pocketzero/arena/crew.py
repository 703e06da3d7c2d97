"""Matches on a Ray cluster: actors play the games, the head deals them out and keeps the results.

A game is known by its number, which with the match's seed decides all that is left to chance, so it does not matter on
which node it is played. The game of an actor that dies is dealt again; no game is kept twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

from pocketzero.arena.match import MatchPlan, make_players, play_numbered
from pocketzero.arena.openings import Openings
from pocketzero.arena.store import Played
from pocketzero.cluster import Crew, Seat, connect, programs, seats_by_core
from pocketzero.games import Game
from pocketzero.games.sent import SentFile, SentGame
from pocketzero.nets.files import find_net, models_folder
from pocketzero.players.base import CannotPlay, Player
from pocketzero.players.spec import kind_for, read_options

WAIT = 0.1  # seconds between two looks at who is free


@dataclass(frozen=True)
class SentPlayer:
    """A player as it travels: its text, and the file of the net that it names by a path."""

    text: str
    named: str = ""
    file: SentFile | None = None

    @classmethod
    def of(cls, text: str, game: Game) -> SentPlayer:
        """How a player travels; a person does not."""
        name, _, rest = text.strip().partition(":")
        kind = kind_for(name, game)
        if kind.at_terminal:
            raise CannotPlay(f"{name} plays at this terminal, not on a cluster; leave --ray out.")
        named = getattr(read_options(kind, rest), "net", "")
        path = find_net(named) if named else models_folder() / name
        return cls(text) if path.parent == models_folder() else cls(text, named, SentFile.read(path))

    def text_here(self) -> str:
        """The text that names the same player on this machine."""
        return self.text if self.file is None else self.text.replace(self.named, str(self.file.put_down()), 1)


@dataclass(frozen=True)
class SentMatch:
    """A match as it travels."""

    id: str
    game: SentGame
    a: SentPlayer
    b: SentPlayer
    plan: dict[str, Any]  # the rest of it

    @classmethod
    def of(cls, id: str, plan: MatchPlan) -> SentMatch:
        """How a match travels."""
        rest = {"games": plan.games, "openings": plan.openings, "seed": plan.seed}
        a, b = SentPlayer.of(plan.a, plan.game), SentPlayer.of(plan.b, plan.game)
        return cls(id, SentGame.of(plan.game), a, b, rest)

    def plan_here(self) -> MatchPlan:
        """The plan on this machine."""
        return MatchPlan(game=self.game.game(), a=self.a.text_here(), b=self.b.text_here(), **self.plan)


class MatchActor:
    """Plays single games of matches; its players stay until a game of another match comes."""

    def __init__(self, number: int, seat: Seat) -> None:
        self._match = ""
        self._plan: MatchPlan | None = None
        self._players: tuple[Player, ...] = ()

    def greet(self) -> dict[str, str]:
        """What runs here."""
        return programs()

    def play(self, id: str, sent: tuple[Any], number: int, opening: list[int]) -> Played:
        """One game, from the position that these actions lead to."""
        plan = self._sit_down(id, sent)
        position = plan.game.start()
        for action in opening:
            position = position.play_action(action)
        return play_numbered(plan, number, position, (self._players[0], self._players[1]), Event())

    def _sit_down(self, id: str, sent: tuple[Any]) -> MatchPlan:
        """The plan of a match, with players for it."""
        if self._plan is None or id != self._match:
            import ray

            for player in self._players:
                player.close()
            match: SentMatch = ray.get(sent[0])
            self._plan, self._players = match.plan_here(), make_players(match.plan_here())
            for player, text in zip(self._players, (match.a.text, match.b.text)):
                player.text = text  # as people know it
            self._match = id
        return self._plan


class MatchCrew:
    """Actors on all cores of a cluster, for any number of matches one after the other."""

    def __init__(self, address: str, *, workers: int = 0) -> None:
        self._cluster = connect(address, cpus=workers)
        self.actors = Crew(self._cluster, MatchActor, seats_by_core, lambda number, seat: (number, seat), most=workers)
        try:
            self.actors.begin()
        except BaseException:
            self.close()
            raise

    def play(
        self, id: str, plan: MatchPlan, openings: Openings, numbers: Iterator[int], stop: Event
    ) -> Iterator[Played]:
        """Play the games with these numbers, and give them in the order in which they end."""
        sent = (self._cluster.ray.put(SentMatch.of(id, replace(plan, sprt=None))),)
        left, dealt = deque(numbers), set[int]()
        while (left or dealt) and not stop.is_set():
            self.actors.tend()
            lost = {number for match, number in self.actors.take_lost() if match == id} & dealt
            left.extendleft(lost)
            dealt -= lost
            for member in self.actors.idle[: len(left)]:
                number = left.popleft()
                opening = openings(number // 2).actions
                self.actors.ask(member, "play", id, sent, number, opening, mark=(id, number))
                dealt.add(number)
            for _, mark, game in self.actors.gather(WAIT):
                if mark[0] == id and game.number in dealt:  # others belong to a match that was stopped
                    dealt.discard(game.number)
                    yield game

    def close(self) -> None:
        """End all actors, and the cluster if it was started for them."""
        self.actors.close()
        self._cluster.close()
