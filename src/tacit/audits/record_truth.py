"""Whether published records are true: every published value covers the original one.

Own code, from what was published and the hierarchies alone; the decision of the method is not consulted. What is
compared are the different pairs of an original and a published value, not the records.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from tacit.audits.basket_truth import basket_column, false_items, uncounted_items
from tacit.audits.matching import unmatched
from tacit.io.spreadsheet import escape

if TYPE_CHECKING:
    from tacit.arrays.attributes import Attribute
    from tacit.records.data import RecordData, SeenRecords

_SHOWN = 3
_TABLE_CELLS = 1 << 26
_DAY_ZERO = date(1970, 1, 1).toordinal()
_PART = re.compile(r'"([^"]*(?:""[^"]*)*)"(?=,|\Z)|[^,]*')


def false_values(before: RecordData, after: SeenRecords, original: np.ndarray | None = None) -> list[str]:
    """What is not true in published records, in sentences; none if all is.

    `original[i]` is the original record of published record i. Without it there must be some way to pair the records.
    """
    if len(after) != len(before):
        return [f"{len(after):,} records are shown out of {len(before):,}"]
    markers, escaped, sensitive = before.markers, after.escaped, {each.name: each for each in before.sensitive}
    pairs = [
        (was, now, covers(was, now.texts, markers, escaped))
        for was, now in zip(before.attributes, after.quasi, strict=True)
    ]
    pairs += [
        (sensitive[now.name], now, equals(sensitive[now.name], now.texts, markers, escaped)) for now in after.sensitive
    ]
    if original is None:
        return [*_strays(pairs), *_unpaired(pairs, before, after), *uncounted_items(before, after)]
    problems = [problem for was, now, covered in pairs for problem in _wrong(was, now, covered, original)]
    return [*problems, *false_items(before, after, original)]


@dataclass(frozen=True, eq=False)
class Coverage:
    """Which original values (codes) each published label may stand for."""

    anything: np.ndarray  # bool per label
    same: np.ndarray  # int32 per label: the code whose very text it is, −1 if none
    first: np.ndarray  # float64 per label: it covers codes with a place from `first` to `last`; NaN if not
    last: np.ndarray
    place: np.ndarray  # float64 per code: its leaf, or its number
    members: np.ndarray  # int64, ascending: label * codes + code of sets

    def holds(self, code: np.ndarray, label: np.ndarray) -> np.ndarray:
        """Whether each label covers the code beside it."""
        between = (self.first[label] <= self.place[code]) & (self.place[code] <= self.last[label])
        keys = label.astype(np.int64) * max(self.place.size, 1) + code
        listed = np.append(self.members, -1)[np.searchsorted(self.members, keys)] == keys
        return self.anything[label] | (self.same[label] == code) | between | listed

    def something(self) -> np.ndarray:
        """Whether each label covers any code at all."""
        places = np.sort(self.place)  # NaN at the end, where the ends of labels without a range are found, too
        between = np.searchsorted(places, self.first) < np.searchsorted(places, self.last, side="right")
        listed = np.bincount(self.members // max(self.place.size, 1), minlength=self.same.size) > 0
        return self.anything | (self.same >= 0) | (between & ~np.isnan(self.first)) | listed


def covers(attribute: Attribute, labels: Sequence[str], markers: Sequence[str], escaped: bool) -> Coverage:
    """What published labels mean for an attribute: a value, a node of its hierarchy, a range, a set, or anything."""
    coverage = equals(attribute, labels, markers, escaped)
    code_of, absent = _known_texts(attribute, markers)
    members: list[int] = []
    if attribute.tree is not None and attribute.leaf_of_code is not None:
        coverage.place[:] = attribute.leaf_of_code
    elif attribute.numbers is not None:
        coverage.place[:] = attribute.numbers
    nodes = {} if attribute.tree is None else {name: node for node, name in enumerate(attribute.tree.names)}
    for number, label in enumerate(labels):
        for meaning in _meanings(label, escaped):
            if meaning == "*":
                coverage.anything[number] = True
            elif meaning in nodes and attribute.tree is not None:
                coverage.first[number], coverage.last[number] = nodes[meaning], attribute.tree.end[nodes[meaning]] - 1
            elif attribute.numbers is not None and (ends := _range(meaning)):
                coverage.first[number], coverage.last[number] = ends
            elif meaning.startswith("(") and meaning.endswith(")"):
                parts = _parts(meaning)
                codes = [code_of[part] for part in parts if part in code_of] + [attribute.missing] * bool(
                    absent & {*parts}
                )
                members += [number * len(attribute.texts) + code for code in codes]
    return replace(coverage, members=np.unique(np.append(coverage.members, np.array(members, np.int64))))


def equals(attribute: Attribute, labels: Sequence[str], markers: Sequence[str], escaped: bool) -> Coverage:
    """What published labels mean where values are published as they are."""
    code_of, absent = _known_texts(attribute, markers)
    same = [next((code_of[m] for m in _meanings(label, escaped) if m in code_of), -1) for label in labels]
    missing = [number for number, label in enumerate(labels) if absent & set(_meanings(label, escaped))]
    nothing = np.full(len(labels), math.nan)
    return Coverage(
        np.zeros(len(labels), bool),
        np.array(same, np.int32),
        nothing,
        nothing.copy(),
        np.full(len(attribute.texts), math.nan),
        np.array(missing, np.int64) * len(attribute.texts) + attribute.missing,
    )


def _known_texts(attribute: Attribute, markers: Sequence[str]) -> tuple[dict[str, int], set[str]]:
    """The code of each text that is a value, and the texts that mean a missing one, if some record misses it."""
    code_of = {text: code for code, text in enumerate(attribute.texts) if code != attribute.missing}
    return code_of, {"", *markers, attribute.texts[attribute.missing]} if attribute.missing >= 0 else set()


def _meanings(label: str, escaped: bool) -> Iterator[str]:
    """What a label may have been before formulas were escaped."""
    yield label
    if escaped and label.startswith("'") and escape(label[1:]) == label:
        yield label[1:]


def _range(text: str) -> tuple[float, float] | None:
    """The ends of `[19:22]` or `[2001-01-01:2001-12-31]`."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    low, _, high = text[1:-1].partition(":")
    ends = _number(low), _number(high)
    return ends if ends[0] is not None and ends[1] is not None else None  # type: ignore[return-value]


