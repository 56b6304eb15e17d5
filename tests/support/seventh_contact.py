"""A seventh batch: names, logins, numbers of staff and remarks that come back, with names that no list has.

Names are made of syllables, so that only what a column looks like can tell. The figures of all seven batches of this
sort, each measured before anything was mended for it, stand in `docs/init.md`; this is a part of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from support.first_tables import Draw, Made

_ROLES = {"i": "identifier", "q": "quasi", "s": "sensitive", "p": "person", "P": "plain"}
_SYLLABLES = [
    "ba",
    "ce",
    "do",
    "fi",
    "gu",
    "ha",
    "jo",
    "ka",
    "le",
    "mi",
    "nu",
    "or",
    "pe",
    "qui",
    "ra",
    "so",
    "ta",
    "ul",
    "vi",
    "wen",
    "xa",
    "yo",
    "zi",
    "bri",
    "cho",
    "dra",
    "fle",
    "gro",
    "ksh",
    "mlo",
    "nya",
    "pru",
    "sta",
]


class Codes(Draw):
    """Columns of made-up names and codes that come back."""

    def pool(self, size: int, kind: str = "name") -> list[str]:
        found: dict[str, None] = {}
        while len(found) < size:
            word = "".join(self.rng.choice(_SYLLABLES, self.rng.integers(2, 5)))
            found[word.capitalize() if kind == "name" else word] = None
        return list(found)

    def codes(self, form: str, size: int) -> list[str]:
        """So many different codes: # is a digit, @ a letter."""
        found: dict[str, None] = {}
        while len(found) < size:
            digit, letter = self.rng.integers(10, size=len(form)), self.rng.integers(26, size=len(form))
            signs = [
                str(digit[at]) if sign == "#" else chr(65 + letter[at]) if sign == "@" else sign
                for at, sign in enumerate(form)
            ]
            found["".join(signs)] = None
        return list(found)

    def own(self, form: str) -> list[str]:
        return self.codes(form, self.rows)

    def zipf(self, pool: Sequence[str], power: float = 1.0) -> list[str]:
        odds = 1 / np.arange(1, len(pool) + 1) ** power
        return self.of(*pool, odds=list(odds / odds.sum()))

    def mins(self) -> list[str]:
        drawn = np.datetime64("2024-01-01T00:00:00") + self.rng.integers(0, 300 * 86_400, self.rows)
        return [moment.strftime("%Y-%m-%d %H:%M:%S") for moment in drawn.astype(object)]

    def phrases(self, text: str) -> list[str]:
        return self.of(*text.split("|"))


def _table(kind: str, columns: dict[str, tuple[str, list[str]]]) -> Made:
    roles = {name: "|".join(_ROLES[role] for role in each) for name, (each, _) in columns.items()}
    return Made(kind, {name: values for name, (_, values) in columns.items()}, roles)


def radio() -> Made:
    d = Codes(260, 129)
    return _table(
        "records",
        {
            "c1": ("i", d.own("######")),
            "c2": ("i", d.zipf(d.pool(60))),
            "c3": ("qs", d.of("male", "female")),
            "c4": ("qs", d.of("single", "married")),
            "c5": ("qs", d.numbers(0, 120)),
            "c6": ("i", d.zipf(d.codes("@@@@", 30), 0.2)),
            "c7": ("s", d.skewed(200, 2)),
            "c8": ("i", d.of("Jan", "Mai", "Juni", "August", "Tilo", "Sven")),
            "c9": ("qs", d.of("low", "mid", "high")),
            "c10": ("i", d.of("call after 5", "door code 12", "prefers mail", "ok")),
            "c11": ("qs", d.dates("%d.%m.%Y")),
            "c12": ("i", d.zipf(d.codes("2###", 30), 0.1)),
            "c13": ("qs", d.of("Mon", "Tue", "Wed", "Thu")),
            "c14": ("i", d.of("lw1", "kb3", "st2", "mo9", "rr4")),
        },
    )


