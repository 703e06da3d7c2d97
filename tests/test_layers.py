"""The layers of the design: each imports only from those above it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "pocketzero"
GROUND = {"bits", "cluster", "compiled", "errors", "places"}  # below no layer: small things that all may use
LAYERS = ["games", "search", "nets", "players", "arena", "training", "experiments", "app"]
FORBIDDEN = {
    "games": {"torch", "openvino"},
    "search": {"torch", "openvino"},
    "players": {"torch"},
    "arena": {"torch"},
}
GAMES = {"dots", "mnk", "zertz"}


def imports_of(file: Path) -> set[str]:
    """The full names of all modules that a file imports, wherever the import stands."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative imports hide the layer"
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module or ""}
    return found


def layer_of(name: str) -> str:
    """The second part of a module's name: pocketzero.games.dots is in games."""
    return name.split(".")[1] if name.startswith("pocketzero.") else ""


def files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("file", files(), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_only_from_layers_above(file: Path) -> None:
    place = file.relative_to(PACKAGE).with_suffix("").parts[0]
    if place in {"__init__", "__main__"}:
        return
    assert place in {*GROUND, *LAYERS}, f"{file.name} belongs to no layer"
    allowed = GROUND if place in GROUND else GROUND | set(LAYERS[: LAYERS.index(place) + 1])
    names = imports_of(file)
    assert {layer_of(name) for name in names if name.startswith("pocketzero.")} <= allowed | {"__version__"}
    assert not {name.split(".")[0] for name in names} & FORBIDDEN.get(place, set())


@pytest.mark.parametrize("layer", ["search", "nets"])
def test_search_and_nets_know_no_particular_game(layer: str) -> None:
    for file in (PACKAGE / layer).rglob("*.py"):
        known = {name for name in imports_of(file) if name.startswith("pocketzero.games.")}
        assert not {name.split(".")[2] for name in known} & GAMES, file


def test_the_rule_is_not_empty() -> None:
    assert any("games" in file.parts for file in files())
    assert layer_of("pocketzero.games.base") == "games"
