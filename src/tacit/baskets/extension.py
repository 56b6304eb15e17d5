"""What it would take to keep the promise on a new delivery that breaks it: facts for the owner, published nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tacit import audits
from tacit.arrays.sparse import as_sets, keep_where, take_rows
from tacit.audits.result import AuditResult
from tacit.audits.views.baskets import BasketView
from tacit.baskets.data import published_items, with_taxonomies
from tacit.baskets.measures import measure_loss
from tacit.baskets.measures.shown import shown
from tacit.baskets.methods.mhghs import METHOD as MHGHS
from tacit.baskets.recoding import CutRecoding, ItemCut
from tacit.baskets.solvers.hitting import greedy_cover, least_cover
from tacit.errors import PromiseError
from tacit.release import Release
from tacit.taxonomy import Taxonomy
from tacit.taxonomy.nodes import first_few

_SHRINKS = 8
_NAMED = 12

Names = Mapping[str, tuple[str, ...]]
"""Published names by the column that they stand in."""


class Suppression(NamedTuple):
    """The names to leave out of the new delivery as well; earlier ones stay as they are."""

    names: Names
    occurrences: int
    """How often they stand in it."""
    is_least: bool
    """Whether no other names that suffice occur less often."""
    ncp: float
    recoding: CutRecoding

    def to_dict(self) -> dict[str, Any]:
        named = {column: list(names) for column, names in self.names.items()}
        return {"names": named, "occurrences": self.occurrences, "is_least": self.is_least, "ncp": self.ncp}


class Coarsening(NamedTuple):
    """A coarser recoding of all that was audited; what of it is out already would have to be replaced."""

    becomes: Mapping[str, Mapping[str, str | None]]
    """For each column the names that change, and what they become; None if they are suppressed."""
    ncp: float

    def to_dict(self) -> dict[str, Any]:
        return {"becomes": {column: dict(names) for column, names in self.becomes.items()}, "ncp": self.ncp}


@dataclass(frozen=True)
class Extension:
    """The ways there are; None for one that does not lead there. NCP is that of the new delivery."""

    ncp: float
    suppress: Suppression | None
    coarsen: Coarsening | None
    more_baskets: int | None
    """At least so many more baskets are needed that hold what is too rare."""
    holds_together: bool | None
    """Whether the promise holds for the new delivery together with earlier ones; None if that is what was audited."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "ncp": self.ncp,
            "suppress": None if self.suppress is None else self.suppress.to_dict(),
            "coarsen": None if self.coarsen is None else self.coarsen.to_dict(),
            "more_baskets": self.more_baskets,
            "holds_together": self.holds_together,
        }

    def in_words(self, *, named: bool) -> str:
        """The ways as a list; `named`, with the names of what would change, which a release may hide."""
        ways = []
        if self.holds_together:
            ways.append(
                "together with the earlier release the promise holds: add --union if they are about different people "
                "and the same recipient has both"
            )
        if self.suppress is not None:
            least = "the least that suffices; " if self.suppress.is_least else ""
            ways.append(
                f"leave out of this delivery, too, {_told(self.suppress.names, named)}: {self.suppress.occurrences:,} "
                f"occurrences ({least}NCP {self.ncp:.2%} becomes {self.suppress.ncp:.2%}). --extend does that"
            )
        if self.coarsen is not None:
            all_of_them = self.holds_together is None
            ways.append(
                f"recode {'all deliveries' if all_of_them else 'this delivery'} more coarsely: "
                f"{_coarser(self.coarsen.becomes, named)} (NCP of this one becomes {self.coarsen.ncp:.2%})"
                f"{'; what is out already would have to be replaced' if all_of_them else ''}"
            )
        if self.more_baskets is not None:
            more = f"{self.more_baskets:,} more basket{'s' * (self.more_baskets != 1)}"
            ways.append(f"wait for more data: at least {more} with what is too rare")
        ways.append("anonymize the new data afresh with `tacit anonymize`, if it goes to somebody else")
        return "\n".join(["What it would take:", *(f"  - {way}" for way in ways)])


