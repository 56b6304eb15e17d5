"""Numbers and days as countries write them: read and published in the same style, and audited by other code."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import tacit
from support.commands import tacit as run
from support.commands import write_job
from tacit.audits.views.styles import in_one_spelling
from tacit.errors import InputError
from tacit.job import Column, Input, Job, Output, read_job
from tacit.job.styles import plain_table, styled_table

FORMATS = ("D.M.YYYY", "DD.MM.YYYY", "M/D/YYYY", "MM/DD/YYYY", "DD-MM-YYYY", "YYYY/MM/DD", "YYYYMMDD", "D. M. YYYY")
JOB = """
[input]
source = "daten.csv"
encoding = "cp1252"
missing = ["", "."]
[columns."Größe"]
role = "quasi"
decimal = ","
[columns.Geboren]
role = "quasi"
date_format = "D.M.YYYY"
[columns.Rente]
role = "sensitive"
decimal = ","
[privacy]
"""


def job_of(*columns: Column, missing: tuple[str, ...] = ("",)) -> Job:
    return Job(Input(Path("t.csv"), missing=missing), columns, tacit.KAnonymity(k=2), Output(Path("out")))


def table_of(*texts: str) -> pa.Table:
    return pa.table({"x": pa.array(texts).dictionary_encode()})


def written(day: tuple[int, int, int], format: str) -> str:
    """A day in a format, with nothing of tacit's."""
    year, month, number = day
    text = format.replace("YYYY", "y").replace("MM", "p").replace("DD", "q").replace("M", "m").replace("D", "d")
    parts = {"y": f"{year}", "p": f"{month:02}", "q": f"{number:02}", "m": f"{month}", "d": f"{number}"}
    return "".join(parts.get(sign, sign) for sign in text)


@pytest.mark.parametrize("format", FORMATS)
def test_days_there_and_back(format: str) -> None:
    draw = random.Random(format)
    days = [(draw.randrange(1900, 2030), draw.randrange(1, 13), draw.randrange(1, 29)) for _ in range(300)]
    texts, iso = [written(day, format) for day in days], [f"{y}-{m:02}-{d:02}" for y, m, d in days]
    job = job_of(Column("x", "quasi", date_format=format))
    for read in (plain_table(table_of(*texts), job), in_one_spelling(table_of(*texts), job)):
        assert read["x"].to_pylist() == iso
    ranges = [f"[{one}:{other}]" for one, other in zip(iso, reversed(iso), strict=True)]
    shown = styled_table(table_of(*iso, *ranges, "*", ""), job)
    assert shown["x"].to_pylist()[:300] == texts and shown["x"].to_pylist()[-2:] == ["*", ""]
    assert shown["x"][300].as_py() == f"[{texts[0]}:{texts[-1]}]"
    assert in_one_spelling(shown, job)["x"].to_pylist() == [*iso, *ranges, "*", ""]


def test_numbers_there_and_back() -> None:
    texts = ["1,5", "-0,50", " 12 ", ",5", "7,", "+1,5e-3", "007", ".", ""]
    plain = ["1.5", "-0.50", " 12 ", ".5", "7.", "+1.5e-3", "007", ".", ""]
    job = job_of(Column("x", "quasi", decimal=","), missing=("", "."))
    assert plain_table(table_of(*texts), job)["x"].to_pylist() == plain
    assert in_one_spelling(table_of(*texts), job)["x"].to_pylist() == plain
    assert styled_table(table_of(*plain), job)["x"].to_pylist() == texts
    shown = styled_table(table_of("[1.5:2.25]", "*", "[≤2]"), job)["x"].to_pylist()
    assert shown == ["[1,5:2,25]", "*", "[≤2]"]


@pytest.mark.parametrize(
    ("column", "good", "bad"),
    [
        (Column("x", "quasi", decimal=","), "1,5", ["1.5", "1.234,5", "B", "1,2,3", "*"]),
        (Column("x", "quasi", date_format="D.M.YYYY"), "5.3.2001", ["05.03.2001", "2001-03-05", "5/3/2001", "5.3.01"]),
        (Column("x", "quasi", date_format="MM/DD/YYYY"), "03/05/2001", ["3/5/2001", "5.3.2001", "2001-03-05"]),
    ],
)
def test_what_is_not_in_the_style_is_an_error_and_not_shown(column: Column, good: str, bad: list[str]) -> None:
    for text in bad:
        with pytest.raises(InputError, match=r"1 value is no .*; the first stands in record 2") as caught:
            plain_table(table_of(good, text), job_of(column))
        assert caught.value.column == "x" and repr(text) not in str(caught.value)


