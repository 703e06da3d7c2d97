"""The settings file of the 2022 thesis (its figure 4.6): read as JSON, or as it is printed there, with its remarks."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pocketzero.errors import BadRecord, UnknownName, nearest

NAMES: dict[str, tuple[type, str]] = {  # what each name is, in the words of the figure
    "Uct": (float, "Standard MCTS UCT (UCB for trees)"),
    "Ucb": (float, "Puct for NN"),
    "SimulationsP1": (int, "MCTS simulation agent 1"),
    "SimulationsP2": (int, "MCTS simulation agent 2"),
    "MillisecondsP1": (int, "Thinking time agent 1"),
    "MillisecondsP2": (int, "Thinking time agent 2"),
    "Bonus": (int, "Bonus for standard MCTS"),
    "Boxes": (int, "Board configuration"),
    "NumberOfGames": (int, "Games to play"),
    "Agent1Type": (int, "Agent type: 3 = MCTS, 4 = Neural Network"),
    "Agent1Cnn": (int, "Network version"),
    "Agent2Type": (int, "Agent type: 3 = MCTS, 4 = Neural Network"),
    "Agent2Cnn": (int, "Network version"),
    "OutputFolder": (str, ""),
    "OutputFile": (str, ""),
    "OutputId": (str, "Adds an Id to file"),
    "Mode": (int, "Game Mode: 0 Competitive, 1 Training"),
}
COMPETITION, TRAINING = 0, 1
USED = ("Uct", "Ucb", "SimulationsP1", "Boxes", "NumberOfGames", "Mode")


@dataclass(frozen=True)
class Settings2022:
    """What a file says."""

    values: dict[str, Any]

    def changes(self) -> dict[str, Any]:
        """The same as parameters of our experiments; what has no counterpart there is left out."""
        values = self.values
        found: dict[str, Any] = {}
        if "Boxes" in values:
            found["board"] = f"dots:{values['Boxes']}x{values['Boxes']}"
        if "SimulationsP1" in values:
            found["sims"] = values["SimulationsP1"]
        if "NumberOfGames" in values:
            is_training = values.get("Mode", COMPETITION) == TRAINING
            found["games" if is_training else "competition_games"] = values["NumberOfGames"]
        found |= {ours: values[name] for name, ours in (("Ucb", "c"), ("Uct", "uct_c")) if name in values}
        return found

    @property
    def unused(self) -> list[str]:
        """The names that change nothing in our experiments, which choose players and files themselves."""
        return [name for name in self.values if name not in USED]


def read_settings(path: Path) -> Settings2022:
    """The settings in a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadRecord(f"The settings in {path} cannot be read: {error}.") from None
    bare = re.sub(r"->.*$", "", text, flags=re.MULTILINE)  # the figure's remarks
    bare = re.sub(r"^\s*\d+\s+(?=[\"{}s])", "", bare, flags=re.MULTILINE)  # and its line numbers
    bare = re.sub(r"^\s*settings\s*=\s*", "", bare)
    try:
        values = json.loads(bare)
    except json.JSONDecodeError:
        try:
            values = ast.literal_eval(bare.strip())
        except (SyntaxError, ValueError):
            values = None
    if not isinstance(values, dict):
        raise BadRecord(
            f"{path} holds no settings of the 2022 thesis: names and values in braces, as in its figure 4.6."
        )
    return Settings2022({str(name): _fitting(path, str(name), value) for name, value in values.items()})


def _fitting(path: Path, name: str, value: Any) -> Any:
    if name not in NAMES:
        raise UnknownName(f"{path}: there is no setting {name!r}. {nearest(name, NAMES)}Settings: {', '.join(NAMES)}.")
    wanted = NAMES[name][0]
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not wanted:
        kind = {int: "a whole number", float: "a number", str: "a text"}[wanted]
        raise BadRecord(f"{path}: {name} is {kind}, not {value!r}.")
    return value
