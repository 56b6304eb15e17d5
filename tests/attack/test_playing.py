"""How attacks are played: one scene after the other, and the same figures however large codes become."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacit
from tacit.attack import runner
from tacit.attack.attackers import file_order
from tacit.attack.record_matching import RecordMatcher
from tacit.attack.risk.classes import classes_of
from tacit.attack.scene import Scene


def test_what_one_scene_looked_up_is_forgotten_before_the_other_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    scenes: list[Scene] = []
    alive: list[tuple[bool, ...]] = []
    init = RecordMatcher.__init__

    def built(self: RecordMatcher, *given: object) -> None:
        alive.append(tuple(bool(scene.memo) for scene in scenes))
        init(self, *given)  # type: ignore[arg-type]

    def noticed(after: Scene, before: Scene, **named: object) -> object:
        scenes.extend((after, before))
        return play_all(after, before, **named)  # type: ignore[arg-type]

    play_all = runner.play_all
    monkeypatch.setattr(RecordMatcher, "__init__", built)
    monkeypatch.setattr("tacit.attack.flow.play_all", noticed)
    rng = np.random.default_rng(1)
    table = pa.table({"age": rng.integers(20, 40, 60), "zip": rng.integers(0, 9, 60).astype(str)})
    release = tacit.anonymize(table, tacit.KAnonymity(3), quasi=["age", "zip"], seed=1)
    found = tacit.attack(table, release.data, tacit.KAnonymity(3), quasi=["age", "zip"], rows=release.original)
    assert (True, False) in alive  # of the release, of the original
    assert (False, True) in alive
    assert (True, True) not in alive
    assert any(each.before is not None for each in found.played)


def test_classes_are_those_of_whole_rows_where_codes_are_large() -> None:
    rng = np.random.default_rng(2)
    columns = [rng.integers(0, 60_000, 4_000, dtype=np.int32) // each for each in (1, 7, 20_000)]
    columns = [np.concatenate((column, column[:500])) for column in columns]
    found = classes_of(columns, 4_500)
    _, of, sizes = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True, return_counts=True)
    assert np.array_equal(found.of, of.ravel())
    assert np.array_equal(found.sizes, sizes)


@pytest.mark.slow
def test_values_of_many_groups_are_told_apart() -> None:
    count = 50_000  # groups × values is more than fits into 32 bits
    table = pa.table({"id": np.arange(count).astype(str), "code": np.roll(np.arange(count), 7).astype(str)})
    found = tacit.attack(table, None, tacit.KAnonymity(2), quasi=["id"], sensitive="code", attackers="posterior")
    assert {each.after.success.value for each in found.played if each.after.success} == {1.0}


def test_first_rows_are_counted_as_one_by_one() -> None:
    rng = np.random.default_rng(3)
    table = pa.table({"age": rng.integers(0, 500, 300)})
    release = tacit.anonymize(table, tacit.KAnonymity(4), quasi="age", seed=1)
    found = tacit.attack(
        table, release.data, tacit.KAnonymity(4), quasi="age", rows=release.original, attackers=file_order.ATTACKER.name
    )
    mine = next(each.after for each in found.played if "begins groups" in each.after.knows)
    ages, labels = table["age"].to_numpy(), np.array(release.data["age"].to_pylist(), object)
    far, right, chance = np.abs(ages - ages.mean()), [], []
    for label in set(labels.tolist()):
        apart = far[np.asarray(release.original)[labels == label]]
        if 1 < apart.size <= 50 and apart.min() < apart.max():
            right.append(apart[0] == apart.max())
            chance.append(np.mean(apart == apart.max()))
    assert mine.success is not None
    assert mine.success.tried == len(right)
    assert mine.success.value == pytest.approx(np.mean(right))
    assert mine.baseline == pytest.approx(np.mean(chance))
