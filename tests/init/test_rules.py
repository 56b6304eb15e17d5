"""What single columns are taken for: nothing that names somebody is published, whatever its header."""

from __future__ import annotations

import pyarrow as pa
import pytest

from support.first_tables import Draw
from tacit.init.closeness import reachable_t
from tacit.init.columns import Looked, choice_of, look_at
from tacit.init.finding import ASK, NAMES_SOMEBODY
from tacit.init.hierarchies import tree_of_column
from tacit.init.layout import find_sets
from tacit.init.promising import diversity, promise_of_records
from tacit.init.vocabulary import topics_of
from tacit.io.labels import Labels

_DRAW = Draw(300, 31)
_FIRST, _LAST = _DRAW.words("Maria Peter Ana Luca Femke Tiago Chloé"), _DRAW.words("Rossi Silva Müller Dupont Jansen")


def looked(**columns: list[str]) -> Looked:
    return look_at(pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()}))


def role(header: str, values: list[str]) -> str:
    return looked(**{header: values}).findings[header].role


_SOMEBODY = {
    "full names": _DRAW.joined(" ", _FIRST, _LAST),
    "names turned round": _DRAW.joined(", ", _LAST, _FIRST),
    "in small letters": [f"{a} {b}".lower() for a, b in zip(_FIRST, _LAST, strict=True)],
    "family names": [name.upper() for name in _LAST],
    "initials": _DRAW.joined(" ", _DRAW.of("J.", "M.", "K.L."), _LAST),
    "another script": _DRAW.words("Иван Ольга Пётр Анна Мария Сергей"),
    "no capitals": _DRAW.words("王伟 李娜 张敏 刘洋 陈静 杨磊 赵勇 黄丽"),
    "rare names": _DRAW.words("Abernathy Quisenberry Featherstone Oyelaran Tchaikovska"),
    "rare full names": _DRAW.joined(" ", _DRAW.words("Kaja Bo Liv Ditte"), _DRAW.words("Thorup Hviid Damgaard")),
    "two names": _DRAW.of("Dr. Müller", "Dr. Rossi"),
    "one name": ["Peter Jansen"] * 300,
    "mail": [f"{a}{n}@post.example" for n, a in enumerate(_FIRST)],
    "streets": _DRAW.joined(" ", _DRAW.of("Rue Haute", "Via Roma", "Kerkstraat", "Calle Sol"), _DRAW.numbers(1, 90)),
    "phones": _DRAW.joined(" ", _DRAW.of("+31 6"), _DRAW.numbers(10**7, 9 * 10**7)),
    "bare phones": _DRAW.numbers(600_000_000, 699_999_999),
    "uuids": _DRAW.of(*(f"{n:08x}-0000-4000-8000-{n:012x}" for n in range(90))),
    "machines": _DRAW.joined(".", _DRAW.of("10.0"), _DRAW.numbers(1, 9), _DRAW.numbers(1, 250)),
    "cards": ["4111 1111 1111 1111", "5500 0000 0000 0004", "3400 0000 0000 009"] * 100,
    "accounts": ["DE89 3704 0044 0532 0130 00", "FR14 2004 1010 0505 0001 3M02 606", "NL91ABNA0417164300"] * 100,
    "citizens": _DRAW.joined("-", _DRAW.numbers(100, 899), _DRAW.numbers(10, 99), _DRAW.numbers(1000, 9999)),
    "remarks": _DRAW.sentences("the nurse saw him in the morning and he did not want to eat with the others"),
    "row numbers": _DRAW.counting("{}", 17),
    "numbers with letters": _DRAW.counting("AB{:05d}", 17, 3),
    "places on the map": _DRAW.numbers(48, 49, 6),
}


@pytest.mark.parametrize("header", ["x", "V7", "spalte b", "Feld"])
@pytest.mark.parametrize("what", _SOMEBODY)
def test_values_that_name_somebody(what: str, header: str) -> None:
    assert role(header, _SOMEBODY[what]) == "identifier"


@pytest.mark.parametrize(
    "what", ["full names", "rare full names", "names turned round", "mail", "streets", "phones", "remarks", "uuids"]
)
@pytest.mark.parametrize("header", ["town", "occupation", "category", "diagnosis", "items"])
def test_a_header_that_says_otherwise(what: str, header: str) -> None:
    found = looked(**{header: _SOMEBODY[what], "age": _DRAW.numbers(1, 90)})
    assert found.findings[header].role == "identifier"
    assert not find_sets(found.table, found.findings, found.evidence)


