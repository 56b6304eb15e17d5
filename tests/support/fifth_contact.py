"""A fifth batch: headers that others wrote, in public data and exports of common programs. Values are drawn.

`init` was run on them once before anything was mended, and that figure stands in `docs/init.md`.
"""

from __future__ import annotations

from collections.abc import Callable

from support.first_tables import Draw, Made
from support.third_contact import made_of, uuids

_STAFF = ("Wyatt Holloway", "Delia Merritt", "Ines Castellano", "Theo Vance")
_YES = ("Yes", "No")


def phone_contracts() -> Made:
    d = Draw(240, 501)
    return made_of(
        "records",
        {
            "customerID": ("i", d.joined("-", d.numbers(1000, 9999), d.words("VHVEG NVDEC CPYBK OCWXS"))),
            "SeniorCitizen": ("qs", d.of("0", "1", odds=[0.8, 0.2])),
            "Partner": ("qs", d.of(*_YES)),
            "tenure": ("qs", d.numbers(0, 72)),
            "InternetService": ("qs", d.of("DSL", "Fiber optic", "No")),
            "PaymentMethod": ("qs", d.of("Electronic check", "Mailed check", "Bank transfer (automatic)")),
            "MonthlyCharges": ("s", d.numbers(18, 118, 2)),
            "Churn": ("s", d.of(*_YES, odds=[0.3, 0.7])),
        },
    )


def respiratory_cases() -> Made:
    """Brazil's notifications: 1 is yes, 2 is no, 9 is not known, and this is no scale."""
    d = Draw(260, 502)
    ill = ("FEBRE", "TOSSE", "DISPNEIA", "CARDIOPATI", "ASMA", "OBESIDADE", "RENAL", "VACINA", "UTI", "HOSPITAL")
    return made_of(
        "records",
        {
            "NM_PACIENT": ("i", d.joined(" ", d.words("ANA JOSE CARLA BRUNO"), d.words("SOUZA LIMA MOREIRA"))),
            "DT_NASC": ("q", d.dates("%d/%m/%Y")),
            "SG_UF_NOT": ("q", d.of("SP", "RJ", "MG")),
            "NU_IDADE_N": ("q", d.numbers(0, 99)),
            "CS_RACA": ("q", d.of("1", "2", "3", "4", "5", "9")),
            **{name: ("s", d.of("1", "2", "9", odds=[0.5, 0.4, 0.1])) for name in ill},
        },
    )


def trial_forms() -> Made:
    d = Draw(220, 503)
    return made_of(
        "records",
        {
            "record_id": ("i", d.counting("{}")),
            "redcap_event_name": ("q", d.of("baseline_arm_1", "month_3_arm_1", "month_6_arm_1")),
            "dob": ("q", d.dates("%Y-%m-%d")),
            "height_cm": ("qs", d.numbers(150, 200)),
            "ae_desc": ("i", d.of("", "mild headache after dose", "rash on left arm", "dizzy, called husband")),
            "creat_b": ("s", d.numbers(0.5, 3, 2)),
            **{f"phq9_{number}": ("s", d.of("0", "1", "2", "3")) for number in range(1, 6)},
            "consent_signed_by": ("i", d.of(*_STAFF)),
        },
    )


def staff_of_a_firm() -> Made:
    d = Draw(230, 504)
    return made_of(
        "records",
        {
            "Employee_Name": ("i", d.joined(", ", d.words("Adinolfi Akinkuolie Alagbe"), d.words("Karthi Trina Wil"))),
            "MaritalDesc": ("q", d.of("Single", "Married", "Divorced", "Widowed")),
            "RaceDesc": ("q", d.of("White", "Black or African American", "Asian", "Two or more races")),
            "TermReason": ("s", d.of("still employed", "career change", "hours", "return to school")),
            "ManagerName": ("i", d.of(*_STAFF)),
            "DateofHire": ("q", d.dates("%m/%d/%Y", "2006-01-01", 4000)),
            "EngagementSurvey": ("s", d.numbers(1, 5, 2)),
            "Absences": ("s", d.numbers(1, 20)),
        },
    )


def day_nursery() -> Made:
    d = Draw(160, 505)
    return made_of(
        "records",
        {
            "Vorname Kind": ("i", d.words("Lio Malia Yunus Ava Benno")),
            "Geburtsdatum Kind": ("q", d.dates("%d.%m.%Y", "2016-01-01", 2000)),
            "Buchungszeit": ("qs", d.of("4-5 h", "5-6 h", "6-7 h")),
            "§53 SGB XII": ("s", d.of("ja", "nein", odds=[0.1, 0.9])),
            "Abholberechtigte": ("i", d.joined(" ", d.words("Oma Onkel Nachbarin"), d.words("Rauch Pfeil Demirel"))),
            "Elternbeitrag": ("s", d.of("0,00", "98,00", "121,50", "143,00")),
            "Impfnachweis": ("s", d.of("liegt vor", "fehlt")),
        },
    )


def answers_to_a_form() -> Made:
    d = Draw(230, 506)
    return made_of(
        "records",
        {
            "token": ("i", uuids(d)),
            "submitdate": ("q", d.dates("%Y-%m-%d 10:15:00", "2023-04-01", 30)),
            "startlanguage": ("q", d.of("de", "en")),
            "Age band": ("q", d.of("18-29", "30-44", "45-59", "60+")),
            "Which gender do you identify with?": ("q", d.of("Woman", "Man", "Non-binary", "Prefer not to say")),
            "Have you ever been diagnosed with depression?": ("s", d.of("Yes", "No", "Prefer not to say")),
            "G03Q05[other]": ("i", d.of("", "eigene Firma", "bin in Karenz", "Pension seit 2020")),
            "G04Q07": ("i", d.of("", "Danke für die Umfrage", "mehr Radwege in der Kirchengasse", "keine")),
            "Who told you about this survey?": ("i", d.of("", *_STAFF)),
        },
    )


FIFTH: dict[str, Callable[[], Made]] = {
    made.__name__: made
    for made in (phone_contracts, respiratory_cases, trial_forms, staff_of_a_firm, day_nursery, answers_to_a_form)
}
