"""The promises a release can make: frozen, checked at birth, refusing with a reason."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from tacit.errors import InputError

INFINITE = math.inf


def _whole_number(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(
            f"privacy.{name} is {value!r}, but it must be a whole number of at least {least}",
            hint=f"Set {name} = {max(least, 2)} or more in [privacy].",
        )
    return value


@dataclass(frozen=True)
class KmAnonymity:
    """k^m-anonymity: whoever knows up to m items of a person finds at least k people who have them.

    >>> KmAnonymity(k=5, m=2)
    KmAnonymity(k=5, m=2)
    >>> KmAnonymity(k=5, m="inf").m
    inf
    """

    name: ClassVar[str] = "km"
    k: int
    m: int | float

    def __post_init__(self) -> None:
        _whole_number("k", self.k, 1)
        if self.m in ("inf", INFINITE):
            object.__setattr__(self, "m", INFINITE)
        else:
            _whole_number("m", self.m, 1)

    def parameters(self) -> dict[str, Any]:
        """As written in a job file or audit.json, where infinity is the string "inf"."""
        return {key: "inf" if value == INFINITE else value for key, value in asdict(self).items()}

    def in_words(self) -> str:
        """The promise for people who do not read papers."""
        knows = "any number of items" if self.m == INFINITE else f"up to {self.m} item{'s' * (self.m != 1)}"
        return (
            f"Someone who knows {knows} of a person's basket cannot narrow that person down "
            f"to fewer than {self.k} baskets of this file."
        )


Promise = KmAnonymity

MODELS: dict[str, type[Promise]] = {model.name: model for model in (KmAnonymity,)}


def promise(model: str, parameters: dict[str, Any]) -> Promise:
    """The promise that a job file names, with its parameters checked."""
    if model not in MODELS:
        raise InputError(
            f"privacy.model is {model!r}, which is not a promise tacit knows",
            hint=f"Use one of: {', '.join(MODELS)}. `tacit methods` says what each one stops.",
        )
    kind = MODELS[model]
    wanted = [field.name for field in fields(kind)]
    unknown = sorted(set(parameters) - set(wanted))
    if unknown:
        raise InputError(
            f"[privacy] has {', '.join(map(repr, unknown))}, which model {model!r} does not take",
            hint=f"Its parameters are: {', '.join(wanted)}.",
        )
    missing = [name for name in wanted if name not in parameters]
    if missing:
        raise InputError(f"[privacy] lacks {', '.join(missing)}", hint=f"Model {model!r} needs {', '.join(wanted)}.")
    return kind(**parameters)
