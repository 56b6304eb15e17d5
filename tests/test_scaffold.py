"""`make new-method` and `make new-promise` write the files that CONTRIBUTING.md lists, and a twin that fails."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from tools.facts import KINDS
from tools.scaffold import main, method_files, promise_files, write
from tools.templates import OPEN

METHOD = {"src/tacit/records/methods/very_new.py", "docs/methods/very-new.md", "tests/naive/very_new.py"}
PROMISE = {
    "src/tacit/promises/very_new.py",
    "src/tacit/audits/very_new.py",
    "docs/promises/very-new.md",
    "tests/naive/audits/very_new.py",
}


def test_the_files_are_those_that_are_listed() -> None:
    listed = (Path(__file__).resolve().parents[1] / "CONTRIBUTING.md").read_text("utf-8")
    assert set(re.findall(r"NAME=(\S+)", listed)) == {"my-method", "my-promise"}, "names that nobody has yet"
    assert set(method_files("records", "very-new", ["k", "l"])) == METHOD
    assert set(promise_files("records", "very-new")) == PROMISE
    for file in METHOD:
        general = file.replace("records", "<kind>").replace("very_new", "<name>").replace("very-new", "<name>")
        assert f"`{general}`" in listed
    for file in PROMISE:
        assert f"`{file.replace('very_new', '<name>').replace('very-new', '<name>')}`" in listed


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_python_and_all_of_them_say_that_they_are_open(kind: str) -> None:
    promise = {"baskets": "km", "records": "k", "slices": "sliced-l", "ratings": "k-eps"}[kind]
    for file, text in (method_files(kind, "very-new", [promise]) | promise_files(kind, "very-new")).items():
        assert OPEN in text.lower(), file
        if file.endswith(".py"):
            ast.parse(text)
            assert max(map(len, text.splitlines())) <= 120


def test_the_twins_fail_until_they_are_written() -> None:
    files = method_files("slices", "very-new", ["sliced-l"]) | promise_files("slices", "very-new")
    given = {"table": None, "promise": None, "roles": {}, "original": None}
    for file, function, arguments in (
        ("tests/naive/very_new.py", "publishes", {"case": None, "promise": None}),
        ("tests/naive/audits/very_new.py", "holds", given),
        ("tests/naive/audits/very_new.py", "best_guess", given),
        ("tests/naive/audits/very_new.py", "attack", {**given, "original": None, "paths": {}}),
        ("tests/naive/audits/very_new.py", "at_the_bound", {}),
    ):
        scope: dict[str, object] = {}
        exec(files[file], scope)
        with pytest.raises(AssertionError, match="Write"):
            scope[function](**arguments)  # type: ignore[operator]


def test_nothing_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(promise_files("records", "very-new"), tmp_path)
    assert {line.removeprefix("wrote: ") for line in capsys.readouterr().out.splitlines()} == PROMISE
    with pytest.raises(SystemExit, match="there already"):
        write(promise_files("records", "very-new"), tmp_path)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["method", "people", "very-new", "k"], "KIND"),
        (["method", "records", "Very new", "k"], "NAME"),
        (["method", "records", "mondrian", "k"], "there already"),
        (["promise", "records", "lambda"], "word of Python"),
        (["method", "records", "with", "k"], "word of Python"),
        (["method", "records", "very-new", ""], "PROMISES"),
        (["method", "records", "very-new", "km"], "PROMISES"),
        (["method", "records", "very-new", "nonsense"], "no such promise"),
        (["promise", "records", "k"], "there already"),
        (["nonsense"], "usage"),
    ],
)
def test_mistakes_are_told(arguments: list[str], problem: str) -> None:
    with pytest.raises(SystemExit, match=problem):
        main(arguments)
