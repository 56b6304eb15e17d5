"""Every method of baskets from the outside: the paper's figure, all layouts, the commands, and what bad input gets."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as api
from support.cases import RUNNING_EXAMPLE, running_taxonomy
from support.commands import Outcome, read_csv, tacit, write_csv, write_job
from tacit import Cahd, Coherence, KmAnonymity, LmDiversity, Release, TransactionalK
from tacit.promises import Promise

# --- Fig. 1(a) of Liu & Wang (2010) ---


def in_order(made: Release) -> list[str]:
    """The published baskets in the order of the original ones, each as a word."""
    words = dict(zip(made.original.tolist(), made.data["t"].to_pylist(), strict=True))
    return ["".join(sorted(words[row])) for row in range(len(words))]


@pytest.mark.parametrize(
    ("promise", "method", "column"),
    [
        (TransactionalK(2), "partition", ["T", "Pfg", "KMf", "KMf", "Pfg", "T", "T", "T"]),
        (KmAnonymity(2, math.inf), "apriori", ["T"] * 8),
        (KmAnonymity(2, math.inf), "suppression", ["d", "afg", "df", "df", "afg", "e", "e", ""]),
        (KmAnonymity(2, math.inf), "hghs", ["P", "Pfg", "MPf", "MPf", "Pfg", "e", "e", ""]),
    ],
    ids=["local generalization", "global generalization", "suppression", "generalization with suppression"],
)
def test_figure_1(promise: Promise, method: str, column: list[str]) -> None:
    frame = pa.table({"t": [list(basket) for basket in RUNNING_EXAMPLE]})
    made = api.anonymize(frame, promise, items="t", hierarchy=running_taxonomy(), method=method, seed=1)
    assert in_order(made) == column
    assert made.audit.satisfied


@pytest.mark.parametrize("m", [1, 2, math.inf])
def test_no_bound_is_above_the_loss(m: int | float) -> None:
    """Not even by rounding: both are the floats nearest to ratios of whole numbers, and here they are the same."""
    frame = pa.table({"t": [list(basket) for basket in RUNNING_EXAMPLE]})
    made = api.anonymize(frame, KmAnonymity(2, m), items="t", hierarchy=running_taxonomy(), method="best", sets=False)
    assert made.utility["ncp_lower_bound"] == made.utility["ncp"]


def test_k_infinity_is_coherence_with_nothing_sensitive() -> None:
    """The paper: k^m-anonymity is the special case h = 100 % and p = m."""
    frame = pa.table({"t": [[*basket, "?"] for basket in RUNNING_EXAMPLE]})
    made = api.anonymize(frame, Coherence(1, 2, 5), items="t", sensitive_items=["?"], hierarchy=running_taxonomy())
    assert in_order(made) == ["?d", "?afg", "?df", "?df", "?afg", "?e", "?e", "?"]


# --- a clinic, in every layout ---

HIERARCHY = """\
flu,airways,*
cold,airways,*
asthma,airways,*
burn,skin,*
rash,skin,*
"""
VISITS = ["flu cold", "flu", "cold HIV", "flu asthma", "", "burn rash", "rash", "burn HIV", "flu cold", "rash", "burn"]
SEVERAL = [
    ("apriori", 'model = "lm"\nl = 2\nm = 2'), ("vpa", 'model = "lm"\nl = 2\nm = 2'),
    ("lra", 'model = "lm"\nl = 2\nm = 2'), ("lra", 'model = "km"\nk = 2\nm = 2'),
    ("coat", 'model = "km"\nk = 2\nm = 2'), ("pcta", 'model = "km"\nk = 2\nm = 2'),
    ("suppression", 'model = "coherence"\nh = 0.5\nk = 2\np = 2'),
    ("partition", 'model = "transactional-k"\nk = 2'), ("cahd", 'model = "cahd"\np = 3'),
]  # fmt: skip


def clinic(folder: Path, layout: str, privacy: str, method: str, more: str = "", sensitive: str = '["HIV"]') -> Path:
    """A job on the clinic's data in some layout; gives the job file."""
    (folder / "h.csv").write_text(HIERARCHY)
    column, source = "visits", "v.csv"
    if layout == "dat":
        column, source = "items", "v.dat"
        (folder / source).write_text("".join(f"{basket}\n" for basket in VISITS))
    elif layout == "lists":
        source = "v.parquet"
        pq.write_table(pa.table({"id": range(len(VISITS)), "visits": [b.split() for b in VISITS]}), folder / source)
    elif layout == "long":
        rows = [{"id": f"P{i}", "visits": item} for i, b in enumerate(VISITS) for item in b.split() or [""]]
        write_csv(folder / source, rows)
    elif layout == "commas":
        write_csv(folder / source, [{"id": str(i), "visits": b.replace(" ", ",")} for i, b in enumerate(VISITS)])
    else:
        write_csv(folder / source, [{"id": str(i), "visits": b, "town": f"T{i}"} for i, b in enumerate(VISITS)])
    separator = {"commas": 'separator = ","\n'}.get(layout, "")
    person = '[columns.id]\nrole = "person"\n' if layout == "long" else ""
    plain = '[columns.town]\nrole = "plain"\n' if layout == "text" else ""
    return write_job(
        folder,
        f'[input]\nsource = "{source}"\n' + ('layout = "long"\n' if layout == "long" else "")
        + f'{person}{plain}[columns.{column}]\nrole = "items"\nhierarchy = "h.csv"\nsensitive = {sensitive}\n'
        + f'{separator}[privacy]\n{privacy}\n[method]\nname = "{method}"\nseed = 3\n{more}',
    )  # fmt: skip


