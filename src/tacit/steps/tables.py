"""A release that becomes a table of a database, too."""

from __future__ import annotations

from tacit.io.database_output import check_table, new_table
from tacit.job import Job
from tacit.job.sources import tables_read
from tacit.release import Release
from tacit.steps.judging import checked
from tacit.steps.stages import Progress


def check_output_table(job: Job, *, force: bool) -> None:
    """Raises before any work where the table that a job asks for cannot be made."""
    if job.output.database is not None and job.output.table is not None:
        check_table(job.output.database, job.output.table, force=force, reads=tables_read(job))


def write_output_table(release: Release, *, force: bool, progress: Progress) -> None:
    """Writes the table that the job asks for, if it does, and keeps it if what the database gives back is in order."""
    database, name = release.job.output.database, release.job.output.table
    if database is None or name is None:
        return
    progress("auditing the table")
    with new_table(database, name, force=force) as table:
        table.write(release.table)
        checked(release, table.read())
        table.keep()
