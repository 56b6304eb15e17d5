"""Groups that are formed anew: never more loss, groups that are whole, and losses as they are published."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from naive import relational as naive
from support.grouping_cases import as_attributes, random_columns
from support.seeds import in_parts
from tacit.arrays.attributes import losses, spans
from tacit.arrays.reading import read_attribute, with_grid
from tacit.job import Column
from tacit.records.asked import Asked
from tacit.records.solvers.diversity import need_of
from tacit.records.solvers.grouping import Grouping
from tacit.records.solvers.mondrian import _group_crowds
from tacit.records.solvers.shaking import _pieces, shake
from tacit.records.solvers.units import Table, exact_measure_of


@in_parts(range(40), 10)
def test_shaken_groups_are_whole_and_lose_no_more(seeds: Sequence[int]) -> None:
    better = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        rows, k = int(rng.integers(30, 120)), int(rng.integers(2, 6))
        columns, sensitive = random_columns(rng, rows), rng.integers(0, 4, rows).astype(np.int32)
        asked = [Asked.plainly(sensitive, 1.5)] if seed % 2 else []
        table = Table.of(as_attributes(columns), [each.codes for each in asked])
        grouping = Grouping(table.measure, table.units, need_of(k, asked, "frequency", table.units), rng)
        _group_crowds(grouping)
        grouping.complete()
        grouping.improve()
        before = grouping.loss
        found = shake(grouping, 15)
        better += found.loss < before - 1e-6
        assert found.loss <= before
        group = found.groups.of[table.unit_of_record]
        held = [np.flatnonzero(group == number).tolist() for number in np.unique(group)]
        assert sum(map(len, held)) == rows
        assert min(map(len, held)) >= k
        assert naive.total_loss(columns, held) == pytest.approx(found.loss, abs=1e-4)
        for each in held if asked else ():
            assert naive.reached(sensitive[each].tolist(), "frequency") >= 1.5 - 1e-9
    assert better


def test_pieces_are_the_smallest_that_are_whole_groups_of_both() -> None:
    several = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        one, other = rng.integers(0, 8, 12), rng.integers(0, 8, 12)
        pieces = [{unit} for unit in range(12)]
        for groups in (one, other):
            for number in range(12):
                joined = [piece for piece in pieces if any(groups[unit] == number for unit in piece)]
                pieces = [piece for piece in pieces if piece not in joined]
                pieces += [set().union(*joined)] if joined else []
        found = _pieces(one, other)
        assert sorted(map(min, pieces)) == sorted(min(np.flatnonzero(found == each)) for each in set(found.tolist()))
        assert all(len(set(found[list(piece)].tolist())) == 1 for piece in pieces)
        several += len(pieces) > 1
    assert several > 10


def test_ranges_lose_in_the_search_what_they_lose_when_they_are_published() -> None:
    rounded = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        numbers = np.sort(rng.choice(200, 12, replace=False))
        texts: list[str | None] = [str(n) for n in np.repeat(numbers, rng.integers(1, 6, 12))]
        column = Column("q", "quasi", round=[None, 5, 10, "exact"][seed % 4], top=[None, 150][seed % 2])
        attribute = with_grid(read_attribute(pa.array([*texts, None]), column), column, 4)
        measure, codes = exact_measure_of([attribute]), len(attribute.texts)
        table = measure.value[: codes**2].reshape(codes, codes)
        for low in range(codes):
            for high in range(low + 1, codes):
                two = np.flatnonzero(np.isin(attribute.codes, [low, high]))
                group = np.where(np.isin(np.arange(len(attribute)), two), 0, 1).astype(np.int32)
                assert table[low, high] == pytest.approx(losses(attribute, spans(attribute, group, 2))[0], abs=1e-12)
                assert table[low, high] >= max(table[low, high - 1], table[low + 1, high])
        plain = exact_measure_of([read_attribute(pa.array([*texts, None]), column)])
        rounded += not np.array_equal(plain.value, measure.value)
    assert rounded > 2
