"""What an audit found: data that prints well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.audits.views.beside import Beside

_SHOWN = 5
_LONGEST = 100
"""Letters of a set of items that are shown."""
_VERSION = 2
"""Of audit.json."""
_VERDICT = {
    True: "The promise holds.",
    False: "The promise does NOT hold.",
    None: "This file alone cannot prove the promise.",
}


@dataclass(frozen=True)
class AuditResult:
    """The verdict on one promise, with the evidence. It names itemsets and groups, never people or rows.

    `worst` is the weakest spot whether or not the promise holds; `violations` lists what breaks it (see `facts`
    for how many there are in all); `explanation` says the same in sentences for a data steward.
    """

    model: str
    parameters: dict[str, Any]
    satisfied: bool | None
    worst: dict[str, Any] | None
    violations: list[dict[str, Any]]
    facts: dict[str, Any] = field(default_factory=dict)
    explanation: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.satisfied and self.violations:
            raise ValueError(f"{self.model!r} cannot hold where something breaks it")

    def to_dict(self) -> dict[str, Any]:
        """The content of audit.json."""
        return {
            "version": _VERSION,
            "model": self.model,
            "parameters": self.parameters,
            "satisfied": self.satisfied,
            "worst": self.worst,
            "violations": self.violations,
            **self.facts,
            "explanation": list(self.explanation),
        }

    def in_short(self) -> str:
        """Whether the promise holds."""
        return _VERDICT[self.satisfied]

    def in_numbers(self) -> str:
        """The verdict for logs: how much breaks the promise, and no value of anybody."""
        count, unit = (
            self.facts.get("violation_count_in_words", f"{len(self.violations):,}"),
            self.facts["violation_unit"],
        )
        told = [f"Found {count} {unit} that break it."] if self.facts["violation_count"] else []
        if self.facts.get("telling_columns"):
            told.insert(0, f"Columns say whose record is whose: {', '.join(map(repr, self.facts['telling_columns']))}.")
        if self.facts["records_affected"]:
            told.append(f"Affected: {how_many(self.facts['records_affected'], 'record')}.")
        return " ".join((_VERDICT[self.satisfied], *told))

    def __str__(self) -> str:
        lines = [" ".join((_VERDICT[self.satisfied], *self.explanation))]
        lines += [f"  {in_words(violation)}" for violation in self.violations[:_SHOWN]]
        if len(self.violations) > _SHOWN:
            lines.append(f"  ... and {len(self.violations) - _SHOWN:,} more listed in `violations`")
        return "\n".join(lines)


def with_columns(result: AuditResult, beside: Beside) -> AuditResult:
    """The verdict on a file with these columns beside the job's: no promise holds where one says whose record it is."""
    facts = {**result.facts, "unlisted_columns": list(beside.unlisted)}
    told = tuple(f"The file has {name!r}, {reason}: it says whose record is whose." for name, reason in beside.telling)
    others = [name for name in beside.unlisted if name not in dict(beside.telling)]
    if others:
        told = (*told, f"Not looked at, for the job does not list it: {', '.join(map(repr, others))}.")
    if not beside.telling:
        return replace(result, facts=facts, explanation=(*result.explanation, *told))
    return replace(
        result,
        satisfied=False,
        violations=[
            *({"column": name, "text": f"column {name!r}, {reason}"} for name, reason in beside.telling),
            *result.violations,
        ],
        facts={**facts, "telling_columns": [name for name, _ in beside.telling]},
        explanation=(*told, *(() if result.satisfied else result.explanation)),
    )


def unproven(result: AuditResult, reason: str) -> AuditResult:
    """What records alone say where persons are to be counted: nothing, unless a group is too small even for records."""
    if result.facts.get("smallest_group", 1) < result.parameters.get("k", 1) and result.satisfied is False:
        return replace(result, explanation=(reason, *result.explanation))
    return replace(result, satisfied=None, violations=[], explanation=(reason,))


def in_words(violation: dict[str, Any]) -> str:
    """One entry of `violations` or `worst` on a line, such as `{e, i}: 1 basket`; some bring their own words."""
    if "text" in violation:
        return violation["text"]
    known, count = itemset_text(violation["itemset"]), violation["support"]
    if "with_sensitive" in violation:
        sensitive = itemset_text([violation["sensitive"]])[1:-1]
        return f"{known}: {violation['with_sensitive']:,} of {count:,} baskets hold {sensitive}"
    if "group_size" in violation:
        return f"{known}: {count:,} of {violation['group_size']:,} baskets of group {violation['group']}"
    baskets = f"{known}: {count:,} basket{'s' * (count != 1)}"
    if violation.get("private") is None:
        return baskets
    return f"{baskets}, {itemset_text([violation['private']])[1:-1]} in {violation['share']:.4g} of them"


def itemset_text(labels: Sequence[str]) -> str:
    """An itemset as people write it; a label that would be misread (blank, comma, brace, newline) is quoted.

    Sets of very many items are cut short: `audit.json` has them whole.
    """
    return "{" + ", ".join(label if _is_plain(label) else repr(label) for label in map(_short, labels)) + "}"


def _short(label: str) -> str:
    """
    >>> _short("(beer,wine)"), _short("(" + ";".join(map(str, range(1000, 1500))) + ")")[-12:]
    ('(beer,wine)', ';1018;1019…)')
    """
    if len(label) <= _LONGEST or not label.startswith("("):
        return label
    return f"{label[:_LONGEST]}…)"


def _is_plain(label: str) -> bool:
    return bool(label) and label.isprintable() and label == label.strip() and not set(label) & set(",{}'\"")


def how_many(count: int, one: str, more: str | None = None) -> str:
    """A number with its noun.

    >>> how_many(1, "record"), how_many(2000, "record"), how_many(0, "person", "people")
    ('1 record', '2,000 records', '0 people')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"
