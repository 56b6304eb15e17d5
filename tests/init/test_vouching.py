"""What vouches for values that nothing in the header explains, and what does not: names that are other words, too."""

from __future__ import annotations

import random
from importlib.resources import files

import pyarrow as pa
import pytest

from tacit.init.columns import look_at
from tacit.init.plan import make_plan
from tacit.init.shapes import has_quantity
from tacit.init.source import RawData
from tacit.init.sure import SURE
from tacit.job import Input

_ROWS = 400


def drawn(values: str | list[str], seed: int = 5) -> list[str]:
    rng = random.Random(seed)
    return [rng.choice(values.split("|") if isinstance(values, str) else values) for _ in range(_ROWS)]


def role(header: str, values: list[str]) -> str:
    rng = random.Random(7)
    table = pa.table({header: values, "age": [str(rng.randint(18, 80)) for _ in values]})
    return look_at(table).findings[header].role


@pytest.mark.parametrize(
    ("header", "values", "expected"),
    [
        pytest.param("AEDECOD", "PRURITUS|ERYTHEMA|NAUSEA|FATIGUE|INSOMNIA|COUGH", "sensitive", id="symptoms"),
        pytest.param("x7", "Neuralgie|Leukämie|Arthrose|Bronchitis|Zystitis", "sensitive", id="endings of illnesses"),
        pytest.param("x0", "FACULTY OF HISTORY|FACULTY OF SCIENCE", "quasi", id="classes of many words"),
        pytest.param("Désignation", "DOLIPRANE 1000MG|KARDEGIC 75MG|INEXIUM 20MG", "sensitive", id="doses"),
        pytest.param("x1", "Sí|No|Compartida", "sensitive", id="yes, no and between"),
        pytest.param("VIH", "neg|pos", "sensitive", id="results of a test"),
        pytest.param("ind", "NORMAL|HIGH|LOW", "sensitive", id="results of a laboratory"),
        pytest.param("BSA", "positief|negatief|uitgesteld", "quasi", id="results among others"),
        pytest.param("profession", "marin-pêcheur|cultivateur|ménagère|instituteur", "quasi", id="trades like logins"),
        pytest.param("x2", "U/L|mg/dL|mmol/L|10^9/L", "quasi", id="units"),
        pytest.param("VwGr", "II|III|IV|V", "quasi", id="roman numbers"),
        pytest.param("x3", "85k|120k|64k|40k|99k", "sensitive", id="thousands"),
        pytest.param("x4", "handgun|knife|weapon|object", "quasi", id="ordinary words"),
        pytest.param("Höchster Bildungsabschluss", "Abitur|Diplom|kein Abschluss", "quasi", id="none of it"),
        pytest.param("Job Title", "Sr. Analyst|Director|Manager|Field Engineer", "quasi", id="a senior is no sister"),
        pytest.param("hla_a", "A*02:01|A*01:01|A*03:01", "sensitive", id="genes"),
    ],
)  # fmt: skip
def test_values_speak_for_themselves(header: str, values: str, expected: str) -> None:
    assert role(header, drawn(values)) == expected


_NAMES = {
    "also words": "Baker|Young|King|Fisher|Wood|Brooks|Cook|Bell|Stone|Fields|Banks|Marsh",
    "like participles": "Fleming|Harding|Manning|Golding|Keating|Browning",
    "German": "Koch|Vogel|Winter|Sommer|Lang|Klein|Berg|Stein|Baum|Burg|Land|Kraft|Busch",
    "in capitals": "KOCH|VOGEL|WINTER|SOMMER|LANG|KURZ",
    "Spanish": "Machado|Hurtado|Salgado|Preciado|Delgado|Mercado|Prado|Casado",
    "two words": "Winter Koch|Sommer Lang|Young Baker|Stone Marsh|Bell Rivers|Lake Woods",
    "remarks": "call back|rude man|moved away|lost card|new wife|bad smell",
}


@pytest.mark.parametrize("header", ["f3", "team", "status", "group", "Verantwortlich", "owner", "level", "unit"])
@pytest.mark.parametrize("names", _NAMES)
def test_names_that_are_words_are_asked_about(header: str, names: str) -> None:
    assert role(header, drawn(_NAMES[names])) == "identifier"


