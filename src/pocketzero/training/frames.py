"""Batches as nets take them: boards of all sizes in one frame, with masks, and targets laid out like the outputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketzero.games import Game
from pocketzero.nets.description import ON_BOARD, NetDescription
from pocketzero.training.episodes import Episode
from pocketzero.training.samples import Batch, Maker

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Frame:
    """One batch for the learner; the first index of every array is the sample."""

    planes: Floats
    mask: Floats
    policy: Floats  # as the net gives it: policy planes flattened, or one number for each action
    legal: Floats
    reply: Floats
    wdl: Floats  # chances of win, draw and loss
    margin: Floats
    owner: Floats
    has_end: Floats

    def __len__(self) -> int:
        return len(self.planes)


class Framer:
    """Makes frames of the boards that one net learns on."""

    def __init__(self, description: NetDescription, boards: list[Game], search_value: float) -> None:
        self.description = description
        self.boards = {board.name: description.fit(board) for board in boards}
        self._makers = {name: Maker(board) for name, board in self.boards.items()}
        self._cells = {name: board.planes.action_cells for name, board in self.boards.items()}
        self._search_value = search_value

    def frame(
        self, samples: list[tuple[Episode, int]], chance: np.random.Generator, *, symmetric: bool = True
    ) -> Frame:
        """One frame for these samples, as large as the largest of their boards."""
        by_board: dict[str, list[tuple[Episode, int]]] = {}
        for sample in samples:
            by_board.setdefault(sample[0].game, []).append(sample)
        batches = [self._makers[name].batch(some, chance, symmetric=symmetric) for name, some in by_board.items()]
        rows = max(batch.planes.shape[2] for batch in batches)
        columns = max(batch.planes.shape[3] for batch in batches)
        parts = [self._framed(batch, rows, columns) for batch in batches]
        return parts[0] if len(parts) == 1 else _joined(parts)

    def _framed(self, batch: Batch, rows: int, columns: int) -> Frame:
        """A batch of one board in the upper left corner of the frame."""
        shape = batch.game.planes.shape
        height, width = shape[1:]
        count = len(batch.planes)
        planes = np.zeros((count, shape[0], rows, columns), np.float32)
        planes[:, :, :height, :width] = batch.planes
        mask = np.zeros((count, 1, rows, columns), np.float32)
        mask[:, 0, :height, :width] = batch.game.planes.mask
        owner = np.zeros((count, rows, columns), np.float32)
        if batch.owner.shape[1]:
            owner[:, :height, :width] = batch.owner
        return Frame(
            planes=planes,
            mask=mask,
            policy=self._laid_out(batch.policy, batch.game, rows, columns),
            legal=self._laid_out(batch.legal, batch.game, rows, columns),
            reply=self._laid_out(batch.reply, batch.game, rows, columns),
            wdl=chances(batch.result, batch.value, 0.0 if self.description.margin else self._search_value),
            margin=self._margin(batch),
            owner=owner,
            has_end=batch.has_end,
        )

    def _margin(self, batch: Batch) -> Floats:
        """The final margin; where values are margins and nothing else, mixed with the search's own."""
        if self.description.margin < 1:
            return batch.margin
        return (1 - self._search_value) * batch.margin + np.float32(self._search_value) * batch.value

    def _laid_out(self, numbers: Floats, board: Game, rows: int, columns: int) -> Floats:
        """Numbers for each action where the net's policy has them."""
        if self.description.policy != ON_BOARD:
            return numbers
        height, width = board.planes.shape[1:]
        cells = self._cells[board.name].astype(np.int64)
        plane, inside = np.divmod(cells, height * width)
        row, column = np.divmod(inside, width)
        out = np.zeros((len(numbers), self.description.policy_planes * rows * columns), np.float32)
        out[:, plane * rows * columns + row * columns + column] = numbers
        return out


def chances(result: Floats, value: Floats, search_value: float) -> Floats:
    """What the net should think of win, draw and loss: the game's result, mixed with the search's own value.

    A value v stands for |v| sure and the rest drawn, which has the same expectation.
    """

    def spread(numbers: Floats) -> Floats:
        return np.stack([np.maximum(numbers, 0), 1 - np.abs(numbers), np.maximum(-numbers, 0)], 1)

    return ((1 - search_value) * spread(result) + search_value * spread(value)).astype(np.float32)


def _joined(parts: list[Frame]) -> Frame:
    names = list(vars(parts[0]))
    return Frame(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})
