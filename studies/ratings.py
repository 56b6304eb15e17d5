"""Sun & Wang's (k, ε)-anonymity of ratings: time, distortion, and what Naive Bayes still learns (its Figs. 1 to 3)."""

from __future__ import annotations

import gzip
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

import tacit
from studies.common import CANNOT_SAY, DATA, Claim, Figure, Point, by_case, curves, measured, ordering, verdict, where
from tacit.demo import demo_job
from tacit.flow import make_release
from tacit.io import read_table
from tacit.job import Column, Input, Job, Method, Output
from tacit.release import Release
from tacit.utility.ratings import Sparse, before_and_after, naive_bayes_accuracy

TITLE = "Study: survey and movie ratings (Sun & Wang)"
PAPER = (
    "They used MovieLens with 943 people and the Netflix prize, neither of which may be passed on. Ours are MovieLens "
    "latest-small (610 people, 9,724 movies, half stars) and a true survey (young people, 1,010 of them, 135 questions "
    "from 1 to 5). *hamming* is the algorithm of the paper, *neighbours* ours; *filled* means that ratings may be "
    "invented where only some people of a group rated an issue, instead of blanking the others. The paper does not say "
    "what it does there. Defaults are theirs, k = 40 and ε = 2. Times are processor time of the search. Their training "
    "and testing sets had 2,000 records each; ours have half of the people each, which is all there are. "
    "There are few values of k and ε, and on MovieLens 10 draws instead of 50, so that the study ends in minutes."
)
METHODS: dict[str, tuple[str, bool]] = {
    "hamming": ("hamming", False),
    "hamming, filled": ("hamming", True),
    "neighbours": ("neighbours", False),
    "neighbours, filled": ("neighbours", True),
}
K, EPS = 40, 2
KS, EPSILONS, SHARES = (20, 40, 60), (1, 2, 3, 5), (0.2, 0.6, 1.0)
DRAWS = {"survey": 50, "MovieLens": 10}
DRAWN = {"survey": ("hamming, filled", "neighbours"), "MovieLens": ("hamming, filled", "neighbours, filled")}
"""The methods that are fast enough to be run a hundred times; `hamming` alone blanks everything on MovieLens."""
TARGETS = 10
TRIED = "anonymized, tried on the original"
ACCURACIES = ("original", "anonymized", TRIED, "always the same answer")
CLOSE = 0.05
MEASURABLE = 0.1
"""Shorter times, in seconds, are not compared."""


@dataclass(frozen=True, eq=False)
class Survey:
    """Ratings as a job reads them."""

    name: str
    table: pa.Table
    columns: tuple[Column, ...]
    layout: str = "wide"

    @property
    def people(self) -> int:
        return self.table.num_rows if self.layout == "wide" else len(self.table["userId"].unique())

    def of(self, people: np.ndarray) -> Survey:
        """The ratings of some people, given by number."""
        if self.layout == "wide":
            return replace(self, table=self.table.take(pa.array(np.sort(people))))
        ids = self.table["userId"].to_numpy(zero_copy_only=False)
        _, number = np.unique(ids, return_inverse=True)
        return replace(self, table=self.table.filter(pa.array(np.isin(number, people))))

    def share(self, share: float) -> Survey:
        """A share of the people, all of them in every larger share."""
        order = np.random.default_rng(2011).permutation(self.people)
        return self.of(order[: round(share * self.people)])


def run(size: str) -> list[Point]:
    """Time and distortion against the share of people, k and ε; accuracy over many draws of people."""
    return list(_small() if size == "small" else _full())


def _small() -> Iterator[Point]:
    survey = sample()
    yield from _grid(survey, k=10, eps=1, ks=(5, 10, 20), epsilons=(1, 2, 5), shares=(0.5, 1.0))
    yield _draws(survey, "neighbours", k=10, eps=1, draws=3)


