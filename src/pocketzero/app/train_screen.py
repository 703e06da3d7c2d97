"""What a person sees while a run learns: a live panel on stderr, or a line now and then where there is no terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table

if TYPE_CHECKING:
    from pocketzero.training.loop import Run, Status

PLAIN_SECONDS = 30.0  # between two lines without a terminal
MOST_NODES = 12  # of a cluster that are shown one by one


class Screen:
    """Draws the state of a run each time it is asked to."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __rich__(self) -> Panel:
        status = self._run.status
        table = Table.grid(padding=(0, 2))
        for name, text in facts(status):
            table.add_row(f"[dim]{name}[/dim]", text)
        grid = Table.grid()
        grid.add_row(ProgressBar(total=status.planned, completed=min(status.seconds, status.planned), width=60))
        grid.add_row(table)
        return Panel(grid, title=f"{status.game} in {self._run.folder.path}", title_align="left")


def facts(status: Status) -> list[tuple[str, str]]:
    """What there is to say, by name."""
    left = max(0.0, status.planned - status.seconds)
    held = f" (held back {sum(status.held_losses.values()):.3f})" if status.held_losses else ""
    heads = ", ".join(f"{name} {loss:.3f}" for name, loss in status.losses.items())
    return [
        ("phase", status.phase),
        ("time", f"{minutes(status.seconds)} of {minutes(status.planned)}, {minutes(left)} left"),
        ("games", f"{status.games:,} with {status.plies:,} searched positions"),
        ("speed", f"{status.simulations_per_second:,.0f} simulations/s, {status.net_share:.0%} of the time in the net"),
        ("steps", f"{status.steps:,}"),
        ("losses", f"{heads}{held}" if heads else "not yet"),
        ("strength", "; ".join(status.strength) or "not measured yet"),
        *([("cluster", cluster_text(status.cluster))] if status.cluster else []),
    ]


def cluster_text(cluster: dict[str, Any]) -> str:
    """The nodes with their actors and pace, and how old the weights are."""
    lines = [f"{len(cluster['nodes'])} nodes, {cluster['actors']} actors, weights {cluster['staleness']:.1f} steps old"]
    for name, node in list(cluster["nodes"].items())[:MOST_NODES]:
        pace = f"{node['games_per_second']:,.1f} games/s, {node['simulations_per_second']:,.0f} simulations/s"
        lines.append(f"{name}: {node['actors']} actors, {pace}")
    if len(cluster["nodes"]) > MOST_NODES:
        lines.append(f"and {len(cluster['nodes']) - MOST_NODES} more")
    return "\n".join([*lines, *cluster["refused"]])


def minutes(seconds: float) -> str:
    """A time as people say it."""
    return f"{int(seconds // 60)}:{int(seconds % 60):02d}"


@contextmanager
def watching(run: Run) -> Iterator[None]:
    """Show a run as long as it goes on."""
    console = Console(stderr=True)
    for line in run.status.set_aside:
        console.print(line, style="yellow")
    if not console.is_terminal:
        with _plain(run):
            yield
        return
    with Live(Screen(run), console=console, refresh_per_second=2, transient=False):
        yield


@contextmanager
def _plain(run: Run) -> Iterator[None]:
    """A line on stderr now and then."""
    import threading

    over = threading.Event()

    def tell() -> None:
        while not over.wait(PLAIN_SECONDS):
            said = dict(facts(run.status))
            words = (said[name] for name in ("time", "phase", "games", "steps", "losses", "strength"))
            print(time.strftime("%H:%M:%S"), " | ".join(words), file=sys.stderr, flush=True)
            for line in said.get("cluster", "").splitlines():
                print(f"  {line}", file=sys.stderr, flush=True)

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