def test_the_first_of_a_month_is_no_phone_number() -> None:
    days = [f"01.{month:02}.{year}" for year in range(1990, 2020) for month in range(1, 13)]
    assert role("Eintritt", days) == "quasi"


def test_counts_and_measures_are_no_addresses_of_machines() -> None:
    rng = random.Random(3)
    assert role("session_len_s", [f"{rng.lognormvariate(4, 1):.1f}" for _ in range(_ROWS)]) != "identifier"
    assert role("Url.-Tage Rest", drawn("0|1,5|3|5|7,5")) != "identifier"
    assert role("device", [str(rng.randint(1, 90)) for _ in range(_ROWS)]) == "identifier"


@pytest.mark.parametrize(("header", "form"), [("Kod pocztowy", "{:02}-{:03}"), ("address.0.postalCode", "0{:02}{:02}")])
def test_postcodes_of_many_homes(header: str, form: str) -> None:
    rng = random.Random(11)
    assert role(header, [form.format(rng.randint(10, 99), rng.randint(10, 99)) for _ in range(_ROWS)]) == "quasi"


def test_moments_without_signs() -> None:
    rng = random.Random(2)
    moments = [f"202303{rng.randint(1, 28):02}{rng.randint(0, 23):02}{rng.randint(0, 59):02}30" for _ in range(_ROWS)]
    assert role("x5", moments) == "quasi"


def test_blood_pressures() -> None:
    rng = random.Random(4)
    assert role("RR", [f"{rng.randint(90, 200)}/{rng.randint(50, 110)}" for _ in range(_ROWS)]) == "sensitive"


def test_weights_have_a_mean_of_one() -> None:
    rng = random.Random(6)
    weights = [rng.uniform(0.2, 1.8) for _ in range(_ROWS)]
    mean = sum(weights) / len(weights)
    assert role("w1", [f"{each / mean:.5f}" for each in weights]) == "weight"
    assert role("w1", [f"{40 + each / mean:.5f}" for each in weights]) != "weight"


def test_places_on_the_map_with_a_decimal_comma() -> None:
    rng = random.Random(8)
    assert role("x6", [f"{rng.uniform(13, 14):.9f}".replace(".", ",") for _ in range(_ROWS)]) == "identifier"


def test_numbers_that_rise_with_the_rows_are_ids() -> None:
    rising = [str(27 + 13 * row) for row in range(_ROWS)]
    assert role("x8", rising) == "identifier"


def test_numbers_drawn_evenly_are_ids() -> None:
    rng = random.Random(9)
    assert role("x9", [str(each) for each in rng.sample(range(1, 99_999), _ROWS)]) == "identifier"
    assert role("x9", [str(int(rng.lognormvariate(7, 1.2))) for _ in range(_ROWS)]) == "sensitive"


def test_staff_are_no_lines_of_orders() -> None:
    rng = random.Random(10)
    table = pa.table(
        {
            "Full Name": [f"Name{rng.randint(1, 250)} Other" for _ in range(_ROWS)],
            "Job Title": drawn("Analyst|Manager|Director|Engineer"),
            "Department": drawn("IT|Sales|Finance", 6),
            "Business Unit": drawn("Manufacturing|Speciality Products|Corporate", 7),
            "Annual Salary": [str(1000 * rng.randint(40, 250)) for _ in range(_ROWS)],
        }
    )
    assert make_plan(RawData(table, Input("table.csv")), "auto").kind == "records"


def test_courses_of_members_are_baskets() -> None:
    rng = random.Random(12)
    table = pa.table(
        {
            "member": [f"M{rng.randint(1000, 1100)}" for _ in range(_ROWS)],
            "class": drawn("yoga|pilates|swimming|running|cycling|climbing|tennis|football|judo|karate"),
            "when": [f"2024-01-{rng.randint(1, 28):02} 10:00" for _ in range(_ROWS)],
        }
    )
    assert make_plan(RawData(table, Input("table.csv")), "auto").kind == "baskets"


def test_values_of_blanks_alone_are_looked_at() -> None:
    assert role("x", ["  ", "Dr. Lenz", "Dr. Kuipers", "   "] * 20) == "identifier"


