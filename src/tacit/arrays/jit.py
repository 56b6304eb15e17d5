"""How loops are compiled: `@kernel` for what Python calls, `@inner` for what only kernels call, `@part` for a piece,
`@within` for what they call all the time.

Numba keeps machine code on disk and takes it again while the kernel's own file is the same. But what a kernel calls is
compiled into it, and so are the constants it names, wherever they stand. So every kernel carries a mark in its
qualified name, by which Numba names the files that it keeps: a digest of the code of its module, of all modules of
this package that it imports, and of those that these import. Whoever edits any of them gets a new mark, and so new
machine code; what was compiled under other marks is removed. Where Numba keeps its files (beside the sources,
in the user's cache, in `NUMBA_CACHE_DIR`) is left to Numba; `tacit.arrays.keeping` is for when it can keep none.

A kernel is compiled for the types of its arguments, and again for others. So whoever calls one gives it the same types
each time: `int(...)`, `float(...)`, `bool(...)`, arrays of one type; and a kernel that calls another one gives it no
literal (`inner_one(0)` is a type of its own), but a variable.

What makes a kernel slow to compile is memory: one that allocates an array, or copies, sorts or grows one, takes several
times as long as one that is given all arrays it works in. So kernels allocate nothing. Where one may need more room it
says so and is called again (tacit.arrays.blocks has more on kernels that are called again). Each array that a kernel is
given takes ten milliseconds, alone or in a tuple, and again in each kernel that it is handed on to.

The rest is the amount of code: some milliseconds for a branch, fifteen and more for a loop, and again in each kernel
that calls it. `min`, `max` and `abs` are functions that are compiled, too. What only some calls need is an argument
that may be None: Numba leaves out branches on it. To have a kernel copied into its caller (`inline="always"`) took
longer.
"""

from __future__ import annotations

import gc
import hashlib
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import CodeType
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
_MARK = "of_"
_OPTIONS: dict[str, Any] = {"no_cfunc_wrapper": True, "error_model": "numpy", "_nrt": False}
"""`_nrt`: who refers to an array is not counted, which takes up to a ninth of the time (docs/decisions/0014). Numba has
no public name for it; one that has no such option refuses it at the first kernel."""
_NEEDLESS = {"WithLifting", "InlineClosureLikes", "InlineOverloads", "NopythonRewrites"}
"""Passes of Numba for what no kernel has: closures, `with`, whole arrays in one expression, overloads to be copied.
They look for it everywhere, which takes a twentieth of the time. A kernel that has it is compiled all the same, or
refused."""
_told: list[Callable[[str], None]] = []


def kernel(function: _Function) -> _Function:
    """Compiles a loop that Python calls, when it is called first. Other threads go on while it runs."""
    return _compiled(function, {**_OPTIONS, "nogil": True})


def inner(function: _Function) -> _Function:
    """Compiles a loop that only kernels call: Python cannot, which saves a part of the compilation."""
    return _compiled(function, {**_OPTIONS, "no_cpython_wrapper": True})


def part(function: _Function) -> _Function:
    """A piece of a kernel that is written down by itself: it is compiled as if it stood where it is called.

    Machine code of an `inner` loop is optimised again in each kernel that calls it, and in each that calls those. What
    is called in one or two places compiles faster as a part of them.
    """
    return _compiled(function, {**_OPTIONS, "inline": "always"})


def within(function: _Function) -> _Function:
    """An inner loop whose machine code stands where it is called.

    Each array of a tuple is handed over as eight numbers. For what is called for every pair of records that is more
    work than the loop itself.
    """
    return _compiled(function, {**_OPTIONS, "no_cpython_wrapper": True, "forceinline": True})


@contextmanager
def on_compile(tell: Callable[[str], None]) -> Iterator[None]:
    """Tells once, in words, when a kernel has to be compiled within the context: a first run takes seconds longer."""
    _told.append(tell)
    try:
        yield
    finally:
        with suppress(ValueError):
            _told.remove(tell)


def _compiled(function: Any, options: dict[str, Any]) -> Any:
    import numba

    options = {**options, "pipeline_class": _passes()}
    mark = mark_of(function.__module__)
    if mark is None or numba.config.DISABLE_JIT:
        return numba.njit(**options)(function)
    _listen()
    from tacit.arrays.keeping import keep

    function.__qualname__ = f"{_MARK}{mark}.{function.__qualname__}"
    compiled = numba.njit(**options)(function)
    return compiled if keep(compiled) else numba.njit(**options)(function)


@cache
def _passes() -> Any:
    """Numba's own way to compile, without the passes that find nothing to do in kernels."""
    from numba.core.compiler import CompilerBase, DefaultPassBuilder, PassManager

    class Passes(CompilerBase):
        def define_pipelines(self) -> list[Any]:
            ours = PassManager("kernel")
            for each, why in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
                if each.__name__ not in _NEEDLESS:
                    ours.add_pass(each, why)
            ours.finalize()
            return [ours]

    return Passes


