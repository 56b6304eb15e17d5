"""Fixtures that every test module may use."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "tacit",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("tacit")  # the same examples in every run, however busy the machine is

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs real data is slow: it runs by `make test-slow`."""
    for item in items:
        if "shared_data" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data sets beside the project; what needs them is skipped, saying so, where they are absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the real data sets (../shared/data) are not here")
    return SHARED_DATA
