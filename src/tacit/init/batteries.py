"""What columns tell of each other: questions that were asked together, and numbers that stand among measures."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from itertools import groupby

import numpy as np

from tacit.init.evidence import Evidence
from tacit.init.finding import ASK, Finding, hidden
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
            if _is_of_ten(column):
                alike[_OF_TEN].append(name)
            elif (points := _points(column)) >= _SCALE:
                alike[f"from 1 to {points}"].append(name)
            for stem in _stems(name) | ({repr(sorted(words.items(), key=str))} if words else set()):
                alike[stem].append(name)
    least = {stem: _LEAST if len(stem) > 1 else _LEAST_BY_LETTER for stem in alike}
    least |= {stem: _LEAST + 1 for stem in alike if stem.startswith("from 1 to ")}
    asked = [names for stem, names in alike.items() if stem and len(names) >= least[stem]]
    found = (name for names in asked for name in names if _share_a_scale([evidence[each] for each in names]))
    return {name: Finding("sensitive", _WHY, "result") for name in found}


_SCALE = 5


def _points(column: Evidence) -> int:
    """How many whole numbers from 1 on there are, if there are no others."""
    numbers = set() if column.numbers is None else {*column.numbers}
    return len(numbers) if numbers == {*range(1, len(numbers) + 1)} and len(numbers) <= _END_OF_SCALES else 0


_END_OF_SCALES = 7
_OF_TEN = "from 0 or 1 to 10"


def _is_of_ten(column: Evidence) -> bool:
    """All points from 0 or 1 to 10, and nothing else: hardly anything but an answer has them."""
    return column.numbers is not None and column.distinct >= 10 and {*column.numbers} <= {*range(11)}


def of_one_scale(evidence: Mapping[str, Evidence], findings: Mapping[str, Finding]) -> dict[str, Finding]:
    """Columns with the same marks, most of which are named as nothing that is known of a person: subjects of a school,
    from 1 to 9 and U. Of those called like a language or an art, the others tell what they are."""
    alike: list[list[str]] = []
    for name, column in evidence.items():
        if findings[name].role in ("quasi", "sensitive") and _MARKS[0] <= column.distinct <= _MARKS[1]:
            same = next((names for names in alike if _are_same_marks(evidence[names[0]], column)), None)
            if same is None:
                alike.append([name])
            else:
                same.append(name)
    found: dict[str, Finding] = {}
    for names in alike:
        open_ones = [name for name in names if findings[name].topic in _MAY_BE_A_SUBJECT]
        nothing_known = [name for name in names if findings[name].topic in ("", "result")]
        are_points = all(_points(evidence[name]) for name in names)  # from 1 to 5: `answers` looks at these
        if len(names) >= _LEAST_BY_LETTER and 2 * len(nothing_known) > len(names) and not are_points:
            found |= dict.fromkeys(open_ones, Finding("sensitive", _WHY, "result"))
    return found


_MARKS = (5, 14)
_MAY_BE_A_SUBJECT = frozenset(["", "category", "origin"])


def _are_same_marks(one: Evidence, other: Evidence) -> bool:
    """Whether two columns have nearly the same short values."""
    values, others = frozenset(one.sample), frozenset(other.sample)
    return one.digits[1] <= _SHORT and len(values & others) >= _NEARLY_ALL * len(values | others)


_SHORT = 3
_NEARLY_ALL = 0.75


def among(evidence: Mapping[str, Evidence], findings: Mapping[str, Finding]) -> dict[str, Finding]:
    """Numbers of which nothing is known, between columns that are not to be learnt: a row of laboratory values, or of
    marks, is one matter, though a header says little (`NA`, `CFU`)."""
    found: dict[str, Finding] = {}
    for is_of_one_matter, names in groupby(evidence, lambda name: _may_be_among(evidence[name], findings[name])):
        stretch = list(names) if is_of_one_matter else []
        told = [at for at, name in enumerate(stretch) if findings[name].role == "sensitive"]
        named = [at for at in told if _is_named_result(evidence[stretch[at]], findings[stretch[at]])]
        for at in range(told[0], told[-1]) if named else ():
            if at not in told and min(abs(at - other) for other in named) <= _NEAR:
                found[stretch[at]] = Finding("sensitive", _AMONG, "result")
    return found


def coded_alike(evidence: Mapping[str, Evidence], findings: Mapping[str, Finding]) -> dict[str, Finding]:
    """Columns of which nothing is known, beside others with the same codes that are named as what is not to be learnt:
    one list of answers, as in `DIABETES`, `ASMA`, `EPOC` with 1 and 2."""
    found: dict[str, Finding] = {}
    for codes, columns in groupby(evidence, lambda name: _codes(evidence[name])):
        names = list(columns) if codes else []
        told = [name for name in names if findings[name].role == "sensitive" and findings[name].topic]
        nothing_known = [name for name in names if findings[name].role == "quasi" and not findings[name].topic]
        if len(told) >= _LEAST and len(names) - len(told) - len(nothing_known) <= 1:
            found |= dict.fromkeys(nothing_known, Finding("sensitive", _AMONG, "result"))
    return found


def of_one_section(evidence: Mapping[str, Evidence], findings: Mapping[str, Finding]) -> dict[str, Finding]:
    """Numbers of which nothing is known, in a section of a code book that asks what is not to be learnt: `V30_DIAB` and
    `V31_XYZ` stand together, and what can be known of a person has sections of its own."""
    sections = defaultdict[str, list[str]](list)
    for name in evidence:
        if (begin := _SECTION.match(name)) is not None:
            sections[begin[1].lower()].append(name)
    found: dict[str, Finding] = {}
    for names in sections.values():
        told = {findings[name].topic for name in names if findings[name].role == "sensitive"}
        others = any(findings[name].role == "quasi" and findings[name].topic for name in names)
        if told & _TOLD_IN_SECTIONS and not others:
            open_ones = (name for name in names if findings[name].role == "quasi" and evidence[name].is_whole)
            found |= dict.fromkeys(open_ones, Finding("sensitive", _AMONG, "result"))
    return found


_SECTION = re.compile(r"([A-Za-z]{1,2}_?\d{1,2})\d(?:[_. -]|$)")
_TOLD_IN_SECTIONS = frozenset(["health", "medicine", "crime", "belief", "conduct", "result"])


def of_the_matter(evidence: Mapping[str, Evidence], findings: Mapping[str, Finding]) -> dict[str, Finding]:
    """Columns of which nothing is known, by what the table is about: of patients what was found out about them is told,
    so classes and small numbers are that; elsewhere 0 and 1 mark a class that others see, such as a region."""
    if _is_clinical(findings):
        nothing_known = (name for name, found in findings.items() if found.role == "quasi" and not found.topic)
        told = (name for name in nothing_known if evidence[name].distinct > 1 and not evidence[name].topics)
        return {name: Finding("sensitive", _OF_PATIENTS, "result") for name in told}
    if _is_clinical(findings, least=2):
        return {}
    flags = (name for name, found in findings.items() if found.role == "sensitive" and not found.topic)
    marks = (name for name in flags if {*evidence[name].sample} == {"0", "1"} and not _tells_what_happened(name))
    return {name: Finding("quasi", "0 and 1 mark a class, which may be known of a person") for name in marks}


_OF_PATIENTS = "stands in a table about illnesses: what was found out is not to be learnt"


def _is_clinical(findings: Mapping[str, Finding], least: int = 0) -> bool:
    """Whether several columns, and a fifth of all, are about illnesses, medicines or what was measured; or so many."""
    topics = [found.topic for found in findings.values() if found.role == "sensitive"]
    ills = sum(topic in ("health", "medicine") for topic in topics)
    told = ills + topics.count("measure")
    return ills > 0 and told >= least if least else ills > 1 and told >= max(_LEAST, _FIFTH * len(findings))


_FIFTH = 0.2
_PARTICIPLE = re.compile(r"(?:^|[^a-z])[a-z]{3,}[^aeiou]ed$", re.IGNORECASE)


def _tells_what_happened(header: str) -> bool:
    """Whether a header is a participle: what became of somebody, or what they did.

    >>> [_tells_what_happened(header) for header in ("released", "wasDenied", "red", "speed", "black")]
    [True, False, False, False, False]
    """
    return _PARTICIPLE.search(header) is not None


def _codes(column: Evidence) -> frozenset[str]:
    """The few whole numbers of a column, or nothing."""
    return frozenset(column.sample) if column.is_whole and 2 <= column.distinct <= _CODES else frozenset()


_CODES = 6
_NEAR = 3
"""Columns, to one that is named as a measure or a result."""


def _may_be_among(column: Evidence, finding: Finding) -> bool:
    return finding.role == "sensitive" or _is_open_number(column, finding)


_SMALL = 1000
"""Numbers from here on may be somebody's."""


