"""`make pictures`: the pictures of README and tutorials, anew from the reports of the samples. It takes a Chromium.

Each picture is made of pieces of a report: from the heading that is named first to the words that are named last. Those
of `tacit serve` are taken while a browser goes through it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from html import escape
from pathlib import Path

from tacit.commands.samples import demo_job
from tacit.flow import anonymize_job
from tacit.shuffle import KEY_BYTES
from tools.page_pictures import draw_pages

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PICTURES = {
    "images/report": (
        "baskets",
        (
            ("Release: km (k = 5, m = 2)", "What it cost"),
            ("What is shown in items", "The hierarchy, node by node"),
            ("How frequent the items are", "Some records, before and after"),
        ),
    ),
    "tutorials/images/baskets-cut": ("baskets", (("The hierarchy and its cut", "Some records, before and after"),)),
    "tutorials/images/ratings-became": (
        "ratings",
        (("What became of the ratings", "Whom the closest row gives away"),),
    ),
    "tutorials/images/records-frontier": (
        "records",
        (("Between values and items: the frontier", "Groups of records with equal quasi-identifiers"),),
    ),
    "tutorials/images/records-groups": (
        "records",
        (("Groups of records with equal quasi-identifiers", "Values, before and after"),),
    ),
    "tutorials/images/records-values": ("records", (("Values, before and after", "Baskets, before and after"),)),
    "tutorials/images/slices-bucket": ("slices", (("One bucket, before and after", "How it was made"),)),
    "tutorials/images/slices-correlations": (
        "slices",
        (("Correlations before and after", "The pairs that lost most:"),),
    ),
}
"""Of each picture the sample, and of each piece the heading that it begins with, and the words that it ends before."""
SHORT = {"images/report": "tr:nth-child(n + 7) { display: none }"}
"""What is left out of a picture."""
WIDTH = 960
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
MEASURE = "<script>document.title = 'height ' + Math.ceil(document.body.getBoundingClientRect().height)</script>"
STARTS = r'<h[12]>|<div class="charts">'


def page_of(report: str, pieces: Iterable[tuple[str, str]], style: str = "") -> str:
    """The page with nothing but these pieces, by day."""
    head, body = report.split("<body>", 1)
    light = head.replace("@media screen and (prefers-color-scheme: dark)", "@media not all")
    own = (
        f"<style>body {{ padding-top: 0 }} body > :first-child {{ margin-top: 0; padding-top: .6rem }} {style}</style>"
    )
    shown = "".join(piece(body, first, last) for first, last in pieces)
    return f"{light}{own}<body>{shown}{MEASURE}</body></html>"


def piece(body: str, first: str, last: str) -> str:
    """From the heading to what stands before the last words; a part that folds them is not begun."""
    begin = max(found.start() for found in re.finditer(STARTS, body[: body.index(f">{escape(first)}<") + 1]))
    end = body.rindex("<", 0, body.index(f">{escape(last)}<", begin))
    return re.sub(r"<details[^>]*>\s*$", "", body[begin:end])


def draw(page: Path, picture: Path, browser: str) -> None:
    """Looks how high the page is, then at all of it."""
    told = looked_at(browser, page, "--dump-dom", f"--window-size={WIDTH},600")
    height = re.search(r"<title>height (\d+)</title>", told)
    if height is None:
        raise SystemExit(f"{browser} does not show {page}")
    looked_at(browser, page, f"--screenshot={picture}", f"--window-size={WIDTH},{height[1]}")


def looked_at(browser: str, page: Path, *options: str) -> str:
    always = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=2000")
    return subprocess.run(
        [browser, *always, *options, page.as_uri()], check=True, text=True, capture_output=True
    ).stdout


def main() -> None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise SystemExit(f"pictures need a browser: one of {', '.join(BROWSERS)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for picture, (sample, pieces) in PICTURES.items():
            report = folder / sample / "private" / "report.html"
            if not report.exists():
                with demo_job(sample, folder / sample) as job:
                    anonymize_job(job, key=bytes(KEY_BYTES))  # the same pictures from the same code
            page = folder / f"{Path(picture).name}.html"
            page.write_text(page_of(report.read_text("utf-8"), pieces, SHORT.get(picture, "")), "utf-8")
            draw(page, DOCS / f"{picture}.png", browser)
            print(f"drew: {picture}.png", file=sys.stderr)
    for drawn in draw_pages(DOCS / "images", browser):
        print(f"drew: images/{drawn}.png", file=sys.stderr)


if __name__ == "__main__":
    main()
