"""The commands about learning: train, runs, plot."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pocketzero.app.cluster_option import CommandWithRay, RayOption, without_ray_on_stdout
from pocketzero.errors import PocketZeroError, need_finite

if TYPE_CHECKING:
    from pocketzero.training.mirror import Mirror

RUNS = Path("runs")


def train(
    game: Annotated[str, typer.Argument(help="The game, such as dots:3x3 or mine.py:game.")],
    run: Annotated[
        str, typer.Option("--run", help="The run directory, or a URL; by default a folder named by the game.")
    ] = "",
    minutes: Annotated[float, typer.Option(help="How long, all starts together; 0 leaves it to the settings.")] = 0.0,
    preset: Annotated[str, typer.Option(help="A preset; by default the game's.")] = "",
    config: Annotated[Path | None, typer.Option(help="A TOML file of settings.")] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", help="One setting, as learn.batch=512.")] = None,
    init: Annotated[str, typer.Option(help="A net to start from: a name, a file or a run.")] = "",
    accept_changes: Annotated[bool, typer.Option("--accept-changes", help="Go on with other settings.")] = False,
    ray: RayOption = "",
) -> None:
    """Learn a game from its rules by self-play. The same command goes on where it stopped."""
    need_finite("--minutes", minutes)
    need_training()
    from pocketzero.app.train_screen import watching
    from pocketzero.training.config import load_config
    from pocketzero.training.loop import Run

    wanted = [*(changes or []), *([f"minutes={minutes}"] if minutes else [])]
    settings = load_config(game, preset=preset, file=config, changes=wanted)
    with _run_folder(run, game, ray) as (folder, mirror), without_ray_on_stdout(ray):
        learning = Run(settings, folder, init=init, accept_changes=accept_changes, ray=ray)
        if mirror is not None:
            mirror.when_lost = learning.stop.set
        before = signal.signal(signal.SIGINT, lambda *_: learning.stop.set())
        try:
            with watching(learning):
                status = learning.run()
        finally:
            signal.signal(signal.SIGINT, before)
    if not status.finished:
        print("Stopped. The same command goes on from here.", file=sys.stderr)
        raise SystemExit(130)
    strength = "; ".join(status.strength) or "not measured"
    print(f"{status.games} games, {status.steps} steps in {status.seconds / 60:.1f} minutes: {strength}")
    folder = learning.folder.path
    print(f"Play against it: pocketzero play {game} --opponent zero:{'' if folder.is_absolute() else './'}{folder}")


@contextmanager
def _run_folder(run: str, game: str, ray: str) -> Iterator[tuple[Path, Mirror | None]]:
    """Where a run works on this machine, and what copies it to its URL, if it has one."""
    from pocketzero.cluster import check_address
    from pocketzero.training.mirror import folder_of, is_url, mirrored

    if not is_url(run):
        yield Path(run) if run else default_folder(game), None
        return
    if ray:
        check_address(ray)  # before anything is fetched
    with mirrored(run, folder_of(run, RUNS), lambda words: print(words, file=sys.stderr)) as mirror:
        yield mirror.folder, mirror


def need_training() -> None:
    """Learning needs more than playing; say which."""
    import importlib.util

    missing = [name for name in ("torch", "pyarrow", "safetensors", "onnx") if importlib.util.find_spec(name) is None]
    if missing:
        raise PocketZeroError(
            f"Training needs {', '.join(missing)}, which the base install leaves out: pip install 'pocketzero[train]'."
        )


def default_folder(game: str) -> Path:
    """The run directory of a game."""
    return RUNS / Path(game).name.replace(":", "-").replace("/", "-").replace(".py-", "-")


def runs(
    folder: Annotated[Path, typer.Argument(help="Where the runs are.")] = RUNS,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object for each.")] = False,
) -> None:
    """List the runs and what each is doing."""
    found = [(file.parent, state) for file in sorted(folder.glob("*/state.json")) if (state := _state(file))]
    if not found and not as_json:
        print(f"There are no runs in {folder}; `pocketzero train dots:3x3` begins one.", file=sys.stderr)
    for path, state in found:
        if as_json:
            print(json.dumps({"run": str(path), **state}))
            continue
        age = time.time() - state["updated"]
        doing = state["phase"] if age < 60 or state["phase"] in ("finished", "stopped", "failed") else "interrupted"
        strength = "; ".join(state["strength"]) or "not measured"
        spent = f"{state['seconds'] / 60:6.1f} of {state['planned'] / 60:.0f} min"
        counts = f"{state['games']:7} games  {state['steps']:6} steps"
        print(f"{path!s:24} {state['game']:20} {doing:12} {spent}  {counts}  {strength}")


def _state(file: Path) -> dict[str, Any] | None:
    try:
        return dict(json.loads(file.read_text()))
    except (OSError, ValueError):
        return None


def plot(
    run: Annotated[Path, typer.Argument(help="A run directory.")],
    out: Annotated[Path | None, typer.Option(help="Where to write; by default the run directory.")] = None,
) -> None:
    """Write the curves of a run as PNG and SVG: losses, strength, mistakes, speed."""
    need_training()
    from pocketzero.training.plots import plot_run

    for path in plot_run(run, out or run):
        print(path)


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command(cls=CommandWithRay)(train)
    for command in (runs, plot):
        app.command()(command)
