"""A first job file for raw data: roles are guessed or asked for, and hierarchies are built where none is given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tacit.errors import InputError
from tacit.init.arx import is_project, write_job_of_project
from tacit.init.asking import Asking, ask_about
from tacit.init.basket_drafts import draft_baskets, draft_ratings
from tacit.init.drafts import Draft, draft_records, draft_slices
from tacit.init.hierarchies import build_hierarchy
from tacit.init.plan import KINDS_OF_DATA, Plan, make_plan
from tacit.init.source import join_of, read_raw, sheets_beside
from tacit.init.text import refuse_existing
from tacit.io import is_database_url
from tacit.io.raw import check_name

__all__ = ["KINDS_OF_DATA", "Asking", "build_hierarchy", "drafted", "write_first_job"]


def write_first_job(
    data: str,
    job: Path,
    *,
    kind: str = "auto",
    table: str | None = None,
    joins: Sequence[str] = (),
    hierarchy: Path | None = None,
    format: str | None = None,
    force: bool = False,
    asking: Asking | None = None,
) -> dict[str, Any]:
    """Writes a commented job file, and the hierarchies that it needs if none is given; tells what was found.

    `auto` takes a row of the table for a person, unless its columns are ratings, or items with hardly anything beside.
    With `asking`, every guess is shown first, and can be changed.
    """
    if kind not in KINDS_OF_DATA:
        raise InputError(f"{kind!r} is no kind of data", hint=f"Use one of: {', '.join(KINDS_OF_DATA)}.")
    for named in (Path(data), job):
        check_name(named)
    refuse_existing(job, force)
    if is_project(data):
        return write_job_of_project(Path(data), job, force=force)
    sheets = sheets_beside(data, table, format)
    others = [join_of(words, of_database=is_database_url(data), sheets=sheets) for words in joins]
    raw = read_raw(data, table=table, format=format, joins=others)
    plan = make_plan(raw, kind)
    if asking is not None:
        plan = ask_about(plan, asking, lambda chosen: make_plan(raw, chosen))
    draft = Draft(raw, job)
    found = drafted(plan, draft, hierarchy)
    draft.write(force)
    reasons = {choice.name: choice.why for choice in plan.choices}
    reasons |= dict.fromkeys(raw.left_out, "it holds bytes, not text")
    roles = {"roles": draft.roles, "reasons": reasons}
    left = [sheet for sheet in sheets if sheet not in [join.table for join in others]]
    told = {"encoding": raw.input.encoding, "decide": draft.decide, "sheets_not_read": left}
    return {"job": str(job), "kind": plan.kind, **found, **roles, **told}


def drafted(plan: Plan, draft: Draft, hierarchy: Path | None = None) -> dict[str, Any]:
    """Fills a draft by the plan; tells what was found."""
    if plan.kind == "baskets":
        return draft_baskets(plan, draft, hierarchy)
    if hierarchy is not None:
        raise InputError("--hierarchy is for baskets", hint="Name the hierarchy of each column in the job file.")
    {"records": draft_records, "slices": draft_slices, "ratings": draft_ratings}[plan.kind](plan, draft)
    return {"records": plan.looked.table.num_rows, "hierarchies": list(map(str, draft.trees))}
