"""Every method of `tacit methods` takes the exam of its kind of data, for every promise that it makes."""

from __future__ import annotations

import pytest

from exams.basket_checks import EXAM
from tacit.methods import METHODS
from tacit.promises import MODELS

PAIRS = [
    (name, model) for name, method in METHODS.items() for model in method.models if MODELS[model].kind_of_data == "baskets"
]
    (name, model) for name, info in METHODS.items() for model in info.models if MODELS[model].kind_of_data == "baskets"
]


@pytest.mark.parametrize("check", EXAM, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize(("method", "model"), PAIRS)
def test_exam(method: str, model: str, check) -> None:  # type: ignore[no-untyped-def]
    check(method, model)
