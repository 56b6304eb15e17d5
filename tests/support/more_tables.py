"""Twelve more tables for `tacit init`, modelled on files that are in use: passengers, staff, courts, trials, members.

Each was written before the rules had seen it; what it showed then was mended, and stays so.
"""

from __future__ import annotations

from collections.abc import Callable

from support.first_tables import FR_FIRST, FR_LAST, IT_FIRST, IT_LAST, US_FIRST, US_LAST, Draw, Made


def titanic() -> Made:
    draw = Draw(890, 41)
    return Made(
        "records",
        {
            "PassengerId": draw.counting("{}"),
            "Survived": draw.of(0, 1),
            "Pclass": draw.of(1, 2, 3),
            "Name": draw.joined(
                ", ", draw.words(US_LAST), draw.joined(" ", draw.of("Mr.", "Mrs.", "Miss."), draw.words(US_FIRST))
            ),
            "Sex": draw.of("male", "female"),
            "Age": draw.numbers(1, 80),
            "SibSp": draw.of(0, 1, 2, 3),
            "Parch": draw.of(0, 1, 2),
            "Ticket": draw.joined(" ", draw.of("A/5", "PC", "STON/O2."), draw.numbers(1000, 99999)),
            "Fare": draw.skewed(20, 4),
            "Cabin": draw.joined("", draw.of("C", "B", "E"), draw.numbers(1, 130)),
            "Embarked": draw.of("S", "C", "Q"),
        },
        {
            "PassengerId": "identifier",
            "Survived": "sensitive|quasi",
            "Pclass": "quasi",
            "Name": "identifier",
            "Sex": "quasi",
            "Age": "quasi",
            "SibSp": "quasi",
            "Parch": "quasi",
            "Ticket": "identifier",
            "Fare": "sensitive|quasi",
            "Cabin": "identifier|quasi",
            "Embarked": "quasi",
        },
    )


def ibm_hr() -> Made:
    draw = Draw(1470, 42)
    columns = {
        "Age": draw.numbers(18, 60),
        "Attrition": draw.of("Yes", "No"),
        "BusinessTravel": draw.of("Travel_Rarely", "Travel_Frequently", "Non-Travel"),
        "DailyRate": draw.numbers(100, 1500),
        "Department": draw.of("Sales", "R&D", "HR"),
        "DistanceFromHome": draw.numbers(1, 29),
        "Education": draw.of(1, 2, 3, 4, 5),
        "EducationField": draw.of("Life Sciences", "Medical", "Marketing", "Other"),
        "EmployeeCount": draw.of(1),
        "EmployeeNumber": draw.counting("{}", 1, 2),
        "EnvironmentSatisfaction": draw.of(1, 2, 3, 4),
        "Gender": draw.of("Male", "Female"),
        "HourlyRate": draw.numbers(30, 100),
        "JobRole": draw.of("Sales Executive", "Manager", "Lab Technician"),
        "MaritalStatus": draw.of("Single", "Married"),
        "MonthlyIncome": draw.skewed(5000),
        "NumCompaniesWorked": draw.numbers(0, 9),
        "Over18": draw.of("Y"),
        "OverTime": draw.of("Yes", "No"),
        "PercentSalaryHike": draw.numbers(11, 25),
        "PerformanceRating": draw.of(3, 4),
        "TotalWorkingYears": draw.numbers(0, 40),
        "YearsAtCompany": draw.numbers(0, 40),
    }
    roles = dict.fromkeys(columns, "quasi")
    roles.update(
        EmployeeNumber="identifier",
        MonthlyIncome="sensitive",
        DailyRate="sensitive|quasi",
        HourlyRate="sensitive|quasi",
        PercentSalaryHike="sensitive|quasi",
        PerformanceRating="sensitive",
        EnvironmentSatisfaction="sensitive|quasi",
        Attrition="quasi|sensitive",
        OverTime="quasi|sensitive",
        BusinessTravel="quasi|sensitive",
    )
    return Made("records", columns, roles)


