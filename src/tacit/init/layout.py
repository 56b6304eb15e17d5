"""What a raw file seems to hold: baskets in one column, or one row per person and item."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.encode import is_list, split_baskets
from tacit.arrays.order import each_once
from tacit.arrays.reading import different_values
from tacit.errors import InputError
from tacit.init import shapes
from tacit.init.evidence import Evidence
from tacit.init.finding import MOST, NAMES_SOMEBODY, NUMBER, TEXT, Finding, is_yes_or_no
from tacit.init.vocabulary import spoken, topics_of
from tacit.init.warrants import are_warranted_items
from tacit.io.dat import ITEMS
from tacit.job import BLANK

SEPARATORS = (", ", "; ", ",", ";", "|", "\t", BLANK)
_LOOKED_AT = 20_000
_MOVING = 0.15
MOST_OF_A_LOG = 6
"""A table with more columns is no log of persons and items."""
ABOUT_PEOPLE = frozenset(
    ["age", "sex", "birth", "birthplace", "postcode", "place", "origin", "family", "education", "job", "body", "money"]
)
"""What a column tells of a person, and not of what somebody bought or rated."""
_NO_ITEMS = ABOUT_PEOPLE | {"date"}
_OF_AN_ORDER = frozenset(["count", "money"])
_IN_NO_ORDER = ABOUT_PEOPLE - {"place", "job", "money"} | {"health", "belief", "crime"}
"""What lines of orders do not tell; a shop's place, its price of a piece and its services are no person's."""
_OF_A_POST = 2
"""So many columns about work are those of staff."""


class Division(NamedTuple):
    """A column that a separator divides into items, and how much speaks for it: the best is the greatest."""

    named_so: bool
    varies: bool  # sets have different sizes, unlike first and last names
    size: float  # items a cell
    column: str
    separator: str
    repetition: float  # how often an item comes back
    combinations: float  # different cells for each different item
    is_coded: bool  # items are codes, not words
    is_phrases: bool  # items are made of words, as what people write themselves
    moves: bool  # items stand now first, now later, unlike the parts of a name or an address
    items: tuple[str, ...]

    @property
    def is_sure(self) -> bool:
        """Whether it is more than a label of several words, or a place and its country."""
        if any(_ABROAD.fullmatch(item) for item in self.items):
            return False
        if (not self.named_so and self.is_phrases) or not (self.moves or (self.named_so and self.varies)):
            return False
        if self.separator == BLANK and self.named_so:
            return self.is_coded or (self.varies and self.combinations > 1 and self.moves)
        if self.separator == BLANK:
            return self.varies and self.combinations > 1.5
        return self.named_so or (self.varies and self.repetition >= 2)


_ABROAD = re.compile(r"\+\d{1,3}")
"""How numbers of phones begin."""


class Log(NamedTuple):
    """The columns of a long layout."""

    person: str
    items: str


def find_sets(
    table: pa.Table, findings: Mapping[str, Finding], evidence: Mapping[str, Evidence]
) -> dict[str, str | None]:
    """The columns that hold sets, with what divides them: None for lists. The likeliest comes first."""
    lists = {name: None for name in table.column_names if is_list(table[name].type)}
    divided = []
    for name in table.column_names:
        if name in evidence and _may_be_sets(evidence[name], findings[name]):
            found = _division(name, table[name])
            is_set = found is not None and found.is_sure and are_warranted_items(name, found.items)
            divided += [found] if found is not None and is_set else []
    return {**lists, **{each.column: each.separator for each in sorted(divided, reverse=True)}}


def _may_be_sets(column: Evidence, finding: Finding) -> bool:
    if finding.topic in (NAMES_SOMEBODY, "date") or column.magnitudes is not None or is_yes_or_no(column):
        return False
    if finding.topic == TEXT or "text" in column.topics:
        is_listed = "text" not in column.topics and not column.is_question and _are_lists(column)
        return is_listed or ("item" in column.topics and column.share(shapes.is_prose) < 0.1)
    return column.share(shapes.is_day) < 0.5 and not _are_numbers_in_groups(column)


def _are_lists(column: Evidence) -> bool:
    """Whether many values are parted by a sign that stands in no sentence, or hold nothing but codes of illnesses or
    medicines, several in some."""
    are_parted = max(column.share(lambda text, sign=sign: sign in text) for sign in (";", "|"))  # type: ignore[misc]
    coded = [[_is_clinical(part) for part in re.split(r"[,;| ]+", text)] for text in column.sample]
    are_codes = sum(all(parts) for parts in coded) >= MOST * len(coded) and any(len(parts) > 1 for parts in coded)
    return are_parted >= _PARTED or are_codes


_PARTED = 0.3


def _is_clinical(text: str) -> bool:
    return shapes.is_icd10(text) or shapes.is_atc(text)


def _are_numbers_in_groups(column: Evidence) -> bool:
    """Whether nearly all values have their digits and the signs between them at the same places, and each has another:
    `2 9470 724165` is a number of a card; sets are longer and shorter, or have items that many share."""
    masks = Counter(re.sub(r"\d", "0", text) for text in column.sample)
    is_one = bool(masks) and masks.most_common(1)[0][1] >= MOST * len(column.sample)
    if not is_one or column.variety <= 0.5 or not shapes.holds_digit(masks.most_common(1)[0][0]):
        return False
    places = zip(*(re.findall(r"\d+", text) for text in column.sample), strict=False)
    return all(_are_as_frequent(Counter(groups)) for groups in places)


def _are_as_frequent(groups: Counter[str]) -> bool:
    return groups.most_common(1)[0][1] < _OFTEN * groups.total() / len(groups)


_OFTEN = 5
"""So many times as often as others the most frequent item of sets occurs, and no part of numbers that are given out."""


def find_log(table: pa.Table, findings: Mapping[str, Finding], evidence: Sequence[Evidence]) -> Log | None:
    """Whose row it is and what the item is, if the table has little else: times, amounts and what never changes."""
    aside = {"date", "year", "count", "money"}
    beside = [each for each in evidence if each.distinct <= 1 or findings[each.name].topic in aside]
    main = [each for each in evidence if each not in beside]
    if len(evidence) > MOST_OF_A_LOG or not 2 <= len(main) <= 3:
        return None
    persons = [each for each in main if _may_be_persons(each)]
    persons.sort(key=lambda each: ("person" not in each.topics, findings[each.name].topic == NAMES_SOMEBODY))
    for person in persons:
        items = [each for each in main if each is not person and _may_be_items(each, findings[each.name])]
        items.sort(key=lambda each: ("item" not in each.topics, "person" in each.topics))
        if items and _are_pairs(table, person.name, items[0].name):
            return Log(person.name, items[0].name)
    return None


def find_orders(table: pa.Table, findings: Mapping[str, Finding], evidence: Sequence[Evidence]) -> Log | None:
    """Whose line it is and what was bought, in lines of orders or invoices, whatever else they hold of the order.

    They name what was bought, beside amounts, or beside numbers of orders and of customers, and tell nothing of a
    person. A number that is not in every line is nobody's for all of them: then each order is a basket.
    """
    bought = [each for each in evidence if "item" in each.topics and _may_be_items(each, findings[each.name])]
    bought = [each for each in bought if not _is_count(each)]
    keys = [each for each in evidence if each not in bought and _may_be_persons(each)]
    keys = [each for each in keys if not each.topics & {"date", "item"}]
    amounts = [each for each in evidence if each.topics & _OF_AN_ORDER and each.magnitudes is not None]
    of_work = [each for each in evidence if "job" in each.topics and _OF_A_SHOP.search(spoken(each.name)[0]) is None]
    of_people = [each for each in evidence if not _is_of_a_delivery(each)]
    if any(each.topics & _IN_NO_ORDER for each in of_people) or len(of_work) >= _OF_A_POST:
        return None
    if not bought or not (amounts or len(keys) > 1):
        return None
    whose = [each for each in keys if each.filled == table.num_rows]
    whose.sort(key=lambda each: ("person" not in each.topics, each.distinct))
    is_log = bool(whose) and _are_pairs(table, whose[0].name, bought[0].name)
    return Log(whose[0].name, bought[0].name) if is_log else None


_OF_A_SHOP = re.compile(r"\b(?:price|preis|prix|precio|prezzo|preco|prijs|pris)\b")
"""Units are of work elsewhere, and have a price in a shop."""
_OF_A_DELIVERY = re.compile(
    r"\b(?:ship|shipping|bill|billing|delivery|invoice|liefer|rechnungs?|livraison|factur\w*|envio|entrega|consegna)\b"
)


def _is_of_a_delivery(column: Evidence) -> bool:
    """Whether a column says where something is sent, or who pays: that is of an order, and tells of no other person."""
    told = column.topics & (ABOUT_PEOPLE | {"health", "belief", "crime"})
    return told <= {"postcode", "place"} and _OF_A_DELIVERY.search(spoken(column.name)[0]) is not None


def _is_count(column: Evidence) -> bool:
    """Small numbers under a header that names no number or code: how many pages, not which."""
    if column.magnitudes is None or column.topics & {"id", "number", "category"}:
        return False
    return bool(column.magnitudes.max() < _SMALL)


_SMALL = 100


def _may_be_persons(column: Evidence) -> bool:
    speaks = column.topics & {"person", "id", "number", "online", "name", "email"}
    return bool(speaks) and "household" not in column.topics and column.shared_by > 1 and column.distinct > 1


def _may_be_items(column: Evidence, finding: Finding) -> bool:
    if finding.topic in (NAMES_SOMEBODY, TEXT, "household", "weight") or column.distinct >= column.filled:
        return False
    if finding.role == "identifier" and finding.topic != NUMBER and column.shared_by < 2:
        return False
    named = "item" in column.topics and not column.topics & {"person"}
    return named or (column.distinct >= 8 and not column.vouching & _NO_ITEMS and finding.role != "household")


def _are_pairs(table: pa.Table, person: str, item: str) -> bool:
    """Whether the rows of a person mostly hold different items, and some person has several."""
    whose, what = (different_values(table[name])[1].astype(np.int64) for name in (person, item))
    pairs = each_once(whose * (int(what.max(initial=0)) + 2) + what).size
    persons = each_once(whose).size
    return pairs >= 0.5 * whose.size and pairs > 1.1 * persons


def no_sets(file: object) -> InputError:
    """The error for a table without baskets."""
    return InputError(
        "no column looks like a set of items, and no two like a person and an item",
        file=str(file),
        hint='Write the job file by hand: role = "items" with its separator, or layout = "long" with a person column.',
    )


def find_separator(column: pa.ChunkedArray) -> str | None:
    """What divides the cells of a column into items, if anything does."""
    division = _division(ITEMS, column)
    return None if division is None else division.separator


def _spread(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Some rows, from the first to the last."""
    if len(column) <= _LOOKED_AT:
        return column
    return column.take(pa.array(np.linspace(0, len(column) - 1, _LOOKED_AT).astype(np.int64)))


