"""Sensitive values that differ in spelling alone are one value: to methods and to audits, each by code of its own."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit
from tacit import LDiversity, PromiseError, SlicedDiversity
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


def test_a_sensitive_item_in_another_spelling_is_noted() -> None:
    frame = pa.table({"basket": pa.array([["a", "HIV"], ["a", "hiv "], ["a"], ["a"]] * 3, pa.list_(pa.string()))})
    release = tacit.anonymize(frame, tacit.LmDiversity(l=2, m=1), items="basket", sensitive_items=["HIV"])
    (note,) = [note for note in release.notes if "another spelling" in note]
    assert "not declared so: 1." in note and "hiv" not in note.casefold()
    both = tacit.anonymize(frame, tacit.LmDiversity(l=2, m=1), items="basket", sensitive_items=["HIV", "hiv "])
    assert not [note for note in both.notes if "another spelling" in note]
