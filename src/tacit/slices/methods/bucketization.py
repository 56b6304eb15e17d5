"""Anatomy: sensitive values separated from the quasi-identifiers, in buckets (Xiao & Tao, VLDB 2006)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.methods import Method

if TYPE_CHECKING:
    from tacit.promises import SlicedDiversity
    from tacit.shuffle import Shuffle
    from tacit.slices.data import PersonTable
    from tacit.slices.recoding import SliceRecoding


def search(
    data: PersonTable, promise: SlicedDiversity, *, seed: int, hidden: Shuffle, progress: Any = None
) -> SliceRecoding:
    """The quasi-identifiers as they are, the sensitive attributes separated from them in buckets."""
    from tacit.slices.solvers.bucketization import bucketize
    from tacit.slices.solvers.slicing import recoding_of

    slices, bucket = bucketize(data, promise.l, hidden)
    return recoding_of(data, slices, bucket, [])


METHOD = Method(
    "bucketization",
    "Anatomy: sensitive values separated from the quasi-identifiers, in buckets (Xiao, Tao 2006)",
    {"sliced-l": search},
    publishes="a [sliced table](using-slices.md): slice 1 has all quasi-identifiers, each sensitive attribute has its "
    "own",
    draws=True,
    uses_hierarchy=False,
    on_engines=True,
)
