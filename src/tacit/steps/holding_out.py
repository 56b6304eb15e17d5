"""People who are held out before anything is made: attackers are played against them, too."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit import audits
from tacit.errors import InputError
from tacit.io.text import as_text
from tacit.job import Job
from tacit.methods import is_local
from tacit.release import Release
from tacit.shuffle import HELD_OUT, Shuffle


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The people who are not published, and which rows of the input are those of the others."""

    strangers: pa.Table
    kept: np.ndarray

    def noted(self, release: Release) -> Release:
        """The release with these people, as attackers' judges read them."""
        local = is_local(release.job.promise.name, release.job.method.name)
        control = audits.read_original(self.strangers, release.job, release.hierarchies, is_local=local)
        told = f"{len(control):,} people were held out as a control for attackers, and are not published"
        return replace(release, control=control, kept=self.kept, notes=(*release.notes, told))


def hold_out(table: pa.Table, job: Job, share: float, key: bytes) -> tuple[pa.Table, HeldOut]:
    """The rows of people who stay, and who is held out; all rows of a person, or of a household, go together."""
    names = [column.name for role in ("household", "person") for column in job.columns_with(role)]
    who = _together(table[names[0]]) if names else np.arange(table.num_rows)
    people = int(who.max(initial=-1)) + 1
    out = Shuffle.keyed(key, "held out").order(people, HELD_OUT)[: round(share * people)]
    is_out = np.zeros(people, bool)
    is_out[out] = True
    if not out.size or out.size == people:
        raise InputError(
            f"a share of {share:g} holds out {out.size} of {people:,} people", hint="Choose another share."
        )
    kept = np.flatnonzero(~is_out[who])
    return table.take(pa.array(kept)), HeldOut(table.take(pa.array(np.flatnonzero(is_out[who]))), kept)


def _together(column: pa.ChunkedArray) -> np.ndarray:
    """A number for each row, the same for rows of one person or household."""
    return np.from_dlpack(pc.rank(as_text(column).combine_chunks(), tiebreaker="dense")).astype(np.int64) - 1
