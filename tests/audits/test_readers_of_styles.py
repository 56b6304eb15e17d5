"""The audits' own reader of days that are written in other ways."""

from __future__ import annotations

import pytest

from tacit.audits.views.styles import _reader_of_days
from tacit.job import Column


@pytest.mark.parametrize(
    ("style", "text", "day"),
    [
        ("D.M.YY", "3.2.30", "1930-02-03"),
        ("D.M.YY", "3.12.29", "2029-12-03"),
        ("D.M.YY", "03.2.30", None),
        ("MM/DD/YYYY", "02/03/1930", "1930-02-03"),
        ("MM/DD/YYYY", "2/3/1930", None),
        ("DDMMYYYY", "30021930", None),
        ("[DD] M YYYY", "[03] 2 1930", "1930-02-03"),
    ],
)
def test_days_are_read_as_their_style_writes_them(style: str, text: str, day: str | None) -> None:
    assert _reader_of_days(Column("born", "quasi", date_format=style))(text) == day


def test_years_of_two_digits_begin_where_the_column_says() -> None:
    read = _reader_of_days(Column("born", "quasi", date_format="YY-MM-DD", first_year=1950))
    assert [read(f"{year}-01-01") for year in ("49", "50")] == ["2049-01-01", "1950-01-01"]
