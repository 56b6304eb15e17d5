"""What the command leaves out to start quickly, and that nothing else lacks it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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


CACHED = """
import sys
sys.path.insert(0, {folder!r})
import kernel
print(kernel.total(kernel.np.arange(4)), sum(kernel.total.stats.cache_hits.values()))
print("numba.np.polynomial.polynomial_core" in sys.modules)
print(kernel.total(kernel.np.ones(4)), kernel.split(kernel.np.arange(5)))
"""


def test_a_compiled_kernel_is_loaded_without_what_compiling_takes(tmp_path: Path) -> None:
    """And one for other types, or a new one, is still compiled."""
    (tmp_path / "kernel.py").write_text(
        """
import numpy as np
from numba import njit
@njit(cache=True)
def total(numbers):
    return np.sort(numbers)[::-1].sum()
@njit
def split(numbers):
    return len(np.unique(numbers % 2))
"""
    )
    start = "from tacit.startup import start_quickly; start_quickly()\n"
    as_ever = CACHED.format(folder=str(tmp_path))
    assert printed(as_ever)[:3] == ["6", "0", "True"]
    for program, declared in ((start + as_ever, "False"), (as_ever, "True")):
        assert printed(program) == ["6", "1", declared, "4.0", "2"]
