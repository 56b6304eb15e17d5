"""What bad input gets: a message that says where, what and what to do; its exit code; and nothing written."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from support.commands import HIERARCHY, JOB, files_below, make_shop, read_csv, shop_rows, tacit, write_csv, write_job
from tacit import flow
from tacit.errors import InputError
from tacit.io.directory import check_target


def refused(folder: Path, job: Path, *wanted: str, code: int = 2, options: tuple[object, ...] = ()) -> str:
    """The message of a refused command, which names what is wanted and leaves the folder as it was."""
    before = files_below(folder)
    ended = tacit("anonymize", job, *options)
    assert (ended.code, ended.out) == (code, ""), ended
    for text in wanted:
        assert text in ended.err
    assert files_below(folder) == before
    assert "Traceback" not in ended.err
    for row in shop_rows():
        assert row["town"] not in ended.err.split()
        assert not row["basket"] or " " not in row["basket"] or row["basket"] not in ended.err
    return ended.err


def test_a_missing_data_file(tmp_path: Path) -> None:
    job = write_job(tmp_path, JOB)
    refused(tmp_path, job, f"{tmp_path / 'shop.csv'}: there is no such file", "Check the path")


def test_a_missing_job_file(tmp_path: Path) -> None:
    refused(tmp_path, tmp_path / "none.toml", "none.toml: cannot read the job file", "tacit init")


def test_a_missing_hierarchy(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    (tmp_path / "hierarchy.csv").unlink()
    refused(tmp_path, job, f"{tmp_path / 'hierarchy.csv'}: the hierarchy cannot be read", "Check the path")


def test_a_wrong_delimiter(tmp_path: Path) -> None:
    job = make_shop(tmp_path, JOB.replace("[columns.name]", 'delimiter = ";"\n[columns.name]', 1))
    refused(tmp_path, job, "shop.csv, line 1: the delimiter ';' does not occur in the header, but ',' does")


def test_a_delimiter_that_leaves_one_column(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    write_csv(tmp_path / "shop.csv", shop_rows(), delimiter="^")
    refused(tmp_path, job, "column 'name': the data has no such column", "one other name", "Is the delimiter right?")


@pytest.mark.parametrize("people", [["Anna", "34", "Ulm"], ["Anna", "Ulm", "Rot"], ["Anna", "basket", "Ulm"]])
def test_a_file_without_a_header(tmp_path: Path, people: list[str]) -> None:
    """Its first record is not told as if it were the names of columns, not even if one looks like the job's."""
    job = make_shop(tmp_path)
    (tmp_path / "shop.csv").write_text(f"{','.join(people)}\nBert,44,Ulm\n")
    said = refused(
        tmp_path, job, "the data has no such column", "If it is a record, put the names of the columns above"
    )
    built = tacit("hierarchy", "build", tmp_path / "shop.csv", "--column", "age", "-o", tmp_path / "h.csv")
    assert built.code == 2
    assert not [cell for cell in ("Anna", "34", "Ulm", "Rot") for text in (said, built.err) if repr(cell) in text]


@pytest.mark.parametrize("role", ["items", "plain", "identifier"])
def test_an_unknown_column_of_whatever_role(tmp_path: Path, role: str) -> None:
    job = make_shop(tmp_path, JOB + f'[columns.nowhere]\nrole = "{role}"\n')
    refused(
        tmp_path, job, "shop.csv, column 'nowhere': the data has no such column", "It has: 'name', 'basket', 'town'"
    )