def published(folder: Path) -> list[list[str]]:
    """The published baskets, whatever the layout, each sorted."""
    (file,) = (folder / "out" / "public").glob("data.*")
    if file.suffix == ".parquet":
        return [sorted(basket) for basket in pq.read_table(file)["visits"].to_pylist()]
    if file.suffix == ".dat":
        return [sorted(line.split()) for line in file.read_text().splitlines()]
    rows = read_csv(file)
    if "id" in rows[0]:
        persons: dict[str, list[str]] = {}
        for row in rows:
            persons.setdefault(row["id"], []).extend([row["visits"]] if row["visits"] else [])
        return [sorted(basket) for basket in persons.values()]
    baskets = [row["visits"] if "visits" in row else row["items"] for row in rows]
    return [sorted(filter(None, basket.replace(",", " ").split(" "))) for basket in baskets]


ALWAYS = [(method, privacy, "text") for method, privacy in SEVERAL]
ALWAYS += [(*SEVERAL[n % len(SEVERAL)], layout) for n, layout in enumerate(["lists", "long", "dat", "commas"] * 2)]
ALWAYS += [(method, privacy, layout) for method, privacy in SEVERAL if method == "cahd" for layout in ("lists", "dat")]
"""Each method with one layout and each layout with two methods: what is read is encoded before a method sees it."""
EVERY_LAYOUT = [
    pytest.param(method, privacy, layout, marks=[] if (method, privacy, layout) in ALWAYS else pytest.mark.slow)
    for method, privacy in SEVERAL
    for layout in ("text", "lists", "long", "dat", "commas")
]


@pytest.mark.parametrize(("method", "privacy", "layout"), EVERY_LAYOUT)
def test_every_layout(tmp_path: Path, method: str, privacy: str, layout: str) -> None:
    job = clinic(tmp_path, layout, privacy, method)
    with_report = layout == "text"  # once is enough
    ended = tacit("anonymize", job, *["--no-report"] * (not with_report))
    assert ended.code == 0, ended.err
    baskets = published(tmp_path)
    assert len(baskets) == len(VISITS)
    assert sum("HIV" in basket for basket in baskets) == 2, "sensitive items are published as they are"
    (file,) = (tmp_path / "out" / "public").glob("data.*")
    audited = tacit("audit", job, file, "--original")
    assert audited.code == 0, audited.out + audited.err
    note = (tmp_path / "out" / "public" / "README.md").read_text()
    report = (tmp_path / "out" / "private" / "report.html").read_text() if with_report else None
    if method == "cahd":
        assert "- `group`: records with the same number are a group" in note
        assert report is None or "How the records were put together" in report
        assert file.suffix == {"lists": ".parquet"}.get(layout, ".csv")
        assert ("as CSV because a .dat file has no room" in ended.err) == (layout == "dat")
    elif method in ("lra", "partition"):
        assert "shown as itself in one record and as a group in another" in note
        assert report is None or "How the records were put together" in report
    else:
        assert "counts of what is shown are true counts" in note
    job_as_run = tmp_path / "out" / "private" / "job.toml"
    assert tacit("audit", job_as_run, file, "--original").code == 0


