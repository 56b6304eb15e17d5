"""`tacit audit`: a published file against the promise, whoever made it, and against the original if asked."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from support.commands import JOB, files_below, make_shop, read_csv, tacit, write_csv


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """The shop's job, of which there is a release in out/."""
    path = make_shop(tmp_path)
    assert tacit("anonymize", path, "--no-report").code == 0
    return path


def published(job: Path) -> list[dict[str, str]]:
    return read_csv(job.parent / "out/public/data.csv")


def test_a_promise_that_holds(job: Path) -> None:
    ended = tacit("audit", job, job.parent / "out/public/data.csv", "--json")
    result = ended.json()
    assert ended.code == 0
    assert (result["model"], result["parameters"], result["satisfied"]) == ("km", {"k": 2, "m": 2}, True)
    assert (result["violations"], result["worst"]["support"], result["level"]["k_for_this_m"]) == ([], 2, 2)


def test_a_promise_that_does_not_hold(job: Path) -> None:
    ended = tacit("audit", job, job.parent / "shop.csv")
    assert ended.code == 1
    assert "The promise does NOT hold." in ended.out
    assert "{caviar}: 1 basket" in ended.out
    for person in ("N1", "T1"):
        assert person not in ended.out + ended.err, "itemsets are named, never people"
    result = tacit("audit", job, job.parent / "shop.csv", "--json").json()
    assert result["satisfied"] is False
    assert {"itemset": ["caviar"], "support": 1} in result["violations"]


def test_another_promise_by_option(job: Path) -> None:
    file = job.parent / "out/public/data.csv"
    assert tacit("audit", job, file, "--set", "privacy.k=3").code == 1
    assert tacit("audit", job, file, "--set", "privacy.k=3", "--set", "privacy.m=1").code == 1
    assert tacit("audit", job, file, "--set", "privacy.m=inf").code == 0


def test_a_promise_beyond_all_numbers_is_answered_too(job: Path) -> None:
    file = job.parent / "out/public/data.csv"
    assert tacit("audit", job, file, "--set", f"privacy.k={10**30}").code == 1
    assert tacit("audit", job, file, "--set", f"privacy.m={10**30}").code == 0


def test_neither_input_nor_hierarchy_is_opened(job: Path) -> None:
    (job.parent / "shop.csv").unlink()
    (job.parent / "hierarchy.csv").unlink()
    assert tacit("audit", job, job.parent / "out/public/data.csv").code == 0
    ended = tacit("audit", job, job.parent / "out/public/data.csv", "--original")
    assert ended.code == 2
    assert "shop.csv: there is no such file" in ended.err


def test_a_file_that_others_made(job: Path) -> None:
    """Another format, other names, other columns: what counts is the column of baskets."""
    table = pa.table({"x": [1, 1, 2, 2], "basket": [["A"], ["A", "B"], ["B", "A"], []]})
    parquet.write_table(table, job.parent / "theirs.parquet")
    assert tacit("audit", job, job.parent / "theirs.parquet").code == 0
    parquet.write_table(table.slice(0, 2), job.parent / "theirs.parquet")
    assert tacit("audit", job, job.parent / "theirs.parquet").code == 1


@pytest.mark.parametrize(
    ("name", "content", "wanted"),
    [
        ("none.csv", None, "none.csv: there is no such file"),
        ("empty.csv", "", "empty.csv: the file has no record"),
        ("other.csv", "items\nbeer\n", "other.csv, column 'basket': the data has no such column"),
        ("data.xyz", "basket\nbeer\n", "data.xyz: the ending of the file's name does not tell its format"),
    ],
)
def test_bad_input(tmp_path: Path, name: str, content: str | None, wanted: str) -> None:
    job = make_shop(tmp_path)
    if content is not None:
        (tmp_path / name).write_text(content)
    before = files_below(tmp_path)
    ended = tacit("audit", job, tmp_path / name)
    assert (ended.code, ended.out) == (2, "")
    assert wanted in ended.err
    assert files_below(tmp_path) == before


def test_an_error_as_json(tmp_path: Path) -> None:
    ended = tacit("audit", make_shop(tmp_path), tmp_path / "none.csv", "--json")
    assert ended.code == 2
    assert ended.json()["exit_code"] == 2
    assert "there is no such file" in ended.json()["error"]


