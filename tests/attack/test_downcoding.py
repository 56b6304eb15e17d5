"""What is refuted if a method makes labels no wider, and cuts no higher, than its promise needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from attack.cases import played
from tacit import KAnonymity, KmAnonymity
from tacit.attack.finer_cuts import FinerCuts
from tacit.attack.refuting import NODES, RANGES, Label
from tacit.taxonomy import Taxonomy


def _towns(tmp_path: Path) -> dict[str, Any]:
    """Eight towns, two in each quarter, two quarters in each half."""
    (tmp_path / "town.csv").write_text("".join(f"t{i},q{i // 2},h{i // 4},all\n" for i in range(8)))
    return {"quasi": "town", "hierarchy": {"town": tmp_path / "town.csv"}}


def test_the_lowest_node_tells_where_somebody_is_if_all_others_are_known(tmp_path: Path) -> None:
    """Three of quarter q0 and one of q1 are published as h0: who knows the three knows where the fourth is."""
    table = pa.table({"town": ["t0", "t0", "t1", "t2", *(f"t{i % 8}" for i in range(400))]})
    shown = pa.table({"town": ["h0"] * 4 + [f"t{i % 8}" for i in range(400)]})
    roles = _towns(tmp_path)
    alone, informed = played("downcoding", table, shown, KAnonymity(k=2), rows=np.arange(404), **roles)
    assert alone["facts"]["finer_refuted"] == 1 and alone["facts"]["finer_refuted_by_chance"] < 0.9
    assert alone["success"] == alone["baseline"] == 0.75  # q0 is a little more frequent, and is taken for all
    assert informed["success"] == 1.0  # of the three it is not refuted, and likelier


def test_a_node_that_is_higher_than_needed_misleads(tmp_path: Path) -> None:
    table = pa.table({"town": [f"t{i % 8}" for i in range(160)]})
    loose = pa.table({"town": ["all" if i in (0, 8) else f"t{i % 8}" for i in range(160)]})
    roles = _towns(tmp_path)
    for found in played("downcoding", table, loose, KAnonymity(k=2), rows=np.arange(160), **roles):
        assert found["facts"]["finer_refuted"] == 0 and found["success"] <= found["baseline"]


def test_a_set_tells_who_has_the_value_that_all_others_lack() -> None:
    towns = ["a", "b", "b", "b", *("a" * 50), *("b" * 50), *("c" * 50)]
    shown = ["(a,b)"] * 4 + towns[4:]
    found = played(
        "downcoding", pa.table({"town": towns}), pa.table({"town": shown}), KAnonymity(k=2), quasi="town",
        rows=np.arange(len(towns)),
    )  # fmt: skip
    assert [each["facts"]["groups"] for each in found] == [1, 1]
    assert found[1]["success"] == 1.0 and found[1]["baseline"] == 0.75


def test_chances_are_those_of_counting() -> None:
    """How likely others make up for the rest, against drawing them a hundred thousand times."""
    shares = np.array([0.1, 0.3, 0.4, 0.2])
    drawn = np.random.default_rng(1).choice(4, (100_000, 3), p=shares)
    for needed, sort in (((0, 3), RANGES), ((0, 1, 2), "sets"), (None, NODES)):
        label = Label(sort, np.arange(4), shares, needed)
        weights = label.given_method(3)
        for part in range(4):
            groups = [np.bincount([*each, part], minlength=4) for each in drawn[:4000]]
            seen = np.mean([label.is_tight(group) for group in groups])
            assert abs(weights[part] / shares[part] - seen) < 0.03
        assert abs(label.by_chance(3) - np.mean([label.is_tight(np.bincount(e, minlength=4)) for e in drawn])) < 0.01


def test_a_cut_that_hangs_on_one_person_gives_the_item_away(tmp_path: Path) -> None:
    """Were the one a to be a b, no name of the cut would be rare; so it is an a, rare as it is."""
    table = pa.table({"basket": [["a", "x"], *([["b", "x"]] * 5)]})
    (tmp_path / "tree.csv").write_text("a;n;*\nb;n;*\nx;x1;*\n")
    roles = {"items": "basket", "hierarchy": {"basket": tmp_path / "tree.csv"}, "rows": np.arange(6)}
    published = pa.table({"basket": [["n", "x"]] * 6})
    found = played("downcoded-cuts", table, published, KmAnonymity(k=2, m=2), **roles)
    assert found[0]["facts"] == {"names": 1, "finer_refuted": 1.0}
    assert found[0]["success"] == 1.0 and round(found[0]["baseline"], 3) == 0.833
    needless = played("downcoded-cuts", table, published, KmAnonymity(k=1, m=2), **roles)
    assert needless[0]["facts"]["finer_refuted"] == 0.0 and needless[0]["success"] == needless[0]["baseline"]


def test_what_no_single_person_decides_is_not_audited_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against asking the audit in every world, on random baskets."""
    short = [_on_random_baskets(seed) for seed in range(6)]
    monkeypatch.setattr(FinerCuts, "is_up_to_others", lambda self, name, row: False)
    long = [_on_random_baskets(seed) for seed in range(6)]
    assert [each[0]["success"] for each in short] == [each[0]["success"] for each in long]
    assert any(each[0]["success"] != each[0]["baseline"] for each in short), "some item is given away"


def _on_random_baskets(seed: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    tree = Taxonomy.from_paths([(f"{g}{i}", g, "*") for g in "pqr" for i in range(3)])
    baskets = [[f"{g}{rng.integers(3)}" for g in "pqr" if rng.random() < 0.6] for _ in range(14)]
    shown = [[item[0] for item in basket] for basket in baskets]
    return played(
        "downcoded-cuts", pa.table({"basket": baskets}), pa.table({"basket": shown}), KmAnonymity(k=2, m=2),
        items="basket", hierarchy={"basket": tree}, rows=np.arange(14),
    )  # fmt: skip
