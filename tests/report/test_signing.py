"""The page to sign: what it says, in both languages, and the report's section on attackers."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from attack.test_attack_command import job as job
from support.commands import tacit
from tacit.promises import MODELS
from tacit.report.signing import _headings, _level, _promise
from tacit.report.signing_words import WORDS


@pytest.fixture
def made(job: Path) -> Path:
    text = job.read_text() + (
        "[release]\ntitle = 'Visits <2026>'\noperator = 'Clinic'\nreview = '2027-06-30'\nthreshold = 0.05\n"
    )
    job.write_text(text)
    assert tacit("anonymize", job).code == 0
    return job


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_page_has_all_that_is_signed(made: Path, language: str) -> None:
    out, page = made.parent / "out", made.parent / "page.html"
    done = tacit("attack", made, "--release", out, "--page", page, "--language", language)
    text, say = page.read_text("utf-8"), WORDS[language]
    assert done.code == 0 and f'lang="{language}"' in text and "Visits &lt;2026&gt;" in text
    for key in ("highest", "average", "uniques_all", "singling-out", "linkability", "inference", "composition",
                "not_tested", "sign_officer", "sign_operator", "legal_basis", "review"):  # fmt: skip
        assert say[key] in text, key
    for limit in ("0.05", "0.09"):
        assert f"{say['above']} {limit.replace('.', say['point'])}" in text
    assert f"{'k-Anonymität' if language == 'de' else 'k-anonymity'} (k = 3)" in text
    data = (out / "public/data.csv").read_bytes()
    assert hashlib.sha256(data).hexdigest() in text
    key = bytes.fromhex((out / "private/key").read_text().strip())
    original = (made.parent / "in.csv").read_bytes()
    assert hmac.new(key, original, "sha256").hexdigest() in text
    assert hashlib.sha256(original).hexdigest() not in text, "a plain digest lets guesses be confirmed"
    assert "p3" not in text and "ISO 27559 7.3.2" in text and "ISO/IEC 27559:2022" in text


@pytest.mark.parametrize(
    ("name", "promise", "level", "shown"),
    [
        ("km", {"k": 5, "m": 2},
            {"k_for_this_m": 9, "k_is_exact": True, "m_for_this_k": 2, "m_is_exact": False, "m_cap": 7},
            "k = 9 (m = 2), m ≥ 2 (k = 5)"),
        ("rating-km", {"k": 5, "m": 2}, {"k_for_this_m": 6, "k_is_exact": False}, "k ≤ 6 (m = 2)"),
        ("sliced-l", {"l": 4}, {"l": 4.0, "l_is_exact": True}, "l = 4.0"),
        ("k", {"k": 5}, {}, ""),
    ],
)  # fmt: skip
def test_the_level_is_in_the_letters_of_the_promise(
    name: str, promise: dict[str, int], level: dict[str, Any], shown: str
) -> None:
    job = SimpleNamespace(promise=MODELS[name](**promise))
    assert _level(WORDS["en"], job, level) == shown  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("language", "asked", "reached"),
    [("en", "(l = 1.6, joint = false)", "l = 1.6"), ("de", "(l = 1,6, joint = false)", "l = 1,6")],
)
def test_parameters_are_written_as_in_the_job_but_for_the_sign_of_decimals(
    language: str, asked: str, reached: str
) -> None:
    job: Any = SimpleNamespace(promise=MODELS["sliced-l"](l=1.6))
    (promised, _) = _promise(WORDS[language], job, None)
    assert asked in promised[1] and _level(WORDS[language], job, {"l": 1.6}) == reached


def test_the_attack_that_gains_most_is_shown_beside_what_is_known_without_the_file() -> None:
    def attack(name: str, success: float, baseline: float) -> dict[str, Any]:
        return {"name": name, "heading": "inference", "knows": "it", "success": success, "interval": [0, 1],
            "baseline": baseline, "bound": None}  # fmt: skip

    found = {"attacks": [attack("sure", 0.99, 0.98), attack("gains", 0.5, 0.1)], "verdict": {"above_bound": []}}
    (row,) = [row for row in _headings(WORDS["en"], found) if row[0] == "Inference"]
    assert row[1] == "gains (it)" and row[4] == "10.00%"


def test_both_languages_say_the_same() -> None:
    assert set(WORDS["en"]) == set(WORDS["de"])


def test_the_report_has_a_section_on_attackers(made: Path) -> None:
    page = (made.parent / "out/private/report.html").read_text("utf-8")
    assert "What attackers get" in page and "known-values" in page and "records with a risk above 0.05" in page


def test_a_page_that_cannot_be_written(made: Path) -> None:
    done = tacit("attack", made, "--page", made.parent / "no" / "page.html")
    assert done.code == 2 and "cannot be written" in done.err


def test_people_held_out_are_a_control_now_and_later(made: Path) -> None:
    out = made.parent / "held"
    done = tacit("anonymize", made, "--attack-control", 0.25, "-o", out, "--json")
    assert done.code == 0 and "3 people were held out" in str(done.json()["notes"])
    rows = (out / "private/rows.csv").read_text().split()[1:]
    assert len(rows) == 9 and len({row.split(",")[1] for row in rows}) == 9
    found = tacit("attack", made, "--release", out, "--json").json()
    (one,) = [each for each in found["attacks"] if each["name"] == "known-values"]
    assert one["control"] is not None and one["tried"] == 9
    assert one["residual"] == pytest.approx((one["success"] - one["control"]) / (1 - one["control"]))
    assert tacit("anonymize", made, "--attack-control", 0.01, "-o", made.parent / "x").code == 2
