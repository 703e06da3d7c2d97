"""Sets kept in 64-bit words, hashing and random numbers: the small change of the compiled rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.ir
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from pocketzero.compiled import kernel

Words = NDArray[np.int64]


@intrinsic  # type: ignore[untyped-decorator]
def borrowed(typing: Any, array: Any) -> Any:
    """Inside kernels: the same array without a reference count; it must not outlive the one it was made from.

    Numba counts references to every array at every call, atomically. Where small functions are called millions of
    times a second with several arrays, that is most of the cost; borrowed arrays are free of it.
    """

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        view.parent = cgutils.get_null_value(view.parent.type)
        return view._getvalue()

    return array(array), lower


def _word_intrinsic(lower: Callable[[Any, Any], Any]) -> Callable[[int], int]:
    """A function from a word to a number that is one machine instruction inside kernels."""

    @intrinsic  # type: ignore[untyped-decorator]
    def instruction(typing: Any, word: Any) -> Any:
        return types.int64(types.int64), lambda context, builder, signature, arguments: lower(builder, arguments[0])

    return instruction


# The index of the lowest member of a set (64 for the empty one), and the number of its members.
lowest = _word_intrinsic(lambda builder, word: builder.cttz(word, llvmlite.ir.Constant(llvmlite.ir.IntType(1), 0)))
count = _word_intrinsic(lambda builder, word: builder.ctpop(word))


@kernel(types.int64(types.int64))
def mix(word: int) -> int:
    """A well-scattered 64-bit hash of a word (the finaliser of SplitMix64, Steele et al. 2014)."""
    x = np.uint64(word) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64(x ^ (x >> np.uint64(31)))  # type: ignore[return-value]


@kernel(types.int64(types.int64[::1], types.int64))
def random_below(generator: Words, limit: int) -> int:
    """A random whole number from 0 to limit - 1; ``generator`` is one word of state (SplitMix64)."""
    generator[0] += np.int64(-7046029254386353131)  # 0x9E3779B97F4A7C15, the golden ratio
    high = np.uint64(mix(generator[0])) >> np.uint64(32)
    return np.int64((high * np.uint64(limit)) >> np.uint64(32))  # type: ignore[return-value]
