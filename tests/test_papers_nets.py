"""The nets of the four papers: their sizes as counted from the papers' own numbers, and what they promise as nets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pocketzero.games import Game, game
from pocketzero.nets import (
    BadNet,
    NetDescription,
    OpenVinoEvaluator,
    build_net,
    describe,
    load_net,
    open_evaluator,
    read_description,
    save_net,
)
from pocketzero.nets.convlstm import ConvLstm
from pocketzero.nets.export import export_onnx
from pocketzero.nets.papers import (
    alphadots,
    alphadots_early,
    alphadots_lstm,
    deepzertz_cnn,
    deepzertz_dense,
    dots2022,
    gomoku,
)
from pocketzero.nets.torch_evaluator import TorchEvaluator
from pocketzero.search import search

ZERTZ19, ZERTZ37 = "zertz:19/deepzertz/joint", "zertz:37/deepzertz/joint"
NETS: dict[str, Callable[[], NetDescription]] = {
    "deepzertz-cnn": lambda: deepzertz_cnn(game(ZERTZ19), layers=5, filters=16),
    "deepzertz-dense": lambda: deepzertz_dense(game(ZERTZ19)),
    "dots2022": lambda: dots2022(game("dots:3x3")),
    "gomoku": lambda: gomoku(game("mnk:5x5x4")),
    "alphadots": lambda: alphadots(game("dots:2x3"), blocks=4, filters=64),
    "alphadots policy": lambda: alphadots(game("dots:2x3"), blocks=1, filters=64, kernel=5, policy_only=True),
    "alphadots-early": lambda: alphadots_early(game("dots:2x3")),
    "alphadots-lstm": lambda: alphadots_lstm(game("dots:1x2/sequence")),
}
FULLY_CONVOLUTIONAL = ["alphadots", "alphadots policy", "alphadots-early"]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    usual = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(usual)


def board_of(description: NetDescription) -> Game:
    return description.fit(game(description.boards))


def trained(description: NetDescription, seed: int = 0) -> nn.Module:
    """A net in which no weight is zero or one, as after some training."""
    torch.manual_seed(seed)
    net = build_net(description).eval()
    with torch.no_grad():
        for name, tensor in net.state_dict().items():
            if tensor.is_floating_point():
                spread = 0.05 * torch.randn_like(tensor)
                tensor.copy_(1 + spread.abs() if name.endswith("running_var") else tensor + spread)
    return net


def some_planes(board: Game, count: int, seed: int = 0) -> NDArray[np.float32]:
    """Planes of positions of random games."""
    chance = np.random.default_rng(seed)
    position, planes = board.start(), []
    while len(planes) < count:
        planes.append(position.planes())
        position = position.play_action(int(chance.choice(position.legal_actions())))
        position = board.start() if position.is_over else position
    return np.stack(planes)


def inputs(board: Game, count: int, rows: int = 0, columns: int = 0) -> tuple[Tensor, Tensor]:
    """Planes and masks of some positions, perhaps in the corner of a larger frame that is full of rubbish."""
    planes = some_planes(board, count)
    masks = np.broadcast_to(board.planes.mask, (count, 1, *board.planes.mask.shape))
    room = [(0, max(0, wanted - found)) for wanted, found in zip((rows, columns), board.planes.mask.shape)]
    framed = np.pad(planes, ((0, 0), (0, 0), *room), constant_values=7.0)
    return torch.from_numpy(framed), torch.from_numpy(np.pad(masks, ((0, 0), (0, 0), *room)))


# What the papers say


@pytest.mark.parametrize(
    ("description", "counted"),
    [
        # 31 planes on 5x5 cells, 10 layers, flattened 25 x 32 to 1024, 512; 25 x 6 + 25 x 26 x 3 = 2100 actions.
        (
            lambda: deepzertz_cnn(game(ZERTZ19)),
            (31 * 9 + 1) * 32 + 9 * (32 * 9 + 1) * 32 + 10 * 64  # convolutions and their normalisation
            + (800 + 1) * 1024 + 2048 + (1024 + 1) * 512 + 1024  # dense layers and theirs
            + (512 + 1) * 2100 + (512 + 1),  # heads
        ),
        (
            lambda: deepzertz_cnn(game(ZERTZ37), layers=15, filters=64),
            (31 * 9 + 1) * 64 + 14 * (64 * 9 + 1) * 64 + 15 * 128
            + (64 * 49 + 1) * 1024 + 2048 + (1024 + 1) * 512 + 1024
            + (512 + 1) * 7644 + (512 + 1),
        ),
        (
            lambda: deepzertz_dense(game(ZERTZ19)),
            (31 * 25 + 1) * 64 + 9 * (64 + 1) * 64 + (64 + 1) * 2100 + (64 + 1),
        ),
        (lambda: dots2022(game("dots:3x3")), 2_675_741),  # "Trainable params" of the thesis's figure 4.5
        (
            lambda: gomoku(game("mnk:5x5x4")),
            (2 * 9 + 1) * 32 + 2 * (32 * 9 + 1) * 32 + 3 * 64  # Conv1 to Conv3
            + (32 + 1) * 2 + 4 + (50 + 1) * 25  # Conv4 and the policy
            + (32 + 1) * 1 + 2 + (25 + 1) * 32 + (32 + 1),  # Conv5 and the value
        ),
        (
            lambda: alphadots(game("dots:5x4")),  # 8 blocks of 256 filters
            (5 * 9 + 1) * 256 + 512 + 16 * ((256 * 9 + 1) * 256 + 512) + 2 * (256 * 9 + 1),
        ),
        (
            lambda: alphadots(game("dots:5x5"), blocks=4, filters=64, policy_only=True),
            (5 * 9 + 1) * 64 + 128 + 8 * ((64 * 9 + 1) * 64 + 128) + (64 * 9 + 1),
        ),
        (
            lambda: alphadots_early(game("dots:5x5")),
            (9 + 1) * 64 + 5 * (64 * 9 + 1) * 64 + 6 * 128 + (64 * 9 + 1) * 2,
        ),
        (
            lambda: alphadots_early(game("dots:5x5"), kernel=5),
            (25 + 1) * 64 + 5 * (64 * 25 + 1) * 64 + 6 * 128 + (64 * 25 + 1) * 2,
        ),
        # Four gates of 40 filters see the layer below and the memory; then 3x3x3 over 40 filters.
        (
            lambda: alphadots_lstm(game("dots:5x5/sequence")),
            160 * (9 * (1 + 40) + 1) + 3 * 160 * (9 * (40 + 40) + 1) + 4 * 80 + (40 * 27 + 1),
        ),
    ],
)  # fmt: skip
def test_nets_have_as_many_parameters_as_their_papers_say(
    description: Callable[[], NetDescription], counted: int
) -> None:
    assert sum(parameter.numel() for parameter in build_net(description()).parameters()) == counted


def test_the_net_of_2022_has_the_summary_of_figure_4_5() -> None:
    net = build_net(dots2022(game("dots:3x3")))
    averages = sum(buffer.numel() for buffer in net.buffers() if buffer.is_floating_point())
    assert averages == 7_168  # "Non-trainable params"
    dense, norms = net.dense[::4], net.dense[1::4]
    assert [sum(p.numel() for p in layer.parameters()) for layer in dense] == [29_696, 1_049_600, 1_049_600, 524_800]
    assert [4 * norm.num_features for norm in norms] == [4_096, 4_096, 4_096, 2_048]
    assert sum(p.numel() for p in net.heads.policy.parameters()) == 14_364
    assert sum(p.numel() for p in net.heads.value.parameters()) == 513
    assert [type(piece) for piece in net.dense] == 4 * [nn.Linear, nn.BatchNorm1d, nn.ReLU, nn.Dropout]
    assert {piece.p for piece in net.dense[3::4]} == {0.3}


@pytest.mark.parametrize("layers", [5, 10, 15])
@pytest.mark.parametrize("filters", [16, 32, 64])
def test_deepzertz_has_so_many_layers_of_so_many_filters(layers: int, filters: int) -> None:
    description = deepzertz_cnn(game(ZERTZ37), layers=layers, filters=filters)
    assert (description.planes, description.rows, description.columns) == (4 * 5 + 11, 7, 7)
    net = build_net(description)
    assert [type(piece) for piece in net.convolutions] == layers * [nn.Conv2d, nn.BatchNorm2d, nn.ReLU]
    shapes = [tuple(conv.weight.shape) for conv in net.convolutions[::3]]
    assert shapes == [(filters, 31, 3, 3)] + (layers - 1) * [(filters, filters, 3, 3)]
    assert [type(piece) for piece in net.dense] == 2 * [nn.Linear, nn.BatchNorm1d, nn.ReLU, nn.Dropout]
    assert [layer.out_features for layer in net.dense[::4]] == [1024, 512]
    assert {piece.p for piece in net.dense[3::4]} == {0.1}


def test_deepzertz_reads_split_actions_too() -> None:
    assert deepzertz_cnn(game("zertz:19/deepzertz")).actions == game("zertz:19/deepzertz").action_count == 190


@pytest.mark.parametrize("name", NETS)
def test_outputs_have_their_shapes(name: str) -> None:
    description = NETS[name]()
    board = board_of(description)
    outputs = dict(zip(description.outputs, build_net(description).eval()(*inputs(board, 3))))
    on_board = (3, 1, *board.planes.shape[1:])
    assert outputs["policy"].shape == (on_board if description.policy == "planes" else (3, board.action_count))
    assert ("value" in outputs) == (name not in ("alphadots policy", "alphadots-early", "alphadots-lstm"))
    if "value" in outputs:
        assert outputs["value"].shape == (3, 1)
        assert outputs["value"].abs().max() < 1


@pytest.mark.parametrize("name", [name for name in NETS if "value" in NETS[name]().outputs])
def test_values_go_through_tanh(name: str) -> None:
    description = NETS[name]()
    net = build_net(description).eval()
    head = net.heads.value if hasattr(net, "heads") else net.value
    with torch.no_grad():
        head.weight.zero_()
        head.bias.fill_(0.7)
        values = net(*inputs(board_of(description), 2))[1]
    np.testing.assert_allclose(values.numpy(), np.tanh(0.7), atol=1e-6)


def test_the_policy_of_2022_is_on_its_array() -> None:
    """Place 4 r + c of the thesis's array, with horizontal lines in even rows: aB is 8, Ab is 5."""
    board = game("dots:3x3", "array2022")
    net = build_net(dots2022(board)).eval()
    with torch.no_grad():
        net.heads.policy.weight.zero_()
        net.heads.policy.bias.copy_(torch.arange(28.0))
    logits, _ = TorchEvaluator(net, board).evaluate(some_planes(board, 1))
    start = board.start()
    assert {start.write(line): logits[0, line] for line in range(24)}.items() >= {"aA": 0, "aB": 8, "Ab": 5}.items()
    assert sorted(set(range(28)) - set(logits[0].tolist())) == [3, 11, 19, 27]


