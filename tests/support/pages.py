"""Examples in pages: what a block holds, what it shows, and what running it in this process prints."""

from __future__ import annotations

import doctest
import io
import re
import shlex
import subprocess
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

from support.commands import tacit
from support.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```\n(?:\n*^```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
_EXIT_CODE = '; echo "exit code $?"'


class Example(NamedTuple):
    """Something to run, and the standard output that the page shows for it."""

    kind: str  # python | console
    code: str
    shown: str

    def is_printed_as(self, printed: str) -> bool:
        """Whether the output is as shown, up to blanks and `...`."""
        options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        return doctest.OutputChecker().check_output(self.shown.strip() + "\n", printed.strip() + "\n", options)

    def check(self, printed: str) -> None:
        assert self.is_printed_as(printed), f"{self.code}\nshown:\n{self.shown}\nis:\n{printed}"


def examples(text: str) -> list[Example]:
    """The examples of a page, in order."""
    found = []
    for kind, content, printed in _BLOCK.findall(text):
        if kind == "python":
            found.append(Example(kind, content, printed))
            continue
        commands = re.split(r"^\$ ", content, flags=re.MULTILINE)
        assert not commands[0].strip(), "a console block starts with a command"
        found += [Example(kind, *command.partition("\n")[::2]) for command in commands[1:]]
    return found


def printed_by(example: Example) -> str:
    """What an example prints, run in this process and in its directory; raises if it fails without saying so."""
    if example.kind == "python":
        out = io.StringIO()
        with redirect_stdout(out):
            exec(compile(example.code, "<example>", "exec"), {"__name__": "__main__"})
        return out.getvalue()
    return printed_by_command(example.code)


def printed_by_command(command: str) -> str:
    """The same for a line of a console block; one that ends with `; echo "exit code $?"` may fail."""
    line = command.removesuffix(_EXIT_CODE)
    if line.startswith("tacit ") and not set(line) & set("|;&<>$"):
        done = tacit(*shlex.split(line)[1:])
        code, printed, said = done.code, done.out, done.err
    else:
        shell = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=PATIENCE)
        code, printed, said = shell.returncode, shell.stdout, shell.stderr
    if command.endswith(_EXIT_CODE):
        return f"{printed}exit code {code}\n"
    assert code == 0, f"{command}\n{said}"
    return printed
