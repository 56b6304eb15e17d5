"""Running what a command line says.

The standard library's argparse reads the options; what it leaves are the arguments, wherever they stand. A mistake is
bad input like any other: it is told with what was probably meant, and with the usage.
"""

from __future__ import annotations

import sys
from argparse import ArgumentError, ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from tacit.commands.parts import Argument, Command, Group, Option
from tacit.commands.usage import HELP, help_page, usage
from tacit.errors import InputError

_NUMBERS: dict[Callable[[str], Any], str] = {int: "a whole number", float: "a number"}


def run(part: Command | Group, words: Sequence[str], called: str) -> int:
    """Runs a command, or the one of a group that the words name, and gives its exit code.

    `called` is how the user called it so far, such as `tacit hierarchy`.
    """
    try:
        if isinstance(part, Command):
            return _run_command(part, words, called)
        if words and words[0] in part.commands:
            return run(part.commands[words[0]], words[1:], f"{called} {words[0]}")
        return _answer(part, words, called)
    except _Mistake as mistake:
        hint = f"Usage: {usage(part, called)}\n  Try '{called} {HELP}' for help."
        raise InputError(str(mistake), hint=hint) from None


class _Mistake(Exception):
    """Of the user, in what is written after a command."""


def _answer(group: Group, words: Sequence[str], called: str) -> int:
    """What a group itself says: its help, also to somebody who asks for nothing, or another answer."""
    if not words:
        print(help_page(group, called), file=sys.stderr)
        return 2
    word = words[0]
    if word == HELP:
        print(help_page(group, called))
    elif word in group.answers:
        _, answer = group.answers[word]
        print(answer())
    elif word.startswith("-"):
        raise _Mistake(f"No such option: {word}.{_meant(word, [*group.answers, HELP])}")
    else:
        raise _Mistake(f"No such command {word!r}.{_meant(word, group.commands)}")
    return 0


def _run_command(command: Command, words: Sequence[str], called: str) -> int:
    end = words.index("--") if "--" in words else len(words)
    if HELP in words[:end]:
        print(help_page(command, called))
        return 0
    options, left = _read_options(command, words[:end])
    arguments = _read_arguments(command.arguments, [*left, *words[end + 1 :]])
    for option in command.options:
        if option.needed and options[option.name] is None:
            raise _Mistake(f"Missing option {' / '.join(map(repr, option.flags))}.")
    return command.function(**arguments, **options) or 0


def _read_options(command: Command, words: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """The values of all options by name, and the words that belong to none."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for option in command.options:
        _declare(option, parser)
    try:
        found, left = parser.parse_known_args(words)
    except ArgumentError as error:
        raise _Mistake(f"{error.argument_name}: {error.message}") from None
    known = [flag for option in command.options for flag in option.flags]
    for word in left:
        if word.startswith("-") and word != "-":
            flag = word.partition("=")[0]
            raise _Mistake(f"No such option: {flag}.{_meant(flag, [*known, HELP])}")
    return vars(found), left


def _declare(option: Option, parser: ArgumentParser) -> None:
    if not option.metavar:
        parser.add_argument(*option.flags, dest=option.name, action="store_true")
    elif option.repeated:
        parser.add_argument(*option.flags, dest=option.name, action="append", default=[])
    else:
        parser.add_argument(*option.flags, dest=option.name, type=_reader(option), default=option.default)


def _reader(option: Option) -> Callable[[str], Any]:
    """What makes a value of a text, or tells why there is none."""

    def read(text: str) -> Any:
        try:
            value = option.type(text)
        except ValueError:
            raise ArgumentTypeError(f"{text!r} is not {_NUMBERS[option.type]}") from None
        if option.least is not None and not value >= option.least:  # `nan` is not above anything, either
            raise ArgumentTypeError(f"{text} is out of range, it must be at least {option.least}")
        return value

    return read


def _read_arguments(arguments: Sequence[Argument], words: Sequence[str]) -> dict[str, Any]:
    """The values of all arguments by name."""
    values = {argument.name: argument.type(word) for argument, word in zip(arguments, words, strict=False)}
    for argument in arguments[len(words) :]:
        if argument.needed:
            raise _Mistake(f"Missing argument {argument.metavar!r}.")
        values[argument.name] = argument.default
    if more := words[len(arguments) :]:
        raise _Mistake(f"Unexpected argument{'s' * (len(more) > 1)}: {' '.join(map(repr, more))}.")
    return values


def _meant(word: str, known: Iterable[str]) -> str:
    """What somebody who wrote this word probably meant, as a question."""
    names = {name.lstrip("-"): name for name in known}
    bare = word.lstrip("-").lower()
    begun = [name for name in names if bare and name.startswith(bare)]
    close = [names[name] for name in begun or get_close_matches(bare, names, n=1)]
    return f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
