"""The nearest-row attack: against its slow twin, by hand, and on releases."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from naive import nearest as naive
from support.seeds import each_seed
from tacit.attack import _nearest_kernels as kernels
from tacit.attack import nearest
from tacit.attack.nearest import board_of, drawn_people, facts_about, leveled, nearest_row, rulers_of, wilson
from tacit.attack.rating_rows import Rows, verbatim_rows
from tacit.attack.words import found_in_words, verbatim_in_words
from tacit.audits.views.scales import Scale

ONE_TO_FIVE = Scale(Decimal(1), Decimal(5), Decimal(1))
SCALES = (
    ONE_TO_FIVE,
    Scale(Decimal("0.5"), Decimal(5), Decimal("0.5")),
    Scale(Decimal(0), Decimal(1), Decimal(1)),
    Scale(Decimal(-10), Decimal(10), None),
    Scale(Decimal(3), Decimal(3), Decimal(1)),
)

Person = dict[int, float]


def rows_of(people: list[Person]) -> Rows:
    starts = np.cumsum([0, *map(len, people)])
    issues = np.array([i for person in people for i in sorted(person)], np.int32)
    return Rows(starts, issues, np.array([person[i] for person in people for i in sorted(person)], float))


def random_rating(scale: Scale, rng: np.random.Generator) -> float:
    step = scale.step or Decimal("0.5")
    return float(scale.low + step * int(rng.integers(0, int((scale.high - scale.low) / step) + 1)))


def random_people(rng: np.random.Generator, scales: tuple[Scale, ...], people: int) -> list[Person]:
    """Some of them equal, some with few ratings or none."""
    kinds = [
        {i: random_rating(scale, rng) for i, scale in enumerate(scales) if rng.random() < share}
        for share in rng.random(max(people // 2, 1))
    ]
    return [dict(kinds[rng.integers(len(kinds))]) for _ in range(people)]


def shares(rows: Rows, top: int) -> list[naive.Row]:
    """Rows of levels as the twin takes them."""
    return [
        {int(i): Fraction(int(v), top) for i, v in zip(rows.issues[a:b], rows.values[a:b], strict=True)}
        for a, b in pairwise(rows.starts.tolist())
    ]


@pytest.mark.parametrize("known", [1, 2, None])
@each_seed(range(60))
def test_the_attack_is_its_literal_twin(seed: int, known: int | None) -> None:
    rng = np.random.default_rng(seed)
    scales = SCALES[: int(rng.integers(1, 6))]
    n = int(rng.integers(1, 15))
    rulers = rulers_of(scales)
    true, shown = (leveled(rows_of(random_people(rng, scales, n)), rulers) for _ in range(2))
    board, row_of = board_of(shown, len(scales))
    people = np.flatnonzero(np.diff(true.starts) >= (known or 1))
    facts = facts_about(true, people, known, rulers, rng)._replace(row=row_of[people])
    absent = rulers.top // 3
    gain, cost = (2 * absent, absent) if known is None else (absent, 0)
    found = kernels.chances(board, facts, gain, cost)
    published = shares(shown, rulers.top)
    about = shares(Rows(facts.starts, facts.issues, facts.levels), rulers.top)
    wanted = [
        float(naive.chance(published, person, knows, knows_all=known is None))
        for person, knows in zip(people.tolist(), about, strict=True)
    ]
    assert found.tolist() == pytest.approx(wanted)


@each_seed(range(20))
def test_what_is_known_is_drawn_from_what_was_given_and_off_by_a_step(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scales = (ONE_TO_FIVE,) * 6
    rulers = rulers_of(scales)
    step = rulers.top // 4
    people = [{int(i): float(rng.integers(1, 6)) for i in rng.permutation(6)[:4]} for _ in range(50)]
    true = leveled(rows_of(people), rulers)
    facts = facts_about(true, np.arange(50), 3, rulers, rng)
    assert np.diff(facts.starts).tolist() == [3] * 50
    off = set()
    for person, (start, stop) in enumerate(pairwise(facts.starts.tolist())):
        issues, levels = facts.issues[start:stop].tolist(), facts.levels[start:stop].tolist()
        assert len(set(issues)) == 3 and set(issues) <= set(people[person])
        off |= {level // step + 1 - people[person][issue] for issue, level in zip(issues, levels, strict=True)}
        assert all(level % step == 0 and 0 <= level <= rulers.top for level in levels)
    assert off == {-1, 0, 1}


def test_by_hand() -> None:
    """Of three rows one is a person's own; two people who are shown alike share the chance."""
    people = [{0: 1.0, 1: 1.0}, {0: 5.0, 1: 5.0}, {0: 3.0, 1: 3.0}]
    alike = [{0: 2.0, 1: 2.0}, {0: 5.0, 1: 5.0}, {0: 2.0, 1: 2.0}]
    order = np.array([2, 0, 1])
    true, shown = rows_of(people), rows_of([alike[person] for person in order])
    exact = (Scale(Decimal(1), Decimal(5), Decimal(4)),) * 2  # half of the scale is no whole step: known exactly
    found = nearest_row(true, shown, order, exact, seed=1, known=(2, 3, None))
    assert [(duel.known, duel.people, duel.before.share) for duel in found] == [(2, 3, 1.0), (None, 3, 1.0)]
    assert [duel.after.share for duel in found] == pytest.approx([2 / 3, 2 / 3])


