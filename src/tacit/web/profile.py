"""Looks at the data of a project, in a process of its own: `python -m tacit.web.profile FOLDER KIND UNPACKED`.

It writes what `tacit init` would: a first job file and hierarchies; beside them what the pages show of each column.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

from tacit.errors import InputError, TacitError
from tacit.process.faults import EXIT_CODE, paragraph
from tacit.web.desk import Desk
from tacit.web.files import FIRST_JOB, read_json, write_json, write_text
from tacit.web.roles import LEFT_OUT, fits, replaced, with_suggested_promise
from tacit.web.sources import FRESH, asked_of, keep_fresh, keep_joins, read_sources, with_sources, without_fresh
from tacit.web.toml import as_text
from tacit.web.workspace import Project

PREVIEW = 8
_EXAMPLES = 5
_LONGEST = 60
MOST_VALUES = 100_000
"""Of columns with more different values, none are kept for hierarchies."""
_STAGES = ("reading", "looking", "writing")


def profile(folder: Path, kind: str, unpacked: int, asked: Mapping[str, Any] = MappingProxyType({})) -> None:
    """Writes job.toml, hierarchies, values and profile.json of a project; with `keep`, the job stays as it is."""
    from tacit.init import drafted
    from tacit.init.drafts import Draft
    from tacit.init.plan import make_plan

    about = read_json(folder / "project.json")
    without_fresh(folder)
    _tell("reading")
    raw, joins = read_sources(folder, about, asked, unpacked)
    source = Path(raw.input.source).name.removeprefix(FRESH)
    if not raw.table.num_rows:
        raise InputError("the data has no record", hint="Choose another file.")
    _tell("looking")
    plan = make_plan(raw, kind)
    with TemporaryDirectory(prefix=FRESH, dir=folder) as scratch:
        draft = Draft(raw, Path(scratch) / "job.toml")
        found = drafted(plan, draft)
        _tell("writing")
        draft.write(force=True)
        tables = with_sources(tomllib.loads((Path(scratch) / "job.toml").read_text("utf-8")), source, joins)
        columns = [*_columns(plan, tables.get("columns", {}), folder)]
        keep_fresh(folder)
        keep_joins(folder, joins)
        names = [column["name"] for column in columns]
        _put_job(folder, Path(scratch), in_order(tables, names), names, is_kept=bool(asked.get("keep")))
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


def _put_job(folder: Path, drafts: Path, tables: dict[str, Any], names: Sequence[str], *, is_kept: bool) -> None:
    """The job that came with the data, or the one that is there, which can be undone; or else the draft."""
    first, job = folder / FIRST_JOB, folder / "job.toml"
    is_kept = is_kept and job.is_file()
    for old in folder.glob("job-*.csv"):
        if not is_kept:
            old.unlink()
    for file in drafts.glob("job-*.csv"):
        if not (folder / file.name).exists():
            file.replace(folder / file.name)
    if first.is_file():
        given = tomllib.loads(first.read_text("utf-8"))
        if (told := _with_language(folder, given)) != given:
            write_text(first, as_text(told))
        first.replace(job)
    elif is_kept:
        desk = Desk(Project(folder))
        before, looked = desk.tables, desk.project.profile or {"columns": []}
        kept = _kept(before, tables, names, {column["name"] for column in looked["columns"]})
        desk.save(kept)
        if (instead := replaced(before, kept)) is not None:
            desk.project.note(replaced=instead)
    else:
        write_text(job, as_text(_with_language(folder, tables)))


def _with_language(folder: Path, tables: dict[str, Any]) -> dict[str, Any]:
    """The job, with the language of the page that the data were loaded on for the report and the public note."""
    language = Project(folder).about.get("language", "en")
    return tables if language == "en" else {**tables, "release": {"language": language, **tables.get("release", {})}}


def _kept(before: dict[str, Any], drafted: dict[str, Any], names: Sequence[str], known: set[str]) -> dict[str, Any]:
    """A job on data that were read anew: what was said of columns that are still there holds, also that one is out."""
    fresh = {name: table for name, table in drafted["columns"].items() if name not in known}
    columns = {**fresh, **before.get("columns", {})}
    tables = in_order({**before, "input": before.get("input", drafted["input"]), "columns": columns}, names)
    tables = with_sources(tables, drafted["input"]["source"], drafted["input"].get("join", ()))
    return tables if fits(tables, tables.get("privacy", {}).get("model")) else with_suggested_promise(tables)


def in_order(tables: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The job with the columns that the data have, in their order; what it does not list stays out."""
    known = tables.get("columns", {})
    rest = {key: value for key, value in tables.items() if key not in ("input", "columns")}
    return {"input": tables["input"], "columns": {name: known[name] for name in names if name in known}, **rest}


def _columns(plan: Any, tables: dict[str, Any], folder: Path) -> Iterator[dict[str, Any]]:
    import numpy as np

    from tacit.arrays.encode import split_baskets

    for index, choice in enumerate(plan.choices):
        evidence = plan.looked.evidence.get(choice.name)
        table = tables.get(choice.name, {})
        told = {
            "name": choice.name, "role": choice.role if choice.name in tables else LEFT_OUT, "why": choice.why,
            "type": choice.type, "separator": choice.separator, "settings": table, "distinct": None, "filled": None,
            "examples": [],
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
        profile(folder, kind, unpacked, asked_of(sys.stdin.read()))
    except TacitError as error:
        _failed(error.in_full or str(error), error.exit_code)
    except MemoryError:
        _failed("the data does not fit into the memory of this machine", 2)
    except Exception as error:  # noqa: BLE001, our fault, and told so
        _failed(paragraph(error), EXIT_CODE)


if __name__ == "__main__":
    main()
