"""Risk against loss: what a cell leaves to attackers, and which cell is enough."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.commands import tacit
from tacit.compare import enough_for
from tacit.compare.cell import run_cell
from tacit.compare.grid import plan
from tacit.compare.page import comparison_page
from tacit.compare.risk import enough


@pytest.fixture
def job(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    lines = [f"{rng.integers(20, 70)},{rng.integers(0, 9)},{'ab'[rng.integers(0, 2)]}" for _ in range(150)]
    (tmp_path / "in.csv").write_text("\n".join(["age,zip,ill", *lines]) + "\n")
    roles = {"age": "quasi", "zip": "quasi", "ill": "sensitive"}
    columns = "".join(f"[columns.{name}]\nrole = '{role}'\n" for name, role in roles.items())
    (tmp_path / "job.toml").write_text(
        f"[input]\nsource = 'in.csv'\n{columns}[privacy]\nmodel = 'k'\nk = 3\n[output]\ndirectory = 'out'\n"
    )
    return tmp_path / "job.toml"


def _cell(name: str, loss: float | None, upper: float | None, status: str = "done") -> dict[str, Any]:
    risk = {"attack": upper, "attack_upper": upper, "attacker": "x", "average": 0.1, "highest": 1.0}
    return {"cell": name, "method": name, "settings": {}, "status": status, "utility": {"ncp": loss}, "risk": risk}


def test_of_those_below_the_threshold_the_least_loss_is_enough() -> None:
    cells = [_cell("a", 0.1, 0.2), _cell("b", 0.5, 0.05), _cell("c", 0.4, 0.09), _cell("d", 0.0, 0.0, "failed")]
    assert enough(cells, ["ncp"], 0.09) is cells[2]
    assert enough(cells, ["ncp"], 0.2) is cells[0] and enough(cells, ["ncp"], 0.04) is None
    assert enough(cells, ["ncp"], 0.09, higher_is_better=True) is cells[1]
    assert enough([_cell("e", None, 0.01), _cell("f", 0.1, None)], ["ncp"], 0.5) is None


def test_values_and_items_are_both_lost() -> None:
    cells = [_cell("a", 0.02, 0.05), _cell("b", 0.05, 0.05), _cell("c", 0.0, 0.05)]
    for cell, items in zip(cells, (0.6, 0.04, None), strict=True):
        cell["utility"]["ncp_items"] = items
    assert enough(cells, ["ncp", "ncp_items"], 0.09) is cells[1]
    assert enough_for(cells, 0.09) == {"threshold": 0.09, "loss": "ncp + ncp_items", "cell": "b"}
    assert "Enough for a risk of 0.09: b (risk 5.0%," in comparison_page("job.toml", [_whole(cell) for cell in cells])


def _whole(cell: dict[str, Any]) -> dict[str, Any]:
    return {**cell, "model": "k-km", "parameters": {}, "seconds": 1.0, "search_seconds": 1.0, "peak_mib": 1.0}


def test_a_cell_is_attacked_and_more_of_k_leaves_less(job: Path) -> None:
    cells = plan(job, ["mondrian"], ["privacy.k=2,10"], attacks=True)
    two, ten = ({**cell.about(), **run_cell(cell)} for cell in cells)
    assert 0 < ten["risk"]["attack"] <= 1 / 10 < two["risk"]["attack"] <= 1 / 2
    assert two["risk"]["attack"] < two["risk"]["attack_upper"] and two["risk"]["attacker"].startswith(("known", "near"))
    page = comparison_page("job.toml", [two, ten], threshold=0.2)
    assert "Risk against loss" in page and "Enough for a risk of 0.2: mondrian, k = 10" in page
    assert "No cell is enough for a risk of 0.001" in comparison_page("job.toml", [two, ten], threshold=0.001)


def test_with_and_without_attacks_are_two_cells(job: Path) -> None:
    with_them, without = (plan(job, attacks=each)[0] for each in (True, False))
    assert with_them.name != without.name
    assert "risk" not in run_cell(without) and "Risk against loss" not in comparison_page("job.toml", [
        {**without.about(), **run_cell(without)}])  # fmt: skip


@pytest.mark.slow
def test_the_command_tells_which_cell_is_enough(job: Path) -> None:
    words = ("compare", job, "--vary", "privacy.k=2,12", "-o", job.parent / "out", "--workers", 1)
    done = tacit(*words, "--threshold", 0.15)
    assert done.code == 0 and "Enough for a risk of 0.15: " in done.out and "k = 12" in done.out
    again = json.loads(tacit(*words, "--threshold", 0.15, "--json").out)
    chosen = next(cell for cell in again["cells"] if cell["cell"] == again["enough"]["cell"])
    assert chosen["settings"] == {"privacy.k": 12} and again["enough"]["loss"] == "ncp"
    saved = json.loads((job.parent / "out/cells.json").read_text())
    assert saved["enough"] == again["enough"]
    assert "risk.attack_upper" in (job.parent / "out/table.csv").read_text().splitlines()[0]
    assert tacit(*words, "--threshold", -1).code == 2
