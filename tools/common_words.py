"""Makes the lists of words that nobody is called, and of names: by these `tacit init` tells classes from people.

    pip install wordfreq simplemma faker names
    python tools/common_words.py

The most frequent words of each language, if a dictionary of it knows them, without those that are the name of a
person somewhere. Those of one or two letters are left out: they may be initials, or abbreviations of anything.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path

from tacit.init.vocabulary import family_names, given_names, plain

_FOLDER = Path(__file__).parent.parent / "src/tacit/init/words"
_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "pl", "fi", "nb", "cs", "hu", "ro", "tr")
_MOST_FREQUENT = 15_000
_MOST_OF_ENGLISH = 55_000
"""Its dictionary has technical words, which other languages share."""
_FAMILIES = 10_000
"""So many families of the United States are left out of the words."""
SHORTEST = 3


def names_of_people() -> set[str]:
    """The names of all countries that Faker knows, part by part."""
    faker = import_module("faker.config")
    people: set[str] = set()
    for locale in faker.AVAILABLE_LOCALES:
        try:
            provider = import_module(f"faker.providers.person.{locale}").Provider
        except ModuleNotFoundError:
            continue
        lists = (getattr(provider, name) for name in dir(provider) if "name" in name)
        texts = (text for each in lists if isinstance(each, tuple | list | dict | set) for text in each)
        people |= {plain(part) for text in texts if isinstance(text, str) for part in re.split(r"[ \-'’]", text)}
    return people | given_names() | family_names()


def words_of_language(language: str) -> Iterator[str]:
    """Frequent words of a language that its dictionary has; German writes things with a capital."""
    frequent, is_known = import_module("wordfreq").top_n_list, import_module("simplemma").is_known
    for word in frequent(language, 4 * _most_of(language)):
        if is_known(word, language) or (language == "de" and is_known(word.capitalize(), language)):
            yield word


def _most_of(language: str) -> int:
    return _MOST_OF_ENGLISH if language == "en" else _MOST_FREQUENT


def families(most: int | None = _FAMILIES) -> set[str]:
    """The most frequent families of a census of the United States, or all of them."""
    with Path(import_module("names").FILES["last"]).open(encoding="ascii") as file:
        return {line.split()[0].lower() for line in islice(file, most)}


def main() -> None:
    people, common = names_of_people(), set[str]()
    for language in _LANGUAGES:
        words = (plain(word) for word, _ in zip(words_of_language(language), range(_most_of(language)), strict=False))
        common |= {word for word in words if word.isalpha() and len(word) >= SHORTEST}
    write("common_words.txt.xz", common - people - families())
    write("names.txt.xz", {name for name in people if name.isascii() and name.isalpha() and len(name) >= SHORTEST})


def write(file: str, words: set[str]) -> None:
    packed = lzma.compress("\n".join(sorted(words)).encode(), preset=9)
    (_FOLDER / file).write_bytes(packed)
    print(f"{file}: {len(words):,} words, {len(packed):,} bytes")


if __name__ == "__main__":
    main()
