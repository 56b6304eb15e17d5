"""Random comparisons over many seeds: the first few in every run, the others in the slow one.

A seed is no case of its own: a test loops over its seeds, and says at which of them it failed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]


def in_parts(seeds: Sequence[int], fast: int = 12) -> pytest.MarkDecorator:
    """The test gets `seeds`, a list: the first ones in `make test`, the rest in `make test-slow`."""
    parts = [pytest.param(seeds[:fast], id=named(seeds[:fast]))]
    if rest := seeds[fast:]:
        parts.append(pytest.param(rest, id=named(rest), marks=pytest.mark.slow))
    return pytest.mark.parametrize("seeds", parts)


def first_fast(cases: Iterable[Any], fast: int = 1) -> list[Any]:
    """Cases for `parametrize` that differ in little: the first ones in every run, the others in the slow one."""
    return [pytest.param(case, marks=[] if i < fast else pytest.mark.slow) for i, case in enumerate(cases)]


def each_seed(seeds: Sequence[int], fast: int = 12) -> Callable[[Test], Test]:
    """The test gets `seed`, and is called for one after the other."""

    def decorate(test: Test) -> Test:
        @in_parts(seeds, fast)
        @wraps(test)
        def over_seeds(*args: Any, seeds: Sequence[int], **fixtures: Any) -> None:
            for seed in seeds:
                try:
                    test(*args, seed=seed, **fixtures)
                except BaseException as error:
                    error.add_note(f"at seed {seed}")
                    raise

        over_seeds.__signature__ = with_seeds(inspect.signature(test))  # type: ignore[attr-defined]
        return over_seeds

    return decorate


def with_seeds(signature: inspect.Signature) -> inspect.Signature:
    """What pytest sees: `seeds` where the test itself has `seed`."""
    given = signature.parameters.values()
    return signature.replace(parameters=[p.replace(name="seeds") if p.name == "seed" else p for p in given])


def named(seeds: Sequence[int]) -> str:
    return f"seeds {seeds[0]} to {seeds[-1]}"
