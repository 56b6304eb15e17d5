"""Running commands in this process, and the small shop that most tests of them work on."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from tacit.cli import main
from tacit.process.faults import EXIT_CODE

HIERARCHY = """\
beer,alcohol,drinks,*
wine,alcohol,drinks,*
cola,soft drinks,drinks,*
tea,soft drinks,drinks,*
milk,dairy,food,*
brie,dairy,food,*
bread,bakery,food,*
scone,bakery,food,*
caviar,luxury,*
"""

BASKETS = [
    "beer bread", "wine bread", "beer", "wine milk", "milk bread", "milk bread brie", "cola milk", "tea milk",
    "brie bread", "", "caviar", "scone milk", "scone milk", "beer milk", "milk bread", "cola",
]  # fmt: skip
"""At k = 2 and m = 2 some items are kept, some become groups, and some are suppressed."""

JOB = """\
[input]
source = "shop.csv"

[columns.name]
role = "identifier"
[columns.basket]
role = "items"
hierarchy = "hierarchy.csv"
[columns.town]
role = "plain"

[privacy]
model = "km"
k = 2
m = 2

[method]
name = "mhghs"
seed = 5
"""


class Outcome(NamedTuple):
    """How a command ended: its exit code, and what it printed."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


def tacit(*arguments: object) -> Outcome:
    """Runs a command in this process; a crash of it is a failure of the test, with its traceback."""
    with patch.dict(os.environ, {"TACIT_DEBUG": "1"}):
        ended = run(*arguments)
    assert ended.code != EXIT_CODE, ended.err
    return ended


def run(*arguments: object) -> Outcome:
    """Runs a command in this process, however it ends."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with patch.object(sys, "argv", ["tacit", *map(str, arguments)]), redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return Outcome(code, out.getvalue(), err.getvalue())


def shop_rows() -> list[dict[str, str]]:
    """Sixteen people: a name, what they bought, and a town that is theirs alone."""
    return [{"name": f"N{i}", "basket": b, "town": f"T{i}", "age": str(20 + i)} for i, b in enumerate(BASKETS)]


def write_csv(path: Path, rows: list[dict[str, str]], delimiter: str = ",") -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_csv(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def make_shop(folder: Path, job: str = JOB) -> Path:
    """The shop's data, hierarchy and job; gives the job file."""
    write_csv(folder / "shop.csv", shop_rows())
    (folder / "hierarchy.csv").write_text(HIERARCHY)
    return write_job(folder, job)


def write_job(folder: Path, text: str) -> Path:
    path = folder / "job.toml"
    path.write_text(text, encoding="utf-8")
    return path


def files_below(folder: Path) -> set[str]:
    """Every file and folder, hidden ones too."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def recoded(basket: str | list[str], becomes: dict[str, str | None], separator: str = " ") -> set[str]:
    """What a basket becomes, straight from recoding.json."""
    items = basket.split(separator) if isinstance(basket, str) else basket
    return {name for item in items if item and (name := becomes[item]) is not None}


def is_km_anonymous(baskets: list[set[Any]], k: int = 2, m: int = 2) -> bool:
    """The definition, literally."""
    itemsets = {tuple(sorted(c)) for basket in baskets for size in range(1, m + 1) for c in combinations(basket, size)}
    return all(sum(set(itemset) <= basket for basket in baskets) >= k for itemset in itemsets)
