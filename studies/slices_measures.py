"""What an attacker, a miner and a classifier get out of a table, whichever technique it was published by.

The same measures for the original, for generalized records and for sliced tables. A miner draws records: from a sliced
table by linking its slices at random, from generalized records by taking one value of each range or node, all of them
equally likely.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit.arrays.attributes import Attribute, spans
from tacit.arrays.order import joint_codes
from tacit.audits.result import AuditResult
from tacit.release import Release
from tacit.sliced import SlicedTable, count
from tacit.slices.measures import draw
from tacit.slices.solvers.correlation import classes_of, correlations

PEOPLE = 300
"""So many people are attacked."""
BINS = 10


@dataclass(frozen=True, eq=False)
class Published:
    """A published table: what it is compared with, and what can be drawn from it."""

    people: tuple[Attribute, ...]  # the original, known attributes first
    n_known: int
    drawn: tuple[np.ndarray, ...]  # codes of drawn records, attribute by attribute
    whose: tuple[np.ndarray, ...]  # the original record that each of those values comes from
    sliced: SlicedTable | None = None
    group: np.ndarray | None = None  # of generalized records: the group of each

    @property
    def sensitive(self) -> int:
        """The first sensitive attribute."""
        return self.n_known


def as_it_is(release: Release) -> Published:
    """The original that a sliced release was made from, published without any change."""
    people, n_known = _people_of(release)
    rows = np.arange(len(people[0]))
    group, _ = joint_codes(
        [one.codes for one in people[:n_known]], [len(one.texts) for one in people[:n_known]], rows.size
    )
    return Published(people, n_known, tuple(one.codes for one in people), (rows,) * len(people), group=group)


def as_slices(release: Release, rng: np.random.Generator) -> Published:
    drawn = draw(release.applied, release.original, rng)
    slice_of = {name: i for i, one in reversed(list(enumerate(drawn.sliced.slices))) for name in one}
    people, n_known = _people_of(release)
    whose = tuple(drawn.source[slice_of[one.name]] for one in people)
    codes = tuple(one.codes[at] for one, at in zip(people, whose, strict=True))
    return Published(people, n_known, codes, whose, sliced=drawn.sliced)


def as_groups(release: Release, rng: np.random.Generator) -> Published:
    data, group = release.before, release.recoding.group
    n_groups, rows = int(group.max()) + 1, np.arange(group.size)
    known = [_one_of(one, group, n_groups, rng) for one in data.attributes]
    people = (*data.attributes, *data.sensitive)
    codes = (*known, *(one.codes for one in data.sensitive))
    published, _ = joint_codes([spans(one, group, n_groups).value[group] for one in data.attributes],
                            [n_groups + 1] * len(data.attributes), rows.size)  # fmt: skip
    return Published(people, len(known), codes, (rows,) * len(people), group=published)


def _people_of(release: Release) -> tuple[tuple[Attribute, ...], int]:
    data = release.before
    return tuple(data.attributes[a] for a in (*data.known, *data.sensitive)), len(data.known)


def _one_of(attribute: Attribute, group: np.ndarray, n_groups: int, rng: np.random.Generator) -> np.ndarray:
    """For each record one of the values that its published one may be."""
    span = spans(attribute, group, n_groups)
    last = len(attribute.texts) - 1 - (attribute.missing >= 0)
    low, high = np.zeros(len(span), np.int64), np.full(len(span), last)
    if span.ends is not None:
        shown = span.ends[0] >= 0
        low[shown], high[shown] = span.ends[0][shown], span.ends[1][shown]
    elif span.node is not None:
        assert attribute.tree is not None and attribute.leaf_of_code is not None
        leaves, shown = attribute.leaf_of_code[: last + 1], span.node > 0
        low[shown] = np.searchsorted(leaves, span.node[shown])
        high[shown] = np.searchsorted(leaves, attribute.tree.end[span.node[shown]]) - 1
    exact = span.code >= 0
    low[exact] = high[exact] = span.code[exact]
    value = span.value[group]
    return low[value] + (rng.random(group.size) * (high - low + 1)[value]).astype(np.int64)


def measures(table: Published, seed: int = 1) -> dict[str, Any]:
    """All measures of a published table."""
    rng = np.random.default_rng(seed)
    return {
        "privacy": 1 - _belief(table, rng),
        "fake": _fakes(table),
        **_correlation(table),
        **_accuracies(table, rng),
    }


def _belief(table: Published, rng: np.random.Generator) -> float:
    """How sure an attacker is, on average, of the true sensitive value of somebody whose known values are at hand."""
    people = table.people
    chosen = rng.permutation(len(people[0]))[:PEOPLE]
    sensitive = people[table.sensitive]
    if table.group is not None:
        pair = table.group.astype(np.int64) * len(sensitive.texts) + sensitive.codes
        _, which, times = np.unique(pair, return_inverse=True, return_counts=True)
        return float((times[which] / np.bincount(table.group)[table.group])[chosen].mean())
    assert table.sliced is not None
    found = []
    for person in chosen.tolist():
        known = {one.name: _text(one, person) for one in people[: table.n_known]}
        with_value = count(table.sliced, {**known, sensitive.name: _text(sensitive, person)})
        found.append(with_value / count(table.sliced, known))
    return float(np.mean(found))


def _text(attribute: Attribute, person: int) -> str:
    code = int(attribute.codes[person])
    return "" if code == attribute.missing else attribute.texts[code]


def _fakes(table: Published) -> float:
    """The share of drawn records whose known values are nobody's: who sees such values cannot tell who is there."""
    rows, known = len(table.people[0]), table.people[: table.n_known]
    columns = [np.concatenate(pair) for pair in zip((one.codes for one in known), table.drawn, strict=False)]
    both, _ = joint_codes(columns, [len(one.texts) for one in known], 2 * rows)
    return float((~np.isin(both[rows:], both[:rows])).mean())


