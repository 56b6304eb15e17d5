"""CAHD as in the paper: groups of the rows that are most alike (Ghinita, Tao & Kalnis, ICDE 2008).

Rows are put into an order in which neighbours have items in common. Then each row with a sensitive item is grouped with
p − 1 neighbours that are most like it, no two of which share a sensitive item. What remains is one last group. Who is
in a group depends on who has a sensitive item: somebody who knows this method can tell more than the groups do.
"""

from __future__ import annotations

import numpy as np

from tacit.baskets.solvers._cahd_literal_kernels import form_groups
from tacit.baskets.solvers.cahd import Progress, Sets, band_order, check_reachable
from tacit.errors import InputError


def cahd_literal(known: Sets, sensitive: Sets, p: int, alpha: int = 3, progress: Progress | None = None) -> np.ndarray:
    """The group of each row: in every group each sensitive item is in at most 1/p of the rows.

    `alpha` times p rows before and behind a row are looked at for its group.
    """
    if alpha < 1:
        raise InputError(f"method.alpha is {alpha!r}, but it must be a whole number of at least 1")
    check_reachable(sensitive, p)
    if progress:
        progress(f"CAHD: {known.start.size - 1:,} rows into a band")
    band = band_order(*known)
    n_sensitive, n_known = (int(sets.items.max(initial=-1)) + 1 for sets in (sensitive, known))
    return form_groups(band, sensitive, known, n_sensitive, n_known, p, alpha)
