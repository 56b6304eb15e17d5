"""What a release of baskets lost, against numbers worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import tacit
from support.cases import RUNNING_EXAMPLE, running_taxonomy
from tacit.baskets.data import read_items, with_taxonomies
from tacit.baskets.measures import measure_baskets
from tacit.baskets.recoding import CutRecoding, ItemCut
from tacit.baskets.solvers.hghs import hghs
from tacit.baskets.solvers.problem import pose_baskets
from tacit.job import Column, Input, Job, Output
from tacit.taxonomy import Taxonomy


def measured(baskets: list[list[str]], cut: ItemCut) -> dict[str, float]:
    job = job_of(tuple(cut.sensitive))
    items = read_items(pa.table({"basket": baskets}), job)
    return measure_baskets(items, CutRecoding({"basket": cut}).applied(items))


def job_of(sensitive: tuple[str, ...] = ()) -> Job:
    column = Column("basket", "items", sensitive_items=sensitive)
    return Job(Input("test"), (column,), tacit.KmAnonymity(k=2, m=2), Output(Path("out")))


def test_the_running_example_of_the_paper() -> None:
    """Cut {P, f, g, M, e, i} with i suppressed: 10 occurrences below P, 3 below M, 2 of i, out of 23."""
    frame = pa.table({"basket": [list(basket) for basket in RUNNING_EXAMPLE]})
    promise = tacit.KmAnonymity(k=2, m="inf")
    release = tacit.anonymize(frame, promise, items="basket", hierarchy=running_taxonomy(), method="hghs")
    assert release.recoding.columns["basket"].published == ("P", "f", "g", "M", "e")
    assert release.recoding.columns["basket"].suppressed == ("i",)
    assert release.utility["ncp"] == pytest.approx(5.6 / 23)
    assert release.utility["ncp_leaf_share"] == pytest.approx((10 * 4 / 11 + 3 * 3 / 11 + 2) / 23)
    assert release.utility["suppressed"] == pytest.approx(2 / 23)
    assert release.utility["generalized"] == pytest.approx(13 / 23)
    assert release.utility["unchanged"] == pytest.approx(8 / 23)
    assert (release.utility["records"], release.utility["emptied_baskets"]) == (8, 1)
    assert (release.utility["items_before"], release.utility["items_after"]) == (11, 5)


def test_the_cost_of_the_search_is_the_loss_of_the_release() -> None:
    frame = pa.table({"basket": [list(basket) for basket in RUNNING_EXAMPLE]})
    data = with_taxonomies(read_items(frame, job_of()), {"basket": running_taxonomy()})
    problem = pose_baskets(data)
    found = hghs(problem, 2, 5)
    recoding = data.recoding(problem.origin[found.cut], problem.origin[found.suppressed])
    assert measure_baskets(data.items, recoding.applied(data.items))["ncp"] == pytest.approx(found.cost / problem.unit)
    assert found.cost / problem.unit * 23 == pytest.approx(5.6)


def test_leaves_that_the_data_lacks_count_too() -> None:
    """A group of two out of five leaves, though the data holds one of them."""
    cut = ItemCut({"a": "A", "b": "A", "c": "c", "d": None, "e": "e"}, ("d",))
    utility = measured([["a", "c"], ["a"], ["c", "d"]], cut)
    assert utility["ncp"] == pytest.approx((2 * 1 / 4 + 2 * 0 + 1) / 5)
    assert utility["ncp_leaf_share"] == pytest.approx((2 * 2 / 5 + 2 * 0 + 1) / 5)
    assert (utility["items_before"], utility["items_after"]) == (3, 2)


def test_sensitive_items_lose_nothing_and_are_no_leaves() -> None:
    cut = ItemCut({"a": "A", "b": "A", "c": "c"}, sensitive={"s": "s"})
    utility = measured([["a", "s"], ["b", "s"], ["c"]], cut)
    assert utility["ncp"] == pytest.approx((2 * 1 / 2 + 0) / 5)
    assert utility["unchanged"] == pytest.approx(3 / 5)


def test_a_record_that_gave_its_items_away_is_empty() -> None:
    """CAHD deals sensitive items out again: whose basket held one alone may end with none."""
    frame = pa.table({"basket": [["s"], ["a"], ["a"], ["a", "c"]]})
    counts = set()
    for seed in range(1, 21):
        release = tacit.anonymize(frame, tacit.Cahd(p=2), items="basket", sensitive_items=["s"], seed=seed)
        empty = sum(not basket for basket in release.table["basket"].to_pylist())
        assert release.utility["emptied_baskets"] == empty
        counts.add(empty)
    assert counts == {0, 1}


def test_several_columns_share_their_leaves() -> None:
    """Three and two leaves make five: as if all columns were one hierarchy."""
    job = Job(Input("test"), (Column("x", "items"), Column("y", "items")), job_of().promise, job_of().output)
    items = read_items(pa.table({"x": [["a", "b"], ["c"]], "y": [["a"], ["q"]]}), job)
    recoding = CutRecoding({"x": ItemCut({"a": "A", "b": "A", "c": "c"}), "y": ItemCut({"a": "a", "q": None}, ("q",))})
    utility = measure_baskets(items, recoding.applied(items))
    assert utility["ncp"] == pytest.approx((2 * 1 / 4 + 1) / 5)
    assert utility["items_after"] == 3

    data = with_taxonomies(items, {"x": Taxonomy.from_paths([["a", "A", "*"], ["b", "A", "*"], ["c", "*"]])})
    assert data.taxonomy.leaf_count[0] == 5


@pytest.mark.parametrize("columns", [("basket", "empty"), ("empty", "basket")])
@pytest.mark.parametrize("method", ["coat", "apriori", "lra", "vpa", "mhghs", "best", "partition"])
def test_an_empty_column_has_no_leaves(columns: tuple[str, str], method: str) -> None:
    """It loses nothing, and the others lose what they would without it."""
    frame = pa.table({"basket": [["a"], ["b"], ["a"]], "empty": pa.array([[]] * 3, pa.list_(pa.string()))})
    promise = tacit.TransactionalK(k=2) if method == "partition" else tacit.KmAnonymity(k=2, m=1)
    alone = tacit.anonymize(frame, promise, items="basket", method=method, seed=1)
    beside = tacit.anonymize(frame, promise, items=columns, method=method, seed=1)
    assert sorted(beside.table["basket"].to_pylist()) == sorted(alone.table["basket"].to_pylist())
    assert beside.utility == alone.utility
    if method == "coat":
        assert beside.utility["ncp"] == 1, "both leaves in one set"


def test_an_only_item_that_is_its_own_hierarchy_is_a_leaf() -> None:
    job = Job(Input("test"), (Column("x", "items"), Column("y", "items")), job_of().promise, job_of().output)
    items = read_items(pa.table({"x": [["a"]], "y": [["b"]]}), job)
    data = with_taxonomies(items, {"x": Taxonomy.from_paths([["a"]])})
    assert data.taxonomy.leaf_count[0] == 2
    assert [data.taxonomy.names[leaf] for leaf in data.leaf_of_item.tolist()] == ["x:a", "y:b"]


@pytest.mark.parametrize("baskets", [[], [[]], [[], []]])
def test_nothing_is_lost_where_nothing_was(baskets: list[list[str]]) -> None:
    items = read_items(pa.table({"basket": pa.array(baskets, pa.list_(pa.string()))}), job_of())
    utility = measure_baskets(items, CutRecoding({"basket": ItemCut({})}).applied(items))
    assert (utility["ncp"], utility["ncp_leaf_share"], utility["suppressed"]) == (0, 0, 0)
    assert utility["records"] == len(baskets)


def test_everything_lost() -> None:
    utility = measured([["a"], ["b"], []], ItemCut({"a": None, "b": None}, ("*",)))
    assert (utility["ncp"], utility["ncp_leaf_share"], utility["suppressed"]) == (1, 1, 1)
    assert (utility["emptied_baskets"], utility["items_after"]) == (2, 0)


def test_a_single_leaf_in_all() -> None:
    assert measured([["a"], ["a"]], ItemCut({"a": "a"}))["ncp"] == 0
    assert measured([["a"], ["a"]], ItemCut({"a": None}, ("a",)))["ncp"] == 1
