"""The release directory: exactly what was promised, from every kind of file, true to the original and reproducible."""

from __future__ import annotations

import csv
import gzip
import json
import re
import sqlite3
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet
import pytest

from support.commands import (
    BASKETS,
    HIERARCHY,
    JOB,
    is_km_anonymous,
    make_shop,
    read_csv,
    recoded,
    shop_rows,
    tacit,
    write_csv,
    write_job,
)

PRIVACY = JOB[JOB.index("[privacy]") :]


def becomes_of(folder: Path, column: str = "basket") -> dict[str, str | None]:
    cut = json.loads((folder / "private/recoding.json").read_text())["columns"][column]
    return cut["becomes"] | cut["sensitive"]


def rows_of(folder: Path) -> list[tuple[str, str]]:
    with (folder / "private/rows.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["published", "original"]
    return [(published, original) for published, original in rows]


def check_baskets(published: list[set[str]], original: list[str] | list[list[str]], folder: Path) -> None:
    """rows.csv leads from each published basket to the original one that becomes it, and the promise holds."""
    becomes = becomes_of(folder)
    rows = [(int(here), int(there)) for here, there in rows_of(folder)]
    assert [here for here, _ in rows] == list(range(len(original)))
    assert sorted(there for _, there in rows) == list(range(len(original)))
    for here, there in rows:
        assert published[here] == recoded(original[there], becomes)
    assert is_km_anonymous(published)


def test_the_directory(tmp_path: Path) -> None:
    ended = tacit("anonymize", make_shop(tmp_path))
    assert ended.code == 0
    out = tmp_path / "out"
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()) == [
        "private/attack.json", "private/audit.json", "private/job.toml", "private/key", "private/recoding.json",
        "private/report.html", "private/rows.csv", "private/utility.json", "public/README.md", "public/croissant.json",
        "public/data.csv", "public/dcat.jsonld",
    ]  # fmt: skip
    audit = json.loads((out / "private/audit.json").read_text())
    assert (audit["model"], audit["parameters"], audit["satisfied"]) == ("km", {"k": 2, "m": 2}, True)
    assert audit["violations"] == []
    assert audit["worst"]["support"] >= 2
    utility = json.loads((out / "private/utility.json").read_text())
    assert 0 < utility["ncp"] < 1
    assert utility["records"] == 16
    assert "To publish:" in ended.out


def test_records_are_recoded_shuffled_and_all_there(tmp_path: Path) -> None:
    tacit("anonymize", make_shop(tmp_path), "--no-report")
    published = read_csv(tmp_path / "out/public/data.csv")
    check_baskets([set(row["basket"].split()) for row in published], BASKETS, tmp_path / "out")

    order = [int(original) for _, original in rows_of(tmp_path / "out")]
    assert order != sorted(order)
    assert [row["town"] for row in published] == [f"T{original}" for original in order], "plain columns travel along"
    assert list(published[0]) == ["basket", "town"], "no identifier, no unlisted column"
    assert not (tmp_path / "out/private/report.html").exists()


def test_nothing_raw_is_published(tmp_path: Path) -> None:
    """Items that were generalized or suppressed away, identifiers and unlisted columns occur in no public file."""
    tacit("anonymize", make_shop(tmp_path))
    hidden = [item for item, node in becomes_of(tmp_path / "out").items() if node != item]
    assert {"beer", "caviar", "milk"} <= set(hidden)
    for file in (tmp_path / "out/public").iterdir():
        text = file.read_text()
        for raw in [*hidden, *(row["name"] for row in shop_rows()), "age", str(tmp_path)]:
            assert not re.search(rf"(?<!\w){re.escape(raw)}(?!\w)", text), f"{raw} in {file.name}"
    readme = (tmp_path / "out/public/README.md").read_text()
    for group in ("`alcohol`", "`dairy`", "`soft_drinks`"):
        assert group in readme
    assert "fewer than 2 baskets" in readme
    assert "16 records" in readme


