"""Attackers on further kinds of data, the control of every attacker, and several releases of the same people."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit as package
from attack.cases import (
    QUASI,
    Played,
    alike,
    baskets,
    on_baskets,
    on_both,
    on_items,
    on_ratings,
    on_records,
    on_sensitive,
    on_slices,
    one_basket,
    people,
    played,
    ratings,
    shuffled,
)  # fmt: skip
from support.commands import tacit
from tacit import (
    Cahd,
    KAnonymity,
    KEpsAnonymity,
    KLmDiversity,
    KmAnonymity,
    LmDiversity,
    RatingKm,
    SlicedDiversity,
)
from tacit.attack.runner import declared
from tacit.report.attack_words import in_german


@pytest.mark.parametrize(("name", "play"), [("nearest-row", on_baskets), ("nearest-row", on_slices)])
def test_the_closest_basket_or_bucket(name: str, play: Callable[..., Played]) -> None:
    assert max(each["success"] for each in play(name, False)) >= 0.9 or play is on_slices
    assert all(each["success"] <= each["baseline"] + 0.05 for each in play(name, True))


def test_a_bucket_of_ones_own_is_found() -> None:
    table = pa.table({"age": list(range(60)), "ill": ["flu", "cold"] * 30})
    published = pa.table({"bucket": np.arange(60) // 2, "1.age": table["age"], "2.ill": table["ill"]})
    rows = np.stack((np.arange(60), np.arange(60)))
    (found,) = played("nearest-row", table, published, SlicedDiversity(l=2), quasi="age", sensitive="ill", rows=rows)
    assert found["success"] == 1 and found["baseline"] == pytest.approx(1 / 30)


def test_rough_knowledge_of_a_basket_is_enough_where_baskets_are_published() -> None:
    exact, rough, linked = on_baskets("nearest-row", False)
    assert exact["success"] == 1 and exact["bound"] is None and 0.7 < rough["success"] <= 1
    assert linked["knows"] == "the baskets of everybody; links one-to-one" and linked["success"] == 1
    assert "no control" in rough["why"]


@pytest.mark.parametrize(
    ("given", "shown", "closest", "linked"),
    [
        ([1, 4], [3, 7], 0.5, 1.0),  # 4 is closer to 3, but then 1 would have to be 7
        ([2, 5], [5, 2], 0.0, 0.0),  # swapped: it believes what it reads
        ([1, None], [None, 9], 0.5, 1.0),  # blanked and filled in: a third of the scale each, less than from 1 to 9
        ([1, None], [None, 3], 0.0, 0.0),  # here they are more
    ],
)
def test_ratings_are_linked_one_to_one(
    given: list[int | None], shown: list[int | None], closest: float, linked: float
) -> None:
    frames = (pa.table({"film": each, "book": [5, 5]}) for each in (given, shown))
    promise, roles = KEpsAnonymity(k=2), {"rating": ["film", "book"], "scale": (1, 9), "step": 1}
    found = {each["knows"]: each["success"] for each in played("nearest-row", *frames, promise, rows=[0, 1], **roles)}
    assert found["all ratings, exactly"] == closest
    assert found["the ratings of everybody; links one-to-one"] == linked


def test_membership_by_baskets() -> None:
    table, strangers = baskets(), pa.table({"basket": [[f"a{i % 40}", f"b{i}"] for i in range(40)]})
    for safe, low, high in ((False, 0.95, 1.0), (True, 0.45, 0.55)):
        published, rows = one_basket(table) if safe else shuffled(table)
        (found,) = played(
            "membership", table, published, KmAnonymity(k=2, m=2), items="basket", rows=rows, control=strangers
        )
        assert low <= found["success"] <= high and found["baseline"] == 0.5


def _strangers(table: pa.Table) -> pa.Table:
    """People of the same kind, so that a control has a meaning: every third one of those in the file."""
    return table.take(pa.array(np.arange(0, table.num_rows, 3)))


@pytest.mark.parametrize(
    ("play", "table"),
    [(on_records, people(70)), (on_both, people(120).append_column("basket", baskets()["basket"])),
     (on_baskets, baskets()), (on_sensitive, alike()), (on_slices, alike()), (on_ratings, ratings())],
)  # fmt: skip
def test_every_attacker_has_a_control_or_says_why_not(play: Callable[..., Played], table: pa.Table) -> None:
    """People who are like those inside are found as often as they, by whoever looks for records that fit."""
    names = tuple(name for name in declared() if name not in ("composition", "minimality", "definetti"))
    for each in play(names, False, control=_strangers(table)):  # type: ignore[arg-type]
        assert each["control"] is not None or each["why"], each
        if each["control"] is not None and each["success"] is not None:
            assert each["residual"] == pytest.approx(
                0.0 if each["control"] >= 1 else (each["success"] - each["control"]) / (1 - each["control"])
            )
            if each["name"] in ("known-values", "known-items", "exact-basket", "posterior", "homogeneity"):
                assert each["control"] == pytest.approx(each["success"], abs=0.02), each
    without = [each for each in play(names, False) if each["success"] is not None]
    assert all(each["control"] is None and each["residual"] is None and each["why"] for each in without)


def test_sensitive_items_of_people_outside() -> None:
    held = [["a", "s"] if i % 2 else ["b"] for i in range(40)]
    table, other = pa.table({"basket": held}), pa.table({"basket": [["a"], ["a"], ["a", "s"], ["b"]]})
    found = played(
        "posterior", table, table, LmDiversity(l=2, m=1), items="basket", sensitive_items=["s"], rows=np.arange(40),
        control=other,
    )  # fmt: skip
    assert [each["success"] for each in found] == [0.5, 0.5]  # of those with `a` all, of the others nobody
    assert [each["control"] for each in found] == [0.25, 0.25]


def test_classifiers_learn_sensitive_items_from_the_others() -> None:
    assert [each["success"] for each in on_items("classifier", False)] == [1, 1, 1]
    safe = on_items("classifier", True)
    assert [each["success"] for each in safe] == [pytest.approx(1 / 3)] * 3
    assert [each["baseline"] for each in safe] == [pytest.approx(1 / 3)] * 3
    assert {each["knows"].partition(";")[0] for each in safe} == {"all other items"}
    assert all(in_german(each["knows"]) for each in safe)


def test_a_classifier_that_learnt_about_some_is_tried_on_others() -> None:
    told = pa.table({"basket": [["a0", "b0", "s0"], ["a0", "b1", "s1"], ["a2", "b2", "s2"], ["a1", "b0", "s1"]]})
    assert [each["control"] for each in on_items("classifier", False, control=told)][::2] == [0.75, 0.75]


def test_classifiers_learn_sensitive_items_from_the_quasi_identifiers_too() -> None:
    """Illnesses go by age, and what else is in the baskets says nothing."""
    table = alike().append_column("basket", pa.array([["x", {"flu": "s", "cold": "t", "pox": "u"}[ill]] for ill in
                                                      alike()["ill"].to_pylist()])).drop_columns("ill")  # fmt: skip
    roles = {"quasi": ["age", "sex"], "items": "basket", "sensitive_items": ["s", "t", "u"]}
    found = played("classifier", table, table, KLmDiversity(k=2, l=2, m=1), rows=np.arange(120), **roles)
    assert [each["success"] for each in found][::2] == [1, 1]
    assert found[0]["knows"].startswith("the quasi-identifiers and all other items; ")
    assert all(in_german(each["knows"]) for each in found)


def test_a_classifier_is_told_of_groups_and_not_of_who_in_them_has_a_sensitive_item() -> None:
    """Whoever has `a` has the item: of two in a group one has `a`, so that half of both is all there is to learn."""
    table = pa.table({"basket": [["a", "s"] if i % 2 else ["b"] for i in range(40)]})
    made = pa.table({"group": [str(i // 2) for i in range(40)], "basket": table["basket"]})
    roles = {"items": "basket", "sensitive_items": ["s"]}
    found = played("classifier", table, made, Cahd(2), rows=np.arange(40), **roles)
    assert [each["success"] for each in found] == [0.5, 0.5, 0.5]


def test_known_ratings_stay_within_the_promise() -> None:
    table = ratings(80, 6)
    roles = {"rating": table.column_names, "scale": (1, 5), "step": 1}
    made = package.anonymize(table, RatingKm(k=3, m=2), seed=1, **roles)
    found = played("known-ratings", table, made.data, RatingKm(k=3, m=2), rows=made.original, **roles)
    first = [each for each in found if each["bound"] is not None]
    assert len(first) == 2 and all(0 < each["success"] <= 1 / 3 + 1e-9 for each in first)
    assert max(each["success"] for each in found if each["bound"] is None) > min(each["success"] for each in first)
    before = played("known-ratings", table, table, RatingKm(k=3, m=2), rows=np.arange(80), **roles)
    assert max(each["success"] for each in before) > 0.5


def _composed(table: pa.Table, first: Any, second: Any, promise: Any, **roles: Any) -> dict[str, Any]:
    (found,) = played(
        "composition", table, first[0], promise, rows=first[1], earlier={"last": second}, **roles
    )  # fmt: skip
    return found


def test_two_releases_of_each_kind_tell_more_than_one() -> None:
    rows = np.arange(40)
    items = pa.table({"basket": [[f"x{i // 2 % 10}", f"y{i % 10}"] for i in range(40)]})
    one = pa.table({"basket": [[f"x{i // 2 % 10}"] for i in range(40)]})
    two = pa.table({"basket": [[f"y{i % 10}"] for i in range(40)]})
    found = _composed(items, (one, rows), (two, rows), KmAnonymity(k=2, m=2), items="basket")
    assert found["success"] > found["facts"]["this_release_alone"] > 0 and found["facts"]["people_in_both"] == 40

    table = pa.table({"age": rows, "ill": ["flu", "cold"] * 20})
    slices = [
        (pa.table({"bucket": b, "1.age": [f"[{4 * each}:{4 * each + 3}]" for each in b], "2.ill": table["ill"]}),
         np.stack((rows, rows)))
        for b in (rows // 4, rows // 4)
    ]  # fmt: skip
    shifted = (rows + 2) // 4
    text = [f"[{max(4 * each - 2, 0)}:{min(4 * each + 1, 39)}]" for each in shifted]
    slices[1] = (pa.table({"bucket": shifted, "1.age": text, "2.ill": table["ill"]}), np.stack((rows, rows)))
    found = _composed(table, *slices, SlicedDiversity(l=2), quasi="age", sensitive="ill")
    assert found["success"] == pytest.approx(0.5) and found["facts"]["this_release_alone"] == pytest.approx(0.25)

    rated = pa.table({"q": rows % 5 + 1, "r": rows // 8 + 1})
    halves = [
        (pa.table({"q": [1 if each == 1 else None for each in (rows % 5 + 1)], "r": ["[1:5]"] * 40}), rows),
        (pa.table({"q": ["[1:5]"] * 40, "r": (rows // 8 + 1)}), rows),
    ]
    roles = {"rating": ["q", "r"], "scale": (1, 5), "step": 1}
    found = _composed(rated, *halves, RatingKm(k=2, m=2), **roles)
    assert found["success"] > found["facts"]["this_release_alone"] > 0


@pytest.fixture
def job(tmp_path: Path) -> Path:
    table = people(60)
    lines = [f"p{i}," + ",".join(str(table[name][i]) for name in (*QUASI, "ill")) for i in range(60)]
    (tmp_path / "in.csv").write_text("\n".join(["name,age,income,sex,ill", *lines]) + "\n")
    roles = {"name": "identifier", "age": "quasi", "income": "quasi", "sex": "quasi", "ill": "sensitive"}
    columns = "".join(f"[columns.{name}]\nrole = '{role}'\n" for name, role in roles.items())
    (tmp_path / "job.toml").write_text(
        f"[input]\nsource = 'in.csv'\n{columns}[privacy]\nmodel = 'k'\nk = 5\n[output]\ndirectory = 'out'\n"
    )
    return tmp_path / "job.toml"


def _composition(job: Path, *more: Any) -> dict[str, Any]:
    done = tacit("attack", job, "--release", job.parent / "out", "--earlier", job.parent / "last", "--json", *more)
    assert done.code == 0, done.err
    return next(each for each in json.loads(done.out)["attacks"] if each["name"] == "composition")


def test_another_release_of_the_same_file(job: Path) -> None:
    tacit("anonymize", job, "--no-report", "-o", job.parent / "last", "--set", "privacy.k=4")
    tacit("anonymize", job, "--no-report", "--attack-control", "0.2")
    found = _composition(job)
    assert found["facts"]["people_in_both"] == 48 and found["success"] >= found["facts"]["this_release_alone"] > 0


@pytest.mark.slow
def test_the_next_delivery_is_matched_by_identifiers(job: Path) -> None:
    """Other rows, in another order: only names say who is in both, and without them nothing does."""
    lines = (job.parent / "in.csv").read_text().splitlines()
    (job.parent / "before.csv").write_text("\n".join([lines[0], *lines[:20:-1], "z,90,1,f,flu"]) + "\n")
    other = job.parent / "before.toml"
    other.write_text(job.read_text().replace("in.csv", "before.csv"))
    tacit("anonymize", other, "--no-report", "-o", job.parent / "last")
    tacit("anonymize", job, "--no-report")
    assert _composition(job)["facts"]["people_in_both"] == 40
    for file in (job, other):
        file.write_text(file.read_text().replace("[columns.name]\nrole = 'identifier'\n", ""))
    tacit("anonymize", other, "--no-report", "--force", "-o", job.parent / "last")
    tacit("anonymize", job, "--no-report", "--force")
    unknown = _composition(job)
    assert unknown["success"] is None and "other data" in unknown["why"]


def test_a_report_has_a_row_of_its_own_for_several_releases(job: Path) -> None:
    tacit("anonymize", job)
    report = (job.parent / "out/private/report.html").read_text()
    assert "Several releases over time" in report and "no other release of the same people" in report


def test_cahd_is_open_to_membership_and_definetti() -> None:
    kinds = {name: each.kinds for name, each in declared().items()}
    assert "baskets" in kinds["membership"] and "baskets" in kinds["definetti"]
    table = pa.table({"basket": [["a", "s"] if i == 0 else ["a", "b"] for i in range(12)]})
    made = package.anonymize(table, Cahd(2), items="basket", sensitive_items=["s"], seed=1)
    found = package.attack(
        table, made.data, Cahd(2), items="basket", sensitive_items=["s"], rows=made.original,
        control=table, attackers=["membership", "definetti"],
    )  # fmt: skip
    assert {each["name"] for each in found["attacks"]} == {"membership", "definetti"}


def test_only_records_have_quasi_identifiers() -> None:
    with pytest.raises(package.InputError, match="--known"):
        package.attack(baskets(), None, KmAnonymity(k=2, m=2), items="basket", known="basket")
    with pytest.raises(package.InputError):
        package.attack(people(10), None, KAnonymity(k=2), quasi=QUASI, known="name")


def test_somebody_who_has_all_releases_holds_them_together() -> None:
    from attack.cases import composed

    assert [each["success"] for each in composed(safe=False)] == [1.0, 0.5, 1.0]


def test_numbers_of_people_that_many_records_show_are_hardly_a_leftover() -> None:
    """Days in hospital are also numbers of patients: whoever looks for number 3 finds all who stayed three days."""
    table = pa.table({"patient": np.arange(1, 201), "days": np.arange(200) % 5 + 1})
    roles = {"quasi": "days", "identifier": "patient", "rows": np.arange(200)}
    (found,) = played("leftovers", table, table.select(["days"]), KAnonymity(k=2), **roles)
    assert found["facts"]["values"] == {"patient in days": 200}
    assert found["success"] == pytest.approx(5 / 200)
    (found,) = played(
        "leftovers", table, table.select(["days"]).append_column("n", table["patient"]), KAnonymity(k=2), **roles
    )
    assert found["success"] == 1
