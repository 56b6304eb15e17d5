"""The pictures of README and tutorials: which there are, and what of a report is in each."""

from __future__ import annotations

from tools.pictures import DOCS, PICTURES, page_of

REPORT = (
    "<head><style>@media screen and (prefers-color-scheme: dark) { }</style></head><body><h1>Release</h1>"
    '<h2>One</h2><p>first</p><div class="charts"><figcaption>A &amp; B</figcaption></div><h2>Two</h2><p>second</p>'
    "<p>The rest:</p></body>"
)


def test_every_picture_is_drawn_by_the_tool() -> None:
    there = {*(DOCS / "tutorials" / "images").iterdir(), DOCS / "images" / "report.png"}
    assert there == {DOCS / f"{name}.png" for name in PICTURES}


def test_a_picture_begins_with_its_heading_and_ends_before_the_other() -> None:
    shown = page_of(REPORT, [("One", "Two")])
    assert "<h2>One</h2><p>first</p>" in shown
    assert "Release" not in shown and "Two" not in shown
    assert "prefers-color-scheme" not in shown, "pictures are drawn by day"


def test_it_may_begin_with_a_chart_and_end_anywhere() -> None:
    shown = page_of(REPORT, [("A & B", "The rest:")])
    assert "second" in shown and "<h2>One" not in shown and "The rest" not in shown
    assert shown.index('<div class="charts">') < shown.index("A &amp; B")


def test_it_may_have_several_pieces_and_does_not_begin_what_is_folded() -> None:
    folded = REPORT.replace("<p>The rest:</p>", "<details><summary>The rest:</summary>third</details>")
    shown = page_of(folded, [("Release", "One"), ("Two", "The rest:")], "p { color: red }")
    assert "<h1>Release</h1><h2>Two</h2><p>second</p><script>" in shown and "p { color: red }" in shown
