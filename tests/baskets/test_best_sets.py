"""`best` where the hierarchy names nothing: sets of items against the twin, other methods, and trying everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacit
from naive.sets import SetCase, assert_kept, random_set_case
from support.commands import tacit as command
from support.seeds import in_parts
from tacit.arrays.sparse import as_sets, keep_where
from tacit.audits.km import check
from tacit.baskets.solvers import best_sets as solver
from tacit.baskets.solvers import thinning
from tacit.baskets.solvers.best_sets import SetProblem, best_sets, least_cost
from tacit.baskets.solvers.coat import coat
from tacit.baskets.solvers.constraints import Constraints
from tacit.baskets.solvers.effort import Effort, Exhausted
from tacit.baskets.solvers.item_groups import ItemGroups
from tacit.baskets.solvers.merging import merge_items
from tacit.baskets.solvers.pcta import pcta
from tacit.promises import KmAnonymity
from tacit.taxonomy import balanced, tells_nothing

SEEDS = 600


def unconstrained(seed: int) -> tuple[SetCase, SetProblem]:
    """A random case in which anything may be published together."""
    case = random_set_case(seed)
    case = case._replace(constraints=Constraints(case.constraints.labels))
    indptr, items, n_items = case.arrays()
    mass = np.bincount(items, minlength=n_items)
    return case, SetProblem((indptr, items), np.ones(indptr.size - 1, np.int64), mass, case.constraints, n_items)


@in_parts(range(SEEDS), 20)
def test_merging_by_what_occurrences_lose_is_as_the_twin_does_it(seeds: Sequence[int]) -> None:
    unlike_papers = 0
    for seed in seeds:
        case, any_of_them = random_set_case(seed), bool(seed % 2)
        indptr, items, n_items = case.arrays()
        mass = np.bincount(items, minlength=n_items)
        found = merge_items(
            indptr, items, n_items, case.k, case.m, case.constraints, None, any_of_them=any_of_them, mass=mass
        )
        assert found.group.tolist() == case.expected(any_of_them=any_of_them, by_occurrences=True), seed
        assert_kept(found, case)
        unlike_papers += found.group.tolist() != case.expected(any_of_them=any_of_them)
    assert unlike_papers > len(seeds) // 50


@in_parts(range(SEEDS), 20)
def test_no_more_loss_than_coat_and_pcta_and_the_promise_holds(seeds: Sequence[int]) -> None:
    won = 0
    for seed in seeds:
        case, posed = unconstrained(seed)
        found = best_sets(posed, case.k, case.m)
        assert found is not None
        others = [posed.cost(method(*case.arrays(), case.k, case.m)) for method in (coat, pcta)]
        assert posed.cost(found) <= min(others), seed
        won += posed.cost(found) < min(others)
        assert_kept(found, case)
    assert won > len(seeds) // 50


def all_groupings(n: int) -> Iterator[list[int]]:
    """Every way to put so many items into sets, or to leave them out."""
    if n == 0:
        yield []
        return
    for before in all_groupings(n - 1):
        for group in range(-1, max(before, default=-1) + 2):
            yield [*before, group]


def least_of_all(case: SetCase, posed: SetProblem) -> int:
    """The least cost of any groups that keep the promise, by trying all of them."""
    (indptr, items), least = posed.baskets, None
    for groups in all_groupings(posed.mass.size):
        found = ItemGroups.from_clusters(np.array(groups, np.int64))
        cost = posed.cost(found)
        if least is not None and cost >= least:
            continue
        labels = found.group[items]
        sets = as_sets(*keep_where(indptr, labels, labels >= 0))
        names = [str(group) for group in range(found.sizes.size)]
        if check(*sets, names, KmAnonymity(case.k, case.m)).satisfied:
            least = cost
    assert least is not None
    return least


def test_the_bound_is_below_what_any_groups_lose() -> None:
    tight = tried = 0
    for seed in range(120):
        case, posed = unconstrained(seed)
        if posed.mass.size > 5 or case.m == 1:
            continue
        least, found = least_of_all(case, posed), best_sets(posed, case.k, case.m)
        assert found is not None
        bound = least_cost(posed, case.k, case.m)
        assert bound <= least <= posed.cost(found), seed
        tried += least > 0
        tight += 0 < bound == least
    assert tried > 6
    assert tight > tried // 10


def test_a_rare_item_and_one_of_two_that_are_rare_together_are_counted_in_the_bound() -> None:
    """c is rare; a and b are held by 3 people each, and together by 1: c loses 1, and a or b 3, of 2 each."""
    baskets = pa.array([["a", "b"], ["a"], ["a"], ["b"], ["b"], ["c"]])
    release = tacit.anonymize(pa.table({"items": baskets}), tacit.KmAnonymity(k=2, m=2), items="items")
    assert release.utility["ncp_lower_bound"] == pytest.approx((1 + 3) / (7 * 2))
    assert release.utility["ncp"] >= release.utility["ncp_lower_bound"]


def test_what_may_be_looked_at_is_bounded() -> None:
    case, posed = unconstrained(7)
    with pytest.raises(Exhausted):
        merge_items(*posed.baskets, posed.mass.size, 5, 3, None, None, any_of_them=True, effort=Effort(1))
    with pytest.raises(Exhausted):
        merge_items(*posed.baskets, posed.mass.size, 5, 3, None, None, any_of_them=True, effort=Effort(space=1))
    assert best_sets(posed, case.k, case.m) is not None


def many_baskets() -> pa.Table:
    rng = np.random.default_rng(5)
    chance = 0.6 / np.arange(1, 41)
    drawn = rng.random((600, 40)) < chance
    return pa.table({"items": [[f"item {i}" for i in np.flatnonzero(row)] for row in drawn]})


def ncp(**options: object) -> tuple[float, set[str]]:
    """The loss on some baskets, and the groups that are published."""
    tree = balanced([f"item {i}" for i in range(40)])
    asked = {"hierarchy": tree, **options}
    release = tacit.anonymize(many_baskets(), tacit.KmAnonymity(k=5, m=2), items="items", **asked)
    assert release.audit.satisfied
    return release.utility["ncp"], set(release.recoding.groups("items"))


def test_sets_are_published_where_the_hierarchy_has_numbers_for_names() -> None:
    loss, groups = ncp()
    assert groups
    assert all(name.startswith("(") for name in groups)
    of_nodes, nodes = ncp(sets=False)
    assert loss < of_nodes
    assert all(name.startswith("group-") for name in nodes)
    for method in ("coat", "pcta", "mhghs", "hghs", "apriori", "vpa", "lra"):
        assert loss <= ncp(method=method)[0], method
    assert loss <= ncp(sets="related")[0]


def named_shelves() -> tacit.Taxonomy:
    """The hierarchy of `ncp`, with names for its groups."""
    tree = balanced([f"item {i}" for i in range(40)])
    return tacit.Taxonomy.from_paths([[cell.replace("group-", "shelf ") for cell in path] for path in tree.to_paths()])


def test_names_of_a_hierarchy_give_way_where_sets_lose_less() -> None:
    assert not tells_nothing(named_shelves())
    assert ncp(hierarchy=named_shelves())[0] == ncp(hierarchy=named_shelves(), sets=True)[0] == ncp()[0]
    loss, groups = ncp(hierarchy=named_shelves(), sets=False)
    assert loss > ncp()[0]
    assert all(name.startswith("shelf ") for name in groups)
    for method in ("coat", "pcta", "mhghs", "hghs", "apriori", "vpa", "lra"):
        assert ncp()[0] <= ncp(hierarchy=named_shelves(), method=method)[0], method


def test_a_thorough_bound_and_a_height_are_about_names() -> None:
    for options in ({"bound": True}, {"loss": "height"}):
        assert ncp(hierarchy=named_shelves(), **options)[1] == ncp(hierarchy=named_shelves(), sets=False, **options)[1]


def test_of_many_different_baskets_names_are_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on an engine, from which not all of them come to the search; and where sets are asked for, they are made."""
    monkeypatch.setattr(thinning, "MANY", 10)
    assert ncp(hierarchy=named_shelves()) == ncp(hierarchy=named_shelves(), sets=False)
    assert ncp(hierarchy=named_shelves(), sets=True) == ncp()


