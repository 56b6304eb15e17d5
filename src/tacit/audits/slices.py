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

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.audits._slices_tables import Conclusion, View, conclusions, join_edges, numbering
from tacit.audits.result import AuditResult, how_many, itemset_text
from tacit.audits.slices_cover import cover_of, is_generalized, original_texts
from tacit.audits.slices_file import Doubts, doubts_of
from tacit.audits.slices_joint import joint_worst
from tacit.promises import SlicedDiversity

if TYPE_CHECKING:
    from tacit.arrays.attributes import Attribute
    from tacit.sliced import SlicedTable

_TOLERANCE = 1e-9
_LISTED = 1000
_PAIRS_AT_ONCE = 1 << 24


def prove_sliced(
    table: SlicedTable, promise: SlicedDiversity, people: Sequence[Attribute], sensitive: Sequence[str]
) -> AuditResult:
    """The exact verdict: p(t, s) of every person in the original, whose quasi-identifiers are `people`."""
    known = {attribute.name for attribute in people}
    kind, n_kinds = numbering([one.codes for one in people], len(people[0]) if people else 0)
    if not len(table) or not n_kinds:
        return _nothing(promise, len(table))
    first = np.zeros(n_kinds, np.int64)
    first[kind[::-1]] = np.arange(kind.size)[::-1]
    shown_as = [_meet(table, i, people, first) for i in range(len(table.slices))]
    views, persons = [view for view, _ in shown_as], np.stack([numbers for _, numbers in shown_as])
    edges = join_edges(table.slices)
    found = conclusions(table, edges, views, persons, sensitive, known)
    levels = {"each": _levels(sensitive, found.worst.max(axis=1).tolist())}
    if promise.joint:
        joint = joint_worst(table, edges, views, persons, sensitive, known)
        levels["joint"] = _joint(float(found.worst.min(axis=0).max()) if joint is None else joint, joint is not None)
    return _verdict(table, promise, sensitive, found, np.bincount(kind, minlength=n_kinds), levels)


def audit_sliced(
    table: SlicedTable, promise: SlicedDiversity, known: Sequence[str], sensitive: Sequence[str]
) -> AuditResult:
    """The verdict from the file alone: it holds, it does not, or the file cannot tell."""
    if not len(table):
        return _nothing(promise, 0)
    found = doubts_of(table, set(known), list(sensitive), _limit(promise))
    worst = _entry(sensitive[found.worst.target], _text(table, sensitive, found.worst), found.worst.share)
    satisfied = True if not found.suspicious else (False if found.broken else None)
    violations = [_entry(sensitive[one.target], _text(table, sensitive, one), one.share) for one in found.broken]
    facts = {
        "records": len(table),
        "buckets": len(table.buckets),
        "buckets_in_doubt": found.suspicious,
        "violation_count": len(violations),
        "level": _level(found.worst.share),
        "each": _levels(sensitive, found.of_each),
        **({"joint": _joint(min(found.of_each), False)} if promise.joint else {}),
        "exact": False,
    }
    explanation = _explain_file(promise, satisfied, found, facts)
    return AuditResult(promise.name, promise.parameters(), satisfied, worst, violations[:_LISTED], facts, explanation)


def _meet(table: SlicedTable, number: int, people: Sequence[Attribute], first: np.ndarray) -> tuple[View, np.ndarray]:
    """A slice as an attacker sees it, and the number of the known values that each kind of person has in it."""
    here = [one for one in people if one.name in table.slices[number]]
    columns = [table.codes[number][table.slices[number].index(one.name)] for one in here]
    alone = not any(one.name in other for i, other in enumerate(table.slices) if i != number for one in here)
    if alone and any(is_generalized(one, table.texts[one.name]) for one in here):
        return _meet_generalized(table, number, here, columns, first)
    keys = []
    for one, column in zip(here, columns, strict=True):
        code_of = {text: code for code, text in enumerate(table.texts[one.name])}
        published = np.array([code_of.get(text, -1) for text in original_texts(one)], np.int64)
        keys.append(np.concatenate((column, published[one.codes[first]])) + 1)
    both, count = numbering(keys, len(table) + first.size)
    rows = np.arange(len(table))
    return View(number, rows, both[: len(table)], count), both[len(table) :]


