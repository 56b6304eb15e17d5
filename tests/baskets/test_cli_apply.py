"""`tacit apply`: a new delivery recoded as an earlier release was, from its saved recoding alone."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from support.commands import (
    JOB,
    files_below,
    is_km_anonymous,
    make_shop,
    read_csv,
    recoded,
    shop_rows,
    tacit,
    write_csv,
)
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
    assert (new.columns, new.promise, new.method) == (old.columns, old.promise, old.method)
    assert (shop / "next/private/key").read_text() != (shop / "out/private/key").read_text()
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
    assert "was not checked for this file alone" in readme and "on this very file" not in readme


def test_a_union_that_breaks_the_promise(shop: Path) -> None:
    write_new(shop, ["scone beer"])
    ended = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next", "--union")
    assert ended.code == 1
    assert "Found 1 minimal itemsets that break it. Affected: 1 record." in ended.err
    assert "scone" not in ended.err, "standard error may be kept in a log"
    assert not (shop / "next").exists()


def test_items_that_were_never_seen(shop: Path) -> None:
    write_new(shop, [*NEW, "gin", "rum beer", "gin"])
    before = files_below(shop)
    ended = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next")
    assert (ended.code, ended.out) == (2, "")
    assert "new.csv, column 'basket': items that the saved recoding has never seen (2)" in ended.err
    assert "gin" not in ended.err
    named = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next", "--json").json()["error"]
    assert "has never seen (2): 'gin', 'rum'" in named
    assert "--unseen suppress, or anonymize the new data afresh" in ended.err
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


def test_unseen_items_can_be_left_out(shop: Path) -> None:
    write_new(shop, [*NEW, "gin", "rum beer", "gin"])
    ended = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next", "--unseen", "suppress", "--json")
    assert ended.code == 0
    assert "items of 'basket' that the saved recoding has never seen, left out: 2" in ended.json()["notes"]
    assert becomes(shop / "next") == {**becomes(shop / "out"), "gin": None, "rum": None}
    shown = {name for row in read_csv(shop / "next/public/data.csv") for name in row["basket"].split()}
    assert shown <= set(becomes(shop / "out").values())
    assert ended.json()["utility"]["emptied_baskets"] == 2, "the two baskets of gin"
    assert tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "x", "--unseen", "keep").code == 2


def test_what_it_would_take_alone(shop: Path) -> None:
    """Of scone, alcohol and tea only scone and alcohol are too rare; leaving out both is the least."""
    write_new(shop, ["scone beer", "tea", "tea", "tea milk", "milk"])
    before = files_below(shop)
    ended = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next", "--json")
    assert ended.code == 1
    assert files_below(shop) == before, "nothing is written anywhere"
    told = ended.json()
    assert told["exit_code"] == 1
    takes = told["what_it_takes"]
    assert takes["holds_together"] is False
    assert takes["suppress"]["is_least"] is True
    assert set(takes["suppress"]["names"]["basket"]) >= {"alcohol", "scone"}
    assert takes["suppress"]["ncp"] > takes["ncp"]
    assert takes["more_baskets"] == 1
    assert takes["coarsen"] is None, "the hierarchy is gone"
    for part in ("The promise does NOT hold", "What it would take:", "--extend does that", "at least 1 more basket"):
        assert part in ended.err
    assert "scone" not in ended.err
    assert "'scone'" in told["error"]


def test_what_it_would_take_on_the_union(shop: Path) -> None:
    """{alcohol, scone} is in one basket of the union: the rarer of the two in the new delivery is left out of it."""
    write_new(shop, ["scone beer", "beer", "beer"])
    ended = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next", "--union", "--json")
    takes = ended.json()["what_it_takes"]
    assert takes["suppress"]["names"] == {"basket": ["scone"]}
    assert (takes["suppress"]["occurrences"], takes["suppress"]["is_least"]) == (1, True)
    assert takes["holds_together"] is None
    assert takes["ncp"] == pytest.approx(3 * 1 / 8 / 4)
    assert takes["suppress"]["ncp"] == pytest.approx((3 * 1 / 8 + 1) / 4)

    ended = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next", "--union", "--extend", "--json")
    assert ended.code == 0
    told = "names left out of this delivery to keep the promise: 1 (private/recoding.json has them)"
    assert told in ended.json()["notes"]
    assert ended.json()["utility"]["ncp"] == takes["suppress"]["ncp"]
    assert becomes(shop / "next") == {**becomes(shop / "out"), "scone": None}
    assert "scone" not in (shop / "next/public/data.csv").read_text()


def test_that_the_union_would_do(shop: Path) -> None:
    write_new(shop, ["scone milk", "tea", "tea"])
    ended = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next", "--json")
    assert ended.json()["what_it_takes"]["holds_together"] is True
    assert "add --union" in ended.err


def test_a_coarser_recoding_if_the_hierarchy_is_there(tmp_path: Path) -> None:
    assert tacit("anonymize", make_shop(tmp_path), "--no-report").code == 0
    write_new(tmp_path, ["bread scone", "tea", "tea"])
    ended = tacit("apply", tmp_path / "out", tmp_path / "new.csv", "-o", tmp_path / "next", "--union", "--json")
    coarsen = ended.json()["what_it_takes"]["coarsen"]
    changes = coarsen["becomes"]["basket"]
    old = [set(row["basket"].split()) for row in read_csv(tmp_path / "out/public/data.csv")]
    new = [recoded(basket, becomes(tmp_path / "out")) for basket in ("bread scone", "tea", "tea")]
    both = [{changes.get(name, name) for name in basket} - {None} for basket in (*old, *new)]
    assert changes
    assert is_km_anonymous(both), "all deliveries, recoded so, keep the promise"
    assert "recode all deliveries more coarsely" in ended.err


def test_a_third_delivery_is_audited_with_all_before_it(shop: Path) -> None:
    """{alcohol, scone} is in one basket of the second and one of the third: together with it, two."""
    write_new(shop, ["scone beer", "scone beer", "beer"])
    assert tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "two", "--union", "--no-report").code == 0
    known = json.loads((shop / "two/private/deliveries.json").read_text())["earlier"]
    assert [entry["directory"] for entry in known] == [str(shop / "out")]

    write_new(shop, ["scone beer", "milk"])
    ended = tacit("apply", shop / "two", shop / "new.csv", "-o", shop / "three", "--union", "--json")
    assert ended.code == 0
    assert (ended.json()["audit"]["records"], ended.json()["audit"]["earlier_releases"]) == (16 + 3 + 2, 2)
    known = json.loads((shop / "three/private/deliveries.json").read_text())["earlier"]
    assert [entry["directory"] for entry in known] == [str(shop / "out"), str(shop / "two")]
    assert "deliveries" not in "".join(path.name for path in (shop / "three/public").iterdir())

    (shop / "out/public/data.csv").write_text("town,basket\n")
    ended = tacit("apply", shop / "two", shop / "new.csv", "-o", shop / "four", "--union")
    assert ended.code == 2
    assert f"{shop / 'out'}: this release belongs to the deliveries" in ended.err
    (shop / "two/private/deliveries.json").write_text("{}")
    ended = tacit("apply", shop / "two", shop / "new.csv", "-o", shop / "four", "--union")
    assert ended.code == 2
    assert "this is not a list of deliveries that tacit saved" in ended.err


def test_local_recodings_cannot_be_reused(tmp_path: Path) -> None:
    text = JOB.replace('model = "km"', 'model = "transactional-k"').replace("m = 2\n", "").replace("mhghs", "partition")
    assert tacit("anonymize", make_shop(tmp_path, text), "--no-report").code == 0
    write_new(tmp_path, NEW)
    ended = tacit("apply", tmp_path / "out", tmp_path / "new.csv", "-o", tmp_path / "next")
    assert (ended.code, ended.out) == (2, "")
    assert "depends on its own records and cannot be reused" in ended.err


def test_its_report_says_what_it_was_made_from_and_audited_with(shop: Path) -> None:
    write_new(shop, ["scone milk", "tea", "tea"])
    assert tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next", "--union").code == 0
    page = (shop / "next/private/report.html").read_text()
    assert f"recoded as the release in {shop / 'out'} was" in page
    assert "tacit anonymize job.toml" not in page, "that would not make the same files again"
    known = json.loads((shop / "next/private/deliveries.json").read_text())["earlier"]
    assert known[0]["sha256"] in page


def test_what_it_would_take_for_other_promises(tmp_path: Path) -> None:
    """Both with beer hold caviar: leaving out beer mends that. If most people hold it, nothing does."""
    text = JOB.replace('model = "km"\nk = 2', 'model = "lm"\nl = 2').replace('name = "mhghs"\n', "")
    job = make_shop(tmp_path, text.replace('"hierarchy.csv"', '"hierarchy.csv"\nsensitive = ["caviar"]'))
    assert tacit("anonymize", job, "--no-report").code == 0
    write_new(tmp_path, ["beer caviar", "beer caviar", "milk", "milk", "milk"])
    ended = tacit("apply", tmp_path / "out", tmp_path / "new.csv", "-o", tmp_path / "next", "--json")
    assert ended.code == 1
    takes = ended.json()["what_it_takes"]
    assert takes["suppress"]["names"] == {"basket": [becomes(tmp_path / "out")["beer"]]}
    assert (takes["coarsen"], takes["more_baskets"], takes["holds_together"]) == (None, None, True)
    assert tacit("apply", tmp_path / "out", tmp_path / "new.csv", "-o", tmp_path / "next", "--extend").code == 0

    write_new(tmp_path, ["beer caviar", "milk caviar", "milk"])
    ended = tacit("apply", tmp_path / "out", tmp_path / "new.csv", "-o", tmp_path / "more", "--extend", "--json")
    assert ended.code == 1
    assert ended.json()["what_it_takes"]["suppress"] is None


def test_no_way_if_nothing_would_be_left(shop: Path) -> None:
    write_new(shop, ["scone beer", "tea"])
    ended = tacit("apply", shop / "out", shop / "new.csv", "-o", shop / "next", "--extend", "--json")
    assert ended.code == 1
    assert ended.json()["what_it_takes"]["suppress"] is None
    assert "leave out" not in ended.err
    assert not (shop / "next").exists()


def damaged(text: str, seed: int) -> bytes:
    """A file of JSON with a few bytes changed, moved or lost, or with another value in the place of one."""
    draw = random.Random(seed)
    other = draw.choice(['{"a": 3}', "[1, null]", "null", "-1", '"\\ud800"', '""', "1e999", '"milk"'])
    if draw.random() < 0.5:
        spots = [found.span() for found in re.finditer(r'"[^"]*"|\d+|\{\}|\[\]', text)]
        start, stop = draw.choice(spots)
        return (text[:start] + other + text[stop:]).encode()
    content = bytearray(text.encode())
    for _ in range(draw.randrange(1, 4)):
        place = draw.randrange(len(content))
        content[place : place + draw.randrange(3)] = draw.randbytes(draw.randrange(3))
    return bytes(content)


@pytest.mark.parametrize("file", ["recoding.json", "job.toml", "deliveries.json"])
def test_damaged_files_of_a_release_are_refused_or_do_no_harm(tmp_path: Path, file: str) -> None:
    """Whatever is damaged, there is a message or a release that holds: never a traceback, never a part of a release."""
    job = make_shop(tmp_path)
    assert tacit("anonymize", job, "--no-report").code == 0
    shop = tmp_path / "shop.csv"
    assert tacit("apply", tmp_path / "out", shop, "--no-report", "-o", tmp_path / "union", "--union").code == 0
    saved = tmp_path / "union" / "private" / file
    whole, codes = saved.read_text("utf-8"), set()
    for seed in range(40):
        saved.write_bytes(damaged(whole, seed))
        codes.add(tacit("apply", tmp_path / "union", shop, "--no-report", "--union", "-o", tmp_path / f"{seed}").code)
    assert codes <= {0, 1, 2} and 2 in codes
    assert not list(tmp_path.glob(".*"))