def test_names_stay_where_no_set_loses_less() -> None:
    """Two wines that are rare: their set would be the group, which has a name."""
    baskets = [["beer"]] * 6 + [["red"], ["white"]]
    tree = tacit.Taxonomy.from_paths([["beer", "all"], ["red", "wine", "all"], ["white", "wine", "all"]])
    release = tacit.anonymize(pa.table({"items": baskets}), tacit.KmAnonymity(k=2, m=1), items="items", hierarchy=tree)
    assert set(release.recoding.groups("items")) == {"wine"}
    assert release.utility["ncp_lower_bound"] == release.utility["ncp"], "the bound of cuts"
    assert not [note for note in release.notes if "sets of items" in note]


def shelves() -> tacit.Taxonomy:
    """The items of `many_baskets` on four shelves, two of which have two boards each."""
    rows = [[f"item {i}", f"board {i % 8}", f"shelf {i % 4}", "all"] for i in range(40)]
    return tacit.Taxonomy.from_paths([[row[0], *row[2:]] if i % 4 > 1 else row for i, row in enumerate(rows)])


def test_related_items_are_on_one_shelf_and_lose_little_more_than_any() -> None:
    loss, groups = ncp(hierarchy=shelves(), sets="related")
    assert ncp(hierarchy=shelves(), sets=True)[0] <= loss < ncp(hierarchy=shelves(), sets=False)[0]
    named = {name for name in groups if not name.startswith("(")}
    assert named <= set(shelves().names) and len(groups) > len(named)
    for group in groups - named:
        assert len({int(item.split()[-1]) % 4 for item in group.strip("()").split(",")}) == 1


