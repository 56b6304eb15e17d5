"""Whether published ranges end where the job says: on multiples of its width, and within its top and bottom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Context, Decimal

from tacit.audits.truth import few
from tacit.audits.values import ends_of, number_of
from tacit.audits.views.columns import KnownColumn
from tacit.job.model import Column

_DIGITS = Context(prec=1000)


def wrong_ends(column: KnownColumn, labels: Sequence[str]) -> list[str]:
    """What in the published labels of a column is not as its job declares, in sentences."""
    said = column.said
    if said is None or column.numbers is None or not _asks(said):
        return []
    shown = [(label, number) for label in labels for number in _numbers(label)]
    beyond = sorted({label for label, number in shown if _is_beyond(number, said)})
    between = sorted({label for label, number in shown if ends_of(label) and not _is_allowed(number, said)})
    problems = []
    if beyond:
        problems.append(f"shown in {column.name!r}, but beyond its top or bottom ({len(beyond):,}): {few(beyond)}")
    if between:
        problems.append(
            f"ranges in {column.name!r} with an end that is no multiple of {said.round} ({len(between):,}): "
            f"{few(between)}"
        )
    return problems


def _asks(said: Column) -> bool:
    """Whether the job says anything about where ranges end."""
    return any(limit is not None for limit in _limits(said)) or not (said.round is None or isinstance(said.round, str))


def _numbers(label: str) -> Iterator[Decimal]:
    """The number that a label is, or those that a range ends at."""
    for text in ends_of(label) or (label,):
        number = None if text is None else number_of(text)
        if number is not None:
            yield number


def _is_beyond(number: Decimal, said: Column) -> bool:
    bottom, top = _limits(said)
    return (bottom is not None and number < bottom) or (top is not None and number > top)


def _is_allowed(end: Decimal, said: Column) -> bool:
    if said.round is None or isinstance(said.round, str) or end in _limits(said):
        return True
    return _DIGITS.remainder(end, Decimal(str(said.round))) == 0


def _limits(said: Column) -> tuple[Decimal | None, Decimal | None]:
    bottom, top = (None if limit is None else number_of(str(limit)) for limit in (said.bottom, said.top))
    return bottom, top
