"""Kind and roles that are right for the tables in `shared/data`; a bar between roles where either is."""

from __future__ import annotations

Expected = tuple[str, dict[str, str]]


def _table(kind: str, **columns: str) -> Expected:
    """Columns by role, with blanks between; `_or_` between roles."""
    return kind, {name: role.replace("_or_", "|") for role, names in columns.items() for name in names.split()}


_BASKETS = _table("baskets", items="items")
SHARED: dict[str, Expected] = {
    "nist/national2019.csv.gz": _table(
        "records",
        quasi="PUMA AGEP SEX MSP HISP RAC1P NOC NPF HOUSING_TYPE OWN_RENT DENSITY INDP INDP_CAT EDU DVET",
        sensitive="PINCP PINCP_DECILE POVPIP",
        quasi_or_sensitive="DREM DPHY DEYE DEAR",
        weight="PWGTP WGTP",
    ),
    "ratings/ml-latest-small/movies.csv.gz": _table("baskets", identifier="movieId title", items="genres"),
    "ratings/ml-latest-small/ratings.csv.gz": _table(
        "ratings", person="userId", items="movieId", rating="rating", identifier="timestamp"
    ),
    "ratings/young_people_survey_columns.csv": _table("records", identifier="original short"),
    "reference/distinction.csv": _table("records", quasi="age sex state"),
    "reference/individual_risk.csv": _table("records", quasi="A B C expected_exact expected_approx", weight="weight"),
    "reference/linkage_1.csv": _table("records", quasi="x1 x2 y1 y2"),
    "reference/linkage_2.csv": _table("records", quasi="x y"),
    "reference/suda2_book.csv": _table("records", quasi="age gender education", sensitive="income expected_score"),
    "reference/suda2_contributions.csv": _table("records", quasi="a b c"),
    "reference/suda2_guideline.csv": _table(
        "records", quasi="residence gender education labor", sensitive="expected_score"
    ),
    "relational/adult_arx.csv.gz": _table(
        "records",
        quasi="sex age race marital-status education native-country workclass occupation",
        sensitive="salary-class",
    ),
    "relational/adult_uci.csv.gz": _table(
        "records",
        quasi="age workclass education education-num marital-status occupation relationship race sex hours-per-week "
        "native-country split",
        weight="fnlwgt",
        sensitive="capital-gain capital-loss income",
    ),
    "relational/diabetes130.csv.gz": _table(
        "records",
        identifier="encounter_id",
        identifier_or_person="patient_nbr",
        quasi="race gender age weight admission_type_id admission_source_id time_in_hospital payer_code "
        "medical_specialty number_outpatient number_emergency number_inpatient",
        quasi_or_sensitive="discharge_disposition_id num_lab_procedures num_procedures num_medications "
        "number_diagnoses change citoglipton",
        sensitive="diag_1 diag_2 diag_3 max_glu_serum A1Cresult metformin repaglinide nateglinide chlorpropamide "
        "glimepiride acetohexamide glipizide glyburide tolbutamide pioglitazone rosiglitazone acarbose miglitol "
        "troglitazone tolazamide examide insulin glyburide-metformin glipizide-metformin glimepiride-pioglitazone "
        "metformin-rosiglitazone metformin-pioglitazone diabetesMed readmitted",
    ),
    "relational/diabetes130_ids_mapping.csv": _table(
        "records", identifier="description", quasi_or_identifier="admission_type_id"
    ),
    "relational/heart_disease.csv": _table(
        "records",
        quasi="site age sex",
        sensitive="trestbps chol fbs restecg thalach oldpeak thal",
        quasi_or_sensitive="cp exang slope ca num",
    ),
    "rt/informs2005_conditions.csv.gz": _table("baskets", identifier="DUID year", person="DUPERSID", items="ICD9CODX"),
    "rt/informs2005_demographics.csv.gz": _table(
        "records",
        household="DUID",
        identifier="PID DUPERSID",
        quasi="DOBMM DOBYY SEX RACEX RACEAX RACEBX RACEWX RACETHNX HISPANX HISPCAT EDUCYEAR Year marry",
        sensitive="income poverty",
    ),
    "rt/informs2005_rt.csv.gz": _table(
        "records",
        identifier="id",
        quasi="DOBMM DOBYY SEX RACEX RACETHNX HISPANX HISPCAT EDUCYEAR marry",
        sensitive="income poverty",
        items="conditions",
    ),
    "rt/youtube_sfu_sample.csv.gz": _table(
        "records",
        identifier="video_id",
        quasi="crawl age category length views comments",
        quasi_or_sensitive="rate ratings",
        items="related",
    ),
    "transactions/bms_webview1.dat.gz": _BASKETS,
    "transactions/bms_webview2.dat.gz": _BASKETS,
    "transactions/fruithut.dat.gz": _BASKETS,
    "transactions/fruithut_items.csv": _table("records", identifier="item name"),
    "transactions/groceries.csv.gz": _BASKETS,
    "transactions/msweb.dat.gz": _BASKETS,
    "transactions/msweb_items.csv": _table("records", identifier="item title url"),
    "transactions/retail.dat.gz": _BASKETS,
}
