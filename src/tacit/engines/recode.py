"""What executors do to rows of baskets. It imports no more than that takes: every worker of a cluster loads it anew."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from tacit.baskets.data import read_items
from tacit.baskets.publish import publish_in_order
from tacit.baskets.recoding import CutRecoding
from tacit.engines.frames import ROWS
from tacit.engines.order import ORIGINAL, PLACE, contents
from tacit.io import FileFormat
from tacit.job import Job
from tacit.shuffle import places


def recoded(
    batches: Iterator[pa.RecordBatch], *, job: Job, recoding: CutRecoding, output: FileFormat, key: bytes
) -> Iterator[pa.RecordBatch]:
    """On an executor: rows as they are published, with their places, and what is beside them or how many are alike."""
    for batch in batches:
        table = pa.Table.from_batches([batch])
        items = read_items(table, job)
        order = np.arange(table.num_rows)
        shown = publish_in_order(items, recoding.applied(items), table, job, output, order).table
        beside = table[ORIGINAL] if ORIGINAL in table.column_names else None
        last = (ORIGINAL, beside) if beside is not None else (ROWS, table[ROWS])
        place = pa.array(places(key, contents(shown, beside)), pa.binary())
        yield from shown.append_column(*last).append_column(PLACE, place).combine_chunks().to_batches()
