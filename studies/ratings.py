"""Sun & Wang's (k, ε)-anonymity of ratings: time, distortion, and what Naive Bayes still learns (its Figs. 1 to 3)."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

import tacit
from studies import naive_bayes
from studies.cells import Setting
from studies.common import (
    CANNOT_SAY,
    DATA,
    Claim,
    Figure,
    Point,
    by_case,
    curves,
    measured,
    ordering,
    span,
    verdict,
    where,
)
from tacit.commands.samples import demo_job
from tacit.flow import make_release
from tacit.io import read_table
from tacit.job import Column, Input, Job, Method, Output
from tacit.kinds import check_reachable, kind_for
from tacit.methods import method_for
from tacit.ratings.applied import Released
from tacit.ratings.data import Ratings
from tacit.ratings.measures import Sparse, before_and_after
from tacit.release import Release
from tacit.shuffle import Shuffle, fresh_key
from tacit.steps.stages import silent

TITLE = "Study: survey and movie ratings (Sun & Wang)"
PAPER = (
    "They used MovieLens with 943 people and the Netflix prize, neither of which may be passed on. Ours are MovieLens "
    "latest-small (610 people, 9,724 movies, half stars) and a true survey (young people, 1,010 of them, 135 questions "
    "from 1 to 5). *hamming* is the algorithm of the paper, *neighbours* ours; *filled* means that ratings may be "
    "invented where only some people of a group rated an issue, instead of blanking the others. The paper does not say "
    "what it does there. Defaults are theirs, k = 40 and ε = 2, and so are the ranges: k from 20 to 60 (here in steps "
    "of 10), shares of the people from 20 % to 100 % (in steps of 20 %), ε up to 5. Times are processor time of the "
    "search. Their 50 training and testing sets had 2,000 records each; ours, 50 as well, have half of the people "
    "each, which is all there are."
)
METHODS: dict[str, tuple[str, bool]] = {
    "hamming": ("hamming", False),
    "hamming, filled": ("hamming", True),
    "neighbours": ("neighbours", False),
    "neighbours, filled": ("neighbours", True),
}
SERIES = tuple(METHODS)
K, EPS = 40, 2
KS, EPSILONS, SHARES = (20, 30, 40, 50, 60), (1, 2, 3, 4, 5), (0.2, 0.4, 0.6, 0.8, 1.0)
DRAWS = 50
SMALL = "sample"
SMALL_K, SMALL_EPS, SMALL_KS, SMALL_EPSILONS, SMALL_SHARES, SMALL_DRAWS = 10, 1, (5, 10, 20), (1, 2, 5), (0.5, 1.0), 3
LIMIT = 600
"""Seconds of processor time that a cell may take; fifty draws are one."""
DRAWN = {"survey": ("hamming, filled", "neighbours"), "MovieLens": ("hamming, filled", "neighbours, filled")}
"""The methods that leave something to learn from: `hamming` alone blanks everything on MovieLens."""
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
        _, code = np.unique(ids, return_inverse=True)
        return replace(self, table=self.table.filter(pa.array(np.isin(code, people))))

    def share(self, share: float) -> Survey:
        """A share of the people, all of them in every larger share."""
        order = np.random.default_rng(2011).permutation(self.people)
        return self.of(order[: round(share * self.people)])


def settings(size: str) -> Iterator[Setting]:
    """Time and distortion against the share of people, k and ε; accuracy over many draws of people."""
    if size == "small":
        yield from _grid(SMALL, SMALL_KS, SMALL_EPSILONS, SMALL_SHARES)
        yield {"data": SMALL, "method": "neighbours", "k": SMALL_K, "eps": SMALL_EPS, "draws": SMALL_DRAWS}
        return
    for data, methods in DRAWN.items():
        yield from _grid(data, KS, EPSILONS, SHARES)
        yield from ({"data": data, "method": method, "k": k, "eps": EPS, "draws": DRAWS}
                    for method in methods for k in KS)  # fmt: skip


def _grid(data: str, ks: Sequence[int], epsilons: Sequence[float], shares: Sequence[float]) -> Iterator[Setting]:
    """Settings that differ from the default one in one respect."""
    k, eps = _defaults(data)
    tried = [(k, eps, share) for share in shares]
    tried += [(other, eps, 1.0) for other in ks if other != k]
    tried += [(k, other, 1.0) for other in epsilons if other != eps]
    for method in METHODS:
        yield from ({"data": data, "method": method, "k": k, "eps": eps, "share": share} for k, eps, share in tried)


def _defaults(data: str) -> tuple[int, float]:
    return (SMALL_K, SMALL_EPS) if data == SMALL else (K, EPS)


def measure(
    data: str, method: str, k: int, eps: float, share: float | None = None, draws: int | None = None
) -> list[Point]:
    """The point of a setting, once for every figure that it belongs to."""
    if draws is not None:
        return [_draws(data, method, k, eps, draws)]
    assert share is not None
    survey = load(data)
    _warm_up(data, method)
    some = survey if share == 1 else survey.share(share)
    point = measured(lambda watch: release(some, method, k, eps, watch), data=data, method=method, k=k, eps=eps,
                     share=share)  # fmt: skip
    is_default = {"k": k == _defaults(data)[0], "eps": eps == _defaults(data)[1], "share": share == 1}
    return [point | {"what": what} for what in is_default
            if all(usual for key, usual in is_default.items() if key != what)]  # fmt: skip


@cache
def load(data: str) -> Survey:
    return {"survey": young_people, "MovieLens": movielens, SMALL: sample}[data]()


@cache
def _warm_up(data: str, method: str) -> None:
    """Compiled code is loaded before anything is timed."""
    if data != SMALL:
        measured(lambda watch: release(load(data).share(0.2), method, K, EPS, watch))


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


def _job(survey: Survey, method: str, k: int, eps: float) -> Job:
    name, fill = METHODS[method]
    given = Input("a study", layout=survey.layout)
    return Job(given, survey.columns, tacit.KEpsAnonymity(k, eps), Output(DATA), Method(name, 1, {"fill": fill}))


def release(survey: Survey, method: str, k: int, eps: float, watch: Any = silent) -> Release:
    return make_release(survey.table, _job(survey, method, k, eps), progress=watch)


def _draws(data: str, method: str, k: int, eps: float, draws: int) -> Point:
    """Naive Bayes, trained on one half of the people and tested on the other, each half anonymized on its own.

    It is tested as in the paper, on the anonymized half, whose ratings above the anonymized middle it has to tell, and
    also on the original half, with the original middle.
    """
    what = {"what": "draws", "data": data, "method": method, "k": k, "eps": eps, "draws": draws}
    found: list[dict[str, float | None]] = []
    for draw in range(draws):
        halves = drawn_halves(data, draw, eps)
        try:
            released = [decided(half, load(data), method, k, eps) for half in halves]
        except tacit.PromiseError as error:
            return {**what, "failed": str(error).splitlines()[0]}
        found.append(_accuracies(halves, released))
    means = {key: [value for one in found if (value := one[key]) is not None] for key in found[0]}
    return {**what, **{key: float(np.mean(values)) for key, values in means.items() if values}}


@cache
def drawn_halves(data: str, draw: int, eps: float) -> tuple[Ratings, ...]:
    """The people of a draw, half and half, as a search sees them; the same for every method and k."""
    survey = load(data)
    order = np.random.default_rng(draw).permutation(survey.people)
    job = _job(survey, "hamming", 1, eps)
    encode = kind_for(job.promise).encode
    return tuple(encode(survey.of(half).table, job, {}, None).data for half in np.array_split(order, 2))


def decided(half: Ratings, survey: Survey, method: str, k: int, eps: float) -> Released:
    """What `make_release` decides, without the table and the measures of a release, which are not looked at here."""
    job = _job(survey, method, k, eps)
    kind, method_used = kind_for(job.promise), method_for(job.promise.name, job.method.name)
    check_reachable(half, job)
    recoding = method_used.search(job.promise)(
        half, job.promise, seed=1, hidden=Shuffle.keyed(fresh_key()), progress=silent, **job.method.options
    )
    released: Released = kind.apply(half, recoding)
    kind.judge(half, released, method_used.name)
    return released


def _accuracies(halves: Sequence[Ratings], released: Sequence[Released]) -> dict[str, float | None]:
    names = {name: i for i, name in enumerate(dict.fromkeys(name for half in halves for name in half.names))}
    (train, train_after), (test, test_after) = (
        [_recoded(part, half.names, names) for part in before_and_after(half, after)]
        for half, after in zip(halves, released, strict=True)
    )
    raters = np.bincount(np.concatenate((train.issues, test.issues)), minlength=len(names))
    targets = np.argsort(-raters, kind="stable")[:TARGETS]
    border = naive_bayes.borders(naive_bayes.ratings_of(train, targets))
    return {
        "original": naive_bayes.accuracy_as_published(train, test, targets, len(names)),
        "anonymized": naive_bayes.accuracy_as_published(train_after, test_after, targets, len(names)),
        TRIED: naive_bayes.accuracy_on_people(train_after, test, targets, border, len(names)),
        "always the same answer": naive_bayes.majority(test, targets, border),
    }


def _recoded(part: Sparse, own: Sequence[str], names: dict[str, int]) -> Sparse:
    code = np.array([names[name] for name in own], np.int64)
    return part._replace(issues=code[part.issues])


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
    found.append(Figure("accuracy", "Accuracy of Naive Bayes (Fig. 3)", accuracy, "k", "accuracy", "learned from",
                        "panel", "bar", y_title="mean accuracy", caption=_draws_told(points)))  # fmt: skip
    return found


def _draws_told(points: Sequence[Point]) -> str:
    """In one sentence how many draws a bar is the mean of."""
    counts = sorted({point["draws"] for point in where(points, what="draws")})
    return f"Each bar is the mean of {' or '.join(map(str, counts))} draws." if counts else ""


def _beyond(points: Sequence[Point]) -> str:
    """What the pictures of distortion leave out, because it would hide the rest."""
    out = [point for point in points if point not in _readable(points)]
    if not out:
        return ""
    return (
        "*hamming, filled* on MovieLens is left out of the picture: it distorts by "
        f"{span([p['distortion_per_rating'] for p in out], '.0f')} a rating, for it invents "
        f"up to {max(p['filled'] for p in out):,} ratings."
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
    both = [case for case in cases if {"neighbours, filled", "hamming, filled"} <= set(case)]
    filled = [case["neighbours, filled"] <= case["hamming, filled"] for case in both]
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
    seen = span(values, ".0%") if values else "nothing is left to learn from"
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
        f"On these data the original gives no more than {span(original, '.0%')}, and always the same answer "
        f"{span(constant, '.0%')}."
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
