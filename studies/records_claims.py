"""What Poulis et al. 2013 say, held against the points of the study."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from studies.common import Claim, Point, below, by_case, curves, highest, lowest, ordering, share, verdict, where

L = 4
"""ℓ of the (k, ℓ^m) versions."""
_R = ("R_MR", "R_MT", "R_MRT")


def claims(points: Sequence[Point]) -> list[Claim]:
    rum, tum = about(points, "delta"), about(points, "tum")
    diverse = about(points, "delta", l=L)
    alike = _alike(rum)
    found = [
        _trend("Rum-bound: with δ, queries for values get worse.", rum, "are_values", rising=True),
        _trend("Rum-bound: with δ, queries for items get better.", rum, "are_items", rising=False),
        ordering("NCP is at most δ in all cases.", [p["ncp"] <= p["delta"] + 1e-9 for p in (*rum, *diverse)]),
        _trend("Tum-bound: a larger δ favours the values.", tum, "are_values", rising=False),
        ordering("R_MR loses least in the items (ARE of items).", lowest(_cases(rum, "are_items"), *_R), why=alike),
        ordering("R_MR loses most in the values (ARE of values).", highest(_cases(rum, "are_values"), *_R), why=alike),
        ordering(
            "R_MRT answers queries for values better than R_MR.",
            below(_cases(rum, "are_values"), "R_MRT", "R_MR"),
            why=alike,
        ),
        ordering(
            "R_MRT answers queries for items better than R_MT.",
            below(_cases(rum, "are_items"), "R_MRT", "R_MT"),
            why=alike,
        ),
        ordering("R_MR makes the largest clusters.", highest(_cases(rum, "largest"), *_R), why=alike),
        ordering("R_MRT makes larger clusters than R_MT.", below(_cases(rum, "largest"), "R_MT", "R_MRT"), why=alike),
        ordering("R_MR has the lowest UL.", lowest(_cases(rum, "ul"), *_R), why=_near(rum, "R_MR", alike)),
        ordering(
            "R_MRT has a lower UL than R_MT.",
            below(_cases(rum, "ul"), "R_MRT", "R_MT"),
            why=_near(rum, "R_MRT", alike, "R_MT"),
        ),
    ]
    if diverse:
        found += [
            _trend("(k, ℓ^m): with δ, queries for values get worse.", diverse, "are_values", rising=True),
            _trend("(k, ℓ^m): with δ, queries for items get better.", diverse, "are_items", rising=False),
            ordering(
                "(k, ℓ^m): R_MR has the lowest UL.",
                lowest(_cases(diverse, "ul"), *_R),
                why=_near(diverse, "R_MR", _alike(diverse)),
            ),
        ]
    return [*found, *_of_time(points), *_of_choices(points)]


def _alike(points: Sequence[Point]) -> str:
    """How near to each other the three algorithms end."""
    spreads = [max(case.values()) - min(case.values()) for case in _cases(points, "ncp")]
    equal = share(sum(spread <= 0.002 for spread in spreads), len(spreads))
    return (
        "Each of the three goes on until δ is used up: their NCP differs by no more than 0.002 in "
        f"{equal}, so they trade values for items alike, and what is left is the order of the merges."
    )


def _near(points: Sequence[Point], lower: str, alike: str, *others: str) -> str:
    """By how much the order of UL is another one, where it is."""
    cases = [(case[lower], min(case[name] for name in others or _R)) for case in _cases(points, "ul")]
    missed = [own / best - 1 for own, best in cases if own > best]
    return f"{alike} Where it is not so, UL is {max(missed):.1%} higher at most." if missed else alike


def _of_time(points: Sequence[Point]) -> list[Claim]:
    by_size, by_k = about(points, "size"), about(points, "k")
    if not by_size:
        return []
    noise = _noise(by_size, by_k)
    cases = [
        {name: case[name] for name in _R}
        for case in by_case(by_size + by_k, ("what", "records", "k"), "method", "seconds") if set(_R) <= set(case)
    ]  # fmt: skip
    clear = [case for case in cases if max(case.values()) > noise * min(case.values())]
    by_records, along_k = (curves(some, ("method",), x, "seconds") for some, x in ((by_size, "records"), (by_k, "k")))
    note = f" that differ by more than the {noise - 1:.0%} by which two runs of the same search do"
    whole = by_case(by_size + by_k, ("what", "records", "k"), "method", "seconds")
    common = [case["CLUSTER"] / case[name] for case in whole for name in _R if {"CLUSTER", name} <= set(case)]
    why = (
        f"CLUSTER, with which all three begin, is {min(common):.0%} to {min(max(common), 1):.0%} of their time here; "
        "the merges that tell them apart are the rest."
    )
    return [
        ordering("R_MT is the fastest of the three.", lowest(clear, "R_MT", "R_MR", "R_MRT"), note, why),
        ordering("R_MRT is the slowest of the three.", highest(clear, "R_MRT", "R_MR", "R_MT"), note, why),
        ordering(
            "Time grows with the number of records.",
            [c[-1] > c[0] for c in by_records if _is_clear(c, noise)],
            note,
            why,
        ),
        ordering(
            "Time falls as k grows, also that of CLUSTER.",
            [c[-1] < c[0] for c in along_k if _is_clear(c, noise)],
            note,
            why,
        ),
    ]


def _noise(by_size: Sequence[Point], by_k: Sequence[Point]) -> float:
    """How far apart the times of the same search were: the largest ratio, over what both figures have."""
    first = {(p["method"], p["records"], p["k"]): p["seconds"] for p in by_size}
    again = {(p["method"], p["records"], p["k"]): p["seconds"] for p in by_k}
    pairs = [(first[key], again[key]) for key in first.keys() & again.keys()]
    return max((max(pair) / min(pair) for pair in pairs), default=1.0)


def _is_clear(curve: Sequence[float], noise: float) -> bool:
    return max(curve[0], curve[-1]) > noise * min(curve[0], curve[-1])


def _of_choices(points: Sequence[Point]) -> list[Claim]:
    found = []
    exact = by_case(about(points, "btd"), ("method", "delta"), "order", "seconds")
    if exact:
        both = sorted((case for case in exact if len(case) == 2), key=lambda case: case["ul"] / case["btd"])
        ratios = [case["ul"] / case["btd"] for case in both]
        why = (
            f"{share(sum(ratio < 10 for ratio in ratios), len(ratios))} are below that. In the lowest, few merges are "
            f"made: exact UL takes only {both[0]['ul']:.2g} s, and BTD {both[0]['btd']:.2g} s, the first clusters "
            "included."
        )
        here = f"{min(ratios):.1f} to {max(ratios):.1f} times"
        found.append(Claim("BTD is at least 10 times as fast as exact UL.", here, verdict(min(ratios) >= 10), why))
        pairs = [c for c in by_case(about(points, "btd"), ("method", "delta"), "order", "ul") if len(c) == 2]
        near = [abs(case["btd"] - case["ul"]) <= 0.05 * case["ul"] for case in pairs]
        most = max(abs(case["btd"] / case["ul"] - 1) for case in pairs)
        here = f"within 5 % in {share(sum(near), len(near))}, at most {most:.0%} apart"
        apart = [case["btd"] < case["ul"] for case, is_near in zip(pairs, near, strict=True) if not is_near]
        why = (
            f"Where they are further apart, BTD ends with the lower UL in {share(sum(apart), len(apart))}: the exact "
            "UL of the next merge is no better guide to the UL at the end."
        )
        found.append(Claim("BTD reaches the same UL as exact UL.", here, verdict(all(near)), why))
    traces = curves(about(points, "mergings"), ("data", "method"), "mergings", "ul")
    if traces:
        steps = [after - before for trace in traces for before, after in pairwise(trace)]
        rises = sum(step > 1e-12 for step in steps)
        falls = share(sum(trace[-1] < trace[0] for trace in traces), len(traces))
        here = f"it rises in {rises:,} of {len(steps):,} merges, by {max(steps):.4f} at most; it ends lower in {falls}"
        why = (
            "The items of a merged cluster are generalized anew, by a greedy method, and may come out a little worse "
            f"than those of its two parts did: {rises / len(steps):.1%} of the merges."
        )
        found.append(Claim("UL falls with every merge.", here, verdict(rises == 0), why))
    return found


def about(points: Sequence[Point], what: str, l: int | None = None) -> list[Point]:  # noqa: E741
    return where(points, what=what, l=l)


def _trend(paper: str, points: Sequence[Point], measure: str, *, rising: bool) -> Claim:
    """From the smallest δ to the greatest; small ups and downs on the way do not count."""
    found = curves(points, ("data", "method"), "delta", measure)
    return ordering(
        paper, [(curve[-1] > curve[0]) == rising for curve in found], why=_reversed(points, measure, rising)
    )


def _reversed(points: Sequence[Point], measure: str, rising: bool) -> str:
    """Where the trend is the other way round, and how NCP of the items goes there."""
    told = []
    for data in dict.fromkeys(point["data"] for point in points):
        trends = zip(
            *(curves(where(points, data=data), ("data", "method"), "delta", of) for of in (measure, "ncp_items")),
            strict=True,
        )
        missed = [loss for curve, loss in trends if (curve[-1] > curve[0]) != rising]
        if missed:
            first, last = sorted(loss[0] for loss in missed), sorted(loss[-1] for loss in missed)
            told.append(
                f"On {data} it is the other way round in {len(missed)}: NCP of the items goes from {first[0]:.2f} to "
                f"{first[-1]:.2f} at the smallest δ to {last[0]:.2f} to {last[-1]:.2f} at the greatest. A larger "
                "cluster holds more different items there, and each pair of names still needs k people."
            )
    return " ".join(told)


def _cases(points: Sequence[Point], measure: str) -> list[dict[str, float]]:
    return by_case(points, ("data", "delta"), "method", measure)
