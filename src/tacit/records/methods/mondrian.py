"""Mondrian cuts tell who is near; groups of near records are improved record by record (LeFevre et al., ICDE 2006)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.methods import Method

if TYPE_CHECKING:
    from tacit.promises import KAnonymity, LDiversity, TCloseness
    from tacit.records.data import RecordData
    from tacit.records.recoding import RecordRecoding


def search_k(data: RecordData, promise: KAnonymity, **options: Any) -> RecordRecoding:
    from tacit.records.solvers.mondrian import mondrian

    return data.recoding(mondrian(data.attributes, promise.k, persons=data.persons, **options))


def search_l(data: RecordData, promise: LDiversity, **options: Any) -> RecordRecoding:
    from tacit.records.solvers.mondrian import mondrian

    wanted: Any = {"kind": promise.kind, "asked": data.asked(promise.l), "persons": data.persons}
    return data.recoding(mondrian(data.attributes, promise.k, **wanted, **options))


def search_t(data: RecordData, promise: TCloseness, **options: Any) -> RecordRecoding:
    from tacit.records.solvers.closeness import closeness_of
    from tacit.records.solvers.mondrian import mondrian

    sensitive, close = closeness_of(data.sensitive, promise.t, data.persons)
    wanted: Any = {"sensitive": sensitive, "close": close, "persons": data.persons}
    return data.recoding(mondrian(data.attributes, promise.k, **wanted, **options))


METHOD = Method(
    "mondrian",
    "Mondrian cuts tell who is near; groups of near records, improved record by record (LeFevre et al. 2006)",
    {"k": search_k, "l": search_l, "t": search_t},
    publishes="groups of records with equal quasi-identifiers: values as they are, ranges, nodes of the hierarchy or "
    "sets",
)
