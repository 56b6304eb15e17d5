"""Categories without a hierarchy, however many values they have, are sets to Mondrian and Cluster."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.seeds import first_fast


@pytest.mark.compiled
@pytest.mark.parametrize("method", ["mondrian", "cluster"])
@pytest.mark.parametrize("values", first_fast([2, 62, 63, 20, 31, 40, 200], 3))
def test_a_flat_category_of_so_many_values(method: str, values: int) -> None:
    rng = np.random.default_rng(values)
    table = pa.table(
        {
            "town": [f"t{code}" for code in rng.integers(0, values, 1500)],
            "age": [str(age) for age in rng.integers(20, 80, 1500)],
            "kind": [f"k{code}" for code in rng.integers(0, 35, 1500)],
        }
    )
    release = tacit.anonymize(table, tacit.KAnonymity(5), quasi=["town", "age", "kind"], method=method, seed=1)
    assert release.audit.satisfied
    assert release.utility["ncp"] < 0.6
