"""The attribute partition of slicing: which attributes stand together, and which of them may stand there twice.

Columns that a clustering found are made safe: a column with a sensitive attribute keeps only those known attributes
with which the table as one bucket still has no p(t, s) above 1/ℓ, for no tuple partition could repair that. Columns
that the user fixed are taken as they are, or refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tacit.errors import InputError, PromiseError
from tacit.slices.data import PersonTable, Slices
from tacit.slices.solvers.attacker import attacker_of, bound, worst_in_one_bucket
from tacit.slices.solvers.clustering import CLUSTERINGS, chosen_clustering
from tacit.slices.solvers.join_tree import join_tree, linked_by
from tacit.taxonomy.nodes import first_few

SINGLE = "single"
"""The value of `columns` that gives every attribute a column of its own."""

Columns = int | str | Sequence[Sequence[str]] | None


def found_columns(
    table: PersonTable,
    correlation: np.ndarray,
    *,
    columns: int | None = None,
    cluster: str = "kmeans",
    domains: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
) -> Slices:
    """Columns by correlation, as many as asked for or as fit best; attributes of one domain stay together."""
    grouped = [_indices_of(table, f"domain {name!r}", names) for name, names in (domains or {}).items()]
    taken = {a for one in grouped for a in one}
    if sum(map(len, grouped)) > len(taken):
        raise InputError("method.domains lists an attribute twice", hint="Use columns = [[...], ...] for overlaps.")
    free = [a for a in range(len(table.attributes)) if a not in taken]
    count = None if columns is None else max(1, columns - len(grouped))
    return (*map(tuple, grouped), *_clusters(free, correlation, count, cluster, seed))


def single_columns(table: PersonTable) -> Slices:
    """One attribute per column: all that is left of dependence is what buckets preserve."""
    return tuple((a,) for a in range(len(table.attributes)))


def fixed_columns(table: PersonTable, columns: Sequence[Sequence[str]]) -> Slices:
    """The columns that the user lists, which may overlap; every attribute must stand in one."""
    slices = tuple(tuple(_indices_of(table, "method.columns", names)) for names in columns)
    missing = set(range(len(table.attributes))) - {a for one in slices for a in one}
    if missing:
        raise InputError(
            f"method.columns leaves out {first_few([table.names[a] for a in sorted(missing)])}",
            hint="Put every attribute into a list, or take its table [columns.<name>] out of the job.",
        )
    attacker_of(table, slices)  # refuses overlaps in a cycle
    return slices


def safe_columns(
    table: PersonTable,
    slices: Slices,
    correlation: np.ndarray,
    l: float,  # noqa: E741
    *,
    keep_count: bool = False,
) -> Slices:
    """The columns without the known attributes that would give a sensitive one away.

    Those that must leave get a column of their own. With `keep_count` they go to the column without a sensitive
    attribute with which they are correlated most.
    """
    kept = [_kept_beside_sensitive(table, one, correlation, l) for one in slices]
    return _settled(table, slices, kept, correlation, keep_count=keep_count)


def sensitive_apart(table: PersonTable, slices: Slices, correlation: np.ndarray, *, keep_count: bool = False) -> Slices:
    """The columns with no known attribute beside a sensitive one; what leaves goes where `safe_columns` puts it."""
    kept = [tuple(a for a in one if a in table.hidden) if set(one) & set(table.sensitive) else one for one in slices]
    return _settled(table, slices, kept, correlation, keep_count=keep_count)


def _settled(
    table: PersonTable, slices: Slices, kept: list[tuple[int, ...]], correlation: np.ndarray, *, keep_count: bool
) -> Slices:
    """The columns as far as they are kept, and new places for the attributes that had to leave."""
    settled = list(kept)
    for one, rest in zip(slices, kept, strict=True):
        leaving = [a for a in one if a not in rest]
        harmless = [i for i, other in enumerate(settled) if not set(other) & set(table.sensitive)]
        if keep_count and harmless:
            for a in leaving:
                nearest = max(harmless, key=lambda i: float(correlation[a, list(settled[i])].mean()))
                settled[nearest] = (*settled[nearest], a)
        elif leaving:
            settled.append(tuple(leaving))
    return tuple(tuple(sorted(one)) for one in settled)


def overlapping_columns(
    table: PersonTable,
    slices: Slices,
    correlation: np.ndarray,
    l: float,  # noqa: E741
    *,
    beside_sensitive: bool = True,
) -> Slices:
    """The columns with guests: known attributes that depend on the members of a second column, too.

    A guest depends on the members, on average, more than attributes do in this table. A column has at most as many
    guests as members, and none that would make another column superfluous. The overlaps stay a join tree, and the
    promise stays within reach. Whoever keeps most correlation comes first.
    """
    usual = float(correlation[~np.eye(len(correlation), dtype=bool)].mean()) if len(correlation) > 1 else 0.0
    wishes = []
    for host, one in enumerate(slices):
        if beside_sensitive or not set(one) & set(table.sensitive):
            for a in set(table.known) - set(one):
                if correlation[a, list(one)].mean() > usual:
                    wishes.append((-float(correlation[a, list(one)].sum()), a, host))
    wider = list(slices)
    for _, a, host in sorted(wishes):
        if len(wider[host]) >= 2 * len(slices[host]):
            continue
        trial = (*wider[:host], tuple(sorted((*wider[host], a))), *wider[host + 1 :])
        if any(set(one) <= set(trial[host]) for i, one in enumerate(trial) if i != host):
            continue
        if join_tree(trial) is not None and worst_in_one_bucket(table, trial, bound(l)) <= bound(l):
            wider = list(trial)
    return tuple(wider)


def check_within_reach(table: PersonTable, slices: Slices, l: float) -> None:  # noqa: E741
    """Refuses columns that give a sensitive attribute away even if all records are one bucket.

    Where an overlap is to blame the columns are bad input: it is told which join leaks. Else the promise is out of
    reach with these columns.
    """
    for target in table.sensitive:
        worst = worst_in_one_bucket(replace(table, sensitive=(target,)), slices)
        if worst <= bound(l):
            continue
        root = next(i for i, one in enumerate(slices) if target in one)
        tree = join_tree(slices, root)
        assert tree is not None
        linked = linked_by(tree, table.hidden)
        if len(linked) > 1 or _is_due_to_overlap(table, slices, root, target, l):
            raise _leaking_join(table, slices, linked, target, worst, l)
        raise PromiseError(
            f"{_braced(*table.named([slices[root]]))} tells somebody's {table.names[target]!r} with a probability of "
            f"{worst:.3g}, even if all records are one bucket; ℓ = {l:g} allows {1 / l:.3g}.\n  {reachable(worst)}; "
            f"more with fewer known attributes beside {table.names[target]!r}, or with generalize_k."
        )


def _is_due_to_overlap(table: PersonTable, slices: Slices, root: int, target: int, l: float) -> bool:  # noqa: E741
    """Whether the sensitive attribute would be safe if no other attribute of its column stood in a second one."""
    elsewhere = {a for i, one in enumerate(slices) if i != root for a in one}
    if elsewhere.isdisjoint(slices[root]):
        return False
    alone = tuple(a for a in slices[root] if a == target or a not in elsewhere)
    return worst_in_one_bucket(replace(table, sensitive=(target,)), (alone,)) <= bound(l)


def _leaking_join(
    table: PersonTable,
    slices: Slices,
    linked: list[int],
    target: int,
    worst: float,
    l: float,  # noqa: E741
) -> InputError:
    """What an attacker joins: the columns that are linked, or else those that share something with the target's."""
    joined = linked
    if len(linked) == 1:
        joined = [
            *linked,
            *(i for i, one in enumerate(slices) if i not in linked and set(one) & set(slices[linked[0]])),
        ]
    shared = sorted({a for i in joined for j in joined if i < j for a in set(slices[i]) & set(slices[j])})
    names, sensitive = " and ".join(repr(table.names[a]) for a in shared), table.names[target]
    columns = " and ".join(_braced(one) for one in table.named(slices[i] for i in joined))
    return InputError(
        f"method.columns overlap in a way that leaks: {columns}, joined on {names}, tell somebody's {sensitive!r} with "
        f"a probability of {worst:.3g}, even if all records are one bucket; ℓ = {l:g} allows {1 / l:.3g}",
        hint=f"Take {names} out of one of these columns, or leave method.columns out: then columns are found that keep "
        "the promise.",
    )


