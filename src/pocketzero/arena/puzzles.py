"""Puzzles: positions with the value of every move, to see which a player solves.

Three kinds of files are read: our own collections (``pocketzero puzzles --make``), the Dots and Boxes problems with
values of future boxes (``{"problems": [...]}``), and lines of m,n,k positions (``{"w": 5, "h": 5, "k": 4, ...}``).
"""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pocketzero.errors import BadRecord, PocketZeroError
from pocketzero.games import Game, Position, game
from pocketzero.players.base import family_of
from pocketzero.players.best import best_text
from pocketzero.players.solvers import SOLVERS
from pocketzero.players.spec import make_player

VERSION = 1


@dataclass(frozen=True)
class Puzzle:
    """A position and what each of its moves is worth to the mover."""

    id: str
    position: Position
    values: dict[int, int]
    grade: int = 0  # 1 easy to 5 hard; 0 where nobody graded it
    wins: bool = False  # every move that wins solves it; otherwise only the best ones do

    @property
    def is_decision(self) -> bool:
        """Whether moves differ in value; otherwise any move solves it."""
        return len(set(self.values.values())) > 1

    @property
    def solutions(self) -> set[int]:
        """The actions that solve it."""
        best = max(self.values.values())
        if self.wins and best > 0:
            return {action for action, value in self.values.items() if value > 0}
        return {action for action, value in self.values.items() if value == best}


@dataclass(frozen=True)
class Answer:
    """What a player did with a puzzle."""

    puzzle: Puzzle
    action: int

    @property
    def solved(self) -> bool:
        """Whether it was a solution."""
        return self.action in self.puzzle.solutions

    def __str__(self) -> str:
        puzzle, write = self.puzzle, self.puzzle.position.write
        value = puzzle.values.get(self.action)
        worth = "not legal" if value is None else f"{value:+d}"
        verdict = "solved    " if self.solved else "not solved"
        best = " ".join(sorted(write(action) for action in puzzle.solutions))
        wanted = "" if self.solved else f", best {best} ({max(puzzle.values.values()):+d})"
        return f"{verdict} {puzzle.id}: {write(self.action)} ({worth}){wanted}"


