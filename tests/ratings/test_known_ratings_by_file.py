"""k^m-anonymity of ratings by its definition, on the files that the command leaves: nothing of the package is asked.

Everybody's true ratings are taken from the input file, up to m at a time, and everybody of the published file is asked
whether they fit. Ranges are read from their text, middles by the list in the public note.
"""

from __future__ import annotations

import csv
import json
import re
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from support.commands import tacit
from support.seeds import each_seed

SCALES = {(1, 5): "1", (0, 1): "1", (0.5, 5): "0.5", (0, 100): "1", (-10, 10): None}
"""By their ends the step of each; None: any value."""
RANGE = re.compile(r"\[(-?[\d.]+):(-?[\d.]+)\]")
LISTED = re.compile(r"^- (.*): (`.*`)\.$")

Span = tuple[Decimal, Decimal]
Ratings = dict[str, dict[str, str]]
"""Of each person the text of each rating, by issue."""
Shown = list[dict[str, Span]]


class Log(NamedTuple):
    """A log of few people, and what its job says."""

    people: Ratings
    issues: list[str]
    sensitive: list[str]
    scale: tuple[float, float]
    k: int
    m: str
    shown: str
    is_long: bool

    @property
    def step(self) -> Decimal | None:
        return None if SCALES[self.scale] is None else Decimal(str(SCALES[self.scale]))

    @property
    def most(self) -> int:
        rated = [sum(issue not in self.sensitive for issue in own) for own in self.people.values()]
        return max(rated, default=0) if self.m == '"inf"' else int(self.m)


def drawn(seed: int) -> Log:
    rng = np.random.default_rng(seed)
    scale = list(SCALES)[int(rng.integers(len(SCALES)))]
    issues = [f"i{at}" for at in range(int(rng.integers(2, 6)))]
    chance = rng.uniform(0.3, 1, len(issues))
    taste = rng.choice([1.0, 3.0, 9.0])
    people: Ratings = {f"p{at}": {} for at in range(int(rng.integers(8, 45)))}
    for own in people.values():
        for issue in (each for each, share in zip(issues, chance, strict=True) if rng.random() < share):
            own[issue] = text_of(scale, float(rng.beta(taste, 1.5)))
    own = people["p0"]
    own.update({issue: text_of(scale, 0.5) for issue in issues})  # somebody rated all
    sensitive = [issues[-1]] if len(issues) > 2 and rng.random() < 0.3 else []
    m = str(rng.choice(["1", "2", "2", "3", '"inf"'])) if len(issues) - len(sensitive) > 2 else "2"
    k, shown, is_long = int(rng.integers(2, 5)), str(rng.choice(["range", "middle"])), bool(rng.random() < 0.5)
    return Log(people, issues, sensitive, scale, k, m, shown, is_long)


def text_of(scale: tuple[float, float], share: float) -> str:
    """A rating so far up the scale, as people write it."""
    low, high = (Decimal(str(end)) for end in scale)
    if SCALES[scale] is None:
        return str((low + (high - low) * Decimal(share)).quantize(Decimal("0.01")))
    step = Decimal(str(SCALES[scale]))
    return str(low + step * round((high - low) / step * Decimal(share)))


