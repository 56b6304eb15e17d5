"""A release: the data to publish with its decision, its proof and its cost; and the directory it is saved in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from tacit import recoding as recodings
from tacit.audit.published import audit_baskets
from tacit.audit.result import AuditResult
from tacit.audit.truth import false_values
from tacit.baskets import BasketData, read_items, together
from tacit.directory import new_release
from tacit.errors import AuditFailure
from tacit.io import FileFormat, read_table, write_table
from tacit.job import Job, write_job
from tacit.recoding import Recoding
from tacit.report.page import report_page
from tacit.report.public import public_readme


@dataclass(eq=False)
class Release:
    """What `anonymize` gives back. Nothing of it is written anywhere until `save` has audited the very bytes."""

    job: Job
    table: pa.Table
    original: np.ndarray
    """For each published record the number of the original one: for the data's owner only."""
    recoding: Recoding
    utility: dict[str, Any]
    format: FileFormat
    before: BasketData
    notes: tuple[str, ...] = ()
    into_frame: Callable[[pa.Table], Any] = field(default=lambda table: table)
    published_before: pa.Table | None = None
    """What an earlier release published, if the promise must hold for both together."""

    @cached_property
    def data(self) -> Any:
        """The published data, as the same kind of frame as the input was."""
        return self.into_frame(self.table)

    @cached_property
    def audit(self) -> AuditResult:
        """The verdict of the audit on `data`."""
        return audit_baskets(read_items(self.table, self.job), self.job.promise)

    def __str__(self) -> str:
        measures = self.utility
        return (
            f"{self.audit}\n"
            f"{self.recoding}\n"
            f"loss: NCP {measures['ncp']:.2%}; of the occurrences {measures['unchanged']:.1%} are as they were, "
            f"{measures['generalized']:.1%} generalized, {measures['suppressed']:.1%} suppressed"
        )

    def check(self, table: pa.Table) -> AuditResult:
        """Audits a published table and compares it with the original; raises unless both are in order."""
        items = read_items(table, self.job)
        earlier = self.published_before
        seen = items if earlier is None else together(read_items(earlier, self.job), items)
        result = audit_baskets(seen, self.job.promise)
        if not result.satisfied:
            raise AuditFailure(f"The audit did not pass, so nothing was published. {result}")
        problems = false_values(self.before, items, self.original)
        if problems:
            raise AuditFailure(
                "The release is not true to the original, so nothing was published: " + "; ".join(problems)
            )
        return result

    def save(
        self,
        directory: str | Path,
        *,
        force: bool = False,
        report: bool = True,
        progress: Callable[[str], None] = lambda message: None,
    ) -> Path:
        """Writes the release directory: all of it, or nothing. What is published was audited as read back."""
        with new_release(Path(directory), force=force) as staging:
            progress("writing")
            file = staging.public / f"data.{self.format.extension}"
            write_table(self.table, file, self.format)
            progress("auditing")
            self.audit = self.check(read_table(file, format=self.format))
            files = {
                "job.toml": write_job(self.job),
                "recoding.json": recodings.to_json(self.recoding),
                "audit.json": _as_json(self.audit.to_dict()),
                "utility.json": _as_json(self.utility),
            }
            if report:
                progress("reporting")
                files["report.html"] = report_page(self, hashlib.sha256(file.read_bytes()).hexdigest())
            for name, text in files.items():
                (staging.private / name).write_text(text, encoding="utf-8")
            (staging.public / "README.md").write_text(public_readme(self, file.name), encoding="utf-8")
            self._write_rows(staging.private / "rows.csv")
            staging.approve()
        return Path(directory)

    def report(self, path: str | Path) -> Path:
        """Writes the report alone, for the data's owner."""
        Path(path).write_text(report_page(self), encoding="utf-8")
        return Path(path)

    def _write_rows(self, path: Path) -> None:
        """Which published record is which original one: row numbers from 0, or persons' ids in a long layout."""
        persons = self.before.items.persons
        number = np.arange(self.original.size)
        published, original = (number, self.original) if persons is None else (number + 1, persons.take(self.original))
        pyarrow.csv.write_csv(pa.table({"published": published, "original": original}), path)


def _as_json(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
