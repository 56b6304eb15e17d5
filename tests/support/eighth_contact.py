"""An eighth batch: twelve tables of other trades and languages, as short as can be written down.

`eighth_contact.txt` has a line a column: its header, the roles that are right, and how its values are made. The roles
were decided before `init` was tried on them; its figure stands in `docs/init.md`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from support.first_tables import Made

_ROLES = {"i": "identifier", "q": "quasi", "s": "sensitive", "p": "person", "P": "plain", "w": "weight", "t": "items"}
_NAMES = """\
Anna Björn Chloé Emeka Fatima Giulia Hiroshi Ingrid João Lars Mehmet Ngozi Priya Tomasz Wei Zofia
Müller Nguyen Kowalski García Rossi Johansson Silva Okafor Tanaka Singh Yılmaz Dubois Haugen Popescu
ba ko ri ma ne lu to sha vi dra po el qui zen mar tu wo ha ky san fe lo gri stu men"""
_GIVEN, _FAMILY, _SYLLABLES = map(str.split, _NAMES.splitlines())
_FORMS = {"YYYY-MM-DD": "%Y-%m-%d", "DD.MM.YYYY": "%d.%m.%Y", "DD/MM/YYYY": "%d/%m/%Y"}
_NAMES_IN_LISTS = 0.6


class _Column:
    """Values one after the other, as a recipe says."""

    def __init__(self, recipe: str, rng: random.Random) -> None:
        self.rng, self.pool = rng, list[str]()
        how, _, what = recipe.partition(" ")
        self.next: Callable[[int], str] = partial(getattr(self, f"_{how}"), what)

    def _inner(self, what: str) -> tuple[float, _Column]:
        number, _, recipe = what.partition(" ")
        if not self.pool:
            self.pool.append("")
            self.inner = _Column(recipe, self.rng)
        return float(number), self.inner

    def _few(self, what: str, row: int) -> str:
        size, inner = self._inner(what)
        if len(self.pool) <= size:
            self.pool.append(inner.next(row))
            return self.pool[-1]
        return self.rng.choice(self.pool[1:])

    def _gap(self, what: str, row: int) -> str:
        share, inner = self._inner(what)
        return "" if self.rng.random() < share else inner.next(row)

    def _of(self, what: str, row: int) -> str:
        values = what.split("; ")
        return self.rng.choices(values, [1 / (1 + 0.3 * at) for at in range(len(values))])[0]

    def _say(self, what: str, row: int) -> str:
        return ". ".join(self.rng.sample(what.split("; "), self.rng.choice([1, 1, 2])))

    def _int(self, what: str, row: int) -> str:
        return str(self.rng.randint(*map(int, what.split())))

    def _round(self, what: str, row: int) -> str:
        return str(self.rng.randrange(*map(int, what.split())))

    def _normal(self, what: str, row: int) -> str:
        middle, spread, digits = what.split()
        return f"{max(self.rng.gauss(float(middle), float(spread)), 0.1):.{digits}f}"

    def _skew(self, what: str, row: int) -> str:
        middle, spread, digits, *comma = what.split()
        text = f"{self.rng.lognormvariate(float(middle), float(spread)):.{digits}f}"
        return text.replace(".", ",") if comma else text

    def _when(self, first: str, last: str) -> datetime:
        span = (int(last) - int(first) + 1) * 365 * 86400
        return datetime(int(first), 1, 1) + timedelta(seconds=self.rng.randrange(span))

    def _day(self, what: str, row: int) -> str:
        form, *years = what.split()
        day = self._when(*years)
        return day.strftime(_FORMS[form]) if form in _FORMS else f"{day.day}.{day.month}.{day.year}"

    def _moment(self, what: str, row: int) -> str:
        form, *years = what.rsplit(" ", 2)
        return self._when(*years).strftime(form)

    def _clock(self, what: str, row: int) -> str:
        low, high = map(int, what.split())
        return f"{self.rng.randrange(low, high)}:{self.rng.randrange(60):02}:{self.rng.randrange(60):02}"

    def _pat(self, what: str, row: int) -> str:
        signs = {"#": "0123456789", "@": "ABCDEFGHJKLMNPQRSTUVWXYZ"}
        return "".join(self.rng.choice(signs.get(sign, sign)) for sign in what)

    def _serial(self, what: str, row: int) -> str:
        form, start = what.rsplit(" ", 1)
        return form.format(int(start) + row)

    def _called(self, names: list[str]) -> str:
        made = "".join(self.rng.choices(_SYLLABLES, k=3)).capitalize()
        return self.rng.choice(names) if self.rng.random() < _NAMES_IN_LISTS else made

    def _given(self, what: str, row: int) -> str:
        return self._called(_GIVEN)

    def _family(self, what: str, row: int) -> str:
        return self._called(_FAMILY)

    def _name(self, what: str, row: int) -> str:
        return re.sub(r"\{(.)\}", lambda part: self._called(_GIVEN if part[1] == "f" else _FAMILY), what)

    def _web(self, what: str, row: int) -> str:
        return f"https://linkedin.com/in/{self._called(_GIVEN).lower()}-{self.rng.randrange(1000)}"


def _made(kind: str, rows: str, lines: list[str], seed: int) -> Made:
    rng, columns, roles = random.Random(seed), dict[str, list[str]](), dict[str, str]()
    for line in lines:
        header, letters, recipe = line.split(" | ")
        column = _Column(recipe, rng)
        columns[header] = [column.next(row) for row in range(int(rows))]
        roles[header] = "|".join(_ROLES[letter] for letter in letters)
    return Made(kind, columns, roles)


def tables_of(file: str) -> dict[str, Callable[[], Made]]:
    """The tables that a file describes, a line a column."""
    text = (Path(__file__).parent / file).read_text(encoding="utf-8")
    found = {}
    for seed, block in enumerate(re.split(r"^= ", text, flags=re.MULTILINE)[1:]):
        head, *lines = block.strip().split("\n")
        name, kind, rows = head.split()
        found[name] = partial(_made, kind, rows, lines, seed)
    return found


EIGHTH = tables_of("eighth_contact.txt")