@pytest.mark.parametrize(
    "header",
    ["name", "Nachname", "prénom", "Apellido 1", "COGNOME", "achternaam", "sobrenome", "LAST_NAME", "patientName",
     "Hausarzt", "médecin traitant", "Profesora", "insegnante", "huisarts", "encarregado"],
)  # fmt: skip
def test_headers_of_names_in_seven_languages(header: str) -> None:
    assert role(header, _DRAW.words("Aqu Bzy Cxo Dwu Evy Fiz")) == "identifier"


@pytest.mark.parametrize(
    ("header", "topic"),
    [
        *((each, "birth") for each in ("DOB", "Geb.-Datum", "date de naissance", "fecha_nac", "dataNascita",
                                       "geboortedatum", "data_nascimento")),
        *((each, "weight") for each in ("PWGTP", "Hochrechnungsfaktor", "pondération", "factor de expansión",
                                        "peso campionario", "wegingsfactor", "peso amostral", "sampling_weight")),
        *((each, "household") for each in ("hhid", "Haushalts-ID", "id ménage", "id_hogar", "nucleo familiare",
                                           "huishoudnummer", "agregado familiar")),
        *((each, "postcode") for each in ("ZIP", "PLZ", "code postal", "Código Postal", "CAP", "postcode", "CEP")),
        *((each, "address") for each in ("Straße", "Anschrift", "adresse", "domicilio", "indirizzo", "woonadres",
                                         "morada", "street_name")),
        *((each, "text") for each in ("Kommentar", "remarques", "observaciones", "note", "opmerkingen", "observações")),
    ],
)  # fmt: skip
def test_what_headers_speak_of(header: str, topic: str) -> None:
    assert topic in topics_of(header)


