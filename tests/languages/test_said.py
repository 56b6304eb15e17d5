"""What is said in English, and told in another language: nothing is missing, and nothing of the data is changed."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pyarrow as pa
import pytest

import tacit
from tacit.job.checks import notes_on_repeated
from tacit.job.keys import COLUMN
from tacit.languages import catalogue, teller
from tacit.languages.reports import in_language
from tacit.methods import METHODS
from tacit.promises import MODELS, promise
from tacit.report.meanings import MEASURES
from tacit.web.parameters import option_fields

_SOURCE = Path(tacit.__file__).parent
_REPORTS = [
    file
    for pattern in ("*/*report.py", "*/*distributions.py", "*/*picture.py", "report/*.py")
    for file in sorted(_SOURCE.glob(pattern))
    if file.name != "attacks.py"  # attackers have words of their own
]
_CHARTS = {"histogram", "bars", "agreement", "heat_map", "icicle", "curve_and_points"}
_MADE_OF_PARTS = {
    "{x}{x}",  # names of the data
    "{x}{x}.",  # what an attacker says
    "{x}{x}. The same for everybody.",  # what a recoding says of itself
    "What is shown in {x}: {x} different values{x}",
}
"""Texts whose parts are sentences of their own, which the catalogue has."""


def _literal(node: ast.expr) -> str | None:
    """A text of the code; what is filled in is `{x}`, but for constants of its own module."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{x}" for part in node.values)
    return None


def _said_in_reports() -> Iterator[tuple[str, str]]:
    """What code of reports says: the kind of block, and the text."""
    for file in _REPORTS:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                text = _literal(node.args[0])
                if text is not None:
                    yield node.func.id, text


def _shape(text: str) -> str:
    return re.sub(r"\{\w+\}", "{x}", text)


def test_every_text_of_reports_has_german_words() -> None:
    places = json.loads((files("tacit.languages") / "report-de.json").read_text("utf-8"))
    sentences = {_shape(text) for text in catalogue("said-de")}
    headings, captions = ({_shape(text) for text in places[place]} for place in ("headings", "captions"))
    key = "the key beside this page, which must stay as secret as the original,"
    sentences |= {_shape(text.replace(key, "{x}")) for text in catalogue("said-de")}
    said = list(_said_in_reports())
    assert len(said) > 60
    for block, text in said:
        if block == "Section":
            assert _shape(text) in headings, text
        if block in _CHARTS:
            assert _shape(text) in captions, text
        if block in ("Text", "Folded") and _shape(text) not in _MADE_OF_PARTS:
            assert {_shape(line).removesuffix(" -o DIR") for line in text.split("\n")} <= sentences, text


def test_measures_methods_and_options_are_told_in_german() -> None:
    tell = teller("de")
    said = [measure.meaning for measure in MEASURES.values()]
    parts = [(measure, begins) for measure in MEASURES.values() for begins, _ in measure.parts]
    said += [measure.named(begins + "x" * begins.endswith("_")) for measure, begins in parts]
    said += [method.summary for method in METHODS.values()]
    said += [text for name in METHODS for field in option_fields(name, {}) for text in (field.meaning, field.wanted)]
    said += [key.wanted for key in COLUMN.values() if not key.choices]
    assert [text for text in said if tell(text) == text] == []


def test_promises_are_told_in_german() -> None:
    tell = teller("de")
    for name, model in MODELS.items():
        for said in (promise(name, dict(model.example)).in_words(), model.not_stopped, model.title):
            assert tell(said) != said, said
            assert tell(said.replace("`", "")) != said.replace("`", ""), "a report shows no code"


