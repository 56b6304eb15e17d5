"""The exam that every method of baskets takes. A method is judged by what it publishes, not by how it got there."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import numpy as np
import pyarrow as pa

import tacit
from tacit import (
    Cahd,
    Coherence,
    InputError,
    KmAnonymity,
    LmDiversity,
    Release,
    Taxonomy,
    TransactionalK,
    recoding,
)
from tacit.promises import Promise

Names = Callable[[str], str]

PROMISES: dict[str, list[Promise]] = {
    "km": [KmAnonymity(3, 2), KmAnonymity(2, 1), KmAnonymity(4, 3), KmAnonymity(2, math.inf)],
    "lm": [LmDiversity(3, 2), LmDiversity(2, 1), LmDiversity(2.5, 3), LmDiversity(2, math.inf)],
    "coherence": [Coherence(0.5, 3, 2), Coherence(0.8, 2, 1), Coherence(1, 4, 3), Coherence(0.4, 2, 2)],
    "transactional-k": [TransactionalK(3), TransactionalK(2), TransactionalK(7)],
    "cahd": [Cahd(3), Cahd(2), Cahd(5)],
}
"""Some promises of each model, the usual one first."""
HARMLESS: dict[str, Promise] = {
    "km": KmAnonymity(1, 2), "coherence": Coherence(1, 1, 2), "transactional-k": TransactionalK(1), "cahd": Cahd(1),
}  # fmt: skip
"""Promises that any data keep."""
ABOUT_SENSITIVE = ("lm", "coherence", "cahd")
SECRETS = ("s0", "s1")

ODD: dict[str, list[tuple[list[list[str]], Promise]]] = {
    "km": [
        ([], KmAnonymity(2, 2)),
        ([["i1", "i2"]], KmAnonymity(1, 2)),
        ([["i1", "i2"]] * 7, KmAnonymity(3, 2)),
        ([[], ["i1"], ["i1"], []], KmAnonymity(2, 2)),
    ],
    "lm": [
        ([], LmDiversity(2, 2)),
        ([["i1", "s0"], ["i1"]], LmDiversity(2, 2)),
        ([["s0"], [], ["i1"], ["s1", "i1"]], LmDiversity(2, 2)),
    ],
    "coherence": [
        ([], Coherence(0.5, 2, 2)),
        ([["i1", "s0"], ["i1"]], Coherence(0.5, 2, 2)),
        ([["s0"], [], ["i1"], ["s1", "i1"]], Coherence(0.5, 2, 2)),
    ],
    "transactional-k": [
        ([], TransactionalK(2)),
        ([["i1", "i2"]], TransactionalK(1)),
        ([["i1", "i2"]] * 7, TransactionalK(3)),
        ([[], ["i1"], ["i1"], []], TransactionalK(2)),
    ],
    "cahd": [
        ([], Cahd(2)),
        ([["i1", "s0"], ["i1"]], Cahd(2)),
        ([["s0"], [], [], ["s0"]], Cahd(2)),
    ],
}
"""Data, and promises that they keep as they are."""


def sample(seed: int, rename: Names = str, *, secrets: bool = False) -> tuple[pa.Table, Taxonomy]:
    """Some baskets, and a ragged hierarchy over their items; sensitive items stand in none."""
    rng = np.random.default_rng(seed)
    paths = [[f"i{i}", f"g{i // 3}", f"f{i // 6}", "all"] for i in range(14)] + [["i14", "all"], ["i15", "odd", "all"]]
    chances = rng.random(16) ** 2 * 0.5
    baskets = [[f"i{i}" for i in np.flatnonzero(rng.random(16) < chances)] for _ in range(60)]
    if secrets:
        for number, secret in enumerate(SECRETS):
            for row in rng.choice(60, 4 + number, replace=False).tolist():
                baskets[row].append(secret)
    tree = Taxonomy.from_paths([[rename(name) for name in path] for path in paths])
    return pa.table({"basket": pa.array([[rename(i) for i in b] for b in baskets], pa.list_(pa.string()))}), tree


def release(method: str, promise: Promise, seed: int = 3, rename: Names = str) -> Release:
    secrets = promise.name in ABOUT_SENSITIVE
    frame, tree = sample(seed, rename, secrets=secrets)
    declared = [rename(secret) for secret in SECRETS] if secrets else []
    return tacit.anonymize(
        frame, promise, items="basket", sensitive_items=declared, hierarchy=tree, method=method, seed=11
    )


def as_members(names: list[str]) -> set[frozenset[str]]:
    """Published names, sets as their members."""
    return {frozenset(name[1:-1].split(",")) if name.startswith("(") else frozenset([name]) for name in names}


def check_passes_the_audit(method: str, model: str) -> None:
    declared = SECRETS if model in ABOUT_SENSITIVE else ()
    for seed in range(4):
        for promise in PROMISES[model]:
            made = release(method, promise, seed)
            assert tacit.audit(made.data, promise, items="basket", sensitive_items=declared).satisfied


def check_same_seed_same_release(method: str, model: str) -> None:
    one, other = release(method, PROMISES[model][0]), release(method, PROMISES[model][0])
    assert one.recoding == other.recoding
    assert one.data == other.data


def check_survives_json(method: str, model: str) -> None:
    made = release(method, PROMISES[model][0]).recoding
    text = recoding.to_json(made)
    assert json.loads(text)["kind"] == made.kind
    assert recoding.from_json(text) == made
    assert str(recoding.from_json(text)) == str(made)


def check_harmless_promise_changes_nothing(method: str, model: str) -> None:
    if model not in HARMLESS:  # ℓ is above 1
        return
    frame, _ = sample(3, secrets=model in ABOUT_SENSITIVE)
    made = release(method, HARMLESS[model])
    assert sorted(map(sorted, made.data["basket"].to_pylist())) == sorted(map(sorted, frame["basket"].to_pylist()))
    assert made.utility["ncp"] == 0


def check_names_do_not_matter(method: str, model: str) -> None:
    def reversed_name(name: str) -> str:
        return name[::-1] + "'"

    plain, renamed = (release(method, PROMISES[model][0], rename=rename) for rename in (str, reversed_name))
    for row, other in zip(plain.data["basket"].to_pylist(), renamed.data["basket"].to_pylist(), strict=True):
        assert {frozenset(map(reversed_name, held)) for held in as_members(row)} == as_members(other)


def check_odd_frames(method: str, model: str) -> None:
    lists = pa.list_(pa.string())
    for baskets, promise in ODD[model]:
        frame, tree = pa.table({"basket": pa.array(baskets, lists)}), sample(3)[1]
        held = {item for basket in baskets for item in basket}
        declared = [s for s in SECRETS if s in held] if baskets else list(SECRETS)
        if model not in ABOUT_SENSITIVE:
            declared = []
        made = tacit.anonymize(
            frame, promise, items="basket", sensitive_items=declared, hierarchy=tree, method=method, seed=1
        )
        assert sorted(map(sorted, made.data["basket"].to_pylist())) == sorted(map(sorted, baskets))


def check_sensitive_items_are_needed(method: str, model: str) -> None:
    if model not in ABOUT_SENSITIVE:
        return
    frame, tree = sample(3, secrets=True)
    try:
        tacit.anonymize(frame, PROMISES[model][0], items="basket", hierarchy=tree, method=method)
    except InputError as error:
        assert "is about sensitive items, and none is declared" in str(error)
    else:
        raise AssertionError("nothing was declared sensitive")


EXAM = (
    check_passes_the_audit,
    check_same_seed_same_release,
    check_survives_json,
    check_harmless_promise_changes_nothing,
    check_names_do_not_matter,
    check_odd_frames,
    check_sensitive_items_are_needed,
)
