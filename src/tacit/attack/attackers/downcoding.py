"""Labels that are as tight as the method can make them tell what a finer one would have lacked (Cohen 2022)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.attack.base import BEST, INFERENCE, Attacker, Outcome, nothing

if TYPE_CHECKING:
    from tacit.attack.scene import Scene


def play(scene: Scene) -> Iterator[Outcome]:
    from tacit.attack.record_matching import one_code_a_text
    from tacit.attack.records_known import known_columns
    from tacit.attack.refuting import WideLabels
    from tacit.attack.scene import NO_ROWS

    words = "the group and the method, which makes labels no wider than people need"
    if scene.people is None:
        yield nothing(words, NO_ROWS)
        return
    counted: dict[str, _Counts] = defaultdict(_Counts)
    columns = list(zip(*known_columns(scene), strict=True))
    for column, cells in columns:
        codes, texts = one_code_a_text(cells)
        _count(scene, column, codes, WideLabels(column, texts), len(columns), counted)
    for sort, counts in counted.items():
        yield from counts.outcomes(f"{words}: {sort}")
    if not counted:
        yield nothing(words, "no value is published as a range, a set or a node of a hierarchy")


class _Counts:
    """How often guesses at finer values were right, of one sort of labels."""

    def __init__(self) -> None:
        self.by_shares: list[float] = []
        self.by_method: list[float] = []
        self.by_others: list[float] = []
        self.tight: list[tuple[bool, float]] = []

    def outcomes(self, words: str) -> Iterator[Outcome]:
        import numpy as np

        from tacit.attack.scene import tally

        if not self.by_shares:
            return
        baseline = float(np.mean(self.by_shares))
        refuted = float(np.mean([is_tight for is_tight, _ in self.tight]))
        chance = float(np.mean([chance for _, chance in self.tight]))
        facts = {"groups": len(self.tight), "finer_refuted": refuted, "finer_refuted_by_chance": chance}
        yield Outcome(f"{words}; guesses a finer value", tally(np.array(self.by_method)), baseline, facts=facts)
        yield Outcome(
            f"the same, and the values of all others in the group: {words.rpartition(': ')[2]}; guesses a finer value",
            tally(np.array(self.by_others)), baseline, facts=facts,
        )  # fmt: skip


def _count(scene: Scene, column: Any, codes: Any, wide: Any, columns: int, counted: dict[str, _Counts]) -> None:
    """Plays against some people whose value is published as a wide label; label by label, of which one is kept."""
    import numpy as np

    rows = scene.sample(np.flatnonzero(wide.is_wide[codes]), "downcoding", column.name, parts=columns)
    rows = rows[np.argsort(codes[rows], kind="stable")]
    for some in np.split(rows, np.flatnonzero(np.diff(codes[rows])) + 1) if rows.size else ():
        label = wide.label(int(codes[some[0]]))
        if label is not None:
            _count_label(scene, column, label, some, counted[label.sort])


def _count_label(scene: Scene, column: Any, label: Any, rows: Any, counts: _Counts) -> None:
    import numpy as np

    from tacit.attack.records_known import matcher_of
    from tacit.attack.refuting import chance_to_be_right

    matcher, people = matcher_of(scene), scene.people
    assert people is not None
    order, starts = matcher.members
    held: dict[int, Any] = {}
    for row in rows.tolist():
        group = int(matcher.group[row])
        if group not in held:
            members = people[order[starts[group] : starts[group + 1]]]
            parts = label.part_of[column.codes[members]]
            have = np.bincount(parts[parts >= 0], minlength=label.shares.size)
            held[group] = have, members.size
            counts.tight.append((label.is_tight(have), label.by_chance(members.size)))
        have, size = held[group]
        true = int(label.part_of[column.codes[people[row]]])
        if true < 0:
            continue  # published falsely, which another attacker tells
        others = have.copy()
        others[true] -= 1
        counts.by_shares.append(chance_to_be_right(label.shares, true))
        counts.by_method.append(chance_to_be_right(label.given_method(size - 1), true))
        counts.by_others.append(chance_to_be_right(label.given_others(others), true))


ATTACKER = Attacker(
    name="downcoding",
    heading=INFERENCE,
    story="The attacker knows how frequent values are, who is in which group, perhaps the values of all others in it, "
    "and that the method publishes the tightest ranges and sets, and the lowest nodes of hierarchies, that its promise "
    "allows. What would have made a finer label possible is refuted, and of the rest the likeliest is taken for a "
    "person's value: an end of the range, a value of the set, a child of the node.",
    kinds=("records",),
    play=play,
    rule=BEST,
    no_control="no control: it is about who is in a group, and others are in none",
    advice="Give `round` of the column a width that is wider than the step of its values, so that ends of ranges are "
    "nobody's; raise k; use a hierarchy instead of sets.",
    needs="rows",
)