def test_the_format_of_a_file_whose_name_does_not_tell(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    (tmp_path / "published").write_text("basket\nbeer\nbeer\n")
    assert tacit("audit", job, tmp_path / "published").code == 2
    assert tacit("audit", job, tmp_path / "published", "--format", "csv").code == 0
    assert tacit("audit", job, tmp_path / "published", "--set", "output.format=csv").code == 0


def test_a_file_named_like_the_input_is_read_like_it(tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text("beer,wine\nbeer,wine\n")
    text = '[input]\nsource = "shop.csv"\nformat = "dat"\n[columns.items]\nseparator = ","\n[privacy]\n'
    job = tmp_path / "job.toml"
    job.write_text(text + 'model = "km"\nk = 2\nm = 2\n')
    assert tacit("audit", job, tmp_path / "shop.csv").code == 0
    assert tacit("anonymize", job, "--no-report").code == 0
    assert tacit("audit", job, tmp_path / "out/public/data.dat", "--original").code == 0


# Against the original


def against_the_original(job: Path, rows: list[dict[str, str]]) -> list[str]:
    """What is not true in these rows; their audit must pass, so that it is the only reason to fail."""
    write_csv(job.parent / "theirs.csv", rows)
    assert tacit("audit", job, job.parent / "theirs.csv").code == 0
    ended = tacit("audit", job, job.parent / "theirs.csv", "--original", "--json")
    problems = ended.json()["false_values"]
    assert ended.code == (1 if problems else 0)
    return problems


def test_a_release_is_true(job: Path) -> None:
    assert against_the_original(job, published(job)) == []
    ended = tacit("audit", job, job.parent / "out/public/data.csv", "--original")
    assert "True to the original" in ended.out


def test_the_order_of_records_does_not_matter(job: Path) -> None:
    assert against_the_original(job, published(job)[::-1]) == []


def test_a_record_dropped(job: Path) -> None:
    rows = [row for row in published(job) if row["town"] != "T9"]
    assert against_the_original(job, rows) == ["15 records are shown out of 16"]


def test_an_item_swapped(job: Path) -> None:
    rows = published(job)
    next(row for row in rows if row["basket"] == "bread dairy")["basket"] = "dairy scone"
    assert against_the_original(job, rows) == ["records that are not what their original becomes: 1"]


def test_a_node_that_covers_nothing(job: Path) -> None:
    """`luxury` is a node of the hierarchy, and nobody whose caviar was suppressed has it in the release."""
    rows = published(job)
    for row in rows:
        if row["basket"] == "bread dairy":
            row["basket"] = "bread dairy luxury"
    assert against_the_original(job, rows) == ["records that are not what their original becomes: 5"]


def test_a_name_that_is_nowhere(job: Path) -> None:
    rows = [row | {"basket": row["basket"].replace("scone", "muffin")} for row in published(job)]
    assert against_the_original(job, rows) == [
        "shown in 'basket', but neither an item nor a node of the hierarchy (1): 'muffin'"
    ]


def test_an_item_that_has_two_names(job: Path) -> None:
    rows = [row | {"basket": row["basket"].replace("scone", "milk")} for row in published(job)]
    assert against_the_original(job, rows) == ["'dairy' is shown beside 'milk', which is below it"]


def test_the_long_layout_against_the_original(tmp_path: Path) -> None:
    make_shop(tmp_path)
    (tmp_path / "shop.csv").write_text("who,what\na,beer\na,milk\nb,beer\nb,milk\nc,beer\nd,\n")
    job = tmp_path / "job.toml"
    columns = '[columns.who]\nrole = "person"\n[columns.what]\nrole = "items"\nhierarchy = "hierarchy.csv"\n'
    text = JOB[JOB.index("[privacy]") :]
    job.write_text(f'[input]\nsource = "shop.csv"\nlayout = "long"\n{columns}{text}')
    assert tacit("anonymize", job, "--no-report").code == 0
    theirs = tmp_path / "theirs.csv"
    theirs.write_text("who,what\n1,\n2,beer\n3,milk\n3,beer\n4,beer\n4,milk\n")
    assert tacit("audit", job, theirs, "--original").code == 0
    theirs.write_text("who,what\n1,\n2,beer\n3,milk\n3,beer\n4,milk\n")
    assert tacit("audit", job, theirs, "--original").code == 1
