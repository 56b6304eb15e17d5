"""What reports and public notes say about ranges of numbers and dates: where they end, and what that tells."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from tacit.job.styles import styled_text
from tacit.values.reading import is_number

if TYPE_CHECKING:
    from tacit.arrays.attributes import Attribute
    from tacit.job import Job


def ends_in_words(attribute: Attribute, written: Callable[[str], str] = str) -> str:
    """Where the ranges of an attribute end, and how its numbers are written."""
    if attribute.grid is None or (width := attribute.grid.width) is None:
        return "ends are values of the original"
    unit = f" day{'s' * (width != 1)}, counted from Monday, 1970-01-05" if has_dates(attribute) else ""
    fine = ", as all values are, so that each is the value of somebody in the range" if attribute.grid.is_fine else ""
    return f"ends are multiples of {written(f'{width:f}')}{unit}{fine}"


def range_semantics(attribute: Attribute, shown: Collection[str], job: Job) -> Iterator[str]:
    """For the public note, in sentences: how ranges are to be read. No raw value."""
    example = example_of_days(attribute, job) if has_dates(attribute) else "[15:25]"
    yield f"a value, or a range such as `{example}` that holds it. Both ends belong to it, so that ranges may touch."
    told = ends_in_words(attribute, lambda number: styled_text(number, attribute.name, job))
    is_told = attribute.grid is None or attribute.grid.width is None or attribute.grid.is_fine
    yield f"{told[0].upper()}{told[1:]}{'' if is_told else ', and nobody need have one of them'}."
    if any(text.startswith(("[≤", "[≥")) for text in shown):
        yield "`[≤b]` is b or less, `[≥a]` is a or more: how far the values go is not told."


def example_of_days(attribute: Attribute, job: Job) -> str:
    """A range of days that is nobody's, as the file has them."""
    return styled_text("[2024-03-04:2024-03-25]", attribute.name, job)


def has_dates(attribute: Attribute) -> bool:
    """Whether the numbers of an attribute are days: their texts are no numbers."""
    return not is_number(attribute.texts[0])
