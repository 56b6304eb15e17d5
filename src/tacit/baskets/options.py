"""Options that several methods for baskets have, and what they reach."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacit.methods import Option

_LOSS_NAMES = ("lm", "leaf-share", "height", "bits")
LOSS = {
    "loss": Option(
        "the loss that is kept low: lm, leaf-share, height or bits",
        lambda value: value in _LOSS_NAMES,
        f"one of {', '.join(_LOSS_NAMES)}",
        "lm",
        more="[What they mean](methods/hghs.md#loss)",
    ),
    "item_weights": Option(
        "how much each item matters: a table of item = weight, 1 for the others",
        lambda value: (
            isinstance(value, Mapping)
            and all(isinstance(w, int | float) and not isinstance(w, bool) and 0 <= w <= 1000 for w in value.values())
        ),
        "a table of items with weights between 0 and 1000",
        more="`item_weights = { insulin = 10, milk = 0.5 }`",
    ),
}
CONSTRAINTS = {
    "constraints": Option(
        "a TOML file of what an attacker may know, what may be published together, and how much may be left out",
        lambda value: isinstance(value, str | Path) and bool(str(value)),
        "the path of a file",
        is_path=True,
        more="[How it is written](methods/coat.md#the-constraints-file). Left out: anything may be published together",
    )
}


def reach(name: str) -> Any:
    """A function of `tacit.baskets.reach`, imported when it is asked."""

    def told(data: Any, people: int, options: Mapping[str, Any]) -> str:
        from tacit.baskets import reach as functions

        return getattr(functions, name)(data, people, options)

    return told
