"""What the command line is made of, on Click: groups that import a command when it is used, commands, and values.

Click reads the words. What is ours: arguments are explained in the help, which is shown even if something else on the
line is wrong; and an option is never taken for the value of another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import click

HELP = "--help"
SETTINGS = {"help_option_names": [HELP], "max_content_width": 100, "show_default": True}


class Group(click.Group):
    """Commands under one name. `places` tells where each one is, as `module:name`; it is imported when it is used."""

    def __init__(self, name: str, places: Mapping[str, str], **more: Any) -> None:
        super().__init__(name, context_settings=SETTINGS, **more)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which the help lists them."""
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._places:
            return None
        module, _, name = self._places[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Somebody who asks for nothing gets the help, as a mistake."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        with _told_where(ctx, args):
            return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self._places and not ctx.resilient_parsing:
            raise NoSuchCommand(args[0], ctx)
        return super().resolve_command(ctx, args)


class NoSuchCommand(click.UsageError):
    """A word that stands for no command of its group."""

    def __init__(self, word: str, ctx: click.Context) -> None:
        super().__init__(f"No such command {word!r}.", ctx)
        self.word = word


class Argument(click.Argument):
    """What a command takes by its place, with what the help says about it."""

    def __init__(self, *declared: Any, about: str, **more: Any) -> None:
        super().__init__(*declared, **more)
        self.about = about

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [self.human_readable_name if self.required else f"[{self.human_readable_name}]"]


class Command(click.Command):
    """A function that takes arguments and options by their names. It may give an exit code; else that is 0."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        words = args[: args.index("--")] if "--" in args else list(args)
        if HELP in words:
            click.echo(ctx.get_help())
            ctx.exit()
        self._look_for_values(ctx, words)
        ctx.allow_extra_args = True  # they are told by us, below
        with _told_where(ctx, words):
            more = super().parse_args(ctx, args)
        if more:
            raise click.UsageError(f"Unexpected argument{'s' * (len(more) > 1)}: {' '.join(map(repr, more))}.", ctx)
        return more

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        arguments = [param for param in self.params if isinstance(param, Argument)]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl([(argument.human_readable_name, _explained(argument)) for argument in arguments])
        super().format_options(ctx, formatter)

    def _look_for_values(self, ctx: click.Context, words: Sequence[str]) -> None:
        """Refuses an option whose value is missing: Click would take the option after it for one."""
        options = {flag: param for param in self.params if isinstance(param, click.Option) for flag in param.opts}
        position = 0
        while position < len(words):
            option, position = options.get(words[position]), position + 1
            if option is not None and not option.is_flag:
                if position < len(words) and words[position] in options:
                    raise click.BadOptionUsage(option.opts[-1], "needs a value", ctx)
                position += 1


def _explained(argument: Argument) -> str:
    """What an argument means, and what is to be known about its value."""
    return f"{argument.about}  [{'required' if argument.required else f'default: {argument.default}'}]"


@contextmanager
def _told_where(ctx: click.Context, words: Sequence[str]) -> Iterator[None]:
    """Has a mistake know the command it is about, and the whole word: of `-json` Click says that there is no `-j`."""
    try:
        yield
    except click.NoSuchOption as error:
        name = error.option_name
        whole = next((word for word in words if word.startswith(name) and not name.startswith("--")), name)
        raise click.NoSuchOption(whole.partition("=")[0], ctx=ctx) from None
    except click.UsageError as error:
        error.ctx = error.ctx or ctx
        raise


def command(function: Callable[..., int | None]) -> Command:
    """Makes a function a command; its docstring is the summary."""
    made: Command = click.command(cls=Command, context_settings=SETTINGS)(function)
    return made


def argument(name: str, metavar: str, about: str, **more: Any) -> Callable[[Any], Any]:
    """An argument, which is a path unless told otherwise; several commands may take the same one."""

    def take(function: Any) -> Any:
        return click.argument(name, cls=Argument, metavar=metavar, about=about, **{"type": PATH, **more})(function)

    return take


# What values are


class _PathType(click.Path):
    """A path that is text. Whether it can be read is found out, and told, by whoever reads it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from tacit.io.raw import check_name  # brings Arrow with it

        path = super().convert(value, param, ctx)
        assert isinstance(path, Path)
        check_name(path)
        return path


PATH = _PathType(path_type=Path, readable=False)


class Number(click.ParamType):
    """A number of at least so much; the help of the option says how much."""

    name = "number"

    def __init__(self, kind: type[int] | type[float], least: float | None = None) -> None:
        self.kind, self.least = kind, least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            number = self.kind(value)
        except ValueError:
            self.fail(f"{value!r} is not {'a whole number' if self.kind is int else 'a number'}", param, ctx)
        if self.least is not None and not number >= self.least:  # `nan` is not above anything, either
            self.fail(f"{value} is out of range, it must be at least {self.least}", param, ctx)
        return number


class Word(click.ParamType):
    """A text that the shell can complete. Whoever takes it says whether it is a right one."""

    name = "text"

    def __init__(self, known: Callable[[], Iterable[str]]) -> None:
        self.known = known

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in self.known() if word.startswith(incomplete)]
