"""The workloads, listed once: the benchmark times them, the tests check that they are solved, and as recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.arrays.encode import split_baskets
from tacit.baskets.data import BasketData, ItemColumns, with_taxonomies
from tacit.baskets.solvers.hghs import Anonymization, hghs, mhghs
from tacit.io import read_table
from tacit.job import Column
from tacit.taxonomy import read_hierarchy

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
"""Real data sets, beside the project; they are not part of it."""

K = 5
SEARCHES: dict[str, Callable[..., Anonymization]] = {"mhghs": mhghs, "hghs": hghs}


@dataclass(frozen=True)
class DataSet:
    """Baskets and their hierarchy, as files below the data directory."""

    name: str
    baskets: str
    hierarchy: str


@dataclass(frozen=True)
class Workload:
    """A data set made k^m-anonymous (k = 5) by a method. `bar`: how many times P the search may take."""

    data: str
    method: str
    m: int
    bar: float | None = None

    @property
    def label(self) -> str:
        return f"{self.data}, {self.method}, m = {self.m}"


DATA_SETS = {
    data.name: data
    for data in (
        DataSet("bms_webview2", "transactions/bms_webview2.dat.gz", "taxonomies/bms_webview2_tree.txt.gz"),
        DataSet("fruithut", "transactions/fruithut.dat.gz", "taxonomies/fruithut_taxonomy.csv"),
    )
}

WORKLOADS = (
    Workload("bms_webview2", "mhghs", 2, bar=8),
    Workload("bms_webview2", "mhghs", 3, bar=25),
    Workload("bms_webview2", "hghs", 2),
    Workload("bms_webview2", "hghs", 3),
    *(Workload("fruithut", method, m) for method in ("mhghs", "hghs") for m in (2, 3, 5, 7)),
)

NAMES = "best, names"
RIVALS = (
    *((method, m) for method in ("mhghs", NAMES, "best", "apriori") for m in (2, 3)),
    ("partition", None),
)
"""Methods and m of the whole commands on bms_webview2 that stand beside those of other tools."""

SCALES = (1, 10, 100)
"""How many times as many baskets as fruithut has; sampled with replacement."""
SCALE_SEED = 2010


def load(name: str, folder: Path = DATA) -> BasketData:
    """A data set, encoded, with its hierarchy: what a search starts from."""
    files = DATA_SETS[name]
    baskets = split_baskets(read_table(folder / files.baskets)["items"], separator=" ")
    column = Column("items", "items", separator=" ")
    items = ItemColumns((column,), baskets, np.zeros(len(baskets.vocabulary), np.int32), None)
    tree = read_hierarchy(folder / files.hierarchy, set(baskets.vocabulary))
    return with_taxonomies(items, {"items": tree})


def job_text(source: Path, hierarchy: Path, method: str, m: int | None) -> str:
    """The job file of a workload, for the whole command; without m it promises transactional k-anonymity.

    `NAMES` is the method `best` where it publishes nodes of the hierarchy alone.
    """
    name, options = ("best", "sets = false\n") if method == NAMES else (method, "")
    promise = f'model = "transactional-k"\nk = {K}' if m is None else f'model = "km"\nk = {K}\nm = {m}'
    return "\n".join(
        (
            f'[input]\nsource = "{source.as_posix()}"',
            f'[columns.items]\nrole = "items"\nhierarchy = "{hierarchy.as_posix()}"',
            f"[privacy]\n{promise}",
            f'[method]\nname = "{name}"\nseed = 1\n{options}',
        )
    )


def write_sample(lines: np.ndarray, times: int, target: Path, at_once: int = 1_000_000) -> int:
    """Writes `times` as many baskets, drawn with replacement by a fixed seed; returns how many."""
    rng = np.random.default_rng((SCALE_SEED, times))
    wanted = times * lines.size
    with target.open("wb") as file:
        for start in range(0, wanted, at_once):
            drawn = rng.integers(lines.size, size=min(at_once, wanted - start))
            file.write(b"".join(lines[drawn].tolist()))
    return wanted