def test_how_many_pages_is_not_which() -> None:
    rng = random.Random(13)
    table = pa.table(
        {
            "visitor": [f"v{rng.randint(1, 80):04}" for _ in range(_ROWS)],
            "referrer": drawn("google|direct|newsletter|facebook"),
            "pages": [str(rng.randint(1, 22)) for _ in range(_ROWS)],
            "browser": drawn("Chrome|Safari|Firefox|Edge", 6),
            "country": drawn("DE|US|FR|GB", 7),
            "device": drawn("desktop|mobile|tablet", 8),
            "amount": [f"{rng.lognormvariate(3, 1):.2f}" for _ in range(_ROWS)],
        }
    )
    assert make_plan(RawData(table, Input("table.csv")), "auto").kind == "records"


@pytest.mark.parametrize(
    "text", ["a" * 50_000, "1" * 50_000, "pain in the knee " * 3_000, "a:" * 25_000, "1." * 25_000]
)
def test_a_value_of_many_characters_is_looked_at_once(text: str) -> None:
    """A pattern that begins anew at every character would not end here."""
    assert not any(fits(text) for fits in (*SURE.values(), has_quantity))


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("team", "Summers|Waters|Fields|Bridges|Winters|Rivers"),
        ("status", "Summers|Waters|Fields|Bridges|Winters|Rivers"),
        ("a1", "Guerra|Iglesia|Calle|Puente|Puerta|Plaza|Blanco"),
        ("a2", "Boulanger|Chemin|Maison|Lacroix|Dumoulin|Bateau"),
        ("f2", "Fröhlich|Ehrlich|Redlich|Weidlich|Löblich"),
        ("f4", "Lawless|Bayless|Corless|Constable|Huxtable"),
        ("Vertrauensperson", "Koch|Winter|Lang|Sommer|Fuchs|Wolf"),
        ("Kirchenvorstand", "Koch|Winter|Lang|Sommer|Fuchs|Wolf"),
        ("Gattin", "Constance|Prudence|Florence|Patience|Felicity|Clemence"),
    ],
)
def test_families_named_like_things_are_asked_about(header: str, names: str) -> None:
    assert role(header, drawn(names)) == "identifier"


def test_weights_are_above_nothing() -> None:
    rng = random.Random(15)
    numbers = [f"{rng.uniform(0.5, 1.5):.4f}" for _ in range(_ROWS)]
    assert role("v8", numbers) == "weight"
    assert role("v8", ["0.0000", *numbers[1:]]) != "weight"


@pytest.mark.parametrize(
    ("header", "values", "expected"),
    [
        pytest.param("q9", "Low|Medium|High|Very High", "sensitive", id="grades"),
        pytest.param("creditTier", "excellent|good|fair|poor", "sensitive", id="grades under a drawer"),
        pytest.param("lidsoort", "jeugd|volwassen|65+|student", "quasi", id="a band among words"),
        pytest.param("x5", "ovulatoire|tubaire|masculin|intensif|xorvel", "quasi", id="what things are like"),
        pytest.param("Categorie", "B|BE|AM|A|C|CE|D", "quasi", id="one letter or two"),
        pytest.param("x6", "M1|T4|B7X|L3", "quasi", id="letters with a digit between"),
        pytest.param("bail", "0|500|2500|10000", "sensitive", id="round sums"),
        pytest.param("x8", "1000|1100|1200|3000", "quasi", id="codes of one length are no sums"),
        pytest.param("Förvärvsinkomst", "238972|487367|91234|501234", "sensitive", id="the head of a compound"),
        pytest.param("LBSTRESU", "umol/L|U/L|g/L|10^9/L", "quasi", id="units with a small u"),
        pytest.param("condition_concept_id", "320128|201826|312327|255573", "sensitive", id="a code of a concept"),
        pytest.param("Gemeente", "Zeist|Nieuwegein|Soest|Baarn", "quasi", id="a town ends like a doer"),
    ],
)
def test_classes_that_no_list_has(header: str, values: str, expected: str) -> None:
    assert role(header, drawn(values)) == expected


