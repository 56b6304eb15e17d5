"""Kernels that call kernels of other files are compiled anew when those change.

Numba keeps compiled kernels, and takes them as long as their own file is the same. What they call is compiled into
them; so a file says, in a comment, by which version of other files its kernels were compiled, and changes with them.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tacit

SOURCE = Path(tacit.__file__).parent


def kernels_of(file: Path) -> set[str]:
    return {
        node.name
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and any("njit" in ast.unparse(mark) for mark in node.decorator_list)
    }


def calls_between_files(folder: Path) -> Iterator[tuple[Path, str, Path]]:
    """(file, module, its file) wherever a file with kernels imports kernels of another module."""
    for file in sorted(folder.rglob("*.py")):
        if not kernels_of(file):
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tacit."):
                other = folder.joinpath(*str(node.module).split(".")[1:]).with_suffix(".py")
                if other.is_file() and kernels_of(other) & {alias.name for alias in node.names}:
                    yield file, str(node.module), other


@pytest.mark.parametrize(("file", "module", "other"), list(calls_between_files(SOURCE)), ids=str)
def test_a_file_changes_with_the_kernels_that_its_own_call(file: Path, module: str, other: Path) -> None:
    version = hashlib.sha256(other.read_bytes()).hexdigest()[:12]
    said = re.findall(rf"^# compiled with {re.escape(module)} (\w+)$", file.read_text("utf-8"), re.MULTILINE)
    assert said == [version], f"write into {file.name}: # compiled with {module} {version}"


def test_such_calls_are_found() -> None:
    found = {(file.name, other.name) for file, _, other in calls_between_files(SOURCE)}
    assert ("_apriori_kernels.py", "_threats.py") in found
