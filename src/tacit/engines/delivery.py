"""`tacit apply` on an engine: a new delivery of baskets, recoded there as an earlier release was, and audited there."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from tacit.baskets import delivery
from tacit.baskets.data import read_items, with_taxonomies
from tacit.baskets.measures import measure_baskets
from tacit.engines import baskets, frames, united
from tacit.engines.fingerprint import INPUT, input_sha256
from tacit.engines.flow import Progress, decided_by, place
from tacit.engines.forms import check_form, check_frame, of_engine
from tacit.engines.frames import ROWS
from tacit.engines.session import opened
from tacit.errors import InputError
from tacit.io.directory import check_target, without_leftovers
from tacit.io.fingerprint import file_sha256
from tacit.job import Engine
from tacit.job.sources import output_format
from tacit.release import Release, saved_release
from tacit.shuffle import fresh_key


def apply_release(
    directory: Path,
    data: Path,
    target: Path,
    *,
    engine: Engine,
    unseen: str,
    force: bool,
    report: bool,
    format: str | None,
    key: bytes | None,
    progress: Progress,
) -> Release:
    """Recodes a new delivery on an engine as the release in `directory` was, and audits it."""
    saved = saved_release(directory)
    recoding = delivery.reusable(saved)
    given = replace(
        saved.job.input, source=data.absolute(), query=None, table=None, format=format or saved.job.input.format
    )
    job = replace(saved.job, input=given, engine=replace(engine, key=saved.job.engine.key))
    check_form(job)
    check_target(target, force=force, reads=[data])
    with without_leftovers(target), opened(engine) as session:
        progress("reading")
        frame, found = frames.read(session, job.input)
        output = of_engine(output_format(job, found), job)
        check_frame(frame, job)
        key = key or fresh_key()
        decision = file_sha256(directory / "private" / "recoding.json")
        made_from = {INPUT: input_sha256(frame, key), "recoding that was used again": decision}
        source = frame
        frame, asked = united.one_row_each(frame, job)
        distinct = baskets.distinct(frame, asked)
        if not distinct.num_rows:
            raise InputError("the data has no record, so there is nothing to publish", file=data)
        progress("encoding")
        asked = baskets.only_items(asked)
        items, recoding, trees, notes = delivery.recodable(
            read_items(distinct.drop_columns([ROWS]), asked), recoding, unseen, data
        )
        items = replace(items, baskets=replace(items.baskets, weight=baskets.people_of(distinct)))
        encoded = with_taxonomies(items, trees)
        applied = recoding.applied(encoded.items)
        decided = decided_by(
            applied, encoded, notes, measure_baskets(encoded.items, applied), job, output, (frame, source),
            distinct, trees, made_from, key,
        )  # fmt: skip
        named = shlex.join((str(directory.absolute()), str(data.absolute())))
        told = f"tacit apply {named} --unseen {unseen} --engine {engine.name} --key key"
        release = replace(decided.release, recoded_as=directory.absolute(), command=told)
        return place(session, decided._replace(release=release), target, force=force, report=report, progress=progress)