def _move(cells: pa.ChunkedArray, separator: str) -> bool:
    """Whether a good share of the items are the first of one cell and not the first of another."""
    parts = [cell.split(separator) for cell in pc.unique(cells).slice(0, _LOOKED_AT // 10).to_pylist()]
    first, later = {each[0] for each in parts}, {part for each in parts for part in each[1:]}
    return len(first & later) >= _MOVING * len(first | later)


def _division(name: str, column: pa.ChunkedArray) -> Division | None:
    """How a column divides into items that come back, but hardly ever in one cell; by the separator that gives the
    fewest different ones."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return None
    column = _spread(column)
    filled = column.filter(pc.greater(pc.utf8_length(column), 0))
    found = []
    for separator in SEPARATORS:
        if separator == BLANK and topics_of(name) & ABOUT_PEOPLE:  # a title of several words
            continue
        if not len(filled) or pc.mean(pc.match_substring(filled, separator)).as_py() < 0.1:
            continue
        baskets = split_baskets(filled, separator=separator)
        repetition = baskets.items.size / max(len(baskets.vocabulary), 1)
        if repetition > 1 and baskets.notes.duplicates <= 0.02 * baskets.items.size:
            varies = bool(baskets.lengths.min() < baskets.lengths.max())
            size = baskets.items.size / len(filled)
            combinations = pc.count_distinct(filled).as_py() / max(len(baskets.vocabulary), 1)
            named_so = "item" in topics_of(name)
            is_coded = sum(map(shapes.holds_digit, baskets.vocabulary)) > 0.8 * len(baskets.vocabulary)
            is_phrases = sum(BLANK in item.strip() for item in baskets.vocabulary) > 0.3 * len(baskets.vocabulary)
            moves = _move(filled, separator)
            found.append(
                Division(named_so, varies, size, name, separator, repetition, combinations, is_coded, is_phrases, moves,
                         tuple(baskets.vocabulary))
            )  # fmt: skip
    return max(found, key=lambda division: division.repetition, default=None)
