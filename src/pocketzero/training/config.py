"""How a run learns: one documented tree of settings, read from presets, TOML files and ``--set``, with strict names."""

from __future__ import annotations

import tomllib
import typing
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from pocketzero.errors import PocketZeroError, UnknownName, nearest
from pocketzero.games import Game, game
from pocketzero.nets.description import family_of
from pocketzero.training.positions import PositionOptions
from pocketzero.training.schedule import Schedule
from pocketzero.training.selfplay import SelfPlayOptions

PRESETS = Path(__file__).parent / "presets"
DEFAULT = "default"
OPTIMISERS = ("adamw", "adam", "sgd")
SOFTMAXES = ("legal", "all", "head", "pixels")
SYMMETRIES = ("none", "random", "all")
GATING_MODES = ("none", "gate", "cumulative", "competition")


@dataclass(frozen=True, kw_only=True)
class NetOptions:
    """The net that learns."""

    kind: str = "sizefree"
    """``sizefree``, or one of the papers' nets (``nets/papers.py``): ``deepzertz-cnn``, ``deepzertz-dense``,
    ``dots2022``, ``gomoku``, ``alphadots``, ``alphadots-early``, ``alphadots-lstm``."""
    encoding: str = ""
    """How the net sees the game, by the name of one of the game's encodings; without it, the game's first."""
    channels: int = 32
    """Planes inside the tower; the filters of a paper's net."""
    blocks: int = 4
    """Residual blocks."""
    layers: int = 10
    """Layers one after the other, in the nets of DeepZertz."""
    kernel: int = 3
    """Size of the filters, in the nets of AlphaDots."""
    narrow: int = 1
    """How many times narrower the dense layers of the papers' nets are than there."""
    policy_only: bool = False
    """Without a value, in the nets of AlphaDots (its versions 1 to 6)."""
    pool_every: int = 2
    """Every so many blocks look at the whole board; 0 for none."""
    margin: float = 0.0
    """How much the final margin counts in values beside who wins, where the game has one."""
    extras: bool = True
    """Learn the margin, the owners and the opponent's reply too, where the game offers them."""


@dataclass(frozen=True, kw_only=True)
class ReplayOptions:
    """Which games are learned from."""

    round_plies: int = 8_000
    """Searched plies that are played before the net learns again."""
    round_games: int = 0
    """So many games instead, if above 0."""
    in_turn: bool = False
    """Show all plies of the window before any is shown again, as epochs do; otherwise each is drawn by chance."""
    reuse: float = 6.0
    """How often each searched ply is learned from, on average."""
    window: int = 40_000
    """Plies in the window at first."""
    growth: float = 0.75
    """How the window grows with the plies played (KataGo, Wu 2019: 0.75)."""
    largest: int = 600_000
    """Plies in the window at most; this bounds the memory."""


@dataclass(frozen=True, kw_only=True)
class LearnOptions:
    """How the net learns."""

    batch: int = 256
    """Samples a step."""
    threads: int = 0
    """Threads that learn; 0 for one per core. On a machine that does other work too, 1 may be quicker."""
    optimiser: str = "adamw"
    """``adamw``, ``adam`` or ``sgd``; with the last two the decay is the papers' L2 term of the loss."""
    rate: str = "0:0.0005 0.02:0.003 0.6:0.002 1:0.0001"
    """Learning rate, a schedule over the run."""
    weight_decay: float = 0.0005
    """How much of the weights goes with each step; an L2 term c·|w|² is a decay of 2c."""
    clip: float = 1.0
    """Longest gradient."""
    ema: float = 0.998
    """The net that plays is the moving average of the net that learns; each step it keeps this share of itself."""
    bf16: str = "auto"
    """Compute in bfloat16: ``yes``, ``no``, or ``auto``, where the processor does it quickly."""
    search_value: float = 0.5
    """How much of the value to be learned is the search's own, the rest being the game's result. It goes into the
    chances of winning if ``net.margin`` is 0, into the margin if that is 1, and is not used between."""
    policy: float = 1.0
    """Weights of the losses."""
    wdl: float = 1.0
    margin: float = 0.5
    owner: float = 0.3
    reply: float = 0.15
    softmax: str = "legal"
    """Over which actions the policy is learned: ``legal`` ones, ``all``, those of the same ``head`` (captures or
    placements in Zertz), or ``pixels``, each place of the board by itself (AlphaDots' early nets)."""
    symmetric: bool = True
    """Show each sample in a random symmetry."""
    history: int = 0
    """Write the losses, also of games that were held back, every so many steps; 0 for once a round."""


