"""Words in several languages: what headers of columns speak of, names of people, and places.

They lie in `words/`, so that a language or a topic is added without a line of code.
"""

from __future__ import annotations

import lzma
import re
import tomllib
import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from tacit.init.phrases import Lexicon, lexicon_of
from tacit.init.unfolding import head_of, meant_by, pieces_of

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_IN_ID = frozenset(["covid", "paid", "unpaid", "prepaid", "solid", "acid", "valid", "invalid", "grid", "mid", "said",
                    "raid", "aid", "fluid", "thyroid", "steroid", "opioid", "rapid", "lipid", "android", "typhoid",
                    "rheumatoid", "hybrid", "madrid", "bid", "kid", "lid", "avoid", "void", "liquid"])  # fmt: skip
"""Words that end as ids do."""
_SAYS_NUMBER = re.compile(r"[#№]|\b[Nn]\.?[º°]|\b[Nn]r\b|[a-z]{2}[nN]r(?![A-Za-z])")
_UNIT = re.compile(r"(?i)(?<![a-z])(?:[mµn]?g|[mµn]?mol|m?u|meq|mval|pg|fl)/(?:d?l|ml|min|m2)|mm ?hg|"
                   r"(?<![a-z])(?:bpm|kg/m[2²]|°c|mm|‰)(?![a-z])|"
                   r"_(?:[mµun]?g|m[lms]|[mµun]?mol|m?g_?dl|[nµu]g_?ml|[gu]_?l|mm_?hg|iu|pct)$")  # fmt: skip
"""Units in which measures of bodies are."""
_CONCEPT = re.compile(r"\bconcept id$")
"""In OMOP, the code of what a row tells, not of whom."""
_ASKS = re.compile(r"(?i)^(?:is|has)[ _.]+(?=[^\W\d_])")
"""How a flag begins: work is called so in Turkish, too."""
_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ı": "i"})
_ONE_LETTER = re.compile("([aou])e")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def plain(text: str) -> str:
    """A text without capitals and accents.

    >>> plain("Prénom"), plain("Straße")
    ('prenom', 'strasse')
    """
    parts = unicodedata.normalize("NFKD", text.lower().translate(_LETTERS))
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text, plain.

    >>> words_of("Fischer, Björn")
    ('fischer', 'bjorn')
    """
    return tuple(re.findall(r"[^\W_]+", plain(text)))


def spoken(header: str) -> tuple[str, str]:
    """A header as words between blanks, once with umlauts as one letter, once as two.

    >>> spoken("dateOfBirth"), spoken("Größe_cm")
    (('date of birth', 'date of birth'), ('grosse cm', 'groesse cm'))
    >>> spoken("IsConverted"), spoken("is")
    (('converted', 'converted'), ('is', 'is'))
    """
    parted = _ASKS.sub("", _CAMEL.sub(" ", unicodedata.normalize("NFC", header)))
    one, two = (" ".join(words_of(text)) for text in (parted, parted.lower().translate(_UMLAUTS)))
    return one, two


@cache
def topics_of(header: str) -> frozenset[str]:
    """What a header speaks of.

    >>> sorted(topics_of("Geburtsdatum")), sorted(topics_of("customer_id"))
    (['birth', 'date'], ['id', 'person'])
    """
    asks = _ASKS.match(_CAMEL.sub(" ", header)) is not None
    whole = " ".join(words_of(header)) if not asks else spoken(header)[0]  # `DUPERSID9` and `pc4` as they stand, too
    texts = {*spoken(header), whole, *_heads(header)}
    found = _spoken_of(texts) | _abbreviated(header)
    found |= _pieced(header) if found <= _SAYS_LITTLE else set()
    found |= {"id"} if _ends_like_an_id(header, whole) else set()
    found |= {"id", "person"} if _OF_SOMEBODY.search(whole) else set()
    found -= {"id"} if _CONCEPT.search(whole) else set()
    found |= {"number"} if _SAYS_NUMBER.search(header) else set()
    ills = sensitive_words().intersection(word for word in whole.split() if len(word) >= _SHORTEST_ILL)
    found |= {"health"} if ills and not found else set()
    return frozenset(found | {"measure"} if _UNIT.search(header) else found)


_OF_SOMEBODY = re.compile(
    r"\b(?:child|kid|mom|mother|stud|student|pers|person|subj|pat|patient|user|emp|resp|case|indiv|ind)ids?\b|^id(?:code|num|no|nr)$"
    r"|\b(?:stud|pers|subj|pat|user|emp|resp) ?(?:nr|no|num|nummer|number)\b|\bpat id\b"
)
"""Whose number it is, in one word: `childid`, `idcode`."""
_SAYS_LITTLE = frozenset(["thing", "category", "named_thing", "number"])
"""What a header says beside what it is about: `Diab.Type`."""
_SHORTEST_ILL = 4
"""Shorter words are other things, too: `add`, `tea`."""


def _spoken_of(texts: Iterable[str]) -> set[str]:
    """What texts speak of.

    >>> sorted(_spoken_of(["medical specialty"])), sorted(_spoken_of(["medical"]))
    (['job'], ['health'])
    """
    return _topics().spoken_of(texts)


def _unknown_words(header: str) -> set[str]:
    """Words of a header that no topic has."""
    return {word for text in spoken(header) for word in text.split() if word.isalpha() and not _spoken_of([word])}


@cache
def _heads(header: str) -> frozenset[str]:
    """The words that say what unknown compounds are.

    >>> _heads("Förvärvsinkomst"), _heads("income")
    (frozenset({'inkomst'}), frozenset())
    """
    found = (head_of(word, _single_words(_COMPOUNDING)) for word in _unknown_words(header))
    return frozenset(head for head in found if head is not None)


def _abbreviated(header: str) -> set[str]:
    """What words that are cut short speak of."""
    short = (word for word in _unknown_words(header) if not is_ordinary(word))
    return {topic for word in short for topic in meant_by(word, _single_words())}


def _pieced(header: str) -> set[str]:
    """What the last word that is a row of pieces speaks of: `nwifeinc` is an income.

    >>> [sorted(_pieced(header)) for header in ("nwifeinc", "smsa", "yngkid", "wage2", "xq", "ahcavote", "climate")]
    [['money'], ['place'], ['family'], ['money'], [], ['belief'], []]
    """
    known, aside = _pieces()
    words = [word for word in spoken(header)[0].split() if word.isalpha() and len(word) >= _SHORTEST_PIECED]
    telling = [word for word in words if word not in aside] or words  # `EthCat` is no pet
    rows = [found for word in telling if (found := pieces_of(word, known, aside))]
    if rows:
        return set(known[rows[-1][-1]])
    whole = " ".join(words_of(header)).split()
    ends = [end for word in whole if word not in common_words() and (end := _known_end(word, known)) is not None]
    return set(known[ends[-1]]) if ends else set()


def is_pieced(word: str) -> bool:
    """A plain word that is a row of pieces, and nobody's name: `gradwk`, `highsch`, `hs`."""
    known, aside = _pieces()
    return word not in names_of_people() and bool(pieces_of(word, known, aside))


