"""Your own queries about a release of records or baskets: conditions, counts, errors, drawn workloads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit
from naive import queries as naive
from support.record_cases import ORIGIN, PEOPLE, encoded, publish
from support.seeds import in_parts
from tacit.arrays.attributes import Attribute
from tacit.errors import InputError
from tacit.job import Column
from tacit.promises import KKmAnonymity
from tacit.queries import Condition, Query, draw_queries, query_error
from tacit.records.applied import apply_records
from tacit.records.items import recoding_of, record_problem
from tacit.records.measures.queries import answers
from tacit.records.solvers.first import rfirst
from tacit.taxonomy import Taxonomy

PRODUCTS = Taxonomy.from_paths(
    [["A", "AB", "all"], ["B", "AB", "all"], ["C", "CDE", "all"], ["D", "CDE", "all"], ["E", "CDE", "all"]]
)
COLUMNS = (
    Column("age", "quasi"),
    Column("origin", "quasi"),
    Column("sex", "quasi"),
    Column("illness", "sensitive"),
    Column("products", "items", separator=" ", sensitive_items=("G",)),
)


def people(rng: np.random.Generator) -> pa.Table:
    n = int(rng.integers(2, 9))
    baskets = [sorted(rng.choice(list("ABCDEG"), int(rng.integers(0, 5)), replace=False)) for _ in range(n)]
    return pa.table(
        {
            "age": rng.choice(["", "7", "19", "19.5", "30", "41"], n).tolist(),
            "origin": rng.choice(["", "France", "Greece", "Algeria"], n).tolist(),
            "sex": rng.choice(["", "f", "m"], n).tolist(),
            "illness": rng.choice(["", "flu", "cold"], n).tolist(),
            "products": [" ".join(basket) for basket in baskets[:-1]] + ["A G"],
        }
    )


def between(low: float, high: float) -> Callable[[str], bool]:
    return lambda text: text != "" and low <= float(text) <= high


def one_of(*values: str) -> Callable[[str], bool]:
    return lambda text: text in values


CONDITIONS: dict[str, list[tuple[Condition, Callable[[str], bool]]]] = {
    "age": [
        ((10, 25), between(10, 25)),
        (19, between(19, 19)),
        ("", one_of("")),
        ([(0, 10), "41", 30.0], lambda text: text == "41" or between(0, 10)(text) or between(30, 30)(text)),
    ],
    "origin": [
        ("Europe", one_of(*naive.leaves_below("Europe", ORIGIN))),
        (["Africa", "Greece"], one_of("Algeria", "Nigeria", "Greece")),
        ("Spain", one_of("Spain")),  # which nobody has
    ],
    "sex": [("", one_of("")), ([""], one_of("")), ([], one_of())],
    "illness": [("", one_of(""))],
}


def some_query(rng: np.random.Generator, table: pa.Table) -> tuple[Query, naive.Wants, set[str]]:
    values: dict[str, Condition] = {}
    wants: dict[str, Callable[[str], bool]] = {}
    for name in rng.choice(list(CONDITIONS), int(rng.integers(0, 4)), replace=False).tolist():
        held = table[name].to_pylist()[int(rng.integers(table.num_rows))]
        choices: list[tuple[Any, Any]] = [*CONDITIONS[name], (held, one_of(held)), ([held, ""], one_of(held, ""))]
        values[name], wants[name] = choices[int(rng.integers(len(choices)))]
    known = sorted({item for text in table["products"].to_pylist() for item in text.split()})
    items = {str(item) for item in rng.choice(known, min(len(known), int(rng.integers(0, 4))), replace=False)}
    return Query(values, sorted(items)), wants, items


def readings(attribute: Attribute) -> Callable[[str], list[str]]:
    """What a published text of a column may be; a missing value is the empty text."""
    domain = ["" if code == attribute.missing else text for code, text in enumerate(attribute.texts)]

    def may_be(text: str) -> list[str]:
        found = naive.values_of(text, domain, attribute.tree)
        return ["" if value == "*" else value for value in found]

    return may_be


@in_parts(range(150), 12)
def test_answers_are_those_of_the_definition(seeds: Sequence[int]) -> None:
    """From what is published, cell by cell and set by set, over random records, clusters and queries."""
    compared = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        table = people(rng)
        columns = [
            Column(c.name, c.role, missing="suppress") if c.role == "quasi" and rng.random() < 0.3 else c
            for c in COLUMNS
        ]
        made, data = encoded(table, columns, {"origin": ORIGIN, "products": PRODUCTS})
        group = np.unique(rng.integers(0, 3, table.num_rows), return_inverse=True)[1].astype(np.int32)
        way = ("apriori", "coat", "pcta")[seed % 3]
        recoding = recoding_of(data, rfirst(record_problem(data, KKmAnonymity(1 + seed % 2, 2)), group, way))
        published, _ = publish(table, data, recoding, made)
        queries = [some_query(rng, table) for _ in range(6)]
        found = answers(data, apply_records(data, recoding), [query for query, _, _ in queries])
        may_be = {**{each.name: readings(each) for each in data.attributes}, "illness": lambda text: [text]}
        for (_, wants, items), (true, expected) in zip(queries, found, strict=True):
            baskets = [set(text.split()) for text in table["products"].to_pylist()]
            assert true == naive.true_count(table.to_pylist(), baskets, wants, items), seed
            names = [set(text.split()) for text in published["products"].to_pylist()]
            rows = [{name: value or "" for name, value in row.items()} for row in published.to_pylist()]
            by_hand = naive.expected_count(
                rows, names, may_be, lambda name: naive.values_of(name, (), PRODUCTS), wants, items
            )
            assert expected == pytest.approx(by_hand, abs=1e-9), (seed, wants)
            compared += 0 < by_hand != true
    assert compared > 2 * len(seeds) // 3


@pytest.fixture(scope="module")
def pairs() -> tacit.Release:
    """Two people of 20 and 30 with milk or tea, two of 40 with beer."""
    frame = pa.table({"age": [20, 30, 40, 40], "products": [["milk"], ["tea"], ["beer"], ["beer"]]})
    return tacit.anonymize(frame, tacit.KKmAnonymity(k=2, m=2), quasi="age", items="products", baskets="pcta", seed=1)


def test_an_example_by_hand(pairs: tacit.Release) -> None:
    """Published: twice [≤30] with (milk,tea), which is milk, tea, or both; and twice 40 with beer."""
    assert sorted(zip(pairs.data["age"].to_pylist(), pairs.data["products"].to_pylist(), strict=True)) == [
        ("40", ["beer"]), ("40", ["beer"]), ("[≤30]", ["(milk,tea)"]), ("[≤30]", ["(milk,tea)"]),
    ]  # fmt: skip
    queries = [
        Query({"age": (15, 25)}),  # one of 20 and 30, twice
        Query({"age": (15, 25)}, ["milk"]),  # 2 · 1/2 · 2/3
        Query({}, ["milk", "tea"]),  # 2 · 1/3, but nobody has both
        Query({"age": [(15, 25), 40]}),
        Query(),
    ]
    found = query_error(pairs, queries)
    assert [answer.true for answer in found.answers] == [1, 1, 0, 3, 4]
    assert [answer.estimate for answer in found.answers] == pytest.approx([1, 2 / 3, 2 / 3, 3, 4])
    assert [answer.error for answer in found.answers] == pytest.approx([0, 1 / 3, 2 / 3, 0, 0])
    assert found.are == pytest.approx(1 / 5) and found.sanity_bound == 1
    assert found.answers[0].query is queries[0]
    assert "ARE 0.2 over 5 queries" in str(found)


def test_the_sanity_bound_is_what_a_true_count_is_taken_for_at_least(pairs: tacit.Release) -> None:
    queries = [Query({}, ["milk"]), Query()]
    assert query_error(pairs, queries, sanity_bound=2).are == pytest.approx((1 / 3) / 2 / 2)
    with pytest.raises(InputError, match="sanity bound"):
        query_error(pairs, queries, sanity_bound=0)


def test_no_query_has_no_error(pairs: tacit.Release) -> None:
    assert query_error(pairs, []).are is None
    assert str(query_error(pairs, [])) == "no queries"


@pytest.mark.parametrize(
    ("query", "named"),
    [
        (Query({"size": "1"}), "'size'"),
        (Query({}, ["wine"]), "'wine'"),
        (Query({}, "milk"), "one text"),
        (Query({"age": "old"}), "neither the data nor the hierarchy"),
        (Query({"age": (3, 2)}), "above its highest"),
        (Query({"age": (float("nan"), 2)}), "NaN"),
        (Query({"age": date(2020, 1, 1)}), "asks for a date"),
        (Query({"age": object()}), "neither a value"),  # type: ignore[dict-item]
        (Query({"age": [[None]]}), "neither a value"),  # type: ignore[list-item]
        (Query({"age": ("2001-01-01", "2001-12-31")}), "asks for a date"),
    ],
)
def test_what_cannot_be_asked(pairs: tacit.Release, query: Query, named: str) -> None:
    with pytest.raises(InputError, match=named):
        query_error(pairs, [query])


def test_none_is_a_missing_value(pairs: tacit.Release) -> None:
    none, empty = query_error(pairs, [Query({"age": None}), Query({"age": ""})]).answers
    assert none[1:] == empty[1:]


def test_a_number_that_nobody_has_is_no_mistake(pairs: tacit.Release) -> None:
    found = query_error(pairs, [Query({"age": "25"}), Query({"age": 25}), Query({"age": ""})])
    assert [(answer.true, answer.estimate) for answer in found.answers] == [(0, 0.0)] * 3


def test_records_without_items_and_their_sensitive_values() -> None:
    release = tacit.anonymize(
        PEOPLE, tacit.LDiversity(k=2, l=1.5), quasi=["age", "origin"], sensitive="illness",
        hierarchy={"origin": ORIGIN}, seed=1,
    )  # fmt: skip
    found = query_error(release, [Query({"illness": "flu"}), Query({"illness": ["flu", ""], "origin": "All"})])
    assert [(answer.true, answer.estimate) for answer in found.answers] == [(3, 3.0), (4, 4.0)]
    drawn = draw_queries(release, values=2, queries=7, seed=3)
    assert len(drawn) == 7 and all(set(query.values) == {"age", "origin"} for query in drawn)
    with pytest.raises(InputError, match="has no items"):
        draw_queries(release, values=1, items=1)
    with pytest.raises(InputError, match="2 quasi-identifiers"):
        draw_queries(release, values=3)


def test_dates() -> None:
    days = ["2024-01-05", "2024-01-07", "2024-03-01", "2024-03-09"]
    release = tacit.anonymize(pa.table({"day": days}), tacit.KAnonymity(k=2), quasi="day", seed=1)
    january = (date(2024, 1, 1), date(2024, 1, 31))
    found = query_error(release, [Query({"day": january}), Query({"day": date(2024, 1, 5)}), Query({"day": days[2]})])
    assert [(answer.true, answer.estimate) for answer in found.answers] == [(2, 2.0), (1, 1.0), (1, 1.0)]
    with pytest.raises(InputError, match="asks for a number"):
        query_error(release, [Query({"day": (1, 2)})])


def test_numbers_in_a_hierarchy_are_asked_for_by_range() -> None:
    tree = Taxonomy.from_paths([["1", "low", "*"], ["2", "low", "*"], ["3", "low", "*"], ["9", "high", "*"]])
    frame = pa.table({"score": [1, 3, 9, 9]})
    release = tacit.anonymize(frame, tacit.KAnonymity(k=2), quasi="score", hierarchy={"score": tree}, seed=1)
    assert sorted(release.data["score"].to_pylist()) == ["9", "9", "low", "low"]
    found = query_error(release, [Query({"score": (1, 2)}), Query({"score": "low"}), Query({"score": (3, 9)})])
    assert [answer.true for answer in found.answers] == [1, 2, 3]
    assert [answer.estimate for answer in found.answers] == pytest.approx([4 / 3, 2, 2 + 2 / 3])


def test_several_columns_of_items() -> None:
    frame = pa.table({"age": [1, 1, 2, 2], "drugs": [["a"], ["a"], ["b"], ["b"]], "tests": [["a"], [], ["a"], ["a"]]})
    release = tacit.anonymize(
        frame, tacit.KKmAnonymity(k=2, m=1), quasi="age", items=["drugs", "tests"], method="rfirst", seed=1
    )
    found = query_error(release, [Query({}, ["drugs:a"]), Query({}, ["tests:a", "drugs:b"])])
    assert [answer.true for answer in found.answers] == [2, 2]
    with pytest.raises(InputError, match="'a'"):
        query_error(release, [Query({}, ["a"])])


@pytest.fixture(scope="module")
def baskets() -> tacit.Release:
    """`beer` and `wine` become alcohol; `pill` is sensitive and stays."""
    tree = Taxonomy.from_paths([["beer", "alcohol", "*"], ["wine", "alcohol", "*"], ["milk", "*"], ["tea", "*"]])
    frame = pa.table({"basket": [["beer"], ["wine", "pill"], ["milk"], ["milk", "tea"], ["milk", "tea"]]})
    return tacit.anonymize(
        frame, tacit.KmAnonymity(k=2, m=2), items="basket", hierarchy=tree, sensitive_items=["pill"], seed=1
    )


def test_baskets_are_asked_in_the_same_way(baskets: tacit.Release) -> None:
    queries = [
        Query({}, ["beer"]),
        Query({}, ["beer", "wine"]),
        Query({}, ["milk", "tea"]),
        Query({}, ["pill"]),
        Query(),
    ]
    found = query_error(baskets, queries)
    assert [answer.true for answer in found.answers] == [1, 0, 2, 1, 5]
    assert [answer.estimate for answer in found.answers] == pytest.approx([4 / 3, 2 / 3, 2, 1, 5])
    assert found.are == pytest.approx((1 / 3 + 2 / 3) / 5)
    with pytest.raises(InputError, match="'age'"):
        query_error(baskets, [Query({"age": "1"})])
    with pytest.raises(InputError, match="more than 12 items"):
        many = pa.table({"basket": [[f"i{i}" for i in range(13)]] * 2})
        same = tacit.anonymize(many, tacit.KmAnonymity(k=2, m=2), items="basket", seed=1)
        query_error(same, [Query({}, [f"i{i}" for i in range(13)])])
    several = query_error(same, [Query({}, [f"i{i}" for i in range(n)]) for n in (12, 4, 1)]).answers
    assert [(answer.true, answer.estimate) for answer in several] == [(2, 2), (2, 2), (2, 2)]


def test_drawn_queries_are_true_of_somebody(pairs: tacit.Release, baskets: tacit.Release) -> None:
    for release, values, items in ((pairs, 1, 1), (pairs, 0, 1), (pairs, 1, 0), (baskets, 0, 2), (baskets, 0, 1)):
        drawn = draw_queries(release, values=values, items=items, queries=20, seed=5)
        assert drawn == draw_queries(release, values=values, items=items, queries=20, seed=5)
        assert len(drawn) == 20
        assert all(len(query.values) == values and len(set(query.items)) == items for query in drawn)
        assert all(answer.true >= 1 for answer in query_error(release, drawn).answers)
        assert not any("pill" in query.items for query in drawn), "sensitive items are not asked for"
    assert draw_queries(baskets, items=3, seed=1) == [], "nobody has so many items"
    with pytest.raises(InputError, match="0 quasi-identifiers"):
        draw_queries(baskets, values=1)
    with pytest.raises(InputError, match="0 at least"):
        draw_queries(baskets, items=-1)


def test_nobody() -> None:
    frame = pa.table({"age": pa.array([], pa.string()), "basket": pa.array([], pa.list_(pa.string()))})
    release = tacit.anonymize(frame, tacit.KKmAnonymity(k=2, m=2), quasi="age", items="basket", seed=1)
    assert draw_queries(release, values=1, items=1) == []
    assert [answer[1:] for answer in query_error(release, [Query()]).answers] == [(0, 0.0, 0.0)]
    nothing = tacit.anonymize(frame.select(["basket"]), tacit.KmAnonymity(k=2, m=2), items="basket", seed=1)
    assert draw_queries(nothing, items=1) == []
    assert query_error(nothing, [Query()]).are == 0


def test_other_kinds_of_data_are_asked_elsewhere() -> None:
    frame = pa.table({"age": [1, 2, 3, 4], "illness": ["a", "b", "a", "b"]})
    sliced = tacit.anonymize(frame, tacit.SlicedDiversity(l=2), quasi="age", sensitive="illness", seed=1)
    with pytest.raises(InputError, match=r"tacit\.sliced"):
        query_error(sliced, [Query()])
    rated = tacit.anonymize(pa.table({"a": [1, 2, 1, 2]}), tacit.KEpsAnonymity(k=2, eps=1), rating="a", seed=1)
    with pytest.raises(InputError, match="ratings"):
        draw_queries(rated, items=1)
