"""A mutant in a running process: the changed code in the place of what was loaded, and kernels that compile it anew."""

from __future__ import annotations

import ast
import gc
import sys
from types import CodeType, FunctionType, ModuleType
from typing import Any

from mutations import Mutant

Changed = dict[tuple[str, int], CodeType]


class NotLoaded(Exception):
    """Nobody could load the mutant's module: whoever ran anything of it would notice."""


def swap(mutant: Mutant, module: ModuleType) -> None:
    """Changes a module that has been loaded, and whatever has taken something from it."""
    new = codes_by_place(mutant.source, str(module.__file__))
    swapped = [function for function in functions_of(str(module.__file__)) if is_other(function.__code__, new)]
    for function in swapped:
        function.__code__ = new[place_of(function.__code__)]
    forget_kernels({id(function) for function in swapped}, changed_names(mutant, module))


def can_be_swapped(mutant: Mutant, original: str) -> bool:
    """Whether the change is in a function or in a named value of the module; not in a default, a class or a table."""
    if named_value(mutant.source, mutant.line):
        return True
    old, new = (codes_by_place(source, mutant.file) for source in (original, mutant.source))
    return any(old[place] != code for place, code in new.items() if place[0] != "<module>" and place in old)


def codes_by_place(source: str, file: str) -> Changed:
    """All code of a source by its qualified name and first line."""
    found, waiting = {}, [compile(source, file, "exec")]
    while waiting:
        code = waiting.pop()
        found[place_of(code)] = code
        waiting += [each for each in code.co_consts if isinstance(each, CodeType)]
    return found


def place_of(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def is_other(code: CodeType, new: Changed) -> bool:
    return new.get(place_of(code), code) != code


def functions_of(file: str) -> list[FunctionType]:
    """All functions there are that were written in a file, whatever holds them."""
    return [one for one in gc.get_objects() if isinstance(one, FunctionType) and one.__code__.co_filename == file]


def named_value(source: str, line: int) -> ast.Assign | ast.AnnAssign | None:
    """The line `NAME = value` of a module that a line of the source belongs to."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.lineno <= line <= (node.end_lineno or 0):
            return node
    return None


def changed_names(mutant: Mutant, module: ModuleType) -> set[str]:
    """Gives a named value its new value, here and wherever it was imported; the names that it has."""
    node = named_value(mutant.source, mutant.line)
    if node is None:
        return set()
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    before = {name: getattr(module, name) for name in names}
    try:
        exec(compile(ast.Module([node], []), str(module.__file__), "exec"), vars(module))
    except Exception as error:  # whatever a mutant may do
        raise NotLoaded from error
    for other in list(sys.modules.values()):
        if str(getattr(other, "__name__", "")).startswith("tacit"):
            for name in names & vars(other).keys():
                if vars(other)[name] is before[name]:
                    setattr(other, name, getattr(module, name))
    return names


def forget_kernels(functions: set[int], names: set[str]) -> None:
    """Has kernels compiled anew that are made of these functions, or of others that are, or that use these values."""
    from numba.core.caching import NullCache
    from numba.core.dispatcher import Dispatcher

    kernels = [one for one in gc.get_objects() if isinstance(one, Dispatcher)]
    changed = {id(one) for one in kernels if id(one.py_func) in functions or names & set(one.py_func.__code__.co_names)}
    while more := {id(one) for one in kernels if id(one) not in changed and used_by(one.py_func) & changed}:
        changed |= more
    for one in kernels:
        if id(one) in changed:
            one._cache = NullCache()


def used_by(function: Any) -> set[int]:
    """What a function names, by the identity of each."""
    known = function.__globals__
    return {id(known[name]) for name in function.__code__.co_names if name in known}
