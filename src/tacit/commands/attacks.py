"""Playing attackers: `attack`."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.commands.parts import PATH, Number, command
from tacit.commands.shared import AS_JSON, DATA_FORMAT, JOB, PROGRESS, QUIET, SET, print_json
from tacit.commands.telling import Telling


@command
@JOB
@click.option("--release", metavar="DIR", type=PATH, help="A release of the job, to be attacked.")
@click.option("--published", metavar="FILE", type=PATH, help="A published file, whoever made it, to be attacked.")
@click.option("--rows", metavar="FILE", type=PATH, help="Which row is whose; default: the release's rows.csv.")
@click.option("--control", metavar="FILE", type=PATH, help="People who are not in the release, in the same columns.")
@click.option("--reference", metavar="FILE", type=PATH, help="A file of the population: k-map and presence.")
@click.option(
    "--earlier", metavar="DIR", type=PATH, multiple=True, help="Another release of the same people. Repeatable."
)
@click.option("--known", metavar="COLUMNS", help="What the attacker knows: age,sex. Default: all of role quasi.")
@click.option("--exact", is_flag=True, help="Attack everybody, without drawing a sample.")
@click.option("--quick", is_flag=True, help="Only the attackers that `anonymize` plays, too.")
@click.option("--seed", metavar="N", type=Number(int, 0), default=0, help="Who is attacked, and by what. [x>=0]")
@click.option("--witnesses", is_flag=True, help="With --release: write the rows that are found to private/.")
@click.option("--page", metavar="FILE", type=PATH, help="Write the page to sign there, as HTML.")
@click.option(
    "--language", metavar="WHICH", type=click.Choice(["en", "de"]), default="en", help="Of the page: en or de."
)
@DATA_FORMAT
@SET
@PROGRESS
@QUIET
@AS_JSON
@click.pass_obj
def attack(
    telling: Telling,
    job: Path,
    release: Path | None,
    published: Path | None,
    rows: Path | None,
    control: Path | None,
    reference: Path | None,
    earlier: tuple[Path, ...],
    known: str | None,
    exact: bool,
    quick: bool,
    seed: int,
    witnesses: bool,
    page: Path | None,
    language: str,
    data_format: str | None,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """Play attackers against a release, a published file, or (neither given) the original as if it were published."""
    from tacit.attack.flow import Plan, attack_job, write_witnesses
    from tacit.job import read_job

    if release is not None and published is not None:
        raise click.UsageError("--release and --published are two things to attack: give one.")
    if rows is not None and published is None and release is None:
        raise click.UsageError("--rows is about a published file: give --published, too.")
    if witnesses and release is None:
        raise click.UsageError("--witnesses writes into private/ of a release: give --release.")
    if earlier and published is None and release is None:
        raise click.UsageError("--earlier is about two releases together: give --release or --published, too.")
    columns = None if known is None else tuple(name.strip() for name in known.split(",") if name.strip())
    if columns == ():
        raise click.UsageError("--known names no column: name some as in --known age,sex, or leave it out.")
    asked = read_job(job, overrides=settings)
    if page is not None:
        from tacit.report.signing import check_page, write_page

        check_page(page)
    with telling.progress() as progress:
        found = attack_job(
            asked, release=release, published=published, rows=rows, control=control, reference=reference,
            earlier=earlier, format=data_format, plan=Plan(known=columns, exact=exact, quick=quick, seed=seed),
            progress=progress,
        )  # fmt: skip
    if witnesses and release is not None:
        write_witnesses(found, release)
    if page is not None:
        write_page(found, asked, page, release=release, language=language)
    if as_json:
        print_json(found.to_dict())
    else:
        print(found)