def _full() -> Iterator[Point]:
    for survey in (young_people(), movielens()):
        for method in METHODS:
            _measured(survey.share(0.2), method, K, EPS)  # compiled code is loaded before anything is timed
        yield from _grid(survey, K, EPS, KS, EPSILONS, SHARES)
        for method in DRAWN[survey.name]:
            yield _draws(survey, method, K, EPS, DRAWS[survey.name])
            for k in (KS[0], KS[-1]):
                yield _draws(survey, method, k, EPS, DRAWS[survey.name] // 5)


def young_people() -> Survey:
    """The questions that are answered from 1 to 5; two of them have the same name."""
    with gzip.open(DATA / "ratings" / "young_people_survey.csv.gz") as file:
        table = csv.read_csv(file)
    names: list[str] = []
    for name in table.column_names:
        names.append(f"{name} (2)" if name in names else name)
    table = table.rename_columns(names)
    asked = [name for name in names if set(table[name].to_pylist()) <= {1, 2, 3, 4, 5, None}]
    return Survey("survey", table.select(asked), tuple(Column(n, "rating", scale=(1, 5), step=1) for n in asked))


def movielens() -> Survey:
    table = read_table(DATA / "ratings" / "ml-latest-small" / "ratings.csv.gz").select(["userId", "movieId", "rating"])
    stars = Column("rating", "rating", scale=(0.5, 5), step=0.5)
    return Survey("MovieLens", table, (Column("userId", "person"), Column("movieId", "items"), stars), "long")


def sample() -> Survey:
    """The invented survey that ships with tacit."""
    with demo_job("ratings", Path("unused")) as job:
        assert isinstance(job.input.source, Path)
        table = read_table(job.input.source)
    return Survey("sample", table, job.columns)


def _grid(
    survey: Survey, k: int, eps: float, ks: Sequence[int], epsilons: Sequence[float], shares: Sequence[float]
) -> Iterator[Point]:
    """One point for each setting; the default one belongs to all three figures."""
    for method in METHODS:
        default = _measured(survey, method, k, eps)
        for share in shares:
            some = default if share == 1 else _measured(survey.share(share), method, k, eps)
            yield some | {"what": "share", "share": share}
        for other in ks:
            yield (default if other == k else _measured(survey, method, other, eps)) | {"what": "k"}
        for other_eps in epsilons:
            yield (default if other_eps == eps else _measured(survey, method, k, other_eps)) | {"what": "eps"}


def _measured(survey: Survey, method: str, k: int, eps: float) -> Point:
    print(f"{survey.name}: {method}, {survey.people} people, k = {k}, eps = {eps}", file=sys.stderr)
    return measured(
        lambda watch: _release(survey, method, k, eps, watch), data=survey.name, method=method, k=k, eps=eps
    )


def _release(survey: Survey, method: str, k: int, eps: float, watch: Any = lambda message: None) -> Release:
    name, fill = METHODS[method]
    given = Input("a study", layout=survey.layout)
    promise = tacit.KEpsAnonymity(k, eps)
    job = Job(given, survey.columns, promise, Output(DATA), Method(name, 1, {"fill": fill}))
    return make_release(survey.table, job, progress=watch)


def _draws(survey: Survey, method: str, k: int, eps: float, draws: int) -> Point:
    """Naive Bayes, trained on one half of the people and tested on the other, each half anonymized on its own.

    It is tested as in the paper, on the anonymized half, whose ratings above the anonymized middle it has to tell, and
    also on the original half, with the original middle.
    """
    print(f"{survey.name}: {method}, {draws} draws, k = {k}", file=sys.stderr)
    what = {"what": "draws", "data": survey.name, "method": method, "k": k, "eps": eps, "draws": draws}
    found: list[dict[str, float | None]] = []
    for draw in range(draws):
        order = np.random.default_rng(draw).permutation(survey.people)
        halves = [survey.of(half) for half in np.array_split(order, 2)]
        try:
            releases = [_release(half, method, k, eps) for half in halves]
        except tacit.PromiseError as error:
            return {**what, "failed": str(error).splitlines()[0]}
        found.append(_accuracies(releases))
    means = {key: [value for one in found if (value := one[key]) is not None] for key in found[0]}
    return {**what, **{key: float(np.mean(values)) for key, values in means.items() if values}}


def _accuracies(releases: Sequence[Release]) -> dict[str, float | None]:
    names = {name: i for i, name in enumerate(dict.fromkeys(n for one in releases for n in one.before.names))}
    parts = [
        [_renumbered(part, one.before.names, names) for part in before_and_after(one.before, one.recoding)]
        for one in releases
    ]
    (train, train_after), (test, test_after) = parts
    is_training = np.arange(sum(part.indptr.size - 1 for part in (train, test))) < train.indptr.size - 1
    targets = np.argsort(-np.bincount(_together(train, test).issues, minlength=len(names)), kind="stable")[:TARGETS]
    middle = {target: float(np.median(train.numbers[train.issues == target])) for target in targets.tolist()}

    def as_in_paper(*both: Sparse) -> float | None:
        return naive_bayes_accuracy(_together(*both), targets, is_training, len(names))

    return {
        "original": as_in_paper(train, test),
        "anonymized": as_in_paper(train_after, test_after),
        TRIED: accuracy_on_people(train_after, test, middle, len(names)),
        "always the same answer": majority(test, middle),
    }


def accuracy_on_people(train: Sparse, test: Sparse, middle: Mapping[int, float], issues: int) -> float:
    """Naive Bayes about true people: was an issue rated above the middle, which is that of the original?

    `naive_bayes_accuracy` takes the middle of what it learns from. Where that was moved, it answers another question.
    A rating that no training person has tells nothing here; else it would speak for the rarer answer.
    """
    bins = 10
    low, high = min(part.numbers.min() for part in (train, test)), max(part.numbers.max() for part in (train, test))

    def features(part: Sparse) -> np.ndarray:
        level = np.minimum(((part.numbers - low) / max(high - low, 1e-12) * bins).astype(np.int64), bins - 1)
        return part.issues.astype(np.int64) * bins + level

    learned, asked = features(train), features(test)
    is_seen = np.bincount(learned, minlength=issues * bins) > 0
    found = []
    for target, border in middle.items():
        label, rated = _above(train, target, border)
        answer, wanted = _above(test, target, border)
        score = np.zeros(wanted.size)
        for sign, side in ((1.0, True), (-1.0, False)):
            used = (rated & (label == side))[train.people] & (train.issues != target)
            times = np.bincount(learned[used], minlength=issues * bins).reshape(issues, bins)
            chance = np.log((times + 1.0) / (times.sum(axis=1, keepdims=True) + bins)).ravel()
            others = (test.issues != target) & is_seen[asked]
            score += sign * np.bincount(test.people[others], chance[asked[others]], minlength=wanted.size)
            score += sign * np.log((np.count_nonzero(rated & (label == side)) + 1.0) / (rated.sum() + 2.0))
        found.append(float(np.mean((score > 0)[wanted] == answer[wanted])))
    return float(np.mean(found))


def majority(test: Sparse, middle: Mapping[int, float]) -> float:
    """How often the better of the two constant answers is right."""
    shares = [label[rated].mean() for label, rated in (_above(test, *pair) for pair in middle.items())]
    return float(np.mean([max(share, 1 - share) for share in shares]))


def _above(part: Sparse, issue: int, border: float) -> tuple[np.ndarray, np.ndarray]:
    """For each person whether the issue is rated above the border, and whether it is rated at all."""
    at = part.issues == issue
    rating = np.full(part.indptr.size - 1, np.nan)
    rating[part.people[at]] = part.numbers[at]
    return rating > border, ~np.isnan(rating)


def _renumbered(part: Sparse, own: Sequence[str], names: dict[str, int]) -> Sparse:
    number = np.array([names[name] for name in own], np.int64)
    return part._replace(issues=number[part.issues])


def _together(one: Sparse, other: Sparse) -> Sparse:
    indptr = np.concatenate((one.indptr, other.indptr[1:] + one.indptr[-1]))
    return Sparse(indptr, *(np.concatenate((getattr(one, key), getattr(other, key))) for key in ("issues", "numbers")))


def figures(points: Sequence[Point]) -> list[Figure]:
    share, k, eps = (where(points, what=what) for what in ("share", "k", "eps"))
    time, loss = "seconds of the search", "distortion per rating"
    found = [
        Figure("time-share", "Time against the share of people (Fig. 1a)", share, "share", "seconds", "method", "data",
               y_title=time, log_y=True),
        Figure("time-k", f"Time against k, ε = {EPS} (Fig. 1b)", k, "k", "seconds", "method", "data", y_title=time,
               log_y=True),
        Figure("loss-eps", f"Distortion against ε, k = {K} (Fig. 2)", _readable(eps), "eps", "distortion_per_rating",
               "method", "data", x_title="ε", y_title=loss, caption=_beyond(eps)),
        Figure("loss-k", f"Distortion against k, ε = {EPS} (Fig. 2)", _readable(k), "k", "distortion_per_rating",
               "method", "data", y_title=loss, caption=_beyond(k)),
    ]  # fmt: skip
    accuracy = [
        {**point, "learned from": key, "accuracy": point[key], "panel": f"{point['data']}: {point['method']}"}
        for point in where(points, what="draws")
        for key in ACCURACIES if key in point
    ]  # fmt: skip
    how_many = ", ".join(f"{point['data']}: {point['method']}, k = {point['k']}: {point['draws']}" for point in
                         where(points, what="draws"))  # fmt: skip
    found.append(Figure("accuracy", "Accuracy of Naive Bayes (Fig. 3)", accuracy, "k", "accuracy", "learned from",
                        "panel", "bar", y_title="mean accuracy", caption=f"Draws: {how_many}."))  # fmt: skip
    return found


def _beyond(points: Sequence[Point]) -> str:
    """What the pictures of distortion leave out, because it would hide the rest."""
    out = [point for point in points if point not in _readable(points)]
    if not out:
        return ""
    return (
        "*hamming, filled* on MovieLens is left out of the picture: it distorts by "
        f"{min(p['distortion_per_rating'] for p in out):.0f} to {max(p['distortion_per_rating'] for p in out):.0f} a "
        f"rating, for it invents up to {max(p['filled'] for p in out):,} ratings."
    )


def _readable(points: Sequence[Point]) -> list[Point]:
    return [p for p in points if (p["data"], p["method"]) != ("MovieLens", "hamming, filled")]


def claims(points: Sequence[Point]) -> list[Claim]:
    share, k, eps = (where(points, what=what) for what in ("share", "k", "eps"))
    keys = ("data", "method")
    literal = [point for point in k if point["method"].startswith("hamming")]

    def loss(some: Sequence[Point], x: str) -> list[list[float]]:
        return curves(some, keys, x, "distortion")

    cases = by_case([*share, *k, *eps], ("what", "data", "share", "k", "eps"), "method", "distortion")
    unfilled = [case["neighbours"] <= case["hamming"] for case in cases if {"neighbours", "hamming"} <= set(case)]
    filled = [case["neighbours, filled"] <= case["hamming, filled"] for case in cases if "hamming, filled" in case]
    free = [point["distortion"] == 0 for point in eps if point["eps"] == max(EPSILONS)]
    return [
        ordering("Time grows with the share of the data.",
                 [curve[-1] > curve[0] for curve in curves(share, keys, "share", "seconds")]),
        _falling_time("Time falls as k grows (the paper's algorithm).", literal),
        ordering("Distortion falls as ε grows.", [_falls(curve) for curve in loss(eps, "eps")]),
        ordering("With ε = 5 nothing has to be changed.", free),
        ordering("Distortion grows with k.", [_falls(curve[::-1]) for curve in loss(k, "k")],
                 f"; in {sum(len(set(curve)) == 1 for curve in loss(k, 'k'))} it stays the same", _same_for_all(k)),
        *_of_accuracy(points),
        ordering("(ours, not of the paper) `neighbours` never distorts more than `hamming`.", [*unfilled, *filled]),
        Claim("The same on Netflix.", "no Netflix data here", CANNOT_SAY),
    ]  # fmt: skip


def _falling_time(paper: str, points: Sequence[Point]) -> Claim:
    """Times too short to be told from chance say nothing."""
    longest = max(point["seconds"] for point in points)
    if longest < MEASURABLE:
        return Claim(paper, f"no search takes more than {longest:.2g} s: too little to compare", CANNOT_SAY)
    return ordering(paper, [curve[-1] < curve[0] for curve in curves(points, ("data", "method"), "k", "seconds")])


def _of_accuracy(points: Sequence[Point]) -> list[Claim]:
    draws = where(points, what="draws")
    survives = [p for p in draws if "anonymized" in p]
    near = [abs(p["anonymized"] - p["original"]) <= CLOSE for p in survives]
    truly = [abs(p[TRIED] - p["original"]) <= CLOSE for p in survives]
    values = [p["anonymized"] for p in survives]
    seen = f"{min(values):.0%} to {max(values):.0%}" if values else "nothing is left to learn from"
    about = all(0.7 <= value <= 0.8 for value in values) if values else None
    paper = "The accuracy of Naive Bayes is about 75 % (here: 70 to 80 %)."
    return [
        Claim(paper, seen, verdict(about), _at_best(survives)),
        ordering(f"It is very close to that of the original (here: within {CLOSE:.0%}).", near,
                 why=_where_not(survives, near)),
        ordering("(not of the paper) The same if the anonymized half is tried on original people.", truly,
                 why=_where_not(survives, truly)),
    ]  # fmt: skip


def _same_for_all(points: Sequence[Point]) -> str:
    """Which methods do not depend on k here."""
    found: dict[tuple[str, str], set[float]] = {}
    for point in points:
        found.setdefault((point["data"], point["method"]), set()).add(point["distortion"])
    tried = Counter((point["data"], point["method"]) for point in points)
    same = [" on ".join(key[::-1]) for key, values in found.items() if len(values) == 1 < tried[key]]
    return f"It does not depend on k at all for {' and '.join(same)}: all small groups end in the same large one."


def _at_best(points: Sequence[Point]) -> str:
    if not points:
        return ""
    original, constant = ([point[key] for point in points] for key in ("original", "always the same answer"))
    return (
        f"On these data the original gives no more than {min(original):.0%} to {max(original):.0%}, and always the "
        f"same answer {min(constant):.0%} to {max(constant):.0%}."
    )


def _where_not(points: Sequence[Point], holds: Sequence[bool]) -> str:
    missed = Counter(
        f"{point['method']} on {point['data']}" for point, is_so in zip(points, holds, strict=True) if not is_so
    )
    named = ", ".join(f"{name} ({count})" for name, count in missed.items())
    return f"The others are: {named}. There most of what is learned from was filled in or blanked." if missed else ""


def _falls(curve: Sequence[float]) -> bool:
    """No step up but for a hundredth of the first value."""
    return curve[-1] < curve[0] and all(b <= a + 0.01 * curve[0] for a, b in pairwise(curve))
