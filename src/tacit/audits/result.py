"""What an audit found: data that prints well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

_SHOWN = 5
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

    def __str__(self) -> str:
        lines = [" ".join((_VERDICT[self.satisfied], *self.explanation))]
        lines += [f"  {in_words(violation)}" for violation in self.violations[:_SHOWN]]
        if len(self.violations) > _SHOWN:
            lines.append(f"  ... and {len(self.violations) - _SHOWN:,} more listed in `violations`")
        return "\n".join(lines)


def with_identifiers(result: AuditResult, columns: Sequence[str]) -> AuditResult:
    """The verdict on a file that has these columns, which say whose record is whose: no promise holds beside them."""
    if not columns:
        return result
    named = ", ".join(map(repr, columns))
    given_away = f"The file has {named}, which the job calls an identifier: it says whose record is whose."
    return replace(
        result,
        satisfied=False,
        violations=[
            *({"column": name, "text": f"column {name!r}: an identifier"} for name in columns),
            *result.violations,
        ],
        explanation=(given_away, *(() if result.satisfied else result.explanation)),
    )


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
    """An itemset as people write it; a label that would be misread (blank, comma, brace, newline) is quoted."""
    return "{" + ", ".join(label if _is_plain(label) else repr(label) for label in labels) + "}"


def _is_plain(label: str) -> bool:
    return bool(label) and label.isprintable() and label == label.strip() and not set(label) & set(",{}'\"")


def how_many(count: int, one: str, more: str | None = None) -> str:
    """A number with its noun.

    >>> how_many(1, "record"), how_many(2000, "record"), how_many(0, "person", "people")
    ('1 record', '2,000 records', '0 people')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"