def read_puzzles(path: Path) -> list[Puzzle]:
    """The puzzles of a file in any of the three kinds."""
    try:
        return parse_puzzles(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise BadRecord(f"The puzzles in {path} cannot be read: {error}.") from None


def parse_puzzles(text: str, where: str) -> list[Puzzle]:
    """The puzzles in a text; what is wrong with it is said with its place."""
    try:
        whole = json.loads(text)
    except json.JSONDecodeError:
        return _each(where, "line", _json_lines(text, where), mnk_puzzle)
    if isinstance(whole, dict) and "problems" in whole:
        return _each(where, "problem", whole["problems"], dots_problem)
    if isinstance(whole, dict) and whole.get("version") == VERSION:
        return _each(where, "puzzle", whole["puzzles"], own_puzzle)
    if isinstance(whole, dict) and "move_values" in whole:
        return _each(where, "line", [whole], mnk_puzzle)
    raise BadRecord(f"{where} is no file of puzzles: it has neither 'problems' nor 'puzzles' nor 'move_values'.")


def _json_lines(text: str, where: str) -> Iterable[Any]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except json.JSONDecodeError as error:
                raise BadRecord(f"{where}, line {number}: this is not JSON: {error.msg}.") from None


def _each(where: str, what: str, items: Iterable[Any], read: Any) -> list[Puzzle]:
    """Read every item; a damaged one is named with its number."""
    found = []
    for number, item in enumerate(items, 1):
        try:
            found.append(read(item, number))
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            missing = f"there is no {error}" if isinstance(error, KeyError) else str(error)
            raise BadRecord(f"{where}, {what} {number}: {missing}") from None
    if not found:
        raise BadRecord(f"There are no puzzles in {where}.")
    return found


def dots_problem(item: dict[str, Any], number: int) -> Puzzle:
    """A Dots and Boxes problem: lines hRC and vRC, values of future boxes, and perhaps a score."""
    board = game(f"dots:{item['rows']}x{item['cols']}")
    drawn = board.start().play_line(item["drawn"])
    score = (item.get("score_to_move", 0), item.get("score_other", 0))
    mover = item.get("to_move", 0)
    text = with_score(drawn.text, score if mover == 0 else score[::-1], "AB"[mover])
    position = board.position(text)
    ahead = score[0] - score[1]
    values = {position.play(name).actions[-1]: value + ahead for name, value in item["move_values"].items()}
    return Puzzle(str(item.get("id", number)), position, values, wins=True)


def with_score(text: str, score: tuple[int, int], mover: str) -> str:
    """A Dots and Boxes position text with another score and mover; boxes go to A first."""
    board, _, _ = text.split(" ")
    left = score[0]
    letters = []
    for letter in board:
        if letter in "AB":
            letter = "A" if left > 0 else "B"
            left -= 1
        letters.append(letter)
    return f"{''.join(letters)} {score[0]}-{score[1]} {mover}"


def mnk_puzzle(item: dict[str, Any], number: int) -> Puzzle:
    """An m,n,k position: moves as columns and rows from the top left, every move's value 1, 0 or -1."""
    board = game(f"mnk:{item['w']}x{item['h']}x{item['k']}")
    position = board.start()
    for column, row in item["moves"]:
        position = position.play(row * item["w"] + column)
    values = {row * item["w"] + column: value for column, row, value in item["move_values"]}
    return Puzzle(str(item.get("id", f"line {number}")), position, values)


def own_puzzle(item: dict[str, Any], number: int) -> Puzzle:
    """A puzzle of our own collections: moves and their values in the game's notation."""
    board = game(item["game"])
    position = board.start().play_line(item["moves"])
    if "position" in item:
        position = board.position(item["position"])
    values = {position.play(move).actions[position.ply]: value for move, value in item["values"].items()}
    return Puzzle(item["id"], position, values, item["grade"], wins=True)


def collection(family: str) -> list[Puzzle]:
    """The package's own puzzles of a family of games."""
    file = importlib.resources.files("pocketzero.arena") / "collections" / f"{family}.json"
    if not file.is_file():
        raise PocketZeroError(f"There is no collection of puzzles for {family!r}; there are {', '.join(families())}.")
    return parse_puzzles(file.read_text(encoding="utf-8"), f"the collection {family}")


def families() -> list[str]:
    """The families that have a collection."""
    folder = importlib.resources.files("pocketzero.arena") / "collections"
    return sorted(file.name.removesuffix(".json") for file in folder.iterdir() if file.name.endswith(".json"))


def puzzle_solver(board: Game) -> str:
    """Who solves puzzles if nobody is named: exact where it plays, otherwise the best there is."""
    return "exact" if family_of(board) in SOLVERS else best_text(board)


def solve_puzzles(text: str, puzzles: list[Puzzle], *, seed: int = 0) -> Iterable[Answer]:
    """What a player does with each puzzle; a player is made for each board, without a text the usual one."""
    players: dict[str, Any] = {}
    try:
        for number, puzzle in enumerate(puzzles):
            board = puzzle.position.game
            if board.name not in players:
                players[board.name] = make_player(text or puzzle_solver(board), board)
            player = players[board.name]
            player.begin(seed + number)
            yield Answer(puzzle, player.choose(puzzle.position))
    finally:
        for player in players.values():
            player.close()


def write_collection(puzzles: list[Puzzle]) -> str:
    """A collection of our own as a text."""
    rows = [
        {
            "id": puzzle.id,
            "game": puzzle.position.game.name,
            "moves": puzzle.position.line,
            "grade": puzzle.grade,
            "values": {puzzle.position.write(action): value for action, value in puzzle.values.items()},
        }
        for puzzle in puzzles
    ]
    body = ",\n".join(json.dumps(row) for row in rows)
    return f'{{"version": {VERSION}, "family": "{family_of(puzzles[0].position.game)}", "puzzles": [\n{body}\n]}}\n'
