"""Kalah in one file: a game with extra turns and a score, ready to be checked, played and learned.

Each player has a row of houses and a store. A move takes all seeds of one's own house and sows them one by one,
anticlockwise, into the next houses and one's own store, passing over the opponent's. If the last seed falls into
one's store, one moves again; if it falls into one's own empty house and there are seeds opposite, both go into the
store. When a row is empty the other player keeps the seeds of theirs. More seeds win.

    pocketzero check examples/kalah.py:game
"""

import numpy as np

from pocketzero.bits import mix
from pocketzero.games import Encoding, Game, Picture, Position, Rules, rule
from pocketzero.games.table import Geometry, Moves, Planes, State

HOUSES, SEEDS = 0, 1  # geometry: houses of a player, seeds in each at the start
PLAYER, OVER, STORE, HOUSE = 0, 1, 2, 4  # state: player, whether it is over, two stores, then all houses


@rule("start")
def start(geometry: Geometry, state: State) -> None:
    """The same number of seeds in every house."""
    state[:HOUSE] = 0
    state[HOUSE:] = geometry[SEEDS]


@rule("legal")
def legal(geometry: Geometry, state: State, out: Moves) -> int:
    """One's own houses that are not empty, numbered from the left of the player who sits there."""
    count = 0
    for house in range(geometry[HOUSES] * (1 - state[OVER])):
        if state[HOUSE + state[PLAYER] * geometry[HOUSES] + house] > 0:
            out[count] = house
            count += 1
    return count


@rule("play")
def play(geometry: Geometry, state: State, action: int) -> None:
    """Sow, capture, and see whether a row is empty."""
    houses, me = geometry[HOUSES], state[PLAYER]
    at = action  # places 0 to houses - 1 are mine, then my store, then the opponent's houses
    seeds = state[HOUSE + me * houses + at]
    state[HOUSE + me * houses + at] = 0
    for _ in range(seeds):
        at = (at + 1) % (2 * houses + 1)
        if at < houses:
            state[HOUSE + me * houses + at] += 1
        elif at == houses:
            state[STORE + me] += 1
        else:
            state[HOUSE + (1 - me) * houses + at - houses - 1] += 1
    if at < houses and state[HOUSE + me * houses + at] == 1:
        opposite = HOUSE + (1 - me) * houses + houses - 1 - at
        if state[opposite] > 0:
            state[STORE + me] += state[opposite] + 1
            state[opposite] = state[HOUSE + me * houses + at] = 0
    if at != houses:
        state[PLAYER] = 1 - me
    for player in range(2):
        if state[HOUSE + player * houses : HOUSE + (player + 1) * houses].sum() == 0:
            state[OVER] = 1
    if state[OVER]:
        for player in range(2):
            row = state[HOUSE + player * houses : HOUSE + (player + 1) * houses]
            state[STORE + player] += row.sum()
            row[:] = 0


@rule("to_move")
def to_move(state: State) -> int:
    """Kept in the state."""
    return state[PLAYER]


@rule("margin")
def margin(geometry: Geometry, state: State) -> int:
    """Seeds in the stores."""
    return state[STORE] - state[STORE + 1]


@rule("outcome")
def outcome(geometry: Geometry, state: State) -> int:
    """-1 while it goes on, 0 or 1 for the winner, 2 for a draw."""
    if not state[OVER]:
        return -1
    ahead = margin(geometry, state)
    return 2 if ahead == 0 else 0 if ahead > 0 else 1


@rule("key")
def key(geometry: Geometry, state: State) -> int:
    """A hash of everything."""
    hashed = 0
    for number in state:
        hashed = mix(hashed ^ number)
    return hashed


@rule("encode")
def encode(geometry: Geometry, state: State, symmetry: int, out: Planes) -> None:
    """Three planes of two rows, mine first: seeds in the houses, my store, the opponent's store."""
    cells, houses, me = 2 * geometry[HOUSES], geometry[HOUSES], state[PLAYER]
    whole = np.float32(cells * geometry[SEEDS])
    for place in range(houses):
        out[place] = np.float32(state[HOUSE + me * houses + place]) / np.float32(12)
        out[houses + place] = np.float32(state[HOUSE + (1 - me) * houses + place]) / np.float32(12)
    out[cells : 2 * cells] = np.float32(state[STORE + me]) / whole
    out[2 * cells :] = np.float32(state[STORE + 1 - me]) / whole


class Board(Picture):
    """The second player's row on top, seen from their side of the table."""

    def text(self, position: Position) -> str:
        """Houses between the two stores."""
        houses = int(position.game.geometry[HOUSES])
        numbers = [f"{number:3}" for number in position.state]
        first, second = numbers[HOUSE : HOUSE + houses], numbers[HOUSE + houses :]
        middle = numbers[STORE + 1] + "   " * houses + numbers[STORE]
        return f"   {''.join(second[::-1])}\n{middle}\n   {''.join(first)}\nplayer {position.to_move + 1} to move"


def last_seed_in_store(before: Position, action: int, after: Position) -> bool:
    """Whether the last seed falls into the mover's store, which gives another move."""
    houses = int(before.game.geometry[HOUSES])
    seeds = int(before.state[HOUSE + before.to_move * houses + action])
    return (action + seeds) % (2 * houses + 1) == houses


def kalah(houses: int = 6, seeds: int = 4) -> Game:
    """The game with this many houses for each player and seeds in each house."""
    total, mine = 2 * houses * seeds, np.arange(houses, dtype=np.int32)  # the mover's row: a cell for each action
    return Game(
        name=f"kalah:{houses}x{seeds}",
        title=f"Kalah with {houses} houses and {seeds} seeds",
        rules=Rules(start=start, legal=legal, play=play, to_move=to_move, outcome=outcome, key=key, margin=margin),
        geometry=np.array([houses, seeds], np.int64),
        state_size=HOUSE + 2 * houses,
        action_count=houses,
        max_length=sum((houses - 1) * left + 1 for left in range(1, total + 1)),  # seeds only go forward
        largest_margin=total,
        encodings={"houses": Encoding(encode=encode, shape=(3, 2, houses), policy_planes=1, action_cells=mine)},
        moves_again=last_seed_in_store,
        picture=Board(),
    )


game = kalah()