def test_the_first_gomoku_layer_reaches_the_third_past_the_second() -> None:
    net = trained(gomoku(game("mnk:5x5x4")))
    planes, mask = inputs(game("mnk:5x5x4"), 6)
    with torch.no_grad():
        net.conv2.norm.weight.zero_()
        net.conv2.norm.bias.zero_()
        policy = net(planes, mask)[0]
        expected = net.policy(net.conv4(net.conv3(net.conv1(planes))).flatten(1))
    torch.testing.assert_close(policy, expected)
    assert (policy[0] - policy[5]).abs().max() > 1e-4


def test_gomoku_convolutions_are_those_of_the_paper() -> None:
    net = build_net(gomoku(game("mnk:5x5x4")))
    layers = [net.conv1, net.conv2, net.conv3, net.conv4, net.conv5]
    shapes = [(layer.conv.out_channels, layer.conv.kernel_size[0], layer.conv.padding[0]) for layer in layers]
    assert shapes == [(32, 3, 1), (32, 3, 1), (32, 3, 1), (2, 1, 0), (1, 1, 0)]


def seen_at(module: nn.Module) -> list[Tensor]:
    """A list that fills with what a module gives."""
    seen: list[Tensor] = []
    module.register_forward_hook(lambda _module, _inputs, output: seen.append(output.detach()))
    return seen


