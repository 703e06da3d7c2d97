"""The commands around the page: serve, and analysis as JSON lines."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pocketzero.errors import PocketZeroError

DEFAULT_PORT = 8642


def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")] = DEFAULT_PORT,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    host: Annotated[
        str, typer.Option(help="The address to listen on; the default is this machine alone.")
    ] = "127.0.0.1",
    games: Annotated[Path | None, typer.Option(help="The file in which games are kept.")] = None,
    runs: Annotated[Path, typer.Option(help="The folder of training runs.")] = Path("runs"),
    net: Annotated[str, typer.Option(help="The net for analysis, by name or file.")] = "",
    or_terminal: Annotated[
        bool, typer.Option("--or-terminal", help="Where no browser can be opened, play in the terminal instead.")
    ] = False,
) -> None:
    """Open the page: play, analyse, review, watch it learn."""
    from pocketzero.app.server.house import Setup
    from pocketzero.app.server.serving import can_open_browser
    from pocketzero.app.server.serving import serve as serve_page
    from pocketzero.app.server.store import data_folder

    if or_terminal and not can_open_browser():
        from pocketzero.app.terminal import play_in_terminal
        from pocketzero.games import game

        print("No browser can be opened here; 'pocketzero serve' serves the page to one elsewhere.", file=sys.stderr)
        play_in_terminal(game("dots:5x5"), person=0, seed=0)
        return
    setup = Setup(games=games or data_folder() / "games.sqlite", runs=runs, hosts=_names(host), net=net)
    serve_page(setup, host=host, port=port, browser=browser and can_open_browser())


def _names(host: str) -> tuple[str, ...]:
    """Under which names a server on this address is known; one on all addresses must be told by the machine's name."""
    import socket

    if host in ("0.0.0.0", "::"):
        name = socket.gethostname().lower()
        return (name, f"{name}.local", *_addresses(name))
    return (f"[{host}]" if ":" in host else host,)


def _addresses(name: str) -> list[str]:
    import socket

    try:
        return sorted({str(found[4][0]) for found in socket.getaddrinfo(name, None)})
    except OSError:
        return []


def analyse(
    json_lines: Annotated[bool, typer.Option("--json", help="Queries as JSON lines on standard input.")] = False,
    net: Annotated[str, typer.Option(help="The net, by name or file.")] = "",
) -> None:
    """Analyse positions for other programs: JSON lines in, JSON lines out, shaped like KataGo's."""
    if not json_lines:
        raise PocketZeroError("Say --json; for analysis by people there is the page, pocketzero serve.")
    from pocketzero.app.analysis.json_lines import run

    run(net)


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    for command in (serve, analyse):
        app.command()(command)
