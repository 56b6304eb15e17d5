"""Sorted files of more rows than are sorted at once: the same order, whatever the passes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.engines import passes
from tacit.engines.frames import ROWS
from tacit.engines.order import PLACE
from tacit.engines.session import Session
from tacit.io.formats import format_named
from tacit.shuffle import places


@pytest.mark.parametrize(("at_once", "counted"), [(1_000, True), (40, True), (7, True), (40, False)])
def test_rows_are_in_their_order_whatever_the_passes(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int, counted: bool
) -> None:
    monkeypatch.setattr(passes, "AT_ONCE", at_once)
    texts = [f"t{index % 60}" for index in range(90)]  # two rows may be published alike
    place = places(bytes(32), (text.encode() for text in texts))
    often = [200 if index == 5 else 1 + index % 3 for index in range(90)] if counted else [1] * 90
    table = pa.table({"item": texts, PLACE: pa.array(place, pa.binary()), ROWS: pa.array(often, pa.int64())})
    pq.write_table(table if counted else table.drop_columns([ROWS]), tmp_path / "kept.parquet")
    rows = sail.spark.read.parquet(str(tmp_path / "kept.parquet"))
    files = passes.write_in_order(sail, rows, ["item"], 100, tmp_path / "out", format_named("parquet"))
    found = [text for file in files for text in pq.read_table(file)["item"].to_pylist()]
    pairs = sorted(zip(place, texts, often, strict=True))
    assert found == [text for _, text, count in pairs for _ in range(count)]
    assert [file.name for file in files] == [f"part-{index:05}.parquet" for index in range(len(files))]
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [file.name for file in files]
    if at_once < 100:
        most = at_once + 1  # shares of two rows that are published alike may both be rounded up
        assert max(pq.read_table(file).num_rows for file in files) <= most


@pytest.mark.parametrize("counted", [True, False])
def test_rows_that_many_people_have_for_many_reasons_are_in_several_passes(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted: bool
) -> None:
    """Where a decision makes one row of many different ones, each of these may stand for one person alone."""
    monkeypatch.setattr(passes, "AT_ONCE", 10)
    place = places(bytes(32), (text.encode() for text in ["all"] * 35 + ["other"]))
    table = pa.table({"item": [["all"]] * 35 + [["other"]], PLACE: pa.array(place, pa.binary())})
    table = table.append_column(ROWS, pa.array([1] * 36, pa.int64())) if counted else table
    pq.write_table(table, tmp_path / "kept.parquet")
    rows = sail.spark.read.parquet(str(tmp_path / "kept.parquet"))
    files = passes.write_in_order(sail, rows, ["item"], 100, tmp_path / "out", format_named("parquet"))
    found = [pq.read_table(file)["item"].to_pylist() for file in files]
    assert sorted(item for file in found for item in file) == [["all"]] * 35 + [["other"]]
    assert max(map(len, found)) <= 11
