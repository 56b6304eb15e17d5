"""What a comparison runs: which cells, under which promise, and what is refused before any of them runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import JOB, make_shop
from tacit.compare.grid import Cell, plan, shares_in
from tacit.errors import InputError
from tacit.methods import METHODS


def told(cells: list[Cell]) -> list[tuple[str | None, str, dict[str, object]]]:
    return [(cell.job.method.name, cell.job.promise.name, dict(cell.settings)) for cell in cells]


def test_methods_times_values(tmp_path: Path) -> None:
    cells = plan(make_shop(tmp_path), ["best", "mhghs"], ["privacy.k=2,3", 'privacy.m=1,"inf"'])
    assert told(cells) == [
        (method, "km", {"privacy.k": k, "privacy.m": m})
        for method in ("best", "mhghs")
        for k in (2, 3)
        for m in (1, "inf")
    ]
    assert len({cell.name for cell in cells}) == 8


def test_the_jobs_own_method_if_none_is_named(tmp_path: Path) -> None:
    assert [cell.job.method.name for cell in plan(make_shop(tmp_path))] == ["mhghs"]
    assert [cell.job.method.name for cell in plan(make_shop(tmp_path, JOB.replace('name = "mhghs"', "")))] == ["best"]


def test_a_method_of_another_promise_takes_what_it_needs(tmp_path: Path) -> None:
    """LG makes transactional k-anonymity, which has no m: its cells for different m are one."""
    cells = plan(make_shop(tmp_path), ["mhghs", "partition"], ["privacy.k=2,3", "privacy.m=1,2"])
    own = [cell for cell in cells if cell.job.method.name == "partition"]
    assert told(own) == [("partition", "transactional-k", {"privacy.k": k}) for k in (2, 3)]
    assert own[0].job.promise.parameters() == {"k": 2}
    assert len(cells) == 6


def test_an_option_that_some_methods_lack(tmp_path: Path) -> None:
    job = make_shop(tmp_path, JOB.replace("seed = 5", 'seed = 5\nloss = "bits"'))
    for name in ("one.json", "two.json"):
        (tmp_path / name).write_text("{}")
    cells = plan(job, ["pcta", "mhghs"], ["method.constraints=one.json,two.json"])
    assert told(cells) == [
        ("pcta", "km", {"method.constraints": "one.json"}),
        ("pcta", "km", {"method.constraints": "two.json"}),
        ("mhghs", "km", {}),
    ]
    assert [cell.job.method.options.get("loss") for cell in cells] == [
        METHODS["pcta"].options.get("loss") and "bits"
    ] * 2 + ["bits"]


def test_sizes(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    assert [cell.rows for cell in plan(job, vary=["input.rows=4,8"])] == [4, 8]
    assert [cell.share for cell in plan(job, shares=shares_in("0.5,1"))] == [0.5, 1.0]


def test_the_seed_is_fixed(tmp_path: Path) -> None:
    assert [cell.job.method.seed for cell in plan(make_shop(tmp_path))] == [5]
    assert [cell.job.method.seed for cell in plan(make_shop(tmp_path, JOB.replace("seed = 5", "")))] == [0]
    assert [cell.job.method.seed for cell in plan(make_shop(tmp_path), vary=["method.seed=1,2"])] == [1, 2]


def test_values_with_commas(tmp_path: Path) -> None:
    cells = plan(make_shop(tmp_path), vary=['columns.basket.sensitive=["beer","wine"],["tea"]'])
    assert [cell.job.columns_with("items")[0].sensitive_items for cell in cells] == [("beer", "wine"), ("tea",)]


def test_a_cell_is_called_by_what_it_works_on(tmp_path: Path) -> None:
    job = make_shop(tmp_path)

    def name() -> str:
        return plan(job)[0].name

    first = name()
    assert name() == first
    job.write_text(JOB + '\n[output]\ndirectory = "elsewhere"\n')
    assert name() == first, "where a release would go does not matter"
    hierarchy = (tmp_path / "hierarchy.csv").read_text()
    (tmp_path / "hierarchy.csv").write_text(hierarchy.replace("soft drinks", "soft"))
    second = name()
    assert second != first
    (tmp_path / "shop.csv").write_text((tmp_path / "shop.csv").read_text() + "N,milk,T,1\n")
    assert name() not in (first, second)


@pytest.mark.parametrize(
    ("methods", "vary", "shares", "wanted"),
    [
        (["magic"], [], [], "--methods names 'magic', which is not a method tacit knows"),
        (["cahd"], [], [], "method 'cahd' makes 'cahd', which a job for 'km' does not describe"),
        (["cahd"], [], [], "best, partition, suppression, vpa, apriori, coat, hghs, lra, mhghs, pcta."),
        (["rum-bound"], [], [], "method 'rum-bound' makes 'k-km' or 'k-lm', which a job for 'km' does not describe"),
        ([], ["privacy.q=1"], [], "--vary privacy.q=1: privacy.q is not a key of a job file"),
        ([], ["privacy.k=2,0"], [], "--vary privacy.k=0: privacy.k is 0, but it must be a whole number of at least 1"),
        ([], ["privacy.k"], [], "this varies no key"),
        ([], ["privacy.k=2,,3"], [], "this varies no key"),
        ([], ["privacy.k=2", "privacy.k=3"], [], "this key is varied twice"),
        ([], ["privacy.model=km,lm"], [], "this key cannot be varied"),
        ([], ["output.format=csv"], [], "this key cannot be varied"),
        ([], ["method.name=best"], [], "methods are not varied here"),
        ([], ["method.delta=0.1"], [], "no method of mhghs has the option 'delta'"),
        ([], ["method.loss=lm,money"], [], "method.loss is 'money'"),
        ([], ["input.rows=many"], [], "'many' is no number of records"),
        ([], ["input.rows=0"], [], "'0' is no number of records"),
        ([], ["input.rows=4"], [0.5], "the size is given twice"),
        ([], [], [1.5], "1.5 is no share of the data"),
        ([], [], [0.0], "0 is no share of the data"),
        ([], ["columns.basket.hierarchy=none.csv"], [], "none.csv: cannot be read"),
    ],
)
def test_what_is_refused(tmp_path: Path, methods: list[str], vary: list[str], shares: list[float], wanted: str) -> None:
    with pytest.raises(InputError) as refused:
        plan(make_shop(tmp_path), methods, vary, shares)
    assert wanted in str(refused.value)


def test_shares_that_are_no_numbers() -> None:
    assert shares_in(None) == []
    with pytest.raises(InputError, match="holds no shares"):
        shares_in("half")


def test_the_same_letter_is_not_the_same_parameter(tmp_path: Path) -> None:
    """p of coherence counts known items, p of CAHD is a degree of privacy."""
    text = JOB.replace('model = "km"', 'model = "coherence"').replace("m = 2", "h = 0.8\np = 2")
    job = make_shop(
        tmp_path,
        text.replace('"hierarchy.csv"', '"hierarchy.csv"\nsensitive = ["caviar"]').replace("mhghs", "suppression"),
    )
    with pytest.raises(InputError, match="method 'cahd' makes 'cahd'"):
        plan(job, ["cahd"])
