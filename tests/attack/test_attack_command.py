"""`tacit attack`: on a release, on anybody's file, on the original; and what bad input gets."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

import tacit as package
from support.commands import tacit, write_job
from tacit import KAnonymity

AGES = [31, 31, 32, 33, 45, 45, 47, 48, 31, 32, 46, 47]


@pytest.fixture
def job(tmp_path: Path) -> Path:
    lines = [f"p{i},{age},{'fm'[i % 2]},{('flu', 'cold', 'pox')[i % 3]}" for i, age in enumerate(AGES)]
    (tmp_path / "in.csv").write_text("name,age,sex,ill\n" + "\n".join(lines) + "\n")
    roles = {"name": "identifier", "age": "quasi", "sex": "quasi", "ill": "sensitive"}
    columns = "".join(f"[columns.{name}]\nrole = '{role}'\n" for name, role in roles.items())
    (tmp_path / "job.toml").write_text(
        f"[input]\nsource = 'in.csv'\n{columns}[privacy]\nmodel = 'k'\nk = 3\n[output]\ndirectory = 'out'\n"
    )
    return tmp_path / "job.toml"


def by_name(found: dict, name: str) -> dict:
    return next(each for each in found["attacks"] if each["name"] == name)


def test_the_original_is_attacked_as_if_it_were_published(job: Path) -> None:
    found = json.loads(tacit("attack", job, "--json").out)
    one = by_name(found, "known-values")
    assert one["success"] == pytest.approx(found["risk"]["classes"] / 12) and one["bound"] is None
    assert found["risk"] == found["before"] and found["risk"]["prosecutor"]["highest"] == 1


def test_a_release_is_attacked_and_keeps_its_promise(job: Path) -> None:
    made = tacit("anonymize", job)
    assert made.code == 0
    saved = json.loads((job.parent / "out/private/attack.json").read_text())
    found = json.loads(tacit("attack", job, "--release", job.parent / "out", "--json").out)
    one = by_name(found, "known-values")
    assert one["success"] <= 1 / 3 + 1e-9 and one["bound"] == pytest.approx(1 / 3)
    assert one["before"]["success"] > one["success"] > 0 and one["interval"][0] <= one["success"] <= one["interval"][1]
    assert by_name(saved, "known-values")["success"] == one["success"]
    assert found["verdict"]["within_bounds"] is True
    assert found["risk"]["prosecutor"]["highest"] <= 1 / 3 < found["before"]["prosecutor"]["highest"]


def test_without_rows_candidates_are_counted(job: Path) -> None:
    tacit("anonymize", job, "--no-report")
    public = job.parent / "out/public/data.csv"
    with_rows = json.loads(
        tacit("attack", job, "--published", public, "--rows", job.parent / "out/private/rows.csv", "--json").out
    )
    without = json.loads(tacit("attack", job, "--published", public, "--json").out)
    assert by_name(with_rows, "known-values")["success"] == by_name(without, "known-values")["success"]


def test_no_attack_leaves_it_out(job: Path) -> None:
    assert tacit("anonymize", job, "--no-attack").code == 0
    assert not (job.parent / "out/private/attack.json").exists()


def test_the_known_columns_can_be_named(job: Path) -> None:
    found = json.loads(tacit("attack", job, "--known", "sex", "--json").out)
    assert by_name(found, "known-values")["success"] == pytest.approx(2 / 12)
    assert "1 columns: sex" in by_name(found, "known-values")["knows"]
    wrong = tacit("attack", job, "--known", "name")
    assert wrong.code == 2 and "--known" in wrong.err


def test_control_people_are_attacked_too(job: Path) -> None:
    """Nobody of the control has an age of the file."""
    (job.parent / "control.csv").write_text("name,age,sex,ill\nx,90,f,flu\ny,91,m,flu\n")
    one = by_name(
        json.loads(tacit("attack", job, "--control", job.parent / "control.csv", "--json").out), "known-values"
    )
    assert (one["control"], one["residual"]) == (0, one["success"]) and one["over_control"][0] > 0


def test_witnesses_are_rows_for_the_owner(job: Path) -> None:
    tacit("anonymize", job, "--set", "privacy.k=1", "--no-report")
    done = tacit("attack", job, "--release", job.parent / "out", "--witnesses")
    file = job.parent / "out/private/witnesses.csv"
    rows = [line for line in file.read_text().splitlines() if line.startswith("known-values")]
    assert {int(line.rsplit(",", 1)[1]) for line in rows} >= {3, 7} and file.stat().st_mode & 0o077 == 0
    assert "p3" not in file.read_text() + done.out
    assert tacit("attack", job, "--witnesses").code == 2
    assert tacit("anonymize", job, "--force", "--no-report").code == 0, "it is a file of ours"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda d: (d / "out/public/data.csv").write_text("age,sex,ill\n*,*,flu\n"), "changed after it was audited"),
        (lambda d: (d / "out/private/rows.csv").unlink(), "no private/rows.csv"),
        (lambda d: (d / "out/private/audit.json").unlink(), "no private/audit.json"),
        (lambda d: (d / "in.csv").write_text((d / "in.csv").read_text() + "p9,31,f,flu\n"), "other data"),
        (lambda d: (d / "in.csv").unlink(), "in.csv"),
        (
            lambda d: (d / "job.toml").write_text((d / "job.toml").read_text().replace("'quasi'", "'sensitive'", 1)),
            "does not belong",
        ),
    ],
)
def test_what_does_not_fit_is_refused(job: Path, change: object, told: str) -> None:
    tacit("anonymize", job, "--no-report")
    change(job.parent)  # type: ignore[operator]
    done = tacit("attack", job, "--release", job.parent / "out")
    assert done.code == 2 and told in done.err and "Traceback" not in done.err


def test_a_changed_file_is_noticed_if_no_attack_was_ever_played(job: Path) -> None:
    tacit("anonymize", job, "--no-report", "--no-attack")
    public = job.parent / "out/public/data.csv"
    public.write_text("".join(public.read_text().splitlines(keepends=True)[:-1]) + "*,*,flu\n")
    done = tacit("attack", job, "--release", job.parent / "out")
    assert done.code == 2 and "changed after it was audited" in done.err


def test_rows_of_an_original_that_became_shorter(job: Path) -> None:
    """No attack was played, so that nothing says which data the release was made from."""
    tacit("anonymize", job, "--no-report", "--no-attack")
    original = job.parent / "in.csv"
    original.write_text("".join(original.read_text().splitlines(keepends=True)[:-1]))
    done = tacit("attack", job, "--release", job.parent / "out", "--quick")
    assert done.code == 2 and "rows.csv: this names records that the original does not have" in done.err


def test_the_original_is_compared_with_a_reference_file_too(job: Path) -> None:
    found = json.loads(tacit("attack", job, "--reference", job.parent / "in.csv", "--quick", "--json").out)
    assert found["risk"]["k_map"] == 1 and found["risk"]["delta_presence"] == [1, 1]


def test_options_that_contradict_each_other(job: Path) -> None:
    for words, told in (
        (("--release", "a", "--published", "b"), "two things to attack: give one"),
        (("--rows", "a"), "give --published, too"),
        (("--witnesses",), "give --release"),
        (("--earlier", "a"), "give --release or --published, too"),
        (("--known", " , "), "names no column"),
        (("--release", job.parent), "not a release of tacit"),
        (("--page", job.parent / "no/page.html"), "the page cannot be written there"),
    ):
        done = tacit("attack", job, *words)
        assert done.code == 2 and told in done.err, done.err


@pytest.mark.parametrize("option", ["--control", "--reference"])
def test_other_people_lack_a_column(job: Path, option: str) -> None:
    """The message names their file, not the original."""
    (job.parent / "others.csv").write_text("name,age\nz,30\n")
    done = tacit("attack", job, option, job.parent / "others.csv")
    assert done.code == 2 and "others.csv, column 'sex'" in done.err and "in.csv" not in done.err


def test_the_same_seed_gives_the_same_figures(job: Path) -> None:
    one, two = (tacit("attack", job, "--json", "--seed", 3).out for _ in range(2))
    assert one == two


def test_python_gives_what_the_file_holds(job: Path) -> None:
    table = pa_csv.read_csv(job.parent / "in.csv")
    made = package.anonymize(table, KAnonymity(k=3), quasi=["age", "sex"], sensitive="ill", seed=1)
    found = package.attack(table, made.data, KAnonymity(k=3), quasi=["age", "sex"], sensitive="ill", rows=made.original)
    assert set(found) >= {"risk", "before", "attacks", "verdict"} and not found.above()
    with pytest.raises(package.InputError, match="is no attacker"):
        package.attack(table, None, KAnonymity(k=3), quasi="age", attackers="nobody")
    assert isinstance(table, pa.Table)


def test_witnesses_of_a_release_with_people_held_out_are_rows_of_the_input(job: Path) -> None:
    tacit("anonymize", job, "--set", "privacy.k=1", "--no-report", "--attack-control", 0.3)
    assert tacit("attack", job, "--release", job.parent / "out", "--witnesses").code == 0
    private = job.parent / "out/private"
    published = {line.split(",")[1] for line in (private / "rows.csv").read_text().splitlines()[1:]}
    found = {line.rsplit(",", 1)[1] for line in (private / "witnesses.csv").read_text().splitlines()[1:]}
    assert found == published and len(found) == 8  # all of them are alone by all that is published


def test_witnesses_in_a_long_layout_are_the_persons_ids(tmp_path: Path) -> None:
    lines = [f"u{9 - person};{item}" for person in range(6) for item in (f"only{person}", "bread")]
    (tmp_path / "in.csv").write_text("who;item\n" + "\n".join(lines) + "\n")
    job = tmp_path / "job.toml"
    job.write_text(
        "[input]\nsource = 'in.csv'\nlayout = 'long'\n[columns.who]\nrole = 'person'\n[columns.item]\nrole = 'items'\n"
        "[privacy]\nmodel = 'km'\nk = 1\nm = 1\n[output]\ndirectory = 'out'\n"
    )
    done = tacit("anonymize", job, "--no-report", "--attack-control", 0.34)
    assert done.code == 0, done.err
    assert tacit("attack", job, "--release", tmp_path / "out", "--witnesses").code == 0
    private = tmp_path / "out/private"
    published = {line.split(",")[1] for line in (private / "rows.csv").read_text().splitlines()[1:]}
    found = {line.rsplit(",", 1)[1] for line in (private / "witnesses.csv").read_text().splitlines()[1:]}
    assert found == published and len(found) == 4


def test_people_of_one_household_are_held_out_together(job: Path) -> None:
    house = ["a", "a", "b", "b", "e", "f", "g", "h", "c", "c", "d", "d"]
    lines = (job.parent / "in.csv").read_text().splitlines()
    told = [f"{line},{name}" for line, name in zip(lines, ["house", *house], strict=True)]
    (job.parent / "in.csv").write_text("\n".join(told) + "\n")
    job.write_text(job.read_text() + "[columns.house]\nrole = 'household'\n")
    seen = set()
    for turn in range(4):
        out = job.parent / f"out{turn}"
        done = tacit("anonymize", job, "--no-report", "--attack-control", 0.25, "-o", out)
        assert done.code == 0, done.err
        rows = [int(line.split(",")[1]) for line in (out / "private/rows.csv").read_text().splitlines()[1:]]
        away = [house[row] for row in sorted(set(range(12)) - set(rows))]
        assert all(away.count(name) == house.count(name) for name in away) and len(set(away)) == 2  # of eight
        seen.add(tuple(away))
    assert len(seen) > 1


def test_false_values_are_not_told_from_people_who_are_not_in_the_file(job: Path) -> None:
    tacit("anonymize", job, "--no-report", "--attack-control", 0.25)
    out = job.parent / "out"
    unknown = by_name(
        json.loads(tacit("attack", job, "--published", out / "public/data.csv", "--json").out), "false-values"
    )
    assert unknown["success"] is None and "--rows" in unknown["why"]
    known = by_name(json.loads(tacit("attack", job, "--release", out, "--json").out), "false-values")
    assert known["success"] == 0


def test_a_population_that_is_smaller_than_the_file(job: Path) -> None:
    job.write_text(job.read_text().replace("[input]\n", "[input]\npopulation = 11\n"))
    for command in (("attack", job), ("anonymize", job), ("anonymize", job, "--no-attack")):
        refused = tacit(*command)
        assert refused.code == 2 and "population is 11, but the file has 12 records" in refused.err
    assert not (job.parent / "out").exists()
    job.write_text(job.read_text().replace("population = 11", "population = 12"))
    assert tacit("anonymize", job, "--no-report", "--no-attack").code == 0


@pytest.mark.parametrize(
    ("roles", "people", "told"),
    [
        ({"who": "person", "home": "household"}, 20, "20 people"),
        ({"who": "person", "home": "identifier"}, 20, "20 people"),
        ({"who": "identifier", "home": "household"}, 40, "40 records"),
    ],
)
def test_a_population_is_of_persons_also_where_households_are_counted(
    tmp_path: Path, roles: dict[str, str], people: int, told: str
) -> None:
    rows = [f"{20 + row % 4},p{row % 20},h{row % 5}" for row in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["age,who,home", *rows, ""]))
    columns = "".join(f'[columns.{name}]\nrole = "{role}"\n' for name, role in {"age": "quasi", **roles}.items())
    text = f'[input]\nsource = "t.csv"\npopulation = {{}}\n{columns}[privacy]\nmodel = "k"\nk = 2\n'
    job = write_job(tmp_path, text.format(people - 1))
    refused = tacit("anonymize", job, "--no-attack", "--no-report")
    assert refused.code == 2 and f"population is {people - 1}, but the file has {told}" in refused.err
    assert tacit("anonymize", write_job(tmp_path, text.format(people)), "--no-attack", "--no-report").code == 0
