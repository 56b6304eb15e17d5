"""What attackers say, in German: every sentence that their code can say, and nothing that it cannot."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

import tacit
from tacit.report.attack_words import GERMAN, in_german, said
from tacit.report.attacks import attack_section
from tacit.report.blocks import Block, Folded, Grid, Text

ATTACK = Path(tacit.__file__).parent / "attack"


def _sentences() -> set[str]:
    """Every text of a reason, or of what is known, as it stands in the code; `{}` where something is filled in."""
    found = set()
    for file in ATTACK.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("nothing", "Outcome"):
                found |= {_text(each) for each in node.args if isinstance(each, ast.Constant | ast.JoinedStr)}
            if isinstance(node, ast.keyword) and node.arg in ("no_control", "why") and node.value is not None:
                found.add(_text(node.value))
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "").isupper():
                found.add(_text(node.value))
    return {each for each in found if " " in each and not each.startswith(("tacit", "["))}


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values)
    return ""


def test_all_that_the_code_says_has_german_words() -> None:
    sentences = _sentences()
    assert len(sentences) > 30
    open_ends = [re.compile(re.escape(each).replace(r"\{\}", ".*"), re.DOTALL) for each in sentences]
    for sentence, pattern in zip(sentences, open_ends, strict=True):
        filled = [in_german(sentence.replace("{}", each)) for each in ("2", "")]
        assert any(filled) or any(pattern.fullmatch(each) for each in GERMAN), sentence


def test_what_is_filled_in_is_the_same_in_both() -> None:
    for english, german in GERMAN.items():
        assert sorted(re.findall(r"\{(\w+)\}", english)) == sorted(re.findall(r"\{(\w+)\}", german)), english


def _texts(blocks: Sequence[Block]) -> Iterator[str]:
    """All words of a report that are ours: paragraphs, titles, and cells that are no numbers."""
    for block in blocks:
        match block:
            case Text(text):
                yield text
            case Folded(title, inner):
                yield title
                yield from _texts(inner)
            case Grid(rows):
                yield from (cell for row in rows for cell in row if type(cell) is str and cell)


def test_the_section_of_the_report_is_german_throughout() -> None:
    """Of a file that keeps its promise, and of one that does not: there, advice is given."""
    table = pa.table({"age": [*range(20, 60)], "sex": ["f", "m"] * 20, "ill": ["flu", "cold", "pox", "ache"] * 10})
    roles = {"quasi": ["age", "sex"], "sensitive": "ill"}
    made = tacit.anonymize(table, tacit.KAnonymity(5), **roles, seed=1)
    for shown, rows in ((made.data, made.original), (table, range(40))):
        found = tacit.attack(table, shown, tacit.KAnonymity(5), rows=rows, **roles)
        texts = list(_texts(attack_section(found).blocks))
        assert len(texts) > 30 and bool(found.above()) == (shown is table)
        assert not [text for text in texts if in_german(text) is None]


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("all quasi-identifiers and 2 items, at random", "alle Quasi-Identifikatoren und 2 zufällige Posten"),
        ("the quasi-identifiers; guesses all other items", "die Quasi-Identifikatoren; rät alle anderen Posten"),
        ("1.5%\u00a0to\u00a012.0%", "1,5\u00a0%\u00a0bis\u00a012,0\u00a0%"),
        ("12 columns: a, b and 10 more", "12 Spalten: a, b und 10 weitere"),
        ("the quasi-identifiers and up to 2 other items; guesses a sensitive item",
            "die Quasi-Identifikatoren und bis zu 2 andere Posten; rät einen vertraulichen Posten"),
        ("a in one hand, in one hand in the other", "a in einer Hand, in one hand in der anderen"),
    ],
)  # fmt: skip
def test_parts_are_translated_and_names_are_not(english: str, german: str) -> None:
    assert said(english, "de") == german and said(english, "en") == english
