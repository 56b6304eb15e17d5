"""`tacit init`: raw files of many kinds get a job file that runs unchanged."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from support.commands import BASKETS, HIERARCHY, files_below, read_csv, shop_rows, tacit, write_csv
from tacit.job import read_job


def first_job(folder: Path, data: Path, *options: object) -> dict[str, object]:
    """Makes a job file in another folder, and runs it unchanged."""
    job = folder / "jobs" / "first.toml"
    made = tacit("init", data, "-o", job, "--json", *options)
    assert made.code == 0, made.err
    ended = tacit("anonymize", job, "--no-report", "--json")
    assert (ended.code, ended.json()["audit"]["satisfied"]) == (0, True), ended.err
    return made.json()


@pytest.mark.parametrize("separator", [" ", ",", ";", "|", ", ", "; ", "\t"])
def test_a_set_valued_column_with_whatever_separator(tmp_path: Path, separator: str) -> None:
    rows = [row | {"basket": row["basket"].replace(" ", separator)} for row in shop_rows()]
    write_csv(tmp_path / "shop.csv", rows)
    found = first_job(tmp_path, tmp_path / "shop.csv")
    assert (found["column"], found["separator"], found["person"]) == ("basket", separator, None)
    assert (found["records"], found["items"]) == (16, 9)
    assert list(read_csv(tmp_path / "jobs/out/public/data.csv")[0]) == ["basket"], "what is not listed is not published"
    assert '# Not published, because not listed: "name", "town", "age"' in (tmp_path / "jobs/first.toml").read_text()


def test_names_of_two_words_are_no_baskets(tmp_path: Path) -> None:
    names = ["Ann Roe", "Bob Doe", "Cid Roe", "Ann Doe"] * 4
    rows = [{"name": name, "bought": basket} for name, basket in zip(names, BASKETS, strict=True)]
    write_csv(tmp_path / "shop.csv", rows)
    assert first_job(tmp_path, tmp_path / "shop.csv")["column"] == "bought"


@pytest.mark.parametrize("separator", [" ", ",", ";"])
def test_a_dat_file(tmp_path: Path, separator: str) -> None:
    text = "\n".join(basket.replace(" ", separator) for basket in BASKETS) + "\n"
    (tmp_path / "shop.dat.gz").write_bytes(gzip.compress(text.encode()))
    found = first_job(tmp_path, tmp_path / "shop.dat.gz")
    assert (found["column"], found["separator"], found["records"]) == ("items", separator, 16)


def test_a_format_that_the_name_does_not_tell(tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text("\n".join(BASKETS).replace(" ", ",") + "\n")
    found = first_job(tmp_path, tmp_path / "shop.csv", "--format", "dat")
    assert found["separator"] == ","
    assert (tmp_path / "jobs/out/public/data.dat").is_file()


def test_a_long_file(tmp_path: Path) -> None:
    pairs = [
        {"day": str(i % 3), "customer": f"C{i}", "product": f"{item} no. 1", "price": "9"}
        for i, basket in enumerate(BASKETS)
        for item in basket.split()
    ]
    write_csv(tmp_path / "sales.csv", pairs)
    found = first_job(tmp_path, tmp_path / "sales.csv")
    assert (found["column"], found["person"], found["records"]) == ("product", "customer", 15)
    assert list(read_csv(tmp_path / "jobs/out/public/data.csv")[0]) == ["customer", "product"]


def test_lists_of_parquet(tmp_path: Path) -> None:
    table = pa.table({"n": range(len(BASKETS)), "bought": [basket.split() for basket in BASKETS]})
    parquet.write_table(table, tmp_path / "shop.parquet")
    found = first_job(tmp_path, tmp_path / "shop.parquet")
    assert (found["column"], found["separator"]) == ("bought", None)
    published = parquet.read_table(tmp_path / "jobs/out/public/data.parquet")
    assert published.schema.names == ["bought"]


def test_fewer_people_than_the_usual_k(tmp_path: Path) -> None:
    (tmp_path / "few.dat").write_text("a b\na\n\n")
    first_job(tmp_path, tmp_path / "few.dat")
    assert read_job(tmp_path / "jobs/first.toml").promise.k == 2


def test_one_person(tmp_path: Path) -> None:
    (tmp_path / "one.dat").write_text("a b\n")
    first_job(tmp_path, tmp_path / "one.dat")
    assert (tmp_path / "jobs/out/public/data.dat").read_text() == "a b\n"


def test_a_hierarchy_that_is_given(tmp_path: Path) -> None:
    write_csv(tmp_path / "shop.csv", shop_rows())
    (tmp_path / "tree.csv").write_text(HIERARCHY)
    found = first_job(tmp_path, tmp_path / "shop.csv", "--hierarchy", tmp_path / "tree.csv")
    assert (found["hierarchy"], found["hierarchy_kind"]) == (str(tmp_path / "tree.csv"), "given")
    assert read_job(tmp_path / "jobs/first.toml").method.options == {"sets": "related"}
    assert {path.name for path in (tmp_path / "jobs").iterdir()} == {"first.toml", "out"}

    (tmp_path / "tree.csv").write_text(HIERARCHY.replace("tea", "coffee"))
    ended = tacit("init", tmp_path / "shop.csv", "-o", tmp_path / "x/job.toml", "--hierarchy", tmp_path / "tree.csv")
    assert ended.code == 2
    assert "shop.csv, line 9, column 'basket': 1 value of the data is missing from the hierarchy" in ended.err
    assert "tree.csv: 'tea'; the first stands here" in ended.err
    assert not (tmp_path / "x").exists()


def test_odd_names_and_items(tmp_path: Path) -> None:
    """Names that TOML must quote, and items that CSV must quote."""
    items = ['"a"', "b=c", "d#e", "f'g", "*", "..", "h\\i"]
    rows = [{'my "basket" [x].y': "|".join(items[: 1 + i % 7]), "a\tb": "x"} for i in range(28)]
    write_csv(tmp_path / "odd name#.csv", rows)
    found = first_job(tmp_path, tmp_path / "odd name#.csv")
    assert found["column"] == 'my "basket" [x].y'
    assert found["items"] == 7


def test_files_that_exist_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "shop.dat").write_text("a b\na\n")
    job = tmp_path / "job.toml"
    job.write_text("mine")
    ended = tacit("init", tmp_path / "shop.dat", "-o", job)
    assert (ended.code, job.read_text()) == (2, "mine")
    assert "job.toml: the file exists already" in ended.err
    job.unlink()
    (tmp_path / "job-hierarchy.csv").write_text("mine")
    assert tacit("init", tmp_path / "shop.dat", "-o", job).code == 2
    assert (tmp_path / "job-hierarchy.csv").read_text() == "mine"
    assert not job.exists()
    assert tacit("init", tmp_path / "shop.dat", "-o", job, "--force").code == 0


@pytest.mark.parametrize(
    ("name", "content", "wanted"),
    [
        ("none.csv", None, "none.csv: there is no such file"),
        ("empty.csv", "", "empty.csv: the file has no record"),
        ("blank.dat", "\n\n", "blank.dat, column 'items': no basket holds an item"),
        (
            "numbers.csv",
            "a,b\n1,2\n3,4\n",
            "numbers.csv: no column looks like a set of items|Write the job file",
        ),
    ],
)
def test_bad_input(tmp_path: Path, name: str, content: str | None, wanted: str) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    before = files_below(tmp_path)
    ended = tacit("init", tmp_path / name, "-o", tmp_path / "jobs/job.toml", "--kind", "baskets")
    assert (ended.code, ended.out) == (2, "")
    for text in wanted.split("|"):
        assert text in ended.err
    assert files_below(tmp_path) == before


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "shop.dat").write_text("a b\na\n")
    ended = tacit("init", tmp_path / "shop.dat", "-o", tmp_path / "shop.dat" / "job.toml")
    assert (ended.code, ended.out) == (2, "")
    assert "shop.dat" in ended.err


def test_what_it_says(tmp_path: Path) -> None:
    write_csv(tmp_path / "shop.csv", shop_rows())
    ended = tacit("init", tmp_path / "shop.csv", "-o", tmp_path / "job.toml")
    assert "found: 16 baskets of 9 different items in 'basket'" in ended.out
    assert f"next: look at both, then run `tacit anonymize {tmp_path / 'job.toml'}`" in ended.out


@pytest.mark.parametrize(
    ("file", "options", "column", "person", "records"),
    [
        ("transactions/groceries.csv.gz", ("--format", "dat"), "items", None, 9_835),
        ("rt/informs2005_conditions.csv.gz", (), "ICD9CODX", "DUPERSID", 26_854),
    ],
)
def test_real_files(
    shared_data: Path,
    tmp_path: Path,
    file: str,
    options: tuple[str, ...],
    column: str,
    person: str | None,
    records: int,
) -> None:
    found = first_job(tmp_path, shared_data / file, *options)
    assert (found["column"], found["person"], found["records"]) == (column, person, records)
