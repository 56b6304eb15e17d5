"""The page that a data protection officer signs: every number with the field of a template and the clause that it
answers. It opens offline and prints on paper; a browser's print makes a PDF of it."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

from tacit.attack.base import COMPOSITION
from tacit.errors import InputError
from tacit.io.fingerprint import file_sha256
from tacit.io.keys import read_key
from tacit.job import Job
from tacit.languages import teller
from tacit.report.attack_words import said
from tacit.report.html import STYLE
from tacit.report.signing_words import WORDS
from tacit.report.words import setting

_OWN = """
.signing h1 { font-size: 1.35rem } .signing h2 { font-size: 1rem; margin: .8rem 0 .2rem }
.signing { font-size: .85rem; line-height: 1.35 } .signing td, .signing th { padding: .12rem .4rem }
.signing .field, .signing .cited { color: var(--dim); font-size: .72rem }
.signing .cited { margin: .4rem 0 0 } .signing .hash { overflow-wrap: anywhere }
.lines { display: flex; gap: 3rem; margin-top: 2.2rem } .lines div { flex: 1; border-top: 1px solid var(--ink) }
@page { size: A4; margin: 11mm 13mm }
@media print {
  .signing { font-size: 8.2pt; line-height: 1.22; padding: 0; margin: 0; max-width: none }
  .signing h1 { font-size: 12pt; margin: 0 0 .2rem } .signing h2 { font-size: 9pt; margin: .35rem 0 .05rem }
  .signing table { margin: 0 } .signing td, .signing th { padding: .03rem .25rem }
  .signing .field, .signing .cited { font-size: 8pt }
  .lines { margin-top: 2.4rem; break-inside: avoid }
}
"""
_BLOCK = 1 << 20
_ISO = "ISO 27559"
"""As cells cite it; what it is called in full stands below them, as that of the templates and the opinion."""
_RISK = "EMA/HC: Risk Assessment"


def write_page(
    found: Mapping[str, Any], job: Job, file: Path, *, release: Path | None = None, language: str = "en"
) -> Path:
    """Writes the page on what was found; with a release, its level, its hashes and who answers for it."""
    check_page(file)
    file.write_text(signing_page(found, job, release=release, language=language), encoding="utf-8")
    return file


def check_page(file: Path) -> None:
    """Refuses a place where no page can be written, before anything is played."""
    if file.is_dir() or not file.absolute().parent.is_dir():
        raise InputError("the page cannot be written there", file=file, hint="Name a file in a directory that exists.")


def signing_page(
    found: Mapping[str, Any], job: Job, *, release: Path | None = None, language: str = "en", today: str | None = None
) -> str:
    """The page as HTML."""
    say = WORDS[language]
    today = today or datetime.now(UTC).date().isoformat()
    about = job.about
    title = f"{say['title']}: {about.title or say['untitled']}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        _table(_who(say, about, today)),
        f"<h2>{say['promise']}</h2>", _table(_promise(say, job, release)),
        f"<h2>{say['risk']}</h2>",
        _table(_risk(say, found), tuple(say[key] for key in ("figure", "before", "after", "answers"))),
        f"<h2>{say['headings']}</h2>",
        _table(
            _headings(say, found),
            tuple(say[key] for key in ("heading", "worst", "before", "after", "baseline", "bound", "answers")),
        ),
        f"<h2>{say['not_tested']}</h2>", _table(_untested(say, found)),
        f"<h2>{say['files']}</h2>", _table(_hashes(say, job, release)),
        f'<p class="cited">{escape(say["cited"])}</p>',
        f'<div class="lines"><div>{say["sign_operator"]}</div><div>{say["sign_officer"]}</div></div>',
    ]  # fmt: skip
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}{_OWN}</style></head>\n'
        f'<body class="signing">{"".join(parts)}</body></html>\n'
    )


def _table(rows: Iterator[tuple[str, ...]], head: tuple[str, ...] = ()) -> str:
    """Cells are escaped; those of the last column of a table with a head are small."""
    lines = [f"<tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr>"] if head else []
    for row in rows:
        cells = [f"<th>{escape(row[0])}</th>", *(f"<td>{escape(cell)}</td>" for cell in row[1:])]
        if head:
            cells[-1] = f'<td class="field">{escape(row[-1])}</td>'
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(lines)}</table>"


def _who(say: Mapping[str, str], about: Any, today: str) -> Iterator[tuple[str, ...]]:
    for key in ("operator", "recipient", "purpose", "legal_basis"):
        yield say[key], getattr(about, key) or say["not_said"]
    yield say["date"], today
    yield say["review"], about.review or say["not_said"]


def _promise(say: Mapping[str, str], job: Job, release: Path | None) -> Iterator[tuple[str, ...]]:
    parameters = ", ".join(f"{key} = {_setting(say, value)}" for key, value in job.promise.parameters().items())
    title = teller(say["language"])(job.promise.title)
    yield say["asked"], f"{title} ({parameters}); EMA/HC: Methodology; {_ISO} 7.3.4"
    if release is None:
        yield say["reached"], say["unknown_level"]
        return
    try:
        audit = json.loads((release / "private" / "audit.json").read_text("utf-8"))
    except (OSError, ValueError):
        audit = {}
    yield say["reached"], _level(say, job, audit.get("level") or {}) or say["unknown_level"]
    yield say["audit"], say["holds"] if audit.get("satisfied") is True else say["fails"]


def _level(say: Mapping[str, str], job: Job, level: Mapping[str, Any]) -> str:
    """What the audit says is reached, in the letters of the promise: `k = 9 (m = 2), m = 2 (k = 5)`."""
    asked, shown = job.promise.parameters(), []
    for key, value in level.items():
        if isinstance(value, bool) or key == "m_cap":
            continue
        name, _, other = key.partition("_for_this_")
        about = f" ({other} = {_setting(say, asked[other])})" if other in asked else ""
        bound = "≤" if name in job.promise.reached_at_most else "≥"
        shown.append(f"{name} {'=' if level.get(f'{name}_is_exact', True) else bound} {_setting(say, value)}{about}")
    return ", ".join(shown)


def _setting(say: Mapping[str, str], value: Any) -> str:
    """A parameter as a job has it, but for the sign of decimals."""
    return setting(value).replace(".", say["point"]) if isinstance(value, float) else setting(value)


def _risk(say: Mapping[str, str], found: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    was, now = found["before"] or {}, found["risk"]
    both = [each.get("prosecutor") for each in (was, now)]

    def shares(key: str) -> tuple[str, str]:
        one, two = (_percent(say, each and each[key]) for each in both)
        return one, two

    yield say["highest"], *shares("highest"), f"{_RISK} (initial, residual); {_ISO} 7.3.2"
    yield say["average"], *shares("average"), f"{_RISK} (initial, residual); {_ISO} 7.3.2"
    for limit in now["prosecutor"]["above"]:
        counts = [_count(say, each and each["records_above"].get(limit)) for each in both]
        clause = f"{_RISK} (threshold); {_ISO} 8.2.2" if limit == "0.09" else f"{_ISO} 8.2.2"
        yield f"{say['above']} {limit.replace('.', say['point'])}", counts[0], counts[1], clause
    uniques = [_count(say, each.get("uniques")) for each in (was, now)]
    yield say["uniques"], uniques[0], uniques[1], f"{_ISO} 8.2.2, B.1"
    everything = [_count(say, each["all_columns"]["uniques"] if each else None) for each in (was, now)]
    yield (
        say["uniques_all"],
        everything[0],
        everything[1],
        f"EMA/HC: Identification of Data Variables; {_ISO} 7.2.4, B.1",
    )
    population = [
        _percent(say, (each.get("population") or {}).get("uniqueness")) if each else "" for each in (was, now)
    ]
    yield say["population"], population[0], population[1], f"{_ISO} 7.3.3"


def _headings(say: Mapping[str, str], found: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    clauses = dict.fromkeys(("singling-out", "linkability", "inference"), f"WP 216; {_ISO} 8.2.3")
    tried = [each for each in found["attacks"] if each["success"] is not None]
    for heading, clause in clauses.items():
        played = [each for each in tried if each["heading"] == heading and each["name"] != COMPOSITION]
        if not played:
            yield say[heading], say["not_played"], "", "", "", "", clause
            continue
        worst = max(played, key=lambda each: (each["success"] - (each["baseline"] or 0), each["success"]))
        was = (worst.get("before") or {}).get("success")
        share, low, high = (_percent(say, each) for each in (worst["success"], *worst["interval"]))
        yield (
            say[heading], _attack(say, worst), _percent(say, was),
            f"{share} [{low}, {high}]", _percent(say, worst["baseline"]), _percent(say, worst["bound"]), clause,
        )  # fmt: skip
    above = {(each["name"], each["knows"]) for each in found["verdict"]["above_bound"]}
    told = " ".join(
        f"{_attack(say, each)}: {said(each['advice'], say['language'])}"
        for each in found["attacks"]
        if (each["name"], each["knows"]) in above
    )  # fmt: skip
    told = told or say["none_above"]
    yield say["verdict"], told, "", "", "", "", f"{_ISO} 8.2.3"
    together = [each for each in tried if each["name"] == COMPOSITION]
    both = max(together, key=lambda each: each["success"], default=None)
    text = say["no_other"]
    if both is not None:
        alone = f"{say['alone']}: {_percent(say, both['facts']['this_release_alone'])}"
        text = f"{_percent(say, both['success'])} ({said(both['knows'], say['language'])}); {alone}"
    yield say["composition"], text, "", "", "", "", f"{_ISO} 9.3.2"


def _untested(say: Mapping[str, str], found: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    missing = {each["name"]: each["why"] for each in found["attacks"] if each["success"] is None}
    missing |= found["not_played"]
    if not missing:
        yield say["everything"], ""
    for name, why in missing.items():
        yield said(name, say["language"]), said(why, say["language"])


def _attack(say: Mapping[str, str], attack: Mapping[str, Any]) -> str:
    """An attacker with what it knows."""
    return f"{said(attack['name'], say['language'])} ({said(attack['knows'], say['language'])})"


def _hashes(say: Mapping[str, str], job: Job, release: Path | None) -> Iterator[tuple[str, ...]]:
    if release is None:
        yield say["public_hash"], say["not_said"]
        return
    for file in sorted((release / "public").glob("data.*")):
        yield say["public_hash"], file_sha256(file)
    key = release / "private" / "key"
    if isinstance(job.input.source, Path) and job.input.source.is_file() and key.is_file():
        yield say["original_hmac"], keyed_digest(job.input.source, read_key(key))


def keyed_digest(file: Path, key: bytes) -> str:
    """HMAC-SHA-256 of a file: a plain digest would let a recipient confirm guesses at the original."""
    digest = hmac.new(key, digestmod="sha256")
    with file.open("rb") as content:
        while piece := content.read(_BLOCK):
            digest.update(piece)
    return digest.hexdigest()


def _percent(say: Mapping[str, str], share: float | None) -> str:
    if share is None:
        return "–"
    return f"{share:.2%}" if say["point"] == "." else f"{100 * share:.2f}".replace(".", say["point"]) + "\u00a0%"


def _count(say: Mapping[str, str], number: int | None) -> str:
    return "–" if number is None else f"{number:,}" if say["point"] == "." else f"{number:,}".replace(",", ".")
