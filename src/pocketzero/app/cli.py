"""The command ``pocketzero``. Heavy modules are imported inside the commands, so that help is there at once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pocketzero import __version__
from pocketzero.app import (
    arena_commands,
    engine_commands,
    exact_commands,
    net_commands,
    page_commands,
    reproduce_commands,
    train_commands,
)
from pocketzero.errors import PocketZeroError

app = typer.Typer(
    name="pocketzero",
    help="AlphaZero for board games whose turns do not simply alternate.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

arena_commands.add_to(app)
engine_commands.add_to(app)
exact_commands.add_to(app)
train_commands.add_to(app)
net_commands.add_to(app)
reproduce_commands.add_to(app)
page_commands.add_to(app)

GameName = Annotated[str, typer.Argument(help="A game, such as dots:5x5, zertz:37, gomoku:15 or mine.py:game.")]


def main() -> None:
    """Run the command line; a mistake of the user's ends with a sentence and exit code 2."""
    try:
        app()
    except PocketZeroError as error:
        print(f"Error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except BrokenPipeError:  # whoever read our output has had enough
        sys.stderr.close()
        raise SystemExit(1) from None


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"pocketzero {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """AlphaZero for board games whose turns do not simply alternate."""


@app.command()
def games() -> None:
    """List the games, how their boards are named, and the record formats they read and write."""
    from pocketzero.games.records import formats
    from pocketzero.games.registry import families

    for kind in families():
        print(f"{kind.title}\n  {kind.usage}\n  for example {', '.join(kind.examples)}")
    print("Record formats")
    for name, each in formats().items():
        print(f"  {name:12} {each.title}")


@app.command()
def play(
    name: GameName = "dots:5x5",
    opponent: Annotated[str, typer.Option(help="A player, such as hard or zero:./runs/mine; the best, if none.")] = "",
    second: Annotated[bool, typer.Option("--second", help="Let the machine begin.")] = False,
    seed: Annotated[int, typer.Option(help="The machine's random numbers.")] = 0,
) -> None:
    """Play a game in the terminal, against the best player there is or the one you name."""
    from pocketzero.app.terminal import play_in_terminal
    from pocketzero.games import game

    play_in_terminal(game(name), opponent=opponent, person=1 if second else 0, seed=seed)


@app.command()
def show(
    name: GameName,
    moves: Annotated[list[str] | None, typer.Argument(help="Moves from the start.")] = None,
    position: Annotated[str, typer.Option(help="A position text to begin with.")] = "",
    svg: Annotated[Path | None, typer.Option(help="Write a drawing to this file instead.")] = None,
) -> None:
    """Draw a position and print its one-line text."""
    from pocketzero.games import game

    chosen = game(name)
    shown = (chosen.position(position) if position else chosen.start()).play_line(moves or [])
    if svg is None:
        print(shown)
        print(shown.text)
    else:
        _write_file(svg, shown._repr_svg_())


def _write_file(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PocketZeroError(f"{path} cannot be written: {error.strerror}.") from None


@app.command()
def check(
    name: GameName,
    games: Annotated[int, typer.Option(min=1, help="How many random games to play.")] = 100,
    seed: Annotated[int, typer.Option(help="Which random games.")] = 0,
) -> None:
    """Prove on random games that a game keeps the promises every part of PocketZero relies on."""
    from rich.console import Console
    from rich.progress import Progress

    from pocketzero.games import check_game, game

    chosen = game(name)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task(f"Checking {chosen.name}", total=games)
        report = check_game(chosen, games=games, seed=seed, progress=lambda done: progress.update(bar, completed=done))
    print(report)


@app.command()
def replay(
    files: Annotated[list[Path], typer.Argument(help="Records of games, in any supported format.")],
    from_format: Annotated[str, typer.Option("--from", help="The format, where it cannot be told.")] = "",
    to_format: Annotated[str, typer.Option("--to", help="Print the games in this format.")] = "",
    name: Annotated[str, typer.Option("--game", help="The game, where the record does not say.")] = "",
) -> None:
    """Check records move by move and say the result, or the first wrong move and why; or convert them."""
    from pocketzero.games import game
    from pocketzero.games.records import find_format, read_record_file, result_word, write_record

    hint = game(name) if name else None
    if to_format:
        find_format(to_format)  # a wrong name is an error before anything is read
    records, failures = [], []
    for file in files:
        try:
            records.append((file, read_record_file(file, format=from_format, game=hint)))
        except PocketZeroError as error:
            failures.append(str(error))
    if to_format:
        if not failures:
            print("".join([write_record(record, to_format) for _, record in records]), end="")
    else:
        for file, record in records:
            count = len(record.final.line)
            print(f"{file}: {record.game.name}, {count} moves, {result_word(record.result)}")
    if failures:
        raise PocketZeroError("\nError: ".join(failures))
