"""Searches go on where they were: the outcome is the same, wherever they stop in between."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from exams.cases import case_for, promises_of
from support.exam_cases import PAIRS, basket_cases, record_cases
from tacit.arrays import blocks
from tacit.promises import MODELS

STEPS = 5
CASES = {"baskets": basket_cases, "records": record_cases}
OF_BASKETS = [name for name, model in MODELS.items() if model.kind_of_data == "baskets"]
WITH_BASKETS = [(method, model) for method, model in PAIRS if model in (*OF_BASKETS, "k-km", "k-lm")]


def stop_again_and_again(patch: pytest.MonkeyPatch) -> None:
    """Every few steps, which are next to nothing: usually so small data are gone through at once."""
    for name in ("_FIRST", "_MOST"):
        patch.setattr(blocks, name, STEPS)
    patch.setattr(blocks, "_SECONDS", np.inf)
    for name, module in list(sys.modules.items()):
        for first in {"_FIRST_BLOCK", "_FIRST_WORDS"} & {*vars(module)} if name.startswith("tacit.") else ():
            patch.setattr(module, first, STEPS)


@pytest.mark.parametrize(("method", "model"), WITH_BASKETS)
def test_a_search_may_stop_anywhere(method: str, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(CASES[MODELS[model].kind_of_data](model, np.random.default_rng(1)))
    at_once = case.release(method, seed=1)
    stop_again_and_again(monkeypatch)
    with_stops = case.release(method, seed=1)
    assert with_stops.recoding == at_once.recoding
    assert with_stops.data.equals(at_once.data)
    assert with_stops.audit.to_dict() == at_once.audit.to_dict()


@pytest.mark.parametrize("model", OF_BASKETS)
def test_an_audit_may_stop_anywhere(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of originals, which seldom keep a promise."""
    cases = [(case_for(promise, seed), promise) for promise in promises_of(model) for seed in range(3)]
    asked = [(case, promise) for case, promise in cases if not promise.shows_groups]
    at_once = [case.audit(case.frame, promise).to_dict() for case, promise in asked]
    stop_again_and_again(monkeypatch)
    assert [case.audit(case.frame, promise).to_dict() for case, promise in asked] == at_once
