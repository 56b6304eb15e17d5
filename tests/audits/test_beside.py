"""Columns that a job does not list: named, and if they tell people apart no promise holds beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tacit
from support.commands import run
from support.views import list_job
from tacit import Cahd, InputError, KAnonymity, KEpsAnonymity, KmAnonymity, SlicedDiversity, audits
from tacit.job import Column, Input, Job, Output

N = 60
NUMBERS = [f"{i:03}" for i in range(N)]
PEOPLE = pa.table({"age": ["30"] * N, "ill": ["flu", "cold"] * (N // 2)})


def audit(table: pa.Table, **options: Any) -> audits.AuditResult:
    return tacit.audit(table, KAnonymity(2), quasi="age", sensitive="ill", **options)


def with_values(values: list[Any], name: str = "ssn") -> pa.Table:
    return PEOPLE.append_column(name, pa.array(values))


def test_a_column_with_a_value_for_everybody_breaks_the_promise() -> None:
    result = audit(with_values(NUMBERS))
    assert result.satisfied is False
    assert result.violations[0]["column"] == "ssn"
    assert result.facts["unlisted_columns"] == result.facts["telling_columns"] == ["ssn"]
    assert "'ssn', which the job does not list, and which has 60 different values for 60 records" in str(result)
    assert "Columns say whose record is whose: 'ssn'." in result.in_numbers()


def test_unless_it_is_allowed() -> None:
    result = audit(with_values(NUMBERS), allow_columns="ssn")
    assert result.satisfied
    assert "Not looked at, for the job does not list it: 'ssn'." in str(result)


@pytest.mark.parametrize(
    ("different", "of", "holds"),
    [(54, 60, True), (55, 60, False), (46, 50, False), (45, 50, True), (49, 49, False), (2, 2, False), (9, 10, True)],
)
def test_nine_of_ten_records(different: int, of: int, holds: bool) -> None:
    table = with_values([min(i, different - 1) for i in range(N)])[:of]
    assert len(set(table["ssn"].to_pylist())) == different
    result = audit(table)
    assert result.satisfied is holds
    assert result.facts["unlisted_columns"] == ["ssn"]


@pytest.mark.parametrize(
    "values", [pa.array(NUMBERS).dictionary_encode(), pa.array([[i] for i in range(N)]), pa.array(range(N))]
)
def test_of_any_type(values: pa.Array) -> None:
    assert audit(PEOPLE.append_column("ssn", values)).satisfied is False


def test_null_is_no_value_of_its_own() -> None:
    assert audit(with_values([*NUMBERS[:54], *[None] * 6])).satisfied
    assert audit(with_values([*NUMBERS[:55], *[None] * 5])).satisfied is False


@pytest.mark.parametrize("name", ["SSN", " ssn", "s sn", "ssn\t", "s.s_n-", "\u200bssn"])
def test_an_identifier_in_another_spelling(name: str) -> None:
    """Few records, of which all have the same: the name says it."""
    columns = Column("age", "quasi"), Column("ssn", "identifier")
    job = list_job(*columns, promise=KAnonymity(1))
    table = pa.table({"age": ["30"], name: ["x"]})
    result = audits.audit(audits.read_view(table, job), job)
    assert result.satisfied is False
    assert "is the identifier 'ssn' but for case, blanks and signs" in str(result)
    assert audits.audit(audits.read_view(table, job, allow_columns=[name]), job).satisfied
    other = pa.table({"age": ["30"], "ssn2": ["x"]})
    assert audits.audit(audits.read_view(other, job), job).satisfied


@pytest.mark.parametrize("name", ["Age", "age ", "AGE (2)"])
def test_what_a_column_was_beside_what_is_published_of_it(name: str) -> None:
    """Raw ages of sixty people, of whom always two have the same, beside one age for all."""
    table = with_values([str(20 + i // 2) for i in range(N)], name)
    result = audit(table)
    assert result.satisfied is False
    assert "is the column 'age' but for case, blanks and signs" in str(result)
    assert audit(table, allow_columns=name).satisfied


def test_what_cannot_be_allowed() -> None:
    columns = Column("age", "quasi"), Column("ssn", "identifier")
    job = list_job(*columns, promise=KAnonymity(1))
    table = pa.table({"age": ["30"], "ssn": ["x"]})
    for name, problem in (("ssn", "calls this an identifier"), ("nobody", "no such column")):
        with pytest.raises(InputError, match=problem):
            audits.read_view(table, job, allow_columns=[name])


BASKETS = {"x": [["a"]] * N}
OTHERS: list[tuple[Job, dict[str, Any], str]] = [
    (list_job(Column("x", "items"), promise=KmAnonymity(2, 2)), BASKETS, "ssn"),
    (
        list_job(Column("x", "items", sensitive_items=("s",)), promise=Cahd(2)),
        {**BASKETS, "group": list(range(N))},
        "ssn",
    ),
    (
        list_job(Column("age", "quasi"), Column("ill", "sensitive"), promise=SlicedDiversity(2)),
        {"bucket": [i // 2 for i in range(N)], "1.age": ["30"] * N, "2.ill": ["flu", "cold"] * (N // 2)},
        "2.ssn",
    ),
    (list_job(Column("q", "rating", scale=(1, 5)), promise=KEpsAnonymity(2, 0)), {"q": [3] * N}, "ssn"),
]


@pytest.mark.parametrize(("job", "columns", "heading"), OTHERS, ids=lambda given: getattr(given, "promise", ""))
def test_of_every_kind_of_data(job: Job, columns: dict[str, Any], heading: str) -> None:
    """Numbers of groups and buckets are listed: a release has them of its own."""
    table = pa.table(columns)
    alone = audits.audit(audits.read_view(table, job), job)
    assert (alone.satisfied, alone.facts["unlisted_columns"]) == (True, [])
    more = table.append_column(heading, pa.array(NUMBERS))
    assert audits.audit(audits.read_view(more, job), job).violations[0]["column"] == "ssn"
    assert audits.audit(audits.read_view(more, job, allow_columns=["ssn"]), job).satisfied


def test_in_a_long_layout_persons_count() -> None:
    """Each of sixty persons has five rows, and one number."""
    columns = Column("who", "person"), Column("x", "items")
    job = Job(Input("test", layout="long"), columns, KmAnonymity(2, 1), Output(Path("out")))
    rows = [(i, item) for i in range(N) for item in "abcde"]
    table = pa.table({"who": [i for i, _ in rows], "x": [x for _, x in rows], "ssn": [NUMBERS[i] for i, _ in rows]})
    assert audits.audit(audits.read_view(table.drop(["ssn"]), job), job).satisfied
    assert audits.audit(audits.read_view(table, job), job).satisfied is False


def test_by_the_command(tmp_path: Path) -> None:
    job, data = tmp_path / "job.toml", tmp_path / "data.csv"
    job.write_text('[input]\nsource = "x.csv"\n[columns.age]\nrole = "quasi"\n[privacy]\nmodel = "k"\nk = 5\n')
    data.write_text("ssn,age\n" + "".join(f"{number},30\n" for number in NUMBERS))
    told = run("audit", job, data)
    assert told.code == 1 and "The file has 'ssn'" in told.out
    assert run("audit", job, data, "--allow-column", "ssn").code == 0
    assert run("audit", job, data, "--allow-column", "name").code == 2
    data.write_text("ssn,ssn,age\n" + "".join(f"{number},{number},30\n" for number in NUMBERS))
    told = run("audit", job, data, "--allow-column", "ssn")
    assert told.code == 1 and "The file has 'ssn (2)'" in told.out, "what is allowed is the first of a name"
