"""What several commands take and print."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.commands.parts import PATH, Word, argument

if TYPE_CHECKING:
    from tacit.commands.telling import Telling
    from tacit.release import Release


def note(name: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """What notes the value of an option in the command's `Telling`, which is told by all that follows."""

    def noted(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
        if context.obj is not None:  # there is none while the shell asks for completions
            setattr(context.obj, name, value)
        return value

    return noted


def formats() -> list[str]:
    """The formats of files, those that are not packed by themselves also gzipped."""
    from tacit.io.formats import FORMATS, PACKABLE

    return [*FORMATS, *(f"{name}.gz" for name in PACKABLE)]


JOB = argument("job", "JOB", "The job file (TOML).")
SET = click.option(
    "--set", "settings", metavar="KEY=VALUE", multiple=True, help="Change the job: privacy.k=10. Repeatable."
)
ENGINE = click.option(
    "--engine",
    metavar="NAME",
    type=click.Choice(["local", "spark", "sail"]),
    help="Where the work is done: local (this machine), spark (a cluster) or sail (no Java); default: as the job says.",
)
LANGUAGE = click.option(
    "--language",
    metavar="WHICH",
    type=click.Choice(["en", "de"]),
    help="Of the report and the public note: en or de; default: as the job says, else en.",
)
FORCE = click.option("--force", is_flag=True, help="Replace the output if it exists, all at once.")
KEY = click.option("--key", metavar="FILE", type=PATH, help="The key of a release to make again; default: a fresh one.")
NO_REPORT = click.option("--no-report", is_flag=True, help="Leave out private/report.html.")
NO_ATTACK = click.option("--no-attack", is_flag=True, help="Play no attacker, and leave out private/attack.json.")
DATA_FORMAT = click.option(
    "--format",
    "data_format",
    metavar="FORMAT",
    type=Word(formats),
    help="The data's format, if its name does not tell.",
)
PROGRESS = click.option(
    "--progress",
    metavar="HOW",
    type=click.Choice(["auto", "json"]),
    default="auto",
    expose_value=False,
    callback=note("progress_as"),
    help="How far it is: auto (a bar or lines), or json (an object a line).",
)
QUIET = click.option(
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=note("quiet"),
    help="No progress and no notes, only the result and errors.",
)
AS_JSON = click.option("--json", "as_json", is_flag=True, callback=note("as_json"), help="Print the result as JSON.")


def with_engine(settings: tuple[str, ...], engine: str | None, language: str | None = None) -> tuple[str, ...]:
    """The job's settings, with the engine and the language that a command was told to use."""
    asked = {"engine.name": engine, "release.language": language}
    return (*settings, *(f"{key}={value}" for key, value in asked.items() if value is not None))


def given_key(file: Path | None) -> bytes | None:
    """The key that a command was told to use."""
    from tacit.io.keys import read_key

    return None if file is None else read_key(file)


def show_release(release: Release, directory: Path, telling: Telling, as_json: bool) -> None:
    """What was made, and where it is."""
    for text in (*release.kind.tells_nothing(release.utility), *release.notes):
        telling.note(text)
    if as_json:
        print_json({"directory": str(directory), "audit": release.audit.to_dict(), "utility": release.utility,
                    "notes": list(release.notes)})  # fmt: skip
        return
    print(release)
    print(f"\nTo publish: {directory / 'public'}\nFor you alone: {directory / 'private'}")


def print_json(content: dict[str, Any]) -> None:
    """As JSON that a reader takes whatever the encoding of standard output."""
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(content, ensure_ascii=not is_unicode, indent=2))
