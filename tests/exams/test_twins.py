"""A method publishes what its slow twin publishes: for all twins in tests/naive that have a function `publishes`.

A new method has its twin there. Older ones are compared step by step in the tests of their kind of data.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import pyarrow as pa
import pytest

import naive
from exams.cases import case_for, promises_of
from exams.test_exam import rows_of
from support.seeds import each_seed
from tacit.methods import METHODS

TWINS = [import_module(f"naive.{module.name}") for module in iter_modules(naive.__path__) if not module.ispkg]
PAIRS = [
    pytest.param(twin, method, model, id=f"{method}-{model}")
    for twin in TWINS
    if hasattr(twin, "publishes")
    for method in twin.TWIN_OF
    if method in METHODS
    for model in METHODS[method].models
]


@pytest.mark.parametrize(("twin", "method", "model"), PAIRS)
@each_seed(range(12), fast=3)
def test_a_method_publishes_what_its_twin_publishes(twin: ModuleType, method: str, model: str, seed: int) -> None:
    for promise in promises_of(model):
        case = case_for(promise, seed)
        made = case.release(promise, method, seed=seed)
        expected = twin.publishes(case, promise, method=method, seed=seed)
        assert rows_of(made.data) == rows_of(pa.Table.from_pylist(expected, schema=made.data.schema)), promise
