"""All or nothing: whatever goes wrong on the way, nothing is published that was not audited as it lies there."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from support.commands import files_below, make_shop, read_csv, tacit
from tacit import flow
from tacit.baskets import kind as baskets
from tacit.baskets.recoding import CutRecoding, ItemCut
from tacit.methods import METHODS, Method

KILLED_WHILE_AUDITING = """
import os, signal, sys
from tacit import cli, flow
flow.checked = lambda *arguments, **options: os.kill(os.getpid(), signal.{signal})
sys.argv = ["tacit", "anonymize", "job.toml"]
cli.main()
"""


def refused(folder: Path, job: Path, code: int, *wanted: str) -> None:
    before = files_below(folder)
    ended = tacit("anonymize", job)
    assert (ended.code, ended.out) == (code, ""), ended
    told = tacit("anonymize", job, "--json").json()["error"]
    for text in wanted:
        assert text in told
    assert "caviar" not in ended.err, "standard error may be kept in a log"
    assert files_below(folder) == before


def nothing_recoded(data: Any, promise: Any, **options: Any) -> CutRecoding:
    """What a broken method would return: every item as it is."""
    labels = [data.taxonomy.names[leaf] for leaf in data.taxonomy.leaves.tolist()]
    return CutRecoding({"basket": ItemCut({label: label for label in labels})})


def test_a_method_that_breaks_the_promise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Method, "search", lambda self, promise: nothing_recoded)
    refused(tmp_path, make_shop(tmp_path), 1, "The audit did not pass, so nothing was published.", "{caviar}: 1 basket")


def everything_suppressed(data: Any, promise: Any, **options: Any) -> CutRecoding:
    labels = [data.taxonomy.names[leaf] for leaf in data.taxonomy.leaves.tolist()]
    return CutRecoding({"basket": ItemCut(dict.fromkeys(labels), ("*",))})


def test_a_method_that_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Method, "search", lambda self, promise: everything_suppressed)
    refused(tmp_path, make_shop(tmp_path), 3, "would suppress every item", "could be reached", "Nothing was published")


def test_the_verdict_is_about_the_bytes_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The data is spoilt while it is written: what the method made was in order, what lies there is not."""
    job = make_shop(tmp_path)
    write = flow.write_table

    def spoilt(table: pa.Table, path: Path, *arguments: Any, **options: Any) -> None:
        write(table, path, *arguments, **options)
        lines = path.read_text().split("\n")
        path.write_text("\n".join([lines[0], "caviar" + lines[1], *lines[2:]]))

    monkeypatch.setattr(flow, "write_table", spoilt)
    refused(tmp_path, job, 1, "The audit did not pass, so nothing was published.")


def swapped_item(baskets: list[str]) -> None:
    baskets[baskets.index("bread dairy")] = "dairy scone"


def dropped_item(baskets: list[str]) -> None:
    baskets[baskets.index("bread dairy")] = "dairy"


def swapped_records(baskets: list[str]) -> None:
    one, other = baskets.index("bread dairy"), baskets.index("alcohol bread")
    baskets[one], baskets[other] = baskets[other], baskets[one]


def stranger(baskets: list[str]) -> None:
    baskets[:] = [basket.replace("scone", "honey") for basket in baskets]


def raw_item(baskets: list[str]) -> None:
    baskets[:] = [basket.replace("scone", "milk") for basket in baskets]


@pytest.mark.parametrize(
    ("lie", "wanted"),
    [
        (swapped_item, "records that are not what their original becomes: 1"),
        (dropped_item, "records that are not what their original becomes: 1"),
        (swapped_records, "records that are not what their original becomes: 2"),
        (stranger, "shown in 'basket', but neither an item nor a node of the hierarchy (1): 'honey'"),
        (raw_item, "'dairy' is shown beside 'milk', which is below it"),
    ],
)
def test_a_value_that_is_not_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lie: Callable[[list[str]], None], wanted: str
) -> None:
    """The promise holds for what a broken `publish` makes, but it is not what happened."""
    publish = baskets.publish

    def lying(*arguments: Any) -> Any:
        published = publish(*arguments)
        baskets = published.table["basket"].to_pylist()
        lie(baskets)
        return published._replace(table=published.table.set_column(0, "basket", pa.array(baskets)))

    monkeypatch.setattr(baskets, "publish", lying)
    refused(tmp_path, make_shop(tmp_path), 1, "not true to the original, so nothing was published", wanted)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("when", ["flow.write_table", "report.page.report_page"])
def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str, code: int) -> None:
    def full(*arguments: Any, **options: Any) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(f"tacit.{when}", full)
    refused(
        tmp_path, make_shop(tmp_path), 2, f"{tmp_path / 'out'}: there is no space left on the disk", "Free some space"
    )


def test_a_full_disk_leaves_the_old_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = make_shop(tmp_path)
    assert tacit("anonymize", job, "--no-report").code == 0
    before = read_csv(tmp_path / "out/public/data.csv")

    def full(*arguments: Any, **options: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(flow, "public_readme", full)
    assert tacit("anonymize", job, "--force", "--set", "method.seed=6").code == 2
    assert read_csv(tmp_path / "out/public/data.csv") == before
    assert {path.name for path in tmp_path.iterdir()} == {"shop.csv", "hierarchy.csv", "job.toml", "out"}


def test_memory_that_does_not_suffice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_big(*arguments: Any, **options: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(baskets, "read_items", too_big)
    refused(tmp_path, make_shop(tmp_path), 2, "does not fit into the memory", "nothing was published")


def test_a_directory_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = make_shop(tmp_path)
    (tmp_path / "file").write_text("no directory")
    ended = tacit("anonymize", job, "-o", tmp_path / "file" / "out")
    assert ended.code == 2
    assert "cannot write the release" in ended.err
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_killed_in_the_middle(tmp_path: Path) -> None:
    """What was written so far has no part called `public`, and the next run clears it away."""
    job = make_shop(tmp_path)
    command = [sys.executable, "-c", KILLED_WHILE_AUDITING.format(signal="SIGKILL")]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert not (tmp_path / "out").exists()
    assert [path.name for path in tmp_path.rglob("data.csv")] == ["data.csv"], "it was killed after writing the data"
    assert not list(tmp_path.rglob("public"))

    assert tacit("anonymize", job, "--no-report").code == 0
    assert {path.name for path in tmp_path.iterdir()} == {"shop.csv", "hierarchy.csv", "job.toml", "out"}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_interrupted_from_the_keyboard(tmp_path: Path) -> None:
    make_shop(tmp_path)
    command = [sys.executable, "-c", KILLED_WHILE_AUDITING.format(signal="SIGINT")]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 130
    assert "Traceback" not in ended.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"shop.csv", "hierarchy.csv", "job.toml"}


def test_every_method_is_audited_alike(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    for name in (name for name, info in METHODS.items() if "km" in info.models):
        ended = tacit("anonymize", job, "--force", "--no-report", "--set", f"method.name={name}", "--json")
        assert (ended.code, ended.json()["audit"]["satisfied"]) == (0, True)