def test_the_value_of_alphadots_is_the_mean_of_a_plane() -> None:
    net = trained(NETS["alphadots"]())
    plane = seen_at(net.value)
    with torch.no_grad():
        value = net(*inputs(game("dots:2x3", "planes2018"), 4))[1]
    assert plane[0].shape == (4, 1, 5, 7)
    torch.testing.assert_close(value, plane[0].mean((2, 3)).tanh())


def test_the_policy_of_alphadots_is_read_at_the_lines() -> None:
    board = game("dots:2x3", "planes2018")
    net = trained(NETS["alphadots"]())
    planes = some_planes(board, 2)
    plane = seen_at(net.policy)
    with torch.no_grad():
        net(torch.from_numpy(planes), torch.ones(2, 1, 5, 7))
    logits, _ = TorchEvaluator(net, board).evaluate(planes)
    picture = plane[0][:, 0].numpy()
    np.testing.assert_allclose(logits[:, :9], picture[:, ::2, 1::2].reshape(2, 9), atol=1e-6)
    np.testing.assert_allclose(logits[:, 9:], picture[:, 1::2, ::2].reshape(2, 8), atol=1e-6)


def test_early_nets_give_each_pixel_a_chance_of_its_own() -> None:
    net = trained(NETS["alphadots-early"]())
    scores = seen_at(net.last)
    with torch.no_grad():
        policy = net(*inputs(game("dots:2x3", "grey2018"), 3))[0]
    torch.testing.assert_close(policy.exp()[:, 0], scores[0].softmax(1)[:, 1])


