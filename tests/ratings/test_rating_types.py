"""Numbers and ids of other packages: UUIDs, decimal and NumPy numbers, items that are numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import tacit as package
from support.commands import tacit
from tacit import Coherence, KAnonymity, KEpsAnonymity, LmDiversity
from tacit.errors import InputError

WHO = [UUID(int=code) for code in (7, 2**100, 3, 5)]
LOG = pd.DataFrame(
    [(who, movie, 1 + (n + movie) % 5) for n, who in enumerate(WHO) for movie in (10, 20)],
    columns=["who", "movie", "stars"],
)
ROLES: dict[str, Any] = {"person": "who", "items": "movie", "rating": "stars", "scale": (1, 5), "step": 1}


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        (KEpsAnonymity(np.int64(5), Decimal("0.1")), KEpsAnonymity(5, 0.1)),  # type: ignore[arg-type]
        (KEpsAnonymity(np.uint8(3), np.float32(0.1)), KEpsAnonymity(3, 0.1)),  # type: ignore[arg-type]
        (KEpsAnonymity(2, np.int32(1), np.float64(1.5)), KEpsAnonymity(2, 1, 1.5)),
        (Coherence(np.float32(0.4), 2, np.int16(3)), Coherence(0.4, 2, 3)),  # type: ignore[arg-type]
        (LmDiversity(Decimal(3), np.int64(2)), LmDiversity(3.0, 2)),  # type: ignore[arg-type]
    ],
)
def test_numbers_of_other_packages_are_plain_numbers(given: package.models.Promise, plain: object) -> None:
    assert given == plain
    assert {type(value) for value in vars(given).values()} <= {int, float, type(None)}


@pytest.mark.parametrize("k", [np.float64(2), 2.0, Decimal(2), np.bool_(True), True, "2", Fraction(5, 2)])
def test_what_is_no_whole_number_is_refused(k: Any) -> None:
    with pytest.raises(InputError, match="whole number"):
        KAnonymity(k)


@pytest.mark.parametrize("eps", [Decimal("NaN"), np.float64("inf"), Decimal(-1), "1", True, None])
def test_what_is_no_distance_is_refused(eps: Any) -> None:
    with pytest.raises(InputError, match="at least 0"):
        KEpsAnonymity(2, eps)


def as_arrow(frame: pd.DataFrame) -> pa.Table:
    ids = pa.array([who.bytes for who in frame["who"]], pa.uuid())
    return pa.table({"who": ids, "movie": frame["movie"].to_numpy(), "stars": frame["stars"].to_numpy()})


@pytest.mark.parametrize("frame", [LOG, as_arrow(LOG), LOG.assign(who=LOG["who"].astype(str))])
def test_people_with_uuids(frame: Any, tmp_path: Path) -> None:
    release = package.anonymize(frame, KEpsAnonymity(2, 1), **ROLES, seed=1)
    assert sorted(set(pa.table(release.data)["who"].to_pylist())) == [1, 2, 3, 4]
    release.save(tmp_path / "out", report=False)
    kept = pd.read_csv(tmp_path / "out" / "private" / "rows.csv")
    assert set(kept["original"]) == set(map(str, WHO))


def test_a_file_with_uuids(tmp_path: Path) -> None:
    parquet.write_table(as_arrow(LOG), tmp_path / "in.parquet")
    roles = "".join(f'[columns.{name}]\nrole = "{role}"\n' for name, role in (("who", "person"), ("movie", "items")))
    rating = '[columns.stars]\nrole = "rating"\nscale = [1, 5]\nstep = 1\n[privacy]\nmodel = "k-eps"\nk = 2\neps = 1\n'
    (tmp_path / "job.toml").write_text(f'[input]\nsource = "in.parquet"\nlayout = "long"\n{roles}{rating}')
    assert tacit("anonymize", tmp_path / "job.toml", "-o", tmp_path / "out", "--no-report").code == 0


@pytest.mark.parametrize("items", [[10], [np.int64(10)], ["10"], 10, "10"])
def test_sensitive_items_that_are_numbers(items: Any) -> None:
    release = package.anonymize(LOG, KEpsAnonymity(2, 1), **ROLES, sensitive_items=items, seed=1)
    before, after = (sorted(frame[frame["movie"] == 10]["stars"]) for frame in (LOG, release.data))
    assert before == after
    assert release.audit.facts["issues_an_attacker_may_know"] == 1


@pytest.mark.parametrize(
    ("items", "told"), [([11], "'11', which nobody rated"), ([1.5], "names no item"), ([True], "no")]
)
def test_sensitive_items_that_are_none(items: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        package.anonymize(LOG, KEpsAnonymity(2, 1), **ROLES, sensitive_items=items, seed=1)


def test_columns_named_by_numbers() -> None:
    frame = pd.DataFrame({0: [1, 1, 5, 5], 1: [2, 2, 2, 2]})
    release = package.anonymize(frame, KEpsAnonymity(2, 1), rating=[0, 1], scale=(1, 5), step=1, seed=1)  # type: ignore[list-item]
    assert list(release.data.columns) == ["0", "1"]