@pytest.mark.parametrize(("method", "privacy"), SEVERAL)
def test_the_job_as_run_makes_the_same_release(tmp_path: Path, method: str, privacy: str) -> None:
    job = clinic(tmp_path, "text", privacy, method)
    assert tacit("anonymize", "--no-report", job).code == 0
    again = ("--key", tmp_path / "out/private/key", "-o", tmp_path / "again")
    assert tacit("anonymize", "--no-report", tmp_path / "out/private/job.toml", *again).code == 0
    for part in ("public/data.csv", "private/recoding.json", "private/rows.csv", "private/utility.json"):
        assert (tmp_path / "out" / part).read_bytes() == (tmp_path / "again" / part).read_bytes()


@pytest.mark.parametrize(("method", "privacy"), [case for case in SEVERAL if case[0] in ("lra", "partition", "cahd")])
def test_what_depends_on_its_records_is_not_applied_to_others(tmp_path: Path, method: str, privacy: str) -> None:
    job = clinic(tmp_path, "text", privacy, method)
    assert tacit("anonymize", "--no-report", job).code == 0
    ended = tacit("apply", tmp_path / "out", tmp_path / "v.csv", "-o", tmp_path / "next")
    assert ended.code == 2
    assert "depends on its own records and cannot be reused" in ended.err
    assert not (tmp_path / "next").exists()


@pytest.mark.parametrize(
    ("method", "privacy"), [case for case in SEVERAL if case[0] in ("coat", "pcta", "suppression")]
)
def test_what_is_the_same_everywhere_is_applied_to_others(tmp_path: Path, method: str, privacy: str) -> None:
    job = clinic(tmp_path, "text", privacy, method)
    assert tacit("anonymize", "--no-report", job).code == 0
    ended = tacit("apply", tmp_path / "out", tmp_path / "v.csv", "-o", tmp_path / "next")
    assert ended.code == 0, ended.err


def test_formulas_are_escaped_in_sets_and_groups(tmp_path: Path) -> None:
    write_csv(tmp_path / "v.csv", [{"v": b} for b in ("=a @b", "=a", "@b", "-s =a", "c", "+d", "c", "+d")])
    for method, privacy in (("coat", 'model = "km"\nk = 3\nm = 2'), ("cahd", 'model = "cahd"\np = 4')):
        job = write_job(
            tmp_path,
            f'[input]\nsource = "v.csv"\n[columns.v]\nrole = "items"\nsensitive = ["-s"]\n[privacy]\n{privacy}\n'
            f'[method]\nname = "{method}"\n[output]\nescape_formulas = true\n',
        )
        ended = tacit("anonymize", job, "--force")
        assert ended.code == 0, ended.err
        cells = [item for row in read_csv(tmp_path / "out" / "public" / "data.csv") for item in row["v"].split(" ")]
        assert "'-s" in cells
        assert not [item for item in cells if item and item[0] in "=+-@"]
        assert tacit("audit", job, tmp_path / "out" / "public" / "data.csv", "--original").code == 0


def test_groups_when_a_column_is_called_group() -> None:
    frame = pa.table({"group": [["a", "s"], ["a"], ["b"], ["b"]], "town": [1, 2, 3, 4]})
    made = api.anonymize(frame, Cahd(2), items="group", plain="town", sensitive_items=["s"], seed=1)
    assert made.data.column_names == ["group", "town", "group~2"]
    asked = {"items": "group", "sensitive_items": ["s"]}
    assert api.audit(made.data, Cahd(2), **asked, allow_columns="town").satisfied
    assert not api.audit(made.data, Cahd(2), **asked).satisfied, "each town is one person's"
    without = made.data.drop_columns(["group~2"])
    with pytest.raises(api.InputError, match="no column of groups"):
        api.audit(without, Cahd(2), items="group", sensitive_items=["s"])


