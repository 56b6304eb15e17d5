"""The decision of slicing: which attributes stand together, and which records make a bucket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from tacit.arrays.order import put_back
from tacit.recoding import Recoding, numbers_from, numbers_text


@dataclass(frozen=True, eq=False)
class Regions:
    """The generalized values of one column: record r has those of region `of_record[r]`."""

    attributes: tuple[str, ...]
    of_record: np.ndarray  # int32
    values: tuple[tuple[str, ...], ...]  # of each region, in the order of `attributes`


@dataclass(frozen=True, eq=False)
class SliceRecoding(Recoding):
    """A local recoding: it says nothing about records that it has not seen."""

    kind: ClassVar[str] = "slices"
    slices: tuple[tuple[str, ...], ...]
    bucket: np.ndarray  # int32 per record
    regions: tuple[Regions, ...] = ()
    """The generalized values of columns, if they are to be k-anonymous."""
    columns_asked: int | None = None
    """How many columns the job asks for; not kept with the decision."""

    @property
    def buckets(self) -> int:
        """How many there are."""
        return int(self.bucket.max(initial=-1)) + 1

    def put_back(self, order: np.ndarray) -> SliceRecoding:
        """The decision about the records that were taken in this order, as they stood before."""
        regions = tuple(replace(one, of_record=put_back(one.of_record, order)) for one in self.regions)
        return replace(self, bucket=put_back(self.bucket, order), regions=regions)

    def to_dict(self) -> dict[str, Any]:
        return {
            "slices": [list(one) for one in self.slices],
            "buckets": self.buckets,
            "bucket_of_record": numbers_text(self.bucket),
            "generalized": [
                {
                    "attributes": list(one.attributes),
                    "region_of_record": numbers_text(one.of_record),
                    "values": [list(values) for values in one.values],
                }
                for one in self.regions
            ],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> SliceRecoding:
        return cls(
            tuple(tuple(one) for one in content["slices"]),
            numbers_from(content["bucket_of_record"], np.int32),
            tuple(
                Regions(
                    tuple(one["attributes"]),
                    numbers_from(one["region_of_record"], np.int32),
                    tuple(tuple(values) for values in one["values"]),
                )
                for one in content["generalized"]
            ),
        )

    def __repr__(self) -> str:
        return f"SliceRecoding({self})"

    def __str__(self) -> str:
        columns = " ".join("{" + ", ".join(one) + "}" for one in self.slices)
        return f"columns: {columns}; buckets: {self.buckets:,}"
