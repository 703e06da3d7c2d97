"""Nets as players: ``net:dots`` plays the move its net likes best, ``zero:dots,sims=200`` searches with it.

A plain name is a net that ships, anything else a path: of a net file, or of a run directory, with ``@`` and the number
of a checkpoint if it should not be the latest. None of this needs PyTorch if the net is an ONNX file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position
from pocketzero.nets import NetEvaluator, find_net, list_models, open_evaluator
from pocketzero.players.base import CannotPlay, Kind, Player, family_of, random_source
from pocketzero.search import Search, SearchResult, Settings

NEARLY = 1e-4  # chances that differ by a smaller share are equal; the seed decides between them


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """Which net, and how it is run."""

    net: str = ""
    """A net that ships, a net file, or a run directory (RUN@123 for a checkpoint); without it, the game's own."""
    temperature: float = 0.0
    """Above 0, moves are drawn by chance: the higher, the wilder."""
    device: Literal["auto", "openvino", "torch", "cuda"] = "auto"
    precision: Literal["auto", "bf16", "f32"] = "auto"

    def __post_init__(self) -> None:
        if self.temperature < 0:
            raise PocketZeroError("The temperature of a net cannot be negative.")


@dataclass(frozen=True, kw_only=True)
class NetOptions(SourceOptions):
    """How to play by a net's policy."""

    reduced: bool = True
    """Play only moves that are enough to keep the value, where the game knows them."""
    symmetry: Literal["none", "all"] = "all"
    """Show the net the position as it is, or in all its symmetries, and take the mean of the policies."""


@dataclass(frozen=True, kw_only=True)
class ZeroOptions(SourceOptions):
    """How to search with a net."""

    sims: int = 0
    """Simulations for each move; 0 leaves it to the time. With neither, 200."""
    seconds: float = 0.0
    """Seconds for each move; 0 leaves it to the simulations."""
    c: float = 1.25
    """Exploration constant of PUCT."""
    leaves: int = 8
    """Leaves that are evaluated at once."""
    noise: float = 0.0
    """Share of Dirichlet noise at the root."""
    reduced: bool = True
    """Search only moves that are enough to keep the value, where the game knows them."""
    symmetry: Literal["none", "random", "all"] = "random"
    reuse: bool = True
    """Keep what was found before when the game goes on."""
    solve: int = -1
    """How many positions the game may visit to solve one leaf exactly; -1 leaves it to the game."""
    proven: bool = True
    """Let proven results travel up the tree; without it, as in the papers, a search only averages."""
    alternating: bool = False
    """Take every line for the end of a turn: the mistake of the 2022 thesis, in Dots and Boxes only."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sims < 0 or self.seconds < 0:
            raise PocketZeroError("zero: sims and seconds cannot be negative.")


def evaluator_for(game: Game, options: SourceOptions) -> NetEvaluator:
    """The evaluator of the net that options name."""
    name = options.net or family_of(game)
    if not options.net and name not in list_models():
        raise CannotPlay(f"No net for {name} ships yet; name a net file or a run directory, as net:./runs/mine.")
    return open_evaluator(name, game, device=options.device, precision=options.precision)


class NetPlayer(Player):
    """Plays by the net's policy alone."""

    def __init__(self, game: Game, options: NetOptions) -> None:
        self._options = options
        self._evaluator = evaluator_for(game, options)
        self.version = net_version(options, game)

    def begin(self, seed: int) -> None:
        """Among moves that the net likes equally, the seed decides."""
        self._chance = random_source(seed)

    def choose(self, position: Position) -> int:
        """The move that the net likes best, or one drawn by the temperature."""
        moves = np.array(self._moves(position))
        chances = self._policy(position, moves)
        if self._options.temperature > 0:
            weights = (chances / chances.max()) ** (1 / self._options.temperature)
            return int(self._chance.choice(moves, p=weights / weights.sum()))
        return int(self._chance.choice(moves[chances >= chances.max() * (1 - NEARLY)]))

    def _moves(self, position: Position) -> list[int]:
        """The moves to choose from."""
        reduced = position.reduced_actions() if self._options.reduced else None
        return position.legal_actions() if reduced is None else reduced

    def _policy(self, position: Position, moves: NDArray[np.int64]) -> NDArray[np.float64]:
        """The chance that the net gives each of these moves, on average over the symmetries."""
        shown = Position(self._evaluator.game, position.state.copy())
        symmetries = shown.game.symmetries if self._options.symmetry == "all" else shown.game.symmetries[:1]
        planes = np.stack([shown.planes(number) for number in range(len(symmetries))])
        logits = self._evaluator.evaluate(planes)[0].astype(np.float64)
        scores = np.stack([row[turned[moves]] for row, turned in zip(logits, symmetries)])
        weights = np.exp(scores - scores.max(1, keepdims=True))
        return (weights / weights.sum(1, keepdims=True)).mean(0)


