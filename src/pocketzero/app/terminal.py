"""A game between a person and the machine in a terminal."""

from __future__ import annotations

from pocketzero.errors import PocketZeroError, shortened
from pocketzero.games import Game, Outcome, Position
from pocketzero.players.base import Player
from pocketzero.players.best import best_text
from pocketzero.players.spec import make_player

HELP = """Type a move as it is written in this game, or
  moves   the legal moves
  hint    what the machine would play
  undo    back to your previous decision
  quit    leave the game"""


class Leaving(Exception):
    """The person has had enough."""


def play_in_terminal(game: Game, *, person: int, seed: int, opponent: str = "") -> None:
    """Play one game to its end, or until the person leaves."""
    machine = make_player(opponent or best_text(game), game, seed=seed)
    position = game.start()
    print(f"{game.title}: you are {game.players[person]}, the machine ({machine.text}) is {game.players[1 - person]}.")
    print("Type 'help' for help, 'quit' to leave.\n")
    try:
        while not position.is_over:
            if position.to_move == person:
                print(position)
                position = _persons_move(position, machine, person)
            else:
                action = machine.choose(position)
                print(f"The machine plays {position.write(action)}.\n")
                position = position.play_action(action)
    except Leaving:
        print("\nGoodbye.")
        return
    print(position)
    winner = {Outcome.FIRST: 0, Outcome.SECOND: 1}.get(position.outcome)
    print("A draw." if winner is None else "You win!" if winner == person else "The machine wins.")


def _persons_move(position: Position, machine: Player, person: int) -> Position:
    """Ask until there is a move; what is not understood costs nothing."""
    while True:
        try:
            word = input("Your move: ").strip()
        except (EOFError, KeyboardInterrupt):
            raise Leaving from None
        try:
            if after := _answer(position, word, machine, person):
                return after
        except PocketZeroError as error:
            print(error)


def _answer(position: Position, word: str, machine: Player, person: int) -> Position | None:
    """The position after what the person typed, or None if they are to be asked again."""
    match word.lower():
        case "":
            return None
        case "help" | "?":
            print(HELP)
        case "quit" | "exit":
            raise Leaving
        case "moves":
            print(shortened(position.legal_moves(), 200))
        case "hint":
            print(f"The machine would play {position.write(machine.choose(position))}.")
        case "undo":
            return _previous_decision(position, person)
        case _:
            return position.play(word)
    return None


def _previous_decision(position: Position, person: int) -> Position:
    """The last earlier position in which the person was to move."""
    earlier = position.previous
    while earlier is not None:
        if earlier.to_move == person:
            return earlier
        earlier = earlier.previous
    raise PocketZeroError("There is nothing to undo.")
