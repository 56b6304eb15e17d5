"""Rum-bound and Tum-bound against their literal twins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

import tacit
from naive import reltrans as naive_reltrans
from naive.audits import k_lm as sentence_of_k_lm
from support.rt_cases import as_published, random_partition, random_problem
from support.seeds import in_parts
from tacit.audits.k_km import audit as audit_k_km
from tacit.audits.k_lm import audit as audit_k_lm
from tacit.errors import PromiseError
from tacit.records.solvers import order
from tacit.records.solvers.bounds import BOUNDS, Choice, bounded, rounded_up
from tacit.records.solvers.clusters import Clusters
from tacit.records.solvers.merge import MERGES
from tacit.records.solvers.order import ORDERS
from tacit.records.solvers.parts import TRANSFORMATIONS, Parts
from tacit.records.solvers.problem import RecordAnonymization, RecordProblem, rows_by_group
from tacit.records.solvers.rum import RUM

DELTAS = {"ncp": (0.4, 1), "minkowski": (0.4, 1), "discernability": (0.3, 1), "class-size": (1, 6)}


def random_choice(rng: np.random.Generator, ways: Sequence[str] = tuple(TRANSFORMATIONS)) -> Choice:
    rum = rng.choice(list(RUM), p=[0.55, 0.15, 0.15, 0.15])
    bound = rng.choice(list(BOUNDS))
    return Choice(
        str(bound),
        str(rng.choice(list(MERGES))),
        float(rng.uniform(*DELTAS[rum]) if bound == "rum" else rng.uniform(0.2, 0.9)),
        str(rng.choice(ways)),
        str(rng.choice(list(ORDERS), p=[0.8, 0.2])),
        str(rum),
        [1, 2, 3.5, "inf"][rng.integers(4)],
    )


def labels_at(problem: RecordProblem, found: RecordAnonymization, here: slice) -> list[naive_reltrans.Label]:
    """What is published there, unions as their nodes."""
    unions, labels = found.published.unions, found.published.becomes[here].tolist()
    if not unions:
        return labels
    assert problem.tree is not None
    n_nodes = len(problem.tree)
    return [unions[label - n_nodes] if label >= n_nodes else label for label in labels]


def is_hopeless(problem: RecordProblem) -> bool:
    """Refused at once: k above the number of records, or a sensitive item in more than 1/ℓ of them."""
    most = np.bincount(problem.sensitive).max(initial=0)
    return len(problem) < problem.promise.k or most * problem.bound > len(problem)


def test_of_plenty_btd_leaves_four_to_the_exact_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "PLENTY", 2)
    differing = 0
    for seed in range(60):
        rng = np.random.default_rng([seed, 14])
        problem = random_problem(seed, diverse=False)
        if is_hopeless(problem):
            continue
        group = random_partition(rng, len(problem), problem.promise.k)
        clusters = [frozenset(rows.tolist()) for rows in rows_by_group(group, int(group.max()) + 1)]
        choice = Choice("rum", "t", 1.0, str(rng.choice(list(TRANSFORMATIONS))))
        data, found = naive_reltrans.Data(problem), []
        for plenty in (2, len(clusters)):
            merging = naive_reltrans.Merging(data, clusters, naive_reltrans.Choice(*choice[:6]), plenty)
            least = min(merging.clusters, key=lambda n, merging=merging: (merging.value(merging.clusters[n]), n))
            found.append(merging.order(least)[:1])
        differing += found[0] != found[1]
        if not found[0]:
            continue
        parts = Parts(problem, TRANSFORMATIONS[choice.baskets](problem))
        made = Clusters(problem, group, RUM["ncp"])
        made.merge_equal()
        assert order.ByBtd(parts).nearest(made, least, made.others(least)) == found[0][0], seed
    assert differing > 3


@pytest.mark.parametrize("diverse", [False, True])
def test_same_as_the_twin_on_random_problems(diverse: bool) -> None:
    outcomes = {"merged": 0, "refused": 0, "hopeless": 0, "unions": 0}
    for seed in range(130):
        rng = np.random.default_rng([seed, 13])
        ways = [way for way in TRANSFORMATIONS if not (diverse and way == "nodes")]  # ties go by codes of unions there
        problem, choice = random_problem(seed, diverse=diverse), random_choice(rng, ways)
        group = random_partition(rng, len(problem), problem.promise.k)
        if is_hopeless(problem):
            outcomes["hopeless"] += 1
            with pytest.raises(PromiseError):
                bounded(problem, group, choice)
            continue
        data = naive_reltrans.Data(problem)
        data.norm = float(choice.norm)
        clusters = [frozenset(rows.tolist()) for rows in rows_by_group(group, int(group.max()) + 1)]
        merging = naive_reltrans.Merging(data, clusters, naive_reltrans.Choice(*choice[:6]))
        try:
            expected = merging.run()
        except naive_reltrans.OutOfReach as out:
            outcomes["refused"] += 1
            with pytest.raises(PromiseError, match=f"{rounded_up(out.least):g}"):
                bounded(problem, group, choice)
            continue
        found = bounded(problem, group, choice)
        rows = [frozenset(rows.tolist()) for rows in rows_by_group(found.group, int(found.group.max()) + 1)]
        assert rows == expected, (seed, choice)
        parts = [naive_reltrans.part_of(data, cluster, choice.baskets) for cluster in expected]
        for index, part in enumerate(parts):
            here = slice(found.published.indptr[index], found.published.indptr[index + 1])
            becomes = zip(found.published.items[here].tolist(), labels_at(problem, found, here), strict=True)
            assert dict(becomes) == part.becomes, (seed, choice)
        assert found.tum == pytest.approx(float(sum(part.ul for part in parts)) / len(problem), abs=1e-12)
        assert found.rum == pytest.approx(naive_reltrans.RUM_OF_DATA[choice.rum](data, expected), abs=1e-12)
        bounded_loss = found.rum if choice.bound == "rum" else found.tum
        assert bounded_loss <= choice.delta + 1e-9
        outcomes["merged"] += found.merges > 0
        outcomes["unions"] += len(found.published.unions) > 0
    assert outcomes["merged"] > 30
    assert outcomes["refused"] > 5
    assert diverse == (outcomes["unions"] < 5)
    assert diverse == (outcomes["hopeless"] > 0)


@pytest.mark.parametrize("diverse", [False, True])
def test_what_is_published_passes_the_audit(diverse: bool) -> None:
    audit = audit_k_lm if diverse else audit_k_km
    checked = 0
    for seed in range(300, 380):
        rng = np.random.default_rng([seed, 14])
        problem, choice = random_problem(seed, diverse=diverse), random_choice(rng)
        group = random_partition(rng, len(problem), problem.promise.k)
        try:
            found = bounded(problem, group, choice)
        except PromiseError:
            continue
        result = audit(as_published(problem, found), problem.promise)  # type: ignore[operator]
        assert result.satisfied, (seed, choice, str(result))
        checked += 1
    assert checked > 40


def test_equal_results_for_equal_input() -> None:
    problem = random_problem(3, diverse=False)
    group = random_partition(np.random.default_rng(3), len(problem), problem.promise.k)
    one, other = (bounded(problem, group, Choice("rum", delta=1.0)) for _ in range(2))
    assert one.group.tolist() == other.group.tolist()
    assert one.published.becomes.tolist() == other.published.becomes.tolist()


PATHS = [[*path, "*"] for path in ("aAP", "bAP", "cBP", "dBP", "eCQ", "fCQ", "gDQ", "hDQ")]


def made_of(held: Sequence[str]) -> tuple[pa.Table, tacit.Release]:
    """Baskets of one group, each letter an item, S a sensitive one; and their release."""
    baskets = pa.array([list(each) for each in held], pa.list_(pa.string()))
    frame = pa.table({"town": ["x"] * len(held), "it": baskets})
    asked = {"quasi": "town", "items": "it", "sensitive_items": ["S"]}
    tree = tacit.Taxonomy.from_paths(PATHS)
    return frame, tacit.anonymize(frame, tacit.KLmDiversity(k=2, l=2, m=2), hierarchy={"it": tree}, seed=1, **asked)


@in_parts(range(200), 6)
def test_no_item_of_a_group_is_below_two_of_its_names(seeds: Sequence[int]) -> None:
    """Who knows an item that two names stand for takes the people of both, of whom nothing is promised."""
    sets = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, 15])
        held = ["".join(item for item in "abcdefgh" if rng.random() < 0.2) + "S" * (i in (0, 5, 7)) for i in range(10)]
        _, made = made_of(held)
        names = {name for basket in made.table["it"].to_pylist() for name in basket} - {"S"}
        sets += any(name.startswith("(") for name in names)
        for path in PATHS:
            above = [name for name in names if set(path[:-1]) & set(name.strip("()").split(","))]
            assert len(above) <= 1, (seed, path[0], above)
    assert sets > len(seeds) // 8


def test_a_node_that_climbs_takes_items_from_unions() -> None:
    """`P` and `(Q,c)` beside each other: of those who may have c, 5 of 9 had S, where half of them is allowed."""
    frame, made = made_of(["abS", "cd", "", "ch", "dh", "bcdS", "eS", "acS", "adg", "bS"])
    roles = {"quasi": ["town"], "items": ["it"], "sensitive_items": ["S"]}
    guesses = list(sentence_of_k_lm.attack(made.table, frame, made.job.promise, roles, {"it": PATHS}))
    assert len(guesses) > 60 and all(right <= allowed for right, allowed in guesses)
