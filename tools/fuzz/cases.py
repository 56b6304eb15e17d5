"""What is damaged and then run: each case is a folder of whole files, a command, and the files that it reads."""

from __future__ import annotations

import csv
import gzip
import io
import shutil
import sqlite3
from contextlib import closing, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from tacit.cli import TACIT
from tacit.commands.telling import Telling
from tacit.io import read_table

CORPUS = Path(__file__).parents[2] / "tests" / "corpus"


@dataclass(frozen=True)
class Case:
    """A command in a folder, and what may be damaged: one of these files, or with none its own words."""

    folder: str
    words: tuple[str, ...]
    damages: tuple[str, ...] = ()


def _anonymize(folder: str, job: str, *damages: str) -> Case:
    return Case(folder, ("anonymize", job, "-o", "out", "--no-report"), damages)


CASES = (
    _anonymize("baskets", "job.toml", "job.toml", "data.csv", "hierarchy.csv"),
    _anonymize("baskets", "dat.toml", "dat.toml", "data.dat", "pairs.csv"),
    _anonymize("baskets", "coat.toml", "constraints.toml"),
    _anonymize("baskets", "parquet.toml", "data.parquet"),
    _anonymize("baskets", "feather.toml", "data.feather"),
    _anonymize("baskets", "gz.toml", "data.csv.gz"),
    _anonymize("baskets", "jsonl.toml", "data.jsonl"),
    _anonymize("records", "xlsx.toml", "data.xlsx"),
    _anonymize("records", "sav.toml", "data.sav"),
    _anonymize("records", "dta.toml", "data.dta"),
    _anonymize("records", "xpt.toml", "data.xpt"),
    Case("records", ("init", "data.sav", "-o", "new.toml"), ("data.sav",)),
    Case("records", ("init", "project.deid", "-o", "new.toml"), ("project.deid",)),
    Case("baskets", ("hierarchy", "check", "amnesia.txt"), ("amnesia.txt",)),
    _anonymize("records", "job.toml", "job.toml", "data.csv", "origin.csv"),
    _anonymize("records", "rt.toml", "rt.toml", "data.csv"),
    _anonymize("records", "feather.toml", "data.feather"),
    _anonymize("slices", "job.toml", "job.toml", "data.csv"),
    _anonymize("ratings", "job.toml", "job.toml", "data.csv"),
    _anonymize("ratings", "long.toml", "long.toml", "long.csv"),
    _anonymize("records", "export.toml", "export.toml", "export.csv"),
    _anonymize("records", "persons.toml", "persons.toml", "persons.csv"),
    _anonymize("records", "join.toml", "join.toml", "data.csv", "visits.csv"),
    _anonymize("baskets", "coherence.toml", "coherence.toml"),
    _anonymize("baskets", "stored.toml", "stored.toml", "data.csv"),
    _anonymize("baskets", "database.toml", "database.toml", "data.db"),
    Case(
        "baskets",
        ("anonymize", "job.toml", "-o", "out", "--no-report", "--key", "release/private/key"),
        ("release/private/key",),
    ),
    Case(
        "records",
        ("audit", "persons.toml", "persons/public/data.csv", "--original"),
        ("persons/private/rows.csv", "persons/public/data.csv", "persons.toml"),
    ),
    Case("baskets", ("audit", "job.toml", "release/public/data.csv", "--original"), ("release/public/data.csv",)),
    Case("records", ("audit", "job.toml", "release/public/data.csv", "--original"), ("release/public/data.csv",)),
    Case("slices", ("audit", "job.toml", "release/public/data.csv", "--original"), ("release/public/data.csv",)),
    Case("ratings", ("audit", "job.toml", "release/public/data.csv", "--original"), ("release/public/data.csv",)),
    Case(
        "baskets",
        ("apply", "release", "data.csv", "-o", "out", "--no-report"),
        ("release/private/recoding.json", "release/private/job.toml", "data.csv"),
    ),
    Case(
        "baskets",
        ("apply", "union", "data.csv", "-o", "out", "--no-report", "--union"),
        ("union/private/deliveries.json", "union/private/recoding.json", "union/public/data.csv"),
    ),
    Case("records", ("apply", "release", "data.csv", "-o", "out"), ("release/private/recoding.json",)),
    Case("slices", ("apply", "release", "data.csv", "-o", "out"), ("release/private/recoding.json",)),
    Case("ratings", ("apply", "release", "data.csv", "-o", "out"), ("release/private/recoding.json",)),
    Case("baskets", ("hierarchy", "check", "hierarchy.csv"), ("hierarchy.csv",)),
    Case("baskets", ("hierarchy", "show", "pairs.csv", "--json"), ("pairs.csv",)),
    Case("baskets", ("hierarchy", "build", "data.csv", "-o", "new.csv", "--column", "basket"), ("data.csv",)),
    Case("records", ("hierarchy", "build", "data.csv", "-o", "new.csv", "--column", "age"), ("data.csv",)),
    Case("records", ("init", "data.csv", "-o", "new.toml"), ("data.csv",)),
    Case("records", ("init", "export.csv", "-o", "new.toml"), ("export.csv",)),
    Case("records", ("init", "data.feather", "-o", "new.toml", "--json"), ("data.feather",)),
    Case("baskets", ("init", "data.csv", "-o", "new.toml"), ("data.csv",)),
    Case("baskets", ("init", "data.dat", "-o", "new.toml", "--hierarchy", "pairs.csv"), ("data.dat", "pairs.csv")),
    Case("baskets", ("init", "sqlite:///data.db", "--table", "shop", "-o", "new.toml"), ("data.db",)),
    Case("ratings", ("init", "long.csv", "-o", "new.toml"), ("long.csv",)),
    Case("baskets", ("anonymize", "job.toml", "-o", "out", "--no-report", "--set", "privacy.k=3", "--json")),
    Case("baskets", ("audit", "job.toml", "release/public/data.csv", "--format", "csv", "--progress", "json")),
    Case("baskets", ("hierarchy", "build", "data.csv", "-o", "new.csv", "--kind", "prefix", "--lengths", "1,2")),
    Case("ratings", ("anonymize", "job.toml", "-o", "out", "--no-report", "--set", 'method.name="hamming"')),
)


