"""k-map and δ-presence: the risk against a reference file of the population, which the attacker may have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.attack.risk.classes import Classes, in_population


def against(classes: Classes, fits: np.ndarray, thresholds: Sequence[float]) -> dict[str, Any]:
    """`fits` has for each class how many people of the reference file it may stand for.

    k-map: the fewest of them. δ-presence: the least and the greatest chance that such a person is in the file.
    """
    known = fits > 0
    present = np.minimum(classes.sizes[known] / fits[known], 1)
    return {
        "k_map": int(fits.min()) if fits.size else 0,
        "delta_presence": [float(present.min(initial=1.0)), float(present.max(initial=0.0))],
        "classes_without_any": int(np.count_nonzero(~known)),
        **in_population(fits, classes, thresholds),
    }
