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
    assert (one.games, one.bottleneck) == (10.0, "")
    assert two.games == 2 * one.games
    assert two.learning == pytest.approx(20 * 0.002)
    assert two.intake == pytest.approx(20 * 1e-4 + 2 / 0.5 * 1e-3)  # two stints a second each
    assert two.received == 20 * 5_000
    assert two.sent == pytest.approx(20 / 1000 * 1e4)  # a round of 1,000 games, one node


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
