"""Ratings as a kind of data: surveys and rating logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from tacit.errors import InputError, PromiseError
from tacit.io import FileFormat
from tacit.job import Column, Job
from tacit.job.checks import check_columns
from tacit.kinds import Encoded, Published
from tacit.ratings.applied import Released, apply
from tacit.ratings.checks import check_known
from tacit.ratings.data import Ratings, read_ratings
from tacit.ratings.measures import measure_ratings
from tacit.ratings.publish import publish_ratings as publish
from tacit.ratings.range_measures import measure_ranges
from tacit.ratings.range_report import range_sections, range_semantics
from tacit.ratings.ranges import Ranged
from tacit.ratings.report import rating_sections, rating_semantics
from tacit.ratings.scale import Scale
from tacit.ratings.solvers.problem import keeps_any
from tacit.release import Release
from tacit.report.blocks import Section
from tacit.taxonomy import Taxonomy

__all__ = ["apply", "publish"]  # of the kind as they are

_MOST = 0.5
"""Beyond which share the ratings of a release tell nothing any more."""

SINGLE_VALUED: tuple[str, ...] = ("person", "items", "rating")


def encode(table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], output: FileFormat | None) -> Encoded:
    encoded = read(table, job, output)
    if job.promise.shows_ranges:
        check_known(encoded.data, job.promise, job)
    return encoded


def read(table: pa.Table, job: Job, output: FileFormat | None) -> Encoded:
    """The same without a look at how much anybody rated."""
    check_columns(table, job)
    if output is not None and output.name == "dat":
        hint = 'Write another format, such as format = "csv" under [output].'
        raise InputError("a .dat file cannot hold ratings", file=job.file, hint=hint)
    data = read_ratings(table, job)
    if data.names and data.is_sensitive.all():
        hint = "Leave at least one issue that is not sensitive: it is what an attacker may know."
        raise InputError("every issue is declared sensitive, so there is nothing to protect", file=job.file, hint=hint)
    promise: Any = job.promise
    if not promise.shows_ranges and promise.l is not None and not data.is_sensitive.any():
        where = "of the column of issues: sensitive = [...]" if job.input.layout == "long" else "= true of a rating"
        hint = f"Declare what is sensitive (`sensitive` {where}), or leave l out."
        raise InputError("l is set, but no issue is declared sensitive", file=job.file, hint=hint)
    return Encoded(data, (*data.notes, *_remarks(data, promise)), _with_scales(data, job))


def _with_scales(data: Ratings, job: Job) -> tuple[Column, ...]:
    """The columns of the job with the scales that were guessed; none where ratings were rounded, and the scale too."""
    found = {
        column.name: scale
        for column, scale, style in zip(job.columns_with("rating"), data.scales, data.styles, strict=False)
        if style.is_exact
    }
    return tuple(_with_scale(column, found[column.name]) if column.name in found else column for column in job.columns)


def _with_scale(column: Column, scale: Scale) -> Column:
    ends = (_as_number(scale.low), _as_number(scale.high))
    step = _as_number(scale.step or Decimal(0))
    if tuple(Decimal(str(end)) for end in (*ends, step)) != (scale.low, scale.high, scale.step or 0):
        return column  # no number of the machine
    return replace(
        column, scale=ends if column.scale is None else column.scale, step=step if column.step is None else column.step
    )


def _as_number(number: Decimal) -> float:
    return int(number) if number == int(number) else float(number)


def _remarks(data: Ratings, promise: Any) -> list[str]:
    """What the owner should know of the promise on these data."""
    remarks = []
    if data.is_all_free:
        remarks.append(
            f"ε = {promise.eps:g} is larger than the scale is long: by definition any two people are close, whatever "
            "they rated, so nothing was changed and nothing is hidden"
        )
    elif data.free_issues:
        remarks.append(
            "issues left as they are, since ε is larger than their scale is long, so that the promise says nothing "
            f"about them: {data.free_issues:,}"
        )
    silent = int(np.count_nonzero(np.diff(data.indptr) == 0))
    if silent:
        remarks.append(f"people without any rating: {silent:,}")
    return remarks


def judge(data: Ratings, applied: Released | Ranged, method: str) -> tuple[str, ...]:
    if isinstance(applied, Ranged):
        known = ~data.is_sensitive
        if known[data.issues].any() and not known[applied.issues].any():
            problem_words = f"The method {method!r} would blank every rating that is not sensitive."
            raise PromiseError(f"{problem_words}\n  A lower k or m could be reached.")
        return ()
    if asks_and_keeps(data, applied) == (True, False):
        refuse_blank(method, fill=data.fill)
    return ()


def asks_and_keeps(data: Ratings, applied: Released) -> tuple[bool, bool]:
    """Whether there is a rating that an attacker may know, and whether a decision publishes any."""
    problem = data.problem(1, False)
    return bool(problem.issues.size), keeps_any(problem, applied.recoding.cells)


def refuse_blank(method: str, *, fill: bool) -> NoReturn:
    """Raises, since nothing is worth publishing."""
    raise PromiseError(
        f"The method {method!r} would blank every rating that is not sensitive.\n"
        f"  A lower k could be reached, or this one by another method{'' if fill else ' or with fill = true'}."
    )


def measure(data: Ratings, applied: Released | Ranged, published: Published, job: Job) -> dict[str, Any]:
    if isinstance(applied, Ranged):
        return measure_ranges(data, applied, seed=job.method.seed or 0)
    return measure_ratings(data, applied, seed=job.method.seed or 0)


def rows(data: Ratings, original: np.ndarray) -> pa.Table:
    """Row numbers from 0, or persons' ids in a long layout."""
    row = np.arange(original.size)
    if data.persons is None:
        return pa.table({"published": row, "original": original})
    return pa.table({"published": row + 1, "original": data.persons.take(pa.array(original))})


