"""How commands are called: what they take, what the help shows, and what a mistake is told."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from support.commands import tacit
from tacit.cli import TACIT
from tacit.commands import mistakes
from tacit.commands.parts import PATH, Argument, Command, Group, Number, argument, command
from tacit.commands.telling import Telling
from tacit.errors import InputError


def every_command(group: click.Group, above: click.Context, *names: str) -> Iterator[tuple[str, Command]]:
    for name in group.list_commands(above):
        part = group.get_command(above, name)
        if isinstance(part, click.Group):
            yield from every_command(part, above, *names, name)
        else:
            assert isinstance(part, Command)
            yield " ".join([*names, name]), part


CONTEXT = click.Context(TACIT)
COMMANDS = dict(every_command(TACIT, CONTEXT))


def options_of(command: Command) -> list[click.Option]:
    return [param for param in command.params if isinstance(param, click.Option)]


def arguments_of(command: Command) -> list[Argument]:
    return [param for param in command.params if isinstance(param, Argument)]


# What a command takes: read by one that gives back what it was given

got: dict[str, Any] = {}


@command
@argument("source", "SOURCE", "Where from.")
@argument("kind", "KIND", "Which.", type=str, default="plain")
@click.option("-o", "--output", metavar="DIR", type=PATH, default=Path("out"), help="Where to.")
@click.option("--set", "settings", metavar="KEY=VALUE", multiple=True, help="A setting.")
@click.option("--seed", metavar="N", type=Number(int, 0), help="A seed.")
@click.option("--share", metavar="SHARE", type=Number(float, 0.5), help="A share.")
@click.option("--force", is_flag=True, help="Replace.")
def make(**values: Any) -> None:
    """Make it."""
    got.clear()
    got.update(values)


def tool(*words: str) -> dict[str, Any]:
    """The values that a command of its own, `tool make`, gets from these words."""
    tools = Group("tool", {"make": f"{__name__}:make"}, help="A tool.")
    try:
        with tools.make_context("tool", ["make", *words], obj=Telling()) as context:
            tools.invoke(context)
    except click.UsageError as error:
        raise mistakes.told(error) from None
    return dict(got)


def test_defaults() -> None:
    assert tool("a.csv") == {
        "source": Path("a.csv"), "kind": "plain", "output": Path("out"), "settings": (),
        "seed": None, "share": None, "force": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        "a.csv odd -o x --force --set k=1 --set m=-2 --seed 7 --share 0.5",
        "-o x --force --set k=1 --set m=-2 --seed 7 --share 0.5 a.csv odd",
        "--set k=1 a.csv -ox --seed=7 odd --set=m=-2 --force --share=.5",
        "-o y --output=x --seed 8 --seed 7 --set k=1 --set m=-2 --share 5e-1 --force --force -- a.csv odd",
    ],
)
def test_options_stand_anywhere(words: str) -> None:
    assert tool(*words.split()) == {
        "source": Path("a.csv"), "kind": "odd", "output": Path("x"), "settings": ("k=1", "m=-2"),
        "seed": 7, "share": 0.5, "force": True,
    }  # fmt: skip


def test_words_that_begin_with_a_minus() -> None:
    assert tool("-", "-o", "-")["source"] == tool("-", "-o", "-")["output"] == Path("-")
    assert tool("a.csv", "--set=-x", "--set", "-y", "--set", "-1")["settings"] == ("-x", "-y", "-1")
    assert tool("a.csv", "--output=--force")["output"] == Path("--force")
    assert tool("--force", "--", "--force", "-x") == tool("a.csv", "--force") | {
        "source": Path("--force"),
        "kind": "-x",
    }


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "Missing argument 'SOURCE'."),
        ("--force", "Missing argument 'SOURCE'."),
        ("a b c", "Unexpected argument: 'c'."),
        ("a b c d", "Unexpected arguments: 'c' 'd'."),
        ("a --forc", "No such option: --forc. Did you mean '--force'?"),
        ("a --forec=1", "No such option: --forec. Did you mean '--force'?"),
        ("a --se 3", "No such option: --se. Did you mean '--set' or '--seed'?"),
        ("a --HELP", "No such option: --HELP. Did you mean '--help'?"),
        ("a -x", "No such option: -x."),
        ("a -force", "No such option: -force. Did you mean '--force'?"),
        ("a --xyz", "No such option: --xyz."),
        ("--outptu x", "No such option: --outptu. Did you mean '--output'?"),
        ("a --force=yes", "--force: takes no value"),
        ("a -o", "-o/--output: needs a value"),
        ("a -o --force", "-o/--output: needs a value"),
        ("a --seed x", "--seed: 'x' is not a whole number"),
        ("a --seed 1.5", "--seed: '1.5' is not a whole number"),
        ("a --seed -1", "--seed: -1 is out of range, it must be at least 0"),
        ("a --seed=-1", "--seed: -1 is out of range, it must be at least 0"),
        ("a --share 0.49", "--share: 0.49 is out of range, it must be at least 0.5"),
        ("a --share nan", "--share: nan is out of range"),
        ("a --share much", "--share: 'much' is not a number"),
    ],
)
def test_a_mistake(words: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        tool(*words.split())
    message, *hint = str(error.value).split("\n")
    assert message.startswith(told)
    assert hint == ["  Usage: tool make [OPTIONS] SOURCE [KIND]", "  Try 'tool make --help' for help."]


# The commands of tacit


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_takes_what_it_declares(name: str) -> None:
    declared = COMMANDS[name]
    names = [str(param.name) for param in declared.params if param.expose_value]
    assert declared.callback is not None
    taken = list(inspect.signature(inspect.unwrap(declared.callback)).parameters)
    assert [parameter for parameter in taken if parameter not in ("telling", "context")] == names


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_is_whole(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ended = tacit(*name.split(), "--help")
    assert (ended.code, ended.err) == (0, "")
    lines = [" ".join(line.split()) for line in ended.out.splitlines()]
    shown = " ".join(lines)
    declared = COMMANDS[name]
    assert lines[0].startswith(f"Usage: tacit {name} [OPTIONS]")
    assert declared.help is not None and declared.help in shown
    for taken in arguments_of(declared):
        assert f" {taken.metavar} {taken.about} [{'required' if taken.required else 'default: '}" in shown
    for option in options_of(declared):
        has_default = isinstance(option.default, str | Path | int | float) and not option.is_flag
        facts = [f"[default: {option.default}]"] * has_default + ["[required]"] * option.required
        row = " ".join([", ".join(option.opts), *(option.metavar or "").split(), str(option.help), *facts])
        assert f" {row} -" in shown
        least = getattr(option.type, "least", None)
        assert least is None or f"[x>={least}]" in str(option.help)
    assert lines[-1] == "--help Show this message and exit."
    assert name == "completion" or lines[-2] == "--json Print the result as JSON."


@pytest.mark.parametrize(("given", "widest"), [("30", 50), ("60", 60), ("80", 80), ("1000", 100)])
@pytest.mark.parametrize("name", ["", "hierarchy", *COMMANDS])
def test_help_is_as_wide_as_the_terminal(name: str, given: str, widest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", given)
    page = tacit(*name.split(), "--help").out
    assert page.isascii()
    assert all(len(line) <= widest for line in page.splitlines() if not line.startswith("Usage"))


@pytest.mark.parametrize("name", ["", "hierarchy"])
def test_somebody_who_asks_for_nothing_gets_help(name: str) -> None:
    ended, asked = tacit(*name.split()), tacit(*name.split(), "--help")
    assert (ended.code, ended.out, ended.err) == (2, "", asked.out)
    assert (asked.code, asked.err) == (0, "")


def test_the_list_of_commands_has_a_line_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    page = tacit("--help").out
    listed = page.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed] == TACIT.list_commands(CONTEXT)
    for line in listed:
        name, _, summary = line.strip().partition(" ")
        part = TACIT.get_command(CONTEXT, name)
        assert part is not None and str(part.help).startswith(summary.strip().removesuffix("..."))
    assert "Exit codes: 0 done;" in page


def test_help_goes_before_mistakes() -> None:
    assert tacit("anonymize", "--forc", "--help").out == tacit("anonymize", "--help").out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("anonymise job.toml", "No such command 'anonymise'. Did you mean 'anonymize'?"),
        ("ANONYMIZE job.toml", "No such command 'ANONYMIZE'. Did you mean 'anonymize'?"),
        ("hier", "No such command 'hier'. Did you mean 'hierarchy'?"),
        ("hierarchy chek h.csv", "No such command 'chek'. Did you mean 'check'?"),
        ("xyzzy", "No such command 'xyzzy'."),
        ("--vers", "No such option: --vers. Did you mean '--version'?"),
        ("hierarchy --version", "No such option: --version."),
        ("anonymize", "Missing argument 'JOB'."),
        ("audit job.toml", "Missing argument 'DATA'."),
        ("compare job.toml", "Missing option '-o' / '--output'."),
        ("hierarchy build shop.csv --forc", "No such option: --forc. Did you mean '--force'?"),
        ("apply out new.csv --seed -1", "--seed: -1 is out of range, it must be at least 0"),
        ("compare job.toml -o x --timeout 0.05", "--timeout: 0.05 is out of range, it must be at least 0.1"),
        ("compare job.toml -o x --workers 0", "--workers: 0 is out of range, it must be at least 1"),
        ("hierarchy show h.csv --depth -1", "--depth: -1 is out of range, it must be at least 0"),
    ],
)
def test_a_mistake_of_a_user(words: str, told: str) -> None:
    ended = tacit(*words.split())
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"tacit: {told}\n  Usage: tacit ")
    asked = tacit(*words.split(), "--json")
    assert (asked.code, asked.err) == (2, ended.err)
    assert asked.json() == {"error": ended.err.removeprefix("tacit: ").rstrip("\n"), "exit_code": 2}


def test_nobody_reads_on(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("".join(f"item {i},*\n" for i in range(20_000)))
    command = [sys.executable, "-m", "tacit.cli", "hierarchy", "show", "h.csv", "--json"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 1
