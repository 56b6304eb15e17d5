"""Where persons have several records, the audit counts persons: by a file of rows, which it does not take on trust."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from support.commands import tacit as command
from support.commands import write_csv
from support.seeds import each_seed
from tacit import audits
from tacit.audits.result import AuditResult, unproven
from tacit.job import Column, Input, Job, Output
from tacit.promises import (
    KAnonymity,
    KKmAnonymity,
    KLmDiversity,
    LDiversity,
    Promise,
    SlicedDiversity,
    TCloseness,
)

COLUMNS = (
    Column("age", "quasi"),
    Column("ill", "sensitive"),
    Column("basket", "items", sensitive_items=("s", "z")),
    Column("who", "person"),
)
ROLES = {"quasi": ["age"], "sensitive": ["ill"], "items": "basket", "sensitive_items": ["s", "z"], "person": "who"}
RECORDS = [
    KAnonymity(3),
    LDiversity(2, 2),
    LDiversity(2, 1.5),
    LDiversity(2, 3, "distinct"),
    LDiversity(2, 2, "entropy"),
    TCloseness(2, 0.3),
    KKmAnonymity(2, 2),
    KKmAnonymity(3, 1),
    KKmAnonymity(2, "inf"),
    KLmDiversity(2, 2, 2),
    KLmDiversity(2, 1.5, "inf"),
]


def job_of(promise: Promise, *more: Column) -> Job:
    wanted = {"quasi", "person", *promise.roles}
    columns = (*(column for column in COLUMNS if column.role in wanted), *more)
    return Job(Input("test"), columns, promise, Output(Path("out")))


def random_table(seed: int) -> pa.Table:
    """Few groups of few persons with few items: promises are kept about as often as not."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(4, 40))
    items = [["a", "b", "c"][: int(rng.integers(1, 4))] for _ in range(rows)]
    kept = [[item for item in basket if rng.random() < 0.8] for basket in items]
    sensitive = [["s"] * (rng.random() < 0.15) + ["z"] * (rng.random() < 0.1) for _ in range(rows)]
    return pa.table(
        {
            "age": [str(age) for age in rng.integers(0, rng.integers(1, 4), rows)],
            "ill": [f"d{i}" for i in rng.integers(0, rng.integers(1, 6), rows)],
            "basket": pa.array([a + b for a, b in zip(kept, sensitive, strict=True)], pa.list_(pa.string())),
            "who": [f"p{i}" for i in rng.integers(0, max(2, rows // int(rng.integers(1, 4))), rows)],
        }
    )


def judged(table: pa.Table, promise: Promise, rows: Any = "as they are") -> Any:
    """The verdict on a table that is published as it is, but for whose records they are."""
    job = job_of(promise)
    named = [column.name for column in job.columns]
    original = audits.read_original(table.select(named), job, {}, is_local=True)
    view = audits.read_view(table.select([name for name in named if name != "who"]), job)
    given = np.arange(len(table)) if isinstance(rows, str) else rows
    return audits.judge(view, job, original, given)[0]


def definition(table: pa.Table, promise: Promise) -> bool:
    twin = import_module(f"naive.audits.{type(promise).__module__.rpartition('.')[2]}")
    return twin.holds(table, promise, ROLES)


@pytest.mark.parametrize("promise", RECORDS, ids=str)
@each_seed(range(400), fast=15)
def test_the_verdict_is_that_of_the_definition(promise: Promise, seed: int) -> None:
    table = random_table(seed)
    result = judged(table, promise)
    assert result.satisfied is definition(table, promise)
    assert bool(result.violations) is not result.satisfied


@each_seed(range(400), fast=15)
def test_the_level_is_no_more_than_what_the_definition_says(seed: int) -> None:
    """Of k that at most so many hold what is known, of m that so many items may be known; what is exact is no less."""
    table = random_table(seed)
    level = judged(table, KKmAnonymity(2, 2)).facts["level"]
    k, m = level["k_for_this_m"], level["m_for_this_k"]
    assert definition(table, KKmAnonymity(k, 2))
    assert not level["k_is_exact"] or not definition(table, KKmAnonymity(k + 1, 2))
    assert m == 0 or definition(table, KKmAnonymity(2, m))
    assert not level["m_is_exact"] or m == "inf" or not definition(table, KKmAnonymity(2, m + 1))


@pytest.mark.parametrize("promise", RECORDS, ids=str)
def test_random_tables_keep_promises_and_break_them(promise: Promise) -> None:
    """Lest the test before this one compare always the same."""
    verdicts = (definition(random_table(seed), promise) for seed in range(400))
    first = next(verdicts)
    assert any(verdict is not first for verdict in verdicts)


@pytest.mark.parametrize("kind", ["frequency", "distinct"])
@each_seed(range(200), fast=15)
def test_a_person_counts_once_in_a_window(kind: str, seed: int) -> None:
    rng, table = np.random.default_rng([seed, 4]), random_table(seed)
    ill = [["10", "11", "13", "14", "none"][i] for i in rng.integers(0, 5, len(table) - 1)] + ["12"]
    table = table.set_column(1, "ill", pa.array(ill))
    asked: dict[str, Any] = {"width": float(rng.choice([1, 2, 3])), "harmless": ("none",) * (seed % 2)}
    promise = LDiversity(1, 2, kind)
    columns = (Column("age", "quasi"), Column("ill", "sensitive", **asked), Column("who", "person"))
    job = Job(Input("test"), columns, promise, Output(Path("out")))
    named = [column.name for column in columns]
    original = audits.read_original(table.select(named), job, {}, is_local=True)
    view = audits.read_view(table.select(named[:2]), job)
    result = audits.judge(view, job, original, np.arange(len(table)))[0]
    twin = import_module("naive.audits.l")
    assert result.satisfied is twin.holds(table, promise, {**ROLES, "column_settings": {"ill": asked}})


def persons(*ages_and_ids: tuple[str, str]) -> pa.Table:
    return pa.table({"age": [age for age, _ in ages_and_ids], "who": [who for _, who in ages_and_ids]})


def test_exactly_k_persons_pass_and_one_less_fails() -> None:
    three = [("1", "p"), ("1", "p"), ("1", "q"), ("1", "r"), ("1", "r")]
    kept, broken = judged(persons(*three), KAnonymity(3)), judged(persons(*three[:3], *three[1:3]), KAnonymity(3))
    assert kept.satisfied is True
    assert kept.facts["smallest_group"] == 3
    assert kept.facts["persons"] == 3
    assert broken.satisfied is False
    assert broken.violations[0]["text"] == "age 1: 2 persons"


def test_shares_are_of_persons() -> None:
    """One of three persons has d1, in all three records: of the records that is more than half."""
    table = pa.table({"age": ["1"] * 5, "who": ["p", "p", "p", "q", "r"], "ill": ["d1", "d1", "d1", "d2", "d3"]})
    assert judged(table, LDiversity(3, 3)).satisfied is True
    both = pa.table({"age": ["1"] * 6, "who": ["p", "p", "p", "q", "r", "q"], "ill": ["d1"] * 3 + ["d2", "d3", "d1"]})
    found = judged(both, LDiversity(3, 3))
    assert found.satisfied is False
    assert "2 of 3 persons have ill d1" in found.violations[0]["text"]


@pytest.mark.parametrize("kind", ["distinct", "entropy"])
def test_a_value_that_all_persons_have_is_certain(kind: str) -> None:
    table = pa.table({"age": ["1"] * 4, "who": ["p", "p", "q", "q"], "ill": ["d1", "d2", "d1", "d2"]})
    assert judged(table, LDiversity(2, 2, kind)).satisfied is False


def test_a_promise_about_persons_is_not_proved_without_knowing_whose_record_is_whose() -> None:
    table = random_table(1)
    found = judged(table, KAnonymity(1), rows=None)
    assert found.satisfied is None
    assert "--rows" in str(found)
    job = job_of(KAnonymity(1))
    alone = audits.audit(audits.read_view(table.select(["age"]), job), job)
    assert alone.satisfied is None
    assert "--original" in str(alone)


def test_too_few_records_are_too_few_persons_whoever_they_are() -> None:
    table = persons(("1", "p"), ("1", "q"), ("2", "p"))
    assert judged(table, KAnonymity(2), rows=None).satisfied is False


@pytest.mark.parametrize("rows", [[0, 1, 2, 2, 4], [4, 1, 2, 3, 0]], ids=["not one-to-one", "not true"])
def test_rows_that_are_not_true_prove_nothing(rows: list[int]) -> None:
    table = persons(("1", "p"), ("1", "q"), ("1", "p"), ("1", "q"), ("2", "p"))
    job = job_of(KAnonymity(1))
    original, view = audits.read_original(table, job, {}, is_local=True), audits.read_view(table.select(["age"]), job)
    result, problems = audits.judge(view, job, original, np.array(rows))
    assert result.satisfied is None
    assert problems


def test_nobody_is_twice_in_a_bucket() -> None:
    table = pa.table({"age": ["1", "2", "3", "4"], "ill": ["a", "b", "a", "b"], "who": ["p", "q", "r", "q"]})
    job = job_of(SlicedDiversity(2))
    original = audits.read_original(table, job, {}, is_local=True)
    for buckets, holds in (([1, 1, 2, 2], True), ([1, 2, 1, 2], False)):
        rows = np.argsort(buckets, kind="stable")
        sliced = {"bucket": sorted(buckets), "1.age": table["age"].take(rows), "2.ill": table["ill"].take(rows)}
        if not holds:
            rows = np.array([0, 1, 2, 3])
            sliced = {"bucket": [1, 1, 2, 2], "1.age": table["age"], "2.ill": table["ill"]}
            original = audits.read_original(
                table.set_column(2, "who", pa.array(["p", "p", "r", "q"])), job, {}, is_local=True
            )
        view = audits.read_view(pa.table(sliced), job)
        assert audits.judge(view, job, original, np.stack([rows, rows]))[0].satisfied is holds


def test_a_published_person_gives_everybody_away() -> None:
    table = random_table(1)
    for role in ("person", "household"):
        job = Job(Input("test"), (Column("age", "quasi"), Column("who", role)), KAnonymity(1), Output(Path("out")))
        found = audits.audit(audits.read_view(table, job), job)
        assert found.satisfied is False
        assert "'who'" in str(found)


VISITS = """\
patient,home,age,ill
p,x,30,flu
p,x,31,flu
q,y,30,cold
q,y,32,flu
r,y,33,asthma
r,y,35,cold
"""
JOB = """\
[input]
source = "visits.csv"
[columns.patient]
role = "person"
[columns.age]
role = "quasi"
[columns.ill]
role = "sensitive"
[privacy]
model = "k"
k = 3
[method]
seed = 1
"""


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    (tmp_path / "visits.csv").write_text(VISITS)
    (tmp_path / "job.toml").write_text(JOB)
    assert command("anonymize", tmp_path / "job.toml", "-o", tmp_path / "out", "--no-report").code == 0
    return tmp_path


def test_the_audit_of_a_release_finds_its_rows(visits: Path) -> None:
    data = visits / "out" / "public" / "data.csv"
    assert command("audit", visits / "job.toml", data).code == 1
    proved = command("audit", visits / "job.toml", data, "--original")
    assert proved.code == 0
    assert "6 records of 3 persons" in proved.out
    moved = visits / "elsewhere.csv"
    moved.write_bytes(data.read_bytes())
    unproved = command("audit", visits / "job.toml", moved, "--original")
    assert unproved.code == 1
    assert "Persons have several records" in unproved.out
    rows = visits / "out" / "private" / "rows.csv"
    assert command("audit", visits / "job.toml", moved, "--original", "--rows", rows).code == 0
    assert "patient" not in data.read_text()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("published,original\n0,0\n", "does not say of each of 6"),
        ("published,original\n0,x\n", "numbers of records"),
        ("published,other\n0,1\n", "no such column"),
        ("published,original\n0,0\n1,1\n2,2\n3,3\n4,4\n5,99\n", "does not say of each of 6"),
    ],
)
def test_rows_that_cannot_be_read_are_bad_input(visits: Path, content: str, told: str) -> None:
    (visits / "rows.csv").write_text(content)
    data = visits / "out" / "public" / "data.csv"
    outcome = command("audit", visits / "job.toml", data, "--original", "--rows", visits / "rows.csv")
    assert outcome.code == 2
    assert told in outcome.err
    assert command("audit", visits / "job.toml", data, "--rows", visits / "rows.csv").code == 2


def test_rows_that_lie_are_found(visits: Path) -> None:
    data = visits / "out" / "public" / "data.csv"
    write_csv(visits / "rows.csv", [{"published": str(row), "original": "0"} for row in range(6)])
    outcome = command("audit", visits / "job.toml", data, "--original", "--rows", visits / "rows.csv")
    assert outcome.code == 1
    assert "is not true" in outcome.out


@pytest.mark.parametrize(
    ("home", "told"), [("x", None), ("z", "line 3"), ("", "line 3")], ids=["one", "in two households", "missing"]
)
def test_a_person_has_one_household(visits: Path, home: str, told: str | None) -> None:
    (visits / "visits.csv").write_text(VISITS.replace("p,x,31", f"p,{home},31"))
    household = '[columns.home]\nrole = "household"\n[privacy]'
    (visits / "job.toml").write_text(JOB.replace("[privacy]", household).replace("k = 3", "k = 2"))
    outcome = command("anonymize", visits / "job.toml", "-o", visits / "homes", "--no-report")
    assert outcome.code == (0 if told is None else 2)
    if told is not None:
        assert told in outcome.err
        assert not (visits / "homes").exists()
        return
    data = visits / "homes" / "public" / "data.csv"
    assert "6 records of 2 persons" in command("audit", visits / "job.toml", data, "--original").out


def test_a_record_of_nobody_is_bad_input(visits: Path) -> None:
    (visits / "visits.csv").write_text(VISITS.replace("q,y,32", ",y,32"))
    outcome = command("anonymize", visits / "job.toml", "-o", visits / "nobody", "--no-report")
    assert outcome.code == 2
    assert "line 5" in outcome.err
    assert not (visits / "nobody").exists()


def test_more_persons_than_there_are_cannot_be_reached(visits: Path) -> None:
    outcome = command("anonymize", visits / "job.toml", "--set", "privacy.k=4", "-o", visits / "four", "--no-report")
    assert outcome.code == 3
    assert "only 3 persons" in outcome.err


@pytest.mark.parametrize(
    ("smallest", "satisfied", "told"), [(1, False, False), (5, False, None), (5, True, None), (1, None, None)]
)
def test_records_alone_prove_only_that_a_group_is_too_small(
    smallest: int, satisfied: bool | None, told: bool | None
) -> None:
    """A value that is too frequent among records need not be so among the persons whose records they are."""
    broken = [{"text": "something"}] if satisfied is False else []
    result = AuditResult("l", {"k": 2, "l": 2}, satisfied, None, broken, {"smallest_group": smallest}, ("before",))
    found = unproven(result, "persons")
    assert found.satisfied is told and found.explanation[0] == "persons"
    assert bool(found.violations) == (told is False)
