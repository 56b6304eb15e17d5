"""How well classifiers that learn from published records predict original people (Li et al. 2012, section 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.slices.solvers.correlation import classes_of

if TYPE_CHECKING:
    from tacit.arrays.attributes import Attribute
    from tacit.slices.data import PersonTable
    from tacit.slices.measures import Drawn

_MOST_RECORDS = 20_000
_MOST_VALUES = 50
_BINS = 10


def accuracies(data: PersonTable, drawn: Drawn, rng: np.random.Generator) -> dict[str, Any]:
    """Shares of people whose value is predicted right, of a sensitive attribute and of a known one.

    A third of the people is kept from learning. The classifiers learn from the others, once from the original and once
    from records drawn from the release, and are tried on that third, as the original or the release shows its values.
    """
    people = rng.permutation(len(data))[:_MOST_RECORDS]
    test, learn = people[: len(people) // 3], people[len(people) // 3 :]
    found: dict[str, Any] = {}
    targets = targets_of(data)
    if not test.size or not targets:
        return found
    slice_of = {name: i for i, one in reversed(list(enumerate(drawn.sliced.slices))) for name in one}
    learned_from = {name: drawn.source[i] for name, i in slice_of.items()}
    for target in targets:
        name = data.names[target]
        is_learned = np.zeros(len(data), bool)
        is_learned[learn] = True
        records = np.flatnonzero(
            is_learned[learned_from[name]]
        )  # drawn records whose target is of somebody learned from
        others = [a for a in range(len(data.attributes)) if a != target]
        answers = data.codes[target]
        shown = {"original": (data.attributes, {n: np.arange(len(data)) for n in data.names}, learn)}
        shown["release"] = (drawn.shown, learned_from, records)
        for where, (attributes, source, rows) in shown.items():
            columns = [_classes(attributes[a]) for a in others]
            train = np.stack(
                [column[source[data.names[a]][rows]] for a, column in zip(others, columns, strict=True)], 1
            )
            asked = np.stack([column[test] for column in columns], axis=1)
            wanted = answers[source[name][rows]]
            for kind, right in _shares_right(train, wanted, asked, answers[test]).items():
                found[f"{kind}_{where}_{name}"] = right
        found[f"majority_{name}"] = float(np.bincount(answers[test]).max() / test.size)
    return {"accuracy": found}


def targets_of(data: PersonTable) -> list[int]:
    """A sensitive attribute, and the known one of few values that depends most on others."""
    targets = [a for a in data.sensitive if 1 < data.sizes[a] <= _MOST_VALUES][:1]
    few = [a for a in data.known if 1 < data.sizes[a] <= 10]
    return [*targets, *few[-1:]]


def _classes(attribute: Attribute) -> np.ndarray:
    return classes_of(attribute, _BINS, "frequency")


def _shares_right(train: np.ndarray, wanted: np.ndarray, asked: np.ndarray, answers: np.ndarray) -> dict[str, float]:
    from sklearn.naive_bayes import CategoricalNB
    from sklearn.tree import DecisionTreeClassifier

    categories = np.maximum(train.max(axis=0), asked.max(axis=0)) + 1
    models = {
        "naive_bayes": CategoricalNB(min_categories=categories),
        "tree": DecisionTreeClassifier(min_samples_leaf=max(5, len(train) // 500), random_state=0),
    }
    return {name: float((model.fit(train, wanted).predict(asked) == answers).mean()) for name, model in models.items()}