def moodle() -> Made:
    d = Codes(900, 104)
    return _table(
        "records",
        {
            "userid": ("ip", d.zipf(d.codes("2####", 250), 0.2)),
            "username": ("i", d.zipf(d.pool(250, "low"), 0.2)),
            "courseid": ("qi", d.of(112, 118, 204)),
            "itemname": ("qsi", d.of("Quiz 1", "Essay", "Final exam")),
            "finalgrade": ("s", d.numbers(20, 100, 2)),
            "attempt": ("qs", d.numbers(1, 4)),
            "timemodified": ("qi", d.numbers(1700000000, 1710000000)),
            "feedback": ("i", d.phrases("see me|good work Sam|plagiarised|well argued")),
            "department": ("q", d.of("Nursing", "Physics", "Law")),
            "city": ("q", d.of("Hull", "York", "Leeds")),
            "country": ("q", d.of("GB", "IN", "CN")),
            "idnumber": ("i", d.zipf(d.codes("s######", 250), 0.2)),
            "lang": ("q", d.of("en", "zh")),
            "suspended": ("s", d.of(0, 1, odds=[0.95, 0.05])),
            "marker": ("i", d.of("RJB", "ANO", "TTL", "KMcA")),
        },
    )


def silent() -> Made:
    d = Codes(900, 110)
    return _table(
        "records",
        {
            "f1": ("i", d.zipf(d.codes("####", 150), 0.2)),
            "f2": ("i", d.zipf(d.pool(25))),
            "f3": ("qs", d.of("blue collar", "white collar", "none")),
            "f4": ("qs", d.of("0-5", "6-10", "11+")),
            "f5": ("i", d.zipf(d.pool(18, "low"))),
            "f6": ("qs", d.numbers(1900, 2000)),
            "f7": ("s", d.numbers(0, 1, 3)),
            "f8": ("i", d.of("QT", "LV", "ZZB", "HK", "OOP")),
            "f9": ("qs", d.of("Berlin", "Paris", "Madrid")),
            "f10": ("i", d.of("ring me", "n/a", "bad leg", "wife knows")),
            "f11": ("qs", d.of("agree", "disagree", "neutral")),
            "f12": ("i", d.zipf(d.codes("@-###", 40), 0.2)),
            "f13": ("qs", d.mins()),
            "f14": ("qs", d.of("TRUE", "FALSE")),
            "f15": ("i", d.joined(" ", d.of("St", "Old", "New"), d.of(*d.pool(30)), d.numbers(1, 50))),
        },
    )


def police_stops() -> Made:
    d = Codes(700, 21)
    return _table(
        "records",
        {
            "stop_no": ("i", d.own("2024-S-#####")),
            "ofcr": ("i", d.zipf(d.codes("####", 80), 0.4)),
            "subj_nm": ("i", d.zipf(d.pool(300))),
            "race_perceived": ("qs", d.of("White", "Black", "Latino", "Asian", "Other")),
            "gender_perceived": ("q", d.of("Male", "Female")),
            "age_bracket": ("q", d.of("<18", "18-25", "26-40", "41-60", "60+")),
            "beat": ("q", d.of("B1", "B2", "C1", "C3", "D2")),
            "stop_reason": ("s", d.of("Equipment", "Moving violation", "Suspicious behavior", "Warrant")),
            "searched": ("s", d.of("Y", "N")),
            "contraband": ("s", d.of("None", "Drugs", "Weapon")),
            "outcome": ("s", d.of("Warning", "Citation", "Arrest")),
            "narr": (
                "i",
                d.phrases("veh swerved, driver tired|matched BOLO, released|no plates displayed|tail light out"),
            ),
            "veh_tag": ("i", d.own("@@@-####")),
            "stop_dt": ("q", d.dates("%m/%d/%y", "2024-01-01", 200)),
            "lat_lon": ("i", d.joined(",", d.numbers(33, 34, 5), d.numbers(-118, -117, 5))),
        },
    )


SEVENTH: dict[str, Callable[[], Made]] = {
    "seventh_" + make.__name__: make for make in (radio, moodle, silent, police_stops)
}
