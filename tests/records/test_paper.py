"""The running example of Poulis et al. 2013: its methods run on Fig. 1(a) itself."""

from __future__ import annotations

import numpy as np
import pytest

from naive.reltrans import Data, btd, btd_of, cluster
from support.rt_cases import ITEMS, as_published, figure_1a
from tacit.arrays.attributes import spans, texts_of
from tacit.audits.k_km import audit as audit_k_km
from tacit.audits.k_lm import audit as audit_k_lm
from tacit.errors import PromiseError
from tacit.promises import KKmAnonymity, KLmDiversity
from tacit.records.solvers.bounds import Choice, bounded
from tacit.records.solvers.first import rfirst, tfirst
from tacit.records.solvers.problem import RecordAnonymization, RecordProblem, rows_by_group

PAIRS = np.array([0, 0, 1, 1, 2, 2], np.int32)
"""The clusters of Fig. 2(a)."""


def values_of(problem: RecordProblem, found: RecordAnonymization) -> list[tuple[str, ...]]:
    """What is published of the relational values of each cluster."""
    n = int(found.group.max()) + 1
    columns = []
    for attribute in problem.attributes:
        spanned = spans(attribute, found.group, n)
        columns.append([texts_of(attribute, spanned)[value] for value in spanned.value.tolist()])
    return list(zip(*columns, strict=True))


def sets_of(found: RecordAnonymization, cluster: int) -> set[str]:
    """The sets that a cluster publishes."""
    here = slice(found.published.indptr[cluster], found.published.indptr[cluster + 1])
    items, becomes = found.published.items[here].tolist(), found.published.becomes[here].tolist()
    return {"".join(ITEMS[i] for i, b in zip(items, becomes, strict=True) if b == lowest) for lowest in set(becomes)}


def nodes_of(problem: RecordProblem, found: RecordAnonymization, cluster: int) -> set[str]:
    """The nodes that a cluster publishes."""
    here = slice(found.published.indptr[cluster], found.published.indptr[cluster + 1])
    assert problem.tree is not None
    return {problem.tree.names[node] for node in found.published.becomes[here].tolist() if node >= 0}


def clusters_of(found: RecordAnonymization) -> list[list[int]]:
    return [rows.tolist() for rows in rows_by_group(found.group, int(found.group.max()) + 1)]


def test_cluster_finds_the_pairs_of_fig_2a() -> None:
    problem = figure_1a()
    for seeds in ([0, 0, 0], [5, 3, 1], [2, 0, 1]):
        found = cluster(Data(problem), seeds)
        assert found == [frozenset({0, 1}), frozenset({2, 3}), frozenset({4, 5})]


@pytest.mark.parametrize("baskets", ["coat", "pcta"])
def test_rfirst_publishes_fig_2a(baskets: str) -> None:
    problem = figure_1a()
    found = rfirst(problem, PAIRS, baskets)
    assert values_of(problem, found) == [
        ("[19:22]", "Europe", "Male"),
        ("[28:39]", "Europe", "Female"),
        ("[55:70]", "Africa", "All"),
    ]
    assert sets_of(found, 0) == {"E", "F", "BD"}
    assert sets_of(found, 2) == {"AEF"}
    assert audit_k_km(as_published(problem, found), KKmAnonymity(2, 2)).satisfied


@pytest.mark.parametrize("baskets", ["apriori", "coat", "pcta"])
def test_rmerge_r_merges_as_fig_2c(baskets: str) -> None:
    """The seed are the two young men; the women are nearest in values."""
    problem = figure_1a()
    found = bounded(problem, PAIRS, Choice("rum", "r", 0.8, baskets))
    assert clusters_of(found) == [[0, 1, 2, 3], [4, 5]]
    assert values_of(problem, found) == [("[19:39]", "Europe", "All"), ("[55:70]", "Africa", "All")]
    if baskets == "apriori":
        assert nodes_of(problem, found, 0) == {"E", "F", "(A,B,C,D)"}
    else:
        assert sets_of(found, 1) == {"AEF"}
    assert audit_k_km(as_published(problem, found), KKmAnonymity(2, 2)).satisfied


