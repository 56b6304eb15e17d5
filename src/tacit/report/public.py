"""public/README.md: what a recipient must know to read the data rightly. No raw value, nothing of a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.attack.words import verbatim_in_words
from tacit.languages.notes import note_in_language
from tacit.methods import method_for
from tacit.report.markdown import code
from tacit.report.missing import missing_in
from tacit.report.persons import about_persons
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

_OTHER_RELEASES = """\
The promise is about this file alone. Whoever has another release about the same people may put the two together and
learn what neither tells by itself."""

_CHECKED = "It was checked on this very file before it was handed on."

_CHECKED_TOGETHER = """\
It was checked before this file was handed on.

The promise counts the baskets of this file together with those of the earlier release that it adds to. It was not
checked for this file alone."""


def public_readme(release: Release, file_name: str) -> str:
    """The note that goes out beside the data file, in the language that the job says."""
    return note_in_language(_in_english(release, file_name), release.job.about.language or "en")


def _in_english(release: Release, file_name: str) -> str:
    promise, earlier = release.job.promise, release.published_before
    plain = [column.name for column in release.job.columns_with("plain")]
    return _PAGE.format(
        file_name=file_name,
        records=release.utility["records"],
        promise=promised(release),
        title=promise.title,
        parameters=parameters(promise),
        checked=_CHECKED if earlier is None else _CHECKED_TOGETHER,
        not_stopped="\n\n".join(filter(None, [promise.not_stopped, *_beyond(release, plain), _OTHER_RELEASES])),
        meaning="\n".join(
            [*(_plain(release, name) for name in plain), *release.kind.how_to_read(release), *_escapes(release)]
        ),
        cost=_cost(release),
    )


def _plain(release: Release, name: str) -> str:
    line = f"- {code(name)}: as in the original. The promise does not cover it."
    missing = missing_in(release, [name] if name in release.table.column_names else [])
    return f"{line}{' ' * bool(missing)}{missing}"


def _beyond(release: Release, plain: list[str]) -> list[str]:
    """What is left open in this release, beside what its promise never stops."""
    return [*about_persons(release), _caution(release), _uncovered(plain), _verbatim(release)]


def _caution(release: Release) -> str:
    """What the method, as it was used, leaves open beyond the promise."""
    method = release.job.method
    return method_for(release.job.promise.name, method.name).caution(method.options)


def _uncovered(plain: list[str]) -> str:
    """What the promise does not reach: columns that go out as they are."""
    if not plain:
        return ""
    named = ", ".join(map(code, plain))
    return (
        f"The promise does not cover {named}: published as in the original. Who knows such a value of a person may "
        "find the person's record by it."
    )


def _verbatim(release: Release) -> str:
    """That most of the rows are as they were, and of one person each."""
    words = verbatim_in_words(release.utility, release.job.promise.bound)
    return f"{words}." if words else ""


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
    cost = release.kind.cost_in_words(release.utility, in_public=True)
    is_sliced = release.job.promise.kind_of_data == "slices"  # no value says there what was lost by taking them apart
    ncp = " NCP is the share of what the values said that is lost: 0 % is the original, 100 % is nothing."
    nothing = "".join(f" {each}" for each in release.kind.tells_nothing(release.utility))
    return f"{cost[:1].upper()}{cost[1:]}.{ncp if 'NCP' in cost and not is_sliced else ''}{nothing}"
