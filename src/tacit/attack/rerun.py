"""A method that is run again on other sensitive values, for whoever knows it: what the attack by minimality asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.errors import TacitError
from tacit.job import Job
from tacit.methods import METHODS
from tacit.taxonomy import Taxonomy

_DRAWS = 8
"""How often a method that draws is tried in each world, by as many other keys."""


@dataclass(frozen=True, eq=False)
class Rerun:
    """The job and what is not sensitive in its table; `values` are the true sensitive values of the people."""

    job: Job
    table: pa.Table
    hierarchies: Mapping[str, Taxonomy]
    values: tuple[Any, ...]
    remake: Callable[[tuple[Any, ...]], pa.Table]

    @property
    def draws(self) -> int:
        """How often the method is run in each world."""
        return _DRAWS if METHODS[str(self.job.method.name)].draws else 1

    def groups(self, world: Sequence[Any], draw: int = 0) -> list[int]:
        """Who is with whom if these were the values; by whatever is hidden, drawn anew for each draw."""
        from tacit.flow import make_release

        key = bytes([draw]) * 32
        table = self.remake(tuple(world))
        release = make_release(table, self.job, hierarchies=self.hierarchies, key=key, measured=False)
        group = np.empty(len(world), np.int64)
        view = release.view
        if view.kind_of_data == "baskets":
            group[release.original] = np.unique(view.groups(), return_inverse=True)[1]
        else:
            from tacit.attack.record_matching import one_code_a_text
            from tacit.attack.risk.classes import classes_of

            group[release.original] = classes_of([one_code_a_text(each)[0] for each in view.quasi], len(view)).of
        return group.tolist()

    def likelihood(self, shown: Any) -> Callable[[Any], Fraction]:
        """How often the method shows the same groups in a world."""
        from tacit.attack.minimality import told_by

        def likely(world: Any) -> Fraction:
            if self.draws == 1 and world == self.values:  # what is shown was made of it
                return Fraction(1)
            same = 0
            for draw in range(1, self.draws + 1):  # never the key of what is shown, which nobody knows
                try:
                    same += told_by(self.groups(world, draw), world) == shown
                except TacitError:  # the promise cannot be kept in this world: it is out
                    continue
            return Fraction(same, self.draws)

        return likely


def rerun_of(job: Job, table: pa.Table, hierarchies: Mapping[str, Taxonomy]) -> Rerun | None:
    """The method of a job, if it chooses groups of people with one sensitive column or with sensitive items."""
    if job.method.name is None:
        return None
    job = replace(job, method=replace(job.method, seed=job.method.seed or 0))
    sensitive = job.columns_with("sensitive")
    if job.promise.kind_of_data == "records" and len(sensitive) == 1:
        name = sensitive[0].name
        values = tuple(table[name].to_pylist())

        def with_column(world: tuple[Any, ...]) -> pa.Table:
            return table.set_column(table.column_names.index(name), name, pa.array(world, table[name].type))

        return Rerun(job, table, hierarchies, values, with_column)
    if not job.promise.shows_groups or job.input.layout == "long":
        return None
    column = job.columns_with("items")[0]
    wanted, separator = set(column.sensitive_items), column.separator or " "
    cells = table[column.name].to_pylist()
    is_text = any(isinstance(cell, str) for cell in cells)
    baskets = [(cell or "").split(separator) if is_text else list(cell or ()) for cell in cells]
    held = tuple(frozenset(map(str, basket)) & wanted for basket in baskets)

    def with_items(world: tuple[Any, ...]) -> pa.Table:
        rest = [[str(item) for item in basket if str(item) not in wanted] for basket in baskets]
        made: list[Any] = [[*kept, *sorted(own)] for kept, own in zip(rest, world, strict=True)]
        if is_text:
            made = [separator.join(basket) for basket in made]
        return table.set_column(table.column_names.index(column.name), column.name, pa.array(made))

    return Rerun(job, table, hierarchies, held, with_items)
