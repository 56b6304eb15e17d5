"""Commands on records: a release of each promise, what is written, and what bad input gets."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

from support.commands import Outcome, files_below, read_csv, tacit, write_csv, write_job
from tacit.values.reading import range_ends

ORIGIN = "\n".join(
    [*(f"{x},Europe,All" for x in ("France", "Greece", "Spain")), *(f"{x},Africa,All" for x in ("Mali", "Togo"))]
)
PRODUCTS = "\n".join(["A,AB,*", "B,AB,*", "C,CD,*", "D,CD,*", "E,*", "G,*"])
JOB = """\
[input]
source = "people.csv"

[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
[columns.origin]
role = "quasi"
hierarchy = "origin.csv"
[columns.sex]
role = "quasi"
"""
SENSITIVE = '[columns.illness]\nrole = "sensitive"\n'
ITEMS = '[columns.products]\nrole = "items"\nhierarchy = "products.csv"\nsensitive = ["G"]\n'


def people(count: int = 60) -> list[dict[str, str]]:
    rng = np.random.default_rng(5)
    return [
        {
            "name": f"Person{i}",
            "age": str(rng.integers(18, 60)) if i % 9 else "",
            "origin": str(rng.choice(["France", "Greece", "Spain", "Mali", "Togo"])),
            "sex": str(rng.choice(["f", "m"])),
            "illness": str(rng.choice(["flu", "cold", "gout"])),
            "products": " ".join(x for x in "ABCDE" if rng.random() < 0.5) + " G" * (i % 4 == 0),
            "note": f"private{i}",
        }
        for i in range(count)
    ]


def make(folder: Path, *parts: str, rows: list[dict[str, str]] | None = None) -> Path:
    write_csv(folder / "people.csv", people() if rows is None else rows)
    (folder / "origin.csv").write_text(ORIGIN)
    (folder / "products.csv").write_text(PRODUCTS)
    return write_job(folder, JOB + "".join(parts) + "[method]\nseed = 3\n")


def privacy(**keys: object) -> str:
    return "[privacy]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())


def groups(rows: list[dict[str, str]]) -> dict[tuple[str, ...], list[dict[str, str]]]:
    by_values = defaultdict(list)
    for row in rows:
        by_values[row["age"], row["origin"], row["sex"]].append(row)
    return by_values


def refused(folder: Path, job: Path, *wanted: str, code: int = 2) -> str:
    before = files_below(folder)
    ended: Outcome = tacit("anonymize", job)
    assert (ended.code, ended.out) == (code, ""), ended
    for text in wanted:
        assert text in ended.err, ended.err
    assert files_below(folder) == before and "Traceback" not in ended.err
    return ended.err


def test_a_release_of_k(tmp_path: Path) -> None:
    job = make(tmp_path, SENSITIVE, privacy(model="k", k=4))
    ended = tacit("anonymize", job)
    assert ended.code == 0, ended.err
    published = read_csv(tmp_path / "out/public/data.csv")
    assert list(published[0]) == ["age", "origin", "sex", "illness"]
    assert len(published) == 60 and min(map(len, groups(published).values())) >= 4
    assert Counter(row["illness"] for row in published) == Counter(row["illness"] for row in people())
    assert "Person" not in (tmp_path / "out/public/data.csv").read_text()
    rows = read_csv(tmp_path / "out/private/rows.csv")
    assert sorted(int(row["original"]) for row in rows) == list(range(60))
    for row in rows:
        was, now = people()[int(row["original"])], published[int(row["published"])]
        assert was["illness"] == now["illness"]
        assert now["origin"] in {
            was["origin"],
            "All",
            "Europe" if was["origin"] in ("France", "Greece", "Spain") else "Africa",
        }
        low, high = range_ends(now["age"]) or (was["age"], was["age"])
        assert now["age"] in (was["age"], "*") or float(low or 0) <= float(was["age"]) <= float(high or 999)
    assert json.loads((tmp_path / "out/private/audit.json").read_text())["satisfied"] is True
    utility = json.loads((tmp_path / "out/private/utility.json").read_text())
    assert 0 < utility["ncp"] < 1 and utility["records"] == 60
    assert json.loads((tmp_path / "out/private/recoding.json").read_text())["kind"] == "records"
    assert "illness" in ended.err, "who publishes is told that model k does not protect it"


@pytest.mark.parametrize("kind", ["frequency", "distinct", "entropy"])
def test_a_release_of_l(tmp_path: Path, kind: str) -> None:
    ended = tacit("anonymize", make(tmp_path, SENSITIVE, privacy(model="l", k=3, l=2, kind=kind)))
    assert ended.code == 0, ended.err
    for group in groups(read_csv(tmp_path / "out/public/data.csv")).values():
        counts = np.array(list(Counter(row["illness"] for row in group).values()))
        assert counts.sum() >= 3
        share = counts / counts.sum()
        level = {"frequency": 1 / share.max(), "distinct": counts.size, "entropy": np.exp(-share @ np.log(share))}[kind]
        assert level >= 2 - 1e-9


@pytest.mark.parametrize("model", [{"model": "k-km", "k": 3, "m": 2}, {"model": "k-lm", "k": 3, "l": 2, "m": 1}])
def test_a_release_with_baskets(tmp_path: Path, model: dict[str, object]) -> None:
    ended = tacit("anonymize", make(tmp_path, ITEMS, privacy(**model)))
    assert ended.code == 0, ended.err
    published = read_csv(tmp_path / "out/public/data.csv")
    assert list(published[0]) == ["age", "origin", "sex", "products"] and len(published) == 60
    assert sum("G" in row["products"].split() for row in published) == 15
    for group in groups(published).values():
        baskets = [set(row["products"].split()) - {"G"} for row in group]
        for known in {frozenset()} | {frozenset({item}) for basket in baskets for item in basket}:
            holders = [row for row, basket in zip(group, baskets, strict=True) if known <= basket]
            assert len(holders) >= 3
            if "l" in model:
                assert 2 * sum("G" in row["products"].split() for row in holders) <= len(holders)
    assert tacit("audit", tmp_path / "job.toml", tmp_path / "out/public/data.csv").code == 0


def test_audit_of_a_published_file(tmp_path: Path) -> None:
    job = make(tmp_path, privacy(model="k", k=4))
    assert tacit("anonymize", job).code == 0
    data = tmp_path / "out/public/data.csv"
    assert tacit("audit", job, data).code == 0
    assert tacit("audit", job, data, "--original").code == 0
    rows = read_csv(data)
    rows[0]["origin"] = "Togo" if rows[0]["origin"] != "Togo" else "Mali"
    write_csv(tmp_path / "changed.csv", rows)
    ended = tacit("audit", job, tmp_path / "changed.csv")
    assert ended.code == 1 and "Person" not in ended.out
    (tmp_path / "people.csv").unlink()
    (tmp_path / "origin.csv").unlink()
    assert tacit("audit", job, data).code == 0, "the original is not opened"


@pytest.mark.parametrize("role", ["identifier", "household", "weight"])
def test_a_published_file_with_an_identifier_keeps_no_promise(tmp_path: Path, role: str) -> None:
    rows = [{**row, "name": f"{i + 1}"} for i, row in enumerate(people())]
    job = make(tmp_path, privacy(model="k", k=3), rows=rows)
    job.write_text(job.read_text().replace('role = "identifier"', f'role = "{role}"'))
    assert tacit("anonymize", job, "--no-report", "--no-attack").code == 0
    rows = [{"name": f"{i + 1}", **row} for i, row in enumerate(read_csv(tmp_path / "out/public/data.csv"))]
    write_csv(tmp_path / "named.csv", rows)
    ended = tacit("audit", job, tmp_path / "named.csv", "--json")
    assert (ended.code, ended.json()["satisfied"]) == (1, False)
    assert ended.json()["violations"] == [
        {"column": "name", "text": "column 'name', which the job calls an identifier"}
    ]
    assert "whose record is whose" in tacit("audit", job, tmp_path / "named.csv").out


@pytest.mark.parametrize(
    ("becomes", "found"),
    [
        (lambda items: "A B C D E G", "shown in more records than hold an item of it"),
        (lambda items: " ".join(item for item in items.split() if item != "G"), "sensitive items that are not"),
    ],
)
def test_false_baskets_are_found_with_the_original(tmp_path: Path, becomes, found: str) -> None:  # type: ignore[no-untyped-def]
    job = make(tmp_path, ITEMS, privacy(model="k-km", k=3, m=2))
    assert tacit("anonymize", job, "--no-report").code == 0
    rows = read_csv(tmp_path / "out/public/data.csv")
    assert tacit("audit", job, tmp_path / "out/public/data.csv", "--original").code == 0
    write_csv(tmp_path / "changed.csv", [{**row, "products": becomes(row["products"])} for row in rows])
    ended = tacit("audit", job, tmp_path / "changed.csv", "--original", "--json")
    assert ended.code == 1 and ended.json()["satisfied"]
    problems = ended.json()["false_values"]
    assert any(found in problem for problem in problems)
    assert any(problem.startswith("records that stand for no original one") for problem in problems)


def test_false_values_are_found_with_the_original(tmp_path: Path) -> None:
    job = make(tmp_path, privacy(model="k", k=4))
    assert tacit("anonymize", job).code == 0
    rows = read_csv(tmp_path / "out/public/data.csv")
    for row in rows:
        row["age"] = "[90:99]"
    write_csv(tmp_path / "false.csv", rows)
    assert tacit("audit", job, tmp_path / "false.csv").code == 0
    ended = tacit("audit", job, tmp_path / "false.csv", "--original")
    assert ended.code == 1 and "age" in ended.out + ended.err


class TestBadInput:
    def test_nothing_but_identifiers(self, tmp_path: Path) -> None:
        job = make(tmp_path, privacy(model="k", k=2))
        job.write_text(job.read_text().replace('"quasi"', '"identifier"').replace('hierarchy = "origin.csv"\n', ""))
        refused(tmp_path, job, "job.toml", "'quasi'")

    def test_a_quasi_identifier_that_is_an_identifier(self, tmp_path: Path) -> None:
        """Of fewer people, whose values may differ by chance, it is taken as the job says."""
        job = make(tmp_path, privacy(model="k", k=2), rows=people(50))
        job.write_text(job.read_text().replace('"identifier"', '"quasi"'))
        said = refused(tmp_path, job, "people.csv, column 'name'", "50 records have 50", 'role = "identifier"')
        assert "Person" not in said
        write_csv(tmp_path / "people.csv", people(49))
        assert tacit("anonymize", job, "--no-report").code == 0

    def test_no_sensitive_column(self, tmp_path: Path) -> None:
        refused(tmp_path, make(tmp_path, privacy(model="l", k=2, l=2)), "the model 'l' needs", "'sensitive'")

    def test_no_sensitive_items(self, tmp_path: Path) -> None:
        items = ITEMS.replace('sensitive = ["G"]\n', "")
        refused(tmp_path, make(tmp_path, items, privacy(model="k-lm", k=2, l=2, m=1)), "needs sensitive items")

    def test_items_that_the_promise_does_not_protect(self, tmp_path: Path) -> None:
        refused(tmp_path, make(tmp_path, ITEMS, privacy(model="k", k=2)), "column 'products'", "does not protect")

    def test_a_long_layout(self, tmp_path: Path) -> None:
        job = make(tmp_path, ITEMS, '[columns.note]\nrole = "person"\n', privacy(model="k-km", k=2, m=1))
        job.write_text(job.read_text().replace("[columns.name]", 'layout = "long"\n[columns.name]', 1))
        refused(tmp_path, job, "one row per person", "long")

    @pytest.mark.parametrize("kind", ["number", "date"])
    def test_text_in_a_column_of_numbers(self, tmp_path: Path, kind: str) -> None:
        rows = people()
        for row in rows:
            row["age"] = "30" if kind == "number" else "2001-02-03"
        rows[3]["note"] = "two\nlines"
        rows[7]["age"] = "thirtyish"
        job = make(tmp_path, privacy(model="k", k=2), rows=rows)
        job.write_text(job.read_text().replace('role = "quasi"', f'role = "quasi"\ntype = "{kind}"', 1))
        said = refused(
            tmp_path, job, "people.csv, line 10, column 'age'", "1 of 2 different values is no", '"category"'
        )
        assert "thirtyish" not in said

    def test_text_where_nearly_all_are_numbers(self, tmp_path: Path) -> None:
        """Nobody said what the column holds, but it was not meant to become a category."""
        rows = people()
        rows[7]["age"] = "thirtyish"
        job = make(tmp_path, privacy(model="k", k=2), rows=rows)
        said = refused(tmp_path, job, "people.csv, line 9, column 'age'", "different values is no number", '"category"')
        assert "thirtyish" not in said
        assert tacit("anonymize", job, "--no-report", "--set", "columns.age.type=category").code == 0

    def test_a_hierarchy_that_misses_values(self, tmp_path: Path) -> None:
        job = make(tmp_path, privacy(model="k", k=2))
        (tmp_path / "origin.csv").write_text(ORIGIN.replace("Mali", "Chad"))
        refused(tmp_path, job, str(tmp_path / "origin.csv"), "'Mali'", "tacit hierarchy build")

    def test_a_group_that_reads_as_no_value(self, tmp_path: Path) -> None:
        job = make(tmp_path, privacy(model="k", k=2))
        job.write_text(job.read_text().replace("[columns.name]", 'missing = ["", "Europe"]\n[columns.name]', 1))
        refused(tmp_path, job, "column 'origin'", "'Europe'", "no value")

    def test_k_above_the_number_of_records(self, tmp_path: Path) -> None:
        job = make(tmp_path, privacy(model="k", k=61))
        refused(tmp_path, job, "k = 60 could be reached", "Nothing was published", code=3)

    def test_l_out_of_reach(self, tmp_path: Path) -> None:
        rows = people()
        for row in rows[:36]:
            row["illness"] = "flu"
        for row in rows[36:]:
            row["illness"] = "cold" if row["age"] else "gout"
        job = make(tmp_path, SENSITIVE, privacy(model="l", k=2, l=2), rows=rows)
        refused(tmp_path, job, "ℓ = 2", "'illness'", "36 of 60", "ℓ = 1.666 could be reached", code=3)
        job = make(tmp_path, SENSITIVE, privacy(model="l", k=2, l=4, kind="distinct"), rows=rows)
        refused(tmp_path, job, "ℓ = 4", "3 different values", "ℓ = 3 could be reached", code=3)
        job = make(tmp_path, SENSITIVE, privacy(model="l", k=2, l=2.9, kind="entropy"), rows=rows)
        refused(tmp_path, job, "ℓ = 2.9", "could be reached", code=3)

    def test_l_out_of_reach_of_items(self, tmp_path: Path) -> None:
        """Another sensitive item is rarer: the most frequent one tells."""
        items = ITEMS.replace('["G"]', '["E", "G"]')
        rows = people()
        for row in rows[1:]:
            row["products"] = row["products"].replace("E", "")
        job = make(tmp_path, items, privacy(model="k-lm", k=2, l=5, m=1), rows=rows)
        refused(tmp_path, job, "ℓ = 5", "15 of 60", "ℓ = 4 could be reached", code=3)

    def test_a_file_without_records(self, tmp_path: Path) -> None:
        job = make(tmp_path, privacy(model="k", k=2))
        (tmp_path / "people.csv").write_text("name,age,origin,sex\n")
        refused(tmp_path, job, "people.csv", "no record")

    def test_baskets_cannot_be_written_with_attributes(self, tmp_path: Path) -> None:
        job = make(tmp_path, privacy(model="k", k=2), '[output]\nformat = "dat"\n')
        refused(tmp_path, job, "a .dat file holds nothing but", 'format = "csv"')

    def test_a_column_that_is_not_there(self, tmp_path: Path) -> None:
        job = make(tmp_path, '[columns.height]\nrole = "quasi"\n', privacy(model="k", k=2))
        refused(tmp_path, job, "column 'height'", "no such column")


def test_columns_without_any_difference(tmp_path: Path) -> None:
    rows = [{**row, "age": "", "sex": "x"} for row in people()]
    ended = tacit("anonymize", make(tmp_path, privacy(model="k", k=4), rows=rows))
    assert ended.code == 0, ended.err
    published = read_csv(tmp_path / "out/public/data.csv")
    assert {row["age"] for row in published} == {""} and {row["sex"] for row in published} == {"x"}


def test_apply_refuses_a_local_recoding(tmp_path: Path) -> None:
    assert tacit("anonymize", make(tmp_path, privacy(model="k", k=4))).code == 0
    ended = tacit("apply", tmp_path / "out", tmp_path / "people.csv", "-o", tmp_path / "new")
    assert ended.code == 2 and "cannot be reused" in ended.err


@pytest.mark.parametrize("weight", ["about 3", "", "0", "-1.5", "nan", "inf", "1,5"])
def test_a_weight_that_is_none_is_told_whoever_asks(tmp_path: Path, weight: str) -> None:
    """By every command that reads the original, whether attacks are played or not; the value is not shown."""
    rows = [{**row, "w": "1.5"} for row in people()]
    job = make(tmp_path, '[columns.w]\nrole = "weight"\n', privacy(model="k", k=3), rows=rows)
    assert tacit("anonymize", job, "--no-report", "--no-attack").code == 0
    rows[7]["w"] = weight
    write_csv(tmp_path / "people.csv", rows)
    data = tmp_path / "out/public/data.csv"
    for command in (
        ("anonymize", job, "--no-report", "--no-attack", "-o", tmp_path / "other"),
        ("audit", job, data, "--original"),
        ("attack", job, "--published", data),
    ):
        ended = tacit(*command)
        assert ended.code == 2, command
        assert "people.csv, line 9, column 'w': a weight must be a number above 0" in ended.err.replace("\n", " ")
    assert not (tmp_path / "other").exists()


def test_a_weight_with_a_decimal_comma_is_a_number(tmp_path: Path) -> None:
    rows = [{**row, "w": "1,5"} for row in people()]
    said = '[columns.w]\nrole = "weight"\ndecimal = ","\n'
    assert tacit("anonymize", make(tmp_path, said, privacy(model="k", k=3), rows=rows), "--no-report").code == 0
    assert "w" not in read_csv(tmp_path / "out/public/data.csv")[0]
