"""Every method of `tacit methods` takes the exam of its kind of data, for every promise that it makes."""

from __future__ import annotations

import pytest

from exams.basket_checks import EXAM
from tacit.kinds import KIND_OF_MODEL
from tacit.methods import DEFAULT_METHOD, METHODS

PAIRS = [(name, model) for name, info in METHODS.items() for model in info.models if KIND_OF_MODEL[model] == "baskets"]


@pytest.mark.parametrize("check", EXAM, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize(("method", "model"), PAIRS)
def test_exam(method: str, model: str, check) -> None:  # type: ignore[no-untyped-def]
    check(method, model)


def test_every_model_has_a_default_that_makes_it() -> None:
    for model, kind in KIND_OF_MODEL.items():
        if kind == "baskets":
            assert model in METHODS[DEFAULT_METHOD[model]].models
