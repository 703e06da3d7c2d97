"""Nets: what they promise about boards, files and evaluators."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from pocketzero.app.analysis.evaluators import evaluator_for
from pocketzero.app.net_commands import export, models
from pocketzero.errors import PocketZeroError, UnknownName
from pocketzero.games import Game, Position, game
from pocketzero.nets import (
    BadNet,
    NetDescription,
    OpenVinoEvaluator,
    build_net,
    checkpoint_path,
    choose_evaluator,
    describe,
    extra_outputs,
    find_net,
    has_bf16,
    list_models,
    load_net,
    open_evaluator,
    read_description,
    read_onnx,
    save_net,
)
from pocketzero.nets.export import export_onnx, openvino_net
from pocketzero.nets.files import models_folder
from pocketzero.nets.openvino_net import precision_of
from pocketzero.nets.torch_evaluator import TorchEvaluator
from pocketzero.search import search

KALAH = f"{Path(__file__).parent.parent / 'examples' / 'kalah.py'}:game"
BOARDS = ["dots:5x5", "dots:2x4", "zertz:37", "zertz:48", "mnk:9x9x5", "mnk:7x4x3", KALAH, "zertz:19/joint"]
SIZES = {
    "dots": ["dots:1x1", "dots:3x5", "dots:6x6"],
    "zertz": ["zertz:19", "zertz:48"],
    "mnk": ["mnk:3x3x3", "mnk:9x7x5"],
}


def some_net(board: Game, *, channels: int = 16, blocks: int = 2, seed: int = 0) -> nn.Module:
    """A small net in which no weight is zero or one, as after some training."""
    torch.manual_seed(seed)
    net = build_net(describe(board, channels=channels, blocks=blocks)).eval()
    with torch.no_grad():
        for name, tensor in net.state_dict().items():
            spread = 0.2 * torch.randn_like(tensor)
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


def framed(planes: NDArray[np.float32], mask: NDArray[np.float32], rows: int, columns: int) -> list[torch.Tensor]:
    """Planes and their mask in the upper left corner of a larger frame that is full of rubbish."""
    room = ((0, 0), (0, 0), (0, rows - mask.shape[0]), (0, columns - mask.shape[1]))
    masks = np.broadcast_to(mask, (len(planes), 1, *mask.shape))
    return [
        torch.from_numpy(np.pad(planes, room, constant_values=7.0)),
        torch.from_numpy(np.pad(masks, room)),
    ]


def run(net: nn.Module, board: Game, planes: NDArray[np.float32]) -> dict[str, torch.Tensor]:
    with torch.no_grad():
        outputs = net(*framed(planes, board.planes.mask, *board.planes.shape[1:]))
    return dict(zip(net.description.outputs, outputs))


# Where actions lie


def changed_cells(before: Position, after: Position, symmetry: int, planes: slice) -> set[int]:
    """The cells at which some of the planes change."""
    change = (before.planes(symmetry)[planes] != after.planes(symmetry)[planes]).any(0)
    return set(np.flatnonzero(change.ravel()).tolist())


@pytest.mark.parametrize(
    ("name", "encoding", "planes"),
    [
        ("dots:3x3", "boxes", slice(0, 2)),
        ("dots:2x4", "boxes", slice(0, 2)),
        ("dots:3x3", "planes2018", slice(1, 2)),
        ("dots:2x3", "array2022", slice(0, 1)),
        ("mnk:5x4x4", "stones", slice(0, 2)),
        ("mnk:5x4x4", "rows", slice(0, 2)),
        ("zertz:19", "board", slice(0, 4)),
        ("zertz:48", "deepzertz", slice(0, 4)),
    ],
)
def test_an_action_lies_where_it_changes_the_board_in_every_symmetry(name: str, encoding: str, planes: slice) -> None:
    board = game(name, encoding)
    chance = np.random.default_rng(1)
    seen = 0
    for _ in range(4):
        position = board.start()
        while not position.is_over:
            action = int(chance.choice(position.legal_actions()))
            after = position.play_action(action)
            for symmetry, turned in enumerate(board.symmetries[:, action]):
                cell = int(board.planes.action_cells[turned]) % board.planes.mask.size
                assert cell in changed_cells(position, after, symmetry, planes)
            position, seen = after, seen + 1
    assert seen > 20


@pytest.mark.parametrize(
    ("name", "encoding"), [("dots:3x3", "boxes"), ("dots:2x4", "boxes"), ("dots:3x2", "array2022")]
)
def test_lines_turn_as_the_planes_that_show_them(name: str, encoding: str) -> None:
    board = game(name, encoding)
    cells = board.planes.action_cells
    for actions, planes in zip(board.symmetries, board.planes.symmetries):
        assert (planes[cells] == cells[actions]).all()


@pytest.mark.parametrize("name", ["zertz:19", "zertz:48"])
def test_a_jump_lies_in_the_plane_of_its_direction_in_every_symmetry(name: str) -> None:
    board = game(name)
    size, columns = board.planes.mask.size, board.planes.shape[2]
    rings = board.action_count // 10
    steps: dict[int, set[int]] = {}
    for symmetry in board.symmetries:
        for action in range(4 * rings, board.action_count):
            plane, cell = divmod(int(board.planes.action_cells[symmetry[action]]), size)
            there = board.notation.layout.neighbours[(symmetry[action] - 4 * rings) // 6][plane - 4]
            if there >= 0:
                steps.setdefault(plane, set()).add(board.notation.layout.cells[there] - cell)
    assert steps == {4: {-columns}, 5: {1 - columns}, 6: {1}, 7: {columns}, 8: {columns - 1}, 9: {-1}}


def test_owner_planes_hold_every_box_at_the_end() -> None:
    for encoding in ("boxes", "planes2018"):
        position = game("dots:3x2", encoding).start()
        while not position.is_over:
            position = position.play_action(position.legal_actions()[-1])
        mine, theirs = (position.planes()[plane] for plane in position.game.planes.owner_planes or ())
        ahead = position.margin if position.to_move == 0 else -(position.margin or 0)
        assert (mine + theirs).sum() == 6
        assert (mine - theirs).sum() == ahead


def test_games_offer_what_they_have_to_learn() -> None:
    assert extra_outputs(game("dots:3x3")) == ("margin", "owner", "reply")
    assert extra_outputs(game("mnk:3x3x3")) == ("reply",)
    assert extra_outputs(game(KALAH)) == ("margin", "reply")


# The size-free net


@pytest.mark.parametrize("name", BOARDS)
def test_outputs_have_the_shapes_of_the_game(name: str) -> None:
    board = game(name)
    found = OpenVinoEvaluator(some_net(board), board).evaluate_all(some_planes(board, 3))
    _, rows, columns = board.planes.shape
    shapes = {"policy": (3, board.action_count), "reply": (3, board.action_count), "wdl": (3, 3), "value": (3,)}
    shapes |= {"margin": (3,)} if board.has_margin else {}
    shapes |= {"owner": (3, rows, columns)} if board.planes.owner_planes else {}
    assert {output: numbers.shape for output, numbers in found.items()} == shapes
    assert np.allclose(found["wdl"].sum(1), 1, atol=1e-5)
    assert np.allclose(found["wdl"][:, 0] - found["wdl"][:, 2], found["value"], atol=1e-6)


@pytest.mark.parametrize("family", SIZES)
def test_boards_of_several_sizes_share_a_batch(family: str) -> None:
    boards = [game(name) for name in SIZES[family]]
    net = some_net(boards[0])
    parts = [framed(some_planes(board, 2), board.planes.mask, 10, 11) for board in boards]
    planes, masks = (torch.cat(tensors) for tensors in zip(*parts))
    with torch.no_grad():
        together = dict(zip(net.description.outputs, net(planes, masks)))
    for number, board in enumerate(boards):
        alone = run(net, board, some_planes(board, 2))
        _, rows, columns = board.planes.shape
        for output, numbers in together.items():
            mine = numbers[2 * number : 2 * number + 2]
            mine = mine[:, :, :rows, :columns] if mine.ndim == 4 else mine
            torch.testing.assert_close(mine, alone[output], atol=2e-5, rtol=1e-4)


def test_what_a_batch_teaches_does_not_depend_on_its_frame() -> None:
    board = game("dots:3x3")
    planes = some_planes(board, 8)
    learned = []
    for rows, columns in ((4, 4), (9, 7)):
        net = some_net(board).train()
        frame = framed(planes, board.planes.mask, rows, columns)
        outputs = net(*frame)
        sum(output.square().sum() for output in outputs).backward()
        learned.append([parameter.grad for parameter in net.parameters()] + list(net.buffers()))
    for small, large in zip(*learned):
        torch.testing.assert_close(small, large, atol=1e-3, rtol=1e-3)


def test_the_running_averages_are_those_of_the_cells_on_the_board() -> None:
    board = game("zertz:19")
    net = build_net(describe(board, channels=8, blocks=1)).train()
    planes = some_planes(board, 16)
    for _ in range(200):
        net(*framed(planes, board.planes.mask, 9, 9))
    with torch.no_grad():
        seen = net.stem.conv(torch.from_numpy(planes))[:, :, torch.from_numpy(board.planes.mask) == 1]
    torch.testing.assert_close(net.stem.norm.running_mean, seen.mean((0, 2)), atol=1e-4, rtol=1e-3)
    torch.testing.assert_close(net.stem.norm.running_var, seen.var((0, 2), unbiased=False), atol=1e-4, rtol=1e-3)


def test_extras_that_a_game_does_not_offer_are_refused() -> None:
    with pytest.raises(BadNet, match="mnk:3x3x3 offers no 'owner' to learn, but: reply"):
        describe(game("mnk:3x3x3"), extras=("owner",))


# Files


def test_a_saved_net_is_the_same_net(tmp_path: Path) -> None:
    board = game("dots:3x3")
    net = some_net(board)
    path = save_net(net, tmp_path / "net.safetensors")
    again = load_net(path)
    assert again.description == net.description == read_description(path)
    planes = some_planes(board, 2)
    for output, numbers in run(again, board, planes).items():
        assert torch.equal(numbers, run(net, board, planes)[output])
    assert [file.name for file in tmp_path.iterdir()] == ["net.safetensors"]


@pytest.mark.parametrize(
    ("trained", "asked", "message"),
    [
        ("dots:3x3", "mnk:3x3x3", "made for dots, not mnk"),
        ("zertz:19", "zertz:19/joint", "its policy has 10 planes, and the game needs 0"),
        (
            "zertz:19/joint",
            "zertz:37/joint",
            "only boards of 5x5 cells, and this one has 7x7; it knows 2100 actions, and",
        ),
    ],
)
def test_a_net_says_why_it_does_not_fit(trained: str, asked: str, message: str) -> None:
    with pytest.raises(BadNet, match=message):
        describe(game(trained)).fit(game(asked))


def test_a_net_that_reads_other_planes_says_so() -> None:
    description = describe(game("dots:3x3"))
    with pytest.raises(BadNet, match="it reads 11 planes, and 'boxes' has 12"):
        replace(description, planes=11).fit(game("dots:3x3"))
    with pytest.raises(BadNet, match="it reads the encoding 'stars', and the game has boxes, chains, grey2018"):
        replace(description, encoding="stars").fit(game("dots:3x3"))


def test_a_net_brings_its_encoding() -> None:
    description = describe(game("dots:3x3", "planes2018"))
    assert description.fit(game("dots:4x4")).encoding == "planes2018"


def test_damaged_files_are_named(tmp_path: Path) -> None:
    path = save_net(some_net(game("dots:2x2")), tmp_path / "net.safetensors")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadNet, match=r"net.safetensors is damaged"):
        load_net(path)
    path.write_bytes(whole[:100])
    with pytest.raises(BadNet, match=r"net.safetensors is damaged"):
        load_net(path)
    path.write_bytes(b"\xff" * 50)
    with pytest.raises(BadNet, match="no safetensors file"):
        load_net(path)
    path.write_bytes(whole.replace(b'\\"channels\\": 16', b'\\"channels\\": 17'))
    with pytest.raises(BadNet, match="not those of its description"):
        load_net(path)
    path.write_bytes(whole.replace(b'\\"format\\": 1', b'\\"format\\": 9'))
    with pytest.raises(BadNet, match="has format 9; this version reads format 1"):
        load_net(path)
    onnx = tmp_path / "net.onnx"
    onnx.write_bytes(b"nothing of the kind")
    with pytest.raises(BadNet, match=r"net.onnx is damaged or is no ONNX file"):
        read_onnx(onnx)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"channels": "many"}, "'channels' is 'many'"),
        ({"chanels": 3}, "unknown entry 'chanels'. Did you mean 'channels'"),
        ({"outputs": ["policy", "wisdom"]}, "no output 'wisdom'"),
        ({"policy": "tables"}, "'planes' or 'dense', not 'tables'"),
    ],
)
def test_descriptions_are_checked(change: dict[str, object], message: str) -> None:
    text = json.dumps(json.loads(describe(game("dots:2x2")).to_json()) | change)
    with pytest.raises(BadNet, match=message):
        NetDescription.from_json(text)


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(BadNet, match=r"no kind of net called 'sizefre'. Did you mean 'sizefree'"):
        build_net(replace(describe(game("dots:2x2")), kind="sizefre"))


def test_checkpoints_are_found_in_run_directories(tmp_path: Path) -> None:
    net, run_folder = some_net(game("dots:2x2")), tmp_path / "mine"
    (run_folder / "checkpoints").mkdir(parents=True)
    with pytest.raises(UnknownName, match="has no net 'latest'; checkpoints: none yet"):
        find_net(str(run_folder))
    for number in (9, 123, 1000000):
        save_net(net, checkpoint_path(run_folder, number))
    assert find_net(str(run_folder)).name == "net-1000000.safetensors"
    assert find_net(f"{run_folder}@123") == checkpoint_path(run_folder, 123)
    with pytest.raises(UnknownName, match="has no net 'best'; checkpoints: 9, 123, 1000000"):
        find_net(f"{run_folder}@best")
    best = save_net(net, run_folder / "checkpoints" / "best.safetensors")
    assert find_net(f"{run_folder}@best") == best
    assert find_net(str(best)) == best
    with pytest.raises(UnknownName, match="no net file and no run directory"):
        find_net(str(tmp_path / "nowhere"))


def test_plain_names_are_shipped_nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pocketzero.nets.files.models_folder", lambda: tmp_path)
    export_onnx(some_net(game("dots:2x2")), tmp_path / "dots.onnx")
    assert list_models() == ["dots"]
    assert find_net("dots") == tmp_path / "dots.onnx"
    with pytest.raises(UnknownName, match=r"No net called 'dot' ships with PocketZero. Did you mean 'dots'"):
        find_net("dot")
    assert models_folder().name == "models"


def test_models_are_listed_with_the_first_words_of_their_cards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pocketzero.nets.files.models_folder", lambda: tmp_path)
    export(str(save_net(some_net(game("dots:2x2")), tmp_path / "dots.safetensors")), tmp_path / "dots.onnx")
    (tmp_path / "dots.md").write_text("# dots\n\nStrong on\nsmall boards.\n\n## More\n")
    capsys.readouterr()
    models()
    told = capsys.readouterr().out
    assert "dots:2x2" in told
    assert "Strong on small boards." in told
    assert "More" not in told
    models("dots")
    assert capsys.readouterr().out == (tmp_path / "dots.md").read_text()
    with pytest.raises(UnknownName, match="Did you mean 'dots'"):
        models("dost")


def test_export_writes_both_kinds_of_files(tmp_path: Path) -> None:
    net = some_net(game("dots:2x2"))
    save_net(net, checkpoint_path(tmp_path, 7))
    export(f"{tmp_path}@7", tmp_path / "mine.onnx")
    export(f"{tmp_path}@7", tmp_path / "mine.safetensors")
    assert read_description(tmp_path / "mine.onnx") == read_description(tmp_path / "mine.safetensors")
    export(str(tmp_path / "mine.onnx"), tmp_path / "again.safetensors")  # from the weights beside it
    assert (tmp_path / "again.safetensors").read_bytes() == (tmp_path / "mine.safetensors").read_bytes()
    with pytest.raises(PocketZeroError, match=r"not 'mine\.pt'"):
        export(f"{tmp_path}@7", tmp_path / "mine.pt")
    with pytest.raises(PocketZeroError, match="is not beside it"):
        export(str(export_onnx(net, tmp_path / "alone.onnx")), tmp_path / "new.onnx")


def test_an_analysis_shows_win_rates_of_nets_that_play_for_the_margin(tmp_path: Path) -> None:
    board = game("dots:2x2", "chains")
    net = build_net(describe(board, channels=8, blocks=1, margin=1.0))
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.normal_(0, 0.3, generator=torch.Generator().manual_seed(parameter.numel()))
    chosen = evaluator_for(game("dots:2x2"), str(save_net(net, tmp_path / "mine.safetensors")))
    planes = np.stack([board.start().planes(), board.start().play("aA").planes()])
    found = chosen.net.evaluate_all(planes)
    logits, values = chosen.evaluator.evaluate(planes)
    assert values == pytest.approx(found["wdl"][:, 0] - found["wdl"][:, 2])
    assert values != pytest.approx(found["value"])
    assert (logits == found["policy"]).all()
    assert chosen.settings.solve_budget == board.solve_budget > 0
    assert chosen.settings.margin == 0


# Evaluators


def test_the_precision_is_one_that_the_processor_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pocketzero.nets.openvino_net.has_bf16", lambda: False)
    assert precision_of("auto") == "f32"
    with pytest.raises(BadNet, match="does not compute in bfloat16"):
        precision_of("bf16")
    monkeypatch.setattr("pocketzero.nets.openvino_net.has_bf16", lambda: True)
    for pays in (True, False):
        monkeypatch.setattr("pocketzero.nets.openvino_net.bf16_pays", lambda pays=pays: pays)
        assert precision_of("auto") == ("bf16" if pays else "f32")
    assert precision_of("f32") == "f32"


@pytest.mark.parametrize("name", BOARDS)
def test_openvino_agrees_with_pytorch(name: str) -> None:
    board = game(name)
    net, planes = some_net(board), some_planes(board, 5)
    ours, theirs = OpenVinoEvaluator(net, board, precision="f32"), TorchEvaluator(net, board)
    found, expected = ours.evaluate_all(planes), theirs.evaluate_all(planes)
    assert found.keys() == expected.keys()
    for output, numbers in expected.items():
        scale = max(1.0, float(np.abs(numbers).max()))
        assert np.abs(found[output] - numbers).max() < 1e-3 * scale, output
        assert np.ptp(numbers) > 0, output


@pytest.mark.skipif(not has_bf16(), reason="this processor does not compute in bfloat16")
@pytest.mark.parametrize("name", ["dots:5x5", "zertz:37"])
def test_bf16_is_near(name: str) -> None:
    board = game(name)
    net, planes = some_net(board), some_planes(board, 8)
    rough = OpenVinoEvaluator(net, board, precision="bf16").evaluate(planes)
    exact = TorchEvaluator(net, board).evaluate(planes)
    for found, numbers in zip(rough, exact):
        assert np.abs(found - numbers).max() < 0.1 * max(1.0, float(np.abs(numbers).max()))


@pytest.mark.parametrize("name", ["dots:3x5", "zertz:48", "zertz:19/joint"])
def test_onnx_runtime_agrees_with_pytorch(name: str, tmp_path: Path) -> None:
    board = game(name)
    net, planes = some_net(board), some_planes(board, 3)
    session = onnxruntime.InferenceSession(export_onnx(net, tmp_path / "net.onnx"), providers=["CPUExecutionProvider"])
    frame = framed(planes, board.planes.mask, *board.planes.shape[1:])
    found = session.run(None, {"planes": frame[0].numpy(), "mask": frame[1].numpy()})
    assert [output.name for output in session.get_outputs()] == list(net.description.outputs)
    for numbers, expected in zip(found, run(net, board, planes).values()):
        np.testing.assert_allclose(numbers, expected.numpy(), atol=1e-4, rtol=1e-3)
    assert read_description(tmp_path / "net.onnx") == net.description


def test_batches_of_any_size_give_the_same_answers() -> None:
    board = game("dots:3x3")
    evaluator = OpenVinoEvaluator(some_net(board), board, precision="f32")
    planes = some_planes(board, 300)
    whole = evaluator.evaluate(planes)
    assert whole[0].shape == (300, board.action_count)
    for rows in (1, 3, 70):
        for part, expected in zip(evaluator.evaluate(planes[:rows]), whole):
            np.testing.assert_allclose(part, expected[:rows], atol=1e-5)


def test_answers_stay_when_the_next_batch_comes() -> None:
    board = game("dots:3x3")
    evaluator = OpenVinoEvaluator(some_net(board), board)
    first = evaluator.evaluate(some_planes(board, 4))
    everything = evaluator.evaluate_all(some_planes(board, 4))
    kept = [numbers.copy() for numbers in (*first, *everything.values())]
    evaluator.evaluate(some_planes(board, 4, seed=5)[::-1])
    for numbers, expected in zip((*first, *everything.values()), kept):
        assert (numbers == expected).all()


@pytest.mark.parametrize("kind", [OpenVinoEvaluator, TorchEvaluator])
def test_a_swap_reaches_all_clones_while_they_work(kind: type[OpenVinoEvaluator] | type[TorchEvaluator]) -> None:
    board = game("dots:2x2")
    old, new = some_net(board, seed=1), some_net(board, seed=2)
    evaluator, planes = kind(old, board), some_planes(board, 3)
    clone = evaluator.clone()
    results: list[NDArray[np.float32]] = []
    begun, stop = threading.Event(), threading.Event()

    def work() -> None:
        while not stop.is_set():
            results.append(clone.evaluate(planes)[0])
            begun.set()

    worker = threading.Thread(target=work)
    worker.start()
    assert begun.wait(20)
    evaluator.swap(new)
    wanted = kind(new, board).evaluate(planes)[0]
    np.testing.assert_allclose(evaluator.evaluate(planes)[0], wanted, atol=1e-5)
    stop.set()
    worker.join()
    np.testing.assert_allclose(clone.evaluate(planes)[0], wanted, atol=1e-5)
    np.testing.assert_allclose(results[0], kind(old, board).evaluate(planes)[0], atol=1e-5)
    assert np.abs(wanted - results[0]).max() > 0.01
    with pytest.raises(BadNet, match="same description"):
        evaluator.swap(some_net(board, channels=24))


def test_training_on_does_not_change_an_evaluator() -> None:
    board = game("dots:2x2")
    net, planes = some_net(board), some_planes(board, 2)
    evaluators = [OpenVinoEvaluator(net, board), TorchEvaluator(net, board)]
    before = [evaluator.evaluate(planes)[0] for evaluator in evaluators]
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(1)
    for evaluator, expected in zip(evaluators, before):
        assert (evaluator.clone().evaluate(planes)[0] == expected).all()


def test_a_fresh_net_is_exported_whole() -> None:
    """New nets have many equal weights, which the exporter would merge into one."""
    board = game("dots:2x2")
    net = build_net(describe(board, channels=8, blocks=2)).eval()
    openvino_net(net)
    with torch.no_grad():
        net.tower[0].second.norm.weight.fill_(0.5)
        net.tower[1].first.norm.bias.fill_(0.3)
    planes = some_planes(board, 2)
    for found, expected in zip(
        OpenVinoEvaluator(net, board).evaluate(planes), TorchEvaluator(net, board).evaluate(planes)
    ):
        np.testing.assert_allclose(found, expected, atol=1e-2)


@pytest.mark.parametrize("device", ["openvino", "torch"])
@pytest.mark.parametrize("spoiled", ["policy", "wdl"])
def test_what_is_not_a_number_stops_with_the_name_of_the_net(device: str, spoiled: str, tmp_path: Path) -> None:
    board = game("dots:2x2")
    net = some_net(board)
    with torch.no_grad():
        net.heads[spoiled].out.bias.fill_(float("nan"))
    evaluator = choose_evaluator(net, board, device=device)
    with pytest.raises(BadNet, match="the net gives an output that is not a number"):
        evaluator.evaluate(some_planes(board, 1))
    path = export_onnx(net, tmp_path / "spoiled.onnx")
    with pytest.raises(BadNet, match=r"spoiled.onnx gives an output that is not a number"):
        open_evaluator(path, board).evaluate(some_planes(board, 1))


def test_devices_are_chosen_by_name_or_by_trial(tmp_path: Path) -> None:
    board = game("mnk:3x3x3")
    net = some_net(board)
    assert isinstance(choose_evaluator(net, board), OpenVinoEvaluator | TorchEvaluator)
    assert isinstance(choose_evaluator(net, board, device="torch"), TorchEvaluator)
    with pytest.raises(BadNet, match="one of auto, openvino, torch, cuda, not 'tpu'"):
        choose_evaluator(net, board, device="tpu")
    with pytest.raises(BadNet, match="one of auto, bf16, f32, not 'f8'"):
        choose_evaluator(net, board, device="openvino", precision="f8")
    path = export_onnx(net, tmp_path / "net.onnx")
    with pytest.raises(BadNet, match=r"PyTorch needs the .safetensors file"):
        open_evaluator(path, board, device="torch")
    with pytest.raises(BadNet, match="reads planes"):
        open_evaluator(path, board).evaluate(np.zeros((1, 5, 3, 3), np.float32))


def test_a_search_asks_a_net() -> None:
    board = game("mnk:3x3x3")
    position = board.start().play_line("a1 a2 b1")
    result = search(position, OpenVinoEvaluator(some_net(board), board), sims=200)
    assert result.best == "c1"
    assert result.evaluations > 0


PLAYS_WITHOUT_TORCH = """
import sys
from pocketzero.games import game
from pocketzero.nets import open_evaluator
from pocketzero.search import search
board = game("dots:3x3")
found = search(board.start(), open_evaluator(sys.argv[1], board), sims=100)
assert found.simulations == 100, found
loaded = {"torch", "onnx", "safetensors", "onnxruntime"} & set(sys.modules)
assert not loaded, loaded
high = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(high.split()[1]) // 1024)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from Linux's /proc")
def test_playing_an_onnx_net_needs_no_pytorch_and_little_memory(tmp_path: Path) -> None:
    path = export_onnx(some_net(game("dots:5x5"), channels=64, blocks=5), tmp_path / "net.onnx")
    done = subprocess.run([sys.executable, "-c", PLAYS_WITHOUT_TORCH, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 350


def test_a_net_plays_in_a_small_process_without_pytorch(tmp_path: Path) -> None:
    """A Gomocup brain on 15x15 with a net of 64 channels and 5 blocks: no PyTorch, less than 350 MiB."""
    board = game("gomoku:15")
    export_onnx(build_net(describe(board)), tmp_path / "net.onnx")
    command = [sys.executable, "-m", "pocketzero", "engine", f"zero:{tmp_path / 'net.onnx'},sims=64"]
    for is_measured in (False, True):  # the first start may have to compile, once per machine
        most, mapped = play_two_moves([*command, "--protocol", "gomocup"])
        assert not is_measured or most < 350 * 1024, f"{most} kB"
        assert "torch" not in mapped


def play_two_moves(command: list[str]) -> tuple[int, str]:
    """The most memory, in kB, that a brain used for two moves on 15x15, and what it had loaded."""
    engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert engine.stdin is not None
    assert engine.stdout is not None
    try:
        engine.stdin.write("START 15\nBEGIN\n")
        engine.stdin.flush()
        assert engine.stdout.readline().strip() == "OK"
        column, row = engine.stdout.readline().split(",")
        engine.stdin.write(f"TURN {(int(column) + 1) % 15},{int(row)}\n")
        engine.stdin.flush()
        assert engine.stdout.readline().count(",") == 1
        status = Path(f"/proc/{engine.pid}/status").read_text()
        most = int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])  # type: ignore[index]
        return most, Path(f"/proc/{engine.pid}/maps").read_text()
    finally:
        engine.stdin.write("END\n")
        engine.stdin.close()
        engine.stdout.close()
        engine.wait(10)
