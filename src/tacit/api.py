"""The Python API: the same as the commands, on frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tacit.audit.result import AuditResult
from tacit.errors import InputError
from tacit.flow import audit_table, make_release
from tacit.frames import to_table
from tacit.job import Column, Input, Job, Method, Output
from tacit.models import Promise
from tacit.release import Release
from tacit.taxonomy import Taxonomy, read_hierarchy

Names = str | Sequence[str] | None
Hierarchy = str | Path | Taxonomy


def anonymize(
    frame: Any,
    promise: Promise,
    *,
    items: Names = None,
    person: str | None = None,
    plain: Names = None,
    identifier: Names = None,
    sensitive_items: Sequence[str] = (),
    hierarchy: Hierarchy | Mapping[str, Hierarchy] | None = None,
    separator: str | None = None,
    missing: Sequence[str] = ("",),
    method: str | None = None,
    seed: int | None = None,
    **options: Any,
) -> Release:
    """Make a release of a pandas, Polars or Arrow frame; it is audited before it is given back.

    `items` names the column, or columns, with a basket in each row: a list, or text divided by `separator`. With
    `person`, the frame has one row per person and item instead. Columns that are not named are not published.

    >>> import pyarrow as pa
    >>> from tacit import KmAnonymity
    >>> frame = pa.table({"basket": [["beer"], ["wine"], ["milk"], ["milk", "tea"], ["milk", "tea"]]})
    >>> tree = Taxonomy.from_paths([["beer", "drink", "*"], ["wine", "drink", "*"], ["milk", "*"], ["tea", "*"]])
    >>> release = anonymize(frame, KmAnonymity(k=2, m=2), items="basket", hierarchy=tree, seed=1)
    >>> release.audit.satisfied
    True
    >>> sorted(release.data["basket"].to_pylist())
    [['drink'], ['drink'], ['milk'], ['milk', 'tea'], ['milk', 'tea']]
    """
    table, into_frame = to_table(frame)
    job = _job(
        promise, items, person, plain, identifier, sensitive_items, separator, missing, Method(method, seed, options)
    )
    trees = _trees(hierarchy, [column.name for column in job.columns_with("items")])
    release = make_release(table, job, hierarchies=trees)
    release.into_frame = into_frame
    release.audit = release.check(release.table)
    return release


def audit(
    frame: Any,
    promise: Promise,
    *,
    items: Names = None,
    person: str | None = None,
    sensitive_items: Sequence[str] = (),
    separator: str | None = None,
    missing: Sequence[str] = ("",),
) -> AuditResult:
    """Check a published frame, whoever made it, against a promise."""
    table, _ = to_table(frame)
    return audit_table(table, _job(promise, items, person, None, None, sensitive_items, separator, missing, Method()))


def _job(
    promise: Promise,
    items: Names,
    person: str | None,
    plain: Names,
    identifier: Names,
    sensitive_items: Sequence[str],
    separator: str | None,
    missing: Sequence[str],
    method: Method,
) -> Job:
    if not isinstance(promise, Promise):
        raise InputError(f"{promise!r} is not a promise", hint="Give one such as tacit.KmAnonymity(k=5, m=2).")
    names = _names(items)
    if not names:
        raise InputError("no column of baskets was named", hint='Name it: items="basket".')
    columns = [
        *(Column(name, "items", separator=separator, sensitive_items=tuple(sensitive_items)) for name in names),
        *(Column(name, "person") for name in _names(person)),
        *(Column(name, "plain") for name in _names(plain)),
        *(Column(name, "identifier") for name in _names(identifier)),
    ]
    source = Input("a frame in Python", layout="wide" if person is None else "long", missing=tuple(missing))
    return Job(source, tuple(columns), promise, Output(Path("out")), method)


def _names(given: Names) -> list[str]:
    if given is None:
        return []
    return [given] if isinstance(given, str) else list(given)


def _trees(hierarchy: Hierarchy | Mapping[str, Hierarchy] | None, columns: Sequence[str]) -> dict[str, Taxonomy]:
    """The hierarchy of each column that has one; a single one is for the only column."""
    if hierarchy is None:
        return {}
    by_column = hierarchy if isinstance(hierarchy, Mapping) else dict.fromkeys(columns, hierarchy)
    unknown = sorted(set(by_column) - set(columns))
    if unknown:
        raise InputError(
            f"hierarchy names {', '.join(map(repr, unknown))}, which is no column of baskets",
            hint=f"The columns of baskets are: {', '.join(columns)}.",
        )
    return {
        name: tree if isinstance(tree, Taxonomy) else read_hierarchy(Path(tree)) for name, tree in by_column.items()
    }
