"""A quick start of the command.

Other packages load parts that are large and that nothing here uses, only because they are installed, or in case they
are needed. All of this changes the whole process, so the command does it, and never the package when somebody imports
it.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

_UNUSED = frozenset({"pandas", "coverage", "yaml"})
"""Arrow loads pandas to see whether what it is given is one of its series; Numba loads coverage to report to it, and
yaml for a file of settings."""
_BLAS, _LOOKS_FOR_BLAS = "scipy.linalg", "numba.np.arraymath"
"""Numba looks for routines of linear algebra when it loads its first kernel. A kernel that calls them finds them."""
_KERNELS = "numba.core.caching"
"""Numba declares all that a program may call before it loads a kernel, though a compiled one calls nothing any more."""
_OBJECTS = 50_000


class _Finder:
    """A finder of modules that says of unused ones that they are not installed."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        if name in _UNUSED or (name == _BLAS and _is_being_loaded(_LOOKS_FOR_BLAS)):
            raise ModuleNotFoundError(f"{name} is not used", name=name)
        return _quick_kernels(path) if name == _KERNELS else None


def start_quickly() -> None:
    """Leaves out what is not used, and looks for garbage less often: what is imported stays to the end."""
    gc.set_threshold(_OBJECTS)
    sys.meta_path.insert(0, _Finder())


def _is_being_loaded(name: str) -> bool:
    return getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False)


def _quick_kernels(path: Sequence[str] | None) -> ModuleSpec | None:
    """Where Numba's cache of kernels is found; once loaded, it loads kernels without declarations."""
    spec = PathFinder.find_spec(_KERNELS, path)
    if spec is None or spec.loader is None:
        return None
    load = spec.loader.exec_module

    def load_and_change(module: ModuleType) -> None:
        load(module)
        _declare_only_to_compile(module.Cache)

    spec.loader.exec_module = load_and_change  # type: ignore[method-assign]
    return spec


def _declare_only_to_compile(cache: Any) -> None:
    """Has a kernel that was compiled before loaded as it is; any other one is compiled as ever."""
    as_ever = cache.load_overload

    def load_overload(self: Any, signature: Any, context: Any) -> Any:
        from numba.core.runtime import rtsys

        rtsys.initialize(context)  # the memory that kernels take their arrays from
        kernel = self._load_overload(signature, context)
        return as_ever(self, signature, context) if kernel is None else kernel

    if hasattr(cache, "_load_overload"):
        cache.load_overload = load_overload
