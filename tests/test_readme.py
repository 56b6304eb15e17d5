"""The examples in README.md and docs/ run, and print what is shown below them.

A ```python block is followed by a ```text block with what it prints, if anything. In a ```console block, lines
that start with `$ ` are run by a shell, the lines after one are its standard output. Blanks and line ends count
alike, so that long lines can be wrapped; `...` stands for anything. Blocks of one page run one after the other in
one directory, in which `src` is the one of the project. Those of README.md run as a newcomer runs them, each in a
process of its own; those of other pages in this one, which is quick.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.pages import ROOT, Example, examples, printed_by, printed_by_command
from support.waiting import PATIENCE

README = ROOT / "README.md"
PAGES = [
    pytest.param(
        page, marks=pytest.mark.slow if page.parent.name == "tutorials" else [], id=page.relative_to(ROOT).as_posix()
    )
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if examples(page.read_text("utf-8"))
]


@pytest.fixture
def beside_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory of its own, in which `src` is the project's, and a screen of a known width."""
    (tmp_path / "src").symlink_to(ROOT / "src", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("PATH", os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))


@pytest.mark.usefixtures("beside_the_sources")
@pytest.mark.parametrize("page", PAGES)
def test_examples_print_what_the_page_shows(page: Path) -> None:
    for example in examples(page.read_text("utf-8")):
        example.check(printed_by(example))


@pytest.mark.slow
@pytest.mark.usefixtures("beside_the_sources")
def test_the_readme_works_for_a_newcomer() -> None:
    for example in examples(README.read_text("utf-8")):
        program = [sys.executable, "-c"] if example.kind == "python" else ["bash", "-c"]
        run = subprocess.run([*program, example.code], capture_output=True, text=True, timeout=PATIENCE)
        assert run.returncode == 0, f"{example.code}\n{run.stderr}"
        example.check(run.stdout)


def test_the_readme_has_examples_of_both_kinds() -> None:
    assert {example.kind for example in examples(README.read_text("utf-8"))} == {"python", "console"}


@pytest.mark.parametrize(
    ("shown", "printed", "expected"),
    [
        ("a b\n", "a\nb\n", True),
        ("a ... d\n", "a b c d\n", True),
        ("a b\n", "a c\n", False),
        ("", "a\n", False),
        ("a\n", "", False),
    ],
)
def test_outputs_are_compared_strictly_but_for_blanks_and_dots(shown: str, printed: str, expected: bool) -> None:
    assert Example("console", "", shown).is_printed_as(printed) is expected


def test_blocks_are_taken_apart() -> None:
    text = "```console\n$ echo 1\n1\n$ echo 2\n```\n\n```python\nprint(3)\n```\n\n```text\n3\n```\n"
    found = examples(text)
    assert found == [("console", "echo 1", "1\n"), ("console", "echo 2", ""), ("python", "print(3)\n", "3\n")]
    assert [printed_by(example) for example in found] == ["1\n", "2\n", "3\n"]


def test_a_failing_command_fails_the_page() -> None:
    assert printed_by_command('tacit methods --nonsense; echo "exit code $?"').endswith("exit code 2\n")
    for command in ("tacit methods --nonsense", "false"):
        with pytest.raises(AssertionError):
            printed_by_command(command)