@dataclass(frozen=True, kw_only=True)
class MeasureOptions:
    """What is measured alongside."""

    minutes: float = 5.0
    """How often; 0 for never."""
    opponents: tuple[str, ...] = ()
    """Players that the net meets."""
    games: int = 40
    """Games against each."""
    sims: int = 100
    """Simulations of the net's player."""
    turns: int = 2
    """Random turns of the openings."""
    positions: int = 300
    """Positions in which its mistakes are counted, where a solver exists; 0 for none."""


@dataclass(frozen=True, kw_only=True)
class WarmOptions:
    """What is learned before self-play begins."""

    player: str = ""
    """A player to learn from, as ``hard`` or ``uct:sims=200``."""
    games: int = 0
    """Games of that player against itself."""


@dataclass(frozen=True, kw_only=True)
class GatingOptions:
    """Whether a net that has learned must show that it is better before it plays."""

    mode: str = "none"
    """``none``: the newest net plays. ``gate``: it plays if it scores ``threshold`` against the one that plays now,
    else it is dropped (AlphaGo Zero, Silver et al. 2017). ``cumulative``: a net that fails does not play, but learns on
    (Peters 2018). ``competition``: the net that wins more games plays and learns on, the other is dropped (da Costa
    2022)."""
    threshold: float = 0.55
    """The score that is enough, a draw being half a point (AlphaGo Zero: 0.55; Peters 2018: 0.5)."""
    games: int = 100
    """Games of each match, each opening from both sides (AlphaGo Zero: 400; Peters 2018: 1,000; da Costa 2022: 50)."""
    sims: int = 32
    """Simulations of both players; with 0, the nets play without a search (as in Peters 2018)."""
    turns: int = 2
    """Random turns of the openings."""
    options: str = ""
    """More options of both players, as ``reduced=no,proven=no``."""

    def __post_init__(self) -> None:
        if self.mode not in GATING_MODES:
            raise PocketZeroError(f"gating.mode is one of {', '.join(GATING_MODES)}, not {self.mode!r}.")
        if not 0 <= self.threshold <= 1:
            raise PocketZeroError(f"gating.threshold is between 0 and 1, not {self.threshold}.")
        if self.games < 2 or self.games % 2:
            raise PocketZeroError(f"gating.games is an even number, since sides are changed, not {self.games}.")
        if min(self.sims, self.turns) < 0:
            raise PocketZeroError("gating.sims and gating.turns cannot be negative.")


@dataclass(frozen=True, kw_only=True)
class BoardOptions:
    """One of several boards that are learned together."""

    game: str
    share: float = 1.0
    """How much of the play happens on it, compared with the other boards."""
    start: float = 0.0
    """From which part of the run on; small boards first is quicker."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """A whole run."""

    game: str = ""
    boards: tuple[BoardOptions, ...] = ()
    """The boards to learn on; only the game's own, if none are given."""
    minutes: float = 30.0
    """How long the run is planned to be; schedules follow it."""
    steps: int = 0
    """How many steps of learning it is planned to have, if that comes first; 0 for as many as the time allows."""
    rounds: int = 0
    """How many rounds of play and learning it is planned to have, if that comes first; 0 for as many as fit."""
    seed: int = 0
    threads: int = 0
    """Threads that play; 0 for one per core."""
    trees: int = 64
    """Games at once in each thread."""
    device: str = "auto"
    """What evaluates while playing: openvino, torch, cuda, or auto."""
    keep: int = 20
    """How many checkpoints of the net are kept, besides those that were measured."""
    net: NetOptions = field(default_factory=NetOptions)
    selfplay: SelfPlayOptions = field(default_factory=SelfPlayOptions)
    positions: PositionOptions = field(default_factory=PositionOptions)
    replay: ReplayOptions = field(default_factory=ReplayOptions)
    learn: LearnOptions = field(default_factory=LearnOptions)
    measure: MeasureOptions = field(default_factory=MeasureOptions)
    warm: WarmOptions = field(default_factory=WarmOptions)
    gating: GatingOptions = field(default_factory=GatingOptions)

    def __post_init__(self) -> None:
        Schedule.read(self.learn.rate)
        words = {
            "learn.optimiser": (self.learn.optimiser, OPTIMISERS),
            "learn.softmax": (self.learn.softmax, SOFTMAXES),
        }
        words["selfplay.symmetry"] = (self.selfplay.symmetry, SYMMETRIES)
        for name, (found, known) in words.items():
            if found not in known:
                raise PocketZeroError(f"{name} is one of {', '.join(known)}, not {found!r}.")
        positive = {"minutes": self.minutes, "trees": self.trees, "learn.batch": self.learn.batch}
        positive |= {"replay.round_plies": self.replay.round_plies, "replay.window": self.replay.window}
        for name, value in positive.items():
            if value <= 0:
                raise PocketZeroError(f"{name} must be above 0, not {value}.")

    def all_boards(self) -> list[tuple[Game, BoardOptions]]:
        """The boards with their games."""
        chosen = self.boards or (BoardOptions(game=self.game),)
        return [(game(board.game, self.net.encoding), board) for board in chosen]


