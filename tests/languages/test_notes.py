"""The public note in German: every sentence that any release can say, and nothing of the data changed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

import tacit
from exams.cases import PAIRS, case_for, promises_of
from support.commands import tacit as command
from support.commands import write_job
from tacit.languages import catalogue
from tacit.languages.notes import note_in_language, untold
from tacit.promises import MODELS, promise
from tacit.report.public import public_readme

_SOURCE = Path(tacit.__file__).parent
_NOTES = {
    "report/public.py": None,
    "report/persons.py": None,
    "report/ranges.py": {"range_semantics"},
    "report/markdown.py": {"quotes_in_sets"},
    "baskets/notes.py": None,
    "baskets/kind.py": {"tells_nothing"},
    "baskets/methods/cahd.py": {"caution"},
    "records/kind.py": {"tells_nothing"},
    "records/report.py": {"record_semantics", "_meaning"},
    "slices/kind.py": {"tells_nothing"},
    "slices/report.py": {"slice_semantics"},
    "ratings/kind.py": {"tells_nothing"},
    "ratings/report.py": {"rating_semantics", "sensitive_line", "_off"},
    "ratings/range_report.py": {"range_semantics"},
}
"""Where notes are written: the functions that say something, or all of a file."""
_WHOLE = re.compile(r"[A-Z{`-].{20,}\.", re.S)
_HOLE = re.compile(r"`[^`{]*`|`?\{[^}]*\}`?")


def _said(file: str, functions: set[str] | None) -> Iterator[str]:
    """The texts of the code that are whole sentences."""
    tree = ast.parse((_SOURCE / file).read_text("utf-8"))
    nodes = [each for each in tree.body if functions is None or getattr(each, "name", None) in functions]
    inside = [inner for each in nodes for inner in ast.walk(each)]
    docstrings = {id(node.value) for node in inside if isinstance(node, ast.Expr)}
    pieces = {id(part) for node in inside if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in inside:
        if id(node) in docstrings | pieces:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{x}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _sentences(text: str) -> Iterator[str]:
    for line in " ".join(text.replace("\n\n", "\0").split("\n")).split("\0"):
        yield from re.split(r"(?<=\.) (?=[A-Z`])", re.sub(r"^\s*- ", "", line.strip()))


def _is_known(text: str) -> bool:
    """Whether the catalogue has a sentence of this form, whatever is filled in."""
    form = re.compile(".+?".join(map(re.escape, _HOLE.split(text))))
    return any(form.fullmatch(each) for name in ("note-de", "said-de") for each in catalogue(name))


def test_every_sentence_of_the_code_has_german_words() -> None:
    said = {
        each
        for file, functions in _NOTES.items()
        for text in _said(file, functions)
        for each in _sentences(text)
        if _WHOLE.fullmatch(each)
    }
    assert len(said) > 60
    assert sorted(each for each in said if not _is_known(each)) == []


@pytest.mark.slow
@pytest.mark.parametrize(("method", "model"), PAIRS)
def test_every_sentence_of_a_note_is_told_in_german(method: str, model: str) -> None:
    promised = promises_of(model)[0]
    made = case_for(promised).release(promised, method)  # not the one the exams keep, which has fewer measures
    note = public_readme(made, "data.csv")
    assert untold(note, "de") == []


def test_every_form_of_a_promise_is_told_in_german() -> None:
    """Whatever its parameters: a stranger reads the very sentence."""
    given = {"k": (2, 5), "m": (1, 2, "inf"), "p": (1, 3), "eps": (0, 0.5), "l": (2,), "h": (0.5,), "t": (0.3,)}
    facts = [{}, {"some_sensitive": True}, {"free": 1}, {"free": 3}, {"all_free": True}]
    asked = {"name": "a b", "l": 3, "width": 5, "harmless": ["x"]}
    facts += [{"asked_by_column": [{**asked}, {"name": "c", "l": 2, "width": None, "harmless": []}]}]
    for name, model in MODELS.items():
        keys = [key for key in model.example if key in given]
        kinds = [{"kind": kind} for kind in ("frequency", "distinct", "entropy")] if name == "l" else [{}]
        kinds = [{"l": 2}, {}] if name == "k-eps" else [{"joint": True}, {}] if name == "sliced-l" else kinds
        for values, more, fact in product(product(*(given[key] for key in keys)), kinds, facts):
            parameters = {**model.example, **dict(zip(keys, values, strict=True)), **more}
            said = promise(name, parameters).in_words(**fact)
            assert untold(said, "de") == [], said
            together = said.replace("of this file", "of this file and the 3 earlier ones together")
            assert untold(together, "de") == [], together


def test_numbers_of_a_promise_are_the_same_in_both_languages() -> None:
    for name, model in MODELS.items():
        said = promise(name, dict(model.example)).in_words()
        told = note_in_language(said, "de")
        english, german = (sorted(re.findall(r"\d+(?:\.\d+)?", text)) for text in (said, told))
        assert english == german or set(german) <= set(english), (said, told)


def test_names_and_values_of_the_data_stay() -> None:
    note = "- `The promise`: as in the original.\n- `` a`b ``: slice 1. `An empty cell.` is a missing value.\n"
    assert note_in_language(note, "de") == (
        "- `The promise`: wie im Original.\n- `` a`b ``: Teil 1. `An empty cell.` ist ein fehlender Wert.\n"
    )
    assert note_in_language(note, "en") == note
    assert untold("What nobody foresaw. `a`: slice 1.", "de") == ["What nobody foresaw."]


JOB = """
[input]
source = "people.csv"
[columns.age]
role = "quasi"
[columns.town]
role = "plain"
[privacy]
model = "k"
k = 2
[release]
language = "{language}"
"""


@pytest.mark.parametrize(("said", "words", "language"), [("de", (), "de"), ("en", ("--language", "de"), "de"),
                                                         ("de", ("--language", "en"), "en")])  # fmt: skip
def test_a_job_says_the_language(said: str, words: tuple[str, ...], language: str, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,town\n30,Linz\n30,Graz\n40,Linz\n40,Wels\n", encoding="utf-8")
    job = write_job(tmp_path, JOB.format(language=said))
    ended = command("anonymize", job, "--no-attack", *words)
    assert ended.code == 0, ended.err
    note = (tmp_path / "out" / "public" / "README.md").read_text("utf-8")
    report = (tmp_path / "out" / "private" / "report.html").read_text("utf-8")
    assert ("## Das Versprechen" in note) == (language == "de") and f'<html lang="{language}">' in report
    assert ("Was es gekostet hat" in report) == (language == "de")
    assert f'language = "{language}"' in (tmp_path / "out" / "private" / "job.toml").read_text("utf-8")
    assert "`town`: wie im Original. Das Versprechen erfasst sie nicht." in note or language == "en"


def test_a_language_that_nobody_speaks_here_is_refused(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,town\n30,Linz\n30,Graz\n", encoding="utf-8")
    ended = command("anonymize", write_job(tmp_path, JOB.format(language="fr")))
    assert ended.code == 2 and "release.language" in ended.err and "one of en, de" in ended.err
