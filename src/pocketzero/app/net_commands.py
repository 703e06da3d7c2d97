"""The commands about nets: models, which lists those that ship, and export."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pocketzero.errors import PocketZeroError, UnknownName, nearest

CARD = ".md"  # beside each net that ships: how it was trained and how strong it is


def models(name: Annotated[str, typer.Argument(help="A net, to read its whole card.")] = "") -> None:
    """List the nets that ship, or show the card of one: how it was trained, how strong it is, what it cannot do."""
    from pocketzero.nets.files import find_net, list_models, models_folder, read_description

    known = list_models()
    if name:
        if name not in known:
            raise UnknownName(
                f"No net called {name!r} ships. {nearest(name, known)}Nets: {', '.join(known) or 'none'}."
            )
        print((models_folder() / f"{name}{CARD}").read_text(encoding="utf-8"), end="")
        return
    for each in known:
        file, net = find_net(each), read_description(find_net(each))
        size = f"{net.channels} channels x {net.blocks} blocks, {file.stat().st_size / 1e6:.1f} MB"
        print(f"{each:8} {net.boards}\n         {size}; reads '{net.encoding}'")
        print(f"         {_summary(models_folder() / f'{each}{CARD}')}")
    if not known:
        print("No nets ship with this version.", file=sys.stderr)
    else:
        print(f"For example: pocketzero play --opponent zero:{known[0]},sims=200; pocketzero models {known[0]}")


def _summary(card: Path) -> str:
    """The first paragraph under the title of a card, on one line."""
    paragraphs = card.read_text(encoding="utf-8").split("\n\n")
    return " ".join(paragraphs[1].split())


def export(
    net: Annotated[str, typer.Argument(help="A net: a run such as ./runs/mine@best, a file, or a name.")],
    out: Annotated[Path, typer.Argument(help="The file to write: .onnx to play without PyTorch, or .safetensors.")],
) -> None:
    """Write a net as ONNX, which plays without PyTorch, or as safetensors, from which training can go on."""
    from pocketzero.app.train_commands import need_training

    need_training()
    from pocketzero.nets.export import export_onnx
    from pocketzero.nets.files import ONNX, WEIGHTS, find_net, load_net, save_net

    source = find_net(net)
    if source.suffix == ONNX and (source := source.with_suffix(WEIGHTS)) and not source.is_file():
        raise PocketZeroError(f"{net} is an ONNX file already, and its {WEIGHTS} file is not beside it.")
    if out.suffix not in (ONNX, WEIGHTS):
        raise PocketZeroError(f"A net is written as {ONNX} or {WEIGHTS}, not {out.name!r}.")
    write = export_onnx if out.suffix == ONNX else save_net
    print(write(load_net(source), out))


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(models)
    app.command()(export)
