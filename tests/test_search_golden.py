"""The search does what it did: visit counts recorded for fixed seeds."""

from __future__ import annotations

import json

import pytest

from golden_trees import FILE, KINDS, MOVES, visits


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MOVES)
def test_golden_trees(name: str, kind: str) -> None:
    assert visits(name, kind) == json.loads(FILE.read_text())[name][kind]