def compas() -> Made:
    draw = Draw(700, 43)
    columns = {
        "id": draw.counting("{}"),
        "name": draw.joined(" ", draw.words(US_FIRST.lower()), draw.words(US_LAST.lower())),
        "first": draw.words(US_FIRST.lower()),
        "last": draw.words(US_LAST.lower()),
        "compas_screening_date": draw.dates("%Y-%m-%d", "2013-01-01", 700),
        "sex": draw.of("Male", "Female"),
        "dob": draw.dates("%Y-%m-%d"),
        "age": draw.numbers(18, 80),
        "age_cat": draw.of("25 - 45", "Less than 25", "Greater than 45"),
        "race": draw.of("African-American", "Caucasian", "Hispanic"),
        "juv_fel_count": draw.of(0, 1, 2),
        "decile_score": draw.numbers(1, 11),
        "priors_count": draw.numbers(0, 20),
        "c_case_number": draw.counting("{}CF10A", 13000100, 7),
        "c_charge_degree": draw.of("F", "M"),
        "c_charge_desc": draw.of(
            "Battery", "Grand Theft", "arrest case no charge", "Driving While Revoked", "Possession of Cocaine"
        ),
        "is_recid": draw.of(0, 1),
        "v_decile_score": draw.numbers(1, 11),
    }
    roles = dict.fromkeys(columns, "quasi")
    roles.update(
        id="identifier",
        name="identifier",
        first="identifier",
        last="identifier",
        c_case_number="identifier",
        decile_score="sensitive",
        v_decile_score="sensitive",
        c_charge_degree="sensitive|quasi",
        c_charge_desc="sensitive",
        is_recid="sensitive|quasi",
        juv_fel_count="quasi|sensitive",
        priors_count="quasi|sensitive",
    )
    return Made("records", columns, roles)


def retail() -> Made:
    draw = Draw(1500, 44)
    columns = {
        "InvoiceNo": draw.of(*range(536365, 536800)),
        "StockCode": draw.of(*[f"{n}A" for n in range(22000, 22080)]),
        "Description": draw.of(*[f"WHITE HANGING HEART NO {n}" for n in range(80)]),
        "Quantity": draw.of(1, 2, 3, 6, 12),
        "InvoiceDate": draw.dates("%m/%d/%Y 8:26", "2010-12-01", 300),
        "UnitPrice": draw.skewed(3, 2),
        "CustomerID": draw.of(*range(17000, 17300)),
        "Country": draw.of("United Kingdom", "France", "Germany"),
    }
    roles = dict.fromkeys(columns, "identifier")
    return Made("baskets", columns, {**roles, "StockCode": "items", "CustomerID": "person"})


def nhs() -> Made:
    draw = Draw(300, 45)
    columns = {
        "NHS_Number": draw.numbers(4 * 10**9, 7 * 10**9),
        "Forename": draw.words("Zq Wx Vy"),
        "Patient Postcode": draw.joined(" ", draw.of("LS1", "M14", "BS8"), draw.of("4AP", "5TQ", "1TH")),
        "DateOfBirth": draw.dates("%d/%m/%Y"),
        "Ethnic Category": draw.of("A", "B", "C", "Z"),
        "GP Practice Code": draw.of("B86001", "B86002", "B86110"),
        "Consultant": draw.words("Okafor Lindqvist Abara"),
        "Admission Method": draw.of(11, 12, 21, 22),
        "Primary Diagnosis": draw.of("I251", "J189", "K359", "S720"),
        "Length of Stay": draw.numbers(0, 30),
        "Ward": draw.of("W12", "W14", "ICU"),
        "Deprivation Decile": draw.numbers(1, 11),
        "Deceased": draw.of("Y", "N"),
    }
    roles = {
        "NHS_Number": "identifier",
        "Forename": "identifier",
        "Patient Postcode": "quasi",
        "DateOfBirth": "quasi",
        "Ethnic Category": "quasi",
        "GP Practice Code": "quasi",
        "Consultant": "identifier",
        "Admission Method": "quasi",
        "Primary Diagnosis": "sensitive",
        "Length of Stay": "quasi|sensitive",
        "Ward": "quasi",
        "Deprivation Decile": "quasi|sensitive",
        "Deceased": "sensitive|quasi",
    }
    return Made("records", columns, roles)


