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
from tacit.init.evidence import Evidence
from tacit.init.finding import ASK, MOST, TEXT, Finding, is_code_list, is_yes_or_no
from tacit.init.unfolding import head_of
from tacit.init.vocabulary import (
    common_words,
    is_doer,
    is_ordinary,
    lists_of_codes,
    names_of_people,
    ordinary_words,
    plain,
    small_words,
)

Warrant = Callable[[Evidence], bool]

_QUANTITIES = frozenset(["age", "birth", "body", "count", "date", "measure", "money", "rating", "result", "year"])
"""Headers that speak of how much, how many or when."""
_PROPERTIES = frozenset(
    ["birthplace", "postcode", "place", "origin", "education", "job", "health", "medicine", "belief", "crime", "family",
     "sex", "thing", "item", "conduct"]
)  # fmt: skip
"""Headers that speak of what somebody is, has or did."""
_TOLD_IN_REMARKS = frozenset(["conduct", "item"])
_TOLD_IN_CLASSES = _PROPERTIES - _TOLD_IN_REMARKS
"""Of these, what is not told in remarks, too, as reasons are."""
_PROPER = frozenset(["birthplace", "place", "origin", "education", "job", "health", "medicine", "belief", "thing"])
"""Properties with values that no list has all of, and that are written like names: towns, trades, brands, saints."""


def explained_words(column: Evidence) -> float:
    """The share of words that are known ones, but for small words between them, in the mean of all values."""
    explains, may_be_initials = _explaining(column), _may_be_initials(column)
    shares = [
        _is_told_code(text, may_be_initials)  # `CA` is a state, and `ca` a small word
        or meanings.is_gene_or_dose(text)
        or shapes.is_band(text)
        or (not (may_be_initials and _are_two_letters(text)) and _explained_share(words, explains))
        for text, words in zip(column.sample, column.words, strict=True)
    ]
    told = [share for share, text in zip(shares, column.sample, strict=True) if plain(text) not in _AMONG_LOGINS]
    return float(np.mean(shares if all(shares) else told or [0.0])) if shares else 0.0


_AMONG_LOGINS = frozenset(["system", "admin", "root", "guest", "test", "user", "web", "batch", "import", "api"])
"""Words that stand among logins, too, and vouch for nothing beside what nobody knows."""


def _is_told_code(text: str, may_be_initials: bool) -> bool:
    return shapes.is_known_code(text) and not (may_be_initials and _are_two_letters(text))


def _are_two_letters(text: str) -> bool:
    return len(text) == 2 and shapes.is_letters(text)


def _may_be_initials(column: Evidence) -> bool:
    """Whether pairs of letters are no countries, no states, no days: some of any are codes of one list or another.
    Under a header that speaks of a thing, such as a payer, they are codes of that."""
    if "thing" in column.vouching:
        return False
    pairs = {plain(text) for text in column.sample if _are_two_letters(text)}
    enough = MOST if len(pairs) > _FEW_PAIRS else 1
    return bool(pairs) and not any(len(pairs & codes) >= enough * len(pairs) for codes in lists_of_codes())


_FEW_PAIRS = 5


def are_all_explained(column: Evidence) -> bool:
    """Few values of many rows each, without an unknown word in any: a list of classes, however long their names."""
    explains = _explaining(column)
    shares = (_explained_share(words, explains) for words in column.words)
    return column.is_few and column.shared_by >= 20 and all(share == 1 for share in shares)


def _explaining(column: Evidence) -> Callable[[str], bool]:
    """What tells that a word is no name. Remarks are made of ordinary words, too, and those with a capital are names of
    families (`Stone`, `Iglesia`): they tell it under a header that names a property, else only long ones do, single in
    small letters, or several together."""
    if column.vouching & _TOLD_IN_CLASSES:
        return _is_known_or_ordinary
    is_single, is_proper = column.word_count < _SINGLE, column.share(shapes.is_proper) >= MOST
    return _is_known_or_long if is_single != is_proper else is_known_word


_SINGLE = 1.5
"""Values have one word, mostly."""


def _explained_share(words: tuple[str, ...], explains: Callable[[str], bool]) -> float:
    large = [word for word in words if len(word) > 1 and not word.isdigit() and word not in small_words()]
    return sum(map(explains, large)) / max(len(large), 1)


def is_known_word(text: str) -> bool:
    """A word of categories, a place, an illness, a code for one of them, or a thing by its ending."""
    known = shapes.has_label(text) or shapes.is_place(text) or meanings.is_sensitive(text)
    return known or shapes.is_known_code(text) or meanings.is_noun(text) or meanings.is_test_result(text)


