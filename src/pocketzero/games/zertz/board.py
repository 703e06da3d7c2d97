"""Zertz by name: ``zertz:37``, ``zertz:37/blitz``, ``zertz:19/deepzertz/joint``, ``zertz:4-5-6-5-4/pool=5-5-5``."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pocketzero.errors import UnknownName, nearest
from pocketzero.games.base import Game, Position, Rules
from pocketzero.games.registry import Family
from pocketzero.games.zertz import joint, rules
from pocketzero.games.zertz.encode import encodings_of, split_action_cells
from pocketzero.games.zertz.layout import BOARDS, Layout
from pocketzero.games.zertz.notation import ZertzNotation
from pocketzero.games.zertz.picture import ZertzPicture
from pocketzero.games.zertz.records import OfficialText, PaperLog
from pocketzero.games.zertz.sgf import ArchiveSgf

MOST_MARBLES = 99  # of one colour

Three = tuple[int, int, int]


@dataclass(frozen=True)
class Setting:
    """What can be chosen about a game: board, marbles in the pool, goals, and the form of the actions."""

    layout: Layout
    pool: Three = (6, 8, 10)
    goal: Three = (4, 5, 6)
    each: int = 3  # of all three colours, which also wins
    joint: bool = False

    @property
    def name(self) -> str:
        """The one way to write it: variants before numbers, numbers only where they differ."""
        parts = [self.layout.name]
        for word, (pool, goal, each) in VARIANTS.items():
            if (self.pool, self.goal, self.each) == (pool, goal, each):
                parts += [word] if word != "standard" else []
                break
        else:
            parts += [f"pool={_dashes(self.pool)}"] if self.pool != STANDARD[0] else []
            parts += [f"goal={_dashes((*self.goal, self.each))}"] if (self.goal, self.each) != STANDARD[1:] else []
        return "zertz:" + "/".join(parts + ["joint"] * self.joint)

    @property
    def title(self) -> str:
        """The game in words."""
        words = self.name.removeprefix("zertz:").split("/")
        board = f"{self.layout.rings} rings" if words[0].isdecimal() else f"columns {words[0]}"
        return ", ".join([f"Zertz on {board}", *(OPTION_TITLES.get(word, word) for word in words[1:])])


STANDARD: tuple[Three, Three, int] = ((6, 8, 10), (4, 5, 6), 3)
VARIANTS: dict[str, tuple[Three, Three, int]] = {
    "standard": STANDARD,
    "blitz": ((5, 7, 9), (3, 4, 5), 2),
    "deepzertz": ((10, 10, 10), (2, 2, 2), 1),
}
OPTION_TITLES = {"blitz": "blitz", "deepzertz": "DeepZertz goals", "joint": "joint actions"}


def _dashes(numbers: tuple[int, ...]) -> str:
    return "-".join(map(str, numbers))


def _numbers(text: str) -> tuple[int, ...] | None:
    """The numbers of a text such as 6-8-10, or None."""
    return tuple(map(int, text.split("-"))) if re.fullmatch(r"[0-9]{1,3}(-[0-9]{1,3})*", text) else None


def _layout(word: str) -> Layout:
    columns = _numbers(word)
    if columns is None:
        boards = list(map(str, BOARDS))
        raise UnknownName(f"There is no Zertz board {word!r}. {nearest(word, boards)}{FAMILY.usage}.")
    if len(columns) == 1:
        if columns[0] not in BOARDS:
            raise UnknownName(
                f"There is no Zertz board of {columns[0]} rings, but of {', '.join(map(str, BOARDS))}; others are "
                "named by the lengths of their columns, such as zertz:4-5-6-5-4."
            )
        columns = BOARDS[columns[0]]
    return Layout(columns)


def _with_pool(setting: Setting, text: str) -> Setting:
    pool = _numbers(text)
    if pool is None or len(pool) != 3 or max(pool) > MOST_MARBLES or sum(pool) == 0:
        raise UnknownName(
            f"pool={text} is not a pool of white, grey and black marbles such as pool=6-8-10, with at least one "
            f"marble and at most {MOST_MARBLES} of a colour."
        )
    return replace(setting, pool=pool)


def _with_goal(setting: Setting, text: str) -> Setting:
    goal = _numbers(text)
    if goal is None or len(goal) != 4 or not 1 <= min(goal) <= max(goal) <= MOST_MARBLES:
        raise UnknownName(
            f"goal={text} is not a goal such as goal=4-5-6-3 (so many white, grey or black marbles, or so many of "
            f"each), with numbers from 1 to {MOST_MARBLES}."
        )
    return replace(setting, goal=goal[:3], each=goal[3])


def _with_option(setting: Setting, option: str) -> Setting:
    word, has_value, value = option.partition("=")
    if option in VARIANTS:
        pool, goal, each = VARIANTS[option]
        return replace(setting, pool=pool, goal=goal, each=each)
    if option in ("joint", "split"):
        return replace(setting, joint=option == "joint")
    if word in SETTERS and has_value:
        return SETTERS[word](setting, value)
    options = [*VARIANTS, "joint", "split", "pool=6-8-10", "goal=4-5-6-3"]
    raise UnknownName(
        f"Zertz has no option {option!r}. {nearest(option, options)}Options: {', '.join(options)}. {FAMILY.usage}."
    )


SETTERS: dict[str, Callable[[Setting, str], Setting]] = {"pool": _with_pool, "goal": _with_goal}


def read_setting(board: str) -> Setting:
    """The setting that a text such as ``37/blitz/joint`` names; variants first, then what changes them."""
    word, *options = board.strip().lower().split("/")
    setting = Setting(_layout(word))
    kinds = [option.partition("=")[0] for option in options]
    kinds = ["variant" if kind in VARIANTS else "form" if kind in ("joint", "split") else kind for kind in kinds]
    for kind in kinds:
        if kinds.count(kind) > 1:
            raise UnknownName(f"'zertz:{board}' says more than once what the {kind} is.")
    for option in sorted(options, key=lambda option: option not in VARIANTS):
        setting = _with_option(setting, option)
    return setting


SPLIT_RULES = Rules(
    start=rules.start,
    legal=rules.legal,
    play=rules.play,
    to_move=rules.to_move,
    outcome=rules.outcome,
    key=rules.key,
)
JOINT_RULES = replace(SPLIT_RULES, legal=joint.legal, play=joint.play)


def turn_goes_on(before: Position, action: int, after: Position) -> bool:
    """The same player goes on with a ring to remove or with a chain of jumps."""
    return bool(after.state[rules.PHASE] != rules.TURN)


def zertz_game(setting: Setting) -> Game:
    """The game with this setting."""
    layout = setting.layout
    split_actions = 10 * layout.rings
    form = joint if setting.joint else rules
    cells = np.empty(0, np.int32) if setting.joint else split_action_cells(layout)  # pairs of rings have no one cell
    return Game(
        name=setting.name,
        title=setting.title,
        rules=JOINT_RULES if setting.joint else SPLIT_RULES,
        geometry=rules.geometry_of(layout, setting.pool, setting.goal, setting.each),
        state_size=rules.STATE_SIZE,
        action_count=joint.action_count(layout.cell_count) if setting.joint else split_actions,
        max_length=rules.LENGTH_CAP + min(sum(setting.pool), layout.rings) + 1,  # the last turn may be a long chain
        encodings=encodings_of(layout, cells),
        symmetries=form.action_symmetries(layout),
        moves_again=turn_goes_on,
        notation=ZertzNotation(layout, joint=setting.joint),
        picture=ZertzPicture(layout, joint=setting.joint),
    )


def _make(board: str) -> Game:
    return zertz_game(read_setting(board))


FAMILY = Family(
    name="zertz",
    title="Zertz",
    examples=("zertz:37", "zertz:37/blitz", "zertz:48", "zertz:61", "zertz:19/deepzertz", "zertz:19/deepzertz/joint"),
    usage=(
        "zertz:RINGS with 19, 37, 48 or 61 rings, or zertz:COLUMNS such as zertz:4-5-6-5-4; then /blitz or "
        "/deepzertz, /pool=6-8-10, /goal=4-5-6-3, /joint"
    ),
    make=_make,
    formats=(OfficialText(), PaperLog(), ArchiveSgf()),
)
