"""What the report says of attackers: the rows that matter are seen, and the others can be."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tacit.attack.base import INFERENCE, UNIFORM, Attacker, Outcome
from tacit.attack.result import Attack, Findings
from tacit.attack.statistics import Share
from tacit.report.attacks import attack_section
from tacit.report.blocks import Block, Folded, Grid

RISK = {
    "uniques": 0,
    "classes": 1,
    "prosecutor": {"highest": 0.1, "average": 0.1, "above": {}, "records_above": {}},
    "all_columns": {"uniques": 0},
}


def _attack(name: str, right: int, *, bound: Fraction | None = None, control: Share | None = None) -> Attack:
    attacker = Attacker(name, INFERENCE, "Knows. Guesses.", ("records",), lambda scene: [], UNIFORM, "Do less.")
    return Attack(attacker, Outcome(f"{right} of 1,000", Share(right, 1000), 0.01, control, bound))


def _tables(*attacks: Attack) -> tuple[list[Grid], list[Grid]]:
    """The tables of attackers that are open, and those that are folded."""
    blocks = attack_section(Findings(RISK, None, attacks)).blocks
    inside = [inner for block in blocks if isinstance(block, Folded) for inner in block.blocks]
    return _of_attackers(blocks), _of_attackers(inside)


def _of_attackers(blocks: Sequence[Block]) -> list[Grid]:
    return [block for block in blocks if isinstance(block, Grid) and block.head[:1] == ("attacker",)]


def _known(grid: Grid) -> list[str]:
    return [row[1] for row in grid.rows]


def test_of_many_rows_of_an_attacker_those_are_seen_that_gain_most() -> None:
    (shown,), (folded,) = _tables(*(_attack("learner", right) for right in (10, 700, 20, 900, 30, 800, 40)))
    assert _known(shown) == ["700 of 1,000", "900 of 1,000", "800 of 1,000"]
    assert _known(folded) == ["10 of 1,000", "20 of 1,000", "30 of 1,000", "40 of 1,000"]


def test_few_rows_are_all_seen_and_attackers_are_counted_by_themselves() -> None:
    (shown,), folded = _tables(*(_attack(name, right) for name in ("one", "other") for right in range(10, 16)))
    assert len(shown.rows) == 12 and folded == []


def test_what_is_above_its_bound_is_seen_wherever_it_stands() -> None:
    above = _attack("learner", 100, bound=Fraction(1, 100))
    (shown,), (folded,) = _tables(*(_attack("learner", 500 + right) for right in range(10)), above)
    assert _known(shown)[-1] == "100 of 1,000" and len(shown.rows) == 4 and len(folded.rows) == 7


def test_there_is_a_column_for_people_held_out_where_some_were() -> None:
    (without,), _ = _tables(_attack("learner", 10))
    (beside,), _ = _tables(_attack("learner", 10), _attack("learner", 20, control=Share(5, 1000)))
    assert "control" not in without.head and len(without.rows[0]) == len(without.head)
    assert beside.rows[1][beside.head.index("control")] == "0.50%"
    assert without.rows[0][-1] == "" and without.head[-1] == "promised"