def test_no_two_published_texts_are_one_to_the_audit() -> None:
    """Whoever can tell two texts apart is not told that they are the same."""
    texts = ["1,5", "1.5", "≠1.5", "[1,5:2]", "[1.5:2]", "[1,5:2.5]", "2001-03-05", "B", "1,50", "(1,5)"]
    job = job_of(Column("x", "quasi", decimal=","))
    assert len(set(in_one_spelling(table_of(*texts), job)["x"].to_pylist())) == len(texts)
    days = ["5.3.2001", "2001-03-05", "05.03.2001", "[5.3.2001:6.3.2001]", "[2001-03-05:2001-03-06]", "31.2.2001"]
    job = job_of(Column("x", "quasi", date_format="D.M.YYYY"))
    assert len(set(in_one_spelling(table_of(*days), job)["x"].to_pylist())) == len(days)


def make_german(folder: Path, privacy: str, *, exact: bool = True) -> Path:
    """An export as a spreadsheet writes it: cp1252, `;`, CRLF, a decimal comma, days as 5.3.2001."""
    draw = random.Random(3)
    lines = ["Name;Größe;Geboren;Rente"]
    for number in range(80):
        height = draw.choice([f"{draw.randrange(150, 200)},{draw.randrange(10)}", f"{draw.randrange(150, 200)}", "."])
        born = f"{draw.randrange(1, 29)}.{draw.randrange(1, 13)}.{draw.randrange(1950, 2001)}"
        lines.append(f"Müller {number};{height};{born};{draw.choice(['812,50', '1020,5', '933', '1400,25'])}")
    (folder / "daten.csv").write_bytes("\r\n".join([*lines, ""]).encode("cp1252"))
    job = JOB.replace('role = "quasi"', 'role = "quasi"\nround = "exact"') if exact else JOB
    return write_job(folder, job + privacy)


def test_what_the_encoding_has_no_sign_for_is_published_in_utf8(tmp_path: Path) -> None:
    """Open ranges have signs that cp1252 lacks."""
    job = make_german(tmp_path, 'model = "l"\nk = 4\nl = 2', exact=False)
    ended = run("anonymize", job)
    assert ended.code == 0 and "published in UTF-8: cp1252" in ended.err
    text = (tmp_path / "out/public/data.csv").read_bytes().decode("utf-8-sig")
    assert "Größe" in text and re.search(r"\[≥\d+(,\d+)?\]", text) and re.search(r"\[≤\d+\.\d+\.\d{4}\]", text)
    assert run("audit", job, tmp_path / "out/public/data.csv", "--original").code == 0


@pytest.mark.parametrize(
    "privacy",
    [
        'model = "l"\nk = 4\nl = 2',
        'model = "t"\nk = 4\nt = 0.5',
        'model = "l"\nk = 4\nl = 2\n[method]\nname = "cluster"',
        'model = "sliced-l"\nl = 2',
        'model = "sliced-l"\nl = 2\n[method]\nname = "slicing"\ngeneralize_k = 3',
    ],
)
def test_a_german_export(tmp_path: Path, privacy: str) -> None:
    job = make_german(tmp_path, privacy, exact="sliced-l" not in privacy or "generalize_k" in privacy)
    ended = run("anonymize", job)
    assert ended.code == 0, ended.err
    content = (tmp_path / "out/public/data.csv").read_bytes()
    assert content.count(b"\r\n") == content.count(b"\n") == 81 and b"Gr\xf6\xdfe" in content
    audited = run("audit", job, tmp_path / "out/public/data.csv", "--original")
    assert audited.code == 0, audited.out
    assert "True to the original" in audited.out
    assert not re.search(r"\d{4}-\d\d-\d\d", ended.out + audited.out), "days are told as the file has them"
    if "sliced-l" not in privacy:
        assert re.search(r"Geboren \[\d+\.\d+\.\d{4}:\d+\.\d+\.\d{4}\]", ended.out)
    cells = [line.split(";") for line in content.decode("cp1252").split("\r\n")[1:-1]]
    assert not [cell for row in cells for cell in row if "." in cell and "," in cell]
    assert {"812,50", "1020,5", "933", "1400,25"} in [set(column) for column in zip(*cells, strict=True)]
    wrong = content.replace(b"812,50", b"812,51", 1)
    (tmp_path / "wrong.csv").write_bytes(wrong)
    assert run("audit", job, tmp_path / "wrong.csv", "--original").code == 1


