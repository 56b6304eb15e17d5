"""What each measure of utility.json means: one table for the report, the comparison and the docs."""

from __future__ import annotations

from typing import NamedTuple


class Measure(NamedTuple):
    """A measure in words, its range, and which end of it is good ("" where neither is)."""

    meaning: str
    range: str = ""
    better: str = ""

    def in_words(self) -> str:
        """The meaning with range and direction, such as `loss; 0 to 1; lower is better`."""
        return "; ".join(filter(None, (self.meaning, self.range, self.better and f"{self.better} is better")))


MEASURES: dict[str, Measure] = {
    "ncp": Measure("loss (NCP): share of what the values said that is lost", "0 to 1", "lower"),
    "ncp_lower_bound": Measure("no cut and suppression loses less than this (NCP)", "0 to 1"),
    "ncp_leaf_share": Measure("loss as other tools count it (leaves ÷ all leaves)", "0 to 1", "lower"),
    "suppressed": Measure("occurrences taken out", "0 to 1", "lower"),
    "generalized": Measure("occurrences shown as a group", "0 to 1", "lower"),
    "unchanged": Measure("occurrences shown as they were", "0 to 1", "higher"),
    "emptied_baskets": Measure("records that lost all their items", "", "lower"),
    "items_before": Measure("different items in the original"),
    "items_after": Measure("different names in the release"),
    "records": Measure("records, before and after"),
}
