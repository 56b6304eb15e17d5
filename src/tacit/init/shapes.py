"""What single values look like: addresses of mail and web, numbers with check digits, dates, codes, names of people."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from tacit.init.meanings import is_no_answer, is_noun
from tacit.init.vocabulary import (
    LANGUAGES,
    ambiguous_names,
    analytes,
    codes,
    family_names,
    frequent_diagnoses,
    given_names,
    is_ordinary,
    labels,
    places,
    plain,
    small_words,
    telling_words,
    words_of,
)

Test = Callable[[str], bool]


def like(pattern: str) -> Test:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None


is_initials = like(r"([A-Z]\.[ -]?){1,4}|[A-Z]\.? ?[A-Z]\.|[A-Z](\. ?[A-Z]){1,3}")
is_nested = like(r"[\[{](.|\n)*[\]}]|<\w+(.|\n)*>")
_SIGN = r"([€$£¥%₺₽₹₴]|(?:R|US|A|C|NZ|S)\$|EUR|USD|CHF|GBP|PLN|BRL|TRY|kr\.?|Rs\.?|zł|Kč|Ft|TL|lei)"
is_amount = like(rf"[-+]?{_SIGN} ?[-+]?\d[\d.,' ]*|[-+]?\d[\d.,' ]* ?{_SIGN}|\d[\d.,]*[kK]")
holds_picture: Test = lambda text: any(0x2600 <= ord(sign) <= 0x27BF or ord(sign) >= 0x1F000 for sign in text)  # noqa: E731
has_decimals = like(r"[-+]?\d[\d.,' ]*[.,]\d{1,2}")
is_written_number = like(r"[-+]?\d{1,3}(?:[.,' ]?\d{3})*(?:[.,]\d+)?|[-+]?\d+[.,]\d+")
has_cents = like(r"[-+]?\d[\d.,' ]*[.,]\d\d")
has_many_decimals = like(r"\d{1,2}[.,]\d{4,}")
is_tenth = like(r"\d+[.,]\d")
_COUNT = r"\d[\d.,]* ?[\w/%]{0,12}"
is_band = like(
    rf"[<>≤≥=]{{1,2}} ?{_COUNT}|[\[(]?{_COUNT} ?(-|–|to|bis|à|a|tot) ?{_COUNT}[\])]?"
    rf"|[\[(]{_COUNT} ?[,:] ?{_COUNT}[\])]|\d[\d.,]*\+"
)
is_email = like(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
is_phone = like(
    r"(\+|00)\d{1,3}[\d ()/.-]{6,16}|\(?0\d{1,5}\)?[ /.-]{1,3}[\d .-]{4,12}|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}"
    r"|8[ -]?\(?9\d{2}\)?[ -]?\d{3}[ -]?\d{2}[ -]?\d{2}"
)
is_bare_phone = like(r"0\d{8,11}|\d{9,11}")
is_code = like(r"[A-Za-z0-9_./-]+")
holds_digit: Test = lambda text: any(map(str.isdigit, text))  # noqa: E731

is_icd10 = like(r"[A-TV-Z]\d[0-9A-Z](\.[0-9A-Z]{1,4}|[0-9XAB]{1,4}[A-Z]?)?[+*!-]?")
_GROUP_OF_ATC = (
    r"(?:A(?:0\d|1[0-6])|B0[1-6]|C(?:0\d|10)|D(?:0\d|1[01])|G0[1-4]|H0[1-5]|J0[1-7]|L0[1-4]|M0[1-9]|N0[1-7]|P0[1-3]"
    r"|R0[1-7]|S0[1-3]|V(?:0\d|10))"
)
"""Of letters with two digits, one in thirty is a group of medicines."""
is_medicine = like(rf"{_GROUP_OF_ATC}[A-Z]{{1,2}}(?:\d{{2}})?")
is_icd9 = like(r"(\d{3}|V\d{2}|E\d{3})(\.\d{1,2})?")
is_atc = like(r"[A-DGHJLMNPRSV]\d{2}([A-Z]{1,2}(\d{2})?)?")
is_atc_in_full = like(r"[A-DGHJLMNPRSV]\d{2}[A-Z]{2}\d{2}")
is_frequent_diagnosis: Test = lambda text: is_icd10(text) and text[:3] in frequent_diagnoses()  # noqa: E731
is_analyte: Test = lambda text: "".join(words_of(text)) in analytes()  # noqa: E731
has_digits_of_a_float = like(r"-?\d{1,3}[.,]\d{11,}")
is_fine_decimal = like(r"-?\d{1,3}[.,]\d{4,}")
is_postcode = like(
    r"([A-Z]{1,2}-)?\d{4,5}(-\d{3,4})?|\d{4} ?[A-Z]{2}|[A-Z]{1,2}\d[A-Z0-9]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d"
    r"|\d{3} ?\d{2}|\d{2}-\d{3}|\d{3}-\d{4}"
)

is_outward = like(r"[A-Z]{1,2}\d{1,2}[A-Z]?(?: \d)?")
"""The first half of a British postcode, or one sign more."""

_NAME_LIKE = re.compile(r"[^\W\d_][^\W\d_'’.-]*(?:[ ,.'’&+/;-]+[^\W\d_][^\W\d_'’.-]*){0,5}\.?")


def is_proper(text: str) -> bool:
    """One to a few words without digits, all with a capital; small ones such as `van der` are let pass.

    >>> is_proper("Fischer, Björn"), is_proper("van der Berg"), is_proper("Never married"), is_proper("A12")
    (True, True, False, False)
    """
    words = re.findall(r"[^\W\d_]+", text)
    if len(text) == 1:  # in some scripts, too short for a name
        return False
    capitals = [word for word in words if not word[0].islower()]  # scripts without capitals may always be names
    small = all(not word[0].islower() or len(word) <= 3 for word in words)
    return bool(capitals) and small and _NAME_LIKE.fullmatch(text) is not None


def is_person(text: str) -> bool:
    """A text that holds a frequent name; a word alone must be nothing else, too.

    >>> is_person("Fischer, Björn"), is_person("Maria"), is_person("White"), is_person("Paris")
    (True, True, False, False)
    """
    words = words_of(text)
    known = [word for word in words if word in given_names() or word in family_names()]
    if len(words) == 1:
        return bool(known) and words[0] not in ambiguous_names() and words[0] not in places()
    return bool(known) and 2 * len(known) >= min(len(words), 4) and not holds_digit(text)


def is_also_a_name(text: str) -> bool:
    """A frequent name alone, though it be another word, too.

    >>> [is_also_a_name(text) for text in ("KOCH", "Winter", "Haushalt", "Koch, Anna")]
    [True, True, False, False]
    """
    return plain(text) in given_names() or plain(text) in family_names()


_TITLE = re.compile(
    r"\b(?:Oma|Opa|Tante|Onkel|Mama|Papa|Schwester|Bruder|Nachbarin?|Freundin?|Gattin|Gatte|Aunt|Uncle|Grandma|Grandpa|"
    r"Sister|Brother|Nurse|Sr\.|Pater|Padre|Oncle|Tata|Zia|Zio|T[íi]o|T[íi]a|Ing|Mag|Mgr|MUDr|adw|Mr|Mrs|Ms|Miss|Dr|Prof|"
    r"Herrn?|Frau|Hr\.|Fr\.|M\.|Mme|Mlle|Sra|Sig|Sig\.ra|Mevr|Dhr|Hr|Fru|Pan|Pani)\.? "
    r"(?:[A-Z]\. )?(?!Sc|Ed|Tech|Phil)(?:[^\W\d_a-z][^\W\d_]{2,}|[\u0370-\u9fff\uac00-\ud7a3]+)"
)


_INITIAL = re.compile(r"(?:[^\W\d_a-z]\.[ -]?){1,3} ?[^\W\d_a-z][^\W\d_]{2,}(?:[ -][^\W\d_]+)?")


def is_titled(text: str) -> bool:
    """A title or initials, then a name, and nothing else.

    >>> [is_titled(text) for text in ("Dr. Lenz", "K. Reid", "St. Veit", "Mr Tran", "Frau", "Sr. Analyst")]
    [True, True, False, True, False, False]
    """
    if _INITIAL.fullmatch(text) is not None:
        return True
    if len(text.split()) > 3 or _TITLE.match(text) is None:
        return False
    last = plain(text.split()[-1])
    return last not in labels() and not is_ordinary(last)


def mentions_somebody(text: str) -> bool:
    """A text of several words with a title before a name, or with a frequent given name among other words.

    >>> [mentions_somebody(text) for text in ("rude to Mrs. Lindqvist", "ask Petra in 4B", "Never married")]
    [True, True, False]
    """
    words = re.findall(r"[^\W\d_]+", text)
    if len(words) < 2:
        return False
    names = [word for word in words if not word[0].islower() and plain(word) in given_names()]
    others = ambiguous_names() | places() | labels() | small_words()
    known = [word for word in map(plain, names) if word not in others]
    return _TITLE.search(text) is not None or bool(known)


_LOGIN = re.compile(r"[a-z]+(?:[._-][a-z]+)?\d{0,4}")


def is_login(text: str) -> bool:
    """A word in small letters that is made of somebody's names: an initial and a name, or two names.

    >>> [is_login(text) for text in ("jsmith", "t.mueller", "anna.k", "lisa_b2", "smithj", "checkout", "marks")]
    [True, True, True, True, True, False, False]
    """
    if not text.islower() or _LOGIN.fullmatch(plain(text)) is None or text in labels():
        return False
    word = plain(text).rstrip("0123456789")
    parts = re.split(r"[._-]", word)
    pieces = parts if len(parts) > 1 else [word[1:], word[2:], word[:-1]]
    shortest = 3 if len(parts) > 1 else 4
    known = [piece for piece in pieces if piece in given_names() or piece in family_names()]
    return any(len(piece) >= shortest and piece not in ambiguous_names() for piece in known)


def is_letters(text: str) -> bool:
    """Two to four letters, as those of somebody's names.

    >>> [is_letters(text) for text in ("KD", "jsm", "Lü", "K2", "iOS")]
    [True, True, True, False, False]
    """
    return 2 <= len(text) <= 4 and text.isalpha() and (text.isupper() or text.islower() or text.istitle())


_LOCALE = re.compile(r"[a-z]{2}[_-][A-Z]{2}")


def is_known_code(text: str) -> bool:
    """A code of a country, a state, a currency, a day or a month; two small letters are one of a language.

    >>> [is_known_code(text) for text in ("FR", "fr", "lk", "usd", "KD", "sv_SE")]
    [True, True, False, True, False, True]
    """
    if _LOCALE.fullmatch(text) is not None:
        return text[:2] in LANGUAGES
    return text in LANGUAGES if text.islower() and len(text) == 2 else plain(text) in codes()


def leads_with_zero(text: str) -> bool:
    """Digits that begin with a zero as codes do.

    >>> [leads_with_zero(text) for text in ("01.11", "0815", "0.5", "10")]
    [True, True, False, False]
    """
    return text[:1] == "0" and text[1:2].isdigit()


_PAIR = re.compile(r"(\d{2,3}) ?/ ?(\d{2,3})", re.ASCII)


def is_pair(text: str) -> bool:
    """Two measures in one, as of a blood pressure, of which the first is the higher; a month and a year are none.

    >>> [is_pair(text) for text in ("128/82", "90 / 60", "12/27", "80/120")]
    [True, True, False, False]
    """
    found = _PAIR.fullmatch(text)
    return found is not None and int(found[1]) >= 60 and 30 <= int(found[2]) < int(found[1])


is_duration = like(r"\d:[0-5]\d:[0-5]\d(?:[.,]\d+)?")
_WORD = re.compile(r"[^\W\d_]{3,}")
_AMOUNT = re.compile(r"(?i)\b\d+(?:[.,]\d+)? ?(?:mg|mcg|µg|ug|g|kg|ml|cl|l|ie|iu|ui|%)(?![^\W_])")


def has_quantity(text: str) -> bool:
    """A thing and how much of it.

    >>> [has_quantity(text) for text in ("DOLIPRANE 1000MG CPR 8", "milk 1.5%", "Room 4 Gallery", "20 mg")]
    [True, True, False, False]
    """
    word = _WORD.search(text)
    return word is not None and _AMOUNT.search(text, word.end()) is not None


is_unit = like(
    r"(?i)(?:10\^?\d{1,2}|10\*\d{1,2}|[mµunpfk]?(?:g|mol|l|u|iu|eq|osm|kat)|mil|cells)/(?:d|m|µ|u|f|k)?(?:l|g|min|h|mol|ul|hpf|lpf)|"
    r"mm ?hg|bpm|beats/min|breaths/min|%|ratio|[mck]m|[mk]g|m?l|°?[cf]|kg/m[2²]|mmol|sec|ms|[ck]pa"
)
is_roman = like(r"(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3})")
is_class_of_school = like(r"(?:[IVX]{1,4}|1?\d)[ .-]?[A-Ha-h]")
is_letter_grade = like(r"[A-F][+-]?")
is_ordinal = like(r"\d{1,2}(?:st|nd|rd|th|e|er|eme|re|a|o|º|ª|\.)")
is_blood_group = like(r"(?i)(?:a|b|ab|0|o)[ -]?(?:rh)?[ -]?(?:\(?[+-]\)?|pos|neg)")
has_dose = like(r"(?i).*\d ?(?:mg|mcg|µg|ug|ie|iu|ui)\b.*")


def is_label(text: str) -> bool:
    """A text with a word that categories have, or an abbreviation."""
    is_short = text.isascii() and (len(text) <= 2 or (len(text) == 3 and not text.istitle()))
    return is_short or has_label(text) or is_noun(text)


def has_label(text: str) -> bool:
    """A text with a word that categories have."""
    return not labels().isdisjoint(words_of(text))


def is_place(text: str) -> bool:
    return plain(text) in places() or any(word in places() for word in words_of(text))


_DAY_FIRST = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})(?:,?[ T].*)?", re.ASCII)
_YEAR_FIRST = re.compile(r"(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?:,?[ T].*|([01]\d|2[0-3])[0-5]\d([0-5]\d)?)?", re.ASCII)
_MONTH = re.compile(r"(\d{1,2})[./-](\d{4})|(\d{4})[./-](\d{1,2})", re.ASCII)
_MONTHS = {
    begin: number
    for number, begins in enumerate(
        ("jan ene gen jän sty led", "feb fev fév lut", "mar mär mrt mrz", "apr abr avr kwi", "may mai maj mei mag",
         "jun giu cze", "jul lug lip", "aug ago aoû sie", "sep set wrz", "oct okt ott out paź", "nov lis",
         "dec dez dic déc gru"), 1
    )
    for begin in begins.split()
}  # fmt: skip
_NAMED_MONTH = re.compile(
    r"(?:[^\W\d_]{2,10}\.?,? )?(?:(?P<day>\d{1,2})(?:st|nd|rd|th|\.|º)?[ /-]?(?:de )?)?"  # Fri 5
    r"(?P<month>[^\W\d_]{3,10})\.?[ /-]?(?:(?P<after>\d{1,2})(?:st|nd|rd|th)?,? )?(?:de )?"  # March 5,
    r"(?:[\d:]{5,8} (?:[+-]\d{4} )?)?(?P<year>\d{4})(?:[ :T].*)?"  # 12:30:00 +0000 1961
)
_SHORT_DAY = re.compile(r"(?P<day>\d{1,2})[ -]?(?P<month>[^\W\d_]{3})[ -]?(?P<year>\d{2})(?: .*)?")
"""`05-JAN-24`, as databases write it."""


def _month(word: str) -> int:
    """The number of a month by how its name begins; 0 for no month."""
    return {"juin": 6, "juil": 7}.get(word[:4], _MONTHS.get(word[:3], 0))


def _in_full(year: int) -> int:
    """A year of two digits as one of four."""
    return year if year >= 100 else year + (1900 if year > 30 else 2000)


def day_of(text: str, *, month_first: bool = False) -> date | None:
    """The day that a text names, or the first of a month, if it is a date as people write it.

    >>> day_of("3.12.1985"), day_of("1985-12-03 10:30"), day_of("12/31/99", month_first=True), day_of("31.02.1999")
    (datetime.date(1985, 12, 3), datetime.date(1985, 12, 3), datetime.date(1999, 12, 31), None)
    >>> day_of("03/2011"), day_of("5 März 1961"), day_of("Mar 2020"), day_of("may be 2020")
    (datetime.date(2011, 3, 1), datetime.date(1961, 3, 5), datetime.date(2020, 3, 1), None)
    >>> day_of("05-JAN-24"), day_of("5Mar61"), day_of("12abc34")
    (datetime.date(2024, 1, 5), datetime.date(1961, 3, 5), None)
    """
    day, text = 1, text.removesuffix(".")
    if found := _YEAR_FIRST.fullmatch(text):
        year, month, day = map(int, found.groups()[:3])
    elif found := _DAY_FIRST.fullmatch(text):
        day, month, year = map(int, found.groups())
        if month_first:
            day, month = month, day
        year = _in_full(year)
    elif found := _MONTH.fullmatch(text):
        month, year = int(found[1] or found[4]), int(found[2] or found[3])
    elif found := _NAMED_MONTH.fullmatch(text.strip("[]")):
        month, year = _month(found["month"].lower()), int(found["year"])
        day = int(found["day"] or found["after"] or 1)
    elif found := _SHORT_DAY.fullmatch(text):
        day, month, year = int(found["day"]), _month(found["month"].lower()), _in_full(int(found["year"]))
    else:
        return None
    try:
        first, last = (1850, 2100) if text.isdigit() else (1500, 2300)  # those of research may be moved by centuries
        return date(year, month, day) if first <= year <= last else None
    except ValueError:
        return None


is_time = like(r"([01]?\d|2[0-4])[:.h][0-5]\d([:.][0-5]\d([.,]\d+)?)? ?([ap]\.?m\.?|Uhr)?")
is_clock = like(r"([01]\d|2[0-4])[0-5]\d")
is_year = like(r"(19|20)\d\d")
is_moment: Test = lambda text: is_day(text) or is_time(text)  # noqa: E731
_PARTICLES = frozenset(["van", "de", "der", "den", "het", "ter", "ten", "la", "le", "du", "des", "del", "della", "dei",
                        "di", "da", "dos", "von", "vom", "zu", "zum", "zur", "bin", "ben"])  # fmt: skip


def is_particle(text: str) -> bool:
    """What stands between given and family names, such as `van der`."""
    words = plain(text).split()
    return bool(words) and _PARTICLES.issuperset(words)


def names_after_a_word(text: str) -> bool:
    """A word without a capital, then one with: `huisarts Kuipers`.

    >>> [names_after_a_word(text) for text in ("huisarts Kuipers", "Never married", "iOS 17", "north America")]
    [True, False, False, False]
    """
    words = text.split()
    is_name = len(words) == 2 and words[0].islower() and words[1].istitle() and words[1].isalpha()
    return (
        is_name and plain(words[0]) not in _NONE and not (plain(words[1]) in labels() | places() or is_noun(words[1]))
    )


_NONE = frozenset(["kein", "keine", "keinen", "ohne", "sans", "sin", "senza", "zonder", "geen", "bez", "no"])
"""What stands before things that somebody does not have: `kein Abschluss`."""


def is_day(text: str) -> bool:
    """A day, or moment, as one language or another writes it; eight digits in any order.

    >>> [is_day(text) for text in ("5.3.1961", "20240131", "31012024", "01312024", "12345678")]
    [True, True, True, True, False]
    """
    return day_of(text) is not None or day_of(text, month_first=True) is not None or _is_day_in_digits(text)


def _is_day_in_digits(text: str) -> bool:
    """Day, month and year without a sign between them, or month, day and year."""
    if _EIGHT_DIGITS.fullmatch(text) is None or not 1900 <= int(text[4:]) <= 2040:
        return False
    first, second = int(text[:2]), int(text[2:4])
    return min(first, second) >= 1 and max(first, second) <= 31 and min(first, second) <= 12


_EIGHT_DIGITS = re.compile(r"\d{8}", re.ASCII)


def is_school_year(text: str) -> bool:
    """Two years that follow each other.

    >>> [is_school_year(text) for text in ("2021/22", "2021/2022", "2019/47")]
    [True, True, False]
    """
    found = _TWO_YEARS.fullmatch(text)
    return found is not None and (int(found[1]) + 1) % 100 == int(found[2][-2:])


_TWO_YEARS = re.compile(r"((?:19|20)\d\d) ?[/-] ?((?:19|20)?\d\d)", re.ASCII)


def is_prose(text: str) -> bool:
    """A text of several words with small ones between them, as sentences have.

    >>> is_prose("was treated with care"), is_prose("beer bread milk wine")
    (True, False)
    """
    words = plain(text).split()
    is_sentence = len(words) >= 3 and not small_words().isdisjoint(words)
    return is_sentence and not is_no_answer(text)


def tells_of_somebody(text: str) -> bool:
    """Several words, and one among them with which people tell of themselves or of another.

    >>> [tells_of_somebody(text) for text in ("I left school early", "she was a teacher", "some college, no degree")]
    [True, True, False]
    """
    words = plain(text).replace(",", " ").split()
    if "i" in words and _SAYS_I.search(text) is None:  # `policealne i zawodowe`
        words = [word for word in words if word != "i"]
    return len(words) >= 3 and not telling_words().isdisjoint(words) and not is_no_answer(text)


_SAYS_I = re.compile(r"\bI\b|^i ")


def ends_like_a_sentence(text: str) -> bool:
    """Several words with a stop that is no abbreviation's: `Es ist warm.`"""
    return _SENTENCE.fullmatch(text) is not None


_SENTENCE = re.compile(r"[^\W\d_]+ .*[^\W\d_]{3,}[.!?]|[^\W\d_]+[!?]")


def is_firm(text: str) -> bool:
    """A firm by its form, which may be called like its owner."""
    return _FIRM.search(plain(text)) is not None


_FIRM = re.compile(
    r"\b(?:gmbh|ag|kg|ohg|mbh|ltd|limited|inc|llc|plc|corp|corporation|sa|sl|srl|sas|sarl|eurl|bv|nv|ab|oy|oyj|as|aps|spa|"
    r"snc|kft|zrt|pty|pvt|holdings?|hnos|sanayi|ticaret|cia|lda|ltda|e k)\b|& (?:sons?|co|sohne|fils|zn)\b"
    r"|\bs ?[.] ?r[.] ?o\b|sp[.] z o"
)
