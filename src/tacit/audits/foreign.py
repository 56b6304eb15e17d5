"""What other programs mean by their marks, where the owner of a file declares it: the verdict is about that.

ARX suppresses a record by writing `*` in all its quasi-identifiers. To sdcMicro a missing value may be any value. A
stranger who reads the file knows neither, so that without being told an audit takes both for values like others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

import tacit.audits as audits
from tacit.audits.k import ValueGroups, group_text, value_groups
from tacit.audits.result import AuditResult, how_many
from tacit.audits.views.columns import SUPPRESSED
from tacit.audits.views.records import RecordView
from tacit.errors import InputError
from tacit.job.model import Job

_LISTED = 1000


class Marks(NamedTuple):
    """What the marks of another program mean."""

    drop_suppressed: bool = False
    """Records whose quasi-identifiers are all `*` are not part of the file."""
    missing_matches: bool = False
    """A missing quasi-identifier may be any value."""

    def __bool__(self) -> bool:
        return any(self)


AS_WRITTEN = Marks()


def audit(view: Any, job: Job, marks: Marks) -> AuditResult:
    """The verdict on a file in which marks mean what its owner declares."""
    _check(view, job, marks)
    suppressed = _suppressed(view) if marks.drop_suppressed else np.zeros(len(view), bool)
    left = view.some(np.flatnonzero(~suppressed))
    if not marks.missing_matches:
        return _with_suppressed(audits.audit(left, job), int(suppressed.sum()))
    found = _matching(value_groups(left), job)
    return _with_suppressed(audits.with_columns(found, view.beside), int(suppressed.sum()))


def _check(view: Any, job: Job, marks: Marks) -> None:
    """Refuses marks that mean nothing for the promise."""
    if not isinstance(view, RecordView) or view.baskets is not None:
        raise InputError("suppressed records and missing values can be declared of records without baskets alone")
    if marks.missing_matches and job.promise.roles != ("quasi",):
        raise InputError(
            f"missing values that match any can be declared for the promise 'k' alone, not for {job.promise.name!r}",
            hint="Leave --missing-matches out: a missing value is then a value of its own.",
        )


def _suppressed(view: RecordView) -> np.ndarray:
    """Whether all quasi-identifiers of each record are `*`."""
    suppressed = np.ones(len(view), bool)
    for cells in view.quasi:
        suppressed &= np.array([text == SUPPRESSED for text in cells.texts], bool)[cells.codes]
    return suppressed


def _with_suppressed(result: AuditResult, count: int) -> AuditResult:
    """Suppressed records are no part of the verdict, but they are affected: nothing of them is published."""
    affected = result.facts["records_affected"] + count
    facts = {**result.facts, "suppressed_records": count, "records_affected": affected}
    told = (f"Left out: {how_many(count, 'record')} with nothing but '*' in the quasi-identifiers.",) * bool(count)
    return replace(result, facts=facts, explanation=(*result.explanation, *told))


def _matching(groups: ValueGroups, job: Job) -> AuditResult:
    """k-anonymity where a missing value may be any: of each group, the records that could be one of it are counted."""
    could_be = np.concatenate([np.empty(0, np.int64), *_could_be(groups, ("", *job.input.missing))])
    k = job.promise.parameters()["k"]
    few = np.flatnonzero(could_be < k)
    few = few[np.argsort(could_be[few], kind="stable")]
    concerned = int(groups.sizes[few].sum())

    def entry(group: int) -> dict[str, Any]:
        values, count = groups.text(group), int(could_be[group])
        text = f"{group_text(values)}: {how_many(count, 'record')} may match"
        return {"group": values, "support": count, "text": text}

    worst = entry(int(could_be.argmin())) if could_be.size else None
    facts = {
        "records": int(groups.of_record.size),
        "groups": int(groups.sizes.size),
        "violation_count": int(few.size),
        "violation_count_is_exact": True,
        "violation_count_in_words": f"{few.size:,}",
        "violation_unit": "groups of records with equal values",
        "records_affected": concerned,
        "level": {"k": int(could_be.min()), "k_is_exact": True} if could_be.size else None,
        "missing_matches": True,
    }
    finding = f"A missing value taken for any, each record matches at least {k:,} records, itself included."
    if few.size:
        affected = how_many(concerned, "record")
        finding = f"A missing value taken for any, {affected} match fewer than {k:,} records, themselves included."
    told = (finding, *((f"The least: {worst['text']}.",) if worst else ()))
    violations = [entry(group) for group in few[:_LISTED].tolist()]
    return AuditResult("k", job.promise.parameters(), not few.size, worst, violations, facts, told)


def _could_be(groups: ValueGroups, markers: Sequence[str]) -> Iterator[np.ndarray]:
    """For each group how many records agree with it wherever both have a value, a part of the groups at a time."""
    values = np.stack([cells.codes[groups.some_record] for cells in groups.columns])
    absent = np.stack(
        [
            np.array([text in markers for text in cells.texts], bool)[cells.codes[groups.some_record]]
            for cells in groups.columns
        ]
    )
    at_once = max(1, (1 << 24) // max(values.size, 1))
    for start in range(0, groups.sizes.size, at_once):
        part = slice(start, start + at_once)
        agree = values[:, part, None] == values[:, None, :]
        agree |= absent[:, part, None] | absent[:, None, :]
        yield agree.all(axis=0) @ groups.sizes
