"""What a failed audit tells, and to whom: values to somebody at a terminal, numbers to whatever may keep them."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.commands import make_shop, tacit
from tacit import AuditFailure, KmAnonymity, TacitError
from tacit.commands.telling import Telling

WHERE = "run the same command in a terminal, or with --json"


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shop's job, whose audit asks for more than the method was told: caviar stands in the way."""
    from tacit.audits import km

    honest = km.audit

    def strict(view: Any, promise: Any) -> Any:
        return replace(honest(view, KmAnonymity(k=9, m=2)), parameters=promise.parameters())

    monkeypatch.setattr(km, "audit", strict)
    return make_shop(tmp_path)


@pytest.mark.parametrize("options", [(), ("--quiet",), ("--progress", "json")])
def test_where_it_may_be_kept_only_numbers_are_told(job: Path, options: tuple[str, ...]) -> None:
    ended = tacit("anonymize", job, *options)
    assert ended.code == 1
    assert "The audit did not pass, so nothing was published. The promise does NOT hold. Found " in ended.err
    assert WHERE in ended.err
    assert not [word for word in ("alcohol", "bakery", "milk", "dairy", "food") if word in ended.err]


def test_whoever_asks_for_json_gets_the_weakest_spot(job: Path) -> None:
    ended = tacit("anonymize", job, "--json")
    assert "The weakest itemset is {" in ended.json()["error"]
    assert "{" not in ended.err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("noted", "sees_it"), [({}, True), ({"quiet": True}, False), ({"progress_as": "json"}, False)])
def test_somebody_at_a_terminal_sees_it(noted: dict[str, Any], sees_it: bool) -> None:
    telling, error = Telling(), AuditFailure("It failed.", "It failed: {caviar}.")
    for name, value in noted.items():
        setattr(telling, name, value)
    with redirect_stderr(Terminal()):
        assert telling.failed(str(error), error.exit_code, None, error.in_full) == 1
        told = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert ("caviar" in told, WHERE in told) == (sees_it, not sees_it)


def test_an_error_without_values_is_told_as_it_is() -> None:
    assert TacitError("x").in_full is None
    with redirect_stderr(io.StringIO()) as kept:
        Telling().failed("x", 2, None, None)
    assert kept.getvalue() == "tacit: x\n"
