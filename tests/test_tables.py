"""The generated parts of the documentation show what is declared, and what the documentation names is there."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from tools.marks import renewed, without
from tools.templates import OPEN

from tools import tables

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if page.parent.name != "decisions"]  # they speak of their time
NAMED = re.compile(r"`((?:src|tests|tools|docs|benchmarks|studies)/[\w/.-]+?\.(?:py|md|json|toml))`")


def test_generated_parts_are_up_to_date() -> None:
    files = [path.relative_to(ROOT).as_posix() for path in tables.outdated()]
    assert not files, f"run `make tables`: {', '.join(files)} do not show what is declared"


def test_a_changed_part_is_noticed(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("images"))
    assert tables.outdated(tmp_path) == {}
    page = tmp_path / "docs" / "job.md"
    page.write_text(page.read_text("utf-8").replace("| [`km`]", "| [`kn`]"), encoding="utf-8")
    assert list(tables.outdated(tmp_path)) == [page]


def test_no_table_is_made_of_what_is_still_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tables.still_open() == []
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("src/tacit/promises/k_lm.py", "src/tacit/records/methods/rum_bound.py"):
        with (tmp_path / file).open("a", encoding="utf-8") as written:
            written.write(f"# {OPEN.capitalize()}: the rest\n")
    assert tables.still_open(tmp_path) == ["src/tacit/promises/k_lm.py", "src/tacit/records/methods/rum_bound.py"]
    monkeypatch.setattr(tables, "still_open", lambda: ["x.py"])
    monkeypatch.setattr(tables, "outdated", lambda: pytest.fail("a table was made"))
    with pytest.raises(SystemExit, match=rf"x\.py: {OPEN}"):
        tables.main()


def test_marks_that_are_lost_are_noticed(tmp_path: Path) -> None:
    page = tmp_path / "docs" / "choosing.md"
    page.parent.mkdir()
    page.write_text("no marks", encoding="utf-8")
    with pytest.raises(ValueError, match=r"docs/choosing\.md: there must be one part"):
        tables.outdated(tmp_path)


def test_what_is_written_by_hand_stays() -> None:
    text = "before\n<!-- x:start -->\nold\n<!-- x:end -->\nafter\n"
    assert renewed(text, ".md", {"x": "new\nlines"}) == "before\n<!-- x:start -->\nnew\nlines\n<!-- x:end -->\nafter\n"
    assert renewed("if A:\n    # x:start\n    # x:end\n", ".py", {"x": "    a"}) == (
        "if A:\n    # x:start\n    a\n    # x:end\n"
    )
    assert without(text) == "before\n\nafter\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_that_a_page_names_are_there(page: Path) -> None:
    named = NAMED.findall(page.read_text("utf-8"))
    assert [name for name in named if not (ROOT / name).is_file()] == []
