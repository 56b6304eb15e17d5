"""Baskets of which more are different than the driver holds: the decision, the measures and the verdict stay."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.seeds import first_fast
from tacit.baskets.solvers import thinning
from tacit.engines import flow, frames, many
from tacit.engines.audits import many as many_audited
from tacit.engines.session import Session
from tacit.engines.verdicts import verdict
from tacit.errors import AuditFailure
from tacit.flow import make_release
from tacit.io.formats import format_named
from tacit.job import Job, read_job
from tacit.recoding import to_json
from tacit.steps.stages import silent

_ITEMS = "abcdefghijkl"
_HIERARCHY = "".join(f"{item};{'x' if item < 'd' else 'y' if item < 'h' else 'z'};*\n" for item in _ITEMS)
_CASES = [(method, shape) for shape in ("list", "text") for method in ("mhghs", "best", "apriori", "hghs", "vpa")]


def _job(folder: Path, seed: int, method: str, shape: str, more: str = "") -> Job:
    draw = np.random.default_rng(seed)
    often = np.linspace(0.02, 0.5, len(_ITEMS))
    baskets = [draw.permutation(np.array(list(_ITEMS))[draw.random(often.size) < often]).tolist() for _ in range(250)]
    column = baskets if shape == "list" else [" ".join(basket) for basket in baskets]
    pq.write_table(pa.table({"basket": column}), folder / "data.parquet")
    (folder / "tree.csv").write_text(_HIERARCHY)
    (folder / "job.toml").write_text(
        '[input]\nsource = "data.parquet"\n[columns.basket]\nrole = "items"\nhierarchy = "tree.csv"\n'
        f'[privacy]\nmodel = "km"\nk = {3 + seed % 5}\nm = {1 + seed % 3}\n'
        f'[method]\nname = "{method}"\nseed = 1\n{more}'
    )
    return read_job(folder / "job.toml")


def _decided(session: Session, job: Job) -> flow.Decided:
    frame, found = frames.read(session, job.input)
    return flow.decide(frame, job, format_named(found.name), {}, bytes(32), silent)


@pytest.fixture
def few_on_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinning, "MANY", 0)
    monkeypatch.setattr(many, "ON_DRIVER", 0)
    monkeypatch.setattr(many_audited, "ON_DRIVER", 0)


@pytest.mark.usefixtures("few_on_the_driver")
@pytest.mark.parametrize("case", first_fast(_CASES), ids="-".join)
def test_the_decision_and_its_cost_are_the_local_ones(sail: Session, tmp_path: Path, case: tuple[str, str]) -> None:
    for seed in range(1, 3):
        job = _job(tmp_path, seed, *case)
        local = make_release(pq.read_table(job.input.source), job)
        release = _decided(sail, job).release
        assert to_json(release.recoding) == to_json(local.recoding)
        assert release.before.items.baskets.weight.size < 250
        assert set(release.utility) == set(local.utility)
        of_drawn_queries = {name for name in local.utility if name.startswith("are")}
        for name, value in local.utility.items():
            if name in of_drawn_queries:  # they are drawn from the baskets in the order in which these come
                continue
            assert release.utility[name] == pytest.approx(value, abs=1e-12), name


@pytest.mark.usefixtures("few_on_the_driver")
def test_sets_of_items_are_looked_for_in_all_baskets(sail: Session, tmp_path: Path) -> None:
    job = _job(tmp_path, 1, "best", "list", 'sets = "related"\n')
    local = make_release(pq.read_table(job.input.source), job)
    release = _decided(sail, job).release
    assert to_json(release.recoding) == to_json(local.recoding)
    assert release.before.items.baskets.records == 250
    assert release.before.of_all is None


@pytest.mark.usefixtures("few_on_the_driver")
@pytest.mark.parametrize("shape", ["list", "text"])
def test_a_release_is_audited_by_counts_and_what_breaks_the_promise_is_not_placed(
    sail: Session, tmp_path: Path, shape: str
) -> None:
    job = _job(tmp_path, 1, "mhghs", shape)
    local = make_release(pq.read_table(job.input.source), job)
    decided = _decided(sail, job)
    release = flow.place(sail, decided, tmp_path / "out", force=False, report=True, progress=silent)
    published = pq.read_table(tmp_path / "out/public/data")
    shown = [Counter(map(str, table["basket"].to_pylist())) for table in (published, local.table)]
    assert shown[0] == shown[1]
    assert release.audit.worst == local.audit.worst
    assert release.audit.facts["empty_baskets"] == local.audit.facts["empty_baskets"]
    cut = decided.release.recoding.columns["basket"]
    asis = {item: item for item in _ITEMS}
    leaky = replace(decided.release.recoding, columns={"basket": replace(cut, becomes=asis, suppressed=())})
    bad = decided._replace(release=replace(decided.release, applied=replace(decided.release.applied, recoding=leaky)))
    with pytest.raises(AuditFailure, match="audit did not pass"):
        flow.place(sail, bad, tmp_path / "no", force=False, report=False, progress=silent)
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
def test_counts_say_of_any_file_what_the_search_says(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    job = _job(tmp_path, seed, "mhghs", "list")
    original = sail.spark.read.parquet(str(tmp_path / "data.parquet"))
    searched, no_problem = verdict(original, job, original)
    monkeypatch.setattr(many_audited, "ON_DRIVER", 0)
    counted, none = verdict(original, job, original)
    assert no_problem == none == []
    for name in ("satisfied", "worst", "violations", "parameters"):
        assert getattr(counted, name) == getattr(searched, name)
    for name in ("records", "empty_baskets", "violation_count", "records_affected"):
        assert counted.facts[name] == searched.facts[name]


def test_a_basket_that_is_not_what_its_original_becomes_is_found(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many_audited, "ON_DRIVER", 0)
    job = _job(tmp_path, 2, "mhghs", "list")
    held = pq.read_table(tmp_path / "data.parquet")["basket"].to_pylist()
    frames_of = []
    for name, baskets in (
        ("same", held), ("less", held[1:]), ("other", [["l", "k", "a"], *held[1:]]),
        ("stray", [["nobody"], *held[1:]]), ("nested", [["x", "l"], *held[1:]]),
    ):  # fmt: skip
        pq.write_table(pa.table({"basket": baskets}), tmp_path / f"{name}.parquet")
        frames_of.append(sail.spark.read.parquet(str(tmp_path / f"{name}.parquet")))
    original = sail.spark.read.parquet(str(tmp_path / "data.parquet"))
    found = [verdict(frame, job, original)[1] for frame in frames_of]
    assert found[0] == []
    assert found[1] == ["249 records are shown out of 250"]
    assert found[2] == ["records that are not what their original becomes: 1"]
    assert "nobody" in found[3][0]
    assert "'x' is shown beside" in found[4][0]
