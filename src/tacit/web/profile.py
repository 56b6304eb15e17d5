"""Looks at the data of a project, in a process of its own: `python -m tacit.web.profile FOLDER KIND UNPACKED`.

It writes what `tacit init` would: a first job file and hierarchies; beside them what the pages show of each column.
"""

from __future__ import annotations

import gzip
import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tacit.errors import InputError, TacitError
from tacit.faults import EXIT_CODE, paragraph
from tacit.web.files import read_json, write_json, write_text
from tacit.web.toml import as_text

PREVIEW = 8
_EXAMPLES = 5
_LONGEST = 60
MOST_VALUES = 100_000
"""Of columns with more different values, none are kept for hierarchies."""
_STAGES = ("reading", "looking", "writing")
_PIECE = 1 << 22


def profile(folder: Path, kind: str, unpacked: int) -> None:
    """Writes job.toml, hierarchies, values and profile.json of a project."""
    from tacit.init import drafted
    from tacit.init.drafts import Draft
    from tacit.init.plan import make_plan
    from tacit.init.source import read_raw

    about = read_json(folder / "project.json")
    _tell("reading")
    if about.get("is_database") and not (folder / about["source"]).exists():
        _fetch(json.loads(sys.stdin.read()), folder / about["source"])
    _refuse_bomb(folder / about["source"], unpacked)
    if about["source"].endswith(".deid"):
        about = _of_project(folder, about)
    raw = read_raw(str(folder / about["source"]), format=about.get("format"))
    if not raw.table.num_rows:
        raise InputError("the data has no record", hint="Choose another file.")
    _tell("looking")
    plan = make_plan(raw, kind)
    draft = Draft(raw, folder / "job.toml")
    found = drafted(plan, draft)
    _tell("writing")
    for old in folder.glob("job-*.csv"):
        old.unlink()
    draft.write(force=True)
    tables = tomllib.loads((folder / "job.toml").read_text("utf-8"))
    columns = [*_columns(plan, tables.get("columns", {}), folder)]
    write_json(
        folder / "profile.json",
        {
            "kind": plan.kind,
            "rows": raw.table.num_rows,
            "records": found.get("records", raw.table.num_rows),
            "columns": columns,
            "preview": _preview(raw.table),
            "decide": draft.decide,
        },
    )
    write_text(folder / "job.toml", as_text(with_all_columns(tables, columns)))


def _fetch(asked: dict[str, str], file: Path) -> None:
    """Reads a database once, into a file of the project. Its address, which may hold a password, is kept nowhere."""
    from tacit.io import format_named, read_query, write_table

    table = read_query(asked["url"], table=asked.get("table") or None, query=asked.get("query") or None)
    write_table(table, file, format_named("parquet"))


def _of_project(folder: Path, about: dict[str, Any]) -> dict[str, Any]:
    """What is in a project of ARX takes its place: data, hierarchies, and the job that says what ARX was told."""
    from tacit.init.arx import write_job_of_project

    write_job_of_project(folder / about["source"], folder / "given.toml", force=True)
    (folder / "given-data.csv").rename(folder / "data.csv")
    tables = tomllib.loads((folder / "given.toml").read_text("utf-8"))
    tables["input"]["source"] = "data.csv"
    (folder / "given.toml").unlink()
    about = {**about, "source": "data.csv", "first_job": as_text(tables)}
    write_json(folder / "project.json", about)
    return about


def with_all_columns(tables: dict[str, Any], columns: list[dict[str, Any]]) -> dict[str, Any]:
    """The job with a table for every column, in the order of the data: those that init leaves out are identifiers."""
    known, is_dat = tables.get("columns", {}), [column["name"] for column in columns] == ["items"]
    listed = {column["name"]: known.get(column["name"], {"role": "identifier"}) for column in columns}
    rest = {key: value for key, value in tables.items() if key not in ("input", "columns")}
    return {"input": tables["input"], "columns": known if is_dat and known else listed, **rest}


def _columns(plan: Any, tables: dict[str, Any], folder: Path) -> Iterator[dict[str, Any]]:
    import numpy as np

    from tacit.arrays.encode import split_baskets

    for index, choice in enumerate(plan.choices):
        evidence = plan.looked.evidence.get(choice.name)
        table = tables.get(choice.name, {})
        told = {
            "name": choice.name, "role": choice.role, "why": choice.why, "type": choice.type,
            "separator": choice.separator, "settings": table, "distinct": None, "filled": None, "examples": [],
        }  # fmt: skip
        values: dict[str, int] = {}
        if evidence is not None:
            told |= {"distinct": evidence.distinct, "filled": evidence.filled}
            most = np.argsort(-evidence.counts, kind="stable")[:_EXAMPLES]
            told["examples"] = [_short(evidence.texts[int(at)].as_py()) for at in most]
            if evidence.distinct <= MOST_VALUES:
                values = dict(zip(evidence.texts.to_pylist(), evidence.counts.tolist(), strict=True))
        if choice.role == "items" and (evidence is None or choice.separator):
            baskets = split_baskets(plan.looked.table[choice.name], separator=choice.separator)
            counts = np.bincount(baskets.items, minlength=len(baskets.vocabulary))
            told["items"] = len(baskets.vocabulary)
            most = np.argsort(-counts, kind="stable")[:_EXAMPLES]
            told["examples"] = [_short(baskets.vocabulary[int(at)]) for at in most]
            if len(baskets.vocabulary) <= MOST_VALUES:
                values = dict(zip(baskets.vocabulary, counts.tolist(), strict=True))
        write_json(folder / f"values-{index}.json", values)
        yield told


def _preview(table: Any) -> list[list[str | None]]:
    """The first rows, as text."""
    columns = [table[name].slice(0, PREVIEW).to_pylist() for name in table.column_names]
    texts = [[_cell(value) for value in column] for column in columns]
    return [list(row) for row in zip(*texts, strict=True)]


def _cell(value: Any) -> str | None:
    if value is None:
        return None
    return _short(" ".join(map(str, value)) if isinstance(value, list) else str(value))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _refuse_bomb(file: Path, most: int) -> None:
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
        from tacit.io.zips import refuse_bomb

        refuse_bomb(file, what="file", most=most)
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


def _bound_memory() -> None:
    """This process may not take the machine's last memory: the pages run on it, too."""
    if sys.platform == "linux":
        import os
        import resource

        most = int(0.8 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _tell(stage: str) -> None:
    done = _STAGES.index(stage) / len(_STAGES)
    print(json.dumps({"event": "stage", "stage": stage, "message": None, "done": done}), file=sys.stderr, flush=True)


def _failed(message: str, code: int) -> None:
    said = {"event": "error", "stage": None, "message": message, "done": None, "exit_code": code}
    print(json.dumps(said), file=sys.stderr, flush=True)
    sys.exit(code)


def main() -> None:
    folder, kind, unpacked = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    _bound_memory()
    try:
        profile(folder, kind, unpacked)
    except TacitError as error:
        _failed(error.in_full or str(error), error.exit_code)
    except MemoryError:
        _failed("the data does not fit into the memory of this machine", 2)
    except Exception as error:  # noqa: BLE001, our fault, and told so
        _failed(paragraph(error), EXIT_CODE)


if __name__ == "__main__":
    main()
