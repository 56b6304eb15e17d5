"""What a release says of people who have several records: who is counted, and what that does not hide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.job.checks import repeated_identifiers

if TYPE_CHECKING:
    from tacit.release import Release


def about_persons(release: Release) -> list[str]:
    """Sentences for the note that goes out and for the report; none where every record is a person's only one."""
    unit = "household" if release.job.columns_with("household") else "person"
    if getattr(release.before, "person_of_row", None) is not None:
        return [f"A record is all that the original has of one {unit}, be it in several rows."]
    if release.job.promise.kind_of_data == "ratings" and release.job.input.layout == "long":
        return []  # a record is all ratings of a person, as the note says of its rows
    if getattr(release.before, "persons", None) is not None:
        return [_who_is_counted(release, unit), _not_hidden(unit)]
    if release.repeats or repeated_identifiers(release.source, release.job):
        return [
            "Records are counted, not people. In the original somebody may have several records: who does may be among "
            "fewer people than the promise says of records, or alone."
        ]
    return []


def _who_is_counted(release: Release, unit: str) -> str:
    if release.job.promise.kind_of_data == "slices":
        return (
            f"A {unit} may have several records. No two records of one {unit} are in the same bucket. The promise is "
            f"about each record: that a {unit} has a value in some of several may be told with a greater probability."
        )
    return (
        f"A {unit} may have several records. Where the promise says how many records there are, it is so many "
        f"different {unit}s, and shares are of {unit}s: a {unit} has what any of its records in the group has."
    )


def _not_hidden(unit: str) -> str:
    return (
        f"It does not stop somebody from linking the records that a {unit} has in different groups, if what else is "
        f"published or known tells that they belong together, and it does not hide how many records a {unit} has."
    )
