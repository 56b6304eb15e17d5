"""A quick start of the command.

Other packages load parts that are large and that nothing here uses, only because they are installed, or in case they
are needed. All of this changes the whole process, so the command does it, and never the package when somebody imports
it. What rests on the inside of another package does nothing where a later version of it looks different.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType, SimpleNamespace
from typing import Any

_UNUSED = frozenset({"pandas", "coverage", "yaml"})
"""Arrow loads pandas to see whether what it is given is one of its series; Numba loads coverage to report to it, and
yaml for a file of settings."""
_ASKED_IN_VAIN = {
    "cloudpickle": "pyarrow",
    "colorama": "numba",
    "scipy": "numba",
    "scipy.linalg": "numba.np.arraymath",
}
"""What the second one looks for while it is loaded: somewhere to register its types, colours for its errors, a version
that is too old, routines of linear algebra. A kernel that calls these finds them, and so does everybody else."""
_HARDLY_USED: dict[str, dict[str, Any]] = {
    "numba.core.entrypoints": {"init_all": lambda: None},
    "numba.experimental": {},
    "numpy._core._add_newdocs": {},
    "numpy._core._add_newdocs_scalars": {},
    "pyarrow.vendored.docscrape": {"NumpyDocString": lambda text: {"Parameters": ()}},
}
"""Modules that are loaded for next to nothing, and what is enough of them: extensions of Numba, classes in kernels, and
the help of NumPy's and Arrow's functions."""
_KERNELS_COUNT_THEMSELVES = [["0", str(minor)] for minor in range(61, 69)]
"""Versions of Numba whose compiled kernels hold the code that counts references. One that did not would end the process
if that code were missing, so a version is listed when it was seen to work."""
_OBJECTS = 200_000

_Load = Callable[[ModuleType], None]


class _Finder:
    """A finder of modules that says of unused ones that they are not installed, and has others load less."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        if name in _UNUSED or (name in _ASKED_IN_VAIN and _is_being_loaded(_ASKED_IN_VAIN[name])):
            raise ModuleNotFoundError(f"{name} is not used", name=name)
        if name in _HARDLY_USED:
            return _changed(name, path, partial(_load_later, _HARDLY_USED[name]))
        return _changed(name, path, _CHANGES[name]) if name in _CHANGES else None


def start_quickly() -> None:
    """Leaves out what is not used, and looks for garbage less often: what is imported stays to the end."""
    gc.set_threshold(_OBJECTS)
    sys.meta_path.insert(0, _Finder())


def _is_being_loaded(name: str) -> bool:
    return getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False)


def _changed(name: str, path: Sequence[str] | None, change: Callable[[_Load, ModuleType], None]) -> ModuleSpec | None:
    """Where a module is found; `change` loads it."""
    spec = PathFinder.find_spec(name, path)
    if spec is None or spec.loader is None:
        return None
    load = spec.loader.exec_module
    spec.loader.exec_module = lambda module: change(load, module)  # type: ignore[method-assign]
    return spec


def _load_later(enough: Mapping[str, Any], load: _Load, module: ModuleType) -> None:
    """Leaves a module unloaded until more of it is asked for than is enough of it."""

    def load_now(name: str) -> Any:
        for light in (*enough, "__getattr__"):
            vars(module).pop(light, None)
        load(module)
        return getattr(module, name)

    vars(module).update(enough, __getattr__=load_now)


def _declare_only_to_compile(load: _Load, caching: ModuleType) -> None:
    """Numba declares all that a program may call before it loads a kernel, though a compiled one needs none of it.

    So one that was compiled before is loaded as it is; any other one is compiled as ever.
    """
    load(caching)
    as_ever = caching.Cache.load_overload

    def load_overload(self: Any, signature: Any, context: Any) -> Any:
        from numba.core.runtime import rtsys

        rtsys.initialize(context)  # the memory that kernels take their arrays from
        kernel = self._load_overload(signature, context)
        return as_ever(self, signature, context) if kernel is None else kernel

    if hasattr(caching.Cache, "_load_overload"):
        caching.Cache.load_overload = load_overload


def _leave_sources_of_kernels(load: _Load, environment: ModuleType) -> None:
    """Numba imports the modules that the parts of a kernel came from, though a compiled one needs nothing of them."""
    load(environment)
    if hasattr(environment, "importlib"):
        environment.importlib = SimpleNamespace(  # type: ignore[attr-defined]
            import_module=lambda name: sys.modules.get(name) or ModuleType(name)
        )


def _compile_memory_only_to_compile(load: _Load, nrt: ModuleType) -> None:
    """Numba compiles how kernels count references at each start, though every compiled kernel has that within it."""
    load(nrt)
    if sys.modules["numba"].__version__.split(".")[:2] not in _KERNELS_COUNT_THEMSELVES:
        return
    compile_now = nrt.nrtdynmod.compile_nrt_functions
    nrt.nrtdynmod = SimpleNamespace(compile_nrt_functions=lambda context: partial(compile_now, context))  # type: ignore[attr-defined]

    def library(self: Any) -> Any:
        self._init_guard()
        if isinstance(self._library, partial):
            self._library = self._library()
        return self._library

    type(nrt.rtsys).library = property(library)


def _wrap_functions_on_demand(load: _Load, compute: ModuleType) -> None:
    """Arrow wraps and documents each of its 300 functions when `pyarrow.compute` is loaded; we call a few of them."""
    from pyarrow import _compute

    code = compute.__loader__.get_code(compute.__name__)  # type: ignore[union-attr]
    if not {"_wrap_function", "function_registry"} <= {*code.co_names}:
        load(compute)
        return
    as_ever = _compute.function_registry
    named = {*code.co_names, *code.co_consts}  # functions that the module itself gives another name, or replaces
    _compute.function_registry = lambda: SimpleNamespace(
        list_functions=lambda: [name for name in _compute.list_functions() if name in named],
        get_function=_compute.get_function,
    )
    try:
        load(compute)
    finally:
        _compute.function_registry = as_ever

    def wrap(name: str) -> Any:
        try:
            function = _compute.get_function(name.rstrip("_"))
        except KeyError:
            raise AttributeError(f"pyarrow.compute has no {name!r}") from None
        vars(compute)[name] = compute._wrap_function(name, function)
        return vars(compute)[name]

    vars(compute).update({as_ever.__name__: as_ever, "__getattr__": wrap})


_CHANGES: dict[str, Callable[[_Load, ModuleType], None]] = {
    "numba.core.caching": _declare_only_to_compile,
    "numba.core.environment": _leave_sources_of_kernels,
    "numba.core.runtime.nrt": _compile_memory_only_to_compile,
    "pyarrow.compute": _wrap_functions_on_demand,
}