def kursus() -> Made:
    draw = Draw(300, 46)
    columns = {
        "Matrikelnr.": draw.counting("{}", 1023400, 11),
        "Studierende/r": draw.joined(" ", draw.words("Kaja Bo Liv"), draw.words("Thorup Hviid Dam")),
        "Studiengang": draw.of("Informatik", "Jura", "Medizin"),
        "Fachsemester": draw.numbers(1, 14),
        "Hochschulzugang": draw.of("Abitur", "FHR"),
        "Staatsangeh.": draw.of("D", "TR", "PL"),
        "Abschlussnote": [x.replace(".", ",") for x in draw.numbers(1, 4, 1)],
        "BAföG": draw.of("ja", "nein"),
        "Heimatanschrift": draw.joined(" ", draw.of("Am Hang", "Birkenallee"), draw.numbers(1, 60)),
        "IBAN": draw.of("DE89370400440532013000", "DE02120300000000202051"),
        "Betreuer": draw.joined(" ", draw.of("Prof."), draw.words("Xaver Yilmaz")),
        "letzte Anmeldung": draw.dates("%d.%m.%Y", "2024-01-01", 90),
    }
    roles = dict.fromkeys(columns, "quasi")
    roles.update(
        {
            "Matrikelnr.": "identifier",
            "Studierende/r": "identifier",
            "Abschlussnote": "sensitive",
            "BAföG": "sensitive|quasi",
            "Heimatanschrift": "identifier",
            "IBAN": "identifier",
            "Betreuer": "identifier",
        }
    )
    return Made("records", columns, roles)


