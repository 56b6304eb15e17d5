"""The samples that ship with the package: whole, in order, and worth showing to a newcomer."""

from __future__ import annotations

import csv
import gzip
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

import tacit
from tacit.commands.samples import SAMPLES, demo_job
from tacit.errors import InputError
from tacit.flow import anonymize_job
from tacit.io import read_table
from tacit.job import Job
from tacit.promises import KmAnonymity
from tacit.taxonomy import Taxonomy, check_hierarchy, read_hierarchy


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    with demo_job("baskets", tmp_path / "out") as sample:
        yield sample


def baskets_of(job: Job) -> list[list[str]]:
    return [line.split(" ") for line in read_table(Path(job.input.source))["items"].to_pylist()]


def tree_of(job: Job) -> Taxonomy:
    hierarchy = job.columns[0].hierarchy
    assert hierarchy is not None
    return read_hierarchy(hierarchy)


def leaf_names(tree: Taxonomy) -> list[str]:
    return [tree.names[leaf] for leaf in tree.leaves]


def test_the_job_says_what_the_demo_shows(job: Job, tmp_path: Path) -> None:
    assert job.promise == KmAnonymity(k=5, m=2)
    assert (job.method.name, job.method.seed) == ("mhghs", 1)
    assert [(column.name, column.role) for column in job.columns] == [("items", "items")]
    assert job.output.directory == tmp_path / "out"


def test_a_relative_output_is_beside_the_user_not_beside_the_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with demo_job("baskets", Path("here")) as sample:
        assert sample.output.directory == tmp_path / "here"


def test_an_unknown_sample_is_refused_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no sample 'bascets'") as refused, demo_job("bascets", tmp_path):
        pass
    assert refused.value.hint is not None
    assert all(name in refused.value.hint for name in SAMPLES)


def test_the_visits_are_sets_of_leaves(job: Job) -> None:
    baskets = baskets_of(job)
    assert len(baskets) == 8000
    assert all(len(set(basket)) == len(basket) for basket in baskets)
    assert {item for basket in baskets for item in basket} <= set(leaf_names(tree_of(job)))


def test_the_hierarchy_has_no_faults_and_three_levels_above_the_areas(job: Job) -> None:
    hierarchy = job.columns[0].hierarchy
    assert hierarchy is not None
    assert check_hierarchy(hierarchy, {item for basket in baskets_of(job) for item in basket}) == []
    tree = tree_of(job)
    assert tree.notes == ()
    assert tree.names[0] == "any"
    assert {int(depth) for depth in tree.depth[tree.leaves]} == {3}
    groups = [name for name, leaf in zip(tree.names, tree.is_leaf, strict=True) if not leaf]
    assert all(name == name.lower() and not any(map(str.isspace, name)) for name in tree.names)
    assert Counter(int(tree.depth[tree.node(name)]) for name in groups) == {0: 1, 1: 10, 2: 44}


def test_the_leaves_are_the_areas_of_the_source(job: Job, shared_data: Path) -> None:
    with (shared_data / "transactions" / "msweb_items.csv").open(encoding="utf-8") as listed:
        path_of = {row["item"]: row["url"].removeprefix("/") for row in csv.DictReader(listed)}
    with gzip.open(shared_data / "transactions" / "msweb.dat.gz", "rt") as lines:
        users = [frozenset(path_of[item] for item in line.split()) for line in lines]
    assert sorted(leaf_names(tree_of(job))) == sorted(frozenset().union(*users))
    assert Counter(map(frozenset, baskets_of(job))) <= Counter(users)


def test_the_demo_keeps_its_promise_and_says_something(job: Job) -> None:
    release = anonymize_job(job, force=True)
    published = read_table(job.output.directory / "public" / "data.dat")["items"].to_pylist()
    known = Counter(
        itemset
        for basket in published
        for size in (1, 2)
        for itemset in combinations(sorted(set(basket.split())), size)
    )
    assert release.audit.satisfied
    assert len(published) == 8000
    assert min(known.values()) >= 5
    assert release.utility["ncp"] < 0.3
    assert len({item for basket in published for item in basket.split()}) > 10


def test_a_sample_can_be_read_from_a_zipped_package(tmp_path: Path) -> None:
    package = Path(tacit.__file__).parent
    shutil.copytree(package, tmp_path / "content" / "tacit", ignore=shutil.ignore_patterns("__pycache__"))
    archive = shutil.make_archive(str(tmp_path / "tacit"), "zip", tmp_path / "content")
    program = (
        f"import sys; sys.path.insert(0, {archive!r})\n"
        "from pathlib import Path\n"
        "import tacit.commands.samples\n"
        "assert '.zip' in tacit.commands.samples.__file__, tacit.commands.samples.__file__\n"
        "with tacit.commands.samples.demo_job('baskets', Path('out')) as job:\n"
        "    print(Path(job.input.source).stat().st_size, job.columns[0].hierarchy.stat().st_size)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    sample = package / "samples" / "baskets"
    sizes = [(sample / name).stat().st_size for name in ("visits.dat", "areas.csv")]
    assert (run.stderr, run.stdout.split()) == ("", [str(size) for size in sizes])
