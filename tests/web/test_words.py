"""The words of the pages: all of them in every language."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pyarrow as pa
import pytest

import tacit
from tacit.promises import MODELS, promise
from tacit.web.render import STEPS
from tacit.web.roles import MEANINGS, ROLES
from tacit.web.views.columns import LABELS
from tacit.web.views.data import KINDS, SAMPLES
from tacit.web.words import LANGUAGES, catalogue, teller, translator

_STATES = ("waiting", "running", "done", "failed", "cancelled", "timeout")


def _said() -> set[str]:
    """What templates say, and what views give them to say."""
    texts = [each.read_text("utf-8") for each in (files("tacit.web") / "templates").iterdir()]
    found = {
        match[1] or match[2]
        for text in texts
        for match in re.finditer(r"""\b_\(\s*(?:"([^"]*)"|'([^']*)')\s*[,)]""", text)
    }
    made = (
        [f"role-{role}" for role in ROLES] + [f"kind-{kind}" for kind in KINDS] + [f"sample-{name}" for name in SAMPLES]
    )
    return found | {*made, *MEANINGS.values(), *LABELS.values(), *(name for _, name in STEPS), *_STATES[:-1]}


def test_german_has_every_word() -> None:
    said = _said()
    assert len(said) > 150
    assert not said - set(catalogue("de"))


def test_english_has_what_does_not_stand_for_itself() -> None:
    keys = {word for word in _said() if re.match(r"(role|kind|sample|tree)-", word)}
    assert not keys - set(catalogue("en"))


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_translations_fill_in_the_same_names(language: str) -> None:
    for english, other in catalogue(language).items():
        assert sorted(re.findall(r"\{(\w+)\}", english)) == sorted(re.findall(r"\{(\w+)\}", other)), english


def test_what_has_no_translation_stays_english() -> None:
    assert translator("de")("Something of {count} people", count=3) == "Something of 3 people"


def test_promises_are_told_in_german() -> None:
    tell = teller("de")
    for name, model in MODELS.items():
        for said in (promise(name, dict(model.example)).in_words(), model.not_stopped, model.title):
            assert tell(said) != said, said


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
    known = json.loads((files("tacit.web.words") / "said-de.json").read_text("utf-8"))
    dropped = {"variable"}
    for english, german in known.items():
        names = [set(re.findall(r"\{(\w+)\}", text)) for text in (english, german)]
        assert names[0] - dropped == names[1], english