def soep() -> Made:
    draw = Draw(600, 61)
    columns = {
        "pid": draw.counting("{}", 5201, 1),
        "hid": [str(52 + r // 2) for r in range(600)],
        "syear": draw.of(2018, 2019),
        "pgen_stell": draw.of(-2, -1, 11, 13, 110, 130),
        "plh0182": draw.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -1),
        "d11101": draw.numbers(18, 90),
        "d11102ll": draw.of(1, 2),
        "d11104": draw.of(1, 2, 3, 4, 5),
        "i11102": draw.skewed(30000),
        "l11101_ew": draw.of(*range(1, 17)),
        "m11126": draw.of(1, 2, 3, 4, 5, -5),
        "phrf": draw.skewed(2500, 3),
        "bula": draw.of(*range(1, 17)),
        "migback": draw.of(1, 2, 3),
    }
    roles = dict.fromkeys(columns, "quasi")
    roles.update(
        pid="identifier",
        hid="household|identifier",
        phrf="weight",
        i11102="quasi|identifier|sensitive",
        plh0182="quasi|sensitive",
    )
    return Made("records", columns, roles)


def carte() -> Made:
    draw = Draw(400, 62)
    columns = {
        "N° dossier": draw.counting("D-{:05d}", 3, 1),
        "Nom et prénom": draw.joined(" ", draw.words(FR_LAST), draw.words(FR_FIRST)),
        "Né(e) le": draw.dates("%d/%m/%Y"),
        "Âge": draw.numbers(1, 90),
        "Situation familiale": draw.of("célibataire", "marié", "divorcé"),
        "Quartier": draw.of("Centre", "Nord", "La Paillade", "Port"),
        "CSP": draw.of("cadre", "ouvrier", "employé", "retraité"),
        "Revenus mensuels": draw.skewed(1900),
        "Nb enfants": draw.of(0, 1, 2, 3),
        "Type de logement": draw.of("T1", "T2", "T3"),
        "Handicap": draw.of("oui", "non"),
        "Référent": draw.joined(" ", draw.of("Mme", "M."), draw.words("Zidane Orsini Lequeux")),
        "Tél. portable": draw.joined(
            " ", draw.of("06"), draw.numbers(10, 99), draw.numbers(10, 99), draw.numbers(10, 99), draw.numbers(10, 99)
        ),
        "Date d'entrée": draw.dates("%d/%m/%Y", "2020-01-01", 900),
        "Remarques": draw.of("", "", "très motivé et assidu dans les démarches", "ne vient pas aux rendez-vous"),
    }
    roles = dict.fromkeys(columns, "quasi")
    roles.update(
        {
            "N° dossier": "identifier",
            "Nom et prénom": "identifier",
            "Revenus mensuels": "sensitive",
            "Handicap": "sensitive",
            "Référent": "identifier",
            "Tél. portable": "identifier",
            "Remarques": "identifier",
        }
    )
    return Made("records", columns, roles)


def trial() -> Made:
    draw = Draw(240, 63)
    columns = {
        "SUBJID": draw.counting("101-{:04d}"),
        "SITEID": draw.of(101, 102, 103),
        "ARM": draw.of("Placebo", "Drug A 10mg", "Drug A 20mg"),
        "AGE": draw.numbers(20, 80),
        "SEX": draw.of("M", "F"),
        "RACE": draw.of("WHITE", "ASIAN", "BLACK OR AFRICAN AMERICAN"),
        "HEIGHT": draw.numbers(150, 195),
        "WEIGHT": draw.numbers(48, 120, 1),
        "BMI": draw.numbers(18, 35, 1),
        "SBP_BL": draw.numbers(100, 170),
        "HBA1C": draw.numbers(5, 10, 1),
        "AETERM": draw.of("HEADACHE", "NAUSEA", "RASH", "NONE"),
        "AESEV": draw.of("MILD", "MODERATE", "SEVERE"),
        "RFSTDTC": draw.dates("%Y-%m-%d", "2021-01-01", 300),
        "INVNAM": draw.of("DR. OKONKWO", "DR. BERGSTRAND", "DR. LIU"),
        "DTHFL": draw.of("Y", "N", odds=(0.02, 0.98)),
    }
    roles = dict.fromkeys(columns, "quasi")
    roles.update(
        SUBJID="identifier",
        SBP_BL="sensitive|quasi",
        HBA1C="sensitive",
        WEIGHT="quasi|sensitive",
        BMI="quasi|sensitive",
        AETERM="sensitive|quasi",
        AESEV="sensitive|quasi",
        INVNAM="identifier",
        DTHFL="sensitive|quasi",
        ARM="quasi|sensitive",
        SITEID="quasi|identifier",
    )
    return Made("records", columns, roles)


def library() -> Made:
    draw = Draw(2000, 64)
    columns = {
        "session": draw.of(*[f"{n:032x}" for n in range(10**30, 10**30 + 300)]),
        "page": draw.of(*[f"/p/{n}" for n in range(60)]),
    }
    return Made("baskets", columns, {"session": "person", "page": "items"})


def soci() -> Made:
    draw = Draw(300, 65)
    columns = {
        "Tessera n.": draw.counting("{}", 1201, 1),
        "Cognome e nome": draw.joined(" ", draw.words(IT_LAST), draw.words(IT_FIRST)),
        "Luogo di nascita": draw.of("Roma", "Torino", "Bari", "Olbia"),
        "Data di nascita": draw.dates("%d/%m/%Y"),
        "Cod. fisc.": draw.of("RSSMRA80A01H501U", "BNCGLI75D41F205X", "VRDLGU90H12L219Z"),
        "CAP": draw.of("00185", "10121", "70121"),
        "Indirizzo": draw.joined(" ", draw.of("Via Po", "Corso Italia"), draw.numbers(1, 100)),
        "Cellulare": draw.numbers(3 * 10**9, 3.9 * 10**9),
        "Sesso": draw.of("M", "F"),
        "Titolo di studio": draw.of("licenza media", "diploma", "laurea"),
        "Quota pagata": draw.of(20, 40, 60),
        "Iscritto dal": draw.numbers(1985, 2024),
        "Note": draw.of("", "", "moroso da due anni e non risponde al telefono", "ha cambiato casa"),
    }
    roles = dict.fromkeys(columns, "quasi")
    roles.update(
        {
            "Tessera n.": "identifier",
            "Cognome e nome": "identifier",
            "Cod. fisc.": "identifier",
            "Indirizzo": "identifier",
            "Cellulare": "identifier",
            "Quota pagata": "sensitive|quasi",
            "Note": "identifier",
        }
    )
    return Made("records", columns, roles)


def orders() -> Made:
    draw = Draw(500, 66)
    columns = {
        "order_id": draw.counting("{}", 90001),
        "cust_email": [f"u{n}@x.example" for n in range(500)],
        "ship_city": draw.of("Leeds", "York", "Hull"),
        "ship_state": draw.of("ENG", "SCT"),
        "age_band": draw.of("18-24", "25-34", "35-44"),
        "loyalty_tier": draw.of("Gold", "Silver", "None"),
        "basket": draw.baskets("|", "ale bread cheddar dip eggs flour"),
        "coupon_codes": draw.baskets(",", "C10 C20 C30 FREE", 0.2),
        "order_value": draw.skewed(30, 2),
        "gift_message": draw.sentences("happy birthday to my dear friend and the best of luck with love"),
        "ip": draw.joined(".", draw.of("81.2"), draw.numbers(1, 200), draw.numbers(1, 200)),
    }
    return Made(
        "records",
        columns,
        {
            "order_id": "identifier",
            "cust_email": "identifier",
            "ship_city": "quasi",
            "ship_state": "quasi",
            "age_band": "quasi",
            "loyalty_tier": "quasi",
            "basket": "items",
            "coupon_codes": "items",
            "order_value": "sensitive",
            "gift_message": "identifier",
            "ip": "identifier",
        },
    )


MORE: dict[str, Callable[[], Made]] = {
    made.__name__: made
    for made in (titanic, ibm_hr, compas, retail, nhs, kursus, soep, carte, trial, library, soci, orders)
}
