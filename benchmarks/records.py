"""What a benchmark found, as plain records that the tables are made from; kept in benchmarks/records.json."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("records.json")


@dataclass(frozen=True)
class Search:
    """A workload: the search alone, the whole command, and what the release lost."""

    data: str
    method: str
    m: int
    search_seconds: float
    command_seconds: float
    command_cpu_seconds: float
    peak_mib: float
    ncp: float
    ncp_leaf_share: float


@dataclass(frozen=True)
class Command:
    """The whole command with a method that other tools have, too, and what the release lost; m is None for LG."""

    method: str
    m: int | None
    seconds: float
    cpu_seconds: float
    peak_mib: float
    ncp_leaf_share: float


@dataclass(frozen=True)
class Scale:
    """The whole command on `times` as many baskets as fruithut has, m = 2."""

    times: int
    baskets: int
    seconds: float
    cpu_seconds: float
    peak_mib: float


@dataclass(frozen=True)
class Records:
    """One run of the benchmark."""

    machine: dict[str, str]
    floor_seconds: dict[str, float]
    searches: tuple[Search, ...]
    commands: tuple[Command, ...]
    scales: tuple[Scale, ...]
    help_seconds: float
    cold_demo_seconds: float
    warm_demo_seconds: float
    other_lg_seconds: float | None = None
    """The public Python program for LG on bms_webview2, in the same run; None if it was not there."""

    def search(self, data: str, method: str, m: int) -> Search:
        return next(s for s in self.searches if (s.data, s.method, s.m) == (data, method, m))

    def command(self, method: str, m: int | None) -> Command:
        return next(c for c in self.commands if (c.method, c.m) == (method, m))


def save(records: Records, file: Path = FILE) -> None:
    file.write_text(json.dumps(asdict(records), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read(file: Path = FILE) -> Records:
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    content["searches"] = tuple(Search(**search) for search in content["searches"])
    content["commands"] = tuple(Command(**command) for command in content["commands"])
    content["scales"] = tuple(Scale(**scale) for scale in content["scales"])
    return Records(**content)
