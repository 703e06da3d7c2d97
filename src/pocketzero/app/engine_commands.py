"""The commands about players: what there is, and ours as programs that others load."""

from __future__ import annotations

from typing import Annotated

import typer


def players(
    game: Annotated[str, typer.Option("--game", help="Only those that play this game.")] = "",
) -> None:
    """List the players: what each is, which games and boards it plays, and its options with their defaults."""
    from pocketzero.games import game as find_game
    from pocketzero.players.spec import all_kinds, describe_options, plays

    board = find_game(game) if game else None
    for kind in all_kinds():
        if board is not None and not plays(kind, board):
            continue
        print(f"{kind.name:10} {kind.summary}")
        families = ", ".join(kind.families) or "every game"
        print(f"{'':10} plays {families}{': ' * bool(kind.boards)}{kind.boards}")
        if options := describe_options(kind):
            print(f"{'':10} options {', '.join(options)}")


def engine(
    player: Annotated[str, typer.Argument(help="A player, such as uct:seconds=2; without one, the best.")] = "",
    protocol: Annotated[str, typer.Option(help="gomocup or line; without it, the first command tells.")] = "",
    name: Annotated[str, typer.Option("--game", help="The game, where the protocol does not say it.")] = "",
) -> None:
    """Let a player play for other programs, by the Gomocup protocol or a line protocol for every game."""
    from pocketzero.app.protocols.serving import Engine

    Engine(player, protocol, name).run()


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    for command in (players, engine):
        app.command()(command)