def what_it_takes(release: Release, earlier: Sequence[BasketView], trees: Mapping[str, Taxonomy]) -> Extension:
    """The ways to keep the promise on a release that is recoded as `earlier` ones are and fails its audit.

    `trees` are the hierarchies of the columns as far as they can be had, for the way that generalizes more.
    """
    job, new = release.job, _in_order(release.view, release.original)
    alone = release.published_before is None
    before = () if alone else tuple(earlier)

    def audit(view: BasketView) -> AuditResult:
        return audits.audit(audits.together((*before, view)), job)

    result = audit(new)
    km: Any = job.promise if job.promise.name in MHGHS.makes else None  # what it can make coarser
    rare = [each for each in result.violations if "support" in each]  # others are about columns, not about itemsets
    missing = [km.k - each["support"] for each in rare] if km else []
    return Extension(
        release.utility["ncp"],
        _suppression(release, new, audit),
        _coarsening(release, audits.together((*before, new)), trees, km) if km else None,
        max(missing, default=None),
        audits.audit(audits.together((*earlier, new)), job).satisfied if alone else None,
    )


def with_suppressed(recoding: CutRecoding, names: Names) -> CutRecoding:
    """A recoding that leaves out these names, too."""
    return _renamed(recoding, {column: dict.fromkeys(suppressed) for column, suppressed in names.items()})


def names_to_suppress(new: BasketView, audit: Callable[[BasketView], AuditResult]) -> tuple[set[int], bool] | None:
    """The items of `new` without which it passes, and whether none that suffice are rarer; None if none suffice.

    What breaks the promise is a set of items, and leaving out one of them mends it and breaks nothing else: what is
    left out must meet all such sets. They are collected by audits of ever less, then met as cheaply as can be.
    """
    weight = dict(enumerate(np.bincount(new.items, minlength=len(new.labels)).tolist()))
    broken, suppressed = list[frozenset[int]](), set[int]()
    for shrinks_left in range(_SHRINKS, -1, -1):
        while not (result := audit(_without(new, suppressed))).satisfied:
            found = _itemsets(new, result)
            if not found or any(not each or each & suppressed for each in found):
                return None  # it breaks without the new delivery, or whatever is left out of it
            broken += found
            suppressed |= greedy_cover(found, weight)
        least, is_least = least_cover(broken, weight)
        if sum(weight[item] for item in least) >= sum(weight[item] for item in suppressed):
            return suppressed, is_least
        if shrinks_left:
            suppressed = least
    return suppressed, False


def _suppression(release: Release, new: BasketView, audit: Callable[[BasketView], AuditResult]) -> Suppression | None:
    found = names_to_suppress(new, audit)
    if found is None:
        return None
    suppressed, is_least = found
    if not any(set(_known(new, index)) - suppressed for index in range(len(new.columns))):
        return None  # nothing would be left
    names = _by_column(new, suppressed)
    recoding = with_suppressed(release.recoding, names)
    occurrences = int(np.isin(new.items, sorted(suppressed)).sum())
    ncp = measure_loss(shown(release.before.items, recoding.applied(release.before.items)))["ncp"]
    return Suppression(names, occurrences, is_least, ncp, recoding)


def _coarsening(release: Release, everything: BasketView, trees: Mapping[str, Taxonomy], km: Any) -> Coarsening | None:
    """What the paper's method does with all that is, or would be, published, its names being the leaves."""
    tops = {}
    for index, column in enumerate(everything.columns):
        here = np.flatnonzero(everything.column_of == index).tolist()
        published = {everything.labels[item] for item in here} - set(column.sensitive_items)
        tree = trees.get(column.name)
        names = published | set(_shown(release, column.name))
        if tree is None or not names <= set(tree.names):  # sets of items have no place in the hierarchy
            return None
        tops[column.name] = _top(tree, names)
    try:
        found = MHGHS.makes[km.name](with_taxonomies(published_items(everything), tops), km)
    except PromiseError:
        return None
    changes = {
        column: {name: cut.becomes[name] for name in _shown(release, column) if cut.becomes[name] != name}
        for column, cut in found.columns.items()
    }
    recoding = _renamed(release.recoding, changes)
    if all(name is None for cut in recoding.columns.values() for name in cut.becomes.values()):
        return None
    return Coarsening(changes, measure_loss(shown(release.before.items, recoding.applied(release.before.items)))["ncp"])


def _shown(release: Release, column: str) -> list[str]:
    """The names of a column that can be generalized further."""
    return list(dict.fromkeys(name for name in release.recoding.columns[column].becomes.values() if name is not None))


