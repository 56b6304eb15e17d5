"""The driver's state with a billion baskets: `python -m benchmarks.billion [MILLIONS]`.

It holds the baskets that can tell a search something new (tacit.baskets.solvers.thinning): at most one for each of the
first k times that a pair of items is met. People draw items by themselves, as often as each is met, four to eight of
them; so the expected number of such times can be worked out for any number of baskets, and is an upper bound. Up to
MILLIONS of baskets (16) are drawn and thinned in parts, as executors and the driver do it, to see how far below that
bound the state is; the largest state is then searched (mHgHs, m = 2, k = 5).
"""

from __future__ import annotations

import gzip
import json
import resource
import sys
import time
from itertools import pairwise

import numpy as np
from scipy.stats import poisson

from benchmarks.workloads import DATA
from tacit.arrays.sparse import as_sets, take_rows
from tacit.baskets.solvers.hghs import mhghs
from tacit.baskets.solvers.problem import Problem, pose
from tacit.baskets.solvers.thinning import Rule, needed, rule_of
from tacit.taxonomy import Taxonomy

K, M = 5, 2
LENGTHS = np.arange(4, 9)
_MILLION = 1_000_000
_GROUP = 30  # items below a node of the hierarchy
_BYTES = 8 + 8 + 4 * 6  # of a basket of six items on the driver: where it starts, its people, its items


def fruithut() -> np.ndarray:
    """How often each item of fruithut is met."""
    with gzip.open(DATA / "transactions/fruithut.dat.gz", "rt") as lines:
        return np.unique([item for line in lines for item in line.split()], return_counts=True)[1].astype(float)


def catalogue(items: int) -> np.ndarray:
    """Items by Zipf's law."""
    return 1.0 / np.arange(1, items + 1)


def expected_state(often: np.ndarray, baskets: float) -> float:
    """The expected sum, over all pairs of items, of the lesser of k and how often the pair is met."""
    share = np.sort(often / often.sum())[::-1]
    edges = np.unique(np.r_[np.arange(min(share.size, 200)), np.geomspace(200, share.size, 400).astype(int)])
    edges = np.unique(np.r_[edges[edges < share.size], share.size])
    sizes, mean = np.diff(edges), np.array([share[start:stop].mean() for start, stop in pairwise(edges.tolist())])
    met = baskets * float((LENGTHS * (LENGTHS - 1)).mean()) * np.outer(mean, mean)
    each = sum(poisson.sf(j, met) for j in range(K))
    pairs = np.outer(sizes, sizes).astype(float)
    np.fill_diagonal(pairs, sizes * (sizes - 1))
    return float((pairs * each).sum() / 2 + K * share.size)


def tree_of(items: int) -> Taxonomy:
    groups = -(-items // _GROUP)
    parents = [-1, *[0] * groups, *(1 + item // _GROUP for item in range(items))]
    return Taxonomy.from_parents(["*", *(f"g{i}" for i in range(groups)), *(f"i{i}" for i in range(items))], parents)


def drawn(often: np.ndarray, part: int) -> tuple[np.ndarray, np.ndarray]:
    """A million baskets of items."""
    draw = np.random.default_rng(part)
    lengths = draw.choice(LENGTHS, _MILLION)
    items = np.searchsorted(np.cumsum(often / often.sum()), draw.random(int(lengths.sum()))).astype(np.int32)
    return as_sets(np.r_[0, np.cumsum(lengths)], np.minimum(items, often.size - 1))


def thinned_in_parts(often: np.ndarray, millions: int) -> tuple[Problem, dict[int, int]]:
    """What stays of so many baskets, and how many that were on the way; equal ones count as different people's."""
    tree = tree_of(often.size)
    empty = pose(tree, *drawn(often, 0), tree.leaves)
    leaf = np.searchsorted(empty.origin, tree.leaves).astype(np.int32)
    rule: Rule = rule_of(empty.tree.parent, empty.tree.end, np.where(empty.support > 0, empty.support + K, 0), K, M)
    indptr, items, seen = np.zeros(1, np.int64), np.empty(0, np.int32), {}
    for part in range(millions):
        more = drawn(often, part)
        more = more[0], leaf[more[1]]
        stays = np.flatnonzero(needed(*more, np.ones(_MILLION, np.int64), rule))
        more = take_rows(*more, stays)
        indptr, items = np.r_[indptr, indptr[-1] + more[0][1:]], np.r_[items, more[1]]
        if part + 1 & part == 0 or part + 1 == millions:
            ones = np.ones(indptr.size - 1, np.int64)
            indptr, items = take_rows(indptr, items, np.flatnonzero(needed(indptr, items, ones, rule)))
            seen[part + 1] = indptr.size - 1
            print(part + 1, seen[part + 1], file=sys.stderr, flush=True)
    item_of = np.full(len(empty), -1, np.int32)
    item_of[leaf] = np.arange(often.size)
    return pose(tree, indptr, item_of[items], tree.leaves), seen


def main() -> None:
    millions = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    sets = {"fruithut's items": fruithut(), "10,000 items": catalogue(10_000), "100,000 items": catalogue(100_000)}
    bounds = {
        name: {f"{count:.0e}": round(expected_state(often, count)) for count in (1e6, 1.6e7, 1e8, 1e9)}
        for name, often in sets.items()
    }
    problem, seen = thinned_in_parts(sets["fruithut's items"], millions)
    begun = time.process_time()
    found = mhghs(problem, K, M)
    print(json.dumps({
        "at_most": bounds,
        "gigabytes_at_most": {
            name: {count: round(state * _BYTES / 1e9, 2) for count, state in each.items()}
            for name, each in bounds.items()
        },
        "drawn_millions_to_state": seen, "search_cpu_seconds": round(time.process_time() - begun, 1),
        "nodes_in_cut": int(found.cut.size),
        "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2),
    }, indent=1))  # fmt: skip


if __name__ == "__main__":
    main()
