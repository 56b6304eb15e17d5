"""The made-up benchmark data have the shape that they are made for."""

from __future__ import annotations

from benchmarks.youtube_like import ITEMS, LONGEST, MEAN_LENGTH, youtube_like


def test_shape_and_seed() -> None:
    table = youtube_like(20_000)
    lengths = [len(text.split()) for text in table["related"].to_pylist()]
    assert abs(sum(lengths) / len(lengths) - MEAN_LENGTH) < 0.3
    assert 20 < max(lengths) <= LONGEST
    assert len({item for text in table["related"].to_pylist() for item in text.split()}) == ITEMS
    assert table.num_columns == 7
    assert table.slice(0, 50).equals(youtube_like(20_000).slice(0, 50))
