"""The nets of the four papers, each as its paper describes it, so that their experiments can be run again.

- DeepZertz (Culberg, Hsu, Xu), section 3.3: ``deepzertz_cnn`` and its rival ``deepzertz_dense``.
- Dots and Boxes (da Costa 2022), section 4.6: ``dots2022``.
- AlphaGo Zero on Gomoku (Srivastava, Yang), section "Neural Network": ``gomoku``.
- AlphaDots (Peters 2018), section 6.4: ``alphadots``, and before it ``alphadots_early`` and ``alphadots_lstm``.

Each function gives the description of its net for a game, from which ``build_net`` makes the net. Where a paper is
silent or contradicts itself, the docstring of the net's class says what was chosen. All softmax layers at the end are
left to whoever reads the logits. Three of the papers used Keras; their nets begin with its weights and normalise with
its constants.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from torch import Tensor, nn

from pocketzero.games.base import Game
from pocketzero.nets.description import ON_BOARD, PER_ACTION, POLICY, VALUE, BadNet, NetDescription, family_of
from pocketzero.nets.sizefree import Boards, MaskedNorm

KERAS_MOMENTUM = 0.01  # of BatchNormalization; Keras counts from the other end and says 0.99
KERAS_EPSILON = 1e-3

DEEPZERTZ_DENSE = (1024, 512)  # DeepZertz, 3.3
DEEPZERTZ_DROPOUT = 0.1  # DeepZertz, 3.3
DOTS2022_DENSE = (1024, 1024, 1024, 512)  # da Costa 2022, figures 4.4 and 4.5
DOTS2022_DROPOUT = 0.3  # da Costa 2022, figure 4.4
GOMOKU_FILTERS = 32  # of Conv1 to Conv3; Gomoku, "Neural Network Layers"
GOMOKU_POLICY_FILTERS, GOMOKU_VALUE_FILTERS = 2, 1  # of Conv4 and Conv5; the same paragraph
GOMOKU_VALUE_WIDTH = 32  # of the first of the two linear layers; the paper does not say
EARLY_LAYERS, EARLY_FILTERS = 7, 64  # Peters 2018, 6.4.1
LSTM_LAYERS, LSTM_FILTERS = 4, 40  # Peters 2018, 6.4.2


# Descriptions


def deepzertz_cnn(game: Game, *, layers: int = 10, filters: int = 32, narrow: int = 1) -> NetDescription:
    """DeepZertz's convolutional net: 5, 10 or 15 layers of 16, 32 or 64 filters (3.3 and figure 5).

    With ``narrow`` above 1 its dense layers are so many times narrower than the paper's.
    """
    board = _board(game, "zertz", "deepzertz", "DeepZertz")
    shape = {
        "layers": layers,
        "channels": filters,
        "dense": _narrowed(DEEPZERTZ_DENSE, narrow),
        "dropout": DEEPZERTZ_DROPOUT,
    }
    return _described("deepzertz-cnn", board, **_for_one_board(board), **shape)


def deepzertz_dense(game: Game, *, layers: int = 10, width: int = 64) -> NetDescription:
    """The dense net that DeepZertz's convolutional ones were compared with (4.1 and figure 5)."""
    board = _board(game, "zertz", "deepzertz", "DeepZertz")
    return _described("deepzertz-dense", board, **_for_one_board(board), dense=(width,) * layers)


def dots2022(game: Game, *, narrow: int = 1) -> NetDescription:
    """The dense net of the 2022 thesis (4.6.1), which has a logit for each place of its array, lines or not.

    With ``narrow`` above 1 its layers are so many times narrower than the thesis's.
    """
    board = _board(game, "dots", "array2022", "The 2022 thesis")
    _, rows, columns = board.planes.shape
    shape = {"dense": _narrowed(DOTS2022_DENSE, narrow), "dropout": DOTS2022_DROPOUT}
    return _described("dots2022", board, policy_planes=1, rows=rows, columns=columns, **shape)


def gomoku(game: Game) -> NetDescription:
    """The Gomoku paper's net: three layers of 32 filters with a shortcut (section "Neural Network")."""
    board = _board(game, "mnk", "stones", "The Gomoku paper")
    return _described("gomoku", board, **_for_one_board(board), channels=GOMOKU_FILTERS)


def alphadots(
    game: Game, *, blocks: int = 8, filters: int = 256, kernel: int = 3, policy_only: bool = False
) -> NetDescription:
    """AlphaDots' net: M = 4, 8 or 16 blocks, N = 64, 128 or 256 filters (6.4.3); 8 x 256 in its experiments (7.6).

    Versions 1 to 6 had only a policy (7.4).
    """
    board = _board(game, "dots", "planes2018", "AlphaDots")
    outputs = (POLICY,) if policy_only else (POLICY, VALUE)
    shape = {"blocks": blocks, "channels": filters, "kernel": kernel}
    return _described("alphadots", board, policy_planes=1, outputs=outputs, **shape)


