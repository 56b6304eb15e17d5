"""There is a tutorial for every sample, with pictures. What the tutorials print is seen to in `test_readme`."""

from __future__ import annotations

from support.pages import ROOT, examples

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
_MOST_BYTES = 150_000


def test_there_is_a_tutorial_for_every_sample() -> None:
    from tacit.commands.samples import SAMPLES

    pages = [page for page in TUTORIALS if page.stem in SAMPLES]
    assert {page.stem for page in pages} == set(SAMPLES)
    for page in pages:
        text = page.read_text("utf-8")
        assert f"samples/{page.stem}" in text
        assert "](images/" in text, "a tutorial has a picture"
        assert {example.kind for example in examples(text)} == {"console"}, "tutorials are about commands"


def test_pictures_are_small() -> None:
    pictures = sorted((ROOT / "docs" / "tutorials" / "images").iterdir())
    assert pictures
    assert [picture.name for picture in pictures if picture.stat().st_size > _MOST_BYTES] == []