_SHORTEST_PIECED = 3
_SHORTEST_END = 4


def _known_end(word: str, known: dict[str, frozenset[str]]) -> str | None:
    """The longest piece with which an unknown word ends, or else begins."""
    lengths = range(len(word) - 1, _SHORTEST_END - 1, -1)
    parts = (*(word[-length:] for length in lengths), *(word[:length] for length in lengths if length > _SHORTEST_END))
    return next((part for part in parts if part in known), None)


@cache
def _pieces() -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    """Pieces by what they speak of, and what stands before or behind them."""
    lines = {topic: said.split(", ") for topic, said in tomllib.loads(_read("pieces.toml")).items()}
    aside = frozenset(lines.pop("aside"))
    return {piece: frozenset([topic]) for topic, pieces in lines.items() for piece in pieces}, aside


_COMPOUNDING = ("de", "nl", "sv", "da")


@cache
def _single_words(languages: tuple[str, ...] = ()) -> dict[str, frozenset[str]]:
    """Words that speak of a topic alone, in these languages or in all, and of what."""
    tables = tomllib.loads(_read("headers.toml"))
    lines = (said for table in tables.values() for key, said in table.items() if not languages or key in languages)
    words = {phrase.strip("*") for line in lines for phrase in line.split(", ")}
    long = (word for word in sorted(words) if word.isalpha() and len(word) >= _LONG_ENOUGH)
    return {word: frozenset(_spoken_of([word])) for word in long}


def _ends_like_an_id(header: str, plain_header: str) -> bool:
    """`FID`, `DUPERSID` and `reviewerID`, but not `COVID`: the last letters are written apart from a word, or are none.

    >>> [_ends_like_an_id(header, header.lower()) for header in ("FID", "OwnerId", "COVID", "PAID", "Covid")]
    [True, True, False, False, False]
    """
    last = plain_header.split()[-1] if plain_header else ""
    return re.search(r"(?:^[A-Z]{1,8}|[a-z])(?:ID|Id)$|^[A-Z]{1,8}ID$", header) is not None and last not in _IN_ID


