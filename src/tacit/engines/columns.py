"""Single-valued columns as the whole data have them: read once, here, from their different values.

Every part of the data is then coded by the same texts, numbers and hierarchies: what a range says, and what it costs,
is the same in all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Context, Decimal
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.attributes import Attribute, losses, spans
from tacit.arrays.labels import as_numbers
from tacit.arrays.reading import attribute_of, is_text, read_values, with_grid
from tacit.arrays.spelling import in_one_spelling, may_be_numbers, spelled
from tacit.baskets.data import separator_of
from tacit.engines import frames
from tacit.engines.frames import ROWS
from tacit.errors import InputError
from tacit.io.text import as_text
from tacit.job import Column, Job
from tacit.records.asked import asked_of
from tacit.records.data import sensitive_attribute
from tacit.taxonomy import NotLeaves, Taxonomy, read_hierarchy

MOST_VALUES = 2_000_000
_DIGITS = Context(prec=1000)
_PEOPLE = 1_000_000
"""The width of ranges is found from so many people at most, in proportion to how many have each value."""


@dataclass(frozen=True, eq=False)
class Quasi:
    """A quasi-identifier of the whole data: its attribute, and the code of each text as the data write it."""

    attribute: Attribute  # without records
    written: pa.Array  # large_string
    codes: np.ndarray  # of each written text

    def of(self, column: pa.ChunkedArray) -> Attribute:
        """The attribute of some records."""
        at = pc.index_in(_texts(column), value_set=self.written)
        if at.null_count:
            raise InputError("the data changed while they were read", column=self.attribute.name)
        return replace(self.attribute, codes=self.codes[at.combine_chunks().to_numpy()])

    def keys(self, column: pa.ChunkedArray) -> np.ndarray:
        """What orders the values of some records."""
        return self.attribute.keys[self.of(column).codes]

    def steps(self) -> np.ndarray:
        """For each key what it costs to publish its value and the next one in the order as one."""
        keys = self.attribute.keys
        order = np.argsort(keys, kind="stable").astype(np.int32)
        pairs = np.stack((order[:-1], order[1:]), axis=1).ravel()
        both = replace(self.attribute, codes=pairs)
        joined = spans(both, np.repeat(np.arange(order.size - 1, dtype=np.int32), 2), order.size - 1)
        found = np.zeros(int(keys.max(initial=0)) + 1)
        found[keys[order[:-1]]] = losses(both, joined) * self.attribute.weight
        return found


def _texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    texts = as_text(column)
    return texts if isinstance(texts, pa.ChunkedArray) else pa.chunked_array([texts])


def read_quasi(frame: Any, job: Job, column: Column, hierarchies: Mapping[str, Taxonomy]) -> Quasi:
    """A quasi-identifier from its different values, of the type that the job says or that all of them have.

    Where persons have several records, nobody knows here who has two values: people of one are taken for those of the
    others, so that an end of a range is told only if enough people reach it in any case.
    """
    persons = [person.name for person in job.columns_with("person")]
    found = frames.collected(
        frames.distinct(frame, [column.name], people=persons), MOST_VALUES, f"different values of {column.name!r}"
    ).sort_by([(ROWS, "descending")])
    tree = hierarchies.get(column.name)
    try:
        plain = in_one_spelling(found, job, [column.name] if tree is not None else [])
        values = read_values(plain[column.name], job.input.missing)
        if tree is None and column.hierarchy is not None:
            tree = read_hierarchy(column.hierarchy, set(values.known))
        attribute = attribute_of(values, column, tree)
        codes, people = attribute.codes, found[ROWS].to_numpy()
        often = np.ceil(people * min(1.0, _PEOPLE / max(int(people.sum()), 1))).astype(np.int64)
        whole = replace(attribute, codes=np.repeat(codes, often))
        who = np.concatenate([np.arange(each) for each in often]) if persons and often.size else None
        whole = with_grid(whole, column, job.promise.parameters()["k"], who)
    except NotLeaves as error:
        raise error.of(column.name).at("", file=job.input.source, line=None) from None
    except InputError as error:
        raise InputError(error.problem, file=job.input.source, column=column.name, hint=error.hint) from None
    texts = _texts(found[column.name]).combine_chunks()
    return Quasi(replace(whole, codes=codes[:0]), texts, codes)


def read_sensitive(frame: Any, job: Job, column: Column, hierarchies: Mapping[str, Taxonomy]) -> Quasi:
    """A sensitive column whose distances are measured: where its values lie, and how many of all records have each."""
    found = frames.collected(
        frames.distinct(frame, [column.name]), MOST_VALUES, f"different values of {column.name!r}"
    ).sort_by([(ROWS, "descending")])
    plain = in_one_spelling(found, job, [column.name] if column.name in hierarchies else [])
    attribute = sensitive_attribute(plain, job, column, hierarchies)
    codes, people = attribute.codes, found[ROWS].to_numpy()
    of_all = np.bincount(codes, people, minlength=len(attribute.texts)).astype(np.int64)
    texts = _texts(found[column.name]).combine_chunks()
    return Quasi(replace(attribute, codes=codes[:0], of_all=of_all), texts, codes)


def check_asked_of_all(frame: Any, job: Job, column: Column, hierarchies: Mapping[str, Taxonomy]) -> None:
    """Refuses harmless values that no record has, and a width where nothing is a number: no part knows all records."""
    if column.harmless or column.width is not None:
        asked_of(read_sensitive(frame, job, column, hierarchies).attribute, column, 1.0, job.input.missing)


Spellings = Mapping[str, tuple[pa.Array, pa.Array]]
"""Of columns with numbers as texts: those of numbers with several, as they are written, and as they are published."""


def read_spellings(
    frame: Any, job: Job, in_trees: Collection[str], roles: Collection[str] = ("sensitive", "plain")
) -> tuple[dict[str, tuple[pa.Array, pa.Array]], dict[str, str]]:
    """How numbers are written that are published as they are: parts by themselves would each choose another text.

    And the types of columns in which something is no number: their texts stay as they are, in parts without it, too.
    """
    from pyspark.sql import functions as F

    schema, nothing = frames.arrow_schema(frame), {"", *job.input.missing}
    names = [
        column.name
        for column in job.columns
        if column.role in roles and may_be_numbers(column, in_trees) and is_text(schema.field(column.name).type)
    ]
    if not names:
        return {}, {}
    chosen = frame.select(*map(frames.quoted, names))
    met = frames.mapped(
        chosen,
        partial(counted_numbers, nothing=nothing),
        f"place long, number string, day boolean, cell string, {ROWS} long",
    )
    summed = met.groupBy("place", "number", "day", "cell").agg(F.sum(ROWS).alias(ROWS))
    kinds = summed.select("place", "day", F.col("number").isNull().alias("word")).distinct().collect()
    words, others = {row["place"] for row in kinds if row["word"]}, {row["place"] for row in kinds if not row["day"]}
    several = summed.groupBy("place", "number").agg(F.count(F.lit(1)).alias("texts")).filter("texts > 1")
    alike = frames.collected(
        summed.join(several.select("place", "number"), ["place", "number"]), MOST_VALUES, "texts of equal numbers"
    ).sort_by([("place", "ascending"), ("cell", "ascending")])
    found = {}
    for place in sorted({*alike["place"].to_pylist()} - words):
        own = alike.filter(pc.equal(alike["place"], place))
        written = own["cell"].to_pylist()
        meant = spelled(written, own[ROWS].to_numpy(), nothing, blank_is_nothing=False)
        if meant is not None:
            found[names[place]] = pa.array(written, pa.large_string()), pa.array(meant, pa.large_string())
    return found, {names[place]: "category" if place in others else "date" for place in words}


def as_text_column(column: Column, words: Mapping[str, str]) -> Column:
    """The column as one of texts, if it has words in some part; of quasi-identifiers a few words are refused."""
    is_text = column.name in words and column.type is None and column.role != "quasi"
    return replace(column, type=words[column.name]) if is_text else column


def counted_numbers(batches: Iterator[pa.RecordBatch], *, nothing: Collection[str]) -> Iterator[pa.RecordBatch]:
    """On an executor: the different texts of each column with their number, and what number each is."""
    none = pa.array(sorted(nothing), pa.large_string())
    for batch in batches:
        for place, column in enumerate(batch.columns):
            met = pc.value_counts(column.cast(pa.large_string()).drop_null())
            met = met.filter(pc.invert(pc.is_in(met.field(0), value_set=none)))
            cells, is_number = met.field(0), as_numbers(met.field(0))[0].tolist()
            numbers = [
                one_text(cell) if is_one else None for cell, is_one in zip(cells.to_pylist(), is_number, strict=True)
            ]
            days = [_is_day(cell) for cell in cells.to_pylist()]
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array(np.full(len(cells), place)),
                    pa.array(numbers, pa.string()),
                    pa.array(days, pa.bool_()),
                    cells.cast(pa.string()),
                    met.field(1),
                ],
                ["place", "number", "day", "cell", ROWS],
            )


def one_text(number: str) -> str:
    """A text that all spellings of a number have in common."""
    exact = Decimal(number.strip())
    return "0" if not exact else str(_DIGITS.normalize(exact))


def in_those_spellings(table: pa.Table, spellings: Spellings) -> pa.Table:
    """Some records with their numbers as all records write them."""
    for name, (written, meant) in spellings.items():
        column = table[name]
        at = pc.index_in(column.cast(pa.large_string()), value_set=written)
        spelt = pc.coalesce(meant.take(at.combine_chunks()), column.cast(pa.large_string()).combine_chunks())
        table = table.set_column(table.column_names.index(name), name, spelt.cast(column.type))
    return table


def counted_alike(
    of_all: Mapping[str, Mapping[str | None, int]], spellings: Spellings
) -> dict[str, dict[str | None, int]]:
    """How many records have each text, as they are published."""
    found: dict[str, dict[str | None, int]] = {}
    for name, counts in of_all.items():
        written, meant = (each.to_pylist() for each in spellings.get(name, (pa.array([]), pa.array([]))))
        shown = dict(zip(written, meant, strict=True))
        own = found.setdefault(name, {})
        for text, people in counts.items():
            own[shown.get(text, text)] = own.get(shown.get(text, text), 0) + people
    return found


def fixed(column: Column, quasi: Quasi | None) -> Column:
    """The column with the type that was found, and without the file of its hierarchy, which executors have not."""
    if quasi is None or quasi.attribute.tree is not None:
        return replace(column, hierarchy=None)
    texts = quasi.attribute.texts
    kind = "category" if quasi.attribute.numbers is None else "date" if _is_day(texts[0]) else "number"
    return replace(column, type=kind)


def _is_day(text: str) -> bool:
    try:
        return len(text) == 10 and text[4] == text[7] == "-" and bool(date.fromisoformat(text))
    except ValueError:  # no such day
        return False


def items_in(frame: Any, column: Column) -> Any:
    """The different items of a column, as `name`."""
    from pyspark.sql import functions as F

    cells = frame.select(F.col(frames.quoted(column.name)).alias("cell"))
    return frames.mapped(cells, partial(names_in, separator=separator_of(column)), "name string").distinct()


def names_in(batches: Iterator[pa.RecordBatch], *, separator: str) -> Iterator[pa.RecordBatch]:
    """On an executor: the different names in cells with items."""
    for batch in batches:
        cells = batch.column(0)
        lists = cells if pa.types.is_nested(cells.type) else pc.split_pattern(cells, separator)
        names = lists.flatten().unique().drop_null().cast(pa.string())
        yield pa.RecordBatch.from_arrays([names.filter(pc.not_equal(names, ""))], ["name"])
