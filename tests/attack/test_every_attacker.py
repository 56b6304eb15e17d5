"""Every attacker there is finds a leak made by hand, finds nothing where there is none, and is told of everywhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from attack.cases import CASES
from tacit.attack.base import HEADINGS
from tacit.attack.runner import declared
from tacit.report.attack_words import in_german

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "attacks.md"
every_attacker = pytest.mark.parametrize("name", declared())


@every_attacker
def test_it_says_what_users_see(name: str) -> None:
    attacker = declared()[name]
    assert attacker.heading in HEADINGS and attacker.rule and attacker.kinds
    assert attacker.story.count(". ") == 1 and attacker.story.endswith("."), "two sentences"
    assert attacker.advice.endswith(".")
    assert f"| `{name}` |" in PAGE.read_text("utf-8"), "make tables writes its row"


@every_attacker
def test_it_has_both_tables(name: str) -> None:
    assert name in CASES, f"tests/attack/cases.py has no leak for {name}"


@pytest.mark.parametrize("name", CASES)
def test_it_finds_a_leak(name: str) -> None:
    found = CASES[name].leak()
    _is_said_in_german(found)
    successes = [each["success"] for each in found if each["success"] is not None]
    assert successes and max(successes) >= 0.9, found


@pytest.mark.parametrize("name", CASES)
def test_it_finds_nothing_where_there_is_nothing(name: str) -> None:
    played = CASES[name].safe()
    _is_said_in_german(played)
    found = [each for each in played if each["success"] is not None]
    assert found
    for each in found:
        assert each["success"] <= each["baseline"] + CASES[name].near, each


def _is_said_in_german(found: list[dict[str, Any]]) -> None:
    for each in found:
        for text in (each["name"], each["knows"], each["why"]):
            assert text is None or in_german(text), f"tacit.report.attack_words has no German for {text!r}"


@every_attacker
def test_what_it_declares_is_said_in_german(name: str) -> None:
    attacker = declared()[name]
    assert all(map(in_german, (name, attacker.story, attacker.advice, attacker.rule)))
    assert not attacker.no_control or in_german(attacker.no_control)


def test_no_attacker_is_only_a_case() -> None:
    assert set(CASES) <= set(declared())


def test_to_list_them_takes_nothing_heavy() -> None:
    heavy = "{'numba', 'numpy', 'pyarrow', 'scipy', 'sklearn'}"
    code = f"import sys, tacit.attack.runner as r; r.declared(); print(*sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