def test_the_job_as_run_gives_the_same_bytes(tmp_path: Path) -> None:
    tacit("anonymize", make_shop(tmp_path, JOB.replace("seed = 5", "")), "-o", tmp_path / "one", "--no-report")
    saved = tmp_path / "one/private/job.toml"
    assert f'directory = "{tmp_path / "one"}"' in saved.read_text()
    for default in ("seed = ", 'format = "csv"', 'separator = " "', 'loss = "lm"'):
        assert default in saved.read_text()
    key = tmp_path / "one/private/key"
    assert tacit("anonymize", saved, "--key", key, "-o", tmp_path / "two", "--no-report").code == 0
    assert tacit("anonymize", saved, "-o", tmp_path / "three", "--no-report").code == 0
    assert (tmp_path / "three/public/data.csv").read_bytes() != (tmp_path / "one/public/data.csv").read_bytes()
    for part in ("public/data.csv", "public/README.md", "private/rows.csv", "private/recoding.json"):
        assert (tmp_path / "one" / part).read_bytes() == (tmp_path / "two" / part).read_bytes()


@pytest.mark.parametrize("content", ["", "0123", "x" * 64, "\x00\xff", "a" * 65])
def test_a_file_that_is_no_key(tmp_path: Path, content: str) -> None:
    (tmp_path / "key").write_bytes(content.encode("latin-1"))
    ended = tacit("anonymize", make_shop(tmp_path), "--key", tmp_path / "key")
    assert ended.code == 2
    assert "this is not a key of tacit: it must be 64 hexadecimal digits" in ended.err
    assert not content or content not in ended.err
    assert not (tmp_path / "out").exists()


def test_a_key_that_is_not_there(tmp_path: Path) -> None:
    ended = tacit("anonymize", make_shop(tmp_path), "--key", tmp_path / "key")
    assert ended.code == 2 and "cannot read the key: No such file" in ended.err


def test_the_key_is_for_the_owner_alone(tmp_path: Path) -> None:
    assert tacit("anonymize", make_shop(tmp_path)).code == 0
    key = tmp_path / "out/private/key"
    digits = key.read_text()
    assert re.fullmatch(r"[0-9a-f]{64}\n", digits)
    assert key.stat().st_mode & 0o777 == 0o600
    others = [path for path in (tmp_path / "out").rglob("*") if path.is_file() and path != key]
    assert all(digits.strip() not in path.read_text() for path in others)


def test_the_same_seed_never_gives_the_same_order(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    texts = []
    for seed in (1, 1):
        tacit("anonymize", job, "--force", "--no-report", "--set", f"method.seed={seed}")
        texts.append((tmp_path / "out/public/data.csv").read_text().split("\n"))
    assert texts[0] != texts[1]
    assert sorted(texts[0]) == sorted(texts[1])


def test_without_a_seed_the_order_is_not_repeated(tmp_path: Path) -> None:
    job = make_shop(tmp_path, JOB.replace("seed = 5", ""))
    seen = set()
    for _ in range(2):
        tacit("anonymize", job, "--force", "--no-report")
        seen.add((tmp_path / "out/public/data.csv").read_text())
    assert len(seen) == 2


# Formats


def lists() -> pa.Table:
    return pa.table({"basket": [basket.split() for basket in BASKETS], "town": [f"T{i}" for i in range(len(BASKETS))]})


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "feather", "csv.gz", "parquet.gz"])
def test_the_input_format_is_kept(tmp_path: Path, ending: str) -> None:
    job = make_shop(
        tmp_path, JOB.replace("shop.csv", f"shop.{ending}").replace('[columns.name]\nrole = "identifier"', "")
    )
    raw = tmp_path / f"shop.{ending.removesuffix('.gz')}"
    if "csv" in ending or "tsv" in ending:
        write_csv(raw, shop_rows(), delimiter="\t" if ending == "tsv" else ",")
    else:
        (parquet.write_table if "parquet" in ending else feather.write_feather)(lists(), raw)
    if ending.endswith(".gz"):
        (tmp_path / f"shop.{ending}").write_bytes(gzip.compress(raw.read_bytes()))
    assert tacit("anonymize", job, "--no-report").code == 0

    content = (tmp_path / f"out/public/data.{ending}").read_bytes()
    content = gzip.decompress(content) if ending.endswith(".gz") else content
    if "csv" in ending or "tsv" in ending:
        rows = list(csv.DictReader(content.decode().split("\n"), delimiter="\t" if ending == "tsv" else ","))
        baskets = [set(row["basket"].split()) for row in rows]
    else:
        buffer = pa.BufferReader(content)
        table = parquet.read_table(buffer) if "parquet" in ending else feather.read_table(buffer)
        assert table.schema.metadata is None or b"pandas" not in table.schema.metadata
        assert pa.types.is_list(table.schema.field("basket").type)
        assert table["basket"].null_count == 0, "an empty basket is [], never null"
        baskets = [set(basket) for basket in table["basket"].to_pylist()]
    check_baskets(baskets, BASKETS, tmp_path / "out")


