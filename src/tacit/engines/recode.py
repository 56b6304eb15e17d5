"""What executors do to rows of baskets. It imports no more than that takes: every worker of a cluster loads it anew."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from tacit.baskets.data import read_items
from tacit.baskets.publish import publish_in_order
from tacit.baskets.recoding import CutRecoding
from tacit.engines.frames import ROWS
from tacit.engines.order import ORIGINAL, PLACE, as_often, contents
from tacit.io import FileFormat
from tacit.job import Job
from tacit.shuffle import places


def recoded(
    batches: Iterator[pa.RecordBatch], *, job: Job, recoding: CutRecoding, output: FileFormat, key: bytes
) -> Iterator[pa.RecordBatch]:
    """On an executor: rows as they are published, with what stands beside them and their place in the order."""
    for batch in batches:
        table = pa.Table.from_batches([batch])
        items = read_items(table, job)
        order = np.arange(table.num_rows)
        shown = publish_in_order(items, recoding.applied(items), table, job, output, order).table
        beside = table[ORIGINAL] if ORIGINAL in table.column_names else None
        place = pa.array(places(key, contents(shown, beside)), pa.binary())
        if beside is not None:
            whole = shown.append_column(ORIGINAL, beside).append_column(PLACE, place)
            yield from whole.combine_chunks().to_batches()
        else:
            yield from as_often(shown.append_column(PLACE, place), table[ROWS].to_numpy())
