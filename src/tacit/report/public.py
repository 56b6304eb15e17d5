"""public/README.md: what a recipient must know to read the data rightly. No raw value, nothing of a person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.baskets import separator_of
from tacit.encode import is_list
from tacit.utility.baskets import names_shown

if TYPE_CHECKING:
    from tacit.job import Column
    from tacit.release import Release

_NAMED = 200

_PAGE = """\
# {file_name}

{records:,} records in random order, without identifiers, anonymized by tacit.

## The promise

{promise} (k^m-anonymity with {parameters}; checked before the file was published.){addition}

It does not say that nothing can be learnt about a person whose items are common, and it does not protect against
somebody who knows more than the promise says.

## How to read it

{columns}

An item is recoded the same way in every record, so counts of what is shown are true counts of the original data.
A record that lost all its items is there as an empty one.

## What it cost

- Loss (NCP; 0 is none, 1 is everything): {ncp:.4f}
- Occurrences of items: {unchanged:.1%} as they were, {generalized:.1%} generalized, {suppressed:.1%} suppressed.
"""

_ADDITION = """

The promise counts the baskets of this file together with those of the earlier release that it adds to. It was not
checked for this file alone."""


_OF_BOTH = "of this file and the earlier one together"


def public_readme(release: Release, file_name: str) -> str:
    """The note that goes out beside the data file."""
    promise, earlier = release.job.promise, release.published_before
    return _PAGE.format(
        file_name=file_name,
        promise=promise.in_words() if earlier is None else promise.in_words().replace("of this file", _OF_BOTH),
        parameters=", ".join(f"{key} = {value}" for key, value in promise.parameters().items()),
        addition="" if earlier is None else _ADDITION,
        columns="\n".join(_columns(release)),
        **release.utility,
    )


def _columns(release: Release) -> Iterator[str]:
    for number, column in enumerate(release.before.items.columns):
        cut = release.recoding.columns[column.name]
        shown = names_shown(release.before.items, release.recoding, number)
        groups = sorted(shown & cut.groups)
        yield f"- {_code(column.name)}: {_layout(release, column)}"
        if groups:
            more = f", and {len(groups) - _NAMED:,} more" if len(groups) > _NAMED else ""
            yield (
                f"  - Groups of items ({len(groups):,} of its {len(shown):,} names): a record that has one holds at "
                "least one item of the group, and may hold several. They are: "
                f"{', '.join(map(_code, groups[:_NAMED]))}{more}."
            )
        if cut.suppressed:
            yield "  - Some items were taken out wherever they stood; the file does not show them at all."
        if cut.sensitive:
            yield (
                f"  - Items declared sensitive are published as they are ({len(cut.sensitive):,}). The promise takes "
                "for granted that nobody knows them of a person beforehand."
            )
    for column in release.job.columns_with("plain"):
        yield f"- {_code(column.name)}: as in the original. The promise says nothing about it."


def _layout(release: Release, column: Column) -> str:
    if release.job.input.layout == "long":
        return "one row per person and item; a person without items has a row with an empty cell."
    if is_list(release.table[column.name].type):
        return "a list of items; a record without items has an empty list."
    separator = separator_of(column)
    between = "one blank" if separator == " " else _code(separator)
    return f"the items of a record, separated by {between}; empty if it has none."


def _code(text: str) -> str:
    """The text in Markdown's marks for code, on one line."""
    line = " ".join(text.split()) or repr(text)
    return f"`` {line} ``" if "`" in line else f"`{line}`"
