"""What is known of a person, or not to be learnt: by the header, and where it says nothing, by the values."""

from __future__ import annotations

import numpy as np

from tacit.init import meanings, shapes
from tacit.init.amounts import has_a_middle, lie_evenly
from tacit.init.classes import common_classes
from tacit.init.coded import analytes, codes_of_illnesses
from tacit.init.evidence import Evidence
from tacit.init.explaining import are_all_explained, explained_words
from tacit.init.finding import ASK, BY_TOPIC, MOST, SENSITIVE, TEXT, Finding, is_code_list, is_yes_or_no
from tacit.init.vocabulary import small_words, spoken
from tacit.init.warrants import answers, offered_phrases
from tacit.init.wordy import rather_words


def nothing(column: Evidence) -> Finding | None:
    """A column without a value."""
    return Finding("identifier", "no row has a value") if not column.distinct else None


def diagnoses(column: Evidence) -> Finding | None:
    """Codes of illnesses and medicines; short ones need a header that says so."""
    beside = column.neighbours & {"health", "medicine"}
    named = column.topics & {"health", "medicine"}
    if column.share(shapes.is_atc_in_full) >= MOST:
        return Finding("sensitive", "codes of medicines (ATC)", "medicine")
    if column.topics & {"id", "number"} and not named:
        return None
    icd10 = column.share(shapes.is_icd10)
    pointed = column.share(lambda text: "." in text)
    are_counted = (
        column.numbers is not None and column.distinct > 100 and column.distinct > 0.5 * np.ptp(column.numbers)
    )
    if are_counted or (
        not named and column.variety > 0.5
    ):  # illnesses are shared; numbers of people look like their codes
        return None
    has_points = column.distinct >= (4 if beside else 6) and pointed > 0.2
    is_long = beside and column.distinct >= 4 and column.digits[1] >= 4
    is_named = named and max(icd10, column.share(shapes.is_icd9)) >= 0.6
    are_frequent = icd10 >= MOST and codes_of_illnesses(column)
    if is_named or are_frequent or (icd10 >= 0.95 and (has_points or is_long)):
        return Finding("sensitive", "codes of diagnoses (ICD)", "health")
    return None


_VAGUE = frozenset(["category", "conduct", "item", "count", "date"])
"""Topics that do not vouch for texts that may be names."""


def may_name_somebody(column: Evidence) -> bool:
    """Words with capitals that are no known labels, places or illnesses: two of them a value, or one."""
    if column.magnitudes is not None or is_yes_or_no(column):
        return False
    if column.share(shapes.is_proper) < MOST:
        return _may_be_called_so(column)
    known = max(column.share(shapes.is_label), column.share(shapes.is_place), column.share(meanings.is_sensitive))
    return known < (0.3 if column.is_few else 0.6)


_TOLD_IN_WORDS = frozenset(["health", "medicine", "crime", "conduct", "category"])
"""What codes and labels tell, and people in their own words, too."""


def _is_wordy(column: Evidence) -> bool:
    """Several words a value, as in what is typed in: each is that of few rows, or hardly one has a known word."""
    is_rare = not column.is_few and column.letters_count >= 2.3 and column.shared_by < 10
    return is_rare or (column.letters_count >= 3 and _explained_words(column) < 0.35)


_OPEN_LISTS = frozenset(["place", "job", "thing", "item", "health", "medicine", "crime", "conduct", "birthplace"])
"""What has too many labels to know them."""


def _in_own_words(column: Evidence) -> bool:
    """Several words that begin small, hardly a known one, under a header whose labels are known."""
    begins_small = column.share(lambda text: text[:1].islower() and " " in text)
    return column.letters_count >= 1.8 and begins_small >= 0.2 and _explained_words(column) < 0.5


def _explained_words(column: Evidence) -> float:
    """The share of words that are known ones, but for small words between them."""
    words = [word for value in column.words for word in value if word not in small_words()]
    return sum(map(is_explained, words)) / max(len(words), 1)


