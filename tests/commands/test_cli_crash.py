"""A fault of ours: exit 70, where it is and what to report, and not a value of the data."""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import Any

import pytest

import tacit
from support.commands import files_below, make_shop, run
from tacit.baskets import kind as baskets
from tacit.process.faults import places

SECRET = "N7 bought caviar in T10"


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A job over which the program breaks down, with a value of the data in the exception."""

    def broken(*arguments: Any, **options: Any) -> None:
        raise LookupError(SECRET)

    monkeypatch.setattr(baskets, "read_items", broken)
    monkeypatch.delenv("TACIT_DEBUG", raising=False)
    return make_shop(tmp_path)


def test_what_is_said(job: Path) -> None:
    before = files_below(job.parent)
    ended = run("anonymize", job)
    assert (ended.code, ended.out) == (70, "")
    told = " ".join(ended.err.partition("tacit: this is")[2].split())
    assert told.startswith("a fault of tacit, not of yours: LookupError at tacit/baskets/kind.py:")
    for wanted in ("tacit/flow.py:", f"tacit {tacit.__version__}", platform.python_version(), platform.platform()):
        assert wanted in told
    assert "Nothing was published. Please report these lines" in told
    for unwanted in (SECRET, "caviar", "Traceback", "site-packages", str(job.parent)):
        assert unwanted not in ended.err
    assert files_below(job.parent) == before


def test_as_json(job: Path) -> None:
    ended = run("anonymize", job, "--json", "--progress=json")
    told = ended.json()
    assert ended.code == told["exit_code"] == 70
    assert told["type"] == "LookupError"
    assert told["places"][0].startswith("tacit/baskets/kind.py:")
    assert told["places"][-1].startswith("tacit/cli.py:")
    assert told["versions"]["Python"] == platform.python_version()
    assert json.loads(ended.err.splitlines()[-1])["message"] == told["error"]
    assert SECRET not in ended.out + ended.err


def test_a_command_that_publishes_nothing_says_nothing_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.taxonomy.read_hierarchy", lambda file: 1 // 0)
    monkeypatch.delenv("TACIT_DEBUG", raising=False)
    ended = run("hierarchy", "show", tmp_path / "h.csv")
    assert ended.code == 70 and "ZeroDivisionError" in ended.err and "published" not in ended.err


def test_developers_see_all(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACIT_DEBUG", "1")
    ended = run("anonymize", job)
    assert ended.code == 70
    assert "Traceback (most recent call last)" in ended.err and SECRET in ended.err


def test_only_our_own_places_are_named() -> None:
    with pytest.raises(json.JSONDecodeError) as error:
        json.loads("{")
    assert places(error.value) == []


def test_a_cell_of_a_comparison(tmp_path: Path) -> None:
    """Its process is another one: the sample breaks down there over a table that is none."""
    from tacit.compare.grid import plan
    from tacit.compare.run import _run

    [cell] = plan(make_shop(tmp_path), [""], [], [], [])
    object.__setattr__(cell, "copy", 5)
    [(_, outcome)] = _run([cell], tmp_path, None, 1)
    assert (outcome["status"], outcome["exit_code"]) == ("failed", 70)
    assert outcome["message"].startswith("this is a fault of tacit, not of yours: AttributeError at tacit/")
