"""Exports as spreadsheets of several countries write them go through `init` and `anonymize` with no edit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.commands import tacit
from support.first_tables import Draw
from tacit.job import read_job

_ROWS = 240


def export(path: Path, columns: dict[str, list[str]], *, delimiter: str, encoding: str, end: str) -> None:
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    text = "".join(delimiter.join(row) + end for row in rows)
    path.write_bytes(text.encode(encoding))


def comma(values: list[str]) -> list[str]:
    return [each.replace(".", ",") for each in values]


def short_days(values: list[str], sign: str) -> list[str]:
    """Days and months without zeros in front."""
    return [sign.join(str(int(part)) for part in re.split(r"[./]", each)) for each in values]


def german(draw: Draw) -> dict[str, list[str]]:
    return {
        "Größe": comma(draw.numbers(150, 200, 1)),
        "Geburtstag": short_days(draw.dates("%d.%m.%Y"), "."),
        "Müdigkeit": draw.of("oft", "selten", "nie"),
        "Gehalt": comma(draw.skewed(3000, 2)),
    }


def french(draw: Draw) -> dict[str, list[str]]:
    return {
        "Taille": comma(draw.numbers(1.5, 2, 2)),
        "Né le": draw.dates("%d/%m/%Y"),
        "Région": draw.of("Île-de-France", "Bretagne", "Rhône"),
        "Revenu": comma(draw.skewed(2500, 2)),
    }


def american(draw: Draw) -> dict[str, list[str]]:
    return {
        "height_in": draw.numbers(58, 78, 1),
        "DOB": short_days(draw.dates("%m/%d/%Y"), "/"),
        "state": draw.of("TX", "OH", "NV"),
        "income": draw.skewed(45_000, 2),
    }


_EXPORTS = {
    "german": (german, ";", "cp1252", "\r\n", {"Größe": (",", None), "Geburtstag": (None, "D.M.YYYY")}, "Gehalt"),
    "french": (french, ";", "utf-8-sig", "\r\n", {"Taille": (",", None), "Né le": (None, "DD/MM/YYYY")}, "Revenu"),
    "american": (american, ",", "utf-8", "\n", {"height_in": (None, None), "DOB": (None, "M/D/YYYY")}, "income"),
    "japanese machine": (german, "\t", "utf-16", "\n", {"Größe": (",", None)}, "Gehalt"),
}


@pytest.mark.parametrize("country", _EXPORTS)
def test_an_export_needs_no_edit_and_keeps_its_style(tmp_path: Path, country: str) -> None:
    make, delimiter, encoding, end, styles, sensitive = _EXPORTS[country]
    file = tmp_path / f"export.{'tsv' if delimiter == chr(9) else 'csv'}"
    export(file, make(Draw(_ROWS, 7)), delimiter=delimiter, encoding=encoding, end=end)
    made = tacit("init", file, "-o", tmp_path / "job.toml", "--json")
    assert made.code == 0, made.err
    job = read_job(tmp_path / "job.toml")
    columns = {column.name: column for column in job.columns}
    for name, style in styles.items():
        assert (columns[name].decimal, columns[name].date_format) == style
        assert columns[name].type == ("date" if style[1] else "number")
        assert columns[name].hierarchy is None
    assert (columns[sensitive].role, columns[sensitive].type) == ("sensitive", "number")
    ended = tacit("anonymize", tmp_path / "job.toml", "--no-report", "--json")
    assert (ended.code, ended.json()["audit"]["satisfied"]) == (0, True), ended.err
    published = (tmp_path / "out/public" / f"data{file.suffix}").read_bytes()
    if encoding == "cp1252":  # it has no sign for open ranges
        assert any("published in UTF-8" in note for note in ended.json()["notes"])
        encoding = "utf-8-sig"
    assert published.startswith(b"\xef\xbb\xbf") == (encoding == "utf-8-sig")
    text = published.decode(encoding)
    assert text.count(end) == text.count("\n") == _ROWS + 1
    header, *rows = [line.split(delimiter) for line in text.replace("\r", "").splitlines()]
    assert header == list(columns)
    number = r"\d+" + (r"(,\d+)?" if any(style[0] for style in styles.values()) else r"(\.\d+)?")
    short = r"[1-9]\d?"
    day = {"D.M.YYYY": rf"{short}\.{short}\.\d{{4}}", "DD/MM/YYYY": r"\d\d/\d\d/\d{4}",
           "M/D/YYYY": rf"{short}/{short}/\d{{4}}"}  # fmt: skip
    for place, (name, (_, date_format)) in enumerate(styles.items()):
        end_of_range = day[date_format] if date_format else number
        shape = re.compile(rf"\[{end_of_range}:{end_of_range}\]|\[[≤≥]{end_of_range}\]|{end_of_range}")
        cells = [row[place] for row in rows]
        assert all(map(shape.fullmatch, cells)), name
        assert any(cell.startswith("[") for cell in cells)


def dates_of(tmp_path: Path, **columns: list[str]) -> dict[str, str]:
    """What the job file says of each column."""
    export(tmp_path / "in.csv", columns, delimiter=";", encoding="utf-8", end="\n")
    ended = tacit("init", tmp_path / "in.csv", "-o", tmp_path / "job.toml", "--force")
    assert ended.code == 0, ended.err
    text = (tmp_path / "job.toml").read_text("utf-8")
    return {name: text.split(f"[columns.{name}]")[1].split("\n[")[0] for name in columns}


def test_days_that_may_be_months_are_asked_about_and_not_published(tmp_path: Path) -> None:
    draw = Draw(100, 3)
    both = draw.joined("/", draw.numbers(1, 13), draw.numbers(1, 13), draw.numbers(1960, 2000))
    said = dates_of(tmp_path, dob=both, sex=draw.of("m", "f"))
    assert 'role = "identifier"' in said["dob"]
    assert "what is it? days as D/M/YYYY or M/D/YYYY: if quasi, say which as date_format" in said["dob"]
    assert tacit("anonymize", tmp_path / "job.toml", "--no-report").code == 0


def test_another_column_tells_whether_days_come_first(tmp_path: Path) -> None:
    draw = Draw(100, 3)
    both = draw.joined("/", draw.numbers(1, 13), draw.numbers(1, 13), draw.numbers(1960, 2000))
    american = short_days(draw.dates("%m/%d/%Y"), "/")
    assert 'date_format = "M/D/YYYY"' in dates_of(tmp_path, dob=both, visit=american)["dob"]
    british = short_days(draw.dates("%d/%m/%Y"), "/")
    assert 'date_format = "D/M/YYYY"' in dates_of(tmp_path, dob=both, visit=british)["dob"]


def test_the_first_of_each_month_and_points_leave_no_doubt(tmp_path: Path) -> None:
    draw = Draw(100, 3)
    firsts = draw.joined("/", draw.numbers(1, 13), draw.of(1), draw.numbers(2019, 2024))
    pointed = draw.joined(".", draw.numbers(1, 13), draw.numbers(1, 13), draw.numbers(1960, 2000))
    said = dates_of(tmp_path, month=firsts, born=pointed)
    assert 'date_format = "M/D/YYYY"' in said["month"]
    assert 'date_format = "D.M.YYYY"' in said["born"]


@pytest.mark.parametrize(
    "values",
    [["3.12.1985", "03.12.1985"], ["31.02.1985", "1.2.1985"], ["3.12.85", "4.12.85"], ["3.12.1985", "5-5-1999"]],
)
def test_days_that_are_not_in_one_style_stay_texts_with_a_hierarchy(tmp_path: Path, values: list[str]) -> None:
    days = [*values * 20, *short_days(Draw(60, 5).dates("%d.%m.%Y"), ".")]
    said = dates_of(tmp_path, born=days, sex=["m", "f"] * 50)["born"]
    assert "date_format" not in said
    assert tacit("anonymize", tmp_path / "job.toml", "--no-report").code == 0


def test_words_among_numbers_with_a_comma_mean_no_value(tmp_path: Path) -> None:
    values = [*comma(Draw(95, 4).numbers(1, 9, 1)), *["entfällt"] * 5]
    said = dates_of(tmp_path, hours=values, sex=["m", "f"] * 50)
    assert 'decimal = ","' in said["hours"]
    assert 'missing = ["", "entfällt"]' in (tmp_path / "job.toml").read_text("utf-8")
    assert tacit("anonymize", tmp_path / "job.toml", "--no-report").code == 0


def test_ratings_with_a_decimal_comma(tmp_path: Path) -> None:
    draw = Draw(60, 9)
    said = dates_of(tmp_path, **{f"Frage{n}": comma(draw.of("1.0", "1.5", "2.0", "2.5", "3.0")) for n in range(6)})
    assert all('role = "rating"' in each and 'decimal = ","' in each and "step = 0.5" in each for each in said.values())
    ended = tacit("anonymize", tmp_path / "job.toml", "--no-report")
    assert ended.code == 0, ended.err


def test_a_file_that_is_no_text_stays_an_error(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(b"a,b\n\xff\x00,\xfe\n")
    ended = tacit("init", tmp_path / "in.csv", "-o", tmp_path / "job.toml")
    assert (ended.code, (tmp_path / "job.toml").exists()) == (2, False)