def _correlation(table: Published) -> dict[str, float]:
    """How much of the correlation is left in drawn records: of all pairs, and of those with a sensitive attribute."""
    before = correlations(table.people, BINS)
    shown = [replace(one, codes=codes.astype(np.int32)) for one, codes in zip(table.people, table.drawn, strict=True)]
    left = np.minimum(before, correlations(shown, BINS))
    rows, columns = np.triu_indices(len(before), 1)
    sensitive = columns >= table.n_known

    def kept(which: np.ndarray) -> float:
        return float(left[rows, columns][which].sum() / max(before[rows, columns][which].sum(), 1e-12))

    return {"correlation": kept(np.ones(rows.size, bool)), "correlation_sensitive": kept(sensitive)}


def _accuracies(table: Published, rng: np.random.Generator) -> dict[str, Any]:
    """How often classifiers are right about original people who learned from drawn records of other people.

    Two attributes are told from all others: the first sensitive one, and the last known one of few values."""
    n = len(table.people[0])
    is_test = np.zeros(n, bool)
    is_test[rng.permutation(n)[: n // 3]] = True
    class_of = [_class_of_code(one) for one in table.people]
    found: dict[str, Any] = {}
    few = [a for a in range(table.n_known) if 1 < len(table.people[a].texts) <= BINS]
    for name, target in (("sensitive", table.sensitive), ("known", few[-1] if few else -1)):
        if target < 0:
            continue
        found[f"target_{name}"] = table.people[target].name
        features = [a for a in range(len(table.people)) if a != target]
        learned = ~is_test[table.whose[target]]
        train = np.stack([class_of[a][table.drawn[a][learned]] for a in features], axis=1)
        asked = np.stack([class_of[a][table.people[a].codes[is_test]] for a in features], axis=1)
        wanted, answers = table.drawn[target][learned], table.people[target].codes[is_test]
        for kind, right in _shares_right(train, wanted, asked, answers).items():
            found[f"{kind}_{name}"] = right
    return found


def _class_of_code(attribute: Attribute) -> np.ndarray:
    class_of = np.zeros(len(attribute.texts), np.int64)
    class_of[attribute.codes] = classes_of(attribute, BINS, "frequency")
    return class_of


def _shares_right(train: np.ndarray, wanted: np.ndarray, asked: np.ndarray, answers: np.ndarray) -> dict[str, float]:
    from sklearn.naive_bayes import CategoricalNB
    from sklearn.tree import DecisionTreeClassifier

    categories = np.maximum(train.max(axis=0), asked.max(axis=0)) + 1
    models = {
        "bayes": CategoricalNB(min_categories=categories),
        "tree": DecisionTreeClassifier(min_samples_leaf=max(5, len(train) // 500), random_state=0),
    }
    return {name: float((model.fit(train, wanted).predict(asked) == answers).mean()) for name, model in models.items()}


def level(audit: AuditResult) -> float | None:
    """The ℓ that an audit says was reached."""
    reached = audit.facts["level"]
    return reached["l"] if isinstance(reached, dict) else reached
