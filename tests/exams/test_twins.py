"""A method publishes what its slow twin publishes: for all twins in tests/naive that have a function `publishes`.

A new method has its twin there. Older ones, which are listed, are compared step by step in tests of their own.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import pyarrow as pa
import pytest

import naive
from exams.cases import PAIRS as ALL_PAIRS
from exams.cases import case_for, promises_of, usual_release
from exams.test_exam import rows_of
from naive.groups import rows_of_groups
from support.seeds import each_seed
from tacit.methods import METHODS
from tacit.promises import MODELS

TESTS = Path(__file__).resolve().parents[1]
STEP_BY_STEP = {
    "apriori": "baskets/test_apriori.py",
    "bucketization": "slices/test_slice_buckets.py",
    "cahd": "baskets/test_cahd.py",
    "cluster": "records/test_cluster.py",
    "coat": "baskets/test_coat.py",
    "guarded": "records/test_guarded.py",
    "hamming": "ratings/test_hamming.py",
    "hghs": "baskets/test_hghs.py",
    "lra": "baskets/test_lra_vpa.py",
    "mhghs": "baskets/test_hghs.py",
    "one-per-column": "slices/test_slice_buckets.py",
    "partition": "baskets/test_partition.py",
    "pcta": "baskets/test_pcta.py",
    "rum-bound": "records/test_rum_and_tum.py",
    "slicing": "slices/test_slice_buckets.py",
    "tum-bound": "records/test_rum_and_tum.py",
    "vpa": "baskets/test_lra_vpa.py",
}
"""Methods that are older than `publishes`, and the tests that compare what they decide with what their twins decide."""
TWINS = [import_module(f"naive.{module.name}") for module in iter_modules(naive.__path__) if not module.ispkg]
TWIN_OF = {method: twin for twin in TWINS for method in getattr(twin, "TWIN_OF", ())}
PUBLISHING = {method: twin for method, twin in TWIN_OF.items() if method not in STEP_BY_STEP}
PAIRS = [
    pytest.param(twin, method, model, id=f"{method}-{model}")
    for method, twin in PUBLISHING.items()
    if method in METHODS
    for model in METHODS[method].models
]


@pytest.mark.parametrize("method", PUBLISHING)
def test_a_twin_says_what_must_be_published(method: str) -> None:
    assert hasattr(PUBLISHING[method], "publishes"), f"{PUBLISHING[method].__name__} needs a function publishes"


@pytest.mark.parametrize("method", STEP_BY_STEP)
def test_an_older_twin_is_compared_elsewhere(method: str) -> None:
    package, _, module = TWIN_OF[method].__name__.partition(".")
    compared = (TESTS / STEP_BY_STEP[method]).read_text("utf-8")
    assert re.search(rf"from {package}(\.{module} import | import .*\b{module}\b)", compared)


@pytest.mark.parametrize(("twin", "method", "model"), PAIRS)
@each_seed(range(12), fast=1)
def test_a_method_publishes_what_its_twin_publishes(twin: ModuleType, method: str, model: str, seed: int) -> None:
    for promise in promises_of(model):
        case = case_for(promise, seed)
        made = case.release(promise, method, seed=seed)
        expected = twin.publishes(case, promise, method=method, seed=seed)
        assert rows_of(made.data) == rows_of(pa.Table.from_pylist(expected, schema=made.data.schema)), promise


IN_GROUPS = [(method, model) for method, model in ALL_PAIRS if MODELS[model].kind_of_data == "records"]


@pytest.mark.parametrize(("method", "model"), IN_GROUPS)
def test_groups_of_records_show_what_the_definitions_say(method: str, model: str) -> None:
    """Who is together is the method's affair; what is shown of those who are, is not."""
    promise = promises_of(model)[0]
    case, made = case_for(promise), usual_release(method, model)
    together: dict[int, list[int]] = {}
    for row, cluster in enumerate(made.recoding.group.tolist()):
        together.setdefault(cluster, []).append(row)
    values = [name for name in case.frame.column_names if name != "basket"]
    expected = pa.Table.from_pylist(rows_of_groups(case, promise, together.values()))
    assert rows_of(made.data.select(values)) == rows_of(expected.select(values))
