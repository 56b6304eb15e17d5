"""The audit of k^m-anonymity of ratings against its definition written out: ranges, blanked parts, overlaps, any m."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pyarrow as pa
import pytest

import tacit
from naive.audits import rating_km as naive
from support.seeds import each_seed
from tacit import RatingKm
from tacit.audits import _rating_triples as triples
from tacit.audits import rating_km as audited
from tacit.audits.views.middles import filled
from tacit.audits.views.scales import Scale

TOP = 5


def drawn(rng: np.random.Generator, *, overlapping: bool = False) -> tuple[pa.Table, list[str]]:
    """Some people who show ranges of a few issues: each issue with its cut, of which parts are blanked."""
    people, issues = int(rng.choice([6, 12, 30, 150])), int(rng.integers(1, 5))
    columns = {}
    for issue in range(issues):
        heads = [1, *(1 + np.flatnonzero(rng.random(TOP - 1) < 0.4) + 1).tolist(), TOP + 1]
        ranges = [(low, past - 1) for low, past in pairwise(heads)]
        if overlapping and rng.random() < 0.5:
            ranges.append((1, int(rng.integers(2, TOP + 1))))
        texts = [f"[{low}:{high}]" if low < high else str(low) for low, high in ranges]
        shown = [text for text in texts if rng.random() < 0.8]
        given = rng.choice(len(texts), people, p=rng.dirichlet([2.0] * len(texts)))
        rated = rng.random(people) < rng.choice([0.5, 0.9, 1])
        columns[f"q{issue}"] = pa.array(
            [texts[code] if has and texts[code] in shown else None for code, has in zip(given, rated, strict=True)],
            pa.string(),
        )
    return pa.table(columns), list(columns)


def both(table: pa.Table, issues: list[str], k: int, m: float) -> tuple[tacit.AuditResult, list[int]]:
    roles = {"rating": issues, "scale": (1, TOP), "step": 1}
    promise = RatingKm(k, m)
    return tacit.audit(table, promise, **roles), [len(crowd) for crowd in naive.crowds(table, promise, roles)]


@each_seed(range(400), fast=8)
def test_it_finds_the_fewest_who_fit(seed: int) -> None:
    finds_the_fewest(seed)


@pytest.mark.parametrize("seed", [124, 323, 398])
def test_it_finds_the_fewest_who_show_nothing_of_two_issues(seed: int) -> None:
    finds_the_fewest(seed)


def finds_the_fewest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table, issues = drawn(rng, overlapping=seed % 4 == 3)
    for m in (1, 2, 3, float("inf")):
        k = int(rng.integers(1, 6))
        result, sizes = both(table, issues, k, m)
        least = min(sizes, default=table.num_rows)
        assert result.satisfied is (least >= k)
        level = result.facts["level"]
        if level is not None:
            assert level["k_for_this_m"] == least or (level["k_for_this_m"] > least and not level["k_is_exact"])
        assert all(found["people"] < k for found in result.violations)
        assert bool(result.violations) is not result.satisfied


def test_who_is_affected_is_counted() -> None:
    """Four people with one rating, of whom one has another rating that nobody else has."""
    table = pa.table({"x": [1, 1, 1, 1], "y": pa.array([1, None, None, None])})
    result = tacit.audit(table, RatingKm(2, 2), rating=["x", "y"], scale=(1, 1), step=1)
    assert result.facts["records_affected"] == 1 and result.facts["violation_count"] == 1
    assert result.violations == [{"known": {"y": "1"}, "size": 1, "people": 1, "text": "{y: 1}: 1 person fits"}]
    level = {"k_for_this_m": 1, "k_is_exact": True, "m_for_this_k": 0, "m_is_exact": True}
    assert result.facts["level"] == level


def test_halves_of_a_step_are_told_as_they_are() -> None:
    table = pa.table({"x": ["3.5", "[4:5]", "[4:5]"]})
    result = tacit.audit(table, RatingKm(2, 1), rating="x", scale=(3.5, 5), step=0.5)
    assert [found["text"] for found in result.violations] == ["{x: 3.5}: 1 person fits"]


def test_showing_nothing_is_known_where_a_part_is_blanked_alone() -> None:
    x = pa.array([2, 2, 1, 1, None])
    roles = {"rating": ["x", "y"], "step": 1}
    covered = pa.table({"x": x, "y": ["[1:2]"] * 5})
    assert tacit.audit(covered, RatingKm(2, 2), **roles, scale=(1, 2)).satisfied
    assert not tacit.audit(covered, RatingKm(2, 2), **roles, scale=(1, 3)).satisfied
    assert not tacit.audit(covered, RatingKm(2, 2), rating=["x", "y"]).satisfied, "a scale that is not given"


def test_what_a_scale_that_the_job_does_not_give_is_to_blame_for_is_said() -> None:
    table = pa.table({"x": ["[1:2]", "[1:2]", "[3:5]", "[3:5]", None]})
    unknown = tacit.audit(table, RatingKm(2, 1), rating="x")
    assert unknown.satisfied is False and unknown.facts["issues_without_a_scale"] == 1
    assert "1 set of them" in str(unknown) and "1 person has" in str(unknown) and "private/job.toml" in str(unknown)
    known = tacit.audit(table, RatingKm(2, 1), rating="x", scale=(1, 5), step=1)
    assert known.satisfied is True and known.facts["issues_without_a_scale"] == 0
    blanked = tacit.audit(table, RatingKm(2, 1), rating="x", scale=(1, 6), step=1)
    assert blanked.satisfied is False and "private/job.toml" not in str(blanked)


def test_on_a_scale_without_steps_a_gap_is_a_tick() -> None:
    def verdict(*texts: str | None) -> bool | None:
        roles = {"rating": ["x", "y"], "scale": (-10, 10), "step": 0}
        table = pa.table({"x": pa.array([*texts, None], pa.string()), "y": ["[-10:10]"] * (len(texts) + 1)})
        return tacit.audit(table, RatingKm(2, 2), **roles).satisfied

    assert verdict(*["[-10:-5.01]"] * 2, *["[-5:10]"] * 2)
    assert not verdict(*["[-10:-5.02]"] * 2, *["[-5.00:10]"] * 2)
    assert not verdict(*["[-10:-5.01]"] * 2, *["[-5:9.99]"] * 2)


def test_absences_are_found_among_many() -> None:
    """Of 5,000 people all but three who show x also show y, a part of which is blanked."""
    rng = np.random.default_rng(1)
    x, y = np.ones(5000), np.ones(5000)
    x[rng.permutation(5000)[:2500]] = np.nan
    hidden = np.flatnonzero(~np.isnan(x))[:3]
    y[hidden] = np.nan
    y[np.flatnonzero(np.isnan(x))[:1000]] = np.nan
    z = np.where(rng.random(5000) < 0.5, 1.0, np.nan)
    table = pa.table({name: pa.array(each, from_pandas=True) for name, each in (("x", x), ("y", y), ("z", z))})
    roles = {"rating": ["x", "y", "z"], "scale": (1, 2), "step": 1}
    result = tacit.audit(table, RatingKm(4, 2), **roles)
    assert {"x": "1", "y": None} in [found["known"] for found in result.violations]
    assert tacit.audit(table, RatingKm(3, 2), **roles).facts["level"]["k_for_this_m"] == 3
    assert not tacit.audit(table, RatingKm(3, 3), **roles).satisfied


@each_seed(range(40), fast=3)
def test_three_known_ratings_of_many_people(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """People are counted in blocks of 512, by two jobs or one; at k exactly as few as fit, and at one more."""
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(triples, "_REAR_BLOCKS", (0, 1, 31)[seed % 3])
    monkeypatch.setattr(triples, "_WORTH_TWO_JOBS", (1, 256)[seed % 2])
    people, issues = int(rng.integers(1500, 2500)), 5
    busy = 0.3 + rng.random(people)
    columns, is_open = {}, []
    for issue in range(issues):
        texts = [["[1:2]", "3", "[4:5]"], ["[1:5]"], ["[1:3]", "[4:5]"], ["1", "2", "[3:4]"]][int(rng.integers(4))]
        blanked = len(texts) > 1 and rng.random() < 0.4
        given = rng.integers(0, len(texts), people)
        shows = (rng.random(people) < busy) & ~(blanked & (given == 0))
        columns[f"q{issue}"] = [texts[code] if has else None for code, has in zip(given, shows, strict=True)]
        is_open.append(blanked or texts[-1] == "[3:4]")
    counts: Counter[tuple[tuple[int, str | None], ...]] = Counter()
    rows = [[*zip(range(issues), row, strict=True)] for row in zip(*columns.values(), strict=True)]
    for row in rows:
        known = [(issue, text) for issue, text in row if text is not None or is_open[issue]]
        counts.update(each for size in (1, 2, 3) for each in combinations(known, size))
    least = min(counts.values())
    roles = {"rating": [*columns], "scale": (1, TOP), "step": 1}
    for k in (least, least + 1, least + 3):
        result = tacit.audit(pa.table(columns), RatingKm(k, 3), **roles)
        rare = {each for each, count in counts.items() if count < k}
        minimal = {each for each in rare if not any({*combinations(each, size)} & rare for size in range(1, len(each)))}
        told = [tuple((int(name[1:]), text) for name, text in each["known"].items()) for each in result.violations]
        assert result.satisfied is (k == least) and sorted(map(str, told)) == sorted(map(str, minimal))
        assert [each["people"] for each in result.violations] == [counts[each] for each in told]
        affected = sum(any({*each} <= {*row} for each in minimal) for row in rows)
        assert result.facts["records_affected"] == affected
        if k == least:
            assert result.facts["level"]["k_for_this_m"] == least and counts[worst_of(result)] == least
        with monkeypatch.context() as other:
            other.setattr(triples, "_MOST_BYTES", 0)
            assert tacit.audit(pa.table(columns), RatingKm(k, 3), **roles).violations == result.violations


def worst_of(result: tacit.AuditResult) -> tuple[tuple[int, str | None], ...]:
    assert result.worst is not None
    return tuple((int(name[1:]), text) for name, text in result.worst["known"].items())


def test_the_verdict_does_not_hang_on_how_many_are_looked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audited, "_MOST_COUNTED", 1)
    for seed in range(20):
        table, issues = drawn(np.random.default_rng(seed))
        result, sizes = both(table, issues, 3, 2)
        assert result.satisfied is (min(sizes, default=table.num_rows) >= 3)


def test_middles_that_fill_a_scale_are_ranges() -> None:
    from decimal import Decimal

    stars, slider = Scale(Decimal(1), Decimal(5), Decimal(1)), Scale(Decimal(-10), Decimal(10), None)
    assert filled([10, 25, 45], stars, 1) == [(10, 10), (20, 30), (40, 50)]
    assert filled([15, 25], stars, 1) is None
    assert filled([30], stars, 1) == [(10, 50)]
    assert filled([-7505, 2500], slider, 3) == [(-10000, -5001), (-5000, 10000)]
    assert filled([-7505], slider, 3) is None
    table = pa.table({"x": [1.5, 1.5, 4.0, 4.0, None], "y": [3.0] * 5})
    roles = {"rating": ["x", "y"], "scale": (1, 5), "step": 1}
    assert tacit.audit(table, RatingKm(2, 2), **roles, shown="middle").satisfied
    assert not tacit.audit(table, RatingKm(2, 2), **roles).satisfied
    any_value = pa.table({"x": [-7.505, -7.505, 2.5, 2.5, None], "y": [0.0] * 5})
    for high, holds in ((10, True), (11, False)):  # who shows nothing is alone if a part is blanked, and nobody if not
        scale = {"scale": (-10, high), "step": 0, "shown": "middle"}
        assert tacit.audit(any_value, RatingKm(2, 2), rating=["x", "y"], **scale).satisfied is holds
    with pytest.raises(tacit.InputError, match="range or middle"):
        tacit.audit(table, RatingKm(2, 2), **roles, shown="both")


def test_what_is_no_rating_is_refused() -> None:
    for text in ("[4:3]", "[a:b]", "[≥3]", "good"):
        with pytest.raises(tacit.InputError, match="a number or a range such as"):
            tacit.audit(pa.table({"x": [text]}), RatingKm(1, 1), rating="x", scale=(1, 5), step=1)


def all_pairs_of_values(y: int, z: int, times: int, x: str | None) -> list[tuple[str | None, str, str]]:
    return [(x, str(a), str(b)) for a in range(1, y + 1) for b in range(1, z + 1)] * times


def test_showing_nothing_counts_beside_ranges_that_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who shows a range of two stretches shows the issue once: four show nothing of it, and each of them is alone."""
    rows = [row for text in ("[1:3]", "[2:4]") for row in all_pairs_of_values(2, 2, 2, text)]
    rows += all_pairs_of_values(2, 2, 1, None)
    table = pa.table(dict(zip("xyz", map(list, zip(*rows, strict=True)), strict=True)))
    roles = {"rating": ["x", "y", "z"], "scale": (1, TOP), "step": 1}
    assert tacit.audit(table, RatingKm(2, 2), **roles).satisfied
    result = tacit.audit(table, RatingKm(2, 3), **roles)
    assert [each["known"]["x"] for each in result.violations] == [None] * 4
    assert result.facts["level"]["k_for_this_m"] == 1 and result.facts["violation_count_is_exact"]
    monkeypatch.setattr(audited, "COUNTED", 3)
    assert not tacit.audit(table, RatingKm(2, 3), **roles).facts["violation_count_is_exact"]


