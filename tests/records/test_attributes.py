"""Attributes: what a column is taken for, and what groups of its values become."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pyarrow as pa
import pytest

from naive.attributes import generalized
from support.seeds import each_seed
from tacit.arrays.attributes import Attribute, losses, spans, texts_of
from tacit.arrays.reading import NotOfType, read_attribute, read_values
from tacit.errors import InputError
from tacit.job import Column
from tacit.taxonomy import Taxonomy
from tacit.values.writing import set_text

TREE = Taxonomy.from_paths(
    [["a", "ab", "abc", "all"], ["b", "ab", "abc", "all"], ["c", "abc", "all"], ["d", "all"], ["e", "all"]]
)


def read(
    values: list[object], tree: Taxonomy | None = None, missing: tuple[str, ...] = ("",), **keys: object
) -> Attribute:
    return read_attribute(pa.array(values), Column("x", "quasi", **keys), missing=missing, tree=tree)  # type: ignore[arg-type]


def published(attribute: Attribute, group: list[int]) -> list[str]:
    """What each record is published as."""
    found = spans(attribute, np.array(group, np.int32), max(group) + 1)
    texts = texts_of(attribute, found)
    return [texts[found.value[index]] for index in group]


class TestReading:
    def test_numbers_are_in_their_order_and_keep_their_texts(self) -> None:
        age = read(["41", "007", "41", "9.50"])
        assert age.texts == ("007", "9.50", "41")
        assert age.codes.tolist() == [2, 0, 2, 1]
        assert age.numbers is not None and age.numbers.tolist() == [7.0, 9.5, 41.0]

    def test_one_text_makes_the_column_a_category(self) -> None:
        mixed = read(["41", "old", "9"])
        assert mixed.numbers is None
        assert mixed.texts == ("41", "9", "old"), "in the order of their texts"

    @pytest.mark.parametrize("text", ["nan", "inf", "1e999", "0x1F", "1_000", "1,5", "١", "--1", "1e", "."])
    def test_what_is_no_number(self, text: str) -> None:
        assert read(["1", text]).numbers is None

    @pytest.mark.parametrize("text", ["+5", "-5", ".5", "5.", "1e3", "1E-3", " 5 "])
    def test_what_is_a_number(self, text: str) -> None:
        numbers = read([text]).numbers
        assert numbers is not None and numbers.tolist() == [float(text)]

    def test_days_are_ordered(self) -> None:
        day = read(["2001-02-03", "1999-12-31", "2001-02-03"])
        assert published(day, [0, 0, 1]) == ["[1999-12-31:2001-02-03]"] * 2 + ["2001-02-03"]

    def test_what_is_no_day_makes_a_category(self) -> None:
        assert read(["2001-02-03", "2001-02-30"]).numbers is None

    @pytest.mark.parametrize("kind", ["number", "date"])
    def test_a_type_that_does_not_fit_is_refused_without_naming_the_value(self, kind: str) -> None:
        good = {"number": "1", "date": "2001-01-01"}[kind]
        with pytest.raises(NotOfType) as caught:
            read([good, "", "secret text", "other"], type=kind)
        assert caught.value.record == 2
        assert "secret" not in str(caught.value) and "'x'" in str(caught.value)

    def test_a_number_can_be_made_a_category(self) -> None:
        assert published(read(["1", "2", "3"], type="category"), [0, 0, 1]) == ["(1,2)", "(1,2)", "3"]

    def test_arrow_types_are_read_by_their_texts(self) -> None:
        assert read([1, 2, None]).texts == ("1", "2", "")
        assert read([0.5, float("nan")]).texts == ("0.5", "")
        assert read([True, False]).texts == ("false", "true")
        assert read([datetime(2001, 1, 2), None]).texts == ("2001-01-02", "")
        assert read_values(pa.array(["a", "b", "a"]).dictionary_encode()).codes.tolist() == [0, 1, 0]

    def test_lists_are_refused(self) -> None:
        with pytest.raises(InputError, match="cannot be written as text"):
            read([["a"]])

    def test_all_that_means_no_value_is_one_value(self) -> None:
        values = read_values(pa.chunked_array([["?", "a"], [None, "NA"]]), missing=("NA", "?"))
        assert values.texts == ("a", "") and values.codes.tolist() == [1, 0, 1, 1]

    def test_a_marker_is_kept_where_there_is_no_other(self) -> None:
        assert read(["?", "a"], missing=("?",)).texts == ("a", "?")

    def test_a_hierarchy_must_have_the_values(self) -> None:
        with pytest.raises(InputError, match="'z'"):
            read(["a", "z"], TREE)

    def test_codes_follow_the_leaves(self) -> None:
        attribute = read(["d", "a", "", "b"], TREE)
        assert attribute.texts == ("a", "b", "d", "")
        assert attribute.tree is not None and attribute.leaf_of_code is not None
        assert [attribute.tree.names[leaf] for leaf in attribute.leaf_of_code] == ["a", "b", "d", ""]
        assert attribute.tree.leaf_count[0] == 6

    def test_a_missing_value_may_stand_in_the_hierarchy(self) -> None:
        attribute = read(["a", "c", "b"], TREE, missing=("c",))
        assert attribute.texts == ("a", "b", "c") and attribute.missing == 2
        assert published(attribute, [0, 1, 0]) == ["abc"[:2], "c", "ab"]
        assert published(attribute, [0, 0, 1]) == ["abc", "abc", "b"]


class TestSpans:
    def test_numbers_of_equal_worth_stay_different_values(self) -> None:
        attribute = read(["1.50", "1.5", "2"])
        assert published(attribute, [0, 0, 1]) == ["[1.5:1.50]"] * 2 + ["2"]
        assert losses(attribute, spans(attribute, np.array([0, 0, 1], np.int32), 2)).tolist() == [0.0, 0.0]

    def test_whole_numbers_beyond_floats_are_ordered_by_their_digits(self) -> None:
        attribute = read(["9007199254740993", "9007199254740992", "10000000000000000000001", "10000000000000000000000"])
        assert published(attribute, [0, 0, 1, 1])[::2] == [
            "[9007199254740992:9007199254740993]", "[10000000000000000000000:10000000000000000000001]",
        ]  # fmt: skip

    def test_suppressed_missing_values(self) -> None:
        group = [0, 0, 1, 2, 2]
        for values, tree in (
            (["1", "", "", "2", "3"], None),
            (["x", "", "", "y", "z"], None),
            (["a", "", "", "a", "b"], TREE),
        ):
            kept = published(read(values, tree), group)
            assert kept[2] == ""
            suppressed = read_attribute(pa.array(values), Column("x", "quasi", missing="suppress"), tree=tree)
            shown = published(suppressed, group)
            assert shown[:3] == ["*"] * 3 and shown[3] == kept[3]
            loss = losses(suppressed, spans(suppressed, np.array(group, np.int32), 3))
            assert loss[:2].tolist() == [1.0, 1.0] and 0 < loss[2] < 1

    def test_a_set_of_all_values_says_nothing(self) -> None:
        assert published(read(["x", "y", "y"]), [0, 0, 1]) == ["*", "*", "y"]

    def test_labels_that_would_be_misread_are_quoted(self) -> None:
        assert set_text(["b", "a,b", 'say "x"', "(c)", " d"]) == '(" d","(c)","a,b",b,"say ""x""")'

    def test_columns_without_any_difference(self) -> None:
        for values in (["7"] * 3, ["x"] * 3, ["", "", ""]):
            attribute = read(values)
            assert published(attribute, [0, 1, 1]) == values
            assert losses(attribute, spans(attribute, np.array([0, 1, 1], np.int32), 2)).tolist() == [0.0, 0.0]

    def test_no_records(self) -> None:
        attribute = read_attribute(pa.array([], pa.string()), Column("x", "quasi"))
        found = spans(attribute, np.empty(0, np.int32), 0)
        assert texts_of(attribute, found) == [] and losses(attribute, found).size == 0

    def test_a_group_without_records_has_no_value(self) -> None:
        for values in (["1", "2"], ["x", "y"]):
            attribute = read(values)
            found = spans(attribute, np.array([0, 2], np.int32), 3)
            assert found.value[1] == -1 and losses(attribute, found)[1] == 0.0

    @each_seed(range(150))
    def test_as_the_slow_twin(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        kind = ("number", "category", "tree")[seed % 3]
        pool = {"number": ["1", "2.5", "-3", "10"], "category": ["B", "D", "A"], "tree": list("abcde")}[kind]
        if rng.random() < 0.5:
            pool.append("")
        values = rng.choice(pool, rng.integers(1, 25)).tolist()
        group = rng.integers(0, rng.integers(1, 7), len(values))
        group = np.unique(group, return_inverse=True)[1].astype(np.int32)
        tree = TREE if kind == "tree" else None
        if not any(values):
            values[0] = pool[0]
        attribute = read(values, tree)
        found = spans(attribute, group, int(group.max()) + 1)
        texts, measured = texts_of(attribute, found), losses(attribute, found)
        whole = [value or None for value in values]
        for index in range(group.max() + 1):
            members = [whole[i] for i in np.flatnonzero(group == index)]
            text, loss = generalized(members, whole, tree or kind)
            assert texts[found.value[index]] == text
            assert measured[index] == pytest.approx(loss)
