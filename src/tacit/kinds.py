"""The kinds of data, each a module that reads, publishes, measures and describes its own shape. The flow knows no
other difference between them; what is published is checked by `tacit.audits`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from tacit.io import FileFormat
    from tacit.job import Column, Job
    from tacit.promises import Promise
    from tacit.recoding import Recoding
    from tacit.release import Release
    from tacit.report.blocks import Section
    from tacit.taxonomy import Taxonomy

KIND_OF_MODEL = {
    "km": "baskets",
    "lm": "baskets",
    "coherence": "baskets",
    "transactional-k": "baskets",
    "cahd": "baskets",
    "k": "records",
    "l": "records",
    "k-km": "records",
    "k-lm": "records",
    "sliced-l": "slices",
    "k-eps": "ratings",
}


class Encoded(NamedTuple):
    """Data ready for a method, and what reading them had to decide, in sentences for the data's owner."""

    data: Any
    notes: tuple[str, ...]
    columns: tuple[Column, ...] | None = None
    """The job's columns with what it leaves open and the data told; None if that is nothing."""


class Published(NamedTuple):
    """The table to publish, and what the owner needs to find the original of each record in it."""

    table: pa.Table
    original: Any


class Kind(Protocol):
    """What a module of this package offers. `data` is what `encode` made."""

    def encode(
        self, table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], output: FileFormat | None
    ) -> Encoded:
        """The table as arrays, with the hierarchies given or named by the job; `output` None: nothing is published."""

    def check_reachable(self, data: Any, job: Job) -> None:
        """Raises `PromiseError` where no method can keep the promise, with what could be reached."""

    def judge(self, data: Any, recoding: Recoding, method: str) -> tuple[str, ...]:
        """What the owner should know of the outcome; raises `PromiseError` if it is not worth publishing."""

    def publish(
        self, data: Any, recoding: Recoding, table: pa.Table, job: Job, output: FileFormat, rng: np.random.Generator
    ) -> Published:
        """The recoded table, its records in random order, formulas escaped if the job asks for it."""

    def measure(self, data: Any, recoding: Recoding, published: Published, job: Job) -> dict[str, Any]:
        """The content of utility.json."""

    def rows(self, data: Any, original: Any) -> pa.Table:
        """The content of rows.csv."""

    def cost_in_words(self, utility: Mapping[str, Any]) -> str:
        """What was lost, on a line."""

    def sections(self, release: Release) -> Sequence[Section]:
        """What of the report belongs to this kind: what was done to the data, and a sample before and after."""

    def how_to_read(self, release: Release) -> Sequence[str]:
        """Markdown lines for public/README.md: what the values mean, with no raw value."""


def kind_for(promise: Promise) -> Kind:
    """The kind of data that a promise is about."""
    return cast(Kind, import_module(f"tacit.{KIND_OF_MODEL[promise.name]}.kind"))
