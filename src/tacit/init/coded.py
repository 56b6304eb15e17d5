"""Warrants for codes: those of illnesses and laboratories, of classes, wards and grades, that are nobody's initials."""

from __future__ import annotations

import re

from tacit.init import shapes
from tacit.init.amounts import OF_A_PHONE
from tacit.init.classes import OF_PEOPLE
from tacit.init.evidence import Evidence
from tacit.init.explaining import PROPERTIES, TOLD_IN_CLASSES, is_known_word, words_of_all
from tacit.init.finding import MOST
from tacit.init.odds import holds_a_known_name
from tacit.init.towns import is_told
from tacit.init.vocabulary import is_doer, names_of_people, plain, property_of, spoken

SEVERAL_DOZENS = 60
_SEVERAL, _SOME_NAMES = 5, 3
_OF_VERY_MANY = 20
"""Rows of each code, on average: nobody's initials stand so often under a header for something else."""
_MOSTLY = 0.75
_INITIALS, _LETTERS = 2, 3
_TOO_SHORT = 3
"""Headers of so few letters stand for too much to say what codes classify."""


def codes_of_illnesses(column: Evidence) -> bool:
    """Codes of which so many are those of frequent illnesses, of several kinds, as no other codes are by chance; or of
    groups of medicines."""
    kinds = {text[:1] for text in column.sample}
    enough = MOST if column.is_few else 0.6
    are_ills = column.distinct >= _SEVERAL and column.share(shapes.is_frequent_diagnosis) >= enough
    are_medicines = column.distinct >= _SOME_NAMES and column.share(shapes.is_medicine) >= 0.9
    return column.variety <= 0.5 and len(kinds) >= _SOME_KINDS and (are_ills or are_medicines)


_SOME_KINDS = 3


def analytes(column: Evidence) -> bool:
    """Abbreviations that laboratories have for what they measure: nearly all of several, of which two letters could be
    somebody's, but not so many of these."""
    return column.distinct >= _SEVERAL and column.shared_by >= 3 and column.share(shapes.is_analyte) >= MOST


def codes_of_a_class(column: Evidence) -> bool:
    """Few codes of capitals, each of many rows, under a header that says what they classify: a property, or a type of
    something. Some have more letters than initials, others fewer, and none is a known name: `EMP`, `PENS`, `UNEMP`."""
    says_what = column.vouching & _CLASSIFIED or _is_type_of_something(column)
    if not says_what or _may_be_staff(column) or len(column.name) <= _TOO_SHORT:
        return False
    are_shared = column.is_few and column.is_chosen and column.shared_by >= _OF_VERY_MANY
    lengths = {len(text) for text in column.sample}
    if not are_shared or len(lengths) == 1 or max(lengths) <= _LETTERS:
        return False
    everywhere = words_of_all(column)
    are_codes = column.share(lambda text: _is_capital_code(text, everywhere)) >= _MOSTLY
    return are_codes and not column.share(lambda text: _may_be_a_name(text, everywhere))


_CLASSIFIED = frozenset(["crime", "family", "health", "medicine", "belief", "origin", "job"])


def _is_type_of_something(column: Evidence) -> bool:
    """Whether a header has a word for a type behind one for what is parted into types: `CoverTyp`, but not `type`."""
    words = spoken(column.name)[0].split()
    return len(words) == 2 and any(word in _TYPES for word in words) and not _TYPES.issuperset(words)


_TYPES = frozenset(["type", "typ", "tipo", "soort", "rodzaj", "kind", "art"])


def _is_capital_code(text: str, everywhere: frozenset[str]) -> bool:
    """A few capitals, or words that nobody is called."""
    return (len(text) <= _CAPITALS and text.isupper() and text.isascii() and text.isalpha()) or is_told(
        text, everywhere
    )


_CAPITALS = 5


def _may_be_a_name(text: str, everywhere: frozenset[str]) -> bool:
    """A known name of four letters or more, or any with a single capital that nothing explains."""
    word = plain(text)
    if text.isupper() or text.islower():
        return len(text) > _LETTERS and word in names_of_people() and not is_known_word(text)
    return shapes.is_proper(text) and not is_told(text, everywhere)


def coded_drawers(column: Evidence) -> bool:
    """Few codes with digits, each of many rows, under a header that speaks of a code, and whose it is: `SiteCode`."""
    says_so = _OF_CODES.search(spoken(column.name)[0]) and column.topics & _DRAWERS and not column.topics & OF_PEOPLE
    are_few = column.distinct <= SEVERAL_DOZENS and column.shared_by >= _OF_VERY_MANY
    are_codes = are_few and column.share(is_coded) == 1 and not is_doer(column.about)
    is_place = column.topics & {"place", "postcode"} and not column.topics & {"id", "job"}
    if not says_so or not (is_place or column.digits[1] <= _OF_A_CLASS):
        return False
    return are_codes and not column.share(is_long_number)


_OF_CODES = re.compile(r"\b(?:code|cd|cod|kod|codigo|codice|no|nr)\b")
_DRAWERS = frozenset(["place", "postcode", "job", "education", "named_thing"])
_OF_A_CLASS = 4


def _may_be_staff(column: Evidence) -> bool:
    """Whether the header may speak of those who serve, or of numbers that are given out: codes may be theirs."""
    of_people = column.topics & (OF_PEOPLE | {"id", "number"})
    return bool(of_people) or is_doer(column.about) or may_tell_doctors(column, column.vouching)


