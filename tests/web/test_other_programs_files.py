"""Files of other programs on the page: loaded, looked at, and made into a release."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars
import pyreadstat
import pytest
import xlsxwriter

from support.arx import project as arx_project
from support.web import job, load, owner, people, run

_OF_ODFPY = Path(__file__).parents[1] / "io" / "files" / "people.ods"


def _rows() -> list[list[str]]:
    return [line.split(",") for line in people().splitlines()]


def _file(folder: Path, end: str) -> Path:
    """The same people as another program has them."""
    file, (names, *rows) = folder / f"people.{end}", _rows()
    if end == "ods":
        shutil.copy(_OF_ODFPY, file)
    elif end == "xlsx":
        with xlsxwriter.Workbook(file) as book:
            sheet = book.add_worksheet()
            for place, row in enumerate([names, *rows]):
                sheet.write_row(place, 0, row)
    elif end == "deid":
        return arx_project(file)
    else:
        frame = polars.DataFrame({name: [row[place] for row in rows] for place, name in enumerate(names)})
        {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta, "xpt": pyreadstat.write_xport}[end](frame, str(file))
    return file


@pytest.mark.slow
@pytest.mark.parametrize("end", ["xlsx", "ods", "sav", "dta", "xpt", "deid"])
def test_a_file_of_another_program_becomes_a_release_on_the_page(tmp_path: Path, end: str) -> None:
    with owner(tmp_path) as client:
        file = _file(tmp_path, end)
        project = load(client, file.read_bytes(), file.name)
        assert "[columns.age]" in job(client, project)
        assert "The promise holds" in client.get(run(client, project)).text
