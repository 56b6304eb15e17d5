"""public/README.md: what a recipient must know to read the data rightly. No raw value, nothing of a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.baskets import is_list, separator_of
from tacit.utility.baskets import names_shown

if TYPE_CHECKING:
    from tacit.release import Release


def public_readme(release: Release, file_name: str) -> str:
    """The note that goes out beside the data file."""
    job, measures = release.job, release.utility
    lines = [
        f"# {file_name}",
        "",
        f"{measures['records']:,} records in random order, without identifiers, anonymized by tacit.",
        "",
        "## The promise",
        "",
        f"{job.promise.in_words()} ({_formula(release)}; the file was checked before it was published.)",
        "",
        "It does not say that nothing can be learnt about a person whose items are common, and it does not protect "
        "against somebody who knows more than the promise says.",
        "",
        "## How to read it",
        "",
    ]
    for column in job.columns_with("items"):
        cut = release.recoding.columns[column.name]
        shown = {name for where, name in names_shown(release.before, release.recoding) if where == column.name}
        lines += [f"- `{column.name}`: {_layout(release, column.name, separator_of(column))}"]
        groups = sorted(shown & {node for leaf, node in cut.becomes.items() if node != leaf})
        if groups:
            lines.append(
                f"  - {len(groups)} of the {len(shown)} names stand for groups of items: a record that has "
                "one holds at least one item of the group, and may hold several. The groups are: "
                + ", ".join(f"`{name}`" for name in groups[:200])
                + ("" if len(groups) <= 200 else f", and {len(groups) - 200:,} more")
                + "."
            )
        if cut.suppressed:
            lines.append("  - Some items were taken out wherever they stood; the file does not show them at all.")
        if column.sensitive_items:
            lines.append(f"  - {len(column.sensitive_items)} items declared sensitive are published as they are.")
    for column in job.columns_with("plain"):
        lines.append(f"- `{column.name}`: as in the original.")
    lines += [
        "",
        "An item or group is recoded the same way in every record, so counts of what is shown are true counts of the "
        "original data. A record that lost all its items is there as an empty one.",
        "",
        "## What it cost",
        "",
        f"- loss (NCP, 0 is none, 1 is everything): {measures['ncp']:.4f}",
        f"- of all occurrences of items {measures['unchanged']:.1%} are as they were, {measures['generalized']:.1%} "
        f"generalized, {measures['suppressed']:.1%} suppressed",
        "",
    ]
    return "\n".join(lines)


def _formula(release: Release) -> str:
    parameters = release.job.promise.parameters()
    return "k^m-anonymity with " + ", ".join(f"{key} = {value}" for key, value in parameters.items())


def _layout(release: Release, name: str, separator: str) -> str:
    if release.job.input.layout == "long":
        return "one row per person and item; a person without items has a row with an empty cell."
    if is_list(release.table[name].type):
        return "a list of items; a record without items has an empty list."
    between = "one blank" if separator == " " else f"`{separator}`"
    return f"the items of a record, separated by {between}; empty if it has none."
