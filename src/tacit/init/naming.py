"""Headers that speak of somebody: of names, addresses and numbers, of a home, of a weight."""

from __future__ import annotations

import re

import numpy as np

from tacit.init import meanings, shapes
from tacit.init.attributes import is_explained, may_be_bodies
from tacit.init.classes import are_nobody, common_classes
from tacit.init.evidence import Evidence
from tacit.init.explaining import PROPERTIES
from tacit.init.finding import ASK, BY_TOPIC, MOST, NUMBER, TEXT, Finding, hidden, is_code_list, is_flag, is_yes_or_no
from tacit.init.vocabulary import is_doer, names_a_thing, spoken, topics_of
from tacit.init.warrants import with_quantities


def named_name(column: Evidence) -> Finding | None:
    """Names of people, and somebody beside the person: a doctor, a teacher, a mother."""
    is_count = "count" in column.topics and column.magnitudes is not None  # `nombre` is a name in Spanish only
    is_paid = "money" in column.topics or column.share(shapes.has_decimals) > 0.3
    is_count = is_count or (column.magnitudes is not None and (is_paid or _are_small_and_shared(column)))
    if column.share(shapes.is_moment) > 0.9 or (
        column.topics & {"date", "year"} and column.share(shapes.is_year) > 0.9
    ):
        return None
    told = _tells_a_class(column) or _told_of_somebody(column)
    is_class = told and column.topics & PROPERTIES and are_nobody(column)  # `suspect_race`
    if "name" in column.topics and not (names_a_thing(column.name) or is_flag(column) or is_count or is_class):
        return hidden("named like names of people")
    is_small = column.is_whole and column.magnitudes is not None and column.magnitudes.min() == 0  # nobody is number 0
    if "somebody" in column.topics and not (is_flag(column) or told or is_count or is_small):
        return hidden("named like somebody beside the person")
    if not column.topics and is_doer(column.name) and _may_be_called_so(column) and not common_classes(column):
        return hidden("named like somebody who does something")
    return None


def _are_small_and_shared(column: Evidence) -> bool:
    """Ages, weights or grades under a word for somebody, such as `suspect_age`: names are no numbers."""
    if column.magnitudes is None or not column.topics & {*BY_TOPIC, "weight"}:
        return False
    return column.variety <= 0.5 and bool(column.magnitudes.max() < _COUNTS_BELOW)


def _tells_a_class(column: Evidence) -> bool:
    """Whether a column about somebody tells what they are, not who: labels, or a word for it in the header."""
    is_proper = column.share(shapes.is_proper) >= 0.5 and column.share(shapes.has_label) < 0.5
    if not is_code_list(column) or (is_proper and not are_nobody(column)):
        return False
    if column.magnitudes is not None and column.digits[1] >= _OF_A_NUMBER:  # those who serve have numbers, too
        return False
    is_told = column.share(shapes.has_label) >= 0.5 or column.share(meanings.is_sensitive) >= 0.5 or are_nobody(column)
    return bool(column.topics & BY_TOPIC.keys()) or is_told


_OF_A_NUMBER = 4


def _may_be_called_so(column: Evidence) -> bool:
    if column.magnitudes is not None or column.share(shapes.is_amount) > 0.9 or is_yes_or_no(column):
        return False
    return column.share(shapes.has_label) < 0.3


def named_contact(column: Evidence) -> Finding | None:
    """How somebody is reached; kinds of phones or machines are no addresses, nor are days and shares."""
    if column.share(shapes.is_moment) > 0.9 or column.share(shapes.is_amount) > 0.9 or _is_too_small(column):
        return None
    if column.topics & {"email", "phone"} and not (is_code_list(column) and not column.share(shapes.holds_digit)):
        return hidden("named like e-mail addresses or phone numbers")
    if "online" in column.topics and not (is_code_list(column) and not column.share(shapes.holds_digit)):
        return hidden("named like what a person or a machine is called in a network")
    return None


def _is_too_small(column: Evidence) -> bool:
    """Numbers to the decimals, or counts: how long, how far, how many; nobody is reached by them."""
    if column.magnitudes is None:
        return False
    is_count = column.topics & {"count", "measure"} and column.magnitudes.max() < _COUNTS_BELOW
    return column.share(shapes.has_decimals) > 0.3 or bool(is_count)


