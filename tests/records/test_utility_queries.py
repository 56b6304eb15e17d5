"""ARE: the estimator against all possible worlds, workloads, and what a release tells."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from support.record_cases import COLUMNS, PRODUCTS, encoded
from tacit.errors import InputError
from tacit.job import Column
from tacit.promises import KKmAnonymity
from tacit.queries import Query
from tacit.records.applied import AppliedRecords, apply_records
from tacit.records.data import RecordData
from tacit.records.items import recoding_of, record_problem
from tacit.records.measures.queries import answers, measure_queries, relative_error, workload
from tacit.records.measures.ul import measure_ul
from tacit.records.solvers.first import rfirst

WITH_ITEMS = (*COLUMNS, PRODUCTS)


def released(group: list[int], baskets: str = "coat") -> tuple[RecordData, AppliedRecords]:
    _, data = encoded(columns=WITH_ITEMS)
    problem = record_problem(data, KKmAnonymity(2, 2))
    recoding = recoding_of(data, rfirst(problem, np.array(group, np.int32), baskets))
    return data, apply_records(data, recoding)


def sets_of(applied: AppliedRecords, cluster: int) -> list[list[str]]:
    """The items of each name that a cluster publishes; every record of the pairs has all of them."""
    items = applied.recoding.items
    assert items is not None
    names = np.unique(items.name[items.indptr[cluster] : items.indptr[cluster + 1]]).tolist()
    bounds = items.member_indptr
    return [sorted(items.labels[i] for i in items.members[bounds[name] : bounds[name + 1]]) for name in names]


def in_all_worlds(
    values: list[tuple[str, list[str]]],
    names: list[list[str]],
    query_values: dict[int, str],
    items: set[str],
    *,
    even: bool,
) -> float:
    """The probability that one record fits: values one of a list each, every name any non-empty set of its items, or
    one of them."""
    chance = 1.0
    for place, wanted in query_values.items():
        may_be = values[place][1]
        chance *= may_be.count(wanted) / len(may_be)
    worlds = fitting = 0
    subsets = [[s for s in _subsets(name) if (len(s) == 1 if even else s)] for name in names]
    for world in product(*subsets):
        worlds += 1
        fitting += items <= set().union(*world)
    return chance * fitting / worlds


def _subsets(items: list[str]) -> list[set[str]]:
    return [{x for x, bit in zip(items, bits, strict=True) if bit} for bits in product((0, 1), repeat=len(items))]


@pytest.mark.parametrize("even", [False, True])
def test_estimates_are_means_over_all_worlds(even: bool) -> None:
    """Fig. 2(a) of Poulis et al.: what a query counts there, from every original that it might stand for."""
    data, applied = released([0, 0, 1, 1, 2, 2])
    ages = ["19", "22", "28", "39", "55", "70"]
    europe, africa = ["France", "Germany", "Greece", "Spain"], ["Algeria", "Nigeria"]
    sets = [sets_of(applied, cluster) for cluster in range(3)]
    assert sets[2] == [["A", "E", "F"]]
    records = [
        ([("age", ages[:2]), ("origin", europe), ("sex", ["Male"])], sets[0]),
        ([("age", ages[2:4]), ("origin", europe), ("sex", ["Female"])], sets[1]),
        ([("age", ages[4:]), ("origin", africa), ("sex", ["Female", "Male"])], sets[2]),
    ]
    questions = [
        (Query({"age": "28"}, ("E",)), {0: "28"}, {"E"}),
        (Query({"origin": "Spain"}, ("B", "D")), {1: "Spain"}, {"B", "D"}),
        (Query({"age": "70", "sex": "Male"}, ("A", "F")), {0: "70", 2: "Male"}, {"A", "F"}),
        (Query({"sex": "Female"}), {2: "Female"}, set()),
        (Query({}, ("E", "F")), {}, {"E", "F"}),
        (Query({"origin": "Greece"}, ("C",)), {1: "Greece"}, {"C"}),
    ]
    found = answers(data, applied, [query for query, _, _ in questions], even=even)
    for (_, expected), (_, values, items) in zip(found, questions, strict=True):
        worlds = sum(2 * in_all_worlds(v, names, values, items, even=even) for v, names in records)
        assert expected == pytest.approx(worlds, abs=1e-12)


def test_true_counts() -> None:
    data, applied = released([0] * 6)
    queries = [Query({"sex": "Male"}), Query({}, ("E", "F")), Query({"sex": "Female"}, ("E",)), Query({"age": "1"})]
    assert [true for true, _ in answers(data, applied, queries)] == [3, 2, 2, 0]
    assert answers(data, applied, [Query({"age": "1"})]) == [(0, 0.0)]


def test_an_untouched_release_answers_exactly() -> None:
    _, data = encoded(columns=WITH_ITEMS)
    problem = record_problem(data, KKmAnonymity(1, 2))
    applied = apply_records(data, recoding_of(data, rfirst(problem, np.arange(6, dtype=np.int32), "apriori")))
    kinds = ("are", "are_even", "are_values", "are_items", "are_items_even", "count_error")
    assert measure_queries(data, applied) == dict.fromkeys(kinds, 0)
    assert measure_ul(data, applied)["ul"] == measure_ul(data, applied)["ul_original"]


@pytest.mark.parametrize("baskets", ["coat", "apriori"])
def test_larger_clusters_keep_less_of_values(baskets: str) -> None:
    few = measure_queries(*released([0] * 6, baskets))
    many = measure_queries(*released([0, 0, 1, 1, 2, 2], baskets))
    assert few["are_values"] > many["are_values"]


def test_a_suppressed_item_is_not_expected() -> None:
    """In the second cluster one of two has a basket: its item would be seen with fewer than k."""
    table = pa.table({"age": ["1", "1", "2", "2"], "products": ["a", "a", "b", ""]})
    _, data = encoded(table, [Column("age", "quasi"), Column("products", "items", separator=" ")], {})
    recoding = recoding_of(data, rfirst(record_problem(data, KKmAnonymity(2, 2)), np.array([0, 0, 1, 1]), "coat"))
    applied = apply_records(data, recoding)
    assert answers(data, applied, [Query({}, ("a",)), Query({}, ("b",))]) == [(2, 2.0), (1, 0.0)]
    assert measure_ul(data, applied) == {"ul": 0.75, "ul_original": 0.75}, "one item has 1, lost or not"


def test_queries_of_a_workload_are_true_of_somebody() -> None:
    data, applied = released([0, 0, 1, 1, 2, 2])
    queries = workload(data, values=2, items=2, seed=5)
    assert len(queries) == 100
    assert all(len(query.values) == 2 and len(query.items) == 2 for query in queries)
    assert all(true >= 1 for true, _ in answers(data, applied, queries))
    assert queries == workload(data, values=2, items=2, seed=5)
    assert not any({"G", "H"} & set(query.items) for query in queries), "sensitive items are not asked for"


def test_nobody_has_so_many_items() -> None:
    data, applied = released([0] * 6)
    assert workload(data, values=1, items=9, seed=0) == []
    assert relative_error(data, applied, []) == 0


def test_a_query_for_something_unknown() -> None:
    data, applied = released([0] * 6)
    with pytest.raises(InputError, match="size"):
        answers(data, applied, [Query({"size": "1"})])
    with pytest.raises(InputError, match="Z"):
        answers(data, applied, [Query({}, ("Z",))])
