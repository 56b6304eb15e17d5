"""Hierarchy files: read one into a `Taxonomy`, list everything that is wrong with one, write one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from tacit.errors import InputError
from tacit.taxonomy.amnesia import read_amnesia
from tacit.taxonomy.cells import Row, read_rows, write_rows
from tacit.taxonomy.nodes import Fault, Nodes, nodes_from_pairs, nodes_from_paths
from tacit.taxonomy.tree import NotLeaves, Taxonomy, absent_values, values_that_are_groups

PAIRS_HEADER = ["child", "parent"]


def read_hierarchy(path: str | Path, values: Collection[str] | None = None) -> Taxonomy:
    """Read a hierarchy: a row for each leaf (leaf first, root last), two columns headed `child,parent`, or Amnesia's.

    `values` are those of the data: they tell a header from a row, and each of them must be a leaf. What had
    to be decided on the way (a header, a new root, new names) is in the tree's `notes`.
    """
    path = Path(path)
    found = _examine(path, values)
    for fault in found.nodes.faults:
        raise InputError(fault.problem, file=path, line=fault.line, hint=fault.hint)
    if found.absent:
        raise NotLeaves(found.absent, absent_values, hierarchy=path)
    if found.groups:
        raise NotLeaves(found.groups, values_that_are_groups, hierarchy=path)
    return Taxonomy.from_parents(found.nodes.names, found.nodes.parents, (*found.notes, *found.nodes.notes))


def check_hierarchy(path: str | Path, values: Collection[str] | None = None) -> list[Fault]:
    """Everything that keeps `read_hierarchy` from reading the file, in order of lines."""
    try:
        found = _examine(Path(path), values)
    except InputError as error:
        return [Fault(error.line, None, error.problem, error.hint or "")]
    absent = [Fault(None, value, *absent_values([value])) for value in found.absent]
    groups = [Fault(None, value, *values_that_are_groups([value])) for value in found.groups]
    return [*found.nodes.faults, *absent, *groups]


def write_hierarchy(tree: Taxonomy, path: str | Path) -> None:
    """Write a row for each leaf, without a header; `read_hierarchy` gives the same tree back."""
    if not all(map(str.strip, tree.names)):
        raise InputError(
            "a node without a name cannot be written to a hierarchy file",
            file=path,
            hint="Give empty values a name, such as 'none', or list them under `missing` in the job file.",
        )
    write_rows(tree.to_paths(), Path(path))


@dataclass(frozen=True)
class _Findings:
    """What a file holds, and which values of the data it lacks (`absent`) or has as groups only."""

    nodes: Nodes
    notes: list[str]
    absent: list[str]
    groups: list[str]


def _examine(path: Path, values: Collection[str] | None) -> _Findings:
    amnesia = read_amnesia(path)
    rows = amnesia if amnesia is not None else read_rows(path)
    notes: list[str] = []
    if amnesia is not None:
        notes.append("This is a hierarchy of Amnesia; it was read as it is.")
        nodes = nodes_from_pairs([row.cells for row in rows], [row.line for row in rows])
        leaves = {row.cells[0] for row in rows} - {row.cells[-1] for row in rows if len(row.cells) > 1}
    elif [cell.strip().lower() for cell in rows[0].cells] == PAIRS_HEADER:
        rows = rows[1:]
        if not rows:
            raise InputError(
                "the hierarchy holds no row below `child,parent`", file=path, hint="Add a row for each node."
            )
        nodes = nodes_from_pairs([row.cells for row in rows], [row.line for row in rows])
        leaves = {row.cells[0] for row in rows} - {row.cells[-1] for row in rows if len(row.cells) > 1}
    else:
        values = frozenset(values) if values is not None else None
        if _starts_with_header(rows, values):
            header = ",".join(rows[0].cells)
            notes.append(f"The first row ({header}) was taken for a header: it starts with no value of the data.")
            rows = rows[1:]
        elif values is None and len(rows[0].cells) > 1 and _first_row_stands_alone(rows):
            notes.append("The first row shares no name with the others: if it is a header, remove it.")
        nodes = nodes_from_paths([row.cells for row in rows], [row.line for row in rows])
        leaves = {row.cells[0] for row in rows}
    wrong = sorted(set(values or ()) - leaves)
    inner = {cell for row in rows for cell in row.cells[1:]} if wrong else set()
    absent = [value for value in wrong if value not in inner]
    return _Findings(nodes, notes, absent, [value for value in wrong if value in inner])


def _starts_with_header(rows: Sequence[Row], values: frozenset[str] | None) -> bool:
    """Whether the first row starts with no value of the data while the others do.

    A hierarchy may know more values than the data holds. Then not all the others do, and the first row is a
    header only if it has no name in common with them.
    """
    if not values or len(rows) < 2 or rows[0].cells[0] in values:
        return False
    known = [row.cells[0] in values for row in rows[1:]]
    return all(known) or (any(known) and _first_row_stands_alone(rows))


def _first_row_stands_alone(rows: Sequence[Row]) -> bool:
    first = set(rows[0].cells)
    return len(rows) > 1 and all(first.isdisjoint(row.cells) for row in rows[1:])
