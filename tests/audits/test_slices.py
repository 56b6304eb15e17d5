"""The audit of sliced tables: exact with the original, and three-valued from the file alone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import tacit
from naive import slicing as naive
from naive.slicing import Case, names, person_table, published
from support.seeds import each_seed
from support.views import known_column, slice_original, slice_view
from tacit.arrays.attributes import Attribute
from tacit.audits import _sliced_joint, _sliced_tables
from tacit.audits._sliced_tables import join_edges
from tacit.audits.coverage import covers
from tacit.audits.result import AuditResult
from tacit.audits.sliced_l import audit, prove
from tacit.audits.truth import slices as truth
from tacit.audits.truth.slices import false_values
from tacit.audits.views.slices import SliceOriginal, SliceView
from tacit.errors import InputError
from tacit.promises import SlicedDiversity
from tacit.slices.solvers.join_tree import join_tree
from tacit.taxonomy import Taxonomy


def view_of(case: Case) -> SliceView:
    return slice_view(published(case), names(case.known), names(case.sensitive))


def original_of(case: Case) -> SliceOriginal:
    return slice_original(person_table(case))


def proven(case: Case, l: float, *, joint: bool = False) -> AuditResult:  # noqa: E741
    return prove(view_of(case), SlicedDiversity(l, joint), original_of(case))


def from_file(case: Case, l: float) -> AuditResult:  # noqa: E741
    return audit(view_of(case), SlicedDiversity(l))


@each_seed(range(250))
def test_exact_verdict_is_that_of_the_definition(seed: int) -> None:
    case = naive.random_case(seed, values=3 if seed % 2 else 7)
    expected = naive.worst_of_each(case)
    for l in (1.3, 2, 3):  # noqa: E741
        result = proven(case, l)
        assert result.worst is not None
        assert result.worst["probability"] == pytest.approx(float(expected), abs=1e-9)
        assert result.satisfied is (expected <= 1 / Fraction(l))
        assert bool(result.violations) is not result.satisfied


@each_seed(range(700, 900))
def test_each_attribute_and_their_combination_are_told(seed: int) -> None:
    case = naive.random_case(seed, values=3 if seed % 2 else 7)
    facts = proven(case, 2, joint=True).facts
    for target, name in zip(case.sensitive, names(case.sensitive), strict=True):
        assert facts["each"][name]["probability"] == pytest.approx(float(naive.worst(case, [target])), abs=1e-9)
    assert facts["joint"]["exact"]
    assert facts["joint"]["probability"] == pytest.approx(float(naive.worst(case, case.sensitive)), abs=1e-9)
    told = audit(view_of(case), SlicedDiversity(2, joint=True))
    assert told.facts["joint"]["probability"] >= facts["joint"]["probability"] - 1e-9


def test_combinations_that_are_too_many_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [naive.random_case(seed, values=7) for seed in range(700, 760)]
    exact = [proven(case, 2, joint=True).facts["joint"] for case in cases]
    monkeypatch.setattr(_sliced_joint, "_BUDGET", 9)
    bounded = [proven(case, 2, joint=True).facts["joint"] for case in cases]
    for one, other in zip(bounded, exact, strict=True):
        assert one["probability"] >= other["probability"] - 1e-9
        assert one["probability"] == other["probability"] or not one["exact"]
    assert {one["exact"] for one in bounded} == {True, False}


@each_seed(range(760, 800))
def test_combinations_are_weighed_part_by_part(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    case = naive.random_case(seed, values=7)
    exact = proven(case, 2, joint=True).facts["joint"]
    monkeypatch.setattr(_sliced_joint, "_AT_ONCE", 2)
    assert proven(case, 2, joint=True).facts["joint"] == exact


@each_seed(range(600, 680))
def test_people_who_agree_are_looked_up_together(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sliced_tables, "_FEW", 0)
    monkeypatch.setattr(_sliced_tables, "_LEVELS", 1 + seed % 3)
    case = naive.random_case(seed)
    result = proven(case, 2)
    assert result.worst is not None
    assert result.worst["probability"] == pytest.approx(float(naive.worst_of_each(case)), abs=1e-9)


@each_seed(range(250, 450))
def test_file_alone_is_never_wrong(seed: int) -> None:
    case = naive.random_case(seed, values=3 if seed % 2 else 7)
    for l in (1.3, 2, 3):  # noqa: E741
        verdict = from_file(case, l).satisfied
        assert verdict is None or verdict is proven(case, l).satisfied


def test_file_alone_gives_all_three_verdicts() -> None:
    verdicts = {from_file(naive.random_case(seed, values=7), 1.5).satisfied for seed in range(200)}
    assert verdicts == {True, False, None}


@pytest.mark.parametrize(("seed", "values", "l"), [(5, 7, 2), (14, 3, 2), (17, 7, 1.5)])
def test_a_row_that_only_one_combination_of_a_bucket_has_is_enough(seed: int, values: int, l: float) -> None:  # noqa: E741
    """Whoever has it is somebody with too probable a value; the values of a bucket alone do not tell."""
    case = naive.random_case(seed, values=values)
    assert from_file(case, l).satisfied is False
    assert not proven(case, l).satisfied


def test_many_slices_and_large_buckets_do_not_underflow() -> None:
    rng = np.random.default_rng(0)
    records = [(*([0] * 90), int(rng.integers(0, 5)), i % 4) for i in range(4000)]
    case = Case(records, list(range(91)), [91], [[a] for a in range(92)], [i % 2 for i in range(4000)])
    result = proven(case, 1.5)
    assert result.worst is not None
    assert 0.25 <= result.worst["probability"] <= 0.55


HIDDEN_IN_OTHER_BUCKETS = Case(
    [(0, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 1, 2), (0, 1, 3), (1, 0, 4)],
    known=[0, 1],
    sensitive=[2],
    slices=[[0], [1], [2]],
    bucket=[0, 0, 0, 1, 1, 1, 1],
)
"""The first bucket has one disease only. Everybody in it may as well be in the second one."""


def test_uniform_bucket_does_not_prove_a_violation_if_people_may_be_elsewhere() -> None:
    assert naive.worst_of_each(HIDDEN_IN_OTHER_BUCKETS) < Fraction(2, 3)
    assert proven(HIDDEN_IN_OTHER_BUCKETS, 1.5).satisfied
    assert from_file(HIDDEN_IN_OTHER_BUCKETS, 1.5).satisfied is None


def test_uniform_bucket_is_a_violation_if_nobody_in_it_fits_elsewhere() -> None:
    case = Case([(0, 0), (1, 0), (2, 1), (3, 2)], [0], [1], [[0], [1]], [0, 0, 1, 1])
    result = from_file(case, 2)
    assert result.satisfied is False
    assert [(one["sensitive"], one["value"], one["probability"]) for one in result.violations] == [("a1", "v0", 1.0)]


def test_row_whose_completions_all_break_the_bound_is_a_violation() -> None:
    case = Case([(0, 0, 0), (1, 1, 0), (0, 1, 1), (1, 0, 1)], [0, 1], [2], [[0, 1], [2]], [0, 0, 1, 1])
    assert from_file(case, 1.5).satisfied is False
    assert proven(case, 1.5).satisfied is False


def test_join_on_a_sensitive_attribute_breaks_what_slices_alone_keep() -> None:
    records = [(0, 0, 0), (0, 1, 1), (1, 0, 2), (1, 1, 3)]
    joined = Case(records, [0, 1], [2], [[0, 2], [1, 2]], [0] * 4)
    assert proven(joined, 2).satisfied is False
    assert proven(joined, 2).worst["probability"] == 1.0
    assert from_file(joined, 2).satisfied is False
    for one in (0, 1):
        alone = Case(records, [one], [2], [[one, 2], [1 - one]], [0] * 4)
        assert proven(alone, 2).satisfied


def test_unknown_attribute_that_links_is_joined_too() -> None:
    records = [(0, 0, 0), (0, 0, 1), (0, 1, 2), (1, 1, 0), (1, 1, 1), (1, 2, 3)]
    case = Case(records, [0], [2], [[0, 1], [1, 2]], [0] * 6)
    assert proven(case, 2.5).satisfied is False  # 4/9; the slice {a1, a2} alone says 1/3
    assert proven(case, 2.25).satisfied


def test_joint_promise_is_kept_with_the_single_ones() -> None:
    case = naive.random_case(11, values=7)
    single, joint = (proven(case, 1.5, joint=joint) for joint in (False, True))
    assert joint.satisfied == single.satisfied
    assert joint.parameters["joint"] is True


def test_people_who_fit_no_bucket_are_told() -> None:
    case = naive.random_case(4)
    people = original_of(case)
    nobody = np.full(len(case.records), 9, np.int32)
    strangers = [replace(one, cells=replace(one.cells, codes=nobody)) for one in people.columns]
    result = prove(view_of(case), SlicedDiversity(2), replace(people, columns=tuple(strangers)))
    assert result.satisfied is False
    assert result.facts["people_without_bucket"] == len(case.records)


def test_violations_name_values_and_counts_but_no_person() -> None:
    case = Case([(0, 0), (1, 0), (2, 1), (3, 2)], [0], [1], [[0], [1]], [0, 0, 1, 1])
    [one] = proven(case, 1.5).violations
    assert one == {
        "sensitive": "a1",
        "value": "v0",
        "probability": 1.0,
        "people": 2,
        "text": "a1 = v0: probability up to 1 for 2 people",
    }


@each_seed(range(80))
def test_join_trees_of_method_and_audit_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    slices = [sorted(set(rng.integers(0, 5, int(rng.integers(1, 4))).tolist())) for _ in range(int(rng.integers(1, 5)))]
    tree = join_tree(slices)
    named = [names(one) for one in slices]
    if tree is None:
        with pytest.raises(InputError, match="cycle"):
            join_edges(named)
        return
    shared = sorted(sorted(names(sorted(one))) for i, one in enumerate(tree.separator) if tree.parent[i] >= 0)
    assert sorted(sorted(edge.shared) for edge in join_edges(named)) == shared


# ---- generalized values

AGES = Attribute(
    "age", np.array([0, 1, 2, 3, 4], np.int32), ("9", "20", "30", "41", ""), 4, np.array([9.0, 20, 30, 41, np.nan])
)


def test_published_values_cover_originals() -> None:
    shown = ["20", "[9:30]", "[20:41]", "*", "", "[10:35]", "x"]
    fits = covers(known_column(AGES), shown).holds(np.arange(5)[:, None], np.arange(len(shown))[None, :])
    assert fits.astype(int).tolist() == [
        [0, 1, 0, 1, 0, 0, 0],
        [1, 1, 1, 1, 0, 1, 0],
        [0, 1, 1, 1, 0, 1, 0],
        [0, 0, 1, 1, 0, 0, 0],
        [0, 0, 0, 1, 1, 0, 0],
    ]


def test_sets_and_nodes_cover_their_members() -> None:
    flat = Attribute("town", np.array([0, 1, 2], np.int32), ("A", "B", "C,D"))
    assert covers(known_column(flat), ['(A,"C,D")']).holds(np.arange(3), np.zeros(3, int)).tolist() == [
        True,
        False,
        True,
    ]
    tree = Taxonomy.from_paths([["A", "west", "*"], ["B", "west", "*"], ["C", "*"]])
    leaves = tree.find_leaves(["A", "B", "C"]).astype(np.int32)
    towns = Attribute("town", np.array([0, 1, 2], np.int32), ("A", "B", "C"), tree=tree, leaf_of_code=leaves)
    assert covers(known_column(towns), ["west"]).holds(np.arange(3), np.zeros(3, int)).tolist() == [True, True, False]


def sliced(bucket: list[int], slices: dict[tuple[str, ...], list[tuple[str, ...]]]) -> SliceView:
    texts = {
        name: tuple(dict.fromkeys(row[i] for row in rows)) for one, rows in slices.items() for i, name in enumerate(one)
    }
    codes = tuple(
        tuple(np.array([texts[name].index(row[i]) for row in rows], np.int32) for i, name in enumerate(one))
        for one, rows in slices.items()
    )
    return SliceView(tuple(slices), np.array(bucket, np.int32), ("1", "2"), codes, texts, ("age",), ("d",))


def test_person_may_fit_several_ranges() -> None:
    age = Attribute("age", np.arange(4, dtype=np.int32), ("1", "2", "3", "4"), numbers=np.arange(1.0, 5))
    shown = sliced(
        [0, 0, 1, 1], {("age",): [("[1:3]",), ("2",), ("[2:4]",), ("4",)], ("d",): [("a",), ("b",), ("a",), ("c",)]}
    )
    result = prove(shown, SlicedDiversity(2), SliceOriginal((known_column(age),), ("age",)))
    # 2 fits two rows of the first bucket and one of the second: a has (2/2 · 1/2 + 1/2 · 1/2) of (1 + 1/2)
    assert result.worst["probability"] == pytest.approx(0.5)
    assert result.satisfied


# ---- truth


def truthful(case: Case) -> tuple[SliceView, np.ndarray]:
    order = np.argsort(case.bucket, kind="stable")
    table = view_of(case)
    original = np.empty((len(case.slices), len(case.records)), np.int64)
    for index, one in enumerate(case.slices):
        left = order.tolist()
        for row in range(len(case.records)):
            values = tuple(int(column[row]) for column in table.codes[index])
            bucket = sorted(case.bucket)[row]
            match = next(i for i in left if naive.pick(case.records[i], one) == values and case.bucket[i] == bucket)
            left.remove(match)
            original[index, row] = match
    return table, original


@each_seed(range(30))
def test_true_tables_are_true(seed: int) -> None:
    case = naive.random_case(seed)
    table, original = truthful(case)
    assert false_values(original_of(case), table, original) == []
    assert false_values(original_of(case), table) == []


def test_changed_values_are_found() -> None:
    case = Case([(0, 0), (1, 1), (2, 2), (3, 0)], [0], [1], [[0], [1]], [0, 0, 1, 1])
    table, original = truthful(case)
    table.codes[1][0][0] = 5
    with_rows = false_values(original_of(case), table, original)
    assert with_rows == ["values of 'a1' in slice 2 that are not the original's: 1"]
    assert false_values(original_of(case), table) == ["rows of slice 2 that the original does not have: 1"]


@pytest.mark.parametrize("at_once", [1, 1 << 24])
@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ([("[1:2]", "a"), ("[1:2]", "b"), ("[3:4]", "a"), ("[3:4]", "c")], 0),
        ([("[1:2]", "c"), ("[1:2]", "a"), ("[3:4]", "a"), ("[3:4]", "b")], 2),
        ([("[1:2]", "a"), ("[1:2]", "b"), ("[3:3]", "a"), ("[1:2]", "c")], 1),
        ([("[1:3]", "c"), ("[2:4]", "c"), ("[2:4]", "c"), ("4", "c")], 0),  # who fits several rows says nothing
    ],
)
def test_generalized_rows_that_nobody_has_are_counted(
    monkeypatch: pytest.MonkeyPatch, rows: list[tuple[str, str]], wrong: int, at_once: int
) -> None:
    monkeypatch.setattr(truth, "_AT_ONCE", at_once)
    age = Attribute("age", np.arange(4, dtype=np.int32), ("1", "2", "3", "4"), numbers=np.arange(1.0, 5))
    d = Attribute("d", np.array([0, 1, 0, 2], np.int32), ("a", "b", "c"))
    shown = sliced([0, 0, 1, 1], {("age", "d"): rows})
    told = [f"rows of slice 1 that the original does not have: {wrong}"] if wrong else []
    assert false_values(SliceOriginal((known_column(age), known_column(d)), ("age",)), shown) == told


def test_people_in_two_buckets_are_found() -> None:
    case = Case([(0, 0), (0, 1), (0, 2), (0, 0)], [0], [1], [[0], [1]], [0, 0, 1, 1])
    table, original = truthful(case)
    original[0] = original[0][[2, 1, 0, 3]]
    assert false_values(original_of(case), table, original) == [
        "people who are in different buckets in different slices: 2"
    ]
    original[0, 0] = original[0, 1]
    assert false_values(original_of(case), table, original) == ["a slice does not have every person once"]


def test_missing_and_strange_attributes_are_found() -> None:
    case = naive.random_case(0)
    table = view_of(case)
    fewer = replace(table, slices=(("z",), *table.slices[1:]))
    assert any("'z'" in problem for problem in false_values(original_of(case), fewer))
    assert false_values(original_of(case._replace(records=case.records * 2)), table)[0].endswith(
        f"out of {2 * len(case.records):,}"
    )


def test_missing_value_of_a_set_is_read_as_it_is_written() -> None:
    """The marker in the data is `NA`: so it stands in a set, and alone it means no value."""
    attribute = Attribute("town", np.array([0, 1, 2], np.int32), ("a", "b", "NA"), missing=2)
    cover = covers(known_column(attribute), ["(NA,a)", "", "b"])
    fits = [[bool(cover.holds(np.array(code), np.array(shown))) for shown in range(3)] for code in range(3)]
    assert fits == [[True, False, False], [False, False, True], [True, True, False]]


def test_what_a_file_gives_away_is_said_with_the_value() -> None:
    frame = pa.table({"bucket": [1, 1, 1], "1.age": ["30"] * 3, "2.illness": ["flu", "flu", ""]})
    found = tacit.audit(frame, SlicedDiversity(2), quasi="age", sensitive="illness")
    assert found.worst is not None
    assert found.worst["text"] == "illness = flu: probability up to 0.6667 in a bucket"