def _is_open_number(column: Evidence, finding: Finding) -> bool:
    is_small = column.numbers is not None and column.distinct > 2 and column.numbers.max() < _SMALL
    return finding.role == "quasi" and not finding.topic and is_small


def _is_named_result(column: Evidence, finding: Finding) -> bool:
    return finding.topic in ("measure", "result") and finding.topic in column.topics and column.magnitudes is not None


def on_a_map(evidence: Mapping[str, Evidence]) -> dict[str, Finding]:
    """Two numbers that say where something is, by headers that mean it only together: `x` and `y`."""
    by_word = {_DIGITS.sub("", name.lower()).strip(" _.-"): name for name in evidence}
    pairs = [(by_word[one], by_word[other]) for one, other in _ACROSS_AND_UP if {one, other} <= by_word.keys()]
    across = {word: f"{word[:-1]}y" for word in by_word if _ACROSS.search(word) is not None}  # `stop_location_x`
    pairs += [(by_word[one], by_word[other]) for one, other in across.items() if other in by_word]
    are_places = (pair for pair in pairs if all(_may_be_a_place(evidence[name]) for name in pair))
    return {name: hidden("together with another column, a place on the map") for pair in are_places for name in pair}


def beside_a_street(evidence: Mapping[str, Evidence], findings: Mapping[str, Finding]) -> dict[str, Finding]:
    """Numbers right behind a street: those of houses, and of what is in them."""
    found: dict[str, Finding] = {}
    is_behind = False
    for name, column in evidence.items():
        is_number = is_behind and _OF_A_HOUSE.fullmatch(name.lower().strip(" ._")) is not None
        if is_number and findings[name].role != "identifier":
            found[name] = hidden("stands behind a street, as numbers of houses do")
        is_behind = is_number or ("address" in column.topics and findings[name].role == "identifier")
    return found


