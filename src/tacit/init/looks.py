"""Values that name somebody whatever the header, and what looks like names, addresses, text or numbers."""

from __future__ import annotations

import re

import numpy as np

from tacit.init import addresses, shapes, sure
from tacit.init.attributes import diagnoses
from tacit.init.evidence import Evidence
from tacit.init.finding import ASK, BY_TOPIC, MOST, TEXT, Finding, hidden
from tacit.init.towns import are_known_as_such

_SOME = 0.01
"""Such a share of values that are never met by chance is enough."""
_PARTED = 0.3
"""So many cells with a sign between wares are sets of them."""
_LONG = 100
"""A text of more characters is no label."""


def sure_shape(column: Evidence) -> Finding | None:
    """Addresses of mail, phone numbers, accounts and the like."""
    is_fraction = column.numbers is not None and not column.is_whole  # digits behind a point are no number of anybody
    for what, fits in sure.SURE.items():
        if column.share(fits) >= MOST and not column.are_iso_days and not is_fraction:
            return hidden(what)
    for what in sure.NEVER_BY_CHANCE:
        if column.share(sure.SURE[what]) >= _SOME:
            return hidden(f"some values are {what}")
    for what, fits in sure.CHECKED.items():
        if column.share(fits) >= 0.99 and column.distinct >= 20:
            return hidden(what)
    return hidden("some values hold e-mail addresses") if column.mail_share >= 0.005 else None


def are_citizens(column: Evidence) -> bool:
    """Numbers of which everybody has one, by how they are made."""
    is_checked = column.distinct >= 20 and any(column.share(fits) >= 0.99 for fits in sure.CHECKED.values())
    return is_checked or column.share(sure.SURE["numbers of citizens"]) >= MOST


_MAY_SOUND_LIKE_NAMES = frozenset(
    ["birthplace", "postcode", "place", "origin", "education", "job", "health", "medicine", "belief", "item"]
)
"""Towns, schools, saints and illnesses are called like people; causes, results and states are not."""


def names_by_value(column: Evidence) -> Finding | None:
    """Names of people: frequent ones, or words that combine as they do."""
    if column.magnitudes is not None:
        return None
    if "item" in column.topics and column.share(lambda text: ";" in text or "|" in text) >= _PARTED:
        parts = {part.strip() for text in column.sample for part in re.split("[;|]", text)}
        are_people = sum(map(shapes.is_person, parts)) >= 0.2 * len(parts)
        return hidden("names of people among what is parted") if are_people else None
    if column.share(shapes.is_particle) >= MOST:
        return hidden("parts of names, such as `van der`")
    if column.share(shapes.is_titled) >= 0.3 and not column.topics & {"place", "education"}:
        return hidden("titles or initials before names")
    people, proper = column.share(shapes.is_person), column.share(shapes.is_proper)
    if proper >= MOST and _combine(column):
        return hidden("first and last words combine as in names of people")
    if column.share(shapes.is_place) >= people:
        return None
    enough = 0.5 if column.topics & _MAY_SOUND_LIKE_NAMES else 0.2
    if (people >= enough and proper >= MOST) or people >= max(enough, 0.6):
        return hidden("they look like names of people")
    return None


def _combine(column: Evidence) -> bool:
    """Whether values are made of few words in many combinations, and the words are no labels."""
    words = {word for value in column.words for word in value}
    several = 1.8 <= column.word_count <= 4 and column.distinct >= 6
    return several and len(column.words) > 0.9 * len(words) and column.share(shapes.is_label) < 0.3


def initials(column: Evidence) -> Finding | None:
    """Letters with points, but for those of degrees and forms of address."""
    if column.share(shapes.is_initials) < MOST or column.topics & {"education", "sex"} or column.distinct < 3:
        return None
    return hidden("they look like initials")


_SPEAKS_OF_THINGS = frozenset(["place", "education", "health", "medicine", "thing"])


def logins(column: Evidence) -> Finding | None:
    """Words in small letters that are made of frequent names, as logins and short names of staff are."""
    if column.magnitudes is not None or column.topics & _SPEAKS_OF_THINGS:
        return None
    enough = 0.5 if "job" in column.vouching else 0.2  # `marin-pêcheur` is a trade
    return hidden("they look like logins, made of names") if column.share(shapes.is_login) >= enough else None