@cache
def mark_of(module: str) -> str | None:
    """A digest of all code that kernels of a module are compiled from; none where it cannot be known."""
    import numba
    import numpy as np

    try:
        digests = [_code_of(name)[0] for name in sorted(_with_imports(module))]
    except (ImportError, OSError, ValueError, AttributeError):
        return None
    return hashlib.sha256("\n".join([numba.__version__, np.__version__, *digests]).encode()).hexdigest()[:16]


def _with_imports(module: str) -> set[str]:
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _code_of(name)[1]
    return found


@cache
def _code_of(module: str) -> tuple[str, list[str]]:
    """A digest of a module's code as Python loads it, and the modules of the same package that it imports."""
    spec = find_spec(module)
    code = spec.loader.get_code(spec.name)  # type: ignore[union-attr]
    hasher = hashlib.sha256(module.encode())
    _add_code(hasher, code)
    package = module.partition(".")[0] + "."
    imported = [name for name in code.co_names if name.startswith(package)]
    imported += [
        f"{parent}.{name}"
        for parent in imported
        if find_spec(parent).submodule_search_locations is not None  # type: ignore[union-attr]
        for name in code.co_names
        if "." not in name and find_spec(f"{parent}.{name}") is not None
    ]
    return hasher.hexdigest(), imported


def _add_code(hasher: Any, code: CodeType) -> None:
    hasher.update(repr((code.co_name, code.co_names, code.co_exceptiontable)).encode())
    hasher.update(code.co_code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _add_code(hasher, constant)
        else:
            hasher.update(_written(constant).encode())


def _written(constant: object) -> str:
    """A constant as text; sets have an order of their own in each process."""
    if isinstance(constant, frozenset):
        return f"frozenset({sorted(map(_written, constant))})"
    if isinstance(constant, tuple):
        return f"({', '.join(map(_written, constant))})"
    return repr(constant)


@cache
def _listen() -> None:
    """Has Numba say when it compiles one of our kernels.

    A compilation makes millions of objects that stay: to look for garbage among them took a tenth of its time.
    """
    from numba.core import event

    from tacit.arrays.keeping import in_words, note

    class Compilations(event.Listener):
        depth, collects = 0, False

        def on_start(self, event: Any) -> None:
            if _is_ours(event.data["dispatcher"]):
                while _told:
                    _told.pop()(in_words())
                if self.depth == 0:
                    self.collects = gc.isenabled()
                    gc.disable()
                self.depth += 1

        def on_end(self, event: Any) -> None:
            if _is_ours(event.data["dispatcher"]):
                self.depth -= 1
                if self.depth == 0 and self.collects:
                    gc.enable()
                _remove_leftovers(event.data["dispatcher"])
                locks.compiled.append((locks.held, event.data["dispatcher"]))

    class Locks(threading.local, event.Listener):
        """Numba writes what it keeps of a kernel behind the compilation, and before it lets go of its lock."""

        def __init__(self) -> None:
            self.held, self.compiled = 0, list[tuple[int, Any]]()

        def on_start(self, event: Any) -> None:
            self.held += 1

        def on_end(self, event: Any) -> None:
            self.held -= 1
            while self.compiled and self.compiled[-1][0] > self.held:
                note(self.compiled.pop()[1])

    locks = Locks()
    event.register("numba:compile", Compilations())
    event.register("numba:compiler_lock", locks)


def _is_ours(dispatcher: Any) -> bool:
    return str(getattr(dispatcher, "__qualname__", "")).startswith(_MARK)


def _remove_leftovers(dispatcher: Any) -> None:
    """Removes machine code that was kept for what stands beside a kernel and is no longer the same."""
    folder = dispatcher.stats.cache_path
    if folder is not None:
        package = dispatcher.__module__.rpartition(".")[0]
        _remove_leftovers_in(Path(folder), package)


@cache
def _remove_leftovers_in(folder: Path, package: str) -> None:
    """Numba keeps the kernels of all modules of one folder in one folder, and those of no other one."""
    from tacit.arrays.keeping import DIGESTS

    version = f".py{sys.version_info.major}{sys.version_info.minor}"
    for file in (*folder.glob(f"*{version}*.nb[ic]"), *folder.glob(f"*.{_MARK}*{DIGESTS}")):
        module, _, rest = file.name.partition(".")
        if not rest.startswith(f"{_MARK}{_mark_in(package, module)}."):
            with suppress(OSError):
                file.unlink()


def _mark_in(package: str, module: str) -> str | None:
    name = package if module == "__init__" else f"{package}.{module}".lstrip(".")
    return mark_of(name) if find_spec(name) is not None else None
