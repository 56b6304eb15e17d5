"""What an attacker learns from a sliced table who knows all quasi-identifiers of a person and joins the slices.

Inside a bucket every linking of the slices' rows that agrees on shared attributes is equally likely. So the expected
number of linked rows with the known values t and the sensitive values s is E(t, s): over all slices the product of
n_j(t_j, s_j), each divided by the number of rows with the same separator. Here, a person's values occur together in
one bucket only (`tacit.slices.solvers.buckets` sees to that). Then p(t, s) is E(t, s) ÷ Σ E(t, s') of that bucket, in
which slices that hang together with the sensitive one by known attributes alone cancel out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays.blocks import up_to
from tacit.arrays.order import joint_codes
from tacit.errors import InputError
from tacit.slices.data import PersonTable, Slices
from tacit.slices.solvers.join_tree import cycle_in, join_tree, linked_by

if TYPE_CHECKING:
    from tacit.slices.solvers._attacker_kernels import Attacker, Scratch

ROUNDING = 1e-12
"""How far a probability may be above the bound because it is a sum of rounded numbers."""


def bound(l: float) -> float:  # noqa: E741
    """The greatest probability that ℓ allows."""
    return (1 + ROUNDING) / l


def attacker_of(table: PersonTable, slices: Slices) -> Attacker:
    """The links that matter for each sensitive attribute, with the records' values numbered."""
    from tacit.slices.solvers._attacker_kernels import Attacker

    start, parent = [0], []
    known, tuples, separator, hidden, person, sensitive = [], [], [], [], [], []
    for target in table.sensitive:
        root = next(i for i, one in enumerate(slices) if target in one)
        tree = join_tree(slices, root)
        if tree is None:
            raise _cyclic(table, slices)
        links = linked_by(tree, table.hidden)
        for here in links:
            shared = sorted(tree.separator[here])
            above = tree.parent[here]
            parent.append(start[-1] + links.index(above) if above in links else -1)
            known.append(_combined(table, [a for a in slices[here] if a not in table.hidden]))
            tuples.append(_combined(table, slices[here]))
            separator.append(_combined(table, shared))
            hidden.append(_combined(table, [a for a in shared if a in table.hidden]))
        person.append(_combined(table, sorted({a for here in links for a in slices[here]} - table.hidden)))
        sensitive.append(table.meanings[target])
        start.append(start[-1] + len(links))
    stacked = (_stacked(parts, len(table)) for parts in (known, tuples, separator, hidden, person, sensitive))
    return Attacker(np.array(start, np.int64), np.array(parent, np.int64), *stacked)


def scratch_for(attacker: Attacker) -> Scratch:
    """Room to compute in, for buckets of these records."""
    from tacit.slices.solvers._attacker_kernels import Scratch

    links, rows = int(np.diff(attacker.start).max(initial=1)), attacker.known.shape[1]

    def room(codes: np.ndarray, fill: int, kind: type) -> np.ndarray:
        return np.full((links, int(codes.max(initial=0)) + 1), fill, kind)

    values = int(attacker.sensitive.max(initial=0)) + 1
    return Scratch(
        head=room(attacker.known, -1, np.int32),
        entry_of=room(attacker.tuples, -1, np.int32),
        entry_row=np.zeros((links, rows), np.int32),
        entry_count=np.zeros((links, rows), np.int32),
        entry_next=np.zeros((links, rows), np.int32),
        separators=room(attacker.separator, 0, np.int32),
        message=room(attacker.hidden, 0, np.float64),
        message_clock=room(attacker.hidden, 0, np.int64),
        mass=np.zeros(values),
        mass_clock=np.zeros(values, np.int64),
        is_done=np.zeros(int(attacker.person.max(initial=0)) + 1, np.bool_),
        clock=np.zeros(1, np.int64),
        at=np.zeros(2, np.int64),
        worst=np.zeros(1),
    )


def worst_in_one_bucket(table: PersonTable, slices: Slices, limit: float = math.inf) -> float:
    """The greatest p(t, s) if all records are one bucket, or one that is over the limit. No split betters it."""
    from tacit.slices.solvers._attacker_kernels import check

    attacker = attacker_of(table, slices)
    scratch, rows = scratch_for(attacker), np.arange(len(table), dtype=np.int32)
    for steps in up_to(scratch.at, len(table.sensitive)):
        check(steps, rows, 0, len(table), attacker, float(limit), scratch)
    return float(scratch.worst[0])


def _combined(table: PersonTable, attributes: Sequence[int]) -> np.ndarray:
    return joint_codes([table.codes[a] for a in attributes], [table.sizes[a] for a in attributes], len(table))[0]


def _stacked(parts: list[np.ndarray], rows: int) -> np.ndarray:
    return np.stack(parts) if parts else np.zeros((0, rows), np.int32)


def _cyclic(table: PersonTable, slices: Slices) -> InputError:
    named = table.named(slices[i] for i in cycle_in(slices))
    return InputError(
        f"method.columns overlap in a cycle: {', '.join('{' + ', '.join(one) + '}' for one in named)}",
        hint="Overlaps must form a tree: take an attribute out of one of these columns.",
    )
