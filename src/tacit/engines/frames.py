"""The verbs of an engine: read, distinct rows with their number, write. It knows no kind of data and no promise."""

from __future__ import annotations

import codecs
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from tacit.engines.session import ROWS_AT_ONCE, Session
from tacit.errors import InputError
from tacit.io import FileFormat, inspect_format
from tacit.io.formats import format_named
from tacit.job.model import Input

ROWS = "tacit_rows"
"""The column with how many rows are alike."""
_SHARE = "tacit_share"
CATALOG = "catalog://"
_CSV = {
    "quote": '"', "escape": '"', "header": "true", "encoding": "UTF-8",
    "ignoreLeadingWhiteSpace": "false", "ignoreTrailingWhiteSpace": "false",  # Spark writes no outer blanks unless told
}  # fmt: skip
_READ_CSV = {"mode": "FAILFAST", "inferSchema": "false", "multiLine": "true", "enforceSchema": "false"}
_FITTING = ("parquet", "csv", "tsv", "dat")


def read(session: Session, given: Input) -> tuple[Any, FileFormat]:
    """The job's input as a frame of the engine, its cells as they are, and the format that it is in."""
    source = str(given.source)
    if source.startswith(CATALOG):
        told = f"the table {str(given.table)!r} of the catalog"
        return _asked(lambda: session.spark.table(str(given.table)), told), format_named("parquet")
    if source.startswith("jdbc:"):
        return _from_database(session, given), format_named("parquet")
    if "://" in source and not isinstance(given.source, Path):
        raise InputError(
            "the engine reads databases by JDBC",
            hint=f'Write source = "jdbc:...", or source = "{CATALOG}" with table = "..." for a table of the catalog.',
        )
    return read_files(session, Path(source), given.format, given.delimiter, given.encoding)


def read_files(
    session: Session, path: Path, format: str | None = None, delimiter: str | None = None, encoding: str | None = None
) -> tuple[Any, FileFormat]:
    """A file, or a folder of files of one format."""
    first = _first_file(path)
    found = inspect_format(first, format=format, delimiter=delimiter, encoding=encoding)
    if found.name not in _FITTING or (found.gzipped and found.name == "parquet"):
        raise InputError(
            f"the engine does not read {found.extension} files", file=path, hint=f"It reads: {', '.join(_FITTING)}."
        )
    if found.is_text and found.encoding.lower().replace("-", "") not in ("utf8", "ascii"):
        raise InputError(f"the engine reads UTF-8, and this is {found.encoding}", file=path, hint="Save it as UTF-8.")
    reader = session.spark.read
    if found.name == "parquet":
        _refuse_damaged(first)
        return _asked(lambda: reader.parquet(str(path)), path), found
    if found.name == "dat":
        _refuse_mark(first)
        return _asked(lambda: reader.text(str(path)).toDF("items"), path), found
    options = {**_CSV, **_READ_CSV, "sep": found.delimiter or ","}
    frame = _asked(lambda: reader.options(**options).csv(str(path)), path)
    if len(frame.columns) == 1:
        raise InputError(
            "the file has one column, and engines leave out its empty lines, which are records",
            file=path,
            hint="Save it as Parquet, or as .dat: one basket a line, without a heading.",
        )
    return frame, found


def _refuse_damaged(file: Path) -> None:
    """Refuses what ends as no Parquet file does, of which engines complain in their own words, or break."""
    from pyarrow.parquet import read_metadata

    if not file.is_file():  # only the engine may see it
        return
    try:
        read_metadata(file)
    except (pa.ArrowException, OSError, ValueError):
        raise InputError(
            "this is not a whole Parquet file",
            file=file, hint="It may be damaged: copy it again, or name its true format: format = ... under [input].",
        ) from None  # fmt: skip


def _refuse_mark(file: Path) -> None:
    """Refuses a byte order mark, which engines would take for a part of the first item."""
    with file.open("rb") as opened:
        if opened.read(3) == codecs.BOM_UTF8:
            raise InputError("the file begins with a byte order mark", file=file, hint="Save it as UTF-8 without one.")


def _first_file(path: Path) -> Path:
    if not path.is_dir():
        return path
    files = sorted(each for each in path.iterdir() if each.is_file() and not each.name.startswith(("_", ".")))
    if not files:
        raise InputError("the folder holds no data file", file=path)
    return files[0]


