"""Groups of persons with several records: counted exactly, and again once groups are published alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacit
from tacit.arrays.reading import read_attribute
from tacit.errors import InputError
from tacit.flow import make_release
from tacit.job import Column, Input, Job, Method, Output
from tacit.records.asked import Asked
from tacit.records.solvers.diversity import need_of
from tacit.records.solvers.grouping import Grouping, settled
from tacit.records.solvers.units import Table
from tacit.slices.solvers.apart import keep_apart


@pytest.mark.parametrize("method", ["mondrian", "cluster"])
@pytest.mark.parametrize("promise", [tacit.LDiversity(3, 3), tacit.TCloseness(3, 0.01)], ids=str)
def test_a_value_in_several_records_of_a_person_counts_once(method: str, promise: tacit.Promise) -> None:
    """Counted by records, the one with four of them would need others from far away."""
    table = pa.table(
        {
            "age": [30, 31, 32, 33, 34, 35, 70, 71, 72, 73, 74, 75],
            "who": ["p", "p", "p", "p", "q", "r", "s", "s", "s", "s", "t", "u"],
            "ill": ["a", "a", "a", "a", "b", "c", "b", "b", "b", "b", "a", "c"],
        }
    )
    made = tacit.anonymize(table, promise, quasi="age", sensitive="ill", person="who", method=method, seed=1)
    assert set(made.data["age"].to_pylist()) == {"[≤35]", "[≥70]"}


def test_groups_that_are_published_alike_are_counted_together() -> None:
    """Each of the first two is diverse. Together, two of their three persons have the value 0."""
    age = read_attribute(pa.array(["1", "2", "1", "2", "9", "9", "10"]), Column("age", "quasi"))
    sensitive, persons = np.array([0, 1, 0, 2, 1, 2, 3], np.int32), np.array([0, 1, 2, 1, 3, 4, 5], np.int32)
    table = Table.of([age], [sensitive], persons)
    need = need_of(2, [Asked.plainly(sensitive, 2)], "frequency", table.units)
    grouping = Grouping(table.measure, table.units, need, np.random.default_rng(0))
    of_unit = np.empty(table.units.weight.size, np.int32)
    of_unit[table.unit_of_record] = [0, 0, 1, 1, 2, 2, 2]
    grouping.put(of_unit)
    assert settled(table, grouping).tolist() == [0] * 7


def test_an_exchange_brings_nobody_to_a_bucket_who_is_there() -> None:
    bucket, persons = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 1, 0, 2, 3])
    whole, sensitive = np.zeros(6, np.int32), np.arange(6)[None, :]
    keep_apart(bucket, persons, whole, sensitive, np.zeros(6, bool), 0.5)
    pairs = set(zip(bucket.tolist(), persons.tolist(), strict=True))
    assert len(pairs) == 6
    assert sorted(bucket.tolist()) == [0, 0, 1, 1, 2, 2]


def test_an_exchange_makes_no_value_too_frequent() -> None:
    """Only the last record has a value that the first bucket lacks, and may be taken."""
    bucket, persons = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 1, 2, 3, 4])
    sensitive = np.array([[0, 1, 0, 1, 0, 2]])
    keep_apart(bucket, persons, np.zeros(6, np.int32), sensitive, np.zeros(6, bool), 0.5)
    for each in range(3):
        here = sensitive[0, bucket == each].tolist()
        assert len(set(here)) == len(here) == 2
    assert len(set(zip(bucket.tolist(), persons.tolist(), strict=True))) == 6


def test_a_population_counts_people_not_records() -> None:
    table = pa.table({"who": [f"p{row // 5}" for row in range(200)], "age": [30 + row // 5 % 4 for row in range(200)]})
    columns = (Column("who", "person"), Column("age", "quasi"))

    def job(population: int) -> Job:
        asked = Input(Path("d.csv"), population=population)
        return Job(asked, columns, tacit.KAnonymity(k=3), Output(Path("out")), Method(seed=1))

    assert make_release(table, job(40)).table.num_rows == 200
    with pytest.raises(InputError, match="population is 39, but the file has 40 people"):
        make_release(table, job(39))