def nested(column: Evidence) -> Finding | None:
    """Cells that hold tables or pages of their own: nobody has looked into them."""
    if column.share(shapes.is_nested) < 0.5:
        return None
    return Finding("identifier", "records within a record (JSON or the like): anything may stand in them", TEXT)


def streets(column: Evidence) -> Finding | None:
    are_streets = max(column.share(addresses.is_street), column.share(addresses.is_street_name)) >= 0.5
    return hidden("they look like addresses") if are_streets else None


def phones(column: Evidence) -> Finding | None:
    """Numbers as long as those of phones, which are hardly ever shared."""
    if column.share(shapes.is_bare_phone) < MOST or column.variety < 0.5 or column.topics & {"money", "count"}:
        return None
    return hidden("long numbers, hardly any of them twice")


def free_text(column: Evidence) -> Finding | None:
    """Texts of several words that hardly come back, and labels among which somebody wrote a sentence or two."""
    is_long = (column.word_count >= 4 or column.length >= 40) and column.share(shapes.is_day) < 0.5
    varied = column.variety >= 0.3 or column.distinct > 200
    if is_long and varied and column.share(lambda text: " " in text) >= 0.5:
        return Finding("identifier", "long texts, hardly any of them twice", TEXT)
    is_offered = column.is_chosen and column.begins_small <= 1 - MOST
    asks = column.is_question and column.share(shapes.is_prose) and not column.share(shapes.is_band)
    if asks and not is_offered and column.magnitudes is None:
        return Finding("identifier", "named like an open question, and sentences are among the answers", TEXT)
    speaks = column.topics & BY_TOPIC.keys() or column.share(shapes.is_place) > 0.2
    if not speaks and column.magnitudes is None and column.share(shapes.mentions_somebody) >= _SOME:
        return Finding("identifier", "some values mention somebody", TEXT)
    if column.share(shapes.holds_picture) >= 0.05:
        return Finding("identifier", "pictures stand in them, as in what people write themselves", TEXT)
    if column.share(_is_long_prose):
        return Finding("identifier", "some values are long texts", TEXT)
    return None


def _is_long_prose(text: str) -> bool:
    return len(text) > _LONG and shapes.is_prose(text)


def own_values(column: Evidence) -> Finding | None:
    """Texts of which nearly everybody has another one; codes and dates can still be put into groups."""
    if column.magnitudes is not None or column.filled < 8 or column.share(shapes.is_moment) > 0.9:
        return None
    coded = ("postcode" in column.topics and column.share(shapes.is_postcode) > MOST) or diagnoses(column) is not None
    is_told = column.vouching & {"place", "birthplace", "job"} and column.word_count < 4 and are_known_as_such(column)
    if column.variety <= 0.5 or coded or is_told:
        return None
    if column.share(shapes.is_amount) > 0.9 or column.share(shapes.is_pair) > 0.9:
        return None
    if column.share(shapes.is_written_number) > 0.9:
        why = "numbers that are written in several ways, such as 1,234.5 and 1.234,5"
        return Finding("identifier", f"{ASK}{why}: write them in one, and they can be published")
    return Finding("identifier", "most rows have a value of their own")


