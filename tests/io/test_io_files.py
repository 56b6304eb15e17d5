"""Files as they are read and written: formats, types, and what real files hold."""

from __future__ import annotations

import codecs
import gzip
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.io import FORMATS, PACKABLE, FileFormat, detect_format, format_named, inspect_format, read_table, write_table


def put(path: Path, content: bytes) -> Path:
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def through_a_file(table: pa.Table, folder: Path, format: FileFormat) -> pa.Table:
    path = folder / f"table.{format.extension}"
    write_table(table, path, format)
    return read_table(path, format=format)


# --- formats ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "ending"),
    [(name, ending) for name in FORMATS for ending in ("", ".gz", ".GZ") if not ending or name in PACKABLE],
)
def test_the_name_tells_the_format(name: str, ending: str) -> None:
    found = detect_format(Path(f"some.dir/my.{name}{ending}"))
    assert (found.name, found.gzipped) == (name, bool(ending))
    assert found.extension == name + ending.lower()


def test_a_given_format_wins_over_the_name_and_gz_is_kept() -> None:
    assert detect_format(Path("a.txt"), "dat") == FileFormat("dat")
    assert detect_format(Path("a.txt.gz"), "csv") == FileFormat("csv", gzipped=True)
    assert detect_format(Path("a.csv"), "tsv.gz") == FileFormat("tsv", gzipped=True, delimiter="\t")


def test_unknown_formats_list_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"ending.*\n.*csv, tsv, parquet, feather, dat"):
        detect_format(Path("table.abc"))
    for name in ("xls", "xlsx.gz"):
        with pytest.raises(InputError, match=rf"'{name}'.*\n.*csv, tsv, parquet, feather, dat"):
            format_named(name)


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "ä"])
def test_impossible_delimiters_are_refused(delimiter: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one ASCII character"):
        FileFormat("csv").with_delimiter(delimiter)


# --- csv and tsv -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        (b"a,b,c\n1,2,3\n", ","),
        (b"a;b;c\n1;2,5;3\n", ";"),
        (b"a\tb\n1\t2\n", "\t"),
        (b"a|b\n1|2\n", "|"),
        (b'"a,x";"b,y"\n1;2\n', ";"),
        (b"total, EUR;count\n5;6\n7;8\n", ";"),
        (b"id,items;more\n1,a;b;c\n", ","),
        (b"items\na;b\n", ","),
    ],
)
def test_the_delimiter_is_found_out(content: bytes, delimiter: str, tmp_path: Path) -> None:
    assert inspect_format(put(tmp_path / "t.csv", content)) == FileFormat("csv", delimiter=delimiter)


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_cells_keep_their_exact_text(ending: str, tmp_path: Path) -> None:
    path = put(
        tmp_path / f"t.csv{ending}",
        b'\xef\xbb\xbfid,"the ""name""",x\r\n007, NA ,1.50\r\n,"a,b\nc",""\r\n\r\nnull,N/A,true',
    )
    assert read_table(path).to_pydict() == {
        "id": ["007", "", "null"],
        'the "name"': [" NA ", "a,b\nc", "N/A"],
        "x": ["1.50", "", "true"],
    }


def test_an_empty_line_is_a_record_only_where_there_is_one_column(tmp_path: Path) -> None:
    assert read_table(put(tmp_path / "one.csv", b'x\na\n\n""\nb\n'))["x"].to_pylist() == ["a", "", "", "b"]
    assert read_table(put(tmp_path / "two.csv", b"x,y\na,1\n\nb,2\n\n"))["x"].to_pylist() == ["a", "b"]


def test_old_line_ends_and_a_header_over_two_lines(tmp_path: Path) -> None:
    assert read_table(put(tmp_path / "mac.csv", b"a,b\r1,2\r3,4")).to_pydict() == {"a": ["1", "3"], "b": ["2", "4"]}
    assert read_table(put(tmp_path / "two.csv", b'"a\nb",c\n1,2\n')).to_pydict() == {"a\nb": ["1"], "c": ["2"]}


@pytest.mark.parametrize("start", [b"", codecs.BOM_UTF8])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_a_mark_of_byte_order_stands_at_the_start_of_a_file_and_nowhere_else(
    start: bytes, name: str, tmp_path: Path
) -> None:
    content = start + "x,y\n\ufeffa,b\n\ufeffa,c\n".encode()
    assert read_table(put(tmp_path / name, content)).to_pydict() == {"x": ["\ufeffa", "\ufeffa"], "y": ["b", "c"]}


def test_a_field_of_ten_megabytes(tmp_path: Path) -> None:
    big = "x" * 10_000_000
    table = read_table(put(tmp_path / "t.csv", f'id,items\n1,a\n2,"{big}"\n3,b\n'.encode()))
    assert [len(cell) for cell in table["items"].to_pylist()] == [1, 10_000_000, 1]


def test_the_delimiter_and_format_can_be_given(tmp_path: Path) -> None:
    path = put(tmp_path / "t.txt", b"a,b:c\n1,2:3\n")
    assert read_table(path, format="csv", delimiter=":").column_names == ["a,b", "c"]