# The recurrent net


def test_a_memory_works_as_keras_writes_it() -> None:
    """One cell, one filter: the gates by hand for two pictures."""
    layer = ConvLstm(1, 1, 1)
    with torch.no_grad():
        layer.seen.weight.copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]).view(4, 1, 1, 1))
        layer.seen.bias.copy_(torch.tensor([0.1, 0.2, 0.3, 0.4]))
        layer.kept.weight.copy_(torch.tensor([0.5, -0.5, 0.25, 1.0]).view(4, 1, 1, 1))
        found = layer(torch.tensor([0.5, -0.2]).view(1, 2, 1, 1, 1), torch.ones(1, 2, 1, 1, 1)).flatten().tolist()

    def gate(x: float) -> float:
        return min(max(0.2 * x + 0.5, 0), 1)

    memory = gate(0.5 + 0.1) * np.tanh(1.5 + 0.3)
    first = gate(2.0 + 0.4) * np.tanh(memory)
    memory = gate(-0.4 + 0.2 - 0.5 * first) * memory + gate(-0.2 + 0.1 + 0.5 * first) * np.tanh(
        -0.6 + 0.3 + 0.25 * first
    )
    second = gate(-0.8 + 0.4 + first) * np.tanh(memory)
    assert found == pytest.approx([first, second], abs=1e-6)


def test_a_memory_begins_as_in_keras() -> None:
    layer = ConvLstm(3, 5, 3)
    assert layer.seen.bias.tolist() == 5 * [0] + 5 * [1] + 10 * [0]
    rows = layer.kept.weight.detach().flatten(1)
    torch.testing.assert_close(rows @ rows.T, torch.eye(20), atol=1e-5, rtol=0)


