"""Cluster: a random record and the k − 1 nearest to it, again and again (Poulis et al., ECML/PKDD 2013)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.methods import Method, flag

if TYPE_CHECKING:
    from tacit.promises import KAnonymity, LDiversity, TCloseness
    from tacit.records.data import RecordData
    from tacit.records.recoding import RecordRecoding


def search_k(data: RecordData, promise: KAnonymity, **options: Any) -> RecordRecoding:
    from tacit.records.solvers.cluster import cluster

    return data.recoding(cluster(data.attributes, promise.k, persons=data.persons, **options))


def search_l(data: RecordData, promise: LDiversity, **options: Any) -> RecordRecoding:
    from tacit.records.solvers.cluster import cluster

    wanted: Any = {"kind": promise.kind, "asked": data.asked(promise.l), "persons": data.persons}
    return data.recoding(cluster(data.attributes, promise.k, **wanted, **options))


def search_t(data: RecordData, promise: TCloseness, **options: Any) -> RecordRecoding:
    from tacit.records.solvers.closeness import closeness_of
    from tacit.records.solvers.cluster import cluster

    sensitive, close = closeness_of(data.sensitive, promise.t, data.persons)
    wanted: Any = {"sensitive": sensitive, "close": close, "persons": data.persons}
    return data.recoding(cluster(data.attributes, promise.k, **wanted, **options))


METHOD = Method(
    "cluster",
    "a random record and the k − 1 nearest to it, again and again (Poulis et al. 2013)",
    {"k": search_k, "l": search_l, "t": search_t},
    {"literal": flag("whether each record is compared with all others, as in the paper: slow on large tables", False)},
    publishes="groups of records with equal quasi-identifiers: values as they are, ranges, nodes of the hierarchy or "
    "sets",
    on_engines=True,
)