def _meet_generalized(
    table: SlicedTable, number: int, here: list[Attribute], columns: list[np.ndarray], first: np.ndarray
) -> tuple[View, np.ndarray]:
    """The same where published values stand for several: a person may fit more than one combination of them."""
    shown, n_shown = numbering(columns, len(table))
    wanted, n_wanted = numbering([one.codes[first] for one in here], first.size)
    row_of_shown, person_of_wanted = np.zeros(n_shown, np.int64), np.zeros(n_wanted, np.int64)
    row_of_shown[shown], person_of_wanted[wanted] = np.arange(len(table)), first
    fits = [cover_of(one, table.texts[one.name]) for one in here]
    pairs = []
    for start in range(0, n_wanted, max(1, _PAIRS_AT_ONCE // max(n_shown, 1))):
        some = person_of_wanted[start : start + max(1, _PAIRS_AT_ONCE // max(n_shown, 1))]
        match = np.ones((some.size, n_shown), bool)
        for one, column, fit in zip(here, columns, fits, strict=True):
            match &= fit.fits(one.codes[some][:, None], column[row_of_shown][None, :])
        at = np.argwhere(match)
        at[:, 0] += start
        pairs.append(at)
    both = np.concatenate(pairs)
    rows_of = np.argsort(shown, kind="stable")
    start_of = np.searchsorted(shown[rows_of], np.arange(n_shown + 1))
    sizes = start_of[both[:, 1] + 1] - start_of[both[:, 1]]
    known = np.repeat(both[:, 0], sizes)
    at_row = np.arange(sizes.sum()) + np.repeat(start_of[both[:, 1]] - np.cumsum(sizes) + sizes, sizes)
    return View(number, rows_of[at_row], known, n_wanted), wanted


def _limit(promise: SlicedDiversity) -> float:
    return (1 + _TOLERANCE) / promise.l


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
    table: SlicedTable,
    promise: SlicedDiversity,
    sensitive: Sequence[str],
    found: Conclusion,
    people: np.ndarray,
    levels: dict[str, Any],
) -> AuditResult:
    limit = _limit(promise)
    target, at = np.unravel_index(int(found.worst.argmax()), found.worst.shape)
    name, probability = sensitive[int(target)], round(float(found.worst[target, at]), 12)
    worst = {
        "sensitive": name,
        "value": table.texts[name][int(found.value[target, at])] if probability else None,
        "probability": probability,
        "matching_buckets": int(found.matches[at]),
    }
    worst["text"] = f"{name} = {worst['value']}: probability {probability:.4g}"
    violations = []
    for k, attribute in enumerate(sensitive):
        over = np.flatnonzero(found.worst[k] > limit)
        for value in np.unique(found.value[k, over]).tolist():
            here = over[found.value[k, over] == value]
            text = table.texts[attribute][value]
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
        "records": len(table),
        "buckets": len(table.buckets),
        "violation_count": len(violations),
        "people_affected": int(people[(found.worst > limit).any(axis=0)].sum()),
        "people_without_bucket": unmatched,
        "level": _level(probability),
        **levels,
        "mean_matching_buckets": float(np.average(found.matches, weights=people)),
        "exact": True,
    }
    return AuditResult(
        promise.name,
        promise.parameters(),
        satisfied,
        worst,
        violations[:_LISTED],
        facts,
        _explain(promise, satisfied, worst, facts),
    )


def _explain(
    promise: SlicedDiversity, satisfied: bool, worst: dict[str, Any], facts: dict[str, Any]
) -> tuple[str, ...]:
    lines = [promise.in_words()] if satisfied else []
    if facts["people_affected"]:
        lines.append(
            f"Of {how_many(facts['people_affected'], 'person', 'people')} a sensitive value can be told with a "
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
            f"In every bucket this is true of itself, for whatever known values fit it: ℓ = {facts['level']:.4g}.",
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


def _text(table: SlicedTable, sensitive: Sequence[str], one: Any) -> str:
    return table.texts[sensitive[one.target]][one.value]


def _entry(attribute: str, value: str, share: float) -> dict[str, Any]:
    shown = itemset_text([value])[1:-1] if value else "(missing)"
    return {
        "sensitive": attribute,
        "value": value,
        "probability": share,
        "text": f"{attribute} = {shown}: probability up to {share:.4g} in a bucket",
    }


def _nothing(promise: SlicedDiversity, records: int) -> AuditResult:
    facts = {"records": records, "buckets": 0, "violation_count": 0, "level": None, "exact": True}
    why = ("It does so trivially: there is nobody to attack.",)
    return AuditResult(promise.name, promise.parameters(), True, None, [], facts, why)
