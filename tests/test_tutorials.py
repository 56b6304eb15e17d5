"""The tutorials run as they are printed: their commands in this process, which is quick, the rest in a shell.

The pages are written as those of `test_readme`. A command that ends with `; echo "exit code $?"` may fail; all others
must not.
"""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from support.commands import tacit
from support.waiting import PATIENCE
from test_readme import ROOT, TUTORIALS, examples, same

_EXIT_CODE = '; echo "exit code $?"'
_MOST_BYTES = 150_000


def run(command: str, folder: Path) -> str:
    """What a line of a console block prints; raises if it fails without saying so."""
    line = command.removesuffix(_EXIT_CODE)
    if line.startswith("tacit ") and not set(line) & set("|;&<>$"):
        done = tacit(*shlex.split(line)[1:])
        code, printed, said = done.code, done.out, done.err
    else:
        shell = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
        code, printed, said = shell.returncode, shell.stdout, shell.stderr
    if command.endswith(_EXIT_CODE):
        return f"{printed}exit code {code}\n"
    assert code == 0, f"{command}\n{said}"
    return printed


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_prints_what_it_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "src").symlink_to(ROOT / "src", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    for example in examples(page.read_text("utf-8")):
        assert example.arguments[:2] == ["bash", "-c"], "tutorials are about commands"
        printed = run(example.arguments[-1], tmp_path)
        assert same(example.shown, printed), f"{example.arguments[-1]}\nshown:\n{example.shown}\nis:\n{printed}"


def test_there_is_a_tutorial_for_every_sample() -> None:
    from tacit.commands.samples import SAMPLES

    assert {page.stem for page in TUTORIALS} == set(SAMPLES)
    for page in TUTORIALS:
        text = page.read_text("utf-8")
        assert f"samples/{page.stem}" in text
        assert "](images/" in text, "a tutorial has a picture"


def test_pictures_are_small() -> None:
    pictures = sorted((ROOT / "docs" / "tutorials" / "images").iterdir())
    assert pictures
    assert [picture.name for picture in pictures if picture.stat().st_size > _MOST_BYTES] == []


def test_a_failing_command_fails_the_tutorial(tmp_path: Path) -> None:
    assert run('tacit methods --nonsense; echo "exit code $?"', tmp_path).endswith("exit code 2\n")
    with pytest.raises(AssertionError):
        run("tacit methods --nonsense", tmp_path)
    with pytest.raises(AssertionError):
        run("false", tmp_path)
