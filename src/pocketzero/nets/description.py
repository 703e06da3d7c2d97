"""What a net is, in words and numbers: enough to build it again, and to say whether it fits a game.

Every net file carries its description as JSON, so that nothing about a net has to be guessed from its weights and
loading one never runs code.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from pocketzero.errors import PocketZeroError, nearest
from pocketzero.games.base import Game

FORMAT = 1
KEY = "pocketzero"  # under which safetensors and ONNX files keep the description
ON_BOARD, PER_ACTION = "planes", "dense"  # forms of the policy
POLICY, WDL, VALUE, MARGIN, OWNER, REPLY = "policy", "wdl", "value", "margin", "owner", "reply"
OUTPUTS = (POLICY, WDL, VALUE, MARGIN, OWNER, REPLY)


class BadNet(PocketZeroError):
    """A net file that cannot be read, does not fit the game, or gives no numbers."""


@dataclass(frozen=True, kw_only=True)
class NetDescription:
    """One net. It plays every board of its game, or, if it has rows and columns, only boards of that size."""

    kind: str  # which module it is: "sizefree", or one of the papers'
    game: str  # the family of games: "dots"
    encoding: str  # what it reads
    planes: int
    outputs: tuple[str, ...] = (POLICY, WDL)  # in the order in which the module gives them
    policy: str = ON_BOARD  # logits in planes over the board, or one for each action ("dense")
    policy_planes: int = 0  # if they are in planes
    actions: int = 0  # if there is one for each action
    rows: int = 0  # of the only board that fits; 0 if all do
    columns: int = 0
    channels: int = 0
    blocks: int = 0
    pool_every: int = 0  # every so many blocks look at the whole board
    kernel: int = 3
    margin: float = 0.0  # how much the final margin counts in its values beside who wins
    layers: int = 0  # of convolutions one after the other, in nets without blocks
    dense: tuple[int, ...] = ()  # widths of the layers that see everything at once, in their order
    dropout: float = 0.0  # chance of each number to be dropped in training, where the net drops any
    boards: str = ""  # on which boards it was trained, in words
    format: int = FORMAT

    def __post_init__(self) -> None:
        object.__setattr__(self, "outputs", tuple(self.outputs))
        object.__setattr__(self, "dense", tuple(self.dense))
        for output in self.outputs:
            if output not in OUTPUTS:
                raise BadNet(f"Nets have no output {output!r}. {nearest(output, OUTPUTS)}They have: {OUTPUTS}.")
        if self.policy not in (ON_BOARD, PER_ACTION):
            raise BadNet(f"A policy is {ON_BOARD!r} or {PER_ACTION!r}, not {self.policy!r}.")
        if not all(isinstance(width, int) and width > 0 for width in self.dense):
            raise BadNet(f"The widths of dense layers are whole numbers from 1 on, not {self.dense}.")
        if not 0 <= self.dropout < 1:
            raise BadNet(f"Dropout is a chance from 0 to less than 1, not {self.dropout}.")

    @property
    def is_sizefree(self) -> bool:
        """Whether it plays boards of all sizes."""
        return self.rows == 0

    def to_json(self) -> str:
        """The description as text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str, source: str = "The net") -> NetDescription:
        """The description that a text holds; ``source`` is what messages call the net."""
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise BadNet(f"{source} has a description that is not JSON.")
        if found.get("format") != FORMAT:
            raise BadNet(f"{source} has format {found.get('format')!r}; this version reads format {FORMAT}.")
        return cls(**_checked(found, source))

    def fit(self, game: Game) -> Game:
        """The game as this net sees it, or ``BadNet`` with all that differs."""
        differences = self.differences(game)
        if differences:
            raise BadNet(f"The net ({self.kind}, {self.game}) does not fit {game.name}: {'; '.join(differences)}.")
        return game.with_encoding(self.encoding)

    def differences(self, game: Game) -> list[str]:
        """Why it cannot play this game; nothing, if it can."""
        if self.game != family_of(game):
            return [f"it was made for {self.game}, not {family_of(game)}"]
        if self.encoding not in game.encodings:
            return [f"it reads the encoding {self.encoding!r}, and the game has {', '.join(game.encodings)}"]
        planes, rows, columns = game.encodings[self.encoding].shape
        policy_planes = game.encodings[self.encoding].policy_planes
        found = []
        if self.planes != planes:
            found.append(f"it reads {self.planes} planes, and {self.encoding!r} has {planes}")
        if not self.is_sizefree and (self.rows, self.columns) != (rows, columns):
            found.append(f"it plays only boards of {self.rows}x{self.columns} cells, and this one has {rows}x{columns}")
        if self.policy == PER_ACTION and self.actions != game.action_count:
            found.append(f"it knows {self.actions} actions, and the game has {game.action_count}")
        if self.policy == ON_BOARD and self.policy_planes != policy_planes:
            found.append(f"its policy has {self.policy_planes} planes, and the game needs {policy_planes}")
        return found


def _checked(found: dict[str, Any], source: str) -> dict[str, Any]:
    """The fields of a description, all there and each of its type."""
    kinds = {field.name: field.type for field in fields(NetDescription)}
    for name, value in found.items():
        if name not in kinds:
            raise BadNet(f"{source} has a description with an unknown entry {name!r}. {nearest(name, kinds)}")
        wanted = {"str": (str,), "int": (int,), "float": (int, float)}.get(str(kinds[name]), (list,))
        if not isinstance(value, wanted) or isinstance(value, bool):
            raise BadNet(f"{source} has a description in which {name!r} is {value!r}.")
    missing = [name for name in ("kind", "game", "encoding", "planes") if name not in found]
    if missing:
        raise BadNet(f"{source} has a description without {', '.join(missing)}.")
    return found


def family_of(game: Game) -> str:
    """The family that a game belongs to: ``dots`` of dots:5x5, or the file of a game that is in one of its own."""
    name = game.name.rpartition(":")[0] if ".py:" in game.name else game.name.partition(":")[0]
    return Path(name).name


def describe(
    game: Game,
    *,
    channels: int = 64,
    blocks: int = 5,
    pool_every: int = 2,
    extras: tuple[str, ...] | None = None,
    margin: float = 0.0,
    boards: str = "",
) -> NetDescription:
    """A size-free net for a game, with all the extra outputs that the game offers unless told which."""
    planes, rows, columns = game.planes.shape
    on_board = game.planes.action_cells.size > 0
    offered = extra_outputs(game)
    for extra in extras or ():
        if extra not in offered:
            raise BadNet(f"{game.name} offers no {extra!r} to learn, but: {', '.join(offered) or 'nothing'}.")
    return NetDescription(
        kind="sizefree",
        game=family_of(game),
        encoding=game.encoding,
        planes=planes,
        outputs=(POLICY, WDL, *(offered if extras is None else extras)),
        policy=ON_BOARD if on_board else PER_ACTION,
        policy_planes=game.planes.policy_planes,
        actions=0 if on_board else game.action_count,
        rows=0 if on_board else rows,
        columns=0 if on_board else columns,
        channels=channels,
        blocks=blocks,
        pool_every=pool_every,
        margin=margin if MARGIN in offered else 0.0,
        boards=boards or game.name,
    )


def extra_outputs(game: Game) -> tuple[str, ...]:
    """What a net can learn of a game besides move and result."""
    margin = (MARGIN,) if game.has_margin and game.largest_margin else ()
    owner = (OWNER,) if game.planes.owner_planes else ()
    return (*margin, *owner, REPLY)
