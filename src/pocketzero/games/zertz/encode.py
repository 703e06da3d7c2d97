"""How a net sees a Zertz position: planes on the axial grid, empty where the board has no ring.

``board`` is made for one net that plays all boards, pools and goals: it shows what each player holds and what they
still need, from the mover's side. ``deepzertz`` is the stack of the DeepZertz paper (section 3.1, figure 2): the
last five boards, the marble of a chain, plain counts, and which player is to move.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

from pocketzero.bits import lowest
from pocketzero.compiled import kernel
from pocketzero.games.base import Encoding
from pocketzero.games.grid import plane_permutations
from pocketzero.games.table import GEOMETRY, INT, PLANES, STATE, Geometry, Planes, State, rule
from pocketzero.games.zertz.layout import DIRECTIONS, Layout
from pocketzero.games.zertz.rules import (
    CAPTURED,
    CELL,
    CELL_COUNT,
    CHAIN,
    EACH,
    GOAL,
    MARBLE,
    PAST,
    PAST_BOARDS,
    PHASE,
    PLAYER,
    POOL,
    REMOVE,
    RING_AT,
    RING_COUNT,
    RINGS,
    can_jump,
    free_rings,
    must_jump,
    occupied,
    supply,
)

# The planes of ``board``.
FREE, JUMPERS, CHAIN_MARBLE, REMOVING, OWN_SUPPLY, IN_POOL, HELD = 4, 5, 6, 7, 8, 9, 12  # after rings and marbles
PER_PLAYER = 10  # held, urgency and missing for each colour, and the urgency of the set of all colours
BOARD_PLANES = HELD + 2 * PER_PLAYER

TURNS_SEEN = PAST_BOARDS + 1  # t in the paper
DEEPZERTZ_PLANES = 4 * TURNS_SEEN + 11

POLICY_PLANES = 4 + len(DIRECTIONS)  # put each colour, remove a ring, jump in each direction


@kernel(types.void(GEOMETRY, INT, INT, INT, PLANES))
def show_rings(geometry: Geometry, symmetry: int, rings: int, plane: int, out: Planes) -> None:
    """Ones in a plane at these rings."""
    first = plane * geometry[CELL_COUNT]
    while rings:
        out[first + geometry[CELL + 64 * symmetry + lowest(rings)]] = 1
        rings &= rings - 1


@kernel(types.void(GEOMETRY, types.float32, INT, PLANES))
def show_number(geometry: Geometry, number: float, plane: int, out: Planes) -> None:
    """The same number in a plane everywhere on the board."""
    if number != 0:
        cells = geometry[CELL_COUNT]
        first = plane * cells
        out[first : first + cells] = number
        for outside in range(RING_AT + cells, RING_AT + 2 * cells - geometry[RING_COUNT]):
            out[first + geometry[outside]] = 0


@kernel(INT(GEOMETRY, STATE))
def jumpers(geometry: Geometry, state: State) -> int:
    """The rings whose marble may jump now."""
    found = 0
    look = occupied(state) if state[PHASE] != CHAIN else 1 << state[MARBLE]
    while look:
        ring = lowest(look)
        look &= look - 1
        if can_jump(geometry, state, ring):
            found |= 1 << ring
    return found


@kernel(types.float32(INT))
def urgency(missing: int) -> float:
    """How near a goal is: 1 when one marble is missing, less when more are."""
    return 1.0 / max(missing, 1)


@kernel(types.void(GEOMETRY, STATE, INT, INT, PLANES))
def show_player(geometry: Geometry, state: State, player: int, plane: int, out: Planes) -> None:
    """What a player holds, and what is missing to each goal."""
    missing_of_all = 0
    for colour in range(3):
        held = state[CAPTURED + 3 * player + colour]
        missing = max(geometry[EACH] - held, 0)
        missing_of_all += missing
        show_number(geometry, 0.1 * held, plane + colour, out)
        show_number(geometry, urgency(geometry[GOAL + colour] - held), plane + 3 + colour, out)
        show_number(geometry, 0.25 * missing, plane + 6 + colour, out)
    show_number(geometry, urgency(missing_of_all), plane + 9, out)


@rule("encode")
def encode_board(geometry: Geometry, state: State, symmetry: int, out: Planes) -> None:
    """Board, what may be done, the pool, then the mover and the opponent."""
    out[:] = 0
    for plane in range(4):
        show_rings(geometry, symmetry, state[RINGS + plane], plane, out)
    show_rings(geometry, symmetry, free_rings(state), FREE, out)
    if must_jump(state):
        show_rings(geometry, symmetry, jumpers(geometry, state), JUMPERS, out)
    if state[PHASE] == CHAIN:
        show_rings(geometry, symmetry, 1 << state[MARBLE], CHAIN_MARBLE, out)
    show_number(geometry, state[PHASE] == REMOVE, REMOVING, out)
    show_number(geometry, supply(state) != POOL, OWN_SUPPLY, out)
    for colour in range(3):
        show_number(geometry, 0.1 * state[POOL + colour], IN_POOL + colour, out)
    show_player(geometry, state, state[PLAYER], HELD, out)
    show_player(geometry, state, 1 - state[PLAYER], HELD + PER_PLAYER, out)


@rule("encode")
def encode_deepzertz(geometry: Geometry, state: State, symmetry: int, out: Planes) -> None:
    """The boards of five turns, newest first, the chain's marble, pool and captures of both, the player."""
    out[:] = 0
    for plane in range(4):
        show_rings(geometry, symmetry, state[RINGS + plane], plane, out)
    for plane in range(4 * PAST_BOARDS):
        show_rings(geometry, symmetry, state[PAST + plane], 4 + plane, out)
    after = 4 * TURNS_SEEN
    if state[PHASE] == CHAIN:
        show_rings(geometry, symmetry, 1 << state[MARBLE], after, out)
    for number in range(9):
        show_number(geometry, state[POOL + number], after + 1 + number, out)
    show_number(geometry, state[PLAYER], after + 10, out)


def split_action_cells(layout: Layout) -> NDArray[np.int32]:
    """The cell of each action of the split form, in the planes of its kind: at the ring it begins with."""
    cells = np.array(layout.cells, np.int32)
    on_rings = np.arange(4)[:, None] * layout.cell_count + cells
    jumps = cells[:, None] + (4 + np.arange(len(DIRECTIONS))) * layout.cell_count
    return np.concatenate([on_rings.ravel(), jumps.ravel()]).astype(np.int32)


def encodings_of(layout: Layout, action_cells: NDArray[np.int32]) -> dict[str, Encoding]:
    """The encodings of a board, the default first, for actions that have these cells (or none)."""
    grid = (layout.height, layout.width)
    policy_planes = POLICY_PLANES if len(action_cells) else 0
    return {
        "board": Encoding(
            encode=encode_board,
            shape=(BOARD_PLANES, *grid),
            mask=layout.mask,
            symmetries=plane_permutations(layout.cell_turns, BOARD_PLANES),
            policy_planes=policy_planes,
            action_cells=action_cells,
        ),
        "deepzertz": Encoding(
            encode=encode_deepzertz,
            shape=(DEEPZERTZ_PLANES, *grid),
            mask=layout.mask,
            symmetries=plane_permutations(layout.cell_turns, DEEPZERTZ_PLANES),
            reads_history=True,
            policy_planes=policy_planes,
            action_cells=action_cells,
        ),
    }
