"""Every method of `tacit methods` takes the exam of its kind of data."""

from __future__ import annotations

import pytest

from checks import EXAM
from tacit.methods import METHODS

KM_METHODS = [name for name, info in METHODS.items() if "km" in info.models]


@pytest.mark.parametrize("check", EXAM, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("method", KM_METHODS)
def test_exam(method: str, check) -> None:  # type: ignore[no-untyped-def]
    check(method)
