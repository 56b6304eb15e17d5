"""Attackers: each plays against a release, and measured success stands beside the promised bound.

An attacker takes what a stranger reads in a published file, and nothing of whoever made it. Who was who is for the
judge alone, who counts how often the attacker is right.

For users `tacit.attack` is a function: this package can be called, and does what `tacit.api.attack` does.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fractions import Fraction

    import numpy as np

    from tacit.audits import Original, View


def played(before: Original, after: View, people: np.ndarray, *, bound: Fraction, seed: int) -> dict[str, Any]:
    """What attackers get out of a published view, as utility.json has it; nothing for data that no attack is about.

    `people[i]` is the original record of published record i, `bound` how often the attacker may be right.
    """
    if after.kind_of_data != "ratings":
        return {}
    from tacit.attack.on_ratings import played_on_ratings

    return played_on_ratings(before, after, people, bound=bound, seed=seed)  # type: ignore[arg-type]


class _Callable(ModuleType):
    """A package that is a function, too."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        from importlib import import_module

        return import_module("tacit.api").attack(*args, **named)


sys.modules[__name__].__class__ = _Callable
