"""private/report.html: one self-contained page for the data's owner. Records first, drawing second."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.languages.reports import in_language
from tacit.report.attacks import attack_section
from tacit.report.blocks import Block, Folded, Grid, Number, Section, Text, Words, all_words
from tacit.report.html import document, verdict
from tacit.report.making import making
from tacit.report.meanings import MEASURES, Measure
from tacit.report.persons import about_persons
from tacit.report.words import parameters, promised

if TYPE_CHECKING:
    from tacit.release import Release, Verdict
    from tacit.report.engine import Engine

_MOST_PARTS = 12
_FIRST = (
    *("unchanged", "kept", "generalized", "moved_ratings", "suppressed", "nothing_told"),
    *("unchanged_items", "suppressed_items", "nothing_told_items"),
    *("correlation_kept", "count_error", "are", "are_values", "are_items", "are_items_even"),
    *("item_frequency_error", "issue_mean_error"),
)
"""What is told first: what is still there, and how far off counts are; losses by their formulas come later."""
_BY_ATTRIBUTE = "_by_attribute"
_FAILED = "Do not hand this data on: it is not safe, or not true."


def report_page(release: Release, found: Verdict, output_hash: str | None = None, engine: Engine | None = None) -> str:
    """The whole page, in the language that the job says."""
    return in_language(_in_english(release, found, output_hash, engine), release.job.about.language or "en")


def _in_english(release: Release, found: Verdict, output_hash: str | None, engine: Engine | None) -> str:
    """The whole page. That of a release that failed says so first, and does not describe data that must not go out.

    Nothing else has to be reworded for it: no words that a failed page can hold, be they of a promise, an audit, a
    measure or a note, speak of data as handed on. Values of the data are never touched. With an `engine`, it draws
    while the rest of the page is made.
    """
    described: Sequence[Section] = release.kind.sections(release) if found.in_order and not release.on_engine else ()
    if engine is not None:
        described = engine.draw_ahead(described)
    sections = [
        Section("The promise" if found.in_order else "The promise that was asked for", [*_promise(release)]),
        Section("What it cost", [*_cost(release.utility)]) if found.in_order else _would_have_cost(release),
        *([all_words(attack_section(release.attacked))] if release.attacked is not None and found.in_order else []),
        *described,
        Section("How it was made", [*making(release, output_hash)]),
    ]
    lines = str(found.audit).splitlines()
    if found.in_order:
        (first, *rest), doubts = _short_verdict(found), release.kind.tells_nothing(release.utility)
        return document(_title(release), [verdict([first], good=True, doubts=doubts, more=rest)], sections)
    false = [f"Not true to the original: {problem}" for problem in found.problems]
    title = f"NOT SAFE. {_title(release)}" if found.audit.satisfied is not True else f"NOT TRUE. {_title(release)}"
    return document(title, [verdict([_FAILED, *lines, *false], good=False)], sections)


def _short_verdict(found: Verdict) -> list[str]:
    """The verdict and what was found, on a line; and what else the audit says, which may be long."""
    head, *rest = found.audit.explanation or ("",)
    return [f"{found.audit.in_short()} {head}".strip(), *rest]


def _title(release: Release) -> str:
    return f"Release: {release.job.promise.name} ({parameters(release.job.promise)})"


def _promise(release: Release) -> Iterator[Block]:
    promise = release.job.promise
    yield Text(f"{promise.title} with {parameters(promise)}: {promised(release)}")
    yield Text(f"What it does not stop: {promise.not_stopped.replace('`', '')}")
    yield from map(Text, about_persons(release))
    plain = ", ".join(column.name for column in release.job.columns_with("plain"))
    if plain:
        yield Text(f"Shown as in the original, and not protected by the promise: {plain}", is_note=True)
    if release.published_before is not None:
        yield Text(
            "Audited together with the earlier releases that this one adds to; not shown for this file alone:",
            is_note=True,
        )
        yield Grid([(each["directory"], each["sha256"]) for each in release.deliveries], ("directory", "SHA-256"))
    yield from (Text(note, is_note=True) for note in release.notes)


def _would_have_cost(release: Release) -> Section:
    """Measures are of the decision, not of data that failed, which may be another: said, so that nobody mixes them."""
    of_what = "Measured on what the search decided, not on the data that failed the check above."
    return Section("What it would have cost", [Text(of_what, is_note=True), *_cost(release.utility)])


def _cost(utility: Mapping[str, Any]) -> Iterator[Block]:
    """All measures; those of many numbers can be opened, and share a table if they are about the same things.

    What an attack came to (a list) has a section of its own.
    """
    utility = {key: value for key, value in utility.items() if not isinstance(value, list)}
    by_attribute = {key: utility.pop(key) for key in [*utility] if key.endswith(_BY_ATTRIBUTE)}
    long = {key: value for key, value in utility.items() if isinstance(value, Mapping) and len(value) > _MOST_PARTS}
    head = ("measure", "value", "range")
    in_order = sorted(utility, key=lambda key: _FIRST.index(key) if key in _FIRST else len(_FIRST))
    short = {key: utility[key] for key in in_order if key not in long}
    papers = {key: value for key, value in short.items() if MEASURES.get(key, Measure(key)).of_papers}
    yield Grid([*measures({key: value for key, value in short.items() if key not in papers})], head)
    if by_attribute:
        yield Text("Attribute by attribute, as shares of the records:")
        yield _by_attribute(by_attribute)
    if papers:
        yield Folded("Measures of papers and other tools, to compare with them", [Grid([*measures(papers)], head)])
    shared: dict[tuple[str, ...], list[str]] = {}
    for key, value in long.items():
        shared.setdefault(tuple(value), []).append(key)
    for parts, keys in shared.items():
        rows = [(part, *(long[key][part] for key in keys)) for part in parts]
        about = [MEASURES.get(key, Measure(key)) for key in keys]
        title = "; ".join((*(one.meaning for one in about), *dict.fromkeys(filter(None, map(_range, about)))))
        yield Folded(title, [Grid(rows, ("", *(one.short or one.meaning for one in about)))])


def _by_attribute(found: Mapping[str, Mapping[str, float]]) -> Grid:
    """What is left of each attribute: shown as it was first, the loss last."""
    order = [f"{key}{_BY_ATTRIBUTE}" for key in ("unchanged", "suppressed", "ncp")]
    unchanged, suppressed, ncp = (found[key] for key in order)
    shares = [
        (name, (unchanged[name], 1 - unchanged[name] - suppressed[name], suppressed[name], ncp[name]))
        for name in unchanged
    ]
    rows = [(name, *(Number(f"{abs(round(share, 6)):.1%}") for share in each)) for name, each in shares]
    named = [MEASURES[key].short for key in order]
    return Grid(rows, ("attribute", named[0], "group, set or range", *named[1:]))


def measures(utility: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """Each measure in words, what it came to, and its range with the better end; several numbers take a row each."""
    for key, value in utility.items():
        about = MEASURES.get(key, Measure(key))
        parts = value if isinstance(value, Mapping) else {"": value}
        for part, number in parts.items():
            yield Words(about.named(part) if part else about.meaning), number, Words(_range(about))


def _range(about: Measure) -> str:
    return "; ".join(filter(None, (about.range, about.better and f"{about.better} is better")))
