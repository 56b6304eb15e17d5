"""`tacit init` on tables as people have them: kind and roles are right, and nobody is named by what is published."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from support.commands import read_csv, tacit, write_csv
from support.contact_tables import CONTACT
from support.eighth_contact import EIGHTH
from support.expected_roles import SHARED
from support.fifth_contact import FIFTH
from support.first_tables import PUBLISHED, TWELVE, Made
from support.fourth_contact import FOURTH
from support.more_tables import MORE
from support.ninth_contact import NINTH
from support.second_contact import SECOND
from support.seventh_contact import SEVENTH
from support.sixth_contact import SIXTH
from support.third_contact import THIRD
from support.unseen_tables import UNSEEN
from tacit.init.plan import Plan, make_plan
from tacit.init.source import RawData, read_raw
from tacit.init.text import quoted
from tacit.job import Input
from tacit.job.model import NEVER_PUBLISHED

_BATCHES = {
    "twelve": TWELVE,
    "unseen": UNSEEN,
    "more": MORE,
    "contact": CONTACT,
    "second": SECOND,
    "third": THIRD,
    "fourth": FOURTH,
    "fifth": FIFTH,
    "sixth": SIXTH,
    "seventh": SEVENTH,
    "eighth": EIGHTH,
    "ninth": NINTH,
}
_ALL = {name: make for tables in _BATCHES.values() for name, make in tables.items()}
_IN_EVERY_RUN = ("twelve", "unseen", "ninth")


@cache
def planned(name: str) -> tuple[Made, Plan]:
    made = _ALL[name]()
    table = pa.table({name: pa.array(list(values), pa.string()) for name, values in made.columns.items()})
    return made, make_plan(RawData(table, Input("table.csv")), "auto")


def wrong(plan: Plan, roles: dict[str, str]) -> dict[str, str]:
    return {each.name: each.role for each in plan.choices if each.role not in roles[each.name].split("|")}


def _first_batches(cases: dict[str, Any]) -> list[Any]:
    """Cases of batches: those of some in every run, the others in the slow one."""
    return [
        pytest.param(case, id=name, marks=[] if batch in _IN_EVERY_RUN else pytest.mark.slow)
        for batch, named in cases.items()
        for name, case in named.items()
    ]


def test_no_table_hides_another_one_by_its_name() -> None:
    assert len(_ALL) == sum(map(len, _BATCHES.values()))


@pytest.mark.parametrize("name", _first_batches({batch: {n: n for n in tables} for batch, tables in _BATCHES.items()}))
def test_the_kind_is_right_and_nobody_is_named(name: str) -> None:
    made, plan = planned(name)
    assert plan.kind == made.kind
    assert [each.name for each in plan.choices] == list(made.columns), "every column is in the job"
    given_away = {each.name for each in plan.choices if each.role in PUBLISHED} & made.private
    assert not given_away


@pytest.mark.parametrize("tables", _first_batches({batch: {batch: tables} for batch, tables in _BATCHES.items()}))
def test_nearly_all_roles_are_right(tables: dict) -> None:
    columns = mistakes = 0
    for name in tables:
        made, plan = planned(name)
        columns, mistakes = columns + len(made.columns), mistakes + len(wrong(plan, made.roles))
    assert mistakes <= 0.05 * columns


_QUICK = ("german_clinic", "french_shop", "odd_ratings", "szkola")


@pytest.mark.parametrize(
    "name", [*_QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in _ALL if name not in _QUICK)]
)
def test_the_job_runs_and_the_release_names_nobody(tmp_path: Path, name: str) -> None:
    made = _ALL[name]()
    write_csv(
        tmp_path / "in.csv",
        [dict(zip(made.columns, row, strict=True)) for row in zip(*made.columns.values(), strict=True)],
    )
    ended = tacit("init", tmp_path / "in.csv", "-o", tmp_path / "job.toml")
    assert ended.code == 0, ended.err
    text = (tmp_path / "job.toml").read_text(encoding="utf-8")
    assert all(quoted(column).strip('"') in text for column in made.columns)
    ended = tacit("anonymize", tmp_path / "job.toml", "--no-report", "--no-attack", "--json")
    assert (ended.code, ended.json()["audit"]["satisfied"]) == (0, True), ended.err
    header = set(read_csv(tmp_path / "out/public/data.csv")[0])
    assert header and not header & {each for each in made.private if "person" not in made.roles[each]}


@pytest.mark.parametrize("file", SHARED)
def test_shared_data(shared_data: Path, file: str) -> None:
    kind, roles = SHARED[file]
    raw = read_raw(str(shared_data / file), format="dat" if "groceries" in file else None)
    plan = make_plan(raw, "auto")
    assert plan.kind == kind
    mistakes = wrong(plan, roles)
    assert len(mistakes) <= 0.05 * len(roles), mistakes
    hidden = {name for name, role in roles.items() if {*role.split("|")} <= {*NEVER_PUBLISHED, "person"}}
    assert not hidden & {each.name for each in plan.choices if each.role in PUBLISHED}


def test_a_survey_of_young_people(shared_data: Path) -> None:
    """Two of its headers are equal: the second one gets a number."""
    plan = make_plan(read_raw(str(shared_data / "ratings/young_people_survey.csv.gz")), "auto")
    roles = Counter(each.role for each in plan.choices)
    assert plan.kind == "ratings"
    assert (roles["rating"], roles["identifier"]) == (135, 15)