def test_a_dat_file(tmp_path: Path) -> None:
    """An empty line is an empty basket; groups are named without white space."""
    make_shop(tmp_path)
    (tmp_path / "shop.dat").write_text("\n".join(BASKETS) + "\n")
    job = write_job(tmp_path, f'[input]\nsource = "shop.dat"\n[columns.items]\nhierarchy = "hierarchy.csv"\n{PRIVACY}')
    assert tacit("anonymize", job, "--no-report").code == 0
    *lines, last = (tmp_path / "out/public/data.dat").read_text().split("\n")
    assert last == ""
    assert any("soft_drinks" in line for line in lines)
    tree = becomes_of(tmp_path / "out", "items")
    assert sorted(map(sorted, (line.split() for line in lines))) == sorted(sorted(recoded(b, tree)) for b in BASKETS)


def test_names_in_a_dat_file_hold_no_white_space_whatever_the_separator(tmp_path: Path) -> None:
    make_shop(tmp_path)
    (tmp_path / "shop.dat").write_text("\n".join(basket.replace(" ", ";") for basket in BASKETS) + "\n")
    columns = '[columns.items]\nhierarchy = "hierarchy.csv"\nseparator = ";"\n'
    job = write_job(tmp_path, f'[input]\nsource = "shop.dat"\n{columns}{PRIVACY}')
    assert tacit("anonymize", job, "--no-report").code == 0
    published = (tmp_path / "out/public/data.dat").read_text()
    assert "dairy;soft_drinks" in published
    assert " " not in published
    assert tacit("audit", job, tmp_path / "out/public/data.dat", "--original").code == 0
    (tmp_path / "theirs.dat").write_text(published.replace("soft_drinks", "soft drinks"))
    assert tacit("audit", job, tmp_path / "theirs.dat", "--original").code == 0, "others may write the name itself"


@pytest.mark.parametrize("wanted", ["parquet", "csv.gz", "tsv", "feather"])
def test_output_format(tmp_path: Path, wanted: str) -> None:
    ended = tacit("anonymize", make_shop(tmp_path), "--no-report", "--set", f"output.format={wanted}")
    assert ended.code == 0
    assert {path.name for path in (tmp_path / "out/public").iterdir()} == {
        *(f"data.{wanted}", "README.md", "croissant.json", "dcat.jsonld")
    }
    assert tacit("audit", tmp_path / "job.toml", tmp_path / f"out/public/data.{wanted}", "--original").code == 0


