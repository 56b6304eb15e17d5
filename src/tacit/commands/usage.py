"""How commands are called: the usage, in a line, and the help, on a page as wide as the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from shutil import get_terminal_size

from tacit.commands.parts import Argument, Command, Group, Option

HELP = "--help"
_HELP_ROW = (HELP, "Show this message and exit.")
_WIDEST, _NARROWEST = 100, 40
_KEPT = "\N{NO-BREAK SPACE}"
"""A blank at which no line is broken."""


def usage(part: Command | Group, called: str) -> str:
    """How a command is called, in a line."""
    if isinstance(part, Group):
        return f"{called} [OPTIONS] COMMAND [ARGS]..."
    arguments = (a.metavar if a.needed else f"[{a.metavar}]" for a in part.arguments)
    return " ".join([called, "[OPTIONS]", *arguments])


def help_page(part: Command | Group, called: str) -> str:
    """What a command does and takes, or a group's commands with a line each."""
    width = max(min(get_terminal_size().columns, _WIDEST), _NARROWEST)
    blocks = [f"Usage: {usage(part, called)}", _filled(part.summary, width)]
    if isinstance(part, Group):
        answers = [(flag, meaning) for flag, (meaning, _) in part.answers.items()]
        blocks.append(_table("Options", [*answers, _HELP_ROW], width))
        commands = [(name, command.summary) for name, command in part.commands.items()]
        blocks.append(_table("Commands", commands, width, one_line=True))
        if part.epilog:
            blocks.append(_filled(part.epilog, width))
    else:
        if part.arguments:
            blocks.append(_table("Arguments", [(a.metavar, _explained(a)) for a in part.arguments], width))
        options = [(f"{', '.join(o.flags)} {o.metavar}".rstrip(), _explained(o)) for o in part.options]
        blocks.append(_table("Options", [*options, _HELP_ROW], width))
    return "\n\n".join(blocks)


def _explained(part: Argument | Option) -> str:
    """The help of an argument or option, with what is to be known about its value."""
    facts = [part.help]
    if part.default:
        facts.append(f"[default: {part.default}]")
    if isinstance(part, Option) and part.least is not None:
        facts.append(f"[x>={part.least}]")
    if part.needed:
        facts.append("[required]")
    return f" {_KEPT}".join([facts[0], *(fact.replace(" ", _KEPT) for fact in facts[1:])])


def _table(title: str, rows: Sequence[tuple[str, str]], width: int, one_line: bool = False) -> str:
    """Names and what they mean, aligned."""
    left = max(len(name) for name, _ in rows) + 4
    lines = [f"{title}:"]
    for name, meaning in rows:
        room = width - left
        shown = [textwrap.shorten(meaning, room, placeholder=" ...")] if one_line else _wrapped(meaning, room)
        lines += [f"  {name}".ljust(left) + shown[0], *(" " * left + line for line in shown[1:])]
    return "\n".join(lines)


def _filled(text: str, width: int) -> str:
    return "\n".join(f"  {line}" for line in _wrapped(text, width - 2))


def _wrapped(text: str, width: int) -> list[str]:
    lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return [line.replace(_KEPT, " ").strip() for line in lines] or [""]
