"""Machine learning on the release: what it predicts of people whose quasi-identifiers, or other items, are known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.attack.base import BEST, INFERENCE, Attacker, Outcome

if TYPE_CHECKING:
    import numpy as np

    from tacit.attack.scene import Scene

_MOST_ROWS = 20_000
_MOST_VALUES = 50
_MOST_ITEMS = 20
"""Of more sensitive items, the most frequent ones are guessed at."""
_MOST_NAMES = 40
"""Of columns with more names, the most frequent ones are told apart."""


def play(scene: Scene) -> Iterator[Outcome]:
    if scene.kind == "records" and scene.view.shown:
        yield from _columns(scene)
    if scene.kind == "baskets" or scene.view.baskets is not None:
        yield from _items(scene)


def _columns(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.learning import sensitive_columns_of
    from tacit.attack.records_known import known_columns
    from tacit.attack.scene import tally

    was, shown = known_columns(scene)
    others = None if scene.control is None else known_columns(scene, scene.control)[0]
    for sensitive in sensitive_columns_of(scene):
        values = np.unique(sensitive.shown)
        if not was or not 1 < values.size <= _MOST_VALUES:
            continue
        rows = scene.rng("classifier rows").permutation(len(scene.view))[:_MOST_ROWS]
        targets = scene.sample(len(scene.original), "classifier", sensitive.name)
        published, known, are_numbers = _features(was, shown, was)
        tells = published[rows].std(axis=0) > 0
        if not tells.any():  # nothing to learn from: the most frequent value is all that is left
            guess = np.bincount(sensitive.shown).argmax()
            right = (sensitive.true[targets] == guess).astype(float)
            yield Outcome(
                f"the quasi-identifiers, which tell nothing; guesses {sensitive.name}", tally(right), _most(sensitive)
            )
            continue
        for name, model in _models(scene.seed, are_numbers[tells], rows.size).items():
            model.fit(published[rows][:, tells], sensitive.shown[rows])
            right = model.predict(known(targets)[:, tells]) == sensitive.true[targets]
            control = None
            if others is not None:
                some = scene.sample(len(scene.control), "classifier control")
                theirs = _features(was, shown, others)[1]
                columns = {column.name: column for column in scene.control.sensitive}
                texts = np.array(columns[sensitive.name].cells.texts, object)[columns[sensitive.name].codes[some]]
                told = np.array(sensitive.values, object)[model.predict(theirs(some)[:, tells])]
                control = tally((told == texts).astype(float))
            yield Outcome(
                f"the quasi-identifiers; {name} guesses {sensitive.name}", tally(right.astype(float)),
                _most(sensitive), control,
            )  # fmt: skip


def _items(scene: Scene) -> Iterator[Outcome]:
    """Sensitive items, of somebody of whom all other items are known, and the quasi-identifiers if there are any."""
    import numpy as np

    from tacit.attack.item_learning import chance_to_be_right
    from tacit.attack.learning import SensitiveItems
    from tacit.attack.scene import tally

    sensitive = SensitiveItems(scene)
    targets = scene.sample(len(scene.original), "classifier items")
    if not sensitive.items.size or not targets.size:
        return
    rows = scene.rng("classifier baskets").permutation(len(scene.view))[:_MOST_ROWS]
    guessed = np.argsort(-sensitive.shows.mean(axis=0), kind="stable")[:_MOST_ITEMS]
    shares = sensitive.shows[rows][:, guessed]
    axes, has = _item_axes(scene, sensitive.matcher, rows, targets), sensitive.has[targets][:, guessed]
    strangers = None if scene.control is None else SensitiveItems(scene, of_control=True)
    if strangers is not None and strangers.items.size != sensitive.items.size:
        strangers = None  # other spellings, which the job takes for other items
    if strangers is not None:
        some = scene.sample(len(scene.control), "classifier items control")
        theirs, they_have = _item_axes(scene, strangers.matcher, rows, some, scene.control), strangers.has[some]
    knows = "the quasi-identifiers and all other items" if scene.kind == "records" else "all other items"
    for name, model in _item_models(scene.seed).items():
        right = tally(chance_to_be_right(model, axes, shares, has))
        control = None
        if strangers is not None:
            control = tally(chance_to_be_right(model, theirs, shares, they_have[:, guessed]))
        yield Outcome(f"{knows}; {name} guesses a sensitive item", right, _most(sensitive), control)


def _item_axes(scene: Scene, matcher: Any, rows: np.ndarray, people: np.ndarray, of: Any = None) -> Any:
    """What is known of people, inside or outside the file, and published, of items and of quasi-identifiers."""
    from tacit.attack.item_learning import item_axes
    from tacit.attack.records_known import known_columns

    axes = item_axes(matcher, rows, people)
    if scene.kind != "records":
        return axes
    was, shown = known_columns(scene)
    if not was:
        return axes
    cells, known, _ = _features(was, shown, was if of is None else known_columns(scene, of)[0])
    return axes.beside(cells[rows], known(people))


def _item_models(seed: int) -> dict[str, Any]:
    """All axes go from 0 to 1, so that nothing need be scaled, or be counted in tenths."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.tree import DecisionTreeClassifier

    return {
        "a decision tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=seed % (1 << 32)),
        "naive Bayes": MultinomialNB(),
        "logistic regression": LogisticRegression(max_iter=200),
    }


