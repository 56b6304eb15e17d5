"""Values that say whose they are, whatever the header: addresses of mail and web, numbers with check digits."""

from __future__ import annotations

import re
from datetime import date

from tacit.init.shapes import Test, is_day, is_email, is_phone, like


def _luhn(text: str) -> bool:
    digits = [int(digit) for digit in reversed(text) if digit.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return 13 <= len(digits) <= 19 and (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _iban(text: str) -> bool:
    bare = text.replace(" ", "").upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", bare):
        return False
    return int("".join(str(int(each, 36)) for each in bare[4:] + bare[:4])) % 97 == 1


def _dni(text: str) -> bool:
    found = re.fullmatch(r"([XYZ]?)(\d{7,8})-?([A-Z])", text.upper())
    if found is None:
        return False
    number = int(("", "1", "2")["XYZ".index(found[1]) if found[1] else 0] + found[2])
    return "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23] == found[3]


def _eleven_proof(text: str) -> bool:
    """The check digit of Dutch citizens' numbers."""
    if not re.fullmatch(r"\d{9}", text):
        return False
    return _weighted(text, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def _pesel(text: str) -> bool:
    """Polish numbers of citizens."""
    return re.fullmatch(r"\d{11}", text) is not None and _weighted(text, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def _nhs(text: str) -> bool:
    """British numbers of patients."""
    return re.fullmatch(r"\d{10}", text) is not None and _weighted(text, (*range(10, 0, -1),)) % 11 == 0


def _weighted(digits: str, factors: tuple[int, ...]) -> int:
    return sum(int(digit) * factor for digit, factor in zip(digits, factors, strict=True))


def _nir(text: str) -> bool:
    """A French social security number, with or without its key."""
    bare = re.sub(r"[ .]", "", text)
    return re.fullmatch(r"[12378]\d{2}(0[1-9]|1[0-2]|[2-9]\d)(\d{2}|2[AB])\d{6}(\d{2})?", bare) is not None


_BORN = re.compile(r"(\d\d)?(\d\d)(\d\d)(\d\d)(?:[-+/ ][A-Z0-9]{2,5}|[A-Z]{2,4}\d{0,3})", re.ASCII)


def is_day_with_more(text: str) -> bool:
    """A day of birth and what tells those of one day apart.

    >>> [is_day_with_more(text) for text in ("600203-990", "030290HS", "19600203-1234", "991399-12", "20230401 1210")]
    [True, True, True, False, False]
    """
    found = _BORN.fullmatch(text)
    if found is None or is_day(text) or is_time_behind(text):
        return False
    century, one, month, other = found.groups()
    return any(_is_day(day, month) for day in (one, other) if century is None or day == other)


def is_time_behind(text: str) -> bool:
    """A day and a time of it, without a sign between hours and minutes."""
    return re.fullmatch(r"(\d{6}|\d{8}) ([01]\d|2[0-3])[0-5]\d", text) is not None


def _is_day(day: str, month: str) -> bool:
    try:
        date(2000, int(month), int(day))
    except ValueError:
        return False
    return True


_FINE = r"-?\d{1,3}[.]\d{3,}"
_LINE = r"(?i)(?:tele?(?:fon|phone)?|phone|fon|mob(?:il|ile)?|cell|handy|fax|ext|durchwahl|dw|int)"
"""What stands before or within numbers of phones."""

SURE: dict[str, Test] = {
    "e-mail addresses": is_email,
    "phone numbers": lambda text: is_phone(text) and not is_day(text),
    "phone numbers of a country": like(r"\(?\+\d{1,3}\)?(?=(?:\D*\d){7})[\d ()/.-]{7,18}"),
    "addresses of the web": like(r"(https?|ftp)://\S+|www\.\S+"),
    "addresses of computers": like(
        r"\d{1,3}(\.\d{1,3}){3}(/\d{1,2})?(:\d{2,5})?|(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}"
        r"|(?=[0-9A-Fa-f:]{6,39}(?:/|\Z))(?=.*::|(?:.*:){7}|(?:.*:){3}.*[A-Fa-f]|.*[A-Fa-f].*(?:.*:){3})[^/]+(/\d{1,3})?"
    ),
    "names in networks": like(r"@[A-Za-z_.-][\w.-]{1,40}"),
    "lines of phones": like(rf"{_LINE}[.:]? ?[\d +()/.-]{{2,20}}|\d[\d /-]{{2,14}} {_LINE[4:]}[.:]? ?\d{{1,5}}"),
    "places on the map": like(rf"\(?{_FINE}[,; ]+{_FINE}\)?"),
    "plates of cars": like(
        r"[A-Z]{2}\d{2} ?[A-Z]{3}|[A-Z]{2}[- ]?\d{3}[- ]?[A-Z]{2}|\d{4}[- ]?[B-DF-HJ-NP-TV-Z]{3}"
        r"|[A-Z]{1,3}[- ][A-Z]{1,2}[- ]?\d{1,4}[EH]?"  # United Kingdom; France and Italy; Spain; Germany
    ),
    "random numbers that name something": like(
        r"\{?[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}\}?"
        r"|(?=.*\d)(?=.*[a-f])[0-9a-f]{16,128}|(?=.*\d)(?=.*[A-F])[0-9A-F]{16,128}"
    ),
    "bank accounts (IBAN)": _iban,
    "numbers of cards": lambda text: re.fullmatch(r"\d[\d -]{11,22}", text) is not None and _luhn(text),
    "numbers of citizens": lambda text: (
        _dni(text)
        or _nir(text)
        or is_day_with_more(text)
        or re.fullmatch(
            r"\d{3}-\d{2}-\d{4}"  # United States
            r"|[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]"  # Italy
            r"|[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]"  # United Kingdom
            r"|\d{3}\.\d{3}\.\d{3}-\d{2}"  # Brazil
            r"|756\.\d{4}\.\d{4}\.\d{2}"  # Switzerland
            r"|\d{8} ?[A-Z] ?\d{3}|[A-Z]\d{9}"  # Germany
            r"|(?:\d\d)?\d\d[0-1]\d[0-9]\d[-+]\d{4}|[0-3]\d[0-1]\d{3}-\d{4}"  # Sweden, Denmark
            r"|[0-3]\d[0-1]\d{3}[-+A]\d{3}[0-9A-Y]|\d\d[0-8]\d[0-3]\d/\d{3,4}"  # Finland, Czechia
            r"|\d\d\.[0-1]\d\.[0-3]\d-\d{3}\.\d\d",  # Belgium
            text,
        )
        is not None
    ),
}
"""Values that say whose they are, whatever the header."""
NEVER_BY_CHANCE = (
    "e-mail addresses", "phone numbers of a country", "addresses of the web", "addresses of computers",
    "bank accounts (IBAN)", "names in networks",
)  # fmt: skip
"""Of these, a few among other values are enough."""
CHECKED: dict[str, Test] = {
    "numbers with a check digit": _eleven_proof,
    "numbers of citizens with a check digit": _pesel,
    "numbers of patients with a check digit": _nhs,
}
"""Such values are met by chance, too: nearly all must fit."""
