"""The order of published rows tells nothing of the original: neither of people, nor inside a person's ratings."""

from __future__ import annotations

import pyarrow as pa

import tacit


def test_ratings_of_a_person_stand_in_the_order_of_the_issues() -> None:
    """Issues are numbered as they appear in the log; in that order, the first person's would come first everywhere."""
    people = {"Anna": "ZCM", "Bob": "AZMC", "Eve": "MCZA"}
    rows = [(who, film, 1 + i) for who, films in people.items() for i, film in enumerate(films)]
    who, film, stars = zip(*rows, strict=True)
    log = pa.table({"who": who, "film": film, "stars": stars})
    release = tacit.anonymize(
        log, tacit.KEpsAnonymity(1, 0), person="who", items="film", rating="stars", scale=(1, 5), step=1
    )
    shown: dict[object, list[str]] = {}
    for person, name in zip(release.data["who"].to_pylist(), release.data["film"].to_pylist(), strict=True):
        shown.setdefault(person, []).append(name)
    assert sorted(map("".join, shown.values())) == ["ACMZ", "ACMZ", "CMZ"]
