"""The words of the pages: all of them in every language."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from tacit.promises import MODELS
from tacit.web.parameters import parameter_fields
from tacit.web.render import STEPS
from tacit.web.roles import MEANINGS, ROLES
from tacit.web.views.columns import CHOICES, LABELS
from tacit.web.views.data import KINDS, SAMPLES
from tacit.web.words import LANGUAGES, catalogue, translator

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
    asked = {text for name in MODELS for field in parameter_fields(name, {}) for text in (field.meaning, field.wanted)}
    named = {*MEANINGS.values(), *LABELS.values(), *CHOICES.values(), *(name for _, name in STEPS), *_STATES[:-1]}
    return found | {*made, *named, *asked, *(model.stops for model in MODELS.values())}


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
