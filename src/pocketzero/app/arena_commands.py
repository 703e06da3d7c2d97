"""The commands that measure players: match and tournament."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pocketzero.app.cluster_option import CommandWithRay, RayOption, without_ray_on_stdout
from pocketzero.errors import PocketZeroError

if TYPE_CHECKING:
    from pocketzero.arena.crew import MatchCrew
    from pocketzero.arena.elo import Sprt
    from pocketzero.arena.match import MatchPlan, MatchResult
    from pocketzero.arena.store import Store

MOST_SEED = (1 << 32) - 1  # what follows from a seed still fits a word
GameOption = Annotated[str, typer.Option("--game", help="The game, such as dots:5x5.")]
GamesOption = Annotated[int, typer.Option("--games", help="How many games; each opening is played twice.")]
OpeningsOption = Annotated[str, typer.Option("--openings", help="random:TURNS, level:TURNS or file:NAME.")]
SeedOption = Annotated[
    int, typer.Option("--seed", min=0, max=MOST_SEED, help="Which openings, and the players' chance.")
]
WorkersOption = Annotated[int, typer.Option("--workers", min=0, help="Games at once; 0 for one per core.")]
ResultsOption = Annotated[Path, typer.Option("--results", help="The SQLite file of results.")]
FreshOption = Annotated[bool, typer.Option("--fresh", help="Forget earlier games and begin again.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
RESULTS = Path("runs") / "arena.sqlite"


def match(
    a: Annotated[str, typer.Argument(help="A player, such as hard or uct:sims=1000.")],
    b: Annotated[str, typer.Argument(help="Its opponent.")],
    game: GameOption = "dots:5x5",
    games: GamesOption = 200,
    openings: OpeningsOption = "random:4",
    sprt: Annotated[str, typer.Option(help="Stop early: two Elo differences to decide between, as 0,50.")] = "",
    seed: SeedOption = 0,
    workers: WorkersOption = 0,
    results: ResultsOption = RESULTS,
    fresh: FreshOption = False,
    ray: RayOption = "",
    as_json: JsonOption = False,
) -> None:
    """Let two players meet: openings from both sides, Elo with interval. The same command goes on where it stopped."""
    from pocketzero.arena.match import MatchPlan, play_match
    from pocketzero.arena.report import match_text
    from pocketzero.games import game as find_game

    plan = MatchPlan(
        game=find_game(game),
        a=a,
        b=b,
        games=games,
        openings=openings,
        seed=seed,
        sprt=_read_sprt(sprt),
        workers=workers,
    )
    with _stored(results) as store, _crew(ray, workers) as crew, _shown([a, b], plan) as show:
        result = play_match(plan, store, fresh=fresh, progress=lambda found: show(f"{a} – {b}", found), crew=crew)
    print(json.dumps(result.as_json()) if as_json else match_text(result))


def tournament(
    players: Annotated[list[str], typer.Argument(help="The players, such as easy medium hard.")],
    game: GameOption = "dots:5x5",
    games: GamesOption = 200,
    openings: OpeningsOption = "random:4",
    ladder: Annotated[bool, typer.Option("--ladder", help="Each meets only the next, not all.")] = False,
    anchor: Annotated[str, typer.Option(help="The player whose Elo is fixed; otherwise the first.")] = "",
    anchor_elo: Annotated[float, typer.Option(help="Its Elo.")] = 0.0,
    seed: SeedOption = 0,
    workers: WorkersOption = 0,
    results: ResultsOption = RESULTS,
    fresh: FreshOption = False,
    ray: RayOption = "",
    report: Annotated[Path | None, typer.Option(help="Write Markdown, HTML and plots into this folder.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Let several players meet, and rate them all: a round robin, or a ladder. ``--games`` counts for each pair."""
    from pocketzero.arena.match import MatchPlan
    from pocketzero.arena.report import tournament_json, tournament_markdown, write_report
    from pocketzero.arena.tournament import fixtures, play_tournament
    from pocketzero.games import game as find_game

    pairs = fixtures(players, ladder=ladder)
    plan = MatchPlan(game=find_game(game), a="", b="", games=games, openings=openings, seed=seed, workers=workers)
    with _stored(results) as store, _crew(ray, workers) as crew, _shown(players, plan) as show:
        found = play_tournament(
            players,
            plan,
            store,
            ladder=ladder,
            anchor=anchor,
            anchor_elo=anchor_elo,
            fresh=fresh,
            progress=lambda number, result: show(" – ".join(pairs[number]), result),
            crew=crew,
        )
    if report is not None:
        write_report(found, report)
    print(json.dumps(tournament_json(found)) if as_json else tournament_markdown(found), end="\n" if as_json else "")


def _read_sprt(text: str) -> Sprt | None:
    """Two numbers with a comma between them."""
    from pocketzero.arena.elo import Sprt

    if not text:
        return None
    try:
        low, high = (float(word) for word in text.split(","))
    except ValueError:
        raise PocketZeroError(f"--sprt takes two Elo differences, as 0,50, not {text!r}.") from None
    if not low < high:
        raise PocketZeroError(f"--sprt takes the smaller difference first; {text!r} does not.")
    return Sprt(low, high)


@contextmanager
def _stored(path: Path) -> Iterator[Store]:
    """The file of results; an interrupted match is said to be kept."""
    from pocketzero.arena.store import Store

    store = Store(path)
    try:
        yield store
    except KeyboardInterrupt:
        print(f"\nInterrupted. What was played is in {path}; the same command goes on.", file=sys.stderr)
        raise SystemExit(130) from None
    finally:
        store.close()


@contextmanager
def _crew(ray: str, workers: int) -> Iterator[MatchCrew | None]:
    """The actors of a cluster, if one is wanted."""
    if not ray:
        yield None
        return
    from pocketzero.arena.crew import MatchCrew

    with without_ray_on_stdout(ray), closing(MatchCrew(ray, workers=workers)) as crew:
        yield crew


@contextmanager
def _shown(players: list[str], plan: MatchPlan) -> Iterator[Any]:
    """Live progress on stderr: a function that takes a title and a result. A person's board is not drawn over."""
    from pocketzero.players.spec import is_at_terminal

    if any(is_at_terminal(player, plan.game) for player in players):
        yield lambda title, result: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()]
    with Progress(*columns, TextColumn("{task.fields[score]}"), console=Console(stderr=True)) as progress:
        bars: dict[str, Any] = {}

        def show(title: str, result: MatchResult) -> None:
            if title not in bars:
                bars[title] = progress.add_task(title, total=plan.games, score="")
            score = str(result.estimate) if result.games else ""
            progress.update(bars[title], completed=len(result.games), score=score)

        yield show


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    for command in (match, tournament):
        app.command(cls=CommandWithRay)(command)