def test_names_of_sets_leave_nothing_in_doubt() -> None:
    """Items with commas and brackets in their names: another character stands between them."""
    frame = pa.table({"t": [["a,b"], ["(c"], ["d)"], ["a,b", "e e"], ["e e"], ["e e"]]})
    made = api.anonymize(frame, KmAnonymity(3, 2), items="t", method="pcta", seed=1)
    names = {name for basket in made.data["t"].to_pylist() for name in basket}
    assert any(name.startswith("((c;") or ";(c" in name for name in names), names
    assert made.audit.satisfied


# --- bad input, and promises out of reach ---


def ended_with(code: int, ended: Outcome, *texts: str) -> None:
    assert ended.code == code, ended.out + ended.err
    for text in texts:
        assert text in ended.err, ended.err


@pytest.mark.parametrize(
    ("privacy", "method", "more", "texts"),
    [
        ('model = "coherence"\nh = 1.5\nk = 2\np = 2', "suppression", "", ["privacy.h is 1.5", "between 0 and 1"]),
        ('model = "coherence"\nh = -0.1\nk = 2\np = 2', "suppression", "", ["privacy.h is -0.1"]),
        ('model = "coherence"\nh = 0.5\nk = 2\np = 0', "suppression", "", ["privacy.p is 0", "at least 1"]),
        ('model = "coherence"\nh = 0.5\nk = 2', "suppression", "", ["lacks p"]),
        ('model = "cahd"\np = 0', "cahd", "", ["privacy.p is 0"]),
        ('model = "cahd"\np = 2', "cahd", "alpha = 0", ["method.alpha is 0", "at least 1"]),
        ('model = "lm"\nl = 1\nm = 2', "apriori", "", ["privacy.l is 1", "above 1"]),
        ('model = "lm"\nl = 2\nm = 0', "apriori", "", ["privacy.m is 0"]),
        ('model = "lm"\nl = 2\nm = 2', "best", "", ["job.toml, line", "'best', which does not make 'lm'"]),
        ('model = "km"\nk = 2\nm = 2', "cahd", "", ["'cahd', which does not make 'km'", "It makes: cahd"]),
        ('model = "km"\nk = 2\nm = 2', "coat", 'loss = "lm"', ["method.loss is not an option of 'coat'"]),
        ('model = "km"\nk = 2\nm = 2', "coat", "constraints = 3", ["method.constraints is 3", "the path of a file"]),
        ('model = "km"\nk = 2\nm = 2', "pcta", 'constraints = "no.toml"', ["cannot read the constraints file"]),
        ('model = "km"\nk = 2\nm = 2', "lra", "partition_size = 0", ["method.partition_size is 0"]),
        ('model = "km"\nk = 2\nm = 2', "vpa", 'parts = "8"', ["method.parts is '8'"]),
        ('model = "transactional-k"\nk = 0', "partition", "", ["privacy.k is 0"]),
    ],
)
def test_bad_parameters(tmp_path: Path, privacy: str, method: str, more: str, texts: list[str]) -> None:
    ended_with(2, tacit("anonymize", clinic(tmp_path, "text", privacy, method, more)), *texts)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("privacy", [case[1] for case in SEVERAL if "km" not in case[1] and "trans" not in case[1]])
