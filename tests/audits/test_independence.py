"""The audits are code of their own, down to their readers, and all of them are called alike."""

from __future__ import annotations

import ast
import inspect
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tacit
from tacit.promises import MODELS, Promise

AUDITS = Path(tacit.__file__).parent / "audits"
SHARED = (
    "tacit.arrays.blocks",
    "tacit.arrays.jit",
    "tacit.audits",
    "tacit.errors",
    "tacit.io",
    "tacit.job.checks",
    "tacit.job.model",
    "tacit.job.places",
    "tacit.job.weights",
    "tacit.promises",
    "tacit.taxonomy",
)
"""What audits and methods may both stand on: files, hierarchies, and what a job says."""
ON_ENGINES = AUDITS.parent / "engines" / "audits"
VERBS = ("tacit.engines.audits", "tacit.engines.frames")
"""What audits on an engine may stand on beside that: what it can do with rows, whatever they are."""


def imports_of(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


@pytest.mark.parametrize("file", sorted(AUDITS.rglob("*.py")), ids=lambda file: str(file.relative_to(AUDITS)))
def test_shares_no_code_with_the_methods(file: Path) -> None:
    ours = {name for name in imports_of(file) if name == "tacit" or name.startswith("tacit.")}
    assert all(name.startswith(SHARED) for name in ours), ours


@pytest.mark.parametrize("file", sorted(ON_ENGINES.rglob("*.py")), ids=lambda file: file.name)
def test_shares_no_code_with_the_methods_on_an_engine(file: Path) -> None:
    ours = {name for name in imports_of(file) if name == "tacit" or name.startswith("tacit.")}
    assert all(name.startswith((*SHARED, *VERBS)) for name in ours - {"tacit", "tacit.engines"}), ours
    assert "tacit.engines" not in ours or _taken_from(file, "tacit.engines") <= {"frames", "audits"}


def _taken_from(file: Path, module: str) -> set[str]:
    nodes = (node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.ImportFrom))
    return {alias.name for node in nodes if node.module == module for alias in node.names}


@pytest.mark.parametrize("file", sorted(AUDITS.glob("*.py")), ids=lambda file: file.name)
def test_asks_for_sensitive_columns_where_lacking_ones_are_refused(file: Path) -> None:
    """What happens to be in the file (`shown`, `absent`) is for the comparison with the original alone."""
    asked = {node.attr for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Attribute)}
    assert not asked & {"shown", "absent"}, "an audit takes view.sensitive"


@pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))
def test_one_signature(model: type[Promise]) -> None:
    module = import_module(model.audit)
    wanted = {"audit": ["view", "promise", "limit"], "prove": ["view", "promise", "original", "limit"]}
    assert hasattr(module, "audit")
    for name, parameters in wanted.items():
        if hasattr(module, name):
            given = inspect.signature(getattr(module, name)).parameters
            assert list(given) == parameters
            assert (given["limit"].kind, given["limit"].default) == (inspect.Parameter.KEYWORD_ONLY, 1000)


@pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))
def test_every_kind_of_data_has_a_reader_and_a_comparison(model: type[Promise]) -> None:
    reader = import_module(f"tacit.audits.views.{model.kind_of_data}")
    assert callable(reader.read_view) and callable(reader.read_original)
    assert callable(import_module(f"tacit.audits.truth.{model.kind_of_data}").false_values)


def test_a_file_for_every_promise_and_no_other() -> None:
    public = {file.stem for file in AUDITS.glob("*.py") if not file.stem.startswith("_")}
    promises = {model.audit.removeprefix("tacit.audits.") for model in MODELS.values()}
    assert public - promises == {"coverage", "foreign", "result", "values"}


# What a method misreads is found


FRAME = pa.table({"age": ["1", "1", "2", "2"], "illness": ["flu", "cold", "flu", "cold"], "items": [["a"]] * 4})


def test_baskets_that_the_method_misread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of the methods loses a basket: what they publish keeps the promise, and is not true."""
    from tacit.baskets import kind

    honest = kind.read_items
    monkeypatch.setattr(kind, "read_items", lambda table, job: honest(without_items(table, 0), job))
    with pytest.raises(tacit.AuditFailure, match=r"not true to the original.*: 1 finding") as failure:
        tacit.anonymize(FRAME, tacit.KmAnonymity(2, 1), items="items", seed=1)
    assert "records that are not what their original becomes: 1" in str(failure.value.in_full)


def without_items(table: pa.Table, row: int) -> pa.Table:
    rows = table["items"].to_pylist()
    rows[row] = []
    return table.set_column(table.column_names.index("items"), "items", pa.array(rows, table["items"].type))


def test_records_that_the_method_misread(monkeypatch: pytest.MonkeyPatch) -> None:
    from tacit.records import data

    honest = data.read_values
    swapped = {"1": "2", "2": "1"}

    def lying(values: pa.ChunkedArray, missing: Any) -> Any:
        read = honest(values, missing)
        return replace(read, texts=tuple(swapped.get(text, text) for text in read.texts))

    monkeypatch.setattr(data, "read_values", lying)
    with pytest.raises(tacit.AuditFailure, match=r"not true to the original.*: 1 finding") as failure:
        tacit.anonymize(FRAME, tacit.KAnonymity(2), quasi="age", seed=1)
    assert "values in 'age' that do not cover the original one: 4" in str(failure.value.in_full)
