"""The exam that every method of baskets takes. A method is judged by what it publishes, not by how it got there."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import numpy as np
import pyarrow as pa

import tacit
from tacit import KmAnonymity, Release, Taxonomy, recoding

Names = Callable[[str], str]


def sample(seed: int, rename: Names = str) -> tuple[pa.Table, Taxonomy]:
    """Some baskets, and a ragged hierarchy over their items."""
    rng = np.random.default_rng(seed)
    paths = [[f"i{i}", f"g{i // 3}", f"f{i // 6}", "all"] for i in range(14)] + [["i14", "all"], ["i15", "odd", "all"]]
    chances = rng.random(16) ** 2 * 0.5
    baskets = [[f"i{i}" for i in np.flatnonzero(rng.random(16) < chances)] for _ in range(60)]
    tree = Taxonomy.from_paths([[rename(name) for name in path] for path in paths])
    return pa.table({"basket": pa.array([[rename(i) for i in b] for b in baskets], pa.list_(pa.string()))}), tree


def release(method: str, k: int, m: float, seed: int = 3, rename: Names = str) -> Release:
    frame, tree = sample(seed, rename)
    return tacit.anonymize(frame, KmAnonymity(k, m), items="basket", hierarchy=tree, method=method, seed=11)


def check_passes_the_audit(method: str) -> None:
    for seed in range(4):
        for k, m in ((2, 1), (3, 2), (4, 3), (2, math.inf)):
            made = release(method, k, m, seed)
            assert tacit.audit(made.data, KmAnonymity(k, m), items="basket").satisfied


def check_same_seed_same_release(method: str) -> None:
    one, other = release(method, 3, 2), release(method, 3, 2)
    assert one.recoding == other.recoding
    assert one.data == other.data


def check_survives_json(method: str) -> None:
    made = release(method, 3, 2).recoding
    text = recoding.to_json(made)
    assert json.loads(text)["kind"] == made.kind
    assert recoding.from_json(text) == made


def check_k_1_changes_nothing(method: str) -> None:
    frame, _ = sample(3)
    made = release(method, 1, 2)
    assert sorted(map(sorted, made.data["basket"].to_pylist())) == sorted(map(sorted, frame["basket"].to_pylist()))
    assert made.utility["ncp"] == 0


def check_names_do_not_matter(method: str) -> None:
    def reversed_name(name: str) -> str:
        return name[::-1] + "'"

    plain, renamed = release(method, 3, 2), release(method, 3, 2, rename=reversed_name)
    for rows, others in zip(plain.data["basket"].to_pylist(), renamed.data["basket"].to_pylist(), strict=True):
        assert {reversed_name(name) for name in rows} == set(others)


def check_odd_frames(method: str) -> None:
    lists = pa.list_(pa.string())
    for baskets, k in (([], 2), ([["i1", "i2"]], 1), ([["i1", "i2"]] * 7, 3), ([[], ["i1"], ["i1"], []], 2)):
        frame, tree = pa.table({"basket": pa.array(baskets, lists)}), sample(3)[1]
        made = tacit.anonymize(frame, KmAnonymity(k, 2), items="basket", hierarchy=tree, method=method, seed=1)
        assert sorted(made.data["basket"].to_pylist()) == sorted(baskets), "nothing had to change"


EXAM = (
    check_passes_the_audit,
    check_same_seed_same_release,
    check_survives_json,
    check_k_1_changes_nothing,
    check_names_do_not_matter,
    check_odd_frames,
)