def is_explained(text: str) -> bool:
    """Whether a text is a known word of categories, a place, or a code for one."""
    return shapes.has_label(text) or shapes.is_place(text) or meanings.is_sensitive(text) or shapes.is_known_code(text)


def may_be_bodies(column: Evidence) -> bool:
    """Whether numbers are weights of people, beside other measures of them."""
    numbers = column.magnitudes
    if numbers is None:
        return False
    numbers = _without_nines(numbers)
    plausible = numbers.min() >= 0.3 and numbers.max() <= 700 and 2 <= np.median(numbers) <= 250  # kg, lb
    to_a_tenth = numbers.min() >= 20 and numbers.max() <= 250 and column.share(shapes.is_tenth) > MOST
    are_babies = numbers.min() >= 0.3 and numbers.max() <= 6 and not np.any(np.round(numbers * 10, 6) % 1)
    is_body = plausible and bool(column.neighbours & {"body", "measure"} or to_a_tenth)
    return is_body or (are_babies and "medicine" in column.neighbours and column.distinct > 2)


def _without_nines(numbers: np.ndarray) -> np.ndarray:
    """Numbers without 99 or 999 at their end, which is no answer."""
    rest = numbers[numbers < numbers.max()]
    return rest if rest.size and numbers.max() in _NO_ANSWER and numbers.max() > 1.3 * rest.max() else numbers


_NO_ANSWER = (99, 999, 9999)


def written(column: Evidence) -> Finding | None:
    """What people wrote themselves: no header vouches for it, be the different texts few."""
    if column.magnitudes is not None or column.share(shapes.is_moment) >= 0.5 or _are_long_classes(column):
        return None
    may_be_long = column.topics & {"education", "job", "place", "origin", "family"}
    prose = column.share(shapes.is_prose)
    writes = column.word_count >= (5 if may_be_long else 3) and prose >= 0.3 and column.share(shapes.is_label) < 0.5
    is_story = column.word_count >= 3.5 and prose >= 0.5 and _explained_words(column) < 0.35
    tells = may_be_long and column.share(shapes.tells_of_somebody) >= 0.2
    if writes or is_story or tells:
        return Finding("identifier", f"{ASK}sentences, as in what people write themselves", TEXT)
    are_ills = column.share(meanings.is_sensitive) >= 0.6 and not column.share(shapes.tells_of_somebody)
    if column.topics & _TOLD_IN_WORDS and _is_wordy(column) and not are_ills:
        return Finding("identifier", f"{ASK}texts of several words: perhaps somebody wrote them", TEXT)
    if not column.topics & _OPEN_LISTS and _in_own_words(column):
        return Finding("identifier", f"{ASK}texts as people write them themselves", TEXT)
    return None


def _are_long_classes(column: Evidence) -> bool:
    """Long names of classes: answers to choose from, of words that nobody is called; or all in capitals, each of many
    rows, of mostly known words: `DISORDERS OF THE SKIN`."""
    is_told = common_classes(column) or answers(column) or offered_phrases(column) or rather_words(column)
    if (column.is_chosen or column.is_offered) and is_told:
        return True
    is_list = column.is_few and column.shared_by >= _OF_MANY_ROWS and column.share(str.isupper) == 1
    return is_list and bool(column.vouching & SENSITIVE) and explained_words(column) >= 0.6


_OF_MANY_ROWS = 20


def by_header(column: Evidence) -> Finding | None:
    """What the header says, if the values can be that."""
    is_moment = column.share(shapes.is_moment) > 0.9 and column.magnitudes is None
    if column.share(shapes.is_duration) > 0.9 and column.distinct >= _MANY:  # hours of a day have two digits
        return Finding("sensitive", "how long somebody took, to the second: others hardly know it", "measure")
    is_clock = "date" in column.topics and column.share(shapes.is_clock) == 1 and column.digits[0] == column.digits[1]
    if is_clock:
        return Finding(*BY_TOPIC["date"], "date")
    if is_moment and not column.topics & {"birth", "birthplace"}:
        return Finding(*BY_TOPIC["date"], "date")
    if "weight" in column.topics and may_be_bodies(column):
        return Finding(*BY_TOPIC["body"], "body")
    for topic in _ordered(column):
        if topic in ("thing", "category") and _tells_more(column):
            continue  # what the values say is more than that
        if topic == "job" and meanings.are_grades(column.sample):
            continue  # how much somebody likes it, or how good they are at it
        if topic in _VAGUE and may_name_somebody(column):
            continue
        if topic == "origin" and "result" in column.topics and column.magnitudes is not None:
            continue  # a mark in a language
        if fits(topic, column):
            return Finding(*BY_TOPIC[topic], topic)
    return None


