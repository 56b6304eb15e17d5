"""Memory that is given back to the system."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from tacit.process.memory import give_back

MIB = 1 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="the system says there how much is in use")
def test_what_was_given_up_is_given_back() -> None:
    """Pieces too small for pages of their own, of which every other one is given up: the library keeps them all."""
    pieces = [np.ones(8 * 1024) for _ in range(3_200)]  # 64 KiB each, 200 MiB
    kept = pieces[::40]
    del pieces
    before = in_use()
    give_back()
    assert in_use() < before - 100 * MIB and sum(piece[0] for piece in kept) == 80


def in_use() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
