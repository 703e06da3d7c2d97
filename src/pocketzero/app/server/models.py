"""What clients send, with the size of everything bounded; the OpenAPI description is made from these."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictBool

GameName = Annotated[
    str, Field(max_length=100, examples=["dots:5x5"], description="A game, as `pocketzero games` lists.")
]
PositionText = Annotated[str, Field(max_length=4000, description="A position in one line; empty for the start.")]
Move = Annotated[str, Field(min_length=1, max_length=60, examples=["aA"], description="A move as people write it.")]
Moves = Annotated[list[Move], Field(max_length=3000)]
SeatText = Annotated[
    str, Field(max_length=200, examples=["person", "easy"], description="`person`, or a player's text.")
]
Seats = Annotated[list[SeatText], Field(min_length=2, max_length=2)]


class Request(BaseModel):
    """Unknown fields are mistakes."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NewGame(Request):
    """A new game: from the start, from a position, from moves, or from a position of another game."""

    game: GameName = "dots:5x5"
    seats: Seats = Field(default=["person", "person"], description="Who plays first and second.")
    start: PositionText = ""
    moves: Moves = []
    from_game: Annotated[str, Field(max_length=40, description="Take position and moves from this game.")] = ""
    from_node: Annotated[int, Field(ge=0, le=100_000)] = 0
    forced: StrictBool = Field(default=True, description="Whether single compulsory captures play themselves.")
    pace: Annotated[float, Field(ge=0, le=10, description="Seconds between moves of two machines.")] = 0.0
    title: Annotated[str, Field(max_length=200)] = ""


class PlayMove(Request):
    """A move at the cursor."""

    move: Move
    wait: Annotated[float, Field(ge=0, le=30, description="Seconds to wait for the reply.")] = 0.0


class GoTo(Request):
    """Look at another position."""

    node: Annotated[int, Field(ge=0, le=100_000)]


class Change(Request):
    """What is given is changed."""

    seats: Seats | None = None
    forced: StrictBool | None = None
    pace: Annotated[float, Field(ge=0, le=10)] | None = None
    title: Annotated[str, Field(max_length=200)] | None = None


class NewRecord(Request):
    """A record in any supported format."""

    text: Annotated[str, Field(min_length=1, max_length=1_000_000)]
    format: Annotated[str, Field(max_length=40, description="Where it cannot be told from the text.")] = ""
    game: Annotated[str, Field(max_length=100, description="Where the record does not say.")] = ""
    seats: Seats = ["person", "person"]


class NewPosition(Request):
    """A position to be checked: as text, or laid out in the editor."""

    game: GameName
    text: PositionText = ""
    setup: dict[str, Any] | None = Field(default=None, max_length=12)


class HintRequest(Request):
    """How long to think about a hint."""

    seconds: Annotated[float, Field(gt=0, le=10)] = 0.6


class AnalysisRequest(Request):
    """A position, and how long to search it."""

    game: GameName
    position: PositionText = ""
    moves: Moves = []
    simulations: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    seconds: Annotated[float, Field(gt=0, le=20)] | None = None
    only: Annotated[list[Move], Field(max_length=1000)] | None = Field(default=None, description="Search these moves.")


class NewRun(Request):
    """A small training run."""

    game: GameName