def _tells_more(column: Evidence) -> bool:
    return is_yes_or_no(column) or meanings.are_grades(column.sample) or column.share(meanings.is_sensitive) >= 0.4


def _ordered(column: Evidence) -> list[str]:
    """The topics of the header, that which decides first; how many and when goes before what, unless how many days of
    illness or how much of a debt is told."""
    found = [topic for topic in BY_TOPIC if topic in column.topics]
    if "result" in found and column.magnitudes is None and {"education", "job", "family", "origin"} & {*found}:
        are_marks = meanings.are_grades(column.sample) or column.share(shapes.is_letter_grade) >= MOST
        found = found if are_marks else [topic for topic in found if topic != "result"]  # `EnglishEducation`
    if {"money", "job"} <= {*found} and column.magnitudes is None and not column.share(shapes.is_amount):
        found.remove("money")  # `cost_centre` holds codes
    is_money = "money" in found and column.share(shapes.is_amount) > 0.9
    front = [topic for topic in ("count", "date") if topic in found and fits(topic, column) and not is_money]
    is_small = column.is_whole and column.numbers is not None and column.numbers.max() <= 100
    told = SENSITIVE.intersection(found)
    if told and not (told == {"money"} and is_small):  # the total of years is no money
        front = ["date"] if "date" in found and column.share(shapes.is_moment) > 0.9 else []
    return [*front, *found] if not {"birth", "birthplace", "age"} & {*found} else found


def fits(topic: str, column: Evidence) -> bool:
    """Whether the values can be what the header says."""
    numbers = column.magnitudes
    if topic == "date":
        is_class = column.is_few and not is_yes_or_no(column) and column.word_count < _LABEL
        return column.share(shapes.is_moment) > 0.9 or is_class
    if topic == "birth":
        return numbers is not None or column.share(shapes.is_day) > 0.5 or column.is_few
    if topic == "postcode":
        return (column.share(shapes.is_code) > MOST and not column.is_few) or column.digits[0] >= 4
    if topic == "sex":
        return column.distinct <= _SEXES  # `tratamiento` is a form of address, or a treatment
    if topic == "age":
        return numbers is None or (numbers.min() >= -9 and numbers.max() < 1200)
    if topic == "measure" and column.share(shapes.leads_with_zero) > _SOME:
        return False  # `0309` is a code
    if topic in ("count", "year", "money", "measure"):
        is_class = column.is_few and not (topic == "money" and "category" in column.topics)
        return numbers is not None or is_class or column.share(shapes.holds_digit) > MOST
    if topic == "result" and numbers is None:
        is_text = column.word_count >= 2 and column.share(is_explained) < 0.5
        return not is_text and not ("thing" in column.topics or "category" in column.topics)
    if topic == "result" and numbers is not None and "rating" in column.topics and _are_years_at_school(column):
        return False
    if topic in _NO_AMOUNTS and numbers is not None and np.any(numbers % 1) and not column.is_few:
        is_count = "count" in column.topics or (topic == "education" and column.distinct <= _MANY)
        return is_count or not column.vouching  # means of answers, or shares
    if topic in ("thing", "category") and numbers is not None:
        return column.is_few or column.is_whole  # decimals are amounts
    return True


_SEXES = 8
_LABEL = 3
_SOME = 0.1
_NO_AMOUNTS = frozenset(["job", "origin", "family", "education"])


