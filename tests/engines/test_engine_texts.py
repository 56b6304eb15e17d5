"""Text files of engines hold each cell sign by sign: blanks at its ends, quotes, breaks of lines, and nothing."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.engines import frames
from tacit.engines.session import Session
from tacit.io import FileFormat
from tacit.io.formats import format_named

_CELLS = [
    " v ", "\tt", "  ", "é\u00a0", 'w"x', '"', '""', '\\"', "\\", "y\nz", "a\r\nb", "a,b", "#c", "null", "N\\A", "=1+1",
]  # fmt: skip


@pytest.mark.parametrize("name", ["csv", "tsv"])
def test_cells_of_sail(sail: Session, tmp_path: Path, name: str) -> None:
    _check_cells(sail, tmp_path, format_named(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["csv", "tsv"])
def test_cells_of_spark(connect: Session, tmp_path: Path, name: str) -> None:
    _check_cells(connect, tmp_path, format_named(name))


def _check_cells(session: Session, folder: Path, output: FileFormat) -> None:
    pq.write_table(pa.table({"text": [*_CELLS, None], "at": range(len(_CELLS) + 1)}), folder / "cells.parquet")
    written = frames.write(session.spark.read.parquet(str(folder / "cells.parquet")), folder / "out", output)
    delimiter = "\t" if output.name == "tsv" else ","
    rows = [row for file in written for row in csv.reader(file.open(newline="", encoding="utf-8"), delimiter=delimiter)]
    assert {int(at): text for text, at in rows if at != "at"} == dict(enumerate([*_CELLS, ""]))
    found, _ = frames.read_files(session, folder / "out", output.name)
    assert {int(row["at"]): row["text"] for row in found.collect()} == dict(enumerate([*_CELLS, None]))