@pytest.mark.parametrize(
    ("header", "values"),
    [
        pytest.param("BS", "RS|GE|UY|SQ", id="letters that are codes of several lists"),
        pytest.param("opr", "admin|system|web|twangchuk", id="logins among names of machines"),
        pytest.param("col7", "manning|fleming|harding|keating", id="families that end like words"),
        pytest.param("gruppe", "estrada|quesada|okonkwo|alvarado|tschirner", id="some families end like words"),
        pytest.param("x3", "rosengarten|weingarten|bergstrom", id="families that are compounds"),
        pytest.param("Gemeindevertreter", "Tschirner|Okonkwo|Quigley|Achterberg", id="who does something for a place"),
        pytest.param("Pflegefamilie", "tschirner|okonkwo|quigley|achterberg", id="a family by its name"),
        pytest.param("n2", "A|B|KB|MZ|C|D", id="initials among letters"),
        pytest.param("n3", "k|m|kb|mz|t", id="initials of one letter or two"),
        pytest.param("zustand", "offen|erledigt|quigley|tschirner|okonkwo", id="families among classes"),
        pytest.param("kl", "Ndaba|Zanele|Otabek|Sefa", id="a header of two letters"),
        pytest.param("betr", "kb3|mz1|rt7|ob2", id="short names under a word for money"),
        pytest.param("sb", "Stone|Marsh|Frost", id="three families called like things"),
        pytest.param("grund", "tawi|selam|oyun|dorji", id="names under a reason"),
        pytest.param("education", "I left school early|she was ill then|some college", id="told in sentences"),
        pytest.param("intnr", [str(number) for number in range(1100, 1160)], id="a number by the last letters"),
    ],
)
def test_what_still_needs_to_be_asked(header: str, values: str | list[str]) -> None:
    assert role(header, drawn(values)) == "identifier"


def test_numbers_that_are_given_out_in_steps_are_no_sums() -> None:
    numbers = random.Random(4).sample(range(1_000, 100_000, 10), _ROWS)
    assert role("kd", list(map(str, numbers))) == "identifier"


def found_in(**columns: list[str]) -> dict[str, str]:
    rng = random.Random(3)
    others = {"age": [str(rng.randint(18, 80)) for _ in range(_ROWS)]}
    return {name: finding.role for name, finding in look_at(pa.table({**others, **columns})).findings.items()}


def decimals(middle: float, spread: float, digits: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return [f"{rng.gauss(middle, spread):.{digits}f}" for _ in range(_ROWS)]


def test_two_numbers_are_a_place_together() -> None:
    x, y = decimals(13.4, 0.2, 3, 1), decimals(52.5, 0.1, 3, 2)
    together = found_in(x=x, y=y)
    assert (together["x"], together["y"]) == ("identifier", "identifier")
    assert found_in(x=x)["x"] == "sensitive"


def test_one_of_two_weights_must_be_named() -> None:
    one, other = decimals(1, 0.2, 5, 1), decimals(1, 0.2, 5, 2)
    assert found_in(a7=one)["a7"] == "weight"
    both = found_in(a7=one, a8=other)
    assert (both["a7"], both["a8"]) == ("identifier", "identifier")
    named = found_in(weight=one, a8=other)
    assert (named["weight"], named["a8"]) == ("weight", "identifier")


def test_an_open_number_in_a_stretch_of_results() -> None:
    whole = [str(int(float(text))) for text in decimals(138, 4, 0, 4)]
    found = found_in(crp=decimals(12, 4, 1, 1), cr=decimals(1, 0.2, 2, 2), na=whole, k=decimals(4, 0.4, 1, 3))
    assert found["na"] == "sensitive"
    assert found_in(na=whole)["na"] == "quasi"


def test_a_number_in_groups_is_no_set() -> None:
    rng = random.Random(9)
    cards = [f"2 9{rng.randrange(1000):03}  {rng.randrange(10**6):06}" for _ in range(_ROWS)]
    table = pa.table({"pasnummer": cards, "age": [str(rng.randint(18, 80)) for _ in cards]})
    assert {each.name: each.role for each in make_plan(RawData(table, Input("in.csv")), "auto").choices}[
        "pasnummer"
    ] == ("identifier")


def test_sets_of_nearly_one_size_are_sets() -> None:
    """Three diagnoses of three digits each, some of them those of many people: no part of a number is so frequent."""
    sample = files("tacit") / "samples" / "records" / "patients.csv"
    held = [line.rsplit(",", 1)[1] for line in sample.read_text("utf-8").splitlines()[1:_ROWS]]
    table = pa.table({"diagnoses": held, "age": [str(20 + row % 60) for row in range(len(held))]})
    chosen = {each.name: each.role for each in make_plan(RawData(table, Input("in.csv")), "auto").choices}
    assert chosen["diagnoses"] == "items"