def _is_known_or_ordinary(text: str) -> bool:
    return is_known_word(text) or is_ordinary(plain(text))


def _is_known_or_long(text: str) -> bool:
    return is_known_word(text) or (len(text) >= _LONG and plain(text) in ordinary_words())


_LONG = 6
"""Ordinary words of fewer letters are often names of families."""


# Warrants: each is enough


def moments(column: Evidence) -> bool:
    """Days and times are nobody's name."""
    return column.share(shapes.is_moment) > 0.9


def answers(column: Evidence) -> bool:
    """Yes or no, and perhaps something between or beside them; or what begins with yes and with no, and was chosen."""
    said = [any(map(says, column.sample)) for says in (meanings.is_yes, meanings.is_no)]
    begun = [any(says(re.split(r"\W", text)[0]) for text in column.sample) for says in (meanings.is_yes, meanings.is_no)]
    are_chosen = column.is_chosen and column.distinct <= _CHOICES and all(begun)
    return is_yes_or_no(column) or (column.distinct <= _ANSWERS and all(said)) or are_chosen


_ANSWERS = 4
_CHOICES = 6


def quantities(column: Evidence) -> bool:
    """Numbers that count or measure something. Those that are given out to people are whole and lie evenly in a range
    that begins anywhere; what is counted or measured begins near nothing, has decimals, is round, or has a middle."""
    numbers = column.magnitudes
    if numbers is None:
        return max(column.share(shapes.is_amount), column.share(shapes.is_pair)) > 0.9
    if column.vouching & _QUANTITIES or np.any(numbers % 1) or numbers.min() < 0 or numbers.max() < _SMALL:
        return True
    if are_given_out(column):
        return False
    of_many_sizes = column.digits[1] - column.digits[0] >= 2 and not lie_evenly(column)
    is_counted = of_many_sizes or _begins_low_and_is_dense(numbers) or column.share(shapes.is_year) == 1
    return is_counted or bool(np.all(numbers % 5 == 0)) or has_a_middle(numbers)


_SMALL = 100
_OF_A_BODY = 300
"""Heights, weights, pulses and pressures are smaller, and do not begin near nothing."""


def _begins_low_and_is_dense(numbers: np.ndarray) -> bool:
    low, high = np.quantile(numbers, [0.05, 0.95])
    is_dense = np.count_nonzero((numbers >= low) & (numbers <= high)) >= 0.4 * (high - low + 1)
    return bool(is_dense and (high < _OF_A_BODY or low <= 0.5 * high))


def lie_evenly(column: Evidence) -> bool:
    """Whether numbers, nearly each of another row, lie evenly between the ends: drawn, not counted."""
    numbers = column.magnitudes
    if numbers is None or numbers.size < _ENOUGH_TO_TELL or column.variety < 0.9:
        return False
    place = (np.sort(numbers) - numbers.min()) / max(np.ptp(numbers), 1)
    return bool(np.abs(place - np.linspace(0, 1, place.size)).max() < _EVEN)


_ENOUGH_TO_TELL = 30
_EVEN = 0.1


def are_given_out(column: Evidence) -> bool:
    """Whether many whole numbers of equally many digits, at least three, lie evenly between the ends, most of them in
    one or two rows: numbers of rooms, of lockers or of people, whatever is measured is more frequent somewhere."""
    numbers, (low, high) = column.magnitudes, column.digits
    if numbers is None or low != high or low < _OF_A_NUMBER or column.variety <= 0.3 or numbers.size < _ENOUGH_TO_TELL:
        return False
    order = np.argsort(numbers)
    place = (numbers[order] - numbers.min()) / max(np.ptp(numbers), 1)
    reached = np.cumsum(column.counts[order]) / column.filled
    return bool(np.abs(place - reached).max() < _EVEN)


_OF_A_NUMBER = 3


def has_a_middle(numbers: np.ndarray) -> bool:
    """Whether different numbers are more frequent in the middle half of their range than everywhere, or in the lower:
    of numbers that were given out, half lie in each half."""
    if numbers.size < _ENOUGH_TO_TELL:
        return False
    place = (numbers - numbers.min()) / max(np.ptp(numbers), 1)
    return bool(max(np.mean(np.abs(place - 0.5) < 0.25), np.mean(place < 0.5)) >= 0.72)


def bands(column: Evidence) -> bool:
    """Ranges of numbers, or numbers with a unit: `18-25`, `<12m`, `60+`, `1-3 years`, `More than 3`."""
    enough = _tells_how_much if column.vouching & _QUANTITIES else shapes.is_band
    return column.is_few and column.share(enough) >= 0.5 and column.word_count < 4


