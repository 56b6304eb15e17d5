"""The grammar of published values: what is written is read back, whatever the labels, here and by the audits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.audits.values import all_ends, ends_of, items_of, members_of, names_in_baskets
from tacit.errors import InputError
from tacit.taxonomy import Taxonomy
from tacit.values.reading import is_number, numbers_in, range_ends, set_members
from tacit.values.writing import JOINERS, SUPPRESSED, item_set_names, node_names, range_text, set_text

SIGNS = ",;|+&/~^()[]:\"'* \t\r\nabB\u00e9\u2264"
LABELS = st.text(SIGNS, max_size=5)
NUMBERS = st.from_regex(r"\s?[+-]?(?:[0-9]{1,5}\.?[0-9]{0,3}|\.[0-9]{1,3})(?:[eE][+-]?[0-9])?\s?", fullmatch=True)
quick = settings(deadline=None, derandomize=True, max_examples=100)


@quick
@given(st.sets(LABELS, min_size=2, max_size=6))
@example({"", '"', '""', '"a",', "(,)", "\r", "\n", " ", "a\r\nb"})
def test_sets_of_values_are_read_back(labels: set[str]) -> None:
    written = set_text(labels)
    assert set_members(written) == tuple(members_of(written)) == tuple(sorted(labels))


@quick
@given(st.lists(st.one_of(LABELS, LABELS.map("[{}]".format), LABELS.map("[≥{}]".format)), max_size=9))
@example(["[]", "[", "[:]", "[≤]", "[≥]", "[≤1:2]", "[a:b:c]", "[1:2]", "[1:2] "])
def test_ends_of_many_ranges_are_those_of_each(labels: list[str]) -> None:
    found = all_ends(labels)
    texts = [*found.texts, None]
    pairs = [(texts[low], texts[high]) for low, high in zip(found.low.tolist(), found.high.tolist(), strict=True)]
    assert [pair if of else None for pair, of in zip(pairs, found.is_range.tolist(), strict=True)] == [
        ends_of(label) for label in labels
    ]
    assert len(set(found.texts)) == len(found.texts)


@quick
@given(st.lists(st.sets(LABELS, min_size=2, max_size=5), min_size=2, max_size=2, unique_by=frozenset))
def test_different_sets_are_written_differently(sets: list[set[str]]) -> None:
    one, other = map(set_text, sets)
    assert one != other
    assert range_ends(one) is None and SUPPRESSED not in (one, other)


@quick
@given(st.one_of(NUMBERS, st.dates().map(str)), st.one_of(NUMBERS, st.dates().map(str)))
def test_ranges_are_read_back(low: str, high: str) -> None:
    assert range_ends(range_text(low, high)) == ends_of(range_text(low, high)) == (low, high)
    assert set_members(range_text(low, high)) == ()


@quick
@given(
    st.sets(LABELS.filter(bool), min_size=2, max_size=8), st.sampled_from([" ", ",", ";", ", ", "(", "ab"]), st.data()
)
def test_sets_of_items_are_read_back(labels: set[str], separator: str, data: st.DataObject) -> None:
    held = data.draw(st.lists(st.sampled_from(sorted(labels)), min_size=2, unique=True))
    try:
        (name,) = item_set_names([held], labels, separator, taken=labels)
    except InputError as refused:
        assert "cannot be written" in str(refused)
        return
    assert items_of(name, labels) == tuple(held)
    assert name not in labels
    assert separator not in name or any(separator in label for label in labels)


def test_the_joiner_is_the_first_that_leaves_nothing_in_doubt() -> None:
    assert item_set_names([["a", "b"]], "ab", " ", taken=["(a,b)"]) == ["(a;b)"]
    assert item_set_names([["a,", "b"]], ["a,", "b"], " ") == ["(a,;b)"]
    with pytest.raises(InputError, match="sets of items cannot be written"):
        item_set_names([["a", "b"]], ["a", "b", "".join(JOINERS)], " ")


@pytest.mark.parametrize(
    "text", ["", "B", "()", "(B)", "(", ")", "(a,b", "a,b)", '("a,b)', '("a"b,c)', '(a"b,c)', "[1:2]"]
)
def test_what_is_no_set(text: str) -> None:
    assert set_members(text) == ()


@pytest.mark.parametrize("text", ["", "7", "[]", "[7]", "[1:2:3]", "[1:2", "(1:2)"])
def test_what_is_no_range(text: str) -> None:
    assert range_ends(text) is None


def test_numbers_and_days() -> None:
    assert np.isnan(numbers_in(["2001-02-30", "2001-2-3", "20010203", "7"], days=True)).all()
    assert numbers_in(["2000-01-01"], days=True).tolist() == [10957]
    assert [is_number(text) for text in ("7", "-1.5e3", "2001-02-03", "[1:2]", "")] == [True, True, False, False, False]


@quick
@given(st.lists(LABELS.filter(str.strip), min_size=3, max_size=8, unique=True), st.sampled_from([" ", ",", "; ", "a"]))
def test_names_of_nodes_that_a_basket_can_hold(names: list[str], separator: str) -> None:
    tree = Taxonomy.from_paths([[leaf, names[1], names[0]] for leaf in names[2:]])
    written = node_names(tree.names, tree.is_leaf.tolist(), separator)
    assert written == names_in_baskets(tree, separator, blanks=True)
    assert len(set(written)) == len(written)
    for name, now, is_leaf in zip(tree.names, written, tree.is_leaf.tolist(), strict=True):
        assert now == name if is_leaf else separator not in now
