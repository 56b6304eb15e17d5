"""Which texts of a table mean "no value": the usual words, and codes that stand apart from the other values.

A job file says it for all columns at once. So a text is taken for "no value" only if it means nothing else anywhere:
99 is no answer beside 1 to 5, but an age in the next column.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.labels import as_numbers
from tacit.init.evidence import Counted

_USUAL = ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "(null)", "(NULL)", "[null]",
          "[NULL]", "(blank)", "(leer)", "#NULL!", "#N/V", "NaT", "k.A.", "k. A.", "NS/NC", "ns/nc",
          "00.00.0000", "00/00/0000", "0000-00-00")  # fmt: skip
_COMMA_NUMBER = r"^\s*[+-]?[0-9]*,[0-9]+\s*$"
_MOST_ODD = 3
"""More different words than these beside numbers are values."""
_NO_ANSWER = frozenset((-7, -8, -9, -77, -88, -97, -98, -99, -997, -998, -999, -9999))
_BESIDE_THEM = frozenset(range(-6, 0))
"""Further codes, where one of those is there."""
_NINES = (9, 77, 88, 97, 98, 99, 777, 888, 997, 998, 999, 9999)
_FEW_ANSWERS, _MOST_CODES = 30, 4


class Markers(NamedTuple):
    """The texts that mean "no value" everywhere, and by column those that may, but mean something elsewhere."""

    everywhere: list[str]
    doubtful: dict[str, list[str]]


def find_markers(columns: Sequence[Counted]) -> Markers:
    """What stands for "no value" in a table."""
    usual, apart = set[str](), defaultdict[str, list[str]](list)
    for column in columns:
        usual.update(column.texts.filter(pc.is_in(column.texts, value_set=_texts(_USUAL))).to_pylist())
    for column in columns:
        for text in _standing_apart(column):
            apart[text].append(column.name)
    sure = {text for text, names in apart.items() if not _means_something(text, set(names), columns)}
    doubtful = defaultdict[str, list[str]](list)
    for text in sorted(apart.keys() - sure - {""}):
        for name in apart[text]:
            doubtful[name].append(text)
    return Markers(["", *sorted((usual | sure) - {""})], dict(doubtful))


def _means_something(text: str, where: set[str], columns: Sequence[Counted]) -> bool:
    """Whether a column in which a text does not stand apart has it, too."""
    others = (column for column in columns if column.name not in where)
    return any(pc.index(column.texts, text).as_py() >= 0 for column in others)


def _standing_apart(column: Counted) -> list[str]:
    """Words among numbers, and codes of "no answer" among answers."""
    texts = column.texts.filter(pc.invert(pc.is_in(column.texts, value_set=_texts(_USUAL))))
    is_number, numbers = as_numbers(_with_points(texts))
    odd = texts.filter(pa.array(~is_number)).to_pylist() if len(texts) else []
    if len(odd) > _MOST_ODD or is_number.sum() <= len(odd) or any(map(_is_value, odd)):
        return []
    rest = texts.filter(pa.array(is_number))
    codes = _codes(numbers if numbers is not None else as_numbers(_with_points(rest))[1])
    written = {f"{code:g}" for code in codes}
    return [*odd, *(text for text in rest.to_pylist() if text in written)] if odd or codes else []


def _with_points(texts: pa.Array) -> pa.Array:
    """Numbers with a decimal comma as those with a point."""
    return pc.if_else(pc.match_substring_regex(texts, _COMMA_NUMBER), pc.replace_substring(texts, ",", "."), texts)


def _is_value(word: str) -> bool:
    """Whether a word beside numbers is one of them, such as V57 beside 250, or a long text."""
    return len(word) > 12 or any(map(str.isdigit, word))


def _codes(numbers: np.ndarray | None) -> list[float]:
    """Numbers that are no answers, if the others look like answers."""
    if numbers is None or not numbers.size or np.any(numbers % 1):
        return []
    below = np.unique(numbers[numbers < 0])
    answers = np.unique(numbers[numbers >= 0])
    negative: list[float] = []
    if answers.size >= 2 and _NO_ANSWER & {*below.tolist()} and {*below.tolist()} <= _NO_ANSWER | _BESIDE_THEM:
        negative = below.tolist() if below.size <= _MOST_CODES else []
    return [*negative, *_nines(answers)]


def _nines(answers: np.ndarray) -> list[float]:
    """Codes such as 98 and 99 at the end of few answers that are far below."""
    codes = [code for code in _NINES if code in answers]
    rest = answers[~np.isin(answers, codes)]
    if not codes or not 2 <= rest.size <= _FEW_ANSWERS:
        return []
    return [float(code) for code in codes if 1.5 * rest.max() < code]


def _texts(texts: Sequence[str]) -> pa.Array:
    return pa.array(texts, pa.large_string())