@pytest.mark.parametrize("lines", [0, 1, 4])
def test_planes_before_the_game_do_not_count(lines: int) -> None:
    board = game("dots:1x2/sequence", "sequence2018")
    description = alphadots_lstm(board)
    net, short = (trained(replace(description, planes=planes)) for planes in (7, lines + 1))
    planes, mask = inputs(board, lines + 1)
    with torch.no_grad():
        whole = net(planes[-1:], mask[-1:])[0]
        alone = short(planes[-1:, -lines - 1 :], mask[-1:])[0]
    torch.testing.assert_close(whole, alone)


def test_the_memory_tells_games_apart_that_reach_the_same_position() -> None:
    board = game("dots:1x2/sequence", "sequence2018")
    one, other = (board.start().play_line(line) for line in ("aA bA Aa aB", "aB Aa bA aA"))
    assert one == other
    net, mask = trained(alphadots_lstm(board)), torch.ones(1, 1, 3, 5)
    with torch.no_grad():
        answers = [net(torch.from_numpy(position.planes()[None]), mask)[0] for position in (one, other)]
    assert (answers[0] - answers[1]).abs().max() > 1e-5


def test_what_the_memory_learns_does_not_depend_on_the_frame() -> None:
    board = game("dots:1x2/sequence", "sequence2018")
    learned = []
    for rows, columns in ((3, 5), (6, 8)):
        net = trained(alphadots_lstm(board)).train()
        net(*inputs(board, 5, rows, columns))[0].square().sum().backward()
        learned.append([parameter.grad for parameter in net.parameters()] + list(net.buffers()))
    for small, large in zip(*learned):
        torch.testing.assert_close(small, large, atol=1e-4, rtol=1e-3)


# As nets


@pytest.mark.parametrize("name", NETS)
def test_openvino_agrees_with_pytorch(name: str) -> None:
    description = NETS[name]()
    board = board_of(description)
    net, planes = trained(description), some_planes(board, 5)
    found = OpenVinoEvaluator(net, board, precision="f32").evaluate_all(planes)
    expected = TorchEvaluator(net, board).evaluate_all(planes)
    assert found.keys() == expected.keys() == {"policy", "value"}
    assert found["policy"].shape == (5, board.action_count)
    for output, numbers in expected.items():
        scale = max(1.0, float(np.abs(numbers).max()))
        assert np.abs(found[output] - numbers).max() < 1e-3 * scale, output
        assert np.ptp(numbers) > 1e-3 or output not in description.outputs, output


@pytest.mark.parametrize("name", ["alphadots-early", "alphadots-lstm"])
def test_chances_next_to_zero_have_logarithms(name: str) -> None:
    description = NETS[name]()
    board, net = board_of(description), trained(description)
    with torch.no_grad():
        net.last.bias.copy_(torch.tensor([300.0, -300.0] if name == "alphadots-early" else [-600.0]))
    planes = some_planes(board, 2)
    for evaluator in (OpenVinoEvaluator(net, board, precision="f32"), TorchEvaluator(net, board)):
        logits, values = evaluator.evaluate(planes)
        np.testing.assert_allclose(logits, -600, atol=20)
        assert (values == 0).all()


@pytest.mark.parametrize("name", ["deepzertz-cnn", "alphadots", "alphadots-lstm"])
def test_new_weights_take_the_place_of_old_ones(name: str) -> None:
    description = NETS[name]()
    board = board_of(description)
    planes, new = some_planes(board, 3), trained(description, seed=2)
    evaluator = OpenVinoEvaluator(trained(description, seed=1), board, precision="f32")
    before = evaluator.evaluate(planes)[0]
    evaluator.swap(new)
    after, expected = evaluator.evaluate(planes)[0], TorchEvaluator(new, board).evaluate(planes)[0]
    np.testing.assert_allclose(after, expected, atol=1e-3)
    assert np.abs(after - before).max() > 1e-2