def _number(text: str) -> float | None:
    for read in (float, lambda day: float(date.fromisoformat(day).toordinal() - _DAY_ZERO)):
        try:
            return read(text)
        except ValueError:
            continue
    return None


def _parts(text: str) -> list[str]:
    """The members of `(B,"a,b")`."""
    inside, parts, place = text[1:-1], [], 0
    while place <= len(inside):
        found = _PART.match(inside, place)
        assert found is not None  # an empty member is one, too
        parts.append(found[0] if found[1] is None else found[1].replace('""', '"'))
        place = found.end() + 1
    return parts


_Pair = tuple["Attribute", "Attribute", Coverage]


def _wrong(was: Attribute, now: Attribute, covered: Coverage, original: np.ndarray) -> list[str]:
    """The labels of a column that stand beside an original value they do not cover."""
    n_labels = max(len(now.texts), 1)
    keys = was.codes[original].astype(np.int64) * n_labels + now.codes
    if len(was.texts) * n_labels <= _TABLE_CELLS:
        count = np.bincount(keys, minlength=len(was.texts) * n_labels)
        different = np.flatnonzero(count)
        count = count[different]
    else:
        different, count = np.unique(keys, return_counts=True)
    code, label = different // n_labels, different % n_labels
    false = ~covered.holds(code, label)
    if not false.any():
        return []
    shown = sorted({now.texts[number] for number in label[false].tolist()})
    return [
        f"values in {now.name!r} that do not cover the original one: {int(count[false].sum()):,} "
        f"(shown as {_few(shown)})"
    ]


def _strays(pairs: Sequence[_Pair]) -> Iterator[str]:
    """Labels that cover no original value at all."""
    for _, now, covered in pairs:
        lost = sorted(now.texts[number] for number in np.flatnonzero(~covered.something()).tolist())
        if lost:
            yield f"shown in {now.name!r}, but standing for no original value ({len(lost):,}): {_few(lost)}"


def _unpaired(pairs: Sequence[_Pair], before: RecordData, after: SeenRecords) -> Iterator[str]:
    """Records that are left when as many as possible are paired with an original that they cover."""
    columns = [(was.codes, now.codes, covered.holds) for was, now, covered in pairs]
    left = unmatched([*columns, *basket_column(before, after)])
    if left:
        yield f"records that stand for no original one: {left:,}"


def _few(texts: Sequence[str]) -> str:
    return ", ".join(map(repr, texts[:_SHOWN])) + ", ..." * (len(texts) > _SHOWN)
