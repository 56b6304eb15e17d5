"""Sensitive values that differ in spelling alone are one value: to methods and to audits, each by code of its own."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit
from naive.audits import spelt
from support.commands import tacit as tacit_command
from support.definitions import definition_holds
from tacit import (
    Cahd,
    Coherence,
    InputError,
    KEpsAnonymity,
    KLmDiversity,
    LDiversity,
    LmDiversity,
    PromiseError,
    SlicedDiversity,
    Taxonomy,
    TCloseness,
)
from tacit.arrays.spellings import meanings, plain
from tacit.audits.views.spellings import as_one, meaning

SAME = ["flu", "Flu", "flu ", "\u200bflu", "FL\u00adU", "\uff46lu", "\tﬂu"]
"""The last one has a ligature."""
OTHER = ["fl u", "flu.", "flü", "influ", ""]


def test_both_sides_take_the_same_texts_for_one() -> None:
    texts = [*SAME, *OTHER, "Straße", "STRASSE", "ǅ", "ǆ", "İ", "i̇", "①", "1", " ", "\ufeff", "K", "k"]
    for one, other in combinations(range(len(texts)), 2):
        assert (plain(texts[one]) == plain(texts[other])) is (meaning(texts[one]) == meaning(texts[other]))
    assert len({plain(text) for text in SAME}) == 1
    assert len({plain(text) for text in (*SAME, *OTHER)}) == 1 + len(OTHER)
    codes = meanings(texts, 3), as_one(texts, 3)
    assert all(
        (codes[0][i] == codes[0][j]) == (codes[1][i] == codes[1][j]) for i in range(len(texts)) for j in range(i)
    )


def people(ills: list[str]) -> pa.Table:
    return pa.table({"age": ["1"] * len(ills), "ill": ills})


@pytest.mark.parametrize("kind", ["frequency", "distinct", "entropy"])
def test_spellings_are_no_diversity(kind: str) -> None:
    frame, promise = people(["flu", "Flu ", "flu"]), LDiversity(k=2, l=2, kind=kind)
    roles: dict[str, Any] = {"quasi": "age", "sensitive": "ill"}
    assert not tacit.audit(frame, promise, **roles).satisfied
    with pytest.raises(PromiseError):
        tacit.anonymize(frame, promise, **roles)
    apart = {"ill": {"fold": False}}
    assert tacit.audit(people(["flu", "Flu "]), promise, **roles, column_settings=apart).satisfied
    assert tacit.anonymize(people(["flu", "Flu "]), promise, **roles, column_settings=apart).audit.satisfied


def test_in_slices_too() -> None:
    frame, promise = people(["flu", "Flu"]), SlicedDiversity(l=2)
    sliced = pa.table({"bucket": [1, 1], "1.age": ["1", "1"], "2.ill": ["flu", "Flu"]})
    roles: dict[str, Any] = {"quasi": "age", "sensitive": "ill"}
    assert tacit.audit(sliced, promise, **roles).satisfied is False
    assert tacit.audit(sliced, promise, **roles, column_settings={"ill": {"fold": False}}).satisfied
    for method in ("slicing", "bucketization"):
        with pytest.raises(PromiseError):
            tacit.anonymize(frame, promise, **roles, method=method)


L, SLICED = LDiversity(k=2, l=2), SlicedDiversity(l=2)


@pytest.mark.parametrize(
    ("promise", "method"), [(L, "mondrian"), (L, "cluster"), (SLICED, "slicing"), (SLICED, "bucketization")]
)
def test_releases_keep_the_texts_and_say_how_many_there_are(promise: Any, method: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(5):
        ills = rng.choice([*SAME[:3], "cold", "Cold", "ague"], 24).tolist()
        frame = pa.table({"age": rng.integers(20, 60, 24).astype(str), "ill": ills})
        try:
            release = tacit.anonymize(frame, promise, quasi="age", sensitive="ill", method=method)
        except PromiseError:
            continue
        ill = next(name for name in release.table.column_names if name.endswith("ill"))
        assert sorted(release.table[ill].to_pylist()) == sorted(ills)
        assert any("spellings of 2 values of 'ill' counted as 2" in note for note in release.notes)
        assert "flu" not in " ".join(release.notes).casefold()


def test_slices_that_a_sensitive_value_links_are_read_in_both_ways() -> None:
    """Joined as written, whoever has job c has `Flu` or `flu`; joined by meaning alone, the flu is one of two."""
    sliced = pa.table(
        {
            "bucket": [1] * 4,
            "1.age": ["1"] * 4,
            "2.ill": ["flu", "Flu", "cold", "ague"],
            "3.ill": ["flu", "Flu", "cold", "ague"],
            "3.job": ["a", "b", "c", "d"],
        }
    )
    roles: dict[str, Any] = {"quasi": ["age", "job"], "sensitive": "ill"}
    assert tacit.audit(sliced, SlicedDiversity(l=2), **roles).satisfied is not True


HIV = ["HIV", "hiv ", "\u200bHiv", "ＨＩＶ"]
ITEM_PROMISES = [
    (LmDiversity(l=2, m=2), "vpa"),
    (LmDiversity(l=2, m=2), "apriori"),
    (LmDiversity(l=2, m=2), "lra"),
    (Coherence(h=0.5, k=2, p=2), "suppression"),
    (Cahd(p=2), "cahd"),
    (KLmDiversity(k=2, l=2, m=2), "rum-bound"),
    (KLmDiversity(k=2, l=2, m=2), "tfirst"),
]


def some_baskets(seed: int, rows: int = 40) -> pa.Table:
    """One sensitive item in four spellings, by turns; each of them alone is rare."""
    rng = np.random.default_rng(seed)
    baskets = [rng.choice(["a", "b", "c"], 2, replace=False).tolist() for _ in range(rows)]
    for row in range(0, rows, 2 if seed % 2 else 3):
        baskets[row].append(HIV[row // 2 % 4])
    return pa.table({"age": rng.integers(20, 23, rows).astype(str), "basket": pa.array(baskets, pa.list_(pa.string()))})


@pytest.mark.parametrize(("promise", "method"), ITEM_PROMISES, ids=lambda each: getattr(each, "name", each))
def test_a_sensitive_item_is_one_in_all_its_spellings(promise: Any, method: str) -> None:
    roles: dict[str, Any] = {"items": "basket", "sensitive_items": ["HIV"]}
    if "quasi" in promise.roles:
        roles["quasi"] = "age"
    made = 0
    for seed in range(4):
        frame = some_baskets(seed).select([name for name in ("age", "basket") if name in roles.values()])
        try:
            release = tacit.anonymize(frame, promise, **roles, method=method, seed=1)
        except PromiseError:
            continue
        made += 1
        assert definition_holds(release.table, promise, roles)
        shown = [item for basket in release.table["basket"].to_pylist() for item in basket if spelt(item) == "hiv"]
        given = [item for basket in frame["basket"].to_pylist() for item in basket if spelt(item) == "hiv"]
        assert sorted(shown) == sorted(given), "texts stay"
        (note,) = [note for note in release.notes if "spellings of" in note]
        assert (
            note.startswith("4 spellings of 1 sensitive item of 'basket' counted as 1") and "hiv" not in note.casefold()
        )
    assert made


@pytest.mark.parametrize("promise", [LmDiversity(l=2, m=1), Coherence(h=0.5, k=2, p=1), KLmDiversity(k=2, l=2, m=1)])
def test_an_audit_of_items_counts_spellings_as_one_unless_it_is_told_not_to(promise: Any) -> None:
    baskets = pa.array([["a", "HIV"], ["a", "hiv"], ["a", "Hiv"], ["a"]], pa.list_(pa.string()))
    roles: dict[str, Any] = {"items": "basket", "sensitive_items": ["HIV", "hiv", "Hiv"]}
    if "quasi" in promise.roles:
        roles["quasi"] = "age"
    table = pa.table({"age": ["1"] * 4, "basket": baskets})
    assert tacit.audit(table, promise, **roles, allow_columns=["age"]).satisfied is False
    assert tacit.audit(table, promise, **{**roles, "sensitive_items": ["HIV"]}).satisfied is False
    assert tacit.audit(table, promise, **roles, column_settings={"basket": {"fold": False}}).satisfied


def test_groups_of_cahd_count_spellings_as_one() -> None:
    baskets = pa.array([["a", "HIV"], ["a", "hiv"], ["a"]], pa.list_(pa.string()))
    table = pa.table({"basket": baskets, "group": [1, 1, 1]})
    roles: dict[str, Any] = {"items": "basket", "sensitive_items": ["HIV", "hiv"]}
    assert not tacit.audit(table, Cahd(p=2), **roles).satisfied
    assert tacit.audit(table, Cahd(p=2), **roles, column_settings={"basket": {"fold": False}}).satisfied
    with pytest.raises(PromiseError, match="2 of 3 baskets"):
        tacit.anonymize(table.select(["basket"]), Cahd(p=2), **roles)


def test_a_sensitive_item_that_is_not_folded_is_noted() -> None:
    frame = pa.table({"basket": pa.array([["a", "HIV"], ["a", "hiv "], ["a"], ["a"]] * 3, pa.list_(pa.string()))})
    apart: dict[str, Any] = {"column_settings": {"basket": {"fold": False}}}
    release = tacit.anonymize(frame, LmDiversity(l=2, m=1), items="basket", sensitive_items=["HIV"], **apart)
    (note,) = [note for note in release.notes if "another spelling" in note]
    assert "not declared so: 1." in note and "hiv" not in note.casefold()
    both = tacit.anonymize(frame, LmDiversity(l=2, m=1), items="basket", sensitive_items=["HIV", "hiv "], **apart)
    assert not [note for note in both.notes if "spelling" in note]


def test_a_group_of_the_hierarchy_that_is_spelt_like_a_sensitive_item_is_refused() -> None:
    frame = pa.table({"basket": pa.array([["a", "HIV"], ["a", "b"], ["b"]], pa.list_(pa.string()))})
    tree = Taxonomy.from_paths([["a", "hiv ", "All"], ["b", "hiv ", "All"]])
    roles: dict[str, Any] = {"items": "basket", "sensitive_items": ["HIV"], "hierarchy": {"basket": tree}}
    with pytest.raises(InputError, match="name of a group of the hierarchy"):
        tacit.anonymize(frame, LmDiversity(l=2, m=1), **roles)


def test_a_declared_item_may_occur_in_another_spelling_alone() -> None:
    frame = pa.table({"basket": pa.array([["a", "hiv"], ["a", "b"], ["b"]], pa.list_(pa.string()))})
    release = tacit.anonymize(frame, LmDiversity(l=2, m=1), items="basket", sensitive_items=["HIV"])
    assert release.audit.satisfied and ["hiv"] in [basket[-1:] for basket in release.table["basket"].to_pylist()]
    with pytest.raises(InputError, match="no basket holds"):
        tacit.anonymize(frame, LmDiversity(l=2, m=1), items="basket", sensitive_items=["aids"])


def test_issues_are_sensitive_in_any_spelling() -> None:
    rows = [(person, issue, 1 + (person * place) % 3) for person in range(6) for place, issue in enumerate("AqB", 1)]
    frame = pa.table({name: [row[at] for row in rows] for at, name in enumerate(("who", "what", "stars"))})
    roles: dict[str, Any] = {"person": "who", "items": "what", "rating": "stars", "sensitive_items": ["a "]}
    release = tacit.anonymize(frame, KEpsAnonymity(k=3), **roles)
    assert release.before.is_sensitive.tolist() == [name == "A" for name in release.before.names]
    assert release.audit.facts["issues_an_attacker_may_know"] == 2
    with pytest.raises(InputError, match="nobody rated"):
        tacit.anonymize(frame, KEpsAnonymity(k=3), **roles, column_settings={"what": {"fold": False}})


def test_t_takes_every_text_for_itself_and_says_nothing_else() -> None:
    frame = pa.table({"age": ["1", "2"] * 6, "ill": ["flu", "Flu", "cold"] * 4})
    release = tacit.anonymize(frame, TCloseness(k=2, t=0.5), quasi="age", sensitive="ill")
    assert not [note for note in release.notes if "spelling" in note]


def test_another_delivery_may_spell_a_sensitive_item_anew(tmp_path: Path) -> None:
    def write(name: str, item: str) -> Path:
        file = tmp_path / name
        file.write_text("".join(f"{basket}\n" for basket in (f"a {item}", "a", "a b", "b", "a b")))
        return file

    write("one.dat", "HIV")
    job = '[input]\nsource = "one.dat"\n[columns.items]\nrole = "items"\nsensitive = ["HIV"]\n'
    (tmp_path / "job.toml").write_text(job + '[privacy]\nmodel = "lm"\nl = 2\nm = 1\n')
    assert tacit_command("anonymize", tmp_path / "job.toml", "--no-report").code == 0
    ended = tacit_command("apply", tmp_path / "out", write("two.dat", "Hiv"), "-o", tmp_path / "next", "--no-report")
    assert ended.code == 0, ended.err
    assert "Hiv" in (tmp_path / "next/public/data.dat").read_text().split()
