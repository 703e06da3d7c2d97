"""The rules of a game as a table of code addresses, so that one compiled kernel serves every game.

A kernel that takes functions as arguments would be compiled anew for each game, or pay tens of microseconds per
call to unpack them. Here the rules of a game are an ``int64`` array of code addresses; inside a kernel
``play_of(table)`` turns a slot back into a function that costs about two nanoseconds to call. This leans on two
private functions of Numba, which is why Numba is pinned and why nothing outside this file knows of it.

Two slots per rule: the plain C entry and Numba's own, without which exceptions would be lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numba import types
from numba.core import cgutils
from numba.experimental.function_type import _get_jit_address, _get_wrapper_address
from numba.extending import intrinsic
from numpy.typing import NDArray

from pocketzero.compiled import Function, kernel

Geometry = NDArray[np.int64]  # what never changes during a game: sizes, neighbours, symmetries
State = NDArray[np.int64]  # one position
Moves = NDArray[np.int32]  # room for a list of actions
Planes = NDArray[np.float32]  # room for the planes of a position, flat
Bounds = NDArray[np.int64]  # lowest and highest final margin, from player 0's side
Table = NDArray[np.int64]

GEOMETRY = STATE = TABLE = types.int64[::1]
MOVES = types.int32[::1]
PLANES = types.float32[::1]
BOUNDS = types.int64[::1]
INT = types.int64

SIGNATURES: dict[str, Any] = {
    "start": types.void(GEOMETRY, STATE),
    "legal": INT(GEOMETRY, STATE, MOVES),
    "play": types.void(GEOMETRY, STATE, INT),
    "to_move": INT(STATE),
    "outcome": INT(GEOMETRY, STATE),
    "margin": INT(GEOMETRY, STATE),
    "key": INT(GEOMETRY, STATE),
    "encode": types.void(GEOMETRY, STATE, INT, PLANES),
    "reduce": INT(GEOMETRY, STATE, MOVES),
    "solve": INT(GEOMETRY, STATE, INT, BOUNDS),
}
SLOTS = tuple(SIGNATURES)

ONGOING, FIRST_WINS, SECOND_WINS, DRAW = -1, 0, 1, 2  # what ``outcome`` answers
NO_ANSWER, BOUNDED, EXACT = 0, 1, 2  # what ``solve`` answers


def rule(slot: str) -> Callable[[Function], Function]:
    """Compile a function as one of a game's rules: ``@rule("play")``."""
    return kernel(SIGNATURES[slot])


@rule("margin")
def no_margin(geometry: Geometry, state: State) -> int:
    """For games that are only won, lost or drawn."""
    return 0


@rule("reduce")
def no_reduction(geometry: Geometry, state: State, out: Moves) -> int:
    """For games that know no subset of the moves that keeps the value."""
    return -1


@rule("solve")
def no_solution(geometry: Geometry, state: State, budget: int, bounds: Bounds) -> int:
    """For games that cannot answer a position exactly."""
    return NO_ANSWER


class RuleTable(np.ndarray):
    """Code addresses of this process: they mean nothing in another one, so they cannot be sent there."""

    def __reduce__(self) -> NoReturn:
        raise TypeError("A rule table holds code addresses of this process; send the game's name instead.")


def table_of(functions: dict[str, Callable[..., Any]]) -> Table:
    """The code addresses of compiled rules, two per slot; the caller keeps the functions alive."""
    addresses = []
    for slot, signature in SIGNATURES.items():
        addresses += [address(functions[slot], signature) for address in (_get_wrapper_address, _get_jit_address)]
    return np.array(addresses, np.int64).view(RuleTable)


def _accessor(slot: str) -> Any:
    """A function for use inside kernels that takes a table and gives the rule in this slot."""
    function_type = types.FunctionType(SIGNATURES[slot])
    place = 2 * SLOTS.index(slot)

    @intrinsic  # type: ignore[untyped-decorator]
    def rule_of(typing: Any, table: Any) -> Any:
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            pointer = context.get_value_type(types.voidptr)
            rule = cgutils.create_struct_proxy(function_type)(context, builder)
            for field, index in (("c_addr", place), ("jit_addr", place + 1)):
                entry = builder.gep(array.data, [context.get_constant(types.intp, index)])
                setattr(rule, field, builder.inttoptr(builder.load(entry), pointer))
            rule.py_addr = cgutils.get_null_value(pointer)
            return rule._getvalue()

        return function_type(table), lower

    return rule_of


start_of = _accessor("start")
legal_of = _accessor("legal")
play_of = _accessor("play")
to_move_of = _accessor("to_move")
outcome_of = _accessor("outcome")
margin_of = _accessor("margin")
key_of = _accessor("key")
encode_of = _accessor("encode")
reduce_of = _accessor("reduce")
solve_of = _accessor("solve")
