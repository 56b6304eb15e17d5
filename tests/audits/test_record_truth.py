"""What is not true in published records is found, with and without knowing whose records they are."""

from __future__ import annotations

import csv
from itertools import islice

import numpy as np
import pyarrow as pa
import pytest

from support.record_cases import (
    COLUMNS,
    ORIGIN,
    PAIRS,
    PEOPLE,
    PRODUCTS,
    as_original,
    encoded,
    items_as_they_are,
    publish,
    seen,
)
from support.seeds import each_seed
from support.views import list_job
from tacit.arrays import blocks
from tacit.arrays.attributes import set_text
from tacit.audits import judge
from tacit.audits.coverage import covers
from tacit.audits.truth import record_baskets
from tacit.audits.truth.matching import unmatched
from tacit.audits.truth.records import false_values
from tacit.audits.views.columns import KnownColumn, read_column
from tacit.audits.views.records import RecordOriginal
from tacit.job import Column, Job
from tacit.taxonomy import Taxonomy

ALL = (*COLUMNS, PRODUCTS)


@pytest.fixture
def made() -> tuple[Job, RecordOriginal, pa.Table]:
    """The published table in the order of the original."""
    job, data = encoded(columns=ALL)
    table, order = publish(PEOPLE, data, data.recoding(PAIRS, items_as_they_are(data, PAIRS)), job)
    return job, as_original(PEOPLE, job), table.take(pa.array(np.argsort(order)))


def read(texts: list[str], column: Column, tree: Taxonomy | None = None) -> KnownColumn:
    trees = {} if tree is None else {column.name: tree}
    return read_column(pa.table({column.name: texts}), list_job(column), column, trees)


def changed(table: pa.Table, column: str, row: int, value: str) -> pa.Table:
    values = table[column].to_pylist()
    values[row] = value
    return table.set_column(table.column_names.index(column), column, pa.array(values))


SAME_ORDER = np.arange(6)


def test_what_tacit_publishes_is_true(made: tuple[Job, RecordOriginal, pa.Table]) -> None:
    job, data, table = made
    assert false_values(data, seen(table, job), SAME_ORDER) == []
    assert false_values(data, seen(table.take(pa.array([3, 5, 1, 0, 2, 4])), job)) == []