def _braced(names: Sequence[str]) -> str:
    return "{" + ", ".join(names) + "}"


def reachable(worst: float) -> str:
    """Which ℓ can be had, rounded down to what can be written."""
    level = math.floor(1 / worst * 100 + 1e-9) / 100
    return f"ℓ = {level:g} can be reached with these columns" if level > 1 else "No ℓ can be reached with these columns"


def _clusters(free: list[int], correlation: np.ndarray, count: int | None, cluster: str, seed: int) -> Slices:
    if len(free) <= 2 or (count is not None and count >= len(free)):
        return tuple((a,) for a in free)
    among = correlation[np.ix_(free, free)]
    method = CLUSTERINGS[cluster]
    column = chosen_clustering(among, method, seed) if count is None else method(among, count, seed)
    members = [[a for a, c in zip(free, column.tolist(), strict=True) if c == own] for own in np.unique(column)]
    return tuple(map(tuple, sorted(members)))


def _kept_beside_sensitive(
    table: PersonTable,
    one: Sequence[int],
    correlation: np.ndarray,
    l: float,  # noqa: E741
) -> tuple[int, ...]:
    """The largest part of a column that is safe; known attributes are tried by how much they tell of sensitive ones."""
    sensitive = [a for a in one if a in table.sensitive]
    if not sensitive:
        return tuple(one)
    here = replace(table, sensitive=tuple(sensitive))
    if worst_in_one_bucket(here, (tuple(one),), bound(l)) <= bound(l):
        return tuple(one)
    kept = [a for a in one if a in table.hidden]
    for a in sorted(set(one) - set(kept), key=lambda a: (-correlation[a, sensitive].sum(), a)):
        if worst_in_one_bucket(here, ((*kept, a),), bound(l)) <= bound(l):
            kept.append(a)
    return tuple(kept)


def _indices_of(table: PersonTable, where: str, names: Sequence[str]) -> list[int]:
    unknown = [name for name in names if name not in table.names]
    if unknown:
        raise InputError(
            f"{where} names {first_few(unknown)}, which is no column of the job that is published",
            hint=f"There are: {', '.join(table.names)}.",
        )
    if len(set(names)) < len(names) or not names:
        raise InputError(f"{where} has an empty list, or an attribute twice in one", hint="List each attribute once.")
    return [table.names.index(name) for name in names]