def alphadots_early(game: Game, *, kernel: int = 3) -> NetDescription:
    """First Try, Basic Strategy and Stage One; the second Stage One net has kernel 5 (Peters 2018, 6.4.1)."""
    board = _board(game, "dots", "grey2018", "AlphaDots")
    shape = {"layers": EARLY_LAYERS, "channels": EARLY_FILTERS, "kernel": kernel}
    return _described("alphadots-early", board, policy_planes=1, outputs=(POLICY,), **shape)


def alphadots_lstm(game: Game) -> NetDescription:
    """The recurrent net that sees all pictures of a game (Peters 2018, 6.4.2)."""
    board = _board(game, "dots", "sequence2018", "AlphaDots")
    shape = {"layers": LSTM_LAYERS, "channels": LSTM_FILTERS}
    return _described("alphadots-lstm", board, policy_planes=1, outputs=(POLICY,), **shape)


def _narrowed(widths: tuple[int, ...], narrow: int) -> tuple[int, ...]:
    return tuple(width // narrow for width in widths)


def _board(game: Game, family: str, encoding: str, paper: str) -> Game:
    """The game as a paper's net sees it."""
    if family_of(game) != family:
        raise BadNet(f"{paper} has a net for {family}, which cannot play {game.name}.")
    if encoding not in game.encodings:
        form = f" Play {game.name}/sequence, which has it." if encoding == "sequence2018" else ""
        known = ", ".join(game.encodings)
        raise BadNet(f"{paper} has a net that reads the encoding {encoding!r}, and {game.name} has {known}.{form}")
    return game.with_encoding(encoding)


def _for_one_board(board: Game) -> dict[str, Any]:
    """What says that a net plays one board, with one logit for each action."""
    _, rows, columns = board.planes.shape
    return {"policy": PER_ACTION, "actions": board.action_count, "rows": rows, "columns": columns}


def _described(kind: str, board: Game, **shape: Any) -> NetDescription:
    """The description of a net for a board."""
    counts = {name: number for name, number in shape.items() if name in ("layers", "blocks", "channels", "kernel")}
    if "dense" in shape:
        counts["dense layers"] = len(shape["dense"])
    for name, count in counts.items():
        if count < 1:
            raise BadNet(f"The {name} of a net are counted from 1 on; {count} is too few.")
    if shape.get("kernel", 3) % 2 == 0:
        raise BadNet(f"A kernel has a middle, so its size is an odd number, not {shape['kernel']}.")
    given = {"policy": ON_BOARD, "outputs": (POLICY, VALUE), "boards": board.name} | shape
    planes, encoding = board.planes.shape[0], board.encoding
    return NetDescription(kind=kind, game=family_of(board), encoding=encoding, planes=planes, **given)


# Pieces


def keras_norm(channels: int) -> MaskedNorm:
    """Batch normalisation with the constants of Keras, over the cells of the boards."""
    return MaskedNorm(channels, momentum=KERAS_MOMENTUM, epsilon=KERAS_EPSILON)


def begin_as_keras(net: nn.Module) -> None:
    """Give a net the weights with which Keras begins: Glorot's uniform ones, and no bias."""
    for module in net.modules():
        if isinstance(module, nn.Linear | nn.Conv2d | nn.Conv3d):
            nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)