@pytest.mark.parametrize("baskets", ["apriori", "coat", "pcta"])
def test_rmerge_t_merges_as_fig_2d(baskets: str) -> None:
    """The same seed; the Africans are nearest in baskets."""
    problem = figure_1a()
    found = bounded(problem, PAIRS, Choice("rum", "t", 0.8, baskets))
    assert clusters_of(found) == [[0, 1, 4, 5], [2, 3]]
    assert values_of(problem, found) == [("[19:70]", "All", "All"), ("[28:39]", "Europe", "Female")]
    if baskets == "apriori":
        assert nodes_of(problem, found, 0) == {"E", "F", "(A,B,C,D)"}
    assert audit_k_km(as_published(problem, found), KKmAnonymity(2, 2)).satisfied


def test_rmerge_rt_takes_a_middle_line() -> None:
    problem = figure_1a()
    found = bounded(problem, PAIRS, Choice("rum", "rt", 0.7, "coat"))
    assert audit_k_km(as_published(problem, found), KKmAnonymity(2, 2)).satisfied
    assert found.rum <= 0.7


def test_tfirst_publishes_one_group_as_fig_2b() -> None:
    problem = figure_1a()
    found = tfirst(problem, "apriori")
    assert clusters_of(found) == [[0, 1, 2, 3, 4, 5]]
    assert values_of(problem, found) == [("[19:70]", "All", "All")]
    assert nodes_of(problem, found, 0) == {"E", "F", "(A,B,C,D)"}
    assert audit_k_km(as_published(problem, found), KKmAnonymity(2, 2)).satisfied


def test_distances_of_the_example() -> None:
    """BTD of John and Steve, of both pairs, and of the joins that RMERGE_T compares."""
    data = Data(figure_1a())
    assert btd(data.baskets[0], data.baskets[1]) == 3 / 3 * 4
    assert btd_of(data, frozenset({4, 5})) == 4 * 3
    assert btd_of(data, frozenset({0, 1, 2, 3})) == 6 * 5
    assert btd_of(data, frozenset({0, 1, 4, 5})) == 4 * 3


def test_delta_below_what_cluster_loses() -> None:
    """Age loses 3/51, 11/51 and 15/51, origin 4/6, 4/6 and 2/6, gender 0, 0 and 1; a third each."""
    least = (3 / 51 + 11 / 51 + 15 / 51 + 4 / 6 + 4 / 6 + 2 / 6 + 1) / 9
    with pytest.raises(PromiseError, match=r"smallest delta possible is 0\.3595"):
        bounded(figure_1a(), PAIRS, Choice("rum", "r", 0.3, "coat"))
    assert 0.3594 < least <= 0.3595
    assert bounded(figure_1a(), PAIRS, Choice("rum", "r", 0.3595, "coat")).merges == 0


def test_diversity_of_the_example() -> None:
    """G and H are with three people each: ℓ = 2 and no more."""
    problem = figure_1a(KLmDiversity(2, 2, 2))
    found = bounded(problem, PAIRS, Choice("rum", "r", 0.7, "coat"))
    assert audit_k_lm(as_published(problem, found), KLmDiversity(2, 2, 2)).satisfied
    with pytest.raises(PromiseError, match=r"largest ℓ that can be reached is 6 ÷ 3 = 2\."):
        bounded(figure_1a(KLmDiversity(2, 2.1, 2)), PAIRS, Choice("rum", "r", 0.7, "coat"))


def test_k_above_the_number_of_records() -> None:
    with pytest.raises(PromiseError, match="only 6 records"):
        bounded(figure_1a(KKmAnonymity(7, 2)), np.zeros(6, np.int32), Choice("rum"))
