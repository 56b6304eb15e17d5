"""A quick start of the command.

Other packages load parts that are large and that nothing here uses, only because they are installed. All of this
changes the whole process, so the command does it, and never the package when somebody imports it.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from typing import Any

_UNUSED = frozenset({"pandas", "coverage"})
"""Arrow loads pandas to see whether what it is given is one of its series; Numba loads coverage to report to it."""
_BLAS, _LOOKS_FOR_BLAS = "scipy.linalg", "numba.np.arraymath"
"""Numba looks for routines of linear algebra when it loads its first kernel. A kernel that calls them finds them."""
_OBJECTS = 50_000


class _NotThere:
    """A finder of modules that says of unused ones that they are not installed."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> None:
        if name in _UNUSED or (name == _BLAS and _is_being_loaded(_LOOKS_FOR_BLAS)):
            raise ModuleNotFoundError(f"{name} is not used", name=name)


def start_quickly() -> None:
    """Leaves out what is not used, and looks for garbage less often: what is imported stays to the end."""
    gc.set_threshold(_OBJECTS)
    sys.meta_path.insert(0, _NotThere())


def _is_being_loaded(name: str) -> bool:
    return getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False)
