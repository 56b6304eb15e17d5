"""What vouches for a column that is to be published.

Rules say what a column seems to be; a warrant says why its values name nobody. It is positive evidence: days, answers
of yes or no, quantities, known words, codes too short to be anybody's, or a header that names a property beside values
that such a property can have. A header alone vouches for nothing, and neither do values that merely come back: names,
logins and remarks come back, too. Without a warrant nothing is published, and the job file asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from tacit.init import meanings, shapes
from tacit.init.amounts import (
    are_given_out,
    are_no_amounts,
    are_numbered_from_anywhere,
    begins_low_and_is_dense,
    differ_by_long_numbers,
    has_a_middle,
    is_heaped,
    lie_evenly,
)
from tacit.init.classes import OF_PEOPLE, common_classes, small_classes
from tacit.init.coded import (
    SEVERAL_DOZENS,
    analytes,
    coded_drawers,
    coded_places,
    codes_of_a_class,
    codes_of_illnesses,
    codes_of_lengths,
    is_coded,
    is_long_number,
    letters_of_a_class,
    letters_under_a_property,
    may_tell_doctors,
)
from tacit.init.evidence import Evidence
from tacit.init.explaining import (
    PROPERTIES,
    SINGLE,
    explained_words,
    is_known_word,
    words_of_all,
)
from tacit.init.finding import ASK, MOST, TEXT, Finding, is_code_list, is_yes_or_no
from tacit.init.odds import holds_a_known_name
from tacit.init.towns import are_known_as_such, are_words_of_nobody, is_told, is_town
from tacit.init.vetoes import PHRASE, begin_small, speaks_against
from tacit.init.vocabulary import is_doer, names_of_people, plain
from tacit.init.wordy import are_rather_words, places_by_header, rather_words

Warrant = Callable[[Evidence], bool]

_QUANTITIES = frozenset(["age", "birth", "body", "count", "date", "measure", "money", "rating", "result", "year"])
"""Headers that speak of how much, how many or when."""
_PROPER = frozenset(["birthplace", "place", "origin", "education", "job", "health", "medicine", "belief", "thing"])
"""Properties with values that no list has all of, and that are written like names: towns, trades, brands, saints."""


# Warrants: each is enough


def moments(column: Evidence) -> bool:
    """Days and times are nobody's name, and neither are years of a school."""
    return max(column.share(shapes.is_moment), column.share(shapes.is_school_year)) > 0.9


def answers(column: Evidence) -> bool:
    """Yes or no, and perhaps something between or beside them; or what begins with yes and with no, and was chosen."""
    says = (meanings.is_yes, meanings.is_no)
    said = [any(map(each, column.sample)) for each in says]
    first = [re.split(r"\W", text)[0] for text in column.sample if not text[:1].isdigit()]
    begun = [any(map(each, first)) for each in says]
    are_chosen = column.is_chosen and column.distinct <= _CHOICES and all(begun)
    return is_yes_or_no(column) or (column.distinct <= _ANSWERS and all(said)) or are_chosen


_ANSWERS = 4
_CHOICES = 6


def quantities(column: Evidence) -> bool:
    """Numbers that count or measure something. Those that are given out to people are whole and lie evenly in a range
    that begins anywhere; what is counted or measured begins near nothing, has decimals, is round, or has a middle."""
    numbers = column.magnitudes
    if are_no_amounts(column):
        return False
    if numbers is None:
        return max(column.share(shapes.is_amount), column.share(shapes.is_pair)) > 0.9
    if numbers.max() < 0:
        numbers = -numbers
    if _tells_a_quantity(column) or np.any(numbers % 1) or numbers.min() < 0 or numbers.max() < _SMALL:
        return True
    if are_given_out(column):
        return False
    of_many_sizes = column.digits[1] - column.digits[0] >= 2 and not lie_evenly(column)
    is_counted = of_many_sizes or begins_low_and_is_dense(numbers) or column.share(shapes.is_year) == 1
    return is_counted or bool(np.all(numbers % 5 == 0)) or has_a_middle(numbers) or is_heaped(column)


