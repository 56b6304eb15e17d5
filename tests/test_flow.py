"""From a table to a release: whatever the data, it is anonymous by the letter, true, and survives its file."""

from __future__ import annotations

import json
import tempfile
from itertools import combinations
from pathlib import Path

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from support.commands import is_km_anonymous, tacit, write_job
from tacit.io import format_named, read_table, write_table
from tacit.io.spreadsheet import escape as escape_text

LABELS = ["a", "b b", "=c", "'=c", "d,e", 'f"g', "*", "é", "<b>", "h\ti", "-1", "NA", "j;k"]
SEPARATORS = [" ", ",", ";", "|", ", ", "*", ".."]

baskets = st.lists(st.lists(st.sampled_from(LABELS), max_size=4), min_size=1, max_size=12)


def job_text(
    file: str, output: str, separator: str, k: int, m: int | str, sensitive: list[str], escape: bool, long: bool
) -> str:
    """A job for one column of baskets and one that is plain, or for a person and an item."""
    layout = 'layout = "long"\n' if long else ""
    other = '[columns.who]\nrole = "person"\n' if long else '[columns.who]\nrole = "plain"\n'
    return (
        f'[input]\nsource = "{file}"\nmissing = ["NA"]\n{layout}{other}[columns.bag]\nrole = "items"\n'
        f"separator = {json.dumps(separator)}\nsensitive = {json.dumps(sensitive)}\n"
        f'[privacy]\nmodel = "km"\nk = {k}\nm = {json.dumps(m)}\n'
        f'[output]\nformat = "{output}"\nescape_formulas = {json.dumps(escape)}\n'
    )


@settings(deadline=None, derandomize=True, max_examples=10)
@given(
    bags=baskets,
    kind=st.sampled_from(["parquet", "feather", "csv", "tsv", "csv.gz"]),
    output=st.sampled_from(["parquet", "csv", "tsv", "feather.gz"]),
    separator=st.sampled_from(SEPARATORS),
    k=st.integers(1, 4),
    m=st.sampled_from([1, 2, 3, "inf"]),
    with_sensitive=st.booleans(),
    escape=st.booleans(),
    long=st.booleans(),
)
def test_any_baskets_in_any_format(
    bags: list[list[str]],
    kind: str,
    output: str,
    separator: str,
    k: int,
    m: int | str,
    with_sensitive: bool,
    escape: bool,
    long: bool,
) -> None:
    """The command ends in a release that keeps its promise, or says in plain words why there is none."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        as_text = kind not in ("parquet", "feather")
        if long:
            pairs = [(i, item) for i, bag in enumerate(bags) for item in bag or [None]]
            columns = {"who": [who for who, _ in pairs], "bag": pa.array([what for _, what in pairs], pa.string())}
        else:
            cells = [separator.join(bag) for bag in bags] if as_text else pa.array(bags, pa.list_(pa.string()))
            columns = {"who": [f"w{i}" for i in range(len(bags))], "bag": cells}
        write_table(pa.table(columns), folder / f"in.{kind}", format_named(kind))
        held = sorted({item for bag in bags for item in bag if item != "NA" and separator not in item})
        sensitive = held[:1] if with_sensitive else []
        job = write_job(folder, job_text(f"in.{kind}", output, separator, k, m, sensitive, escape, long))
        ended = tacit("anonymize", job, "--no-report")
        if ended.code != 0:
            assert not (folder / "out").exists()
            assert refusal_is_right(ended.code, ended.err), ended.err
            return
        escaped = escape and output in ("csv", "tsv")
        hidden = {escape_text(item, alone=long) if escaped else item for item in sensitive}
        known = published_sets(folder, output, separator, long, hidden)
        assert len(known) == len(bags)
        assert is_km_anonymous(known, k, max(map(len, known)) if m == "inf" else int(m))
        assert tacit("audit", job, folder / f"out/public/data.{output}", "--original").code == 0


def refusal_is_right(code: int, message: str) -> bool:
    if code == 3:
        return "could be reached" in message
    reasons = ("cannot stand in a basket", "no basket holds")
    return code == 2 and any(reason in message for reason in reasons)


def published_sets(folder: Path, output: str, separator: str, long: bool, sensitive: set[str]) -> list[set[str]]:
    """The published baskets without the items that nobody knows, read by other code than ours."""
    table = read_table(folder / f"out/public/data.{output}")
    if not long:
        cells = table["bag"].to_pylist()
        bags = [set(cell.split(separator)) - {""} if isinstance(cell, str) else set(cell) for cell in cells]
        return [bag - sensitive for bag in bags]
    baskets: dict[object, set[str]] = {}
    for who, what in zip(table["who"].to_pylist(), table["bag"].to_pylist(), strict=True):
        baskets.setdefault(who, set()).update({what} if what else set())
    return [bag - sensitive for bag in baskets.values()]


def test_the_definition_used_here_is_the_definition() -> None:
    baskets = [{"a", "b"}, {"a", "b"}, {"a"}]
    counts = {pair: sum({*pair} <= basket for basket in baskets) for pair in combinations("ab", 2)}
    assert counts == {("a", "b"): 2}
    assert is_km_anonymous(baskets, 2, 2)
    assert not is_km_anonymous(baskets, 3, 2)
    assert not is_km_anonymous([{"a", "b"}, {"a"}, {"b"}], 2, 2)
