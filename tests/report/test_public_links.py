"""What is told everybody of a release says nothing of whose sensitive value is whose.

Figures that compare a release with its original may: with one sensitive item in a file, a share of items that stand in
another record told whether it stands where it belongs, and a person of a pair was found for certain.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import tacit
from support.keys import key_of
from tacit import Cahd, SlicedDiversity
from tacit.report.metadata import write_metadata
from tacit.report.public import public_readme


def told_everybody(release: tacit.Release, folder: Path) -> str:
    """The note and the metadata, without what says which file they are about."""
    data = folder / "data.csv"
    data.write_text("the same bytes, whatever is in the release", encoding="utf-8")
    write_metadata(release, folder, data)
    told = [json.loads((folder / name).read_text("utf-8")) for name in ("croissant.json", "dcat.jsonld")]
    return public_readme(release, data.name) + json.dumps(told, sort_keys=True)


def test_whether_a_sensitive_item_stands_where_it_belongs(tmp_path: Path) -> None:
    frame = pa.table({"items": ["a b", "a b c", "a d", "a d hiv"]})
    made = [
        tacit.anonymize(
            frame, Cahd(p=2), items="items", sensitive_items=["hiv"], separator=" ", seed=1, key=key_of(key)
        )
        for key in range(12)
    ]
    assert {bool(each.utility["moved"]) for each in made} == {True, False}
    assert len({told_everybody(each, tmp_path) for each in made}) == 1


@pytest.mark.parametrize("figure", ["correlation_kept", "are"])
def test_how_the_slices_belong_together(tmp_path: Path, figure: str) -> None:
    frame = pa.table({"age": ["1", "1", "2", "2", "3", "3"], "ill": ["a", "b", "c", "a", "b", "c"]})
    release = tacit.anonymize(frame, SlicedDiversity(2), quasi="age", sensitive="ill", seed=1)
    other = replace(release, utility={**release.utility, figure: release.utility[figure] / 2 + 0.1})
    assert str(other) != str(release), "the owner is told"
    assert told_everybody(other, tmp_path) == told_everybody(release, tmp_path)
