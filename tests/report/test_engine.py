"""The engine that draws charts in a process of its own: the same drawings, and a release that outlives it."""

from __future__ import annotations

import io
import json
import sys
from subprocess import PIPE, Popen

import pytest

from tacit.report import charts, engine, html
from tacit.report.blocks import Folded, Section, Text

RECORDS = [{"name": "<b>", "v": 1}, {"name": "č", "v": 2}]
SECTIONS = [
    Section("one", [Text("text"), charts.bars("bars", RECORDS, "name", "v")]),
    Section("two", [Folded("more", [charts.lines("lines", RECORDS, "v", "v")])]),
]


def test_the_same_drawings_as_without_it() -> None:
    with engine.started_engine() as running:
        assert running is not None
        page = html.document("t", [], running.draw_ahead(SECTIONS))
    assert page.count("<svg") == 2
    assert page == html.document("t", [], SECTIONS)


def test_it_goes_on_behind_a_chart_that_cannot_be_drawn() -> None:
    requests = [{"mark": 7}, charts.specification(charts.bars("bars", RECORDS, "name", "v"))]
    answers = io.BytesIO()
    engine.serve(io.BytesIO("".join(json.dumps(each) + "\n" for each in requests).encode()), answers)
    first, second = map(json.loads, answers.getvalue().splitlines())
    assert first is None
    assert second.startswith("<svg")


def test_charts_are_tables_if_it_breaks_down() -> None:
    broken = engine.Engine(Popen([sys.executable, "-c", ""], stdin=PIPE, stdout=PIPE))
    page = html.document("t", [], broken.draw_ahead(SECTIONS))
    broken.close()
    assert "<svg" not in page
    assert page.count("<figcaption>") == 2
    assert '<td class="short">č</td><td class="number">2</td>' in page


def test_charts_are_drawn_here_if_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: object, **options: object) -> None:
        raise OSError("no process")

    monkeypatch.setattr(engine, "Popen", refused)
    with engine.started_engine() as running:
        assert running is None


def test_it_ends_with_the_block() -> None:
    with engine.started_engine() as running:
        assert running is not None
        process = running._process
        assert process.poll() is None
    assert process.poll() is not None