def test_who_knows_all_knows_what_was_not_rated() -> None:
    people = [{0: 3.0}, {0: 3.0, 1: 4.0}]
    rows, scales = rows_of(people), (Scale(Decimal(1), Decimal(5), Decimal(4)),) * 2
    one, everything = nearest_row(rows, rows, np.arange(2), scales, seed=1, known=(1, None))
    assert everything.before.share == 1.0 and one.before.share < 1.0


def test_fewer_people_are_attacked_where_there_is_much_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = leveled(rows_of([{0: 1.0 + person % 5, 1: 2.0} for person in range(3000)]), rulers_of(SCALES[:2]))
    board, _ = board_of(rows, 2)
    assert drawn_people(rows, 2, board, np.random.default_rng(1)).size == nearest.MOST_PEOPLE
    monkeypatch.setattr(nearest, "_STEPS", 3000)  # ten ratings are compared for each person
    assert drawn_people(rows, None, board, np.random.default_rng(1)).size == 299
    monkeypatch.setattr(nearest, "_STEPS", 1)
    assert drawn_people(rows, None, board, np.random.default_rng(1)).size == 100


@each_seed(range(40))
def test_rows_word_for_word_and_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people = random_people(rng, SCALES[:3], int(rng.integers(1, 12)))
    order = rng.permutation(len(people))
    published = [people[person] if rng.random() < 0.8 else {0: 2.0} for person in order.tolist()]
    wanted: int = naive.verbatim(people, published, order.tolist())  # type: ignore[arg-type]
    assert verbatim_rows(rows_of(people), rows_of(published), order) == wanted


@pytest.mark.parametrize(("right", "people"), [(188, 1010), (0, 10), (10, 10), (1, 1)])
def test_the_interval_is_that_of_the_statisticians(right: int, people: int) -> None:
    from scipy.stats import binomtest  # half a second that only this test needs

    wanted = binomtest(right, people).proportion_ci(0.95, "wilson")
    assert wilson(right, people).interval == pytest.approx((wanted.low, wanted.high), abs=1e-9)


@pytest.mark.parametrize(("count", "is_told"), [(0, False), (2, False), (3, True), (10, True)])
def test_more_than_one_in_k_word_for_word_is_told(count: int, is_told: bool) -> None:
    utility = {"verbatim_unique": count, "records": 10}
    assert (f"{count} of 10 rows are" in verbatim_in_words(utility, Fraction(1, 5))) is is_told


def test_who_is_found_more_often_than_promised_for_certain_is_told() -> None:
    def played(low: float) -> dict[str, Any]:
        return {"nearest_row": [{"known": 8, "after": 0.3, "after_interval": [low, 0.4]}]}

    assert found_in_words(played(0.2), Fraction(1, 5)) == ""
    assert "knows 8 ratings of a person" in (told := found_in_words(played(0.21), Fraction(1, 5))) and "30.0%" in told
