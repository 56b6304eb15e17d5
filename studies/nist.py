"""An outside exam: the target data of NIST's Collaborative Research Cycle, and what its SDNist reports on releases.

    python -m studies.nist

National data of 2019 of the Diverse Communities Data Excerpts (27,253 persons). NIST prints a figure of a tool of our
kind: sdcMicro with k = 6 leaves 47.41 % of the persons who are unique on ten demographic features as they were. Here
these features are the quasi-identifiers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pyarrow as pa

import tacit
from studies.common import DATA, PAGES
from tacit.audits.values import ends_of, members_of
from tacit.io import read_table

FILE = DATA / "nist" / "national2019.csv.gz"
FEATURES = ("AGEP", "SEX", "MSP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU", "PINCP_DECILE", "DVET", "DEYE")
"""On which NIST counts who is unique."""
K = 6
SDCMICRO = "47.41 %"
"""Of the unique persons, by NIST's published report on sdcMicro with k = 6."""
METHODS = "mondrian", "cluster"
YEARS = 5
"""Ages are compared in classes of so many years, everything else as it is."""

Columns = Mapping[str, list[str]]


def target() -> pa.Table:
    """The ten features; ages are numbers, the rest are codes."""
    table = read_table(FILE).select(FEATURES)
    return table.cast(pa.schema([(name, pa.string()) for name in FEATURES]))


def released(table: pa.Table, method: str) -> tacit.Release:
    settings = {name: {"type": "number" if name == "AGEP" else "category"} for name in FEATURES}
    return tacit.anonymize(
        table, tacit.KAnonymity(K), quasi=list(FEATURES), column_settings=settings, method=method, seed=1
    )


def texts(table: pa.Table) -> Columns:
    return {name: table[name].cast(pa.string()).to_pylist() for name in FEATURES}


def unique_exact_matches(original: Columns, published: Columns) -> tuple[int, int]:
    """How many persons are unique on the features, and how many of them a release shows with all values as they were.

    >>> rows = {name: ["1", "2", "2"] for name in FEATURES}
    >>> unique_exact_matches(rows, rows)
    (1, 1)
    """
    counts = Counter(zip(*(original[name] for name in FEATURES), strict=True))
    unique = {row for row, count in counts.items() if count == 1}
    return len(unique), len(unique & {*zip(*(published[name] for name in FEATURES), strict=True)})


def drawn(original: Columns, published: Columns, rng: np.random.Generator) -> Columns:
    """A record for each published one: of what a value may be, each one of the original's values as likely.

    >>> rows = {name: ["1", "2", "4"] for name in FEATURES}
    >>> one = {**rows, "AGEP": ["[1:2]"] * 3, "SEX": ["(2,4)"] * 3}
    >>> made = drawn(rows, one, np.random.default_rng(0))
    >>> {*made["AGEP"]} <= {"1", "2"}, {*made["SEX"]} <= {"2", "4"}, made["EDU"]
    (True, True, ['1', '2', '4'])
    """
    made = {}
    for name in FEATURES:
        values = sorted({*original[name]})
        may_be = {text: _may_be(text, values) for text in {*published[name]}}
        lots = rng.random(len(published[name])).tolist()
        made[name] = [
            may_be[text][int(lot * len(may_be[text]))] for text, lot in zip(published[name], lots, strict=True)
        ]
    return made


def _may_be(text: str, values: list[str]) -> list[str]:
    """The values of the original that a published one may be."""
    ends = ends_of(text)
    if ends is not None:
        low, high = (float(end) if end else limit for end, limit in zip(ends, (-np.inf, np.inf), strict=True))
        return [value for value in values if low <= float(value) <= high]
    if text == "*" and text not in values:
        return values
    return members_of(text) or [text]