def numbering(column: Evidence) -> Finding | None:
    """Whole numbers that count rows, or that stand together in the rows of one thing."""
    numbers = column.magnitudes
    if not column.is_whole or numbers is None:
        return None
    numbers = -numbers if numbers.max() < 0 else numbers
    if not column.topics & _OF_DAYS and _are_drawn(column):
        return Finding("identifier", f"{ASK}numbers as they are given out, whatever the header says: perhaps an id")
    if column.topics & _MEASURED:
        return None
    if "count" in column.topics and not _are_long_and_own(column):
        return None
    is_postcode = "postcode" in column.vouching and column.share(shapes.is_postcode) > MOST
    if is_postcode or (column.share(shapes.is_day) > 0.9 and column.digits in _DIGITS_OF_MOMENTS):
        return None
    low, high = column.digits
    spread = np.ptp(numbers)
    if column.variety > 0.9 and column.filled >= 8 and (spread < 2 * column.filled or _rise(numbers)):
        return Finding("identifier", "they number the rows")
    if column.variety > 0.9 and column.filled >= 8 and column.topics & {"item", "category"}:
        return Finding("identifier", "named like a code, and most rows have another")
    if _are_nobody_elses(column):
        return Finding("identifier", "no two rows have the same number, as chance would have it: they were given out")
    many = column.variety > 0.5 and column.filled >= 8
    if (many or (column.distinct > 50 and not column.vouching & BY_TOPIC.keys())) and low == high and low >= 5:
        return Finding("identifier", f"{ASK}whole numbers of {low} digits each: perhaps an id")
    is_sorted = column.distinct > 50 and column.stretches <= column.distinct and _rise(numbers)
    if is_sorted and not column.topics & BY_TOPIC.keys() and numbers.max() > 130 and column.share(shapes.is_year) < 1:
        return Finding("identifier", f"{ASK}equal numbers stand together, and rise: perhaps the id of a person")
    if 0.1 < column.variety < 0.9 and column.distinct > 20 and column.stretches <= 1.05 * column.distinct and high >= 3:
        return Finding("identifier", f"{ASK}equal numbers stand together: perhaps the id of a household or a person")
    return None


def _are_nobody_elses(column: Evidence) -> bool:
    """Whether whole numbers hardly ever come back where so many that are drawn between the same ends would: those that
    are given out are drawn without putting back. How many pairs are due is counted by tenths of the values."""
    if column.numbers is None or column.distinct < _ENOUGH:
        return False
    parts = np.array_split(np.sort(column.numbers), 10)
    due = sum(part.size**2 / (2 * (np.ptp(part) + 1)) for part in parts)
    pairs = float(np.sum(column.counts * (column.counts - 1.0)) / 2)
    return bool(due >= _DUE and pairs <= 0.1 * due)


_ENOUGH = 50
_DUE = 8
"""So many equal pairs that are due are not all missing by chance."""


def _rise(numbers: np.ndarray) -> bool:
    """Whether whole numbers grow from row to row, as those that are given out; values stand in the order of rows."""
    return bool(np.all(np.diff(numbers) > 0))


_DIGITS_OF_MOMENTS = ((8, 8), (12, 12), (14, 14))
"""`20240131`, and with the minute or the second behind it."""
_OF_DAYS = frozenset(["year", "birth", "age", "date", "postcode", "place", "birthplace", "job", "health", "medicine"])
"""What is told in numbers of a list, or of a calendar, that come back."""


def _are_drawn(column: Evidence) -> bool:
    """Whether large whole numbers come back never, or lie evenly and come back far oftener than by chance: no amount
    is so, whatever the header calls it; the numbers of people are, each in one row or in all of theirs."""
    if column.numbers is None or column.distinct < _ENOUGH or column.numbers.min() < 0 or column.numbers.max() < 1000:
        return False
    if np.mean(column.numbers % 10 == 0) > _ROUND or column.share(shapes.is_day) > 0.9:
        return False
    place = (np.sort(column.numbers) - column.numbers.min()) / np.ptp(column.numbers)
    lie_evenly = np.abs(place - np.linspace(0, 1, column.distinct)).max() < _EVEN
    due = column.filled**2 / (2 * (np.ptp(column.numbers) + 1))
    pairs = float(np.sum(column.counts * (column.counts - 1.0)) / 2)
    is_odd = pairs >= _FAR * due if pairs > _DUE else due >= _DUE_OF_EVEN and not pairs
    return bool(lie_evenly and column.variety > _OF_FEW_ROWS and is_odd)


_ROUND = 0.3
_FAR = 4
_DUE_OF_EVEN = 3
_EVEN = 0.12
_OF_FEW_ROWS = 0.2
_MEASURED = frozenset(["money", "measure", "body", "age", "year", "birth"])


def _are_long_and_own(column: Evidence) -> bool:
    """Long numbers, most of them once: how many there are of something is never so, whatever the header."""
    return column.variety > 0.5 and column.filled >= 8 and column.digits[0] == column.digits[1] >= 5