@pytest.mark.parametrize(
    ("good", "bad", "wanted"),
    [
        ('role = "plain"', 'role = "plane"', "job.toml, line 10: columns.town.role is 'plane'|Did you mean 'plain'?"),
        ('model = "km"', 'model = "kn"', "job.toml, line 13: privacy.model is 'kn'|Did you mean 'k"),
        ("k = 2", "k = 0", "job.toml, line 14: privacy.k is 0, but it must be a whole number of at least 1|Set k ="),
        ("k = 2", "k = -3", "line 14: privacy.k is -3"),
        ("k = 2", "k = 2.5", "line 14: privacy.k is 2.5"),
        ("m = 2", "m = 0", "job.toml, line 15: privacy.m is 0, but it must be a whole number of at least 1|Set m ="),
        ("m = 2", 'm = "all"', "privacy.m is 'all', but it must be a whole number of at least 1, or \"inf\""),
        ("m = 2", "l = 2", "job.toml, line 15: privacy.l is not a key|k, m"),
        ("m = 2\n", "", "[privacy] lacks m"),
        ('name = "mhghs"', 'name = "magic"', "method.name is 'magic', which is not a method tacit knows|mhghs"),
        ('name = "mhghs"', 'name = "mhgsh"', "method.name is 'mhgsh', which is not|Did you mean 'mhghs'? For 'km'"),
        ("[input]", "[input]\npopulation = 2", "job.toml: input.population is 2, but the file has"),
        ("seed = 5", "seed = 5\nspeed = 9", "method.speed is not an option of"),
        ('role = "plain"', 'role = "quasi"', "column 'town': the promise 'km' does not protect|role = \"plain\""),
        ('hierarchy = "hierarchy.csv"', 'sensitive = ["gold"]', "column 'basket': `sensitive` lists 'gold'|spelling"),
        ('hierarchy = "hierarchy.csv"', 'hierarchy = "."', "the hierarchy cannot be read"),
        ("[method]", '[output]\nformat = "dat"\n[method]', "column 'basket': a .dat file holds nothing but one column"),
        ("[method]", '[output]\nformat = "xls"\n[method]', "line 18: output.format is 'xls'"),
        ('"shop.csv"', '"shop.xls"', "shop.xls: this is a file of Excel, which is not read|Save it as .xlsx or CSV"),
        ('"shop.csv"', '"."', "this is a directory"),
        ("[input]", "[input", "job.toml, line 1: this is not TOML"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_job(tmp_path: Path, good: str, bad: str, wanted: str) -> None:
    job = make_shop(tmp_path, JOB.replace(good, bad, 1))
    refused(tmp_path, job, *wanted.split("|"))


def test_a_mistake_in_an_option(tmp_path: Path) -> None:
    refused(tmp_path, make_shop(tmp_path), "--set privacy.k=0: privacy.k is 0", options=("--set", "privacy.k=0"))


def test_k_above_the_number_of_baskets_that_are_not_empty(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    wanted = ("only 15 of 16 baskets are not empty", "k = 15 could be reached", "Nothing was published")
    refused(tmp_path, job, *wanted, code=3, options=("--set", "privacy.k=16"))
    assert tacit("anonymize", job, "--set", "privacy.k=15", "--no-report").code == 0


def test_everything_would_be_suppressed(tmp_path: Path) -> None:
    """Ten people have something, but no column in which more than five do."""
    rows = [{"a": "x" if i < 5 else "", "b": "y" if i >= 5 else ""} for i in range(10)]
    write_csv(tmp_path / "two.csv", rows)
    text = '[input]\nsource = "two.csv"\n[columns.a]\nrole = "items"\n[columns.b]\nrole = "items"\n'
    job = write_job(tmp_path, text + '[privacy]\nmodel = "km"\nk = 6\nm = 1\n')
    refused(tmp_path, job, "only 5 of 10 baskets are not empty in the same column", "k = 5 could be reached", code=3)
    assert tacit("anonymize", job, "--set", "privacy.k=5", "--no-report").code == 0


def test_only_empty_baskets(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    write_csv(tmp_path / "shop.csv", [row | {"basket": ""} for row in shop_rows()])
    refused(tmp_path, job, "only 0 of 16 baskets are not empty", "No k above 1 could be reached", code=3)


def test_an_item_that_the_hierarchy_lacks(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    (tmp_path / "hierarchy.csv").write_text(HIERARCHY.replace("caviar", "truffle"))
    said = f"1 value of the data is missing from the hierarchy {tmp_path / 'hierarchy.csv'}: 'caviar'"
    refused(tmp_path, job, f"shop.csv, line 12, column 'basket': {said}; the first stands here", "Add a row")


@pytest.mark.parametrize(
    ("hierarchy", "wanted"),
    [
        ("child,parent\nbeer,a\na,b\nb,a\n", "csv, line 3: 'a' is its own ancestor: a -> b -> a|Remove the row"),
        (HIERARCHY + "beer,dairy,food,*\n", "hierarchy.csv, line 10: the leaf 'beer' has two parents|Keep one row"),
        ("child,parent\nbeer,a\nbeer,b\n", "hierarchy.csv, line 3: 'beer' has two parents: 'a' (line 2) and 'b'"),
        ("", "hierarchy.csv: the hierarchy is empty|tacit hierarchy build"),
        ('beer,"a\n', "hierarchy.csv, line 1: the row is not proper CSV"),
        (HIERARCHY.replace("beer", "b\xe9er").encode("latin-1"), "hierarchy.csv, line 1: byte 0xe9 is not UTF-8|UTF-8"),
    ],
)  # fmt: skip
def test_a_faulty_hierarchy(tmp_path: Path, hierarchy: str | bytes, wanted: str) -> None:
    job = make_shop(tmp_path)
    (tmp_path / "hierarchy.csv").write_bytes(hierarchy if isinstance(hierarchy, bytes) else hierarchy.encode())
    refused(tmp_path, job, *wanted.split("|"))


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (b"", "shop.csv: the file has no record"),
        (b"name,basket,town\n", "shop.csv: the file has no record"),
        (b"name,basket,town\nA,beer\n", "shop.csv, line 2: the record has 2 fields, but the header has 3"),
        (b'name,basket,town\nA,"beer,X\n', "shop.csv, line 2: a quote that opens in this record is never closed"),
        ("name,basket,town\nA,bi\xe9re,X\n".encode("latin-1"), "csv, line 2, column 'basket': the text is not UTF-8"),
        (b",,\nA,beer,X\n", "its columns have no names"),
        (gzip.compress(b"name,basket,town\n", mtime=0), "shop.csv: the file is gzipped, but its name does not say so"),
        (b"\x00\x01\x02" * 400, "shop.csv"),
    ],
)  # fmt: skip
def test_a_faulty_file(tmp_path: Path, content: bytes, wanted: str) -> None:
    job = make_shop(tmp_path)
    (tmp_path / "shop.csv").write_bytes(content)
    refused(tmp_path, job, wanted)


@pytest.mark.parametrize("name", ["shop.parquet", "shop.feather"])
def test_a_file_that_is_not_what_its_name_says(tmp_path: Path, name: str) -> None:
    job = make_shop(tmp_path, JOB.replace("shop.csv", name))
    (tmp_path / name).write_bytes(b"name,basket,town\nA,beer,X\n")
    refused(tmp_path, job, f"{name}: this is not a whole {name.split('.')[1].capitalize()} file")


def test_an_item_that_holds_the_separator(tmp_path: Path) -> None:
    """A list of Parquet can hold any item; text cannot, and splitting it in two would be a lie."""
    baskets = [["red wine", "bread"], ["red wine", "bread"], ["red wine"]]
    parquet.write_table(pa.table({"basket": baskets}), tmp_path / "shop.parquet")
    text = '[input]\nsource = "shop.parquet"\n[columns.basket]\nrole = "items"\n[privacy]\nmodel = "km"\nk = 2\nm = 2\n'
    job = write_job(tmp_path, text + '[output]\nformat = "csv"\n')
    said = refused(tmp_path, job, "an item cannot stand in a basket separated by ' '", "Choose another separator")
    assert "red wine" not in said

    assert tacit("anonymize", job, "--set", 'columns.basket.separator="; "', "--no-report").code == 0
    rows = [row["basket"] for row in read_csv(tmp_path / "out/public/data.csv")]
    assert sorted(rows) == ["bread; red wine", "bread; red wine", "red wine"]


def test_a_group_that_would_be_read_as_no_value(tmp_path: Path) -> None:
    job = make_shop(tmp_path, JOB.replace("[columns.name]", 'missing = ["dairy"]\n[columns.name]', 1))
    refused(tmp_path, job, "column 'basket': the hierarchy has a group 'dairy', which means 'no value'", "Rename")


def test_a_sensitive_item_with_the_name_of_a_group(tmp_path: Path) -> None:
    """Such a group would be published as a sensitive item, which no audit counts."""
    rows = [row | {"basket": (row["basket"] + " dairy").strip()} for row in shop_rows()]
    job = make_shop(tmp_path, JOB.replace('hierarchy.csv"', 'hierarchy.csv"\nsensitive = ["dairy"]'))
    write_csv(tmp_path / "shop.csv", rows)
    refused(
        tmp_path, job, "column 'basket': `sensitive` lists 'dairy', which is the name of a group", "Rename the group"
    )


def test_a_plain_column_of_a_long_layout(tmp_path: Path) -> None:
    job = make_shop(
        tmp_path, JOB.replace("[columns.name]", 'layout = "long"\n[columns.name]').replace("identifier", "person")
    )
    refused(
        tmp_path, job, "job.toml, column 'town': a long layout has one row per person and item", "Leave the column out"
    )


def test_a_plain_column_of_lists_as_text(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"basket": ["beer", "beer"], "town": [["T1"], ["T2"]]}), tmp_path / "shop.parquet")
    text = JOB.replace("shop.csv", "shop.parquet").replace('[columns.name]\nrole = "identifier"', "")
    job = make_shop(tmp_path, text)
    wanted = ("job.toml, column 'town': values of type list<", "cannot be written as text", 'format = "parquet"')
    refused(tmp_path, job, *wanted, options=("--set", "output.format=csv"))
    assert tacit("anonymize", job, "--no-report").code == 0


# What is odd, but fine


def test_one_record(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    write_csv(tmp_path / "shop.csv", shop_rows()[:1])
    refused(tmp_path, job, "only 1 of 1 baskets are not empty", "No k above 1 could be reached", code=3)
    assert tacit("anonymize", job, "--set", "privacy.k=1", "--no-report").code == 0
    assert read_csv(tmp_path / "out/public/data.csv") == [{"basket": "beer bread", "town": "T0"}]


def test_duplicate_items_count_once(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    write_csv(tmp_path / "shop.csv", [row | {"basket": f"{row['basket']} {row['basket']}"} for row in shop_rows()])
    ended = tacit("anonymize", job, "--no-report")
    assert ended.code == 0
    assert "counted once because a basket is a set: 28" in ended.err
    for row in read_csv(tmp_path / "out/public/data.csv"):
        assert len(set(row["basket"].split())) == len(row["basket"].split())


def test_quotes_and_newlines_in_fields(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    odd = [row | {"town": f'"{row["town"]}",\n\r\n"end" '} for row in shop_rows()]
    write_csv(tmp_path / "shop.csv", odd)
    assert tacit("anonymize", job, "--no-report").code == 0
    published = [row["town"] for row in read_csv(tmp_path / "out/public/data.csv")]
    assert sorted(published) == sorted(row["town"] for row in odd)


def test_a_byte_order_mark_is_no_part_of_the_data(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    for name in ("shop.csv", "hierarchy.csv", "job.toml"):
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + (tmp_path / name).read_bytes())
    assert tacit("anonymize", job, "--no-report").code == 0
    assert (tmp_path / "out/public/data.csv").read_bytes().startswith(b"\xef\xbb\xbfbasket,town\n"), (
        "a mark like the input's"
    )


def test_a_field_of_ten_megabytes(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    rows = shop_rows()
    rows[3]["town"] = "x" * 10_000_000
    rows[4]["basket"] = " ".join(["beer", "milk"] * 1_000_000)
    write_csv(tmp_path / "shop.csv", rows)
    assert tacit("anonymize", job, "--no-report").code == 0
    assert max(len(town) for town in (tmp_path / "out/public/data.csv").read_text().split(",")) >= 10_000_000


def test_an_output_directory_that_exists(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    assert tacit("anonymize", job).code == 0
    before = (tmp_path / "out/private/job.toml").read_text()
    refused(tmp_path, job, f"{tmp_path / 'out'}: the output directory exists already", "replace it with --force")
    assert (tmp_path / "out/private/job.toml").read_text() == before

    assert tacit("anonymize", job, "--force", "--no-report", "--set", "privacy.k=3").code == 0
    assert "k = 3" in (tmp_path / "out/private/job.toml").read_text()
    assert not (tmp_path / "out/private/report.html").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"shop.csv", "hierarchy.csv", "job.toml", "out"}


def test_a_directory_that_is_no_release_is_never_replaced(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("years of work")
    refused(tmp_path, job, "nothing else (it holds 'thesis.txt', which tacit did not write)", options=("--force",))
    assert (tmp_path / "out" / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize(
    ("source", "lies_in"), [("shop.csv", "out/public/data.csv"), ("hierarchy.csv", "out/private/job.toml")]
)
def test_a_release_that_holds_what_is_read_is_never_replaced(tmp_path: Path, source: str, lies_in: str) -> None:
    job = make_shop(tmp_path)
    assert tacit("anonymize", job, "--no-report").code == 0
    (tmp_path / source).rename(tmp_path / lies_in)
    write_job(tmp_path, JOB.replace(source, lies_in))
    refused(tmp_path, job, f"{lies_in}: this is read, and it lies in the release that would be", options=("--force",))


def test_a_place_where_nothing_can_be_written_is_told_before_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`os.access` says no, as it does to whoever is not root."""
    job = make_shop(tmp_path)
    monkeypatch.setattr(flow, "read_source", lambda job: pytest.fail("the data were read"))
    (tmp_path / "file").write_text("")
    for target in ("file/out", "file/far/out"):
        refused(tmp_path, job, "cannot write the release: Not a directory", options=("-o", tmp_path / target))
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    refused(tmp_path, job, "cannot write the release: Permission denied", "in which you may write")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc")
def test_a_place_that_even_root_cannot_write_to_is_told_before_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = make_shop(tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: True)
    monkeypatch.setattr(flow, "read_source", lambda job: pytest.fail("the data were read"))
    refused(tmp_path, job, "/proc/out: cannot write the release", options=("-o", "/proc/out"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    """To open one would wait for somebody to write; and data are read more than once."""
    job = make_shop(tmp_path)
    (tmp_path / "shop.csv").unlink()
    os.mkfifo(tmp_path / "shop.csv")
    refused(tmp_path, job, "shop.csv: this is a pipe or a device, not a file", "save them as a file first")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take only text for a name")
def test_a_name_with_bytes_that_are_no_text(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    wrong = os.fsdecode(b"o\xff")
    refused(tmp_path, job, "the name holds bytes that are no text", options=("-o", tmp_path / wrong))
    (tmp_path / wrong).mkdir()
    job.rename(tmp_path / wrong / "job.toml")
    refused(tmp_path, tmp_path / wrong / "job.toml", "the name holds bytes that are no text")
    with pytest.raises(InputError, match="bytes that are no text"):
        check_target(tmp_path / wrong / "out")
    for words in (("init", tmp_path / wrong), ("init", tmp_path / "shop.csv", "-o", tmp_path / wrong)):
        ended = tacit(*words)
        assert (ended.code, "bytes that are no text" in ended.err) == (2, True)


# The real command


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "words", [["anonymize", "job.toml", "--json"], ["anonymize", "job.toml"], ["methods"], ["--version"]]
)
def test_a_result_that_cannot_be_printed(tmp_path: Path, words: list[str]) -> None:
    make_shop(tmp_path)
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "tacit", *words]
        ended = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 2 and "Traceback" not in ended.stderr
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("tacit: the result could not be printed: No space left on device")
    assert last.endswith(f"the release is in place: {tmp_path / 'out'}" if words[0] == "anonymize" else "device")


@pytest.mark.parametrize(
    ("arguments", "code", "wanted"),
    [
        (["anonymize", "none.toml"], 2, "tacit: none.toml: cannot read the job file"),
        (["anonymize", "job.toml", "--set", "privacy.k=99"], 3, "k = 15 could be reached"),
        pytest.param(
            ["anonymize", "job.toml", "--set", "privacy.k=10000000000000000000000"], 3, "k = 15 could be reached",
            marks=pytest.mark.slow,
        ),
        (["audit", "job.toml", "shop.csv"], 1, "reading"),
        (["anonymize"], 2, "Missing argument 'JOB'"),
        pytest.param(["anonymise", "job.toml"], 2, "No such command 'anonymise'", marks=pytest.mark.slow),
        pytest.param(["audit", "job.toml", "shop.csv", "--orginal"], 2, "No such option", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_the_command_as_users_run_it(tmp_path: Path, arguments: list[str], code: int, wanted: str) -> None:
    make_shop(tmp_path)
    before = files_below(tmp_path)
    command = [sys.executable, "-m", "tacit.cli", *arguments]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == code
    assert wanted in ended.stderr
    assert "Traceback" not in ended.stderr
    assert files_below(tmp_path) == before
