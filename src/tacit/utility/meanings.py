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
    "ncp_items": Measure("loss in the baskets (NCP), of occurrences that are not sensitive", "0 to 1", "lower"),
    "ncp_items_leaf_share": Measure("the same as other tools count it (leaves ÷ all leaves)", "0 to 1", "lower"),
    "suppressed_items": Measure("occurrences of items taken out", "0 to 1", "lower"),
    "unchanged_items": Measure("occurrences of items shown as they were", "0 to 1", "higher"),
    "ul": Measure("utility loss (UL) of published items; compare it with the original's", "0 to 1", "lower"),
    "ul_original": Measure("UL of the original, which is not 0", "0 to 1"),
    "are": Measure("mean relative error of counts of two values with two items (ARE)", "from 0 up", "lower"),
    "are_values": Measure("the same for two values alone", "from 0 up", "lower"),
    "are_items": Measure("the same for two items alone", "from 0 up", "lower"),
    "groups": Measure("groups of records with equal quasi-identifiers", "", "higher"),
    "group_sizes": Measure("records of such a group"),
    "discernability": Measure("sum of the squared sizes of the groups", "", "lower"),
    "average_class_size": Measure("mean size of the groups ÷ k", "from 1 up", "lower"),
    "emptied_baskets": Measure("records that lost all their items", "", "lower"),
    "items_before": Measure("different items in the original"),
    "items_after": Measure("different names in the release"),
    "columns": Measure("slices of the table"),
    "buckets": Measure("buckets of the table", "", "higher"),
    "bucket_sizes": Measure("records of a bucket", "", "lower"),
    "correlation_kept": Measure("correlation of all pairs of attributes that is left", "0 to 1", "higher"),
    "correlations_before": Measure("correlation of each pair in the original", "0 to 1"),
    "correlations_after": Measure("correlation of each pair in records drawn from the release", "0 to 1"),
    "are": Measure("mean relative error of counting queries", "from 0 up", "lower"),
    "accuracy": Measure("people whose value a classifier predicts that learned from the data", "0 to 1", "higher"),
    "fake_tuples": Measure("records drawn from the release that are nobody's", "0 to 1", "higher"),
    "possible_tuples_log10": Measure("tuples that a bucket allows for each record in it (power of ten)", "", "higher"),
    "matching_buckets": Measure("buckets that a tuple fits, for people and for fake tuples alike if they are hidden"),
    "records": Measure("records, before and after"),
}
