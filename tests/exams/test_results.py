"""Every audit tells what docs/audit.md says that audits tell: how much breaks the promise, whom that concerns, where it
is weakest, and how far each parameter could go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from exams.coarse import all_promises
from exams.test_definitions import audited, every_promise
from tacit import InputError
from tacit.audits import AuditResult
from tacit.promises import MODELS

WITHOUT_LEVEL = {
    ("l", "kind"): "it says how to count",
    ("sliced-l", "joint"): "it says what to count",
    ("lm", "m"): "more knowledge may make an attacker less sure, so that there is no largest m",
    ("k-lm", "m"): "as m of ℓ^m-diversity",
    ("coherence", "p"): "as m of ℓ^m-diversity",
    ("k-eps", "eps"): "it says who is alike, and is the scale of what is counted",
}
"""Parameters for which no level is told, and why."""


@every_promise
def test_what_breaks_the_promise_is_counted(model: str) -> None:
    for one, result in audited(model):
        facts = result.facts
        assert (facts["violation_count"] > 0) is not one.holds
        assert isinstance(facts["violation_unit"], str) and facts["violation_unit"]
        assert (facts["records_affected"] > 0) is not one.holds
        assert facts["records_affected"] <= one.case.table.num_rows
        assert (result.violations != []) is not one.holds


@every_promise
def test_the_weakest_spot_is_told_wherever_there_is_one(model: str) -> None:
    for one, result in audited(model):
        if result.worst is None:
            kept = all(one.case.definition(promise) for promise in all_promises(model))
            assert kept, f"{one.promise}: something of this table is weaker than the rest"


def levels(model: str, result: AuditResult) -> Iterator[tuple[str, Any]]:
    """Each parameter with what is reached of it, where that is exact."""
    level = result.facts["level"] or {}
    for key, value in level.items():
        name = key.partition("_for_this_")[0]
        if name in MODELS[model].takes and value is not None and level.get(f"{name}_is_exact", True):
            yield name, value


@every_promise
def test_each_parameter_has_a_level(model: str) -> None:
    told = {name for _, result in audited(model) for name, _ in levels(model, result)}
    silent = {name for of, name in WITHOUT_LEVEL if of == model}
    assert told | silent == set(MODELS[model].takes) and not told & silent


@every_promise
def test_a_level_is_reached(model: str) -> None:
    """What keeps the promise keeps it with each level, too, and with no higher k."""
    for one, result in audited(model):
        for name, value in levels(model, result) if one.holds else ():
            try:
                reached = replace(one.promise, **{name: value})
            except InputError:
                continue  # an ℓ of 1
            assert one.case.definition(reached), f"{reached} for {one.promise}"
            if name == "k":
                assert not one.case.definition(replace(one.promise, k=value + 1)), f"k = {value} for {one.promise}"
