"""Whole numbers of Python have no end: those that no float can be are refused, not met later."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import tacit
from tacit.promises.base import is_number

_HUGE = "1" + "0" * 400


def test_what_is_a_number() -> None:
    assert all(map(is_number, (0, -3, 2.5, 10**300, -(10**300))))
    assert not any(map(is_number, (True, "1", None, float("nan"), float("inf"), 10**400, -(10**400))))


@pytest.mark.parametrize(
    "lines",
    [
        f"[columns.a]\nrole = 'rating'\nscale = [1, {_HUGE}]\n[privacy]\nmodel = 'k-eps'\nk = 2",
        f"[columns.a]\nrole = 'quasi'\n[columns.b]\nrole = 'sensitive'\n[privacy]\nmodel = 't'\nk = 2\nt = {_HUGE}",
        f"[columns.a]\nrole = 'quasi'\nweight = {_HUGE}\n[privacy]\nmodel = 'k'\nk = 2",
    ],
)
def test_numbers_without_end_are_mistakes_of_the_job(tmp_path: Path, lines: str) -> None:
    (tmp_path / "in.csv").write_text("a,b\n" + "1,2\n" * 9, encoding="utf-8")
    (tmp_path / "job.toml").write_text(f"[input]\nsource = 'in.csv'\n{lines}\n", encoding="utf-8")
    ended = tacit("anonymize", tmp_path / "job.toml")
    assert ended.code == 2, ended.err
    assert "fault of tacit" not in ended.err and not (tmp_path / "out").exists()
