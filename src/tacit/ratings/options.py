"""Options that all methods for ratings have."""

from __future__ import annotations

from tacit.methods import Option, flag

RATINGS = {
    "fill": flag(
        "whether ratings may be invented where only some people of a group rated an issue; otherwise they are blanked",
        False,
    ),
    "duplicates": Option(
        "what to do if a person rated an issue twice: an error, take the last, or take the mean (to a step if any)",
        lambda value: value in ("error", "last", "mean"),
        "one of error, last, mean",
        "error",
        more="A mean halfway between two steps goes up: 3 and 4 make 4; with `step = 0` they make 3.5",
    ),
}
