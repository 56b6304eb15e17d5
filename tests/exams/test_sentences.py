"""Every promise's sentence, taken literally: the attacker whom it describes knows a person, and tries.

The attacker knows what the sentence grants, of the original and not of what was published, and takes one of the rows
that fit, each as likely as the others, or the most frequent value among them. Nobody may be right more often than is
promised.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pyarrow as pa
import pytest

import tacit
from exams.cases import DIFFERENT_FIRST, PAIRS, Case, case_for, promises_of
from support.definitions import written_out
from tacit import Coherence, KLmDiversity, KmAnonymity, LmDiversity, PromiseError, Taxonomy, TransactionalK
from tacit.promises import INFINITE, MODELS, Promise

ROWS = 36


def attacks(case: Case, promise: Promise, table: pa.Table) -> list[tuple[Fraction, Fraction]]:
    """How often each guess at somebody is right, and how often it may be."""
    paths = {name: tree.to_paths() for name, tree in case.trees.items()}
    return list(written_out(type(promise)).attack(table, case.frame, promise, dict(case.roles), paths))


@pytest.mark.parametrize(("method", "model"), DIFFERENT_FIRST)
def test_nobody_is_right_more_often_than_the_sentence_says(method: str, model: str) -> None:
    tried = 0
    for seed, promise in enumerate(promises_of(model)):
        case = case_for(promise, seed=seed + 20, rows=ROWS)
        try:
            table = case.release(promise, method, seed=seed).table
        except PromiseError:
            continue
        found = attacks(case, promise, table)
        assert [(rate, allowed) for rate, allowed in found if rate > allowed] == [], promise
        tried += len(found)
    assert tried, "nobody was attacked"


@pytest.mark.parametrize("model", sorted({model for _, model in PAIRS}))
def test_the_attackers_would_find_people_in_the_original(model: str) -> None:
    """They are no straw men: where nothing was done, somebody is right more often than that."""
    promise = promises_of(model)[0]
    case = case_for(promise, seed=20, rows=ROWS)
    table = case.frame
    if promise.shows_groups:
        table = table.append_column("group", pa.array(range(len(table))))
    if promise.kind_of_data == "slices":
        table = pa.table({"bucket": range(len(table)), **{f"1.{name}": table[name] for name in table.column_names}})
    found = attacks(case, promise, table)
    assert any(rate > allowed for rate, allowed in found)


@pytest.mark.parametrize("model", ["km", "k-km", "transactional-k"])
def test_where_items_are_sensitive_the_sentence_leaves_them_out(model: str) -> None:
    """Whoever knows one may find a person: two baskets that differ in it alone count as equal."""
    promise = MODELS[model](**MODELS[model].example)
    assert "sensitive" not in promise.in_words()
    assert "sensitive" in promise.in_words(some_sensitive=True)


def test_the_sentence_that_is_published_is_about_the_data(tmp_path: Path) -> None:
    frame = pa.table({"basket": pa.array([["a", "s"], ["a"]] * 3, pa.list_(pa.string()))})
    for promise in (TransactionalK(3), KmAnonymity(3, 2)):
        for sensitive in ([], ["s"]):
            release = tacit.anonymize(frame, promise, items="basket", sensitive_items=sensitive)
            release.save(tmp_path / f"{promise.name}{len(sensitive)}")
            note = (tmp_path / f"{promise.name}{len(sensitive)}/public/README.md").read_text("utf-8")
            words = " ".join(note.split())
            assert " ".join(promise.in_words(some_sensitive=bool(sensitive)).split()) in words
            assert promise.in_words(some_sensitive=bool(sensitive)) in " ".join(release.audit.explanation)


PUBLIC = [["a"], ["a", "c"], ["b"], ["b", "d"], ["c"], ["d"]]
TREE = Taxonomy.from_paths([["a", "X", "*"], ["b", "X", "*"], ["c", "Y", "*"], ["d", "Y", "*"]])


@pytest.mark.parametrize("promise", [LmDiversity(2, INFINITE), Coherence(0.5, 2, 4), KLmDiversity(2, 2, INFINITE)])
def test_what_the_choice_of_a_method_tells_is_admitted(promise: Promise) -> None:
    """Two of six people have s, and what is public of all is known: of whom would just this have been published?"""
    could_be = defaultdict(list)
    for owners in combinations(range(6), 2):
        baskets = [[*basket, "s"] if person in owners else basket for person, basket in enumerate(PUBLIC)]
        frame = pa.table({"age": [21, 28, 35, 44, 52, 57], "basket": baskets})
        quasi = "age" if "quasi" in promise.roles else None
        try:
            release = tacit.anonymize(
                frame, promise, items="basket", sensitive_items=["s"], hierarchy=TREE, seed=1, quasi=quasi
            )
        except PromiseError:
            continue
        could_be[str(sorted(map(str, release.table.to_pylist())))].append(owners)
    best = max(sum(i in owners for owners in found) / len(found) for found in could_be.values() for i in range(6))
    assert best > promise.bound, "if nobody is right more often, the sentence may promise it"
    assert "somebody who knows the method" in promise.not_stopped
