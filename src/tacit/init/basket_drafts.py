"""Job files for baskets and for ratings: a few columns have a role, the others are named and not published."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from tacit.arrays.encode import Baskets, group_baskets, split_baskets
from tacit.baskets.data import ItemColumns
from tacit.errors import InputError
from tacit.init.columns import Choice
from tacit.init.drafts import Draft, missing_line, role_line
from tacit.init.hierarchies import tree_of_items
from tacit.init.plan import Plan
from tacit.init.promising import M, promise_of_baskets, promise_of_ratings
from tacit.init.ratings import RatingLog, Scale, known_ratings, repeated_ratings, scale_of_all
from tacit.init.text import about, key, quoted, relative
from tacit.job import Column
from tacit.job.model import NEVER_PUBLISHED
from tacit.job.sources import read_trees, told_by_line
from tacit.taxonomy import Taxonomy
from tacit.taxonomy.draw import summary


def draft_baskets(plan: Plan, draft: Draft, hierarchy: Path | None) -> dict[str, Any]:
    """A set of items in each row, or one row per person and item; tells what was found."""
    items, person = _only(plan, "items", draft), next(iter(plan.with_role("person")), None)
    baskets, persons = _read(plan, items, person)
    people = int(np.count_nonzero(baskets.lengths))
    if not people:
        raise InputError("no basket holds an item", file=draft.raw.shown, column=items.name, hint="Check the export.")
    if hierarchy is None:
        tree, kind = tree_of_items(baskets)
        line = draft.hierarchy("hierarchy", tree)
        file = draft.job.with_name(f"{draft.job.stem}-hierarchy.csv")
    else:
        tree, kind, file = _given(items, baskets, persons, draft, hierarchy, plan), "given", hierarchy
        line = f"hierarchy = {quoted(relative(hierarchy, draft.job.absolute().parent))}"
        draft.method = [_RELATED]
    if person is not None:
        draft.add(person, [role_line(person)])
        draft.layout = [about('layout = "long"', "one row per person and item")]
    draft.add(items, [*_item_lines(items), line, _SENSITIVE, *unlisted(plan)])
    draft.missing = [about('# missing = ["", "NA", "?"]', 'what means "no value"')]
    draft.promise = promise_of_baskets(people)
    return {
        "records": len(baskets),
        "items": len(baskets.vocabulary),
        "column": items.name,
        "separator": items.separator,
        "person": person.name if person else None,
        "hierarchy": str(file),
        "hierarchy_kind": kind,
        "hierarchy_shape": summary(tree),
    }


_RELATED = about('sets = "related"', "items that lie together in it may stand as (rice,pasta); false: its names alone")
_SENSITIVE = about('# sensitive = ["..."]', "items that nobody knows from elsewhere: published as they are")


def _only(plan: Plan, role: str, draft: Draft) -> Choice:
    found = plan.with_role(role)
    if len(found) != 1:
        how_many = "no column has" if not found else f"{len(found)} columns have"
        hint = f"Give it to one column, or take another kind of data than {plan.kind}."
        raise InputError(f"{how_many} the role {role!r}", file=draft.raw.shown, hint=hint)
    return found[0]


def _read(plan: Plan, items: Choice, person: Choice | None) -> tuple[Baskets, Any]:
    table = plan.looked.table
    if person is None:
        return split_baskets(table[items.name], separator=items.separator), None
    return group_baskets(table[person.name], table[items.name])


def _given(
    items: Choice, baskets: Baskets, persons: Any, draft: Draft, hierarchy: Path, plan: Plan
) -> Taxonomy:  # fmt: skip
    """The hierarchy of the user's, if it has all items."""
    column = Column(items.name, "items", hierarchy=hierarchy)
    held = ItemColumns((column,), baskets, np.zeros(len(baskets.vocabulary), np.int32), persons)
    with told_by_line(held, plan.looked.table, draft.raw.input):
        return read_trees(held)[column.name]


def _item_lines(items: Choice) -> list[str]:
    return [role_line(items), *([f"separator = {quoted(items.separator)}"] if items.separator else [])]


def unlisted(plan: Plan) -> list[str]:
    """What is said of columns that have no role, and why."""
    others = [choice for choice in plan.choices if choice.role in NEVER_PUBLISHED]
    if not others:
        return []
    names = ", ".join(quoted(choice.name) for choice in others)
    reasons = [f"#   {key(choice.name)}: {choice.why}" for choice in others]
    return ["", f"# Not published, because not listed: {names}", *reasons]


def draft_ratings(plan: Plan, draft: Draft) -> None:
    """A column for each issue, or one row per person and issue."""
    table, ratings = plan.looked.plain_table, plan.with_role("rating")
    person = next(iter(plan.with_role("person")), None)
    if not ratings:
        _only(plan, "rating", draft)
    scale = scale_of_all(table, [choice.name for choice in ratings], plan.looked.missing)
    listed = ratings
    people, known = table.num_rows, 0
    if person is not None:
        issue, rating = _only(plan, "items", draft), _only(plan, "rating", draft)
        draft.layout = [about('layout = "long"', "one row per person and issue")]
        log = RatingLog(person.name, issue.name, rating.name)
        draft.method, known = _duplicates(repeated_ratings(table, log)), min(M, known_ratings(table, log))
        draft.add(person, [role_line(person)])
        draft.add(issue, [role_line(issue)])
        people = pc.count_distinct(table[person.name]).as_py()
    for choice in listed:
        style = plan.looked.style(choice.name).lines
        draft.add(choice, [*_rating(scale), *style, *(unlisted(plan) if choice is listed[-1] else [])])
    draft.missing = [missing_line(plan.looked.missing)]
    draft.promise = promise_of_ratings(people, known)


def _duplicates(repeated: int) -> Sequence[str]:
    if not repeated:
        return ()
    rows = f"{repeated:,} {'row rates' if repeated == 1 else 'rows rate'}"
    return [about('duplicates = "last"', f'{rows} an issue once more; or "mean", "error"')]


def _rating(scale: Scale | None) -> list[str]:
    if scale is None:
        return ['role = "rating"', about("# scale = [1, 5]", "the lowest and the highest rating")]
    step = f"step = {_number(scale.step)}" if scale.step else about("step = 0", "any value")
    return ['role = "rating"', f"scale = [{_number(scale.low)}, {_number(scale.high)}]", step]


def _number(number: float) -> str:
    """A number with all its digits, as TOML writes it."""
    return str(int(number)) if number == int(number) else repr(number)
