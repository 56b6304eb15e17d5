"""How fast the page is: `tacit serve` started, and asked as a browser asks.

    python -m benchmarks.serve

measures the first page and later ones, a file of 200 MB, ten connections while a job runs, and cancel; `--write` puts
the table into docs/serve.md. `--megabytes 20` is for a try.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from benchmarks.fresh_rows import fresh_rows

PAGE = Path(__file__).resolve().parents[1] / "docs" / "serve.md"
START, END = "<!-- speed:start -->", "<!-- speed:end -->"
_BYTES_A_ROW = 27
_CONNECTIONS, _ASKED = 10, 30
_HURRY = 0.05
_JOB_ROWS = 400_000


class Line(NamedTuple):
    """Something measured, and what it should be at most."""

    what: str
    measured: float
    goal: float
    unit: str


class Page:
    """A server, and its owner's cookie."""

    def __init__(self, workspace: Path) -> None:
        words = [sys.executable, "-m", "tacit", "serve", "--port", "0", "--no-browser", "--json", "--workspace"]
        self.started = time.perf_counter()
        self.process = subprocess.Popen([*words, str(workspace)], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        found = urlsplit(json.loads(self.process.stdout.readline())["url"])
        self.host, self.cookie = found.netloc, ""
        _, headers = self.ask("GET", f"/?{found.query}")
        self.cookie = headers["set-cookie"].partition(";")[0]

    def ask(self, method: str, path: str, body: object = None, kind: str = "") -> tuple[bytes, dict[str, str]]:
        """The answer and its headers; what was refused is an error."""
        connection = http.client.HTTPConnection(self.host, timeout=600)
        headers = {"cookie": self.cookie, "origin": f"http://{self.host}", **({"content-type": kind} if kind else {})}
        connection.request(method, path, body=body, headers=headers)  # type: ignore[arg-type]
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path}: {answer.status}")
        return content, {name.lower(): value for name, value in answer.getheaders()}

    def send(self, path: str, **fields: str) -> str:
        """Sends a form, and gives where it leads."""
        return self.ask("POST", path, urlencode(fields), "application/x-www-form-urlencoded")[1]["location"]

    def timed(self, path: str) -> float:
        start = time.perf_counter()
        self.ask("GET", path)
        return time.perf_counter() - start

    def load(self, file: Path) -> str:
        """Sends a file, and gives its project as soon as its data are shown."""
        with file.open("rb") as content:
            sent, _ = self.ask("POST", "/api/projects?name=data.csv", content, "application/octet-stream")
        project = f"/projects/{json.loads(sent)['id']}"
        _until(lambda: b"every 700ms" not in self.ask("GET", f"{project}/data")[0])
        return project


@contextmanager
def served() -> Iterator[tuple[Page, Path]]:
    with TemporaryDirectory() as folder:
        page = Page(Path(folder) / "workspace")
        try:
            yield page, Path(folder)
        finally:
            page.process.terminate()
            page.process.wait()


def _until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        time.sleep(_HURRY)


def _family(pid: int) -> list[int]:
    """A process and all that it started."""
    found, parents = [pid], {}
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(each.parent.name)] = int(each.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found


def _memory(pid: int) -> int:
    """Bytes in memory of a process and all that it started."""
    total = 0
    for each in _family(pid):
        try:
            total += int(Path(f"/proc/{each}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            continue
    return total


class _Watch(threading.Thread):
    """Looks at the memory of a process for as long as it is watched."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid, self.peak, self.is_over = pid, 0, False

    def run(self) -> None:
        while not self.is_over:
            self.peak = max(self.peak, _memory(self._pid))
            time.sleep(_HURRY)


def _csv(file: Path, rows: int) -> Path:
    import pyarrow.csv

    pyarrow.csv.write_csv(fresh_rows(rows), file)
    return file


def measured(megabytes: int, job_rows: int = _JOB_ROWS) -> list[Line]:
    """All of it, on a server of its own."""
    with served() as (page, folder):
        _until(lambda: page.timed("/") >= 0)
        first = time.perf_counter() - page.started
        large = _csv(folder / "large.csv", megabytes * 1_000_000 // _BYTES_A_ROW)
        watch = _Watch(page.process.pid)
        watch.start()
        start = time.perf_counter()
        project = page.load(large)
        loaded = time.perf_counter() - start
        watch.is_over = True
        watch.join()
        steps = ("data", "roles", "hierarchies", "promise", "run", "compare")
        later = max(sorted(page.timed(f"{project}/{step}") for _ in range(3))[1] for step in steps)
        size = large.stat().st_size / 1e6
        small = page.load(_csv(folder / "small.csv", job_rows))
        run = page.send(f"{small}/run")
        crowd = _crowd(page, [f"{project}/{step}" for step in steps])
        if b"every 700ms" not in page.ask("GET", run)[0]:
            raise RuntimeError("the job was over before ten connections had asked: give it more rows")
        start = time.perf_counter()
        page.send(f"{run}/cancel")
        _until(lambda: len(_family(page.process.pid)) == 1)
        cancelled = time.perf_counter() - start
    return [
        Line("first page after the start", first, 1.5, "s"),
        Line("slowest of the later pages", later, 0.2, "s"),
        Line(f"a CSV of {size:.0f} MB: sent, looked at and shown", loaded, 20, "s"),
        Line(f"a CSV of {size:.0f} MB: memory at its peak, all processes", watch.peak / 2**30, 1.5, "GiB"),
        Line("ten connections while a job runs: 95 of 100 pages within", crowd, 0.3, "s"),
        Line("cancel: until no process of the job is left", cancelled, 2, "s"),
    ]


def _crowd(page: Page, paths: list[str]) -> float:
    """What 95 of 100 pages took at most, for ten that ask at the same time."""
    times: list[float] = []

    def one(number: int) -> None:
        times.extend(page.timed(paths[(number + each) % len(paths)]) for each in range(_ASKED))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(_CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(times) < _CONNECTIONS * _ASKED:
        raise RuntimeError("a page was refused")
    return sorted(times)[int(0.95 * len(times))]


def table(lines: list[Line]) -> str:
    """As the documentation shows it."""
    rows = [f"| {each.what} | {each.measured:.2f} {each.unit} | {each.goal:g} {each.unit} |" for each in lines]
    cores = len(os.sched_getaffinity(0))
    about = f"Measured by `python -m benchmarks.serve` on {cores} cores, Python {platform.python_version()}."
    return "\n".join(["| what | measured | goal |", "| --- | --- | --- |", *rows, "", about])


def write(text: str) -> None:
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition(START)
    PAGE.write_text(f"{before}{START}\n{text}\n{END}{rest.partition(END)[2]}", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    text = table(measured(given.megabytes))
    print(text)
    if given.write:
        write(text)


if __name__ == "__main__":
    main()