@cache
def _phrases() -> dict[str, list[str]]:
    """What headers say, by topic."""
    tables = tomllib.loads(_read("headers.toml"))
    return {topic: ", ".join(languages.values()).split(", ") for topic, languages in tables.items()}


@cache
def _topics() -> Lexicon:
    return lexicon_of(_phrases())


@cache
def _properties() -> Lexicon:
    """The phrases with a word that is not vague."""
    vague = vague_headers()
    return lexicon_of(
        {
            topic: [each for each in phrases if not vague.issuperset(each.replace("*", "").split())]
            for topic, phrases in _phrases().items()
        }
    )


@cache
def property_of(header: str) -> frozenset[str]:
    """What a header speaks of by words that name a property, and not only the drawer in which it lies.

    >>> sorted(property_of("team")), sorted(property_of("blood type")), sorted(property_of("Titolo di studio"))
    ([], ['health'], ['education'])
    """
    texts = {*spoken(header), " ".join(words_of(header))}
    whole, heads = (_properties().told_in(some) for some in (texts, _heads(header)))
    told = whole | heads - {"family"}  # a `Pflegefamilie` is somebody's, and called like them
    told |= _abbreviated(header)
    told |= _pieced(header) if not _spoken_of(texts) else set()
    return topics_of(header) & frozenset(told)


_NAME = frozenset(["name", "names", "nombre", "nom", "nome", "naam", "namn", "navn", "nazwa", "bezeichnung"])
"""What people and things have."""


@cache
def names_a_thing(header: str) -> bool:
    """Whether a header is a word for names and words for what has them, which is a place or a thing.

    >>> [names_a_thing(header) for header in ("Nombre del departamento", "file name", "name", "Last name, district")]
    [True, True, False, False]
    """
    if "named_thing" in topics_of(header):
        return True
    words = [word for word in spoken(header)[0].split() if word not in small_words()]
    spoken_of = topics_of(" ".join(word for word in words if word not in _NAME))
    is_one = len(_NAME.intersection(words)) == 1 and header.replace("_", "").replace(" ", "").isalnum()
    has_a_name = spoken_of & {"place", "education", "thing", "item", "category", "medicine", "health"}
    return is_one and bool(has_a_name) and not spoken_of & {"name", "somebody", "person"}


_DOER = re.compile(r"[a-z]{3,}(?:erin|er|ator|teur|euse|dor|dora|tore|sore|trice|ante|ente|eur|tor|aire)")


def is_doer(header: str) -> bool:
    """A header with a word for who does something, as several languages make it.

    >>> [is_doer(header) for header in ("Anforderer", "Diretor de turma", "Material", "Phoned by", "Gemeente")]
    [True, True, False, False, False]
    >>> [is_doer(header) for header in ("Gemeindevertreter", "Regionalleiter", "Eintrittsalter")]
    [True, True, False]
    """
    doers = (word for word in words_of(header) if _DOER.fullmatch(word) and word not in _words("no_doers.txt"))
    known = _single_words()
    return any(not known.get(word, known.get(head_of(word, known) or "", frozenset())) & _NOBODY for word in doers)


_NOBODY = frozenset(["place", "birthplace", "postcode", "date", "year", "count", "age", "sex", "body", "measure"])
"""What nobody is who does something."""


@cache
def words_for_people() -> frozenset[str]:
    """Words of headers for people of whom something is told."""
    return _words("whose.txt")


@cache
def vague_headers() -> frozenset[str]:
    """Words that say in what drawer something lies, and not what it is."""
    return _words("vague_headers.txt")


@cache
def given_names() -> frozenset[str]:
    return _words("given_names.txt")


@cache
def family_names() -> frozenset[str]:
    return _words("family_names.txt")


@cache
def ambiguous_names() -> frozenset[str]:
    """Names that are other words, too."""
    return _words("ambiguous_names.txt")


@cache
def small_words() -> frozenset[str]:
    """Words that sentences have between others."""
    return _words("small_words.txt")


@cache
def telling_words() -> frozenset[str]:
    """Words with which people tell of themselves, or of somebody else."""
    return _words("telling_words.txt")


@cache
def labels() -> frozenset[str]:
    """Words of categories."""
    return _words("labels.txt")


