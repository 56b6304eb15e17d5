"""Small problems of records with baskets for tests: seeded random ones, and Fig. 1(a) of Poulis et al. 2013."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from naive.audit_records import Record, published
from support.rt_figures import FIG_1A, NAMES, SENSITIVE
from tacit.arrays.attributes import Attribute, spans, texts_of
from tacit.audits.views.records import RecordView
from tacit.promises import KKmAnonymity, KLmDiversity
from tacit.records.solvers.problem import RecordAnonymization, RecordProblem, published_baskets
from tacit.taxonomy import Taxonomy

Promise = KKmAnonymity | KLmDiversity


def arrays(rows: Sequence[set[int]]) -> tuple[np.ndarray, np.ndarray]:
    indptr = np.cumsum([0, *map(len, rows)])
    return indptr, np.array([item for row in rows for item in sorted(row)], np.int32)


def random_tree(rng: np.random.Generator, n_leaves: int) -> Taxonomy:
    """Leaves 0 to n − 1 under groups of groups."""
    paths = [[f"leaf{i}"] for i in range(n_leaves)]
    width = n_leaves
    for level in range(int(rng.integers(0, 3))):
        width = max(1, width // int(rng.integers(2, 4)))
        for i, path in enumerate(paths):
            path.append(f"group{level}.{i * width // n_leaves}")
    return Taxonomy.from_paths([[*path, "root"] for path in paths])


def random_attribute(rng: np.random.Generator, n: int, name: str) -> Attribute:
    """A number, a category with a hierarchy or one without; perhaps with missing values, perhaps suppressed ones."""
    kind, n_codes = rng.integers(0, 3), int(rng.integers(1, 7))
    has_missing = bool(rng.random() < 0.4)
    codes = rng.integers(0, n_codes + has_missing, n).astype(np.int32)
    weight = float(rng.choice([1.0, 1.0, 2.5]))
    missing = n_codes if has_missing else -1
    suppress = bool(has_missing and rng.random() < 0.3)
    texts = tuple(f"{name}{i}" for i in range(n_codes)) + ("*" if suppress else "",) * has_missing
    if kind == 0:
        numbers = np.sort(rng.choice(40, n_codes, replace=False)).astype(float)
        numbers = np.append(numbers, np.nan) if has_missing else numbers
        return Attribute(name, codes, texts, missing, numbers, weight=weight, suppress_missing=suppress)
    if kind == 1:
        tree = random_tree(rng, len(texts))
        return Attribute(
            name, codes, texts, missing, tree=tree, leaf_of_code=tree.leaves, weight=weight, suppress_missing=suppress
        )
    return Attribute(name, codes, texts, missing, weight=weight, suppress_missing=suppress)


def random_problem(seed: int, *, diverse: bool) -> RecordProblem:
    """Up to 24 records with up to three attributes, eight public and two sensitive items; some baskets are empty."""
    rng = np.random.default_rng([seed, diverse])
    n, k = int(rng.integers(4, 25)), int(rng.integers(1, 5))
    attributes = tuple(random_attribute(rng, n, "abc"[i]) for i in range(rng.integers(1, 4)))
    n_items = int(rng.integers(1, 9))
    chance = rng.uniform(0.1, 0.7) * rng.uniform(0.3, 1, n_items)
    baskets = [set(np.flatnonzero(rng.random(n_items) < chance).tolist()) for _ in range(n)]
    sensitive = [{s for s in range(2) if rng.random() < 0.15} for _ in range(n)]
    m = [1, 2, 2, 3, float("inf")][rng.integers(0, 5)]
    tree = random_tree(rng, n_items)
    promise: Promise = KKmAnonymity(k, m)
    if diverse:
        promise = KLmDiversity(k, [1.2, 1.5, 2, 7 / 3][rng.integers(0, 4)], m)
    return RecordProblem(
        attributes, *arrays(baskets), np.zeros(n_items, np.int32), *arrays(sensitive), promise, tree, tree.leaves
    )


def random_partition(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """Clusters of k records or more, numbered by their first records."""
    parts = np.array_split(rng.permutation(n), max(1, n // (k + int(rng.integers(0, 2)))))
    group = np.empty(n, np.int32)
    for index, part in enumerate(sorted((part for part in parts if part.size), key=lambda part: part.min())):
        group[part] = index
    return group


def as_published(problem: RecordProblem, found: RecordAnonymization) -> RecordView:
    """What an attacker sees: values, and items by what they become in their cluster, sets by their members."""
    columns = []
    n_clusters = int(found.group.max(initial=-1)) + 1
    for attribute in problem.attributes:
        spanned = spans(attribute, found.group, n_clusters)
        texts = texts_of(attribute, spanned)
        columns.append([texts[spanned.value[cluster]] for cluster in found.group.tolist()])
    indptr, shown = published_baskets(problem, found.group, found.published)
    records = []
    for row, cluster in enumerate(found.group.tolist()):
        names = {_name(found, cluster, label) for label in shown[indptr[row] : indptr[row + 1]].tolist()}
        sensitive = problem.sensitive[problem.sensitive_indptr[row] : problem.sensitive_indptr[row + 1]].tolist()
        values = tuple(column[row] for column in columns)
        records.append(Record(values, frozenset(names | {f"secret{s}" for s in sensitive})))
    names_of_columns = [attribute.name for attribute in problem.attributes]
    declared = [f"secret{s}" for s in range(max(problem.n_sensitive, 1))]  # be it in the data or not
    return published(names_of_columns, records, declared)


def _name(found: RecordAnonymization, cluster: int, label: int) -> str:
    if found.published.by_tree:
        return f"node{label}"
    here = slice(found.published.indptr[cluster], found.published.indptr[cluster + 1])
    members = found.published.items[here][found.published.becomes[here] == label]
    return f"({','.join(map(str, members.tolist()))})"


ORIGIN = Taxonomy.from_paths(
    [[name, "Europe", "All"] for name in ("France", "UK", "Germany", "Spain")]
    + [[name, "Africa", "All"] for name in ("Algeria", "Nigeria")]
)
GENDER = Taxonomy.from_paths([["Male", "All"], ["Female", "All"]])
PRODUCTS = Taxonomy.from_paths([[item, "(A,B,C,D)", "All"] for item in "ABCD"] + [[item, "All"] for item in "EF"])
ITEMS = "ABCDEF"


def figure_1a(promise: Promise | None = None) -> RecordProblem:
    """Fig. 1(a); the hierarchy of products is not in the scan, and follows Fig. 1(b)."""
    ages = sorted({record.values[0] for record in FIG_1A}, key=int)
    attributes = [
        Attribute(
            NAMES[0],
            np.array([ages.index(record.values[0]) for record in FIG_1A], np.int32),
            tuple(ages),
            numbers=np.array(ages, float),
        )
    ]
    for place, tree in ((1, ORIGIN), (2, GENDER)):
        texts = [tree.names[leaf] for leaf in tree.leaves]
        codes = np.array([texts.index(record.values[place]) for record in FIG_1A], np.int32)
        attributes.append(Attribute(NAMES[place], codes, tuple(texts), tree=tree, leaf_of_code=tree.leaves))
    baskets = [{ITEMS.index(item) for item in record.items - set(SENSITIVE)} for record in FIG_1A]
    sensitive = [{SENSITIVE.index(item) for item in record.items & set(SENSITIVE)} for record in FIG_1A]
    return RecordProblem(
        tuple(attributes),
        *arrays(baskets),
        np.zeros(len(ITEMS), np.int32),
        *arrays(sensitive),
        promise or KKmAnonymity(2, 2),
        PRODUCTS,
        PRODUCTS.find_leaves(list(ITEMS)),
    )
