"""The audits of ratings on an engine. No code of a method is imported here.

k^m of ratings: what may be known is read off the different published ratings; pairs are counted share by share, summed
and judged block by block. (k, ε): only people who rated the same issues can be close, so those are dealt out together.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit import audits
from tacit.audits import _rating_pairs as rating_pairs
from tacit.audits import k_eps
from tacit.audits._rating_pairs import Rare, Things
from tacit.audits.result import AuditResult
from tacit.engines import frames
from tacit.engines.audits import people
from tacit.engines.audits.buckets import BUCKET, FILE, judged, refused
from tacit.engines.audits.whole import together
from tacit.engines.frames import ROWS
from tacit.errors import InputError
from tacit.io.text import as_text
from tacit.job.model import Job

MOST_LEVELS = 2_000_000
_BLOCK = "tacit_block"
_COUNTS = f"{_BLOCK} long, counts binary"
_WIDTHS = (np.uint8, np.uint16, np.int64)
"""Of counts that are moved: most are small."""
_AT_ONCE = 4_000_000
MOST_AT_ONCE = 40_000_000
"""Ratings that one executor may judge at once, where shares do not tell."""


@dataclass(frozen=True, eq=False)
class Levels:
    """All different published ratings, each of a stranger."""

    table: pa.Table
    times: np.ndarray
    job: Job

    def joined(self, table: pa.Table) -> pa.Table:
        """Published people behind the strangers, so that every share is read as the whole file is."""
        if self.job.input.layout == "long":
            person = self.job.columns_with("person")[0].name
            who = as_text(table[person]).cast(pa.string())
            is_nobody = pc.is_in(who, value_set=pa.array(["", *self.job.input.missing], pa.string()))
            named = pc.binary_join_element_wise(pa.scalar("p"), who, "")
            table = table.set_column(table.column_names.index(person), person, pc.if_else(is_nobody, "", named))
        return pa.concat_tables([self.table.select(table.column_names), table])

    def view(self, table: pa.Table) -> Any:
        """Published people as strangers read them, without the strangers."""
        whole: Any = audits.read_view(self.joined(table), self.job)
        cut = whole.starts[self.table.num_rows]
        tops = None if whole.tops is None else whole.tops[cut:]
        starts = whole.starts[self.table.num_rows :] - cut
        return replace(whole, starts=starts, issues=whole.issues[cut:], values=whole.values[cut:], tops=tops)


def verdict(written: Any, job: Job) -> AuditResult:
    """What the audits say of published ratings."""
    listed = tuple(c for c in job.columns if c.name in written.columns and c.role in ("person", "items", "rating"))
    needed = (*job.promise.roles, "person")
    frames.require_columns(written, [column.name for column in job.columns if column.role in needed], FILE)
    job = replace(job, columns=listed, file=None, input=replace(job.input, source=FILE))
    written = written.select(*(frames.quoted(column.name) for column in listed))
    if job.input.layout == "long":
        people.refuse_nobody(written, job, FILE)
    else:
        people.refuse_second_rows(written, job, FILE)
    promise: Any = job.promise
    if not promise.holds_by_supports:
        return _of_groups(written, job)
    return _of_all(written, job) if promise.m > 2 else _of_pairs(written, job)


def _of_all(written: Any, job: Job) -> AuditResult:
    """More than two ratings known: everybody is judged at once, on one executor."""
    from pyspark.sql import functions as F

    cells = int(written.count()) * (1 if job.input.layout == "long" else len(job.columns_with("rating")))
    if cells > MOST_AT_ONCE:
        raise InputError(
            f"the audit of m = {job.promise.parameters()['m']} takes all ratings at once, up to {MOST_AT_ONCE:,}",
            file=FILE, hint="Set m = 2, which is counted in shares, or audit fewer people.",
        )  # fmt: skip
    whole = written.withColumn(BUCKET, F.lit(0).cast("long"))
    told = frames.by_group(whole, BUCKET, partial(judged, job=job), "verdict string").collect()
    return together([json.loads(row["verdict"]) for row in told], job)


def _in_shares(written: Any, job: Job, function: Callable[[pa.Table], pa.Table], schema: Any) -> Any:
    cells = int(written.count()) * len(written.columns)
    return people.in_shares(written, job, cells, function, schema, unites=job.input.layout == "long")


def _in_turn(written: Any, job: Job, function: Callable[[pa.Table], pa.Table], schema: Any) -> list[Any]:
    cells = int(written.count()) * len(written.columns)
    return people.in_turn(written, job, cells, function, schema, unites=job.input.layout == "long")


def people_in(written: Any, job: Job) -> int:
    from pyspark.sql import functions as F

    if job.input.layout != "long":
        return int(written.count())
    person = frames.quoted(job.columns_with("person")[0].name)
    return int(written.agg(F.countDistinct(F.col(person)).alias("n")).collect()[0]["n"])


def _of_pairs(written: Any, job: Job) -> AuditResult:
    promise: Any = job.promise
    levels = read_levels(written, job)
    view: Any = audits.read_view(levels.table, levels.job)
    things = rating_pairs.things_of(view, _times(view, levels), people_in(written, job))
    if not things.names:
        return rating_pairs.verdict(view, things, promise, [], 0)
    found = [rating_pairs.alone(things, promise.k)]
    in_pairs = min(promise.m, len(things.names)) > 1
    counted = _in_turn(written, job, partial(counted_pairs, levels=levels, things=things, pairs=in_pairs), _COUNTS)
    for each in _judged_blocks(counted, partial(judged_block, things=things, k=promise.k)):
        if isinstance(each, dict):
            raise InputError(each["error"], file=FILE, column=each["column"], hint=each["hint"])
        least, worst, pairs, count = each
        found.append(Rare(least, worst, [(one[0], one[1], one[2]) for one in pairs], count))
    rare = [sorted({one, other}) for each in found for _, one, other in each.pairs][: rating_pairs.COUNTED]
    affected = 0
    if rare:
        hit = partial(affected_people, levels=levels, things=things, rare=rare)
        affected = sum(row["n"] for some in _in_turn(written, job, hit, "n long") for row in some.collect())
    return rating_pairs.verdict(view, things, promise, found, affected)


def _judged_blocks(counted: list[Any], judge: Callable[[pa.Table], pa.Table]) -> list[Any]:
    """What is judged of each block: by executors; here, of counts that they summed, where people came in turn."""
    if len(counted) == 1:
        rows = frames.by_group(counted[0], _BLOCK, judge, "verdict string").collect()
        return [json.loads(row["verdict"]) for row in rows]
    sums = pa.concat_tables([frames.by_group(each, _BLOCK, summed_block, _COUNTS).toArrow() for each in counted])
    blocks = [sums.filter(pc.equal(sums[_BLOCK], block)) for block in sorted(set(sums[_BLOCK].to_pylist()))]
    return [json.loads(judge(block)["verdict"][0].as_py()) for block in blocks]


def _times(view: Any, levels: Levels) -> np.ndarray:
    """How often each rating of the strangers is published: each has one at most."""
    return levels.times[np.repeat(np.arange(len(view)), np.diff(view.starts))]


def read_levels(written: Any, job: Job) -> Levels:
    """The different published ratings with their number."""
    if job.input.layout == "long":
        person, item, rating = (job.columns_with(role)[0].name for role in ("person", "items", "rating"))
        met = frames.distinct(written, [item, rating])
        found = frames.collected(met, MOST_LEVELS, "different published ratings")
        names = pa.array([f"s{i}" for i in range(found.num_rows)], pa.string())
        return Levels(found.drop_columns([ROWS]).append_column(person, names), found[ROWS].to_numpy(), job)
    from pyspark.sql import functions as F

    schema = frames.arrow_schema(written)
    columns = [column.name for column in job.columns_with("rating")]
    met = frames.mapped(written.select(*map(frames.quoted, columns)), cells, f"issue long, cell string, {ROWS} long")
    summed = met.groupBy("issue", "cell").agg(F.sum(ROWS).alias(ROWS))
    found = frames.collected(summed, MOST_LEVELS, "different published ratings")
    issues = found["issue"].to_numpy()
    held = {}
    for issue, name in enumerate(columns):
        own = pc.if_else(pa.array(issues == issue), found["cell"], pa.scalar(None, pa.string()))
        held[name] = own.cast(schema.field(name).type)
    for column in job.columns_with("person"):
        held[column.name] = pa.nulls(found.num_rows, schema.field(column.name).type)
    return Levels(pa.table(held), found[ROWS].to_numpy(), job)


def cells(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """On an executor: the different cells of each column, with their number."""
    for batch in batches:
        for issue, column in enumerate(batch.columns):
            met = pc.value_counts(column)
            texts = as_text(pa.chunked_array([met.field(0)])).combine_chunks().cast(pa.string())
            yield pa.RecordBatch.from_arrays(
                [pa.array(np.full(len(texts), issue)), texts, met.field(1)], ["issue", "cell", ROWS]
            )


def counted_pairs(table: pa.Table, *, levels: Levels, things: Things, pairs: bool) -> pa.Table:
    """On an executor: how many people of a share show two things, in blocks; or what their reader refuses."""
    try:
        view = levels.view(table)
    except InputError as error:
        told = [json.dumps(refused(error)).encode()]
        return pa.table({_BLOCK: pa.array([-1], pa.int64()), "counts": pa.array(told, pa.binary())})
    packed = list[bytes]()
    if pairs:
        starts, shown = rating_pairs.shown_in(view, things)
        packed = [_packed(block) for block in rating_pairs.pairs_in(starts, shown, things)]
    return pa.table({_BLOCK: pa.array(range(len(packed)), pa.int64()), "counts": pa.array(packed, pa.binary())})


def summed_block(table: pa.Table) -> pa.Table:
    """On an executor: the counts of a block, of some shares together; or what was refused."""
    is_refused = table[_BLOCK][0].as_py() < 0
    counts = min(each.as_py() for each in table["counts"]) if is_refused else _packed(_sum(table))
    return pa.table({_BLOCK: table[_BLOCK].slice(0, 1), "counts": pa.array([counts], pa.binary())})


def _sum(table: pa.Table) -> np.ndarray:
    both = np.zeros(0, np.int64)
    for each in table["counts"]:
        part = _unpacked(each.as_py())
        both = both + part if both.size else part.astype(np.int64)
    return both


def judged_block(table: pa.Table, *, things: Things, k: int) -> pa.Table:
    """On an executor: the verdict on a block, of all shares together."""
    block = table[_BLOCK][0].as_py()
    if block < 0:
        return pa.table({"verdict": [min(each.as_py() for each in table["counts"]).decode()]})
    both = _sum(table)
    begin, end = things.blocks()[block]
    found = rating_pairs.judge_block(both.reshape(-1, len(things.labels)), begin, end, things, k)
    return pa.table({"verdict": [json.dumps(found)]})


def affected_people(table: pa.Table, *, levels: Levels, things: Things, rare: list[list[int]]) -> pa.Table:
    """On an executor: how many people of a share have one of the rare sets."""
    starts, shown = rating_pairs.shown_in(levels.view(table), things)
    return pa.table({"n": pa.array([rating_pairs.affected_in(starts, shown, things, rare)], pa.int64())})


def _packed(counts: np.ndarray) -> bytes:
    width = next(each for each in _WIDTHS if counts.max(initial=0) <= np.iinfo(each).max)
    raw = counts.astype(width).tobytes()
    return np.dtype(width).char.encode() + len(raw).to_bytes(8, "little") + pa.compress(raw, "zstd", asbytes=True)


def _unpacked(packed: bytes) -> np.ndarray:
    length = int.from_bytes(packed[1:9], "little")
    return np.frombuffer(pa.decompress(packed[9:], length, "zstd", asbytes=True), packed[:1].decode())


def _of_groups(written: Any, job: Job) -> AuditResult:
    from pyspark.sql.types import LongType, StructField, StructType

    for column in job.columns_with("rating"):
        if column.scale is None and not column.sensitive:
            raise InputError(
                "the audit on an engine needs the scale of the ratings, which the job does not give",
                file=job.file, column=column.name, hint="Set scale = [lowest, highest] for the column.",
            )  # fmt: skip
    rows = int(written.count())
    count = max(1, rows * (1 if job.input.layout == "long" else len(job.columns_with("rating"))) // _AT_ONCE)
    schema = StructType([*written.schema.fields, StructField(BUCKET, LongType())])
    dealt = _in_shares(written, job, partial(by_issues, job=job, count=count), schema)
    told = frames.by_group(dealt, BUCKET, partial(judged, job=job), "verdict string").collect()
    return together([json.loads(row["verdict"]) for row in told], job)


def by_issues(table: pa.Table, *, job: Job, count: int) -> pa.Table:
    """On an executor: published people, with the bucket that all with the same rated issues are in."""
    try:
        view: Any = audits.read_view(table, job)
    except InputError:  # which is met again, and told, where these rows are judged
        return table.append_column(BUCKET, pa.array(np.zeros(table.num_rows, np.int64)))
    promise: Any = job.promise
    known = ~(view.is_sensitive | k_eps.free_issues(view, promise.eps))
    hashes = [int.from_bytes(blake2b(name.encode(), digest_size=8).digest()) for name in view.names]
    marks = np.where(known, np.array(hashes, np.uint64), np.uint64(0))[view.issues]
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(marks, dtype=np.uint64)))
    bucket = ((sums[view.starts[1:]] - sums[view.starts[:-1]]) % np.uint64(count)).astype(np.int64)
    if job.input.layout == "long":
        who = table[job.columns_with("person")[0].name].combine_chunks().dictionary_encode().indices.to_numpy()
        bucket = bucket[who]
    return table.append_column(BUCKET, pa.array(bucket))
