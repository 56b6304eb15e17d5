"""Settings as a job file has them, so that they can be copied from what people read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.promises import Promise
    from tacit.release import Release


def setting(value: Any) -> str:
    """A value as TOML writes it; texts without their quotes.

    >>> setting(False), setting(0.65), setting("inf")
    ('false', '0.65', 'inf')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def parameters(promise: Promise) -> str:
    """The parameters of a promise on a line."""
    return ", ".join(f"{key} = {setting(value)}" for key, value in promise.parameters().items())


def promised(release: Release) -> str:
    """The promise in words; if it was audited together with earlier releases, it is one about all of them."""
    words = release.job.promise.in_words(**release.kind.facts_for_words(release.before))
    return words if release.published_before is None else of_all(words, len(release.published_before))


def of_all(words: str, earlier: int) -> str:
    """Words about a file as words about it and so many earlier ones.

    >>> of_all("2 baskets of this file.", 3)
    '2 baskets of this file and the 3 earlier ones together.'
    """
    return words.replace("of this file", f"of this file and {earlier_ones(earlier)} together")


def earlier_ones(count: int) -> str:
    """So many files, or releases, that came before."""
    return "the earlier one" if count == 1 else f"the {count:,} earlier ones"
