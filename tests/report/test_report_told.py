"""What the owner and the recipients are told: columns that nothing protects, escapes, stars, quotes, long names."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from test_report_page import Tags

import tacit as package
from support.commands import JOB, make_shop, read_csv, tacit, write_csv, write_job
from tacit.arrays.attributes import Attribute
from tacit.ratings.report import rating_records
from tacit.records.distributions import distribution_records
from tacit.records.report import record_sections
from tacit.report.blocks import Grid, Section, Text
from tacit.report.charts import histogram, specification
from tacit.report.html import document
from tacit.report.markdown import code
from tacit.slices.measures import measure_slices
from tacit.slices.report import correlation_blocks, heat_map_records


def page_of(folder: Path) -> Tags:
    return Tags((folder / "private/report.html").read_text(encoding="utf-8"))


def note_of(folder: Path) -> str:
    return (folder / "public/README.md").read_text(encoding="utf-8")


def rows_of(release: package.Release) -> tuple[list[str], list[list[str]]]:
    """The sample of records: its columns, and its rows."""
    grid = next(part for part in record_sections(release)[-1].blocks if isinstance(part, Grid))
    return list(grid.head), [list(row) for row in grid.rows]


PLAIN = {
    "baskets": (package.KmAnonymity(2, 2), {"items": "basket"}),
    "records": (package.KAnonymity(2), {"quasi": ["age"]}),
    "slices": (package.SlicedDiversity(2), {"quasi": ["age"], "sensitive": ["illness"]}),
    "ratings": (package.KEpsAnonymity(2, 1), {"rating": ["stars"]}),
}


@pytest.mark.parametrize("kind", PLAIN)
def test_plain_columns_are_named_as_not_protected(kind: str, tmp_path: Path) -> None:
    promise, roles = PLAIN[kind]
    frame = pa.table({
        "basket": [["a"], ["b"]] * 30, "age": [str(i % 7) for i in range(60)], "illness": ["x", "y", "z"] * 20,
        "stars": [1 + i % 3 for i in range(60)], "town": [f"town{i}" for i in range(60)], "sex": ["f", "m"] * 30,
    })  # fmt: skip
    release = package.anonymize(frame, promise, plain=["town", "sex"], seed=1, **roles)  # type: ignore[arg-type]
    warning = "column 'town' is plain, so that nothing protects it, and has 60 different values in 60 records"
    assert [note for note in release.notes if warning in note]
    assert not [note for note in release.notes if "'sex'" in note]
    release.save(tmp_path / "out")
    page = page_of(tmp_path / "out")
    assert "Shown as in the original, and not protected by the promise: town, sex" in page.text
    assert warning in page.text
    sample = page.text[page.text.rindex("before and after") :]
    assert "town" in sample
    assert re.search(r"town\d+", sample), "the sample shows them"
    note = note_of(tmp_path / "out")
    assert "The promise does not cover `town`, `sex`: published as in the original." in note
    assert note.index("does not cover") < note.index("## How to read it")
    if kind != "slices":
        assert "- `town`: as in the original. The promise does not cover it." in note


@pytest.mark.parametrize("kind", PLAIN)
def test_plain_numbers_of_people_with_several_records_are_warned_of(kind: str) -> None:
    promise, roles = PLAIN[kind]
    frame = pa.table({
        "basket": [["a"], ["b"]] * 30, "age": [str(i % 7) for i in range(60)], "illness": ["x", "y", "z"] * 20,
        "stars": [1 + i % 3 for i in range(60)], "patient": [f"P{i // 3}" for i in range(60)],
        "ward": [f"W{i % 4}" for i in range(60)],
    })  # fmt: skip
    release = package.anonymize(frame, promise, plain=["patient", "ward"], seed=1, **roles)  # type: ignore[arg-type]
    warned = [note for note in release.notes if "is plain, so that nothing protects it" in note]
    assert len(warned) == 1 and "column 'patient'" in warned[0] and "20 different values in 60 records" in warned[0]


@pytest.mark.parametrize("promise", [package.KAnonymity(2), package.TCloseness(2, 0.9)])
def test_sensitive_columns_that_tell_people_apart_are_named(promise: package.Promise) -> None:
    frame = pa.table({"age": [i % 7 for i in range(60)], "code": [f"c{i}" for i in range(60)]})
    notes = package.anonymize(frame, promise, quasi="age", sensitive="code", seed=1).notes
    assert [note for note in notes if "'code' is published as it is, and has 60 different values in 60" in note]


def test_few_records_with_their_own_plain_values_are_no_warning(tmp_path: Path) -> None:
    ended = tacit("anonymize", make_shop(tmp_path), "--no-report")
    assert ended.code == 0
    assert "is plain" not in ended.err


def test_a_plain_column_of_lists_can_be_published(tmp_path: Path) -> None:
    frame = pa.table({"age": ["1", "2"] * 30, "list": [[i, i] for i in range(60)]})
    release = package.anonymize(frame, package.KAnonymity(2), quasi=["age"], plain=["list"], seed=1)
    head, rows = rows_of(release)
    assert head == ["", "age", "list"]
    assert all(re.fullmatch(r"\[(\d+), \1\]", row[2]) for row in rows)
    release.save(tmp_path / "out")
    assert "- `list`: as in the original." in note_of(tmp_path / "out")


RECORDS = """\
[input]
source = "people.csv"
[columns.code]
role = "quasi"
type = "category"
[columns.illness]
role = "sensitive"
{missing}
[columns.town]
role = "plain"
[privacy]
model = "{model}
[method]
seed = 1
[output]
escape_formulas = {escape}
"""


def records_job(
    folder: Path, rows: list[tuple[str, str]], *, model: str = 'k"\nk = 2', missing: str = "", escape: str = "false"
) -> Path:
    write_csv(folder / "people.csv", [{"code": c, "illness": i, "town": "=T"} for c, i in rows])
    return write_job(folder, RECORDS.format(model=model, missing=missing, escape=escape))


def test_escapes_are_explained_and_no_part_of_a_value(tmp_path: Path) -> None:
    job = records_job(tmp_path, [("=a", "+flu"), ("=a", "-5"), ("b", "cold"), ("b", "@x")], escape="true")
    assert tacit("anonymize", job).code == 0
    assert "An apostrophe was put before every value that a spreadsheet would take for a formula" in note_of(
        tmp_path / "out"
    )
    text = page_of(tmp_path / "out").text
    sample = text[text.index("Some records, before and after") : text.index("How it was made")]
    published = read_csv(tmp_path / "out/public/data.csv")
    for row in published:
        assert row["town"] == "'=T"
        for when in ("before", "after"):
            assert f"{when}{row['code'].lstrip(chr(39))}{row['illness'].lstrip(chr(39))}=T" in sample
    assert {row["code"] for row in published} == {"'=a", "b"}


def test_nothing_is_said_of_escapes_that_were_not_asked_for(tmp_path: Path) -> None:
    assert tacit("anonymize", records_job(tmp_path, [("=a", "flu"), ("=a", "x")]), "--no-report").code == 0
    assert "apostrophe" not in note_of(tmp_path / "out")


def test_a_missing_value_is_shown_as_missing_before(tmp_path: Path) -> None:
    job = records_job(tmp_path, [("a", ""), ("a", "flu"), ("a", "cold")], missing='missing = "suppress"')
    assert tacit("anonymize", job).code == 0
    text = page_of(tmp_path / "out").text
    assert "beforea(missing)=T" in text
    assert "aftera*=T" in text
    assert "beforea*" not in text


def test_a_star_of_the_data_is_told_from_a_suppressed_value(tmp_path: Path) -> None:
    """Two records are published as `*` because their group has all values, and one was a star to begin with."""
    frame = pa.table({"code": ["*", "*", "a", "b", "*"]})
    release = package.anonymize(frame, package.KAnonymity(5), quasi=["code"], seed=1)
    assert set(release.data["code"].to_pylist()) == {"*"}
    assert [note for note in release.notes if "column 'code' has a value '*', which also stands for" in note]
    release.save(tmp_path / "out")
    assert "`*` is a value of the original, too, and the file does not tell the two apart." in note_of(tmp_path / "out")
    without = package.anonymize(pa.table({"code": ["a", "b"]}), package.KAnonymity(2), quasi=["code"], seed=1)
    without.save(tmp_path / "without")
    assert not [note for note in without.notes if "'*'" in note]
    assert "`*` stands for a value that is not shown; it may be any, or missing.\n" in note_of(tmp_path / "without")


def test_a_star_that_was_not_changed_is_not_counted_as_suppressed() -> None:
    frame = pa.table({"code": ["*", "*", "a", "a"]})
    release = package.anonymize(frame, package.KAnonymity(2), quasi=["code"], seed=1)
    assert sorted(release.data["code"].to_pylist()) == ["*", "*", "a", "a"]
    assert (release.utility["suppressed"], release.utility["unchanged"]) == (0.0, 1.0)
    hidden = pa.table({"code": ["", "", "a", "a"]})
    settings = {"code": {"missing": "suppress"}}
    release = package.anonymize(hidden, package.KAnonymity(2), quasi=["code"], column_settings=settings, seed=1)
    assert (release.utility["suppressed"], release.utility["unchanged"]) == (0.5, 0.5)


def test_a_star_that_means_no_value_is_not_called_a_value(tmp_path: Path) -> None:
    frame = pa.table({"code": ["*", "*", "a", "b"]})
    release = package.anonymize(frame, package.KAnonymity(4), quasi=["code"], missing=("*",), seed=1)
    assert not [note for note in release.notes if "'*'" in note]
    release.save(tmp_path / "out")
    lines = [line for line in note_of(tmp_path / "out").splitlines() if "`*`" in line]
    assert lines == ["  - `*` stands for a value that is not shown; it may be any, or missing."]


def test_a_sensitive_star_beside_suppressed_missing_values_is_refused(tmp_path: Path) -> None:
    """Both would be published as `*`, and count as one value to whoever sees them."""
    rows = [("a", "*"), ("a", ""), ("b", "flu"), ("b", "*")]
    job = records_job(tmp_path, rows, model='l"\nk = 2\nl = 2', missing='missing = "suppress"')
    ended = tacit("anonymize", job)
    assert (ended.code, ended.out) == (2, "")
    assert "column 'illness': a value of this column is '*', as missing ones would be written" in ended.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["a`b", "``<script>", "`", "a``` b", "```"])
def test_code_cannot_be_left(name: str) -> None:
    """By the rules of CommonMark: a span of code ends at a run of backticks as long as the one it began with."""
    marked = code(name)
    opening = re.match("`+", marked)
    assert opening is not None
    inside = marked[len(opening[0]) : -len(opening[0])]
    assert marked.endswith(opening[0])
    assert len(opening[0]) not in {len(run) for run in re.findall("`+", inside)}
    assert inside.strip() == name
    assert inside.startswith(" ") and inside.endswith(" ")


def test_axis_titles_are_cut_and_the_caption_is_whole() -> None:
    question = "How much do you agree that " + "the public transport of your town is fine, " * 5
    chart = histogram(question, [{"value": "1", "records": 2}], "value", "records", x_axis=question)
    title = specification(chart)["encoding"]["x"]["title"]
    assert len(title) <= 44
    assert title.endswith("…")
    assert title[:-1] == question[: len(title) - 1]
    assert question in Tags(document("", [], [Section("", [chart])])).text


def test_a_heat_map_of_names_with_the_sign_in_them() -> None:
    records = heat_map_records({("a × b", "c"): (0.5, 0.25), ("a × b", "d"): (0.1, 0.0), ("c", "d"): (0.2, 0.1)})
    assert {record["one"] for record in records} == {"a × b", "c", "d"}
    assert records[0] == {"one": "a × b", "other": "c", "of": "original", "correlation": 0.5}


def test_correlations_of_names_that_would_make_the_same_pair() -> None:
    rng = np.random.default_rng(3)
    names = ["a", "b × c", "a × b", "c"]
    frame = pa.table({name: rng.choice(list("xyz"), 40) for name in names})
    release = package.anonymize(frame, package.SlicedDiversity(2), quasi=names[:3], sensitive=names[3:], seed=1)
    found = measure_slices(release.before, release.applied, release.original, 1)
    assert len(found["correlations_before"]) == 6
    assert len(correlation_blocks(found, release.before.names)) >= 2


def test_a_heat_map_of_many_attributes_shows_the_most_linked() -> None:
    names = [f"a{i:02}" for i in range(70)]
    before = {f"{one} × {other}": (0.9 if "a69" in (one, other) else 0.1) for one, other in combinations(names, 2)}
    utility = {"correlations_before": before, "correlations_after": before, "correlation_kept": 1.0}
    blocks = correlation_blocks(utility, names)
    told = [block.text for block in blocks if isinstance(block, Text)]
    assert "Shown are the 60 of 70 attributes that are linked most." in told
    shown = {record["one"] for block in blocks for record in getattr(block, "records", ())}
    assert len(shown) == 60
    assert "a69" in shown


def test_possible_tuples_may_be_fewer_than_people() -> None:
    """All records of a bucket share their known values, so that it allows one tuple for several people."""
    from tacit.report.meanings import MEASURES

    frame = pa.table({"age": [str(20 + i % 4) for i in range(24)], "illness": ["x", "y", "z"] * 8})
    release = package.anonymize(
        frame, package.SlicedDiversity(2), quasi=["age"], sensitive=["illness"], generalize_k=24, seed=1
    )
    assert release.utility["possible_tuples_log10"] < 0
    assert MEASURES["possible_tuples_log10"].range == "any number"


EMPTY = {
    "slicing": (package.SlicedDiversity(2), {"quasi": ["a"], "sensitive": ["z"]}),
    "generalized slices": (package.SlicedDiversity(2), {"quasi": ["a"], "sensitive": ["z"], "generalize_k": 2}),
    "bucketization": (package.SlicedDiversity(2), {"quasi": ["a"], "sensitive": ["z"], "method": "bucketization"}),
    "km": (package.KmAnonymity(2, 2), {"items": "b"}),
    "lm": (package.LmDiversity(2, 2), {"items": "b", "sensitive_items": ["G"]}),
    "coherence": (package.Coherence(0.5, 2, 2), {"items": "b", "sensitive_items": ["G"]}),
    "cahd": (package.Cahd(2), {"items": "b", "sensitive_items": ["G"]}),
    "transactional-k": (package.TransactionalK(2), {"items": "b"}),
    "k": (package.KAnonymity(2), {"quasi": ["a"]}),
    "l": (package.LDiversity(2, 2), {"quasi": ["a"], "sensitive": ["z"]}),
    "k-km": (package.KKmAnonymity(2, 2), {"quasi": ["a"], "items": "b"}),
    "k-lm": (package.KLmDiversity(2, 2, 2), {"quasi": ["a"], "items": "b", "sensitive_items": ["G"]}),
    "k-eps": (package.KEpsAnonymity(2, 1), {"rating": ["r"]}),
    "rating-km": (package.RatingKm(2, 1), {"rating": ["r"]}),
}


@pytest.mark.parametrize("case", EMPTY)
def test_a_report_on_nobody(case: str, tmp_path: Path) -> None:
    types = {"a": pa.string(), "z": pa.string(), "b": pa.list_(pa.string()), "r": pa.int64()}
    frame = pa.table({name: pa.array([], kind) for name, kind in types.items()})
    promise, roles = EMPTY[case]
    release = package.anonymize(frame, promise, seed=1, **roles)  # type: ignore[arg-type]
    text = Tags(release.report(tmp_path / "report.html").read_text(encoding="utf-8")).text
    assert "The promise holds. It does so trivially" in text


def test_large_ratings_have_names_that_differ() -> None:
    exact = rating_records(np.array([1e6, 1000001.0, 1.5]), np.array([1e6]))
    assert [record["rating"] for record in exact[:3]] == ["1.5", "1000000", "1000001"]
    many = rating_records(1e6 + np.arange(100.0), np.array([1e6]))
    names = [record["rating"] for record in many if record["when"] == "before"]
    assert len(set(names)) == len(names) == 12
    assert names[0].startswith("1000000 – 10000")
    assert not [name for name in names if "e+" in name]


def test_a_category_called_missing_is_not_the_missing_class() -> None:
    words = Attribute("x", np.array([0, 1, 2, 2], np.int32), ("(missing)", "b", ""), missing=2)
    counts = np.array([1.0, 1.0, 2.0])
    records = [record for record in distribution_records(words, counts, counts) if record["when"] == "before"]
    assert [(record["value"], record["records"]) for record in records] == [
        ("(missing)", 1.0), ("b", 1.0), ("(missing)~2", 2.0),
    ]  # fmt: skip


def test_the_note_explains_quotes_in_sets_and_ranges_of_dates(tmp_path: Path) -> None:
    names = ["a,b", "c", "d", "e", "f", "g"] * 4
    frame = pa.table({"name": names, "day": [f"2024-01-{1 + i:02}" for i in range(24)], "age": list(range(24))})
    release = package.anonymize(frame, package.KAnonymity(4), quasi=["name", "day", "age"], seed=1)
    assert [text for text in release.data["name"].to_pylist() if '"a,b"' in text]
    release.save(tmp_path / "out")
    note = note_of(tmp_path / "out")
    assert '`("a,b",c)` is a set of two.' in note
    assert "- `day`: a value, or a range such as `[2024-03-04:2024-03-25]` that holds it" in note
    assert "- `age`: a value, or a range such as `[15:25]` that holds it" in note


def test_the_note_has_days_as_the_file_has_them(tmp_path: Path) -> None:
    days = [f"{1 + i}.{1 + i % 3}.1980" for i in range(24)]
    write_csv(tmp_path / "in.csv", [{"born": day, "sex": "mf"[i % 2]} for i, day in enumerate(days)])
    (tmp_path / "job.toml").write_text(
        '[input]\nsource = "in.csv"\n[columns.born]\nrole = "quasi"\ntype = "date"\ndate_format = "D.M.YYYY"\n'
        '[columns.sex]\nrole = "quasi"\n[privacy]\nmodel = "k"\nk = 4\n[output]\ndirectory = "out"\n'
    )
    assert tacit("anonymize", tmp_path / "job.toml", "--no-attack").code == 0
    note = note_of(tmp_path / "out")
    assert "- `born`: a value, or a range such as `[4.3.2024:25.3.2024]` that holds it" in note
    assert "2024-03" not in note


def test_the_note_is_silent_of_quotes_that_no_set_has(tmp_path: Path) -> None:
    frame = pa.table({"name": ["a", "c", "d", "e", "f", "g"] * 4, "age": list(range(24))})
    package.anonymize(frame, package.KAnonymity(4), quasi=["name", "age"], seed=1).save(tmp_path / "out")
    assert "quotes" not in note_of(tmp_path / "out")


def test_the_shop_has_its_town_in_the_sample(tmp_path: Path) -> None:
    assert tacit("anonymize", make_shop(tmp_path, JOB)).code == 0
    text = page_of(tmp_path / "out").text
    assert "beforeaftertown (as it was)" in text
    sample = text[text.index("beforeaftertown (as it was)") : text.index("How it was made")]
    assert all(row["town"] in sample for row in read_csv(tmp_path / "out/public/data.csv")[:8])