def may_tell_doctors(column: Evidence, vouching: frozenset[str]) -> bool:
    """Whether all that speaks for codes is a word that may stand for a doctor, as in `cod_med`; medicines have their
    own codes."""
    rest, found = _MAY_BE_A_DOCTOR.subn(" ", spoken(column.name)[0])
    return found > 0 and not vouching & property_of(rest) & PROPERTIES and column.share(shapes.is_medicine) < MOST


_MAY_BE_A_DOCTOR = re.compile(r"\b(?:med|medic|phys|pract|prescr)\b")


def letters_of_a_class(column: Evidence) -> bool:
    """A few capitals, each of many rows, under a header that says what they classify (`Familienstand`, `CoverTyp`):
    initials stand under no such header. Three letters in all values are initials all the same, but of what one is by
    family, sex or belief."""
    is_state = "category" in column.topics and _OF_A_STATE.search(column.name.lower()) is not None
    says_what = column.vouching & _CLASSIFIED_BY or "thing" in column.topics
    if not (says_what and not column.topics & _NO_CLASS) and not (is_state and not column.topics & _WHO):
        return False
    if _may_be_staff(column) or len(column.name) < _TOO_SHORT or column.share(_is_a_long_name):
        return False
    if {len(text) for text in column.sample} == {_LETTERS} and not column.vouching & _TOLD_BY_LETTERS:
        return False
    are_shared = column.is_few and column.distinct > 1 and int(column.counts.min()) >= _LEAST
    return are_shared and column.shared_by >= _OF_VERY_MANY and column.share(_is_of_capitals) >= MOST


_TOLD_BY_LETTERS = frozenset(["family", "sex", "belief", "origin", "body"])
_CLASSIFIED_BY = TOLD_IN_CLASSES - {"place", "birthplace", "postcode"} | {"category", "body"}
_WHO = OF_PEOPLE | {"named_thing"}
_NO_CLASS = _WHO | {"conduct"}
_OF_A_STATE = re.compile(r"status|statut|estado|stato|outcome|stage|mode")
_LEAST = 5
_is_of_capitals = shapes.like(r"[A-Z]{1,2}\d?|[A-Z]{3,5}")


def _is_a_long_name(text: str) -> bool:
    """A known name of four letters or more."""
    return len(text) > _LETTERS and holds_a_known_name(text)


def letters_under_a_property(column: Evidence) -> bool:
    """Single letters or signs under a header that names a property, each of many rows: codes of a list, such as that of
    ethnic groups."""
    is_told = column.vouching & (TOLD_IN_CLASSES - {"thing", "item"}) and not _may_be_staff(column)
    are_signs = column.digits[1] == 1 and column.share(str.isascii) == 1  # in some scripts, a letter is a name
    return bool(is_told) and are_signs and 2 * column.shared_by >= _OF_VERY_MANY


def coded_places(column: Evidence) -> bool:
    """Few codes of wards, centres of costs or grades, each of many rows, under a header that speaks of such: one letter
    or several, with up to two digits. Those of staff have two or three letters, or are cut from names."""
    are_shared = 1 < column.distinct <= SEVERAL_DOZENS and column.shared_by >= _OF_VERY_MANY
    if not column.topics & _OF_A_PLACE or _may_be_staff(column) or not are_shared:
        return False
    found = [each for text in column.sample if (each := _CODED.fullmatch(text)) is not None]
    stems = [each[1] for each in found]
    are_initials = sum(1 < len(stem) <= _LETTERS for stem in stems) > _HALF * len(stems)
    is_one_place = "place" in column.topics and len({*stems}) == 1  # `AT11`, `AT12`
    if len(found) < MOST * len(column.sample) or (are_initials and not is_one_place) or any(map(_begins_a_name, stems)):
        return False
    return len({*stems}) < len(stems) and sum(bool(each[2]) for each in found) >= _HALF * len(found)


_CODED = re.compile(r"([A-Z]{1,6})[-_ ]?(\d{0,2})")
_OF_A_PLACE = frozenset(["place", "job", "education", "category", "thing"])
_HALF = 0.5


def _begins_a_name(stem: str) -> bool:
    """Whether some name begins so: those of staff are cut short."""
    word = plain(stem)
    return len(word) > _LETTERS and any(name.startswith(word) for name in names_of_people())


def codes_of_lengths(column: Evidence) -> bool:
    """Few codes of capitals, each of many rows, of two to six letters: a quarter of them longer than initials, others
    shorter than names, and none of them a name that is known: `AUCUN`, `PERSO`, `SMUR`, `FO`."""
    if _may_be_staff(column) or not (column.is_chosen and column.distinct > 2) or column.shared_by < _OF_VERY_MANY:
        return False
    long, short = (column.share(lambda text, at=at: len(text) > at) for at in (_OF_INITIALS, _LETTERS))  # type: ignore[misc]
    are_mixed = long >= _LONG_ONES and 1 - short >= _SHORT_ONES
    return are_mixed and column.share(_is_code_of_capitals) == 1 and not column.share(_is_a_long_name)


_OF_INITIALS = 4
_LONG_ONES, _SHORT_ONES = 0.25, 0.15
_is_code_of_capitals = shapes.like(r"[A-Z]{2,6}(?:[-+/_ ]?[A-Z0-9]{1,4})?")


def is_coded(text: str) -> bool:
    """A text with a digit and without a word: `9C`, `B2-14`."""
    return shapes.holds_digit(text) and (shapes.is_code(text) or _SPELLED.search(text) is None)


_SPELLED = re.compile(r"[^\W\d_]{5}")


def is_long_number(text: str) -> bool:
    return sum(map(str.isdigit, text)) >= OF_A_PHONE and not any(map(str.isalpha, text))
