"""Tables I to IV of Dhumal & Patil: one bucket of five people, sliced in three ways."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest

import tacit
from tacit.sliced import count, read_sliced

TABLE_I = pd.DataFrame(
    [
        ("80", "95", "4", "Kavil", "68", "Gijamine", "ME", "Teaching", "35000"),
        ("110", "85", "3", "Hypertension", "72", "Santrifon", "MBA", "Marketing", "20000"),
        ("75", "93", "2", "Flu", "87", "Oghil", "BA", "Student", "00000"),
        ("40", "115", "1", "Kavil", "98", "Matrogin", "BE", "Student", "00000"),
        ("105", "90", "3", "Cancer", "82", "Albhome", "MBA", "Business", "50000"),
    ],
    columns=[
        "Resting BP", "Hypertension", "Severity Index", "Treatment", "Pulse Rate", "Medicines", "Education",
        "Profession", "salary",
    ],
)  # fmt: skip
SENSITIVE = ["Severity Index", "Treatment", "Medicines"]


def release(attributes: list[str], sensitive: list[str], **options: object) -> tacit.Release:
    """Two of five have the same treatment, so that ℓ = 2.5 is the most that can be promised: one bucket."""
    known = [name for name in attributes if name not in sensitive]
    promise = tacit.SlicedDiversity(2.5)
    return tacit.anonymize(TABLE_I, promise, quasi=known, sensitive=sensitive, seed=1, **options)  # type: ignore[arg-type]


def rows_of(published: pd.DataFrame, index: int, names: list[str]) -> Counter[tuple[str, ...]]:
    return Counter(map(tuple, published[[f"{index}.{name}" for name in names]].values.tolist()))


def check(published: pd.DataFrame, columns: list[list[str]]) -> None:
    assert list(published.columns) == ["bucket", *(f"{i}.{name}" for i, one in enumerate(columns, 1) for name in one)]
    assert published["bucket"].nunique() == 1
    for index, one in enumerate(columns, 1):
        assert rows_of(published, index, one) == Counter(map(tuple, TABLE_I[one].values.tolist()))


def test_table_ii() -> None:
    columns = [["Resting BP", "Hypertension"], ["Severity Index", "Treatment"], ["Pulse Rate", "Medicines"]]
    made = release([name for one in columns for name in one], ["Severity Index", "Treatment"], columns=columns)
    check(made.data, columns)
    assert made.audit.worst["probability"] == pytest.approx(0.4)
    assert rows_of(made.data, 2, columns[1])[("3", "Cancer")] == 1


def test_table_iii() -> None:
    names = ["Resting BP", "Hypertension", "Severity Index", "Treatment"]
    made = release(names, ["Treatment"], method="one-per-column")
    check(made.data, [[name] for name in names])


def test_table_iv() -> None:
    domains = {
        "vital signs": ["Resting BP", "Hypertension", "Pulse Rate"],
        "treatment": ["Severity Index", "Treatment", "Medicines"],
        "social": ["Education", "Profession", "salary"],
    }
    made = release(list(TABLE_I.columns), SENSITIVE, domains=domains)
    names = {name: list(one) for name, one in domains.items()}
    order = [sorted(one, key=list(TABLE_I.columns).index) for one in names.values()]
    assert sorted(map(sorted, made.recoding.slices)) == sorted(map(sorted, order))
    check(made.data, [list(one) for one in made.recoding.slices])


def test_rows_are_not_published_in_the_order_of_people() -> None:
    columns = [["Resting BP", "Hypertension"], ["Severity Index", "Treatment"], ["Pulse Rate", "Medicines"]]
    names = [name for one in columns for name in one]
    published = [
        tacit.anonymize(
            TABLE_I, tacit.SlicedDiversity(2.5), quasi=[n for n in names if n not in SENSITIVE[:2]],
            sensitive=SENSITIVE[:2], columns=columns, seed=seed,
        ).data
        for seed in range(6)
    ]  # fmt: skip
    assert len({str(one["2.Treatment"].tolist()) for one in published}) > 2
    linked = {tuple(row) for one in published for row in one[["1.Resting BP", "2.Treatment"]].values.tolist()}
    assert len(linked) > len(TABLE_I)


def test_correlated_attributes_stay_countable() -> None:
    columns = [["Resting BP", "Hypertension"], ["Severity Index", "Treatment"], ["Pulse Rate", "Medicines"]]
    made = release([name for one in columns for name in one], ["Severity Index", "Treatment"], columns=columns)
    table = read_sliced(made.data)
    assert count(table, {"Severity Index": "3", "Treatment": "Cancer"}) == 1
    assert count(table, {"Resting BP": (70, 90), "Treatment": "Kavil"}) == pytest.approx(2 * 2 / 5)
