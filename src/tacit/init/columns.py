"""What a table seems to be: for each column a role, a type and the reason."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.encode import is_list
from tacit.init import shapes
from tacit.init.batteries import (
    among,
    answers,
    beside_a_street,
    coded_alike,
    of_one_scale,
    of_one_section,
    of_the_matter,
    on_a_map,
    one_weight,
)
from tacit.init.evidence import Evidence, count_columns, evidence_of
from tacit.init.finding import ASK, Finding
from tacit.init.missing import find_markers
from tacit.init.rules import judge
from tacit.init.styles import PLAIN, Style, styles_of
from tacit.init.text import quoted
from tacit.io.labels import Labels
from tacit.io.text import as_text

NO_LABELS = Labels()
_CODES_SHOWN = 4
_NOMINAL = frozenset(
    ["sex", "postcode", "place", "origin", "family", "job", "thing", "category", "item", "belief", "crime", "health",
     "medicine"]
)  # fmt: skip
"""Numbers that stand for something else: that 4 is twice 2 means nothing."""


@dataclass(frozen=True)
class Looked:
    """A table, column by column."""

    table: pa.Table
    missing: list[str]
    doubtful: dict[str, list[str]]
    evidence: dict[str, Evidence]
    findings: dict[str, Finding]
    styles: dict[str, Style] = field(default_factory=dict)
    labels: Labels = NO_LABELS

    def style(self, name: str) -> Style:
        return self.styles.get(name, PLAIN)

    @cached_property
    def plain_table(self) -> pa.Table:
        """The table with a decimal point in all numbers, and nothing between thousands."""
        table = self.table
        for name, style in self.styles.items():
            if style.signs is None:
                continue
            plain = as_text(table[name])
            plain = pc.replace_substring(plain, style.signs.thousands, "") if style.signs.thousands else plain
            plain = pc.replace_substring(plain, style.signs.decimal, ".")
            table = table.set_column(table.column_names.index(name), name, plain)
        return table


@dataclass(frozen=True)
class Choice:
    """What the job file says of a column."""

    name: str
    role: str
    why: str
    type: str | None = None
    separator: str | None = field(default=None, compare=False)
    style: Style = PLAIN


def look_at(table: pa.Table, labels: Labels = NO_LABELS) -> Looked:
    """Looks at every value of every column once; what a file says of a column in words counts like its name."""
    counted = count_columns(table)
    markers = find_markers(counted)
    evidence = {each.name: each for each in evidence_of(counted, markers.everywhere)}
    findings = {name: _judged(each, labels.columns.get(name)) for name, each in evidence.items()}
    findings |= answers(evidence, findings, labels)
    findings |= of_one_scale(evidence, findings)
    findings |= among(evidence, findings)
    findings |= coded_alike(evidence, findings)
    findings |= of_one_section(evidence, findings)
    findings |= of_the_matter(evidence, findings)
    findings |= on_a_map(evidence)
    findings |= beside_a_street(evidence, findings)
    findings |= one_weight(evidence, findings)
    findings |= {name: _without_text(table[name].type) for name in table.column_names if name not in evidence}
    styles = styles_of(evidence.values())
    return Looked(table, markers.everywhere, markers.doubtful, evidence, findings, styles, labels)


def _judged(column: Evidence, label: str | None) -> Finding:
    """What a column is by its name; where that tells nothing, by its label, which is a sentence and speaks of much."""
    found = judge(column)
    return judge(replace(column, name=label)) if label and (not found.topic or found.why.startswith(ASK)) else found


def _without_text(kind: pa.DataType) -> Finding:
    if is_list(kind):
        return Finding("items", "a list in each row")
    return Finding("identifier", f"values of type {kind} are not published")


def choice_of(looked: Looked, name: str, *, role: str | None = None, why: str | None = None) -> Choice:
    """The guess for a column, or a role that was decided otherwise."""
    finding, style = looked.findings[name], looked.style(name)
    role, why = role or finding.role, why or finding.why + _doubt(looked, name)
    if style.either and role in ("quasi", "sensitive"):
        role, why = "identifier", f"{ASK}days as {' or '.join(style.either)}: if {role}, say which as date_format"
    return Choice(name, role, why + _labelled(looked.labels, name), type_of(looked, name), style=style)


def _labelled(labels: Labels, name: str) -> str:
    """What the file says of a column: what it is called, some of its codes, and which of them are no value."""
    label, codes, none = labels.columns.get(name), labels.values.get(name), labels.missing.get(name, ())
    some = [f"{_shown(code)} = {words}" for code, words in list((codes or {}).items())[:_CODES_SHOWN]]
    ranges = [_shown(low) if low == high else f"{_shown(low)} to {_shown(high)}" for low, high in none]
    told = [f"called {quoted(label)}"] if label else []
    told += [", ".join(some) + ", ..." * (len(codes or {}) > _CODES_SHOWN)] if some else []
    told += [f"{' and '.join(ranges)} read as no value"] if ranges else []
    return "".join(f"; {' '.join(each.split())}" for each in told)


def _shown(code: object) -> str:
    return str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)


def _doubt(looked: Looked, name: str) -> str:
    """A word on codes that may mean "no answer" here, but something else in another column."""
    codes = looked.doubtful.get(name, ())
    return f"; {' and '.join(map(quoted, codes))} may mean no answer" if codes else ""


def type_of(looked: Looked, name: str) -> str | None:
    """How the values are to be read."""
    column, topic, style = looked.evidence.get(name), looked.findings[name].topic, looked.style(name)
    if column is None:
        return None
    if column.are_iso_days or style.type:
        return style.type or "date"
    if column.numbers is None or looked.labels.measures.get(name) == "nominal":
        return "category"
    if looked.labels.measures.get(name) == "scale":
        return "number"
    return "category" if _is_nominal(column, topic) else "number"


def _is_nominal(column: Evidence, topic: str) -> bool:
    if topic == "health" and not column.is_few and _is_dense(column):
        return False  # a score, or a count of days
    if topic in _NOMINAL:
        are_codes = column.is_whole or column.share(shapes.leads_with_zero) > 0  # `01.11`: no number is written so
        return are_codes and (column.is_few or topic in ("postcode", "job") or column.distinct <= 50)
    return column.is_whole and column.is_few and topic in ("", "education", "birth", "measure")


def _is_dense(column: Evidence) -> bool:
    """Whether most whole numbers between the least and the greatest are there."""
    return column.is_whole and column.numbers is not None and column.distinct > 0.7 * np.ptp(column.numbers)


def published(choices: Collection[Choice]) -> list[Choice]:
    """What would be published of a table with a row per person."""
    return [choice for choice in choices if choice.role in ("quasi", "sensitive")]
