"""Makes the weights by which `tacit init` tells how much an unknown word is spelled like somebody's name.

    pip install wordfreq simplemma faker names scikit-learn
    python tools/spelling.py

Names of people of all countries that Faker knows, and frequent families of the United States, against frequent words of
many languages that a dictionary knows and that nobody is called: a logistic regression on rows of two to four letters.
What it says of names and words that it has not seen is printed.
"""

from __future__ import annotations

import lzma
import random
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import common_words
from tacit.init.spelling import BUCKETS, buckets_of

_FILE = Path(__file__).parent.parent / "src/tacit/init/words/spelling.xz"
_LANGUAGES = (
    "en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "pl", "fi", "nb", "cs", "hu", "ro", "tr", "ca", "sk", "sl",
    "lt", "lv", "id", "is", "ms",
)  # fmt: skip
_WITHOUT_DICTIONARY = ("sh", "fil")
_OF_A_DICTIONARY, _OF_ENGLISH, _OF_NONE = 40_000, 60_000, 15_000
"""How many words of a language: fewer where no dictionary tells which are words."""
_FAMILIES = 40_000
_TOLD = 127
_UNSEEN = 0.05


def words_of(language: str) -> Iterator[str]:
    """Frequent words of a language, the most frequent first."""
    frequent, simplemma = import_module("wordfreq").top_n_list, import_module("simplemma")
    has_dictionary = language not in _WITHOUT_DICTIONARY
    most = (_OF_ENGLISH if language == "en" else _OF_A_DICTIONARY) if has_dictionary else _OF_NONE
    found = 0
    for word in frequent(language, 3 * most):
        known = not has_dictionary or simplemma.is_known(word, language)
        if (known or (language == "de" and simplemma.is_known(word.capitalize(), language))) and found < most:
            yield word
            found += 1


def learnt() -> tuple[list[str], list[str]]:
    """Names of people, and words that nobody is called."""
    families = common_words.families(None)
    people = common_words.names_of_people()
    words = {
        common_words.plain(word) for language in (*_LANGUAGES, *_WITHOUT_DICTIONARY) for word in words_of(language)
    }
    names = people | {*common_words.families(_FAMILIES)}
    return _spelled(names), _spelled(words - people - families)


def _spelled(words: set[str]) -> list[str]:
    return sorted(word for word in words if word.isascii() and word.isalpha() and len(word) >= common_words.SHORTEST)


def matrix(words: Sequence[str]) -> Any:
    """A row a word, with the same length for all, however many rows of letters it has."""
    places = [buckets_of(word) for word in words]
    ends = np.cumsum([0, *map(len, places)])
    shares = np.concatenate([np.full(len(each), len(each) ** -0.5) for each in places])
    return import_module("scipy.sparse").csr_matrix((shares, np.concatenate(places), ends), (len(words), BUCKETS))


def main() -> None:
    draw = random.Random(1)
    kinds = learnt()
    for kind in kinds:
        draw.shuffle(kind)
    cut = [int(_UNSEEN * len(kind)) for kind in kinds]
    words = [word for kind, first in zip(kinds, cut, strict=True) for word in kind[first:]]
    is_name = np.repeat([1, 0], [len(kind) - first for kind, first in zip(kinds, cut, strict=True)])
    balance = np.where(is_name == 1, 1.0, len(kinds[0]) / len(kinds[1]))
    linear = import_module("sklearn.linear_model")
    model = linear.SGDClassifier(loss="log_loss", alpha=1e-6, max_iter=12, random_state=0, average=True)
    model.fit(matrix(words), is_name, sample_weight=balance)
    weights = model.coef_[0]
    scale = _TOLD / np.quantile(np.abs(weights), 0.9995)
    small = np.clip(np.round(weights * scale), -_TOLD, _TOLD).astype(np.int8)
    head = np.array([scale, model.intercept_[0]], np.float32)
    _FILE.write_bytes(lzma.compress(head.tobytes() + small.tobytes(), preset=9))
    for what, kind, first in zip(("names", "words"), kinds, cut, strict=True):
        told = matrix(kind[:first]) @ (small / scale) + model.intercept_[0]
        print(f"{what}: {len(kind):,} known; of others, {np.mean(told > 0):.1%} are spelled like names")
    print(f"{_FILE.name}: {_FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