@cache
def ordinary_words() -> frozenset[str]:
    """Words that are no names. Those of headers are among them: what a table calls a column, another has as a value."""
    said = {word for phrases in _phrases().values() for phrase in phrases for word in phrase.replace("_", " ").split()}
    long = {plain(word) for word in said if len(word) >= _LONG_ENOUGH and word.isalpha()}
    words = _words("ordinary_words.txt") | _words("labels.txt")
    known = words | {_ONE_LETTER.sub(r"\1", word) for word in words if len(word) >= _LONG_ENOUGH}  # `gruen`, `grun`
    return (known | long) - given_names() - family_names()


def is_ordinary(word: str) -> bool:
    """A plain word that is no name, or its plural.

    >>> [is_ordinary(word) for word in ("weapon", "disorders", "schmerzen", "kuipers")]
    [True, True, True, False]
    """
    ends = [word, *(word.removesuffix(end) for end in ("s", "es", "n", "en") if len(word) - len(end) >= _LONG_ENOUGH)]
    return not ordinary_words().isdisjoint(ends)


@cache
def common_words() -> frozenset[str]:
    """Frequent words of ten languages that are nobody's name, as far as lists of names go (words/SOURCES.md)."""
    return _unpacked("common_words.txt.xz")


@cache
def names_of_people() -> frozenset[str]:
    """Given names and names of families of many countries, frequent or not; some are towns and other words, too."""
    return _unpacked("names.txt.xz")


@cache
def towns() -> frozenset[str]:
    """Towns of all countries that are nobody's name, as far as lists of names go (words/SOURCES.md)."""
    return _unpacked("towns.txt.xz")


def _unpacked(file: str) -> frozenset[str]:
    packed = (files("tacit") / "init" / "words" / file).read_bytes()
    return frozenset(lzma.decompress(packed).decode().split("\n"))


@cache
def told_by_values() -> dict[str, frozenset[str]]:
    """What values say by themselves, by topic."""
    lines = tomllib.loads(_read("values.toml"))
    return {topic: frozenset(said.split(", ")) for topic, said in lines.items()}


@cache
def words_of_values() -> frozenset[str]:
    """The words that values of categories have, of four letters and more."""
    phrases = frozenset[str]().union(*told_by_values().values())
    words = {word for phrase in phrases for word in phrase.split() if len(word) > _SHORT}
    return frozenset(words - names_of_people())


_SHORT = 3
_LONG_ENOUGH = 5
"""Shorter words of headers are abbreviations, which may be somebody's initials."""


@cache
def codes() -> frozenset[str]:
    """Abbreviations that are no initials: countries, states, currencies, days, months, units."""
    return _words("codes.txt")


@cache
def lists_of_codes() -> tuple[frozenset[str], ...]:
    """The same by what they stand for: countries, states, days; and languages."""
    return *(frozenset(line.split()) for line in _lines("codes.txt")), LANGUAGES


LANGUAGES = frozenset(["en", "de", "fr", "es", "it", "nl", "pl", "pt", "tr", "zh", "ar", "ru", "ja", "ko", "hi", "sv",
                       "da", "fi", "no", "cs", "hu", "ro", "el", "he", "uk", "vi"])  # fmt: skip
"""Codes of languages, which are written small."""


@cache
def answers() -> dict[str, frozenset[str]]:
    """What says yes, what no, and what neither."""
    return {kind: frozenset(words.split(", ")) for kind, words in tomllib.loads(_read("answers.toml")).items()}


@cache
def frequent_diagnoses() -> frozenset[str]:
    """Codes of frequent illnesses (ICD-10), by their first three signs."""
    return _words("diagnoses.txt")


@cache
def analytes() -> frozenset[str]:
    """What laboratories measure."""
    return _words("analytes.txt")


@cache
def parts_of_bodies() -> frozenset[str]:
    """Where it hurts."""
    return _words("parts_of_bodies.txt")


@cache
def sensitive_words() -> frozenset[str]:
    """Words of illnesses, treatments, offences and parties."""
    return _words("sensitive_values.txt")


@cache
def places() -> frozenset[str]:
    return _words("places.txt")


@cache
def _words(file: str) -> frozenset[str]:
    return frozenset(" ".join(_lines(file)).split())


def _lines(file: str) -> list[str]:
    return [line for line in _read(file).splitlines() if not line.startswith("#")]


def _read(file: str) -> str:
    return (files("tacit") / "init" / "words" / file).read_text(encoding="utf-8")
