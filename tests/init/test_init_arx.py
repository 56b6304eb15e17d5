"""A job of a project of ARX, and hierarchies of Amnesia."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.arx import ASSIGNED, project
from support.commands import tacit
from tacit.errors import InputError
from tacit.init.arx import read_project
from tacit.taxonomy import check_hierarchy, read_hierarchy


def test_a_project_becomes_a_job_that_runs(tmp_path: Path) -> None:
    ended = tacit("init", project(tmp_path / "p.deid"), "-o", tmp_path / "job.toml")
    assert ended.code == 0, ended.err
    text = (tmp_path / "job.toml").read_text("utf-8")
    assert 'model = "l"\nk = 4\nl = 2\nkind = "distinct"' in text and 'hierarchy = "job-3-zip.csv"' in text
    assert [line.split()[2] for line in text.splitlines() if line.startswith("role")] == [
        '"identifier"', '"quasi"', '"quasi"', '"sensitive"',
    ]  # fmt: skip
    ended = tacit("anonymize", tmp_path / "job.toml", "--no-report", "--no-attack")
    assert ended.code == 0, ended.err
    assert tacit("init", tmp_path / "p.deid", "-o", tmp_path / "job.toml").code == 2  # it is there already


@pytest.mark.parametrize(
    ("criteria", "promise"),
    [
        (("7-anonymity",), 'model = "k"\nk = 7\n'),
        (("3-anonymity", "0.2-closeness with equal distance for attribute 'ill'"), 'model = "t"\nk = 3\nt = 0.2\n'),
        (("0.2-closeness with equal ground-distance for attribute 'ill'",), 'model = "t"\nk = 1\nt = 0.2\n'),
        (("5.0E-4-closeness with ordered distance for attribute 'ill'",), 'model = "t"\nk = 1\nt = 0.0005\n'),
        (("shannon-entropy-3.0-diversity for attribute 'ill'",), 'model = "l"\nk = 1\nl = 3\nkind = "entropy"\n'),
        (("entropy-1.5-diversity for attribute 'ill'",), 'model = "l"\nk = 1\nl = 1.5\nkind = "entropy"\n'),
        (("3-anonymity", "(e,d)-differential privacy"), "To decide first: nothing here says the same as ARX's (e,d)"),
    ],
)
def test_criteria_become_a_promise(criteria: tuple[str, ...], promise: str, tmp_path: Path) -> None:
    file = project(tmp_path / "p.deid", criteria=criteria)
    assert tacit("init", file, "-o", tmp_path / "job.toml").code == 0
    assert promise in (tmp_path / "job.toml").read_text("utf-8")


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"../escaped.txt": "x"}, "names a place outside"),
        ({"/etc/cron.d/x": "x"}, "names a place outside"),
        ({"C:/x": "x"}, "names a place outside"),
        ({"big.bin": bytes(40 << 20)}, "too large"),
        (
            {"input/definition.xml": '<!DOCTYPE a [<!ENTITY b "c">]><definition/>'},
            "definition.xml in the project cannot",
        ),
        ({"input/definition.xml": "<definition>"}, "definition.xml in the project cannot"),
        ({"project.xml": "<project><separator>ab</separator></project>"}, "no delimiter"),
        ({"input/hierarchies/zip.csv": b"\xff\x81\xff"}, "column 'zip': a hierarchy in the project cannot be read"),
        ({"data/input.csv": b"name;age\n\x81;1\n"}, "data of the project are in no encoding"),
    ],
)
def test_tricks_and_damage_are_refused(more: dict[str, str | bytes], problem: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=problem):
        read_project(project(tmp_path / "p.deid", more=more))


def test_a_project_that_windows_saved_is_read(tmp_path: Path) -> None:
    """ARX writes XML with numbers for other letters, and hierarchies in the encoding of the machine."""
    assigned = ASSIGNED.format(
        "stra&#223;e", "QUASI_IDENTIFYING_ATTRIBUTE", "String", "<ref>hierarchies/stra.csv</ref>"
    )
    more = {
        "data/input.csv": "straße\nGasse\nMühle\n".encode("cp1252"),
        "input/definition.xml": f"<definition>{assigned}</definition>",
        "input/hierarchies/straße.csv": "Gasse;*\nMühle;*\n".encode("cp1252"),
    }
    found = read_project(project(tmp_path / "p.deid", more=more))
    assert found.data.decode() == "straße\nGasse\nMühle\n"
    assert [(each.name, each.levels) for each in found.attributes] == [("straße", [["Gasse", "*"], ["Mühle", "*"]])]


def test_what_is_no_project_is_told(tmp_path: Path) -> None:
    (tmp_path / "p.deid").write_bytes(b"no archive")
    ended = tacit("init", tmp_path / "p.deid", "-o", tmp_path / "job.toml")
    assert ended.code == 2 and "not a whole project of ARX" in ended.err and not (tmp_path / "job.toml").exists()


AMNESIA = """distinct
name zip
type string
height 3

810 has 81001 81002
820 has 82001

Any has 810 820
"""


def test_hierarchies_of_amnesia_are_read(tmp_path: Path) -> None:
    (tmp_path / "h.txt").write_text(AMNESIA, encoding="utf-8")
    tree = read_hierarchy(tmp_path / "h.txt", ["81001", "82001"])
    assert sorted(tree.to_paths()) == [["81001", "810", "Any"], ["81002", "810", "Any"], ["82001", "820", "Any"]]
    (tmp_path / "bad.txt").write_text(AMNESIA.replace("820 has", "820 holds"), encoding="utf-8")
    assert [(fault.line, fault.problem) for fault in check_hierarchy(tmp_path / "bad.txt")] == [
        (7, "this is not a line of an Amnesia hierarchy")
    ]
    (tmp_path / "ranges.txt").write_text("range\nname age\ntype int\nheight 2\n\n0,9 has 0,4 5,9\n", encoding="utf-8")
    with pytest.raises(InputError, match="hierarchy of ranges"):
        read_hierarchy(tmp_path / "ranges.txt")
