"""Audits go on where they were: wherever they stop in between, they find what they find at once."""

from __future__ import annotations

import pytest

from exams.cases import case_for, promises_of
from support.stopping import stop_again_and_again
from tacit.promises import MODELS


@pytest.mark.parametrize("model", [name for name, model in MODELS.items() if model.kind_of_data != "slices"])
def test_an_audit_may_stop_anywhere(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of originals, which seldom keep a promise."""
    cases = [(case_for(promise, seed), promise) for promise in promises_of(model) for seed in range(3)]
    asked = [(case, promise) for case, promise in cases if not promise.shows_groups]
    at_once = [case.audit(case.frame, promise).to_dict() for case, promise in asked]
    stop_again_and_again(monkeypatch)
    assert [case.audit(case.frame, promise).to_dict() for case, promise in asked] == at_once
