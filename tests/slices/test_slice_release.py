"""From a job to a release of a sliced table and back: what is written, what is refused, what it is good for."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacit
from support.commands import tacit as run
from support.keys import key_of
from tacit import InputError, PromiseError, SlicedDiversity, recoding
from tacit.sliced import read_sliced
from tacit.slices.recoding import SliceRecoding

JOB = """\
[input]
source = "people.csv"
missing = ["", "?"]
[columns.age]
role = "quasi"
[columns.zip]
role = "quasi"
[columns.job]
role = "quasi"
[columns.illness]
role = "sensitive"
[columns.drug]
role = "sensitive"
[privacy]
model = "sliced-l"
l = 3
[method]
seed = 4
[output]
directory = "out"
"""


def people(n: int = 300, seed: int = 0) -> pd.DataFrame:
    """Jobs depend on towns, drugs on illnesses; some ages and drugs are missing."""
    rng = np.random.default_rng(seed)
    town, illness = rng.integers(0, 5, n), rng.integers(0, 7, n)
    drug = np.where(rng.random(n) < 0.3, rng.integers(0, 7, n), illness)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(str),
            "zip": [f"Z{t}" for t in town],
            "job": [f"J{t if r < 0.7 else 9}" for t, r in zip(town, rng.random(n), strict=True)],
            "illness": [f"I{i}" for i in illness],
            "drug": [f"D{d}" for d in drug],
        }
    )
    frame.loc[rng.random(n) < 0.05, "age"] = "?"
    frame.loc[rng.random(n) < 0.05, "drug"] = ""
    return frame


def anonymized(frame: pd.DataFrame, l: float = 3, **options: object) -> tacit.Release:  # noqa: E741
    roles = {"quasi": ["age", "zip", "job"], "sensitive": ["illness", "drug"], "missing": ("", "?")}
    given = {**roles, "seed": 1, "key": key_of(1), **options}
    return tacit.anonymize(frame, SlicedDiversity(l), **given)  # type: ignore[arg-type]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    people().to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "job.toml").write_text(JOB)
    return tmp_path


def test_release_directory(shop: Path) -> None:
    done = run("anonymize", str(shop / "job.toml"))
    assert done.code == 0, done
    published = pd.read_csv(shop / "out/public/data.csv", dtype=str, keep_default_na=False)
    original = people()
    rows = pd.read_csv(shop / "out/private/rows.csv")
    assert list(rows.columns) == ["slice", "published", "original"]
    slices = json.loads((shop / "out/private/recoding.json").read_text())["slices"]
    assert len(rows) == len(slices) * len(original)
    buckets = {}
    for index, names in enumerate(slices, 1):
        mine = rows[rows["slice"] == index].sort_values("published")["original"].to_numpy()
        shown = published[[f"{index}.{name}" for name in names]].to_numpy()
        assert (shown == original[names].to_numpy()[mine]).all()
        buckets[index] = dict(zip(mine.tolist(), published["bucket"], strict=True))
    assert all(one == buckets[1] for one in buckets.values())
    audit = json.loads((shop / "out/private/audit.json").read_text())
    assert (audit["model"], audit["satisfied"], audit["parameters"]) == ("sliced-l", True, {"l": 3, "joint": False})
    assert audit["worst"]["probability"] <= 1 / 3 + 1e-9
    assert "slice 1" in (shop / "out/public/README.md").read_text()
    assert "Correlations" in (shop / "out/private/report.html").read_text()


def test_published_file_is_audited_with_and_without_the_original(shop: Path) -> None:
    run("anonymize", str(shop / "job.toml"))
    for flag in ([], ["--original"]):
        assert run("audit", str(shop / "job.toml"), str(shop / "out/public/data.csv"), *flag).code == 0
    stricter = (shop / "job.toml").read_text().replace("l = 3", "l = 6")
    (shop / "strict.toml").write_text(stricter)
    assert run("audit", str(shop / "strict.toml"), str(shop / "out/public/data.csv"), "--original").code == 1
    table = pd.read_csv(shop / "out/public/data.csv", dtype=str, keep_default_na=False)
    column = next(name for name in table.columns if name.endswith(".illness"))
    table.loc[0, column] = "I99"
    table.to_csv(shop / "false.csv", index=False)
    told = run("audit", str(shop / "job.toml"), str(shop / "false.csv"), "--original")
    assert told.code == 1
    assert "rows of slice" in told.out + told.err


def test_same_key_same_bytes_another_key_another_order(shop: Path) -> None:
    first, second = anonymized(people()), anonymized(people())
    assert first.recoding == second.recoding
    assert first.data.equals(second.data)
    assert not anonymized(people(), key=key_of(2)).data.equals(first.data)
    assert first.recoding != anonymized(people(), columns=2).recoding


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"overlap": True},
        {"cluster": "kmedoids", "columns": 3},
        {"columns": [["zip", "job"], ["age"], ["illness", "drug"]]},
        {"columns": [["zip", "job"], ["job", "age"], ["illness"], ["drug"]]},
        {"generalize_k": 10},
        {"generalize_k": 10, "columns": [["zip", "illness"], ["age", "job", "drug"]]},
        {"method": "bucketization"},
        {"method": "one-per-column"},
        {"domains": {"place": ["zip", "job", "illness"]}},
        {"discretize": "width", "bins": 4},
    ],
)
def test_options(options: dict[str, object]) -> None:
    release = anonymized(people(), 2.5, **options)
    assert release.audit.satisfied
    assert release.audit.worst["probability"] <= 1 / 2.5 + 1e-9
    again = recoding.from_json(recoding.to_json(release.recoding))
    assert again == release.recoding
    assert isinstance(again, SliceRecoding)
    names = [name for one in release.recoding.slices for name in one]
    assert set(names) == {"age", "zip", "job", "illness", "drug"}
    assert 0 <= release.utility["correlation_kept"] <= 1


@pytest.mark.parametrize(("columns", "note"), [(1, "sensitive value away"), (99, "there are 5 attributes"), (3, None)])
def test_another_number_of_columns_is_explained(columns: int, note: str | None) -> None:
    release = anonymized(people(), columns=columns)
    notes = [one for one in release.notes if "method.columns" in one]
    assert (len(release.recoding.slices) == columns) == (note is None)
    assert note is None or note in notes[0]
    assert len(notes) == (note is not None)


def test_generalized_columns_are_k_anonymous_and_counted_as_loss() -> None:
    release = anonymized(people(), 2.5, generalize_k=12, columns=[["age", "zip"], ["job"], ["illness"], ["drug"]])
    counts = release.data.groupby(["1.age", "1.zip"], dropna=False).size()
    assert counts.min() >= 12
    assert 0 < release.utility["ncp"] < 1
    assert any(value.startswith("[") for value in release.data["1.age"].dropna())


def test_bucketization_is_one_slice_of_all_known_attributes() -> None:
    release = anonymized(people(), method="bucketization")
    assert release.recoding.slices == (("age", "zip", "job"), ("illness",), ("drug",))


def test_attributes_that_nobody_knows_are_published_too() -> None:
    release = anonymized(people(), quasi=["age", "zip"], plain=["job"])
    assert release.audit.satisfied
    assert any("job" in one for one in release.recoding.slices)


def test_arrow_and_empty_frames() -> None:
    frame = pa.Table.from_pandas(people(60))
    assert isinstance(anonymized(frame, 2).data, pa.Table)
    assert anonymized(people(0)).data.shape[0] == 0


def test_constant_and_missing_columns() -> None:
    frame = people().assign(zip="Z", job=None)
    release = anonymized(frame)
    assert release.audit.satisfied
    name = next(name for name in release.data.columns if name.endswith(".job"))
    assert release.data[name].isna().all()


def test_formulas_are_escaped_and_understood(shop: Path) -> None:
    frame = people().assign(zip=[f"=Z{i % 4}" for i in range(300)])
    frame.to_csv(shop / "people.csv", index=False)
    (shop / "job.toml").write_text(JOB + "escape_formulas = true\n")
    assert run("anonymize", str(shop / "job.toml")).code == 0
    table = pd.read_csv(shop / "out/public/data.csv", dtype=str)
    name = next(name for name in table.columns if name.endswith(".zip"))
    assert set(table[name]) == {f"'=Z{i}" for i in range(4)}
    assert run("audit", str(shop / "job.toml"), str(shop / "out/public/data.csv"), "--original").code == 0


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"l": 9}, r"ℓ = 9, but '\w+' has only \d different values"),
        ({"l": 6.9}, r"A value of '\w+' is in .* ℓ = [\d.]+ can be reached"),
        ({"columns": [["age", "illness"], ["zip", "job", "drug"]]}, "tells somebody's 'illness'"),
        ({"generalize_k": 301}, "only 300 records.*generalize_k = 300 can be reached"),
    ],
)
def test_what_cannot_be_promised(options: dict[str, object], problem: str) -> None:
    import re

    with pytest.raises(PromiseError) as told:
        anonymized(people(), **options)  # type: ignore[arg-type]
    assert re.search(problem, str(told.value), re.DOTALL)
    assert told.value.exit_code == 3


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"sensitive": None}, "sensitive"),
        ({"columns": [["zip", "illness"], ["illness", "job"], ["job", "zip"], ["age"], ["drug"]]}, "cycle"),
        (
            {"columns": [["zip", "illness"], ["job", "illness"], ["age"], ["drug"]], "l": 5},
            r"\{zip, illness\} and \{job, illness\}, joined on 'illness', tell",
        ),
        ({"columns": 0}, "columns"),
        ({"columns": [["age"]]}, "leaves out"),
        ({"cluster": "other"}, "cluster"),
        ({"generalize_k": 5, "columns": [["zip", "job"], ["job", "age"], ["illness"], ["drug"]]}, "generalize_k"),
        ({"domains": {"x": ["nobody"]}}, "'nobody'"),
        ({"rows": 3}, "rows"),
    ],
)
def test_bad_input(options: dict[str, object], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        anonymized(people(), **options)


def test_columns_that_leak_are_bad_input_of_the_job(shop: Path) -> None:
    """Exit 2 where an overlap leaks, naming the job and the join; exit 3 where the promise is out of reach."""
    job = str(shop / "job.toml")
    told = run("anonymize", job, "--set", 'method.columns=[["zip","age"],["age","drug"],["job","illness"]]')
    assert told.code == 2
    assert (
        "job.toml: method.columns overlap in a way that leaks: {age, drug} and {zip, age}, joined on 'age'," in told.err
    )
    told = run("anonymize", job, "--set", 'method.columns=[["zip","job"],["job","zip"],["age","drug"],["illness"]]')
    assert told.code == 3
    assert "{age, drug} tells somebody's 'drug'" in told.err
    told = run(
        "anonymize", job, "--set", 'method.columns=[["zip","job"],["job","age"],["age","zip"],["drug","illness"]]'
    )
    assert told.code == 2
    assert "job.toml: method.columns overlap in a cycle" in told.err
    assert not (shop / "out").exists()


def test_value_of_the_wrong_type_is_named_with_its_line(shop: Path) -> None:
    lines = (shop / "people.csv").read_text().splitlines()
    lines[7] = "old" + lines[7][lines[7].index(",") :]
    (shop / "people.csv").write_text("\n".join(lines) + "\n")
    told = run("anonymize", str(shop / "job.toml"))
    assert told.code == 2
    assert "people.csv, line 8, column 'age'" in told.err
    assert "old" not in told.err


def test_sensitive_column_of_numbers_and_few_others_is_one_of_categories() -> None:
    frame = people()
    frame["illness"] = [str(i % 40) for i in range(299)] + ["V27"]
    published = read_sliced(anonymized(frame).data)
    assert "V27" in published.texts["illness"]
    with pytest.raises(InputError, match="no number"):
        anonymized(frame, column_settings={"illness": {"type": "number"}})


def test_missing_values_cannot_be_suppressed(shop: Path) -> None:
    (shop / "job.toml").write_text(
        JOB.replace('[columns.zip]\nrole = "quasi"', '[columns.zip]\nrole = "quasi"\nmissing = "suppress"')
    )
    told = run("anonymize", str(shop / "job.toml"))
    assert told.code == 2
    assert "'zip'" in told.err


def test_audit_refuses_what_is_no_sliced_table(shop: Path) -> None:
    told = run("audit", str(shop / "job.toml"), str(shop / "people.csv"))
    assert told.code == 2
    assert "bucket" in told.err
    run("anonymize", str(shop / "job.toml"))
    table = pd.read_csv(shop / "out/public/data.csv", dtype=str)
    table.drop(columns=[name for name in table.columns if name.endswith(".job")]).to_csv(shop / "less.csv", index=False)
    told = run("audit", str(shop / "job.toml"), str(shop / "less.csv"))
    assert told.code == 2
    assert "'job'" in told.err


def test_identifier_in_a_slice_breaks_every_promise(shop: Path) -> None:
    (shop / "job.toml").write_text(JOB.replace("[privacy]", '[columns.name]\nrole = "identifier"\n[privacy]'))
    frame = people()
    frame["name"] = [f"N{i}" for i in range(len(frame))]
    frame.to_csv(shop / "people.csv", index=False)
    assert run("anonymize", str(shop / "job.toml")).code == 0
    table = pd.read_csv(shop / "out/public/data.csv", dtype=str, keep_default_na=False)
    table["1.name"] = [f"N{i}" for i in range(len(table))]
    table.to_csv(shop / "named.csv", index=False)
    told = run("audit", str(shop / "job.toml"), str(shop / "named.csv"))
    assert told.code == 1
    assert "'name', which the job calls an identifier" in told.out


def test_slices_keep_more_than_one_column_each(shared_data: Path) -> None:
    frame = pd.read_csv(shared_data / "relational/heart_disease.csv", dtype=str, keep_default_na=False)
    known = [name for name in frame.columns if name not in ("cp", "dataset")][:8]
    kept = {}
    for method in ("slicing", "one-per-column", "bucketization"):
        release = tacit.anonymize(frame, SlicedDiversity(1.5), quasi=known, sensitive=["cp"], method=method, seed=3)
        kept[method] = release.utility["correlation_kept"]
        assert read_sliced(release.data).attributes
    assert kept["slicing"] > kept["one-per-column"]
    assert kept["bucketization"] > kept["one-per-column"]