def _from_database(session: Session, given: Input) -> Any:
    if session.name == "sail":
        raise InputError("Sail reads no JDBC", hint="Use --engine spark, or a Parquet file of the table.")
    reader = session.spark.read.format("jdbc").option("url", str(given.source))
    asked = ("query", given.query) if given.query is not None else ("dbtable", given.table)
    return _asked(lambda: reader.option(*asked).load(), "the database")


def _asked(make: Any, source: str | Path) -> Any:
    """A frame, whose schema is asked for: what cannot be read is told now."""
    try:
        frame = make()
        _ = frame.schema
    except Exception as error:  # noqa: BLE001 - of many kinds, one for each engine
        raise InputError(f"the engine cannot read this: {first_line(error)}", file=source) from None
    if not frame.columns:  # what Sail makes of a file that is not there
        hint = "Check the path; in a job file it is relative to the job file."
        raise InputError("there is no such file, or it has no column", file=source, hint=hint)
    return frame


def arrow_schema(frame: Any) -> pa.Schema:
    """The columns of a frame as Arrow has them."""
    return frame.limit(0).toArrow().schema


def require_columns(frame: Any, names: Sequence[str], source: str | Path) -> None:
    """Refuses a frame that lacks a column that is asked for."""
    held = list(frame.columns)
    for name in names:
        if name not in held:
            hint = f"The data has: {', '.join(held[:20])}."
            raise InputError("the data has no such column", file=source, column=name, hint=hint)


def plainly_named(frame: Any) -> Any:
    """The same columns as c0, c1 and so on: functions of ours get no columns with names such as `1.age`."""
    return frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))


def quoted(name: str) -> str:
    """A column's name as the engine's expressions take it, whatever signs are in it."""
    return "`" + name.replace("`", "``") + "`"


def distinct(frame: Any, columns: Sequence[str], *, people: Sequence[str] = ()) -> Any:
    """The different rows of some columns, with their number as `ROWS`: counted by the engine, moved once.

    With columns that say whose a row is, `people` are counted, however many rows they have.
    """
    from pyspark.sql import functions as F

    number = F.countDistinct(*map(quoted, people)) if people else F.count(F.lit(1))
    return frame.groupBy(*map(quoted, columns)).agg(number.alias(ROWS))


def one_by_one(frame: Any, columns: Sequence[str]) -> Any:
    """All rows of some columns, each with 1 as `ROWS`: for sums, where many are different, that is less to move."""
    from pyspark.sql import functions as F

    return frame.select(*map(quoted, columns), F.lit(1).cast("long").alias(ROWS))


def mapped(frame: Any, function: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]], schema: Any) -> Any:
    """What a function makes of the rows of a frame, in batches, on executors.

    On the way there columns have plain names: Sail takes `marital.status` for a field of `marital`.
    """
    named = partial(_named_again, function=function, names=list(frame.columns))
    return plainly_named(frame).mapInArrow(named, schema)


def _named_again(
    batches: Iterator[pa.RecordBatch],
    *,
    function: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]],
    names: Sequence[str],
) -> Iterator[pa.RecordBatch]:
    return function(batch.rename_columns(names) for batch in batches)


def by_group(frame: Any, column: str, function: Callable[[pa.Table], pa.Table], schema: Any) -> Any:
    """What a function makes of all rows with the same value of a column, on an executor."""
    names = list(frame.columns)
    groups = plainly_named(frame).groupBy(f"c{names.index(column)}")
    return groups.applyInArrow(lambda table: function(table.rename_columns(names)), schema)  # partials are refused


def by_hash(frame: Any, column: str, count: int, function: Callable[[pa.Table], pa.Table], schema: Any) -> Any:
    """The same of so many shares of the rows; rows with the same text in a column are in one."""
    from pyspark.sql import functions as F

    share = (F.crc32(F.col(quoted(column)).cast("string")) % F.lit(count)).cast("long")
    return by_group(
        frame.withColumn(_SHARE, share), _SHARE, lambda table: function(table.drop_columns([_SHARE])), schema
    )


def at_once(frame: Any) -> int | None:
    """How many rows the engine may deal out or sort at a time; None if it spills to disk what is too much."""
    told = frame.sparkSession.conf.get(ROWS_AT_ONCE, None)
    return None if told is None else int(told)