# --- dat -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"a b\n\nc\n", ["a b", "", "c"]),
        (b"a b\r\n\r\nc", ["a b", "", "c"]),
        (b"\n", [""]),
        (b"\n\n\n", ["", "", ""]),
        (b"\r\na\rb\n", ["", "a\rb"]),
        (b"a", ["a"]),
        (b'"a,b"  \t\n', ['"a,b"  \t']),
        (b"\xef\xbb\xbf\xc3\xa9 b\n", ["é b"]),
    ],
)
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_dat_lines_are_kept_as_they_are(content: bytes, lines: list[str], ending: str, tmp_path: Path) -> None:
    assert read_table(put(tmp_path / f"t.dat{ending}", content)).to_pydict() == {"items": lines}


def test_dat_blocks_join_where_they_were_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"{number} é{'x' * (number % 11)}" for number in range(200)]
    path = put(tmp_path / "t.dat", "\r\n".join(lines).encode())
    monkeypatch.setattr("tacit.io.dat._BLOCK", 17)
    assert read_table(path)["items"].to_pylist() == lines


def test_dat_cannot_hold_a_line_break(tmp_path: Path) -> None:
    for text in ("secret\nb", "secret\r"):
        with pytest.raises(InputError, match="line break") as caught:
            write_table(pa.table({"items": ["a", text]}), tmp_path / "t.dat", FileFormat("dat"))
        assert "secret" not in str(caught.value)


# --- there and back --------------------------------------------------------------------------------------------

NASTY = st.text(st.sampled_from(list("ab \"'\n\r,;|\t\\\ufeff\u2028\x00é")), max_size=6)
NAMES = NASTY.filter(lambda name: name.strip() != "")


@settings(max_examples=75, deadline=None)
@given(data=st.data())
def test_delimited_text_survives(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    names = data.draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    rows = data.draw(st.lists(st.tuples(*[NASTY for _ in names]), min_size=1, max_size=6))
    table = pa.table([pa.array(column, pa.string()) for column in zip(*rows, strict=True)], names)
    delimiter = data.draw(st.sampled_from(",;\t|"))
    format = FileFormat("csv", gzipped=data.draw(st.booleans()), delimiter=delimiter)
    assert through_a_file(table, tmp_path_factory.mktemp("csv"), format).to_pydict() == table.to_pydict()


@settings(max_examples=60, deadline=None)
@given(lines=st.lists(NASTY.filter(lambda line: "\n" not in line and not line.endswith("\r")), min_size=1))
def test_dat_lines_survive(lines: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    table = pa.table({"items": pa.array(lines, pa.string())})
    assert through_a_file(table, tmp_path_factory.mktemp("dat"), FileFormat("dat")).to_pydict() == {"items": lines}


@pytest.mark.parametrize("name", ["parquet", "feather"])
@pytest.mark.parametrize("gzipped", [False, True])
def test_parquet_and_feather_keep_types(name: str, gzipped: bool, tmp_path: Path) -> None:
    table = pa.table(
        {
            "age": pa.array([1, None, 3], pa.int16()),
            "items": pa.array([["a", "b"], [], ["c"]], pa.list_(pa.string())),
            "kind": pa.array(["x", "y", None]).dictionary_encode(),
        }
    )
    assert through_a_file(table, tmp_path, FileFormat(name, gzipped)).equals(table)


def test_text_formats_quote_only_what_needs_it_and_write_null_as_nothing(tmp_path: Path) -> None:
    table = pa.table({"a": ["x y", 'q"', None], "b": [1, None, 3]})
    write_table(table, tmp_path / "t.csv", FileFormat("csv", delimiter=";"))
    assert (tmp_path / "t.csv").read_bytes() == b'a;b\nx y;1\n"q""";\n;3\n'


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_one_column_is_read_without_a_word_about_its_delimiter(delimiter: str, tmp_path: Path) -> None:
    table = pa.table({"basket": ["milk, tea", "milk", "", "tea;milk", "tea|milk", "tea\tmilk"]})
    path = tmp_path / "table.csv"
    write_table(table, path, replace(format_named("csv"), delimiter=delimiter))
    assert read_table(path) == table


def test_gzip_is_reproducible_and_keeps_no_name(tmp_path: Path) -> None:
    table = pa.table({"items": ["a b", ""]})
    write_table(table, tmp_path / "secretname.dat.gz", FileFormat("dat", gzipped=True))
    write_table(table, tmp_path / "other.dat.gz", FileFormat("dat", gzipped=True))
    content = (tmp_path / "secretname.dat.gz").read_bytes()
    assert content == (tmp_path / "other.dat.gz").read_bytes()
    assert b"secretname" not in content
    assert content[4:8] == bytes(4)


@pytest.mark.parametrize("name", ["parquet", "feather"])
def test_nothing_that_the_table_does_not_show_is_written(name: str, tmp_path: Path) -> None:
    unused = pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array(["shown", "HIDDEN"]))
    mask = pa.py_buffer(bytes([0b01]))
    text = pa.StringArray.from_buffers(
        2, pa.array([0, 5, 11], pa.int32()).buffers()[1], pa.py_buffer(b"shownHIDDEN"), mask
    )
    table = pa.table({"kind": unused, "text": text}).replace_schema_metadata({"pandas": "HIDDEN"})
    path = tmp_path / f"t.{name}"
    write_table(table, path, FileFormat(name))
    assert read_table(path).to_pydict() == {"kind": ["shown", "shown"], "text": ["shown", None]}
    assert b"HIDDEN" not in path.read_bytes()


# --- real files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "records", "columns"),
    [
        ("rt/informs2005_rt.csv.gz", 33_961, 13),
        ("rt/informs2005_conditions.csv.gz", 104_855, 4),
        ("rt/youtube_sfu_sample.csv.gz", 7_330, 10),
        ("relational/adult_arx.csv.gz", 30_162, 9),
        ("relational/adult_uci.csv.gz", 48_842, 16),
        ("relational/diabetes130.csv.gz", 101_766, 50),
        ("relational/heart_disease.csv", 920, None),
        ("ratings/ml-latest-small/ratings.csv.gz", 100_836, 4),
        ("transactions/fruithut_items.csv", 1_265, 2),
        ("transactions/retail.dat.gz", 88_162, 1),
    ],
)
def test_real_files(name: str, records: int, columns: int | None, shared_data: Path, tmp_path: Path) -> None:
    table = read_table(shared_data / name)
    assert table.num_rows == records
    assert columns is None or table.num_columns == columns
    format = inspect_format(shared_data / name)
    assert through_a_file(table, tmp_path, format).equals(table)


