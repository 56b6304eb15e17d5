"""A report in another language: the HTML that was drawn, with our words replaced and every value left as it is.

A report is drawn once, in English. Its HTML tells what is ours: headings, paragraphs, captions, heads of tables, cells
marked `said`, titles of axes and legends. Short words are looked up by where they stand, so that a column of the data
that happens to be called "records" keeps its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from html import escape, unescape
from importlib.resources import files

from tacit.languages import Phrases, teller, written

_ELEMENT = re.compile(r"<(title|h1|h2|p|summary|strong|figcaption|th|td|small)((?: [^<>]*)?)>((?:[^<]|<br>)*)</\1>")
_VERDICT = re.compile(r'(<div class="verdict[^"]*">)(.*?)(?=<strong>|<details|</div>)', re.S)
_LABELLED = re.compile(r'(<div role="img" aria-label=")([^"]*)')
_AXIS = re.compile(r'(<g class="mark-text role-(?:axis-title|legend-label)"[^>]*>)(.*?)</g>', re.S)
_TICKS = re.compile(r'(<g class="mark-text role-axis-label"[^>]*>)(.*?)</g>', re.S)
_SVG_TEXT = re.compile(r"(<text[^>]*>)([^<]*)(?=</text>)")
_MORE_NODES = re.compile(r"<span>(… and [^<]*)</span>")
_LANGUAGE = '<html lang="{}">'
_TOLD = re.compile('<html lang="(?!en")')
"""The beginning of a report that is in another language already."""
Told = Callable[[str], str]


@cache
def _words(language: str, place: str) -> Phrases:
    """The short words of one place."""
    known = json.loads((files("tacit.languages") / f"report-{language}.json").read_text("utf-8"))
    return Phrases(known[place], language)


def in_language(html: str, language: str) -> str:
    """A whole report, or a part of one, in a language; what nobody translated stays English.

    >>> in_language('<h2>What it cost</h2><th>records</th><th class="of-data">records</th><td>records</td>', "de")
    '<h2>Was es gekostet hat</h2><th>Datensätze</th><th class="of-data">records</th><td>records</td>'
    """
    if language == "en" or _TOLD.search(html):
        return html
    tell = _Tell(language)
    html = _VERDICT.sub(lambda found: found[1] + tell.lines(found[2]), html)
    html = _ELEMENT.sub(tell.element, html)
    html = _LABELLED.sub(lambda found: found[1] + _escaped(found[2], tell.caption), html)
    html = _AXIS.sub(lambda found: found[1] + tell.texts(found[2], tell.axis) + "</g>", html)
    html = _TICKS.sub(lambda found: found[1] + tell.ticks(found[2]) + "</g>", html)
    html = _MORE_NODES.sub(lambda found: f"<span>{_escaped(found[1], tell.sentence)}</span>", html)
    return html.replace(_LANGUAGE.format("en"), _LANGUAGE.format(language), 1)


class _Tell:
    """What stands in each place of a report, in a language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.sentence = teller(language)

    def element(self, found: re.Match[str]) -> str:
        tag, attributes, inside = found.groups()
        if tag in ("p", "summary", "strong"):
            told = self.lines(inside)
        elif tag == "th":
            told = inside if "of-data" in attributes else _escaped(inside, self.head)
        elif tag == "td":
            told = self._cell_in(attributes, inside)
        else:
            places: dict[str, Told] = {"figcaption": self.caption, "small": self.cell}
            told = _escaped(inside, places.get(tag, self.heading))
        return f"<{tag}{attributes}>{told}</{tag}>"

    def _cell_in(self, attributes: str, inside: str) -> str:
        if 'class="number' in attributes:
            return written(inside, self.language)
        return _escaped(inside, self.cell) if " said" in attributes else inside

    def lines(self, html: str) -> str:
        return "<br>".join(_escaped(line, self.sentence) for line in html.split("<br>"))

    def texts(self, svg: str, told: Told) -> str:
        return _SVG_TEXT.sub(lambda found: found[1] + _escaped(found[2], told), svg)

    def ticks(self, svg: str) -> str:
        """Numbers along an axis, or what became of ratings, if all of its labels are: others are the data's."""
        labels = [unescape(found[2]) for found in _SVG_TEXT.finditer(svg)]
        swapped = [written(label, self.language) for label in labels]
        if all(label.isdecimal() or label != other for label, other in zip(labels, swapped, strict=True)):
            return self.texts(svg, lambda label: written(label, self.language))
        is_ours = all(_words(self.language, "fates")(label) for label in labels)
        return self.texts(svg, lambda label: self._at("fates", label)) if is_ours else svg

    def heading(self, text: str) -> str:
        return self._at("headings", text)

    def caption(self, text: str) -> str:
        return self._at("captions", text)

    def head(self, text: str) -> str:
        return self._at("heads", text)

    def axis(self, text: str) -> str:
        return self._at("axes", text)

    def cell(self, text: str) -> str:
        """Words in a table; several of them, such as a range and its better end, each by itself."""
        whole = self.sentence(text)
        if whole != text:
            return whole
        return "; ".join(self._at("cells", each) for each in text.split("; "))

    def _at(self, place: str, text: str) -> str:
        found = _words(self.language, place)(text)
        return text if found is None else found


def _escaped(html: str, told: Told) -> str:
    """Text of HTML, told, as HTML again."""
    return escape(told(unescape(html)), quote=True) if html else html
