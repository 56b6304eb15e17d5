"""public/README.md: what a recipient must know to read the data rightly. No raw value, nothing of a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.report.markdown import code
from tacit.report.missing import missing_in
from tacit.report.words import parameters, promised

if TYPE_CHECKING:
    from tacit.release import Release

_PAGE = """\
# {file_name}

{records:,} records in random order, without identifiers, anonymized by tacit.

## The promise

{promise}

This is {title} with {parameters}. {checked}

{not_stopped}

## How to read it

{meaning}

## What it cost

{cost}
"""

_CHECKED = "It was checked on this very file before it was handed on."

_CHECKED_TOGETHER = """\
It was checked before this file was handed on.

The promise counts the baskets of this file together with those of the earlier release that it adds to. It was not
checked for this file alone."""


def public_readme(release: Release, file_name: str) -> str:
    """The note that goes out beside the data file."""
    promise, earlier = release.job.promise, release.published_before
    plain = [column.name for column in release.job.columns_with("plain")]
    return _PAGE.format(
        file_name=file_name,
        records=release.utility["records"],
        promise=promised(release),
        title=promise.title,
        parameters=parameters(promise),
        checked=_CHECKED if earlier is None else _CHECKED_TOGETHER,
        not_stopped=promise.not_stopped + _uncovered(plain),
        meaning="\n".join(
            [*(_plain(release, name) for name in plain), *release.kind.how_to_read(release), *_escapes(release)]
        ),
        cost=_cost(release),
    )


def _plain(release: Release, name: str) -> str:
    line = f"- {code(name)}: as in the original. The promise does not cover it."
    missing = missing_in(release, [name] if name in release.table.column_names else [])
    return f"{line}{' ' * bool(missing)}{missing}"


def _uncovered(plain: list[str]) -> str:
    """What the promise does not reach: columns that go out as they are."""
    if not plain:
        return ""
    named = ", ".join(map(code, plain))
    return (
        f"\n\nThe promise does not cover {named}: published as in the original. Who knows such a value of a person may "
        "find the person's record by it."
    )


def _escapes(release: Release) -> list[str]:
    """What stands in the file that is no part of a value."""
    if not (release.job.output.escape_formulas and release.format.delimited):
        return []
    return [
        "",
        "An apostrophe was put before every value that a spreadsheet would take for a formula, such as one that begins "
        "with `=`, `+`, `-` or `@`, and one more where such a value has apostrophes in front already. Take one away "
        "before you compare such a value with others.",
    ]


def _cost(release: Release) -> str:
    """What was lost, with the one abbreviation explained that recipients may not know."""
    cost = release.kind.cost_in_words(release.utility)
    ncp = " NCP is the share of what the values said that is lost: 0 % is the original, 100 % is nothing."
    return f"{cost[:1].upper()}{cost[1:]}.{ncp if 'NCP' in cost else ''}"