def _tells_a_quantity(column: Evidence) -> bool:
    """Whether the header speaks of how much, how many or when; where somebody was born is none of them."""
    return bool(column.vouching & _QUANTITIES) and "birthplace" not in column.vouching


_SMALL = 100


def bands(column: Evidence) -> bool:
    """Ranges of numbers, or numbers with a unit: `18-25`, `<12m`, `60+`, `1-3 years`, `More than 3`."""
    if _are_numbers_to_an_end(column) and not are_no_amounts(column):
        return True
    enough = _tells_how_much if _tells_a_quantity(column) else shapes.is_band
    return column.is_few and column.share(enough) >= 0.5 and column.word_count < 4 and not are_no_amounts(column)


def _are_numbers_to_an_end(column: Evidence) -> bool:
    """Small numbers, and what is beyond them in words: `87`, `88`, `89 or older`; or in bands: `40`, `50%-60%`."""
    if column.vouching & _QUANTITIES and column.share(lambda text: text.isdigit() or _is_band_of_shares(text)) == 1:
        return 0 < sum(map(str.isdigit, column.sample)) < len(column.sample)
    if not column.vouching & _QUANTITIES:
        return False
    ends = [text for text in column.sample if not text.isdigit()]
    is_told = all(shapes.holds_digit(text) and _CODE.match(text) is None for text in ends)
    are_small = all(len(text) <= _SHORT for text in column.sample if text.isdigit())
    return 0 < len(ends) <= 2 and is_told and are_small and len(ends) < 0.2 * len(column.sample)


def _is_band_of_shares(text: str) -> bool:
    return shapes.is_band(text.replace("%", "").replace("-<", "-"))


def _tells_how_much(text: str) -> bool:
    """A number, perhaps behind a word: `over 65`; letters right before digits are codes: `kb3`, `B4.43`, `K-EG 643`;
    and so are digits in three groups."""
    return shapes.holds_digit(text) and _CODE.match(text) is None and _IN_GROUPS.fullmatch(text) is None


_IN_GROUPS = re.compile(r"\d+(?:[-/ ]\d+){2,}")
_CODE = re.compile(r"[^\W\d_]{1,3}(?:[-.][^\W\d_]{1,2} ?|[-.]?)\d")


def one_of_two(column: Evidence) -> bool:
    """Two values of many rows, in small letters or in capitals, which are no names: `on`, `off`; `apto`, `no apto`."""
    are_two = column.distinct == 2 and column.shared_by >= 20 and column.word_count <= 2
    return are_two and not column.share(_may_be_called_so)


def _may_be_called_so(text: str) -> bool:
    """A name, a login, or letters that may be somebody's initials."""
    is_name = shapes.is_proper(text) and not text.isupper()
    return is_name or shapes.is_login(text) or (shapes.is_letters(text) and not is_known_word(text))


def constants(column: Evidence) -> bool:
    """One value in all rows tells nobody apart; a name it may still be, which a code or a known word is not."""
    if column.distinct != 1 or column.share(shapes.is_code) < 1 or column.share(shapes.is_proper):
        return False
    return column.share(lambda text: shapes.holds_digit(text) or len(text) <= _SHORT or is_told(text)) == 1


def known_words(column: Evidence) -> bool:
    """Words that categories, places or illnesses have: half of them, for no list has all, but more where values have
    several, for remarks are made of known words, too. Short codes may stand among few: `A`, `B`, `Healthcare`."""
    are_titles = column.share(lambda text: shapes.is_proper(text) and not text.isupper()) >= MOST  # `Pets & Animals`
    enough = 0.5 if column.word_count < SINGLE or are_titles else 0.7
    codes = column.share(_is_short_code) if column.is_few else 0.0
    return explained_words(column) >= enough * (1 - codes) > 0 and column.word_count < 4


_SHORT = 3


