"""The kinds of data, each a module that reads, publishes, measures and describes its own shape. The flow knows no
other difference between them; what is published is checked by `tacit.audits`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

if TYPE_CHECKING:
    import pyarrow as pa

    from tacit.io import FileFormat
    from tacit.job import Column, Job
    from tacit.promises import Promise
    from tacit.release import Release
    from tacit.report.blocks import Section
    from tacit.shuffle import Shuffle
    from tacit.taxonomy import Taxonomy


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
    """What a module of this package offers. `data` is what `encode` made, `applied` what `apply` made."""

    SINGLE_VALUED: tuple[str, ...]
    """Roles of columns that have one value in each row, and are best read by their different values."""

    def encode(
        self, table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], output: FileFormat | None
    ) -> Encoded:
        """The table as arrays, with the hierarchies given or named by the job; `output` None: nothing is published."""

    def apply(self, data: Any, recoding: Any) -> Any:
        """What a decision makes of the data, with the decision as its `recoding`; found once, for all that follows."""

    def judge(self, data: Any, applied: Any, method: str) -> tuple[str, ...]:
        """What the owner should know of the outcome; raises `PromiseError` if it is not worth publishing."""

    def publish(
        self, data: Any, applied: Any, table: pa.Table, job: Job, output: FileFormat, hidden: Shuffle
    ) -> Published:
        """The recoded table, in the order and with the numbers that are drawn."""

    def measure(self, data: Any, applied: Any, published: Published, job: Job) -> dict[str, Any]:
        """The content of utility.json."""

    def rows(self, data: Any, original: Any) -> pa.Table:
        """The content of rows.csv."""

    def facts_for_words(self, data: Any) -> dict[str, Any]:
        """What of the data the words of a promise depend on."""

    def cost_in_words(self, utility: Mapping[str, Any], *, in_public: bool = False) -> str:
        """What was lost, on a line; `in_public` nothing that hangs on whose sensitive value is whose."""

    def tells_nothing(self, utility: Mapping[str, Any]) -> tuple[str, ...]:
        """What a release is worth nothing for any more, in sentences; none if every part of it tells something."""

    def sections(self, release: Release) -> Sequence[Section]:
        """What of the report belongs to this kind: what was done to the data, and a sample before and after."""

    def how_to_read(self, release: Release) -> Sequence[str]:
        """Markdown lines for public/README.md: what the values mean, with no raw value."""


def check_reachable(data: Any, job: Job) -> None:
    """Raises `PromiseError` where no method can keep the promise, with what could be reached."""
    module, _, name = job.promise.reach.partition(":")
    getattr(import_module(module), name)(data, job.promise, job)


def kind_for(promise: Promise) -> Kind:
    """The kind of data that a promise is about."""
    return cast(Kind, import_module(f"tacit.{promise.kind_of_data}.kind"))
