"""One cell of a comparison, in a process of its own: make the release and audit it in memory. Nothing is published."""

from __future__ import annotations

import gc
import json
import pickle
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.attack.flow import AFTER
from tacit.compare.grid import ROWS, Cell
from tacit.compare.risk import risk_of
from tacit.errors import InputError, TacitError
from tacit.flow import make_release
from tacit.io import format_named, read_table
from tacit.job import Job
from tacit.job.sources import Source, read_source
from tacit.process import faults
from tacit.steps.judging import checked

_OBJECTS = 200_000
_SAMPLE_SEED = 20100322
"""All cells draw their records in the same order, so that a smaller sample is a part of every larger one."""


class Stopwatch:
    """Progress that notes how long each stage took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._stage, self._since = "", time.perf_counter()

    def __call__(self, stage: str) -> None:
        now = time.perf_counter()
        if self._stage:
            self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + now - self._since
        self._stage, self._since = stage, now


def run_cell(cell: Cell) -> dict[str, Any]:
    """What a cell comes to: its cost, its times and its memory; a release that fails its audit is an error."""
    watch = Stopwatch()

    def stage(message: str) -> None:
        if message in ("searching", "recoding", "attacking"):
            watch(message)

    began = time.perf_counter()
    watch("reading")
    table, found, _ = _read(cell)
    table = sampled(table, cell)
    watch("encoding")
    release = make_release(table, cell.job, input_format=found, progress=stage)
    watch("auditing")
    release = checked(release, release.table, attacks=cell.attacks, plan=AFTER, progress=stage)
    watch("")
    risk = {} if release.attacked is None else {"risk": risk_of(release.attacked)}
    return {
        "status": "done",
        "exit_code": 0,
        "seconds": time.perf_counter() - began - watch.seconds.get("attacking", 0.0),
        "stages": watch.seconds,
        "peak_mib": peak_mib(),
        "utility": release.utility,
        **risk,
    }


def _read(cell: Cell) -> Source:
    if cell.copy is not None:
        return Source(read_table(cell.copy, format=format_named("parquet")), format_named("csv"))
    return read_source(cell.job)


def sampled(table: pa.Table, cell: Cell) -> pa.Table:
    """As many records as the cell wants, drawn with a fixed seed and left in their order; people in a long layout."""
    if cell.rows is None and cell.share is None:
        return table
    of_record, records = _record_of_row(table, cell.job)
    wanted = cell.rows if cell.rows is not None else max(1, round(records * (cell.share or 1)))
    if wanted > records:
        raise InputError(f"{ROWS} is {wanted:,}, but the data has {records:,} records", file=cell.job.input.source)
    drawn = np.zeros(records, bool)
    drawn[np.random.default_rng(_SAMPLE_SEED).permutation(records)[:wanted]] = True
    return table.filter(pa.array(drawn[of_record]))


def _record_of_row(table: pa.Table, job: Job) -> tuple[np.ndarray, int]:
    persons = job.columns_with("person")
    if job.input.layout != "long" or not persons or persons[0].name not in table.column_names:
        return np.arange(table.num_rows), table.num_rows
    codes = table[persons[0].name].combine_chunks().dictionary_encode(null_encoding="encode")
    return codes.indices.to_numpy(zero_copy_only=False), len(codes.dictionary)


def peak_mib() -> float | None:
    """The most memory that this process ever held; None where the system does not tell.

    Linux keeps the figure for a program; what `getrusage` tells there includes the process that started it.
    """
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        pass
    if sys.platform == "win32":
        return None
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def main() -> None:
    """Reads a cell from standard input and writes what it came to into the file that is named."""
    gc.set_threshold(_OBJECTS)  # nearly all that is imported stays to the end
    cell: Cell = pickle.load(sys.stdin.buffer)  # from the process that started this one
    try:
        outcome = run_cell(cell)
    except TacitError as error:
        outcome = failure(error.exit_code, str(error))
    except MemoryError:
        outcome = failure(2, "the data does not fit into the memory of this machine")
    except OSError as error:
        outcome = failure(2, f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except Exception as error:  # noqa: BLE001, whatever it is, it is ours
        outcome = failure(faults.EXIT_CODE, faults.paragraph(error))
    aside = Path(sys.argv[1] + ".part")
    aside.write_text(json.dumps(outcome), encoding="utf-8")
    aside.replace(sys.argv[1])
    gc.freeze()  # no search for garbage on the way out


def failure(exit_code: int, message: str) -> dict[str, Any]:
    """A cell that came to nothing, and why."""
    return {"status": "failed", "exit_code": exit_code, "message": message, "peak_mib": peak_mib()}


if __name__ == "__main__":
    main()