def test_a_real_file_with_two_columns_of_one_name(shared_data: Path) -> None:
    names = read_table(shared_data / "ratings/young_people_survey.csv.gz").column_names
    assert (names[0], names[51]) == ("Music", "Music (2)")


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.tsv"])
def test_columns_of_one_name_are_told_apart(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    content = "a,b,a,,a (2)\n1,2,3,4,5\n".replace(",", "\t" if name == "t.tsv" else ",").encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert read_table(path).to_pydict() == {"a": ["1"], "b": ["2"], "a (3)": ["3"], "column 4": ["4"], "a (2)": ["5"]}


def test_columns_of_one_name_in_other_formats(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    for name in ("feather", "parquet"):
        write_table(table, tmp_path / f"t.{name}", FileFormat(name))
        assert read_table(tmp_path / f"t.{name}").to_pydict() == {"a": [1], "a (2)": [2]}


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize(
    ("content", "given", "found"),
    [
        (b"\xef\xbb\xbfa;b\r\n1;2\r\n", {}, FileFormat("csv", delimiter=";", bom=True, line_end="\r\n")),
        ("näme;b\r\n1,5;ß\r\n".encode("cp1252"), {"encoding": "cp1252"},
         FileFormat("csv", delimiter=";", encoding="cp1252", line_end="\r\n")),
        ("näme,b\n1,ß\n".encode("utf-16"), {"encoding": "UTF16"}, FileFormat("csv", delimiter=",", encoding="utf-16")),
        (b"a\tb\r\n1\t2\r\n", {"delimiter": "\t"}, FileFormat("csv", delimiter="\t", line_end="\r\n")),
    ],
)  # fmt: skip
def test_a_file_is_written_as_it_was(
    content: bytes, given: dict[str, str], found: FileFormat, ending: str, tmp_path: Path
) -> None:
    """Encoding, mark, line ends and delimiter: the same bytes."""
    path, again = tmp_path / f"t.csv{ending}", tmp_path / f"again.csv{ending}"
    path.write_bytes(gzip.compress(content) if ending else content)
    format = inspect_format(path, **given)
    assert format == replace(found, gzipped=bool(ending))
    table = read_table(path, format=format)
    write_table(table, again, format)
    assert (gzip.decompress(again.read_bytes()) if ending else again.read_bytes()) == content
    assert read_table(again, format=format).equals(table)


@pytest.mark.parametrize("content", [b"\xef\xbb\xbfa b\r\n\r\nc\r\n", b"a b\n\nc\n"])
def test_a_dat_file_is_written_as_it_was(content: bytes, tmp_path: Path) -> None:
    format = inspect_format(put(tmp_path / "t.dat", content))
    table = read_table(tmp_path / "t.dat", format=format)
    write_table(table, tmp_path / "again.dat", format)
    assert (tmp_path / "again.dat").read_bytes() == content


def test_what_an_encoding_cannot_write_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written in cp1252"):
        write_table(pa.table({"a": ["≤5"]}), tmp_path / "t.csv", FileFormat("csv", encoding="cp1252"))
    (tmp_path / "t.csv").write_bytes(b"a\n\x81\n")
    with pytest.raises(InputError, match="the text is not cp1252"):
        read_table(tmp_path / "t.csv", format=FileFormat("csv", delimiter=",", encoding="cp1252"))
