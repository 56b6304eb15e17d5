"""Projects of ARX (.deid): an archive with the data, hierarchies, and settings as XML; a job is made of them.

Parts that Java serialised (.dat) are never opened: to read such a thing is to run it. What they alone hold, as the
state of the search, is not needed.
"""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.errors import InputError
from tacit.init.text import about, job_text, key, quoted, refuse_existing
from tacit.io.zips import part_of, refuse_bomb
from tacit.job.keys import is_date_format
from tacit.taxonomy.cells import write_rows

_WHAT = "project of ARX"
_ROLES = {
    "IDENTIFYING_ATTRIBUTE": ("identifier", "identifying"),
    "QUASI_IDENTIFYING_ATTRIBUTE": ("quasi", "quasi-identifying"),
    "SENSITIVE_ATTRIBUTE": ("sensitive", "sensitive"),
    "INSENSITIVE_ATTRIBUTE": ("plain", "insensitive: it is published as it is"),
}
_TYPES = {
    "Integer": "number", "Decimal": "number", "Date/Time": "date",
    "String": "category", "Ordinal": "category", "OrderedString": "category",
}  # fmt: skip
_MOST_XML = 1 << 24
_K = re.compile(r"(\d+)-anonymity")
_L = re.compile(r"(distinct|(?:\w+-)?entropy)-([\d.]+)-diversity for attribute '(.*)'")
_T = re.compile(
    r"([\d.]+(?:E-\d+)?)-closeness with (equal|hierarchical|ordered) (?:ground-)?distance for attribute '(.*)'"
)
"""Newer versions say "ground-distance", and Java writes what is below 0.001 as 1.0E-4."""


def is_project(data: str) -> bool:
    return data.lower().endswith(".deid")


@dataclass(frozen=True)
class _Attribute:
    name: str
    role: str
    why: str
    type: str | None
    format: str | None
    levels: list[list[str]]
    """Its hierarchy, a row for each leaf; empty if it has none."""


@dataclass(frozen=True)
class Project:
    """What a job needs of a project."""

    data: bytes
    delimiter: str
    attributes: list[_Attribute]
    criteria: list[str]


def read_project(path: Path) -> Project:
    """A project, looked through before anything of it is used."""
    if not path.is_file():
        raise InputError("there is no such file", file=path, hint="Check the path.")
    refuse_bomb(path, what=_WHAT)
    data = part_of(path, "data/input.csv", what=_WHAT)
    if data is None:
        raise InputError(
            "the project holds no data", file=path, hint="Import the data in ARX, and save the project again."
        )
    definition, project = _xml(path, "input/definition.xml"), _xml(path, "project.xml")
    if definition is None:
        hint = "Save the project again, with a version of ARX from 2.0 on."
        raise InputError("the project does not say what its attributes are", file=path, hint=hint)
    delimiter = (project.findtext("separator") if project is not None else None) or ","
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise InputError("the project names no delimiter that can be one", file=path, hint="Save it again in ARX.")
    config = _xml(path, "input/config.xml")
    criteria = [] if config is None else [each.text or "" for each in config.iter("criterion")]
    try:
        data = _decoded(data).encode()
    except UnicodeDecodeError:
        hint = "Save the project again in ARX."
        raise InputError("the data of the project are in no encoding that is read", file=path, hint=hint) from None
    return Project(data, delimiter, list(_attributes(path, definition, delimiter)), criteria)


def _xml(path: Path, name: str) -> ElementTree.Element | None:
    content = part_of(path, name, what=_WHAT)
    if content is None:
        return None
    broken = InputError(f"{name} in the project cannot be read", file=path, hint="Save the project again in ARX.")
    try:
        text = content.decode("utf-8-sig")
        if len(content) > _MOST_XML or "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise broken
        return ElementTree.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text))
    except (UnicodeDecodeError, ElementTree.ParseError, RecursionError):
        raise broken from None


def _attributes(path: Path, definition: ElementTree.Element, delimiter: str) -> Iterator[_Attribute]:
    for each in definition.iter("assigment"):
        name, said = each.findtext("name"), (each.findtext("type") or "").strip()
        if not name:
            continue
        role, why = _ROLES.get(said, ("identifier", "ARX says nothing of it"))
        kind = _TYPES.get((each.findtext("datatype") or "").strip())
        wanted = role in ("quasi", "sensitive") and each.findtext("ref") is not None
        content = part_of(path, f"input/hierarchies/{name}.csv", what=_WHAT) if wanted else None
        yield _Attribute(
            name, role, f"{why} in ARX", kind, each.findtext("format"), _levels(path, name, content, delimiter)
        )