def _is_short_code(text: str) -> bool:
    """A sign, or up to three with a digit and no two letters together: too short to be anybody's, unlike `kb3`."""
    if shapes.is_class_of_school(text) or shapes.is_blood_group(text) or shapes.is_ordinal(text):
        return True
    are_letters = [sign.isalpha() for sign in text]
    are_together = any(before and after for before, after in pairwise(are_letters))
    is_sign = len(text) == 1 and (text.isascii() or not text.isalpha())  # in some scripts, a letter is a name
    return is_sign or (len(text) <= _SHORT and shapes.holds_digit(text) and not are_together)


def with_quantities(column: Evidence) -> bool:
    """Things with how much of them: `Butter 250 g`, `DOLIPRANE 1000MG`; people have no such numbers behind them."""
    return is_code_list(column) and column.share(shapes.has_quantity) >= 0.5 and column.share(shapes.is_prose) < 0.1


def units(column: Evidence) -> bool:
    """Units of measures: `mg/dL`, `mmHg`, `10^9/L`."""
    return column.is_few and column.share(shapes.is_unit) >= MOST


def roman_numbers(column: Evidence) -> bool:
    """Classes and groups that are counted: `II`, `IV`."""
    return column.is_few and column.distinct > 1 and column.share(shapes.is_roman) == 1 and column.shared_by >= 5


def short_codes(column: Evidence) -> bool:
    """Few codes that are too short to be anybody's, each of several rows; two capitals may stand among single ones, as
    in `A`, `B`, `BE`, if the first is one of these, which that of initials seldom is."""
    alone = {text for text in column.sample if len(text) == 1} if column.is_few else set()
    are_short = column.share(lambda text: _is_short_code(text) or _is_of_one_more(text, alone))
    return are_short == 1 and is_code_list(column) and not _are_from_all_over(column)


def _is_of_one_more(text: str, alone: set[str]) -> bool:
    return len(text) == 2 and text.isupper() and text[0] in alone


_LETTERS = 8
"""So many different single letters are no grades."""


def _are_from_all_over(column: Evidence) -> bool:
    """Single letters with gaps between them, as the first ones of names; grades have none."""
    letters = {text.lower() for text in column.sample if len(text.lower()) == 1 and text.isalpha()}
    return len(letters) >= _LETTERS and ord(max(letters)) - ord(min(letters)) >= len(letters)


def numbered(column: Evidence) -> bool:
    """One word with the numbers from one on: `AO01`, `AO02`, ...; people's numbers begin anywhere."""
    parts = [re.fullmatch(r"(.*?[^\W\d])[ _-]?0*(\d{1,2})", text) for text in column.sample]
    stems, numbers = {part and part[1] for part in parts}, {int(part[2]) for part in parts if part}
    return len(stems) == 1 and None not in stems and len(numbers) >= 2 and max(numbers) <= len(numbers) + 1


def letter_grades(column: Evidence) -> bool:
    """Marks as letters: `A`, `B+`, `C-`."""
    signs = {text[1:] for text in column.sample if shapes.is_letter_grade(text)}
    return is_code_list(column) and len(signs) > 1 and column.share(shapes.is_letter_grade) >= 0.6


def known_towns(column: Evidence) -> bool:
    """Towns under a header that says where, though it be no more than a drawer."""
    return "place" in column.topics and column.distinct >= _SEVERAL and column.share(is_town) >= 0.6


def offered_phrases(column: Evidence) -> bool:
    """Values of several words that many rows have alike, and that are made of words which nobody is called: what can be
    chosen from a list. One name behind a word is half of a value, and tells."""
    if not column.is_offered or column.word_count < SINGLE or column.topics & OF_PEOPLE:
        return False
    if column.share(shapes.tells_of_somebody) or (
        column.share(shapes.is_proper) == 1 and column.word_count < _SHORTEST
    ):
        return False
    everywhere = words_of_all(column)
    return sum(are_words_of_nobody(words, everywhere) for words in column.words) >= _MOSTLY * len(column.words)


_SHORTEST = 1.8
"""Two words with capitals each are as names are."""


