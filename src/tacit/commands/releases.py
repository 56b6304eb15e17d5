"""Making releases and checking them: `anonymize`, `audit`, `apply` and `demo`."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.commands.parts import PATH, Number, Word, argument, command
from tacit.commands.shared import (
    AS_JSON,
    DATA_FORMAT,
    ENGINE,
    FORCE,
    JOB,
    KEY,
    LANGUAGE,
    NO_ATTACK,
    NO_REPORT,
    PROGRESS,
    QUIET,
    SET,
    given_key,
    print_json,
    show_release,
    with_engine,
)
from tacit.commands.telling import Telling


@command
@JOB
@click.option("-o", "--output", metavar="DIR", type=PATH, help="Where the release goes.")
@SET
@NO_REPORT
@click.option("--strict", is_flag=True, help="Refuse a release of which an attribute, or most items, tell nothing.")
@NO_ATTACK
@click.option(
    "--attack-control",
    metavar="SHARE",
    type=Number(float, 0),
    help="Hold a share of the people out of the release, as a control for attackers: 0.1. [x>=0]",
)
@FORCE
@KEY
@ENGINE
@LANGUAGE
@PROGRESS
@QUIET
@AS_JSON
@click.pass_obj
def anonymize(
    telling: Telling,
    job: Path,
    output: Path | None,
    settings: tuple[str, ...],
    no_report: bool,
    strict: bool,
    no_attack: bool,
    attack_control: float | None,
    force: bool,
    key: Path | None,
    engine: str | None,
    language: str | None,
    as_json: bool,
) -> None:
    """Make a release: anonymize, audit, and write it, all or nothing."""
    from tacit.flow import anonymize_job
    from tacit.job import read_job

    if attack_control and (no_attack or attack_control >= 1):
        raise click.UsageError("--attack-control takes a share below 1, and attacks.")
    asked = read_job(job, overrides=with_engine(settings, engine, language))
    target = output or asked.output.directory
    with telling.making(target) as progress:
        release = anonymize_job(
            asked, directory=output, force=force, report=not no_report, strict=strict, attacks=not no_attack,
            held_out=attack_control or 0.0, key=given_key(key), progress=progress,
        )  # fmt: skip
    show_release(release, target, telling, as_json)


@command
@JOB
@argument("data", "DATA", "The published file.")
@click.option("--original", is_flag=True, help="Compare with the job's input, too: finds values that are not true.")
@click.option(
    "--rows",
    metavar="FILE",
    type=PATH,
    help="With --original: which record is which, to count persons who have several; default: the release's rows.csv.",
)
@click.option(
    "--allow-column",
    "allow_columns",
    metavar="NAME",
    multiple=True,
    help="A column beside those of the job that may tell people apart. Repeatable.",
)
@click.option(
    "--suppressed",
    metavar="WHAT",
    type=click.Choice(["group", "drop"]),
    default="group",
    help="Records with nothing but * in the quasi-identifiers: a group (default), or drop them, and say how many.",
)
@click.option("--missing-matches", is_flag=True, help="A missing quasi-identifier may be any value (sdcMicro); for k.")
@DATA_FORMAT
@SET
@ENGINE
@PROGRESS
@QUIET
@AS_JSON
@click.pass_obj
def audit(
    telling: Telling,
    job: Path,
    data: Path,
    original: bool,
    rows: Path | None,
    allow_columns: tuple[str, ...],
    suppressed: str,
    missing_matches: bool,
    data_format: str | None,
    settings: tuple[str, ...],
    engine: str | None,
    as_json: bool,
) -> int:
    """Check a published file against the job's promise, whoever made it."""
    from tacit.audits.foreign import Marks
    from tacit.job import read_job
    from tacit.steps.judging import audit_file

    if rows is not None and not original:
        raise click.UsageError("--rows tells which record of the input is which, so it needs --original.")
    asked = read_job(job, overrides=with_engine(settings, engine))
    with telling.progress() as progress:
        result, problems = audit_file(
            asked, data, original=original, rows=rows, format=data_format, allow_columns=allow_columns,
            marks=Marks(suppressed == "drop", missing_matches), progress=progress,
        )  # fmt: skip
    if as_json:
        print_json({**result.to_dict(), "false_values": problems} if original else result.to_dict())
    else:
        print(result)
        for problem in problems:
            print(f"Not true to the original: {problem}")
        if original and not problems:
            print("True to the original, as far as it can be compared without knowing which record is which.")
    return int(result.satisfied is not True or bool(problems))


def _what_to_do_with_unseen() -> tuple[str, ...]:
    from tacit.baskets.delivery import UNSEEN

    return UNSEEN


@command
@argument("release", "DIR", "The release whose recoding is used.")
@argument("data", "DATA", "The new delivery.")
@click.option("-o", "--output", metavar="DIR", type=PATH, help="Where it goes; default: DATA's name + '-out'.")
@click.option("--union", is_flag=True, help="Audit the new delivery together with what DIR published.")
@click.option(
    "--unseen",
    metavar="WHAT",
    type=Word(_what_to_do_with_unseen),
    default="refuse",
    help="Items the recoding never saw: refuse, or suppress them.",
)
@click.option("--extend", is_flag=True, help="Leave out of the new delivery what breaks the promise.")
@click.option("--seed", metavar="N", type=Number(int, 0), help="Does nothing: no search is made. [x>=0]")
@DATA_FORMAT
@NO_REPORT
@FORCE
@KEY
@ENGINE
@click.option("--remote", metavar="ADDRESS", help="With --engine spark: a Spark Connect server, sc://host:15002.")
@click.option("--master", metavar="MASTER", help="With --engine spark: the master of a cluster.")
@PROGRESS
@QUIET
@AS_JSON
@click.pass_obj
def apply(
    telling: Telling, release: Path, data: Path, output: Path | None, union: bool, unseen: str, extend: bool,
    seed: int | None, data_format: str | None, no_report: bool, force: bool, key: Path | None, engine: str | None,
    remote: str | None, master: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Recode new data of the same kind with a release's saved recoding, and audit the result."""
    from tacit.delivery import apply_release
    from tacit.job import Engine

    if (remote or master) and engine != "spark":
        raise click.UsageError("--remote and --master are for --engine spark.")
    target = output or data.with_name(data.name.split(".")[0] + "-out")
    with telling.making(target) as progress:
        made = apply_release(
            release, data, target,
            union=union, unseen=unseen, extend=extend,
            force=force, report=not no_report, format=data_format, key=given_key(key), seed=seed,
            engine=Engine(engine or "local", remote, master), progress=progress,
        )  # fmt: skip
    show_release(made, target, telling, as_json)


def _samples() -> tuple[str, ...]:
    from tacit.commands.samples import SAMPLES

    return SAMPLES


@command
@argument("name", "NAME", "Which sample: baskets, records, slices or ratings.", type=Word(_samples), default="baskets")
@click.option("-o", "--output", metavar="DIR", type=PATH, default=Path("out"), help="Where the release goes.")
@FORCE
@PROGRESS
@QUIET
@AS_JSON
@click.pass_obj
def demo(telling: Telling, name: str, output: Path, force: bool, as_json: bool) -> None:
    """Run the main job on sample data that ships with the package: anonymize, audit, report."""
    from tacit.commands.samples import demo_job
    from tacit.flow import anonymize_job
    from tacit.release import is_release_of

    with demo_job(name, output) as job, telling.making(output) as progress:
        again = is_release_of(output, job.input.source)  # what an earlier demo wrote is replaced, nothing else
        release = anonymize_job(job, force=force or again, progress=progress)
    show_release(release, output, telling, as_json)
