"""Fixtures that every test module may use."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, settings

from tacit.shuffle import KEY_BYTES

settings.register_profile(
    "tacit",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("tacit")  # the same examples in every run, however busy the machine is

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


COMPILES_ALL = "tests/exams/test_exam.py"
WITHOUT_KERNELS = (
    "tests/commands/test_cli_usage.py",
    "tests/exams/test_complete.py",
    "tests/io/",
    "tests/job/",
    "tests/taxonomy/",
    "tests/tools/",
    "tests/values/",
    "tests/test_clock.py",
    "tests/test_tables.py",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What needs real data is slow: it runs by `make test-slow`. Beside others, files run in an order of their own."""
    for item in items:
        if "shared_data" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
    if hasattr(config, "workerinput"):  # several processes share the tests
        items.sort(key=turn)


def turn(item: pytest.Item) -> int:
    """Two processes that need a kernel at once both compile it. So one takes the exam first, which needs them all;
    others begin with what needs none, and find the kernels there when they come to them."""
    if item.nodeid.startswith(COMPILES_ALL):
        return 0
    return 1 if item.nodeid.startswith(WITHOUT_KERNELS) else 2


@pytest.fixture(autouse=True)
def seeded_keys(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys that a test does not give are not drawn from the operating system: each run of it is like the others."""
    drawn = Random(request.node.nodeid)
    for module in ("tacit.flow", "tacit.baskets.delivery"):
        monkeypatch.setattr(f"{module}.fresh_key", lambda: drawn.randbytes(KEY_BYTES))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data sets beside the project; what needs them is skipped, saying so, where they are absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the real data sets (../shared/data) are not here")
    return SHARED_DATA
