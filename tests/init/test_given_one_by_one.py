"""What is given to people one by one, under headers of other things: plates, lines of phones, logins, random codes,
numbers that were counted from anywhere, places on the map, boxes for letters."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from support.drawn_columns import ROWS, drawn, role
from tacit.init.sure import is_day_with_more

_SIGNS = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
_STEMS = ("oskarovic", "zwiebelmayr", "kvistgaardel", "tannhauser", "brennwaldner", "vuilleminot")


def _digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choices("0123456789", k=count))


_FORMS: dict[str, Callable[[random.Random, int], str]] = {
    "British plates": lambda rng, _: f"LK{_digits(rng, 2)} {''.join(rng.choices('ABDEF', k=3))}",
    "French plates": lambda rng, _: f"GV-{_digits(rng, 3)}-{''.join(rng.choices('ABDEF', k=2))}",
    "Spanish plates": lambda rng, _: f"{_digits(rng, 4)} {''.join(rng.choices('BCDFG', k=3))}",
    "German plates": lambda rng, _: f"PIR-{''.join(rng.choices('ABDEF', k=2))} {rng.randint(1, 999)}",
    "a line": lambda rng, _: f"tel {_digits(rng, 6)}",
    "a line within": lambda rng, _: f"{_digits(rng, 4)} int. {_digits(rng, 2)}",
    "a mobile phone in Russia": lambda rng, _: f"8 9{_digits(rng, 2)} {_digits(rng, 3)} {_digits(rng, 2)} 44",
    "a birth and more": lambda rng, at: f"{60 + at % 30}0{1 + at % 9}1{at % 9}-{_digits(rng, 3)}",
    "a birth and letters": lambda rng, at: f"1{at % 9}0{1 + at % 9}{60 + at % 30}{''.join(rng.choices('ABC', k=2))}",
    "random signs": lambda rng, _: "".join(rng.choices(_SIGNS, k=8)),
    "five random signs": lambda rng, _: "".join(rng.choices(_SIGNS, k=5)),
    "random numbers in capitals": lambda rng, _: f"{rng.getrandbits(128):032X}",
    "logins with a number": lambda rng, _: f"{rng.choice(_STEMS)}{rng.randint(1, 99)}",
    "logins with points": lambda rng, _: f"{rng.choice('abcdefg')}.{rng.choice(_STEMS)}.{rng.randint(1950, 2005)}",
    "a street of one word": lambda rng, _: f"{rng.choice(_STEMS).title()} {rng.randint(1, 99)}",
    "places on the map": lambda rng, _: f"{rng.uniform(48, 54):.5f},{rng.uniform(8, 14):.5f}",
    "a street in Hungary": lambda rng, _: f"{rng.choice(_STEMS).title()} utca {rng.randint(1, 99)}.",
    "a street in Sweden": lambda rng, _: f"{rng.choice(_STEMS).title()}gatan {rng.randint(1, 99)} B",
    "boxes for letters": lambda rng, _: f"PO Box {rng.randint(1, 9000)}",
    "routes in the country": lambda rng, _: f"Rural Route {rng.randint(1, 90)} Box {rng.randint(1, 90)}",
    "patients": lambda _, at: f"Patient {30344 + at}",
    "counted from anywhere": lambda _, at: str(41297 + at),
    "counted with a sign": lambda _, at: f"#{24077 + at}",
    "counted with letters": lambda _, at: f"BU-{51649 + at}",
    "counted with thousands": lambda _, at: f"{69488 + at:,}",
    "counted below nothing": lambda _, at: str(-31948 - at),
}  # fmt: skip
_HEADERS = ("city", "school", "occupation", "status", "reason", "religion", "miasto", "waarde", "amount", "grade")


@pytest.mark.parametrize("header", _HEADERS)
@pytest.mark.parametrize("form", _FORMS)
def test_no_header_vouches_for_what_is_given_one_by_one(header: str, form: str) -> None:
    rng = random.Random(17)
    values = [*dict.fromkeys(_FORMS[form](rng, at) for at in range(40))]
    assert role(header, drawn(values)) == "identifier"
    assert role(header, drawn(values[:8])) == "identifier", "though many rows have each of them"


@pytest.mark.parametrize("header", ["amount", "valeur", "Valor", "waarde", "Tax class"])
@pytest.mark.parametrize("digits", [7, 9, 12])
def test_no_amount_begins_with_zeros_or_has_always_as_many_digits(header: str, digits: int) -> None:
    rng = random.Random(18)
    padded = ["0" + _digits(rng, digits - 1) for _ in range(30)]
    alike = [f"{rng.randint(1, 9)}{_digits(rng, digits - 2)}{rng.choice('13579')}" for _ in range(30)]
    assert role(header, drawn(padded)) == role(header, drawn(alike)) == "identifier"
    assert role(header, drawn([f"{rng.lognormvariate(8, 2):.0f}" for _ in range(300)])) == "sensitive"


@pytest.mark.parametrize("form", ["{} Family Practice", "Dott.ssa {}", "Garage {} & Sons", "{} Dental Clinic"])
@pytest.mark.parametrize("header", ["osztály", "misc", "school", "Krankenkasse", "Cost centre"])
def test_words_that_all_values_have_tell_nothing_of_one(header: str, form: str) -> None:
    names = [stem.title() for stem in (*_STEMS, "achardiere", "boisvertin", "csontosi", "fagoagari", "nezvaler")]
    assert role(header, drawn([form.format(name) for name in names])) == "identifier"


@pytest.mark.parametrize("header", ["school", "employer", "reason", "kategória"])
def test_nominal_things_have_no_decimals(header: str) -> None:
    rng = random.Random(19)
    assert role(header, [f"{rng.uniform(50.9, 51.2):.5f}" for _ in range(ROWS)]) == "identifier"


@pytest.mark.parametrize("header", ["City", "Stadt", "quartiere"])
def test_what_is_typed_is_no_place(header: str) -> None:
    typed = "afraid of needles|back from prison|pays cash only|moved to her sister|loud on the phone"
    assert role(header, drawn(typed)) == "identifier"
    assert role(header, drawn("Stratford upon Avon|Newcastle upon Tyne|Frankfurt am Main|Leeds")) == "quasi"


@pytest.mark.parametrize(
    ("header", "values", "expected"),
    [
        pytest.param("Postnr", [f"123 {at}" for at in range(10, 99)], "quasi", id="a postcode by its number"),
        pytest.param("C.P.", [str(28000 + at) for at in range(80)], "quasi", id="postcodes of a town"),
        pytest.param("Postcode sector", [f"LS{at % 9 + 1} {at % 7}" for at in range(63)], "quasi", id="sectors"),
        pytest.param("x", ["[0,10)", "[10,20)", "[20,30)"], "quasi", id="bands in brackets"),
        pytest.param("year", [str(year) for year in range(1990, 2024)], "quasi", id="years"),
        pytest.param("Hochrechnung", [f"1.{at:04}" for at in range(0, 9999, 37)], "weight", id="no bill"),
        pytest.param("Hauptdiagnose", "I10.90|E11.9|M54.5|S52.5XXA|T36.0X5A|C50", "sensitive", id="longer codes"),
    ],
)
def test_what_is_of_a_list_or_measured_stays(header: str, values: str | list[str], expected: str) -> None:
    assert role(header, drawn(values)) == expected


def test_one_name_in_all_rows_is_a_name() -> None:
    assert role("attr", ["oskarovic"] * ROWS) == role("attr", ["", "oskarovic"] * (ROWS // 2)) == "identifier"
    assert role("attr", ["2023a"] * ROWS) == role("attr", ["normal"] * ROWS) == "quasi"


def test_days_with_more_behind() -> None:
    assert not any(map(is_day_with_more, ("231201 1200", "12122020", "2020-01-01", "450101", "999999-123")))