def test_a_set_of_all_items_of_a_group_has_its_name() -> None:
    """Both wines are rare, and so are gin and milk: wines are a group of drinks, the other two nothing."""
    baskets = [["beer"]] * 6 + [["red"], ["white"], ["gin"], ["milk"], ["milk"]]
    paths = [["beer", "drinks"], ["red", "wine", "drinks"], ["white", "wine", "drinks"], ["milk", "food"]]
    tree = tacit.Taxonomy.from_paths([[*path, "all"] for path in [*paths, ["gin", "spirits", "drinks"]]])
    asked = {"items": "items", "hierarchy": tree, "sets": "related"}
    release = tacit.anonymize(pa.table({"items": baskets[:8]}), tacit.KmAnonymity(k=2, m=1), **asked)
    assert set(release.recoding.groups("items")) == {"wine"}
    release = tacit.anonymize(pa.table({"items": baskets}), tacit.KmAnonymity(k=3, m=1), **asked)
    assert set(release.recoding.groups("items")) == {"(gin,red,white)"}
    assert release.recoding.suppressed("items") == ("milk",), "nothing is related to it"


def test_a_root_with_one_group_below_it_is_no_shelf() -> None:
    deeper = tacit.Taxonomy.from_paths([[*path, "any"] for path in shelves().to_paths()])
    assert ncp(hierarchy=deeper, sets="related") == ncp(hierarchy=shelves(), sets="related")


def test_what_names_would_cost_is_told() -> None:
    asked = {"items": "items", "hierarchy": shelves()}
    promise = tacit.KmAnonymity(k=5, m=2)
    release = tacit.anonymize(many_baskets(), promise, **asked)
    (told,) = [note for note in release.notes if "sets of items cost" in note]
    named = tacit.anonymize(many_baskets(), promise, **asked, sets=False)
    related = tacit.anonymize(many_baskets(), promise, **asked, sets="related")
    for made in (release, named, related):
        assert f"{made.utility['ncp']:.2%}" in told
    for other in (named, related, tacit.anonymize(many_baskets(), promise, **asked, sets=True)):
        assert not [note for note in other.notes if "sets of items cost" in note]
    with pytest.raises(tacit.InputError, match='true, false or "related"'):
        tacit.anonymize(many_baskets(), promise, **asked, sets="alike")


def test_a_set_has_no_height() -> None:
    assert all(name.startswith("group-") for name in ncp(loss="height")[1])
    assert all(name.startswith("(") for name in ncp(loss="bits")[1])


def test_cuts_are_left_where_sets_would_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "_MOST", 10)
    assert ncp()[0] == ncp(sets=False)[0]


def test_weights_of_items_count_in_sets() -> None:
    """What weighs much is in smaller sets than before, or alone."""
    loss, _ = ncp()
    heavy = {f"item {i}": 100.0 for i in range(20, 40)}
    weighed, _ = ncp(item_weights=heavy)
    assert weighed >= loss


def test_a_delivery_after_a_release_with_sets_is_refused_with_its_reason(tmp_path: Path) -> None:
    """Too rare names of a new delivery cannot be generalized where others of the release are sets."""
    baskets = ["beer"] * 4 + ["red", "white", "gin"] + ["milk"] * 6
    (tmp_path / "h.csv").write_text(
        "beer,drinks,all\nred,wine,drinks,all\nwhite,wine,drinks,all\ngin,spirits,drinks,all\nmilk,dairy,all\n"
    )
    for name, items in {"d.csv": baskets, "n.csv": ["beer", "milk", "milk", "milk"]}.items():
        (tmp_path / name).write_text("\n".join(["items", *items]) + "\n")
    (tmp_path / "job.toml").write_text(
        '[input]\nsource = "d.csv"\n[columns.items]\nrole = "items"\nseparator = " "\nhierarchy = "h.csv"\n'
        '[privacy]\nmodel = "km"\nk = 3\nm = 1\n[method]\nsets = "related"\n[output]\ndirectory = "out"\n'
    )
    assert command("anonymize", tmp_path / "job.toml", "--no-report", "--no-attack").code == 0
    assert "(" in (tmp_path / "out" / "public" / "data.csv").read_text()
    ended = command("apply", tmp_path / "out", tmp_path / "n.csv", "-o", tmp_path / "next")
    assert ended.code == 1 and "wait for more data" in ended.err and not (tmp_path / "next").exists()
