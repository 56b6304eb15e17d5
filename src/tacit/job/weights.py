"""Weights of a survey: for how many people each record stands."""

from __future__ import annotations

import math

import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError
from tacit.io.text import as_text
from tacit.job.model import Job
from tacit.job.places import place_of

_NUMBER = r"^[+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def survey_weights(table: pa.Table, job: Job) -> pa.ChunkedArray | None:
    """The weight of each record; refused unless every one is a number above 0. None if the job declares none."""
    for column in job.columns_with("weight"):
        if column.name in table.column_names:
            texts = pc.fill_null(pc.utf8_trim_whitespace(as_text(table[column.name])), "")
            texts = pc.replace_substring(texts, column.thousands, "") if column.thousands else texts
            texts = pc.replace_substring(texts, ",", ".") if column.decimal == "," else texts
            is_number = pc.match_substring_regex(texts, _NUMBER)
            numbers = pc.cast(pc.if_else(is_number, texts, "0"), pa.float64())
            is_wrong = pc.invert(pc.and_(pc.greater(numbers, 0.0), pc.less(numbers, math.inf)))
            if (wrong := pc.sum(is_wrong).as_py() or 0) > 0:
                where = place_of(pc.index(is_wrong, True).as_py(), job.input)
                raise InputError(
                    f"a weight must be a number above 0 in every record, and {wrong:,} are not{where.words}",
                    file=job.input.source,
                    line=where.line,
                    column=column.name,
                    hint='Say for how many people each record stands (decimal = "," if so), or leave the column out.',
                )
            return numbers
    return None