def _tells_how_much(text: str) -> bool:
    """A number, perhaps behind a word: `over 65`; letters right before digits are codes: `kb3`, `B4.43`, `K-EG 643`."""
    return shapes.holds_digit(text) and _CODE.match(text) is None


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
    """One value in all rows tells nobody apart; a name it may still be, which a code is not."""
    return column.distinct == 1 and column.share(shapes.is_code) == 1 and not column.share(shapes.is_proper)


def known_words(column: Evidence) -> bool:
    """Words that categories, places or illnesses have: half of them, for no list has all, but more where values have
    several, for remarks are made of known words, too. Short codes may stand among few: `A`, `B`, `Healthcare`."""
    are_titles = column.share(lambda text: shapes.is_proper(text) and not text.isupper()) >= MOST  # `Pets & Animals`
    enough = 0.5 if column.word_count < _SINGLE or are_titles else 0.7
    codes = column.share(_is_short_code) if column.is_few else 0.0
    return explained_words(column) >= enough * (1 - codes) > 0 and column.word_count < 4


_SHORT = 3


def _is_short_code(text: str) -> bool:
    """A sign, or up to three with a digit and no two letters together: too short to be anybody's, unlike `kb3`."""
    are_letters = [sign.isalpha() for sign in text]
    are_together = any(before and after for before, after in pairwise(are_letters))
    return len(text) == 1 or (len(text) <= _SHORT and shapes.holds_digit(text) and not are_together)


def common_classes(column: Evidence) -> bool:
    """Few values, each of several rows, of which nearly all are made of words that nobody is called, or that stand in
    small letters behind one with a capital. Remarks are made of them, too: they begin small, and tell of somebody."""
    is_answer = column.is_question and column.is_chosen and column.word_count >= _SINGLE
    speaks_of_people = column.topics & _OF_PEOPLE or column.share(shapes.tells_of_somebody)
    if not is_code_list(column) or (speaks_of_people and not is_answer):
        return False
    longest = _LABEL if column.vouching & _TOLD_IN_CLASSES else _SINGLE
    if column.word_count >= longest and column.begins_small > 1 - MOST:
        return False
    told = sum(_is_told(text, words) for text, words in zip(column.sample, column.words, strict=True))
    return told >= max(_SOME_CLASSES, (_NEARLY_ALL if column.is_few else _MANY_OF_MANY) * column.distinct)


_LABEL = 2.5
"""Words of a label; remarks have more."""
_NEARLY_ALL = 0.75
_MANY_OF_MANY = 0.6
"""Of more values than a few: one family name in twenty is a word that no list of names has."""


def _is_told(text: str, words: tuple[str, ...]) -> bool:
    """Whether nothing of a value can be a name; one letter with small words, as in `R on L`, is none."""
    large = [word for word in words if len(word) > 1 and not word.isdigit() and word not in small_words()]
    if shapes.is_band(text) or not large:
        return shapes.is_band(text) or not small_words().isdisjoint(words)
    if len(words) == 1 and len(text) < _SHORTEST_CLASS:
        return is_known_word(words[0])
    small = {plain(word) for word in re.findall(r"[^\W\d_]+", text) if word.islower()} if text[0].isupper() else set()
    return all(word in small or _is_nobody(word) for word in large)


_SHORTEST_CLASS = 4
"""Fewer letters alone may be somebody's initials."""


def _is_nobody(word: str) -> bool:
    return (word in common_words() or is_known_word(word)) and word not in _AMONG_LOGINS


def small_classes(column: Evidence) -> bool:
    """Few words in small letters, each of many rows, half of them known, and nothing that sounds like somebody: names
    have capitals, and logins have fewer known words among them. What merely ends like a word tells nothing alone, for
    families are called so, too: `manning`, `estrada`, `rosengarten`."""
    if not column.is_few or column.shared_by < _OF_MANY_ROWS or column.word_count >= _SINGLE or is_doer(column.name):
        return False
    if column.topics & _OF_PEOPLE or column.share(lambda text: text.islower() or shapes.is_band(text)) < 1:
        return False
    if column.share(lambda text: shapes.is_also_a_name(text) or shapes.is_login(text) or shapes.is_letters(text)):
        return False
    said = [text for text in column.sample if plain(text) not in _OF_NOTHING and not meanings.is_no_answer(text)]
    known = sum(_is_known_or_ordinary(text) or shapes.is_band(text) for text in said)
    with_endings = sum(_is_known_or_ordinary(text) or shapes.is_band(text) or _ends_like_a_word(text) for text in said)
    return known >= _SOME_KNOWN and with_endings >= max(_SOME_CLASSES, 0.5 * column.distinct)


