"""Rows in their order on Spark, in files that end at places and ranks which hang on how many rows there are alone.

Spark's own sort ends them at values of a sample, which is another one each time: then the same release, made again with
the same key, would be the same rows in other files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.engines import frames
from tacit.engines.order import PLACE

FILE_ROWS = 1_000_000
_BYTES = 5
"""Of a place, by which a file is told."""
_PLACE_BITS, _LED_BITS = 40, 35


def files_for(rows: int) -> int:
    return max(1, -(-rows // FILE_ROWS))


def by_place(rows: Any, count: int, *, led: bool = False) -> Any:
    """Rows by their places, in as many files; `led` if a number of 59 bits stands before each place."""
    from pyspark.sql import functions as F

    head = F.conv(F.hex(F.substring(PLACE, 1, _BYTES)), 16, 10).cast("long")
    bits = _LED_BITS if led else _PLACE_BITS
    return _sorted(rows, F.shiftright(head * F.lit(count), bits), count, [PLACE])


def by_rank(rows: Any, count: int, people: int, rank: str, *then: str) -> Any:
    """Rows by the ranks of so many people, from 1, in as many files."""
    from pyspark.sql import functions as F

    return _sorted(rows, F.floor((F.col(rank) - 1) * F.lit(count) / F.lit(max(people, 1))), count, [rank, *then])


def by_number(rows: Any, count: int, number: str, *then: str) -> Any:
    """Rows by a number below `count`, each in a file of its own."""
    from pyspark.sql import functions as F

    return _sorted(rows, F.col(number), count, [number, *then])


def _sorted(rows: Any, part: Any, count: int, by: Sequence[str]) -> Any:
    from pyspark.sql import functions as F

    if not frames.keeps_order(rows):  # Sail, whose files are those of passes
        return rows.orderBy(*by)
    if count == 1:
        return rows.repartition(1).sortWithinPartitions(*by)
    numbers = F.lit(_dealt_to(rows.sparkSession, count))
    dealt = F.element_at(numbers, (part + 1).cast("int")).cast("long")  # an int has another hash
    return rows.repartition(count, dealt).sortWithinPartitions(*by)


def _dealt_to(spark: Any, count: int) -> list[int]:
    """For each of so many tasks a number whose rows Spark gives to it: it deals them out by this hash."""
    from pyspark.sql import functions as F

    tried = 16 * count
    while True:
        numbers = spark.range(tried).select("id", F.pmod(F.hash("id"), F.lit(count)).alias("task"))
        found = {row["task"]: row["first"] for row in numbers.groupBy("task").agg(F.min("id").alias("first")).collect()}
        if len(found) == count:
            return [found[task] for task in range(count)]
        tried *= 2