def _are_years_at_school(column: Evidence) -> bool:
    """Whether grades are those in which pupils are, as in `9` to `12`: marks begin at one, or end at ten."""
    numbers = column.numbers
    return numbers is not None and column.is_whole and numbers.min() >= 5 and 11 <= numbers.max() <= 13


def by_value(column: Evidence) -> Finding | None:
    """Without a header that speaks: dates, places, numbers."""
    if column.share(shapes.is_day) > 0.9:
        return Finding("quasi", "dates may be known", "date")
    if column.share(shapes.is_school_year) > 0.9:
        return Finding(*BY_TOPIC["year"], "year")
    if column.share(shapes.is_time) > 0.9 and column.magnitudes is None:
        return Finding("quasi", "times may be known", "date")
    if column.distinct == 1 and not is_yes_or_no(column):
        return Finding("quasi", "the same in every row")
    if column.share(shapes.is_place) > 0.5:
        return Finding("quasi", "places may be known", "place")
    if column.distinct >= _SEVERAL and column.share(_is_class_by_number) == 1:
        return Finding("quasi", "classes of a school may be known", "education")
    if meanings.are_sexes(column.sample):
        return Finding(*BY_TOPIC["sex"], "sex")
    if _are_years_of_people(column):
        return Finding(*BY_TOPIC["year"], "year")
    is_in_words = column.magnitudes is None and len(spoken(column.name)[0].split()) == 1
    if is_yes_or_no(column) and column.topics & {"person", "somebody"} and is_in_words:
        return Finding("quasi", "whether somebody is one may be known", "job")
    if is_yes_or_no(column):
        return Finding("sensitive", "yes or no tells little of who it is, but perhaps what nobody is to learn")
    if column.magnitudes is None and answers(column):
        return Finding("sensitive", "yes, no or something between: perhaps what nobody is to learn")
    if meanings.are_grades(column.sample) or _are_letter_grades(column):
        return Finding("sensitive", "grades, as somebody judged a person: not to be learnt", "result")
    if column.distinct > 1 and (column.share(meanings.is_test_result) == 1 or meanings.are_marks({*column.sample})):
        return Finding("sensitive", "results of tests are not to be learnt of a person", "result")
    if analytes(column):
        return Finding("sensitive", "what was measured is not to be learnt of a person", "measure")
    if column.share(meanings.is_sensitive) >= 0.4 or _are_bodies_with_ills(column):
        return Finding("sensitive", "illnesses, treatments, offences or parties: not to be learnt", "health")
    if column.share(shapes.is_pair) > 0.9:
        return Finding("sensitive", "two measures in one, as of a blood pressure: not to be learnt", "measure")
    if column.share(shapes.has_dose) >= 0.5 and column.magnitudes is None:
        return Finding("sensitive", "doses of medicines: what somebody takes is not to be learnt", "medicine")
    if column.share(shapes.is_amount) > 0.9:
        return Finding("sensitive", "amounts of money are not to be learnt", "money")
    if "rating" in column.topics and _are_years_at_school(column):
        return Finding(*BY_TOPIC["education"], "education")
    if column.magnitudes is not None:
        return _number(column)
    return None


def _are_years_of_people(column: Evidence) -> bool:
    """Whole numbers as years of births are: what was measured in a table of patients, and what was paid, is not so."""
    numbers = column.numbers
    if numbers is None or not column.is_whole or column.distinct < _SEVERAL:
        return False
    return bool(numbers.min() >= _FIRST_YEAR and numbers.max() <= _LAST_YEAR)


_FIRST_YEAR, _LAST_YEAR = 1900, 2040


def _are_letter_grades(column: Evidence) -> bool:
    """Marks as letters; up to three of them, without a sign behind any, are groups as well."""
    has_signs = any(len(text) == 2 for text in column.sample)
    return column.share(shapes.is_letter_grade) >= MOST and (has_signs or column.distinct > _GROUPS)


_GROUPS = 3


def _are_bodies_with_ills(column: Evidence) -> bool:
    """Parts of the body, and an illness among them: where it hurts."""
    ills, parts = (map(each, column.sample) for each in (meanings.is_sensitive, meanings.is_part_of_a_body))
    told = [is_ill or is_part for is_ill, is_part in zip(ills, parts, strict=True)]
    return column.share(meanings.is_sensitive) > 0 and sum(told) >= 0.6 * len(told)


