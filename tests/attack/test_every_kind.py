"""Attackers that are about several kinds of data find a leak in each, and nothing where there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit
from attack.cases import Played, baskets, played
from tacit import Cahd, KAnonymity, KEpsAnonymity, KKmAnonymity, KmAnonymity, RatingKm, SlicedDiversity, TransactionalK
from tacit.report.attack_words import in_german
from tacit.taxonomy import Taxonomy

N = 60


def _apart() -> pa.Table:
    """People of whom no two are alike in anything."""
    names = [f"n{i:02d}" for i in range(N)]
    return pa.table({"name": names, "age": np.arange(N), "zip": [f"z{i * 7 % N}" for i in range(N)],
                     "ill": [f"x{i}" for i in range(N)]})  # fmt: skip


def _slices(name: str, safe: bool, **named: Any) -> Played:
    """A bucket for everybody, and values as they are; or one bucket of all, and nothing but stars."""
    table = _apart()
    order = np.random.default_rng(5).permutation(N)
    shown = {each: ["*"] * N if safe else table[each] for each in ("age", "zip")}
    second = table["ill"].take(pa.array(order)) if safe else table["ill"]
    published = pa.table({"bucket": [0] * N if safe else np.arange(N), "1.age": shown["age"], "2.zip": shown["zip"],
                          "2.ill": second})  # fmt: skip
    rows = np.stack((np.arange(N), order if safe else np.arange(N)))
    return played(
        name, table, published, SlicedDiversity(l=2), quasi=["age", "zip"], sensitive="ill", rows=rows, **named
    )


@pytest.mark.parametrize("name", ["predicates", "uniques", "linkability", "nearest-row", "joined-slices"])
def test_slices(name: str) -> None:
    assert max(each["success"] for each in _slices(name, safe=False)) == 1
    safe = _slices(name, safe=True)
    assert safe or name == "predicates", "of stars there is nothing to be said"
    assert all(each["success"] <= each["baseline"] + 0.05 for each in safe)


def test_membership_by_buckets() -> None:
    strangers = _apart().set_column(1, "age", pa.array(np.arange(N) + 1000))
    (leak,) = _slices("membership", safe=False, control=strangers)
    (safe,) = _slices("membership", safe=True, control=strangers)
    assert (leak["success"], safe["success"]) == (1, 0.5)


def test_groups_of_cahd_tell_together_who_has_the_item() -> None:
    """Everybody with `a` has the sensitive item, in groups of two of anybody: together they tell; or nothing does."""
    rng = np.random.default_rng(1)

    def found(tells: bool) -> Played:
        is_a = rng.random(2 * N) < 0.5
        has = is_a if tells else rng.permutation(is_a)
        swap = rng.permuted(np.arange(2 * N).reshape(-1, 2), axis=1).ravel()
        table, shown = (
            [["a" if is_a[i] else "b", *(["s"] if who[i] else [])] for i in range(2 * N)] for who in (has, has[swap])
        )
        published = pa.table({"group": [str(i // 2) for i in range(2 * N)], "basket": shown})
        roles = {"items": "basket", "sensitive_items": ["s"], "rows": np.arange(2 * N)}
        return played("definetti", pa.table({"basket": table}), published, Cahd(2), **roles)

    assert max(each["success"] for each in found(tells=True)) >= 0.9
    assert all(each["success"] <= each["baseline"] + 0.15 for each in found(tells=False))


def _survey() -> pa.Table:
    rng = np.random.default_rng(8)
    return pa.table({"name": [f"n{i:02d}" for i in range(N)], **{f"q{i}": rng.integers(1, 6, N) for i in range(4)}})


_SURVEY = {"rating": ["q0", "q1", "q2", "q3"], "scale": (1, 5), "step": 1, "identifier": "name"}
_BUCKETS = {"bucket": np.arange(N) // 6}
_ROWS = np.arange(N)
_NAMED = pa.table({"name": _apart()["name"], "basket": [["a", "b"]] * N})
Leak = Callable[[bool], Played]
NAMES: dict[str, Leak] = {
    "an item": lambda safe: played(
        "leftovers", _NAMED, pa.table({"basket": [["a", *([] if safe else [name])] for name in _names()]}),
        KmAnonymity(k=2, m=1), items="basket", identifier="name", rows=_ROWS),
    "an item of records": lambda safe: played(
        "leftovers", _apart().append_column("basket", _NAMED["basket"]),
        pa.table({"age": ["*"] * N, "basket": [["a", *([] if safe else [name])] for name in _names()]}),
        KKmAnonymity(k=2, m=1), quasi="age", items="basket", identifier="name", rows=_ROWS),
    "a slice": lambda safe: played(
        "leftovers", _apart(), pa.table({**_BUCKETS, "1.age": ["*"] * N if safe else _names(), "2.ill": ["x"] * N}),
        SlicedDiversity(l=2), quasi="age", sensitive="ill", identifier="name", rows=np.stack((_ROWS, _ROWS))),
    "a column of records": lambda safe: played(
        "leftovers", _apart(), pa.table({"age": ["*"] * N if safe else _names()}), KAnonymity(k=2), quasi="age",
        identifier="name", rows=_ROWS),
    "a column of a survey": lambda safe: played(
        "leftovers", _survey(), _survey().drop_columns("name") if safe else _survey(), KEpsAnonymity(k=2), rows=_ROWS,
        **_SURVEY),
}  # fmt: skip


def _names() -> list[str]:
    return _apart()["name"].to_pylist()


@pytest.mark.parametrize("where", NAMES)
def test_names_are_found_wherever_they_are_left(where: str) -> None:
    assert [each["success"] for each in NAMES[where](False)] == [1]
    assert [each["success"] for each in NAMES[where](True)] == [0]


def _log() -> pa.Table:
    """Everybody rated two of three films; people have ids that are no numbers, in their order."""
    pairs = [(i, film) for i in range(N) for film in ("f1", "f2", "f3") if film != f"f{i % 3 + 1}"]
    return pa.table({"user": [f"u{i:03d}" for i, _ in pairs], "film": [film for _, film in pairs],
                     "stars": [(i + int(film[1])) % 5 + 1 for i, film in pairs]})  # fmt: skip


def _on_log(ids: list[str], *, with_rows: bool = True) -> dict[str, dict[str, Any]]:
    """The log in a random order under other ids, to be attacked by whoever knows the order and the ids of people."""
    log = _log()
    new = dict(zip([f"u{i:03d}" for i in range(N)], ids, strict=True))
    table = log.set_column(0, "user", pa.array([new[each] for each in log["user"].to_pylist()]))
    published = table.take(pa.array(np.random.default_rng(12_345).permutation(table.num_rows)))
    place = {each: i for i, each in enumerate(ids)}
    rows = [place[each] for each in dict.fromkeys(published["user"].to_pylist())] if with_rows else None
    found = tacit.attack(
        log, published, RatingKm(k=2, m=1), person="user", items="film", rating="stars", scale=(1, 5), step=1,
        layout="long", rows=rows, attackers=["file-order", "leftovers"],
    )["attacks"]  # fmt: skip
    assert all(in_german(each["knows"]) for each in found)
    return {each["knows"]: each for each in found}


IDS, NAMED = "the ids of people; they follow the original's order", "names or numbers of people"


def test_ids_that_follow_the_original_s_are_noticed_in_any_order_of_the_file() -> None:
    follow = _on_log([str(i + 1) for i in range(N)])
    assert follow[IDS]["success"] == 1 and follow[NAMED]["success"] == 0
    fresh = _on_log([str(i + 1) for i in np.random.default_rng(3).permutation(N)])
    assert fresh[IDS]["success"] == 0 and fresh[NAMED]["success"] == 0


@pytest.mark.parametrize("with_rows", [True, False])
def test_ids_that_are_the_original_s_are_noticed(with_rows: bool) -> None:
    assert _on_log([f"u{i:03d}" for i in range(N)], with_rows=with_rows)[NAMED]["success"] == 1
    assert _on_log([f"v{i:03d}" for i in range(N)], with_rows=with_rows)[NAMED]["success"] == 0


def test_a_survey_may_have_people_without_an_id() -> None:
    """Two have none: that says nothing of them, and the others have their own."""
    table = pa.table({"who": [None, None, *(f"p{i}" for i in range(2, N))], "q": [i % 5 + 1 for i in range(N)]})
    (found,) = played(
        "leftovers",
        table,
        table,
        KEpsAnonymity(k=2),
        person="who",
        rating="q",
        scale=(1, 5),
        step=1,
        rows=_ROWS,
        layout="wide",
    )
    assert found["success"] == pytest.approx((N - 2) / N)


def test_ids_of_our_own_releases_follow_nothing() -> None:
    log = _log()
    roles = {"person": "user", "items": "film", "rating": "stars", "scale": (1, 5), "step": 1}
    made = tacit.anonymize(log, RatingKm(k=2, m=1), seed=1, key="5" * 64, **roles)
    found = played(["file-order", "leftovers"], log, made.data, RatingKm(k=2, m=1), rows=made.original, **roles)
    told = {each["knows"]: each["success"] for each in found}
    assert (told[IDS], told[NAMED]) == (0, 0)


def test_fresh_ids_are_as_often_somebodys_own_as_by_lot() -> None:
    """The original has the numbers 1 to n, and so has every release."""
    log = _log()
    user = pa.array([str(int(each[1:]) + 1) for each in log["user"].to_pylist()])
    roles = {"person": "user", "items": "film", "rating": "stars", "scale": (1, 5), "step": 1}
    log, told = log.set_column(0, "user", user), []
    for seed in range(20):
        made = tacit.anonymize(log, RatingKm(k=2, m=1), seed=1, key=f"{seed:064x}", **roles)
        told += played("leftovers", log, made.data, RatingKm(k=2, m=1), rows=made.original, **roles)
    assert [each["baseline"] for each in told] == pytest.approx([1 / N] * 20)
    assert 0 < sum(each["success"] for each in told) / len(told) < 3 / N


TREE = Taxonomy.from_paths([(f"{letter}{i}", letter, "*") for letter in "abc" for i in range(N)])
FALSE: dict[str, Leak] = {
    "a basket with a name of nothing in it": lambda safe: played(
        "false-values", baskets(N), pa.table({"basket": [["a", "b", *([] if safe else ["a59"])] for _ in range(N)]}),
        KmAnonymity(k=2, m=1), items="basket", hierarchy={"basket": TREE}, rows=_ROWS[::-1]),
    "the basket of somebody else in a record": lambda safe: played(
        "false-values", _apart().append_column("basket", baskets(N)["basket"]),
        pa.table({"age": ["*"] * N, "basket": baskets(N)["basket"]}),
        KKmAnonymity(k=2, m=1), quasi="age", items="basket", rows=_ROWS if safe else np.roll(_ROWS, 3)),
    "the sensitive value of somebody else": lambda safe: played(
        "false-values", _apart(), pa.table({"age": ["*"] * N, "ill": _apart()["ill"]}), KAnonymity(k=2), quasi="age",
        sensitive="ill", rows=_ROWS if safe else np.roll(_ROWS, 1)),
    "a row of the second slice": lambda safe: played(
        "false-values", _apart(), pa.table({**_BUCKETS, "1.age": _apart()["age"], "2.ill": _apart()["ill"]}),
        SlicedDiversity(l=2), quasi="age", sensitive="ill",
        rows=np.stack((_ROWS, _ROWS if safe else np.roll(_ROWS, 1)))),
    "ratings outside their ranges": lambda safe: played(
        "false-values", pa.table({"q": [2] * N}), pa.table({"q": ["[1:2]" if safe else "[3:5]"] * N}),
        RatingKm(k=2, m=1), rating="q", scale=(1, 5), step=1, rows=_ROWS),
    "ratings that nobody gave": lambda safe: played(
        "false-values", pa.table({"q": [2] * N, "r": [None] * N if not safe else [3] * N}),
        pa.table({"q": [2] * N, "r": [3] * N}), RatingKm(k=2, m=1), rating=["q", "r"], scale=(1, 5), step=1,
        rows=_ROWS),
}  # fmt: skip


@pytest.mark.parametrize("what", FALSE)
def test_what_is_published_falsely_is_found(what: str) -> None:
    (leak,), (safe,) = FALSE[what](False), FALSE[what](True)
    assert (leak["success"], safe["success"]) == (1, 0)
    assert in_german(leak["knows"])


def test_what_cannot_be_told_false_without_rows() -> None:
    """A basket that nobody can have is false whoever it is of; of slices and ratings nothing can be said."""
    table = baskets(N)
    wrong = pa.table({"basket": [["a", "b", "c", "x"]] * N})
    (found,) = played("false-values", table, wrong, KmAnonymity(k=2, m=1), items="basket", hierarchy={"basket": TREE})
    assert found["success"] == 1
    survey = pa.table({"q": [2] * N})
    (unknown,) = played("false-values", survey, survey, RatingKm(k=2, m=1), rating="q", scale=(1, 5), step=1)
    assert unknown["success"] is None and "which row is whose" in unknown["why"]


def test_who_has_fewer_items_than_the_promise_is_about_is_attacked_by_those() -> None:
    table = pa.table({"basket": [[f"i{i}"] for i in range(30)]})
    found = played("known-items", table, table, KmAnonymity(k=2, m=3), items="basket", rows=np.arange(30))
    assert {each["knows"]: (each["success"], each["bound"]) for each in found} == {
        "1 item, the rarest": (1, 0.5), "1 item, at random": (1, 0.5)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "told"),
    [([0, 1], "rows must be 60 numbers"), (np.arange(1, 61), "from 0 to 59"), (np.arange(-1, 59), "from 0 to 59"),
     ([0] * 60, "twice"), ([[0] * 60], "rows must be 60 numbers"), (np.arange(60) / 2, "whole numbers"),
     ([[0, 1], [2]], "whole numbers")],
)  # fmt: skip
def test_rows_that_say_nothing_are_refused(rows: Any, told: str) -> None:
    with pytest.raises(tacit.InputError, match=told):
        tacit.attack(_apart(), _apart(), KAnonymity(k=2), quasi="age", rows=rows)


def test_rows_of_slices_are_a_list_for_each() -> None:
    published = pa.table({**_BUCKETS, "1.age": _apart()["age"], "2.ill": _apart()["ill"]})
    with pytest.raises(tacit.InputError, match="rows must be 2 x 60 numbers"):
        tacit.attack(_apart(), published, SlicedDiversity(l=2), quasi="age", sensitive="ill", rows=_ROWS)


def test_who_is_known_to_have_nothing_is_found_where_nobody_else_has_nothing() -> None:
    table = pa.table({"basket": pa.array([["a", "b"]] * 4 + [["c"]] * 3 + [[]], pa.list_(pa.string()))})
    found = played("exact-basket", table, table, TransactionalK(k=2), items="basket", rows=np.arange(8))
    whole = next(each for each in found if each["knows"] == "the exact basket")
    assert (whole["tried"], whole["success"], whole["bound"]) == (8, pytest.approx(3 / 8), 0.5)


ROLES: dict[str, Any] = {
    "records": (_apart(), KAnonymity(k=2), {"quasi": "age"}, "known-values"),
    "slices": (_apart(), SlicedDiversity(l=2), {"quasi": "age", "sensitive": "ill"}, "posterior"),
    "baskets": (baskets(N), KmAnonymity(k=2, m=1), {"items": "basket"}, "known-items"),
    "baskets of persons": (pa.table({"who": np.arange(2 * N) // 2 * 7 % N, "basket": [["a", f"b{i}"] for i in range(
        2 * N)]}), KmAnonymity(k=2, m=1), {"items": "basket", "person": "who"}, "known-items"),
    "ratings": (_log(), RatingKm(k=2, m=1),
                {"person": "user", "items": "film", "rating": "stars", "scale": (1, 5), "step": 1}, "known-ratings"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ROLES)
def test_people_who_are_not_in_the_file_are_a_control(kind: str) -> None:
    """The second half is published: the figures are those of that half alone, with the others beside it."""
    table, promise, roles, name = ROLES[kind]
    half = table.slice(table.num_rows // 2)
    shown, rows = half, np.arange(N // 2)
    if kind == "slices":
        shown = pa.table({"bucket": rows // 5, "1.age": half["age"], "2.ill": half["ill"]})
        rows = np.stack((rows, rows))
    elif kind == "baskets of persons":
        lists = half["basket"].to_pylist()
        shown = pa.table({"basket": [lists[2 * i] + lists[2 * i + 1][1:] for i in range(N // 2)]})
    whole = played(name, table, shown, promise, rows=rows + N // 2, **roles)
    alone = played(name, half, shown, promise, rows=rows, control=table.slice(0, table.num_rows // 2), **roles)
    assert whole == alone and whole[0]["tried"] == N // 2 and whole[0]["control"] is not None


def test_other_releases_are_about_those_who_are_in_the_file() -> None:
    table = _apart()
    other = (table, np.arange(N))
    (found,) = played("composition", table, table.slice(30), KAnonymity(k=2), quasi="age", rows=np.arange(30, 60),
                      earlier={"last": other})  # fmt: skip
    assert found["facts"]["people_in_both"] == 30 and found["success"] == 1


def test_an_original_must_be_there_and_an_empty_one_has_nobody() -> None:
    with pytest.raises(tacit.InputError, match="there is no original"):
        tacit.attack(None, _apart(), KAnonymity(k=2), quasi="age")
    found = tacit.attack(_apart().slice(0, 0), None, KAnonymity(k=2), quasi="age", sensitive="ill")
    assert found["risk"]["records"] == 0 and not found["attacks"]
    assert found["not_played"]["known-values"] == "the file has no record"


@pytest.mark.parametrize(
    ("rows", "told"),
    [(np.arange(3), "rows of 'spring' must be 60 numbers"), (np.arange(60) + 5, "from 0 to 59"),
     (np.arange(60) - 1, "from 0 to 59"), ([0] * 60, "twice")],
)  # fmt: skip
def test_rows_of_another_release_that_say_nothing_are_refused(rows: Any, told: str) -> None:
    for own in (None, np.arange(60)):
        with pytest.raises(tacit.InputError, match=told):
            tacit.attack(
                _apart(), _apart(), KAnonymity(k=2), quasi="age", rows=own, earlier={"spring": (_apart(), rows)}
            )
