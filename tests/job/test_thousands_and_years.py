"""Numbers with signs between thousands, and years of two digits: read, published in the same style, and audited."""

from __future__ import annotations

import random
import re
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest

import tacit
from support.commands import tacit as run
from support.commands import write_job
from tacit.audits.views.styles import in_one_spelling
from tacit.errors import InputError
from tacit.job import Column, Input, Job, Output
from tacit.job.styles import plain_table, styled_table

SIGNS = [(",", "."), (".", ","), (",", " "), (".", "'"), (",", "\u202f"), (",", "\u00a0"), (".", "’")]


def job_of(column: Column) -> Job:
    return Job(Input(Path("t.csv")), (column,), tacit.KAnonymity(k=2), Output(Path("out")))


def table_of(*texts: str) -> pa.Table:
    return pa.table({"x": pa.array(texts)})


def written(cents: int, decimal: str, thousands: str) -> str:
    """With nothing of tacit's."""
    return f"{cents / 100:,.2f}".replace(",", "_").replace(".", decimal).replace("_", thousands)


@pytest.mark.parametrize(("decimal", "thousands"), SIGNS)
def test_thousands_there_and_back(decimal: str, thousands: str) -> None:
    draw = random.Random(1)
    cents = [draw.randrange(10 ** draw.randrange(1, 10)) for _ in range(200)]
    texts = [written(each, decimal, thousands) for each in cents] + [f"-1{thousands}000{thousands}000", "7", "", "007"]
    plain = [f"{each / 100:.2f}" for each in cents] + ["-1000000", "7", "", "007"]
    job = job_of(Column("x", "quasi", decimal=decimal, thousands=thousands))
    for read in (plain_table(table_of(*texts), job), in_one_spelling(table_of(*texts), job)):
        assert read["x"].to_pylist() == plain
    ranges = ["[1200:54000.5]", "[≥1000000]", "[≤999]", "*"]
    shown = styled_table(table_of(*plain, *ranges), job)["x"].to_pylist()
    assert shown[: len(texts)] == texts
    assert shown[len(texts)] == f"[1{thousands}200:54{thousands}000{decimal}5]"
    assert in_one_spelling(table_of(*shown), job)["x"].to_pylist() == [*plain, *ranges]


@pytest.mark.parametrize("text", ["1234,5", "1.23,5", "12.3456", "1,234.5", ".5", "1..234", "1.234,5,6", "eins"])
def test_a_number_in_another_style_is_refused_without_being_shown(text: str) -> None:
    job = job_of(Column("x", "quasi", decimal=",", thousands="."))
    with pytest.raises(InputError, match=re.escape("no number written as 1.234,5")) as error:
        plain_table(table_of("1.234,5", text), job)
    assert text not in str(error.value)
    assert in_one_spelling(table_of(text), job)["x"][0].as_py() in (text, "≠" + text), "another text than any number's"


def test_the_years_of_two_digits() -> None:
    for first in (1930, 1926, 2000):
        job = job_of(Column("x", "quasi", date_format="DD.MM.YY", first_year=None if first == 1930 else first))
        days = [date(first + offset, 3, 5) for offset in range(100)]
        texts, iso = [day.strftime("%d.%m.%y") for day in days], [day.isoformat() for day in days]
        for read in (plain_table(table_of(*texts), job), in_one_spelling(table_of(*texts), job)):
            assert read["x"].to_pylist() == iso
        assert styled_table(table_of(*iso, f"[{iso[0]}:{iso[-1]}]"), job)["x"].to_pylist() == [
            *texts, f"[{texts[0]}:{texts[-1]}]"
        ]  # fmt: skip


def make(folder: Path, first_year: str = "") -> Path:
    draw = random.Random(4)
    lines = ["Lohn;geb;Ort"]
    for _ in range(120):
        born = date(draw.randrange(1930, 2030), draw.randrange(1, 13), draw.randrange(1, 29))
        lines.append(f"{written(draw.randrange(100_000, 900_000), '.', chr(39))};{born:%d.%m.%y};{draw.choice('AB')}")
    (folder / "lohn.csv").write_bytes("\r\n".join([*lines, ""]).encode("utf-16"))
    return write_job(
        folder,
        f"""[input]\nsource = "lohn.csv"\nencoding = "utf-16"
[columns.Lohn]\nrole = "quasi"\nthousands = "'"\nround = 500
[columns.geb]\nrole = "quasi"\ndate_format = "DD.MM.YY"\nround = 365\n{first_year}
[columns.Ort]\nrole = "quasi"\n[privacy]\nmodel = "k"\nk = 4\n""",
    )