def prepare(folder: Path) -> None:
    """Copies the corpus, with the same data in other formats, and a release of each kind of data."""
    shutil.copytree(CORPUS, folder)
    for name in ("baskets", "records"):
        table = read_table(folder / name / "data.csv")
        _other_formats(table, folder / name)
    _database(folder / "baskets")
    _project(folder / "records")
    for name in ("baskets", "records", "slices", "ratings"):
        _run("anonymize", folder / name / "job.toml", "-o", folder / name / "release", "--no-report")
    shop, clinic = folder / "baskets", folder / "records"
    _run("anonymize", clinic / "persons.toml", "-o", clinic / "persons", "--no-report")
    _run("apply", shop / "release", shop / "data.csv", "-o", shop / "union", "--no-report", "--union")


def _other_formats(table: object, folder: Path) -> None:
    from pyarrow.feather import write_feather
    from pyarrow.parquet import write_table

    from tacit.io import format_named
    from tacit.io import write_table as written

    write_table(table, folder / "data.parquet")
    write_feather(table, folder / "data.feather", compression="uncompressed")
    (folder / "data.csv.gz").write_bytes(gzip.compress((folder / "data.csv").read_bytes()))
    for end in ("jsonl", "xlsx", "sav", "dta", "xpt"):
        written(table, folder / f"data.{end}", format_named(end))
    others = tuple((end, end) for end in ("jsonl", "xlsx", "sav", "dta", "xpt"))
    for end, name in (("parquet", "parquet"), ("feather", "feather"), ("csv.gz", "gz"), *others):
        text = (folder / "job.toml").read_text("utf-8").replace('"data.csv"', f'"data.{end}"', 1)
        text = text.replace('delimiter = ","\n', "" if end != "csv.gz" else 'delimiter = ","\n')
        (folder / f"{name}.toml").write_text(text.replace('format = "csv"\n', ""), "utf-8")


def _project(folder: Path) -> None:
    """A project of ARX with the same data."""
    of = "<assigment><name>{}</name><type>{}_ATTRIBUTE</type><datatype>String</datatype></assigment>"
    roles = {"id": "IDENTIFYING", "age": "QUASI_IDENTIFYING", "origin": "QUASI_IDENTIFYING"}
    with ZipFile(folder / "project.deid", "w", ZIP_DEFLATED) as archive:
        archive.writestr("data/input.csv", (folder / "data.csv").read_bytes())
        archive.writestr("project.xml", "<project><separator>,</separator></project>")
        archive.writestr("input/config.xml", "<config><criterion>2-anonymity</criterion></config>")
        archive.writestr(
            "input/definition.xml",
            f"<definition>{''.join(of.format(*each) for each in roles.items())}</definition>",
        )


def _database(folder: Path) -> None:
    with (folder / "data.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    with closing(sqlite3.connect(folder / "data.db")) as database, database:
        database.execute("pragma page_size = 512")  # a small file, of which each byte counts
        database.execute("create table shop (name text, basket text, town text)")
        database.executemany("insert into shop values (?, ?, ?)", rows)


def _run(*words: object) -> None:
    command = [*map(str, words), "--quiet", "--json"]
    with redirect_stdout(io.StringIO()), TACIT.make_context("tacit", command, obj=Telling()) as context:
        TACIT.invoke(context)
