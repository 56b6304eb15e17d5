"""The risk that a cell leaves, and which cell is enough: at most the risk that is tolerated, with the least loss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.attack.result import Attack, Findings

TOLERATED = 0.09
"""What the EMA and Health Canada allow for data that are published."""
_ASIDE = ("composition", "file-order", "leftovers", "predicates", "uniques")
"""Attackers of whom a file is free whatever method made it, or whose guesses are not at somebody's record."""


def risk_of(found: Findings) -> dict[str, Any]:
    """What attackers got out of a release, in a few figures.

    `attack` is the success of the most successful one that the promise is about, or, where it is about none that was
    played, of any that looks for a person's record; `attack_upper` the upper end of its interval.
    """
    from tacit.attack.statistics import wilson

    worst = max(_judged(found), key=lambda each: each.after.success.value, default=None)  # type: ignore[union-attr]
    success = None if worst is None else worst.after.success
    prosecutor = found.risk["prosecutor"]
    return {
        "attack": success and success.value,
        "attack_upper": None if success is None else wilson(success)[1],
        "attacker": None if worst is None else f"{worst.name} ({worst.after.knows})",
        "average": prosecutor["average"],
        "highest": prosecutor["highest"],
    }


def _judged(found: Findings) -> list[Attack]:
    played = [each for each in found.played if each.after.success is not None and each.name not in _ASIDE]
    bound = [each for each in played if each.after.bound is not None]
    return bound or [each for each in played if each.attacker.heading == "singling-out"]


def is_figure(value: Any) -> bool:
    """Whether it is a number that can stand in a table."""
    return value is None or isinstance(value, int | float)


def enough(
    outcomes: Sequence[Mapping[str, Any]], losses: Sequence[str], threshold: float, *, higher_is_better: bool = False
) -> Mapping[str, Any] | None:
    """The cell with the least loss of those whose risk is at most what is tolerated; None if there is none.

    Where there are several losses, as in values and in items of records with baskets, their sum is. Risk is the upper
    end of the interval: chance must not make a cell look safe.
    """
    fit = [
        (-value if higher_is_better else value, risk, place)
        for place, (value, risk) in enumerate(_both(outcomes, losses))
        if value is not None and risk is not None and risk <= threshold
    ]
    return outcomes[min(fit)[2]] if fit else None


def _both(outcomes: Sequence[Mapping[str, Any]], losses: Sequence[str]) -> Iterator[tuple[float | None, float | None]]:
    from tacit.compare.table import measures_of

    for outcome in outcomes:
        measures = measures_of(dict(outcome)) if outcome["status"] == "done" else {}
        lost = [value for loss in losses if (value := measures.get(loss)) is not None]
        yield sum(lost) if losses and len(lost) == len(losses) else None, measures.get("risk.attack_upper")