def test_a_swiss_payroll(tmp_path: Path) -> None:
    """UTF-16 and CRLF are kept; an end that would be in another century is open, and the audit finds it true."""
    job = make(tmp_path)
    ended = run("anonymize", job, "--no-report", "--no-attack")
    assert ended.code == 0, ended.err
    content = (tmp_path / "out/public/data.csv").read_bytes()
    text = content.decode("utf-16")
    assert content.startswith(b"\xff\xfe") and text.count("\r\n") == text.count("\n") == 121
    assert re.search(r"\[\d'\d00\.00:\d'\d00\.00\]", text) and re.search(r"\[\d\d\.\d\d\.\d\d:\d\d\.\d\d\.\d\d\]", text)
    ends = [re.findall(r"\d\d\.\d\d\.(\d\d)", line) for line in text.splitlines()[1:]]
    assert all((int(low) - 30) % 100 <= (int(high) - 30) % 100 for low, high in (end for end in ends if len(end) == 2))
    audited = run("audit", job, tmp_path / "out/public/data.csv", "--original")
    assert audited.code == 0 and "True to the original" in audited.out
    wrong = text.replace("'500.00:", "'600.00:", 1)
    assert wrong != text
    (tmp_path / "wrong.csv").write_bytes(wrong.encode("utf-16"))
    assert run("audit", job, tmp_path / "wrong.csv", "--original").code == 1


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ('thousands = "x"', "must be one of"),
        ('thousands = "."', "is the decimal sign, too"),
        ('thousands = ","\ndecimal = ","', "is the decimal sign, too"),
        ('thousands = ","\ntype = "date"', "does not fit the column"),
        ('date_format = "D.M.YYYY"\nfirst_year = 1950', "does not fit the column"),
        ("first_year = 1950", "does not fit the column"),
    ],
)
def test_keys_that_do_not_fit(tmp_path: Path, key: str, said: str) -> None:
    text = f'[input]\nsource = "t.csv"\n[columns.x]\nrole = "quasi"\n{key}\n[privacy]\nmodel = "k"\nk = 2\n'
    ended = run("anonymize", write_job(tmp_path, text))
    assert ended.code == 2 and said in ended.err


@pytest.mark.parametrize(
    ("texts", "lines"),
    [
        (["1.234,56", "12,00", "999.999,99"], ['decimal = ","', 'thousands = "."']),
        (["1,234.56", "12.00", "1,000,000"], ['thousands = ","']),
        (["1 234,56", "12,00"], ['decimal = ","', 'thousands = " "']),
        (["1'234.56", "12.00"], ['thousands = "\'"']),
        (["1,234", "12,500", "999"], ['thousands = ","']),
        (["1,234", "0,500", "9,999"], ['decimal = ","']),
        (["1,23", "12,5"], ['decimal = ","']),
    ],
)
def test_init_tells_the_signs(tmp_path: Path, texts: list[str], lines: list[str]) -> None:
    draw = random.Random(2)
    rows = [f'{draw.choice(["m", "w"])};"{draw.choice(texts)}";{draw.randrange(20, 70)}' for _ in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["sex;salary;age", *rows, ""]))
    assert run("init", tmp_path / "t.csv", "-o", tmp_path / "job.toml").code == 0
    job = (tmp_path / "job.toml").read_text()
    found = [line for line in job.splitlines() if line.startswith(("decimal", "thousands"))]
    assert found == lines
    assert run("anonymize", tmp_path / "job.toml", "--no-report", "--no-attack").code == 0


def test_init_tells_years_of_two_digits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is born in years to come."""
    monkeypatch.setattr("tacit.init.styles._this_year", lambda: 2025)
    draw = random.Random(2)
    days = [(date(1940, 1, 1).toordinal(), 25_000), (date(2020, 1, 1).toordinal(), 700)]
    rows = []
    for _ in range(80):
        drawn = [date.fromordinal(first + draw.randrange(span)) for first, span in days]
        rows.append(";".join([draw.choice("mw"), *(f"{day:%d.%m.%y}" for day in drawn)]))
    (tmp_path / "t.csv").write_text("\n".join(["sex;Geburtsdatum;Aufnahmedatum", *rows, ""]))
    assert run("init", tmp_path / "t.csv", "-o", tmp_path / "job.toml").code == 0
    job = (tmp_path / "job.toml").read_text()
    assert job.count('date_format = "DD.MM.YY"') == 2
    assert "first_year = 1926 " in job and "first_year = 1930 " in job
    assert run("anonymize", tmp_path / "job.toml", "--no-report", "--no-attack").code == 0