@pytest.mark.parametrize(
    "others", [["xy", "xy", "xz", "xz", *"yyyzzz"], ["xy", "xy", "xy", "yz", "yz", "yz", *"zzzzz"]]
)
def test_three_of_which_two_are_too_few_count_once(others: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two issues that one person rated, beside a third one: the pair breaks the promise, and nothing that holds it."""
    monkeypatch.setattr(audited, "COUNTED", 1)
    table = pa.table({name: ["[1:5]" if name in row else None for row in ["xyz", *others]] for name in "xyz"})
    result = tacit.audit(table, RatingKm(3, 3), rating=["x", "y", "z"], scale=(1, TOP), step=1)
    assert [each["size"] for each in result.violations] == [2]
    assert result.facts["violation_count_is_exact"] and result.facts["records_affected"] == 1


@pytest.mark.parametrize("place", range(5))
def test_whoever_is_alone_with_all_that_is_known_is_found_wherever_they_stand(place: int) -> None:
    """Of each rating there are two people and more, but one of five is alone with both: any m would be too much."""
    people = [("1", "1"), ("1", "1"), ("2", "2"), ("2", "2")]
    people.insert(place, ("1", "2"))
    q0, q1 = map(list, zip(*people, strict=True))
    result, crowds = both(pa.table({"q0": q0, "q1": q1}), ["q0", "q1"], 2, 1)
    assert result.satisfied and min(crowds) >= 2
    level = result.facts["level"]
    assert (level["m_for_this_k"], level["m_is_exact"]) != ("inf", True)