def test_sensitive_items_must_be_declared_and_there(tmp_path: Path, privacy: str) -> None:
    method = next(name for name, each in SEVERAL if each == privacy)
    job = clinic(tmp_path, "text", privacy, method, sensitive="[]")
    ended_with(2, tacit("anonymize", job), "about sensitive items, and none is declared")
    ended_with(2, tacit("audit", job, tmp_path / "v.csv"), "about sensitive items, and none is declared")
    job = clinic(tmp_path, "text", privacy, method, sensitive='["HIV", "hi-v"]')
    ended_with(2, tacit("anonymize", job), "`sensitive` lists 'hi-v', which no basket holds")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("privacy", "method", "reach", "texts"),
    [
        ('model = "lm"\nl = 6\nm = 1', "apriori", "l=5", ["'HIV' is in 2 of 11 baskets", "ℓ = 5 could be reached"]),
        ('model = "lm"\nl = 6\nm = 1', "lra", "l=5", ["ℓ = 5 could be reached"]),
        ('model = "lm"\nl = 6\nm = 1', "vpa", "l=5", ["ℓ = 5 could be reached"]),
        ('model = "cahd"\np = 6', "cahd", "p=5", ["'HIV' is in 2 of 11 baskets", "p = 5 could be reached"]),
        ('model = "coherence"\nh = 0.5\nk = 6\np = 2', "suppression", "k=4", ["k = 4 for h = 0.5 could be reached"]),
        ('model = "coherence"\nh = 0.5\nk = 11\np = 2', "suppression", "k=4", ["k = 4 for h = 0.5 could be reached"]),
        ('model = "transactional-k"\nk = 11', "partition", "k=5", ["only 10 of 11 baskets", "k = 5 could be reached"]),
        ('model = "km"\nk = 11\nm = 1', "lra", "k=10", ["k = 10 could be reached"]),
        ('model = "km"\nk = 11\nm = 1', "coat", "k=10", ["k = 10 could be reached"]),
        ('model = "km"\nk = 6\nm = 1', "suppression", "k=4", ["k = 4 could be reached", "method that generalizes"]),
        ('model = "km"\nk = 11\nm = 1', "suppression", "k=4", ["k = 4 could be reached", "or k = 10 by the method"]),
    ],
)
def test_out_of_reach(tmp_path: Path, privacy: str, method: str, reach: str, texts: list[str]) -> None:
    """What the message says could be reached can be."""
    job = clinic(tmp_path, "text", privacy, method)
    ended_with(3, tacit("anonymize", job), *texts, "Nothing was published")
    assert not (tmp_path / "out").exists()
    assert tacit("anonymize", job, "--set", f"privacy.{reach}", "--no-report").code == 0


def test_the_diversity_that_could_be_reached_is_that_of_baskets_with_public_items() -> None:
    frame = pa.table({"t": [["a", "s"], ["b"], []]})
    for method in ("apriori", "vpa", "lra"):
        with pytest.raises(api.PromiseError, match="ℓ = 2 could be reached"):
            api.anonymize(frame, LmDiversity(4, 1), items="t", sensitive_items=["s"], method=method)
        assert api.anonymize(frame, LmDiversity(2, 1), items="t", sensitive_items=["s"], method=method).audit.satisfied


def test_what_equal_parts_could_reach_is_told_of_one_column_alone() -> None:
    frame = pa.table({"t": [["a"], ["a", "b"], ["b"]], "u": [["x"], [], ["y"]]})
    with pytest.raises(api.PromiseError, match="k = 3 could be reached"):
        api.anonymize(frame, TransactionalK(4), items="t", method="partition")
    with pytest.raises(api.PromiseError, match="No method can reach more than k = 3"):
        api.anonymize(frame, TransactionalK(4), items=["t", "u"], method="partition")


def test_coherence_says_what_could_be_reached() -> None:
    frame = pa.table({"t": [["a", "s"], ["a"], ["a"], ["b"], ["b"]]})

    def make(h: float, k: int) -> Release:
        return api.anonymize(frame, Coherence(h, k, 2), items="t", sensitive_items=["s"])

    with pytest.raises(api.PromiseError, match=r"k = 2 for h = 0\.2 or h = 0\.334 for k = 3 could be reached"):
        make(0.2, 3)
    with pytest.raises(api.PromiseError, match=r"h = 0\.2 could be reached"):
        make(0, 2)
    assert make(0.2, 2).audit.satisfied and make(0.334, 3).audit.satisfied


def test_the_empty_baskets_of_transactional_k(tmp_path: Path) -> None:
    """One empty basket needs an equal: somebody loses all items, or the promise is out of reach."""
    job = clinic(tmp_path, "text", 'model = "transactional-k"\nk = 2', "partition")
    assert tacit("anonymize", "--no-report", job).code == 0
    public = [[item for item in basket if item != "HIV"] for basket in published(tmp_path)]
    assert public.count([]) >= 2
    ended = tacit("anonymize", "--no-report", job, "--set", "privacy.k=6", "--force")
    ended_with(3, ended, "too few for every one", "Set k to 5 at most")


