"""Completion by the shell: `completion` prints what a shell has to read for it, which is Click's own."""

from __future__ import annotations

import click

from tacit.commands.parts import Word, argument, command
from tacit.errors import InputError

PROGRAM, ASKED_BY = "tacit", "_TACIT_COMPLETE"
"""By that variable of the environment a shell asks the program for completions."""
SHELLS = ("bash", "zsh", "fish")


@command
@argument("shell", "SHELL", "Which one: bash, zsh or fish.", type=Word(lambda: SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what a shell reads to complete commands, options and files."""
    from click.shell_completion import get_completion_class

    if shell not in SHELLS or (kind := get_completion_class(shell)) is None:
        raise InputError(f"there is no completion for {shell!r}", hint=f"Choose one of: {', '.join(SHELLS)}.")
    print(kind(context.find_root().command, {}, PROGRAM, ASKED_BY).source())
