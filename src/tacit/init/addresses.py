"""What streets are called, with the number of a house or without."""

from __future__ import annotations

import re

from tacit.init.shapes import holds_digit
from tacit.init.vocabulary import words_of

_STREET = re.compile(
    r"\b(street|str|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd|bd|court|ct|square|terrace|close|crescent|way|"
    r"\w*strasse|\w*gasse|\w*weg|\w*platz|\w*allee|\w*damm|\w*ring|\w*str|rue|chemin|impasse|allee|quai|place|cours|"
    r"calle|avenida|avda|paseo|plaza|camino|via|viale|piazza|corso|vicolo|largo|\w*straat|\w*laan|\w*plein|\w*gracht|"
    r"\w*weg|rua|travessa|praca|estrada|alameda|utca|ulica|ulice|ul|\w*katu|\w*gatan|\w*vagen|\w*gade|\w*vej|iela|gatve|"
    r"sokak|sok|caddesi|cad|strada|bulevardul|jalan|улица|ул|οδος)\b"
)


_BOX = re.compile(
    r"^(?:p ?o ?box|postfach|postbus|boite postale|b ?p|apartado|apdo|casella postale|caixa postal|"
    r"c ?p|skr(?:ytka)? poczt\w*|"
    r"postboks|pl|r ?r|rural route|rfd) (?:no |nr )?\d+"
)
"""Where letters are fetched, and routes in the country."""


def is_street(text: str) -> bool:
    """A street with a number of the house.

    >>> streets = "Lindenstraße 12a", "12 rue des Lilas", "PO Box 117", "Ady utca 10.", "Storgatan 4"
    >>> [is_street(text) for text in (*streets, "Station 12")]
    [True, True, True, True, True, False]
    """
    if not holds_digit(text):
        return False
    words = " ".join(words_of(text))
    return any(each.search(words) is not None for each in (_STREET, _BOX)) or text.lower().startswith("c/")


def is_street_name(text: str) -> bool:
    """A street by its name alone, as it begins or ends.

    >>> [is_street_name(text) for text in ("Lindenweg", "rue des Lilas", "Oak Avenue", "Norwich", "Room 4")]
    [True, True, True, False, False]
    """
    return not holds_digit(text) and _STREET_NAME.search(" ".join(words_of(text))) is not None


_STREET_NAME = re.compile(
    r"(?:\b(?:street|road|avenue|lane|drive|boulevard|terrace|crescent|str|sokak|sokagi|caddesi|cad|sok|bulvari|bulevardi|vag|utca|utja|tee|iela|gatve)"
    r"|\w(?:strasse|gasse|weg|allee|str|straat|laan|gracht|gatan|vagen|allen|stigen|grand|katu|tie|kuja|polku|vej|gade|veien|gata))$"
    r"|^(?:rue|chemin|impasse|calle|avenida|via|viale|piazza|rua|travessa|ulica|ul|strada|bulevardul|jalan|jl) "
)
