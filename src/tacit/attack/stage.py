"""Sets the scene: reads the published table as a stranger, and the original, the control and the rows for the judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit import audits
from tacit.attack.rating_rows import rating_view_of
from tacit.attack.record_matching import one_code_a_text
from tacit.attack.risk.classes import RECORDS_ARE_COUNTED, classes_of
from tacit.attack.risk.figures import Keys
from tacit.attack.scene import Scene
from tacit.audits._sets import fingerprints, mixed, only
from tacit.audits.views.baskets import BasketView
from tacit.audits.views.cells import Cells, read_cells, read_labels
from tacit.audits.views.items import is_list
from tacit.audits.views.persons import has_fresh_ids
from tacit.io.text import as_text
from tacit.job.checks import check_population
from tacit.job.model import Job
from tacit.job.weights import survey_weights
from tacit.taxonomy import Taxonomy, read_hierarchy

_SLICE = "1"


def original_as_published(original: Any, table: pa.Table, job: Job) -> tuple[Any, np.ndarray]:
    """The original as if it were published as it is, and who is who in it."""
    kind, people = job.promise.kind_of_data, np.arange(len(original))
    if kind == "baskets":
        group = np.arange(len(original)) if job.promise.shows_groups else None
        return replace(original.held, group=group), people
    if kind == "ratings":
        return rating_view_of(original), people
    if kind == "slices":
        names = [column.name for column in job.columns if column.role in ("quasi", "sensitive", "plain")]
        columns = {"bucket": pa.array(np.arange(table.num_rows))}
        columns |= {f"{_SLICE}.{name}": table[name] for name in names}
        return audits.read_view(pa.table(columns), job), people[None, :]
    return _with_codes_of(original, audits.read_view(table, job)), people


def _with_codes_of(original: Any, view: Any) -> Any:
    """Records as a stranger reads them, with the very codes of the original where these are the same ones."""

    def shared(was: Cells, cells: Cells) -> Cells:
        is_same = was.texts == cells.texts and np.array_equal(was.codes, cells.codes)
        return replace(cells, codes=was.codes, texts=was.texts) if is_same else cells

    quasi = zip(original.quasi, view.quasi, strict=True)
    return replace(view, quasi=tuple(shared(column.cells, cells) for column, cells in quasi))


def published_cells(table: pa.Table, job: Job, view: Any) -> tuple[Cells, ...]:
    """Every column of a published table that has one value a record; none where records are spread over rows.

    Quasi-identifiers that `view` has were read just so: they are not kept twice.
    """
    if job.input.layout == "long" or job.promise.kind_of_data in ("slices", "ratings"):
        return ()
    baskets = {column.name for column in job.columns_with("items")}
    never = set(job.never_published) | {column.name for column in job.columns_with("person")}
    names = [name for name in table.column_names if name not in baskets and not is_list(table[name].type)]
    read = {cells.name: cells for cells in view.quasi} if job.promise.kind_of_data == "records" else {}
    names = [name for name in names if name not in never]
    return tuple(read[name] if name in read else read_labels(name, table[name], None) for name in names)


def ids_of(table: pa.Table, job: Job) -> tuple[str, ...] | None:
    """The id of each person in a table that gives its people ids, in the order in which they appear; else None."""
    for column in job.columns_with("person"):
        if has_fresh_ids(job) and column.name in table.column_names:
            texts = pc.fill_null(as_text(table[column.name]), "")
            return tuple((pc.unique(texts) if job.input.layout == "long" else texts).to_pylist())
    return None


def sensitive_trees(job: Job, hierarchies: Mapping[str, Taxonomy]) -> dict[str, Taxonomy]:
    """The hierarchies of sensitive columns."""
    trees = {}
    for column in job.columns_with("sensitive"):
        if column.name in hierarchies:
            trees[column.name] = hierarchies[column.name]
        elif column.hierarchy is not None:
            trees[column.name] = read_hierarchy(column.hierarchy)
    return trees


def identifier_values(table: pa.Table, job: Job) -> dict[str, frozenset[str]]:
    """What stands in the columns that no file may have: whoever looks for leftovers looks for these."""
    wanted = [c for c in job.columns if c.role in ("identifier", "person") and c.name in table.column_names]
    return {
        column.name: frozenset(text for text in as_text(table[column.name]).to_pylist() if text)
        for column in wanted
        if not (has_fresh_ids(job) and column.role == "person")
    }


def keys_of(scene: Scene, table: pa.Table | None, job: Job, *, is_original: bool) -> Keys:
    """What risk figures compare, by the kind of data; weights and households are those of the original records."""
    kind, records = scene.kind, len(scene.view)
    weights = household = persons = None
    if table is not None and kind in ("records", "slices") and scene.people is not None:
        rows = scene.people if scene.people.ndim == 1 else scene.people[0]
        known, household = survey_weights(table, job), _codes(table, job, "household")
        weights = None if known is None else known.to_numpy()[rows]
        household = None if household is None else household[rows]
        if scene.whose is not None and (codes := _codes(table, job, "person")) is not None:
            persons = codes[rows]
    columns, everything, of = _compared(scene)
    if scene.whose is not None:
        of += "; people are counted, not records"
    elif getattr(scene.original, "persons", None) is not None:
        of += f"; {RECORDS_ARE_COUNTED}"
    check_population(records if persons is None else np.unique(persons).size, job)
    return Keys(records, columns, everything, of, scene.whose, persons, weights, household, job.input.population)


def _compared(scene: Scene) -> tuple[tuple[tuple[str, np.ndarray], ...], tuple[tuple[str, np.ndarray], ...], str]:
    view = scene.view
    if scene.kind == "baskets":
        own = ("basket", basket_codes(view, known=True))
        rest = [("basket", basket_codes(view, known=False)), *_coded(scene.cells)]
        rest = [each for each in rest if each[1].size == len(view)]  # rows that become one basket are no records
        return (own,), tuple(rest), "baskets with the same items that are not sensitive"
    if scene.kind == "ratings":
        from tacit.attack.rating_rows import view_rows

        digests = np.unique(np.array(view_rows(view).digests(), "S32"), return_inverse=True)[1]
        return (("ratings", digests),), (("ratings", digests),), "rows with the same ratings that are not sensitive"
    if scene.kind == "slices":
        own = ("bucket", view.bucket.astype(np.int64))
        everything = [
            (name, codes.astype(np.int64))
            for names, columns in zip(view.slices[:1], view.codes[:1], strict=True)
            for name, codes in zip(names, columns, strict=True)
        ]
        return (own,), tuple(everything), "rows of one bucket; all columns: those of the first slice"
    names = {cells.name for cells in view.quasi} if scene.known is None else set(scene.known)
    everything = list(_coded(scene.cells) or _coded((*view.quasi, *view.shown)))
    columns = tuple(each for each in _coded((*view.quasi, *view.shown)) if each[0] in names)
    if view.baskets is not None:
        everything.append(("basket", basket_codes(view.baskets, known=False)))
    return columns, tuple(everything), "records with the same quasi-identifiers"


def everything_in(scene: Scene) -> tuple[tuple[str, np.ndarray], ...]:
    """Every published column as codes, by name; of slices those of the first one."""
    return _compared(scene)[1]


def basket_codes(view: BasketView, *, known: bool) -> np.ndarray:
    """A code for each basket, the same for equal ones; of all items, or of those that are not sensitive."""
    starts, items = view.known() if known else only(view.starts, view.items, np.ones(view.items.size, bool))
    prints = fingerprints(starts, mixed(np.arange(len(view.labels)))[items])
    return np.unique(prints, return_inverse=True)[1].astype(np.int64)


def _coded(cells: tuple[Cells, ...]) -> tuple[tuple[str, np.ndarray], ...]:
    return tuple((each.name, one_code_a_text(each)[0]) for each in cells)


def _codes(table: pa.Table, job: Job, role: str) -> np.ndarray | None:
    for column in job.columns_with(role):
        if column.name in table.column_names:
            codes = read_cells(column.name, table[column.name], job.input.missing, job.input.source).codes
            return classes_of([codes], codes.size).of
    return None