def _decoded(content: bytes) -> str:
    """A text of a project: in UTF-8, or as Windows writes it, where ARX takes the encoding of the machine."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252")


def _levels(path: Path, name: str, content: bytes | None, delimiter: str) -> list[list[str]]:
    if content is None:
        return []
    try:
        rows = csv.reader(io.StringIO(_decoded(content), newline=""), delimiter=delimiter)
        return [row for row in rows if row]
    except (UnicodeDecodeError, csv.Error):
        hint = "Save the project again in ARX."
        raise InputError("a hierarchy in the project cannot be read", file=path, column=name, hint=hint) from None


def write_job_of_project(path: Path, job: Path, *, force: bool = False) -> dict[str, Any]:
    """Writes the data, the hierarchies and the job of a project; tells what was found."""
    project = read_project(path)
    data = job.with_name(f"{job.stem}-data.csv")
    trees = {
        each.name: job.with_name(f"{job.stem}-{number}-{_plain(each.name)}.csv")
        for number, each in enumerate(project.attributes, start=1)
        if each.levels
    }
    for file in (job, data, *trees.values()):
        refuse_existing(file, force)
    promise, distances, diversities, decide = _promise(project)
    columns = []
    for each in project.attributes:
        lines = [about(f'role = "{each.role}"', each.why)]
        if each.role in ("quasi", "sensitive"):
            lines += _type_lines(each)
            lines += [f"hierarchy = {quoted(trees[each.name].name)}"] if each.name in trees else []
            lines += [f'distance = "{distances[each.name]}"'] if each.name in distances else []
            lines += [f"l = {diversities[each.name]:g}"] if each.name in diversities else []
        columns.append((f"columns.{key(each.name)}", lines))
    given = [f"source = {quoted(data.name)}", f"delimiter = {quoted(project.delimiter)}"]
    text = job_text(
        [("input", given), *columns, ("privacy", promise)], [f"To decide first: {what}." for what in decide]
    )
    job.parent.mkdir(parents=True, exist_ok=True)
    data.write_bytes(project.data)
    for each in project.attributes:
        if each.name in trees:
            write_rows(each.levels, trees[each.name])
    job.write_text(text, encoding="utf-8")
    return {
        "job": str(job), "kind": "records", "records": max(project.data.count(b"\n") - 1, 0), "data": str(data),
        "hierarchies": list(map(str, trees.values())), "roles": {each.name: each.role for each in project.attributes},
        "reasons": {each.name: each.why for each in project.attributes}, "encoding": None, "decide": decide,
    }  # fmt: skip


def _type_lines(attribute: _Attribute) -> list[str]:
    if attribute.levels:
        return []  # values of a hierarchy are names
    lines = [f'type = "{attribute.type}"'] if attribute.type else []
    if attribute.type == "date" and attribute.format:
        written = attribute.format.replace("yyyy", "YYYY").replace("dd", "DD").replace("d", "D")
        lines += [f"date_format = {quoted(written)}"] if is_date_format(written) and written != "YYYY-MM-DD" else []
    return lines


def _promise(project: Project) -> tuple[list[str], dict[str, str], dict[str, float], list[str]]:
    """The promise that says what ARX's criteria say, as far as there is one, and what is left to decide."""
    ks = [int(found[1]) for each in project.criteria if (found := _K.fullmatch(each))]
    ls = [found for each in project.criteria if (found := _L.fullmatch(each))]
    ts = [found for each in project.criteria if (found := _T.fullmatch(each))]
    others = [each for each in project.criteria if not any(rule.fullmatch(each) for rule in (_K, _L, _T))]
    decide = [f"nothing here says the same as ARX's {each}" for each in others]
    k = max(ks, default=1 if ls or ts else 5)
    if not project.criteria:
        decide.append("the project has no privacy criterion; k = 5 is a beginning")
    distances: dict[str, str] = {}
    diversities: dict[str, float] = {}
    if ts:
        decide += ["ARX promises diversity beside closeness; here it is one of the two"] if ls else []
        distances = {found[3]: found[2] for found in ts}
        return (
            ['model = "t"', f"k = {k}", f"t = {min(float(found[1]) for found in ts):g}"],
            distances,
            diversities,
            decide,
        )
    if ls:
        kind = "distinct" if ls[0][1] == "distinct" else "entropy"
        most = max(float(found[2]) for found in ls)
        diversities = {found[3]: float(found[2]) for found in ls if float(found[2]) != most}
        decide += ["ARX counts diversity in two ways; here it is one"] if len({found[1] for found in ls}) > 1 else []
        return ['model = "l"', f"k = {k}", f"l = {most:g}", f'kind = "{kind}"'], distances, diversities, decide
    return ['model = "k"', f"k = {k}"], distances, diversities, decide


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)
