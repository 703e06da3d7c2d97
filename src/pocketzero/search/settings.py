"""How to search. Every constant names the paper it comes from."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
from numba import types
from numpy.typing import NDArray

from pocketzero.errors import PocketZeroError, nearest

Numbers = NDArray[np.float64]
NUMBERS = types.float64[::1]

# Places in the vector of numbers that kernels read.
(
    C_PUCT,
    C_BASE,
    FPU,
    VIRTUAL_LOSS,
    RULE,
    REDUCED,
    SOLVED,
    TRANSPOSED,
    SYMMETRY,
    NOISE,
    NOISE_ALPHA,
    FORCED,
    GUMBEL_MOVES,
    GUMBEL_SCALE,
    SOLVE_BUDGET,
    EXACT_MARGIN,
    BOUND,
    MARGIN_WEIGHT,
    LARGEST_MARGIN,
    PROVEN,
    NUMBER_COUNT,
) = range(21)

PUCT_RULE, UCB1_RULE = 0, 1
NO_SYMMETRY, RANDOM_SYMMETRY, ALL_SYMMETRIES = 0, 1, 2


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How one search is done."""

    c: float = 1.25
    """Exploration constant of PUCT (AlphaZero, Silver et al. 2018, c_init), or of UCB1."""
    c_base: float = 0.0
    """If positive, c grows as log((1 + N + c_base) / c_base) with the visits N (AlphaZero: 19652)."""
    fpu: float = 0.2
    """First-play value: a new move is worth the parent's value less fpu x sqrt(prior mass tried) (KataGo, Wu 2019)."""
    virtual_loss: float = 1.0
    """How many losses a leaf that waits for its evaluation counts as, while other leaves of its tree are chosen."""
    leaves: int = 8
    """How many leaves of one tree are evaluated in one batch."""
    reduced: bool = False
    """Search only moves that are enough to keep the value, where the game knows them (2018 thesis: move sequences)."""
    solved: bool = True
    """Let the game answer leaves exactly, or with bounds, where it can."""
    proven: bool = True
    """Let proven results travel up the tree; without it, an end of the game is worth what it is and proves nothing."""
    transposed: bool = True
    """Use evaluations and proven results again in positions that were reached before by other ways."""
    symmetry: Literal["none", "random", "all"] = "random"
    """Which symmetry of a leaf the net sees: none, a random one (AlphaGo Zero, Silver et al. 2017), or all averaged."""
    noise: float = 0.0
    """Share of Dirichlet noise in the root's priors (AlphaZero: 0.25 in self-play)."""
    noise_alpha: float = 10.0
    """Alpha of the noise, divided by the number of legal moves (DeepZertz; KataGo: 10.83)."""
    forced: float = 0.0
    """Forced playouts: a root move gets at least sqrt(forced x prior x visits) (KataGo: 2 in self-play)."""
    gumbel: int = 0
    """If positive, search the root by sequential halving over so many moves (Danihelka et al. 2022: 16)."""
    gumbel_scale: float = 1.0
    """How strongly values count against priors there (the same paper: c_scale 1.0 for board games, c_visit 50)."""
    solve_budget: int = 0
    """How many positions the game may visit to solve one leaf; 0 leaves it to what the game knows without a search."""
    exact: bool = False
    """Go on until the margin is proven, not only the winner."""
    margin: float = 0.0
    """How much the worth of the final margin (``games/worth.py``) counts beside who wins, where the game has one."""
    max_nodes: int = 1_000_000
    """The search stops when the tree has so many positions."""

    def numbers(
        self, *, rule: int = PUCT_RULE, transposed: bool = True, bound: int = 1, largest_margin: int = 0
    ) -> Numbers:
        """The settings as kernels read them; ``bound`` is larger than, or as large as, any result of the game."""
        found = np.zeros(NUMBER_COUNT)
        found[C_PUCT], found[C_BASE], found[FPU] = self.c, self.c_base, self.fpu
        found[VIRTUAL_LOSS], found[RULE] = self.virtual_loss, rule
        found[REDUCED], found[TRANSPOSED] = self.reduced, self.transposed and transposed
        found[SOLVED], found[PROVEN] = self.solved and self.proven, self.proven
        found[SYMMETRY] = ("none", "random", "all").index(self.symmetry)
        found[NOISE], found[NOISE_ALPHA], found[FORCED] = self.noise, self.noise_alpha, self.forced
        found[GUMBEL_MOVES], found[GUMBEL_SCALE], found[SOLVE_BUDGET] = (
            self.gumbel,
            self.gumbel_scale,
            self.solve_budget,
        )
        found[BOUND] = bound
        if largest_margin and self.margin:
            found[MARGIN_WEIGHT], found[LARGEST_MARGIN] = self.margin, largest_margin
        found[EXACT_MARGIN] = self.exact or found[MARGIN_WEIGHT] > 0
        return found

    def __post_init__(self) -> None:
        if self.symmetry not in ("none", "random", "all"):
            raise PocketZeroError(f"symmetry is none, random or all, not {self.symmetry!r}.")
        numbers = (
            self.c,
            self.c_base,
            self.fpu,
            self.virtual_loss,
            self.noise,
            self.noise_alpha,
            self.forced,
            self.margin,
        )
        if not all(isinstance(number, int | float) and math.isfinite(number) for number in numbers):
            raise PocketZeroError("c, c_base, fpu, virtual_loss, noise, noise_alpha, forced, margin: finite numbers.")
        if self.noise_alpha <= 0 or not all(isinstance(n, int) for n in (self.leaves, self.max_nodes, self.gumbel)):
            raise PocketZeroError("noise_alpha is above 0, and leaves, max_nodes and gumbel are whole numbers.")
        if (
            self.leaves < 1
            or self.max_nodes < 2
            or self.gumbel < 0
            or not 0 <= self.noise <= 1
            or not 0 <= self.margin <= 1
        ):
            raise PocketZeroError(
                "leaves must be at least 1, max_nodes 2, gumbel 0, and noise and margin between 0 and 1."
            )


def settings_from(options: dict[str, object]) -> Settings:
    """Settings from named options; a name that does not exist is an error that suggests the nearest."""
    known = [field.name for field in fields(Settings)]
    for name in options:
        if name not in known:
            raise PocketZeroError(f"There is no setting {name!r}. {nearest(name, known)}Settings: {', '.join(known)}.")
    return Settings(**options)  # type: ignore[arg-type]
