"""Files of other programs: suppressed records, and missing values that may be anything, as declared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit
from tacit import InputError, KAnonymity, KmAnonymity, LDiversity

K2 = KAnonymity(2)


def audit(rows: list[tuple[Any, ...]], promise: Any = K2, **marks: Any) -> Any:
    table = pa.table({name: list(values) for name, values in zip("abs", zip(*rows, strict=True), strict=False)})
    return tacit.audit(table, promise, quasi=["a", "b"], sensitive="s", **marks)


def test_suppressed_records_are_a_group_unless_they_are_dropped() -> None:
    rows = [("1", "2", "x"), ("1", "2", "y"), ("*", "*", "z")]
    assert not audit(rows).satisfied
    result = audit(rows, suppressed="drop")
    assert result.satisfied
    assert (result.facts["suppressed_records"], result.facts["records_affected"], result.facts["records"]) == (1, 1, 2)
    assert "Left out: 1 record with nothing but '*'" in str(result)
    assert audit(rows, LDiversity(k=2, l=2), suppressed="drop").satisfied
    assert not audit([*rows, ("*", "2", "z")], suppressed="drop").satisfied, "one value is left"


def test_a_file_of_nothing_else_is_empty() -> None:
    assert audit([("*", "*", "z")], suppressed="drop").facts["suppressed_records"] == 1
    assert audit([("*", "*", "z")], suppressed="drop", missing_matches=True).facts["records"] == 0


def test_a_missing_value_may_be_any() -> None:
    rows = [("1", "2", "x"), ("1", None, "y"), (None, "3", "z")]
    assert not audit(rows).satisfied
    result = audit(rows, missing_matches=True)
    assert result.satisfied and result.facts["level"]["k"] == 2
    assert not audit([*rows, ("4", "5", "x")], missing_matches=True).satisfied


def test_each_record_is_counted_against_every_other() -> None:
    rng = np.random.default_rng(8)
    verdicts = []
    for _ in range(150):
        n = int(rng.integers(1, 12))
        rows = [(*(rng.choice(["1", "2", "NA", ""], 2).tolist()), "x") for _ in range(n)]
        k = int(rng.integers(1, 6))

        def matches(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
            return all(x == y or x in ("", "NA") or y in ("", "NA") for x, y in zip(one[:2], other[:2], strict=True))

        counts = [sum(matches(row, other) for other in rows) for row in rows]
        result = audit(rows, KAnonymity(k), missing_matches=True, missing=["NA"])
        assert result.satisfied is (min(counts) >= k)
        assert result.facts["level"]["k"] == result.worst["support"] == min(counts)
        assert result.facts["records_affected"] == sum(count < k for count in counts)
        verdicts.append(result.satisfied)
    assert {True, False} == set(verdicts)


def test_what_cannot_be_declared() -> None:
    with pytest.raises(InputError, match="for the promise 'k' alone"):
        audit([("1", "2", "x")], LDiversity(k=1, l=2), missing_matches=True)
    with pytest.raises(InputError, match="without baskets alone"):
        tacit.audit(pa.table({"x": [["a"]]}), KmAnonymity(1, 1), items="x", suppressed="drop")
    with pytest.raises(InputError, match="group or drop"):
        audit([("1", "2", "x")], suppressed="ignore")