_COUNTS_BELOW = 1000


def named_address(column: Evidence) -> Finding | None:
    """Addresses and parts of them; `via` and `flat` may be other things, which labels tell."""
    is_list = column.magnitudes is None and is_code_list(column)
    is_town = "place" in column.topics and not column.share(shapes.holds_digit)
    is_labels = column.word_count < 2 and column.share(shapes.is_label) >= 0.5 and not column.share(shapes.holds_digit)
    is_paid = column.magnitudes is not None and column.share(shapes.has_decimals) > 0.1  # rooms, too: `2,5`
    is_count = column.magnitudes is not None and column.is_few and "count" in column.topics
    is_postcode = "postcode" in column.topics and column.share(shapes.is_postcode) > MOST
    is_diagnosis = is_list and column.topics & {"health", "medicine"}  # `cim` is an address in Hungarian
    is_state = column.share(shapes.is_known_code) > 0.9  # `addr_state`
    is_told = is_paid or is_count or is_postcode or is_diagnosis or is_state
    if is_told or "address" not in column.topics or (is_list and (is_town or is_labels)):
        return None
    return hidden("named like addresses")


def coordinate(column: Evidence) -> Finding | None:
    """Places on the map, by the header or by many decimals."""
    numbers = column.magnitudes
    if numbers is None or (column.is_few and not column.topics & _NO_DECIMALS):
        return None
    if "coordinate" in column.topics:
        return hidden("named like a place on the map")
    speaks = column.topics & {*BY_TOPIC, "weight"} - _NO_DECIMALS
    if not speaks and not column.topics and _average_one(column, numbers):
        return Finding("weight", "decimals with a mean of one, as weights of a survey have", "weight")
    is_computed = np.abs(numbers).max() <= 1 or column.share(shapes.has_digits_of_a_float) >= 0.5
    are_fine = np.abs(numbers).max() <= 180 and column.share(shapes.is_fine_decimal) >= MOST
    if not speaks and are_fine and not is_computed:
        return Finding("identifier", f"{ASK}decimals as places on the map have, or weights")
    return None


_NO_DECIMALS = frozenset(
    ["place", "birthplace", "education", "job", "origin", "belief", "thing", "item", "category", "conduct"]
)
"""Headers of what nobody tells in decimals, unless it is where."""


def _average_one(column: Evidence, numbers: np.ndarray) -> bool:
    """Whether numbers to many decimals are one on average, as weights that add up to the number of records."""
    mean = float(np.average(numbers, weights=column.counts))
    is_fine = column.share(shapes.has_many_decimals) >= MOST
    return is_fine and numbers.min() > 0 and abs(mean - 1) < _NEARLY and column.variety > 0.1


_NEARLY = 0.03


def named_number(column: Evidence) -> Finding | None:
    """Numbers and ids; how many there are of something is none, and neither is a short code that many rows share."""
    if not column.topics & {"number", "id"} or is_flag(column) or column.share(shapes.is_day) > 0.9:
        return None
    if "money" in column.topics and column.share(shapes.is_amount) > 0.9:
        return None
    if column.magnitudes is not None and column.share(shapes.has_decimals) > 0.3:  # numbers of invoices have none
        return None
    is_postcode = "postcode" in column.vouching and column.share(shapes.is_postcode) > MOST  # `Postnr`
    if _told_of_somebody(column) or is_postcode:
        return None
    whose = column.topics & {"person", "somebody"}
    is_length = (
        topics_of(spoken(column.name)[0].split()[-1]) & {"count", "age"} if column.magnitudes is not None else ()
    )
    is_quantity = column.topics & {"count", "money", "date", "year", "result", "age"} and (not whose or is_length)
    if is_quantity and column.variety < 0.5 and (column.magnitudes is None or column.magnitudes.max() < 1000):
        return None
    if is_code_list(column) and whose == {"person"} and column.topics & BY_TOPIC.keys():  # `status of the account`
        return None
    is_of_place = column.topics & _CODED and not column.topics & {"job", "education"}
    if is_code_list(column) and not whose and is_of_place and column.shared_by >= _OF_MANY:
        return None  # `ID_MUNICIP`
    if {"id", "job"} <= column.topics:
        return Finding("identifier", "named like a number of somebody at work", NUMBER)
    is_short = column.digits[1] <= 4 or not column.share(shapes.holds_digit)
    is_alone = column.name.lower().strip("_ ") in ("id", "pid", "uid")
    is_clerk = column.topics == {"number"} and _OF_SOMETHING.search(spoken(column.name)[0]) is not None  # `EkspNr`
    if is_code_list(column) and is_short and not whose and not is_alone and not is_clerk:
        return None
    if "household" in column.topics and not whose:
        return None
    return Finding("identifier", "named like a number that somebody or something is known by", NUMBER)


