"""`tacit apply`: a new delivery recoded as an earlier release was, from its saved recoding alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import JOB, files_below, make_shop, read_csv, recoded, shop_rows, tacit, write_csv
from tacit.job import read_job

NEW = ["beer scone", "wine scone", "tea", "cola", "beer", "milk caviar", "brie", "", "tea"]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with a release in out/ and a new delivery; the old data and its hierarchy are gone."""
    job = make_shop(tmp_path)
    assert tacit("anonymize", job, "--no-report").code == 0
    for name in ("shop.csv", "hierarchy.csv", "job.toml"):
        (tmp_path / name).unlink()
    write_new(tmp_path, NEW)
    return tmp_path


def write_new(folder: Path, baskets: list[str]) -> None:
    rows = [{"town": f"t{i}", "name": f"n{i}", "basket": basket} for i, basket in enumerate(baskets)]
    write_csv(folder / "new.csv", rows)


def becomes(folder: Path) -> dict[str, str | None]:
    return json.loads((folder / "private/recoding.json").read_text())["columns"]["basket"]["becomes"]


def test_a_new_delivery_becomes_a_release(shop: Path) -> None:
    ended = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next", "--json")
    assert ended.code == 0
    assert ended.json()["audit"]["satisfied"] is True
    inside = {path.relative_to(shop / "next").as_posix() for path in (shop / "next").rglob("*") if path.is_file()}
    old = {path.relative_to(shop / "out").as_posix() for path in (shop / "out").rglob("*") if path.is_file()}
    assert inside == old | {"private/report.html"}
    assert becomes(shop / "next") == becomes(shop / "out")

    published = read_csv(shop / "next/public/data.csv")
    rows = [(int(row["published"]), int(row["original"])) for row in read_csv(shop / "next/private/rows.csv")]
    assert sorted(original for _, original in rows) == list(range(len(NEW)))
    for here, there in rows:
        assert set(published[here]["basket"].split()) == recoded(NEW[there], becomes(shop / "out"))
        assert published[here]["town"] == f"t{there}"


def test_its_cost_is_counted_on_the_same_hierarchy(shop: Path) -> None:
    """alcohol, soft drinks and dairy have 2 of 9 leaves; scone is as it was; caviar is lost."""
    utility = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next", "--json").json()["utility"]
    assert utility["ncp"] == pytest.approx((8 * 1 / 8 + 2 * 0 + 1) / 11)
    assert utility["ncp_leaf_share"] == pytest.approx((8 * 2 / 9 + 2 * 0 + 1) / 11)


def test_its_job_is_about_the_new_delivery(shop: Path) -> None:
    tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next", "--no-report")
    old, new = read_job(shop / "out/private/job.toml"), read_job(shop / "next/private/job.toml")
    assert new.input.source == shop / "new.csv"
    assert new.output.directory == shop / "next"
    assert new.method.seed != old.method.seed
    assert (new.columns, new.promise, new.method.name) == (old.columns, old.promise, old.method.name)
    again = tacit("apply", shop / "next", shop / "new.csv", "-o", shop / "third", "--no-report")
    assert again.code == 0, "a release that was applied can be applied"


def test_the_default_target_lies_beside_the_data(shop: Path) -> None:
    assert tacit("apply", shop / "out", shop / "new.csv", "--no-report").code == 0
    assert (shop / "new-out/public/data.csv").is_file()


def test_a_delivery_that_breaks_the_promise_alone(shop: Path) -> None:
    """Alone its scone gives somebody away; in the union with the first release it does not."""
    write_new(shop, ["scone milk", "tea", "tea"])
    before = files_below(shop)
    ended = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next")
    assert (ended.code, ended.out) == (1, "")
    assert "The audit did not pass, so nothing was published" in ended.err
    assert files_below(shop) == before

    ended = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next", "--union", "--json")
    assert ended.code == 0
    assert ended.json()["audit"]["records"] == 16 + 3
    assert ended.json()["audit"]["together_with_earlier_release"] is True
    readme = " ".join((shop / "next/public/README.md").read_text().split())
    assert "together with those of the earlier release" in readme
    assert "was not checked for this file alone" in readme


def test_a_union_that_breaks_the_promise(shop: Path) -> None:
    write_new(shop, ["scone beer"])
    ended = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next", "--union")
    assert ended.code == 1
    assert "{alcohol, scone}: 1 basket" in ended.err
    assert not (shop / "next").exists()


def test_items_that_were_never_seen(shop: Path) -> None:
    write_new(shop, [*NEW, "gin", "rum beer", "gin"])
    before = files_below(shop)
    ended = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next")
    assert (ended.code, ended.out) == (2, "")
    assert "new.csv, column 'basket': items that the saved recoding has never seen (2): 'gin', 'rum'" in ended.err
    assert "Anonymize the new data afresh" in ended.err
    assert files_below(shop) == before


def test_columns_that_are_missing(shop: Path) -> None:
    write_csv(shop / "new.csv", [{"items": "beer"}])
    ended = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next")
    assert ended.code == 2
    assert f"{shop / 'new.csv'}, column 'name': the data has no such column" in ended.err


def test_sensitive_items_need_not_come_again(tmp_path: Path) -> None:
    job = make_shop(tmp_path, JOB.replace('"hierarchy.csv"', '"hierarchy.csv"\nsensitive = ["caviar"]'))
    assert tacit("anonymize", job, "--no-report").code == 0
    rows = [row | {"basket": "bread"} for row in shop_rows()]
    write_csv(tmp_path / "new.csv", rows)
    assert tacit("apply", tmp_path / "out", tmp_path / "new.csv", "--no-report").code == 0
    write_csv(tmp_path / "new.csv", [*rows, rows[0] | {"basket": "caviar"}])
    assert tacit("apply", tmp_path / "out", tmp_path / "new.csv", "--no-report", "--force").code == 0
    assert "caviar" in [row["basket"] for row in read_csv(tmp_path / "new-out/public/data.csv")]


@pytest.mark.parametrize(
    ("spoil", "wanted"),
    [
        (lambda out: (out / "private/job.toml").unlink(), "this is not a release of tacit: it has no private/job.toml"),
        (lambda out: (out / "private/recoding.json").unlink(), "it has no private/recoding.json"),
        (lambda out: (out / "private/recoding.json").write_text("{}"), "this is not a recoding that tacit saved"),
        (lambda out: (out / "private/recoding.json").write_text("[1"), "this is not a recoding that tacit saved"),
        (lambda out: (out / "public/data.csv").unlink(), "it has no public/data.*"),
    ],
)  # fmt: skip
def test_a_directory_that_is_no_release(shop: Path, spoil: object, wanted: str) -> None:
    assert callable(spoil)
    spoil(shop / "out")
    ended = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next", "--union")
    assert (ended.code, ended.out) == (2, "")
    assert wanted in ended.err
    assert not (shop / "next").exists()


def test_a_target_that_exists(shop: Path) -> None:
    ended = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "out")
    assert ended.code == 2
    assert "the output directory exists already" in ended.err


def test_another_format_of_the_delivery(shop: Path) -> None:
    (shop / "new.txt").write_text((shop / "new.csv").read_text().replace(",", ";"))
    assert tacit("apply", shop / "out", shop / "new.txt", "-o", shop / "next").code == 2
    assert tacit("apply", shop / "out", shop / "new.txt", "-o", shop / "next", "--format", "csv").code == 0
    assert (shop / "next/public/data.csv").read_text().startswith("town;basket\n")