def test_columns_side_by_side_tell_the_same(
    made: tuple[Job, RecordOriginal, pa.Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    job, original, table = made
    for column, value in (("age", "[20:22]"), ("origin", "nowhere")):
        table = changed(table, column, 0, value)
    told = [judge(seen(table, job), job, original, SAME_ORDER)]
    monkeypatch.setattr(blocks, "_WORTH_A_THREAD", 1)
    monkeypatch.setattr(blocks, "cores", lambda: 2)
    told.append(judge(seen(table, job), job, as_original(PEOPLE, job), SAME_ORDER))
    (verdict, problems), (verdict_aside, problems_aside) = told
    assert len(problems) > 1 and not verdict.satisfied
    assert problems_aside == problems and verdict_aside == verdict


@pytest.mark.parametrize(
    ("column", "row", "value"),
    [
        ("age", 0, "[20:22]"),
        ("age", 0, "[22:30]"),
        ("age", 0, "22"),
        ("age", 0, ""),
        ("age", 0, "(22,28)"),
        ("age", 0, "Europe"),
        ("age", 0, "[19]"),
        ("age", 0, "[x:y]"),
        ("origin", 0, "Africa"),
        ("origin", 0, "Atlantis"),
        ("origin", 0, "Spain"),
        ("sex", 0, "Female"),
        ("sex", 0, "(Female,Other)"),
        ("illness", 0, "cold"),
        ("illness", 1, "flu"),
        ("illness", 0, "*"),
        ("products", 0, "A B E F G"),
        ("products", 0, "B E F H"),
        ("products", 0, "B E F"),
        ("products", 0, "(A,C) E F G"),
        ("products", 0, "Z E F G"),
    ],
)
def test_a_false_value_is_found(made: tuple[Job, RecordOriginal, pa.Table], column: str, row: int, value: str) -> None:
    job, data, table = made
    problems = false_values(data, seen(changed(table, column, row, value), job), SAME_ORDER)
    assert len(problems) >= 1
    assert not any(name in " ".join(problems) for name in ("John", "Steve"))


@pytest.mark.parametrize(
    ("column", "row", "value"),
    [
        ("age", 0, "19"),
        ("age", 0, "[0:100]"),
        ("age", 0, "*"),
        ("age", 0, "(19,22)"),
        ("origin", 0, "France"),
        ("origin", 0, "All"),
        ("sex", 0, "(Female,Male)"),
        ("sex", 0, "*"),
        ("products", 0, "(B,C) E F G"),
        ("products", 0, "(A,B,C,D,E,F) G"),
        ("products", 0, "G"),
    ],
)
def test_other_true_values_are_accepted(
    made: tuple[Job, RecordOriginal, pa.Table], column: str, row: int, value: str
) -> None:
    job, data, table = made
    assert false_values(data, seen(changed(table, column, row, value), job), SAME_ORDER) == []


def test_records_without_their_sensitive_items_are_counted_one_by_one(
    made: tuple[Job, RecordOriginal, pa.Table],
) -> None:
    job, data, table = made
    for row in (0, 1):
        table = changed(table, "products", row, "E F")
    told = "records whose sensitive items are not shown as they are: 2"
    assert told in false_values(data, seen(table, job), SAME_ORDER)


def test_the_number_of_records(made: tuple[Job, RecordOriginal, pa.Table]) -> None:
    job, data, table = made
    assert false_values(data, seen(table.slice(1), job), SAME_ORDER[1:]) == ["5 records are shown out of 6"]


@pytest.mark.parametrize(
    ("column", "row", "value"),
    [
        ("age", 0, "[56:60]"),
        ("age", 0, "[70:71]"),
        ("origin", 0, "Asia"),
        ("illness", 0, "cold"),
        ("products", 0, "Z"),
        ("products", 0, "A B C D E F G"),
        ("products", 0, "E F"),
    ],
)
def test_false_values_without_the_order(
    made: tuple[Job, RecordOriginal, pa.Table], column: str, row: int, value: str
) -> None:
    job, data, table = made
    assert false_values(data, seen(changed(table, column, row, value), job))


def test_a_false_combination_is_found_without_the_order(made: tuple[Job, RecordOriginal, pa.Table]) -> None:
    """Every column for itself is true: only the records are not."""
    job, data, table = made
    origins = table["origin"].to_pylist()
    swapped = table.set_column(1, "origin", pa.array([origins[4], *origins[1:4], origins[0], origins[5]]))
    assert false_values(data, seen(swapped, job)) == ["records that stand for no original one: 2"]


def test_a_sensitive_column_that_is_not_published(made: tuple[Job, RecordOriginal, pa.Table]) -> None:
    job, data, table = made
    assert false_values(data, seen(table.drop_columns(["illness"]), job), SAME_ORDER) == []


def test_days_and_quoted_labels() -> None:
    day = read(["2001-01-31", "2002-01-01"], Column("day", "quasi"))
    labels = ["[2001-01-01:2001-12-31]", "[2001-02-01:2001-12-31]", "2001-01-31"]
    held = covers(day, labels)
    assert held.holds(np.array([0, 0, 0, 1]), np.array([0, 1, 2, 2])).tolist() == [True, False, True, False]
    odd = read(["a,b", "(c)", "", "d"], Column("odd", "quasi"))
    held = covers(odd, ['("(c)","a,b")', "(,d)"])
    codes, names = np.array([0, 1, 2, 3]), np.zeros(4, int)
    assert held.holds(codes, names).tolist() == [True, True, False, False]
    assert held.holds(codes, names + 1).tolist() == [False, False, True, True]


def test_sets_of_labels_with_newlines_and_quotes() -> None:
    labels = ["a\nb", 'q"r', '"', "c"]
    odd = read([*labels, "other"], Column("odd", "quasi"))
    written = set_text(labels)
    assert next(csv.reader([written[1:-1]])) == sorted(labels)
    held = covers(odd, [written, "(a\nb,c)"])
    codes, names = np.arange(5), np.zeros(5, int)
    assert held.holds(codes, names).tolist() == [True, True, True, True, False]
    assert held.holds(codes, names + 1).tolist() == [True, False, False, True, False]


def test_nodes_go_before_ranges() -> None:
    """A hierarchy may have nodes that look like ranges and hold other values."""
    tree = ORIGIN.from_paths([["17", "[20:30]", "*"], ["30", "*"]])
    held = covers(read(["17", "30"], Column("age", "quasi"), tree), ["[20:30]"])
    assert held.holds(np.array([0, 1]), np.array([0, 0])).tolist() == [True, False]


@each_seed(range(60))
def test_pairing_as_the_slow_twin(seed: int) -> None:
    """Against augmenting paths on single records."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    columns = []
    for _ in range(rng.integers(1, 3)):
        table = rng.random((4, 3)) < 0.6
        columns.append(
            (rng.integers(0, 3, n), rng.integers(0, 4, n), lambda code, label, table=table: table[label, code])
        )
    fits = np.array(
        [
            [all(covered(np.array(was[i]), np.array(now[j])) for was, now, covered in columns) for i in range(n)]
            for j in range(n)
        ]
    )
    partner: dict[int, int] = {}

    def augment(record: int, tried: set[int]) -> bool:
        for original in np.flatnonzero(fits[record]).tolist():
            if original not in tried:
                tried.add(original)
                if original not in partner or augment(partner[original], tried):
                    partner[original] = record
                    return True
        return False

    matched = sum(augment(record, set()) for record in range(n))
    assert unmatched(columns) == n - matched


@pytest.mark.parametrize("limit", ["_MOST_CELLS", "_MOST_PAIRS", "_MOST_RECORDS"])
def test_too_many_to_pair_are_looked_at_by_column(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one column shows is enough: the one that fits worst counts, and in it labels that too many records have."""
    codes, labels = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    is_same = (codes, labels, lambda code, label: code == label)
    is_anything = (codes, labels, lambda code, label: np.ones(code.size, bool))
    three, other_three = np.array([0, 1, 2]), np.array([1, 0, 2])
    crossed = [(three, now, lambda code, label: code == label) for now in (three, other_three)]
    assert unmatched([is_same, is_anything]) == 1 and unmatched(crossed) == 2
    monkeypatch.setattr(f"tacit.audits.truth.matching.{limit}", 0)
    monkeypatch.setattr("tacit.audits.truth.matching._AT_ONCE", 1)
    assert unmatched([is_same, is_anything]) == unmatched([is_anything, is_same]) == unmatched([is_same]) == 1
    assert unmatched([is_anything]) == unmatched(crossed) == 0
    assert unmatched([is_same], (np.array([5, 0, 1, 1]), np.ones(4, np.int64))) == 0


def test_what_labels_show_by_themselves_is_never_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    for _ in range(50):
        fits = rng.random((4, 5)) < 0.5
        codes, labels = rng.integers(0, 5, 12), rng.integers(0, 4, 12)
        column = (codes, labels, lambda code, label, fits=fits: fits[label, code])
        paired = unmatched([column])
        with monkeypatch.context() as patch:
            patch.setattr("tacit.audits.truth.matching._MOST_CELLS", 0)
            assert unmatched([column]) <= paired


def test_baskets_are_compared_in_pieces_that_have_a_record_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pairs of items it has; others share a piece."""
    monkeypatch.setattr(record_baskets, "_PAIRS_AT_ONCE", 2)
    found = list(islice(record_baskets._pieces(np.array([3, 1, 0]), np.array([3, 1, 2])), 4))
    assert found == [(0, 1), (1, 3)]
