"""What the command leaves out to start quickly, and that nothing else lacks it."""

from __future__ import annotations

import subprocess
import sys

import pytest

KERNEL = """
import numpy as np
from numba import njit
@njit
def double(numbers):
    return numbers * 2
assert double(np.ones(3)).tolist() == [2, 2, 2]
"""


def printed(program: str) -> list[str]:
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return ended.stdout.split()


@pytest.mark.parametrize(
    ("program", "unused"),
    [
        ("import pyarrow as pa; pa.array(['a'])", "pandas"),
        (KERNEL, "scipy.linalg"),
        ("import numba", "coverage"),
    ],
)
def test_what_others_load_unasked_is_left_out(program: str, unused: str) -> None:
    report = f"import sys; print({unused!r} in sys.modules)"
    start = "from tacit.startup import start_quickly; start_quickly()"
    assert printed(f"{start}\n{program}\n{report}") == ["False"]
    assert printed(f"{program}\n{report}") == ["True"]


def test_a_kernel_and_others_still_find_linear_algebra() -> None:
    program = f"""
from tacit.startup import start_quickly; start_quickly()
{KERNEL}
@njit
def product(a, b):
    return np.dot(a, b)
import scipy.linalg.cython_blas, scipy.optimize
print(product(np.ones(3), np.ones(3)))
"""
    assert printed(program) == ["3.0"]


def test_importing_the_package_leaves_python_as_it_was() -> None:
    program = "import gc, sys; a = gc.get_threshold(), len(sys.meta_path); {}; "
    same = "print(a == (gc.get_threshold(), len(sys.meta_path)))"
    assert printed(program.format("import tacit.cli, tacit.flow") + same) == ["True"]
    assert printed(program.format("from tacit.startup import start_quickly; start_quickly()") + same) == ["False"]
