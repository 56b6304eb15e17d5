"""From a plan to the text of a job file, and the hierarchies that it names: a function for each kind of data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tacit.errors import InputError
from tacit.init.columns import Choice
from tacit.init.evidence import Evidence
from tacit.init.hierarchies import tree_of_column
from tacit.init.plan import Plan
from tacit.init.promising import (
    diversity,
    promise_of_records,
    promise_of_slices,
    promise_with_items,
)
from tacit.init.source import RawData
from tacit.init.text import Table, about, job_text, key, quoted, refuse_existing
from tacit.taxonomy import Taxonomy, write_hierarchy

_MOST_IN_A_SET = 12
"""A category with more values than this gets a hierarchy: sets of them would be long."""
_NO_DIVERSITY = 1.1
_TOO_MUCH = (
    "model k hides whose record it is, and sensitive columns stay as they are. Some have one value nearly everywhere, "
    'some very many values: give role = "identifier" to either sort, and model l or t can be promised'
)


@dataclass
class Draft:
    """What the job file will say, the hierarchies that have to be written for it, and what was found."""

    raw: RawData
    job: Path
    columns: list[Table] = field(default_factory=list)
    trees: dict[Path, Taxonomy] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    promise: Sequence[str] = ()
    method: Sequence[str] = ()
    layout: Sequence[str] = ()
    missing: Sequence[str] = ()
    decide: list[str] = field(default_factory=list)

    def add(self, choice: Choice, lines: Sequence[str]) -> None:
        """A column with a table of its own in the job file."""
        self.columns.append((f"columns.{key(choice.name)}", lines))
        self.roles[choice.name], self.reasons[choice.name] = choice.role, choice.why

    def hierarchy(self, name: str, tree: Taxonomy) -> str:
        """The line that names a hierarchy, which will lie beside the job file."""
        file = self.job.with_name(f"{self.job.stem}-{_plain(name)}.csv")
        while file in self.trees:
            file = file.with_name(f"{file.stem}_.csv")
        self.trees[file] = tree
        return f"hierarchy = {quoted(file.name)}"

    def write(self, force: bool) -> None:
        """Writes the job file last: it is there only if all that it names is."""
        for file in self.trees:
            refuse_existing(file, force)
        text = self.text()
        self.job.parent.mkdir(parents=True, exist_ok=True)
        for file, tree in self.trees.items():
            write_hierarchy(tree, file)
        self.job.write_text(text, encoding="utf-8")

    def text(self) -> str:
        given = [*self.raw.lines(self.job.absolute().parent), *self.layout, *self.missing]
        tables: list[Table] = [("input", given), *self.columns, ("privacy", self.promise)]
        tables += [("method", self.method)] if self.method else []
        return job_text(tables, [f"To decide first: {what}." for what in self.decide])


def role_line(choice: Choice) -> str:
    return about(f'role = "{choice.role}"', choice.why)


def missing_line(missing: Sequence[str]) -> str:
    return f"missing = [{', '.join(map(quoted, missing))}]"


def draft_records(plan: Plan, draft: Draft) -> None:
    """One row per person; with sets of items beside what is known of a person if there are some."""
    for choice in plan.choices:
        draft.add(choice, _record_lines(choice, plan, draft, hierarchies=True))
    rows = plan.looked.table.num_rows
    if plan.with_role("items"):
        draft.promise = promise_with_items(rows)
        if plan.with_role("sensitive"):
            draft.promise = [
                *draft.promise,
                "# Sensitive columns stay as they are: k-km hides whose record it is, no more.",
            ]
    else:
        nominal = {choice.name for choice in plan.choices if choice.type == "category"}
        known, hidden = _evidence(plan, "quasi"), _evidence(plan, "sensitive")
        draft.promise = promise_of_records(hidden, known, plan.looked.table, nominal)
        if plan.with_role("sensitive") and 'model = "k"' in draft.promise[0]:
            draft.decide.append(_TOO_MUCH)
    if not plan.with_role("quasi"):
        draft.decide.append('no column is known to be published: give role = "quasi" to those that may be')
    draft.missing = [missing_line(plan.looked.missing)]


def draft_slices(plan: Plan, draft: Draft) -> None:
    """One row per person, several sensitive columns; one that has nearly the same value everywhere cannot be one."""
    rows = plan.looked.table.num_rows
    flat = {
        choice.name
        for choice in plan.with_role("sensitive")
        if diversity([plan.looked.evidence[choice.name]], rows) < _NO_DIVERSITY
    }
    why = "one value is so frequent that no l can be promised"
    plan = plan.changed([
        Choice(each.name, "identifier", why) if each.name in flat or each.role == "items" else each
        for each in plan.choices
    ])  # fmt: skip
    for role in ("sensitive", "quasi"):
        if not plan.with_role(role):
            hint = f'Write the job file by hand, and give a column role = "{role}".'
            raise InputError(f"no column looks like one with the role {role!r}", file=draft.raw.shown, hint=hint)
    for choice in plan.choices:
        draft.add(choice, _record_lines(choice, plan, draft, hierarchies=False))
    draft.promise = promise_of_slices(_evidence(plan, "sensitive"), rows)
    draft.missing = [missing_line(plan.looked.missing)]


def _evidence(plan: Plan, role: str) -> list[Evidence]:
    return [plan.looked.evidence[each.name] for each in plan.with_role(role) if each.name in plan.looked.evidence]


def _record_lines(choice: Choice, plan: Plan, draft: Draft, *, hierarchies: bool) -> list[str]:
    lines = [role_line(choice)]
    if choice.role == "items":
        lines += [f"separator = {quoted(choice.separator)}"] if choice.separator else []
        return [*lines, about('# hierarchy = "..."', "`tacit hierarchy build` makes one")]
    if choice.role in ("quasi", "sensitive"):
        lines += [f'type = "{choice.type}"'] if choice.type else []
        lines += choice.style.lines
    if choice.role == "weight" and choice.style.signs:
        lines += choice.style.lines
    if choice.role == "plain" and choice.type and not choice.style.type:
        lines.append(f'type = "{choice.type}"')
    column = plan.looked.evidence.get(choice.name)
    many = column is not None and choice.type == "category" and column.distinct > _MOST_IN_A_SET
    if hierarchies and choice.role == "quasi" and column is not None and many:
        topic = plan.looked.findings[choice.name].topic
        lines.append(draft.hierarchy(choice.name, tree_of_column(column, topic)))
    return lines


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)
