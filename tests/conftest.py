"""What all tests share: where the data of real games lies, and how much random testing is done."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent
SHARED_DATA = ROOT.parent / "shared" / "data"

settings.register_profile(
    "pocketzero", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], max_examples=100
)
settings.load_profile("pocketzero")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real games and exact positions beside the project; its absence is a failure, not a skip."""
    if not SHARED_DATA.is_dir():
        pytest.fail(f"The test data is missing: expected the folder {SHARED_DATA} beside the project.")
    return SHARED_DATA