_OF_A_HOUSE = re.compile(
    r"n|no|nr|num|numero|nummer|number|n[uú]m[.]?|nro|n[º°]|bis|portal|bloque|piso|puerta|escalera|interno|scala|"
    r"toev\w*|zusatz|lok\w*|lakas|dom|apt|apto|unit|suite|floor|compl\w*"
)
_DIGITS = re.compile(r"\d+")
_ACROSS = re.compile(r"[ _.-]x$")
_ACROSS_AND_UP = (
    ("x", "y"), ("pos_x", "pos_y"), ("home_x", "home_y"), ("x_m", "y_m"), ("e", "n"), ("rw", "hw"), ("east", "north"),
    ("easting", "northing"), ("geo_x", "geo_y"), ("loc_x", "loc_y"), ("map_x", "map_y"), ("lv95_e", "lv95_n"),
)  # fmt: skip


def _may_be_a_place(column: Evidence) -> bool:
    """Many numbers, to the decimals or long; points on a scale are few, and whole."""
    numbers = column.magnitudes
    return numbers is not None and not column.is_few and bool(np.any(numbers % 1) or np.abs(numbers).max() >= _SMALL)


def one_weight(evidence: Mapping[str, Evidence], findings: Mapping[str, Finding]) -> dict[str, Finding]:
    """Numbers that are one on average are weights, if no other column is one: of two, a header has to tell which."""
    weights = [name for name, finding in findings.items() if finding.role == "weight"]
    by_value = [name for name in weights if name in evidence and "weight" not in evidence[name].topics]
    why = f"{ASK}decimals with a mean of one, as another column has: perhaps a weight of a survey"
    return dict.fromkeys(by_value, Finding("identifier", why)) if len(weights) > 1 else {}


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