@pytest.mark.parametrize("name", NETS)
def test_a_saved_net_is_the_same_net(name: str, tmp_path: Path) -> None:
    description = NETS[name]()
    net = trained(description)
    path = save_net(net, tmp_path / "net.safetensors")
    again = load_net(path)
    assert again.description == description == read_description(path)
    assert not again.training
    planes, mask = inputs(board_of(description), 2)
    with torch.no_grad():
        for found, expected in zip(again(planes, mask), net(planes, mask), strict=True):
            assert torch.equal(found, expected)


@pytest.mark.parametrize("name", ["dots2022", "alphadots-lstm"])
def test_onnx_files_play(name: str, tmp_path: Path) -> None:
    description = NETS[name]()
    board = board_of(description)
    net, planes = trained(description), some_planes(board, 2)
    path = export_onnx(net, tmp_path / "net.onnx")
    assert read_description(path) == description
    found = open_evaluator(path, board, precision="f32").evaluate(planes)[0]
    np.testing.assert_allclose(found, TorchEvaluator(net, board).evaluate(planes)[0], atol=1e-3)


@pytest.mark.parametrize("name", FULLY_CONVOLUTIONAL)
def test_one_net_plays_every_board(name: str) -> None:
    description = NETS[name]()
    net = trained(description)
    for text in ("dots:1x1", "dots:4x2", "dots:5x5"):
        board = description.fit(game(text))
        planes = some_planes(board, 3)
        found = OpenVinoEvaluator(net, board, precision="f32").evaluate(planes)
        expected = TorchEvaluator(net, board).evaluate(planes)
        assert found[0].shape == (3, board.action_count)
        for ours, theirs in zip(found, expected):
            np.testing.assert_allclose(ours, theirs, atol=1e-3)


@pytest.mark.parametrize("name", FULLY_CONVOLUTIONAL)
def test_boards_of_several_sizes_share_a_batch(name: str) -> None:
    description = NETS[name]()
    net = trained(description)
    boards = [description.fit(game(text)) for text in ("dots:1x1", "dots:3x4", "dots:4x2")]
    planes, masks = (torch.cat(parts) for parts in zip(*[inputs(board, 2, 10, 11) for board in boards]))
    with torch.no_grad():
        together = net(planes, masks)
        for number, board in enumerate(boards):
            _, rows, columns = board.planes.shape
            for output, alone in zip(together, net(*inputs(board, 2)), strict=True):
                mine = output[2 * number : 2 * number + 2]
                mine = mine[:, :, :rows, :columns] if mine.ndim == 4 else mine
                torch.testing.assert_close(mine, alone, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", NETS)
def test_every_parameter_learns(name: str) -> None:
    """Seen without normalising by the batch, which takes away what a bias before it would do."""
    description = NETS[name]()
    net = trained(description)
    sum(output.square().sum() for output in net(*inputs(board_of(description), 8))).backward()
    for parameter, tensor in net.named_parameters():
        assert tensor.grad is not None, parameter
        assert tensor.grad.abs().max() > 1e-7, parameter


@pytest.mark.parametrize("name", NETS)
def test_a_few_steps_lower_the_loss(name: str) -> None:
    description = NETS[name]()
    board = board_of(description)
    torch.manual_seed(0)
    net = build_net(description).train()
    planes, mask = inputs(board, 8)
    lines = torch.from_numpy(board.planes.action_cells).long()
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3)
    losses = []
    for _ in range(8):
        logits = net(planes, mask)[0].flatten(1)
        logits = logits[:, lines] if description.policy == "planes" else logits
        loss = nn.functional.cross_entropy(logits, torch.arange(8) % board.action_count)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] - 0.01


@pytest.mark.parametrize("name", NETS)
def test_dropout_is_for_training_only(name: str) -> None:
    description = NETS[name]()
    net = trained(description)
    frame = inputs(board_of(description), 4)
    with torch.no_grad():
        assert torch.equal(net(*frame)[0], net(*frame)[0])
        net.train()
        drops = not torch.equal(net(*frame)[0], net(*frame)[0])
    assert drops == (name in ("deepzertz-cnn", "dots2022")) == (description.dropout > 0)


