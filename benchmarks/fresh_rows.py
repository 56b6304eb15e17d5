"""Made-up records of which no two are alike: five quasi-identifiers, two of them along a hierarchy.

Replicated rows flatter a search that looks at different rows once. Here there is nothing to look at once.

    python -m benchmarks.fresh_rows 50000 200000 500000

prints what a release with k = 5 takes from frame to audit, and what it loses, a line for each number of rows.
"""

from __future__ import annotations

import resource
import sys
from time import perf_counter, process_time

import numpy as np
import pyarrow as pa

import tacit
from tacit.taxonomy import Taxonomy

K = 5
_AREAS, _TRADES = 10_000, 400
_DAYS = 20_000


def fresh_rows(rows: int, seed: int = 5) -> pa.Table:
    """A table with the attributes age, area, income, day and trade; rows that are drawn twice are drawn again."""
    rng = np.random.default_rng(seed)
    found = np.empty((0, 5), np.int64)
    while len(found) < rows:
        found = np.unique(np.concatenate((found, _drawn(rng, rows - len(found)))), axis=0)
    age, area, income, day, trade = rng.permutation(found).T
    return pa.table(
        {
            "age": age,
            "area": [f"{code:04d}" for code in area.tolist()],
            "income": income,
            "day": day,
            "trade": [f"t{code:03d}" for code in trade.tolist()],
        }
    )


def _drawn(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Many people live in few areas, and who is paid more works in other trades."""
    wealth = rng.normal(size=rows)
    return np.column_stack(
        (
            np.clip(rng.normal(45, 18, rows), 18, 95).astype(np.int64),
            (rng.beta(0.7, 1.6, rows) * _AREAS).astype(np.int64),
            np.exp(10 + 0.6 * wealth + 0.3 * rng.normal(size=rows)).astype(np.int64) // 10,
            rng.integers(0, _DAYS, rows),
            np.clip(_TRADES / 2 + 60 * wealth + rng.normal(0, 40, rows), 0, _TRADES - 1).astype(np.int64),
        )
    )


def hierarchies() -> dict[str, Taxonomy]:
    """Areas by their digits, trades by tens and by hundreds; the paths go from the leaf to the root."""
    areas = (f"{code:04d}" for code in range(_AREAS))
    trades = (f"t{code:03d}" for code in range(_TRADES))
    return {
        "area": Taxonomy.from_paths([[area, f"{area[:3]}.", f"{area[:2]}..", f"{area[:1]}...", "*"] for area in areas]),
        "trade": Taxonomy.from_paths([[trade, f"{trade[:3]}.", f"{trade[:2]}..", "*"] for trade in trades]),
    }


def main(sizes: list[int]) -> None:
    """Prints a line for each number of rows: CPU seconds, seconds, GiB at most so far, NCP."""
    trees = hierarchies()
    print("rows, CPU s, s, GiB at most, NCP in %")
    for rows in [1_000, *sizes]:  # the first compiles
        table, cpu, began = fresh_rows(rows), process_time(), perf_counter()
        release = tacit.anonymize(
            table, tacit.KAnonymity(K), quasi=table.column_names, hierarchy=trees, method="mondrian", seed=1
        )
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        took = f"{process_time() - cpu:.1f}, {perf_counter() - began:.1f}, {memory:.1f}"
        if rows in sizes:
            print(f"{rows:,}, {took}, {100 * release.utility['ncp']:.3f}", flush=True)


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [50_000, 200_000, 500_000])
