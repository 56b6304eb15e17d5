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
    "suppressed": Measure("values taken out", "0 to 1", "lower"),
    "generalized": Measure("values shown as a group, set or range", "0 to 1", "lower"),
    "unchanged": Measure("values shown as they were", "0 to 1", "higher"),
    "item_frequency_error": Measure("error of the items' frequencies, estimated from the release", "0 to 2", "lower"),
    "rank_correlation": Measure("rank correlation of the items' frequencies, before and after", "-1 to 1", "higher"),
    "frequent_itemsets_kept": Measure("frequent itemsets that are still found, by support", "0 to 1", "higher"),
    "frequent_itemsets_generalized": Measure("the same if a group may stand for an item", "0 to 1", "higher"),
    "records_sampled": Measure("records that itemsets and queries were counted on"),
    "ncp_items": Measure("loss in the baskets (NCP), of occurrences that are not sensitive", "0 to 1", "lower"),
    "ncp_items_leaf_share": Measure("the same as other tools count it (leaves ÷ all leaves)", "0 to 1", "lower"),
    "suppressed_items": Measure("occurrences of items taken out", "0 to 1", "lower"),
    "unchanged_items": Measure("occurrences of items shown as they were", "0 to 1", "higher"),
    "ul": Measure("utility loss (UL) of published items; compare it with the original's", "0 to 1", "lower"),
    "ul_original": Measure("UL of the original, which is not 0", "0 to 1"),
    "are": Measure("mean relative error of counts taken from the release (ARE)", "from 0 up", "lower"),
    "are_even": Measure("the same if a name stands for one of its items, each as likely", "from 0 up", "lower"),
    "are_sensitive": Measure("ARE of counts of a sensitive item with one or two others", "from 0 up", "lower"),
    "are_values": Measure("the same for two values alone", "from 0 up", "lower"),
    "are_items": Measure("the same for two items alone", "from 0 up", "lower"),
    "groups": Measure("groups of records with equal quasi-identifiers", "", "higher"),
    "group_sizes": Measure("records of such a group"),
    "discernability": Measure("sum of the squared sizes of the groups", "", "lower"),
    "average_class_size": Measure("mean size of the groups ÷ k", "from 1 up", "lower"),
    "moved": Measure("occurrences shown in another record of their group", "0 to 1", "lower"),
    "emptied_baskets": Measure("records that lost all their items", "", "lower"),
    "items_before": Measure("different items in the original"),
    "items_after": Measure("different names in the release"),
    "columns": Measure("slices of the table"),
    "buckets": Measure("buckets of the table", "", "higher"),
    "bucket_sizes": Measure("records of a bucket", "", "lower"),
    "correlation_kept": Measure("correlation of all pairs of attributes that is left", "0 to 1", "higher"),
    "correlations_before": Measure("correlation of each pair in the original", "0 to 1"),
    "correlations_after": Measure("correlation of each pair in records drawn from the release", "0 to 1"),
    "accuracy": Measure("share that a classifier predicts rightly", "0 to 1", "higher"),
    "fake_tuples": Measure("records drawn from the release whose known values are nobody's", "0 to 1", "higher"),
    "possible_tuples_log10": Measure("known values that a bucket allows for each record (power of ten)", "", "higher"),
    "matching_buckets": Measure("buckets that known values fit, of people and of fake tuples"),
    "distortion": Measure("sum of all changes of ratings; no rating counts as one step below the scale", "", "lower"),
    "distortion_per_rating": Measure("the same, per original rating that is not sensitive", "from 0 up", "lower"),
    "kept": Measure("ratings that are still there, moved or not", "0 to 1", "higher"),
    "moved_ratings": Measure("ratings moved into an interval", "0 to 1", "lower"),
    "blanked": Measure("ratings taken out", "0 to 1", "lower"),
    "filled": Measure("ratings invented", "", "lower"),
    "people_left_alone": Measure("people published exactly as they were", "", "higher"),
    "emptied_people": Measure("people who lost all their ratings that are not sensitive", "", "lower"),
    "issues_before": Measure("issues that somebody rated"),
    "issues_after": Measure("issues that somebody is published to have rated", "", "higher"),
    "issue_mean_error": Measure("how far the mean of an issue is off, on average", "from 0 up", "lower"),
    "issue_rank_correlation": Measure("rank correlation of the issues' means, before and after", "-1 to 1", "higher"),
    "naive_bayes_before": Measure(
        "how often Naive Bayes is right about a rating, learning from the original", "0 to 1"
    ),
    "naive_bayes_after": Measure("the same, learning from the release", "0 to 1", "higher"),
    "recommender_error_before": Measure("error of a simple recommender that learned from the original", "from 0 up"),
    "recommender_error_after": Measure("the same, having learned from the release", "from 0 up", "lower"),
    "records": Measure("records, before and after"),
}