def facts_for_words(data: Ratings) -> dict[str, Any]:
    """How many issues ε says nothing about, and whether some are sensitive."""
    sensitive = bool(data.is_sensitive.any())
    return {"free": data.free_issues, "all_free": data.is_all_free, "some_sensitive": sensitive}


def cost_in_words(utility: Mapping[str, Any], *, in_public: bool = False) -> str:
    if "as_ranges" in utility:
        return (
            f"of the ratings an attacker may know {utility['kept']:.1%} are kept ({utility['unchanged']:.1%} as they "
            f"were, {utility['as_ranges']:.1%} as ranges), {utility['blanked']:.1%} blanked; a range is "
            f"{utility['mean_width']:.1%} of its scale on average; distortion {utility['distortion']:,.10g} "
            f"({utility['distortion_per_rating']:.2f} a rating)"
        )
    filled = int(utility["filled"])
    invented = f", {filled:,} {'rating was' if filled == 1 else 'ratings were'} filled in that nobody gave"
    return (
        f"of the ratings an attacker may know {utility['kept']:.1%} are kept ({utility['unchanged']:.1%} as they "
        f"were), {utility['blanked']:.1%} blanked{invented if filled else ''}; "
        f"distortion {utility['distortion']:,.10g} ({utility['distortion_per_rating']:.2f} a rating)"
    )


def tells_nothing(utility: Mapping[str, Any]) -> tuple[str, ...]:
    share = utility["blanked"] + utility.get("as_rated", 0)
    if share <= _MOST:
        return ()
    return (f"Most ratings tell nothing any more: {share:.0%} are blanked, or shown as their whole scale.",)


def sections(release: Release) -> Sequence[Section]:
    return range_sections(release) if isinstance(release.applied, Ranged) else rating_sections(release)


def how_to_read(release: Release) -> Sequence[str]:
    return range_semantics(release) if isinstance(release.applied, Ranged) else rating_semantics(release)
