"""What the exams share: nothing is asked of a release that no exam looks at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package", autouse=True)
def no_random_queries() -> Iterator[None]:
    """What random queries and classifiers find in a release takes longer than to make it of sixty people."""
    found = {"are": 0.0, "count_error": 0.0}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tacit.baskets.measures.queries.measure_queries", lambda *data: dict(found))
        patch.setattr("tacit.records.measures.measure_queries", lambda *data: dict(found))
        patch.setattr("tacit.slices.measures.query_error", lambda *data: found["are"])
        patch.setattr("tacit.slices.measures.accuracies", lambda *data: {})
        yield
