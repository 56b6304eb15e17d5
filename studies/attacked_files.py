"""Files that attackers are tried on: the same people published in the way of ARX, sdcMicro and Amnesia, and by us."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import tacit
from studies.common import DATA
from studies.others import full_domain, levels_of, local_suppression, lost
from tacit.io import read_table

_TREES = DATA / "taxonomies"
ARX, SDCMICRO, AMNESIA = "ARX-style", "sdcMicro-style", "Amnesia-style"


class Made(NamedTuple):
    """A published frame, who is who in it, and what it lost: the share of the values that cannot be told any more."""

    published: Any
    rows: Any
    loss: float


class File(NamedTuple):
    """A file to be attacked: what is promised of it, whose columns are which, and how it is made."""

    promise: Any
    roles: Mapping[str, Any]
    make: Callable[[pa.Table], Made]
    method: Mapping[str, Any] = {}
    """The method that made it, for attackers who know it; nothing of other tools' files."""


Files = tuple[pa.Table, dict[str, File]]


def ours(promise: Any, roles: Mapping[str, Any], method: str, loss: str = "ncp", **options: Any) -> File:
    """By a method of ours; `loss` is the measure of it: of a share that is kept, what is missing to 1."""

    def make(table: pa.Table) -> Made:
        release = tacit.anonymize(table, promise, **roles, method=method, seed=1, **options)
        measure = release.utility[loss]
        return Made(release.data, release.original, 1 - measure if loss.endswith("_kept") else measure)

    return File(promise, roles, make, {"method": method, "method_options": options})


def adult(k: int) -> Files:
    table = _text(read_table(DATA / "relational" / "adult_arx.csv.gz"))
    quasi = [name for name in table.column_names if name != "salary-class"]
    trees = {name: _TREES / f"adult_hierarchy_{name}.csv" for name in quasi}
    roles = {"quasi": quasi, "sensitive": "salary-class", "hierarchy": trees}
    return table, _records(table, k, roles, trees)


def diabetes(k: int) -> Files:
    """The first encounters of 20,000 patients."""
    table = read_table(DATA / "relational" / "diabetes130.csv.gz")
    first = np.unique(table["patient_nbr"].to_numpy(zero_copy_only=False), return_index=True)[1]
    drawn = np.sort(np.random.default_rng(1).permutation(first)[:20_000])
    quasi = ["race", "gender", "age", "admission_type_id", "time_in_hospital"]
    table = _text(table.take(pa.array(drawn)).select([*quasi, "readmitted"]))
    roles = {"quasi": quasi, "sensitive": "readmitted"}
    made = _records(table, k, roles, {})
    made["mondrian, l = 1.5"] = ours(tacit.LDiversity(k, 1.5), roles, "mondrian")
    return table, made


def sliced_diabetes(diversity: float) -> Files:
    """The same people as a table in slices."""
    table, _ = diabetes(2)
    roles = {"quasi": [name for name in table.column_names if name != "readmitted"], "sensitive": "readmitted"}
    promise = tacit.SlicedDiversity(diversity)
    return table, {method: ours(promise, roles, method, "correlation_kept") for method in ("bucketization", "slicing")}


