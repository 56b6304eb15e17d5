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
        ("import numba", "colorama"),
        ("import numba", "scipy"),
        ("import pyarrow", "cloudpickle"),
        (KERNEL, "importlib.metadata"),
        ("import pyarrow.compute as pc; pc.utf8_lower('A')", "pydoc"),
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
import scipy.linalg.cython_blas, scipy.optimize, sklearn.cluster
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
print("numba.np.polynomial.polynomial_core" in sys.modules, "numba.np.arrayobj" in sys.modules)
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
    assert printed(as_ever)[:4] == ["6", "0", "True", "True"]
    for program, declared in ((start + as_ever, "False"), (as_ever, "True")):
        assert printed(program) == ["6", "1", declared, declared, "4.0", "2"]


def test_a_module_that_is_hardly_used_is_loaded_when_it_is_asked_for_more() -> None:
    program = """
from tacit.startup import start_quickly; start_quickly()
import sys, numba.core.entrypoints as entrypoints
entrypoints.init_all()
print("importlib.metadata" in sys.modules)
print(entrypoints.logger.name, entrypoints.init_all.__module__, "importlib.metadata" in sys.modules)
"""
    assert printed(program) == ["False", "numba.core.entrypoints", "numba.core.entrypoints", "True"]


def test_numpy_goes_without_its_help() -> None:
    program = "import numpy as np; print(bool(np.ndarray.sum.__doc__), np.arange(4).sum(), np.__doc__ is not None)"
    assert printed(program) == ["True", "6", "True"]
    assert printed(f"from tacit.startup import start_quickly; start_quickly()\n{program}") == ["False", "6", "True"]


ALL_OF_ARROW = """
import pyarrow.compute as pc, types
own = [function.__code__ for function in vars(pc).values()
       if isinstance(function, types.FunctionType) and function.__module__ == "pyarrow.compute"]
for code in own:
    own += [part for part in code.co_consts if isinstance(part, types.CodeType)]
called = {name for code in own for name in code.co_names} & set(pc.list_functions())
print(len(called - set(vars(pc))))
wrapped = [name for name in pc.list_functions() if not name.startswith("hash_") and name != "count_all"]
print(len(wrapped), all(callable(getattr(pc, name)) for name in wrapped))
print(pc.and_(True, False), pc.utf8_zfill("7", 3), pc.max_element_wise(1, 2), hasattr(pc, "no_such_function"))
"""


def test_arrow_has_all_its_functions() -> None:
    """Those too that its own functions call by name, which only their module can give them."""
    with_all = printed(ALL_OF_ARROW)
    assert with_all[0] == "0" and int(with_all[1]) > 200
    assert printed(f"from tacit.startup import start_quickly; start_quickly()\n{ALL_OF_ARROW}") == with_all