_OF_MANY_ROWS = 10
_SOME_KNOWN, _SOME_CLASSES = 1, 2
_OF_PEOPLE = frozenset(["name", "somebody", "person", "email", "phone", "online", "address", "text", "question"])
_OF_NOTHING = _AMONG_LOGINS | {"team", "office", "other", "unknown", "none"}


def _ends_like_a_word(text: str) -> bool:
    """A compound with an ordinary word at its end, or what things are like."""
    word = plain(text)
    is_compound = len(word) >= _LONG_COMPOUND and head_of(word, ordinary_words()) is not None
    return is_compound or meanings.is_like_an_adjective(word)


_LONG_COMPOUND = 9


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


def fitting_header(column: Evidence) -> bool:
    """A header that names a property, above values that such a property can have."""
    no_family = "somebody" in column.topics or not column.is_few
    vouching = column.vouching & _PROPERTIES - ({"family"} if no_family else set())
    explained = explained_words(column)
    is_explained = explained >= 0.3
    if _stands_for_much(column, vouching) and not is_explained:
        return False
    if not vouching or (not is_explained and (is_doer(column.name) or _are_many_letters(column))):
        return False
    if are_given_out(column) and column.variety > 0.5 and "postcode" not in vouching:
        return False
    if column.magnitudes is not None or vouching & _PROPER or ("sex" in vouching and column.distinct <= 4):
        return True
    is_unknown = not explained if "item" in vouching else not is_explained
    are_unknown = is_unknown and vouching <= _TOLD_IN_REMARKS and column.length < _LONG_COMPOUND
    are_unknown = are_unknown and column.share(_is_small_word) >= MOST
    return (column.share(shapes.is_proper) < MOST and not are_unknown) or is_explained


def _is_small_word(text: str) -> bool:
    return text.isalpha() and text.islower()


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


_WARRANTS: tuple[Warrant, ...] = (
    moments, answers, quantities, bands, one_of_two, constants, known_words, with_quantities, units, roman_numbers,
    short_codes, numbered, common_classes, small_classes, fitting_header,
)  # fmt: skip


def speaks_against(column: Evidence) -> bool:
    """What no warrant outweighs: values that hold somebody's name behind a word or a title."""
    if column.magnitudes is not None:
        return False
    if column.vouching & _CALLED_LIKE_PEOPLE and _are_called_so(column):
        return True
    if column.vouching & {"place", "birthplace", "thing", "medicine"}:
        return False
    if column.share(shapes.names_after_a_word) >= 0.1 or column.share(shapes.is_titled) >= 0.1:
        return True
    names = column.share(shapes.is_also_a_name)
    are_names = names >= 0.5 if column.distinct >= _SEVERAL else names >= 0.75 and column.distinct >= _SOME_NAMES
    return are_names and not column.vouching & (_TOLD_IN_CLASSES - _OF_SOMEBODY)


def _are_called_so(column: Evidence) -> bool:
    """Whether most single words under a header of places or things are names of people, and unknown as anything else:
    a third of towns are called like somebody, too."""
    if column.word_count >= _SINGLE or column.distinct < _SOME_NAMES:
        return False
    names = column.share(lambda text: plain(text) in names_of_people() and not is_known_word(text))
    return names >= _MOST_NAMES


_MOST_NAMES = 0.6
_CALLED_LIKE_PEOPLE = frozenset(["place", "birthplace", "thing", "education"])
_OF_SOMEBODY = {"belief", "health", "crime"}
"""Headers that name such a property may also say whose it is: a doctor's, a board's, a lawyer's."""
_SEVERAL = 5
"""Fewer words of which half are names, too, are colours or seasons."""
_SOME_NAMES = 3


def is_warranted(column: Evidence) -> bool:
    """Whether something vouches for the values."""
    return not speaks_against(column) and any(warrant(column) for warrant in _WARRANTS)


def are_warranted_items(header: str, items: Sequence[str]) -> bool:
    """Whether something vouches for the items of sets: a header of things, or the items as a column of their own."""
    column = Evidence(header, pa.array(items, pa.large_string()), np.ones(len(items), np.int64), len(items), len(items))
    are_things = "item" in column.vouching and not column.topics & {"person", "somebody", "name"}
    return are_things or is_warranted(column)


def unwarranted(column: Evidence) -> Finding:
    """The question that the job file asks where nothing vouches for a column."""
    texts = "codes" if column.share(shapes.holds_digit) > 0.5 else "texts"
    what = "numbers" if column.magnitudes is not None else texts
    return Finding("identifier", f"{ASK}{what} that nothing vouches for: perhaps they name somebody", TEXT)
