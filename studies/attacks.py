"""Each attacker against files in the way of ARX, sdcMicro and Amnesia, and against ours: `python -m studies.attacks`.

A file is measured once and kept in studies/points/attacks.json; then docs/studies/attacks.md is written.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import tacit
from studies.common import DATA
from studies.others import full_domain, levels_of, local_suppression
from tacit.io import read_table

POINTS = Path(__file__).with_name("points") / "attacks.json"
PAGE = Path(__file__).parents[1] / "docs" / "studies" / "attacks.md"
SHARE = 0.1
"""Held out as a control, before anything is made."""
K = 5
_TREES = DATA / "taxonomies"
ARX, SDCMICRO, AMNESIA = "ARX-style", "sdcMicro-style", "Amnesia-style"

Made = tuple[Any, Any]
"""A published frame, and who is who in it."""


class File(NamedTuple):
    """A file to be attacked: what is promised of it, whose columns are which, and how it is made."""

    promise: Any
    roles: Mapping[str, Any]
    make: Callable[[pa.Table], Made]


def ours(promise: Any, roles: Mapping[str, Any], method: str | None = None, **options: Any) -> File:
    def make(table: pa.Table) -> Made:
        release = tacit.anonymize(table, promise, **roles, **({"method": method} if method else {}), seed=1, **options)
        return release.data, release.original

    return File(promise, roles, make)


def adult() -> tuple[pa.Table, dict[str, File]]:
    table = _text(read_table(DATA / "relational" / "adult_arx.csv.gz"))
    quasi = [name for name in table.column_names if name != "salary-class"]
    trees = {name: _TREES / f"adult_hierarchy_{name}.csv" for name in quasi}
    roles = {"quasi": quasi, "sensitive": "salary-class", "hierarchy": trees}
    return table, _records(table, tacit.KAnonymity(K), roles, trees)


def diabetes() -> tuple[pa.Table, dict[str, File]]:
    table = read_table(DATA / "relational" / "diabetes130.csv.gz")
    first = np.unique(table["patient_nbr"].to_numpy(zero_copy_only=False), return_index=True)[1]
    drawn = np.sort(np.random.default_rng(1).permutation(first)[:20_000])
    quasi = ["race", "gender", "age", "admission_type_id", "time_in_hospital"]
    table = _text(table.take(pa.array(drawn)).select([*quasi, "readmitted"]))
    roles = {"quasi": quasi, "sensitive": "readmitted"}
    made = _records(table, tacit.KAnonymity(K), roles, {})
    made["mondrian, l = 1.5"] = ours(tacit.LDiversity(K, 1.5), roles, "mondrian")
    made["bucketization, l = 1.5"] = ours(tacit.SlicedDiversity(1.5), roles, "bucketization")
    return table, made


def informs() -> tuple[pa.Table, dict[str, File]]:
    table = read_table(DATA / "rt" / "informs2005_rt.csv.gz")
    quasi = ["DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "marry"]
    has = np.array([bool(each) for each in table["conditions"].to_pylist()])
    drawn = np.sort(np.random.default_rng(1).permutation(np.flatnonzero(has))[:5_000])
    table = _text(table.take(pa.array(drawn)).select([*quasi, "conditions"]))
    items = {"items": "conditions", "separator": " ", "hierarchy": {"conditions": _TREES / "icd9_tree_even.txt"}}
    both = {"quasi": quasi, **items}
    return table, {
        f"{AMNESIA} (apriori)": ours(tacit.KmAnonymity(K, 2), items, "apriori"),
        "best": ours(tacit.KmAnonymity(K, 2), items, "best"),
        "rum-bound": ours(tacit.KKmAnonymity(K, 2), both, "rum-bound"),
        "rfirst": ours(tacit.KKmAnonymity(K, 2), both, "rfirst"),
    }


def movielens() -> tuple[pa.Table, dict[str, File]]:
    table = read_table(DATA / "ratings" / "ml-latest-small" / "ratings.csv.gz").select(["userId", "movieId", "rating"])
    roles = {"person": "userId", "items": "movieId", "rating": "rating", "scale": (0.5, 5), "step": 0.5}
    return table, {
        "rating-km, m = 2": ours(tacit.RatingKm(K, 2), roles),
        "k-eps, eps = 0": ours(tacit.KEpsAnonymity(K, 0), roles),
        "k-eps, eps = 1": ours(tacit.KEpsAnonymity(K, 1), roles),
    }


DATA_SETS: dict[str, Callable[[], tuple[pa.Table, dict[str, File]]]] = {
    "Adult": adult, "diabetes130": diabetes, "INFORMS": informs, "ml-latest-small": movielens,
}  # fmt: skip


def _records(table: pa.Table, promise: Any, roles: Mapping[str, Any], trees: Mapping[str, Path]) -> dict[str, File]:
    """The same promise by two methods of ours and in the way of three other tools."""
    quasi = roles["quasi"]
    levels = {name: levels_of(trees.get(name), table[name].to_pylist()) for name in quasi}
    return {
        f"{ARX} (one level for all, 5 % suppressed)": File(promise, roles, lambda t: full_domain(t, levels, K, 0.05)),
        f"{SDCMICRO} (local suppression)": File(promise, roles, lambda t: local_suppression(t, quasi, K)),
        f"{AMNESIA} (one level for all)": File(promise, roles, lambda t: full_domain(t, levels, K, 0.0)),
        "mondrian": ours(promise, roles, "mondrian"),
        "cluster": ours(promise, roles, "cluster"),
    }


def _text(table: pa.Table) -> pa.Table:
    return pa.table({name: [str(each) for each in table[name].to_pylist()] for name in table.column_names})


def split(table: pa.Table, roles: Mapping[str, Any]) -> tuple[pa.Table, pa.Table]:
    """The people who stay, and the control."""
    who = np.arange(table.num_rows)
    if "person" in roles:
        who = np.unique(table[roles["person"]].to_numpy(zero_copy_only=False), return_inverse=True)[1]
    people = int(who.max()) + 1
    out = np.zeros(people, bool)
    out[np.random.default_rng(7).permutation(people)[: round(SHARE * people)]] = True
    return table.filter(pa.array(~out[who])), table.filter(pa.array(out[who]))


def measured(data: str, maker: str) -> dict[str, Any]:
    """What every quick attacker came to against a file."""
    table, files = DATA_SETS[data]()
    file = files[maker]
    inside, outside = split(table, file.roles)
    published, rows = file.make(inside)
    found = tacit.attack(inside, published, file.promise, rows=rows, control=outside, quick=True, **file.roles)
    kept = ("name", "knows", "heading", "success", "interval", "baseline", "control", "bound")
    attacks = [
        {key: each[key] for key in kept} | {"before": (each.get("before") or {}).get("success")}
        for each in found["attacks"]
        if each["success"] is not None
    ]  # fmt: skip
    return {
        "data": data, "maker": maker, "promise": repr(file.promise), "records": found["risk"]["records"],
        "highest": found["risk"]["prosecutor"]["highest"], "average": found["risk"]["prosecutor"]["average"],
        "above_bound": [each.name for each in found.above()], "attacks": attacks,
    }  # fmt: skip


def page(points: Sequence[Mapping[str, Any]]) -> str:
    lines = [
        "# Study: attackers against files of several makers",
        "",
        "Generated by `python -m studies.attacks`; do not edit. Quick attackers of [`tacit attack`](../attacks.md) "
        "against files with k = 5 in the way of ARX (one level of generalization for all records, up to 5 % of them "
        "suppressed), of sdcMicro (values suppressed one by one) and of Amnesia (one level for all; baskets by the "
        "apriori algorithm), made by comparators of our own in `studies/others.py`, and against files of our methods. "
        "None of those programs ran, and levels are chosen greedily, which is coarser than what ARX finds: low risk of "
        "such a file is bought with its values. A tenth of the people was held out as a control. diabetes130: the "
        "first encounters of 20,000 patients; INFORMS: 5,000 people with a condition; the others whole. Of an attacker "
        "with several states of knowledge the one that is farthest above its baseline is shown: success (baseline; "
        "before; control; – where there is none). *above* marks more success than promised, for certain.",
        "",
    ]  # fmt: skip
    for data in sorted({point["data"] for point in points}, key=list(DATA_SETS).index):
        some = [point for point in points if point["data"] == data]
        lines += [f"## {data}", "", f"| attacker | {' | '.join(point['maker'] for point in some)} |"]
        lines += [f"| --- |{' ---: |' * len(some)}"]
        for name in dict.fromkeys(each["name"] for point in some for each in point["attacks"]):
            cells = [_best(point, name) for point in some]
            lines.append(f"| `{name}` | {' | '.join(cells)} |")
        averages = [_percent(point["average"]) for point in some]
        lines.append(f"| average prosecutor risk | {' | '.join(averages)} |")
        lines.append("")
    return "\n".join(lines)


def _best(point: Mapping[str, Any], name: str) -> str:
    played = [each for each in point["attacks"] if each["name"] == name]
    if not played:
        return "–"
    best = max(played, key=lambda each: each["success"] - (each["baseline"] or 0.0))
    told = [_percent(best[key]) for key in ("baseline", "before", "control")]
    return f"{best['success']:.1%} ({'; '.join(told)}){' **above**' * (name in point['above_bound'])}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def read() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(POINTS.read_text(encoding="utf-8")) if POINTS.is_file() else []
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m studies.attacks", description=__doc__)
    parser.add_argument("data", nargs="*", help=f"which data sets: {', '.join(DATA_SETS)}; all if none")
    parser.add_argument("--anew", action="store_true", help="measure again what was measured before")
    asked = parser.parse_args(arguments)
    for data in asked.data or DATA_SETS:
        for maker in DATA_SETS[data]()[1]:
            points = read()
            same = [each for each in points if (each["data"], each["maker"]) == (data, maker)]
            if asked.anew or not same:
                points = [*(each for each in points if each not in same), measured(data, maker)]
                POINTS.write_text(json.dumps(points, indent=1) + "\n", encoding="utf-8")
                print(f"{data}: {maker}", flush=True)
    PAGE.write_text(page(read()), encoding="utf-8")


if __name__ == "__main__":
    main()
