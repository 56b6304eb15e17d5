"""Halves that tell nothing about whose the sensitive values are: safe from somebody who knows the method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.errors import InputError
from tacit.methods import Method

if TYPE_CHECKING:
    from tacit.promises import LDiversity
    from tacit.records.data import RecordData
    from tacit.records.recoding import RecordRecoding
    from tacit.shuffle import Shuffle


def search(
    data: RecordData, promise: LDiversity, *, seed: int, hidden: Shuffle, progress: Any = None
) -> RecordRecoding:
    """What is left to chance hides people, and so is not drawn from the seed."""
    from tacit.records.solvers.guarded import guarded

    if data.persons is not None:
        raise InputError(
            "the method 'guarded' takes one record of each person, and somebody has several",
            hint="Use another method, such as mondrian, which counts persons.",
        )
    return data.recoding(guarded(data.attributes, promise, (), hidden, progress, data.asked(promise.l)))


METHOD = Method(
    "guarded",
    "Mondrian in halves that tell nothing about whose the sensitive values are, not even to who knows the method",
    {"l": search},
    publishes="groups of records with equal quasi-identifiers: values as they are, ranges, nodes of the hierarchy or "
    "sets",
    draws=True,
)
