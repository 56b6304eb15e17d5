"""What is known of a column before anybody says what it means: its different values, how often each occurs, its shape.

Every row counts. Each column is turned into its different values once; shapes of text are then looked at in a sample
of these that is spread over all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.encode import is_list
from tacit.arrays.labels import as_numbers
from tacit.arrays.reading import different_values
from tacit.init.vocabulary import property_of, topics_of, words_of
from tacit.init.whose import told_of_whom
from tacit.io.text import as_text

Texts = Any  # pa.Array, of which a type checker knows nothing
_SAMPLE = 600
"""So many different values of a column are looked at one by one."""
_FEW = 12
_SEVERAL = 3
_OF_MANY = 10
_NEARLY_ALL = 0.85
_SMALL_AMONG_OFFERED = 0.2
_ISO_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_MAIL = r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}"
_ONE_GROUP = r"^\s*[+-]?[0-9]{1,3}(?:,[0-9]{3})?\s*$"
"""A comma before three digits: of thousands, or of decimals."""


class Signs(NamedTuple):
    """What stands between whole and parts, and between thousands."""

    decimal: str
    thousands: str | None = None

    @property
    def pattern(self) -> str:
        if self.thousands is None:
            return r"^\s*[+-]?(?:[0-9]+,?[0-9]*|,[0-9]+)\s*$"
        sign, point = re.escape(self.thousands), re.escape(self.decimal)
        return rf"^\s*[+-]?[0-9]{{1,3}}(?:{sign}[0-9]{{3}})*(?:{point}[0-9]*)?\s*$"


_SIGNS = (
    *(Signs(".", sign) for sign in (",", "'", "’", " ", "\u00a0", "\u202f")),
    Signs(","),
    *(Signs(",", sign) for sign in (".", " ", "\u00a0", "\u202f", "'", "’")),
)
"""In the order in which they are tried: `1,234` is a thousand and more unless some value says otherwise."""


def as_magnitudes(texts: Texts, signs: Signs) -> Texts:
    """Texts as numbers."""
    plain = pc.replace_substring(texts, signs.thousands, "") if signs.thousands else texts
    return pc.cast(pc.utf8_trim_whitespace(pc.replace_substring(plain, signs.decimal, ".")), pa.float64())


@dataclass(frozen=True, eq=False)
class Counted:
    """The different texts of a column, how many rows have each, and in how many stretches of rows they stand."""

    name: str
    texts: pa.Array  # large_string, without null
    counts: np.ndarray
    stretches: int
    rows: int


def count_values(name: str, column: pa.ChunkedArray) -> Counted:
    """A column by its different values."""
    values, codes = different_values(column)
    texts, counts = as_text(values), np.bincount(codes[codes >= 0], minlength=len(values))
    changes = int(np.count_nonzero(np.diff(codes))) + 1 if codes.size else 0
    if texts.null_count:
        counts, texts = counts[~np.asarray(pc.is_null(texts))], texts.drop_null()
    return Counted(name, texts, counts, changes, len(column))


def count_columns(table: pa.Table) -> list[Counted]:
    """All columns that have one value in each row, which can be written as text."""
    return [count_values(name, table[name]) for name in table.column_names if _is_plain(table[name].type)]


def _is_plain(kind: pa.DataType) -> bool:
    is_binary = pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
    return not is_list(kind) and not pa.types.is_nested(kind) and not is_binary


@dataclass(frozen=True, eq=False)
class Evidence:
    """A column without what means "no value"."""

    name: str
    texts: pa.Array
    counts: np.ndarray
    stretches: int
    rows: int
    neighbours: frozenset[str] = frozenset()  # what the headers of all columns speak of

    @cached_property
    def about(self) -> str:
        """The header without words for the person of whom it tells something."""
        return told_of_whom(self.name)

    @cached_property
    def topics(self) -> frozenset[str]:
        """What the header speaks of; what it tells of whom, not of whom."""
        return topics_of(self.about)

    @cached_property
    def vouching(self) -> frozenset[str]:
        """Of what the header speaks, that for which it vouches: a property, and not merely a drawer."""
        return property_of(self.about)

    @property
    def is_question(self) -> bool:
        """Whether the header asks something: by a word, by its sign, or because it is a sentence."""
        return "question" in self.topics or self.name.rstrip().endswith("?") or len(self.name.split()) > 4

    @cached_property
    def filled(self) -> int:
        """How many rows have a value."""
        return int(self.counts.sum())

    @property
    def distinct(self) -> int:
        return len(self.texts)

    @property
    def is_few(self) -> bool:
        """Whether the values are so few that they can be shown as a set."""
        return self.distinct <= _FEW

    @property
    def variety(self) -> float:
        """The share of rows that would have a value of their own, were they equally frequent; 1: an identifier."""
        return self.distinct / max(self.filled, 1)

    @property
    def shared_by(self) -> float:
        """How many rows have a value, on average."""
        return self.filled / max(self.distinct, 1)

    @cached_property
    def is_chosen(self) -> bool:
        """Whether the values are few, and several rows have each of them: what many have word for word nobody wrote
        himself."""
        return self.is_few and self.distinct > 0 and int(self.counts.min()) >= _SEVERAL

    @cached_property
    def is_offered(self) -> bool:
        """Whether nearly all rows have a value that many others have, too, and that begins with a capital: what people
        type hardly comes back so often, but for a few slips of the pen."""
        if self.begins_small > _SMALL_AMONG_OFFERED:
            return False
        shared = self.counts[self.counts >= _OF_MANY].sum() if self.distinct else 0
        return bool(shared >= _NEARLY_ALL * self.filled > 0) and self.shared_by >= 2 * _OF_MANY

    @property
    def most_frequent(self) -> float:
        """The share of rows that have the most frequent value."""
        return float(self.counts.max(initial=0)) / max(self.filled, 1)

    @cached_property
    def numbers(self) -> np.ndarray | None:
        """The different values as numbers, if all are."""
        return as_numbers(self.texts)[1] if self.distinct else None

    @cached_property
    def signs(self) -> Signs | None:
        """How all values are written, if they are numbers that a job has to be told how to read."""
        if not self.distinct or self.numbers is not None:
            return None
        return next((signs for signs in _SIGNS if self._fits(signs)), None)

    def _fits(self, signs: Signs) -> bool:
        """Whether all values are numbers with such signs, and thousands are as likely as decimals where it is open."""
        if not pc.all(pc.match_substring_regex(self.texts, signs.pattern)).as_py():
            return False
        is_open = signs.thousands == "," and pc.all(pc.match_substring_regex(self.texts, _ONE_GROUP)).as_py()
        return not is_open or not pc.any(pc.match_substring_regex(self.texts, r"^\s*[+-]?0,")).as_py()

    @cached_property
    def magnitudes(self) -> np.ndarray | None:
        """The different values as numbers, whichever their signs."""
        return self.numbers if self.signs is None else as_magnitudes(self.texts, self.signs).to_numpy()

    @cached_property
    def is_whole(self) -> bool:
        """Whether all values are whole numbers."""
        return self.magnitudes is not None and bool(np.all(self.magnitudes % 1 == 0))

    @cached_property
    def are_iso_days(self) -> bool:
        return self.distinct > 0 and bool(pc.all(pc.match_substring_regex(self.texts, _ISO_DAY)).as_py())

    @property
    def is_ordered(self) -> bool:
        """Whether a job reads the values as numbers or days, which are nearer or farther from each other."""
        return self.numbers is not None or self.signs is not None or self.are_iso_days

    @cached_property
    def sample(self) -> tuple[str, ...]:
        """Some of the different values, from the first to the last."""
        at = np.unique(np.linspace(0, self.distinct - 1, min(self.distinct, _SAMPLE)).astype(np.int64))
        return tuple(text.strip() for text in self.texts.take(pa.array(at)).to_pylist())

    @cached_property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """The words of each value of the sample, without capitals and accents."""
        return tuple(words_of(text) for text in self.sample)

    @cached_property
    def word_count(self) -> float:
        """How many words a value of the sample has."""
        return float(np.mean([len(each) for each in self.words])) if self.words else 0.0

    @cached_property
    def letters_count(self) -> float:
        """How many words of letters a value of the sample has; codes have none."""
        return float(np.mean([sum(map(str.isalpha, each)) for each in self.words])) if self.words else 0.0

    @cached_property
    def length(self) -> float:
        """How many characters a value of the sample has."""
        return float(np.mean([len(text) for text in self.sample])) if self.sample else 0.0

    @cached_property
    def begins_small(self) -> float:
        """The share of values that begin with a small letter, as people type; answers to choose from do not."""
        return self.share(lambda text: text[:1].islower())

    @cached_property
    def digits(self) -> tuple[int, int]:
        """The shortest and the longest value, in characters."""
        lengths = pc.min_max(pc.utf8_length(self.texts)).as_py()
        return (lengths["min"], lengths["max"]) if self.distinct else (0, 0)

    @cached_property
    def mail_share(self) -> float:
        """The share of all values that hold an address of mail."""
        return pc.mean(pc.match_substring_regex(self.texts, _MAIL)).as_py() or 0.0

    def share(self, fits: Callable[[str], bool]) -> float:
        """The share of the sample that a test fits."""
        return sum(map(fits, self.sample)) / max(len(self.sample), 1)


def evidence_of(columns: Sequence[Counted], missing: Collection[str]) -> list[Evidence]:
    """What is known of each column, without the texts that mean "no value"."""
    markers = pa.array(sorted({"", *missing}), pa.large_string())
    neighbours = frozenset().union(*(topics_of(column.name) for column in columns))
    found = []
    for column in columns:
        known = np.asarray(pc.invert(pc.is_in(column.texts, value_set=markers)), bool)
        texts = column.texts.filter(pa.array(known))
        found.append(Evidence(column.name, texts, column.counts[known], column.stretches, column.rows, neighbours))
    return found
