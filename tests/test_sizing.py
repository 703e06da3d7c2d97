"""The model of how a run grows: linear as long as the actors are the slowest part, and then the slowest other part."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pocketzero.training.sizing import Figures, size

FIGURES = Figures(
    games_per_core=10.0,
    plies_per_game=12.8,
    bytes_per_game=5_000.0,
    weights_bytes=1e4,
    intake_seconds=1e-4,
    stint_seconds=1e-3,
    step_seconds=0.01,
    batch=256,
    reuse=4.0,
    round_plies=12_800,
)  # a game costs the learner 2 ms: 0.2 steps of 10 ms


def test_a_few_cores_are_the_bottleneck_themselves() -> None:
    one, two = size(FIGURES, 1), size(FIGURES, 2)
    assert one.games == pytest.approx(10 / 1.02)  # the core plays for 1 second of 1.02, and learns from that for 0.02
    assert one.bottleneck == two.bottleneck == ""
    assert two.games == pytest.approx(20 / 1.04)
    assert two.learning == pytest.approx(two.games * 0.002)
    assert two.intake == pytest.approx(two.games * (1e-4 + 1e-3 / 5))  # five games a stint
    assert two.received == pytest.approx(two.games * 5_000)
    assert two.sent == pytest.approx(two.games / 1000 * 1e4)  # a round of 1,000 games, one node


def test_only_the_cores_of_the_head_wait_while_it_learns() -> None:
    assert size(FIGURES, 8, node=4).games == pytest.approx(80 / (1 + 40 * 0.002))
    assert size(FIGURES, 8, node=8).games == pytest.approx(80 / (1 + 80 * 0.002))


def test_the_head_has_one_second_a_second() -> None:
    for cores in (128, 2048, 10_000):
        found = size(FIGURES, cores)
        assert found.bottleneck == "learning"
        assert found.learning + found.intake == pytest.approx(1.0)
        assert found.games < found.offered == cores * 10.0


def test_more_cores_bring_nothing_once_the_head_is_busy() -> None:
    assert size(FIGURES, 10_000).games <= size(FIGURES, 512).games * 1.001


@pytest.mark.parametrize(
    ("change", "bottleneck"),
    [
        ({"step_seconds": 1e-6}, "intake"),
        ({"step_seconds": 1e-6, "bytes_per_game": 1e6}, "network in"),
        ({"step_seconds": 1e-6, "weights_bytes": 1e9}, "network out"),
    ],
)
def test_other_parts_may_be_the_narrowest(change: dict[str, float], bottleneck: str) -> None:
    assert size(replace(FIGURES, **change), 2048).bottleneck == bottleneck  # type: ignore[arg-type]