def keeps_order(frame: Any) -> bool:
    """Whether the engine hands rows to a function of ours in the order that they were put in: Spark itself does."""
    spark = frame.sparkSession
    told = str(spark.sql("SELECT version()").collect()[0][0])  # a server of Sail tells its own there
    return at_once(frame) is None and told.startswith(str(spark.version))


def pieces(frame: Any, column: str, rows: int) -> list[Any]:
    """A frame with so many rows as the engine takes them, one after the other; rows with the same text in a column are
    in one. They go by the upper bits of the hash of which `by_hash` takes what is left of a division."""
    from pyspark.sql import functions as F

    most = at_once(frame)
    if most is None or rows <= most:
        return [frame]
    count = -(-rows // most)
    piece = F.floor(F.crc32(F.col(quoted(column)).cast("string")) * F.lit(count) / F.lit(1 << 32))
    return [frame.filter(piece == F.lit(index)) for index in range(count)]


def in_batches(frame: Any, rows: int, function: Callable[[pa.Table], pa.Table], schema: Any) -> Any:
    """The same of about so many rows at a time, whichever they are."""
    return mapped(frame, partial(batched, function=function, rows=rows), schema)


def batched(
    batches: Iterator[pa.RecordBatch], *, function: Callable[[pa.Table], pa.Table], rows: int
) -> Iterator[pa.RecordBatch]:
    """On an executor: what a function makes of some batches at a time."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(each.num_rows for each in held) >= rows:
            yield from function(pa.Table.from_batches(held)).combine_chunks().to_batches()
            held = []
    if any(each.num_rows for each in held):
        yield from function(pa.Table.from_batches(held)).combine_chunks().to_batches()


def collected_if(frame: Any, most: int) -> pa.Table | None:
    """What is small enough for this process; None if it is more than `most` rows."""
    table = frame.limit(most + 1).toArrow()
    return None if table.num_rows > most else table


def collected(frame: Any, most: int, what: str) -> pa.Table:
    """The same, but refused."""
    table = collected_if(frame, most)
    if table is None:
        raise InputError(
            f"there are more than {most:,} {what}, which is more than this process may hold",
            hint="See docs/cluster.md for what stays on the driver, and the setting of the limit.",
        )
    return table


def write(frame: Any, folder: Path, output: FileFormat) -> list[Path]:
    """Writes a frame as files of a folder, part-00000 and so on in the order of the rows; gives back the files."""
    writer = frame.write.mode("error")
    if output.name == "parquet":
        writer.parquet(str(folder))
    elif output.name == "dat":
        writer.text(str(folder))
    else:
        writer.options(**_CSV, sep=output.delimiter or ",").csv(str(folder))
    return _renamed(folder, output.name)


def write_each(pieces: Iterable[Any], folder: Path, output: FileFormat) -> list[Path]:
    """The same of frames that follow each other, one after the other."""
    folder.mkdir()
    written: list[Path] = []
    for index, piece in enumerate(pieces):
        inside = folder / f"piece-{index}"
        for file in write(piece, inside, output):
            written.append(file.rename(folder / f"part-{len(written):05}{file.suffix}"))
        inside.rmdir()
    return written


def joined(files: Sequence[Path], target: Path) -> Path:
    """The files of a folder one after the other as one, in place of the folder."""
    with target.open("wb") as whole:
        for file in files:
            with file.open("rb") as part:
                shutil.copyfileobj(part, whole)
            file.unlink()
    if files:
        files[0].parent.rmdir()
    return target


def _renamed(folder: Path, extension: str) -> list[Path]:
    """Engines name files by numbers and chance: the number stays, marks of success and checksums go."""
    written, others = list[Path](), list[Path]()
    for file in folder.iterdir():
        is_data = file.is_file() and not file.name.startswith(("_", "."))
        (written if is_data else others).append(file)
    for file in others:
        file.unlink()
    renamed = []
    for index, file in enumerate(sorted(written, key=_number)):
        renamed.append(file.rename(folder / f"part-{index:05}.{extension}"))
    return renamed


def _number(file: Path) -> tuple[int, str]:
    """Spark: part-00003-...; Sail: ..._3.parquet."""
    found = re.match(r"part-(\d+)", file.name) or re.search(r"_(\d+)\.", file.name)
    return (int(found[1]) if found else 0), file.name


def first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:200]
