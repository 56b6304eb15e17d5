"""Examples in docstrings print what they show."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import tacit

_ROOT = Path(tacit.__file__).parent


def _modules() -> list[str]:
    found = (path for path in sorted(_ROOT.rglob("*.py")) if "\n    >>> " in path.read_text(encoding="utf-8"))
    return [".".join(("tacit", *path.relative_to(_ROOT).with_suffix("").parts)) for path in found]


@pytest.mark.parametrize("name", _modules())
def test_examples_print_what_they_show(name: str) -> None:
    outcome = doctest.testmod(import_module(name.removesuffix(".__init__")))
    assert outcome.attempted > 0
    assert outcome.failed == 0
