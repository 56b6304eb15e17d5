"""Cuts: each issue's scale into ranges, the same for everybody, chosen by what is lost for each threat removed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.methods import Method, one_of
from tacit.ratings.options import RATINGS

if TYPE_CHECKING:
    from tacit.promises import RatingKm
    from tacit.ratings.data import Ratings
    from tacit.ratings.ranges import RangeRecoding


def search(
    data: Ratings, promise: RatingKm, *, seed: int, progress: Any, shown: str = "range", **_: Any
) -> RangeRecoding:
    """It has no random step."""
    from tacit.ratings.solvers.ranging import ranged

    return ranged(data, promise, shown)


METHOD = Method(
    "cuts",
    "each issue's scale is cut into ranges, the same for everybody, and what is too rare is blanked",
    {"rating-km": search},
    {
        "shown": one_of(
            ("range", "middle"),
            "how a range of ratings is published",
            "range",
            more="`range` writes `[3:4]`; `middle` writes 3.5, for software that needs numbers, and the public note "
            "lists which middle is which range",
        ),
        "duplicates": RATINGS["duplicates"],
    },
    publishes="ratings as they are or as ranges of their scale, the same for everybody; some not at all; sensitive "
    "ones as they are",
    is_global=True,
    uses_hierarchy=False,
    on_engines=True,
)
