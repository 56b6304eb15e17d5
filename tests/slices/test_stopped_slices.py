"""Searches go on where they were: wherever they stop in between, the outcome is the same."""

from __future__ import annotations

import pytest

from exams.cases import PAIRS, case_for, promises_of
from support.stopping import alike, stop_again_and_again
from tacit.promises import MODELS


@pytest.mark.parametrize(("method", "model"), [pair for pair in PAIRS if MODELS[pair[1]].kind_of_data == "slices"])
def test_a_search_may_stop_anywhere(method: str, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    promise = promises_of(model)[0]
    at_once = case_for(promise).release(promise, method)
    stop_again_and_again(monkeypatch)
    assert alike(case_for(promise).release(promise, method), at_once)
