"""The command that runs the papers' experiments: reproduce."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

FOLDER = Path("runs") / "reproduce"


def reproduce(
    name: Annotated[str, typer.Argument(help="An experiment; without one, all are listed.")] = "",
    budget: Annotated[float, typer.Option(min=0, help="Minutes for all steps together; 30 if not given.")] = 0.0,
    games: Annotated[int, typer.Option(min=0, help="Games of each match, in place of the experiment's own.")] = 0,
    scale: Annotated[str, typer.Option(help="'paper' runs the paper's own numbers.")] = "default",
    engines: Annotated[
        list[str] | None, typer.Option("--engine", help="A further opponent, such as 'engine:line ./program'.")
    ] = None,
    positions: Annotated[Path | None, typer.Option(help="The file of positions that Berlekamp needs.")] = None,
    config: Annotated[Path | None, typer.Option(help="A settings file of the 2022 thesis (its figure 4.6).")] = None,
    run: Annotated[Path | None, typer.Option("--run", help="The folder of the experiment.")] = None,
) -> None:
    """Run an experiment of the papers and write its tables beside ours. The same command goes on where it stopped."""
    from pocketzero.app.train_commands import need_training
    from pocketzero.experiments.catalogue import experiments, find

    if not name:
        for each in experiments().values():
            print(f"{each.name:28} {each.summary}")
        return
    need_training()
    from pocketzero.app.train_screen import watching
    from pocketzero.experiments.steps import Interrupted, Lab, Wishes

    experiment = find(name)
    experiment.parameters(scale)  # a wrong scale is an error before anything is made
    wishes = Wishes(
        scale=scale, budget=budget, games=games, engines=tuple(engines or ()), positions=positions, settings=config
    )
    lab = Lab(run or default_folder(experiment.name, scale), wishes, watch=watching)
    before = signal.signal(signal.SIGINT, lambda *_: lab.interrupt())
    try:
        print(experiment.reproduce(lab))
    except Interrupted as end:
        print(end, file=sys.stderr)
        raise SystemExit(130) from None
    finally:
        signal.signal(signal.SIGINT, before)


def default_folder(name: str, scale: str) -> Path:
    """Where an experiment is kept: each scale has a folder of its own."""
    return FOLDER / (name if scale == "default" else f"{name}-{scale}")


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(reproduce)