@pytest.mark.parametrize("method", ["coat", "pcta"])
def test_constraints(tmp_path: Path, method: str) -> None:
    privacy = 'model = "km"\nk = 3\nm = 2'
    job = clinic(tmp_path, "text", privacy, method, 'constraints = "c.toml"')

    def ended(text: str) -> Outcome:
        (tmp_path / "c.toml").write_text(text)
        return tacit("anonymize", job, "--force")

    assert ended('utility = [["flu", "cold", "asthma"], ["burn", "rash"]]\n').code == 0
    names = {name for row in read_csv(tmp_path / "out" / "public" / "data.csv") for name in row["visits"].split(" ")}
    for name in names:
        held = set(name.strip("()").split(","))
        assert held <= {"flu", "cold", "asthma"} or held <= {"burn", "rash"} or held <= {"HIV", ""}
    as_run = (tmp_path / "out" / "private" / "job.toml").read_text()
    assert str(tmp_path / "c.toml") in as_run, "the job as run finds the file from wherever it lies"

    ended_with(2, ended('utility = [["flu"], ["flu"]]\n'), "c.toml", "in utility constraints 1 and 2")
    ended_with(2, ended('privacy = [["gout"]]\n'), "names item 'gout', which is not in the data")
    ended_with(2, ended("wishes = []\n"), "c.toml, line 1", "unknown key 'wishes'")
    ended_with(2, ended("utility = [\n"), "cannot read the constraints file")
    contradiction = 'privacy = [["asthma"]]\nutility = []\nmax_suppressed = 0\n'
    ended_with(2, ended(contradiction), "contradicts the utility constraints")
    ended_with(3, ended("utility = []\nmax_suppressed = 0.1\n"), "items had to be suppressed", "max_suppressed = ")


@pytest.mark.parametrize("method", ["coat", "pcta"])
def test_sets_stay_within_their_column(tmp_path: Path, method: str) -> None:
    frame = pa.table({"x": [["a"], ["b"], ["a"], [], []], "y": [["c"], [], ["d"], ["c"], ["d"]]})
    made = api.anonymize(frame, KmAnonymity(3, 1), items=["x", "y"], method=method, seed=1)
    assert {name for basket in made.data["x"].to_pylist() for name in basket} == {"(a,b)"}
    assert {name for basket in made.data["y"].to_pylist() for name in basket} == {"(c,d)"}
    file = tmp_path / "c.toml"
    file.write_text('utility = [["x:a", "y:c"]]\n')
    with pytest.raises(api.InputError, match="has items of the columns 'x' and 'y', which cannot be one set"):
        api.anonymize(frame, KmAnonymity(3, 1), items=["x", "y"], method=method, constraints=str(file))
    file.write_text('utility = [["x:a", "x:b"], ["y:c", "y:d"]]\n')
    assert api.anonymize(frame, KmAnonymity(3, 1), items=["x", "y"], method=method, constraints=file).audit.satisfied


HUGE = 10**30


@pytest.mark.parametrize(
    ("promise", "methods"),
    [
        (KmAnonymity(HUGE, HUGE), ("apriori", "vpa", "lra", "suppression", "coat", "pcta", "mhghs")),
        (LmDiversity(1e300, HUGE), ("apriori", "vpa", "lra")),
        (Coherence(0.5, HUGE, HUGE), ("suppression",)),
        (TransactionalK(HUGE), ("partition",)),
        (Cahd(HUGE), ("cahd",)),
    ],
)
def test_numbers_beyond_what_the_machine_counts(promise: Promise, methods: tuple[str, ...]) -> None:
    lists = pa.list_(pa.string())
    for method in methods:
        nothing = pa.table({"t": pa.array([], lists)})
        assert api.anonymize(nothing, promise, items="t", sensitive_items=["s"], method=method).audit.satisfied
        some = pa.table({"t": pa.array([["a", "s"], ["a"]], lists), "group": [1, 1]})
        with pytest.raises(api.PromiseError):
            api.anonymize(some, promise, items="t", sensitive_items=["s"], method=method)
        assert not api.audit(some, promise, items="t", sensitive_items=["s"]).satisfied