def _top(tree: Taxonomy, names: set[str]) -> Taxonomy:
    """The part of a hierarchy from its root down to the nodes of these names, which become leaves."""
    kept: list[int] = []
    waiting = [0]
    while waiting:
        node = waiting.pop()
        kept.append(node)
        if tree.names[node] not in names:
            waiting.extend(tree.children(node)[::-1].tolist())
    place = {node: i for i, node in enumerate(kept)}
    return Taxonomy.from_parents([tree.names[i] for i in kept], [place.get(int(tree.parent[i]), -1) for i in kept])


def _renamed(recoding: CutRecoding, changes: Mapping[str, Mapping[str, str | None]]) -> CutRecoding:
    """A recoding after which some published names become others, or nothing."""
    cuts = {}
    for column, cut in recoding.columns.items():
        change = changes.get(column, {})
        becomes = {leaf: name if name is None else change.get(name, name) for leaf, name in cut.becomes.items()}
        suppressed = tuple(name for name, now in change.items() if now is None)
        cuts[column] = ItemCut(becomes, (*cut.suppressed, *suppressed), cut.sensitive)
    return CutRecoding(cuts)


def _itemsets(view: BasketView, result: AuditResult) -> list[frozenset[int]]:
    """What breaks the promise as codes of items; one that the delivery lacks is left out of its set."""
    several = len(view.columns) > 1
    code: dict[str, int] = {}
    for i, (label, column) in enumerate(zip(view.labels, view.column_of.tolist(), strict=True)):
        code.setdefault(f"{view.columns[column].name}: {label}" if several else label, i)
    sets = (violation.get("itemset", ()) for violation in result.violations)
    return [frozenset(code[label] for label in each if label in code) for each in sets]


def _in_order(view: BasketView, original: np.ndarray) -> BasketView:
    """Published baskets in the order of the original ones, their items coded by column and text.

    They are published in random order; ties by the lowest code shall not depend on it.
    """
    labels, column_of = view.labels, view.column_of
    order = sorted(range(len(labels)), key=lambda i: (int(column_of[i]), labels[i]))
    code = np.empty(len(order), np.int32)
    code[order] = np.arange(len(order))
    shuffled = original.size == len(view)  # a long layout lacks what became empty
    rows = np.argsort(original, kind="stable") if shuffled else np.arange(len(view))
    starts, taken = take_rows(view.starts, view.items, rows)
    starts, taken = as_sets(starts, code[taken])
    return replace(view, starts=starts, items=taken, labels=tuple(labels[i] for i in order), column_of=column_of[order])


def _known(view: BasketView, column: int) -> list[int]:
    """The items of a column that occur, and that somebody may know of a person."""
    here = np.intersect1d(np.flatnonzero(view.column_of == column), view.items)
    return here[~view.is_sensitive[here]].tolist()


def _without(view: BasketView, suppressed: Iterable[int]) -> BasketView:
    stays = np.ones(len(view.labels), bool)
    stays[list(suppressed)] = False
    starts, left = keep_where(view.starts, view.items, stays[view.items])
    return replace(view, starts=starts, items=left)


def _by_column(view: BasketView, chosen: Iterable[int]) -> Names:
    """The names of items by their columns."""
    names: dict[str, list[str]] = {}
    for item in sorted(chosen):
        names.setdefault(view.columns[int(view.column_of[item])].name, []).append(view.labels[item])
    return {column: tuple(found) for column, found in names.items()}


def _told(names: Names, named: bool) -> str:
    count = sum(map(len, names.values()))
    return _names(count) + (f" ({first_few(_flat(names), most=_NAMED)})" if named else "")


def _names(count: int) -> str:
    return f"{count:,} name{'s' * (count != 1)}"


def _flat(names: Names) -> list[str]:
    return [f"{column}: {name}" if len(names) > 1 else name for column, some in names.items() for name in some]


def _coarser(becomes: Mapping[str, Mapping[str, str | None]], named: bool) -> str:
    merged = [(name, now) for names in becomes.values() for name, now in names.items() if now is not None]
    suppressed = [name for names in becomes.values() for name, now in names.items() if now is None]
    said = [f"{_names(len(merged))} become {len({now for _, now in merged}):,}"] if merged else []
    said += [f"{_names(len(suppressed))} left out"] if suppressed else []
    shown = [f"{name!r} becomes {now!r}" for name, now in merged[:3] if named]
    return " and ".join(said) + (f" ({', '.join(shown)}{', …' * (len(merged) > 3)})" if shown else "")
