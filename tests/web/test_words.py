"""The words of the pages: all of them in every language."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

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
        ("something that nobody foresaw: 7", "something that nobody foresaw: 7"),
    ],
)  # fmt: skip
def test_what_was_said_in_english_is_told_in_german(said: str, told: str) -> None:
    assert teller("de")(said) == told
    assert teller("en")(said) == said


def test_what_is_told_fills_in_the_same_names() -> None:
    known = json.loads((files("tacit.web.words") / "said-de.json").read_text("utf-8"))
    dropped = {"variable"}
    for english, german in known.items():
        names = [set(re.findall(r"\{(\w+)\}", text)) for text in (english, german)]
        assert names[0] - dropped == names[1], english
