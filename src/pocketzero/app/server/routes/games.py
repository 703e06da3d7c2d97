"""Games: create, look, play, undo, jump, change seats, hint, explain, draw, write down, delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse

from pocketzero.app.analysis.hint import hint_for
from pocketzero.app.server.explaining import explanation
from pocketzero.app.server.game_names import game_named
from pocketzero.app.server.house import House
from pocketzero.app.server.models import Change, GoTo, HintRequest, NewGame, NewRecord, PlayMove
from pocketzero.app.server.routes.common import ERRORS, AHouse, ATable, GameId, State, unless_gone
from pocketzero.app.server.tables import Table
from pocketzero.app.server.tree import Node
from pocketzero.app.server.views import view_of
from pocketzero.errors import BadRecord, UnknownName
from pocketzero.games import Position
from pocketzero.games.records import formats, read_record, write_record
from pocketzero.games.registry import families, is_file_name
from pocketzero.players.base import family_of

router = APIRouter(prefix="/api/games", tags=["games"], responses=ERRORS)
AtNode = Annotated[int | None, Query(ge=0, le=100_000, description="A position of the game; the cursor if not given.")]


@router.post("", status_code=201)
def create_game(house: AHouse, wanted: NewGame) -> State:
    """Begin a game and get its id; a player that begins starts thinking at once."""
    if wanted.from_game:
        source = house.tables.find(wanted.from_game)
        with source.lock:
            end = source.tree.node(wanted.from_node).position
    else:
        game = game_named(wanted.game)
        end = (game.position(wanted.start) if wanted.start else game.start()).play_line(wanted.moves)
    return _new_table(house, end, wanted).state(with_board=True)


def _new_table(house: House, end: Position, wanted: NewGame) -> Table:
    table = house.tables.create(end.beginning, end.actions, wanted.seats)
    table.change(None, wanted.forced, wanted.pace, wanted.title)
    return table


@router.get("")
def list_games(
    house: AHouse,
    query: Annotated[str, Query(max_length=200, description="Words that a game must have.")] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> State:
    """The games that are kept, the newest first."""
    count, games = house.store.find(query, limit=limit, offset=offset)
    return {"count": count, "games": games}


@router.post("/record", status_code=201)
def read_game(house: AHouse, given: NewRecord) -> State:
    """A game from a record in any supported format."""
    if is_file_name(given.game):
        raise BadRecord("Games in files cannot be named here.")
    record = read_record(given.text, format=given.format, game=game_named(given.game) if given.game else None)
    end = in_steps(record.final)
    table = _new_table(house, end, NewGame(game=end.game.name, seats=given.seats))
    if any(record.players):
        table.change(None, None, None, " – ".join(name or "?" for name in record.players)[:200])
    return table.state(with_board=True)


def in_steps(end: Position) -> Position:
    """The same line in the form of the game that is played here (Zertz in single steps)."""
    game = game_named(end.game.name)
    if game.name == end.game.name:
        return end
    return game.position(end.beginning.text).play_line(end.line)


@router.get("/{game_id}")
def show_game(table: ATable) -> State:
    """Everything about a game."""
    return table.state(with_board=True)


@router.delete("/{game_id}", status_code=204)
def delete_game(house: AHouse, game_id: GameId) -> Response:
    """Delete a game for ever."""
    house.tables.delete(game_id)
    return Response(status_code=204)


@router.patch("/{game_id}")
def change_game(house: AHouse, table: ATable, change: Change) -> State:
    """Take over a side or give it to a player, switch automatic captures, name the game."""
    seats = None if change.seats is None else house.tables.seats(change.seats, table.tree)
    table.change(seats, change.forced, change.pace, change.title)
    return table.state()


@router.post("/{game_id}/moves")
async def play_move(request: Request, house: AHouse, table: ATable, played: PlayMove) -> State:
    """Play a move; with `wait`, the answer comes when the other side has replied, or the time is over."""
    before = await run_in_threadpool(_play, table, played.move)
    if played.wait:
        async with unless_gone(request) as gone:
            await table.reply(min(played.wait, house.limits.wait_seconds), gone)
    return await run_in_threadpool(_after, table, before)


def _play(table: Table, move: str) -> Node:
    """Play a move; gives the place before it."""
    with table.lock:
        before = table.tree.cursor
        table.play(move)
    return before


def _after(table: Table, before: Node) -> State:
    """How the game stands, with the moves that were played since."""
    state = table.state()
    way = [node for node in table.tree.cursor.path if node.number > before.number]
    moves = [node.parent.position.write(node.position.action or 0) for node in way if node.parent is not None]
    return {**state, "played": moves, "text": str(table.position)}


@router.post("/{game_id}/undo")
def undo(table: ATable) -> State:
    """Back to your own previous decision."""
    table.undo()
    return table.state()


@router.post("/{game_id}/redo")
def redo(table: ATable) -> State:
    """Forward to your next decision."""
    table.redo()
    return table.state()


@router.post("/{game_id}/goto")
def go_to(table: ATable, place: GoTo) -> State:
    """Look at another position of the game."""
    table.go_to(place.node)
    return table.state()


@router.post("/{game_id}/go")
def go_on(table: ATable) -> State:
    """Let the player at the cursor move."""
    table.go_on()
    return table.state()


@router.post("/{game_id}/pause")
def pause(table: ATable) -> State:
    """Let two players rest."""
    table.pause()
    return table.state()


@router.get("/{game_id}/turn")
def whose_turn(table: ATable) -> State:
    """Whose turn it is: 1 or 2, or 0 when the game is over."""
    position = table.position
    turn = 0 if position.is_over else position.to_move + 1
    name = "" if position.is_over else position.game.players[position.to_move]
    person = not position.is_over and table.seats[position.to_move].is_person
    return {"turn": turn, "name": name, "person": person, "thinking": table.thinking is not None}


@router.get("/{game_id}/board", response_class=PlainTextResponse)
def board_in_text(table: ATable) -> PlainTextResponse:
    """The board drawn with letters."""
    return PlainTextResponse(str(table.position))


@router.get("/{game_id}/nodes/{node}")
def show_position(table: ATable, node: int) -> State:
    """One position of a game, without going there."""
    return view_of(table.tree.node(node).position)


@router.get("/{game_id}/picture", response_class=Response)
def picture(table: ATable, node: AtNode = None) -> Response:
    """The board as SVG."""
    shown = table.tree.cursor if node is None else table.tree.node(node)
    return Response(shown.position._repr_svg_(), media_type="image/svg+xml")


@router.get("/{game_id}/record", response_class=PlainTextResponse)
def record(table: ATable, format: Annotated[str, Query(max_length=40)] = "plain") -> PlainTextResponse:
    """The main line in one of the formats of the game."""
    if format not in formats_of(table):
        raise UnknownName(f"There is no format {format!r} for {table.tree.game.name}.")
    with table.lock:
        return PlainTextResponse(write_record(table.record(), format))


@router.get("/{game_id}/formats")
def record_formats(table: ATable) -> State:
    """The formats in which the game can be written down."""
    known = formats()
    return {
        "formats": [
            {"name": name, "title": known[name].title, "suffix": known[name].suffix} for name in formats_of(table)
        ]
    }


def formats_of(table: Table) -> list[str]:
    """Our own format, and those of the game's family."""
    family = family_of(table.tree.game)
    own = [each.name for kind in families() if kind.name == family for each in kind.formats]
    return ["plain", *own]


@router.get("/{game_id}/explain")
def explain(table: ATable, node: AtNode = None, words: bool = True) -> State:
    """What the position is made of, in words; in Dots and Boxes its chains too, which are there at once."""
    shown = table.tree.cursor if node is None else table.tree.node(node)
    return explanation(shown.position, words=words)


@router.post("/{game_id}/hint")
async def hint(request: Request, house: AHouse, table: ATable, wish: HintRequest) -> State:
    """The best move, as far as a short search or a solver can tell."""
    seconds = min(wish.seconds, house.limits.analysis_seconds)
    with house.analysing():
        async with unless_gone(request) as gone:
            return await run_in_threadpool(hint_for, house.desk, table.position, seconds, house.setup.net, gone)
