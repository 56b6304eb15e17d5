"""What the table of methods calls: from records and a promise to a recoding, one function a method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tacit.arrays.order import in_content_order
from tacit.promises import KAnonymity, LDiversity
from tacit.records.data import RecordData
from tacit.records.recoding import RecordRecoding

Progress = Callable[[str], None]
Promise = KAnonymity | LDiversity


@in_content_order
def search_mondrian(data: RecordData, promise: Promise, *, seed: int, progress: Progress) -> RecordRecoding:
    from tacit.records.solvers.mondrian import mondrian

    return _grouped(mondrian, data, promise, seed=seed, progress=progress)


@in_content_order
def search_cluster(
    data: RecordData, promise: Promise, *, seed: int, progress: Progress, literal: bool
) -> RecordRecoding:
    from tacit.records.solvers.cluster import cluster

    return _grouped(cluster, data, promise, seed=seed, progress=progress, literal=literal)


def _grouped(method: Callable[..., np.ndarray], data: RecordData, promise: Promise, **options: Any) -> RecordRecoding:
    if isinstance(promise, LDiversity):
        secrets = [attribute.codes for attribute in data.sensitive]
        options |= {"l": promise.l, "kind": promise.kind, "sensitive": secrets}
    return data.recoding(method(data.attributes, promise.k, **options))
