"""Slicing: columns of correlated attributes, permuted inside buckets (Li et al., TKDE 2012; Dhumal & Patil)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tacit.methods import Method, Option, flag, whole

if TYPE_CHECKING:
    from tacit.promises import SlicedDiversity
    from tacit.slices.data import PersonTable
    from tacit.slices.recoding import SliceRecoding


def search(data: PersonTable, promise: SlicedDiversity, **options: Any) -> SliceRecoding:
    from tacit.slices.solvers.slicing import sliced

    return sliced(data, promise.l, **options)


def _are_names(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) > 0 and all(isinstance(name, str) for name in value)


OPTIONS = {
    "columns": Option(
        "how many columns, or which: lists of attributes, which may overlap; left out: as many as fit best",
        lambda value: (
            (isinstance(value, int) and not isinstance(value, bool) and value >= 1)
            or (isinstance(value, list | tuple) and len(value) > 0 and all(_are_names(one) for one in value))
        ),
        "a whole number of at least 1, or lists of attributes",
        more='`columns = [["age", "sex"], ["zip", "illness"]]`',
    ),
    "overlap": flag("whether an attribute may stand in a second column where that keeps more correlation", False),
    "cluster": Option(
        "how attributes are put together: kmeans or kmedoids",
        lambda value: value in ("kmeans", "kmedoids"),
        "kmeans or kmedoids",
        "kmeans",
    ),
    "domains": Option(
        "attributes that stand together: a table of name = list of attributes",
        lambda value: isinstance(value, Mapping) and all(_are_names(one) for one in value.values()),
        "a table of lists of attributes",
        more='They start as one column: `domains = { social = ["job", "salary"] }`',
    ),
    "generalize_k": whole(
        1,
        "makes every column k-anonymous first; left out: values are published as they are",
        more="It is the known attributes of a column that become ranges, sets or nodes of the hierarchy",
    ),
    "bins": whole(2, "into how many classes numbers are put to compute correlations", 10),
    "discretize": Option(
        "classes of equal frequency or of equal width",
        lambda value: value in ("frequency", "width"),
        "frequency or width",
        "frequency",
    ),
}

METHOD = Method(
    "slicing",
    "columns of correlated attributes, permuted inside buckets (Li et al. 2012; Dhumal & Patil)",
    {"sliced-l": search},
    OPTIONS,
    publishes="a [sliced table](using-slices.md): values as they are; inside a bucket only attributes of one slice "
    "belong together",
    uses_hierarchy=False,
    on_engines=True,
    takes_columns=True,
)