class ZeroPlayer(Player):
    """Searches with a net, and keeps its tree while the game goes on."""

    def __init__(self, game: Game, options: ZeroOptions) -> None:
        self._options = options
        self._evaluator = evaluator_for(game, options)
        self.version = net_version(options, game)
        self._settings = Settings(
            c=options.c,
            leaves=options.leaves,
            noise=options.noise,
            reduced=options.reduced and game.has_reduction,
            symmetry=options.symmetry,
            solve_budget=game.solve_budget if options.solve < 0 else options.solve,
            proven=options.proven,
            margin=self._evaluator.description.margin,
        )
        self._seen = _alternating(self._evaluator.game) if options.alternating else self._evaluator.game
        self._search: Search | None = None

    def begin(self, seed: int) -> None:
        """A new game: nothing is remembered of the one before."""
        self._seed = seed
        self._chance = random_source(seed)
        self._search = None

    def choose(self, position: Position) -> int:
        """The move that was searched most, or one drawn by the temperature; a forced move at once."""
        legal = position.legal_actions()
        if len(legal) == 1:
            return legal[0]
        search = self._search = self._continued(position)
        sims = self._options.sims or (None if self._options.seconds else 200)
        search.run(sims=sims, seconds=self._options.seconds or None)
        if self._options.temperature > 0:
            return search.choose(how="sample", temperature=self._options.temperature, chance=self._chance)
        return search.choose()

    def stop(self) -> None:
        """Play what was searched most so far."""
        if search := self._search:
            search.stop()

    @property
    def thought(self) -> SearchResult | None:
        """What its last search found."""
        return self._search.report() if self._search is not None else None

    def _continued(self, position: Position) -> Search:
        """The search of the move before, if this position follows from it; otherwise a new one."""
        search = self._search
        if search is not None and self._options.reuse:
            new = position.actions[search.position.ply :]
            if (
                position.ply > search.position.ply
                and position.actions[: search.position.ply] == search.position.actions
            ):
                for action in new:
                    search.play(action)
                return search
        shown = Position(self._seen, position.state.copy(), position.previous, position.action)
        return Search(shown, self._evaluator, self._settings, seed=self._seed + position.ply)


def _alternating(game: Game) -> Game:
    """The game as the 2022 thesis saw it; loaded only now, since other games can do without the rules of this one."""
    from pocketzero.games.dots.alternating import alternating

    return alternating(game)


def net_version(options: SourceOptions, game: Game) -> str:
    """What tells nets apart that have the same name: the contents of the file."""
    import hashlib

    return hashlib.sha256(find_net(options.net or family_of(game)).read_bytes()).hexdigest()[:12]


KINDS = [
    Kind(name="net", summary="a net's first thought, without search", options=NetOptions, make=NetPlayer, rest="net"),
    Kind(name="zero", summary="tree search with a net", options=ZeroOptions, make=ZeroPlayer, rest="net"),
]
