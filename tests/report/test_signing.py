"""The page to sign: what it says, in both languages, and the report's section on attackers."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

import pytest

from attack.test_attack_command import job as job
from support.commands import tacit
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
    assert f"{say['above']} 0.05" in text and f"{say['above']} 0.09" in text and "k = 3" in text
    data = (out / "public/data.csv").read_bytes()
    assert hashlib.sha256(data).hexdigest() in text
    key = bytes.fromhex((out / "private/key").read_text().strip())
    original = (made.parent / "in.csv").read_bytes()
    assert hmac.new(key, original, "sha256").hexdigest() in text
    assert hashlib.sha256(original).hexdigest() not in text, "a plain digest lets guesses be confirmed"
    assert "p3" not in text and "ISO/IEC 27559:2022 7.3.2" in text


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
