"""What the owner of records is told about their columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.job import read_job
from tacit.records.checks import notes_on_roles
from tacit.records.kind import tells_nothing


@pytest.mark.parametrize(("count", "said"), [(1, "'s0' stays as it is"), (5, "'s0', 's1', 's2' and 2 others stay as")])
def test_one_note_for_all_columns_that_stay_as_they_are(tmp_path: Path, count: int, said: str) -> None:
    sensitive = "".join(f'[columns.s{number}]\nrole = "sensitive"\n' for number in range(count))
    rest = '[input]\nsource = "d.csv"\n[columns.q]\nrole = "quasi"\n[privacy]\nmodel = "k"\nk = 2\n'
    (tmp_path / "job.toml").write_text(rest + sensitive, "utf-8")
    (note,) = notes_on_roles(read_job(tmp_path / "job.toml"))
    assert note.startswith(said)


def test_a_third_of_the_items_is_many() -> None:
    def told(share: float) -> tuple[str, ...]:
        return tells_nothing({"suppressed_by_attribute": {"age": 0.1}, "nothing_told_items": share})

    (said,) = told(1 / 3)
    assert said.startswith("Many items tell nothing any more: 33%")
    assert told(0.333) == ()
