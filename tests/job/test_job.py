"""The job file: what it says, how it is written back, and what every mistake in it gets."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.job import FORMATS, NEVER_WRITTEN, Column, Input, Job, Method, Output, read_job, write_job
from tacit.promises import KmAnonymity

GOOD = """\
[input]
source = "visits.csv"
missing = ["", "NA", "?"]

[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
type = "number"
weight = 2
[columns.products]
role = "items"
separator = ","
hierarchy = "trees/products.csv"
sensitive = ["G", "H"]
[columns.stars]
role = "rating"
scale = [1, 5]
step = 0.5
sensitive = true

[privacy]
model = "km"
k = 5
m = "inf"

[method]
name = "mhghs"
loss = "bits"
seed = 7

[output]
directory = "../out"
format = "csv.gz"
"""


def job_file(folder: Path, text: str) -> Path:
    path = folder / "job.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_job_with_a_bit_of_everything(tmp_path: Path) -> None:
    path = job_file(tmp_path, GOOD)
    job = read_job(path)
    assert job == Job(
        input=Input(tmp_path / "visits.csv", missing=("", "NA", "?")),
        columns=(
            Column("name", "identifier"),
            Column("age", "quasi", type="number", weight=2.0),
            Column(
                "products",
                "items",
                separator=",",
                hierarchy=tmp_path / "trees/products.csv",
                sensitive_items=("G", "H"),
            ),
            Column("stars", "rating", scale=(1, 5), step=0.5, sensitive=True),
        ),
        promise=KmAnonymity(k=5, m=math.inf),
        method=Method("mhghs", seed=7, options={"loss": "bits"}),
        output=Output(tmp_path / "../out", format="csv.gz"),
    )
    assert job.file == path
    assert [column.name for column in job.columns_with("items")] == ["products"]
    assert job.columns_with("plain") == ()


def test_the_shortest_job_is_a_basket_file_and_a_promise(tmp_path: Path) -> None:
    job = read_job(job_file(tmp_path, '[input]\nsource = "a.dat.gz"\n[privacy]\nmodel = "km"\nk = 2\nm = 2\n'))
    assert job.columns == (Column("items", "items", separator=" "),)
    assert job.method == Method()
    assert job.output == Output(tmp_path / "out")
    assert (job.input.layout, job.input.missing) == ("wide", ("",))


def test_a_basket_file_by_format_needs_only_its_hierarchy(tmp_path: Path) -> None:
    text = """
        input = {source = "baskets.txt", format = "dat"}
        columns.items.hierarchy = "tree.csv"
        privacy = {model = "km", k = 2, m = inf}
    """
    job = read_job(job_file(tmp_path, text))
    assert job.columns == (Column("items", "items", separator=" ", hierarchy=tmp_path / "tree.csv"),)
    assert job.promise.m == math.inf


@pytest.mark.parametrize(
    ("url", "resolved"),
    [
        ("sqlite:///visits.db", "sqlite:///{folder}/visits.db"),
        ("sqlite:////srv/visits.db", "sqlite:////srv/visits.db"),
        ("sqlite:///:memory:", "sqlite:///:memory:"),
        ("postgresql+psycopg://me@host/visits", "postgresql+psycopg://me@host/visits"),
    ],
)
def test_database_urls(tmp_path: Path, url: str, resolved: str) -> None:
    text = GOOD.replace('"visits.csv"', f'"{url}"\ntable = "visits"')
    assert read_job(job_file(tmp_path, text)).input.source == resolved.format(folder=tmp_path)


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path: Path) -> None:
    expected = read_job(job_file(tmp_path, GOOD))
    path = tmp_path / "windows.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert read_job(path) == expected


def test_relative_job_paths_give_absolute_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job_file(tmp_path, GOOD)
    monkeypatch.chdir(tmp_path)
    assert read_job(Path("job.toml")).input.source == tmp_path / "visits.csv"


# Overrides


@pytest.mark.parametrize(
    ("override", "get", "value"),
    [
        ("privacy.k=10", lambda job: job.promise.k, 10),
        ("privacy.m = 3", lambda job: job.promise.m, 3),
        ("privacy.m=inf", lambda job: job.promise.m, math.inf),
        ("method.name=hghs", lambda job: job.method.name, "hghs"),
        ("method.name = hghs", lambda job: job.method.name, "hghs"),
        ('method.name="hghs"', lambda job: job.method.name, "hghs"),
        ("method.loss=height", lambda job: job.method.options["loss"], "height"),
        ('columns.products.separator=","', lambda job: job.columns[2].separator, ","),
        ("columns.products.separator=;", lambda job: job.columns[2].separator, ";"),
        ("columns.products.separator= ", lambda job: job.columns[2].separator, " "),
        ('columns."first name".role=plain', lambda job: job.columns[-1], Column("first name", "plain")),
        ("columns.first name.role=plain", lambda job: job.columns[-1], Column("first name", "plain")),
        ("columns.Größe.role=quasi", lambda job: job.columns[-1], Column("Größe", "quasi")),
        ("columns.a.b.role = quasi", lambda job: job.columns[-1], Column("a.b", "quasi")),
        ('input.missing=["-"]', lambda job: job.input.missing, ("-",)),
        ("output.directory=elsewhere", lambda job: job.output.directory.name, "elsewhere"),
        ("output.escape_formulas=true", lambda job: job.output.escape_formulas, True),
    ],
)
def test_overrides(tmp_path: Path, override: str, get: Any, value: object) -> None:
    assert get(read_job(job_file(tmp_path, GOOD), overrides=[override])) == value


def test_the_last_override_counts(tmp_path: Path) -> None:
    assert read_job(job_file(tmp_path, GOOD), overrides=["privacy.k=3", "privacy.k=4"]).promise.k == 4


@pytest.mark.parametrize("override", ["", "privacy.k", "=5", "[privacy]", "# k=1", "a b=c"])
def test_an_override_that_sets_nothing(tmp_path: Path, override: str) -> None:
    with pytest.raises(InputError, match="this sets no key\n  Write it like privacy"):
        read_job(job_file(tmp_path, GOOD), overrides=[override])


@pytest.mark.parametrize(
    ("override", "problem"),
    [
        ("privacy.k=five", "privacy.k is 'five'"),
        ("privcy.k=5", "privcy is not a key"),
        ("columns.age.rolle=plain", "columns.age.rolle is not a key"),
        ("columns.new.type=date", "columns.new has no role"),
        ("columns=3", "columns must be a table"),
        ("columns.age=3", "columns.age must be a table"),
    ],
)
def test_a_wrong_override_is_named_in_place_of_the_file(tmp_path: Path, override: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        read_job(job_file(tmp_path, GOOD), overrides=[override])
    assert str(caught.value).startswith(f"--set {override}: {problem}")


# Mistakes: what is replaced in the good job, by what; then the line named, the problem, and the way out.
MISTAKES = {
    "unknown table": ("[output]", "[ouput]", 32, "ouput is not a key", "Did you mean 'output'?"),
    "unknown key": (
        "hierarchy =",
        "hierachy =",
        14,
        "columns.products.hierachy",
        "Did you mean 'hierarchy'?",
    ),
    "unknown key of input": ("missing =", "mising =", 3, "input.mising", "Here you can use: source, query"),
    "unknown role": ('"quasi"', '"qausi"', 8, "columns.age.role is 'qausi'", "Did you mean 'quasi'?"),
    "unknown type": ('"number"', '"int"', 9, "one of number, category, date", 'type = "number"'),
    "unknown model": ('"km"', '"kmm"', 23, "privacy.model is 'kmm'", "Did you mean 'km'?"),
    "unknown parameter": ("k = 5", "k = 5\nl = 2", 25, "privacy.l is not a key", "k, m"),
    "unknown format": ('"csv.gz"', '"ods"', 34, "output.format is 'ods'", 'format = "csv"'),
    "unknown layout": ("missing", 'layout = "tall"\nmissing', 3, "one of wide, long", 'layout = "wide"'),
    "k as a word": ("k = 5", 'k = "five"', 24, "privacy.k is 'five'", "Set k = 2 or more"),
    "k below one": ("k = 5", "k = 0", 24, "privacy.k is 0", "Set k = 2 or more"),
    "k as a table": ("k = 5", "k.x = 5", 24, "privacy.k is {'x': 5}", "Set k = 2 or more"),
    "m below one": ('m = "inf"', "m = 0", 25, "privacy.m is 0", "Set m = 2 or more"),
    "k left out": ("k = 5\n", "", 22, "lacks k", "needs k, m"),
    "no model": ('model = "km"', "", 22, "privacy.model is missing", 'model = "km"'),
    "model is a list": ('"km"', '["km"]', 23, "privacy.model is ['km']", 'model = "km"'),
    "missing as a text": ('["", "NA", "?"]', '"NA"', 3, "a list of texts", 'missing = ["", "NA"]'),
    "missing not of texts": ('["", "NA", "?"]', "[-1]", 3, "a list of texts", 'missing = ["", "NA"]'),
    "weight as a text": ("weight = 2", 'weight = "2"', 10, "a number of at least 0", "weight = 1.0"),
    "weight is nan": ("weight = 2", "weight = nan", 10, "a number of at least 0", "weight = 1.0"),
    "empty separator": ('","', '""', 13, "columns.products.separator is ''", 'separator = " "'),
    "sensitive as a text": ('["G", "H"]', '"G"', 15, "a list of items", 'sensitive = ["G", "H"]'),
    "sensitive of a rating": ("sensitive = true", "sensitive = 1", 20, "true or false", "sensitive = true"),
    "scale upside down": ("[1, 5]", "[5, 1]", 18, "lowest and the highest", "scale = [1, 5]"),
    "step below zero": ("step = 0.5", "step = -0.5", 19, "a number above 0, or 0 for", "step = 1"),
    "seed as a text": ("seed = 7", 'seed = "x"', 30, "method.seed is 'x'", "seed = 7"),
    "an option of another method": ("loss =", "parts =", 29, "method.parts is not an option of 'mhghs'", "are: loss"),
    "an option that cannot be": ('"bits"', '"bytes"', 29, "it must be one of lm", "the loss that is kept low"),
    "a method for another promise": ("mhghs", "cahd", 28, "method.name is 'cahd'", "It makes: cahd"),
    "negative seed": ("seed = 7", "seed = -7", 30, "method.seed is -7", "seed = 7"),
    "long delimiter": ("missing", 'delimiter = "||"\nmissing', 3, "one character", 'delimiter = ";"'),
    "directory is a number": ('"../out"', "5", 33, "output.directory is 5", 'directory = "out"'),
    "separator on quasi": (
        "weight = 2",
        'separator = ","',
        10,
        "does not fit the role 'quasi'",
        "role items",
    ),
    "scale on items": (
        'separator = ","',
        "scale = [1, 2]",
        13,
        "does not fit the role 'items'",
        "role rating",
    ),
    "role left out": ('role = "quasi"\n', "", 7, "columns.age has no role", "Set role to one of identifier"),
    "source left out": ('source = "visits.csv"\n', "", 1, "input.source is missing", 'source = "visits.csv"'),
    "query of a file": ("missing", 'query = "select 1"\nmissing', 3, "is a file", "A file takes neither"),
    "a table for a value": (
        '"visits.csv"',
        "{a = 1}",
        2,
        "input.source is {'a': 1}",
        'source = "visits.csv"',
    ),
    "two person columns": (
        '"identifier"',
        '"person"\n[columns.id]\nrole = "person"',
        7,
        "columns.id is a second person column",
        "Keep one",
    ),
    "long without person": ("missing", 'layout = "long"\nmissing', None, "role 'person'", "[columns.NAME]"),
    "key twice": ("k = 5", "k = 5\nk = 6", 25, "this is not TOML: Cannot overwrite", "stand once"),
    "table twice": ("[output]", "[input]", 32, "this is not TOML: Cannot declare", "stand once"),
    "no quotes": ('"km"', "km", 23, "this is not TOML: Invalid value", "texts in quotes"),
    "huge number": ("k = 5", f"k = {'9' * 5000}", None, "this is not TOML: Exceeds the limit", "k = 5"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_names_file_line_key_and_what_to_do(tmp_path: Path, mistake: str) -> None:
    old, new, line, problem, hint = MISTAKES[mistake]
    assert old in GOOD
    path = job_file(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_job(path)
    assert (caught.value.file, caught.value.line, caught.value.exit_code) == (path, line, 2)
    assert problem in caught.value.problem
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "input.source is missing"),
        ('[input]\nsource = "a.csv"\n', "no column is described"),
        ('[input]\nsource = "a.dat"\n', "privacy.model is missing"),
        ('[input]\nsource = "a.dat"\n[columns.name]\nrole = "plain"\n', "one column 'items'"),
        (
            '[input]\nsource = "a.dat"\n[columns.items]\nrole = "plain"\n[privacy]\nmodel="km"\nk=1\nm=1',
            "needs a",
        ),
        ('[input]\nsource = "sqlite:///a.db"\n', "neither query nor table"),
        ('[input]\nsource = "sqlite:///a.db"\nquery = "q"\ntable = "t"\n', "has query and table"),
        ("input = 5", "input must be a table"),
        ("[[input]]", "input must be a table"),
        ("a = " + "[" * 5000, "this is not TOML"),
        ("a." * 50_000 + "a = 1", "a key is far too deep"),
        ("a = { " + "'b' . " * 500 + "c = 1 }", "a key is far too deep"),
        ("[" + "a." * 500 + "a]", "a key is far too deep"),
    ],
)
def test_jobs_that_lack_something(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_job(job_file(tmp_path, text))


def test_files_that_cannot_be_a_job(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file or directory\n  Check the path"):
        read_job(tmp_path / "none.toml")
    with pytest.raises(InputError, match="Is a directory"):
        read_job(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b"# one\n# caf\xe9\n")
    with pytest.raises(InputError, match=r"line 2: the job file is not UTF-8 text\n  Save it as UTF-8"):
        read_job(tmp_path / "latin.toml")


def test_lines_are_found_past_long_texts_inline_tables_and_quoted_names(tmp_path: Path) -> None:
    text = '''
[input]
source = "sqlite:///a.db"
query = """
[columns.x]
role = 5
"""
[columns]
"first name" = {role = "plain", weight = 1}
[privacy]
model = "km"
'''
    with pytest.raises(InputError, match=r'line 9: columns\."first name"\.weight does not fit'):
        read_job(job_file(tmp_path, text))


# Writing


def read_back(job: Job, folder: Path) -> Job:
    """The job as saved in a private directory and read from there."""
    private = folder / "release" / "private"
    private.mkdir(parents=True, exist_ok=True)
    return read_job(job_file(private, write_job(job)), for_any_method=True)


def test_the_job_as_run_has_every_default_and_reads_back(tmp_path: Path) -> None:
    text = GOOD.replace('name = "mhghs"\n', "").replace("seed = 7\n", "").replace('format = "csv.gz"\n', "")
    defaults = Method("best", seed=11, options={"loss": "lm", "bound": False})
    job = read_job(job_file(tmp_path, text)).filled(defaults, output_format="csv")
    assert job.method == Method("best", seed=11, options={"loss": "bits", "bound": False})
    assert read_back(job, tmp_path) == job

    saved = tomllib.loads(write_job(job))
    assert saved["input"] == {
        "source": str(tmp_path / "visits.csv"),
        "layout": "wide",
        "missing": ["", "NA", "?"],
    }
    assert saved["output"]["format"] == "csv"
    assert saved["columns"]["age"] == {"role": "quasi", "type": "number", "weight": 2.0, "missing": "value"}
    assert saved["privacy"] == {"model": "km", "k": 5, "m": "inf"}
    assert saved["method"] == {"name": "best", "seed": 11, "loss": "bits", "bound": False}
    assert saved["output"]["escape_formulas"] is False


def test_what_the_job_says_is_not_filled_over(tmp_path: Path) -> None:
    job = read_job(job_file(tmp_path, GOOD.replace("seed = 7", "seed = 0")))
    assert job.filled(Method("best", seed=1), output_format="tsv") == job


def test_a_blank_divides_items_where_nothing_is_said(tmp_path: Path) -> None:
    job = read_job(job_file(tmp_path, GOOD.replace('separator = ","\n', "")))
    assert [column.separator for column in job.columns_with("items")] == [None]
    filled = job.filled(Method("best", seed=1), output_format="tsv")
    assert [column.separator for column in filled.columns] == [None, None, " ", None]


texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=8)
paths = texts.map(lambda name: Path("/data") / name.replace("/", "_"))
weights = st.floats(0, 1e9)
items_columns = st.builds(
    Column,
    name=st.just("basket"),
    role=st.just("items"),
    separator=st.none() | texts,
    hierarchy=st.none() | paths,
    sensitive_items=st.lists(texts).map(tuple),
    weight=weights,
)
other_columns = st.one_of(
    st.builds(Column, name=texts, role=st.sampled_from(["identifier", "plain"])),
    st.builds(
        Column,
        name=texts,
        role=st.just("quasi"),
        type=st.sampled_from([None, "number", "category", "date"]),
        weight=weights,
        missing=st.sampled_from(["value", "suppress"]),
        hierarchy=st.none() | paths,
    ),
    st.builds(
        Column,
        name=texts,
        role=st.just("rating"),
        scale=st.none() | st.tuples(st.integers(-9, 0), st.floats(1, 9)),
        step=st.none() | st.floats(0.1, 1),
        sensitive=st.booleans(),
    ),
)
jobs = st.builds(
    Job,
    input=st.builds(
        Input,
        source=paths,
        format=st.none() | st.sampled_from(FORMATS).filter(lambda name: name != "dat"),
        delimiter=st.sampled_from([None, ",", "\t", "|", '"']),
        missing=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=3)).map(tuple),
    ).filter(lambda source: not source.is_dat),
    columns=st.tuples(items_columns, other_columns)
    .filter(lambda pair: pair[0].name != pair[1].name)
    .flatmap(st.permutations)
    .map(tuple),
    promise=st.builds(KmAnonymity, k=st.integers(1, 9), m=st.integers(1, 9) | st.just(math.inf)),
    method=st.builds(
        Method,
        name=st.none() | texts,
        seed=st.none() | st.integers(0, 2**63 - 1),
        options=st.dictionaries(
            texts.filter(lambda key: key not in ("name", "seed")),
            st.booleans() | st.integers(-9, 9) | texts | st.lists(st.lists(texts, max_size=2), max_size=2),
            max_size=2,
        ),
    ),
    output=st.builds(
        Output,
        directory=paths,
        format=st.none() | st.sampled_from([name for name in FORMATS if name not in NEVER_WRITTEN]),
        escape_formulas=st.booleans(),
    ),
)


@given(job=jobs)
def test_every_job_reads_back_as_it_was_written(tmp_path: Path, job: Job) -> None:
    assert read_back(job, tmp_path) == job


@pytest.mark.parametrize(
    ("written", "meant"),
    [("quasi-identifier", "quasi"), ("Quasi", "quasi"), ("sensitive attribute", "sensitive"), ("id", "identifier"),
     ("item", "items"), ("quasy", "quasi")],
)  # fmt: skip
def test_what_a_role_was_meant_to_be(tmp_path: Path, written: str, meant: str) -> None:
    file = tmp_path / "job.toml"
    file.write_text(f'[input]\nsource = "t.csv"\n[columns.x]\nrole = "{written}"\n[privacy]\nmodel = "k"\nk = 2\n')
    with pytest.raises(InputError) as caught:
        read_job(file)
    assert caught.value.line == 4
    assert caught.value.hint == f'Did you mean {meant!r}? Write for example: role = "{meant}"'


@pytest.mark.parametrize("path", [r"D:\Users\x.csv", r"D:\temp\x.csv", r"D:\new\x.csv"])
def test_a_path_with_backslashes(tmp_path: Path, path: str) -> None:
    file = tmp_path / "job.toml"
    file.write_text(f'[input]\nsource = "{path}"\n[columns.x]\nrole = "quasi"\n[privacy]\nmodel = "k"\nk = 2\n')
    with pytest.raises(InputError) as caught:
        read_job(file)
    assert caught.value.line == 2 and "in single quotes" in str(caught.value.hint)
    file.write_text(file.read_text().replace(f'"{path}"', f"'{path}'"))
    assert str(read_job(file).input.source).endswith("x.csv")
