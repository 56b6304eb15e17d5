"""The audit of k-anonymity, against its definition."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.views import record_view
from tacit.audits import k as audited
from tacit.audits.result import AuditResult
from tacit.audits.views.cells import Cells
from tacit.promises import KAnonymity

Row = tuple[str, ...]


def column(name: str, texts: list[str], rng: np.random.Generator | None = None) -> Cells:
    """Texts in any order; with a generator one text may have two codes."""
    written = [*dict.fromkeys(texts), *dict.fromkeys(texts)] if rng is not None else list(dict.fromkeys(texts))
    where = [[i for i, each in enumerate(written) if each == text] for text in texts]
    chosen = [places[int(rng.integers(len(places)))] if rng is not None else places[0] for places in where]
    return Cells(name, np.array(chosen, np.int32), written)


def columns(rows: list[Row], rng: np.random.Generator | None = None) -> list[Cells]:
    return [column(f"q{i}", [row[i] for row in rows], rng) for i in range(len(rows[0]))]


def audit_k(quasi: list[Cells], promise: KAnonymity, **options: int) -> AuditResult:
    return audited.audit(record_view(quasi), promise, **options)


def random_rows(rng: np.random.Generator) -> list[Row]:
    width, values = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    return [tuple(f"v{n}" for n in rng.integers(0, values, width)) for _ in range(rng.integers(1, 40))]


def test_groups_are_the_same_however_many_columns_are_told_apart_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns are put together as one number as long as it is small enough."""
    rng = np.random.default_rng(4)
    people = [tuple(f"v{n}" for n in rng.integers(0, 1000, 12)) for _ in range(200)]  # 1000^12 is beyond 64 bits
    rows = [people[n] for n in rng.integers(0, 200, 900)]
    counts = Counter(rows)
    for most_keys, cells in ((1 << 62, 16), (1 << 20, 0), (1, 1000)):
        monkeypatch.setattr(audited, "_MOST_KEYS", most_keys)
        monkeypatch.setattr(audited, "_CELLS_A_RECORD", cells)
        groups = audited.value_groups(record_view(columns(rows, rng)))
        found = [tuple(groups.text(group).values()) for group in range(groups.sizes.size)]
        assert found == sorted(counts)
        assert groups.sizes.tolist() == [counts[row] for row in found]


def test_agrees_with_the_definition_on_random_tables() -> None:
    verdicts = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        rows, k = random_rows(rng), int(rng.integers(1, 6))
        counts = Counter(rows)
        small = sorted((count, row) for row, count in counts.items() if count < k)
        result = audit_k(columns(rows, rng), KAnonymity(k))
        verdicts.append(result.satisfied)
        assert result.satisfied == (not small)
        assert [(v["support"], tuple(v["group"].values())) for v in result.violations] == small
        assert result.worst is not None
        assert (result.worst["support"], tuple(result.worst["group"].values())) == min(
            (count, row) for row, count in counts.items()
        )
        assert result.facts["groups"] == len(counts)
        assert result.facts["records_affected"] == sum(count for count, _ in small)
        assert result.facts["level"] == {"k": min(counts.values()), "k_is_exact": True}
    assert 50 < sum(verdicts) < 250


def test_names_groups_by_their_values() -> None:
    rows = [("[19:22]", "Male"), ("[19:22]", "Male"), ("*", "a, b")]
    text = str(audit_k(columns(rows), KAnonymity(2)))
    assert "NOT hold" in text
    assert "q0 *, q1 'a, b': 1 record" in text
    assert "1 group with equal quasi-identifiers (1 record) has fewer than 2 records" in text
    assert audit_k(columns(rows[:2]), KAnonymity(2)).satisfied


def test_lists_only_so_many_and_counts_all() -> None:
    result = audit_k(columns([(str(n),) for n in range(50)]), KAnonymity(2), limit=3)
    assert len(result.violations) == 3
    assert result.facts["violation_count"] == 50


@pytest.mark.parametrize("quasi", [[], [Cells("q", np.empty(0, np.int32), ())]])
def test_no_record_breaks_no_promise(quasi: list[Cells]) -> None:
    result = audit_k(quasi, KAnonymity(2))
    assert result.satisfied
    assert result.worst is None
    assert result.facts["level"] is None


def test_of_no_records_there_are_no_groups() -> None:
    none = tacit.audit(pa.table({"age": pa.array([], pa.string())}), KAnonymity(2), quasi="age")
    facts = {name: none.facts[name] for name in ("records", "groups", "smallest_group", "largest_group")}
    assert none.satisfied and none.worst is None and set(facts.values()) == {0}
