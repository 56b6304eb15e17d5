"""The audit of ℓ-diverse slicing (Li, Li, Zhang & Molloy 2012, section 3; slices may overlap).

The attacker's story: I know all quasi-identifiers of somebody who is in the file. I look for the buckets in which all
of them occur, join the slices there on what they share, and take every linking that agrees for equally likely. How
sure can I be of a sensitive value?

With the original at hand the answer is exact, for every person and value. From the file alone it is not known who the
people are. Then the promise is certain if in every bucket no value is above 1/ℓ among rows that somebody's known
values may fit, it is certainly broken if a row belongs to a person for whom all ways to go on end above 1/ℓ, and else
it cannot be told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tacit.audits._sliced_file import Doubts, Share, doubts_of
from tacit.audits._sliced_joint import joint_worst
from tacit.audits._sliced_tables import Conclusion, Fits, conclusions, join_edges, joint_codes
from tacit.audits.coverage import Coverage, covers
from tacit.audits.result import AuditResult, how_many, itemset_text
from tacit.audits.views.columns import KnownColumn
from tacit.audits.views.slices import SliceOriginal, SliceView
from tacit.promises import SlicedDiversity, exact

_ROUNDING = 1e-9
"""Probabilities are quotients of sums of floating-point numbers, and right to within that share of them."""
_PAIRS_AT_ONCE = 1 << 24
_UNIT = "sensitive values"


def prove(view: SliceView, promise: SlicedDiversity, original: SliceOriginal, *, limit: int = 1000) -> AuditResult:
    """The exact verdict: p(t, s) of every person in the original."""
    return _weakest(_prove(each, promise, original, limit) for each in view.readings())


def audit(view: SliceView, promise: SlicedDiversity, *, limit: int = 1000) -> AuditResult:
    """The verdict from the file alone: it holds, it does not, or the file cannot tell."""
    return _weakest(_audit(each, promise, limit) for each in view.readings())


def _weakest(results: Iterable[AuditResult]) -> AuditResult:
    """What is said of a file that can be read in several ways; a promise that does not hold goes before doubts."""
    return min(results, key=lambda result: {False: 0, None: 1, True: 2}[result.satisfied])


def _prove(view: SliceView, promise: SlicedDiversity, original: SliceOriginal, limit: int) -> AuditResult:
    people, sensitive, known = original.people, view.sensitive, set(view.known)
    kind, n_kinds = joint_codes([one.codes for one in people], len(original))
    if not len(view) or not n_kinds:
        return _nothing(promise, len(view))
    first = np.zeros(n_kinds, np.int64)
    first[kind[::-1]] = np.arange(kind.size)[::-1]
    met = [_meet(view, i, people, first) for i in range(len(view.slices))]
    fits, persons = [each for each, _ in met], np.stack([codes for _, codes in met])
    edges = join_edges(view.slices)
    found = conclusions(view, edges, fits, persons, sensitive, known)
    levels = {"each": _levels(sensitive, found.worst.max(axis=1).tolist())}
    if promise.joint:
        joint = joint_worst(view, edges, fits, persons, sensitive, known)
        levels["joint"] = _joint(float(found.worst.min(axis=0).max()) if joint is None else joint, joint is not None)
    return with_persons(view, _verdict(view, promise, found, np.bincount(kind, minlength=n_kinds), levels, limit))


def with_persons(view: SliceView, result: AuditResult) -> AuditResult:
    """The same, but no promise holds where two records of one person are in a bucket: they would stand side by side."""
    if view.persons is None:
        return result
    n_persons = int(view.persons.max(initial=0)) + 1
    pairs, times = np.unique(view.bucket.astype(np.int64) * n_persons + view.persons, return_counts=True)
    twice = np.unique(pairs[times > 1] // n_persons).size
    facts = {**result.facts, "persons": int(np.unique(view.persons).size), "buckets_with_a_person_twice": twice}
    if not twice:
        return replace(result, facts=facts)
    told = f"{how_many(twice, 'bucket holds', 'buckets hold')} two records of one person."
    facts["violation_count"] += twice
    return replace(
        result,
        satisfied=False,
        facts=facts,
        violations=[{"buckets": twice, "text": told}, *result.violations],
        explanation=(told, *(() if result.satisfied else result.explanation)),
    )


def _audit(view: SliceView, promise: SlicedDiversity, limit: int) -> AuditResult:
    if not len(view):
        return _nothing(promise, 0)
    sensitive = view.sensitive
    found = doubts_of(view, set(view.known), list(sensitive), _bound(promise))
    worst = _entry(sensitive[found.worst.target], _text(view, found.worst), found.worst.share)
    satisfied = True if not found.suspicious else (False if found.broken else None)
    violations = [_entry(sensitive[one.target], _text(view, one), one.share) for one in found.broken]
    facts = {
        "records": len(view),
        "buckets": len(view.buckets),
        "buckets_in_doubt": found.suspicious,
        "violation_count": len(violations),
        "violation_unit": _UNIT,
        "records_affected": None,
        "level": {"l": _level(found.worst.share), "l_is_exact": False},
        "each": _levels(sensitive, found.of_each),
        **({"joint": _joint(min(found.of_each), False)} if promise.joint else {}),
        "exact": False,
    }
    explanation = _explain_file(promise, satisfied, found, facts)
    return AuditResult(promise.name, promise.parameters(), satisfied, worst, violations[:limit], facts, explanation)


def _meet(view: SliceView, index: int, people: Sequence[KnownColumn], first: np.ndarray) -> tuple[Fits, np.ndarray]:
    """What fits the rows of a slice, and the code of the known values that each kind of person has in it."""
    here = [one for one in people if one.name in view.slices[index]]
    columns = [view.column(index, one.name) for one in here]
    covered = [covers(one, view.texts[one.name]) for one in here]
    alone = not any(one.name in other for i, other in enumerate(view.slices) if i != index for one in here)
    if alone and not all(each.is_exact() for each in covered):
        return _meet_generalized(len(view), index, here, columns, covered, first)
    keys = []
    for one, column, each in zip(here, columns, covered, strict=True):
        published = np.full(len(one.cells.texts) + 1, -1, np.int64)  # the last one for labels that are no value
        published[each.same] = np.arange(each.same.size)
        published[-1] = -1
        keys.append(np.concatenate((column, published[one.codes[first]])) + 1)
    both, count = joint_codes(keys, len(view) + first.size)
    rows = np.arange(len(view))
    return Fits(index, rows, both[: len(view)], count), both[len(view) :]


def _meet_generalized(
    records: int,
    index: int,
    here: list[KnownColumn],
    columns: list[np.ndarray],
    covered: list[Coverage],
    first: np.ndarray,
) -> tuple[Fits, np.ndarray]:
    """The same where published values stand for several: a person may fit more than one combination of them."""
    shown, n_shown = joint_codes(columns, records)
    wanted, n_wanted = joint_codes([one.codes[first] for one in here], first.size)
    row_of_shown, person_of_wanted = np.zeros(n_shown, np.int64), np.zeros(n_wanted, np.int64)
    row_of_shown[shown], person_of_wanted[wanted] = np.arange(records), first
    pairs = []
    step = max(1, _PAIRS_AT_ONCE // max(n_shown, 1))
    for start in range(0, n_wanted, step):
        some = person_of_wanted[start : start + step]
        match = np.ones((some.size, n_shown), bool)
        for one, column, each in zip(here, columns, covered, strict=True):
            match &= each.holds(one.codes[some][:, None], column[row_of_shown][None, :])
        at = np.argwhere(match)
        at[:, 0] += start
        pairs.append(at)
    both = np.concatenate(pairs)
    rows_of = np.argsort(shown, kind="stable")
    start_of = np.searchsorted(shown[rows_of], np.arange(n_shown + 1))
    sizes = start_of[both[:, 1] + 1] - start_of[both[:, 1]]
    known = np.repeat(both[:, 0], sizes)
    at_row = np.arange(sizes.sum()) + np.repeat(start_of[both[:, 1]] - np.cumsum(sizes) + sizes, sizes)
    return Fits(index, rows_of[at_row], known, n_wanted), wanted


def _bound(promise: SlicedDiversity) -> float:
    """No probability may be above that."""
    return float(1 / exact(promise.l)) * (1 + _ROUNDING)


def _level(probability: float) -> float | None:
    """The largest ℓ that holds."""
    return 1 / probability if probability > 0 else None


def _levels(sensitive: Sequence[str], probabilities: Sequence[float]) -> dict[str, Any]:
    """For each sensitive attribute by itself how sure somebody can be of a value of it, and the ℓ that this means."""
    each = zip(sensitive, probabilities, strict=True)
    return {name: {"probability": round(p, 12), "level": _level(round(p, 12))} for name, p in each}


def _joint(probability: float, is_exact: bool) -> dict[str, Any]:
    """The same for combinations; where not exact, no combination is more probable than this."""
    return {"probability": round(probability, 12), "level": _level(round(probability, 12)), "exact": is_exact}


def _verdict(
    view: SliceView,
    promise: SlicedDiversity,
    found: Conclusion,
    people: np.ndarray,
    levels: dict[str, Any],
    limit: int,
) -> AuditResult:
    sensitive, bound = view.sensitive, _bound(promise)
    worst = _worst(view, found)
    probability = worst["probability"]
    violations = []
    for k, attribute in enumerate(sensitive):
        over = np.flatnonzero(found.worst[k] > bound)
        for value in np.unique(found.value[k, over]).tolist():
            here = over[found.value[k, over] == value]
            text = view.texts[attribute][value]
            most, concerned = float(found.worst[k, here].max()), int(people[here].sum())
            shown = itemset_text([text])[1:-1] if text else "(missing)"
            violations.append(
                {
                    "sensitive": attribute,
                    "value": text,
                    "probability": most,
                    "people": concerned,
                    "text": f"{attribute} = {shown}: probability up to {most:.4g} for "
                    f"{how_many(concerned, 'person', 'people')}",
                }
            )
    violations.sort(key=lambda one: (-one["probability"], one["sensitive"], one["value"]))
    unmatched = int(people[found.matches == 0].sum())
    satisfied = not violations and not unmatched
    facts = {
        "records": len(view),
        "buckets": len(view.buckets),
        "violation_count": len(violations),
        "violation_unit": _UNIT,
        "records_affected": int(people[(found.worst > bound).any(axis=0)].sum()),
        "people_without_bucket": unmatched,
        "level": {"l": _level(probability), "l_is_exact": True},
        **levels,
        "mean_matching_buckets": float(np.average(found.matches, weights=people)),
        "exact": True,
    }
    return AuditResult(
        promise.name,
        promise.parameters(),
        satisfied,
        worst,
        violations[:limit],
        facts,
        _explain(promise, satisfied, worst, facts),
    )


def _worst(view: SliceView, found: Conclusion) -> dict[str, Any]:
    """The most that anybody can conclude; of what is as probable, the first by attribute and text, whoever it is."""
    rounded = np.round(found.worst, 12)
    target, at = np.nonzero(rounded == rounded.max())
    probability = float(rounded.max())
    told = np.unique(np.column_stack((target, found.value[target, at], found.matches[at])), axis=0).tolist()
    texts = [view.texts[view.sensitive[k]][value] if probability else None for k, value, _ in told]
    first = min(range(len(told)), key=lambda i: (told[i][0], texts[i] or "", told[i][2]))
    name = view.sensitive[told[first][0]]
    return {
        "sensitive": name,
        "value": texts[first],
        "probability": probability,
        "matching_buckets": told[first][2],
        "text": f"{name} = {texts[first]}: probability {probability:.4g}",
    }


def _explain(
    promise: SlicedDiversity, satisfied: bool, worst: dict[str, Any], facts: dict[str, Any]
) -> tuple[str, ...]:
    lines = [promise.in_words()] if satisfied else []
    if facts["records_affected"]:
        lines.append(
            f"Of {how_many(facts['records_affected'], 'person', 'people')} a sensitive value can be told with a "
            f"probability above 1/{promise.l:g}."
        )
    if facts["people_without_bucket"]:
        lines.append(
            f"{how_many(facts['people_without_bucket'], 'person', 'people')} of the original can be in no bucket of "
            "this file: it is no slicing of that original."
        )
    lines.append(
        f"The most that anybody can conclude is a value of {worst['sensitive']!r} with a probability of "
        f"{worst['probability']:.4g}, so the file reaches ℓ = {1 / max(worst['probability'], 1e-300):.4g}."
    )
    if promise.joint:
        at_most = "" if facts["joint"]["exact"] else "at most "
        lines.append(
            f"Of a combination of sensitive values it is {at_most}{facts['joint']['probability']:.4g}: no combination "
            "is more probable than any of the values in it."
        )
    return tuple(lines)


def _explain_file(
    promise: SlicedDiversity, satisfied: bool | None, found: Doubts, facts: dict[str, Any]
) -> tuple[str, ...]:
    if satisfied:
        return (
            promise.in_words(),
            f"In every bucket this is true of itself, for whatever known values fit it: ℓ = {facts['level']['l']:.4g}.",
        )
    doubtful = (
        f"In {found.suspicious:,} of {facts['buckets']:,} buckets a sensitive value is above 1/{promise.l:g} among "
        "rows with the same known values."
    )
    if satisfied is None:
        more = "" if found.complete else " Too many linkings were possible to try them all."
        return (
            doubtful,
            "Whether a person is concerned depends on who else is in other buckets. `--original` tells exactly." + more,
        )
    return (doubtful, "For some of these rows every way to complete them ends above the bound.")


def _text(view: SliceView, one: Share) -> str:
    return view.texts[view.sensitive[one.target]][one.value]


def _entry(attribute: str, value: str, share: float) -> dict[str, Any]:
    shown = itemset_text([value])[1:-1] if value else "(missing)"
    return {
        "sensitive": attribute,
        "value": value,
        "probability": share,
        "text": f"{attribute} = {shown}: probability up to {share:.4g} in a bucket",
    }


def _nothing(promise: SlicedDiversity, records: int) -> AuditResult:
    facts = {
        "records": records,
        "buckets": 0,
        "violation_count": 0,
        "violation_unit": _UNIT,
        "records_affected": 0,
        "level": None,
        "exact": True,
    }
    why = ("It does so trivially: there is nobody to attack.",)
    return AuditResult(promise.name, promise.parameters(), True, None, [], facts, why)