def fitting_header(column: Evidence) -> bool:
    """A header that names a property, above values that are known to be such: people's names stand under it, too."""
    no_family = "somebody" in column.topics or not column.is_few
    vouching = column.vouching & PROPERTIES - ({"family"} if no_family else set())
    explained = explained_words(column)
    is_explained = explained >= 0.3
    if (_stands_for_much(column, vouching) and not is_explained) or _are_typed(column, vouching):
        return False
    if not vouching or (not is_explained and (is_doer(column.about) or _are_many_letters(column))):
        return False
    if "postcode" in vouching and column.share(lambda text: shapes.is_postcode(text) or shapes.is_outward(text)) > MOST:
        return True
    if column.magnitudes is not None or column.share(is_coded) >= MOST or _differ_by_numbers(column):
        return are_shared_codes(column) and not may_tell_doctors(column, vouching)
    if "sex" in vouching and column.distinct <= 4 and column.word_count < SINGLE:
        return True
    if vouching & _PROPER:
        are_terms = _are_short_terms(column, vouching) and not may_tell_doctors(column, vouching)
        return are_terms or are_known_as_such(column)
    if "item" in vouching:  # wares are families, too: beer, brie
        return is_explained or are_known_as_such(column)
    may_be_remarks = column.word_count >= SINGLE and column.begins_small > 1 - MOST
    return is_explained or (not may_be_remarks and are_known_as_such(column, _MOSTLY))


def _are_typed(column: Evidence, vouching: frozenset[str]) -> bool:
    """Whether several words are no place and no trade, but typed: beginning small, or known as nothing."""
    are_places = column.share(lambda text: is_town(text) or shapes.is_place(text)) >= 0.3
    is_no_place = bool(vouching & {"place", "birthplace"}) and column.word_count >= PHRASE and not are_places
    return is_no_place or (bool(vouching & _TOLD_IN_SHORT) and begin_small(column))


_TOLD_IN_SHORT = frozenset(["place", "birthplace", "job", "education", "origin", "belief"])


def _differ_by_numbers(column: Evidence) -> bool:
    """Whether all values begin with the same word, and a number follows: `ISBN 97000049`."""
    begins = {re.match(r"\D*", text)[0] for text in column.sample}  # type: ignore[index]
    return len(begins) == 1 and "" not in begins and column.share(shapes.holds_digit) == 1


def are_shared_codes(column: Evidence) -> bool:
    """Codes of a list that many rows share, or too short to be anybody's; ids of people are long, and of few rows."""
    are_shared = (
        column.distinct <= SEVERAL_DOZENS and column.shared_by >= 5 * _OF_MANY and column.digits[1] < _OF_PHONES
    )
    may_be_phones = column.share(is_long_number) > 0.1 and "medicine" not in column.vouching and not are_shared
    if may_be_phones or (are_given_out(column) and column.variety > 0.5):
        return False
    is_short = column.digits[1] < _OF_AN_ID and column.magnitudes is not None
    return is_short or is_code_list(column) or column.shared_by >= _OF_MANY


_OF_AN_ID = 4
_OF_PHONES = 7
_OF_MANY = 10


def _are_short_terms(column: Evidence, vouching: frozenset[str]) -> bool:
    """Few abbreviations or small words of a trade that has its own, each of many rows: `NFE`, `luteal`, `VGZ`."""
    is_list = column.is_few or "category" in column.vouching  # `payer_code` says that these are codes
    if not vouching & _WITH_TERMS or not is_list or column.shared_by < _OF_MANY:
        return False
    is_clinical = bool(vouching & {"health", "medicine"}) and "named_thing" not in column.topics  # hospitals
    return column.share(lambda text: _is_term(text, is_clinical)) >= _MOSTLY


_MOSTLY = 0.75
_TERM = 4
_WITH_TERMS = frozenset(["health", "medicine", "origin", "belief", "thing"])


