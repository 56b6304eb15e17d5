"""Where the data of a project come from: a file, a table of a database, and tables that are joined to them.

The process that looks at the data brings them. What it is asked for is read from standard input, as JSON: an address
of a database may hold a password, which is kept nowhere.
"""

from __future__ import annotations

import gzip
import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import rmtree
from typing import Any

from tacit.errors import InputError
from tacit.web.files import FIRST_JOB, read_json, write_json, write_text
from tacit.web.toml import as_text

_JOINS, _LEFT_OUT = "joins.json", "left-out.json"
_PIECE = 1 << 22
FRESH = "fresh-"
"""How names begin of what a look at the data brings, until it came to a good end."""
Joins = list[dict[str, Any]]


def known_joins(folder: Path) -> Joins:
    """The tables that are joined to the data of a project, as `[[input.join]]` has them."""
    file = folder / _JOINS
    return list(read_json(file)["joins"]) if file.is_file() else []


def left_out(folder: Path) -> list[str]:
    """The columns of a database that were not read, for they hold bytes."""
    file = folder / _LEFT_OUT
    return list(read_json(file)["columns"]) if file.is_file() else []


def keep_joins(folder: Path, joins: Joins) -> None:
    """From now on these; files that none of them names go."""
    write_json(folder / _JOINS, {"joins": joins})
    named = {join["source"] for join in joins}
    for file in folder.glob("join-*.*"):
        if file.name not in named:
            file.unlink()


def keep_fresh(folder: Path) -> None:
    """What was read from a database takes the place of what was there."""
    for file in folder.glob(f"{FRESH}*.*"):
        file.replace(folder / file.name.removeprefix(FRESH))


def without_leftovers(folder: Path) -> None:
    """Removes what a look that failed, or was stopped, has brought."""
    without_fresh(folder)
    keep_joins(folder, known_joins(folder))


def without_fresh(folder: Path) -> None:
    for left in folder.glob(f"{FRESH}*"):
        if left.is_dir():
            rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)


def read_sources(folder: Path, about: dict[str, Any], asked: Mapping[str, Any], unpacked: int) -> tuple[Any, Joins]:
    """The raw data of a project with what is joined to it, and those joins."""
    from tacit.init.source import read_raw
    from tacit.job import Join

    source = about["source"]
    if asked.get("database"):
        source = f"{FRESH}{source}"
        without = _fetch(asked["database"], folder / source)
        write_json(folder / f"{FRESH}{_LEFT_OUT}", {"columns": without})
    if asked.get("joined"):
        _fetch(asked["joined"], folder / asked["joined"]["into"])
    joins: Joins = asked.get("joins", known_joins(folder))
    for name in (source, *(join["source"] for join in joins)):
        refuse_bomb(folder / name, unpacked)
    if source.endswith(".deid"):
        about = _of_project(folder, about)
        source = about["source"]
    read = [
        Join(**{**join, "source": folder / join["source"], "columns": tuple(join.get("columns", ()))}) for join in joins
    ]
    return read_raw(str(folder / source), format=about.get("format"), joins=read), joins


def _fetch(asked: Mapping[str, str], file: Path) -> list[str]:
    """Reads a database into a file of the project; tells what was left out."""
    from tacit.io import format_named, read_query, write_table

    without: list[str] = []
    table = read_query(
        asked["url"], table=asked.get("table") or None, query=asked.get("query") or None, left_out=without
    )
    write_table(table, file, format_named("parquet"))
    return without


def _of_project(folder: Path, about: dict[str, Any]) -> dict[str, Any]:
    """What is in a project of ARX takes its place: data, hierarchies, and the job that says what ARX was told."""
    from tacit.init.arx import write_job_of_project

    write_job_of_project(folder / about["source"], folder / "given.toml", force=True)
    (folder / "given-data.csv").rename(folder / "data.csv")
    tables = tomllib.loads((folder / "given.toml").read_text("utf-8"))
    tables["input"]["source"] = "data.csv"
    (folder / "given.toml").unlink()
    write_text(folder / FIRST_JOB, as_text(tables))
    about = {**about, "source": "data.csv"}
    write_json(folder / "project.json", about)
    return about


def with_sources(tables: Mapping[str, Any], source: str, joins: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The job reading these files of its project."""
    rest = {key: value for key, value in tables["input"].items() if key not in ("source", "join")}
    joined = {"join": [dict(join) for join in joins]} if joins else {}
    return {**tables, "input": {"source": source, **rest, **joined}}


def refuse_bomb(file: Path, most: int) -> None:
    """A small file that becomes an immense one is not unpacked."""
    if file.suffix == ".gz":
        size = 0
        try:
            with gzip.open(file) as unpacked:
                while piece := unpacked.read(_PIECE):
                    size += len(piece)
                    if size > most:
                        raise _bomb(most)
        except (OSError, EOFError):
            return  # whoever reads it says what is wrong with it
    elif file.suffix in (".xlsx", ".ods", ".deid"):
        from tacit.io.zips import refuse_bomb as refuse_zip

        refuse_zip(file, what="file", most=most)
    elif file.suffix == ".parquet":
        from pyarrow import lib, parquet

        try:
            found = parquet.read_metadata(file)
        except (OSError, lib.ArrowException):
            return
        sizes = (found.row_group(group).total_byte_size for group in range(found.num_row_groups))
        if max(sum(sizes), found.num_rows * max(found.num_columns, 1)) > most:
            raise _bomb(most)


def _bomb(most: int) -> InputError:
    from tacit.web.limits import shown_bytes

    return InputError(
        f"unpacked, the file is larger than {shown_bytes(most)}", hint="Use `tacit` in a terminal for it."
    )


def asked_of(text: str) -> dict[str, Any]:
    """What the process was asked for; nothing where nothing was said."""
    return dict(json.loads(text)) if text.strip() else {}
