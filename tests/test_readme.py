"""The examples in README.md and docs/ run, and print what is shown below them.

A ```python block is followed by a ```text block with what it prints, if anything. In a ```console block, lines
that start with `$ ` are run by a shell, the lines after one are its standard output. Blanks and line ends count
alike, so that long lines can be wrapped; `...` stands for anything. Blocks of one page run one after the other in
one directory, in which `src` is the one of the project.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from support.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```\n(?:\n*^```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


class Example(NamedTuple):
    """Something to run, and the standard output that the page shows for it."""

    arguments: list[str]
    shown: str


def examples(text: str) -> list[Example]:
    """The examples of a page, in order."""
    found = []
    for kind, content, printed in BLOCK.findall(text):
        if kind == "python":
            found.append(Example([sys.executable, "-c", content], printed))
            continue
        commands = re.split(r"^\$ ", content, flags=re.MULTILINE)
        assert not commands[0].strip(), "a console block starts with a command"
        for command in commands[1:]:
            line, _, shown = command.partition("\n")
            found.append(Example(["bash", "-c", line], shown))
    return found


def same(shown: str, printed: str) -> bool:
    """Whether the output is as shown, up to blanks and `...`."""
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(shown.strip() + "\n", printed.strip() + "\n", options)


TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
"""They run in `test_tutorials`, in one process."""
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted({*(ROOT / "docs").rglob("*.md")} - {*TUTORIALS}))
    if examples(page.read_text("utf-8"))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_examples_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    (tmp_path / "src").symlink_to(ROOT / "src", target_is_directory=True)
    here = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    for example in examples(page.read_text("utf-8")):
        run = subprocess.run(
            example.arguments,
            cwd=tmp_path,
            env={**os.environ, "PATH": here, "COLUMNS": "120"},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert run.returncode == 0, f"{example.arguments[-1]}\n{run.stderr}"
        assert same(example.shown, run.stdout), f"{example.arguments[-1]}\nshown:\n{example.shown}\nis:\n{run.stdout}"


def test_the_readme_has_examples_of_both_kinds() -> None:
    tools = {example.arguments[0] for example in examples((ROOT / "README.md").read_text("utf-8"))}
    assert tools == {"bash", sys.executable}


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
    assert same(shown, printed) is expected


def test_blocks_are_taken_apart() -> None:
    text = "```console\n$ echo 1\n1\n$ echo 2\n```\n\n```python\nprint(3)\n```\n\n```text\n3\n```\n"
    assert [(e.arguments[-1], e.shown) for e in examples(text)] == [
        ("echo 1", "1\n"),
        ("echo 2", ""),
        ("print(3)\n", "3\n"),
    ]
