"""The option ``--ray``: alone it means this machine, with an address the cluster that answers there."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from typing import Annotated

import typer
from typer.core import TyperCommand

NAME = "--ray"
RayOption = Annotated[
    str,
    typer.Option(NAME, metavar="[ADDRESS]", help="Use a Ray cluster; without an address, one of this machine alone."),
]


def without_ray_on_stdout(ray: str) -> AbstractContextManager[object]:
    """Ray tells of nodes that die by printing; that must not get between what programs read."""
    return redirect_stdout(sys.stderr) if ray else nullcontext()


class CommandWithRay(TyperCommand):
    """A command whose ``--ray`` may stand without an address: last, or before another option."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Put in what is left out."""
        from pocketzero.cluster import LOCAL  # only now: `--help` should be there at once

        filled: list[str] = []
        for word, following in zip(args, [*args[1:], "-"]):
            filled.append(word)
            if word == NAME and following.startswith("-"):
                filled.append(LOCAL)
        return super().parse_args(ctx, filled)