_OF_SOMETHING = re.compile(r"\w (?:nr|no|num|nummer|number|numero)$")
"""A number of what no list knows, be it short: perhaps of those who serve."""
_CODED = frozenset(["place", "birthplace", "postcode"])
_OF_MANY = 20


def _told_of_somebody(column: Evidence) -> bool:
    """What is told of a person, such as `subj_age`: the header has a word for it beside that for the person."""
    told = column.topics & {"age", "sex", "origin", "family", "education", "belief"}
    is_age = column.magnitudes is not None and column.magnitudes.min() >= 0 and column.magnitudes.max() < 130
    return bool(told) and (is_code_list(column) or ("age" in told and is_age))


def named_person(column: Evidence) -> Finding | None:
    """A header that names a person and nothing of them: the values say who it is."""
    if "person" not in column.topics or column.topics & BY_TOPIC.keys() or is_flag(column):
        return None
    if column.share(shapes.is_moment) > 0.9:
        return None
    is_class = column.is_few and (column.magnitudes is not None or column.share(shapes.is_label) >= 0.5)
    if is_class or column.topics & {"household", "weight", "text"}:
        return None
    return Finding("identifier", "named like a person: the values say who it is", NUMBER)


_DESCRIBES = re.compile(r"desc(?:r|ription)?\b|besc?hr|descri|omschrijving|text\b|label\b")


def named_text(column: Evidence) -> Finding | None:
    """Remarks, be they few: only labels of one word are none, or of two where the header says what they describe."""
    describes = column.topics & BY_TOPIC.keys() and _DESCRIBES.search(column.name.lower())  # `race_desc`
    words, prose = (3, 0.4) if describes else (2, 0.0)
    is_labels = is_code_list(column) and column.word_count < words and column.share(shapes.is_prose) <= prose
    is_labels = is_labels and (column.word_count < 2 or column.share(is_explained) >= 0.3)
    is_labels = is_labels or bool(describes and common_classes(column))
    are_wares = is_code_list(column) and with_quantities(column) and not column.share(shapes.tells_of_somebody)
    is_labels = is_labels or are_wares
    are_bands = column.is_few and column.share(lambda text: shapes.is_band(text) or text.isdigit()) >= 0.5
    if "text" not in column.topics or column.magnitudes is not None or is_labels or are_bands:
        return None
    is_date = column.topics & {"date", "year"} and column.share(shapes.holds_digit) > 0.9 and column.length < 25
    return None if is_date or column.share(shapes.is_day) > 0.5 else Finding("identifier", "named like free text", TEXT)


# Homes and weights


def weight(column: Evidence) -> Finding | None:
    """Weights of a survey; those of bodies stand beside other measures, or say so."""
    if "weight" not in column.topics or column.magnitudes is None:
        return None
    is_sum = "money" in column.topics and column.share(shapes.has_many_decimals) < MOST  # `Hochrechnung` is no bill
    if "count" in column.topics or is_sum:
        return None
    if "body" in column.topics or may_be_bodies(column) or is_flag(column):
        return None
    return Finding("weight", "named like a weight of a survey: for how many people a record stands", "weight")


def household(column: Evidence) -> Finding | None:
    """Numbers of households; their size, income or type is something else."""
    others = {"count", "money", "family", "education", "job", "age", "sex", "date", "measure"}
    is_class = "category" in column.topics and column.share(shapes.holds_digit) < MOST
    is_family = column.topics == {"family"} and "fam" in column.name.lower()
    if is_family and column.distinct > _HOMES and column.share(shapes.holds_digit) >= MOST:
        return Finding("household", "numbers of families", "household")
    if "household" not in column.topics or column.topics & others or is_class or is_code_list(column):
        return None
    return Finding("household", "named like the number of a household", "household")


_HOMES = 50
"""So many different numbers are no sizes of families."""
