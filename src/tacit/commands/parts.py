"""What a command line is made of: groups of commands, and the arguments and options that these take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple


class Argument(NamedTuple):
    """What a command takes by its place; needed, unless there is a default."""

    name: str
    metavar: str
    help: str
    type: Callable[[str], Any] = Path
    default: Any = None

    @property
    def needed(self) -> bool:
        return self.default is None


class Option(NamedTuple):
    """What a command takes by a flag. Without a metavar it is a switch, which has no value."""

    name: str
    flags: tuple[str, ...]
    metavar: str
    help: str
    type: Callable[[str], Any] = str
    default: Any = None
    least: float | None = None
    needed: bool = False
    repeated: bool = False


class Command(NamedTuple):
    """A function that takes arguments and options by their names. It may give an exit code; else that is 0."""

    name: str
    summary: str
    arguments: tuple[Argument, ...]
    options: tuple[Option, ...]
    function: Callable[..., int | None]


class Group(NamedTuple):
    """Commands under one name, and questions that it answers itself: a flag, its help, and what gives the answer."""

    name: str
    summary: str
    commands: Mapping[str, Command | Group]
    answers: Mapping[str, tuple[str, Callable[[], str]]] = {}
    epilog: str = ""


def option(flags: str, metavar: str, help: str, type: Callable[[str], Any] = str, **more: Any) -> Option:
    """An option by its flags, such as `-o --output`. Its name is that of the last one, unless told otherwise."""
    each = tuple(flags.split())
    return Option(more.pop("name", each[-1].lstrip("-").replace("-", "_")), each, metavar, help, type, **more)


def switch(flag: str, help: str, **more: Any) -> Option:
    """An option that is given or not."""
    return option(flag, "", help, default=False, **more)


def command(*parts: Argument | Option) -> Callable[[Callable[..., int | None]], Command]:
    """Makes a function a command that takes these parts; its docstring is the summary."""

    def made(function: Callable[..., int | None]) -> Command:
        arguments = tuple(part for part in parts if isinstance(part, Argument))
        options = tuple(part for part in parts if isinstance(part, Option))
        return Command(function.__name__, function.__doc__ or "", arguments, options, function)

    return made


def group(name: str, summary: str, *commands: Command | Group, **more: Any) -> Group:
    """A group, in the order in which its help lists the commands."""
    return Group(name, summary, {command.name: command for command in commands}, **more)