def preset_names() -> list[str]:
    """The presets that come with the package."""
    return sorted(file.stem for file in PRESETS.glob("*.toml"))


def preset_for(board: Game) -> str:
    """The preset that fits a game best: its own, its family's, or the default."""
    own = board.name.replace(":", "-").replace("/", "-")
    names = preset_names()
    return next((name for name in (own, family_of(board), DEFAULT) if name in names), DEFAULT)


def load_config(
    board: str, *, preset: str = "", file: Path | None = None, changes: typing.Iterable[str] = ()
) -> Config:
    """The settings of a run: a preset, then a file, then single changes such as ``learn.batch=512``."""
    name = preset or preset_for(game(board))
    if name not in preset_names():
        raise UnknownName(
            f"There is no preset {name!r}. {nearest(name, preset_names())}Presets: {', '.join(preset_names())}."
        )
    config = changed(Config(game=board), read_toml(PRESETS / f"{name}.toml"))
    if file is not None:
        config = changed(config, read_toml(file))
    for change in changes:
        config = changed(config, _change(change))
    return replace(config, game=board)


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file as nested dictionaries."""
    try:
        return tomllib.loads(path.read_text())
    except OSError as error:
        raise PocketZeroError(f"The settings in {path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PocketZeroError(f"The settings in {path} are not TOML: {error}.") from None


def _change(text: str) -> dict[str, Any]:
    """``learn.batch=512`` as nested dictionaries."""
    names, equals, value = text.partition("=")
    if not equals or not names.strip():
        raise PocketZeroError(f"--set takes name=value, as learn.batch=512, not {text!r}.")
    try:
        found: Any = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        found = value.strip()  # a text without quotation marks
    for name in reversed(names.strip().split(".")):
        found = {name: found}
    return dict(found)


def changed(options: Any, values: dict[str, Any], path: str = "") -> Any:
    """The same settings with other values; names that do not exist and values of the wrong type are errors."""
    types = typing.get_type_hints(type(options))
    known = [each.name for each in fields(options)]
    found: dict[str, Any] = {}
    for name, value in values.items():
        place = f"{path}{name}"
        if name not in known:
            raise UnknownName(f"There is no setting {place!r}. {nearest(name, known)}Settings: {', '.join(known)}.")
        old = getattr(options, name)
        if is_dataclass(old) and isinstance(value, dict):
            found[name] = changed(old, value, f"{place}.")
        else:
            found[name] = _fitting(place, value, types[name])
    return replace(options, **found)


def _fitting(place: str, value: Any, wanted: Any) -> Any:
    """A value of the wanted type."""
    if wanted == tuple[BoardOptions, ...] and isinstance(value, list):
        return tuple(_board(place, each) for each in value)
    if wanted == tuple[str, ...] and isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if wanted is str and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if wanted in (int, float, str, bool) and type(value) is wanted:
        return value
    kind = getattr(wanted, "__name__", "list")
    words = {"int": "a whole number", "float": "a number", "str": "a text", "bool": "true or false"}
    raise PocketZeroError(f"{place} is {words.get(kind, 'a list')}, not {value!r}.")


def _board(place: str, value: Any) -> BoardOptions:
    if isinstance(value, str):
        return BoardOptions(game=value)
    if not isinstance(value, dict) or "game" not in value:
        raise PocketZeroError(f"{place} is a list of boards, each with a game, not {value!r}.")
    return typing.cast(BoardOptions, changed(BoardOptions(game=""), value, f"{place}."))


def to_toml(options: Any, path: str = "") -> str:
    """Settings as a TOML text that ``changed`` reads."""
    plain, tables = [], []
    for each in fields(options):
        value = getattr(options, each.name)
        name = f"{path}{each.name}"
        if is_dataclass(value):
            tables.append(f"\n[{name}]\n{to_toml(value, f'{name}.')}")
        elif isinstance(value, tuple) and value and is_dataclass(value[0]):
            tables += [f"\n[[{name}]]\n{to_toml(board)}" for board in value]
        else:
            plain.append(f"{each.name} = {_toml_value(value)}\n")
    return "".join(plain + tables)


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, tuple):
        return f"[{', '.join(_toml_value(each) for each in value)}]"
    return repr(value)


def differences(old: Any, new: Any, path: str = "") -> list[str]:
    """The names of all settings that differ."""
    found = []
    for each in fields(old):
        before, after = getattr(old, each.name), getattr(new, each.name)
        if is_dataclass(before):
            found += differences(before, after, f"{path}{each.name}.")
        elif before != after:
            found.append(f"{path}{each.name} ({before!r} before, {after!r} now)")
    return found