def write(log: Log, folder: Path) -> Path:
    """The input and the job."""
    with (folder / "in.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        if log.is_long:
            rows = [[who, issue, text] for who, own in log.people.items() for issue, text in own.items()]
            writer.writerows([["who", "issue", "rating"], *rows])
        else:
            rows = [[own.get(issue, "") for issue in log.issues] for own in log.people.values()]
            writer.writerows([log.issues, *rows])
    rating = f'role = "rating"\nscale = [{log.scale[0]}, {log.scale[1]}]\nstep = {SCALES[log.scale] or 0}\n'
    hidden = "sensitive = true\n"
    columns = (
        f'[columns.who]\nrole = "person"\n[columns.issue]\nrole = "items"\nsensitive = {json.dumps(log.sensitive)}\n'
        f"[columns.rating]\n{rating}"
        if log.is_long
        else "".join(f"[columns.{each}]\n{rating}{hidden if each in log.sensitive else ''}" for each in log.issues)
    )
    layout = 'layout = "long"\n' if log.is_long else ""
    job = f'[input]\nsource = "in.csv"\n{layout}{columns}[privacy]\nmodel = "rating-km"\nk = {log.k}\nm = {log.m}\n'
    (folder / "job.toml").write_text(f'{job}[method]\nshown = "{log.shown}"\nseed = 1\n', encoding="utf-8")
    return folder / "job.toml"


def published(log: Log, file: Path) -> list[dict[str, str]]:
    """Of everybody in a published file the text of each rating."""
    with file.open(encoding="utf-8", newline="") as opened:
        rows = [*csv.DictReader(opened)]
    if not log.is_long:
        return [{name: text for name, text in row.items() if text} for row in rows]
    found: dict[int, dict[str, str]] = {int(row["who"]): {} for row in rows}
    for row in rows:
        if row["issue"]:
            found[int(row["who"])][row["issue"]] = row["rating"]
    return [found[who] for who in sorted(found)]


def spans_of(log: Log, texts: list[dict[str, str]], note: str) -> Shown:
    """The same as ranges: as they are written, or as the note lists middles."""
    middles: dict[tuple[str, Decimal], Span] = {}
    for line in filter(None, map(LISTED.match, note.splitlines())):
        for name in re.findall("`([^`]+)`", line[2]):
            for middle, low, high in re.findall(r"(-?[\d.]+) is \[(-?[\d.]+):(-?[\d.]+)\]", line[1]):
                middles[name, Decimal(middle)] = (Decimal(low), Decimal(high))

    def span(name: str, text: str) -> Span:
        ends = RANGE.fullmatch(text)
        if ends:
            assert log.shown == "range" and name not in log.sensitive
            return Decimal(ends[1]), Decimal(ends[2])
        number = Decimal(text)
        return middles.get((name, number), (number, number)) if name not in log.sensitive else (number, number)

    return [{name: span(name, text) for name, text in own.items()} for own in texts]


def fewest(log: Log, shown: Shown) -> int:
    """The fewest who fit up to m true ratings of somebody, by the definition."""

    def fitting(issue: str, value: Decimal) -> set[int]:
        covering = {at for at, own in enumerate(shown) if issue in own and own[issue][0] <= value <= own[issue][1]}
        return covering or {at for at, own in enumerate(shown) if issue not in own}

    least = len(shown)
    for own in log.people.values():
        known = [(issue, Decimal(text)) for issue, text in own.items() if issue not in log.sensitive]
        crowds = [fitting(*each) for each in known]
        for size in range(1, min(log.most, len(crowds)) + 1):
            for chosen in combinations(crowds, size):
                least = min(least, len(set.intersection(*chosen)))
    return least


def check_recoding(log: Log, shown: Shown, originals: list[dict[str, str]]) -> None:
    """Everybody's ratings are in their ranges, equal ones are published alike, and ends lie where scales are cut."""
    low, high = (Decimal(str(end)) for end in log.scale)
    part = log.step or (high - low) / 20
    for issue in log.issues:
        becomes: dict[Decimal, set[Span | None]] = {}
        for own, was in zip(shown, originals, strict=True):
            assert issue in was or issue not in own, "nothing is invented"
            if issue in was:
                becomes.setdefault(Decimal(was[issue]), set()).add(own.get(issue))
        assert all(len(spans) == 1 for spans in becomes.values()), "the same for everybody"
        spans = {next(iter(each)) for each in becomes.values()} - {None}
        for value, (span,) in becomes.items():
            assert span is None or span[0] <= value <= span[1]
            assert span == (value, value) if issue in log.sensitive else True
        for one, other in combinations(sorted(spans), 2):  # type: ignore[type-var]
            assert one[1] < other[0], "ranges do not overlap"  # type: ignore[index]
        for begin, end in spans - {(value, value) for value in becomes}:  # type: ignore[misc]
            assert low <= begin <= end <= high and (begin - low) % part == 0
            past = end + (log.step or Decimal("0.01"))
            assert end == high or (past - low) % part == 0


@each_seed(range(300), fast=4)
def test_whoever_knows_true_ratings_finds_enough_people_in_the_files(tmp_path_factory: Any, seed: int) -> None:
    log, folder = drawn(seed), tmp_path_factory.mktemp("log")
    ended = tacit("anonymize", write(log, folder), "-o", folder / "out", "--no-report", "--no-attack", "--quiet")
    if ended.code == 3:
        assert "blank every rating" in ended.err and not (folder / "out").exists()
        return
    assert ended.code == 0, ended.err
    note = (folder / "out/public/README.md").read_text("utf-8")
    texts = published(log, folder / "out/public/data.csv")
    shown = spans_of(log, texts, note)
    with (folder / "out/private/rows.csv").open(encoding="utf-8", newline="") as file:
        original = [row["original"] for row in csv.DictReader(file)]
    names = original if log.is_long else [f"p{at}" for at in original]
    assert sorted(names) == sorted(who for who, own in log.people.items() if own or not log.is_long)
    check_recoding(log, shown, [log.people[who] for who in names])
    assert fewest(log, shown) >= log.k
    utility = json.loads((folder / "out/private/utility.json").read_text("utf-8"))
    given = sum(issue not in log.sensitive for own in log.people.values() for issue in own)
    kept = sum(issue not in log.sensitive for own in shown for issue in own)
    assert round(utility["kept"] * given) == kept


@each_seed(range(300, 500), fast=3)
def test_the_audit_sees_one_person_less(tmp_path_factory: Any, seed: int) -> None:
    """Of a file that keeps the promise people are taken out, until true ratings tell of too few: it says so by then."""
    log, folder = drawn(seed), tmp_path_factory.mktemp("log")
    if tacit("anonymize", write(log, folder), "-o", folder / "out", "--no-report", "--no-attack", "--quiet").code:
        return
    note, file = (folder / "out/public/README.md").read_text("utf-8"), folder / "out/public/data.csv"
    lines = file.read_text("utf-8").splitlines()
    order = np.random.default_rng(seed).permutation(len(published(log, file))).tolist()
    for gone in range(1, len(order)):
        out = set(order[:gone])
        left = folder / "left.csv"
        kept = [
            line
            for at, line in enumerate(lines[1:])
            if (int(line.partition(",")[0]) - 1 if log.is_long else at) not in out
        ]
        left.write_text("\n".join([lines[0], *kept]) + "\n", encoding="utf-8")
        least = fewest_of_shown(log, spans_of(log, published(log, left), note))
        code = tacit("audit", folder / "out/private/job.toml", left).code
        assert code == (0 if least >= log.k else 1)
        if code:
            return


def fewest_of_shown(log: Log, shown: Shown) -> int:
    """The fewest who fit what somebody of a file may have given: any rating in a range that is shown, and where nothing
    is, any that no published one covers, if there is one."""
    low, high = (Decimal(str(end)) for end in log.scale)
    tick = log.step or Decimal("0.01")
    crowds: dict[tuple[str, Span | None], set[int]] = {}
    for issue in (each for each in log.issues if each not in log.sensitive):
        spans = sorted({own[issue] for own in shown if issue in own})
        reached = low - tick
        is_open = bool(spans)
        if spans and all(begin <= (reached, reached := end)[0] + tick for begin, end in spans):
            is_open = reached < high
        for at, own in enumerate(shown):
            if issue in own or is_open:
                crowds.setdefault((issue, own.get(issue)), set()).add(at)
    least = len(shown)
    for at in range(len(shown)):
        mine = [crowd for crowd in crowds.values() if at in crowd]
        most = len(mine) if log.m == '"inf"' else int(log.m)
        for size in range(1, min(most, len(mine)) + 1):
            least = min([least, *(len(set.intersection(*chosen)) for chosen in combinations(mine, size))])
    return least