def test_violations_in_words(tmp_path: Path) -> None:
    """The audit of raw data says what is wrong with it, for every promise."""
    (tmp_path / "v.csv").write_text("visits,group\nflu HIV,1\nflu,1\nburn HIV,2\nrash,1\n")
    wanted = {
        "lm": ("l = 3\nm = 1", "{burn}: 1 of 1 baskets hold HIV"),
        "coherence": ("h = 0.5\nk = 1\np = 1", "{burn}: 1 basket, HIV in 1 of them"),
        "transactional-k": ("k = 2", "{burn}: 1 basket"),
        "cahd": ("p = 2", "{HIV}: 1 of 1 baskets of group 2"),
    }
    for model, (parameters, text) in wanted.items():
        job = write_job(
            tmp_path,
            '[input]\nsource = "v.csv"\n[columns.visits]\nrole = "items"\nsensitive = ["HIV"]\n'
            f'[privacy]\nmodel = "{model}"\n{parameters}\n',
        )
        ended = tacit("audit", job, tmp_path / "v.csv")
        assert (ended.code, text in ended.out) == (1, True), ended.out
        found = tacit("audit", job, tmp_path / "v.csv", "--json").json()
        assert found["satisfied"] is False
        assert found["violations"] and found["model"] == model


def test_methods_lists_every_method() -> None:
    listed = {row["method"]: row for row in tacit("methods", "--json").json()["methods"]}
    assert listed["lra"]["models"] == ["km", "lm"]
    assert listed["coat"]["options"].keys() == {"constraints"}


def test_weights_of_items_spare_what_matters() -> None:
    """Either of two items can go; the one that matters stays."""
    frame = pa.table({"t": [["a", "b", "s"], ["a"], ["b"], ["a"], ["b"]]})
    for weights, kept in (({"a": 9}, {"a", "s"}), ({"b": 9}, {"b", "s"})):
        made = api.anonymize(
            frame, Coherence(0.4, 2, 2), items="t", sensitive_items=["s"], item_weights=weights, seed=1
        )
        assert {name for basket in made.data["t"].to_pylist() for name in basket} == kept
    with pytest.raises(api.InputError, match="item_weights names 'z', which no basket holds"):
        api.anonymize(frame, Coherence(0.4, 2, 2), items="t", sensitive_items=["s"], item_weights={"z": 2})


def test_the_measures_of_every_kind_of_recoding() -> None:
    """Eight baskets, 23 occurrences, 11 leaves: what is lost can be counted by hand."""
    frame = pa.table({"t": [list(basket) for basket in RUNNING_EXAMPLE]})
    tree = running_taxonomy()
    local = api.anonymize(frame, TransactionalK(2), items="t", hierarchy=tree, seed=1)
    # bcd, ei, e, i as T; a and abc as P; d, cd as K; x and yz as M
    assert local.utility["ncp"] == pytest.approx((7 * 1 + 4 * 0.3 + 3 * 0.1 + 3 * 0.2) / 23)
    assert local.utility["unchanged"] == pytest.approx(6 / 23)
    sets = api.anonymize(frame, KmAnonymity(2, 2), items="t", hierarchy=tree, method="coat", seed=1)
    becomes = sets.recoding.columns["t"].becomes
    loss = [becomes[item].count(",") / 10 for basket in RUNNING_EXAMPLE for item in basket]
    assert sets.utility["ncp"] == pytest.approx(sum(loss) / 23)
    assert sets.utility["generalized"] == pytest.approx(sum(each > 0 for each in loss) / 23)
    groups = api.anonymize(frame, Cahd(2), items="t", sensitive_items=["e"], seed=1)
    assert (groups.utility["ncp"], groups.utility["unchanged"]) == (0, 1)
    assert 0 <= groups.utility["moved"] <= 2 / 23


def test_groups_when_an_identifier_is_called_group() -> None:
    """An identifier is not published; a column of numbers of groups that bears its name would look like it."""
    frame = pa.table({"items": [["a", "s"], ["a"], ["b"], ["b"]], "group": [1, 2, 3, 4]})
    made = api.anonymize(frame, Cahd(2), items="items", identifier="group", sensitive_items=["s"], seed=1)
    assert made.data.column_names == ["items", "group~2"]
