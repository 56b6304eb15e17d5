"""What Dhumal & Patil and Li et al. say, held against the points of the study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from studies.common import CANNOT_SAY, Claim, Point, below, by_case, curves, ordering, share, where
from studies.slices_five import tables_hold

_ALL = 6
"""Techniques, the original among them."""


def claims(points: Sequence[Point]) -> list[Claim]:
    data = [point for what in ("data", "rows", "attributes", "l") for point in where(points, what=what)]
    others = ("generalization", "bucketization", "one per column", "slicing")
    privacy = [case for case in _cases(data, "privacy") if len(case) == _ALL]
    fakes = [case for case in _cases(data, "fake") if len(case) == _ALL]
    kept, kept_sensitive = _cases(data, "correlation"), _cases(data, "correlation_sensitive")
    of_sensitive, of_known = (_cases(data, f"bayes_{x}") + _cases(data, f"tree_{x}") for x in ("sensitive", "known"))
    promised = [p["level"] >= p["l"] - 1e-6 for p in data if p.get("level") is not None]
    columns = curves(where(points, what="columns"), ("data",), "asked", "fake")
    return [
        *tables_hold(points),
        ordering("ℓ-diverse slicing: nobody's value can be told with a probability above 1/ℓ.", promised),
        ordering("Slicing (MCMA) protects privacy at least as well as every other technique, within 2 points (Figs. 1 "
                 "to 3).", [c["MCMA"] >= max(c[name] for name in others) - 0.02 for c in privacy],
                 why=_more_private(privacy, others)),
        ordering("Bucketization does not protect membership; slicing does.",
                 [c["bucketization"] <= 1e-9 < min(c["slicing"], c["MCMA"]) for c in fakes]),
        ordering("Slicing keeps more correlation than generalization.", below(kept, "generalization", "slicing")),
        ordering("Slicing keeps more correlation with sensitive attributes than bucketization.",
                 below(kept_sensitive, "bucketization", "slicing")),
        ordering("One attribute per column keeps less correlation than slicing.",
                 below(kept, "one per column", "slicing")),
        ordering("Overlap (MCMA) keeps more correlation than slicing without it.", below(kept, "slicing", "MCMA")),
        ordering("Classifying a sensitive attribute: slicing is better than bucketization.",
                 below(of_sensitive, "bucketization", "slicing")),
        ordering("Classifying a sensitive attribute: slicing is better than generalization.",
                 below(of_sensitive, "generalization", "slicing"), why=_by_classifier(data)),
        ordering("Classifying a known attribute: slicing is better than generalization.",
                 below(of_known, "generalization", "slicing")),
        ordering("Classifying a known attribute: bucketization is as good as the original (within 2 points).",
                 [c["bucketization"] >= c["original"] - 0.02 for c in of_known]),
        ordering("More columns make more fake tuples.", [curve[-1] > curve[0] for curve in columns]),
        _matching(points),
        Claim("The heights of the bars and curves of Figs. 1 to 3.", "the pictures are missing, and their axes are not "
              "told", CANNOT_SAY),
    ]  # fmt: skip


def _cases(points: Sequence[Point], measure: str) -> list[dict[str, float]]:
    return by_case(points, ("what", "data", "rows", "attributes", "l"), "technique", measure)


def _more_private(cases: Sequence[Mapping[str, float]], others: Sequence[str]) -> str:
    """Which technique protects more than MCMA, and by how much."""
    missed = [case for case in cases if case["MCMA"] < max(case[name] for name in others) - 0.02]
    best = [max(others, key=lambda name: case[name]) for case in missed]
    gaps = [max(case[name] for name in others) - case["MCMA"] for case in missed]
    if not missed:
        return ""
    first = max(set(best), key=best.count)
    return (
        f"In {share(best.count(first), len(missed))} where it does not, {first} protects most, by {min(gaps):.2f} to "
        f"{max(gaps):.2f}. All keep the bound of 1/ℓ; slicing goes up to it, to keep more of the data."
    )


def _by_classifier(points: Sequence[Point]) -> str:
    """For which classifiers generalization is better."""
    missed = {
        name: len(hits) - sum(hits)
        for name in ("bayes", "tree")
        for hits in [below(_cases(points, f"{name}_sensitive"), "generalization", "slicing")]
    }
    return (
        f"Of the other cases {missed['tree']} are decision trees and {missed['bayes']} Naive Bayes: a tree learns from "
        "combinations of attributes, which slicing cuts wherever they are in different columns."
    )


def _matching(points: Sequence[Point]) -> Claim:
    pairs = [(p["matching_people"], p["matching_fakes"]) for p in where(points, what="columns") if p["matching_fakes"]]
    alike = [fakes >= people / 2 for people, fakes in pairs]
    why = ""
    if pairs:
        people, fakes = ([pair[i] for pair in pairs] for i in (0, 1))
        why = (
            f"A fake tuple fits {min(fakes):.1f} to {max(fakes):.1f} buckets, a person {min(people):.1f} to "
            f"{max(people):.1f}: people's values are frequent ones, those of a fake tuple are a mixture that few "
            "buckets hold."
        )
    return ordering("People and fake tuples match about as many buckets (half as many at least).", alike, why=why)
