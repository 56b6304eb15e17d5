"""What a mistake in calling a command is told: bad input like any other, with what was probably meant and the usage."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

import click

from tacit.commands.parts import HELP, NoSuchCommand
from tacit.errors import InputError


def told(error: click.UsageError) -> InputError:
    """The mistake in our words, whichever version of Click found it."""
    if error.ctx is None:
        return InputError(error.message)
    context, command = error.ctx, error.ctx.command
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    return InputError(_words(error, context), hint=f"Usage: {usage}\n  Try '{context.command_path} {HELP}' for help.")


def _words(error: click.UsageError, context: click.Context) -> str:
    command = context.command
    options = [param for param in command.get_params(context) if isinstance(param, click.Option)]
    match error:
        case NoSuchCommand() if isinstance(command, click.Group):
            return f"No such command {error.word!r}.{_meant(error.word, command.list_commands(context))}"
        case click.NoSuchOption():
            flags = [flag for option in options for flag in option.opts]
            return f"No such option: {error.option_name}.{_meant(error.option_name, flags)}"
        case click.BadOptionUsage():
            option = next(option for option in options if error.option_name in option.opts)
            return f"{'/'.join(option.opts)}: {'takes no value' if option.is_flag else 'needs a value'}"
        case click.MissingParameter(param=click.Option() as option):
            return f"Missing option {' / '.join(map(repr, option.opts))}."
        case click.MissingParameter(param=click.Argument() as argument):
            return f"Missing argument {argument.human_readable_name!r}."
        case click.BadParameter(param=click.Option() as option):
            return f"{'/'.join(option.opts)}: {error.message}"
        case _:
            return error.message


def _meant(word: str, known: Iterable[str]) -> str:
    """What somebody who wrote this word probably meant, as a question."""
    names = {name.lstrip("-"): name for name in known}
    bare = word.lstrip("-").lower()
    begun = [name for name in names if bare and name.startswith(bare)]
    close = [names[name] for name in begun or get_close_matches(bare, names, n=1)]
    return f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
