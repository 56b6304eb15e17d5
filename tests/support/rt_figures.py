"""The tables of Poulis et al. 2013: the original of Fig. 1(a), and what Figs. 1(b) and 2 publish of it.

The scan lost the first two people's values: they are 19 and 22 years old, European men. G and H are sensitive.
"""

from __future__ import annotations

from naive.audit_records import Record

NAMES = ("Age", "Origin", "Gender")
SENSITIVE = ("G", "H")


def _table(*rows: str) -> list[Record]:
    """From lines such as `[55:70] Africa All | E G`."""
    records = []
    for row in rows:
        values, items = row.split(" | ")
        records.append(Record(tuple(values.split()), frozenset(items.split())))
    return records


FIG_1A = _table(
    "19 France Male | E F B G",
    "22 UK Male | E F D H",
    "28 Germany Female | B C E G",
    "39 Spain Female | F D H",
    "70 Algeria Female | E G",
    "55 Nigeria Male | A F H",
)
FIG_1B = _table(
    "[19:22] Europe Male | E F (A,B,C,D) G",
    "[19:22] Europe Male | E F (A,B,C,D) H",
    "[28:39] Europe Female | E (A,B,C,D) G",
    "[28:39] Europe Female | F (A,B,C,D) H",
    "[55:70] Africa All | E G",
    "[55:70] Africa All | F (A,B,C,D) H",
)
FIG_2A = _table(
    "[19:22] Europe Male | E F (B,D) G",
    "[19:22] Europe Male | E F (B,D) H",
    "[28:39] Europe Female | (B,C,F) (D,E) G",
    "[28:39] Europe Female | (B,C,F) (D,E) H",
    "[55:70] Africa All | (A,E,F) G",
    "[55:70] Africa All | (A,E,F) H",
)
FIG_2B = _table(
    "[19:70] All All | E F (A,B,C,D) G",
    "[19:70] All All | E F (A,B,C,D) H",
    "[19:70] All All | E (A,B,C,D) G",
    "[19:70] All All | F (A,B,C,D) H",
    "[19:70] All All | E G",
    "[19:70] All All | F (A,B,C,D) H",
)
FIG_2C = _table(
    "[19:39] Europe All | E F (B,C,D) G",
    "[19:39] Europe All | E F (B,C,D) H",
    "[19:39] Europe All | E (B,C,D) G",
    "[19:39] Europe All | F (B,C,D) H",
    "[55:70] Africa All | (A,E,F) G",
    "[55:70] Africa All | (A,E,F) H",
)
FIG_2D = _table(
    "[19:70] All All | E F (A,B,D) G",
    "[19:70] All All | E F (A,B,D) H",
    "[19:70] All All | E G",
    "[19:70] All All | F (A,B,D) H",
    "[28:39] Europe Female | (B,C,F) (D,E) G",
    "[28:39] Europe Female | (B,C,F) (D,E) H",
)