def _is_term(text: str, is_clinical: bool) -> bool:
    """A few signs, a word in small letters where illnesses are told, or words that nobody is called."""
    may_be_called_so = shapes.is_login(text) or (plain(text) in names_of_people() and not text.isupper())
    is_short = len(text) <= _TERM and text.isascii() and not (len(text) > 1 and text.istitle())
    is_small = is_clinical and text.islower()
    return is_told(text) or ((is_short or is_small) and not may_be_called_so)


def _stands_for_much(column: Evidence, vouching: frozenset[str]) -> bool:
    name = column.name.strip("_. ").lower()
    is_short = len(name) <= _TOO_SHORT and name not in _IN_FULL and column.magnitudes is None
    return is_short and not (vouching & {"health", "medicine"} and column.share(shapes.holds_digit) >= MOST)


_TOO_SHORT = 3
"""Headers of so few letters stand for too much to vouch for words that nobody knows: `kat`, `kl`."""
_IN_FULL = frozenset(["ort", "job"])


def _are_many_letters(column: Evidence) -> bool:
    """More groups of letters than classes have: perhaps initials."""
    is_place = column.vouching & {"place", "birthplace"}  # airports
    return not is_place and not column.is_few and column.share(shapes.is_letters) >= MOST


_SEVERAL, _SOME_NAMES = 5, 3


def told_by_the_header(column: Evidence) -> bool:
    """Few values that the header names itself, one after the other: `FT/PT`, `m/w`, `yes | no`."""
    said = [part.strip().lower() for part in re.split(r"[/|,]", column.name)]
    values = {text.lower() for text in column.sample}
    return column.is_chosen and len(values) >= 2 and values <= {*said}


_WARRANTS: tuple[Warrant, ...] = (
    moments, answers, quantities, bands, one_of_two, constants, known_words, with_quantities, units, roman_numbers,
    short_codes, numbered, common_classes, small_classes, offered_phrases, letter_grades, known_towns, fitting_header,
    codes_of_illnesses, analytes, codes_of_a_class, coded_drawers, told_by_the_header, rather_words,
    letters_of_a_class, letters_under_a_property, places_by_header, coded_places, codes_of_lengths,
)  # fmt: skip


_OF_LISTS = frozenset(["item", "postcode"])
"""What has a number of a list, and not one that was given out."""


def is_warranted(column: Evidence) -> bool:
    """Whether something vouches for the values."""
    if are_numbered_from_anywhere(column) and not column.vouching & _OF_LISTS:
        return False
    warrants = (fitting_header, coded_drawers) if differ_by_long_numbers(column) else _WARRANTS
    return not speaks_against(column) and any(warrant(column) for warrant in warrants)


def are_warranted_items(header: str, items: Sequence[str]) -> bool:
    """Whether something vouches for the items of sets: a header of things, or the items as a column of their own."""
    column = Evidence(header, pa.array(items, pa.large_string()), np.ones(len(items), np.int64), len(items), len(items))
    are_things = "item" in column.vouching and not column.topics & {"person", "somebody", "name"}
    if are_things or _are_clinical(column):
        return True
    if column.share(holds_a_known_name):  # one of a set is enough, for sets are published item by item
        return False
    return is_warranted(column) or (are_rather_words(column) and not speaks_against(column))


def _are_clinical(column: Evidence) -> bool:
    """Codes of illnesses or medicines, each once: of several kinds, and with points or frequent; numbers of people with
    a letter have one."""
    if column.topics & OF_PEOPLE or len({text[:1] for text in column.sample}) < _SOME_NAMES:
        return False
    are_ills = max(column.share(lambda text: "." in text), column.share(shapes.is_frequent_diagnosis)) >= _HALF
    return (column.share(shapes.is_icd10) >= MOST and are_ills) or column.share(shapes.is_atc_in_full) >= MOST


_HALF = 0.5


def unwarranted(column: Evidence) -> Finding:
    """The question that the job file asks where nothing vouches for a column."""
    texts = "codes" if column.share(shapes.holds_digit) > 0.5 else "texts"
    what = "numbers" if column.magnitudes is not None else texts
    return Finding("identifier", f"{ASK}{what} that nothing vouches for: perhaps they name somebody", TEXT)