@pytest.mark.parametrize("name", ["dots2022", "alphadots-lstm"])
def test_a_search_asks_a_net(name: str) -> None:
    description = NETS[name]()
    board = board_of(description)
    result = search(board.start(), TorchEvaluator(trained(description), board), sims=50)
    assert result.simulations == 50
    assert result.evaluations > 0


# What does not fit


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: deepzertz_cnn(game("dots:3x3")), "DeepZertz has a net for zertz, which cannot play dots:3x3"),
        (lambda: gomoku(game("dots:3x3")), "The Gomoku paper has a net for mnk, which cannot play dots:3x3"),
        (
            lambda: alphadots_lstm(game("dots:3x3")),
            "reads the encoding 'sequence2018', and dots:3x3 has boxes, .*. Play dots:3x3/sequence, which has it",
        ),
        (lambda: alphadots(game("dots:3x3"), blocks=0), "The blocks of a net are counted from 1 on; 0 is too few"),
        (lambda: deepzertz_cnn(game(ZERTZ19), filters=-1), "The channels of a net are counted from 1 on; -1 is too"),
        (lambda: deepzertz_dense(game(ZERTZ19), layers=0), "The dense layers of a net are counted from 1 on; 0 is"),
        (lambda: deepzertz_dense(game(ZERTZ19), width=0), "widths of dense layers are whole numbers from 1 on"),
        (lambda: alphadots_early(game("dots:3x3"), kernel=4), "its size is an odd number, not 4"),
    ],
)
def test_misuse_is_answered_with_a_sentence(make: Callable[[], NetDescription], message: str) -> None:
    with pytest.raises(BadNet, match=message):
        make()


@pytest.mark.parametrize(
    ("name", "asked", "message"),
    [
        (
            "deepzertz-cnn",
            ZERTZ37,
            "boards of 5x5 cells, and this one has 7x7; it knows 2100 actions, and the game has",
        ),
        ("deepzertz-dense", "zertz:19/deepzertz", "it knows 2100 actions, and the game has 190"),
        ("dots2022", "dots:4x3", "it plays only boards of 7x4 cells, and this one has 9x4"),
        ("gomoku", "mnk:6x5x4", "it plays only boards of 5x5 cells, and this one has 5x6"),
        ("alphadots", "mnk:5x5x4", "made for dots, not mnk"),
        ("alphadots-lstm", "dots:1x2", "it reads the encoding 'sequence2018', and the game has boxes"),
        ("alphadots-lstm", "dots:2x2/sequence", "it reads 7 planes, and 'sequence2018' has 12"),
    ],
)
def test_a_net_says_why_it_does_not_fit(name: str, asked: str, message: str) -> None:
    with pytest.raises(BadNet, match=message):
        NETS[name]().fit(game(asked))


def test_descriptions_from_before_the_papers_are_read() -> None:
    description = describe(game("dots:2x2"), channels=8, blocks=1)
    found = json.loads(description.to_json())
    for entry in ("layers", "dense", "dropout"):
        del found[entry]
    assert NetDescription.from_json(json.dumps(found)) == description


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dense": [1024, 0]}, r"widths of dense layers are whole numbers from 1 on, not \(1024, 0\)"),
        ({"dense": ["wide"]}, "widths of dense layers"),
        ({"dense": 1024}, "'dense' is 1024"),
        ({"dropout": 1.0}, "Dropout is a chance from 0 to less than 1, not 1.0"),
        ({"dropout": "some"}, "'dropout' is 'some'"),
    ],
)
def test_descriptions_are_checked(change: dict[str, object], message: str) -> None:
    text = json.dumps(json.loads(dots2022(game("dots:3x3")).to_json()) | change)
    with pytest.raises(BadNet, match=message):
        NetDescription.from_json(text)