def _is_class_by_number(text: str) -> bool:
    return text[:1].isdigit() and shapes.is_class_of_school(text)


_MANY = 30
_NOTHING = 0.1


def _are_amounts(column: Evidence) -> bool:
    """Many whole numbers from small to large, and often nothing, as in what people get or spend; no id is 0."""
    numbers = column.magnitudes
    if numbers is None or column.distinct < _MANY or numbers.min() < 0 or not column.is_whole:
        return False
    is_nothing = column.counts[numbers == 0].sum() >= _NOTHING * column.filled
    return bool(is_nothing) and column.digits[1] >= 3


def _are_round_amounts(column: Evidence) -> bool:
    """Numbers that end with zeros, the largest at least ten times the least, or nothing among them: sums that are
    agreed on; codes of places or of departments are of one length, and numbers that are given out lie evenly."""
    numbers = column.magnitudes
    if numbers is None or column.distinct < _SEVERAL or numbers.min() < 0 or lie_evenly(column):
        return False
    some = numbers[numbers > 0]
    are_of_many_sizes = some.size < numbers.size or some.max() >= 10 * some.min()
    return bool(np.all(some % 10 == 0) and some.max() >= _LARGE and are_of_many_sizes)


_LARGE = 1000


_HUNDRED = 100
"""Few numbers with decimals below are sizes and shares; above, what is paid to a few."""


def _number(column: Evidence) -> Finding:
    """Numbers without a header that speaks: what is known of a person is whole and small, such as an age."""
    numbers = column.magnitudes
    are_parts = numbers is not None and bool(np.any(numbers % 1)) and (not column.is_few or numbers.max() >= _HUNDRED)
    if column.share(shapes.has_cents) >= MOST or are_parts:
        return Finding("sensitive", "measured or paid, to the decimals: others hardly know it", "measure")
    if _are_amounts(column):
        return Finding("sensitive", "amounts of many sizes: others hardly know them", "money")
    if _are_round_amounts(column):
        return Finding("sensitive", "round amounts of many sizes: others hardly know them", "money")
    if is_code_list(column) or column.variety <= 0.5 or not column.is_whole or column.filled < 8:
        return Finding("quasi", "may be known of a person")
    low, high = column.digits
    if high <= 3 and column.variety <= 0.9:
        return Finding("quasi", "may be known of a person")
    if (high - low >= 2 and not lie_evenly(column)) or (numbers is not None and has_a_middle(numbers)):
        return Finding("sensitive", "amounts of many sizes: others hardly know them", "money")
    return Finding("identifier", f"{ASK}whole numbers, most of them once: perhaps an id")


_SEVERAL = 4
"""So many different words may be people; fewer are the states of something."""


def _may_be_called_so(column: Evidence) -> bool:
    """Single words in small letters, and no word among them that categories have."""
    words = column.share(lambda text: text.islower() and len(text) > 2 and text.replace(".", "").isalpha())
    return (
        column.distinct >= _SEVERAL
        and words >= MOST
        and not column.share(is_explained)
        and not column.share(meanings.is_noun)
    )


def text(column: Evidence) -> Finding:
    """Other texts: what somebody wrote is asked about; for the rest something has to vouch (`warrants`)."""
    told = column.share(shapes.is_label) >= 0.5 and column.word_count < 3
    if column.share(shapes.is_prose) >= 0.15 and not (told or are_all_explained(column) or _are_long_classes(column)):
        return Finding("identifier", f"{ASK}sentences are among the values")
    if column.letters_count >= (4 if column.is_few else 2.5) and not _are_long_classes(column):
        return Finding("identifier", f"{ASK}texts of several words: perhaps somebody wrote them")
    if not is_code_list(column) and not column.is_offered:
        return Finding("identifier", f"{ASK}texts of which each is that of few rows")
    return Finding("quasi", "may be known of a person: each value is that of many rows")
