"""Engines to test on: Sail always; Spark with real executors, and by Spark Connect, where there is Java."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tacit.engines.session import Session, opened
from tacit.job import Engine


@pytest.fixture(scope="session")
def sail() -> Iterator[Session]:
    pytest.importorskip("pysail", reason="Sail is not installed: pip install 'tacit[sail]'")
    with opened(Engine("sail")) as session:
        yield session


@pytest.fixture(scope="session")
def spark() -> Iterator[Session]:
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java 17, and there is none on this machine")
    pytest.importorskip("pyspark")
    with opened(Engine("spark", master="local-cluster[2,1,1024]")) as session:
        yield session
