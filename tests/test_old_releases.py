"""Releases that the version before wrote are read, or refused in plain words."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from support.commands import read_csv, tacit
from tacit.baskets.recoding import CutRecoding
from tacit.recoding import VERSION, from_json, to_json
from tacit.release import saved_release
from tacit.slices.recoding import SliceRecoding

OLD = Path(__file__).parent / "releases" / "version-1"


@pytest.mark.parametrize("name", ["baskets", "slices"])
def test_the_decision_is_read_and_written_as_today(name: str) -> None:
    file = OLD / name / "private" / "recoding.json"
    assert "version" not in json.loads(file.read_text())
    recoding = saved_release(OLD / name).recoding
    text = to_json(recoding)
    assert json.loads(text)["version"] == VERSION
    assert from_json(text) == recoding


def test_what_the_decisions_say() -> None:
    cut, slices = (saved_release(OLD / name).recoding for name in ("baskets", "slices"))
    assert isinstance(cut, CutRecoding) and isinstance(slices, SliceRecoding)
    assert cut.columns["basket"].becomes["beer"] == "alcohol" and cut.columns["basket"].suppressed == ("gold",)
    old = json.loads((OLD / "slices/private/recoding.json").read_text())
    assert slices.bucket.tolist() == old["bucket_of_record"] and slices.bucket.dtype == np.int32
    assert [one.of_record.tolist() for one in slices.regions] == [one["region_of_record"] for one in old["generalized"]]


@pytest.mark.parametrize("name", ["baskets", "slices"])
@pytest.mark.parametrize("options", [(), ("--original",)])
def test_audit(name: str, options: tuple[str, ...]) -> None:
    ended = tacit("audit", OLD / name / "private/job.toml", OLD / name / "public/data.csv", *options)
    assert ended.code == 0, ended.err
    assert "The promise holds" in ended.out


@pytest.mark.parametrize("options", [(), ("--union",)])
def test_apply_a_cut(tmp_path: Path, options: tuple[str, ...]) -> None:
    """The same data, recoded once more, shows the same: formulas are escaped as they were."""
    ended = tacit("apply", OLD / "baskets", OLD / "baskets/shop.csv", "-o", tmp_path / "new", "--no-report", *options)
    assert ended.code == 0, ended.err
    old, new = (read_csv(folder / "public/data.csv") for folder in (OLD / "baskets", tmp_path / "new"))
    assert sorted(map(str, old)) == sorted(map(str, new))
    assert json.loads((tmp_path / "new/private/recoding.json").read_text())["version"] == VERSION


def test_apply_refuses_what_cannot_be_reused(tmp_path: Path) -> None:
    ended = tacit("apply", OLD / "slices", OLD / "slices/people.csv", "-o", tmp_path / "new")
    assert ended.code == 2
    assert "depends on its own records and cannot be reused" in ended.err


def test_apply_refuses_a_version_to_come(tmp_path: Path) -> None:
    release = tmp_path / "release"
    shutil.copytree(OLD / "baskets", release)
    file = release / "private/recoding.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": VERSION + 1}))
    ended = tacit("apply", release, OLD / "baskets/shop.csv", "-o", tmp_path / "new")
    assert ended.code == 2
    assert "recoding.json: this is a recoding of version 3, and this tacit knows none above 2" in ended.err
    assert not (tmp_path / "new").exists()
