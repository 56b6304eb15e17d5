"""What words of values mean: yes or no, no answer, a thing, or what nobody is to learn."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tacit.init.vocabulary import (
    answers,
    family_names,
    given_names,
    parts_of_bodies,
    sensitive_words,
    told_by_values,
    words_of,
)

_CODED = frozenset(["1", "2", "7", "8", "9", "88", "99", "-1", "-7", "-8", "-9"])
"""1 and 2 for yes and no, and codes for "no answer"."""


def are_yes_or_no(values: Sequence[str]) -> bool:
    """Whether different values are yes and no, in words or in codes with one for "no answer", or a mark and nothing.

    >>> [are_yes_or_no(values.split("/")) for values in ("ja/nein/k.A.", "1/2", "1/2/9", "x", "M/F")]
    [True, False, True, True, False]
    """
    if {"1", "2"} < {*values} <= _CODED:
        return True
    words = [value if value.startswith("-") else " ".join(words_of(value)) for value in values]  # -1 is not 1
    yes, no, none = (answers()[kind] for kind in ("yes", "no", "none"))
    said = [*dict.fromkeys(word for word in words if word and word not in none)]
    if len(said) == 1:
        return said[0] in ("x", "v")
    return len(said) == 2 and any(word in yes for word in said) and any(word in no for word in said)


def is_yes(text: str) -> bool:
    return " ".join(words_of(text)) in answers()["yes"]


def is_no(text: str) -> bool:
    return " ".join(words_of(text)) in answers()["no"]


def is_no_answer(text: str) -> bool:
    return " ".join(words_of(text)) in answers()["none"]


def is_test_result(text: str) -> bool:
    """What a test or a laboratory says.

    >>> [is_test_result(text) for text in ("neg", "Positiv", "HIGH", "open")]
    [True, True, True, False]
    """
    return is_no_answer(text) or " ".join(words_of(text)) in answers()["results"]


def are_marks(values: set[str]) -> bool:
    """Whether different values mark what is too high and what too low, as laboratories do."""
    return {"H", "L"} <= values <= {"H", "L", "N", "HH", "LL"}


def are_grades(values: Sequence[str]) -> bool:
    """Whether different values are grades of how much or how good something is, as somebody judged it.

    >>> [are_grades(values.split("/")) for values in ("Low/Medium/Very High", "gut/mittel/schlecht", "Low/High/Lowe")]
    [True, True, False]
    """
    words = [" ".join(words_of(value)) for value in values if not is_no_answer(value)]
    grades = told_by_values()["result"]
    return len(words) >= _SOME_GRADES and all(word in answers()["grades"] or word in grades for word in words)


_SOME_GRADES = 3
_NOUN = re.compile(
    r".{3,}(?:ung|ungen|heit|keit|schaft|tion|tionen|tions|sion|ment|ments|ismus|itis|ness|ity|ance|ence"
    r"|cion|ciones|dad|zione|zioni|cao|coes|dade|atie|teit|heid|osc|anie|enie|stvi|logie|logia|logy|logi|loji|pedi|pedie|pedia|pedics|iatrie|iatri|iatria|iatrics|iatry|czna|czny|czne"
    r"|aemia|emia|algia|algie|osis|oses|opathy|pathie|ectomy|otomy|scopy|graphy|plegia|plegie|itide|ologia)"
)
"""Endings of words for things, acts, states and illnesses, which names of people hardly have."""


def is_noun(text: str) -> bool:
    """A text with a word for a thing or an act, by its ending.

    >>> [is_noun(text) for text in ("Beratung", "Collision", "Kündigung AN", "Fischer")]
    [True, True, True, False]
    """
    words = (word for word in words_of(text) if word not in family_names() and word not in given_names())
    return any(_NOUN.fullmatch(word) is not None for word in words)


_ADJECTIVE = re.compile(
    r".{3,}(?:aire|aires|ique|iques|oire|euse|euses|able|ible|istes?|elle|elles|ives?|ifs?|ario|aria|arios|ivos?|ivas?|ados?|adas?|idos?|idas?"
    r"|istas?|icos?|icas?|osos?|osas?|avel|ivel|ale|ali|ato|ata|ati|ate|lich|isch|los|bar|haft|iert|ierte|iell|mässig|maessig"
    r"|lijk|lijke|loos|baar|erend|ary|ous|less|ful|ing|ional|ical|ental|lig|isk|ande|ende|owy|owa|owe|alny|alna|ovy|ovani)"
)
"""Endings of what things are like, or are done, in several languages: alone they tell little, for names have them."""


def is_like_an_adjective(word: str) -> bool:
    """A plain word of some length that ends as those do that say what something is like.

    >>> [is_like_an_adjective(word) for word in ("ovulatoire", "kapitalista", "orange", "dominique")]
    [True, True, False, False]
    """
    is_name = word in family_names() or word in given_names()
    return len(word) >= _LONG and not is_name and _ADJECTIVE.fullmatch(word) is not None


_LONG = 7
_GENES_AND_DOSES = re.compile(
    r"[cgp]\.[\w*>_+-]{3,}|[ACGT][/|]?[ACGT]|e[234]/e[234]|[A-Z]{1,4}\d?\*\d{2,3}:\d{2,3}|\d(?:[.,]5)?(?:-\d(?:[.,]5)?){2,3}",
    re.ASCII,
)


def is_gene_or_dose(text: str) -> bool:
    """A code of genes, or of when to take how much."""
    return _GENES_AND_DOSES.fullmatch(text) is not None


_ILLNESS = re.compile(
    r".{3,}(?:itis|aemia|emia|aemie|emie|algia|algie|osis|opathy|opathie|ectomy|ektomie|plegia|plegie"
    r"|phoma|cinoma|eloma|rcoma|anoma|lastoma|fibrosis)"
)
"""Endings of illnesses and operations in words of Greek."""


def is_sensitive(text: str) -> bool:
    """A text with a word for an illness, a treatment, an offence or a party; or a code of genes or doses.

    >>> [is_sensitive(text) for text in ("Back pain", "c.5266dupC", "Neuralgie", "Vollzeit")]
    [True, True, True, False]
    """
    words = words_of(text)
    is_ill = any(word in sensitive_words() or _ILLNESS.fullmatch(word) is not None for word in words)
    return is_ill or is_gene_or_dose(text)


def are_sexes(values: Sequence[str]) -> bool:
    """Whether different values are letters for the sexes, and perhaps for neither.

    >>> [are_sexes(values.split("/")) for values in ("M/W", "f/m/d", "M/K", "A/B", "M")]
    [True, True, True, False, False]
    """
    letters = {text.lower() for text in values}
    return any(pair <= letters <= pair | _NEITHER for pair in _SEXES)


_SEXES = tuple(map(frozenset, ("mw", "mf", "mk", "hf", "hm", "mv", "km", "ek", "nm", "mz")))
_NEITHER = frozenset("dxu")


def is_part_of_a_body(text: str) -> bool:
    return any(word in parts_of_bodies() for word in words_of(text))