def informs(k: int) -> Files:
    """5,000 people with a condition."""
    table = read_table(DATA / "rt" / "informs2005_rt.csv.gz")
    quasi = ["DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "marry"]
    has = np.array([bool(each) for each in table["conditions"].to_pylist()])
    drawn = np.sort(np.random.default_rng(1).permutation(np.flatnonzero(has))[:5_000])
    table = _text(table.take(pa.array(drawn)).select([*quasi, "conditions"]))
    items = {"items": "conditions", "separator": " ", "hierarchy": {"conditions": _TREES / "icd9_tree_even.txt"}}
    both = {"quasi": quasi, **items}
    return table, {
        f"{AMNESIA} (apriori)": ours(tacit.KmAnonymity(k, 2), items, "apriori"),
        "best": ours(tacit.KmAnonymity(k, 2), items, "best"),
        "rum-bound": ours(tacit.KKmAnonymity(k, 2), both, "rum-bound", "ncp_items"),
        "rfirst": ours(tacit.KKmAnonymity(k, 2), both, "rfirst", "ncp_items"),
    }


_DEPRESSION, _ANXIETY, _MOOD = "311", "300", "296"


def sensitive_informs(diversity: float) -> Files:
    """The same people; whose depression, anxiety or mood disorder it is must not be learnt."""
    table, files = informs(5)
    both = {**files["rum-bound"].roles, "sensitive_items": [_DEPRESSION, _ANXIETY, _MOOD]}
    items = {name: each for name, each in both.items() if name != "quasi"}
    return table, {
        "apriori": ours(tacit.LmDiversity(diversity, 2), items, "apriori"),
        "cahd": ours(tacit.Cahd(round(diversity)), items, "cahd"),
        "rum-bound": ours(tacit.KLmDiversity(5, diversity, 2), both, "rum-bound", "ncp_items"),
    }


def movielens(k: int) -> Files:
    table = read_table(DATA / "ratings" / "ml-latest-small" / "ratings.csv.gz").select(["userId", "movieId", "rating"])
    roles = {"person": "userId", "items": "movieId", "rating": "rating", "scale": (0.5, 5), "step": 0.5}
    return table, {
        "rating-km, m = 2": ours(tacit.RatingKm(k, 2), roles, "cuts", "suppressed"),
        "k-eps, eps = 0": ours(tacit.KEpsAnonymity(k, 0), roles, "neighbours", "suppressed"),
        "k-eps, eps = 1": ours(tacit.KEpsAnonymity(k, 1), roles, "neighbours", "suppressed"),
    }


class DataSet(NamedTuple):
    """People, and the parameters that their files are made with."""

    files: Callable[[Any], Files]
    loss: str
    """What is lost, in words."""
    parameter: str = "k"
    usual: float = 5
    """All attackers are tried with this one."""
    others: tuple[float, ...] = (2, 10, 25)


_VALUES = "loss: NCP of the values"
DATA_SETS = {
    "Adult": DataSet(adult, _VALUES),
    "diabetes130": DataSet(diabetes, _VALUES),
    "diabetes130 in slices": DataSet(
        sliced_diabetes, "loss: share of the correlation that is gone", "l", 1.5, (1.2, 1.6)
    ),
    "INFORMS": DataSet(informs, "loss: NCP of the items"),
    "INFORMS with sensitive items": DataSet(
        sensitive_informs, "loss: NCP of the items (CAHD loses who of a group has the sensitive ones)", "l", 4, (3, 5)
    ),
    "ml-latest-small": DataSet(movielens, "loss: share of the ratings that is gone"),
}


def _records(table: pa.Table, k: int, roles: Mapping[str, Any], trees: Mapping[str, Path]) -> dict[str, File]:
    """The same promise by two methods of ours and in the way of three other tools."""
    quasi, promise = roles["quasi"], tacit.KAnonymity(k)
    levels = {name: levels_of(trees.get(name), table[name].to_pylist()) for name in quasi}

    def theirs(make: Callable[[pa.Table], tuple[pa.Table, np.ndarray]]) -> File:
        def made(inside: pa.Table) -> Made:
            published, rows = make(inside)
            return Made(published, rows, lost(published, {name: trees.get(name) for name in quasi}))

        return File(promise, roles, made)

    return {
        f"{ARX} (one level for all, 5 % suppressed)": theirs(lambda inside: full_domain(inside, levels, k, 0.05)),
        f"{SDCMICRO} (local suppression)": theirs(lambda inside: local_suppression(inside, quasi, k)),
        f"{AMNESIA} (one level for all)": theirs(lambda inside: full_domain(inside, levels, k, 0.0)),
        "mondrian": ours(promise, roles, "mondrian"),
        "cluster": ours(promise, roles, "cluster"),
    }


def _text(table: pa.Table) -> pa.Table:
    return pa.table({name: [str(each) for each in table[name].to_pylist()] for name in table.column_names})
