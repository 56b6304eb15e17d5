"""Hierarchies of a project: from its files to what a page draws, and the changes that a form asks for."""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tacit.errors import InputError
from tacit.job import BLANK
from tacit.taxonomy import KINDS, Taxonomy, build, check_hierarchy, edit, pick_kind, read_hierarchy, write_hierarchy
from tacit.taxonomy.draw import summary
from tacit.taxonomy.nodes import Fault
from tacit.web.files import read_json
from tacit.web.uploads import Form
from tacit.web.workspace import Project

MOST_CHILDREN = 60
_MOST_OPEN = 250
_MOST_FAULTS = 12


@dataclass(frozen=True)
class Shown:
    """A node as a page draws it."""

    code: int
    name: str
    leaves: int
    records: int
    is_leaf: bool
    is_open: bool
    children: tuple[Shown, ...] = ()
    more: int = 0


def values_of(project: Project, index: int, table: Mapping[str, Any]) -> dict[str, int]:
    """The different values of a column, or the items in it, with how many records have each."""
    file = project.folder / f"values-{index}.json"
    values: dict[str, int] = read_json(file) if file.is_file() else {}
    found = (project.profile or {"columns": []})["columns"][index]
    if table.get("role") != "items":
        return values
    if found["role"] == "items":
        sensitive = set(table.get("sensitive", ()))
        return {value: count for value, count in values.items() if value not in sensitive}
    counts: Counter[str] = Counter()
    for text, count in values.items():
        for item in {*text.split(table.get("separator", BLANK))} - {""}:
            counts[item] += count
    return dict(counts)


def file_name(index: int) -> str:
    """A hierarchy of ours, in the project; its name holds nothing that somebody sent."""
    return f"hierarchy-{index}.csv"


def read_tree(project: Project, name: str, values: Mapping[str, int]) -> Taxonomy:
    """The hierarchy of a project; a file that was read and did not change since is not read again."""
    file = project.folder / name
    found = file.stat()
    return _read(file, found.st_mtime_ns, found.st_ino, tuple(values))


@lru_cache(maxsize=8)
def _read(file: Path, changed_at: int, which: int, values: tuple[str, ...]) -> Taxonomy:
    return read_hierarchy(file, values or None)


def faults(file: Path, values: Mapping[str, int]) -> list[Fault]:
    """What is wrong with a hierarchy for these values, as far as somebody reads it."""
    return check_hierarchy(file, values or None)[:_MOST_FAULTS]


def text_of(tree: Taxonomy, project: Project) -> str:
    """The hierarchy as its file says it."""
    aside = project.folder / f".{secrets.token_hex(6)}.csv"
    try:
        write_hierarchy(tree, aside)
        return aside.read_text("utf-8")
    finally:
        aside.unlink(missing_ok=True)


def version_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def built(values: Mapping[str, int], kind: str, form: Form) -> Taxonomy:
    """A new hierarchy over the values of a column."""
    if not values:
        raise InputError("the values of this column are not known", hint="It has none, or too many to be shown.")
    labels = list(values)
    kind = pick_kind(labels) if kind == "auto" else kind
    if kind not in KINDS:
        raise InputError(f"{kind!r} is no kind of hierarchy")
    options: dict[str, Any] = {"counts": list(values.values())} if "counts" in KINDS[kind][1] else {}
    for name in ("fanout", "width"):
        if form.get(name).strip() and name in KINDS[kind][1]:
            options[name] = _whole(form.get(name)) if name == "fanout" else _number(form.get(name))
    return build(labels, kind, **options)


def changed(tree: Taxonomy, form: Form) -> Taxonomy:
    """The tree after what a form asks for."""
    nodes = [int(code) for code in form.all("node") if code.isascii() and code.isdigit() and int(code) < len(tree)]
    do, name = form.get("do"), form.get("name")
    match do:
        case "group":
            return edit.group(tree, nodes, name)
        case "merge":
            return edit.merge(tree, nodes, name)
        case "move":
            return edit.move(tree, nodes, _target(tree, form.get("under")))
    if len(nodes) != 1:
        raise InputError("this is done to one node at a time", hint="Choose exactly one.")
    match do:
        case "rename":
            return edit.rename(tree, nodes[0], name)
        case "split":
            return edit.split(tree, nodes[0], _whole(form.get("number") or "0"))
        case "bands":
            return edit.bands(tree, nodes[0], _whole(form.get("number") or "0"))
        case "up" | "down":
            return edit.shift(tree, nodes[0], -1 if do == "up" else 1)
        case _:
            raise InputError("there is no such change")


def _target(tree: Taxonomy, text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < len(tree)):
        raise InputError("choose the group to move them to")
    return int(text)


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError("this is not a whole number", hint="Write one, such as 4.") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError("this is not a number", hint="Write one, such as 10.") from None


def drawn(tree: Taxonomy, values: Mapping[str, int], find: str = "") -> Shown:
    """The tree with counts, to be drawn; with `find`, only what leads to nodes whose names hold it."""
    records, parent = [0] * len(tree), tree.parent.tolist()
    for leaf in tree.leaves.tolist():
        records[leaf] = values.get(tree.names[leaf], 0)
    for code in range(len(tree) - 1, 0, -1):
        records[parent[code]] += records[code]
    wanted = _wanted(tree, find.lower()) if find else None
    leaf_count, depth, all_open = tree.leaf_count.tolist(), tree.depth.tolist(), len(tree) <= _MOST_OPEN

    def node(code: int) -> Shown:
        below = [child for child in tree.children(code).tolist() if wanted is None or child in wanted]
        return Shown(
            code, tree.names[code], leaf_count[code], records[code], bool(tree.is_leaf[code]),
            all_open or wanted is not None or depth[code] < 1,
            tuple(map(node, below[:MOST_CHILDREN])), max(0, len(below) - MOST_CHILDREN),
        )  # fmt: skip

    return node(0)


def _wanted(tree: Taxonomy, find: str) -> set[int]:
    """The nodes that are looked for, with all above them, and the children of groups."""
    hits = [code for code, name in enumerate(tree.names) if find in name.lower()][:MOST_CHILDREN]
    return {each for code in hits for each in (*tree.path(code).tolist(), *tree.children(code).tolist())}


def groups_of(tree: Taxonomy) -> Iterator[tuple[int, str]]:
    """Where nodes can be moved to, with how deep each one is."""
    for code in (~tree.is_leaf).nonzero()[0].tolist():
        yield code, "\N{NO-BREAK SPACE}" * 2 * int(tree.depth[code]) + tree.names[code]


def shape(tree: Taxonomy) -> str:
    return summary(tree)