def _most(sensitive: Any) -> float:
    return float(sensitive.prior().max(initial=0.0))


def _models(seed: int, are_numbers: np.ndarray, rows: int) -> dict[str, Any]:
    """Naive Bayes counts names, of which a label that stands for several has shares, and tenths of numbers."""
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import KBinsDiscretizer, QuantileTransformer, StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    tenths = make_pipeline(
        QuantileTransformer(n_quantiles=min(rows, 100), subsample=None),
        KBinsDiscretizer(10, encode="onehot-dense", strategy="uniform", subsample=None),
    )
    counted = make_column_transformer((tenths, are_numbers), remainder="passthrough")
    return {
        "a decision tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=seed % (1 << 32)),
        "naive Bayes": make_pipeline(counted, MultinomialNB()),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=200)),
    }


def _features(was: Any, shown: Any, people: Any) -> tuple[np.ndarray, Any, np.ndarray]:
    """Published cells and known values on the same axes: a number or the middle of a range; shares of names.

    The last part says which axes are numbers.
    """
    import numpy as np

    from tacit.attack.distances import _names, _numbers
    from tacit.attack.record_matching import one_code_a_text

    tables, readers = [], []
    kinds = [column.numbers is not None and column.tree is None for column in was]
    for column, cells, person, is_number in zip(was, shown, people, kinds, strict=True):
        codes, texts = one_code_a_text(cells)
        if is_number:
            measure = _numbers(column, texts)
            middle = (np.nan_to_num(measure.low, neginf=np.nan) + np.nan_to_num(measure.high, posinf=np.nan)) / 2
            usual = float(np.nanmean(measure.values[measure.codes]))
            tables.append(np.nan_to_num(middle, nan=usual)[codes][:, None])
            numbers = np.nan_to_num(person.numbers[person.codes], nan=usual) if person.numbers is not None else None
            readers.append((numbers if numbers is not None else np.full(len(person), usual))[:, None])
            continue
        common = np.argsort(-np.bincount(column.codes, minlength=len(column.cells.texts)))[:_MOST_NAMES]
        covered = _names(column, texts).coverage
        every = np.arange(len(column.cells.texts))
        size = np.array([covered.holds(every, np.full(every.size, label)).sum() for label in range(len(texts))])
        label = np.arange(len(texts))
        share = np.stack([covered.holds(np.full(label.size, code), label) / np.maximum(size, 1) for code in common], 1)
        tables.append(share[codes])
        names = np.array(person.cells.texts, object)[person.codes]
        readers.append(np.stack([(names == column.cells.texts[code]) for code in common], 1).astype(float))
    known = np.concatenate(readers, axis=1)
    are_numbers = np.concatenate(
        [np.full(table.shape[1], is_number) for table, is_number in zip(tables, kinds, strict=True)]
    )
    return np.concatenate(tables, axis=1), lambda rows: known[rows], are_numbers


def _fits(scene: Scene) -> bool:
    from tacit.attack.learning import has_sensitive

    return has_sensitive(scene)


ATTACKER = Attacker(
    name="classifier",
    heading=INFERENCE,
    story="The attacker knows the quasi-identifiers of a person, or all items that are not sensitive, and trains "
    "classifiers on the published file. What they predict is taken for the person's sensitive value or item.",
    kinds=("baskets", "records"),
    play=play,
    rule=BEST,
    advice="Compare with the control: what holds of people outside, too, is knowledge about all; the rest is "
    "about people in the file, and t-closeness or a higher l lowers it.",
    fits=_fits,
    quick=False,
)