@pytest.mark.parametrize(
    ("header", "values", "wanted"),
    [
        ("weight", _DRAW.skewed(1500.0, 2), "weight"),
        ("Gewicht", [each.replace(".", ",") for each in _DRAW.skewed(1.0, 3)], "weight"),
        ("hhid", [str(4000 + row // 3) for row in range(300)], "household"),
        ("household size", _DRAW.numbers(1, 8), "quasi"),
        ("household income", _DRAW.skewed(3000), "sensitive"),
        ("admission_type_id", _DRAW.of(1, 2, 3), "quasi"),
        ("patient_id", _DRAW.of(1, 2, 3), "identifier"),
        ("Note", _DRAW.of(1, 2, 3, 4, 5), "sensitive"),
        ("ICD", _DRAW.of("A01", "B20", "C50", "E11"), "sensitive"),
        ("medication", _DRAW.of("C09AA02", "A10BA02", "R03AC02"), "sensitive"),
        ("NACE", _DRAW.of("A01.1", "C10.2", "G47.1", "Q86.1"), "quasi"),
        ("product_name", _DRAW.of("tea", "milk", "bread", "salt"), "sensitive"),
        ("Nombre d'enfants", _DRAW.numbers(0, 5), "quasi"),
        ("has_email", _DRAW.of("yes", "no"), "sensitive"),
        ("remarks", _DRAW.of("", "did not come to the talk", "moved house"), "identifier"),
        ("Note", _DRAW.of("non risponde al telefono", "ha cambiato casa"), "identifier"),
        ("comment", _DRAW.of("good", "bad"), "quasi"),
        ("Hausnummer", _DRAW.of(1, 2, 3, 4), "identifier"),
        ("rue", _DRAW.of("Foch", "Voltaire", "des Lilas"), "identifier"),
        ("policy number", _DRAW.of(400_121, 400_187, 400_311), "identifier"),
        ("Handicap", _DRAW.of("oui", "non"), "sensitive"),
        ("x", [""] * 300, "identifier"),
    ],
)
def test_headers_and_values_together(header: str, values: list[str], wanted: str) -> None:
    assert role(header, values) == wanted


@pytest.mark.parametrize("values", [("Aqu", "Bzy"), ("Dr. Zqu", "Dr. Xpo")])
@pytest.mark.parametrize("header", ["doctor", "name", "teacher"])
def test_two_names_are_no_yes_and_no(header: str, values: tuple[str, str]) -> None:
    found = looked(**{header: _DRAW.of(*values)}).findings[header]
    assert (found.role, found.topic) == ("identifier", NAMES_SOMEBODY)
    assert role(header, _DRAW.of("yes", "no")) != "identifier"


def test_the_weight_of_bodies_is_known_by_what_stands_beside() -> None:
    kilograms = _DRAW.numbers(45, 120)
    assert looked(weight=kilograms, height=_DRAW.numbers(150, 200)).findings["weight"].role == "quasi"
    assert looked(weight=kilograms, region=_DRAW.of(1, 2, 3)).findings["weight"].role == "weight"


def test_what_cannot_be_told_is_asked() -> None:
    found = looked(col=_DRAW.of(*(f"Qux{chr(97 + n)}or" for n in range(20))))
    assert choice_of(found, "col").role == "identifier"
    assert choice_of(found, "col").why.startswith(ASK)


# What means "no value", types, hierarchies, promises


def test_codes_of_no_answer_are_no_values_where_they_mean_nothing_else() -> None:
    found = looked(a=_DRAW.of(1, 2, 3, -8, -9), b=_DRAW.of(1, 2, 3, 4, 99), c=_DRAW.of(1, 5, 7, "N"))
    assert found.missing == ["", "-8", "-9", "99", "N"]
    assert found.evidence["a"].distinct == 3


def test_a_code_that_means_something_elsewhere_stays_and_is_told() -> None:
    found = looked(a=_DRAW.of(1, 2, 3, 4, 99), age=[str(n % 100) for n in range(300)], temp=_DRAW.of(-12, -9, 3, 8))
    assert found.missing == [""]
    assert '"99" may mean no answer' in choice_of(found, "a").why
    assert "N" not in looked(a=_DRAW.of(1, 2, "N"), smokes=_DRAW.of("Y", "N")).missing


def test_a_number_that_is_not_far_from_the_others_is_an_answer() -> None:
    assert looked(hours=_DRAW.of(20, 30, 40, 60, 88)).missing == [""]
    assert looked(answer=_DRAW.of(1, 2, 3, 88)).missing == ["", "88"]


def test_values_without_text_are_not_published() -> None:
    table = pa.table({"age": [1, 2] * 9, "photo": [b"\xff"] * 18, "both": [{"a": 1}] * 18, "tags": [["x"]] * 18})
    found = look_at(table).findings
    assert [found[name].role for name in table.column_names] == ["quasi", "identifier", "identifier", "items"]


def test_a_late_value_counts() -> None:
    found = looked(code=[*map(str, range(1, 40))] * 500 + ["late"], other=["late", "never"] * 9750 + ["late"])
    assert choice_of(found, "code").type == "category"


@pytest.mark.parametrize(
    ("header", "values", "wanted"),
    [
        ("sex", _DRAW.of(1, 2), "category"),
        ("age", _DRAW.numbers(1, 90), "number"),
        ("children", _DRAW.numbers(0, 5), "number"),
        ("q", _DRAW.of(1, 2, 3), "category"),
        ("plz", _DRAW.of(*range(10115, 10160)), "category"),
        ("born", _DRAW.dates("%Y-%m-%d"), "date"),
        ("born", _DRAW.dates("%d.%m.%Y"), "date"),
        ("born", _DRAW.dates("%d.%m.%y"), "date"),
        ("hours", [each.replace(".", ",") for each in _DRAW.numbers(1, 9, 1)], "number"),
    ],
)
def test_types(header: str, values: list[str], wanted: str) -> None:
    found = looked(**{header: values})
    assert choice_of(found, header).type == wanted


def test_dates_of_people_are_grouped_by_month_and_year() -> None:
    column = looked(geb=["3.12.1985", "17.12.1985", "1.2.1985", "5.5.1991"] * 4).evidence["geb"]
    assert tree_of_column(column, "birth").to_paths() == [
        ["1.2.1985", "1985", "*"], ["3.12.1985", "1985-12", "1985", "*"], ["17.12.1985", "1985-12", "1985", "*"],
        ["5.5.1991", "*"],
    ]  # fmt: skip


def test_american_dates_are_told_by_a_day_above_twelve() -> None:
    column = looked(dob=["12/31/1999", "12/30/1999", "01/02/1980"]).evidence["dob"]
    assert ["12/31/1999", "1999-12", "*"] in tree_of_column(column, "birth").to_paths()


def promise(**columns: list[str]) -> str:
    """The promise about columns that are all sensitive but for one, `known`."""
    found = looked(**columns)
    sensitive = [each for name, each in found.evidence.items() if name != "known"]
    return "\n".join(
        promise_of_records(sensitive, [found.evidence[name] for name in columns if name == "known"], found.table)
    )


@pytest.mark.parametrize(
    ("counts", "wanted"),
    [((40, 30, 30), 'model = "l"|l = 2'), ((55, 45), 'model = "l"|l = 1.4'), ((95, 5), 'model = "t"|t = 0.2 ')],
)
def test_the_promise_can_be_kept(counts: tuple[int, ...], wanted: str) -> None:
    values = [f"v{number}" for number, count in enumerate(counts) for _ in range(count)]
    assert all(each in promise(x=values) for each in wanted.split("|"))


def test_t_is_what_groups_of_similar_people_keep() -> None:
    """More values make groups farther from all; so does what is known, if it tells much of what is sensitive."""
    draw = Draw(800, 5)
    rare, grades, house = draw.of("no", "yes", odds=(0.95, 0.05)), draw.of(*"abcdefgh"), draw.of("A", "B")
    told = [each if place == "A" else "" for each, place in zip(rare, house, strict=True)]
    age = draw.numbers(1, 90)
    assert "t = 0.2 " in promise(known=age, rare=rare)
    assert "t = 0.25 " in promise(known=age, rare=rare, grade=grades)
    assert "t = 0.2 " in promise(known=age, rare=rare, pulse=draw.numbers(50, 120))
    assert "t = 0.5 " in promise(known=house, rare=rare, told=told)


def test_t_of_codes_counts_them_as_equally_far() -> None:
    """Codes that are numbers, but no quantities: in groups of twenty, their shares differ more than their sizes do."""
    draw = Draw(600, 6)
    found = looked(known=draw.numbers(18, 80), code=draw.numbers(1, 16), flag=draw.of("0", "1", odds=[0.95, 0.05]))
    known, sensitive = [found.evidence["known"]], [found.evidence[name] for name in ("code", "flag")]
    near = reachable_t(found.table, known, sensitive)
    far = reachable_t(found.table, known, sensitive, nominal={"code"})
    assert near == 0.2 and far is not None and far >= 0.3


@pytest.mark.parametrize(
    ("values", "is_asked"),
    [
        ("jsm kpo adw mlb", True), ("KD RS MBW TJ", True), ("A B D G K M R T", True), ("svenja olu thies mbali", True),
        ("CA TX NY FL", False), ("en es fr zh", False), ("A B C D E F G H", False), ("car bus bike walk", False),
    ],
)  # fmt: skip
def test_letters_and_small_words_that_nothing_explains(values: str, is_asked: bool) -> None:
    found = looked(x7=values.split() * 20).findings["x7"]
    assert (found.role == "identifier") == is_asked == found.why.startswith("what is it?")


def test_what_is_too_uniform_and_too_varied_leaves_k_and_a_decision() -> None:
    rare, code = ["no"] * 95 + ["yes"] * 5, [f"c{n}" for n in range(50)] * 2
    assert 'model = "k"' in promise(rare=rare, code=code)
    assert 'model = "l"' in promise(code=code)
    assert 'model = "t"' in promise(rare=rare)


def test_missing_values_count_as_one_for_diversity() -> None:
    column = looked(x=["a", "b"] * 10 + [""] * 80).evidence["x"]
    assert diversity([column], 100) == 1.0


@pytest.mark.parametrize(("names", "is_labelled", "wanted"), [("V1 V2 V3 V4 V5", False, "sensitive"),
                                                              ("V1 V2 V3", False, "quasi"),
                                                              ("xa yb zc", True, "sensitive")])  # fmt: skip
def test_questions_on_one_scale_are_answers(names: str, is_labelled: bool, wanted: str) -> None:
    """By a letter alone only where they are many; by words for their codes whatever they are called."""
    columns = {name: _DRAW.words("1 2 3 4 5") for name in names.split()}
    words = {1.0: "agree", 5.0: "disagree"}
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    found = look_at(table, Labels(values=dict.fromkeys(columns, words) if is_labelled else {}))
    assert {found.findings[name].role for name in columns} == {wanted}