def _classes(columns: Columns) -> dict[str, np.ndarray]:
    made = {name: np.array(columns[name]) for name in FEATURES}
    made["AGEP"] = (made["AGEP"].astype(int) // YEARS).astype(str)
    return made


def distance(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray], names: tuple[str, ...]) -> float:
    """Half of what the shares of all combinations of values differ by (total variation)."""
    counts = [Counter(zip(*(each[name].tolist() for name in names), strict=True)) for each in (one, other)]
    people = [sum(count.values()) for count in counts]
    return sum(abs(counts[0][row] / people[0] - counts[1][row] / people[1]) for row in {*counts[0], *counts[1]}) / 2


def k_marginal(original: Columns, made: Columns) -> float:
    """The mean over all sets of three features, as SDNist writes it: 1000 if all are alike, 0 if none has a row."""
    one, other = _classes(original), _classes(made)
    return 1000 * (1 - float(np.mean([distance(one, other, names) for names in combinations(FEATURES, 3)])))


def measured(table: pa.Table, method: str) -> tuple[str, list[float]]:
    """The line of a method, and the errors of each feature."""
    release, original = released(table, method), texts(table)
    published = texts(release.data)
    unique, matches = unique_exact_matches(original, published)
    made = drawn(original, published, np.random.default_rng(1))
    errors = [distance(_classes(original), _classes(made), (name,)) for name in FEATURES]
    found = f"{matches:,} ({matches / unique:.2%}) | {release.utility['ncp']:.2%} | {k_marginal(original, made):.0f}"
    return f"| tacit, `{method}` | {found} |", errors


def page() -> str:
    """The study as it is published."""
    table = target()
    original = texts(table)
    unique, _ = unique_exact_matches(original, original)
    found = {method: measured(table, method) for method in METHODS}
    half = np.random.default_rng(2).permutation(table.num_rows)[: table.num_rows // 2]
    control = k_marginal(original, texts(table.take(pa.array(half))))
    of_features = [
        f"| {name} | " + " | ".join(f"{errors[i]:.2%}" for _, errors in found.values()) + " |"
        for i, name in enumerate(FEATURES)
    ]
    lines = [
        "# An outside exam: NIST's Collaborative Research Cycle",
        "",
        "Generated by `python -m studies.nist`; do not edit.",
        "",
        f"The data are the national part (2019) of NIST's Diverse Communities Data Excerpts, {table.num_rows:,} people "
        f"of the American Community Survey. Of these {unique:,} are unique on the ten demographic features "
        f"{', '.join(FEATURES)}. k = {K}, the features are quasi-identifiers: AGEP numbers, the others codes without a "
        "hierarchy, `N` (not applicable) a code like others.",
        "",
        "| release | unique exact matches | loss (NCP) | 3-marginals of drawn records |",
        "| --- | ---: | ---: | ---: |",
        *(line for line, _ in found.values()),
        f"| sdcMicro, k = 6, as NIST reports it | 7,073 ({SDCMICRO}) | | |",
        f"| half of the persons, drawn: no protection, as a measure of chance | | | {control:.0f} |",
        "",
        "- **Unique exact matches**: persons who are unique in the original and stand in the release with all ten "
        "values as they were. Everybody who knows the features finds them. A release that is k-anonymous on all ten "
        "has none, so a report that finds some speaks of a release that protected other or fewer features.",
        "- **3-marginals**: a record is drawn for each published one, every value that the published one may be being "
        "as likely; then the shares of all combinations of three features are compared. 1000 is no difference, 0 is "
        f"nothing in common. Ages are compared in classes of {YEARS} years. SDNist computes it on synthetic files in "
        "the same way with classes of its own, so its scores are like these, not equal.",
        "",
        "Error by attribute: half of what the shares of all values differ by, in drawn records.",
        "",
        "| feature | " + " | ".join(f"`{method}`" for method in METHODS) + " |",
        "| --- | " + " | ".join("---:" for _ in METHODS) + " |",
        *of_features,
        "",
        "We thank NIST for the data: *Diverse Communities Data Excerpts*, National Institute of Standards and "
        "Technology.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    if not FILE.is_file():
        print("skipped: the study needs NIST's data (shared/data/nist beside the project), which are not here")
        return
    (PAGES / "nist.md").write_text(page(), encoding="utf-8")
    print(PAGES / "nist.md")


if __name__ == "__main__":
    main()