def same_size(inside: int, outside: int, kernel: int = 3) -> nn.Conv2d:
    """A convolution that leaves the size of the board as it is."""
    return nn.Conv2d(inside, outside, kernel, padding=kernel // 2)


def dense_layers(inside: int, widths: tuple[int, ...], dropout: float) -> nn.Sequential:
    """Dense layers, each followed by normalisation, rectifier and dropout."""
    pieces: list[nn.Module] = []
    for before, after in pairwise((inside, *widths)):
        norm = nn.BatchNorm1d(after, eps=KERAS_EPSILON, momentum=KERAS_MOMENTUM)
        pieces += [nn.Linear(before, after), norm, nn.ReLU(), nn.Dropout(dropout)]
    return nn.Sequential(*pieces)


class DenseHeads(nn.Module):
    """So many logits, and the value through tanh, both from the same numbers."""

    def __init__(self, inside: int, logits: int) -> None:
        super().__init__()
        self.policy = nn.Linear(inside, logits)
        self.value = nn.Linear(inside, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.policy(x), self.value(x).tanh()


def _inputs(description: NetDescription) -> int:
    """How many numbers a net for one board reads."""
    return description.planes * description.rows * description.columns


# DeepZertz


class DeepZertzCnn(nn.Module):
    """DeepZertz, 3.3: convolutions of 3x3, then dense layers of 1024 and 512, then policy and value.

    - The paper lists the modules of a layer from the last to the first ("a rectifier; batch normalization; a
      convolution", "dropout; a rectifier; batch normalization; a fully-connected layer"). They are applied in the
      usual order, beginning with the convolution or the fully-connected layer, as in its program
     ; the other way round, nothing would stand between the 512 units and the heads.
    - Padding is not mentioned. It keeps the size: without it ten layers of 3x3 do not fit on 5x5 or 7x7 cells.
    - The normalisation is by filter, as the paper it cites has it; the program normalises by column of the board.
    - The policy has one logit for each action of the game: Sc + Sp of them in the joint form. In the split form, which
      section 5 proposes, it has those of that form.
    """

    def __init__(self, description: NetDescription) -> None:
        super().__init__()
        self.description = description
        channels = (description.planes, *[description.channels] * description.layers)
        pieces: list[nn.Module] = []
        for before, after in pairwise(channels):
            norm = nn.BatchNorm2d(after, eps=KERAS_EPSILON, momentum=KERAS_MOMENTUM)
            pieces += [same_size(before, after, description.kernel), norm, nn.ReLU()]
        self.convolutions = nn.Sequential(*pieces)
        numbers = description.channels * description.rows * description.columns
        self.dense = dense_layers(numbers, description.dense, description.dropout)
        self.heads = DenseHeads((numbers, *description.dense)[-1], description.actions)
        begin_as_keras(self)

    def forward(self, planes: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Batch x actions, and batch x 1."""
        return self.heads(self.dense(self.convolutions(planes).flatten(1)))


class DeepZertzDense(nn.Module):
    """DeepZertz, 4.1 and figure 5: the "dense neural network" that lost to the convolutional ones.

    The paper says nothing else about it. Its program has layers of equal width with rectifiers and neither
    normalisation nor dropout, and in its settings ten layers of 64 units.
    """

    def __init__(self, description: NetDescription) -> None:
        super().__init__()
        self.description = description
        widths = (_inputs(description), *description.dense)
        pieces: list[nn.Module] = []
        for before, after in pairwise(widths):
            pieces += [nn.Linear(before, after), nn.ReLU()]
        self.dense = nn.Sequential(*pieces)
        self.heads = DenseHeads(widths[-1], description.actions)
        begin_as_keras(self)

    def forward(self, planes: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Batch x actions, and batch x 1."""
        return self.heads(self.dense(planes.flatten(1)))


# Dots and Boxes 2022


class Dots2022(nn.Module):
    """Da Costa 2022, 4.6.1: four dense layers, each with normalisation, rectifier and dropout.

    The program of figure 4.4 and the summary of figure 4.5 leave nothing open on 3x3 boxes; on other boards the array
    is larger or smaller. The text above the figure lists dropout first; the program has it last, and so has this net.
    The policy is on the array: its 28 places include four that are no lines, and their softmax is over all 28.
    """

    def __init__(self, description: NetDescription) -> None:
        super().__init__()
        self.description = description
        self.array = (1, description.rows, description.columns)
        numbers = _inputs(description)
        self.dense = dense_layers(numbers, description.dense, description.dropout)
        self.heads = DenseHeads((numbers, *description.dense)[-1], description.rows * description.columns)
        begin_as_keras(self)

    def forward(self, planes: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Batch x 1 x rows x columns, and batch x 1."""
        policy, value = self.heads(self.dense(planes.flatten(1)))
        return policy.unflatten(1, self.array), value


# Gomoku


class Filters(nn.Module):
    """A convolution with normalisation and rectifier."""

    def __init__(self, inside: int, outside: int, kernel: int) -> None:
        super().__init__()
        self.conv = same_size(inside, outside, kernel)
        self.norm = nn.BatchNorm2d(outside)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.conv(x)).relu()


class Gomoku(nn.Module):
    """Gomoku paper, "Neural Network": Conv1 to Conv3 in common, Conv4 for the policy and Conv5 for the value.

    - "Output of layer 1 is connected to input of layer 3": it is added to what layer 2 gives.
    - Normalisation and rectifier follow every convolution; "Project Description" names both without a place.
    - The policy is said to need one more layer and a softmax, but the two filters of Conv4 give 50 numbers for 25
      moves. A linear layer takes them to the moves, as in AlphaGo Zero, whose net this is "a reimplementation" of.
      "Including pass" is Go's: there is no pass here.
    - The width between the two linear layers of the value is not given; it is 32, like the filters. The value goes
      through tanh, since its targets are -1 and 1, although the text also calls it a probability.
    """

    def __init__(self, description: NetDescription) -> None:
        super().__init__()
        self.description = description
        filters, kernel = description.channels, description.kernel
        cells = description.rows * description.columns
        self.conv1 = Filters(description.planes, filters, kernel)
        self.conv2 = Filters(filters, filters, kernel)
        self.conv3 = Filters(filters, filters, kernel)
        self.conv4 = Filters(filters, GOMOKU_POLICY_FILTERS, 1)
        self.conv5 = Filters(filters, GOMOKU_VALUE_FILTERS, 1)
        self.policy = nn.Linear(GOMOKU_POLICY_FILTERS * cells, description.actions)
        self.inner = nn.Linear(GOMOKU_VALUE_FILTERS * cells, GOMOKU_VALUE_WIDTH)
        self.value = nn.Linear(GOMOKU_VALUE_WIDTH, 1)

    def forward(self, planes: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Batch x actions, and batch x 1."""
        first = self.conv1(planes)
        third = self.conv3(self.conv2(first) + first)
        inner = self.inner(self.conv5(third).flatten(1)).relu()
        return self.policy(self.conv4(third).flatten(1)), self.value(inner).tanh()


# AlphaDots


class ResBlock(nn.Module):
    """Peters 2018, 6.4.3: convolution, normalisation, rectifier, convolution, normalisation; add, rectifier."""

    def __init__(self, filters: int, kernel: int) -> None:
        super().__init__()
        self.conv1, self.norm1 = same_size(filters, filters, kernel), keras_norm(filters)
        self.conv2, self.norm2 = same_size(filters, filters, kernel), keras_norm(filters)

    def forward(self, x: Tensor, boards: Boards) -> Tensor:
        inner = self.norm1(self.conv1(x), boards).relu()
        return (self.norm2(self.conv2(inner), boards) + x).relu()


class AlphaDots(nn.Module):
    """Peters 2018, 6.4.3: M residual blocks of N filters between one convolution and two heads of one plane each.

    - The first convolution is followed by the rectifier and then by the normalisation, in this order.
    - The size of the kernels is in the experiments (7.6 to 7.8: 3x3). That of the heads is not given; it is the same,
      as in the thesis's program, not AlphaGo Zero's 1x1. Nothing stands between the
      planes of the heads and their last layers.
    - The lines' pixels of the policy plane are one vector with one softmax. The value is tanh of the mean of its plane.
    - A board that does not fill its frame is seen as if it were alone: beside it is the zero that padding would be.
    """

    def __init__(self, description: NetDescription) -> None:
        super().__init__()
        self.description = description
        filters, kernel = description.channels, description.kernel
        self.conv, self.norm = same_size(description.planes, filters, kernel), keras_norm(filters)
        self.tower = nn.ModuleList(ResBlock(filters, kernel) for _ in range(description.blocks))
        self.policy = same_size(filters, 1, kernel)
        self.value = same_size(filters, 1, kernel) if VALUE in description.outputs else None
        begin_as_keras(self)

    def forward(self, planes: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        """Batch x 1 x rows x columns, and, unless it gives only the policy, batch x 1."""
        boards = Boards.of(mask, learning=self.training)
        x = self.norm(self.conv(planes * mask).relu(), boards)
        for block in self.tower:
            x = block(x, boards)
        policy = boards.only(self.policy(x))
        if self.value is None:
            return (policy,)
        mean = boards.only(self.value(x)).sum((2, 3)) / boards.cells
        return policy, mean.tanh()


class AlphaDotsEarly(nn.Module):
    """Peters 2018, 6.4.1: seven convolutions on the grey picture, the last with a softmax of its own for each pixel.

    - "Each convolutional layer consists of 64 filters" cannot hold for the last, whose softmax makes "each pixel a
      boolean classification task": it has two filters, "no line" and "line", as in the thesis's program, and is
      not normalised. The first six are normalised after the rectifier.
    - The policy is the logarithm of the chance of "line", so that the softmax over the lines keeps the order and the
      proportions of these chances, and their exponential is the picture that the net was trained to give.
    """

    def __init__(self, description: NetDescription) -> None:
        super().__init__()
        self.description = description
        channels = (description.planes, *[description.channels] * (description.layers - 1))
        self.convs = nn.ModuleList(same_size(before, after, description.kernel) for before, after in pairwise(channels))
        self.norms = nn.ModuleList(keras_norm(filters) for filters in channels[1:])
        self.last = same_size(channels[-1], 2, description.kernel)
        begin_as_keras(self)

    def forward(self, planes: Tensor, mask: Tensor) -> tuple[Tensor]:
        """Batch x 1 x rows x columns."""
        x, boards = planes * mask, Boards.of(mask, learning=self.training)
        for conv, norm in zip(self.convs, self.norms):
            x = norm(conv(x).relu(), boards)
        return (boards.only(self.last(x).log_softmax(1)[:, 1:]),)