def test_the_delimiter_is_kept(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    write_csv(tmp_path / "shop.csv", shop_rows(), delimiter=";")
    assert tacit("anonymize", job, "--no-report").code == 0
    assert (tmp_path / "out/public/data.csv").read_text().startswith("basket;town\n")
    ended = tacit("anonymize", job, "--no-report", "--force", "--set", "output.format=csv.gz")
    assert ended.code == 0
    assert gzip.decompress((tmp_path / "out/public/data.csv.gz").read_bytes()).startswith(b"basket;town\n")


def test_lists_to_csv(tmp_path: Path) -> None:
    parquet.write_table(lists(), tmp_path / "shop.parquet")
    job = make_shop(
        tmp_path, JOB.replace("shop.csv", "shop.parquet").replace('[columns.name]\nrole = "identifier"', "")
    )
    assert tacit("anonymize", job, "--no-report", "--set", "output.format=csv").code == 0
    published = [set(row["basket"].split()) for row in read_csv(tmp_path / "out/public/data.csv")]
    check_baskets(published, BASKETS, tmp_path / "out")


def test_a_database(tmp_path: Path) -> None:
    make_shop(tmp_path)
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.execute("create table visits (basket text, age integer, town text)")
        rows = [(row["basket"] or None, int(row["age"]), row["town"]) for row in shop_rows()]
        connection.executemany("insert into visits values (?, ?, ?)", rows)
    connection.close()
    source = 'source = "sqlite:///shop.db"\nquery = "select basket, town from visits order by age"'
    job = write_job(
        tmp_path, JOB.replace('source = "shop.csv"', source).replace('[columns.name]\nrole = "identifier"', "")
    )
    assert tacit("anonymize", job, "--no-report").code == 0
    published = read_csv(tmp_path / "out/public/data.csv")
    check_baskets([set(row["basket"].split()) for row in published], BASKETS, tmp_path / "out")
    assert tacit("audit", job, tmp_path / "out/public/data.csv", "--original").code == 0
    again = ("--key", tmp_path / "out/private/key", "-o", tmp_path / "again", "--no-report")
    assert tacit("anonymize", tmp_path / "out/private/job.toml", *again).code == 0
    assert (tmp_path / "again/public/data.csv").read_bytes() == (tmp_path / "out/public/data.csv").read_bytes()
    assert tacit("apply", tmp_path / "out", tmp_path / "shop.csv", "-o", tmp_path / "next", "--no-report").code == 0
    assert tacit("audit", tmp_path / "next/private/job.toml", tmp_path / "next/public/data.csv").code == 0


# Roles and layouts


def test_several_columns_of_baskets_are_protected_together(tmp_path: Path) -> None:
    """Each is recoded by its own hierarchy, but an attacker may know items of both."""
    make_shop(tmp_path)
    (tmp_path / "sports.csv").write_text("golf,ball,*\ntennis,ball,*\nswim,water,*\nmilk,water,*\n")
    sports = ["golf", "tennis", "", "swim", "milk swim", "golf", "swim", "tennis"] * 2
    rows = [{"basket": b, "sport": s} for b, s in zip(BASKETS, sports, strict=True)]
    write_csv(tmp_path / "shop.csv", rows)
    column = '[columns.sport]\nrole = "items"\nhierarchy = "sports.csv"'
    job = write_job(
        tmp_path,
        JOB.replace('[columns.town]\nrole = "plain"', column).replace('[columns.name]\nrole = "identifier"', ""),
    )
    assert tacit("anonymize", job, "--no-report").code == 0
    published = read_csv(tmp_path / "out/public/data.csv")
    both = [{("b", x) for x in row["basket"].split()} | {("s", x) for x in row["sport"].split()} for row in published]
    assert is_km_anonymous(both)
    for (_, original), row in zip(rows_of(tmp_path / "out"), published, strict=True):
        was = rows[int(original)]
        assert set(row["basket"].split()) == recoded(was["basket"], becomes_of(tmp_path / "out", "basket"))
        assert set(row["sport"].split()) == recoded(was["sport"], becomes_of(tmp_path / "out", "sport"))

    assert tacit("audit", job, tmp_path / "out/public/data.csv", "--original").code == 0
    apart = [{"basket": "a", "sport": "b"}, {"basket": "a", "sport": "c"}] * 2 + [{"basket": "d", "sport": "b"}]
    write_csv(tmp_path / "apart.csv", [*apart, {"basket": "d", "sport": "c"}])
    ended = tacit("audit", job, tmp_path / "apart.csv", "--json")
    assert ended.code == 1
    assert ended.json()["worst"] == {"itemset": ["basket: d", "sport: b"], "support": 1}


def test_sensitive_items_are_published_as_they_are(tmp_path: Path) -> None:
    """Nobody knows them beforehand, so even a rare one stays; the hierarchy counts without them."""
    job = make_shop(tmp_path, JOB.replace('"hierarchy.csv"', '"hierarchy.csv"\nsensitive = ["caviar", "brie"]'))
    assert tacit("anonymize", job, "--no-report").code == 0
    published = [set(row["basket"].split()) for row in read_csv(tmp_path / "out/public/data.csv")]
    assert Counter(item for basket in published for item in basket if item in ("caviar", "brie")) == {
        "caviar": 1, "brie": 2,
    }  # fmt: skip
    assert is_km_anonymous([basket - {"caviar", "brie"} for basket in published])
    for (_, original), basket in zip(rows_of(tmp_path / "out"), published, strict=True):
        assert basket == recoded(BASKETS[int(original)], becomes_of(tmp_path / "out"))
    cut = json.loads((tmp_path / "out/private/recoding.json").read_text())["columns"]["basket"]
    assert cut["sensitive"] == {"caviar": "caviar", "brie": "brie"}
    assert len(cut["becomes"]) == 7
    assert cut["becomes"]["milk"] == "milk", "the only leaf left of dairy"
    assert tacit("audit", job, tmp_path / "out/public/data.csv", "--original").code == 0
    assert tacit("audit", make_shop(tmp_path), tmp_path / "out/public/data.csv").code == 1, "were they not sensitive"


LONG = """\
[input]
source = "long.csv"
layout = "long"
missing = ["", "none"]
[columns.person]
role = "person"
[columns.item]
role = "items"
hierarchy = "hierarchy.csv"
"""


def write_long(path: Path) -> None:
    pairs = [
        {"person": f"P{i}", "item": item} for i, basket in enumerate(BASKETS) for item in basket.split() or ["none"]
    ]
    write_csv(path, sorted(pairs, key=lambda pair: pair["item"]))


def test_the_long_layout(tmp_path: Path) -> None:
    """One row per person and item: fresh ids, and a row without an item for whose basket is empty."""
    make_shop(tmp_path)
    write_long(tmp_path / "long.csv")
    job = write_job(tmp_path, LONG + PRIVACY)
    assert tacit("anonymize", job, "--no-report").code == 0
    baskets: dict[str, set[str]] = {}
    for row in read_csv(tmp_path / "out/public/data.csv"):
        assert list(row) == ["person", "item"]
        baskets.setdefault(row["person"], set()).update({row["item"]} - {""})
    assert list(baskets) == [str(i + 1) for i in range(len(BASKETS))]
    assert is_km_anonymous(list(baskets.values()))
    rows = rows_of(tmp_path / "out")
    assert [published for published, _ in rows] == list(baskets)
    assert sorted(original for _, original in rows) == sorted(f"P{i}" for i in range(len(BASKETS)))
    for published, original in rows:
        assert baskets[published] == recoded(BASKETS[int(original[1:])], becomes_of(tmp_path / "out", "item"))
    assert sum(basket == set() for basket in baskets.values()) == 2
    assert tacit("audit", job, tmp_path / "out/public/data.csv", "--original").code == 0
    for file in (tmp_path / "out/public").iterdir():
        assert "P1" not in file.read_text()


def test_missing_markers_are_no_items(tmp_path: Path) -> None:
    job = make_shop(tmp_path, JOB.replace("[columns.name]", 'missing = ["", "NA", "?"]\n[columns.name]', 1))
    rows = [row | {"basket": {"": "NA", "caviar": "caviar ?"}.get(row["basket"], row["basket"])} for row in shop_rows()]
    write_csv(tmp_path / "shop.csv", rows)
    ended = tacit("anonymize", job, "--no-report")
    assert ended.code == 0
    assert "items left out because they mean 'no value': 1" in ended.err
    published = (tmp_path / "out/public/data.csv").read_text()
    assert "NA" not in published
    assert "?" not in published


def test_a_person_column_of_a_wide_layout_is_not_published(tmp_path: Path) -> None:
    job = make_shop(tmp_path, JOB.replace('role = "identifier"', 'role = "person"'))
    assert tacit("anonymize", job, "--no-report").code == 0
    assert list(read_csv(tmp_path / "out/public/data.csv")[0]) == ["basket", "town"]


# Formulas


def formula_rows() -> list[dict[str, str]]:
    towns = ["=1+1", "+49", "-7.5", "@here", "-A1", "plain"]
    return [
        row | {"town": towns[i % 6], "basket": row["basket"].replace("scone", "=scone")}
        for i, row in enumerate(shop_rows())
    ]


def test_formulas_are_warned_about_or_escaped(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    (tmp_path / "hierarchy.csv").write_text(HIERARCHY.replace("scone", "=scone"))
    write_csv(tmp_path / "shop.csv", formula_rows())
    ended = tacit("anonymize", job, "--no-report")
    assert ended.code == 0
    assert "cells that look like formulas to a spreadsheet: 10; output.escape_formulas = true" in ended.err
    raw = read_csv(tmp_path / "out/public/data.csv")
    assert {row["town"] for row in raw} == {"=1+1", "+49", "-7.5", "@here", "-A1", "plain"}

    ended = tacit("anonymize", job, "--no-report", "--force", "--set", "output.escape_formulas=true")
    assert ended.code == 0
    assert "formulas" not in ended.err
    escaped = read_csv(tmp_path / "out/public/data.csv")
    assert {row["town"] for row in escaped} == {"'=1+1", "+49", "-7.5", "'@here", "'-A1", "plain"}
    assert sum("'=scone" in row["basket"].split() for row in escaped) == 2
    assert tacit("audit", job, tmp_path / "out/public/data.csv", "--original").code == 0
    assert tacit("apply", tmp_path / "out", tmp_path / "shop.csv", "-o", tmp_path / "new", "--no-report").code == 0
    again = read_csv(tmp_path / "new/public/data.csv")
    assert sorted(row["basket"] for row in again) == sorted(row["basket"] for row in escaped)


def test_a_negative_number_before_other_items_is_a_formula_to_a_spreadsheet(tmp_path: Path) -> None:
    write_csv(tmp_path / "shop.csv", [{"basket": "-1 a"}, {"basket": "-1 a"}, {"basket": "-1"}])
    text = (
        f'[input]\nsource = "shop.csv"\n[columns.basket]\nrole = "items"\n[output]\nescape_formulas = true\n{PRIVACY}'
    )
    job = write_job(tmp_path, text)
    assert tacit("anonymize", job, "--no-report").code == 0
    published = [row["basket"] for row in read_csv(tmp_path / "out/public/data.csv")]
    assert sorted(published) == ["'-1", "'-1 a", "'-1 a"]
    assert tacit("audit", job, tmp_path / "out/public/data.csv", "--original").code == 0


def test_escaping_never_makes_two_items_one(tmp_path: Path) -> None:
    rows = [{"basket": "=a 'b"}, {"basket": "'=a =a"}] * 3
    write_csv(tmp_path / "shop.csv", rows)
    text = '[input]\nsource = "shop.csv"\n[columns.basket]\nrole = "items"\n[output]\nescape_formulas = true\n'
    job = write_job(tmp_path, text + PRIVACY)
    assert tacit("anonymize", job, "--no-report").code == 0
    published = [row["basket"] for row in read_csv(tmp_path / "out/public/data.csv")]
    assert {name for basket in published for name in basket.split()} == {"'=a", "''=a", "'b"}
    assert tacit("audit", job, tmp_path / "out/public/data.csv", "--original").code == 0


def test_an_apostrophe_cannot_separate_items_that_are_escaped(tmp_path: Path) -> None:
    write_csv(tmp_path / "shop.csv", [{"basket": "=a'b"}] * 3)
    text = '[input]\nsource = "shop.csv"\n[columns.basket]\nrole = "items"\nseparator = "\'"\n'
    ended = tacit("anonymize", write_job(tmp_path, f"{text}[output]\nescape_formulas = true\n{PRIVACY}"))
    assert ended.code == 2
    assert "column 'basket': items that look like formulas cannot be escaped in baskets separated by" in ended.err
    assert not (tmp_path / "out").exists()


def test_what_is_shown_as_one_root_is_said(tmp_path: Path) -> None:
    write_csv(tmp_path / "shop.csv", [{"basket": item} for item in "abcdef"])
    text = f'[input]\nsource = "shop.csv"\n[columns.basket]\nrole = "items"\n{PRIVACY}'
    ended = tacit("anonymize", write_job(tmp_path, text), "--no-report")
    assert ended.code == 0
    assert "note: all items of 'basket' became '*'" in ended.err
    assert "note: column 'basket' has no hierarchy" in ended.err
    assert (tmp_path / "out/public/data.csv").read_text() == "basket\n" + "*\n" * 6


@pytest.mark.parametrize("layout", ["long", "wide"])
def test_the_order_inside_a_basket_tells_nothing(tmp_path: Path, layout: str) -> None:
    """Items are numbered as they appear in the data; in that order the first person's would come first everywhere."""
    people = {"p": ["z", "c", "m"], "q": ["a", "z", "m", "c"], "r": ["m", "c", "z", "a"]}
    rows = [{"who": who, "items": item} for who, items in people.items() for item in items]
    if layout == "wide":
        rows = [{"who": who, "items": " ".join(items)} for who, items in people.items()]
    write_csv(tmp_path / "log.csv", rows)
    job = write_job(
        tmp_path,
        f'[input]\nsource = "log.csv"\nlayout = "{layout}"\n[columns.who]\nrole = "person"\n'
        '[columns.items]\nrole = "items"\n[privacy]\nmodel = "km"\nk = 1\nm = 1\n',
    )
    assert tacit("anonymize", job, "--no-report").code == 0
    published = read_csv(tmp_path / "out/public/data.csv")
    baskets: dict[str, list[str]] = {}
    for index, row in enumerate(published):
        baskets.setdefault(row["who"] if layout == "long" else str(index), []).extend(row["items"].split())
    assert sorted(map(len, baskets.values())) == [3, 4, 4]
    assert all(items == sorted(items) for items in baskets.values())


def test_names_with_blanks_are_true_to_the_original_between_other_separators(tmp_path: Path) -> None:
    """The comparison with the original reads `soft drinks` as one name, unless blanks stand between items."""
    rows = "".join(
        f"{basket}\n" for basket in ("cola;milk", "tea;milk", "cola", "tea", "milk", "cola;bread", "tea;bread")
    )
    (tmp_path / "shop.csv").write_text(f"products\n{rows}", encoding="utf-8")
    (tmp_path / "tree.csv").write_text(
        "cola,soft drinks,*\ntea,soft drinks,*\nmilk,solid food,*\nbread,solid food,*\n", encoding="utf-8"
    )
    (tmp_path / "job.toml").write_text(
        '[input]\nsource = "shop.csv"\n[columns.products]\nrole = "items"\nseparator = ";"\nhierarchy = "tree.csv"\n'
        '[privacy]\nmodel = "km"\nk = 3\nm = 2\n[method]\nname = "hghs"\n',
        encoding="utf-8",
    )
    ended = tacit("anonymize", tmp_path / "job.toml", "--no-report")
    assert ended.code == 0, ended.err
    public = (tmp_path / "out/public/data.csv").read_text(encoding="utf-8")
    assert "soft drinks" in public
    assert tacit("audit", tmp_path / "out/private/job.toml", tmp_path / "out/public/data.csv", "--original").code == 0
