"""Hierarchy files: both layouts, what is tolerated and said, what is refused and how, and writing."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.taxonomy import Taxonomy, check_hierarchy, read_hierarchy, write_hierarchy

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(text: str) -> Path:
        path = tmp_path / "h.csv"
        path.write_bytes(text.encode())
        return path

    return to_file


def refusal(path: Path, values: list[str] | None = None) -> InputError:
    """The error of reading; the first fault of checking must be the same one."""
    with pytest.raises(InputError) as caught:
        read_hierarchy(path, values)
    assert caught.value.file == path
    faults = check_hierarchy(path, values)
    assert faults[0].line == caught.value.line
    assert faults[0].hint == caught.value.hint
    return caught.value


class TestRowPerLeaf:
    def test_plain(self, write: Write) -> None:
        path = write("a,X,*\nb,X,*\nc,Y,*\n")
        tree = read_hierarchy(path, ["a", "b", "c"])
        assert tree.names == ("*", "X", "a", "b", "Y", "c")
        assert tree.notes == ()
        assert check_hierarchy(path, ["a", "b", "c"]) == []

    @pytest.mark.parametrize(
        "text",
        [
            "a;1,3;*\nb;1,3;*\n",
            'a,"1,3",*\nb,"1,3",*\n',
            'a;"1,3";*\r\n\r\nb;"1,3";*\r\n',
            "\ufeffa;1,3;*\n  \n;;\nb;1,3;*;;\n",
        ],
        ids=["semicolons", "quotes", "windows", "byte-order mark, blank rows, empty ends"],
    )
    def test_delimiter_quotes_and_blanks(self, write: Write, text: str) -> None:
        assert read_hierarchy(write(text)).names == ("*", "1,3", "a", "b")

    def test_a_quoted_semicolon_does_not_make_the_delimiter(self, write: Write) -> None:
        assert read_hierarchy(write('a,"X;Y",*\nb,"X;Y",*\n')).names == ("*", "X;Y", "a", "b")

    def test_semicolons_in_most_rows_make_the_delimiter(self, write: Write) -> None:
        assert read_hierarchy(write("a;X\nb\n")).names == ("*", "X", "a", "b")

    def test_a_quoted_cell_may_hold_line_ends_and_lines_are_counted_right(self, write: Write) -> None:
        error = refusal(write('"a\nb",X,*\nc,,*\n'))
        assert error.line == 3

    def test_gzip_is_told_by_content(self, tmp_path: Path) -> None:
        path = tmp_path / "h.txt"
        path.write_bytes(gzip.compress(b"a,*\nb,*\n"))
        assert read_hierarchy(path).names == ("*", "a", "b")

    def test_ragged_rows_are_aligned_at_the_root(self, write: Write) -> None:
        tree = read_hierarchy(write("a,X,U,*\nb,U,*\nc,*\n"))
        assert tree.names == ("*", "U", "X", "a", "b", "c")

    def test_several_tops_get_a_root(self, write: Write) -> None:
        tree = read_hierarchy(write("a,X\nd,X\nb,Y\nc\n"))
        assert tree.names == ("*", "X", "a", "d", "Y", "b", "c")
        assert tree.notes == ("No common root: 3 tops were put under a new root '*'.",)

    def test_the_new_root_takes_a_free_name(self, write: Write) -> None:
        assert read_hierarchy(write("a,*\nb,Y\n")).names == ("*~2", "*", "a", "Y", "b")

    def test_a_row_said_twice_is_tolerated(self, write: Write) -> None:
        tree = read_hierarchy(write("a,X,*\nb,X,*\na,X,*\n"))
        assert tree.names == ("*", "X", "a", "b")
        assert tree.notes == ("1 row said what an earlier row says (first: line 3).",)

    def test_one_row_of_one_cell_is_a_root_alone(self, write: Write) -> None:
        assert read_hierarchy(write("a\n")).names == ("a",)


class TestHeader:
    def test_a_header_is_told_by_the_values(self, write: Write) -> None:
        tree = read_hierarchy(write("item,group,top\na,X,*\nb,Y,*\n"), ["a", "b"])
        assert tree.names == ("*", "X", "a", "Y", "b")
        assert "first row (item,group,top) was taken for a header" in tree.notes[0]

    def test_a_header_is_told_when_the_hierarchy_knows_more_than_the_data(self, write: Write) -> None:
        tree = read_hierarchy(write("item,group,top\na,X,*\nb,Y,*\nc,Y,*\n"), ["a", "b"])
        assert tree.names == ("*", "X", "a", "Y", "b", "c")

    def test_a_first_leaf_that_the_data_lacks_is_no_header_among_others_that_it_lacks(self, write: Write) -> None:
        tree = read_hierarchy(write("a,X,*\nb,X,*\nc,Y,*\n"), ["b"])
        assert tree.names == ("*", "X", "a", "b", "Y", "c")
        assert tree.notes == ()

    def test_without_values_no_header_is_assumed_but_the_doubt_is_said(self, write: Write) -> None:
        tree = read_hierarchy(write("item,group,top\na,X,*\nb,Y,*\n"))
        assert "item" in tree.names
        assert "if it is a header, remove it" in tree.notes[0]


class TestRepeatedNames:
    def test_an_only_child_of_the_same_name_is_the_same_node(self, write: Write) -> None:
        tree = read_hierarchy(write("a;X;X;X;*\nb;X;X;X;*\nc;Y;Z;Z;*\n"))
        assert tree.names == ("*", "X", "a", "b", "Z", "Y", "c")
        assert tree.notes == ()

    def test_a_leaf_alone_under_its_name_is_one_leaf(self, write: Write) -> None:
        tree = read_hierarchy(write("pork,pork,meat,*\nbeef,beef,meat,*\nham,beef,meat,*\n"))
        assert tree.names == ("*", "meat", "pork", "beef (group)", "beef", "ham")
        assert "1 group bears the name" in tree.notes[0]
        assert "'beef (group)'" in tree.notes[0]

    def test_two_levels_up_is_another_node(self, write: Write) -> None:
        tree = read_hierarchy(write("detergent,detergent/softener,detergent,*\nsoap,soap,other,*\n"))
        assert tree.names[1:4] == ("detergent (group)", "detergent/softener", "detergent")

    def test_the_upper_of_two_groups_is_renamed(self, write: Write) -> None:
        tree = read_hierarchy(write("a,X,X,*\nb,X,X,*\nc,Y,X,*\n"))
        assert tree.names == ("*", "X (group)", "X", "a", "b", "Y", "c")

    def test_three_of_a_name_and_a_taken_new_name(self, write: Write) -> None:
        tree = read_hierarchy(write("X,X,X,*\nb,X,X,*\nc,Y,X,*\nX (group),Z,V,*\n"))
        assert tree.names[1:4] == ("X (group 3)", "X (group 2)", "X")
        assert tree.names[-1] == "X (group)"

    def test_a_leaf_keeps_its_text_even_above_a_group_of_its_name(self, write: Write) -> None:
        tree = read_hierarchy(write("X,*\na,X,Y,*\nb,X,Y,*\n"))
        assert tree.names == ("*", "X", "Y", "X (group)", "a", "b")


class TestChildParent:
    @pytest.mark.parametrize("header", ["child,parent", "Child, Parent", "child;parent"])
    def test_plain(self, write: Write, header: str) -> None:
        tree = read_hierarchy(write(f"{header}\na,X\nb,Y\nY,*\nX,*\n".replace(",", header[5])), ["a", "b"])
        assert tree.names == ("*", "X", "a", "Y", "b")
        assert tree.notes == ()

    def test_tops_may_be_declared_and_get_a_root(self, write: Write) -> None:
        tree = read_hierarchy(write("child,parent\na,X\nX,\nb\na,X\n"))
        assert tree.names == ("*", "X", "a", "b")
        assert tree.notes == (
            "1 row said what an earlier row says (first: line 5).",
            "No common root: 2 tops were put under a new root '*'.",
        )

    def test_two_parents(self, write: Write) -> None:
        error = refusal(write("child,parent\na,X\nb,X\na,Y\n"))
        assert error.line == 4
        assert error.problem == "'a' has two parents: 'X' (line 2) and 'Y'"

    def test_a_cycle(self, write: Write) -> None:
        error = refusal(write("child,parent\na,X\nb,*\nX,Y\nZ,X\nY,Z\n"))
        assert error.line == 4
        assert error.problem == "'X' is its own ancestor: X -> Y -> Z -> X"

    def test_its_own_parent(self, write: Write) -> None:
        assert refusal(write("child,parent\na,*\n*,*\n")).problem == "'*' is its own ancestor: * -> *"

    def test_every_cycle_is_reported(self, write: Write) -> None:
        faults = check_hierarchy(write("child,parent\na,b\nb,a\nc,a\nd,e\ne,d\n"))
        assert [(fault.line, fault.value) for fault in faults] == [(2, "a"), (5, "d")]

    def test_too_many_cells(self, write: Write) -> None:
        assert refusal(write("child,parent\na,X,*\n")).line == 2

    def test_an_empty_child(self, write: Write) -> None:
        assert refusal(write("child,parent\na,X\n,X\n")).line == 3

    def test_nothing_below_the_header(self, write: Write) -> None:
        assert "no row below" in refusal(write("child,parent\n")).problem

    def test_a_value_that_is_a_parent(self, write: Write) -> None:
        error = refusal(write("child,parent\na,X\nX,*\n"), ["a", "X"])
        assert "only a group of the hierarchy, no leaf: 'X'" in error.problem


class TestRefusals:
    def test_a_group_with_two_parents(self, write: Write) -> None:
        error = refusal(write("a,X,A,*\nb,X,A,*\nc,X,B,*\nd,X,B,*\n"))
        assert error.line == 3
        assert error.problem == "'X' has two parents: 'A' (line 1) and 'B'"

    def test_a_leaf_with_two_paths(self, write: Write) -> None:
        error = refusal(write("a,X,*\nb,X,*\na,Y,*\n"))
        assert error.line == 3
        assert "the leaf 'a' has two parents: line 1 puts it elsewhere" in error.problem

    def test_a_leaf_that_is_a_group_too(self, write: Write) -> None:
        error = refusal(write("250,diabetes,*\n250.1,250,diabetes,*\n"))
        assert error.line == 2
        assert error.problem == "'250' is a leaf (line 1) and a group (line 2) at the same place"
        assert "250,250" in str(error.hint)

    def test_the_hint_for_a_leaf_that_is_a_group_works(self, write: Write) -> None:
        tree = read_hierarchy(write("250,250,diabetes,*\n250.1,250,diabetes,*\n"))
        assert tree.names == ("*", "diabetes", "250 (group)", "250", "250.1")

    @pytest.mark.parametrize(("row", "cell"), [("b,,*", 2), (",X,*", 1), ("b, ,X,*", 2)])
    def test_an_empty_cell(self, write: Write, row: str, cell: int) -> None:
        error = refusal(write(f"a,X,*\n{row}\n"))
        assert error.line == 2
        assert f"cell {cell} of the row" in error.problem

    @pytest.mark.parametrize("text", ["", "\n\n", ";;\n;;\n", ",,\n", "\ufeff"])
    def test_an_empty_file(self, write: Write, text: str) -> None:
        assert refusal(write(text)).problem == "the hierarchy is empty"

    def test_missing_values(self, write: Write) -> None:
        values = ["a", *(f"new{i}" for i in range(7))]
        error = refusal(write("a,*\nb,*\n"), values)
        assert error.line is None
        assert error.problem == (
            "7 values of the data are missing from the hierarchy: 'new0', 'new1', 'new2', 'new3', 'new4' and 2 more"
        )
        assert "Add a row" in str(error.hint)
        assert "tacit hierarchy build" in str(error.hint)

    def test_values_that_are_groups(self, write: Write) -> None:
        error = refusal(write("a,X,*\nb,X,*\n"), ["a", "X"])
        assert error.problem == "1 value of the data is only a group of the hierarchy, no leaf: 'X'"
        assert "The data must hold leaves" in str(error.hint)

    def test_latin_1_names_the_line(self, tmp_path: Path) -> None:
        path = tmp_path / "h.csv"
        path.write_bytes("a,X,*\nb,café,*\n".encode("latin-1"))
        error = refusal(path)
        assert error.line == 2
        assert error.problem == "byte 0xe9 is not UTF-8 text"

    def test_a_quote_that_never_ends(self, write: Write) -> None:
        error = refusal(write('a,X,*\nb,"X,*\nc,X,*\n'))
        assert error.line == 2
        assert "not proper CSV" in error.problem

    def test_no_such_file(self, tmp_path: Path) -> None:
        assert "cannot be read" in refusal(tmp_path / "none.csv").problem

    def test_a_damaged_gzip_file(self, tmp_path: Path) -> None:
        path = tmp_path / "h.csv.gz"
        path.write_bytes(gzip.compress(b"a,*\n" * 1000)[:-12])
        assert "damaged" in refusal(path).problem

    def test_check_finds_all_faults(self, write: Write) -> None:
        path = write("a,X,A,*\nb,X,B,*\nc,,*\na,Z,B,*\nd,Y,*\n")
        faults = check_hierarchy(path, ["a", "c", "d", "Y", "new", "newer"])
        assert [(fault.line, fault.value) for fault in faults] == [
            (2, "X"),
            (3, "c"),
            (4, "a"),
            (None, "new"),
            (None, "newer"),
            (None, "Y"),
        ]
        assert all(fault.problem and fault.hint for fault in faults)


NASTY = st.text(alphabet="ab,;\"' \n\r\ufeff\u2028*é", min_size=1, max_size=5).filter(str.strip)


@st.composite
def nasty_trees(draw: st.DrawFn) -> Taxonomy:
    names = draw(st.lists(NASTY, min_size=1, max_size=15, unique=True))
    parents = [-1] + [draw(st.integers(0, node - 1)) for node in range(1, len(names))]
    return Taxonomy.from_parents(names, parents)


@given(nasty_trees(), st.sampled_from(["h.csv", "h.csv.gz"]))
@settings(max_examples=200)
def test_what_is_written_reads_back(tmp_path: Path, tree: Taxonomy, name: str) -> None:
    path = tmp_path / name
    write_hierarchy(tree, path)
    again = read_hierarchy(path, {tree.names[leaf] for leaf in tree.leaves})
    assert again.names == tree.names
    assert again.parent.tolist() == tree.parent.tolist()
    assert again.notes == ()


def test_written_text_is_plain_csv_without_a_header(tmp_path: Path) -> None:
    write_hierarchy(Taxonomy.from_paths([["a;b", 'the "X"', "*"], [" c", "1,3", "*"]]), tmp_path / "h.csv")
    assert (tmp_path / "h.csv").read_text() == '"a;b","the ""X""",*\n" c","1,3",*\n'


def test_writing_says_what_is_in_the_way(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_hierarchy(Taxonomy.flat(["a"]), tmp_path / "nowhere" / "h.csv")
    with pytest.raises(InputError, match="without a name"):
        write_hierarchy(Taxonomy.flat(["a", ""]), tmp_path / "h.csv")
