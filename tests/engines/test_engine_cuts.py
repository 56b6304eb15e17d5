"""Files of Spark end where places and ranks say, so that the same rows are the same files, however they lay before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.engines import cuts, frames
from tacit.engines.order import PLACE
from tacit.engines.session import Session
from tacit.io.formats import format_named
from tacit.shuffle import places

_ROWS, _FILES = 400, 7


def _numbered() -> pa.Table:
    """Rows with places and with ranks, and with places that a number of 59 bits leads."""
    place = places(bytes(32), (f"{row}".encode() for row in range(_ROWS)))
    led = [(int.from_bytes(each[:8]) >> 5).to_bytes(8) + each for each in place]
    return pa.table({"row": range(_ROWS), PLACE: pa.array(place, pa.binary()), "led": pa.array(led, pa.binary()),
                     "rank": range(1, _ROWS + 1), "number": [row % _FILES for row in range(_ROWS)]})  # fmt: skip


def _sorted(how: str, rows: Any) -> Any:
    if how == "led":
        return cuts.by_place(rows.drop(PLACE).withColumnRenamed("led", PLACE), _FILES, led=True)
    if how == "rank":
        return cuts.by_rank(rows, _FILES, _ROWS, "rank", "row")
    return cuts.by_number(rows, _FILES, "number", "row") if how == "number" else cuts.by_place(rows, _FILES)


def _cut(session: Session, folder: Path, how: str) -> list[list[list[int]]]:
    """What is in the files, of rows that lay in two ways."""
    pq.write_table(_numbered(), folder / "rows.parquet")
    rows, found = session.spark.read.parquet(str(folder / "rows.parquet")), []
    for name, given in (("one", rows.repartition(3)), ("two", rows.repartition(5, "row"))):
        files = frames.write(_sorted(how, given).select("row"), folder / name, format_named("parquet"))
        found.append([pq.read_table(file)["row"].to_pylist() for file in files])
    return found


def _in_order(how: str) -> list[int]:
    table = _numbered()
    by = {"place": [PLACE], "led": ["led"], "rank": ["rank"], "number": ["number", "row"]}[how]
    return table.sort_by([(name, "ascending") for name in by])["row"].to_pylist()


@pytest.mark.parametrize("how", ["place", "led", "rank", "number"])
def test_the_order_is_that_of_places_and_ranks(sail: Session, tmp_path: Path, how: str) -> None:
    for files in _cut(sail, tmp_path, how):
        assert [row for file in files for row in file] == _in_order(how)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["place", "led", "rank", "number"])
def test_files_end_where_they_do_each_time(connect: Session, tmp_path: Path, how: str) -> None:
    one, two = _cut(connect, tmp_path, how)
    assert one == two
    assert [row for file in one for row in file] == _in_order(how)
    assert len(one) == _FILES
    assert max(map(len, one)) < 2 * min(map(len, one))


def test_a_file_has_a_million_rows() -> None:
    counts = [cuts.files_for(rows) for rows in (0, 1, 1_000_000, 1_000_001, 20_000_000)]
    assert counts == [1, 1, 1, 2, 20]
