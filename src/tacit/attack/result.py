"""What attackers and risk figures came to, as frozen data: the content of attack.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tacit.attack.base import HEADINGS, Attacker, Outcome
from tacit.attack.statistics import LEVEL, bonferroni, newcombe, residual, wilson

if TYPE_CHECKING:
    import numpy as np

VERSION = 1


@dataclass(frozen=True)
class Attack:
    """An attacker with some knowledge, against the release and, if that is known, against the original."""

    attacker: Attacker
    after: Outcome
    before: Outcome | None = None

    @property
    def name(self) -> str:
        return self.attacker.name

    def is_above(self, level: float) -> bool:
        """Whether it is right more often than the promise allows, for certain at this level."""
        success, bound = self.after.success, self.after.bound
        return success is not None and bound is not None and wilson(success, level)[0] > float(bound) + 1e-9

    def to_dict(self) -> dict[str, Any]:
        success, control = self.after.success, self.after.control
        value, held = success and success.value, control and control.value
        told: dict[str, Any] = {
            "name": self.name,
            "heading": self.attacker.heading,
            "knows": self.after.knows,
            "success": value,
            "interval": list(wilson(success)) if success else None,
            "baseline": self.after.baseline,
            "control": held,
            "residual": residual(value, held) if value is not None and held is not None else None,
            "bound": None if self.after.bound is None else float(self.after.bound),
            "tried": success.tried if success else 0,
            "why": self.after.why or self.after.no_control or None,
            "rule": self.attacker.rule,
            "story": self.attacker.story,
            "advice": self.attacker.advice,
            "facts": dict(self.after.facts),
        }
        if success and control:
            told["over_control"] = list(newcombe(success, control))
        if self.before is not None:
            was = self.before.success
            told["before"] = {
                "success": was and was.value,
                "interval": list(wilson(was)) if was else None,
                "why": self.before.why or None,
            }
            if was and success:
                told["before"]["less"] = list(newcombe(was, success))
        return told


@dataclass(frozen=True, eq=False)
class Findings(Mapping[str, Any]):
    """All that was found: risk figures of what is published and of the original, and the attacks.

    It is a mapping with the keys of attack.json.
    """

    risk: Mapping[str, Any]
    before: Mapping[str, Any] | None
    played: tuple[Attack, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Attackers that were not played, with the reason."""
    seed: int = 0
    not_understood: Mapping[str, int] = field(default_factory=dict)
    """Of a file that another program made: how many different values of each column nobody could read."""

    def with_witnesses(self, called: np.ndarray) -> Findings:
        """The same with witnesses as their owner calls people: `called` says it of each person of the original."""

        def named(each: Attack) -> Attack:
            found = each.after.witnesses
            return each if found is None else replace(each, after=replace(each.after, witnesses=called[found]))

        return replace(self, played=tuple(map(named, self.played)))

    @property
    def level(self) -> float:
        """At which each attack is judged, so that the verdict on all of them is right at 95 %."""
        return bonferroni(sum(each.after.bound is not None and each.after.success is not None for each in self.played))

    def above(self) -> tuple[Attack, ...]:
        """The attacks that are right more often than the promise allows."""
        return tuple(each for each in self.played if each.is_above(self.level))

    def under(self, heading: str) -> tuple[Attack, ...]:
        return tuple(each for each in self.played if each.attacker.heading == heading)

    def worst(self, heading: str) -> Attack | None:
        """The attack of a heading that is right most often."""
        played = [each for each in self.under(heading) if each.after.success is not None]
        return max(played, key=lambda each: each.after.success.value, default=None)  # type: ignore[union-attr]

    def to_dict(self) -> dict[str, Any]:
        above = self.above()
        return {
            "version": VERSION,
            "risk": dict(self.risk),
            "before": None if self.before is None else dict(self.before),
            "attacks": [each.to_dict() for each in self.played],
            "not_played": dict(self.left_out),
            "not_understood": dict(self.not_understood),
            "verdict": {
                "within_bounds": not above,
                "above_bound": [{"name": each.name, "knows": each.after.knows} for each in above],
                "level": LEVEL,
                "level_each": self.level,
            },
            "seed": self.seed,
        }

    @cached_property
    def _content(self) -> dict[str, Any]:
        return self.to_dict()

    def __getitem__(self, key: str) -> Any:
        return self._content[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    def __repr__(self) -> str:
        return f"Findings({len(self.played)} attacks, {len(self.above())} above what is promised)"

    def __str__(self) -> str:
        return "\n".join(in_lines(self))


def in_lines(found: Findings) -> Sequence[str]:
    """What was found, for people at a terminal."""
    risk = found.risk
    lines = [
        f"records: {risk['records']:,}, classes: {risk['classes']:,}, unique: {risk['uniques']:,}; "
        f"prosecutor risk: highest {risk['prosecutor']['highest']:.3g}, average {risk['prosecutor']['average']:.3g}"
    ]
    for heading in HEADINGS:
        some = found.under(heading)
        if some:
            lines.append(f"\n{heading}")
        lines += [f"  {_line(each)}" for each in some]
    if found.left_out:
        lines += ["", "not played:", *(f"  {name}: {why}" for name, why in found.left_out.items())]
    above = found.above()
    lines.append("")
    for name, count in found.not_understood.items():
        lines.append(
            f"TOO LOW, by column {name!r}: some values ({count:,} different) are neither in the data nor in its "
            "hierarchy, and no range or set. Who understands them is right more often: give the column a hierarchy "
            "that has them."
        )
    if above:
        lines.append("ABOVE what the promise allows: " + "; ".join(f"{a.name} ({a.after.knows})" for a in above))
        lines += [f"  {a.name}: {a.attacker.advice}" for a in {each.name: each for each in above}.values()]
    elif any(each.after.bound is not None for each in found.played):
        lines.append("No attack that the promise is about is right more often than it allows.")
    return lines


def _line(each: Attack) -> str:
    outcome = each.after
    if outcome.success is None:
        return f"{each.name} ({outcome.knows}): not known: {outcome.why}"
    low, high = wilson(outcome.success)
    parts = [f"{outcome.success.value:.1%} [{low:.1%}, {high:.1%}]"]
    if each.before is not None and each.before.success is not None:
        parts.append(f"before {each.before.success.value:.1%}")
    if outcome.baseline is not None:
        parts.append(f"baseline {outcome.baseline:.2%}")
    if outcome.control is not None:
        parts.append(f"control {outcome.control.value:.1%}")
    if outcome.bound is not None:
        parts.append(f"bound {float(outcome.bound):.1%}")
    return f"{each.name} ({outcome.knows}): {', '.join(parts)}"
