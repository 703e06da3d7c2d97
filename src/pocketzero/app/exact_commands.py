"""The commands that ask what is true: mistakes, puzzles, solve, explain, dealing."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from typing import Annotated

import typer

from pocketzero.app.arena_commands import RESULTS, GameOption, JsonOption, OpeningsOption, ResultsOption, SeedOption
from pocketzero.errors import PocketZeroError

GameName = Annotated[str, typer.Argument(help="A game, such as dots:3x3.")]
Moves = Annotated[list[str] | None, typer.Argument(help="Moves from the start.")]
PositionText = Annotated[str, typer.Option("--position", help="A position text to begin with.")]
Seconds = Annotated[float, typer.Option("--seconds", help="The solver's time for each position.")]


def solve(name: GameName, moves: Moves = None, position: PositionText = "", seconds: Seconds = 60.0) -> None:
    """Print the exact value of every move: the final margin for the player to move, or win, draw and loss."""
    from pocketzero.games import game
    from pocketzero.players.solvers import solver_for

    board = game(name)
    shown = (board.position(position) if position else board.start()).play_line(moves or [])
    if shown.is_over:
        raise PocketZeroError("The game is over; there is nothing to solve.")
    values = solver_for(board, seconds=seconds).move_values(shown)
    best = max(values.values())
    print(f"{board.players[shown.to_move]} to move, value {_worth(best, board.has_margin)}")
    for action, value in sorted(values.items(), key=lambda item: (-item[1], item[0])):
        print(f"  {shown.write(action):6} {_worth(value, board.has_margin)}{'  best' if value == best else ''}")


def _worth(value: int, is_margin: bool) -> str:
    if is_margin:
        return f"{value:+d}"
    return {1: "win", 0: "draw", -1: "loss"}[value]


def explain(name: GameName, moves: Moves = None, position: PositionText = "") -> None:
    """Say in words what a position of Dots and Boxes is made of: chains, loony moves, control, what each is worth."""
    from pocketzero.games import game
    from pocketzero.players.base import family_of

    board = game(name)
    if family_of(board) != "dots":
        raise PocketZeroError(f"Only Dots and Boxes is explained in words so far, not {board.name}.")
    from pocketzero.players.dots.explain import explain as in_words

    shown = (board.position(position) if position else board.start()).play_line(moves or [])
    print(shown)
    print("\n".join(in_words(shown)))


def mistakes(
    player: Annotated[str, typer.Argument(help="The player to be measured.")],
    game: GameOption = "dots:3x3",
    games: Annotated[int, typer.Option(min=0, help="Games of its own to look at; 0 for none.")] = 100,
    positions: Annotated[int, typer.Option(min=0, help="Random positions to look at; 0 for none.")] = 2000,
    openings: OpeningsOption = "random:2",
    seed: SeedOption = 0,
    seconds: Seconds = 60.0,
    as_json: JsonOption = False,
) -> None:
    """Measure how often, and by how much, a player gives value away, where moves differ in value."""
    from pocketzero.arena.mistakes import mistakes_in_games, mistakes_in_positions, random_positions
    from pocketzero.games import game as find_game
    from pocketzero.players.solvers import solver_for

    board = find_game(game)
    solver = solver_for(board, seconds=seconds)
    found = {}
    if games:
        found["own games"] = mistakes_in_games(player, board, solver, games, opening=openings, seed=seed)
    if positions:
        chosen = random_positions(board, positions, seed, lambda at: len(set(solver.move_values(at).values())) > 1)
        found["random positions"] = mistakes_in_positions(player, solver, chosen, seed=seed)
    if as_json:
        print(json.dumps({name.replace(" ", "_"): each.as_json() for name, each in found.items()}))
    else:
        print("\n".join(f"{player}, {board.name}, {name}: {each}" for name, each in found.items()))


def puzzles(
    file: Annotated[Path | None, typer.Argument(help="A file of puzzles; without it, the package's own.")] = None,
    player: Annotated[str, typer.Option("--player", help="Who solves them; exact where it plays, else the best.")] = "",
    game: Annotated[str, typer.Option("--game", help="Of the package's own: dots, mnk or zertz.")] = "dots",
    grade: Annotated[int, typer.Option(help="Only puzzles of this grade; 0 for all.")] = 0,
    make: Annotated[int, typer.Option(min=0, help="Make so many new puzzles of the game instead, and print them.")] = 0,
    seed: SeedOption = 0,
) -> None:
    """Let a player solve puzzles, and say of each whether it did, with the move chosen and its value."""
    from pocketzero.arena.puzzles import collection, read_puzzles, solve_puzzles

    if make:
        _make_puzzles(game, make, seed)
        return
    family = game.partition(":")[0]
    chosen = [each for each in (read_puzzles(file) if file else collection(family)) if grade in (0, each.grade)]
    if not chosen:
        raise PocketZeroError(f"There are no puzzles of grade {grade}.")
    answers = []
    for answer in solve_puzzles(player, chosen, seed=seed):
        print(answer, flush=True)
        answers.append(answer)
    deciding = [answer for answer in answers if answer.puzzle.is_decision]
    if len(deciding) < len(answers):
        print(f"where moves differ in value: {sum(answer.solved for answer in deciding)} of {len(deciding)}")
    print(f"solved {sum(answer.solved for answer in answers)} of {len(answers)}")


def _make_puzzles(family: str, count: int, seed: int) -> None:
    from pocketzero.arena.puzzle_maker import make_puzzles
    from pocketzero.arena.puzzles import write_collection

    def tell(done: int) -> None:
        print(f"{done} of {count}", file=sys.stderr, flush=True)

    print(write_collection(make_puzzles(family, count, seed, progress=tell)), end="")


def dealing(
    files: Annotated[list[Path] | None, typer.Argument(help="Records of games of Dots and Boxes.")] = None,
    results: ResultsOption = RESULTS,
    game: GameOption = "dots:5x5",
) -> None:
    """Count double deals for each player, chains and loops apart, in records or in all matches of a results file."""
    from pocketzero.arena.dealing import dealing_in_matches, dealing_in_records, dealing_table
    from pocketzero.games.records import read_record_file

    if files:
        counts = dealing_in_records([read_record_file(file) for file in files])
    else:
        if not results.exists():
            raise PocketZeroError(f"There are no results in {results}; play a match first, or name records.")
        try:
            counts = dealing_in_matches(results, game)
        except sqlite3.Error as error:
            raise PocketZeroError(f"The results in {results} cannot be read: {error}.") from None
    print(dealing_table(counts))


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    for command in (solve, explain, mistakes, puzzles, dealing):
        app.command()(command)