def test_ratings_with_a_decimal_comma(tmp_path: Path) -> None:
    draw = random.Random(5)
    rows = [";".join(draw.choice(["1", "1,5", "2", "2,5", "3", ""]) for _ in range(3)) for _ in range(30)]
    (tmp_path / "noten.csv").write_text("\n".join(["a;b;c", *rows, ""]))
    columns = "".join(
        f'[columns.{name}]\nrole = "rating"\nscale = [1, 3]\nstep = 0.5\ndecimal = ","\n' for name in "abc"
    )
    text = f'[input]\nsource = "noten.csv"\n{columns}[privacy]\nmodel = "k-eps"\nk = 3\neps = 0.5\n'
    job = write_job(tmp_path, text)
    assert run("anonymize", job).code == 0
    cells = {
        cell for line in (tmp_path / "out/public/data.csv").read_text().splitlines()[1:] for cell in line.split(";")
    }
    assert cells <= {"1", "1,5", "2", "2,5", "3", ""} and {"1,5", "2,5"} & cells
    assert run("audit", job, tmp_path / "out/public/data.csv", "--original").code == 0


def test_the_note_has_widths_as_the_file_has_numbers(tmp_path: Path) -> None:
    job = make_german(tmp_path, 'model = "l"\nk = 4\nl = 2', exact=False)
    assert run("anonymize", job, "--no-report", "--set", "columns.Größe.round=0.5").code == 0
    assert "Ends are multiples of 0,5, " in (tmp_path / "out/public/README.md").read_text("utf-8")


def test_the_job_as_run_says_it_again(tmp_path: Path) -> None:
    job = make_german(tmp_path, 'model = "l"\nk = 4\nl = 2')
    assert run("anonymize", job, "--no-report").code == 0
    saved = read_job(tmp_path / "out/private/job.toml")
    asked = read_job(job)
    assert saved.input.encoding == "cp1252"
    assert [replace(column, type=None) for column in saved.columns] == [replace(c, type=None) for c in asked.columns]
    assert [column.type for column in saved.columns] == ["number", "date", "number"]


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ('decimal = ";"', "must be one of ,, ."),
        ('date_format = "D.M.Y"', "must be a format of days"),
        ('decimal = ","\ntype = "category"', "does not fit the column"),
        ('decimal = ","\ndate_format = "D.M.YYYY"', "does not fit the column"),
        ('date_format = "D.M.YYYY"\nhierarchy = "h.csv"', "values of one are names"),
    ],
)
def test_keys_that_do_not_fit(tmp_path: Path, key: str, said: str) -> None:
    text = f'[input]\nsource = "t.csv"\n[columns.x]\nrole = "quasi"\n{key}\n[privacy]\nmodel = "k"\nk = 2\n'
    ended = run("anonymize", write_job(tmp_path, text))
    assert ended.code == 2 and said in ended.err
    ended = run("anonymize", write_job(tmp_path, text.replace(key, "").replace('t.csv"', 't.csv"\nencoding = "rot13"')))
    assert ended.code == 2 and "the name of an encoding" in ended.err


def test_frames_with_a_decimal_comma() -> None:
    frame = pa.table({"x": ["1,5", "2,5", "3,25", "4"]})
    settings = {"x": {"decimal": ",", "round": "exact"}}
    release = tacit.anonymize(frame, tacit.KAnonymity(k=2), quasi=["x"], column_settings=settings)
    assert sorted(release.data["x"].to_pylist()) == ["[1,5:2,5]"] * 2 + ["[3,25:4]"] * 2
    assert release.audit.satisfied
