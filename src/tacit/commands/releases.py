"""Making releases and checking them: `anonymize`, `audit`, `apply` and `demo`."""

from __future__ import annotations

from pathlib import Path

from tacit.commands.parts import Argument, command, option, switch
from tacit.commands.shared import AS_JSON, DATA_FORMAT, FORCE, JOB, NO_REPORT, SETTINGS, print_json, show_release


@command(
    JOB,
    option("-o --output", "DIR", "Where the release goes.", Path),
    SETTINGS, NO_REPORT, FORCE, AS_JSON,
)  # fmt: skip
def anonymize(job: Path, output: Path | None, settings: list[str], no_report: bool, force: bool, as_json: bool) -> None:
    """Make a release: anonymize, audit, and write it, all or nothing."""
    from tacit.commands.progress import shown_progress
    from tacit.flow import anonymize_job
    from tacit.job import read_job

    asked = read_job(job, overrides=settings)
    with shown_progress() as progress:
        release = anonymize_job(asked, directory=output, force=force, report=not no_report, progress=progress)
    show_release(release, output or asked.output.directory, as_json)


@command(
    JOB,
    Argument("data", "DATA", "The published file."),
    switch("--original", "Compare with the job's input, too: finds values that are not true."),
    DATA_FORMAT, SETTINGS, AS_JSON,
)  # fmt: skip
def audit(job: Path, data: Path, original: bool, data_format: str | None, settings: list[str], as_json: bool) -> int:
    """Check a published file against the job's promise, whoever made it."""
    from tacit.commands.progress import shown_progress
    from tacit.flow import audit_file
    from tacit.job import read_job

    asked = read_job(job, overrides=settings)
    with shown_progress() as progress:
        result, problems = audit_file(asked, data, original=original, format=data_format, progress=progress)
    if as_json:
        print_json({**result.to_dict(), "false_values": problems} if original else result.to_dict())
    else:
        print(result)
        for problem in problems:
            print(f"Not true to the original: {problem}")
        if original and not problems:
            print("True to the original, as far as it can be compared without knowing which record is which.")
    return int(result.satisfied is not True or bool(problems))


@command(
    Argument("release", "DIR", "The release whose recoding is used."),
    Argument("data", "DATA", "The new delivery."),
    option("-o --output", "DIR", "Where it goes; default: DATA's name + '-out'.", Path),
    switch("--union", "Audit the new delivery together with what DIR published."),
    option("--unseen", "WHAT", "Items the recoding never saw: refuse, or suppress them.", default="refuse"),
    switch("--extend", "Leave out of the new delivery what breaks the promise."),
    option("--seed", "N", "To make a delivery again; default: drawn.", int, least=0),
    DATA_FORMAT, NO_REPORT, FORCE, AS_JSON,
)  # fmt: skip
def apply(
    release: Path, data: Path, output: Path | None, union: bool, unseen: str, extend: bool, seed: int | None,
    data_format: str | None, no_report: bool, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Recode new data of the same kind with a release's saved recoding, and audit the result."""
    from tacit.baskets.delivery import apply_release
    from tacit.commands.progress import shown_progress

    target = output or data.with_name(data.name.split(".")[0] + "-out")
    with shown_progress() as progress:
        made = apply_release(
            release, data, target,
            union=union, unseen=unseen, extend=extend,
            force=force, report=not no_report, format=data_format, seed=seed, progress=progress,
        )  # fmt: skip
    show_release(made, target, as_json)


@command(
    Argument("name", "NAME", "Which sample: baskets, records, slices or ratings.", str, default="baskets"),
    option("-o --output", "DIR", "Where the release goes.", Path, default=Path("out")),
    FORCE, AS_JSON,
)  # fmt: skip
def demo(name: str, output: Path, force: bool, as_json: bool) -> None:
    """Run the main job on sample data that ships with the package: anonymize, audit, report."""
    from tacit.commands.progress import shown_progress
    from tacit.commands.samples import demo_job
    from tacit.flow import anonymize_job
    from tacit.release import is_release_of

    with demo_job(name, output) as job, shown_progress() as progress:
        again = is_release_of(output, job.input.source)  # what an earlier demo wrote is replaced, nothing else
        release = anonymize_job(job, force=force or again, progress=progress)
    show_release(release, output, as_json)
