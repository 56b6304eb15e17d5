"""What columns tell of each other: questions that were asked together, and numbers that stand among measures."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from tacit.init.evidence import Evidence
from tacit.init.finding import SENSITIVE, Finding

_LEAST = 3
"""So many columns are asked together."""
_END = re.compile(r"[\s_.-]*(?:\d+|[a-z])\)?$", re.IGNORECASE)
_WHY = "one of several questions on one scale: what somebody answered is not to be learnt"


def answers(evidence: Mapping[str, Evidence], findings: Mapping[str, Finding]) -> dict[str, Finding]:
    """Columns that are answers on a scale, of which nothing else is known: what others know of a person is not asked
    in rows of questions that begin alike."""
    alike = defaultdict[str, list[str]](list)
    for name, column in evidence.items():
        if findings[name].role == "quasi" and findings[name].topic in ("", "category") and _is_scale(column):
            alike[_stem(name)].append(name)
    asked = {stem: names for stem, names in alike.items() if len(stem) > 1 and len(names) >= _LEAST}
    found = (name for names in asked.values() for name in names if _share_a_scale([evidence[each] for each in names]))
    return {name: Finding("sensitive", _WHY, "result") for name in found}


def among(evidence: Mapping[str, Evidence], findings: Mapping[str, Finding]) -> dict[str, Finding]:
    """Numbers of which nothing is known, between columns that are not to be learnt: a row of laboratory values, or of
    marks, is one matter, though a header says little (`NA`, `CFU`)."""
    names = list(evidence)
    told = [name for name in names if not _is_open_number(evidence[name], findings[name])]
    found = {}
    for at, name in enumerate(names):
        if name in told:
            continue
        before = next((each for each in reversed(names[:at]) if each in told), None)
        after = next((each for each in names[at + 1 :] if each in told), None)
        if before and after and all(_is_sensitive_number(evidence[x], findings[x]) for x in (before, after)):
            found[name] = Finding("sensitive", "stands among what is not to be learnt of a person", "result")
    return found


def _is_open_number(column: Evidence, finding: Finding) -> bool:
    return finding.role == "quasi" and not finding.topic and column.numbers is not None and column.distinct > 2


def _is_sensitive_number(column: Evidence, finding: Finding) -> bool:
    return finding.role == "sensitive" and finding.topic in SENSITIVE and column.magnitudes is not None


def _stem(header: str) -> str:
    """How a header begins: without the number or the letter of the question.

    >>> _stem("q12_3"), _stem("Item 4b"), _stem("V7")
    ('q12', 'item', 'v')
    """
    return _END.sub("", _END.sub("", header.lower()) if header[-1:].isalpha() else header.lower())


def _is_scale(column: Evidence) -> bool:
    numbers = column.numbers
    return numbers is not None and column.is_whole and 3 <= column.distinct <= 12 and 0 <= numbers.min() <= 1


def _share_a_scale(columns: list[Evidence]) -> bool:
    """Whether the answers of all lie between the same two numbers, but for codes of no answer."""
    highest = [
        max((x for x in column.numbers if x <= 11), default=0) for column in columns if column.numbers is not None
    ]
    return max(highest) <= min(highest) + 1
