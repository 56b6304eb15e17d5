"""The pictures of the tutorials: which there are, and what of a report is in each."""

from __future__ import annotations

from tools.pictures import IMAGES, PICTURES, piece

REPORT = (
    "<head><style>@media screen and (prefers-color-scheme: dark) { }</style></head><body><h1>Release</h1>"
    '<h2>One</h2><p>first</p><div class="charts"><figcaption>A &amp; B</figcaption></div><h2>Two</h2><p>second</p>'
    "<p>The rest:</p></body>"
)


def test_every_picture_is_drawn_by_the_tool() -> None:
    assert {picture.name for picture in IMAGES.iterdir()} == {f"{name}.png" for name in PICTURES}


def test_a_picture_begins_with_its_heading_and_ends_before_the_other() -> None:
    shown = piece(REPORT, "One", "Two")
    assert "<h2>One</h2><p>first</p>" in shown
    assert "Release" not in shown and "Two" not in shown
    assert "prefers-color-scheme" not in shown, "pictures are drawn by day"


def test_it_may_begin_with_a_chart_and_end_anywhere() -> None:
    shown = piece(REPORT, "A & B", "The rest:")
    assert "second" in shown and "<h2>One" not in shown and "The rest" not in shown
    assert shown.index('<div class="charts">') < shown.index("A &amp; B")