@pytest.mark.parametrize(
    ("columns", "rest"), [(5, ""), (6, "und einer weiteren Spalte "), (8, "und 3 weiteren Spalten ")]
)
def test_columns_that_are_not_named_are_counted_in_german(columns: int, rest: str) -> None:
    (note,) = notes_on_repeated([f"c{each}" for each in range(columns)])
    assert teller("de")(note).startswith(f"Identifikatoren in 'c0', 'c1', 'c2', 'c3', 'c4' {rest}kommen mehrmals vor")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("data.csv, line 2, column 'a': the data has no such column\n  It has: 'b'.",
         "data.csv, Zeile 2, Spalte 'a': die Daten haben keine solche Spalte\n  Es gibt: 'b'."),
        ("mysql://host/x: no connection to the database (OperationalError)",
         "mysql://host/x: keine Verbindung zur Datenbank (OperationalError)"),
        ("privacy.k is 'many', but it must be a whole number of at least 1",
         "privacy.k ist 'many', muss aber eine ganze Zahl ab 1 sein"),
        ("Checked 8,000 baskets, 1 of them empty.", "Geprüft: 8.000 Körbe, davon 1 leer."),
        ("Every group has at least 1.5 records, and no sensitive value is in more than 1/1.5 of them.",
         "Jede Gruppe hat mindestens 1.5 Datensätze, und kein vertraulicher Wert steht bei mehr als 1/1.5 von ihnen."),
        ("named like free text", "heißt wie ein freier Text"),
        ("What it does not stop: It does not stop somebody who knows more than that, and it does not hide what is "
         "common to many people.",
         "Was es nicht aufhält: Es hält niemanden auf, der mehr als das weiß, und verbirgt nicht, was vielen Menschen "
         "gemeinsam ist."),
        ("What it does not stop: what nobody foresaw", "What it does not stop: what nobody foresaw"),
        ("something that nobody foresaw: 7", "something that nobody foresaw: 7"),
    ],
)  # fmt: skip
def test_what_was_said_in_english_is_told_in_german(said: str, told: str) -> None:
    assert teller("de")(said) == told
    assert teller("en")(said) == said


@pytest.mark.parametrize(
    ("model", "given"), [("k", {}), ("l", {"l": 2}), ("l", {"l": 2, "kind": "distinct"}), ("t", {"t": 0.5})]
)
def test_verdicts_on_records_are_told_in_german(model: str, given: dict[str, object]) -> None:
    people = pa.table({"age": [30, 50] * 6, "ill": ["a"] * 6 + ["b"] * 6})
    audited = tacit.audit(people, promise(model, {"k": 3, **given}), quasi=["age"], sensitive=["ill"])
    assert audited.satisfied
    assert [line for line in audited.explanation if teller("de")(line) == line] == []


def test_what_is_told_fills_in_the_same_names() -> None:
    places = json.loads((files("tacit.languages") / "report-de.json").read_text("utf-8"))
    dropped = {"variable"}
    for known in (catalogue("said-de"), *places.values()):
        for english, german in known.items():
            names = [set(re.findall(r"\{(\w+)\}", text)) for text in (english, german)]
            assert names[0] - dropped == names[1], english


def test_a_report_keeps_the_values_of_the_data() -> None:
    """A column, a value and a chart of the data that are called as our words are."""
    drawn = (
        '<html lang="en"><h2>What is shown in records</h2><figure><figcaption>records</figcaption></figure>'
        '<table><thead><tr><th class="of-data">before</th><th class="number">records</th></tr></thead>'
        '<tr><td class="short said">before</td><td class="short">before</td><td class="short">1,5</td>'
        '<td class="number">1,234.5</td></tr></table>'
    )
    told = in_language(drawn, "de")
    assert '<html lang="de"><h2>Was in records gezeigt wird</h2>' in told
    assert "<figcaption>records</figcaption>" in told
    assert '<th class="of-data">before</th><th class="number">Datensätze</th>' in told
    assert '<td class="short said">vorher</td><td class="short">before</td><td class="short">1,5</td>' in told
    assert '<td class="number">1.234,5</td>' in told
    assert in_language(drawn, "en") == drawn


def test_charts_are_told_and_their_values_are_not() -> None:
    def texts(role: str, *shown: str) -> str:
        return f'<g class="mark-text role-{role}">' + "".join(f"<text>{each}</text>" for each in shown) + "</g>"

    drawn = texts("axis-title", "records") + texts("axis-label", "0", "20,000") + texts("axis-label", "0", "1,5", "a")
    told = texts("axis-title", "Datensätze") + texts("axis-label", "0", "20.000") + texts("axis-label", "0", "1,5", "a")
    assert in_language(drawn, "de") == told


def test_what_was_escaped_stays_escaped() -> None:
    assert in_language("<h2>What is shown in &lt;b&gt;</h2>", "de") == "<h2>Was in &lt;b&gt; gezeigt wird</h2>"
    assert in_language("<p>In &lt;b&gt;, ends are multiples of 5.</p>", "de") == (
        "<p>In &lt;b&gt;: Enden sind Vielfache von 5.</p>"
    )
    assert in_language('<div class="verdict">The promise holds. &lt;b&gt;</div>', "de").count("<b>") == 0
