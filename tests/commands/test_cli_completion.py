"""Completion by the shell: what it reads, and what it is answered."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from support.commands import tacit


def answers(line: str) -> set[str]:
    """What the program answers a shell that asks for the last word of a line; an empty one after a blank."""
    words = line.split(" ")
    asked = {"_TACIT_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    ended = subprocess.run(
        [sys.executable, "-m", "tacit"], env={**os.environ, **asked}, capture_output=True, text=True, check=True
    )
    assert ended.stderr == ""
    return {answer.partition(",")[2] for answer in ended.stdout.split()}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_a_shell_reads(shell: str) -> None:
    ended = tacit("completion", shell)
    assert ended.code == 0 and "_TACIT_COMPLETE" in ended.out and f"{shell}_complete" in ended.out
    if path := shutil.which(shell):
        assert subprocess.run([path, "-n"], input=ended.out.encode(), check=False).returncode == 0


def test_a_shell_that_is_not_known() -> None:
    ended = tacit("completion", "cmd")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("tacit: there is no completion for 'cmd'\n  Choose one of: bash, zsh, fish.")


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("tacit a", {"anonymize", "apply", "attack", "audit"}),
        ("tacit hierarchy ", {"build", "check", "show"}),
        ("tacit anonymize --no", {"--no-attack", "--no-report"}),
        ("tacit anonymize job.toml --pro", {"--progress"}),
        ("tacit anonymize job.toml --progress ", {"auto", "json"}),
        ("tacit demo s", {"slices"}),
        ("tacit init data.csv --kind ra", {"ratings"}),
        ("tacit hierarchy build data.csv --kind ", {"auto", "balanced", "frequency", "prefix", "intervals", "dates"}),
        ("tacit apply out new.csv --unseen ", {"refuse", "suppress"}),
        ("tacit audit job.toml x --format p", {"parquet", "parquet.gz"}),
        ("tacit completion z", {"zsh"}),
    ],
)
def test_answers(line: str, wanted: set[str]) -> None:
    assert answers(line) == wanted
