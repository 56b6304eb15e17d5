"""What columns tell of each other: questions that were asked together, and numbers that stand among measures."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from tacit.init.evidence import Evidence
from tacit.init.finding import Finding
from tacit.io.labels import Labels

_LEAST = 3
"""So many columns are asked together."""
_LEAST_BY_LETTER = 5
"""So many if a letter is all that their names share: `V3` may be anything, five of them on one scale are answers."""
_END = re.compile(r"[\s_.-]*(?:\d+|[a-z])\)?$", re.IGNORECASE)
_AMONG = "stands among what is not to be learnt of a person"
_WHY = "one of several questions on one scale: what somebody answered is not to be learnt"


def answers(evidence: Mapping[str, Evidence], findings: Mapping[str, Finding], labels: Labels) -> dict[str, Finding]:
    """Columns that are answers on a scale, of which nothing else is known: what others know of a person is not asked
    in rows of questions that begin alike, or whose answers a file of statistics calls alike."""
    alike = defaultdict[str, list[str]](list)
    for name, column in evidence.items():
        if findings[name].role == "quasi" and findings[name].topic in ("", "category") and _is_scale(column):
            words = labels.values.get(name)
            for stem in _stems(name) | ({repr(sorted(words.items(), key=str))} if words else set()):
                alike[stem].append(name)
    least = {stem: _LEAST if len(stem) > 1 else _LEAST_BY_LETTER for stem in alike}
    asked = [names for stem, names in alike.items() if stem and len(names) >= least[stem]]
    found = (name for names in asked for name in names if _share_a_scale([evidence[each] for each in names]))
    return {name: Finding("sensitive", _WHY, "result") for name in found}


def among(evidence: Mapping[str, Evidence], findings: Mapping[str, Finding]) -> dict[str, Finding]:
    """Numbers of which nothing is known, between columns that are not to be learnt: a row of laboratory values, or of
    marks, is one matter, though a header says little (`NA`, `CFU`)."""
    found: dict[str, Finding] = {}
    before, between = None, list[str]()
    for name in evidence:
        if _is_open_number(evidence[name], findings[name]):
            between.append(name)
            continue
        if before is not None and _are_one_matter(evidence, findings, before, name):
            found |= {each: Finding("sensitive", _AMONG, "result") for each in between}
        before, between = name, []
    return found


_SMALL = 1000
"""Numbers from here on may be somebody's."""


def _is_open_number(column: Evidence, finding: Finding) -> bool:
    is_small = column.numbers is not None and column.distinct > 2 and column.numbers.max() < _SMALL
    return finding.role == "quasi" and not finding.topic and is_small


def _are_one_matter(evidence: Mapping[str, Evidence], findings: Mapping[str, Finding], before: str, after: str) -> bool:
    """Whether two columns are not to be learnt, and the header of one says that it is a measure or a result."""
    are_sensitive = findings[before].role == findings[after].role == "sensitive"
    return are_sensitive and any(_is_named_result(evidence[each], findings[each]) for each in (before, after))


def _is_named_result(column: Evidence, finding: Finding) -> bool:
    return finding.topic in ("measure", "result") and finding.topic in column.topics and column.magnitudes is not None


def _stems(header: str) -> set[str]:
    """How a header begins: without the letter of a question, and without its number.

    >>> _stems("q12_3"), sorted(_stems("Item 4b")), _stems("V7")
    ({'q12'}, ['item', 'item 4'], {'v'})
    """
    once = _END.sub("", header.lower())
    return {once, _END.sub("", once)} if header[-1:].isalpha() else {once}


def _is_scale(column: Evidence) -> bool:
    numbers = column.numbers
    return numbers is not None and column.is_whole and 3 <= column.distinct <= 12 and 0 <= numbers.min() <= 1


def _share_a_scale(columns: list[Evidence]) -> bool:
    """Whether the answers of all lie between the same two numbers, but for codes of no answer."""
    highest = [
        max((x for x in column.numbers if x <= 11), default=0) for column in columns if column.numbers is not None
    ]
    return max(highest) <= min(highest) + 1
