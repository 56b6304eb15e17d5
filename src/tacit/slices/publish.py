"""From a table and its recoding to the sliced table: buckets with random ids, each slice permuted on its own."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tacit.kinds import Published
from tacit.shuffle import BUCKETS, SLICE, Shuffle
from tacit.sliced import BUCKET
from tacit.slices.applied import AppliedSlices


def sliced_table(applied: AppliedSlices, hidden: Shuffle) -> Published:
    """The table to publish, and for each slice and row the index of the original record."""
    recoding = applied.recoding
    bucket_id = hidden.ids(recoding.buckets, BUCKETS)[recoding.bucket]
    arrays = {BUCKET: pa.array(np.sort(bucket_id))}
    original = np.empty((len(recoding.slices), bucket_id.size), np.int64)
    for place, names in enumerate(recoding.slices):
        original[place] = hidden.within(bucket_id, SLICE.format(place + 1))
        for name in names:
            attribute = applied.attribute(name)
            texts = pa.array([text or None for text in attribute.texts], pa.string())
            arrays[f"{place + 1}.{name}"] = texts.take(pa.array(attribute.codes[original[place]]))
    return Published(pa.table(arrays), original)
