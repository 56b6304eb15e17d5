"""One attribute per column (Dhumal & Patil, Table III): the comparator that keeps no correlation in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.methods import Method

if TYPE_CHECKING:
    from tacit.promises import SlicedDiversity
    from tacit.slices.data import PersonTable
    from tacit.slices.recoding import SliceRecoding


def search(data: PersonTable, promise: SlicedDiversity, **options: Any) -> SliceRecoding:
    from tacit.slices.solvers.columns import SINGLE
    from tacit.slices.solvers.slicing import sliced

    return sliced(data, promise.l, columns=SINGLE, **options)


METHOD = Method(
    "one-per-column",
    "slicing with one attribute per column (Dhumal & Patil, Table III)",
    {"sliced-l": search},
    publishes="a [sliced table](using-slices.md) with every attribute in a slice of its own",
    uses_hierarchy=False,
    on_engines=True,
    takes_columns=True,
)
