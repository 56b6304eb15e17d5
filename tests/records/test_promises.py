"""Several columns, empty baskets, clusters that must be merged first, and what cannot be reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from naive.audit_records import Record, published
from support.rt_cases import arrays, as_published, random_partition, random_problem, random_tree
from support.seeds import in_parts
from tacit.arrays.attributes import Attribute
from tacit.audits.k_km import audit as audit_k_km
from tacit.audits.k_lm import audit as audit_k_lm
from tacit.errors import PromiseError
from tacit.promises import KKmAnonymity, KLmDiversity
from tacit.records.solvers.bounds import BOUNDS, Choice, bounded
from tacit.records.solvers.first import parts_by_baskets, rfirst, tfirst
from tacit.records.solvers.merge import MERGES
from tacit.records.solvers.parts import TRANSFORMATIONS, Parts
from tacit.records.solvers.problem import RecordAnonymization, RecordProblem, published_baskets
from tacit.taxonomy import Taxonomy

NOTHING = np.empty(0, np.int32)


def ages(*values: int) -> Attribute:
    texts = tuple(map(str, sorted(set(values))))
    codes = np.array([texts.index(str(value)) for value in values], np.int32)
    return Attribute("age", codes, texts, numbers=np.array(texts, float))


def problem_of(
    values: Attribute, baskets: list[set[int]], sensitive: list[set[int]], promise: KKmAnonymity | KLmDiversity
) -> RecordProblem:
    n_items = max([0, *(item + 1 for basket in baskets for item in basket)])
    tree = Taxonomy.flat([f"i{i}" for i in range(max(n_items, 1))])
    return RecordProblem(
        (values,),
        *arrays(baskets),
        np.zeros(n_items, np.int32),
        *arrays(sensitive),
        promise,
        tree,
        tree.leaves[:n_items],
    )


@pytest.mark.parametrize("bound", list(BOUNDS))
@pytest.mark.parametrize("merge", list(MERGES))
@pytest.mark.parametrize("baskets", list(TRANSFORMATIONS))
def test_no_record_at_all(bound: str, merge: str, baskets: str) -> None:
    problem = problem_of(Attribute("a", NOTHING, ()), [], [], KKmAnonymity(3, 2))
    found = bounded(problem, NOTHING, Choice(bound, merge, 0.5, baskets))
    assert (found.group.size, found.published.items.size, found.rum, found.tum) == (0, 0, 0, 0)


@pytest.mark.parametrize("baskets", list(TRANSFORMATIONS))
def test_only_empty_baskets(baskets: str) -> None:
    problem = problem_of(ages(1, 2, 3, 4), [set()] * 4, [set()] * 4, KKmAnonymity(2, 2))
    found = bounded(problem, np.array([0, 0, 1, 1], np.int32), Choice("rum", delta=0.4, baskets=baskets))
    assert audit_k_km(as_published(problem, found), KKmAnonymity(2, 2)).satisfied
    assert found.tum == 0


@pytest.mark.parametrize("baskets", list(TRANSFORMATIONS))
def test_too_few_baskets_are_merged_with_others_first(baskets: str) -> None:
    """One of the young has a basket, all others have the same: alone, its item would have to go."""
    problem = problem_of(ages(1, 2, 11, 12), [{0}, set(), {0}, {0}], [set()] * 4, KKmAnonymity(2, 2))
    pairs = np.array([0, 0, 1, 1], np.int32)
    together = bounded(problem, pairs, Choice("rum", "t", 1.0, baskets))
    assert together.group.tolist() == [0, 0, 0, 0]
    assert (together.published.becomes >= 0).all()
    apart = bounded(problem, pairs, Choice("rum", "t", 0.2, baskets))
    assert apart.group.tolist() == [0, 0, 1, 1]
    assert apart.published.becomes.tolist()[0] == -1
    for found in (together, apart):
        assert audit_k_km(as_published(problem, found), KKmAnonymity(2, 2)).satisfied


def test_a_cluster_that_is_too_sure_is_merged() -> None:
    """Both of the young have the sensitive item; ℓ = 2 needs the others."""
    promise = KLmDiversity(2, 2, 2)
    problem = problem_of(ages(1, 2, 11, 12, 13, 14), [{0}] * 6, [{0}, {0}, set(), set(), set(), {1}], promise)
    triples = np.array([0, 0, 1, 1, 2, 2], np.int32)
    found = bounded(problem, triples, Choice("rum", "r", 0.7, "coat"))
    assert audit_k_lm(as_published(problem, found), promise).satisfied
    assert found.group.tolist()[:4] == [0, 0, 0, 0]
    with pytest.raises(PromiseError, match=r"delta = 0\.1 forbids") as refused:
        bounded(problem, triples, Choice("rum", "r", 0.1, "coat"))
    delta = float(str(refused.value).split("With delta = ")[1].split(" ")[0])
    assert audit_k_lm(as_published(problem, bounded(problem, triples, Choice("rum", "r", delta, "coat"))), promise)
    for found in (rfirst(problem, triples, "coat"), bounded(problem, triples, Choice("tum", "r", 1.0, "coat"))):
        assert audit_k_lm(as_published(problem, found), promise).satisfied


def test_l_above_what_the_data_has() -> None:
    problem = problem_of(ages(1, 2, 3, 4, 5), [{0}] * 5, [{0}, {0}, set(), set(), set()], KLmDiversity(1, 3, 2))
    for run in (
        lambda: bounded(problem, np.zeros(5, np.int32), Choice("rum")),
        lambda: rfirst(problem, np.zeros(5, np.int32), "coat"),
        lambda: tfirst(problem, "coat"),
    ):
        with pytest.raises(PromiseError, match=r"5 ÷ 2 = 2\.5"):
            run()


def test_sensitive_items_that_k_km_declares_are_only_left_out() -> None:
    problem = problem_of(ages(1, 2), [{0}, {0}], [{0}, set()], KKmAnonymity(2, 2))
    found = bounded(problem, np.zeros(2, np.int32), Choice("rum", delta=1))
    assert audit_k_km(as_published(problem, found), KKmAnonymity(2, 2)).satisfied


def test_tum_that_is_not_met_says_what_was() -> None:
    """One item each: UL is 1 whatever is done."""
    problem = problem_of(ages(1, 2, 3, 4), [{0}, {0}, {1}, {1}], [set()] * 4, KKmAnonymity(2, 2))
    with pytest.raises(PromiseError, match="smallest delta that this run reached is 1"):
        bounded(problem, np.array([0, 0, 1, 1], np.int32), Choice("tum", "r", 0.9, "coat"))


def two_columns(seed: int, promise: KKmAnonymity | KLmDiversity) -> RecordProblem:
    """A random problem whose items are of two columns, each with a tree of its own under one root."""
    problem = random_problem(seed, diverse=True)
    rng = np.random.default_rng([seed, 2])
    first = int(rng.integers(0, problem.n_items + 1))
    sizes = first, problem.n_items - first
    trees = {f"c{i}": random_tree(rng, max(size, 1)) for i, size in enumerate(sizes)}
    joined = Taxonomy.join(trees)
    labels = [f"c0:leaf{i}" for i in range(sizes[0])] + [f"c1:leaf{i}" for i in range(sizes[1])]
    column = np.repeat(np.arange(2, dtype=np.int32), sizes)
    return replace(
        problem,
        promise=promise,
        column_of_item=column,
        tree=joined,
        leaf_of_item=joined.find_leaves(labels),
        n_columns=2,
    )


def columns_of(problem: RecordProblem, found: RecordAnonymization) -> list[set[int]]:
    """The columns of the items behind each published name."""
    part, columns = found.published, []
    for cluster in range(part.indptr.size - 1):
        here = slice(part.indptr[cluster], part.indptr[cluster + 1])
        for label in set(part.becomes[here].tolist()) - {-1}:
            columns.append(set(problem.column_of_item[part.items[here][part.becomes[here] == label]].tolist()))
    return columns


@in_parts(range(30), 10)
@pytest.mark.parametrize("baskets", list(TRANSFORMATIONS))
@pytest.mark.parametrize("promise", [KKmAnonymity(3, 2), KLmDiversity(3, 1.5, 2)])
def test_several_columns_are_never_published_together(
    baskets: str, promise: KKmAnonymity | KLmDiversity, seeds: Sequence[int]
) -> None:
    audit = audit_k_lm if isinstance(promise, KLmDiversity) else audit_k_km
    names = done = 0
    for seed in seeds:
        problem = two_columns(seed, promise)
        rng = np.random.default_rng(seed)
        try:
            found = bounded(problem, random_partition(rng, len(problem), 3), Choice("rum", delta=1.0, baskets=baskets))
        except PromiseError:
            continue
        done += 1
        assert audit(as_published(problem, found), promise).satisfied  # type: ignore[operator]
        assert not (found.published.by_tree and (found.published.becomes == 0).any()), "the root above the columns"
        columns = columns_of(problem, found)
        assert all(len(each) == 1 for each in columns)
        names += len(columns)
    assert done > len(seeds) // 3
    assert names > len(seeds) // 3, "something was published"


@in_parts(range(20), 7)
@pytest.mark.parametrize("baskets", list(TRANSFORMATIONS))
@pytest.mark.parametrize("diverse", [False, True])
def test_comparators_keep_the_promise(baskets: str, diverse: bool, seeds: Sequence[int]) -> None:
    audit = audit_k_lm if diverse else audit_k_km
    done = 0
    for seed in seeds:
        problem = random_problem(seed, diverse=diverse)
        group = random_partition(np.random.default_rng(seed), len(problem), problem.promise.k)
        for run in (lambda: rfirst(problem, group, baskets), lambda: tfirst(problem, baskets, None, 6)):  # noqa: B023
            try:
                found = run()
            except PromiseError:
                continue
            done += 1
            assert audit(as_published(problem, found), problem.promise).satisfied  # type: ignore[operator]
    assert done > len(seeds)


def test_tfirst_puts_like_baskets_together() -> None:
    baskets = [{0}, {1}, {0}, {1}, {0}, {1}]
    problem = problem_of(ages(1, 1, 1, 9, 9, 9), baskets, [set()] * 6, KKmAnonymity(3, 2))
    group = parts_by_baskets(problem, 3)
    assert len({tuple(group[[0, 2, 4]]), tuple(group[[1, 3, 5]])}) == 2
    found = tfirst(problem, "coat", None, 3)
    assert np.unique(found.group).size == 2
    assert (found.published.becomes == found.published.items).all(), "nothing had to be generalized"


def test_parts_of_equal_values_are_safe_together() -> None:
    """Two clusters with equal values and different names for an item: counted together they keep the promise."""
    cluster = [Record(("All",), frozenset({"(0,1)"}))] * 2
    other = [Record(("All",), frozenset({"0"}))] * 2
    assert audit_k_km(published(("q",), cluster + other), KKmAnonymity(2, 2)).satisfied


def test_published_baskets_are_sets() -> None:
    problem = problem_of(ages(1, 2), [{0, 1}, {0}], [set()] * 2, KKmAnonymity(2, 2))
    found = bounded(problem, np.zeros(2, np.int32), Choice("rum", delta=1, baskets="coat"))
    indptr, shown = published_baskets(problem, found.group, found.published)
    assert (indptr.tolist(), shown.tolist()) == ([0, 1, 2], [0, 0]), "(0,1) stands once in the first basket"


def test_ul_of_a_part() -> None:
    """Two items of which one must be merged with the other: one set of two, UL 1."""
    problem = problem_of(ages(1, 2), [{0, 1}, {0}], [set()] * 2, KKmAnonymity(2, 2))
    part = Parts(problem, TRANSFORMATIONS["coat"](problem)).of(np.arange(2))
    assert part.becomes.tolist() == [0, 0]
    assert part.ul == 2
